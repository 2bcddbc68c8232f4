//! A project whose cases are of all types and end in every way.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use probative::trajectory::readers::TraceFormat;

/// Files by their names, with what they hold.
pub(crate) type Files = Vec<(PathBuf, Vec<u8>)>;

/// The spec documents and suites, with what they need beside them.
pub(crate) fn documents() -> Files {
    let mut files = Vec::new();
    let mut add = |name: &str, text: &str| files.push((name.into(), text.as_bytes().to_vec()));
    for (name, text) in [
        ("probative.toml", include_str!("probative.toml")),
        ("agent.sh", include_str!("agent.sh")),
        ("base.json", include_str!("base.json")),
        ("ends.spec.md", include_str!("ends.spec.md")),
        ("agents.spec.yaml", include_str!("agents.spec.yaml")),
        ("support.tests.json", include_str!("support.tests.json")),
        ("twice.spec.json", r#"{"id": "NAMES-07", "type": "text.file", "assert": []}"#),
        ("broken.spec.json", r#"[{"id": "BROKEN", "type": "text.file", "#),
    ] {
        add(name, text);
    }
    for (at, name) in NAMES.iter().enumerate() {
        // The first ones take the longest, so that jobs that run side by side do not end in order.
        let wait = if at % 7 == 0 { 5 * (NAMES.len() - at) } else { 0 };
        let exit_code = u8::from(at % 5 == 0);
        let document = format!(
            "# {name}\n\n```yaml spec-test\nid: NAMES-{at:02}\ntitle: {name}\ntype: cli.run\nargv: ['sleep 0.{wait:03}; echo Iıİi {at}; exit {exit_code}']\n\
             harness: {{entrypoint: sh -c}}\nassert_health: {{mode: warn}}\nassert:\n  - target: stdout\n    must:\n      - contain: [\"{at}\", \"\"]\n```\n"
        );
        add(&format!("names/{name}.spec.md"), &document);
        add(&format!("recorded/run-{name}.json"), &run(at));
    }
    files
}

/// Names that locales and file systems put into different orders.
pub(crate) const NAMES: [&str; 24] = [
    "10", "9", "B", "I", "Z", "a", "a b", "a-b", "a.b", "a_b", "ab", "b", "i", "z", "Ä", "ä", "é", "ß", "İ",
    "ı", "ж", "ي", "ﬁ", "𝒳",
];

/// A run with some calls.
fn run(at: usize) -> String {
    let (tool, cost) = (if at.is_multiple_of(3) { "lookup" } else { "refund" }, at / 10);
    format!(
        r#"{{"steps": [{{"step_type": "llm_call", "cost": {cost}.5}}, {{"step_type": "tool_call", "tool_name": "{tool}", "tool_args": {{"b": {at}, "a": 1.5}}, "tool_result": {{"z": 1, "y": [{at}]}}}}], "final_output": "Iİıi {at}"}}"#
    )
}

/// Documents that say of every type of case how it ends, with the files they are about.
pub(crate) fn conformance() -> Files {
    let mut files = vec![("probative.toml".into(), Vec::new())];
    for folder in ["", "fixtures", "fixtures/agents"] {
        files.extend(copied(&Path::new("specs/conformance").join(folder)));
    }
    let starts_much = |name: &Path| {
        let name = name.file_name().unwrap().to_str().unwrap();
        STARTS_MUCH.iter().any(|number| name.starts_with(number))
    };
    files.retain(|(name, _)| !starts_much(name));
    files
}

/// Documents whose cases start many processes, which takes long and adds nothing here.
const STARTS_MUCH: [&str; 6] = ["05-", "06-", "07-", "13-", "14-", "18-"];

/// A question about responses, and so many of them: in one file with a line each, in files of one, and in a directory.
pub(crate) fn responses(count: usize) -> Files {
    let response = |at: usize| {
        let (status, day) = (if at.is_multiple_of(97) { "error" } else { "success" }, 1 + at % 28);
        let name = NAMES[at % NAMES.len()];
        format!(
            r#"{{"status":"{status}","message":"{name} {at}","results":[{{"file":"{name}","n":{at},"at":"2026-01-{day:02}T23:30:00-05:00"}}]}}"#
        )
    };
    let lines = |from: usize, to: usize| {
        let mut text: String = (from..to).map(|at| response(at) + "\n").collect();
        text.push_str("{\"status\": \n");
        text.into_bytes()
    };
    let question = "status: success\nall_dates_in_year: {path: 'results[*].at', year: 2026}\nif_results: {results_min: 1}\n\
                    dates_within_days: {path: 'results[*].at', days: 30}\nall_match_pattern: {path: 'results[*].file', regex: '(?i)^[ıa-zäéßжيﬁ𝒳0-9]'}\n\
                    none_have_tags: [draft]\n";
    let single = count / 40;
    let mut files = vec![("q.yaml".into(), question.as_bytes().to_vec())];
    files.push(("many.jsonl".into(), lines(0, count - 2 * single)));
    for at in count - 2 * single..count {
        let folder = ["globbed", "below/deep"][at % 2];
        let name = NAMES[at % NAMES.len()];
        files.push((format!("{folder}/{name}-{at}.json").into(), response(at).into_bytes()));
    }
    // Two names that look the same, for neither is UTF-8.
    for (byte, text) in [(0xfe, "{}"), (0xff, "[]")] {
        files
            .push((Path::new("below").join(OsStr::from_bytes(&[byte, b'.', b't', b'x', b't'])), text.into()));
    }
    files
}

/// Traces of every format.
pub(crate) fn traces() -> Files {
    let foreign = TraceFormat::ALL.iter().filter(|format| **format != TraceFormat::Native);
    foreign.flat_map(|format| copied(&Path::new("vectors/traces").join(format.name()))).collect()
}

/// The files in a folder of the repository, by their paths from its root.
fn copied(folder: &Path) -> Files {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let entries = std::fs::read_dir(root.join(folder)).unwrap().map(Result::unwrap);
    let files = entries.filter(|entry| entry.file_type().unwrap().is_file());
    files.map(|entry| (folder.join(entry.file_name()), std::fs::read(entry.path()).unwrap())).collect()
}
