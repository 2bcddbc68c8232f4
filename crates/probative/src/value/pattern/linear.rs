//! The engine that answers in linear time, and is cheap to make.
//!
//! Most patterns are asked once, of a text that is ASCII. Then sets like `\d` and `\w` are mostly characters that cannot
//! come, and making an engine that knows them takes longer than all else about the pattern. So the engine that is made
//! first knows only ASCII, where it gives the same answers; the other is made when a text asks for it.

use std::sync::OnceLock;

use regex_automata::meta::Regex;
use regex_automata::nfa::thompson::WhichCaptures;
use regex_syntax::hir::{Capture, Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look, Repetition};

use super::bounded::{self, Bounded};
use super::{GaveUp, Reason};

/// What a compiled pattern may occupy; `\w{1,255}` fits, `(a{1000}){1000}` does not.
pub(super) const COMPILED_BYTES: usize = 16 << 20;

/// What one range of characters occupies at most: up to twenty sequences of bytes, each of up to four states.
const RANGE_BYTES: usize = 4 << 10;

/// A pattern that never makes a text be read twice.
#[derive(Clone, Debug)]
pub(in crate::value) struct Linear {
    source: String,
    /// For texts in ASCII.
    narrow: Searcher,
    /// For all texts, unless the pattern treats none of them differently.
    wide: Option<OnceLock<Option<Searcher>>>,
}

/// The fast engine, and for texts on which that might take too long, the one that stops in time.
#[derive(Clone, Debug)]
struct Searcher {
    fast: Regex,
    bounded: OnceLock<Option<Box<Bounded>>>,
}

impl Linear {
    /// Makes the engine for a pattern as the engine writes it; `None` if it is malformed or too large.
    pub(in crate::value) fn new(source: &str) -> Option<Linear> {
        let pattern = regex_syntax::parse(source).ok()?;
        let may_not_fit = size(&pattern) > COMPILED_BYTES;
        let mut differs = false;
        let narrow = build(&narrowed(pattern, &mut differs))?;
        let linear = Linear { source: source.to_owned(), narrow, wide: differs.then(OnceLock::new) };
        if may_not_fit && let Some(wide) = &linear.wide {
            linear.widened(wide)?;
        }
        Some(linear)
    }

    /// The pattern as the engine writes it.
    pub(super) fn as_str(&self) -> &str {
        &self.source
    }

    /// Whether it matches somewhere in the text.
    pub(in crate::value) fn is_match(&self, text: &str) -> Result<bool, GaveUp> {
        match &self.wide {
            Some(wide) if !text.is_ascii() => {
                let searcher = self.widened(wide).ok_or(GaveUp(Reason::Size))?;
                searcher.is_match(text, || regex_syntax::parse(&self.source).ok())
            }
            _ => self
                .narrow
                .is_match(text, || Some(narrowed(regex_syntax::parse(&self.source).ok()?, &mut false))),
        }
    }

    fn widened<'w>(&self, wide: &'w OnceLock<Option<Searcher>>) -> Option<&'w Searcher> {
        wide.get_or_init(|| build(&regex_syntax::parse(&self.source).ok()?)).as_ref()
    }
}

impl Searcher {
    /// Returns true if it matches somewhere in the text. `pattern` is what it was made from.
    fn is_match(&self, text: &str, pattern: impl FnOnce() -> Option<Hir>) -> Result<bool, GaveUp> {
        if bounded::fits(self.fast.memory_usage(), text.len()) {
            return Ok(self.fast.is_match(text));
        }
        let bounded = self.bounded.get_or_init(|| Bounded::new(&pattern()?).map(Box::new)).as_ref();
        bounded.ok_or(GaveUp(Reason::Size))?.is_match(text).ok_or(GaveUp(Reason::Work(text.len())))
    }
}

/// Makes an engine that answers yes or no. Making a whole table of states ahead would take ten times as long, and the one
/// that is made while a text is read is no slower.
fn build(pattern: &Hir) -> Option<Searcher> {
    let config = Regex::config()
        .nfa_size_limit(Some(COMPILED_BYTES))
        .which_captures(WhichCaptures::None)
        .dfa(false)
        .onepass(false);
    let fast = Regex::builder().configure(config).build_from_hir(pattern).ok()?;
    Some(Searcher { fast, bounded: OnceLock::new() })
}

