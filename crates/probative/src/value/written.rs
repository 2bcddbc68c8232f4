//! Paths, patterns and dates as texts in a question: reading one compiles it.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, Visitor};

use super::{DateBound, Path, Pattern, visible};

/// Something that is written as a text and compiled from it.
trait Written: Sized {
    const NAME: &'static str;
    const WHAT: &'static str;
    /// Compiles the text, or says why it cannot be.
    fn compile(text: &str) -> Result<Self, String>;
}

impl Written for Path {
    const NAME: &'static str = "Path";
    const WHAT: &'static str = "a path: RFC 9535 JSONPath, or shorthand without the `$.`";
    fn compile(text: &str) -> Result<Self, String> {
        Path::parse(text).map_err(|error| {
            let before = text.get(..error.at).unwrap_or(text).chars().count();
            format!("invalid path '{}': {error} (character {})", shown(text), before + 1)
        })
    }
}

impl Written for Pattern {
    const NAME: &'static str = "Pattern";
    const WHAT: &'static str = "a regular expression in Python's syntax";
    fn compile(text: &str) -> Result<Self, String> {
        Pattern::parse(text).map_err(|error| {
            format!("invalid regex '{}': {} (character {})", shown(text), error.message, error.at + 1)
        })
    }
}

impl Written for DateBound {
    const NAME: &'static str = "Date";
    const WHAT: &'static str = "a date: RFC 3339, YYYY-MM-DD, or a timestamp without an offset (UTC)";
    fn compile(text: &str) -> Result<Self, String> {
        DateBound::parse(text).ok_or_else(|| format!("'{}' isn't {}", shown(text), Self::WHAT))
    }
}

/// A text as a mistake in it is told: whole, unless nobody has written it by hand.
fn shown(text: &str) -> Cow<'_, str> {
    /// So many characters are shown of one that is longer.
    const LONGEST: usize = 1000;
    match text.char_indices().nth(LONGEST) {
        None => visible(text),
        Some((end, _)) => Cow::Owned(format!("{}...", visible(&text[..end]))),
    }
}

struct Text<T>(PhantomData<T>);

impl<T: Written> Visitor<'_> for Text<T> {
    type Value = T;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(T::WHAT)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        T::compile(text).map_err(E::custom)
    }
}

macro_rules! written {
    ($($written:ty),*) => {$(
        impl<'de> Deserialize<'de> for $written {
            fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
                reader.deserialize_str(Text(PhantomData))
            }
        }

        impl JsonSchema for $written {
            fn schema_name() -> Cow<'static, str> {
                <$written as Written>::NAME.into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({"type": "string", "description": <$written as Written>::WHAT})
            }
        }
    )*};
}

written!(Path, Pattern, DateBound);
