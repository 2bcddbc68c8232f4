//! The values of the machine: JSON, borrowed where it can be, and functions.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::rc::Rc;

use crate::value::{Number, Value, excerpt, member};

use super::closure::Environment;
use super::fault::Fault;
use super::memory::{Held, Memory, size};

/// A value. It is small, and copying it never copies what it refers to.
#[derive(Debug, Clone, Default)]
pub(super) enum Datum<'e> {
    #[default]
    Null,
    Bool(bool),
    Whole(i64),
    /// A whole number above the largest `i64`.
    Large(u64),
    Float(f64),
    /// A text, list or mapping of the subject or of the expression.
    Borrowed(&'e Value),
    /// A text, list or mapping that was made on the way.
    Owned(Rc<Made>),
    /// A text, list or mapping inside one that was made on the way.
    Part(Rc<Part>),
    /// A function, by its number.
    Function(Rc<Environment<'e>>, u32),
    /// Where a variable will be that is not set yet. Only variables hold it.
    Cell(u32),
}

/// A value that was made on the way.
#[derive(Debug)]
pub(super) struct Made {
    value: Value,
    held: OnceCell<Held>,
}

/// A part of a value, by the way to it.
#[derive(Debug)]
pub(super) struct Part {
    root: Rc<Made>,
    way: Vec<Taken>,
    held: OnceCell<Held>,
}

/// One step into a value.
#[derive(Debug, Clone, Copy)]
pub(super) enum Turn<'k> {
    Member(&'k str),
    Item(usize),
}

/// A step that was taken.
#[derive(Debug, Clone)]
enum Taken {
    Member(String),
    Item(usize),
}

impl<'e> Datum<'e> {
    pub(super) fn borrowed(value: &'e Value) -> Datum<'e> {
        Datum::scalar(value).unwrap_or(Datum::Borrowed(value))
    }

    pub(super) fn owned(value: Value) -> Datum<'e> {
        Datum::scalar(&value).unwrap_or_else(|| Datum::made(value))
    }

    pub(super) fn text(text: String) -> Datum<'e> {
        Datum::made(Value::String(text))
    }

    fn made(value: Value) -> Datum<'e> {
        Datum::Owned(Rc::new(Made { value, held: OnceCell::new() }))
    }

    /// Counts the memory that the value takes, unless that was done before.
    pub(super) fn hold(&self, memory: &Memory) -> Result<(), Fault> {
        let (held, bytes) = match self {
            Datum::Owned(made) if made.held.get().is_none() => (&made.held, size(&made.value)),
            Datum::Part(part) if part.held.get().is_none() => {
                (&part.held, size_of::<Part>() + part.way.iter().map(Taken::size).sum::<usize>())
            }
            _ => return Ok(()),
        };
        let more = memory.hold(bytes)?;
        held.get_or_init(|| more);
        Ok(())
    }

    /// What a value is if it is neither text nor list nor mapping.
    fn scalar(value: &Value) -> Option<Datum<'e>> {
        Some(match value {
            Value::Null => Datum::Null,
            Value::Bool(value) => Datum::Bool(*value),
            Value::Number(number) => match (number.as_i64(), number.as_u64()) {
                (Some(whole), _) => Datum::Whole(whole),
                (None, Some(large)) => Datum::Large(large),
                (None, None) => Datum::Float(number.as_f64()?),
            },
            Value::String(_) | Value::Array(_) | Value::Object(_) => return None,
        })
    }

    /// The text, list or mapping that it is.
    pub(super) fn json(&self) -> Option<&Value> {
        match self {
            Datum::Borrowed(value) => Some(value),
            Datum::Owned(made) => Some(&made.value),
            Datum::Part(part) => part.value(),
            _ => None,
        }
    }

    pub(super) fn as_str(&self) -> Option<&str> {
        self.json()?.as_str()
    }

    /// The value inside this one to which the turn leads.
    pub(super) fn inside(&self, turn: Turn<'_>) -> Option<Datum<'e>> {
        let part = |root: &Rc<Made>, way: &[Taken], value: &Value| {
            Datum::scalar(value).unwrap_or_else(|| {
                let way = way.iter().cloned().chain([turn.taken()]).collect();
                Datum::Part(Rc::new(Part { root: Rc::clone(root), way, held: OnceCell::new() }))
            })
        };
        match self {
            Datum::Borrowed(value) => turn.take(value).map(Datum::borrowed),
            Datum::Owned(root) => Some(part(root, &[], turn.take(&root.value)?)),
            Datum::Part(outer) => Some(part(&outer.root, &outer.way, turn.take(outer.value()?)?)),
            _ => None,
        }
    }

    /// Everything is true but null, false, 0 and what is empty.
    pub(super) fn is_true(&self) -> bool {
        match self {
            Datum::Null => false,
            Datum::Bool(value) => *value,
            Datum::Whole(number) => *number != 0,
            Datum::Float(number) => *number != 0.0,
            Datum::Large(_) | Datum::Function(..) | Datum::Cell(_) => true,
            Datum::Borrowed(_) | Datum::Owned(_) | Datum::Part(_) => match self.json() {
                Some(Value::String(text)) => !text.is_empty(),
                Some(Value::Array(items)) => !items.is_empty(),
                Some(Value::Object(members)) => !members.is_empty(),
                _ => false,
            },
        }
    }

    /// The number that it is.
    pub(super) fn number(&self) -> Option<Number> {
        match self {
            Datum::Whole(number) => Some((*number).into()),
            Datum::Large(number) => Some((*number).into()),
            Datum::Float(number) => Number::from_f64(*number),
            _ => None,
        }
    }

    /// The value as JSON. A function has none.
    pub(super) fn value(&self) -> Option<Cow<'_, Value>> {
        match self {
            Datum::Null => Some(Cow::Owned(Value::Null)),
            Datum::Bool(value) => Some(Cow::Owned(Value::Bool(*value))),
            Datum::Whole(_) | Datum::Large(_) | Datum::Float(_) => {
                self.number().map(|number| Cow::Owned(Value::Number(number)))
            }
            Datum::Borrowed(_) | Datum::Owned(_) | Datum::Part(_) => self.json().map(Cow::Borrowed),
            Datum::Function(..) | Datum::Cell(_) => None,
        }
    }

    /// The text of a value: itself, or the compact JSON of anything else. A function has none.
    pub(super) fn text_form(&self) -> Option<Cow<'_, str>> {
        if let Some(text) = self.as_str() {
            return Some(Cow::Borrowed(text));
        }
        self.value().map(|value| Cow::Owned(value.to_string()))
    }

    /// What it is, for a message: `a text 'x'`.
    pub(super) fn told(&self) -> String {
        let Some(value) = self.value() else { return "a function".to_owned() };
        let what = match &*value {
            Value::Null => return "null".to_owned(),
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "a list",
            Value::Object(_) => "an object",
        };
        format!("{what} {}", excerpt(&*value))
    }

    /// Whether reading it all takes longer than it takes to look at a clock.
    pub(super) fn is_large(&self) -> bool {
        const LARGE: usize = 4096;
        match self.json() {
            None => false,
            Some(Value::String(text)) => text.len() > LARGE,
            Some(_) => true,
        }
    }
}

impl Part {
    fn value(&self) -> Option<&Value> {
        self.way.iter().try_fold(&self.root.value, |value, taken| taken.turn().take(value))
    }
}

impl Turn<'_> {
    fn take(self, value: &Value) -> Option<&Value> {
        match (self, value) {
            (Turn::Member(name), Value::Object(members)) => member(members, name),
            (Turn::Item(at), Value::Array(items)) => items.get(at),
            _ => None,
        }
    }

    fn taken(self) -> Taken {
        match self {
            Turn::Member(name) => Taken::Member(name.to_owned()),
            Turn::Item(at) => Taken::Item(at),
        }
    }
}

impl Taken {
    fn size(&self) -> usize {
        size_of::<Taken>()
            + match self {
                Taken::Member(name) => name.len(),
                Taken::Item(_) => 0,
            }
    }

    fn turn(&self) -> Turn<'_> {
        match self {
            Taken::Member(name) => Turn::Member(name),
            Taken::Item(at) => Turn::Item(*at),
        }
    }
}
