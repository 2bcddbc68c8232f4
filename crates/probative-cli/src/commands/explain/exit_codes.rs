//! What the program ends with.

use std::fmt::Write as _;

use super::{Group, Layout, Topic};

/// The exit codes, each with when it is.
const EXIT_CODES: [(u8, &str); 4] = [
    (0, "everything passed or was skipped, and something passed"),
    (1, "something failed, or could not be judged"),
    (
        2,
        "something must be mended first: the command line, a case, a question, a recorded subject; or there was nothing to judge",
    ),
    (130, "it was interrupted"),
];

/// The exit codes, on one page.
pub(super) fn group() -> Group {
    let mut text = String::new();
    for (code, when) in EXIT_CODES {
        let _ = writeln!(text, "{code:>3}  {when}");
    }
    text.push_str(
        "\n  probative run; case $? in 0) echo kept ;; 1) echo broken ;; *) echo unknown ;; esac\n",
    );
    let topic =
        Topic { name: "exit-codes".to_owned(), summary: "what the program ends with".to_owned(), text };
    Group {
        heading: "And:".to_owned(),
        noun: "what the program ends with".to_owned(),
        layout: Layout::Lines,
        topics: vec![topic],
    }
}
