//! Regular expressions in Python's written dialect, answered by Rust engines.
//!
//! A pattern is read by Python's own grammar and rewritten for the engine that can answer it: the linear-time
//! [`regex_automata`] where that is enough, the backtracking [`fancy_regex`] where the pattern needs look-around,
//! references to groups, atomic groups or possessive repetition. What
//! Python refuses is refused; so is what neither engine would answer as Python does.

mod always;
mod bounded;
mod captor;
mod certain;
mod escape;
mod group;
mod linear;
mod machine;
mod parse;
mod portable;
mod scans;
mod syntax;
#[cfg(test)]
mod tests;
mod toil;
mod translate;

use std::fmt;

use self::linear::COMPILED_BYTES;
use self::scans::Scans;
use self::translate::Translation;
pub(super) use bounded::states;
pub use captor::{Captor, Caught};
pub(super) use linear::Linear;
pub use portable::Unportable;

use crate::verdict::{Error, ErrorKind};

/// The backtracking engine stops after this many steps back, or after fewer where the way forward is long: what it looks at
/// on all ways together is about a second of work at worst.
const STEPS: usize = 1_000_000;
const FEWEST_STEPS: usize = 100;
const LOOKED_AT: u64 = 50_000_000;

/// Where one step may read the rest of the text, the engine stops after this many steps, or after fewer where a step may read
/// it several times, and is not asked about longer texts at all: about 0.8 seconds of work at worst.
const ROAMING_STEPS: usize = 48_000;
const ROAMED_BYTES: usize = 12 << 10;

/// The same where only the beginning of the text may be the start of a match, and no repetition reads the rest in each round.
const ANCHORED_STEPS: usize = 4_500;
const ANCHORED_BYTES: usize = 128 << 10;

/// The same where one step may read the text as many times as it has characters, or more.
const NESTED_STEPS: usize = 10_000;

/// The bytes that all steps together may read.
const SCANNED_BYTES: u64 = (ROAMING_STEPS * ROAMED_BYTES) as u64;

/// One step may hand a piece of the pattern to the linear engine, which compares each byte of the text with each of its states:
/// larger patterns than this are tried on texts that are shorter in proportion.
const STATES: u64 = 512;
const COMPARED: u64 = 8 << 20;

/// The backtracking engine compiles piece by piece, so the number of pieces is bounded as well.
const BACKTRACKING_SOURCE_BYTES: usize = 32 << 10;

/// A regular expression in Python's written dialect, compiled once.
#[derive(Clone, Debug)]
pub struct Pattern {
    written: String,
    engine: Engine,
}

#[derive(Clone, Debug)]
enum Engine {
    Linear(Linear),
    Backtracking {
        regex: fancy_regex::Regex,
        /// A reference under `(?i)`: the engine and Python agree on it for ASCII text only.
        ascii_only: bool,
        /// After how many steps it gives up.
        steps: usize,
        /// How long a text may be.
        longest: usize,
    },
}

/// Why a pattern is refused: Python refuses it, or no engine here would answer as Python does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    /// A lower-case fragment that names the construct: `nothing to repeat`.
    pub message: String,
    /// Where the construct begins, in characters from the start of the pattern.
    pub at: usize,
}

/// Neither yes nor no: the text asks for more work than a test may cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GaveUp(Reason);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Reason {
    Steps(usize),
    LongText(usize),
    FoldedReference,
    Size,
    /// On a text of so many bytes.
    Work(usize),
}

impl Pattern {
    /// Reads and compiles a pattern. The empty pattern is fine and matches every text.
    pub fn parse(written: &str) -> Result<Pattern, PatternError> {
        let parsed = parse::parse(written)?;
        let engine = Engine::compile(&translate::translate(&parsed)?)?;
        Ok(Pattern { written: written.to_owned(), engine })
    }

    /// The pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.written
    }

    /// Whether the pattern matches somewhere in the text, as Python's `re.search` would.
    ///
    /// It gives up where that would take longer than about a second, by the work there is to do, not by the clock.
    pub fn is_match(&self, text: &str) -> Result<bool, GaveUp> {
        match &self.engine {
            Engine::Linear(linear) => linear.is_match(text),
            Engine::Backtracking { ascii_only: true, .. } if !text.is_ascii() => {
                Err(GaveUp(Reason::FoldedReference))
            }
            Engine::Backtracking { longest, .. } if text.len() > *longest => {
                Err(GaveUp(Reason::LongText(*longest)))
            }
            Engine::Backtracking { regex, steps, .. } => {
                regex.is_match(text).map_err(|_| GaveUp(Reason::Steps(*steps)))
            }
        }
    }

    /// The pattern as the linear engine writes it, if that engine answers it.
    fn source(&self) -> Option<&str> {
        match &self.engine {
            Engine::Linear(linear) => Some(linear.as_str()),
            Engine::Backtracking { .. } => None,
        }
    }
}

