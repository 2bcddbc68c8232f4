//! Why a path selects nothing where it misses nothing.

use std::ops::ControlFlow;

use super::gap::Hit;
use super::query::Segment;
use super::walk::{Stop, Walker};
use super::{Path, Trail};
use crate::json::View;

impl Path {
    /// Why the path meets nothing at all in a document: `results is empty`. `None` where it selects or misses something.
    pub fn why_nothing<'v>(&self, root: impl View<'v>) -> Option<String> {
        if self.walk(root, |_, _| ControlFlow::Break(())).is_break() {
            return None;
        }
        // What the longest way leads to that still leads somewhere is what is empty.
        let walker = Walker::new(self, root);
        let empty = (0..self.segments.len()).rev().find_map(|way| {
            let place = first_place(&walker, &self.segments[..way])?;
            Some(match self.segments[way] {
                Segment::Wildcard => format!("{place} is empty"),
                _ => self.selects_nothing(),
            })
        });
        Some(empty.unwrap_or_else(|| self.selects_nothing()))
    }

    fn selects_nothing(&self) -> String {
        format!("{self} selects nothing")
    }
}

fn first_place<'v>(walker: &Walker<impl View<'v>>, way: &[Segment]) -> Option<String> {
    let place = walker.walk(way, walker.root, &Trail::root(), &mut |hit, trail| match hit {
        Hit::Missing(_) => Ok(()),
        Hit::Value(_) => Err(Stop::Broken(trail.to_string())),
    });
    match place {
        Err(Stop::Broken(place)) => Some(place),
        Err(Stop::Exhausted(_)) | Ok(()) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn why(path: &str, document: &Value) -> Option<String> {
        Path::parse(path).unwrap().why_nothing(document)
    }

    #[test]
    fn what_is_empty_is_named() {
        let document = json!({"results": [], "pages": [{"tags": []}, {"tags": []}]});
        assert_eq!(why("results[*].file", &document).as_deref(), Some("results is empty"));
        assert_eq!(why("pages[*].tags[*]", &document).as_deref(), Some("pages[0].tags is empty"));
        assert_eq!(why("[*]", &json!([])).as_deref(), Some("$ is empty"));
    }

    #[test]
    fn a_choice_among_what_is_there_selects_nothing() {
        let document = json!({"results": [{"n": 1}], "limit": 5});
        for path in ["$.results[?@.n > 5].n", "$.results[3:].n", "$.results[?@.n > $.limit]"] {
            assert_eq!(why(path, &document), Some(format!("{path} selects nothing")));
        }
    }

    #[test]
    fn what_is_selected_or_missing_is_something() {
        let document = json!({"results": [{"n": 1}, {}]});
        assert_eq!(why("results[*].n", &document), None);
        assert_eq!(why("results[1].n", &document), None);
        assert_eq!(why("nowhere[*].n", &document), None);
    }
}
