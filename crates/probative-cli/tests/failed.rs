//! `run --failed`: what did not pass last time.

mod cases;
mod place;

use std::path::{Path, PathBuf};

use cases::{each, exit_code, fence, shell, signal, written};
use place::Place;
use serde_json::{Value, json};

/// A case that passes if a file holds `yes`.
fn asks(id: &str, file: &str) -> String {
    fence(&format!(
        "id: {id}\ntype: text.file\npath: {file}\nassert: [{{target: text, must: [{{contain: ['yes']}}]}}]"
    ))
}

/// Three cases, of which the last two do not pass: one fails, one errs.
fn place() -> Place {
    let place = Place::with(&[
        ("a.spec.md", &[asks("GOOD", "good.txt"), asks("BAD", "bad.txt")].concat()),
        ("sub/b.spec.md", &asks("LOST", "lost.txt")),
        ("good.txt", "yes"),
        ("bad.txt", "no"),
    ]);
    std::fs::create_dir(place.path(".git")).unwrap();
    place
}

fn ids(place: &Place, arguments: &[&str]) -> Vec<String> {
    let all = [&["run", "-r", "--failed"], arguments].concat();
    each(&place.results(&all), "id")
}

/// The one file that is kept.
fn state(place: &Place) -> PathBuf {
    let directory = place.cache().join("probative/failed");
    let mut entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let file = entries.next().unwrap();
    assert_eq!(entries.next(), None);
    file
}

#[test]
fn only_what_did_not_pass_is_run_until_it_does() {
    let place = place();
    assert_eq!(place.run(&["run", "-r"]).code, 1);
    place.run(&["run", "-r", "--list", "--failed"]).with(0, &["BAD\ttext.file\ta.spec.md:"], &[]);
    assert_eq!(ids(&place, &[]), ["BAD", "LOST"]);
    place.write("bad.txt", b"yes");
    assert_eq!(ids(&place, &[]), ["BAD", "LOST"]);
    assert_eq!(ids(&place, &[]), ["LOST"]);
    place.write("sub/lost.txt", b"yes");
    assert_eq!(ids(&place, &[]), ["LOST"]);
    for arguments in [&["run", "-r", "--failed"][..], &["run", "-r", "--failed", "--list"]] {
        let ended = place.run(arguments);
        ended.with(2, &[], &["probative: no case failed last time\n"]);
        assert_eq!(ended.stdout, "");
    }
}

#[test]
fn it_is_known_from_any_directory_of_the_root_and_combines_with_what_else_chooses() {
    let place = place();
    assert_eq!(place.run(&["run", "-r"]).code, 1);
    assert_eq!(ids(&place, &["sub"]), ["LOST"]);
    assert_eq!(ids(&place, &["--filter", "BAD"]), ["BAD"]);
    place.run(&["run", "-r", "--failed", "--case", "GOOD"]).with(
        2,
        &[],
        &["none of the 2 cases that failed last time is selected"],
    );
    let mut below = place.command(&["run", "--failed", "--list"]);
    let listed = below.current_dir(place.path("sub")).output().unwrap();
    assert!(String::from_utf8(listed.stdout).unwrap().starts_with("LOST\t"));
    // What is not selected stays.
    place.write("bad.txt", b"yes");
    assert_eq!(place.run(&["run", "a.spec.md"]).code, 0);
    assert_eq!(ids(&place, &[]), ["LOST"]);
    std::fs::remove_dir_all(place.path("sub")).unwrap();
    place.run(&["run", "-r", "--failed"]).with(2, &[], &["no case failed last time"]);
}

#[test]
fn where_nothing_was_run_that_is_said() {
    let place = place();
    place.run(&["run", "-r", "--failed"]).with(
        2,
        &[],
        &["probative: nothing has run in /", "without --failed"],
    );
    // Nothing was judged, so nothing was run.
    assert_eq!(place.run(&["run", "-r", "--filter", "nothing"]).code, 2);
    place.run(&["run", "-r", "--failed"]).with(2, &[], &["nothing has run in /"]);
    assert_eq!(place.run(&["run", "--case", "GOOD"]).code, 0);
    place.run(&["run", "-r", "--failed"]).with(2, &[], &["no case failed last time"]);
}

