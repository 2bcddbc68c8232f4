//! What a case says of its own outcome, for those who test a runner.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::de::{Deserialize, Deserializer, Error as _};

use crate::value::excerpt::cut;
use crate::verdict::{Category, Failure, Verdict};

/// Expected outcome of a case, for every runner and for specific ones.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Expected {
    /// Expectation for every runner.
    portable: Option<Expectation>,
    /// Expectations for specific runners, by name; they override `portable`.
    r#impl: IndexMap<String, Expectation>,
}

/// Expected outcome. Omitted keys match anything.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Expectation {
    /// Expected status.
    status: Option<Ending>,
    /// Expected category of the failure; null for none.
    #[schemars(with = "Option<Category>")]
    category: Option<Nullable>,
    /// Strings that must all occur in the message.
    message_tokens: Option<Vec<String>>,
}

/// Status in a conformance report. An error counts as a failure, with its own category.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize, serde::Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    /// Every assertion holds.
    Pass,
    /// An assertion failed, or an error occurred.
    Fail,
    /// The case was not run.
    Skip,
}

/// How a case ended.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Outcome {
    /// The case.
    pub id: String,
    /// How it ended.
    pub status: Ending,
    /// What kind of thing went wrong; null unless it failed.
    pub category: Option<Category>,
    /// What went wrong; null unless it failed.
    pub message: Option<String>,
}

/// A category, or that there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Nullable(Option<Category>);

impl<'de> Deserialize<'de> for Nullable {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let written = serde_json::Value::deserialize(reader)?;
        if written.is_null() {
            return Ok(Nullable(None));
        }
        let read = Category::deserialize(&written).map(|category| Nullable(Some(category)));
        read.map_err(|_| D::Error::custom("expected schema, assertion, runtime or null"))
    }
}

impl Expected {
    /// What is expected of one runner: what is said of it in particular stands over what is said of all.
    pub fn of(&self, runtime: &str) -> Expectation {
        let portable = self.portable.clone().unwrap_or_default();
        let Some(own) = self.r#impl.get(runtime).cloned() else { return portable };
        Expectation {
            status: own.status.or(portable.status),
            category: own.category.or(portable.category),
            message_tokens: own.message_tokens.or(portable.message_tokens),
        }
    }

    /// Whether it says how every runner must end the case, as a conformance case has to.
    pub fn is_portable(&self) -> bool {
        self.portable.as_ref().is_some_and(|portable| portable.status.is_some())
    }
}

impl Expectation {
    /// Whether a case ended as expected.
    pub fn judge(&self, outcome: &Outcome) -> Verdict {
        let mut failures = Vec::new();
        let mut differs = |what: &str, expected: String, actual: String| {
            let told = Verdict::fail(format!("expected {what} {expected}, found {actual}"));
            failures.push(told.expected(format!("{what} {expected}")).actual(format!("{what} {actual}")));
        };
        if let Some(status) = self.status.filter(|status| *status != outcome.status) {
            let why = outcome.message.as_ref().map(|message| format!(" ({message})")).unwrap_or_default();
            differs("status", word(&status), format!("{}{why}", word(&outcome.status)));
        }
        if let Some(Nullable(category)) = self.category.filter(|category| category.0 != outcome.category) {
            differs("category", word(&category), word(&outcome.category));
        }
        let message = outcome.message.as_deref().unwrap_or_default();
        for token in self.message_tokens.iter().flatten().filter(|token| !message.contains(token.as_str())) {
            differs("message with", format!("'{}'", cut(token)), format!("'{}'", cut(message)));
        }
        Failure::all_of(failures)
    }
}

/// How a report spells a word of its own.
fn word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        Ok(other) => other.to_string(),
        Err(_) => String::new(),
    }
}
