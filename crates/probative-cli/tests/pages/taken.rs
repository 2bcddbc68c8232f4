//! Whether the program takes what a page tells to type.

use std::process::Command;

/// Whether the program takes these arguments. Nothing is done: it is asked for help with them, and complains of the first that it
/// does not know.
pub fn is_taken(arguments: &[impl AsRef<str>]) -> bool {
    let mut probative = Command::new(assert_cmd::cargo::cargo_bin!("probative"));
    probative.args(arguments.iter().map(AsRef::as_ref)).arg("--help").output().unwrap().status.success()
}
