//! A search whose work is bounded, whatever the pattern and the text.
//!
//! Searching takes linear time, but linear in the text *times* the pattern, and `(?:(?:(?:a?){50}){50}){50}` is a pattern of
//! 125,000 states. The bound counts work, not time, so that the same pattern and text give the same answer everywhere.

use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson::{Compiler, NFA, State, WhichCaptures};
use regex_automata::util::prefilter::Prefilter;
use regex_automata::util::primitives::StateID;
use regex_automata::{Input, MatchKind};
use regex_syntax::hir::Hir;

use super::linear::COMPILED_BYTES;

/// The most steps of one search: a state that is visited, a byte that is compared with one. About 0.3 seconds.
const STEPS: usize = 32_000_000;

/// The most steps of the fast engine, which takes longer for each where it cannot be fast.
const FAST_STEPS: usize = 32_000_000;

/// The most that the table of a lazy DFA occupies.
const TABLE_BYTES: usize = 8 << 20;

/// What a state of a lazy DFA occupies at least beside its transitions.
const TABLE_STATE_BYTES: usize = 36;

/// What a state of an NFA occupies at least.
const STATE_BYTES: usize = 24;

/// Returns true if any engine that needs `bytes` of memory for a pattern searches a text of `length` within the bound.
pub(super) fn fits(bytes: usize, length: usize) -> bool {
    (bytes / STATE_BYTES).saturating_mul(length) <= FAST_STEPS
}

/// Searches for a pattern, and gives up where that takes too many steps.
#[derive(Clone, Debug)]
pub(super) struct Bounded {
    nfa: NFA,
    prefilter: Option<Prefilter>,
    /// Reads each byte once, as long as few sets of states are met. `None` where one set alone may cost too much.
    table: Option<DFA>,
}

impl Bounded {
    /// `None` if the pattern is too large.
    pub(super) fn new(pattern: &Hir) -> Option<Bounded> {
        let nfa = nfa(pattern)?;
        let prefilter = Prefilter::from_hir_prefix(MatchKind::LeftmostFirst, pattern);
        let table = table(&nfa, prefilter.clone());
        Some(Bounded { nfa, prefilter, table })
    }

    /// Returns true if the pattern matches somewhere in the text; `None` if finding out takes too many steps.
    pub(super) fn is_match(&self, text: &str) -> Option<bool> {
        let found = self.table.as_ref().and_then(|table| {
            // A table of its own: whether it suffices must not depend on texts that were searched before.
            table.try_search_fwd(&mut Cache::new(table), &Input::new(text).earliest(true)).ok()
        });
        match found {
            Some(found) => Some(found.is_some()),
            None => self.simulated(text, STEPS),
        }
    }

    /// Returns true if reading all of the text takes few enough steps, however many matches are in it.
    pub(super) fn is_readable(&self, text: &str) -> bool {
        self.follow(text, Threads { stops: false, ..Threads::new(&self.nfa, STEPS) }).is_some()
    }

    /// Returns true if the pattern matches, by following all states at once, for so many steps.
    fn simulated(&self, text: &str, steps: usize) -> Option<bool> {
        self.follow(text, Threads::new(&self.nfa, steps))
    }

    fn follow(&self, text: &str, mut threads: Threads<'_>) -> Option<bool> {
        let mut at = 0;
        loop {
            if threads.waiting.is_empty()
                && let Some(prefilter) = &self.prefilter
            {
                match prefilter.find(text.as_bytes(), (at..text.len()).into()) {
                    Some(candidate) => at = candidate.start,
                    None => return Some(false),
                }
            }
            if threads.advance(text, at)? {
                return Some(true);
            }
            if at == text.len() {
                return Some(false);
            }
            at += 1;
        }
    }
}

/// The states of a pattern as the engine writes it; `None` if it is malformed or too large.
fn nfa(pattern: &Hir) -> Option<NFA> {
    let config =
        NFA::config().nfa_size_limit(Some(COMPILED_BYTES)).which_captures(WhichCaptures::None).utf8(true);
    Compiler::new().configure(config).build_from_hir(pattern).ok()
}

/// How many states a pattern of Rust's `regex` has; `None` if it is malformed or too large.
pub(in crate::value) fn states(pattern: &str) -> Option<usize> {
    Some(nfa(&regex_syntax::parse(pattern).ok()?)?.states().len())
}

/// A lazy DFA that gives up when it has met so many sets of states that working them out has cost [`STEPS`].
fn table(nfa: &NFA, prefilter: Option<Prefilter>) -> Option<DFA> {
    let row = (1 << nfa.byte_classes().stride2()) * size_of::<u32>() + TABLE_STATE_BYTES;
    let capacity = (STEPS / nfa.states().len().max(1)).saturating_mul(row).min(TABLE_BYTES);
    let config = DFA::config()
        .specialize_start_states(prefilter.is_some())
        .prefilter(prefilter)
        .unicode_word_boundary(true)
        .cache_capacity(capacity)
        .minimum_cache_clear_count(Some(0));
    // Refused where not even a few states fit.
    DFA::builder().configure(config).build_from_nfa(nfa.clone()).ok()
}

