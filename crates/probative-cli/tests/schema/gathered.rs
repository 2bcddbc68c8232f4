//! Everything in the repository that is written in one of the languages that have a schema.

use std::path::{Path, PathBuf};
use std::process::Command;

use probative::document::Document;
use probative::spec::types::TYPES;
use probative::spec::{self, Code, Format, Operator, Plan, Settings, Spec};
use probative::trajectory::readers::native;
use probative::vocabularies::Speaker;
use probative::{About, Question, Vocabulary, question};
use serde_json::Value;

/// What `probative schema` describes.
pub(crate) const WHATS: [&str; 8] =
    ["expect", "trajectory", "report", "spec", "suite", "run", "results", "config"];

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub(crate) fn schema(what: &str) -> Value {
    let printed = Command::new(assert_cmd::cargo::cargo_bin!("probative")).args(["schema", what]).output();
    serde_json::from_slice(&printed.unwrap().stdout).unwrap()
}

/// Something that is written somewhere, as the parser reads it.
pub(crate) struct Written {
    pub(crate) what: &'static str,
    /// Where it is written.
    pub(crate) name: String,
    pub(crate) value: Value,
    /// Whether the parser accepts it.
    pub(crate) is_right: bool,
}

#[derive(Default)]
pub(crate) struct Gathered {
    pub(crate) documents: Vec<Written>,
}

impl Gathered {
    /// What people write, in files, pages and vectors.
    pub(crate) fn written() -> Gathered {
        let mut gathered = Gathered::default();
        for folder in ["specs", "examples", "docs", "crates/probative-cli/templates"] {
            for file in files(&root().join(folder)) {
                gathered.file(&file);
            }
        }
        for (folder, about) in [("said", About::Response), ("did", About::Trajectory), ("saw", About::Report)]
        {
            for file in files(&root().join("vectors").join(folder)) {
                gathered.vectors(&file, about);
            }
        }
        gathered
    }

    /// That, and what the program itself writes.
    pub(crate) fn everything() -> Gathered {
        let mut gathered = Gathered::written();
        for file in files(&root().join("vectors/traces")) {
            gathered.traces(&file);
        }
        gathered.examples();
        gathered.reports();
        gathered
    }

    /// The examples of `probative explain`.
    fn examples(&mut self) {
        for kind in TYPES {
            self.cases(&format!("{}.spec.yaml", kind.name), kind.example);
        }
        for operator in Operator::ALL {
            self.cases(&format!("{}.spec.yaml", operator.name()), operator.example());
        }
        for code in Code::ALL {
            self.cases(&format!("{}.spec.yaml", code.name()), code.example().mended);
        }
    }

    fn push(&mut self, what: &'static str, name: &str, value: Value, is_right: bool) {
        self.documents.push(Written { what, name: name.to_owned(), value, is_right });
    }

    /// What a file holds, as its name tells.
    fn file(&mut self, path: &Path) {
        let Ok(text) = std::fs::read_to_string(path) else { return };
        let name = told(path);
        self.text(&name, &text);
        if path.extension().is_some_and(|ending| ending == "md") && !name.ends_with(".spec.md") {
            self.fences(&name, &text);
        }
    }

    fn text(&mut self, name: &str, text: &str) {
        let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
        if ends(&[".spec.md", ".spec.yaml", ".spec.yml", ".spec.json", ".tests.json"]) {
            self.cases(name, text);
        } else if ends(&["probative.toml"]) {
            self.config(name, text);
        } else if ends(&[".jsonl"]) {
            for (line, text) in text.lines().enumerate() {
                self.json(&format!("{name}:{}", line + 1), text);
            }
        } else if ends(&[".json"]) {
            self.json(name, text);
        } else if ends(&[".yaml"]) {
            self.yaml(name, text);
        }
    }

    /// The cases of a document, and what their setup files hold.
    fn cases(&mut self, name: &str, text: &str) {
        let format = Format::of(name);
        for value in spec::written(&Document::new(name, text), format) {
            let what = if format == Format::Suite { "suite" } else { "spec" };
            let case = format!("{name} {}", value["id"]);
            for file in value["harness"]["setup_files"].as_array().into_iter().flatten() {
                if let (Some(path), Some(text)) = (file["path"].as_str(), file["text"].as_str()) {
                    self.text(&format!("{case} {path}"), text);
                }
            }
            let is_right = is_right_case(&value, format);
            self.push(what, &case, value, is_right);
        }
    }

