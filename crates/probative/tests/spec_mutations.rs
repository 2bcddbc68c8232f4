//! One edited character never turns a failing case green, and never makes a case vanish without a trace.
//!
//! `scripts/mutations 100000` tries more edits than the tests do.
#![allow(clippy::disallowed_methods, reason = "specs are files")]

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use probative::document::Document;
use probative::spec::lang::{Nowhere, World};
use probative::spec::types::Target;
use probative::spec::{Circumstances, Format, Mode, Observed, Plan, Settings, Spec, Subject};
use probative::value::Value;
use probative::verdict::Error;

/// How many edits of each kind of document are tried, unless the environment says otherwise.
const TRIALS: usize = 500;

fn trials() -> usize {
    std::env::var("SPEC_MUTATIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(TRIALS)
}

/// Numbers that are the same every time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound.max(1)
    }
}

/// What YAML, JSON and Markdown are made of, and a few letters.
const CHARACTERS: [char; 27] = [
    '#', ':', '-', ' ', '\n', '"', '\'', '[', ']', '{', '}', ',', '`', '~', '|', '>', '&', '*', '!', '?',
    '%', '@', '\\', '\t', 'a', 't', '0',
];

/// A text with one character deleted, inserted, replaced, or swapped with the next, and where.
fn edited(text: &str, numbers: &mut Numbers) -> (String, usize) {
    let mut characters: Vec<char> = text.chars().collect();
    // Half of the edits are where documents have their structure.
    let structure: Vec<usize> =
        (0..characters.len()).filter(|at| "`~:-[]{}\"'\n".contains(characters[*at])).collect();
    let at = match numbers.below(2) {
        0 if !structure.is_empty() => structure[numbers.below(structure.len())],
        _ => numbers.below(characters.len()),
    };
    let character = CHARACTERS[numbers.below(CHARACTERS.len())];
    match numbers.below(4) {
        0 => drop(characters.remove(at)),
        1 => characters.insert(at, character),
        2 => characters[at] = character,
        _ if at + 1 < characters.len() => characters.swap(at, at + 1),
        _ => characters.push(character),
    }
    let offset = characters[..at.min(characters.len())].iter().map(|character| character.len_utf8()).sum();
    (characters.into_iter().collect(), offset)
}

fn read(name: &str, text: &str) -> Spec {
    let settings = Settings { health: Mode::Warn, ..Settings::default() };
    Spec::read(Document::new(name, text), Format::of(name), &settings)
}

/// How many cases and warnings a document has.
#[derive(Clone, Copy)]
struct Told {
    cases: usize,
    warnings: usize,
}

impl Told {
    fn of(spec: &Spec) -> Told {
        Told { cases: spec.cases.len(), warnings: spec.warnings.len() }
    }

    /// Returns true if an edit lost a case, and nothing says so.
    fn lost_silently(self, after: &Spec) -> bool {
        after.cases.len() < self.cases && after.errors.is_empty() && after.warnings.len() <= self.warnings
    }
}

/// The lines around an offset, as a failure shows them.
fn around(text: &str, offset: usize) -> &str {
    let start = text[..text.floor_char_boundary(offset)].rfind('\n').unwrap_or(0);
    let from = text[..start].rfind('\n').unwrap_or(0);
    let end = text.len().min(text.ceil_char_boundary(offset + 80));
    &text[from..end]
}

fn documents() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files: Vec<PathBuf> = Vec::new();
    for directory in ["specs/conformance", "examples/policy", "examples/support"] {
        let entries = std::fs::read_dir(root.join(directory)).unwrap();
        files.extend(entries.map(|entry| entry.unwrap().path()));
    }
    files.sort();
    let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    files.retain(|path| {
        Format::ALL.iter().flat_map(|format| format.endings()).any(|ending| name(path).ends_with(ending))
    });
    assert!(files.len() > 20, "{files:?}");
    files.iter().map(|path| (name(path), std::fs::read_to_string(path).unwrap())).collect()
}

#[test]
fn no_case_vanishes_without_a_trace() {
    let documents: Vec<(String, String, Told)> = documents()
        .into_iter()
        .map(|(name, text)| {
            let before = Told::of(&read(&name, &text));
            (name, text, before)
        })
        .collect();
    let mut numbers = Numbers(26);
    let mut escapes = Vec::new();
    for trial in 0..trials() {
        let (name, text, before) = &documents[trial % documents.len()];
        let (mutated, offset) = edited(text, &mut numbers);
        if before.lost_silently(&read(name, &mutated)) {
            escapes.push(format!("{name}:\n{}\n", around(&mutated, offset)));
        }
    }
    assert!(escapes.is_empty(), "{} of {}:\n{}", escapes.len(), trials(), escapes.join("\n"));
}

/// A text that every target is.
struct Text(Value);