#[test]
fn what_is_written_wrongly_failed_until_it_is_written_well() {
    let place = place();
    place.write(
        "a.spec.md",
        &[asks("GOOD", "good.txt").as_bytes(), b"```yaml spec-test\nid: [\n```\n"].concat(),
    );
    assert_eq!(place.run(&["run"]).code, 2);
    place.write("a.spec.md", [asks("GOOD", "good.txt"), asks("NEW", "bad.txt")].concat().as_bytes());
    assert_eq!(ids(&place, &["a.spec.md"]), ["GOOD", "NEW"]);
    assert_eq!(ids(&place, &["a.spec.md"]), ["NEW"]);
}

#[test]
fn nothing_is_written_where_nothing_changes() {
    use std::os::unix::fs::MetadataExt as _;
    let place = place();
    let inode = |file: &Path| std::fs::metadata(file).unwrap().ino();
    assert_eq!(place.run(&["run", "-r"]).code, 1);
    let file = state(&place);
    let kept: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let root = place.path("").canonicalize().unwrap();
    let failed = json!({"a.spec.md": ["BAD"], "sub/b.spec.md": ["LOST"]});
    assert_eq!(kept, json!({"version": 1, "root": root.to_str().unwrap(), "failed": failed}));
    let before = inode(&file);
    assert_eq!(place.run(&["run", "-r"]).code, 1);
    assert_eq!(inode(&file), before);
    place.write("bad.txt", b"yes");
    assert_eq!(place.run(&["run", "-r"]).code, 1);
    assert_ne!(inode(&state(&place)), before);
}

#[test]
fn a_cache_that_cannot_be_had_changes_no_result() {
    let place = place();
    std::fs::write(place.cache().join("probative"), "in the way").unwrap();
    let ended = place.run(&["run", "-r"]);
    ended.with(1, &["BAD"], &[]);
    assert_eq!(ended.stderr, "");
    let told = "no record of what failed last time: ";
    place.run(&["run", "-r", "--failed"]).with(2, &[], &[told]);
    let homeless = |arguments: &[&str]| -> place::Ended {
        place.command(arguments).env_remove("XDG_CACHE_HOME").env_remove("HOME").output().unwrap().into()
    };
    assert_eq!(homeless(&["run", "-r"]).stderr, "");
    homeless(&["run", "-r", "--failed"]).with(
        2,
        &[],
        &[told, "no cache directory; set XDG_CACHE_HOME or HOME"],
    );
}

#[test]
fn a_state_that_is_none_is_told_and_replaced() {
    let place = place();
    assert_eq!(place.run(&["run", "-r"]).code, 1);
    let file = state(&place);
    std::fs::write(&file, [0xff, 0, 0x1b]).unwrap();
    place.run(&["run", "-r", "--failed"]).with(2, &[], &["no record of what failed last time", "is invalid"]);
    assert_eq!(place.run(&["run", "-r"]).code, 1);
    assert_eq!(ids(&place, &[]), ["BAD", "LOST"]);
}

#[test]
fn of_an_interrupted_run_what_ended_counts() {
    let slow = shell("SLOW", "echo $$ > started; sleep 600");
    let cases = json!([shell("FAILS", "exit 1"), slow, shell("NEXT", "exit 1")]);
    let place = Place::with(&[("a.spec.json", &cases.to_string())]);
    let mut child = place.start(&["run", "a.spec.json", "-j", "1"]);
    written(&place.path("started"));
    signal("INT", child.id());
    assert_eq!(exit_code(&mut child), Some(130));
    let listed = place.run(&["run", "a.spec.json", "--list", "--failed"]);
    assert!(listed.stdout.starts_with("FAILS\t") && listed.stdout.lines().count() == 1, "{listed:#?}");
}
