//! Values carried from a condition into what follows from it.

use std::ops::Range;

use serde_json::json;

use super::names::{Offer, Part, parts};
use crate::document::{Content, Member, Node};
use crate::value::{Number, Value};

/// The groups of a regex beyond which nobody counts.
const MOST_GROUPS: usize = 100;

/// What one moment at which a condition holds carries with it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Carried {
    /// The value that a path selected.
    pub(super) value: Option<Value>,
    /// What a regex caught: the whole match, then its groups; nothing for one that took no part.
    pub(super) caught: Vec<Option<String>>,
}

/// A text in which something carried is put.
#[derive(Debug, Clone)]
struct Slot {
    /// The way to it through the tree: which item or member each time.
    way: Vec<usize>,
    parts: Vec<Part>,
    reading: Reading,
    /// Something that may stand there.
    sample: Value,
}

/// What a text is read as, which decides how something is put into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// A value.
    Plain,
    /// A number, where it is nothing but what a group caught.
    Number,
    /// A pattern, in which what is carried stands for itself, as one whole.
    Pattern,
    /// A set of characters in a pattern.
    Set,
    /// An expression, in which a list would be a call.
    Expression,
}

/// What is asked once for each value that is carried.
#[derive(Debug, Clone)]
pub(super) struct Template {
    node: Node,
    slots: Vec<Slot>,
}

/// Something that cannot be carried, and where it is written.
pub(super) struct Unknown {
    pub(super) message: String,
    pub(super) span: Range<usize>,
}

impl Template {
    /// Looks for what is carried in every text.
    pub(super) fn of(node: &Node, offer: Offer<'_>) -> Result<Template, Unknown> {
        let mut slots = Vec::new();
        find(node, &mut Vec::new(), offer, &mut slots)?;
        Ok(Template { node: node.clone(), slots })
    }

    /// Whether nothing is carried into it.
    pub(super) fn is_plain(&self) -> bool {
        self.slots.is_empty()
    }

    /// The tree with everything in its place.
    pub(super) fn filled(&self, carried: &Carried) -> Node {
        self.with(|slot| carried.put(slot))
    }

    /// The group that is asked for and caught nothing, if there is one.
    pub(super) fn misses(&self, carried: &Carried) -> Option<usize> {
        let groups = self.slots.iter().flat_map(|slot| &slot.parts).filter_map(|part| match part {
            Part::Group(group) => Some(*group),
            Part::Text(_) | Part::Value => None,
        });
        let mut groups = groups;
        groups.find(|group| carried.caught.get(*group).is_none_or(Option::is_none))
    }

    /// Finds out what each text is read as, by what can be compiled: `mistakes` counts what is wrong with a tree. Answers with
    /// the place of a text into which nothing can be carried.
    ///
    /// What is wrong whatever stands in its place is told by whoever compiles [`Template::tried`].
    pub(super) fn learn(&mut self, mistakes: impl Fn(&Node) -> usize) -> Result<(), Range<usize>> {
        /// No patterns outside a set; no patterns inside one.
        const HOSTILE: [&str; 2] = ["(", "\\"];
        /// No pattern inside a set, but one outside.
        const NO_SET: &str = "z-a";
        for at in 0..self.slots.len() {
            if self.slots[at].is_alone() {
                let samples =
                    samples().into_iter().map(|sample| (mistakes(&self.trying(at, &sample)), sample));
                let best = samples.min_by_key(|(mistakes, _)| *mistakes);
                self.slots[at].sample = best.map_or(Value::Null, |(_, sample)| sample);
            }
        }
        let wrong = mistakes(&self.tried());
        for at in 0..self.slots.len() {
            let compiles =
                |template: &Template, value: Value| mistakes(&template.trying(at, &value)) <= wrong;
            if self.slots[at].sample.is_number() {
                self.slots[at].reading = Reading::Number;
            }
            if self.slots[at].sample != "x" {
                continue;
            }
            let [call, no_call] = [json!(["subject"]), json!(["no such symbol"])];
            if self.slots[at].parts == [Part::Value] && compiles(self, call) && !compiles(self, no_call) {
                self.slots[at].reading = Reading::Expression;
                continue;
            }
            if HOSTILE.iter().all(|text| compiles(self, (*text).into())) {
                continue;
            }
            self.slots[at].reading = Reading::Pattern;
            if !compiles(self, NO_SET.into()) {
                self.slots[at].reading = Reading::Set;
            }
            if !HOSTILE.iter().chain([&NO_SET]).all(|text| compiles(self, (*text).into())) {
                return Err(part(&self.node, &self.slots[at].way).span.clone());
            }
        }
        Ok(())
    }

    /// The tree with something in every text that may stand there, for whoever wants to know what else is wrong with it.
    pub(super) fn tried(&self) -> Node {
        self.with(|slot| slot.holding(&slot.sample))
    }

    /// The same with another value in one of them.
    fn trying(&self, at: usize, value: &Value) -> Node {
        let way = &self.slots[at].way;
        self.with(|slot| slot.holding(if slot.way == *way { value } else { &slot.sample }))
    }

