//! `probative init`: a project that passes, and never at the expense of what is there.

mod place;

use std::path::Path;
use std::process::Command;

use place::Place;

/// Every language, with the agent that is written in it, and how its comment says to break it.
const AGENTS: [(&str, &str, &str, &str); 3] = [
    ("sh", "agent.sh", "message\": \"Your refund RF-1", "message\": \"Your refund RF-2"),
    (
        "python",
        "agent.py",
        "receipt = call(messages, refund, order=request[\"order\"], amount=order[\"price\"])",
        "receipt = {\"id\": \"RF-1\"}",
    ),
    (
        "typescript",
        "agent.mjs",
        "const receipt = call(messages, \"refund\", { order: request.order, amount: order.price });",
        "const receipt = { id: \"RF-1\" };",
    ),
];

#[test]
fn a_new_project_passes() {
    for (language, agent, ..) in AGENTS {
        let place = Place::with(&[]);
        let wrote = format!("wrote {agent}: ");
        place.run(&["init", "--lang", language]).with(
            0,
            &["wrote specs/agent.spec.md: ", &wrote, "wrote probative.toml: ", "Next:\n\n  probative run\n"],
            &[],
        );
        assert_eq!(place.files(), [agent, "probative.toml", "specs"]);
        place.run(&["run"]).with(0, &["2 cases: 2 passed"], &[]);
        place.run(&["lint"]).with(0, &["2 cases: 0 errors, 0 findings"], &[]);
    }
    let place = Place::with(&[]);
    place.run(&["init"]).with(0, &["wrote agent.sh: "], &[]);
    place.run(&["init", "--lang", "cobol"]).with(2, &[], &["invalid value 'cobol'", "python"]);
}

/// Each agent has a comment that says how to see the case fail.
#[test]
fn the_edit_that_the_agent_suggests_breaks_the_case() {
    for (language, agent, before, after) in AGENTS {
        let place = Place::with(&[]);
        place.run(&["init", "--lang", language]).with(0, &[], &[]);
        assert!(place.read("specs/agent.spec.md").contains(&format!("marked `TRY` in `{agent}`")));
        let text = place.read(agent);
        let suggested = if language == "sh" { "TRY: change RF-1 to RF-2 in \"message\"" } else { after };
        assert!(text.contains("TRY: ") && text.contains(suggested) && text.contains(before), "{text}");
        place.write(agent, text.replace(before, after).as_bytes());
        let named = "every refund it announces was made";
        place.run(&["run"]).with(1, &[named, "but 'refund'", "1 failed"], &[]);
    }
}

/// Without a path, `run` and `lint` look where `probative.toml` says, from anywhere in the project.
#[test]
fn the_project_is_run_from_below_as_well() {
    let place = Place::with(&[]);
    place.run(&["init"]).with(0, &[], &[]);
    place.write(
        "specs/more/b.spec.md",
        place.read("specs/agent.spec.md").replace("SUPPORT", "MORE").as_bytes(),
    );
    place.write("src/keep", b"");
    for command in ["run", "lint"] {
        let mut command = place.command(&[command]);
        let ended: place::Ended = command.current_dir(place.path("src")).output().unwrap().into();
        ended.with(0, &["4 cases: "], &[]);
    }
}

#[test]
fn a_directory_is_made_and_named_in_the_next_command() {
    let place = Place::with(&[]);
    place.run(&["init", "a/b"]).with(0, &["wrote a/b/agent.sh: ", "  cd a/b\n  probative run\n"], &[]);
    place.run(&["run", "a/b", "-r"]).with(0, &["2 passed"], &[]);
    place.run(&["init", "it's new"]).with(0, &["  cd -- 'it'\\''s new'\n  probative run\n"], &[]);
    place.run(&["run", "-r", "--", "it's new"]).with(0, &["2 passed"], &[]);
}

/// The root of a repository above it is not the root of the project.
#[test]
fn it_works_inside_a_repository() {
    let place = Place::with(&[(".git/HEAD", "ref: refs/heads/main\n")]);
    place.run(&["init", "agents/support"]).with(0, &[], &[]);
    place.run(&["run", "agents/support", "-r"]).with(0, &["2 passed"], &[]);
    place.run(&["run", "-r"]).with(0, &["2 passed"], &[]);
    place.run(&["init"]).with(0, &[], &[]);
    place.run(&["run"]).with(0, &["2 passed"], &[]);
}

#[test]
fn what_is_there_is_never_touched() {
    for (there, told) in [
        (&["agent.sh"][..], "refusing to overwrite agent.sh; nothing was written\n"),
        (
            &["probative.toml", "specs/agent.spec.md"],
            "refusing to overwrite specs/agent.spec.md, probative.toml; nothing was written\n",
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
    place.run(&["init"]).with(
        2,
        &[],
        &["refusing to overwrite specs/agent.spec.md, agent.sh, probative.toml"],
    );
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
        place.run(&["init", "/proc"]).with(2, &[], &["cannot write /proc/specs: "]);
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
    assert!(!agent.contains("[[") && !agent.contains("python") && agent.lines().count() < 45, "{agent}");
}
