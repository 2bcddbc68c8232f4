//! `probative init`: a project that passes, and never at the expense of what is there.

mod place;

use std::path::Path;
use std::process::Command;

use place::Place;

const WRITTEN: [&str; 3] = ["agent.sh", "agent.spec.md", "probative.toml"];

#[test]
fn a_new_project_passes() {
    let place = Place::with(&[]);
    place.run(&["init"]).with(
        0,
        &["wrote agent.spec.md: ", "wrote agent.sh: ", "wrote probative.toml: ", "  probative run\n"],
        &[],
    );
    assert_eq!(place.files(), WRITTEN);
    place.run(&["run", "--strict"]).with(0, &["3 cases: 3 passed"], &[]);
    place.run(&["lint"]).with(0, &[], &[]);
}

/// The document says how to see a promise broken; what it says must be so.
#[test]
fn the_edit_that_the_document_tells_of_breaks_a_promise() {
    let place = Place::with(&[]);
    place.run(&["init"]).with(0, &[], &[]);
    let spec = place.read("agent.spec.md");
    assert!(spec.contains("in `agent.sh`, write `RF-2` for the `RF-1` in the\nmessage"), "{spec}");
    let edited = place.read("agent.sh").replace("refund RF-1.\"", "refund RF-2.\"");
    place.write("agent.sh", edited.as_bytes());
    let told = "the response says 'RF-2' (message), but 'refund' did not return {\"id\":\"RF-2\"}";
    place.run(&["run"]).with(1, &["a refund that it tells of was made", told, "1 failed"], &[]);
}

#[test]
fn a_directory_is_made_and_named_in_the_next_command() {
    let place = Place::with(&[]);
    place.run(&["init", "a/b"]).with(0, &["wrote a/b/agent.sh: ", "  probative run a/b\n"], &[]);
    place.run(&["run", "a/b"]).with(0, &["3 passed"], &[]);
    place.run(&["init", "it's new"]).with(0, &["  probative run -- 'it'\\''s new'\n"], &[]);
    place.run(&["run", "--", "it's new"]).with(0, &["3 passed"], &[]);
}

/// The root of a repository above it is not the root of the project.
#[test]
fn it_works_inside_a_repository() {
    let place = Place::with(&[(".git/HEAD", "ref: refs/heads/main\n")]);
    place.run(&["init", "agents/support"]).with(0, &[], &[]);
    place.run(&["run", "agents/support"]).with(0, &["3 passed"], &[]);
    place.run(&["run", "-r"]).with(0, &["3 passed"], &[]);
    place.run(&["init"]).with(0, &[], &[]);
    place.run(&["run"]).with(0, &["3 passed"], &[]);
}

#[test]
fn what_is_there_is_never_touched() {
    for (there, told) in [
        (&["agent.sh"][..], "refusing to overwrite agent.sh; nothing was written\n"),
        (
            &["probative.toml", "agent.spec.md"],
            "refusing to overwrite agent.spec.md, probative.toml; nothing was written\n",
        ),
    ] {
        let files: Vec<(&str, &str)> = there.iter().map(|name| (*name, "mine")).collect();
        let place = Place::with(&files);
        place.run(&["init"]).with(2, &[], &[told]);
        assert_eq!(place.files().len(), there.len());
        assert!(there.iter().all(|name| place.read(name) == "mine"));
    }
    let place = Place::with(&[("other.txt", "mine")]);
    place.run(&["init"]).with(0, &[], &[]);
    place.run(&["init"]).with(2, &[], &["refusing to overwrite agent.spec.md, agent.sh, probative.toml"]);
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_nowhere_is_there() {
    let place = Place::with(&[]);
    std::os::unix::fs::symlink("nowhere", place.path("agent.sh")).unwrap();
    place.run(&["init"]).with(2, &[], &["refusing to overwrite agent.sh"]);
    assert_eq!(place.files(), ["agent.sh"]);
}

#[test]
fn what_cannot_be_written_is_told() {
    let place = Place::with(&[("file", "")]);
    place.run(&["init", "file"]).with(2, &[], &["cannot write file: ", "nothing was written"]);
    place.run(&["init", "file/below"]).with(2, &[], &["cannot write file/below: "]);
    assert_eq!(place.files(), ["file"]);
    let odd = place.run(&["init", "file/\u{1b}[2J"]);
    odd.with(2, &[], &["cannot write file/"]);
    assert!(!odd.stderr.contains('\u{1b}'), "{odd:?}");
    // Nobody, not even root, makes files there.
    if Path::new("/proc/self").exists() {
        place.run(&["init", "/proc"]).with(2, &[], &["cannot write /proc/agent.spec.md: "]);
    }
}

/// Any Unix can run the agent: the shell's own syntax check takes it, and nothing but the standard is used in it.
#[test]
fn the_agent_needs_nothing_but_a_shell() {
    let place = Place::with(&[]);
    place.run(&["init"]).with(0, &[], &[]);
    let checked = Command::new("sh").args(["-n", "agent.sh"]).current_dir(place.path(".")).status().unwrap();
    assert!(checked.success());
    let agent = place.read("agent.sh");
    assert!(!agent.contains("[[") && !agent.contains("python") && agent.lines().count() < 35, "{agent}");
}