    fn with(&self, put: impl Fn(&Slot) -> Value) -> Node {
        let mut node = self.node.clone();
        for slot in &self.slots {
            let inner = part_mut(&mut node, &slot.way);
            *inner = written(put(slot), &inner.span);
        }
        node
    }
}

impl Slot {
    /// Whether nothing stands there but one thing that is carried.
    fn is_alone(&self) -> bool {
        matches!(self.parts.as_slice(), [Part::Value | Part::Group(_)])
    }

    /// What it becomes if this is carried.
    fn holding(&self, value: &Value) -> Value {
        match value {
            Value::String(_) => Carried::sample(value).put(self),
            other if self.is_alone() => other.clone(),
            other => Carried::sample(other).put(self),
        }
    }
}

/// What may stand alone where something is carried: of every kind that an argument can be.
fn samples() -> Vec<Value> {
    vec![
        json!("x"),
        json!(1),
        json!("2026-01-01"),
        json!("Message"),
        json!("BudgetExceeded"),
        json!(true),
        json!(["x"]),
        json!({"x": "x"}),
    ]
}

/// A value as if it were written in a place.
fn written(value: Value, span: &Range<usize>) -> Node {
    let content = match value {
        Value::Array(items) => Content::List(items.into_iter().map(|item| written(item, span)).collect()),
        Value::Object(members) => {
            let member = |(key, value)| Member { key, key_span: span.clone(), value: written(value, span) };
            Content::Map(members.into_iter().map(member).collect())
        }
        scalar => Content::Scalar(scalar),
    };
    Node { span: span.clone(), content }
}

impl Carried {
    /// The same value, whatever is carried.
    fn sample(value: &Value) -> Carried {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        Carried { value: Some(value.clone()), caught: vec![Some(text); MOST_GROUPS + 1] }
    }

    /// A key in what is carried that would be an instruction where it is put, instead of a key.
    pub(super) fn instruction(&self) -> Option<&str> {
        fn within(value: &Value) -> Option<&str> {
            match value {
                Value::Array(items) => items.iter().find_map(within),
                Value::Object(members) => members.iter().find_map(|(key, value)| {
                    if key.starts_with('$') { Some(key.as_str()) } else { within(value) }
                }),
                _ => None,
            }
        }
        self.value.as_ref().and_then(within)
    }

    /// What a slot becomes: the value itself where nothing else stands there, else a text.
    fn put(&self, slot: &Slot) -> Value {
        let caught = |group: usize| self.caught.get(group).cloned().flatten().unwrap_or_default();
        match (slot.parts.as_slice(), slot.reading, &self.value) {
            ([Part::Value], Reading::Expression, Some(value @ (Value::Array(_) | Value::Object(_)))) => {
                return json!(["json_parse", value.to_string()]);
            }
            ([Part::Value], Reading::Plain | Reading::Number | Reading::Expression, Some(value)) => {
                return value.clone();
            }
            ([Part::Group(group)], Reading::Number, _) => {
                let text = caught(*group);
                return text.parse::<Number>().map_or_else(|_| Value::from(text), Value::Number);
            }
            _ => {}
        }
        let carried = |text: String| match slot.reading {
            Reading::Plain | Reading::Number | Reading::Expression => text,
            Reading::Pattern => format!("(?:{})", regex_syntax::escape(&text)),
            Reading::Set => regex_syntax::escape(&text),
        };
        let text = slot.parts.iter().map(|part| match part {
            Part::Text(text) => text.clone(),
            Part::Group(group) => carried(caught(*group)),
            Part::Value => carried(match &self.value {
                Some(Value::String(text)) => text.clone(),
                Some(value) => value.to_string(),
                None => String::new(),
            }),
        });
        Value::from(text.collect::<String>())
    }
}

fn find(node: &Node, way: &mut Vec<usize>, offer: Offer<'_>, slots: &mut Vec<Slot>) -> Result<(), Unknown> {
    let inner: Vec<&Node> = match &node.content {
        Content::Scalar(Value::String(text)) => {
            let parts = parts(text, offer).map_err(|message| Unknown { message, span: node.span.clone() })?;
            if !matches!(parts.as_slice(), [] | [Part::Text(_)]) || text.contains("$$") {
                slots.push(Slot { way: way.clone(), parts, reading: Reading::Plain, sample: "x".into() });
            }
            return Ok(());
        }
        Content::Scalar(_) => return Ok(()),
        Content::Deep(_) => {
            let message = "'then' is nested too deeply".to_owned();
            return Err(Unknown { message, span: node.span.clone() });
        }
        Content::List(items) => items.iter().collect(),
        Content::Map(members) => members.iter().map(|member| &member.value).collect(),
    };
    for (index, inner) in inner.into_iter().enumerate() {
        way.push(index);
        find(inner, way, offer, slots)?;
        way.pop();
    }
    Ok(())
}

