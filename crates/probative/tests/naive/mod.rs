//! spec-lang as plainly as can be: by recursion over what is written, a scope for every let and every call.

use std::cell::RefCell;
use std::rc::Rc;

use probative::value::{Cause, Pattern, Tree, Value, equal};

/// How an evaluation ends.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outcome {
    Value(Value),
    Schema,
    Runtime,
    TooManySteps,
}

pub(crate) struct Naive<'s> {
    subject: &'s Value,
    steps: u64,
    most: u64,
}

#[derive(Clone)]
enum Thing {
    Json(Value),
    Function { parameters: Vec<String>, body: Value, scope: Scope },
}

/// The names of a let or a call, and the scope around it.
type Scope = Option<Rc<Level>>;

struct Level {
    names: RefCell<Vec<(String, Option<Thing>)>>,
    outer: Scope,
}

type Answer = Result<Thing, Outcome>;

impl Naive<'_> {
    /// What an expression gives, and how many steps it took.
    pub(crate) fn evaluate(expression: &Value, subject: &Value, most: u64) -> (Outcome, u64) {
        let mut naive = Naive { subject, steps: 0, most };
        let outcome = match naive.expression(expression, &None) {
            Ok(Thing::Json(value)) => Outcome::Value(value),
            Ok(Thing::Function { .. }) => Outcome::Schema,
            Err(outcome) => outcome,
        };
        (outcome, naive.steps.min(most))
    }

    fn expression(&mut self, written: &Value, scope: &Scope) -> Answer {
        self.steps += 1;
        if self.steps > self.most {
            return Err(Outcome::TooManySteps);
        }
        let Value::Array(form) = written else { return Ok(Thing::Json(written.clone())) };
        let (head, arguments) = (form[0].as_str().unwrap(), &form[1..]);
        match head {
            "subject" => Ok(Thing::Json(self.subject.clone())),
            "var" => variable(arguments[0].as_str().unwrap(), scope),
            "fn" => Ok(Thing::Function {
                parameters: arguments[0]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|name| name.as_str().unwrap().into())
                    .collect(),
                body: arguments[1].clone(),
                scope: scope.clone(),
            }),
            "let" => self.bind(arguments, scope),
            "call" => self.call(arguments, scope),
            "if" => {
                let holds = is_true(&self.expression(&arguments[0], scope)?);
                self.expression(&arguments[if holds { 1 } else { 2 }], scope)
            }
            "and" | "or" => {
                let decides = head == "or";
                for argument in arguments {
                    if is_true(&self.expression(argument, scope)?) == decides {
                        return Ok(Thing::Json(decides.into()));
                    }
                }
                Ok(Thing::Json((!decides).into()))
            }
            "not" => Ok(Thing::Json((!is_true(&self.expression(&arguments[0], scope)?)).into())),
            "json_type" if arguments.len() == 2 && arguments[0][0] == "json_parse" => {
                self.type_of_text(arguments, scope)
            }
            _ => {
                let mut values = Vec::new();
                for argument in arguments {
                    values.push(self.expression(argument, scope)?);
                }
                let values: Option<Vec<Value>> = values.into_iter().map(json).collect();
                self.plain(head, &values.ok_or(Outcome::Schema)?).map(Thing::Json)
            }
        }
    }

    fn bind(&mut self, arguments: &[Value], scope: &Scope) -> Answer {
        let pairs: Vec<&Vec<Value>> =
            arguments[0].as_array().unwrap().iter().map(|pair| pair.as_array().unwrap()).collect();
        let names = pairs.iter().map(|pair| (pair[0].as_str().unwrap().to_owned(), None)).collect();
        let level = Rc::new(Level { names: RefCell::new(names), outer: scope.clone() });
        let inner = Some(Rc::clone(&level));
        for (at, pair) in pairs.into_iter().enumerate() {
            let value = self.expression(&pair[1], &inner)?;
            level.names.borrow_mut()[at].1 = Some(value);
        }
        self.expression(&arguments[1], &inner)
    }

    fn call(&mut self, written: &[Value], scope: &Scope) -> Answer {
        let function = self.expression(&written[0], scope)?;
        let mut arguments = Vec::new();
        for argument in &written[1..] {
            arguments.push(self.expression(argument, scope)?);
        }
        match function {
            Thing::Function { parameters, body, scope } if parameters.len() == arguments.len() => {
                let names = parameters.into_iter().zip(arguments.into_iter().map(Some)).collect();
                let level = Level { names: RefCell::new(names), outer: scope };
                self.expression(&body, &Some(Rc::new(level)))
            }
            _ => Err(Outcome::Schema),
        }
    }

    /// The type of what is parsed, where text that is not JSON has none.
    fn type_of_text(&mut self, arguments: &[Value], scope: &Scope) -> Answer {
        self.steps += 1;
        if self.steps > self.most {
            return Err(Outcome::TooManySteps);
        }
        let text = json(self.expression(&arguments[0][1], scope)?);
        let name = json(self.expression(&arguments[1], scope)?).ok_or(Outcome::Schema)?;
        let of_null = self.plain("json_type", &[Value::Null, name.clone()])?;
        match text {
            Some(Value::String(text)) => match parsed(&text) {
                Ok(value) => self.plain("json_type", &[value, name]).map(Thing::Json),
                Err(Outcome::Schema) => Ok(Thing::Json((of_null == Value::Null).into())),
                Err(outcome) => Err(outcome),
            },
            _ => Err(Outcome::Schema),
        }
    }

    fn plain(&self, head: &str, values: &[Value]) -> Result<Value, Outcome> {
        let (a, b) = match values {
            [one] if matches!(head, "contains" | "starts_with" | "ends_with" | "json_type" | "has_key") => {
                (self.subject, one)
            }
            [one] => (one, &Value::Null),
            [a, b, ..] => (a, b),
            [] => (&Value::Null, &Value::Null),
        };
        Ok(match head {
            "contains" => text(a).contains(&text(b)).into(),
            "starts_with" => text(a).starts_with(&text(b)).into(),
            "ends_with" => text(a).ends_with(&text(b)).into(),
            "trim" => text(a).trim().into(),
            "lower" => text(a).to_lowercase().into(),
            "upper" => text(a).to_uppercase().into(),
            "eq" => equal(a, b).into(),
            "neq" => (!equal(a, b)).into(),
            "has_key" => {
                matches!((a, b), (Value::Object(members), Value::String(key)) if members.contains_key(key))
                    .into()
            }
            "in" => match (a, b) {
                (part, Value::Array(items)) => items.iter().any(|item| equal(item, part)).into(),
                (part, Value::Object(members)) => {
                    part.as_str().is_some_and(|key| members.contains_key(key)).into()
                }
                (Value::String(part), Value::String(text)) => text.contains(part.as_str()).into(),
                _ => return Err(Outcome::Schema),
            },
            "json_type" => {
                let names = ["null", "bool", "number", "string", "list", "dict"];
                let wanted = names.iter().position(|name| *b == **name).ok_or(Outcome::Schema)?;
                let is = match a {
                    Value::Null => 0,
                    Value::Bool(_) => 1,
                    Value::Number(_) => 2,
                    Value::String(_) => 3,
                    Value::Array(_) => 4,
                    Value::Object(_) => 5,
                };
                (is == wanted).into()
            }
            "len" => match a {
                Value::String(text) => text.chars().count().into(),
                Value::Array(items) => items.len().into(),
                Value::Object(members) => members.len().into(),
                _ => return Err(Outcome::Schema),
            },
            "get" => match (a, b) {
                (Value::Object(members), Value::String(key)) => members.get(key).cloned().unwrap_or_default(),
                (Value::Array(items), Value::Number(at)) => {
                    let at = at.as_f64().unwrap();
                    if at.fract() != 0.0 {
                        return Err(Outcome::Schema);
                    }
                    let found = (0..items.len()).find(|index| equal(&(*index).into(), b));
                    found.map(|index| items[index].clone()).unwrap_or_default()
                }
                _ => return Err(Outcome::Schema),
            },
            "add" | "sub" => return sum(a, b, head == "sub"),
            "json_parse" => parsed(a.as_str().ok_or(Outcome::Schema)?)?,
            "regex_match" => {
                let pattern =
                    Pattern::parse(b.as_str().ok_or(Outcome::Schema)?).map_err(|_| Outcome::Schema)?;
                pattern.is_match(&text(a)).map_err(|_| Outcome::Runtime)?.into()
            }
            "path_exists" => return Err(if a.is_string() { Outcome::Runtime } else { Outcome::Schema }),
            other => panic!("unknown symbol {other}"),
        })
    }
}

