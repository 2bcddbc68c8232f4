//! A project whose cases are of all types and end in every way.

use std::path::Path;

/// The spec documents and suites, with what they need beside them.
pub(crate) fn documents() -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    let mut add = |name: &str, text: &str| files.push((name.to_owned(), text.as_bytes().to_vec()));
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
pub(crate) fn conformance() -> Vec<(String, Vec<u8>)> {
    let of = |folder: &str, name: &str| {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs/conformance").join(folder).join(name);
        (
            Path::new("specs/conformance").join(folder).join(name).to_str().unwrap().to_owned(),
            std::fs::read(path).unwrap(),
        )
    };
    let names = |folder: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs/conformance").join(folder);
        let entries = std::fs::read_dir(path).unwrap().map(Result::unwrap);
        let files = entries.filter(|entry| entry.file_type().unwrap().is_file());
        files.map(|entry| entry.file_name().into_string().unwrap()).collect::<Vec<_>>()
    };
    let mut files = vec![("probative.toml".to_owned(), Vec::new())];
    for folder in ["", "fixtures", "fixtures/agents"] {
        let chosen = names(folder)
            .into_iter()
            .filter(|name| !STARTS_MUCH.iter().any(|number| name.starts_with(number)));
        files.extend(chosen.map(|name| of(folder, &name)));
    }
    files
}

/// Documents whose cases start many processes, which takes long and adds nothing here.
const STARTS_MUCH: [&str; 6] = ["05-", "06-", "07-", "13-", "14-", "18-"];

/// A question about responses, and so many of them: in one file with a line each, in files of one, and in a directory.
pub(crate) fn responses(count: usize) -> Vec<(String, Vec<u8>)> {
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
    let mut files = vec![("q.yaml".to_owned(), question.as_bytes().to_vec())];
    files.push(("many.jsonl".to_owned(), lines(0, count - 2 * single)));
    for at in count - 2 * single..count {
        let folder = ["globbed", "below/deep"][at % 2];
        let name = NAMES[at % NAMES.len()];
        files.push((format!("{folder}/{name}-{at}.json"), response(at).into_bytes()));
    }
    files
}

/// Traces of every format.
pub(crate) fn traces() -> Vec<(String, Vec<u8>)> {
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/traces");
    let mut files = Vec::new();
    for folder in std::fs::read_dir(vectors).unwrap().map(Result::unwrap) {
        let format = folder.file_name().into_string().unwrap();
        for entry in std::fs::read_dir(folder.path()).unwrap().map(Result::unwrap) {
            let name = entry.file_name().into_string().unwrap();
            if entry.file_type().unwrap().is_file() {
                files.push((format!("traces/{format}/{name}"), std::fs::read(entry.path()).unwrap()));
            }
        }
    }
    files
}
