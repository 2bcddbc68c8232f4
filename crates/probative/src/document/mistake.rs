//! What somebody wrote wrongly, in words for the one who wrote it.

use std::fmt;
use std::ops::Range;

use serde::de;
use serde_json::Value;

use crate::value::excerpt::cut;
use crate::value::visible;
use crate::verdict::ErrorKind;

/// What somebody wrote wrongly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// What is wrong, as a lower-case fragment.
    pub message: String,
    /// The word that no vocabulary knows, and those it might have been.
    pub unknown_word: Option<(String, &'static [&'static str])>,
    /// Where, if the reader has come to know it.
    pub span: Option<Range<usize>>,
    /// Whether the message starts with the keys that lead to the mistake.
    keyed: bool,
}

impl Mistake {
    /// A mistake at a place.
    pub fn at(message: impl Into<String>, span: Range<usize>) -> Mistake {
        Mistake { message: message.into(), unknown_word: None, span: Some(span), keyed: false }
    }

    /// The same, said of the value behind a key: `min: expected a number`.
    pub fn under(self, key: &str) -> Mistake {
        let joint = if self.keyed { "." } else { ": " };
        Mistake { message: format!("{}{joint}{}", visible(key), self.message), keyed: true, ..self }
    }

    /// The same, where only a word that is none of these assertions is an unknown assertion; any other unknown word is
    /// a mistake in an argument.
    pub fn in_vocabulary(self, names: &[&str]) -> Mistake {
        Mistake { unknown_word: self.unknown_word.filter(|(_, known)| *known == names), ..self }
    }

    /// The same, in a place that holds unless a closer one is known.
    pub fn within(self, span: &Range<usize>) -> Mistake {
        Mistake { span: Some(self.span.unwrap_or_else(|| span.clone())), ..self }
    }
}

impl From<Mistake> for ErrorKind {
    fn from(mistake: Mistake) -> Self {
        match mistake.unknown_word {
            Some((name, known)) => ErrorKind::UnknownAssertion {
                nearest: nearest(&name, known.iter().copied()).map(str::to_owned),
                name: visible(&name).into_owned(),
            },
            None => ErrorKind::MalformedQuestion(mistake.message),
        }
    }
}

/// Comparing takes the product of both lengths, and words may come from anywhere.
const LONGEST_WORD: usize = 200;

/// The known word that is closest to a word, if one is close enough to be meant.
///
/// Nothing is close to a word that is longer than any that is known could be.
pub fn nearest<'k>(word: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    if word.len() > LONGEST_WORD {
        return None;
    }
    let closeness = |candidate: &str| strsim::normalized_damerau_levenshtein(word, candidate);
    let known = known.filter(|candidate| candidate.len() <= LONGEST_WORD);
    let rated =
        known.map(|candidate| (closeness(candidate), candidate)).filter(|(closeness, _)| *closeness >= 0.6);
    rated
        .fold(
            None,
            |best: Option<(f64, &str)>, next| {
                if best.is_some_and(|best| best.0 >= next.0) { best } else { Some(next) }
            },
        )
        .map(|(_, word)| word)
}

impl fmt::Display for Mistake {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Mistake {}

impl de::Error for Mistake {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Mistake { message: message.to_string(), unknown_word: None, span: None, keyed: false }
    }

    fn invalid_type(found: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::custom(format_args!(
            "expected {}, found {}",
            in_plain_words(&expected.to_string()),
            Found(found)
        ))
    }

    fn invalid_value(found: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn unknown_variant(name: &str, known: &'static [&'static str]) -> Self {
        let message = format!("unknown value '{}'; {}", visible(name), hint(name, known));
        Mistake { message, unknown_word: Some((name.to_owned(), known)), span: None, keyed: false }
    }

    fn unknown_field(name: &str, known: &'static [&'static str]) -> Self {
        Self::custom(format_args!("unknown key '{}'; {}", visible(name), hint(name, known)))
    }

    fn missing_field(name: &'static str) -> Self {
        Self::custom(format_args!("'{name}' is missing"))
    }
}

fn hint(name: &str, known: &[&str]) -> String {
    match nearest(name, known.iter().copied()) {
        Some(nearest) => format!("did you mean '{nearest}'?"),
        None => format!("expected one of: {}", known.join(", ")),
    }
}

/// What was expected, in the words of a person who wrote JSON or YAML.
fn in_plain_words(expected: &str) -> &str {
    match expected {
        "a sequence" => "a list",
        "a map" => "an object",
        "f64" => "a number",
        "i16" | "i32" | "i64" | "u64" => "an integer",
        structure if structure.starts_with("struct ") => "an object",
        other => other,
    }
}

/// What was found, in the words of a person who wrote JSON or YAML.
struct Found<'u>(de::Unexpected<'u>);

impl fmt::Display for Found<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            de::Unexpected::Str(text) => write!(formatter, "'{}'", cut(text)),
            de::Unexpected::Bool(value) => write!(formatter, "{value}"),
            de::Unexpected::Unsigned(number) => write!(formatter, "{number}"),
            de::Unexpected::Signed(number) => write!(formatter, "{number}"),
            de::Unexpected::Float(number) => write!(formatter, "{}", Value::from(number)),
            de::Unexpected::Unit => formatter.write_str("null"),
            de::Unexpected::Seq => formatter.write_str("a list"),
            de::Unexpected::Map => formatter.write_str("an object"),
            other => write!(formatter, "{other}"),
        }
    }
}
