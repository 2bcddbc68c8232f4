//! A pattern that tells what its groups caught.

use std::collections::BTreeMap;

use super::translate::translate_exactly;
use super::{Engine, GaveUp, PatternError, Reason, parse, refuse};

/// A regular expression in Python's written dialect, asked for every match as `re.finditer` would give it, but for an empty
/// one right behind another.
///
/// It is always answered by the engine that backtracks, within that engine's limits.
#[derive(Clone, Debug)]
pub struct Captor {
    written: String,
    regex: fancy_regex::Regex,
    ascii_only: bool,
    steps: usize,
    longest: usize,
    groups: usize,
    names: BTreeMap<String, usize>,
}

/// What one match caught: the whole of it first, then its groups; `None` for one that took no part.
pub type Caught<'t> = Vec<Option<&'t str>>;

impl Captor {
    /// Reads and compiles a pattern. Groups in places where engines disagree about what they catch are refused.
    pub fn parse(written: &str) -> Result<Captor, PatternError> {
        let mut parsed = parse::parse(written)?;
        for group in &mut parsed.groups {
            group.referenced = true;
        }
        let mut translation = translate_exactly(&parsed)?;
        translation.backtracks = true;
        match Engine::compile(&translation)? {
            Engine::Backtracking { regex, ascii_only, steps, longest } => Ok(Captor {
                written: written.to_owned(),
                regex,
                ascii_only,
                steps,
                longest,
                groups: parsed.groups.len(),
                names: parsed.names,
            }),
            Engine::Sequence(..) | Engine::Linear(_) => refuse(0, "cannot tell what its groups catch"),
        }
    }

    /// The pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.written
    }

    /// How many groups it has.
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// The number of the group of a name.
    pub fn named(&self, name: &str) -> Option<usize> {
        self.names.get(name).copied()
    }

    /// What the first `most` matches caught, from left to right, none overlapping another.
    pub fn catch<'t>(&self, text: &'t str, most: usize) -> Result<Vec<Caught<'t>>, GaveUp> {
        if self.ascii_only && !text.is_ascii() {
            return Err(GaveUp(Reason::FoldedReference));
        }
        if text.len() > self.longest {
            return Err(GaveUp(Reason::LongText(self.longest)));
        }
        let matches = self.regex.captures_iter(text).take(most);
        matches
            .map(|caught| {
                let caught = caught.map_err(|_| GaveUp(Reason::Steps(self.steps)))?;
                Ok((0..=self.groups).map(|group| caught.get(group).map(|part| part.as_str())).collect())
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caught(pattern: &str, text: &str) -> Vec<Vec<String>> {
        let captor = Captor::parse(pattern).unwrap();
        let told = |caught: Caught<'_>| caught.iter().map(|part| part.unwrap_or("-").to_owned()).collect();
        captor.catch(text, 10).unwrap().into_iter().map(told).collect()
    }

    #[test]
    fn every_match_tells_its_groups() {
        assert_eq!(caught(r"RF-(\d+)", "RF-1 and RF-22"), [["RF-1", "1"], ["RF-22", "22"]]);
        assert_eq!(caught("(a)|(b)", "ab"), [["a", "a", "-"], ["b", "-", "b"]]);
        assert_eq!(caught(r"(?i)order (\w+)$", "x\nORDER ab\n"), [["ORDER ab", "ab"]]);
        assert_eq!(caught("a*", "aab"), [["aa"], [""]]);
        assert_eq!(caught("(?:(x)y)+z?", "xyxyz"), [["xyxyz", "x"]]);
    }

    #[test]
    fn names_are_known() {
        let captor = Captor::parse(r"(?P<id>\d)(?P<unit>k)").unwrap();
        assert_eq!((captor.named("unit"), captor.named("x"), captor.groups()), (Some(2), None, 2));
    }

    #[test]
    fn what_costs_too_much_gives_up() {
        let captor = Captor::parse("(a|aa)+$").unwrap();
        assert!(captor.catch(&("a".repeat(60) + "b"), 10).is_err());
    }
}
