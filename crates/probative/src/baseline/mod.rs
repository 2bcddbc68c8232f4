//! How the cases of an earlier run ended, and what has changed since.

mod comparison;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

pub use comparison::{Change, Comparison, Costlier, Counts, CountsChange, FailOn, Slower};

use crate::document::{Content, Document, Node, Notation};
use crate::report::{CaseResult, Status, milliseconds, rounded_if_any};
use crate::trials::Trials;
use crate::value::{excerpt, visible};
use crate::verdict::{Error, ErrorKind};

/// The version of the file.
const VERSION: u64 = 1;

/// How the cases of a run ended, in the order of the run. No two have the same id.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Baseline {
    cases: Vec<Entry>,
}

/// How one case ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// What identifies it.
    pub id: String,
    /// How it ended.
    pub status: Status,
    /// How many of its trials passed, where it was run several times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passed: Option<usize>,
    /// How many trials there were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ran: Option<usize>,
    /// How long it took, all trials together, where timings are told.
    #[serde(
        default,
        rename = "duration_ms",
        serialize_with = "milliseconds",
        deserialize_with = "from_milliseconds",
        skip_serializing_if = "Option::is_none"
    )]
    pub duration: Option<Duration>,
    /// What it cost, all trials together, where that is recorded.
    #[serde(default, serialize_with = "rounded_if_any", skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}

impl Entry {
    /// How a case ended.
    pub fn of(result: &CaseResult<'_>) -> Entry {
        let trials = result.trials.as_ref();
        Entry {
            id: result.id.clone(),
            status: result.status(),
            passed: trials.map(Trials::passed),
            ran: trials.map(|trials| trials.ran.len()),
            duration: result.duration,
            cost: result.cost,
        }
    }
}

impl Baseline {
    /// What a file holds: `{"version":1,"cases":[{"id","status",…}]}`. Errors have their place in it.
    pub fn read(bytes: Vec<u8>, name: impl Into<String>) -> Result<Baseline, Error> {
        let name = name.into();
        let not_text = || ErrorKind::MalformedQuestion("baseline isn't valid UTF-8".to_owned());
        let document = match String::from_utf8(bytes) {
            Ok(text) => Document::new(name, text),
            Err(_) => return Err(Error::in_file(not_text(), name)),
        };
        let tree = Notation::Json.read(&document.text).map_err(|mistake| document.error(mistake))?;
        let version = tree.get("version").ok_or_else(|| {
            let message = "not a baseline: expected an object with 'version' and 'cases'";
            document.malformed(message, tree.span.clone())
        })?;
        if version.content != Content::Scalar(VERSION.into()) {
            let found = excerpt(&version.to_value());
            let message =
                format!("unsupported baseline version {found}; this release reads version {VERSION}");
            return Err(document.malformed(message, version.span.clone()));
        }
        let Written { cases, .. } =
            Written::deserialize(&tree).map_err(|mistake| document.error(mistake.in_vocabulary(&[])))?;
        let nodes = match tree.get("cases").map(|cases| &cases.content) {
            Some(Content::List(nodes)) => nodes.as_slice(),
            _ => &[],
        };
        let mut known = BTreeSet::new();
        for (entry, node) in cases.iter().zip(nodes) {
            let refused = |(message, at): (String, &Node)| document.malformed(message, at.span.clone());
            entry.check(node, &mut known).map_err(refused)?;
        }
        Ok(Baseline { cases })
    }

    /// The file: one case a line, so that two of them are compared line by line.
    pub fn to_json(&self) -> String {
        // Texts and numbers can always be written.
        let line = |entry: &Entry| serde_json::to_string(entry).unwrap_or_default();
        let cases: Vec<String> = self.cases.iter().map(line).collect();
        let cases = cases.join(",\n");
        format!("{{\"version\":{VERSION},\"cases\":[\n{}\n]}}\n", excerpt::visible_json(&cases))
    }

    /// How the cases ended, in order.
    pub fn cases(&self) -> &[Entry] {
        &self.cases
    }

    /// The baseline after a run: what ended now as it ended, and what was not run, and is not gone, as it stands here, each
    /// in its place.
    pub fn after(&self, now: Vec<Entry>, is_gone: impl Fn(&str) -> bool) -> Baseline {
        let ran: BTreeSet<String> = now.iter().map(|entry| entry.id.clone()).collect();
        let places = self.by_id();
        let is_kept = |entry: &Entry| !ran.contains(&entry.id) && !is_gone(&entry.id);
        let mut kept = self.cases.iter().enumerate().filter(|(_, entry)| is_kept(entry)).peekable();
        let mut cases = Vec::new();
        for entry in now {
            let place = places.get(entry.id.as_str()).map_or(0, |(place, _)| *place);
            while let Some((_, before)) = kept.next_if(|(at, _)| *at < place) {
                cases.push(before.clone());
            }
            cases.push(entry);
        }
        cases.extend(kept.map(|(_, entry)| entry.clone()));
        Baseline { cases }
    }

    /// The cases with their places, by what identifies them.
    fn by_id(&self) -> BTreeMap<&str, (usize, &Entry)> {
        self.cases.iter().enumerate().map(|(at, entry)| (entry.id.as_str(), (at, entry))).collect()
    }
}

/// Cases whose ids are all different, as a run has them.
impl From<Vec<Entry>> for Baseline {
    fn from(cases: Vec<Entry>) -> Self {
        Baseline { cases }
    }
}

/// The file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(rename = "version")]
    _version: u64,
    cases: Vec<Entry>,
}

impl Entry {
    /// What is wrong with an entry that could be read, and where.
    fn check<'e, 'n>(
        &'e self,
        node: &'n Node,
        known: &mut BTreeSet<&'e str>,
    ) -> Result<(), (String, &'n Node)> {
        if !known.insert(&self.id) {
            let message = format!("duplicate case id '{}'", visible(&self.id));
            return Err((message, node.get("id").unwrap_or(node)));
        }
        match (self.passed, self.ran) {
            (None, None) => Ok(()),
            (Some(passed), Some(ran)) if passed <= ran => Ok(()),
            (Some(passed), Some(ran)) => Err((
                format!("'passed' is {passed}, but 'ran' is only {ran}"),
                node.get("passed").unwrap_or(node),
            )),
            _ => Err(("'passed' and 'ran' must be given together".to_owned(), node)),
        }
    }
}

/// No run takes thirty years, and up to there a microsecond more or less can be told in a double.
const LONGEST: f64 = 1e12;

/// Read to the microsecond, as it is written.
fn from_milliseconds<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<Duration>, D::Error> {
    let milliseconds = f64::deserialize(reader)?;
    if !(0.0..=LONGEST).contains(&milliseconds) {
        return Err(D::Error::custom(format_args!(
            "expected a duration in milliseconds, found {milliseconds}"
        )));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 10^15")]
    let microseconds = (milliseconds * 1000.0).round() as u64;
    Ok(Some(Duration::from_micros(microseconds)))
}

#[cfg(test)]
mod tests;