/// The states that a search is in.
struct Threads<'n> {
    nfa: &'n NFA,
    /// The states that wait for the byte before the next place, each once.
    waiting: Vec<StateID>,
    open: Vec<StateID>,
    /// The last round in which a state was reached.
    marks: Vec<usize>,
    round: usize,
    /// How many steps are left.
    steps: usize,
    /// True if a match ends the search.
    stops: bool,
}

impl<'n> Threads<'n> {
    fn new(nfa: &'n NFA, steps: usize) -> Threads<'n> {
        let marks = vec![0; nfa.states().len()];
        Threads { nfa, waiting: Vec::new(), open: Vec::new(), marks, round: 0, steps, stops: true }
    }

    /// Goes on to a place, where a match may begin as well; `Some(true)` if one ends there, `None` after too many steps.
    fn advance(&mut self, text: &str, at: usize) -> Option<bool> {
        self.round += 1;
        if text.is_char_boundary(at) {
            self.open.push(self.nfa.start_anchored());
        }
        let mut before = std::mem::take(&mut self.waiting);
        for state in before.drain(..) {
            let byte = text.as_bytes()[at - 1];
            let next = match self.nfa.state(state) {
                State::ByteRange { trans } => trans.matches_byte(byte).then_some(trans.next),
                State::Sparse(transitions) => {
                    self.steps = self.steps.checked_sub(transitions.transitions.len())?;
                    transitions.matches_byte(byte)
                }
                State::Dense(transitions) => transitions.matches_byte(byte),
                _ => None,
            };
            self.open.extend(next);
        }
        while let Some(state) = self.open.pop() {
            self.steps = self.steps.checked_sub(1)?;
            if std::mem::replace(&mut self.marks[state], self.round) == self.round {
                continue;
            }
            match self.nfa.state(state) {
                State::ByteRange { .. } | State::Sparse(_) | State::Dense(_) => before.push(state),
                State::Look { look, next } => {
                    let holds = self.nfa.look_matcher().matches(*look, text.as_bytes(), at);
                    self.open.extend(holds.then_some(*next));
                }
                State::Union { alternates } => self.open.extend(alternates),
                State::BinaryUnion { alt1, alt2 } => self.open.extend([*alt1, *alt2]),
                State::Capture { next, .. } => self.open.push(*next),
                State::Match { .. } if self.stops => return Some(true),
                State::Match { .. } | State::Fail => {}
            }
        }
        self.waiting = before;
        Some(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounded(source: &str) -> Bounded {
        Bounded::new(&regex_syntax::parse(source).unwrap()).unwrap()
    }

    #[test]
    fn every_way_to_search_gives_the_answer_of_the_engine() {
        let texts =
            ["", "a", "K", "ks", "s 5", "a\nb", "é", "a é 5", "-é-", "foo", "xfoox", "x foo", "fofoo"];
        for source in [
            r"\d+",
            r"[^\d]",
            r"(?i:k)",
            r"\bs\b",
            r"\B",
            ".",
            r"\bfoo\b",
            "foo",
            "fo*$",
            "é|5",
            r"\bé\b",
            r"\A\z",
            "(?m:^)b",
            r"(?:a|b|s )*5",
            r"\w{2,}",
            "[^a]é",
            "a??",
            r"\z",
        ] {
            let engine = regex_automata::meta::Regex::new(source).unwrap();
            let bounded = bounded(source);
            for text in texts {
                let expected = Some(engine.is_match(text));
                assert_eq!(bounded.is_match(text), expected, "{source} in {text:?}");
                assert_eq!(bounded.simulated(text, STEPS), expected, "{source} in {text:?}, simulated");
            }
        }
    }

    #[test]
    fn what_takes_too_many_steps_gives_up() {
        let many_states = bounded("(?:(?:(?:a?){50}){50}){50}b");
        assert!(many_states.table.is_none());
        assert_eq!(many_states.simulated(&"a".repeat(10_000), 1_000_000), None);
        assert_eq!(many_states.is_match("aab"), Some(true));
        assert_eq!(many_states.is_match("xxx"), Some(false));
        // Few states, but any of countless sets of them may be met.
        let many_sets = bounded("[ab]*a[ab]{90}c");
        let noise = (0..300_000_u64).map(|n| n.wrapping_mul(n).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 60);
        let text: String = noise.map(|n| if n & 1 == 0 { 'a' } else { 'b' }).collect();
        let table = many_sets.table.as_ref().unwrap();
        assert!(table.try_search_fwd(&mut Cache::new(table), &Input::new(&text)).is_err());
        assert_eq!(many_sets.simulated(&text, 1_000_000), None);
        assert_eq!(many_sets.is_match(&text), Some(false));
    }

    #[test]
    fn long_texts_are_searched_where_few_sets_of_states_are_met() {
        let text = "foo ".to_owned() + &"x".repeat(50_000_000);
        assert_eq!(bounded("foo.*bar").is_match(&text), Some(false));
        assert_eq!(bounded(r"\bnever\b").is_match(&("é".to_owned() + &text)), Some(false));
    }
}
