//! The table of keys in docs/reference/config.md is read off the flags.

use std::fmt::Write as _;
use std::path::Path;

use clap::CommandFactory as _;
use probative_run::defaults::{KEYS, Takes};

use super::flags;
use crate::args::Arguments;

/// What the table stands between.
const MARKS: [&str; 2] = ["## Keys\n", "\n## "];

fn takes(takes: Takes) -> &'static str {
    match takes {
        Takes::Boolean => "boolean",
        Takes::Whole => "integer",
        Takes::Number => "number",
        Takes::Text => "string",
        Takes::Path => "path",
        Takes::Texts => "list of strings",
        Takes::Paths => "list of paths",
        Takes::Reports => "list of reports",
    }
}

fn table() -> String {
    let mut table = "\n| key | value | commands | effect |\n| --- | --- | --- | --- |\n".to_owned();
    let all = Arguments::command();
    for key in KEYS {
        let with: Vec<_> =
            all.get_subcommands().filter_map(|command| Some((command, flags::of(command, key)?))).collect();
        let commands: Vec<&str> = with.iter().map(|(command, _)| command.get_name()).collect();
        let help = with[0].1.get_help().map(ToString::to_string).unwrap_or_default().replace('|', "\\|");
        let _ =
            writeln!(table, "| `{}` | {} | {} | {help} |", key.name, takes(key.takes), commands.join(", "));
    }
    table
}

#[test]
fn the_page_lists_every_key() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/config.md");
    let page = std::fs::read_to_string(&file).unwrap();
    let (before, rest) = page.split_once(MARKS[0]).expect("a section about the keys");
    let after = rest.find(MARKS[1]).map_or("", |at| &rest[at..]);
    let expected = format!("{before}{}{}{after}", MARKS[0], table());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&file, &expected).unwrap();
    } else {
        assert!(
            page == expected,
            "docs/reference/config.md is out of date: UPDATE_DOCS=1 cargo test -p probative-cli --bin probative"
        );
    }
}
