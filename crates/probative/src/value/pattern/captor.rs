//! A pattern that tells what its groups caught.

use std::collections::BTreeMap;

use regex_automata::meta::Regex;

use super::bounded::{self, Bounded};
use super::linear::COMPILED_BYTES;
use super::translate::translate_exactly;
use super::{Engine, GaveUp, PatternError, Reason, parse, refuse};

/// A regular expression in Python's written dialect, asked for every match as `re.finditer` would give it, but for an empty
/// one right behind another.
///
/// It is answered in linear time unless it needs the engine that backtracks; `$` does, for it must not take the line end.
#[derive(Clone, Debug)]
pub struct Captor {
    written: String,
    engine: Catching,
    groups: usize,
    names: BTreeMap<String, usize>,
}

#[derive(Clone, Debug)]
enum Catching {
    Linear { regex: Regex, source: String },
    Backtracking { regex: fancy_regex::Regex, ascii_only: bool, steps: usize, longest: usize },
}

/// What one match caught: the whole of it first, then its groups; `None` for one that took no part.
pub type Caught<'t> = Vec<Option<&'t str>>;

impl Captor {
    /// Reads and compiles a pattern. Groups in places where engines disagree about what they catch are refused.
    pub fn parse(written: &str) -> Result<Captor, PatternError> {
        let mut parsed = parse::parse(written)?;
        let translation = translate_exactly(&parsed)?;
        let engine = if translation.backtracks {
            for group in &mut parsed.groups {
                group.referenced = true;
            }
            match Engine::compile(&translate_exactly(&parsed)?)? {
                Engine::Backtracking { regex, ascii_only, steps, longest } => {
                    Catching::Backtracking { regex, ascii_only, steps, longest }
                }
                Engine::Linear(_) => {
                    return refuse(0, "groups can't be captured here");
                }
            }
        } else {
            let config = Regex::config().nfa_size_limit(Some(COMPILED_BYTES)).dfa(false).onepass(false);
            let regex = Regex::builder().configure(config).build(&translation.source);
            let regex = regex.or_else(|_| refuse(0, "too large or too complex for the regex engine"))?;
            Catching::Linear { regex, source: translation.source }
        };
        Ok(Captor { written: written.to_owned(), engine, groups: parsed.groups.len(), names: parsed.names })
    }

    /// The pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.written
    }

    /// Whether it is answered in linear time.
    pub fn is_linear(&self) -> bool {
        matches!(self.engine, Catching::Linear { .. })
    }

    /// How many groups it has.
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// The number of the group of a name.
    pub fn named(&self, name: &str) -> Option<usize> {
        self.names.get(name).copied()
    }

    /// The names of its groups.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(String::as_str)
    }

    /// What the first `most` matches caught, from left to right, none overlapping another.
    pub fn catch<'t>(&self, text: &'t str, most: usize) -> Result<Vec<Caught<'t>>, GaveUp> {
        let groups = 0..=self.groups;
        match &self.engine {
            Catching::Linear { regex, source } => {
                if !bounded::fits(regex.memory_usage(), text.len()) && !is_readable(source, text) {
                    return Err(GaveUp(Reason::Work(text.len())));
                }
                let caught = regex.captures_iter(text).take(most);
                Ok(caught
                    .map(|caught| {
                        groups
                            .clone()
                            .map(|group| caught.get_group(group).map(|span| &text[span.range()]))
                            .collect()
                    })
                    .collect())
            }
            Catching::Backtracking { ascii_only: true, .. } if !text.is_ascii() => {
                Err(GaveUp(Reason::FoldedReference))
            }
            Catching::Backtracking { longest, .. } if text.len() > *longest => {
                Err(GaveUp(Reason::LongText(*longest)))
            }
            Catching::Backtracking { regex, steps, .. } => {
                let caught = regex.captures_iter(text).take(most).map(|caught| {
                    let caught = caught.map_err(|_| GaveUp(Reason::Steps(*steps)))?;
                    Ok(groups.clone().map(|group| caught.get(group).map(|part| part.as_str())).collect())
                });
                caught.collect()
            }
        }
    }
}

/// Returns true if reading a text with a pattern, as the engine writes it, takes few enough steps.
fn is_readable(source: &str, text: &str) -> bool {
    let bounded = regex_syntax::parse(source).ok().and_then(|pattern| Bounded::new(&pattern));
    bounded.is_some_and(|bounded| bounded.is_readable(text))
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
        let captor = Captor::parse("(?:(?:(?:a?){50}){50}){20}(b)").unwrap();
        assert!(captor.catch(&("ab".to_owned() + &"a".repeat(10_000)), 10).is_err());
    }

    #[test]
    fn what_needs_no_steps_back_is_found_in_long_texts() {
        let text = "x".repeat(1 << 20) + " RF-77";
        let captor = Captor::parse(r"RF-(\d+)").unwrap();
        assert_eq!(captor.catch(&text, 10).unwrap(), [[Some("RF-77"), Some("77")]]);
    }
}
