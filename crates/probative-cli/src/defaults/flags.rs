//! The flags that keys stand for, and what they make of a value.

use std::error::Error as _;
use std::ffi::{OsStr, OsString};

use clap::builder::{BoolishValueParser, ValueParser};
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, ArgAction, ArgMatches, Command};
use probative_run::defaults::{Key, Takes};

use super::Setting;

/// The flag of a command that a key sets; for a list of paths, the paths that the command is given.
pub(crate) fn of<'c>(command: &'c Command, key: &Key) -> Option<&'c Arg> {
    let is_meant = |flag: &&Arg| match flag.get_long() {
        Some(long) => long.len() == key.name.len() && long.replace('-', "_") == key.name,
        None => key.takes == Takes::Paths && flag.is_positional() && flag.get_id() == key.name,
    };
    command.get_arguments().find(is_meant)
}

/// Whether two flags cannot be given together.
pub(super) fn exclude(command: &Command, one: &Arg, other: &Arg) -> bool {
    command.get_arg_conflicts_with(one).contains(&other)
        || command.get_arg_conflicts_with(other).contains(&one)
}

/// The command with a default in the place of the built-in one.
pub(super) fn set(command: Command, setting: &Setting) -> Command {
    let Some(id) = of(&command, setting.key).map(|flag| flag.get_id().clone()) else { return command };
    let texts: Vec<OsString> = match setting.key.takes {
        Takes::Boolean => vec!["true".into()],
        _ => setting.values.iter().map(|value| value.text.clone()).collect(),
    };
    command.mut_arg(id, |flag| flag.default_values(texts))
}

/// Whether a flag takes a value; or why not, in its own words.
pub(super) fn accept(flag: &Arg, text: &OsStr) -> Result<(), String> {
    let parser = match flag.get_action() {
        ArgAction::SetTrue => BoolishValueParser::new().into(),
        _ => flag.get_value_parser().clone(),
    };
    let items: Vec<&OsStr> = match (text.to_str(), flag.get_value_delimiter()) {
        (Some(text), Some(delimiter)) => text.split(delimiter).map(OsStr::new).collect(),
        _ => vec![text],
    };
    for item in items {
        alone(parser.clone(), item).map_err(|error| reason(&error))?;
    }
    Ok(())
}

/// Whether a value is a way to say no.
pub(super) fn is_false(text: &OsStr) -> bool {
    let parsed = alone(BoolishValueParser::new().into(), text);
    parsed.is_ok_and(|parsed| parsed.get_one("value") == Some(&false))
}

/// Has a value parsed as if it were all that is said.
fn alone(parser: ValueParser, text: &OsStr) -> Result<ArgMatches, clap::Error> {
    let value = Arg::new("value").value_parser(parser);
    let command = Command::new("probative").no_binary_name(true).disable_help_flag(true).arg(value);
    command.try_get_matches_from([OsStr::new("--"), text])
}

/// What the parser of a flag says about a value, without the words around it.
fn reason(error: &clap::Error) -> String {
    if let Some(source) = error.source() {
        return source.to_string();
    }
    match error.get(ContextKind::ValidValue) {
        Some(ContextValue::Strings(known)) if !known.is_empty() => {
            format!("expected one of {}", known.join(", "))
        }
        _ => "invalid value".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::PathBuf;

    use clap::CommandFactory as _;
    use clap::value_parser;
    use probative_run::defaults::{FOR_ONE_TIME, KEYS};

    use super::*;
    use crate::args::Arguments;

    /// All long flags, with `_` for `-`, and the paths; by name.
    fn flags() -> BTreeMap<String, Vec<Arg>> {
        let mut flags: BTreeMap<String, Vec<Arg>> = BTreeMap::new();
        for command in Arguments::command().get_subcommands() {
            for flag in command.get_arguments() {
                let name = match flag.get_long() {
                    Some(long) => long.replace('-', "_"),
                    None if flag.get_id() == "paths" => "paths".to_owned(),
                    None => continue,
                };
                flags.entry(name).or_default().push(flag.clone());
            }
        }
        flags
    }

    #[test]
    fn every_flag_has_a_key_or_cannot_have_a_default() {
        let named =
            flags().into_keys().filter(|name| name != "help" && !FOR_ONE_TIME.contains(&name.as_str()));
        let keys: Vec<&str> = KEYS.iter().map(|key| key.name).collect();
        assert_eq!(named.collect::<Vec<_>>(), keys, "KEYS or FOR_ONE_TIME of probative_run::defaults");
    }

    #[test]
    fn a_key_takes_what_its_flag_takes() {
        for (name, flags) in flags() {
            let Some(key) = Key::named(&name) else { continue };
            for flag in flags {
                let is = |parser: ValueParser| flag.get_value_parser().type_id() == parser.type_id();
                let is_switch = matches!(flag.get_action(), ArgAction::SetTrue);
                let is_list = matches!(flag.get_action(), ArgAction::Append);
                let is_whole = is(value_parser!(u16).into())
                    || is(value_parser!(u32).into())
                    || is(value_parser!(u64).into());
                let is_path = is(value_parser!(PathBuf));
                assert_eq!(is_switch, key.takes == Takes::Boolean, "{name}");
                assert_eq!(is_list, key.takes.is_list(), "{name}");
                assert_eq!(is_whole, key.takes == Takes::Whole, "{name}");
                assert_eq!(is(value_parser!(f64).into()), key.takes == Takes::Number, "{name}");
                assert_eq!(is_path, matches!(key.takes, Takes::Path | Takes::Paths), "{name}");
                assert_eq!(name == "report", key.takes == Takes::Reports, "{name}");
            }
        }
    }
}
