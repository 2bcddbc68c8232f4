//! `PROBATIVE_*`: a variable for every key.

use std::ffi::{OsStr, OsString};
use std::io::Write as _;

use probative::document::nearest;
use probative::value::visible;
use probative_run::defaults::{FOR_ONE_TIME, KEYS, Key};

use super::{Level, Setting, Source, Value};

const PREFIX: &str = "PROBATIVE_";

/// What the variable of a key is called: `PROBATIVE_MAX_COST`.
pub(super) fn variable(key: &Key) -> String {
    format!("{PREFIX}{}", key.name.to_ascii_uppercase())
}

/// Reads the variables. An unknown one is only a warning: it may be for another program.
pub(super) fn level() -> Level {
    let ours = |name: &OsStr| name.to_string_lossy().starts_with(PREFIX);
    let mut variables: Vec<(OsString, OsString)> =
        std::env::vars_os().filter(|(name, value)| ours(name) && !value.is_empty()).collect();
    variables.sort();
    let mut settings = Vec::new();
    for (name, value) in variables {
        match KEYS.iter().find(|key| name == *variable(key)) {
            Some(key) => settings.push(Setting { key, values: values(key, value) }),
            None => warn(&name.to_string_lossy()),
        }
    }
    Level { source: Source::Environment, settings }
}

/// The items of a list stand between commas.
fn values(key: &Key, value: OsString) -> Vec<Value> {
    let texts = match value.to_str().filter(|_| key.takes.is_list()) {
        Some(list) => list.split(',').map(|item| OsString::from(item.trim())).collect(),
        None => vec![value],
    };
    texts.into_iter().map(|text| Value { text, span: 0..0 }).collect()
}

fn warn(name: &str) {
    let word = name.trim_start_matches(PREFIX).to_ascii_lowercase();
    if FOR_ONE_TIME.contains(&word.as_str()) {
        let told = format!("warning: ignoring {}: --{word} cannot have a default", visible(name));
        let _ = writeln!(crate::terminal::stderr(), "{told}");
        return;
    }
    let hint = match nearest(&word, KEYS.iter().map(|key| key.name)).and_then(Key::named) {
        Some(nearest) => format!("; did you mean {}?", variable(nearest)),
        None => String::new(),
    };
    let _ = writeln!(crate::terminal::stderr(), "warning: ignoring unknown variable {}{hint}", visible(name));
}
