//! Habits of a command line: how much is printed, in which colors, and hints at what was not read.

mod cases;
mod place;

use cases::fence;
use place::Place;

fn case(id: &str, word: &str) -> String {
    fence(&format!(
        "id: {id}\ntype: text.file\ntitle: about {id}\nassert: [{{target: text, {word}: [{{contain: [spec-test]}}]}}]"
    ))
}

/// A case that passes, one that is skipped, and one that fails unless it is left out.
fn place(is_failing: bool) -> Place {
    let skipped =
        fence("id: SKIP-1\ntype: text.file\nrequires: {capabilities: [time.travel], when_missing: skip}");
    let failing = if is_failing { case("FAIL-1", "cannot") } else { String::new() };
    Place::with(&[("a.spec.md", &[case("PASS-1", "must"), skipped, failing].concat())])
}

#[test]
fn quiet_prints_what_did_not_pass() {
    for flag in ["-q", "--quiet"] {
        let ended = place(false).run(&["run", flag]);
        assert_eq!((ended.code, &*ended.stdout, &*ended.stderr), (0, "", ""));
        let ended = place(true).run(&["run", flag]);
        ended.with(1, &["FAIL FAIL-1", "3 cases: 1 passed, 1 failed, 1 skipped"], &[]);
        assert_eq!(ended.stderr, "");
    }
    // Nothing judged is no success.
    place(true).run(&["run", "-q", "--case", "SKIP-1"]).with(2, &["nothing was judged"], &[]);
    // A report in another format says what it always does.
    let ended = place(false).run(&["run", "-q", "--report", "tap"]);
    ended.with(0, &["ok - PASS-1"], &[]);
    let ended = place(false).run(&["run", "-q", "--report", "json=a.json"]);
    assert_eq!((ended.code, &*ended.stdout, &*ended.stderr), (0, "", ""));
    let place = place(false);
    place.write("probative.toml", b"quiet = true\n");
    assert_eq!(place.run(&["run"]).stdout, "");
    place.run(&["run", "--verbose"]).with(0, &["PASS PASS-1"], &[]);
    place.run(&["run", "--quiet", "--verbose"]).with(2, &[], &["cannot be used with"]);
}

#[test]
fn quiet_leaves_out_what_fails_nothing() {
    let idle = "id: IDLE\ntype: agent.trajectory\ntrajectory: {steps: []}\n\
                assert: [{target: trajectory, must: [{tool_not_called: [refund]}]}]";
    let place = Place::with(&[("a.spec.md", &fence(idle)), ("below/b.spec.md", &case("B", "must"))]);
    place.run(&["run"]).with(0, &["never exercised"], &["hint: "]);
    let ended = place.run(&["run", "-q"]);
    assert_eq!((ended.code, &*ended.stdout, &*ended.stderr), (0, "", ""));
    place.run(&["run", "-q", "--strict"]).with(1, &["never exercised"], &[]);
}

#[test]
fn verbose_lists_every_result_with_its_time() {
    for flag in ["-v", "--verbose"] {
        let ended = place(true).run(&["run", flag]);
        ended.with(
            1,
            &["PASS PASS-1  about PASS-1  a.spec.md:2", "SKIP SKIP-1  a.spec.md:", "time.travel"],
            &[],
        );
        let line = ended.stdout.lines().find(|line| line.starts_with("PASS")).unwrap();
        assert!(line.ends_with(" ms"), "{line}");
        let order =
            ["PASS PASS-1", "SKIP SKIP-1", "FAIL FAIL-1"].map(|head| ended.stdout.find(head).unwrap());
        assert!(order.is_sorted(), "{order:?}");
    }
    let ended = place(true).run(&["run", "-v", "--no-timings"]);
    ended.with(1, &["PASS PASS-1  about PASS-1  a.spec.md:2\n"], &[]);
    assert!(!place(true).run(&["run"]).stdout.contains("PASS PASS-1"));
    // Nothing is left out because there are many of it.
    let cases: String = (0..30).map(|number| case(&format!("F-{number}"), "cannot")).collect();
    let ended = Place::with(&[("a.spec.md", &cases)]).run(&["run", "-v"]);
    assert_eq!(ended.stdout.matches("FAIL F-").count(), 30);
    let place = Place::with(&[("q.yaml", "status: ok\n"), ("r.json", "{\"status\": \"ok\"}")]);
    place.run(&["check", "q.yaml", "r.json", "-v"]).with(0, &["PASS r.json", "1 subject: 1 passed"], &[]);
}

