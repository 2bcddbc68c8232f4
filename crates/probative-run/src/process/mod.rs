//! Running one child process: its input, its output, its time limit, and the end of everything that it started.

mod capture;
mod feed;
mod group;
mod orphans;
mod run;
mod scarce;
mod stop;
mod tasks;
mod terminal;
#[cfg(all(test, target_os = "linux"))]
mod tests;
mod watchdog;

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

pub use orphans::{Orphans, WITHIN};
pub use run::{run, run_watched};
pub use scarce::shortage;
pub(crate) use scarce::{at_once, threads_that_fit};
pub use stop::Stop;
pub(crate) use tasks::{TaskLimit, TaskWatch};
pub use watchdog::Watchdog;

/// How many bytes of each stream are kept: 16 MiB.
pub const CAP: usize = 16 << 20;

/// How long a process may take to end after it was asked to (`TERM`), before it is made to (`KILL`).
pub const GRACE: Duration = Duration::from_secs(2);

/// What to run, and on what.
#[derive(Clone, Debug)]
pub struct Command<'e> {
    /// The absolute path of the program. Nothing is searched for.
    pub program: PathBuf,
    /// The arguments after the program's name.
    pub arguments: Vec<OsString>,
    /// Whether the process has the variables of this one, where its environment does not say otherwise.
    pub inherits: bool,
    /// Its environment: variables that it has, and nothing for those that it has not. Of one that stands twice the last counts.
    pub environment: Vec<Variable<'e>>,
    /// Where the process starts.
    pub directory: PathBuf,
    /// What the process finds on its standard input.
    pub input: Input,
    /// How long the process may run. The longest durations are no limit.
    pub limit: Duration,
}

/// The name of a variable, and its value unless it is not to be set.
pub type Variable<'e> = (Cow<'e, OsStr>, Option<Cow<'e, OsStr>>);

/// What a process finds on its standard input. A process that does not read it is not held up by it.
#[derive(Clone, Debug)]
pub enum Input {
    /// `/dev/null`.
    Nothing,
    /// A pipe that carries this text, and ends.
    Text(Vec<u8>),
    /// A terminal at which this text is typed, and then the end of input as often as the process asks for more.
    ///
    /// Every byte arrives as it is: no key has a meaning, and nothing is echoed. As at any terminal a read gives at most one
    /// line, and of a line of more than 1000 bytes a part. Only standard input is this terminal: what the process writes to
    /// it is thrown away, and `/dev/tty` is not this one but that of the caller, if it has one.
    ///
    /// Two kinds of programs get something else: those that throw away what was typed before they asked (`TCSAFLUSH`, as many
    /// password prompts do), and those that leave canonical mode, for which the end of input is a byte (control-D, or NUL for
    /// what was typed before). A text in which every byte occurs leaves none to end it, and is an error; UTF-8 never does.
    Terminal(Vec<u8>),
}

/// A process that has ended, and what it wrote until then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Why it has ended.
    pub how: How,
    /// The signal that killed by, if it did.
    pub signal: Option<i32>,
    /// What came from standard output.
    pub stdout: Output,
    /// What came from standard error.
    pub stderr: Output,
}

/// Why a process has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// By itself, with this exit code. Death by signal N is 128 + N.
    Exited(i32),
    /// At its time limit, whatever its exit code was then.
    TimedOut,
    /// Because it was stopped, or never started because it was stopped before.
    Interrupted,
}

/// What came from one stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// The first [`CAP`] bytes.
    pub bytes: Vec<u8>,
    /// How many bytes came after them, and were thrown away.
    pub dropped: u64,
}
