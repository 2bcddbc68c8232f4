//! Defaults for flags. Flags take precedence over the environment, and the environment over `probative.toml`.
//!
//! The command line is read as it is first. Where there are defaults for the command that it names, it is read once more with
//! those in the place of the built-in ones.

mod environment;
mod file;
mod flags;
#[cfg(test)]
mod reference;
mod said;

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::ops::Range;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, FromArgMatches as _};
use probative::document::Document;
use probative::report::diagnostic;
use probative::verdict::Error;
use probative_run::defaults::{KEYS, Key, Takes};

pub(crate) use flags::of as flag;

use crate::args::Arguments;
use crate::commands::Refusal;
use crate::{help, terminal, usage};
use said::Said;

/// Why there are no arguments.
pub(crate) enum Trouble {
    /// Help was asked for, or the command line is wrong.
    Usage(clap::Error),
    /// The environment, or a file that cannot be read, is in the way.
    Refused(Refusal),
    /// What stands in the file is wrong: the mistake, shown with its line.
    Written(String),
}

impl Trouble {
    /// Tells it, and answers with the exit code.
    pub(crate) fn told(self) -> ExitCode {
        match self {
            Trouble::Usage(error) => return usage::told(error),
            Trouble::Refused(refusal) => terminal::complain(&refusal),
            Trouble::Written(shown) => {
                let _ = terminal::stderr().write_all(shown.as_bytes());
            }
        }
        ExitCode::from(2)
    }

    fn in_file(document: &Document, error: &Error) -> Trouble {
        Trouble::Written(diagnostic::render(document, error, terminal::wants_colour(&io::stderr())))
    }
}

impl From<clap::Error> for Trouble {
    fn from(error: clap::Error) -> Self {
        Trouble::Usage(error)
    }
}

/// A default that somebody has set.
struct Setting {
    key: &'static Key,
    values: Vec<Value>,
}

struct Value {
    text: OsString,
    /// Where it stands in the file, if it does.
    span: Range<usize>,
}

/// All that is set in one place.
struct Level {
    source: Source,
    settings: Vec<Setting>,
}

enum Source {
    Environment,
    File(Document),
}

/// The arguments that the words of a command line come to, with the defaults that hold here.
pub(crate) fn parse(words: Vec<OsString>) -> Result<Arguments, Trouble> {
    let mut plain = help::command();
    let said = Said::from(words, &plain);
    let matches = plain.try_get_matches_from_mut(&said.words)?;
    let Some((name, given)) = matches.subcommand() else { return Ok(Arguments::from_arg_matches(&matches)?) };
    let Some(command) = plain.find_subcommand(name).filter(|command| has_defaults(command)) else {
        return Ok(Arguments::from_arg_matches(&matches)?);
    };
    if let Some(flag) = command.get_arguments().find(|flag| said.takes_back(flag) && is_given(given, flag)) {
        let message = format!("'{flag}' and '{flag}=false' cannot be used together");
        return Err(command.clone().error(ErrorKind::ArgumentConflict, message).into());
    }
    let levels = [Some(environment::level()), file::level()?];
    let levels: Vec<Level> = levels.into_iter().flatten().collect();
    for level in &levels {
        level.check(&plain)?;
    }
    let chosen = chosen(command, given, &said, &levels)?;
    if chosen.is_empty() {
        return Ok(Arguments::from_arg_matches(&matches)?);
    }
    let set = |command| chosen.iter().fold(command, |command, setting| flags::set(command, setting));
    let matches = help::command().mut_subcommand(name, set).try_get_matches_from(&said.words)?;
    Ok(Arguments::from_arg_matches(&matches)?)
}

/// Whether anything can be set for a command.
fn has_defaults(command: &Command) -> bool {
    KEYS.iter().any(|key| flags::of(command, key).is_some())
}

/// Whether a flag is on the command line.
fn is_given(given: &ArgMatches, flag: &Arg) -> bool {
    given.value_source(flag.get_id().as_str()) == Some(ValueSource::CommandLine)
}

/// What holds of all that is set: what is said on the command line stands over it, and so does what excludes it.
fn chosen<'l>(
    command: &Command,
    given: &ArgMatches,
    said: &Said,
    levels: &'l [Level],
) -> Result<Vec<&'l Setting>, Trouble> {
    let mut on: Vec<&Arg> = command.get_arguments().filter(|flag| is_given(given, flag)).collect();
    let mut settled: Vec<&Arg> = command.get_arguments().filter(|flag| said.takes_back(flag)).collect();
    settled.extend(&on);
    let mut chosen = Vec::new();
    for level in levels {
        let mut here: Vec<(&Arg, &Setting)> = Vec::new();
        for setting in &level.settings {
            let Some(flag) = flags::of(command, setting.key) else { continue };
            if settled.contains(&flag) || on.iter().any(|other| flags::exclude(command, other, flag)) {
                continue;
            }
            settled.push(flag);
            if setting.is_off() {
                continue;
            }
            if let Some((_, other)) = here.iter().find(|(other, _)| flags::exclude(command, other, flag)) {
                return Err(level.both(setting, other));
            }
            here.push((flag, setting));
        }
        on.extend(here.iter().map(|(flag, _)| *flag));
        chosen.extend(here.iter().map(|(_, setting)| *setting));
    }
    Ok(chosen)
}

impl Setting {
    /// Whether it says no more than that the flag is not given.
    fn is_off(&self) -> bool {
        self.key.takes == Takes::Boolean && self.values.iter().any(|value| flags::is_false(&value.text))
            || self.values.is_empty()
    }
}

impl Level {
    /// Whether every flag accepts what is set for it, in whatever command it is.
    fn check(&self, plain: &Command) -> Result<(), Trouble> {
        for Setting { key, values } in &self.settings {
            let Some(flag) = plain.get_subcommands().find_map(|command| flags::of(command, key)) else {
                continue;
            };
            for Value { text, span } in values {
                flags::accept(flag, text).map_err(|message| match self.source {
                    // There is no line to be shown with it.
                    Source::Environment => {
                        self.wrong(key, span, &format!("'{}': {message}", text.to_string_lossy()))
                    }
                    Source::File(_) => self.wrong(key, span, &message),
                })?;
            }
        }
        Ok(())
    }

    /// Two that cannot be set together are.
    fn both(&self, setting: &Setting, other: &Setting) -> Trouble {
        let span = setting.values.first().map(|value| value.span.clone()).unwrap_or_default();
        self.wrong(setting.key, &span, &format!("cannot be used with {}", self.name(other.key)))
    }

    fn wrong(&self, key: &Key, span: &Range<usize>, message: &str) -> Trouble {
        let message = format!("{}: {message}", self.name(key));
        match &self.source {
            Source::Environment => Trouble::Refused(Refusal::new(message)),
            Source::File(document) => Trouble::in_file(document, &document.malformed(message, span.clone())),
        }
    }

    /// What a key is called here.
    fn name(&self, key: &Key) -> String {
        match self.source {
            Source::Environment => environment::variable(key),
            Source::File(_) => key.name.to_owned(),
        }
    }
}
