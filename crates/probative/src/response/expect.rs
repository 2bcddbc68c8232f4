//! An `expect` object inside an assertion: branches and guarded assertions.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error as _, MapAccess, Visitor};

use super::ResponseAssertion;
use crate::document::read_entry;
use crate::value::{Value, visible};
use crate::verdict::{Error, Failure, Verdict};
use crate::vocabulary::{Context, Vocabulary, names};

/// Assertions that must all hold, as one object: name → argument.
#[derive(Debug, Clone)]
pub struct Expect(Vec<ResponseAssertion>);

/// The branches of a choice, of which there is at least one.
#[derive(Debug, Clone)]
pub struct Branches(pub Vec<Expect>);

impl Expect {
    /// Whether all the assertions hold; their failures are told as one.
    pub fn judge(&self, response: &Value, context: &Context<'_>) -> Result<Verdict, Error> {
        self.judge_each(|assertion| assertion.judge(response, context))
    }

    /// The same, with each assertion judged by `judge`.
    pub(super) fn judge_each(
        &self,
        judge: impl FnMut(&ResponseAssertion) -> Result<Verdict, Error>,
    ) -> Result<Verdict, Error> {
        let mut failures = Vec::new();
        for verdict in self.0.iter().map(judge) {
            if let Verdict::Fail(failure) = verdict? {
                failures.push(*failure);
            }
        }
        Ok(Failure::all_of(failures))
    }
}

impl<'de> Deserialize<'de> for Expect {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        struct Assertions;
        impl<'de> Visitor<'de> for Assertions {
            type Value = Expect;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object of assertions")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Expect, A::Error> {
                let (mut assertions, mut beside) = (Vec::new(), Vec::new());
                while let Some(Word(name)) = members.next_key()? {
                    if ResponseAssertion::is_companion(&name) {
                        beside.push((name, members.next_value::<Value>()?));
                    } else {
                        assertions.push(members.next_value_seed(Named(&name))?);
                    }
                }
                for (key, value) in beside {
                    if !assertions.iter_mut().any(|assertion| assertion.attach(&key, &value)) {
                        return Err(A::Error::custom(format_args!(
                            "'{}' stands beside nothing that takes it",
                            visible(&key)
                        )));
                    }
                }
                Ok(Expect(assertions))
            }
        }
        reader.deserialize_map(Assertions)
    }
}

/// A key that the vocabulary knows.
struct Word(String);

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        struct Known;
        impl Visitor<'_> for Known {
            type Value = Word;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("the name of an assertion")
            }

            fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<Word, E> {
                let known = names::<ResponseAssertion>();
                if known.contains(&word) || ResponseAssertion::is_companion(word) {
                    Ok(Word(word.to_owned()))
                } else {
                    Err(E::unknown_variant(word, known))
                }
            }
        }
        reader.deserialize_str(Known)
    }
}

/// Reads the value of a key as the assertion of that name.
struct Named<'k>(&'k str);

impl<'de> DeserializeSeed<'de> for Named<'_> {
    type Value = ResponseAssertion;
    fn deserialize<D: Deserializer<'de>>(self, argument: D) -> Result<ResponseAssertion, D::Error> {
        read_entry(self.0, argument)
    }
}

impl<'de> Deserialize<'de> for Branches {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let branches = Vec::deserialize(reader)?;
        if branches.is_empty() {
            Err(D::Error::custom("expected at least one branch"))
        } else {
            Ok(Branches(branches))
        }
    }
}

impl JsonSchema for Expect {
    fn schema_name() -> Cow<'static, str> {
        "expect".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        // The object of all assertions is built from the enum, which holds this type: it is named here, made there.
        json_schema!({"$ref": "#/$defs/expect"})
    }
}

impl JsonSchema for Branches {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Branches".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "array", "items": generator.subschema_for::<Expect>(), "minItems": 1})
    }
}
