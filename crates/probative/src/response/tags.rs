//! The tags of each result: its `metadata.tags`.

use super::fields::{each_result, has_results, results};
use super::selection::{Answer, not_a};
use crate::json::{JsonNode, View};
use crate::value::excerpt::cut;
use crate::value::{Trail, excerpt};
use crate::verdict::{Failure, Verdict};
use crate::vocabulary::Exercise;

/// Every result has all of the tags. A result without tags fails.
pub fn all_have_tags(response: JsonNode<'_>, wanted: &[String]) -> Verdict {
    each_result(response, |index, result, trail| {
        let tags = Tags::of(result, trail)?.or_missing()?;
        match wanted.iter().find(|wanted| !tags.have(wanted)) {
            None => Ok(()),
            Some(absent) => {
                let message = format!("Result {index} missing required tag: '{}'", cut(absent));
                Err(tags.failure(message).expected(format!("all of {}", quoted(wanted))).into())
            }
        }
    })
}

/// No result has any of the tags. A result without tags has none of them.
pub fn none_have_tags(response: JsonNode<'_>, forbidden: &[String]) -> Verdict {
    each_result(response, |index, result, trail| {
        let tags = Tags::of(result, trail)?;
        match forbidden.iter().find(|forbidden| tags.have(forbidden)) {
            None => Ok(()),
            Some(present) => {
                let message = format!("Result {index} has forbidden tag: '{}'", cut(present));
                Err(tags.failure(message).expected(format!("none of {}", quoted(forbidden))).into())
            }
        }
    })
}

/// Every result has at least one of the tags. A result without tags fails.
pub fn each_has_any_tag(response: JsonNode<'_>, wanted: &[String]) -> Verdict {
    each_result(response, |index, result, trail| {
        let tags = Tags::of(result, trail)?.or_missing()?;
        if wanted.iter().any(|wanted| tags.have(wanted)) {
            return Ok(());
        }
        let message = format!("Result {index} has none of the tags: {}", quoted(wanted));
        Err(tags.failure(message).expected(format!("at least one of {}", quoted(wanted))).into())
    })
}

/// Whether any result has tags, of which one could be forbidden.
pub(super) fn has_tags(response: JsonNode<'_>) -> Exercise {
    let untagged = |result: JsonNode<'_>| {
        let tags = result.get("metadata").and_then(|metadata| metadata.get("tags"));
        tags.is_none_or(|tags| tags.is_array() && tags.is_empty())
    };
    match results(response) {
        Ok(mut found) if found.clone().next().is_some() => {
            Exercise::unless(found.all(untagged), "no result has tags")
        }
        _ => has_results(response),
    }
}

/// The tags of one result, which may have none.
struct Tags<'r> {
    tags: Option<JsonNode<'r>>,
    trail: &'r Trail<'r>,
}

impl<'r> Tags<'r> {
    /// The tags, or the failure that they are not an array.
    fn of(result: JsonNode<'r>, trail: &'r Trail<'r>) -> Answer<Tags<'r>> {
        match result.get("metadata").and_then(|metadata| metadata.get("tags")) {
            None => Ok(Tags { tags: None, trail }),
            Some(tags) if tags.is_array() => Ok(Tags { tags: Some(tags), trail }),
            Some(other) => Err(not_a("array", other, &trail.name("metadata").name("tags")).into()),
        }
    }

    fn or_missing(self) -> Answer<Tags<'r>> {
        if self.tags.is_some() {
            return Ok(self);
        }
        let place = self.place();
        let failure = Verdict::fail(format!("Missing field: {place}"));
        Err(failure.expected(format!("{place} to exist")).actual("no tags").at(place).into())
    }

    fn have(&self, wanted: &str) -> bool {
        self.tags.is_some_and(|tags| tags.items().any(|tag| tag.as_str().is_some_and(|tag| tag == wanted)))
    }

    fn place(&self) -> String {
        self.trail.name("metadata").name("tags").to_string()
    }

    fn failure(&self, message: String) -> Failure {
        let found = self.tags.map_or("no tags".to_owned(), excerpt);
        Verdict::fail(message).actual(found).at(self.place())
    }
}

/// `'work', 'security'`
fn quoted(tags: &[String]) -> String {
    tags.iter().map(|tag| format!("'{}'", cut(tag))).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::json::JsonDocument;

    #[test]
    fn tags_that_are_no_array_are_something_to_say_no_to() {
        let with = |tags: Value| {
            has_tags(JsonDocument::from(&json!({"results": [{"metadata": {"tags": tags}}]})).root())
        };
        assert_eq!(with(json!("a")), Exercise::Yes);
        assert_eq!(with(json!(["a"])), Exercise::Yes);
        assert!(!with(json!([])).is_yes());
    }
}
