//! The words of a command line, in which `--flag=false` takes back a default.

use std::ffi::OsString;

use clap::{Arg, ArgAction, Command};

/// What is said on a command line.
pub(super) struct Said {
    /// The words as clap reads them.
    pub(super) words: Vec<OsString>,
    /// The flags that are not to be on, whatever is set.
    taken_back: Vec<String>,
}

impl Said {
    /// Reads `--flag=true` as `--flag`, and keeps `--flag=false` apart. What else stands behind a flag that takes nothing is left
    /// to be refused.
    pub(super) fn from(words: Vec<OsString>, plain: &Command) -> Said {
        let command = words.get(1).and_then(|name| plain.find_subcommand(name));
        let Some(command) = command else { return Said { words, taken_back: Vec::new() } };
        let mut said = Said { words: Vec::with_capacity(words.len()), taken_back: Vec::new() };
        let mut words = words.into_iter();
        for word in words.by_ref() {
            if word == "--" {
                said.words.push(word);
                break;
            }
            match switch(command, &word) {
                Some((flag, true)) => said.words.push(format!("--{flag}").into()),
                Some((flag, false)) => said.taken_back.push(flag),
                None => said.words.push(word),
            }
        }
        said.words.extend(words);
        said
    }

    /// Whether `--flag=false` is said.
    pub(super) fn takes_back(&self, flag: &Arg) -> bool {
        flag.get_long().is_some_and(|long| self.taken_back.iter().any(|taken| taken == long))
    }
}

/// The flag that a word switches on or off.
fn switch(command: &Command, word: &OsString) -> Option<(String, bool)> {
    let (long, value) = word.to_str()?.strip_prefix("--")?.split_once('=')?;
    let is_on = value.parse().ok()?;
    let is_meant =
        |flag: &Arg| flag.get_long() == Some(long) && matches!(flag.get_action(), ArgAction::SetTrue);
    command.get_arguments().any(is_meant).then(|| (long.to_owned(), is_on))
}
