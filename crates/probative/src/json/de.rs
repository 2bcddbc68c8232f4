//! A node as what any type is deserialized from.

use std::borrow::Cow;

use serde::de::value::{Error, MapAccessDeserializer, MapDeserializer, SeqDeserializer};
use serde::de::{Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

use super::node::JsonNode;
use super::view::{Shape, View};

/// Null is not a number where a double is expected: JSON cannot write one that isn't finite.
impl<'de> Deserializer<'de> for JsonNode<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.shape() {
            Shape::Null => visitor.visit_unit(),
            Shape::Boolean(boolean) => visitor.visit_bool(boolean),
            Shape::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => visitor.visit_u64(number),
                (None, Some(number)) => visitor.visit_i64(number),
                (None, None) => visitor.visit_f64(number.as_f64().unwrap_or(f64::NAN)),
            },
            Shape::String(Cow::Borrowed(string)) => visitor.visit_borrowed_str(string),
            Shape::String(Cow::Owned(string)) => visitor.visit_string(string),
            Shape::Array => visitor.visit_seq(SeqDeserializer::new(self.items())),
            Shape::Object => visitor.visit_map(MapDeserializer::new(self.members())),
        }
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.is_null() { visitor.visit_f64(f64::NAN) } else { self.deserialize_any(visitor) }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.as_str() {
            Some(variant) => visitor.visit_enum(variant.into_deserializer()),
            None => visitor.visit_enum(MapAccessDeserializer::new(MapDeserializer::new(self.members()))),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

impl<'de> IntoDeserializer<'de, Error> for JsonNode<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}
