//! An `expect` object inside an assertion: branches and guarded assertions.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error as _, MapAccess, Visitor};

use crate::document::read_entry;
use crate::value::{Value, visible};
use crate::verdict::{Error, Failure, Verdict};
use crate::vocabulary::{Constant, Context, Exercise, Vocabulary, names};

/// Assertions that must all hold, as one object: name → argument.
#[derive(Debug, Clone)]
pub struct Expect<A>(Vec<A>);

impl<A: Vocabulary> Expect<A> {
    /// Whether all the assertions hold; their failures are told as one.
    pub fn judge(&self, subject: &A::Subject<'_>, context: &Context<'_>) -> Result<Verdict, Error> {
        self.judge_each(|assertion| assertion.judge(subject, context))
    }

    /// The same, with each assertion judged by `judge`.
    pub(crate) fn judge_each(
        &self,
        judge: impl FnMut(&A) -> Result<Verdict, Error>,
    ) -> Result<Verdict, Error> {
        let mut failures = Vec::new();
        for verdict in Error::or_all(self.0.iter().map(judge).filter(|judged| !is_pass(judged)))? {
            if let Verdict::Fail(failure) = verdict {
                failures.push(*failure);
            }
        }
        Ok(Failure::all_of(failures))
    }

    /// The assertions.
    pub(crate) fn assertions(&self) -> &[A] {
        &self.0
    }

    /// The answer that the assertions give together, whatever the subject holds.
    pub(crate) fn constant(&self) -> Option<Constant> {
        Constant::all(self.0.iter().map(A::constant))
    }

    /// Whether any of the assertions had anything to say no to.
    pub fn exercise(&self, subject: &A::Subject<'_>, context: &Context<'_>) -> Exercise {
        self.exercise_each(|assertion| assertion.exercise(subject, context))
    }

    /// The same, with each assertion answered for by `exercise`.
    pub(crate) fn exercise_each(&self, exercise: impl FnMut(&A) -> Exercise) -> Exercise {
        Exercise::any(self.0.iter().map(exercise)).unwrap_or_else(Exercise::nothing_asked)
    }
}

/// What passes need not be kept.
fn is_pass(judged: &Result<Verdict, Error>) -> bool {
    matches!(judged, Ok(Verdict::Pass))
}

impl<'de, A: Vocabulary> Deserialize<'de> for Expect<A> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        struct Assertions<A>(PhantomData<A>);
        impl<'de, A: Vocabulary> Visitor<'de> for Assertions<A> {
            type Value = Expect<A>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object of assertions")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut members: M) -> Result<Expect<A>, M::Error> {
                let (mut assertions, mut beside) = (Vec::<A>::new(), Vec::new());
                while let Some(name) = members.next_key_seed(Word::<A>(PhantomData))? {
                    if A::is_companion(&name) {
                        beside.push((name, members.next_value::<Value>()?));
                    } else {
                        assertions.push(members.next_value_seed(Named(&name, PhantomData))?);
                    }
                }
                for (key, value) in beside {
                    if !assertions.iter_mut().any(|assertion| assertion.attach(&key, &value)) {
                        let taker = A::COMPANIONS.iter().find(|(known, _)| *known == key);
                        let taker = taker.map_or("an assertion", |(_, taker)| taker);
                        return Err(M::Error::custom(format_args!(
                            "'{}' is only valid next to '{taker}'",
                            visible(&key)
                        )));
                    }
                }
                Ok(Expect(assertions))
            }
        }
        reader.deserialize_map(Assertions(PhantomData))
    }
}

/// Reads a key that the vocabulary knows.
struct Word<A>(PhantomData<A>);

impl<'de, A: Vocabulary> DeserializeSeed<'de> for Word<A> {
    type Value = String;
    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<String, D::Error> {
        reader.deserialize_str(self)
    }
}

impl<A: Vocabulary> Visitor<'_> for Word<A> {
    type Value = String;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the name of an assertion")
    }

    fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<String, E> {
        let known = names::<A>();
        if A::SETTING == Some(word) {
            return Err(E::custom(format_args!("'{word}' belongs at the top of the question")));
        }
        if known.contains(&word) || A::is_companion(word) {
            Ok(word.to_owned())
        } else {
            Err(E::unknown_variant(word, known))
        }
    }
}

/// Reads the value of a key as the assertion of that name.
struct Named<'k, A>(&'k str, PhantomData<A>);

impl<'de, A: Vocabulary> DeserializeSeed<'de> for Named<'_, A> {
    type Value = A;
    fn deserialize<D: Deserializer<'de>>(self, argument: D) -> Result<A, D::Error> {
        read_entry(self.0, argument)
    }
}

impl<A: Vocabulary> JsonSchema for Expect<A> {
    fn schema_name() -> Cow<'static, str> {
        "expect".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        // The object of all assertions is built from the enum, which holds this type: it is named here, made there.
        json_schema!({"$ref": "#/$defs/expect"})
    }
}
