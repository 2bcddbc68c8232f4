//! What a vocabulary is: the words a question may use about one kind of subject.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::de::{DeserializeOwned, Deserializer, Error as _, Visitor, value};
use serde::forward_to_deserialize_any;

use crate::value::{Moment, Value};
use crate::verdict::{Error, Verdict};

/// A vocabulary is one enum. Each variant is an assertion: its name is the variant's in `snake_case`, its argument is
/// what the variant holds, its documentation is the variant's doc comment.
///
/// Reading a variant compiles it (paths, patterns, dates), so judging only looks.
pub trait Vocabulary: DeserializeOwned + JsonSchema + Send + Sync {
    /// What the vocabulary speaks about, and the target that a question may name: `response`.
    const SUBJECT: &'static str;

    /// The type of a case that asks in this vocabulary: `agent.response`.
    const TYPE: &'static str;

    /// What is judged.
    type Subject: ?Sized;

    /// Whether the subject is what this assertion says.
    fn judge(&self, subject: &Self::Subject, context: &Context<'_>) -> Result<Verdict, Error>;

    /// Keys that are no assertions but stand beside one and belong to it: `value`, with the `has_field` that takes it.
    const COMPANIONS: &'static [(&'static str, &'static str)] = &[];

    /// Whether a key is such a companion.
    fn is_companion(key: &str) -> bool {
        Self::COMPANIONS.iter().any(|(companion, _)| *companion == key)
    }

    /// Takes such a key, and answers whether it did.
    fn attach(&mut self, _key: &str, _value: &Value) -> bool {
        false
    }
}

/// The names of a vocabulary's assertions, as its enum declares them.
pub fn names<A: Vocabulary>() -> &'static [&'static str] {
    /// Looks no further than what the enum says of itself.
    struct Names<'n>(&'n mut &'static [&'static str]);

    impl<'de> Deserializer<'de> for Names<'_> {
        type Error = value::Error;

        fn deserialize_enum<V: Visitor<'de>>(
            self,
            _: &'static str,
            variants: &'static [&'static str],
            _: V,
        ) -> Result<V::Value, value::Error> {
            *self.0 = variants;
            Err(value::Error::custom("only the names were asked for"))
        }

        fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, value::Error> {
            Err(value::Error::custom("a vocabulary is an enum"))
        }

        forward_to_deserialize_any! {
            bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
            unit_struct newtype_struct seq tuple tuple_struct map struct identifier ignored_any
        }
    }

    let mut names: &[&str] = &[];
    let _ = A::deserialize(Names(&mut names));
    names
}

/// What a judgement may depend on beside the question and the subject.
#[derive(Debug, Clone, Copy, Default)]
pub struct Context<'c> {
    /// What time it is, where it matters.
    pub now: Option<Moment>,
    /// The responses that earlier steps have stored, by name.
    pub stored: Option<&'c BTreeMap<String, Value>>,
}