#[test]
fn color_decides_whatever_the_environment_says() {
    let has_color = |arguments: &[&str], variable: &str| {
        let place = place(true);
        let output = place.command(arguments).env(variable, "1").output().unwrap();
        (output.stdout.contains(&0x1b), output.stderr.contains(&0x1b))
    };
    assert_eq!(has_color(&["run", "--color", "always"], "NO_COLOR"), (true, false));
    assert_eq!(has_color(&["run", "--color=never"], "CLICOLOR_FORCE"), (false, false));
    assert_eq!(has_color(&["run", "--color=auto"], "NO_COLOR"), (false, false));
    assert_eq!(has_color(&["run", "--color=auto"], "CLICOLOR_FORCE"), (true, false));
    assert_eq!(has_color(&["--color", "always", "explain", "claims"], "NO_COLOR"), (true, false));
    // Also for help and for what is wrong with the words themselves.
    assert_eq!(has_color(&["run", "--color=always", "--help"], "NO_COLOR"), (true, false));
    assert_eq!(has_color(&["run", "--help", "--color=never"], "CLICOLOR_FORCE"), (false, false));
    assert_eq!(has_color(&["run", "--color=always", "--rnu"], "NO_COLOR"), (false, true));
    assert_eq!(has_color(&["run", "--color=never", "--rnu"], "CLICOLOR_FORCE"), (false, false));
    place(true).run(&["run", "--color=blue"]).with(2, &[], &["invalid value 'blue'", "auto, always, never"]);
    // A file has none.
    let place = place(true);
    place.run(&["run", "--color=always", "--report", "human=out.txt"]).with(1, &[], &[]);
    assert!(!place.read("out.txt").contains('\u{1b}'));
}

#[test]
fn what_was_not_searched_is_hinted_at() {
    let place = place(false);
    place.write("below/b.spec.md", case("B-1", "must").as_bytes());
    let hint = "hint: 1 spec file in subdirectories was not read; use -r\n";
    for command in [&["run"][..], &["run", "--list"], &["lint"]] {
        let ended = place.run(command);
        assert_eq!((ended.code, &*ended.stderr), (0, hint), "{command:?}");
    }
    place.write("below/deeper/c.tests.json", b"{}");
    place.write("below/d.spec.yaml", b"");
    place.run(&["run"]).with(0, &[], &["hint: 2 spec files in subdirectories were not read; use -r\n"]);
    assert_eq!(place.run(&["run", "a.spec.md"]).stderr, "");
    place.write("b.spec.yaml", b"");
    place.write("c.spec.yml", b"");
    let read = "hint: 2 *.spec.yaml files were not read; use --formats md,tests,yaml\n";
    place.run(&["run"]).with(0, &[], &[read]);
    let nowhere = Place::with(&[("specs/a.spec.md", &case("A", "must"))]);
    let told = "no *.spec.md or *.tests.json in this directory; use -r to search below it";
    nowhere.run(&["run"]).with(2, &[told], &["hint: 1 spec file in subdirectories"]);
    nowhere.run(&["run", "-r"]).with(0, &["1 passed"], &[]);
}

#[test]
fn full_cuts_nothing() {
    let long = "0123456789".repeat(30);
    let run = format!(
        r#"{{"input": "{long}", "final_output": "{long}", "steps": [{{"step_type": "tool_call", "tool_name": "search",
            "tool_args": {{"q": "{long}"}}, "tool_result": "{long}"}}]}}"#
    );
    let place = Place::with(&[("run.json", &run)]);
    assert_eq!(place.run(&["show", "run.json"]).stdout.matches(&long).count(), 0);
    let full = place.run(&["show", "run.json", "--full"]);
    assert_eq!((full.code, full.stdout.matches(&long).count()), (0, 4), "{full:?}");
    place.run(&["show", "run.json", "--full", "--brief"]).with(2, &[], &["cannot be used with"]);
}
