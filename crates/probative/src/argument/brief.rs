//! Arguments that may be written briefly, as a text, a number or a list, or at length, as an object.

use std::fmt;
use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::de::value::{
    F64Deserializer, I64Deserializer, MapAccessDeserializer, SeqAccessDeserializer, StrDeserializer,
    U64Deserializer,
};
use serde::de::{DeserializeOwned, Deserializer, Error, MapAccess, SeqAccess, Unexpected, Visitor};

/// Something with a brief and a long form.
pub(crate) trait Brief: Sized {
    /// What may be written, for a message.
    const WHAT: &'static str;
    /// How the brief form is written.
    const SHORT: Short = Short::Text;
    /// The brief form.
    type Short: DeserializeOwned + JsonSchema;
    /// The long form, which is written as an object.
    type Long: DeserializeOwned + JsonSchema;

    /// What the brief form stands for, or why it makes no sense.
    fn from_short(short: Self::Short) -> Result<Self, String>;
    /// What the long form stands for, or why it makes no sense.
    fn from_long(long: Self::Long) -> Result<Self, String>;
}

/// How a brief form is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(feature = "cupel"), allow(dead_code, reason = "only selections take all of them"))]
pub(crate) enum Short {
    /// As a text.
    Text,
    /// As a number.
    Number,
    /// As a list.
    List,
}

/// Reads either form.
pub(crate) fn read<'de, T: Brief, D: Deserializer<'de>>(reader: D) -> Result<T, D::Error> {
    struct Either<T>(PhantomData<T>);

    impl<'de, T: Brief> Visitor<'de> for Either<T> {
        type Value = T;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str(T::WHAT)
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
            short(Short::Text, Unexpected::Str(text), StrDeserializer::new(text))
        }

        fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
            short(Short::Number, Unexpected::Unsigned(number), U64Deserializer::new(number))
        }

        fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
            short(Short::Number, Unexpected::Signed(number), I64Deserializer::new(number))
        }

        fn visit_f64<E: Error>(self, number: f64) -> Result<T, E> {
            short(Short::Number, Unexpected::Float(number), F64Deserializer::new(number))
        }

        fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<T, A::Error> {
            short(Short::List, Unexpected::Seq, SeqAccessDeserializer::new(items))
        }

        fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<T, A::Error> {
            let long = serde::Deserialize::deserialize(MapAccessDeserializer::new(members))?;
            T::from_long(long).map_err(A::Error::custom)
        }
    }

    reader.deserialize_any(Either(PhantomData))
}

/// Reads a brief form, if what was found may be one.
fn short<'de, T: Brief, D: Deserializer<'de>>(
    written: Short,
    found: Unexpected<'_>,
    reader: D,
) -> Result<T, D::Error> {
    if written != T::SHORT {
        return Err(D::Error::invalid_type(found, &T::WHAT));
    }
    T::from_short(serde::Deserialize::deserialize(reader)?).map_err(D::Error::custom)
}

/// Implements reading and the schema for types with two forms.
macro_rules! brief {
    ($($type:ty),*) => {$(
        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
                $crate::argument::read_brief(reader)
            }
        }

        impl schemars::JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }
            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                use $crate::argument::Brief;
                let mut short = generator.subschema_for::<<$type as Brief>::Short>();
                if <$type as Brief>::SHORT == $crate::argument::Short::List {
                    short = schemars::json_schema!({"type": "array", "allOf": [short]});
                }
                let long = <<$type as Brief>::Long as schemars::JsonSchema>::json_schema(generator);
                schemars::json_schema!({"anyOf": [short, long]})
            }
        }
    )*};
}

/// Types that are written alone, or as an object with one key: the type and its key, how it is written alone, and what may
/// be written, for a message.
macro_rules! one_key {
    ($($(#[$doc:meta])* $name:ident { $(#[$of_key:meta])* $key:ident: $value:ty } as $long:ident, $short:ident, $what:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone)]
        pub struct $name {
            $(#[$of_key])*
            pub $key: $value,
        }

        #[derive(serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $long {
            $key: $value,
        }

        impl $crate::argument::Brief for $name {
            const WHAT: &'static str = $what;
            const SHORT: $crate::argument::Short = $crate::argument::Short::$short;
            type Short = $value;
            type Long = $long;
            fn from_short($key: $value) -> Result<Self, String> {
                Ok($name { $key })
            }
            fn from_long($long { $key }: $long) -> Result<Self, String> {
                Ok($name { $key })
            }
        }

        $crate::argument::brief!($name);
    )*};
}

pub(crate) use {brief, one_key};
