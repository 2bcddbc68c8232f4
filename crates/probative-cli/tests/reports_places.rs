//! Where reports go: what cannot be written is told before anything is run, or loses nothing else.

mod cases;
mod place;

use std::process::{Command, Stdio};

use cases::shell;
use place::{Ended, Place};
use probative::report::Format;
use serde_json::Value;

fn formats() -> impl Iterator<Item = &'static str> {
    Format::ALL.into_iter().map(Format::name)
}

fn passing() -> Place {
    Place::with(&[("a.spec.json", &shell("A", "touch ran").to_string()), ("directory/file", "")])
}

fn failing() -> Place {
    Place::with(&[("a.spec.json", &shell("A", "exit 3").to_string())])
}

fn run(place: &Place, arguments: &[&str]) -> Ended {
    place.run(&[&["run", "a.spec.json", "--no-timings"], arguments].concat())
}

#[test]
fn a_place_that_cannot_be_written_is_told_before_anything_is_run() {
    let place = passing();
    for format in formats() {
        for (file, why) in [
            ("no/where", "no such file or directory"),
            ("directory", "is a directory"),
            ("a.spec.json/x", "not a directory"),
            ("/proc/report", ""),
        ] {
            let refused = format!("cannot write the report {file}: {why}");
            run(&place, &["--report", &format!("{format}={file}")]).with(2, &[], &[&refused]);
        }
        run(&place, &["--report", &format!("{format}=")]).with(2, &[], &["expected a file after '='"]);
    }
    assert!(!place.path("ran").exists());
}

#[cfg(unix)]
#[test]
fn what_may_not_be_written_is_not_replaced() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = passing();
    place.write("kept.json", b"kept");
    std::fs::set_permissions(place.path("kept.json"), std::fs::Permissions::from_mode(0o400)).unwrap();
    if std::fs::OpenOptions::new().write(true).open(place.path("kept.json")).is_ok() {
        // Whoever may write everything may write this, too.
        return run(&place, &["--report", "json=kept.json"]).with(0, &[], &[]);
    }
    run(&place, &["--report", "json=kept.json"]).with(
        2,
        &[],
        &["cannot write the report kept.json: permission denied"],
    );
    assert_eq!(place.read("kept.json"), "kept");
}

#[cfg(unix)]
#[test]
fn two_reports_to_one_file_are_a_mistake_whatever_it_is_called() {
    let place = passing();
    std::os::unix::fs::symlink("x.json", place.path("link.json")).unwrap();
    std::os::unix::fs::symlink("directory", place.path("folder")).unwrap();
    let absolute = place.path("x.json").display().to_string();
    for (one, other) in [
        ("x.json", "x.json"),
        ("x.json", "./x.json"),
        ("x.json", "directory/../x.json"),
        ("x.json", "link.json"),
        ("x.json", absolute.as_str()),
        ("directory/x.json", "folder/x.json"),
    ] {
        let (one, other) = (format!("junit={one}"), format!("tap={other}"));
        run(&place, &["--report", &one, "--report", &other]).with(2, &[], &["two outputs go to"]);
    }
    assert!(!place.path("ran").exists());
}

#[test]
fn only_people_and_annotations_share_standard_output() {
    let place = passing();
    for one in formats() {
        for other in formats() {
            let ended = run(&place, &["--report", one, "--report", other]);
            let may = [one, other] == ["human", "github"] || [one, other] == ["github", "human"];
            let (code, told, complaint) =
                if may { (0, "1 case: 1 passed", "") } else { (2, "", "two outputs go to standard output") };
            ended.with(code, &[told], &[complaint]);
        }
    }
    let three = ["--report", "human", "--report", "github", "--report", "json"];
    run(&place, &three).with(2, &[], &["two outputs go to standard output"]);
}