    fn config(&mut self, name: &str, text: &str) {
        let Ok(node) = Document::new("probative.toml", text).read() else { return };
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("probative.toml"), text).unwrap();
        let case = "id: X\ntype: agent.response\nharness: {agent: no-such-agent}\n";
        std::fs::write(folder.path().join("a.spec.yaml"), case).unwrap();
        let ran = Command::new(assert_cmd::cargo::cargo_bin!("probative"))
            .args(["run", "a.spec.yaml"])
            .current_dir(&folder)
            .output()
            .unwrap();
        let is_right = String::from_utf8_lossy(&ran.stdout).contains("no [agents.");
        self.push("config", name, node.to_value(), is_right);
    }

    /// A run, a question or neither.
    fn json(&mut self, name: &str, text: &str) {
        let Ok(value) = serde_json::from_str::<Value>(text) else { return };
        if value.get("steps").is_some() {
            let is_right = native::read(text.as_bytes()).is_ok();
            self.push("run", name, value, is_right);
        } else if value.get("test_suites").is_some() {
            self.cases(&format!("{name}.tests.json"), text);
        }
    }

    fn yaml(&mut self, name: &str, text: &str) {
        let document = Document::new(name, text);
        let Ok(node) = document.read() else { return };
        if node.get("id").is_some() && node.get("type").is_some() {
            self.cases(name, text);
        } else if let Ok(about) = About::told_by(&document, &node)
            && question::read(&document).is_ok()
        {
            self.question(name, text, about);
        }
    }

    fn question(&mut self, name: &str, text: &str, about: About) {
        let document = Document::new(name, text);
        let Ok(node) = document.read() else { return };
        let is_right = about.speak(IsRight(document));
        self.push(what(about), name, node.to_value(), is_right);
    }

    /// What stands in the fences of a page, also in those within fences.
    fn fences(&mut self, name: &str, text: &str) {
        for (index, block) in text.split("```").enumerate().filter(|(index, _)| index % 2 == 1) {
            let Some((info, body)) = block.split_once('\n') else { continue };
            let name = format!("{name} fence {index}");
            match info.split(' ').next() {
                Some("yaml") if info.contains("spec-test") => self.cases(&format!("{name}.spec.yaml"), body),
                Some("yaml") => self.yaml(&format!("{name}.yaml"), body),
                Some("json") => self.json(&name, body),
                Some("toml") => self.config(&name, body),
                _ => {}
            }
        }
    }

    fn vectors(&mut self, path: &Path, about: About) {
        let vectors: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        for case in vectors["cases"].as_array().unwrap() {
            let name = format!("{} {}", told(path), case["title"]);
            self.question(&name, &case["question"].to_string(), about);
            if about == About::Trajectory {
                let subject = case["subject"].to_string();
                self.push("run", &name, case["subject"].clone(), native::read(subject.as_bytes()).is_ok());
            }
        }
    }

    /// The runs that traces become.
    fn traces(&mut self, path: &Path) {
        let name = told(path);
        if !name.ends_with(".expected.json") {
            return;
        }
        let expected: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        for run in expected["runs"].as_array().into_iter().flatten() {
            let is_right = native::read(run["trajectory"].to_string().as_bytes()).is_ok();
            self.push("run", &name, run["trajectory"].clone(), is_right);
        }
    }

    /// The reports that the program writes about the examples.
    fn reports(&mut self) {
        let commands: [&[&str]; 8] = [
            &["run", "examples/support"],
            &["run", "examples/policy"],
            &["run", "specs/conformance/04-text-file.spec.md", "specs/conformance/10-regexes.spec.md"],
            &["run", "examples/support", "--trials", "2", "--no-timings"],
            &["check", "examples/search/expect.yaml", "examples/search/responses.jsonl"],
            &["check", "examples/search/expect.yaml", "examples/search/leaky.json", "no-such-file.json"],
            &[
                "check",
                "examples/refund/expect.yaml",
                "examples/refund/runs.jsonl",
                "examples/refund/hasty.json",
            ],
            &[
                "check",
                "examples/context/expect.yaml",
                "examples/context/crowded.json",
                "examples/context/selected.json",
            ],
        ];
        let folder = tempfile::tempdir().unwrap();
        for arguments in commands {
            let lines = folder.path().join("lines.jsonl");
            let ran = Command::new(assert_cmd::cargo::cargo_bin!("probative"))
                .args(arguments)
                .args(["--report", "json", "--report", &format!("jsonl={}", lines.display())])
                .env("SPEC_RUNNER_ASSERT_HEALTH", "warn")
                .current_dir(root())
                .output()
                .unwrap();
            let name = arguments.join(" ");
            self.push("results", &name, serde_json::from_slice(&ran.stdout).unwrap(), true);
            for line in std::fs::read_to_string(&lines).unwrap().lines() {
                self.push("a line of results", &name, serde_json::from_str(line).unwrap(), true);
            }
        }
    }
}

fn what(about: About) -> &'static str {
    match about {
        About::Response => "expect",
        About::Trajectory => "trajectory",
        About::Report => "report",
    }
}

/// Whether the parser accepts a case, or a suite with all of its tests, and can run it or says why it does not.
fn is_right_case(value: &Value, format: Format) -> bool {
    let name = if format == Format::Suite { "a.tests.json" } else { "a.spec.json" };
    let document = Document::new(name, value.to_string());
    let Spec { cases, errors, .. } = Spec::read(document, Format::of(name), &Settings::default());
    let is_right = |plan: &Plan| !matches!(plan, Plan::Malformed(_) | Plan::UnknownType(_));
    errors.is_empty() && cases.iter().all(|case| is_right(&case.plan))
}

/// Whether the parser accepts what is written in one of the languages.
pub(crate) fn is_accepted(what: &str, value: &Value) -> bool {
    let text = value.to_string();
    let is_right = |about: About| about.speak(IsRight(Document::new("question.json", text.as_str())));
    match what {
        "expect" => is_right(About::Response),
        "trajectory" => is_right(About::Trajectory),
        "report" => is_right(About::Report),
        "spec" => is_right_case(value, Format::Json),
        "suite" => is_right_case(value, Format::Suite),
        "run" => native::read(text.as_bytes()).is_ok(),
        _ => false,
    }
}

/// Whether a question has nothing wrong in it.
struct IsRight(Document);

impl Speaker for IsRight {
    type Answer = bool;

    fn speak<A: Vocabulary>(self) -> bool {
        Question::<A>::compile(self.0).is_ok_and(|question| question.errors().is_empty())
    }
}

/// The name of a file, wherever the repository is.
fn told(path: &Path) -> String {
    path.strip_prefix(root()).unwrap().display().to_string()
}

/// All files below a directory, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}
