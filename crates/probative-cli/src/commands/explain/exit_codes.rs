//! The exit codes.

use std::fmt::Write as _;

use super::Topic;

/// The exit codes, each with when it is.
const EXIT_CODES: [(u8, &str); 4] = [
    (0, "everything passed or was skipped, and at least one result passed"),
    (1, "something failed or could not be judged"),
    (
        2,
        "the command line, a case, a question or a recorded subject is invalid, or there was nothing to judge",
    ),
    (130, "interrupted"),
];

/// The exit codes, on one page.
pub(super) fn topic() -> Topic {
    let summary = "Exit codes of every command";
    let mut text = format!("{summary}.\n\n");
    for (code, when) in EXIT_CODES {
        let _ = writeln!(text, "{code:>3}  {when}");
    }
    text.push_str(
        "\nIf several apply, the highest counts.\n\n  probative run; case $? in 0) echo passed ;; 1) echo failed ;; *) echo invalid ;; esac\n",
    );
    Topic { name: "exit-codes".to_owned(), summary: summary.to_owned(), text }
}
