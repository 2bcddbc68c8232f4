//! Every string a person reads, in one file: `tests/snapshots/wording.txt`. `UPDATE_SNAPSHOTS=1` writes it again.
//!
//! The help, `explain` and the schemas are printed by the program; errors, warnings and labels are the string literals of the
//! sources; the HTML report contributes its page and its script. A change of wording is thus a change of this file, to be read
//! in one place.

mod place;
mod strings;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use place::Place;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Prints what the program answers to one command line.
fn printed(arguments: &[&str]) -> String {
    let ended = Place::with(&[]).run(arguments);
    assert_eq!(ended.code, 0, "{arguments:?}: {}", ended.stderr);
    ended.stdout
}

/// Commands as the help lists them, with the empty command line first.
fn commands() -> Vec<String> {
    let help = printed(&["--help"]);
    let list = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let names = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.map(|line| line.split_whitespace().next().unwrap().to_owned()).collect()
}

fn all_strings() -> String {
    let mut all = String::new();
    let section = |all: &mut String, title: &str, text: &str| {
        if !text.trim().is_empty() {
            let _ = write!(all, "==== {title}\n\n{}\n\n", text.trim_end());
        }
    };
    section(&mut all, "probative --help", &printed(&["--help"]));
    for command in commands() {
        section(&mut all, &format!("probative {command} --help"), &printed(&[&command, "--help"]));
    }
    let list = printed(&["explain"]);
    section(&mut all, "probative explain", &list);
    for name in strings::names(&list) {
        section(&mut all, &format!("probative explain {name}"), &printed(&["explain", &name]));
    }
    for schema in ["expect", "trajectory", "report", "spec", "suite", "run", "results", "config"] {
        let mut descriptions = strings::descriptions(&printed(&["schema", schema]));
        // Most of them are the text of `explain`, too.
        descriptions.retain(|text| !all.contains(text.lines().next().unwrap_or_default()));
        section(&mut all, &format!("probative schema {schema}"), &descriptions.join("\n"));
    }
    for file in strings::sources(&root().join("crates")) {
        let text = std::fs::read_to_string(&file).unwrap();
        let name = file.strip_prefix(root().join("crates")).unwrap().to_string_lossy().into_owned();
        section(&mut all, &name, &strings::strings_of(&file, &text).join("\n"));
    }
    all
}

#[test]
fn every_string_is_in_the_snapshot() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots/wording.txt");
    let strings = all_strings();
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(&file, &strings).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    let changed = strings.lines().zip(kept.lines()).position(|(new, old)| new != old);
    let at = changed.unwrap_or_else(|| strings.lines().count().min(kept.lines().count()));
    assert!(
        strings == kept,
        "line {} of {} is now {:?}; read the change, then UPDATE_SNAPSHOTS=1 cargo test -p probative-cli --test wording",
        at + 1,
        file.display(),
        strings.lines().nth(at).unwrap_or_default(),
    );
}

#[test]
fn no_text_uses_words_that_were_retired() {
    let mut texts = vec![("strings".to_owned(), all_strings())];
    let mut pages = strings::files(&root().join("docs"), &["md"]);
    pages.extend(["README.md", "CONTRIBUTING.md"].map(|name| root().join(name)));
    assert!(pages.len() > 20, "only {} pages", pages.len());
    for page in pages {
        texts.push((page.display().to_string(), std::fs::read_to_string(&page).unwrap()));
    }
    let mut found = Vec::new();
    for (name, text) in texts {
        for (at, line) in text.lines().enumerate() {
            let lower = line.to_lowercase();
            let retired = strings::RETIRED.iter().filter(|words| strings::contains_words(&lower, words));
            found.extend(retired.map(|words| format!("{name}:{}: '{words}' in: {}", at + 1, line.trim())));
        }
    }
    assert!(found.is_empty(), "{} places:\n{}", found.len(), found.join("\n"));
}

#[test]
fn strings_are_taken_from_code_and_not_from_its_tests() {
    let code = r##"
        /// A comment with words.
        #[doc = "an attribute with words"]
        fn say(name: &str) -> String {
            assert!(!name.is_empty(), "a broken promise of the code");
            let known = name.strip_prefix("key").expect("a name that was checked");
            format!("no agent '{known}' in \
                     probative.toml") + r#"; "quoted" words"# + "key"
        }
        #[cfg(test)]
        mod tests { const WORDS: &str = "words of a test"; }
        const LAST: &str = "the last words";
    "##;
    let strings = strings::strings_of(Path::new("say.rs"), code);
    assert_eq!(strings, ["no agent '{known}' in probative.toml", "; \"quoted\" words", "the last words"]);
}

#[test]
fn strings_are_taken_from_scripts_and_pages() {
    let script =
        "// words of a comment\nbutton.title = 'Copy the command'; text(`${n} cases failed`, \"key\");\n";
    assert_eq!(strings::strings_of(Path::new("a.js"), script), ["Copy the command", "${n} cases failed"]);
    let page = "<!-- a note --><title>Test report</title><input placeholder=\"Search the cases\"><p>No case matches.</p>";
    let expected = ["Search the cases", "Test report", "No case matches."];
    assert_eq!(strings::strings_of(Path::new("a.html"), page), expected);
}
