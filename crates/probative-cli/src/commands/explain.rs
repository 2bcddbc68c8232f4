//! `probative explain [NAME]`

use std::fmt::Write as _;
use std::io;
use std::process::ExitCode;

use anstyle::Style;
use probative::document::nearest;
use probative::question::reference::{Entry, entries};
use probative::spec::Code;
use probative::value::visible;
use probative::vocabularies::Speaker;
use probative::{About, Vocabulary};

use super::{Refusal, print};
use crate::args::ExplainArguments;
use crate::terminal::wants_colour;

/// Tells what an assertion means; without a name, lists them all.
pub(crate) fn run(arguments: &ExplainArguments) -> Result<ExitCode, Refusal> {
    let Some(name) = &arguments.name else { return print(&list()) };
    if let Some(code) = Code::ALL.into_iter().find(|code| code.name().eq_ignore_ascii_case(name)) {
        return print(&format!("{}\n\n{}\n", bold(code.name()), code.about()));
    }
    let entries: Vec<Entry> = About::ALL.iter().flat_map(|about| about.speak(Entries).1).collect();
    if let Some(entry) = entries.iter().find(|entry| entry.name == *name) {
        print(&page(entry))
    } else {
        let nearest = nearest(name, entries.iter().map(|entry| entry.name.as_str()));
        let hint = nearest.map_or("`probative explain` lists them all".to_owned(), |nearest| {
            format!("did you mean '{nearest}'?")
        });
        Err(Refusal(format!("no assertion is called '{}'; {hint}", visible(name))))
    }
}

/// A vocabulary as it is listed: its heading, and its assertions.
struct Entries;

impl Speaker for Entries {
    type Answer = (String, Vec<Entry>);
    fn speak<A: Vocabulary>(self) -> Self::Answer {
        (format!("Assertions about a {} ({}):", A::SUBJECT, A::ABOUT), entries::<A>())
    }
}

fn list() -> String {
    let mut text = String::new();
    for about in About::ALL {
        let (heading, entries) = about.speak(Entries);
        let width = entries.iter().map(|entry| entry.name.len()).max().unwrap_or_default();
        let _ = writeln!(text, "{heading}\n");
        for entry in entries {
            let name = bold(&format!("{:<width$}", entry.name));
            let _ = writeln!(text, "  {name}  {}", entry.summary().replace('\n', " "));
        }
        text.push('\n');
    }
    text.push_str("Findings about the assertions of specs (`probative lint`):\n\n");
    for code in Code::ALL {
        let summary = code.about().split_once(". ").map_or(code.about(), |(first, _)| first);
        let _ = writeln!(text, "  {}  {}", bold(code.name()), summary.trim_end_matches('.'));
    }
    text.push('\n');
    text.push_str("`probative explain NAME` tells more, with examples.\n");
    text
}

/// The documentation of an assertion, its code fences taken off.
fn page(entry: &Entry) -> String {
    let mut text = format!("{}\n\n", bold(&entry.name));
    for line in entry.text.lines().filter(|line| !line.starts_with("```")) {
        let _ = writeln!(text, "{}", format!("  {line}").trim_end());
    }
    text
}

fn bold(text: &str) -> String {
    let bold = Style::new().bold();
    if wants_colour(&io::stdout()) { format!("{bold}{text}{bold:#}") } else { text.to_owned() }
}