#[cfg(unix)]
#[test]
fn standard_output_has_other_names_too() {
    let place = passing();
    let both = ["--report", "human", "--report", "json=/dev/stdout"];
    run(&place, &both).with(2, &[], &["two outputs go to /dev/stdout"]);
    run(&place, &["--report", "json=/dev/stdout"]).with(0, &["\"version\":1"], &[]);
    let redirected = |report: &str, file: &str| {
        let file = std::fs::File::create(place.path(file)).unwrap();
        let mut command = place.command(&["run", "a.spec.json", "--report", "human", "--report", report]);
        Ended::from(command.stdout(file).stderr(Stdio::piped()).output().unwrap())
    };
    redirected("json=out.txt", "out.txt").with(2, &[], &["two outputs go to out.txt"]);
    redirected("json=other.txt", "out.txt").with(0, &[], &[]);
    let mut command =
        place.command(&["run", "a.spec.json", "--report", "human", "--report", "json=/dev/null"]);
    assert!(command.stdout(Stdio::null()).status().unwrap().success(), "what nobody reads may be both");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_loses_neither_the_exit_code_nor_another_report() {
    let passing = passing();
    for format in formats() {
        let full = format!("{format}=/dev/full");
        let others = ["--report", &full, "--report", "human", "--report", "json=whole.json"];
        let told = "cannot write the report /dev/full: no space left on device";
        // Annotations tell nothing of what passed, and what is not written cannot be lost.
        let (code, complaints) = if format == "github" { (0, vec![]) } else { (2, vec![told]) };
        run(&passing, &others).with(code, &["1 case: 1 passed"], &complaints);
        let whole: Value = serde_json::from_str(&passing.read("whole.json")).unwrap();
        assert_eq!(whole["summary"]["passed"], 1);
        let failing = failing();
        run(&failing, &others).with(1, &["FAIL A", "1 case: 1 failed"], &[told]);
        assert_eq!(failing.files(), ["a.spec.json", "whole.json"]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn all_that_is_missing_is_told() {
    let place = failing();
    let full = ["--report", "junit=/dev/full", "--save-baseline", "/dev/full", "--journal", "/dev/full"];
    run(&place, &full[..4]).with(2, &[], &["two outputs go to /dev/full"]);
    run(&place, &["--save-baseline", "/dev/full"]).with(1, &["1 failed"], &["cannot write the baseline"]);
    run(&place, &["--journal", "/dev/full"]).with(1, &["1 failed"], &["cannot write the journal"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_report_that_grows_too_large_is_no_half_report() {
    let bad = "{\"status\": \"error\"}\n".repeat(2000);
    let place = Place::with(&[("q.json", r#"{"status": "success"}"#), ("r.jsonl", &bad)]);
    for format in ["json", "jsonl", "junit", "tap"] {
        // No file may have more than 8 KiB, and whoever writes on is sent a signal that ends a process that does not expect it.
        let script =
            format!("ulimit -f 8; exec \"$0\" check q.json r.jsonl --report human --report {format}=big");
        let mut command = Command::new("bash");
        command.args(["-c", &script]).arg(assert_cmd::cargo::cargo_bin!("probative"));
        command.current_dir(place.path("")).env_remove("GITHUB_ACTIONS");
        let ended = Ended::from(command.output().unwrap());
        ended.with(1, &["2000 subjects: 2000 failed"], &["cannot write the report big: file too large"]);
        assert_eq!(place.files(), ["q.json", "r.jsonl"], "{format}");
    }
}

#[test]
fn what_cases_read_and_agents_are_is_not_overwritten() {
    let place = Place::with(&[]);
    place.run(&["init"]).with(0, &[], &[]);
    place.write("read.spec.json", br#"{"id": "R", "type": "text.file", "path": "read.txt", "assert": []}"#);
    place.write("read.txt", b"text");
    for file in ["agent.sh", "./read.txt", "probative.toml", "specs/agent.spec.md"] {
        let before = place.read(file);
        let arguments = ["run", "specs/agent.spec.md", "read.spec.json", "--report", &format!("json={file}")];
        place.run(&arguments).with(2, &[], &["would overwrite an input"]);
        assert_eq!(place.read(file), before);
    }
}

/// A file may have several names (hard links): appending to one changes them all.
#[test]
fn what_is_read_is_not_overwritten_by_another_of_its_names() {
    let place = Place::with(&[
        ("probative.toml", ""),
        (
            "a.spec.json",
            r#"[{"id": "R", "type": "text.file", "path": "read.txt", "assert": []}, {"id": "H", "type": "api.http", "request": {"method": "GET", "url": "body.json"}, "assert": []}, {"id": "E", "type": "agent.response", "file": "envelope.json", "assert": []}]"#,
        ),
        ("envelope.json", r#"{"response_file": "response.json"}"#),
        ("response.json", "{}"),
        ("read.txt", "text"),
        ("body.json", "{}"),
        ("q.json", r#"{"status": "success"}"#),
        ("r.json", r#"{"status": "success"}"#),
        ("saved.json", r#"{"version":1,"cases":[]}"#),
    ]);
    let refused = |file: &str, arguments: &[&str]| {
        let before = place.read(file);
        for link in ["hard", "soft"] {
            match link {
                "hard" => std::fs::hard_link(place.path(file), place.path(link)).unwrap(),
                _ => std::os::unix::fs::symlink(place.path(file), place.path(link)).unwrap(),
            }
            let arguments: Vec<String> = arguments.iter().map(|word| word.replace("LINK", link)).collect();
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            place.run(&arguments).with(2, &[], &[link, "would overwrite an input"]);
            std::fs::remove_file(place.path(link)).unwrap();
        }
        assert_eq!(place.read(file), before);
    };
    let inputs = ["a.spec.json", "read.txt", "body.json", "envelope.json", "response.json"];
    for file in inputs.into_iter().chain(["probative.toml", "saved.json"]) {
        let run = ["run", "a.spec.json", "--baseline", "saved.json"];
        refused(file, &[&run[..], &["--journal", "LINK"]].concat());
        refused(file, &[&run[..], &["--report", "json=LINK"]].concat());
        // A baseline may be replaced by a newer one.
        if file != "saved.json" {
            refused(file, &[&run[..], &["--save-baseline", "LINK"]].concat());
        }
    }
    refused("a.spec.json", &["conformance", "a.spec.json", "--out", "LINK"]);
    for file in ["q.json", "r.json"] {
        refused(file, &["check", "q.json", "r.json", "--report", "jsonl=LINK"]);
    }
}

#[test]
fn reports_to_files_alone_leave_a_line_for_people() {
    let place = Place::with(&[]);
    place.run(&["init"]).with(0, &[], &[]);
    let ended = place.run(&["run", "--no-timings", "--report", "json=a.json", "--report", "tap=a.tap"]);
    assert_eq!((ended.code, &*ended.stdout, &*ended.stderr), (0, "", "2 cases: 2 passed\n"));
    let ended = place.run(&["run", "--report", "json", "--report", "tap=a.tap"]);
    assert_eq!((ended.code, &*ended.stderr), (0, ""));
}

#[test]
fn a_list_has_no_commands_for_a_runner() {
    let place = Place::with(&[(
        "a.spec.json",
        r#"{"id": "::error file=x::pwn", "type": "text.file", "assert": []}"#,
    )]);
    let list = || place.command(&["run", "a.spec.json", "--list"]);
    let told = |output: std::process::Output| String::from_utf8(output.stdout).unwrap();
    assert!(told(list().output().unwrap()).starts_with("::error "));
    assert!(told(list().env("GITHUB_ACTIONS", "true").output().unwrap()).starts_with(":\\u003aerror "));
}

#[cfg(target_os = "linux")]
#[test]
fn a_standard_output_that_is_full_is_told_and_one_that_is_closed_is_not_wanted() {
    let passing = passing();
    let script = |rest: &str| {
        let probative = assert_cmd::cargo::cargo_bin!("probative").display().to_string();
        let mut shell = Command::new("sh");
        shell
            .args(["-c", &format!("exec {probative} run a.spec.json {rest}")])
            .current_dir(passing.path("."));
        Ended::from(shell.output().unwrap())
    };
    let told = "probative: cannot write the report to standard output: no space left on device";
    script("> /dev/full").with(2, &[], &[told]);
    script(">&-").with(0, &[], &[]);
}

/// Nobody sees the report, but a failure is a failure also if it comes after the write that failed.
#[cfg(target_os = "linux")]
#[test]
fn a_standard_output_that_is_full_leaves_the_exit_code_of_a_failure() {
    let good = "{\"status\": \"success\"}\n".repeat(5000);
    let health = r#"[{"id": "A", "type": "text.file", "assert_health": {"mode": "error"}, "assert": [{"target": "text", "must": [{"contain": ["", "x"]}]}]}]"#;
    let place = Place::with(&[
        ("q.json", r#"{"status": "success"}"#),
        ("r.jsonl", &format!("{good}{{\"status\": \"error\"}}\n")),
        ("good.json", r#"{"steps": []}"#),
        ("health.spec.json", health),
    ]);
    let case = |id: usize, word: &str| serde_json::json!({"id": format!("{id:04}"), "type": "text.file", "path": "good.json", "assert": [{"target": "text", "must": [{"contain": [word]}]}]});
    let cases: Vec<Value> = (0..1000).map(|id| case(id, "steps")).chain([case(1000, "absent")]).collect();
    place.write("cases.spec.json", Value::from(cases).to_string().as_bytes());
    let full = |code: i32, arguments: &[&str]| {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let ended = Ended::from(place.command(arguments).stdout(full).output().unwrap());
        ended.with(code, &[], &["cannot write", "no space left on device"]);
    };
    for format in Format::ALL {
        let report = ["--report", format.name()];
        full(1, &[&["check", "q.json", "r.jsonl"], &report[..]].concat());
        full(1, &[&["run", "cases.spec.json"], &report[..]].concat());
    }
    full(1, &["lint", "health.spec.json"]);
    for command in ["show", "convert"] {
        full(2, &[command, "good.json", "nowhere.json"]);
    }
}
