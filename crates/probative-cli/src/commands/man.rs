//! `probative man [COMMAND]`

use std::fmt::Write as _;
use std::process::ExitCode;

use clap::Command;
use clap_mangen::Man;
use probative::document::nearest;
use probative::value::visible;

use super::{Refusal, print};
use crate::args::ManArguments;
use crate::help;

/// Prints a page of the manual, as `man` reads it.
pub(crate) fn run(arguments: &ManArguments) -> Result<ExitCode, Refusal> {
    let mut command = help::command();
    command.build();
    let about = match &arguments.name {
        None => command,
        Some(name) => command.find_subcommand(name).cloned().ok_or_else(|| unknown(&command, name))?,
    };
    Ok(print(&page(about)))
}

/// The page about a command. It has no date: the same program prints the same page.
fn page(command: Command) -> String {
    let title = command.get_display_name().unwrap_or("probative").to_uppercase();
    // What the short help leaves out would stand here without its text.
    let command = command.mut_args(|flag| flag.hide_short_help(false));
    let man = Man::new(command).title(title).source(concat!("probative ", env!("CARGO_PKG_VERSION")));
    let mut page = Vec::new();
    // Memory does not refuse to be written to.
    let _ = man.render(&mut page);
    let page = String::from_utf8_lossy(&page);
    match page.split_once(".SH EXTRA\n") {
        None => page.into_owned(),
        Some((flags, rest)) => match rest.split_once(".SH ") {
            None => format!("{flags}{}", sections(rest)),
            Some((extra, last)) => format!("{flags}{}.SH {last}", sections(extra)),
        },
    }
}

/// What stands behind the flags: a heading (`Environment:`) starts a section, and lines stay lines.
fn sections(extra: &str) -> String {
    let is_heading = |line: &&str| !line.contains(' ') && line.ends_with(':');
    let mut text = String::new();
    if !extra.lines().next().is_some_and(|line| is_heading(&line)) {
        text.push_str(".SH NOTES\n.nf\n");
    }
    for line in extra.lines() {
        match Some(line).filter(is_heading) {
            Some(heading) => {
                let _ = writeln!(text, ".SH {}\n.nf", heading.trim_end_matches(':').to_uppercase());
            }
            None => text.extend([line, "\n"]),
        }
    }
    text.push_str(".fi\n");
    text
}

fn unknown(command: &Command, name: &str) -> Refusal {
    let names: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
    let hint = match nearest(name, names.iter().copied()) {
        Some(nearest) => format!("did you mean '{nearest}'?"),
        None => format!("expected one of {}", names.join(", ")),
    };
    Refusal(format!("unknown command '{}'; {hint}", visible(name)))
}
