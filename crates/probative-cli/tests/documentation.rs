//! The documentation says what is so: the README's commands print what it shows, the reference is the enum's.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use probative::question::reference::{entries, introduction};
use probative::spec::Code;
use probative::spec::types::TYPES;
use probative::trajectory::readers::TraceFormat;
use probative::vocabularies::Speaker;
use probative::{About, Vocabulary};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// How long a run took differs; everything else must not.
fn without_durations(text: &str) -> String {
    let line = |line: &str| {
        line.rsplit_once(" in ")
            .filter(|(_, time)| time.ends_with("ms") || time.ends_with(" s"))
            .map_or(line, |(line, _)| line)
            .to_owned()
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_readme_shows_what_its_commands_print() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let mut shown = 0;
    for block in readme.split("```console\n").skip(1) {
        let block = block.split("```").next().unwrap();
        let (command, output) = block.split_once('\n').unwrap();
        let arguments = command.strip_prefix("$ probative ").expect("a command of the program");
        let mut probative = Command::new(assert_cmd::cargo::cargo_bin!("probative"));
        let ran = probative
            .args(arguments.split(' '))
            .current_dir(root())
            .env_remove("CLICOLOR_FORCE")
            .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
            .output()
            .unwrap();
        let printed = String::from_utf8(ran.stdout).unwrap();
        assert_eq!(without_durations(&printed), without_durations(output), "{command}");
        shown += 1;
    }
    assert_eq!(shown, 2);
    assert!(readme.contains("`scripts/test` runs all tests"), "the README gives the test command");
}

#[test]
fn the_pages_about_specs_leave_out_no_name() {
    let page = ["specs", "agents"]
        .map(|name| std::fs::read_to_string(root().join(format!("docs/reference/{name}.md"))).unwrap())
        .concat();
    let mut names: Vec<&str> = Code::ALL.map(Code::name).to_vec();
    for kind in TYPES {
        names.push(kind.name);
        names.extend((kind.keys)().iter().chain((kind.harness_keys)()));
        names.extend(kind.targets.iter().map(|target| target.name));
    }
    for name in names {
        let is_told = page.contains(&format!("`{name}`")) || page.contains(&format!("| {name} |"));
        assert!(is_told, "docs/reference/specs.md and docs/reference/agents.md do not tell of '{name}'");
    }
}

#[test]
fn the_reference_is_read_off_the_vocabularies() {
    for about in About::ALL {
        let (name, page) = about.speak(Page);
        let file = root().join("docs/reference").join(format!("{name}.md"));
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(&file, &page).unwrap();
        }
        let written = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(
            written == page,
            "docs/reference/{name}.md is out of date: UPDATE_DOCS=1 cargo test -p probative-cli --test documentation"
        );
    }
}

/// The page about a vocabulary, and its name.
struct Page;

impl Speaker for Page {
    type Answer = (&'static str, String);

    fn speak<A: Vocabulary>(self) -> Self::Answer {
        let (subject, about) = (A::SUBJECT, A::ABOUT);
        let title = match subject {
            "report" => "Selection",
            "response" => "Response",
            _ => "Trajectory",
        };
        let mut page = format!(
            "# {title} assertions\n\nAssertions about {about}. `probative explain NAME` prints an entry of this page.\n\
             [`probative check`](check.md) describes questions, paths, patterns and dates.\n\n{}\n",
            introduction::<A>().split_once("\n\n").expect("a summary, then the rules").1
        );
        for entry in entries::<A>() {
            let _ = write!(page, "\n## {}\n\n{}\n", entry.name, entry.text);
        }
        (subject, page)
    }
}

/// Every trace format has a page, a row in the table, and on its page a question that can be asked of its traces.
#[test]
fn every_trace_format_has_a_page() {
    let table = std::fs::read_to_string(root().join("docs/reference/traces.md")).unwrap();
    let directory = tempfile::tempdir().unwrap();
    for format in TraceFormat::ALL {
        assert!(
            table.contains(&format!("| [`{format}`](")),
            "docs/reference/traces.md does not list {format}"
        );
        if *format == TraceFormat::Native {
            continue;
        }
        let page =
            std::fs::read_to_string(root().join(format!("docs/reference/traces/{format}.md"))).unwrap();
        assert!(page.contains("probative check question.yaml "), "{format}: no command");
        assert!(page.contains("\n## Not recorded\n"), "{format}: no section about what isn't recorded");
        let mut blocks = page.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next());
        let question = blocks.find(|block| block.starts_with("# question.yaml\n")).expect("a question");
        let file = directory.path().join("question.yaml");
        std::fs::write(&file, question).unwrap();
        let vectors = std::fs::read_dir(root().join(format!("vectors/traces/{format}"))).unwrap();
        let mut vectors: Vec<PathBuf> = vectors.map(|entry| entry.unwrap().path()).collect();
        vectors.retain(|path| !path.to_string_lossy().ends_with(".expected.json"));
        vectors.sort();
        let plain =
            vectors.iter().find(|path| path.to_string_lossy().contains("plain")).unwrap_or(&vectors[0]);
        let asked = Command::new(assert_cmd::cargo::cargo_bin!("probative"))
            .arg("check")
            .args([&file, plain])
            .output()
            .unwrap();
        let code = asked.status.code();
        assert!(matches!(code, Some(0 | 1)), "{format}: {}", String::from_utf8_lossy(&asked.stderr));
    }
}
