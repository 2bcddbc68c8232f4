//! Disks that are full, and files that may not grow.

use std::process::Command;

use serde_json::{Value, json};

use super::cases::{each, shell};
use super::place::{Ended, Place};
use super::{left_behind, place_with, processes_of};

/// More results than are kept in memory, and one that needs room of its own.
fn place() -> Place {
    let read = |number: usize| {
        let purpose = format!("so that this result takes more room than others, {}", "and more ".repeat(20));
        json!({"id": format!("READ-{number}"), "type": "text.file", "path": "a.txt",
               "assert": [{"target": "text", "must": [{"contain": [purpose]}]}]})
    };
    let mut roomy = shell("ROOMY", "wc -c < big.txt");
    roomy["harness"]["cwd"] = "temp".into();
    roomy["harness"]["setup_files"] = json!([{"path": "big.txt", "text": "x".repeat(200_000)}]);
    let mut python = json!({"id": "PYTHON", "type": "cli.run", "harness": {"entrypoint": "os:getcwd"}});
    python["assert"] = json!([]);
    let cases = (0..2000).map(read).chain([roomy, shell("MODEST", "echo hello"), python]);
    let place = place_with(&cases.collect());
    place.write("a.txt", b"A");
    std::fs::create_dir(place.path("full")).unwrap();
    place.write("full/out.json", b"old");
    place
}

/// Runs all cases after a script has made room scarce: everything is written to `full`, but what goes to standard output.
fn run(place: &Place, scarce: &str) -> Ended {
    let probative = assert_cmd::cargo::cargo_bin!("probative").display().to_string();
    let reports =
        "--report jsonl --report json=full/out.json --report junit=full/out.xml --report html=/dev/full";
    let script = format!(
        "{scarce}\nTMPDIR=$PWD/full exec {probative} run a.spec.json {reports} --journal full/j.jsonl"
    );
    let mut command = Command::new("bash");
    command
        .args(["-c", &script])
        .current_dir(place.path("."))
        .env("XDG_CACHE_HOME", place.path("full/cache"));
    command.output().unwrap().into()
}

fn assert_told(ended: &Ended, why: &str) {
    assert!(!ended.stderr.contains("panicked"), "{}", ended.stderr);
    let results = ended.json_lines();
    let (read, rest) = results.split_at(2000);
    assert!(read.iter().all(|result| result["status"] == "fail"));
    assert_eq!(each(rest, "id"), ["ROOMY", "MODEST", "PYTHON"]);
    let message = rest[0]["message"].as_str().unwrap();
    assert!(message.contains(&format!("cannot write setup file big.txt: {why}")), "{message}");
    assert_eq!((&rest[0]["status"], &rest[1]["status"]), (&json!("error"), &json!("pass")), "{rest:#?}");
    ended.with(
        1,
        &[],
        &[
            &format!("cannot write the report full/out.json: {why} in the temporary directory"),
            &format!("cannot write the report full/out.xml: {why}"),
            "cannot write the report /dev/full: ",
            &format!("cannot write the journal full/j.jsonl: {why}"),
        ],
    );
}

#[test]
fn files_that_may_not_grow_are_told_and_leave_nothing_in_part() {
    let place = place();
    let ended = run(&place, "ulimit -f 64");
    assert_told(&ended, "file too large");
    assert_ne!(ended.json_lines()[2002]["status"], "error");
    assert_eq!(place.read("full/out.json"), "old");
    let mut names: Vec<_> =
        std::fs::read_dir(place.path("full")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["cache", "j.jsonl", "out.json"]);
    // What the journal has no room for is cut, and what comes next stands on a line of its own.
    let cut = place.read("full/j.jsonl");
    assert!(!cut.ends_with('\n'));
    let arguments = ["run", "a.spec.json", "--filter", "MODEST", "--journal", "full/j.jsonl"];
    place.run(&arguments).with(0, &[], &[]);
    let journal = place.read("full/j.jsonl");
    let unread = journal.lines().filter(|line| serde_json::from_str::<Value>(line).is_err());
    assert_eq!(unread.collect::<Vec<_>>(), [cut.lines().last().unwrap()]);
    assert_eq!((left_behind(&place), processes_of(&place)), (vec![], vec![]));
}

#[test]
fn a_full_disk_is_told_and_has_nothing_in_part() {
    let place = place();
    let fill = "mount -t tmpfs -o size=64k none full 2> /dev/null || exit 99\n\
                cat /dev/zero > full/fill 2> /dev/null\nchmod 700 full";
    let script =
        format!("unshare -rm sh -c {} full", shlex::try_quote(&format!("{fill}\nexec \"$@\"")).unwrap());
    // The rest of the script runs where the disk is mounted.
    let ended = run(&place, &format!("[ -e full/fill ] || exec {script} bash -c \"$BASH_EXECUTION_STRING\""));
    if ended.code == 99 || ended.stderr.contains("unshare failed") {
        println!("nothing can be mounted here; files that may not grow stand for a full disk");
        return;
    }
    assert_told(&ended, "no space left on device");
    let python = ended.json_lines()[2002]["message"].to_string();
    assert!(python.contains("cannot prepare Python: no space left on device"), "{python}");
    assert_eq!(processes_of(&place), [""; 0]);
}
