//! The JSON Schema of the trees under `assert`: which leaves may stand below which target.

use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

use super::super::operator::Operator;
use super::super::types::{Form, Target, Type};
use crate::clause::{GROUPS, LABEL};
use crate::question::{self, label_schema, named_leaf};
use crate::schema::{reference, within};
use crate::vocabularies::Speaker;
use crate::vocabulary::Vocabulary;

/// How the values of operators are looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::spec) enum Values {
    /// As what they must be.
    Whole,
    /// Not: something is carried into them when the case is run.
    Carried,
}

/// The trees that the cases of one type may hold.
#[derive(Clone, Copy)]
pub(in crate::spec) struct Trees {
    pub(in crate::spec) kind: &'static Type,
    pub(in crate::spec) values: Values,
}

impl Trees {
    /// A node that stands below nothing: what has one target only has it already; else a group must say which.
    pub(in crate::spec) fn root(self) -> Value {
        reference(&self.name(self.kind.only_target().map_or("outermost", |target| target.name)))
    }

    /// A node below a target.
    fn below(self, target: &Target) -> Value {
        reference(&self.name(target.name))
    }

    fn name(self, part: &str) -> String {
        format!("{}.{part}{}", self.kind.name, self.values.suffix())
    }

    /// Defines the nodes below every target, the outermost one, and the groups.
    pub(in crate::spec) fn define(self, definitions: &mut Map<String, Value>) {
        let group = reference(&self.name("group"));
        for target in self.kind.targets {
            let node = json!({
                "if": {"anyOf": has_group()},
                "then": {"allOf": [group, unless_told(&self.below(target))]},
                "else": reference(&leaf_name(target.form, self.values)),
            });
            definitions.insert(self.name(target.name), node);
        }
        if self.kind.only_target().is_none() {
            let outermost = json!({"allOf": [group, unless_told(&self.root())]});
            definitions.insert(self.name("outermost"), outermost);
        }
        definitions.insert(self.name("group"), self.group());
    }

    /// A group, and what stands in it if it has a target itself.
    fn group(self) -> Value {
        let names: Vec<&str> = self.kind.targets.iter().map(|target| target.name).collect();
        let mut properties = Map::from_iter([("target".to_owned(), json!({"enum": names}))]);
        properties.insert(LABEL.to_owned(), label_schema());
        properties.extend(GROUPS.map(|group| (group.to_owned(), json!({"type": "array", "minItems": 1}))));
        json!({
            "type": "object",
            "properties": properties,
            "additionalProperties": false,
            "oneOf": has_group(),
            "allOf": self.told(),
        })
    }

    /// What stands in a group that has a target itself, for each.
    fn told(self) -> Vec<Value> {
        let below = |target: &Target| {
            let is_told = json!({"properties": {"target": {"const": target.name}}, "required": ["target"]});
            json!({"if": is_told, "then": {"properties": branches(&self.below(target))}})
        };
        self.kind.targets.iter().map(below).collect()
    }

    /// What stands in an object that is a group beside other things, with a target where it has none.
    pub(in crate::spec) fn beside(self, default: &Target) -> Vec<Value> {
        [self.told(), vec![unless_told(&self.below(default))]].concat()
    }

    /// Defines the leaves below every target, and the vocabularies that they are of.
    pub(in crate::spec) fn define_leaves(
        self,
        definitions: &mut Map<String, Value>,
        generator: &mut SchemaGenerator,
    ) {
        for target in self.kind.targets {
            let name = leaf_name(target.form, self.values);
            if definitions.contains_key(&name) {
                continue;
            }
            let suiting = Operator::ALL.into_iter().filter(|operator| operator.suits(target));
            let mut operators: Map<String, Value> = Map::new();
            for operator in suiting {
                let values = json!({"type": "array", "minItems": 1, "items": operator.schema(generator)});
                operators.insert(operator.name().to_owned(), described(values, operator.about()));
            }
            if let Some(about) = target.form.words() {
                let (words, referred_to) = about.speak(WordsOf);
                operators.extend(words);
                definitions.insert(about.subject().to_owned(), referred_to);
            }
            if self.values == Values::Carried {
                for values in operators.values_mut() {
                    *values = json!({"type": ["array", "string"], "minItems": 1});
                }
            }
            definitions.insert(name, named_leaf(operators));
        }
    }
}

/// That one of the groups is there.
pub(in crate::spec) fn has_group() -> Vec<Value> {
    GROUPS.map(|group| json!({"required": [group]})).to_vec()
}

/// What stands in a group without a target of its own.
fn unless_told(node: &Value) -> Value {
    json!({"if": {"not": {"required": ["target"]}}, "then": {"properties": branches(node)}})
}

/// The keys of groups, each with such branches.
fn branches(node: &Value) -> Map<String, Value> {
    GROUPS.map(|group| (group.to_owned(), json!({"items": node}))).into_iter().collect()
}

fn leaf_name(form: Form, values: Values) -> String {
    let asked = match form {
        Form::Text | Form::Json => "text",
        Form::Path => "path",
        Form::Words(about) => about.subject(),
    };
    format!("{asked}.leaf{}", values.suffix())
}

impl Values {
    /// What the names of such trees end with.
    fn suffix(self) -> &'static str {
        match self {
            Values::Whole => "",
            Values::Carried => ".then",
        }
    }
}

fn described(mut schema: Value, text: &str) -> Value {
    schema["description"] = text.into();
    schema
}

/// The words of a vocabulary as leaves, and what they refer to, as a definition of the name of its subject.
struct WordsOf;

impl Speaker for WordsOf {
    type Answer = (Map<String, Value>, Value);

    fn speak<A: Vocabulary>(self) -> Self::Answer {
        let leaf = within(A::SUBJECT, Value::Object(question::leaf::<A>()));
        let words = leaf.as_object().cloned().unwrap_or_default();
        (words, within(A::SUBJECT, json!({"$defs": question::definitions::<A>()})))
    }
}
