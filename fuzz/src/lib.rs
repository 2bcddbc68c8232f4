//! Hostile input: a function for every place that takes what others wrote, and what must hold whatever they wrote.
//!
//! A target takes any bytes and panics if a law is broken. libFuzzer makes the bytes (`scripts/fuzz`); the tests here give
//! every target the seeds that it begins with.
#![forbid(unsafe_code)]

mod answers;
mod baselines;
mod cases;
mod formatter;
mod input;
mod json;
mod judges;
mod lang;
mod paths;
mod patterns;
mod questions;
mod reports;
pub mod seeds;
mod traces;
mod visible;

pub use answers::answers;
pub use baselines::baselines;
pub use cases::cases;
pub use formatter::formatter;
pub use json::json;
pub use judges::{responses, runs, selections};
pub use lang::lang;
pub use paths::paths;
pub use patterns::patterns;
pub use questions::questions;
pub use reports::reports;
pub use traces::traces;

/// A function that no bytes may make panic, hang or take much memory.
pub struct Target {
    /// Its name, which is that of the program that fuzzes it.
    pub name: &'static str,
    /// The function.
    pub run: fn(&[u8]),
    /// How many bytes it is given at most: what is long enough to be hostile, and short enough to be tried often.
    pub longest: usize,
}

/// All of them. The programs, the seeds and the tests read this table.
pub const TARGETS: [Target; 14] = [
    Target { name: "answers", run: answers, longest: 8192 },
    Target { name: "baselines", run: baselines, longest: 8192 },
    Target { name: "cases", run: cases, longest: 4096 },
    Target { name: "formatter", run: formatter, longest: 4096 },
    Target { name: "json", run: json, longest: 4096 },
    Target { name: "lang", run: lang, longest: 2048 },
    Target { name: "paths", run: paths, longest: 1024 },
    Target { name: "patterns", run: patterns, longest: 512 },
    Target { name: "questions", run: questions, longest: 4096 },
    Target { name: "reports", run: reports, longest: 2048 },
    Target { name: "responses", run: responses, longest: 4096 },
    Target { name: "runs", run: runs, longest: 4096 },
    Target { name: "selections", run: selections, longest: 4096 },
    Target { name: "traces", run: traces, longest: 16384 },
];
