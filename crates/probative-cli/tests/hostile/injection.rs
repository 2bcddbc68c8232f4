//! Texts that want to be more than texts in a report: other programs find exactly the cases that there are, and no commands.

use probative::report::Format;
use pulldown_cmark::{Event, Options, Parser, Tag};
use serde_json::{Value, json};

use crate::cases::shell;
use crate::guard::{guarded, run};
use crate::place::Place;
use crate::readers;

/// What ends a text, begins a command, hides a failure or asks to be run, in any format of report.
const PAYLOADS: [&str; 16] = [
    "]]></failure></testcase><testcase name=\"fake\"/>",
    "\" onload=\"x\" &amp; <!--",
    "</script><script>alert(1)</script><img src=x onerror=alert(2)>",
    "::error file=x::pwned\n::stop-commands::x\n::add-mask::y",
    "##[error]pwned",
    "%0A::error::pwned%0D",
    "a | b\n| --- |\n| c |",
    "``` \n````\n~~~\n# head",
    "[x](javascript:alert(1)) ![x](http://x/y.png) @everyone #1 <details>",
    "# TODO later",
    "x # SKIP not run",
    "\nnot ok 2 - fake\nok 3 - fake\n1..99\nBail out!",
    "  ...\n  ---\nok",
    "\u{1b}[31m\u{fffe}\u{ffff}\0\u{202e}",
    "{\"id\": \"fake\"}\n{\"id\": \"fake\"}",
    "=cmd|' /C calc'!A0",
];

/// A case that fails with every payload as its id, title, text and expectation, one that passes and one that is skipped.
fn cases() -> Vec<Value> {
    let mut cases = Vec::new();
    for (at, payload) in PAYLOADS.iter().enumerate() {
        let plain = payload.replace('\0', "");
        let leaf = json!([{"target": "text", "must": [{"contain": [format!("{plain} is not there")]}]}]);
        cases.push(json!({"id": format!("F{at} {plain}"), "title": plain, "type": "text.file", "path": "t.txt", "assert": leaf}));
        cases.push(
            json!({"id": format!("P{at} {plain}"), "title": plain, "type": "text.file", "path": "t.txt"}),
        );
        cases.push(json!({"id": format!("S{at} {plain}"), "title": plain, "type": "text.file", "path": "t.txt", "requires": {"capabilities": [plain], "when_missing": "skip"}}));
    }
    let all = PAYLOADS.concat().replace('\0', "");
    let quoted = shlex::try_quote(&all).unwrap().into_owned();
    cases.push(shell("OUT", &format!("printf %s {quoted}; printf %s {quoted} >&2; exit 3")));
    cases
}

const FAILED: usize = PAYLOADS.len() + 1;
const TOTAL: usize = 3 * PAYLOADS.len() + 1;

fn place() -> Place {
    Place::with(&[("a.spec.json", &json!(cases()).to_string()), ("t.txt", &PAYLOADS.concat())])
}

/// How many rows the table of a Markdown report has, if there is nothing in it but what the report itself puts there.
fn rows_of(report: &str) -> usize {
    let mut rows = 0;
    for event in Parser::new_ext(report, Options::all()) {
        match event {
            Event::Start(Tag::TableRow) => rows += 1,
            Event::Start(Tag::Link { .. } | Tag::Image { .. }) => panic!("a link: {report}"),
            Event::Html(html) | Event::InlineHtml(html) => {
                let tags = ["details", "summary", "code", "br"];
                let known = tags.iter().flat_map(|tag| [format!("<{tag}>"), format!("</{tag}>")]);
                let rest = known.fold(html.to_string(), |rest, tag| rest.replace(&tag, ""));
                assert!(!rest.contains('<'), "{html}");
            }
            _ => {}
        }
    }
    rows
}

