//! GitHub Actions: what its runner tells a step, and what it must not take for a command.

use std::env;
use std::io::{self, Write};
use std::path::PathBuf;

/// Whether what is printed becomes a log that a runner reads commands from.
pub(crate) fn reads_the_log() -> bool {
    env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true")
}

/// The file that becomes the summary of this step.
pub(crate) fn step_summary() -> Option<PathBuf> {
    env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// Where in the repository the current directory is: empty at its root, and where that is not known.
pub(crate) fn directory() -> String {
    let below_root = || {
        let root = std::fs::canonicalize(env::var_os("GITHUB_WORKSPACE")?).ok()?;
        let here = env::current_dir().ok()?.canonicalize().ok()?;
        here.strip_prefix(root).ok()?.to_str().map(str::to_owned)
    };
    below_root().unwrap_or_default()
}

/// A stream for people, in which a runner finds no commands.
///
/// A runner obeys a line whose first words are `::name::`, whatever space stands before them, and `##[name]` anywhere in a
/// line. One character of either is shown as an escape.
pub(crate) struct Inert<W> {
    stream: W,
    so_far: SoFar,
}

/// What of a command has been seen.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SoFar {
    /// Nothing but space since the beginning of the line.
    Blank,
    /// The first colon after it.
    Colon,
    /// Other text.
    Text,
    /// A `#` at the end of it.
    Hash,
    /// Two of them, or more.
    Hashes,
}

impl<W: Write> Inert<W> {
    pub(crate) fn new(stream: W) -> Inert<W> {
        Inert { stream, so_far: SoFar::Blank }
    }
}

impl SoFar {
    /// What has been seen with one more byte, and whether it would complete the beginning of a command.
    fn and(self, byte: u8) -> (SoFar, bool) {
        match (self, byte) {
            (_, b'\n' | b'\r') => (SoFar::Blank, false),
            (SoFar::Colon, b':') | (SoFar::Hashes, b'[') => (SoFar::Text, true),
            (SoFar::Blank, b':') => (SoFar::Colon, false),
            (SoFar::Hash | SoFar::Hashes, b'#') => (SoFar::Hashes, false),
            (_, b'#') => (SoFar::Hash, false),
            // There is space beyond ASCII.
            (SoFar::Blank, byte) if byte.is_ascii_whitespace() || !byte.is_ascii() => (SoFar::Blank, false),
            _ => (SoFar::Text, false),
        }
    }
}

impl<W: Write> Write for Inert<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut shown = Vec::with_capacity(bytes.len());
        for &byte in bytes {
            let (so_far, is_command) = self.so_far.and(byte);
            self.so_far = so_far;
            if is_command {
                write!(shown, "\\u{byte:04x}")?;
            } else {
                shown.push(byte);
            }
        }
        self.stream.write_all(&shown)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::{Inert, Write};

    /// What is shown of a text, however it is cut into pieces.
    fn shown(text: &str) -> String {
        let whole = written(&[text.as_bytes()]);
        let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
        assert_eq!(whole, written(&bytes));
        whole
    }

    fn written(pieces: &[&[u8]]) -> String {
        let mut out = Vec::new();
        let mut stream = Inert::new(&mut out);
        for piece in pieces {
            stream.write_all(piece).unwrap();
        }
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn no_line_is_a_command() {
        assert_eq!(shown("::error::x"), r":\u003aerror::x");
        assert_eq!(shown("a\n \u{a0}\t::add-mask::x"), "a\n \u{a0}\t:\\u003aadd-mask::x");
        assert_eq!(shown("a\r::x::"), "a\r:\\u003ax::");
        assert_eq!(shown("say ##[error]x ###[group]"), r"say ##\u005berror]x ###\u005bgroup]");
    }

    #[test]
    fn other_text_stays_as_it_is() {
        for text in ["std::io", ": :", "a: b\n  c::d", "# [x]", "#[x]", "## [x]", ":-)\n"] {
            assert_eq!(shown(text), text);
        }
    }
}