fn part<'n>(node: &'n Node, way: &[usize]) -> &'n Node {
    way.iter().fold(node, |node, at| match &node.content {
        Content::List(items) => &items[*at],
        Content::Map(members) => &members[*at].value,
        Content::Scalar(_) | Content::Deep(_) => node,
    })
}

fn part_mut<'n>(node: &'n mut Node, way: &[usize]) -> &'n mut Node {
    let Some((at, rest)) = way.split_first() else { return node };
    let inner = match &mut node.content {
        Content::List(items) => &mut items[*at],
        Content::Map(members) => &mut members[*at].value,
        Content::Scalar(_) | Content::Deep(_) => unreachable!("a way leads through lists and maps"),
    };
    part_mut(inner, rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Document, Notation};
    use crate::value::Captor;

    fn node(yaml: &str) -> Node {
        let document = Document::new("a.yaml", yaml);
        assert_eq!(document.notation(), Notation::Yaml);
        document.read().unwrap()
    }

    fn carried() -> Carried {
        Carried { value: Some(5.into()), caught: vec![Some("RF-1".to_owned()), Some("1".to_owned())] }
    }

    fn filled(yaml: &str) -> Result<Value, String> {
        let regex = Captor::parse(r"RF-(?P<id>\d+)").unwrap();
        let offer = Offer { value: true, regex: Some(&regex) };
        let template = Template::of(&node(yaml), offer).map_err(|unknown| unknown.message)?;
        Ok(template.filled(&carried()).to_value())
    }

    #[test]
    fn what_is_carried_is_put_in_its_place() {
        for (written, put) in [
            ("$value", serde_json::json!(5)),
            ("id $1 of $0", "id 1 of RF-1".into()),
            ("${id}0", "10".into()),
            ("$$1 $ $$x $", "$1 $ $x $".into()),
            ("$$values ${value}s $.a", "$values 5s $.a".into()),
        ] {
            assert_eq!(filled(&format!("{{a: ['{written}']}}")).unwrap(), serde_json::json!({"a": [put]}));
        }
    }

    #[test]
    fn what_nothing_carries_is_refused() {
        assert_eq!(
            filled("a: $2").unwrap_err(),
            "$2 is undefined: the regex has 1 group; write $$ for a literal dollar"
        );
        assert_eq!(filled("a: ${x}").unwrap_err(), "${x} is undefined; the groups are id");
        for (written, refused) in [
            ("a: $id", "$id is undefined; write ${id} for the group, $$ for a literal dollar"),
            ("a: x $values", "$values is undefined; did you mean $value? Write $$ for a literal dollar"),
            ("a: $idd", "$idd is undefined; did you mean ${id}? Write $$ for a literal dollar"),
            ("a: US$amount", "$amount is undefined; write $$ for a literal dollar"),
        ] {
            assert_eq!(filled(written).unwrap_err(), refused);
        }
    }

    #[test]
    fn in_a_pattern_it_stands_for_itself() {
        let regex = Captor::parse("(.*)").unwrap();
        let offer = Offer { value: false, regex: Some(&regex) };
        let mut template = Template::of(&node("{pattern: '^$1', text: $1}"), offer).ok().unwrap();
        let mistakes = |node: &Node| {
            let pattern = node.get("pattern").and_then(Node::as_str).unwrap_or_default();
            usize::from(Captor::parse(pattern).is_err())
        };
        template.learn(mistakes).unwrap();
        let carried = Carried { value: None, caught: vec![Some(".*".to_owned()); 2] };
        assert_eq!(
            template.filled(&carried).to_value(),
            serde_json::json!({"pattern": r"^(?:\.\*)", "text": ".*"})
        );
    }

    #[test]
    fn where_only_a_number_can_stand_it_becomes_one() {
        let regex = Captor::parse(r"(\w+) (\d+)").unwrap();
        let offer = Offer { value: false, regex: Some(&regex) };
        let mut template = Template::of(&node("{name: $1, count: $2}"), offer).ok().unwrap();
        let mistakes = |node: &Node| {
            let value = node.to_value();
            usize::from(!value["name"].is_string()) + usize::from(!value["count"].is_u64())
        };
        template.learn(mistakes).unwrap();
        let caught = |count: &str| Carried {
            value: None,
            caught: ["a 2", "a", count].map(|text| Some(text.to_owned())).to_vec(),
        };
        assert_eq!(template.filled(&caught("2")).to_value(), serde_json::json!({"name": "a", "count": 2}));
        assert_eq!(
            template.filled(&caught("two")).to_value(),
            serde_json::json!({"name": "a", "count": "two"})
        );
        let nothing = Carried { value: None, caught: vec![Some(String::new()), None, None] };
        assert_eq!(template.misses(&nothing), Some(1));
    }

    #[test]
    fn where_nothing_can_be_carried_is_told() {
        let regex = Captor::parse("(.*)").unwrap();
        let offer = Offer { value: false, regex: Some(&regex) };
        let mut template = Template::of(&node("{path: '$1'}"), offer).ok().unwrap();
        let place = template.learn(|node| usize::from(node.get("path").and_then(Node::as_str) != Some("x")));
        assert_eq!(place, Err(7..11));
    }
}
