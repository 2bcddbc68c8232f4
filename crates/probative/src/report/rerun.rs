//! The command that comes by a single result again.

use std::borrow::Cow;

use super::{CaseResult, Outcome};
use crate::mask::Mask;
use crate::value::visible;

/// How single results are come by again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rerun {
    /// By running the case: `probative run FILE --case ID`, and these words behind.
    Run {
        /// The command: `run`.
        command: &'static str,
        /// Words that shape the run, quoted as a shell wants them: `--trials 5`.
        with: String,
    },
    /// By judging the subject: `probative check QUESTION FILE`, and these words behind.
    Check {
        /// The file that the question stands in.
        question: String,
        /// Words that shape the check, quoted as a shell wants them.
        with: String,
    },
}

/// Files in which lines cannot be counted from outside.
const PACKED: [&str; 3] = [".gz", ".zst", ".eval"];

impl Rerun {
    /// The same without secrets, which nobody can paste then.
    pub fn hidden(mut self, mask: &Mask) -> Rerun {
        match &mut self {
            Rerun::Run { with, .. } => mask.hide_in(with),
            Rerun::Check { question, with } => {
                mask.hide_in(question);
                mask.hide_in(with);
            }
        }
        self
    }

    /// The command for one result; `None` where there is none, such as for what came by standard input.
    ///
    /// It can be pasted into a shell, whatever the names hold.
    pub fn command(&self, result: &CaseResult<'_>) -> Option<String> {
        // What is written wrongly must be mended first.
        if result.file == "-" || result.is_askers_mistake() {
            return None;
        }
        let file = named(result.file)?;
        match self {
            Rerun::Run { command, with } if result.id == result.file => {
                Some(words(["probative", command, &file, with]))
            }
            Rerun::Run { command, with } => {
                // With a space between, an id that begins with a dash would be taken for a flag.
                let case = format!("--case={}", quoted(&result.id)?);
                Some(words(["probative", command, &file, &case, with]))
            }
            // What could not be had is the same for whoever asks again.
            Rerun::Check { .. } if matches!(result.outcome, Outcome::Errors(_)) => None,
            Rerun::Check { question, with } => {
                let question = named(question)?;
                let is_packed = PACKED.iter().any(|ending| result.file.ends_with(ending));
                Some(match result.line.filter(|_| !is_packed) {
                    None => words(["probative check", &question, &file, with]),
                    Some(line) => {
                        let check = words(["probative check", &question, "-", with]);
                        format!("sed -n {line}p {file} | {check}")
                    }
                })
            }
        }
    }
}

fn words<const N: usize>(words: [&str; N]) -> String {
    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The name of a file as a shell wants it: one that looks like a flag is named by its directory.
fn named(file: &str) -> Option<String> {
    quoted(&format!("{}{file}", if file.starts_with('-') { "./" } else { "" }))
}

/// A word as a shell wants it; `None` where it cannot be shown as what it is: what is seen is what is pasted.
fn quoted(name: &str) -> Option<String> {
    if visible(name) != name || name.contains(char::REPLACEMENT_CHARACTER) {
        return None;
    }
    shlex::try_quote(name).ok().map(Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Asked;

    fn command(rerun: &Rerun, id: &str, file: &str, line: Option<usize>) -> Option<String> {
        let asked = Asked::nothing();
        let skipped = Outcome::Skipped(String::new());
        rerun.command(&CaseResult {
            line,
            ..CaseResult::bare(id.to_owned(), "cli.run", file, &asked, skipped)
        })
    }

    #[test]
    fn a_case_is_named_and_quoted_for_a_shell() {
        let run = Rerun::Run { command: "run", with: "--trials=5".to_owned() };
        let told = |id, file| command(&run, id, file, Some(3));
        assert_eq!(told("A-1", "a.spec.md").unwrap(), "probative run a.spec.md --case=A-1 --trials=5");
        assert_eq!(
            told("it's $HOME", "-a b.spec.md").unwrap(),
            "probative run './-a b.spec.md' --case=\"it's \"'$HOME' --trials=5"
        );
        // What is wrong with a file as a whole has its name for an id.
        assert_eq!(told("a.spec.md", "a.spec.md").unwrap(), "probative run a.spec.md --trials=5");
        for hidden in ["a\nb", "a\u{202e}b", "a\u{200b}", "a\u{fffd}"] {
            assert_eq!(told(hidden, "a.spec.md"), None);
        }
        assert_eq!(told("A-1", "-"), None);
    }

    #[test]
    fn a_line_of_many_is_taken_out() {
        let check = Rerun::Check { question: "my q.yaml".to_owned(), with: String::new() };
        let told = |file, line| command(&check, "x", file, line);
        assert_eq!(told("r.json", None).unwrap(), "probative check 'my q.yaml' r.json");
        assert_eq!(told("r.jsonl", Some(7)).unwrap(), "sed -n 7p r.jsonl | probative check 'my q.yaml' -");
        assert_eq!(told("r.jsonl.gz", Some(7)).unwrap(), "probative check 'my q.yaml' r.jsonl.gz");
    }
}