/// The value that a text is the JSON of. What is too deep to be held is no mistake of the text's.
fn parsed(text: &str) -> Result<Value, Outcome> {
    match Tree::read(text.as_bytes()) {
        Ok(tree) => Ok(tree.value),
        Err(malformed) if malformed.cause == Cause::Limit => Err(Outcome::Runtime),
        Err(_) => Err(Outcome::Schema),
    }
}

fn variable(name: &str, scope: &Scope) -> Answer {
    let level = scope.as_ref().expect("the compiler knows every name");
    let found = level.names.borrow().iter().find(|(bound, _)| bound == name).map(|(_, value)| value.clone());
    match found {
        Some(value) => value.ok_or(Outcome::Schema),
        None => variable(name, &level.outer),
    }
}

fn sum(a: &Value, b: &Value, negate: bool) -> Result<Value, Outcome> {
    let whole = |value: &Value| value.as_i64().map(i128::from).or(value.as_u64().map(i128::from));
    if let (Some(a), Some(b)) = (whole(a), whole(b)) {
        let sum = if negate { a - b } else { a + b };
        let small = i64::try_from(sum).map(Value::from).or(u64::try_from(sum).map(Value::from));
        return small.map_err(|_| Outcome::Runtime);
    }
    let (a, b) = (a.as_f64().ok_or(Outcome::Schema)?, b.as_f64().ok_or(Outcome::Schema)?);
    let sum = if negate { a - b } else { a + b };
    if sum.is_finite() { Ok(sum.into()) } else { Err(Outcome::Runtime) }
}

fn json(thing: Thing) -> Option<Value> {
    match thing {
        Thing::Json(value) => Some(value),
        Thing::Function { .. } => None,
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn is_true(thing: &Thing) -> bool {
    match thing {
        Thing::Function { .. } | Thing::Json(Value::Bool(true)) => true,
        Thing::Json(Value::Null | Value::Bool(false)) => false,
        Thing::Json(Value::Number(number)) => number.as_f64() != Some(0.0),
        Thing::Json(Value::String(text)) => !text.is_empty(),
        Thing::Json(Value::Array(items)) => !items.is_empty(),
        Thing::Json(Value::Object(members)) => !members.is_empty(),
    }
}
