//! Arguments that may be written briefly, as a text, or at length, as an object.

use std::fmt;
use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{DeserializeOwned, Deserializer, Error, MapAccess, Visitor};

/// Something with a brief and a long form.
pub(crate) trait Brief: Sized {
    /// What may be written, for a message.
    const WHAT: &'static str;
    /// The brief form, which is written as a text.
    type Short: DeserializeOwned + JsonSchema;
    /// The long form, which is written as an object.
    type Long: DeserializeOwned + JsonSchema;

    /// What the brief form stands for.
    fn from_short(short: Self::Short) -> Self;
    /// What the long form stands for, or why it makes no sense.
    fn from_long(long: Self::Long) -> Result<Self, String>;
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
            serde::Deserialize::deserialize(StrDeserializer::new(text)).map(T::from_short)
        }

        fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<T, A::Error> {
            let long = serde::Deserialize::deserialize(MapAccessDeserializer::new(members))?;
            T::from_long(long).map_err(A::Error::custom)
        }
    }

    reader.deserialize_any(Either(PhantomData))
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
                let short = generator.subschema_for::<<$type as Brief>::Short>();
                let long = <<$type as Brief>::Long as schemars::JsonSchema>::json_schema(generator);
                schemars::json_schema!({"anyOf": [short, long]})
            }
        }
    )*};
}

pub(crate) use brief;