#[test]
fn every_report_has_the_cases_that_there_are() {
    let place = place();
    let ids: Vec<String> = cases().iter().map(|case| case["id"].as_str().unwrap().to_owned()).collect();
    for format in Format::ALL {
        let mut command = place.command(&["run", "a.spec.json", "--no-timings", "--report", format.name()]);
        command.env("GITHUB_ACTIONS", "true");
        let ended = guarded(&command, 512, std::process::Stdio::null());
        assert_eq!(ended.code, 1, "{}: {ended:#?}", format.name());
        let report = ended.stdout;
        match format {
            Format::Human => {
                let heads =
                    report.lines().filter(|line| line.starts_with("FAIL ") || line.starts_with("ERROR "));
                assert_eq!(heads.count(), FAILED, "{report}");
                let is_command = |line: &str| line.trim_start().starts_with("::") || line.contains("##[");
                assert!(!report.lines().any(is_command), "{report}");
                assert!(
                    !report.chars().any(|character| character != '\n' && character.is_control()),
                    "{report}"
                );
            }
            Format::Json => {
                let report: Value = serde_json::from_str(&report).unwrap();
                let told: Vec<&str> = report["results"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|result| result["id"].as_str().unwrap())
                    .collect();
                assert_eq!(told, ids);
                assert_eq!(report["summary"]["failed"], FAILED);
            }
            Format::Jsonl => {
                let told: Vec<Value> =
                    report.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
                assert!(
                    told.iter()
                        .map(|result| result["id"].as_str().unwrap())
                        .eq(ids.iter().map(String::as_str))
                );
            }
            Format::Junit => {
                let read = readers::junit(&report);
                let suite = &read["children"][0];
                let told: Vec<&Value> = suite["children"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .filter(|child| child["tag"] == "testcase")
                    .collect();
                assert_eq!(
                    (told.len(), &suite["failures"], &suite["tests"]),
                    (TOTAL, &FAILED.to_string().into(), &TOTAL.to_string().into())
                );
                let failed = told.iter().filter(|case| case["children"][0]["tag"] == "failure").count();
                assert_eq!(failed, FAILED);
                let names: std::collections::BTreeSet<&str> =
                    told.iter().map(|case| case["name"].as_str().unwrap()).collect();
                assert_eq!(names.len(), TOTAL);
            }
            Format::Github => {
                assert!(
                    report.lines().all(|line| line.starts_with("::error ") || line.starts_with("::notice ")),
                    "{report}"
                );
                // Ten failures, that there are more, and what asserts nothing.
                assert_eq!(report.lines().count(), 12, "{report}");
            }
            Format::Markdown => {
                assert_eq!(rows_of(&report), FAILED, "{report}");
            }
            Format::Tap => {
                let lines = readers::tap(&report);
                let points: Vec<&Value> =
                    lines.as_array().unwrap().iter().filter(|line| line["category"] == "test").collect();
                assert_eq!(points.len(), TOTAL);
                let count = |key: &str, is: bool| points.iter().filter(|point| point[key] == is).count();
                assert_eq!(
                    (count("ok", false), count("skip", true), count("todo", true)),
                    (FAILED, PAYLOADS.len(), 0)
                );
                assert!(
                    lines
                        .as_array()
                        .unwrap()
                        .iter()
                        .all(|line| line["category"] != "bail" && line["category"] != "unknown")
                );
            }
            Format::Html => {
                let (_, data) = report.split_once("id=\"results\">\n").unwrap();
                let (data, rest) = data.split_once("</script>").unwrap();
                let told = data.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
                assert_eq!(told.filter(|line| line.get("result").is_some()).count(), TOTAL);
                assert!(!data.contains("<!--") && !data.contains("<script"));
                // The summary names cases, too, as escaped JSON.
                assert!(!rest.contains("<script>alert(1)") && !rest.contains("onerror=alert(2)>"));
            }
        }
    }
}

#[test]
fn a_file_of_annotations_and_a_summary_hold_no_other_commands() {
    let place = place();
    let mut command = place.command(&["run", "a.spec.json", "--report", "human", "--report", "github"]);
    command.env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", place.path("summary.md"));
    let ended = guarded(&command, 512, std::process::Stdio::null());
    let commands: Vec<&str> =
        ended.stdout.lines().filter(|line| line.trim_start().starts_with("::")).collect();
    // Ten failures, how many more there are, and the cases that assert nothing.
    assert_eq!(commands.len(), 12, "{commands:#?}");
    assert!(commands.iter().all(|line| line.starts_with("::error file=a.spec.json,line=1,")
        || line.starts_with("::notice title=probative::")));
    assert_eq!(rows_of(&place.read("summary.md")), FAILED);
    for arguments in [
        &["lint", "a.spec.json"][..],
        &["run", "a.spec.json", "--list"],
        &["show", "t.txt"],
        &["explain", "::error::x"],
        &["::error::x"],
    ] {
        let mut command = place.command(arguments);
        command.env("GITHUB_ACTIONS", "true");
        let ended = guarded(&command, 512, std::process::Stdio::null());
        let told = [ended.stdout, ended.stderr].concat();
        let is_command = |line: &str| line.trim_start().starts_with("::") || line.contains("##[");
        assert_eq!(told.lines().find(|line| is_command(line)), None, "{arguments:?}");
    }
}

#[test]
fn no_two_cases_share_a_name() {
    let ids = ["A\u{200b}", r"A\u200b", r"A\\u200b", "A\n", r"A\n", "A", "A\u{200b}\u{200b}"];
    let cases: Vec<Value> = ids.iter().map(|id| json!({"id": id, "type": "text.file"})).collect();
    let place = Place::with(&[("a.spec.json", &json!(cases).to_string())]);
    let distinct = |names: Vec<&Value>| {
        names.into_iter().map(ToString::to_string).collect::<std::collections::BTreeSet<_>>().len()
    };
    let junit = readers::junit(&run(&place, &["run", "a.spec.json", "--report", "junit"]).stdout);
    let names = junit["children"][0]["children"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|child| child["tag"] == "testcase");
    assert_eq!(distinct(names.map(|case| &case["name"]).collect()), ids.len(), "{junit:#}");
    let tap = readers::tap(&run(&place, &["run", "a.spec.json", "--report", "tap"]).stdout);
    let points = tap.as_array().unwrap().iter().filter(|line| line["category"] == "test");
    assert_eq!(distinct(points.map(|point| &point["description"]).collect()), ids.len(), "{tap:#}");
}
