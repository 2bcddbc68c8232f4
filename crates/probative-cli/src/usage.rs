//! What is wrong with a command line, told without sending its words to the terminal raw.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::Error;
use probative::value::visible;

use crate::defaults::{self, Trouble};
use crate::terminal;

/// Tells it on standard error, or the help that was asked for on standard output, and answers with the exit code.
pub(crate) fn told(error: Error) -> ExitCode {
    if !error.use_stderr() {
        error.exit();
    }
    let error = in_visible_words(error, &std::env::args_os().collect::<Vec<_>>());
    let plain = error.render().to_string();
    let lines: Vec<_> = plain.split('\n').map(visible).collect();
    let shown = match lines.join("\n") {
        // Colours are escapes, too: only a text that has none of its own is coloured.
        shown if shown == plain && terminal::wants_colour(&io::stderr()) => error.render().ansi().to_string(),
        shown => shown,
    };
    let _ = terminal::stderr().write_all(shown.as_bytes());
    ExitCode::from(2)
}

/// The same error about words in which everything is visible: the command line is read once more. What clap has made of the
/// words in a message cannot be undone, for it takes some escapes out of them.
fn in_visible_words(error: Error, words: &[OsString]) -> Error {
    let shown: Vec<OsString> =
        words.iter().map(|word| visible(&word.to_string_lossy()).into_owned().into()).collect();
    if shown == words {
        return error;
    }
    match defaults::parse(shown) {
        Err(Trouble::Usage(again)) if again.kind() == error.kind() => again,
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_command_line_are_visible_in_what_is_said_of_them() {
        let words = |word: &str| ["probative", "run", word].map(OsString::from).to_vec();
        let said = |word: &str| {
            let Err(Trouble::Usage(error)) = defaults::parse(words(word)) else { panic!("it is no mistake") };
            in_visible_words(error, &words(word)).render().to_string()
        };
        let told = said("--report=a\n::error::\u{1b}[31m\u{9b}b");
        assert!(told.contains(r"'a\n::error::\u001b[31m\u009bb'"), "{told}");
        let told = said("--\u{202e}");
        assert!(told.contains(r"'--\u202e'"), "{told}");
    }
}
