//! Assertions that passed but were never exercised.

use schemars::JsonSchema;
use serde::Serialize;

use super::Row;
use crate::verdict::Error;

/// An assertion that was never exercised.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "unexercised")]
pub struct Unexercised {
    /// The id of its case; null for a question.
    pub case: Option<String>,
    /// The name of the assertion.
    #[serde(rename = "assertion")]
    pub name: String,
    /// The headline in reports for people, if it differs from the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headline: Option<String>,
    /// The path of the assertion in the case or question.
    pub path: String,
    /// The location in the file: `expect.yaml:3:1`.
    pub place: String,
    /// The reason why nothing could have made it fail.
    pub why: String,
    /// True for a fence that looks like a case but isn't one, and so asserts nothing.
    #[serde(skip)]
    pub is_near_case: bool,
}

impl Unexercised {
    /// A row of a question.
    pub fn row(row: &Row, why: String) -> Unexercised {
        let Row { name, headline, path, place, .. } = row;
        let headline = Some(headline).filter(|headline| *headline != name).cloned();
        let (name, path, place) = (name.clone(), path.clone(), place.to_string());
        Unexercised { case: None, name, headline, path, place, why, is_near_case: false }
    }

    /// A question without any row.
    pub fn question(file: &str) -> Unexercised {
        let why = "the question asserts nothing".to_owned();
        Unexercised {
            case: None,
            name: "question".to_owned(),
            headline: None,
            path: String::new(),
            place: file.to_owned(),
            why,
            is_near_case: false,
        }
    }

    /// What looks as if a case were meant to be run, and is not.
    pub fn no_case(warning: &Error) -> Unexercised {
        let place = warning.place.as_ref().map(ToString::to_string).unwrap_or_default();
        let (name, why) = ("spec-test".to_owned(), warning.kind.to_string());
        Unexercised { case: None, name, headline: None, path: String::new(), place, why, is_near_case: true }
    }

    /// A row of a case.
    pub fn in_case(case: &str, row: &Row, why: String) -> Unexercised {
        Unexercised { case: Some(case.to_owned()), ..Unexercised::row(row, why) }
    }
}
