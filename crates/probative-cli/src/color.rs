//! `--color`: when output is colored.

use std::ffi::OsString;
use std::sync::OnceLock;

use clap::{ColorChoice, ValueEnum};

/// When output is colored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Color {
    // On terminals, as far as the environment allows.
    #[default]
    Auto,
    Always,
    Never,
}

static ASKED: OnceLock<Color> = OnceLock::new();

impl Color {
    /// Takes the choice from the words of a command line, before anything about them is printed.
    ///
    /// A value that is no choice is left for clap to refuse.
    pub(crate) fn take(words: &[OsString]) {
        let _ = ASKED.set(Color::of(words));
    }

    /// Returns the choice of this process.
    pub(crate) fn asked() -> Color {
        ASKED.get().copied().unwrap_or_default()
    }

    fn of(words: &[OsString]) -> Color {
        let mut words = words.iter().skip(1).map_while(|word| word.to_str().filter(|word| *word != "--"));
        let mut color = Color::Auto;
        while let Some(word) = words.next() {
            let value = match word.strip_prefix("--color") {
                Some("") => words.next(),
                Some(rest) => rest.strip_prefix('='),
                None => None,
            };
            color = value.and_then(|value| Color::from_str(value, false).ok()).unwrap_or(color);
        }
        color
    }
}

impl From<Color> for ColorChoice {
    fn from(color: Color) -> ColorChoice {
        match color {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_choice_is_found_among_the_words() {
        let of = |words: &str| Color::of(&words.split(' ').map(OsString::from).collect::<Vec<_>>());
        assert_eq!(of("probative run"), Color::Auto);
        assert_eq!(of("probative run --color never a.spec.md"), Color::Never);
        assert_eq!(of("probative --color=always run"), Color::Always);
        assert_eq!(of("probative run --color=blue"), Color::Auto);
        assert_eq!(of("probative run -- --color=always"), Color::Auto);
        assert_eq!(of("probative run --colors=always"), Color::Auto);
    }
}
