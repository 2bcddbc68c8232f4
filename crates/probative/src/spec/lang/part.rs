//! One visitor for everything that stands in an expression: a scalar, a list, and never a mapping.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::value::{Number, Value, excerpt};

/// Something that may stand in an expression.
pub(super) trait Part<'de>: Sized {
    /// What it is read to.
    type Read;

    /// What it is, for a message: `a list of parameters`.
    const WHAT: &'static str;

    /// Takes a text.
    fn text<E: Error>(self, text: &str) -> Result<Self::Read, E> {
        self.scalar(text.into())
    }

    /// Takes null, a boolean, a number, or a text that nothing else takes.
    fn scalar<E: Error>(self, scalar: Value) -> Result<Self::Read, E> {
        Err(E::custom(format_args!("expected {}, found {}", Self::WHAT, excerpt(&scalar))))
    }

    /// Takes a list.
    fn list<A: SeqAccess<'de>>(self, _items: A) -> Result<Self::Read, A::Error> {
        Err(A::Error::custom(format_args!("expected {}, found a list", Self::WHAT)))
    }
}

/// Reads a part where it stands.
pub(super) struct At<P>(pub(super) P);

impl<'de, P: Part<'de>> DeserializeSeed<'de> for At<P> {
    type Value = P::Read;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<P::Read, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de, P: Part<'de>> Visitor<'de> for At<P> {
    type Value = P::Read;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(P::WHAT)
    }

    fn visit_unit<E: Error>(self) -> Result<P::Read, E> {
        self.0.scalar(Value::Null)
    }

    fn visit_none<E: Error>(self) -> Result<P::Read, E> {
        self.0.scalar(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, reader: D) -> Result<P::Read, D::Error> {
        reader.deserialize_any(self)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<P::Read, E> {
        self.0.scalar(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<P::Read, E> {
        self.0.scalar(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<P::Read, E> {
        self.0.scalar(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<P::Read, E> {
        let number = Number::from_f64(value).ok_or_else(|| E::custom("number out of range"))?;
        self.0.scalar(number.into())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<P::Read, E> {
        self.0.text(text)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<P::Read, A::Error> {
        self.0.list(items)
    }

    fn visit_map<A: MapAccess<'de>>(self, _: A) -> Result<P::Read, A::Error> {
        Err(A::Error::custom("spec_lang expressions are written as a list-based s-expr, found an object"))
    }
}