impl Observed for Text {
    fn subject(&self, _: &'static Target) -> Result<Subject<'_>, Error> {
        Ok(Subject::Value(Cow::Borrowed(&self.0)))
    }

    fn world(&self) -> &dyn World {
        &Nowhere
    }
}

/// Documents of which every case fails, whatever becomes of one character of the values that it asks for.
const FAILING: [(&str, &str); 6] = [
    (
        "block.spec.md",
        "# Title\n\n```yaml spec-test\nid: A-1\ntitle: \"never: so\"\ntype: text.file\npurpose: to fail\nassert:\n  - target: text\n    must:\n      - contain: [\"ZQXJ-ZQXJ\"]\n      - regex: ['ZQ[XJ]QZ']\n```\n\nSome prose.\n\n~~~yaml spec-test\n- id: A-2\n  type: text.file\n  assert:\n    - must:\n        - contain:\n            - ZQXJ ZQXJ\n        - json_type: [dict]\n- id: A-3\n  type: text.file\n  assert:\n    target: text\n    can:\n      - contain: [ZQXJ-ZQXJ]\n      - evaluate: [[contains, ZQXJ-ZQXJ]]\n~~~\n",
    ),
    (
        "flow.spec.md",
        "- a list\n\n  ```yaml spec-test\n  id: B-1\n  type: text.file\n  harness: {}\n  assert: [{target: text, must: [{contain: [ZQXJ-ZQXJ]}]}]\n  ```\n\n> ~~~~yml title=x spec-test\n> {id: B-2, type: text.file, assert: {must: [{contain: [\"ZQXJ\", 'QXZJ']}]}}\n> ~~~~\n\n```yaml spec-test\nid: B-3\ntype: text.file\nassert: [{must: [{contain: [ZQXJ-ZQXJ]}]}]\n```\n",
    ),
    (
        "indented.spec.yaml",
        "- id: C-1\n  type: text.file\n  assert:\n    - must:\n        - contain:\n            - ZQXJ-ZQXJ\n    - can:\n        - regex: [ZQXJQ]\n- id: C-2\n  type: text.file\n  title: |\n    several\n    lines\n  assert:\n  - must:\n    - contain: [ZQXJ-ZQXJ]\n",
    ),
    (
        "anchors.spec.yaml",
        "- id: D-1\n  type: text.file\n  x-all: &all\n    - must:\n        - contain: [ZQXJ-ZQXJ]\n  assert: *all\n- id: D-2\n  type: text.file\n  assert: *all\n",
    ),
    (
        "pretty.spec.json",
        "[\n  {\n    \"id\": \"E-1\",\n    \"type\": \"text.file\",\n    \"assert\": [\n      {\n        \"target\": \"text\",\n        \"must\": [{\"contain\": [\"ZQXJ-ZQXJ\"]}]\n      }\n    ]\n  }\n]\n",
    ),
    (
        "compact.spec.json",
        "{\"id\":\"F-1\",\"type\":\"text.file\",\"assert\":{\"must\":[{\"contain\":[\"ZQXJ-ZQXJ\"]},{\"json_type\":[\"list\"]}]}}",
    ),
];

/// The cases that pass with nothing said about them.
fn green(name: &str, text: &str) -> Vec<String> {
    let spec = read(name, text);
    if !spec.errors.is_empty() || !spec.warnings.is_empty() {
        return Vec::new();
    }
    let document = &spec.document;
    let passes = |plan: &Plan| match plan {
        Plan::Run(run) => {
            let circumstances = Circumstances { id: "", document, now: None };
            run.health.findings.is_empty()
                && run.judge(&circumstances, &Text("hello".into())).judgement.passed()
        }
        Plan::Skipped(_) => true,
        Plan::Missing(missing) => missing.skips,
        Plan::UnknownType(_) | Plan::Malformed(_) => false,
    };
    spec.cases.iter().filter(|case| passes(&case.plan)).map(|case| case.id.clone()).collect()
}

#[test]
fn no_failing_case_turns_green() {
    let mut numbers = Numbers(14);
    let mut escapes = Vec::new();
    for (name, text) in FAILING {
        assert_eq!(green(name, text), Vec::<String>::new(), "{name}");
        let before = Told::of(&read(name, text));
        assert!(before.cases > 0);
        for _ in 0..trials() {
            let (mutated, offset) = edited(text, &mut numbers);
            let passing = green(name, &mutated);
            if !passing.is_empty() || before.lost_silently(&read(name, &mutated)) {
                escapes.push(format!("{name}: {passing:?}\n{}\n", around(&mutated, offset)));
            }
        }
    }
    escapes.sort();
    escapes.dedup();
    assert!(escapes.is_empty(), "{}:\n{}", escapes.len(), escapes.join("\n"));
}