impl Pattern {
    /// The same, for a judge: giving up is an error that names the pattern and the place of the text.
    pub fn found_in(&self, text: &str, place: impl fmt::Display) -> Result<bool, Error> {
        self.is_match(text).map_err(|gave_up| {
            Error::new(ErrorKind::Exhausted(format!("{place}: pattern '{}' {gave_up}", self.written)))
        })
    }
}

impl Engine {
    fn compile(translation: &Translation) -> Result<Engine, PatternError> {
        let too_large =
            || PatternError { message: "too large or too complex for the regex engine".to_owned(), at: 0 };
        let source = &translation.source;
        if !translation.backtracks {
            return Linear::new(source).map(Engine::Linear).ok_or_else(too_large);
        }
        if source.len() > BACKTRACKING_SOURCE_BYTES {
            return Err(too_large());
        }
        let (steps, longest) = limits(translation);
        let regex = fancy_regex::RegexBuilder::new(source)
            .backtrack_limit(steps)
            .delegate_size_limit(COMPILED_BYTES)
            .build()
            .map_err(|_| too_large())?;
        Ok(Engine::Backtracking { regex, ascii_only: translation.folds_references, steps, longest })
    }
}

/// After how many steps the backtracking engine gives up, and on how long a text it is tried.
fn limits(translation: &Translation) -> (usize, usize) {
    let (steps, longest) = limits_of_steps(translation);
    match translation.states {
        0..=STATES => (steps, longest),
        states => (steps, longest.min(usize::try_from(COMPARED / states).unwrap_or(usize::MAX))),
    }
}

fn limits_of_steps(translation: &Translation) -> (usize, usize) {
    let Scans { degree, times, in_loop } = translation.scans;
    if !translation.roams && translation.effort != u64::MAX {
        let steps = usize::try_from(LOOKED_AT / translation.effort.max(1)).unwrap_or(STEPS);
        return (steps.clamp(FEWEST_STEPS, STEPS), usize::MAX);
    }
    let (most, longest) = match degree {
        0 | 1 if translation.roams || in_loop => (ROAMING_STEPS, ROAMED_BYTES),
        0 | 1 => (ANCHORED_STEPS, ANCHORED_BYTES),
        _ => {
            let read = SCANNED_BYTES / NESTED_STEPS as u64;
            return (NESTED_STEPS, root(read / times.max(1), degree));
        }
    };
    let steps = SCANNED_BYTES / (longest as u64).saturating_mul(times.max(1));
    (usize::try_from(steps).unwrap_or(most).clamp(FEWEST_STEPS, most), longest)
}

/// Returns the largest number whose power of `degree` is at most `number`.
fn root(number: u64, degree: u32) -> usize {
    let fits = |root: &u64| root.checked_pow(degree).is_some_and(|power| power <= number);
    let largest = (1..=ROAMED_BYTES as u64).take_while(fits).last();
    largest.and_then(|root| usize::try_from(root).ok()).unwrap_or(0)
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at position {}", self.message, self.at)
    }
}

impl std::error::Error for PatternError {}

impl fmt::Display for GaveUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Reason::Steps(steps) => write!(f, "gave up after {steps} backtracking steps"),
            Reason::LongText(longest) => {
                let (repetition, anchor) = if longest < ROAMED_BYTES {
                    ("high repeat counts", "")
                } else {
                    ("unbounded repetition", "; start the pattern with \\A to raise the limit")
                };
                write!(
                    f,
                    "gave up: with look-around or backreferences and {repetition}, it runs only on strings of up to \
                     {longest} bytes{anchor}"
                )
            }
            Reason::FoldedReference => {
                f.write_str("gave up: case-insensitive backreferences work only on ASCII text")
            }
            Reason::Work(bytes) => {
                write!(f, "takes too long for {bytes} bytes (lower its repeat counts)")
            }
            Reason::Size => f.write_str("gave up: too large or too complex for the regex engine"),
        }
    }
}

impl std::error::Error for GaveUp {}

/// The result of a construct that cannot be taken.
fn refuse<T>(at: usize, message: impl Into<String>) -> Result<T, PatternError> {
    Err(PatternError { message: message.into(), at })
}
