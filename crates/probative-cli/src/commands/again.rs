//! How single results are come by again, as reports tell it.

use std::fmt::Write as _;
use std::path::Path;

use clap::ValueEnum as _;
use clap::builder::PossibleValue;
use probative::report::Rerun;
use probative::value::Pattern;

use crate::args::{CheckArguments, ConformanceArguments, RunArguments, SubjectArguments, TraceFormatName};

/// A case of a run.
pub(super) fn run(arguments: &RunArguments) -> Rerun {
    let suites = &arguments.suites;
    let mut words = Words::default();
    words.option("--agent", suites.agent.as_deref());
    words.option("--responses", suites.responses.as_deref().and_then(Path::to_str));
    suites.condition.iter().for_each(|condition| words.option("--condition", Some(condition)));
    words.option("--trials", arguments.trial.trials.map(|trials| trials.to_string()).as_deref());
    words.option("--now", arguments.cases.now.map(|now| now.to_string()).as_deref());
    Rerun::Run { command: "run", with: words.0 }
}

/// A case of a conformance run.
pub(super) fn conformance(arguments: &ConformanceArguments) -> Rerun {
    let mut words = Words::default();
    words.option("--impl", Some(arguments.runtime.as_str()).filter(|runtime| *runtime != "rust"));
    words.option("--now", arguments.cases.now.map(|now| now.to_string()).as_deref());
    Rerun::Run { command: "conformance", with: words.0 }
}

/// A recorded subject.
pub(super) fn check(arguments: &CheckArguments) -> Rerun {
    let SubjectArguments { input, trace_format, tool_error, .. } = &arguments.named;
    let mut words = Words::default();
    let input = input.to_possible_value().filter(|input| input.get_name() != "auto");
    words.option("--input", input.as_ref().map(PossibleValue::get_name));
    if let TraceFormatName::Is(format) = trace_format {
        words.option("--trace-format", Some(format.name()));
    }
    words.option("--tool-error", tool_error.as_deref().map(Pattern::as_str));
    words.option("--now", arguments.now.map(|now| now.to_string()).as_deref());
    Rerun::Check { question: arguments.question.display().to_string(), with: words.0 }
}

/// Words behind a command, quoted as a shell wants them.
#[derive(Default)]
struct Words(String);

impl Words {
    /// Adds an option, where it is given and can be passed on.
    fn option(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value.and_then(|value| shlex::try_quote(value).ok()) {
            let space = if self.0.is_empty() { "" } else { " " };
            let _ = write!(self.0, "{space}{name}={value}");
        }
    }
}
