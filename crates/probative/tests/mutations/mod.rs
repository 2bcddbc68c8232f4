//! One-field edits of JSON documents: every member of every object deleted, renamed, given another type, or given twice.

use std::fmt;

use serde_json::Value;

/// A step from a value to one inside it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step {
    Key(String),
    Index(usize),
}

/// A member of an object in a document, by the steps that lead to it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Member(pub(crate) Vec<Step>);

/// `messages[2].tool_calls`
impl fmt::Display for Member {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, step) in self.0.iter().enumerate() {
            match step {
                Step::Key(key) if position == 0 => write!(formatter, "{key}")?,
                Step::Key(key) => write!(formatter, ".{key}")?,
                Step::Index(index) => write!(formatter, "[{index}]")?,
            }
        }
        Ok(())
    }
}

impl Member {
    /// Its path without indices, which is the same in every record: `messages[].tool_calls`.
    pub(crate) fn shape(&self) -> String {
        let written = self.to_string();
        let mut shape = String::new();
        let mut in_index = false;
        for character in written.chars() {
            in_index = (in_index || character == '[') && character != ']';
            if !in_index || character == '[' {
                shape.push(character);
            }
        }
        shape
    }

    /// Returns the value of the member.
    pub(crate) fn value<'d>(&self, document: &'d Value) -> &'d Value {
        self.0.iter().fold(document, |value, step| match step {
            Step::Key(key) => &value[key],
            Step::Index(index) => &value[index],
        })
    }
}

/// Lists every member of every object in a document, in document order.
pub(crate) fn members(document: &Value) -> Vec<Member> {
    fn collect(value: &Value, path: &mut Vec<Step>, found: &mut Vec<Member>) {
        match value {
            Value::Object(object) => {
                for (key, value) in object {
                    path.push(Step::Key(key.clone()));
                    found.push(Member(path.clone()));
                    collect(value, path, found);
                    path.pop();
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    path.push(Step::Index(index));
                    collect(item, path, found);
                    path.pop();
                }
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    collect(document, &mut Vec::new(), &mut found);
    found
}

/// An edit of one member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Edit {
    Delete,
    /// Adds a character to its key.
    Rename,
    /// Gives it a value of another type.
    Retype(Type),
    /// Gives its key once more, before it, with null: the last one counts, so that nothing changes.
    RepeatBefore,
    /// Gives its key once more, after it, with null.
    RepeatAfter,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Type {
    Null,
    Boolean,
    Number,
    String,
    Array,
    Object,
}

impl Type {
    const ALL: [Type; 6] = [Type::Null, Type::Boolean, Type::Number, Type::String, Type::Array, Type::Object];

    fn of(value: &Value) -> Type {
        match value {
            Value::Null => Type::Null,
            Value::Bool(_) => Type::Boolean,
            Value::Number(_) => Type::Number,
            Value::String(_) => Type::String,
            Value::Array(_) => Type::Array,
            Value::Object(_) => Type::Object,
        }
    }

    /// A value of the type, as JSON.
    fn sample(self) -> &'static str {
        match self {
            Type::Null => "null",
            Type::Boolean => "true",
            Type::Number => "7",
            Type::String => "\"text\"",
            Type::Array => "[\"text\"]",
            Type::Object => "{\"text\":7}",
        }
    }
}

impl Edit {
    /// Lists the edits that change a member with this value.
    pub(crate) fn all(value: &Value) -> Vec<Edit> {
        let other_types = Type::ALL.into_iter().filter(|other| *other != Type::of(value)).map(Edit::Retype);
        [Edit::Delete, Edit::Rename, Edit::RepeatBefore, Edit::RepeatAfter]
            .into_iter()
            .chain(other_types)
            .collect()
    }

    /// Returns true if nothing of the member's value is left where a reader looks for it, as if it had never been recorded.
    #[allow(dead_code, reason = "not every test asks")]
    pub(crate) fn removes(self) -> bool {
        matches!(self, Edit::Delete | Edit::Rename | Edit::Retype(Type::Null) | Edit::RepeatAfter)
    }

    /// Writes a document with one member edited.
    pub(crate) fn apply(self, document: &Value, member: &Member) -> String {
        let mut written = String::new();
        self.write(document, Some(&member.0), &mut written);
        written
    }

    fn write(self, value: &Value, path: Option<&[Step]>, out: &mut String) {
        let Some((step, rest)) = path.and_then(<[Step]>::split_first) else {
            out.push_str(&value.to_string());
            return;
        };
        match (value, step) {
            (Value::Object(object), Step::Key(edited)) => {
                out.push('{');
                for (key, value) in object {
                    match (key == edited, rest.is_empty()) {
                        (false, _) => write_member(key, &value.to_string(), out),
                        (true, true) => self.write_edited(key, value, out),
                        (true, false) => {
                            let mut inner = String::new();
                            self.write(value, Some(rest), &mut inner);
                            write_member(key, &inner, out);
                        }
                    }
                }
                out.push('}');
            }
            (Value::Array(items), Step::Index(edited)) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    self.write(item, (index == *edited).then_some(rest), out);
                }
                out.push(']');
            }
            _ => unreachable!("the path was read off the document"),
        }
    }

    fn write_edited(self, key: &str, value: &Value, out: &mut String) {
        let value = value.to_string();
        match self {
            Edit::Delete => {}
            Edit::Rename => write_member(&format!("{key}_"), &value, out),
            Edit::Retype(other) => write_member(key, other.sample(), out),
            Edit::RepeatBefore => {
                write_member(key, "null", out);
                write_member(key, &value, out);
            }
            Edit::RepeatAfter => {
                write_member(key, &value, out);
                write_member(key, "null", out);
            }
        }
    }
}

fn write_member(key: &str, value: &str, out: &mut String) {
    if !out.ends_with('{') {
        out.push(',');
    }
    out.push_str(&Value::from(key).to_string());
    out.push(':');
    out.push_str(value);
}