/// The pattern without the characters beyond ASCII, which finds the same in texts without them. Says whether that differs
/// from the pattern.
fn narrowed(pattern: Hir, differs: &mut bool) -> Hir {
    let mut all = |parts: Vec<Hir>| parts.into_iter().map(|part| narrowed(part, differs)).collect();
    match pattern.into_kind() {
        HirKind::Concat(parts) => Hir::concat(all(parts)),
        HirKind::Alternation(branches) => Hir::alternation(all(branches)),
        HirKind::Empty => Hir::empty(),
        HirKind::Literal(literal) => Hir::literal(literal.0),
        HirKind::Class(Class::Unicode(mut set)) if !set.is_ascii() => {
            *differs = true;
            set.intersect(&ClassUnicode::new([ClassUnicodeRange::new('\0', '\x7f')]));
            Hir::class(Class::Unicode(set))
        }
        HirKind::Class(set) => Hir::class(set),
        HirKind::Look(Look::WordUnicode) => {
            *differs = true;
            Hir::look(Look::WordAscii)
        }
        HirKind::Look(Look::WordUnicodeNegate) => {
            *differs = true;
            Hir::look(Look::WordAsciiNegate)
        }
        HirKind::Look(look) => Hir::look(look),
        HirKind::Repetition(repetition) => {
            Hir::repetition(Repetition { sub: Box::new(narrowed(*repetition.sub, differs)), ..repetition })
        }
        HirKind::Capture(capture) => {
            Hir::capture(Capture { sub: Box::new(narrowed(*capture.sub, differs)), ..capture })
        }
    }
}

/// The most bytes that an engine for the pattern occupies.
fn size(pattern: &Hir) -> usize {
    let sum = |parts: &[Hir]| parts.iter().map(size).fold(64, usize::saturating_add);
    match pattern.kind() {
        HirKind::Empty | HirKind::Look(_) => 64,
        HirKind::Literal(literal) => literal.0.len().saturating_mul(64),
        HirKind::Class(Class::Unicode(set)) => (set.ranges().len() + 1) * RANGE_BYTES,
        HirKind::Class(Class::Bytes(set)) => (set.ranges().len() + 1) * RANGE_BYTES,
        HirKind::Repetition(Repetition { min, max, sub, .. }) => {
            let rounds = max.unwrap_or(*min).max(*min).max(1);
            size(sub).saturating_add(64).saturating_mul(usize::try_from(rounds).unwrap_or(usize::MAX))
        }
        HirKind::Capture(capture) => size(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => sum(parts),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_engines_agree_where_both_may_answer() {
        let texts = ["", "a", "K", "ks", "s 5", "_", "a\nb", "\u{7f}", "A-1234 says", " \t\x1c"];
        for source in [
            r"\d+",
            r"[^\d]",
            r"(?i:k)",
            r"(?i:[^k])",
            r"\bs\b",
            r"\B",
            r".",
            r"[\p{L}\p{N}_]{2,}",
            "é|5",
            "(?s:.)$",
            r"\P{L}",
            r"(?m:^)b",
            "[é]",
        ] {
            let linear = Linear::new(source).unwrap();
            let wide = build(&regex_syntax::parse(source).unwrap()).unwrap();
            for text in texts {
                assert_eq!(linear.is_match(text), Ok(wide.fast.is_match(text)), "{source} in {text:?}");
            }
        }
    }

    #[test]
    fn texts_beyond_ascii_get_the_engine_that_knows_them() {
        for (source, text) in
            [(r"\d", "٣"), (r"(?i:k)", "\u{212a}"), (r"\bé\b", "-é-"), (".", "é"), ("é", "é")]
        {
            assert_eq!(Linear::new(source).unwrap().is_match(text), Ok(true), "{source} in {text}");
        }
        assert_eq!(Linear::new(r"é\b").unwrap().is_match("éa"), Ok(false));
        assert!(Linear::new("ab[cd]").unwrap().wide.is_none());
    }

    #[test]
    fn what_does_not_fit_is_known_at_once() {
        assert!(
            Linear::new(r"\w{1,255}")
                .is_some_and(|linear| linear.wide.is_some_and(|wide| wide.get().is_some()))
        );
        assert!(Linear::new(r"\w{5000}").is_none());
        assert!(Linear::new("(?:a{1000}){1000}").is_none());
        assert!(
            Linear::new(r"\d{4}").is_some_and(|linear| linear.wide.is_some_and(|wide| wide.get().is_none()))
        );
    }
}
