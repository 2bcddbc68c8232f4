//! What a type says of itself.

use std::fmt;

use serde::de::{self, DeserializeOwned, Deserializer, Visitor};
use serde::forward_to_deserialize_any;

/// The names that a type can be written with: the variants of an enum, the fields of a struct; of anything else none.
pub fn fields<T: DeserializeOwned>() -> &'static [&'static str] {
    let mut names: &[&str] = &[];
    let _ = T::deserialize(Names(&mut names));
    names
}

/// Why nothing was read: only the names were asked for. It holds no message, for every case asks for names.
#[derive(Debug)]
struct Enough;

impl fmt::Display for Enough {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("only the names were asked for")
    }
}

impl std::error::Error for Enough {}

impl de::Error for Enough {
    fn custom<T: fmt::Display>(_: T) -> Enough {
        Enough
    }
}

/// Looks no further than what the type says of itself.
struct Names<'n>(&'n mut &'static [&'static str]);

impl<'de> Deserializer<'de> for Names<'_> {
    type Error = Enough;

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Enough> {
        *self.0 = variants;
        Err(Enough)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Enough> {
        *self.0 = fields;
        Err(Enough)
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Enough> {
        Err(Enough)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::fields;

    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only the names matter")]
    struct Pair {
        first: u8,
        #[serde(rename = "type")]
        second: u8,
    }

    #[test]
    fn a_type_tells_its_names() {
        assert_eq!(fields::<Pair>(), ["first", "type"]);
        assert!(fields::<String>().is_empty());
    }
}
