//! `probative explain [NAME]`: everything that has a name, read off the tables that it is named in, and topics.

mod assertions;
mod cases;
mod exit_codes;
mod expressions;
mod formats;
mod tables;
mod topics;

use std::fmt::Write as _;
use std::io;
use std::process::ExitCode;

use anstyle::Style;
use probative::document::nearest;
use probative::value::visible;

use super::{Refusal, print};
use crate::args::ExplainArguments;
use crate::terminal::wants_colour;

/// Tells what something means; without a name, lists all that has one.
pub(crate) fn run(arguments: &ExplainArguments) -> Result<ExitCode, Refusal> {
    let groups = groups();
    let Some(name) = &arguments.name else { return Ok(print(&list(&groups))) };
    // Some words mean one thing as an assertion and another in an expression.
    let pages = groups.iter().flat_map(|group| {
        let named = group.topics.iter().filter(|topic| topic.name.eq_ignore_ascii_case(name));
        named.map(|topic| page(group, topic))
    });
    let pages: Vec<String> = pages.collect();
    if pages.is_empty() { Err(unknown(name, &groups)) } else { Ok(print(&pages.join("\n"))) }
}

/// Topics of one kind.
struct Group {
    /// What stands above them in the list.
    heading: String,
    /// What one of them is: `assertion about a response`.
    noun: String,
    layout: Layout,
    topics: Vec<Topic>,
}

/// How topics are listed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// One a line, with what it is.
    Lines,
    /// By name alone, many a line.
    Names,
}

/// Something that can be explained.
struct Topic {
    name: String,
    /// What it is, in one sentence.
    summary: String,
    /// All about it, examples included.
    text: String,
}

fn groups() -> Vec<Group> {
    let mut groups = vec![topics::group()];
    groups.extend(assertions::groups());
    groups.extend([
        cases::types(),
        cases::operators(),
        cases::findings(),
        expressions::symbols(),
        formats::traces(),
        formats::reports(),
    ]);
    groups
}

fn unknown(name: &str, groups: &[Group]) -> Refusal {
    let names = groups.iter().flat_map(|group| group.topics.iter().map(|topic| topic.name.as_str()));
    let name_shown = visible(name);
    let Some(nearest) = nearest(name, names) else {
        return Refusal::new(format!("unknown topic '{name_shown}'; `probative explain` lists all topics"));
    };
    let kind = |group: &&Group| group.topics.iter().any(|topic| topic.name == nearest);
    let noun = groups.iter().find(kind).map_or("topic", |group| &group.noun);
    let noun = noun.split_once(" about").map_or(noun, |(noun, _)| noun);
    Refusal::new(format!("unknown {noun} '{name_shown}'; did you mean '{nearest}'?"))
}

fn list(groups: &[Group]) -> String {
    let mut text = String::new();
    for Group { heading, layout, topics, .. } in groups {
        let _ = writeln!(text, "{heading}\n");
        match layout {
            Layout::Lines => {
                lines(&mut text, topics.iter().map(|topic| (topic.name.as_str(), topic.summary.as_str())));
            }
            Layout::Names => text.push_str(&wrapped(topics)),
        }
        text.push('\n');
    }
    text.push_str("Run `probative explain NAME` for details and examples.\n");
    text
}

/// Names, each with what it is, one a line.
fn lines<'t>(text: &mut String, named: impl Iterator<Item = (&'t str, &'t str)> + Clone) {
    let width = named.clone().map(|(name, _)| name.len()).max().unwrap_or_default();
    for (name, what) in named {
        let name = bold(&format!("{name:<width$}"));
        let _ = writeln!(text, "  {name}  {}", what.replace('\n', " "));
    }
}

/// Names in lines that fit a narrow terminal.
fn wrapped(topics: &[Topic]) -> String {
    const WIDTH: usize = 78;
    let (mut text, mut column) = (String::new(), 0);
    for Topic { name, .. } in topics {
        if column > 0 && column + 2 + name.len() > WIDTH {
            text.push('\n');
            column = 0;
        }
        let _ = write!(text, "  {}", bold(name));
        column += 2 + name.len();
    }
    text.push('\n');
    text
}

/// All about one topic, its code fences taken off.
fn page(group: &Group, topic: &Topic) -> String {
    let mut text = format!("{} ({})\n\n", bold(&topic.name), group.noun);
    for line in topic.text.lines().filter(|line| !line.starts_with("```")) {
        let _ = writeln!(text, "{}", format!("  {line}").trim_end());
    }
    text
}

/// A text with every line further to the right.
fn indented(text: &str) -> String {
    text.lines().fold(String::new(), |mut all, line| {
        let _ = writeln!(all, "  {line}");
        all
    })
}

/// The first sentence of a text, without the point at its end.
fn first_sentence(text: &str) -> String {
    let paragraph = text.split("\n\n").next().unwrap_or_default();
    let sentence = paragraph.split_once(". ").map_or(paragraph, |(first, _)| first);
    sentence.trim_end_matches('.').to_owned()
}

fn bold(text: &str) -> String {
    let bold = Style::new().bold();
    if wants_colour(&io::stdout()) { format!("{bold}{text}{bold:#}") } else { text.to_owned() }
}
