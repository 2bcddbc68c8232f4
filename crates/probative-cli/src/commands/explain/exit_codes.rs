//! The exit codes.

use std::fmt::Write as _;

use super::Topic;

/// The exit codes of the commands that judge, each with its meaning.
const EXIT_CODES: [(u8, &str); 4] = [
    (0, "nothing failed, and at least one result passed"),
    (1, "something failed or could not be judged, or, with --strict, was never exercised"),
    (
        2,
        "the command line, a case, a question or a recorded subject is invalid, or there was nothing to judge",
    ),
    (130, "interrupted"),
];

const NOTES: &str = "
If several apply, the exit code is the highest of them. With --fail-on regression, only
regressions count as failures.

  probative run; case $? in 0) echo passed ;; 1) echo failed ;; 2) echo invalid ;; *) echo interrupted ;; esac

`lint` exits with 2 if something is invalid or there are no cases, with 1 if a finding has
mode `error`, and otherwise with 0.
The other commands exit with 0, or with 2 if they can't do what was asked.
";

/// The exit codes, on one page.
pub(super) fn topic() -> Topic {
    let summary = "Exit codes";
    let mut text = format!("{summary} of `run`, `check` and `conformance`.\n\n");
    for (code, when) in EXIT_CODES {
        let _ = writeln!(text, "{code:>3}  {when}");
    }
    text.push_str(NOTES);
    Topic { name: "exit-codes".to_owned(), summary: summary.to_owned(), text }
}
