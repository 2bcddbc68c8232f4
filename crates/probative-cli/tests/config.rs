//! `probative.toml`, `PROBATIVE_*` and flags: which of them holds, and what is said of mistakes.

mod place;

use place::{Ended, Place};

/// Five cases in two documents, one below the other's directory; one of them fails.
fn project(config: &str) -> Place {
    let case = |id: &str, word: &str| {
        format!(
            "```yaml spec-test\nid: {id}\ntype: text.file\nassert: [{{target: text, {word}: [{{contain: [spec-test]}}]}}]\n```\n\n"
        )
    };
    let cases = ["A-1", "A-2", "B-1"].map(|id| case(id, "must")).concat();
    Place::with(&[
        ("a.spec.md", &cases),
        ("docs/b.spec.md", &(case("C-1", "must") + &case("C-2", "cannot"))),
        ("docs/deep/keep", ""),
        ("probative.toml", config),
    ])
}

/// Runs it with variables set.
fn with(place: &Place, arguments: &[&str], variables: &[(&str, &str)]) -> Ended {
    place.command(arguments).envs(variables.iter().copied()).output().unwrap().into()
}

/// Runs it in a directory below.
fn below(place: &Place, directory: &str, arguments: &[&str]) -> Ended {
    place.command(arguments).current_dir(place.path(directory)).output().unwrap().into()
}

/// The ids that are listed.
fn ids(ended: &Ended) -> Vec<&str> {
    assert_eq!(ended.code, 0, "{ended:#?}");
    ended.stdout.lines().filter_map(|line| line.split_whitespace().next()).collect()
}

#[test]
fn flags_stand_over_the_environment_and_that_over_the_file() {
    // A text.
    let place = project("filter = \"A-\"\n");
    assert_eq!(ids(&place.run(&["run", "--list"])), ["A-1", "A-2"]);
    assert_eq!(ids(&with(&place, &["run", "--list"], &[("PROBATIVE_FILTER", "B-")])), ["B-1"]);
    assert_eq!(
        ids(&with(&place, &["run", "--list", "--filter", "A-2"], &[("PROBATIVE_FILTER", "B-")])),
        ["A-2"]
    );
    // What is set to nothing is not set.
    assert_eq!(ids(&with(&place, &["run", "--list"], &[("PROBATIVE_FILTER", "")])), ["A-1", "A-2"]);

    // A list.
    let place = project("report = [\"json=file.json\", \"jsonl\"]\nno_timings = true\n");
    assert_eq!(place.run(&["run"]).json_lines().len(), 3);
    assert!(place.read("file.json").contains("\"total\":3"), "{}", place.read("file.json"));
    std::fs::remove_file(place.path("file.json")).unwrap();
    let ended = with(&place, &["run"], &[("PROBATIVE_REPORT", "human, json=variable.json")]);
    ended.with(0, &["3 passed"], &[]);
    assert!(place.read("variable.json").contains("\"total\":3"));
    place.run(&["run", "--report", "json=flag.json"]).with(0, &[], &[]);
    assert_eq!(
        place.files(),
        ["a.spec.md", "docs", "flag.json", "probative.toml", "variable.json"],
        "only what holds is written"
    );
}

#[test]
fn a_number_is_the_default_of_its_flag() {
    let case = r#"{"id": "A", "type": "agent.response", "input": {"status": "ok"}, "harness": {"agent": "counting"},
        "assert": [{"must": [{"status": ["ok"]}]}]}"#;
    let config = "trials = 2\n[agents.counting]\ncommand = \"sh -c 'echo x >> count; cat'\"\n";
    let trials = |arguments: &[&str], variables: &[(&str, &str)]| {
        let place = Place::with(&[("a.spec.json", case), ("probative.toml", config)]);
        with(&place, &[&["run", "a.spec.json"], arguments].concat(), variables).with(0, &[], &[]);
        place.read("count").lines().count()
    };
    assert_eq!(trials(&[], &[]), 2);
    assert_eq!(trials(&[], &[("PROBATIVE_TRIALS", "3")]), 3);
    assert_eq!(trials(&["--trials", "4"], &[("PROBATIVE_TRIALS", "3")]), 4);
}

#[test]
fn a_switch_can_be_taken_back() {
    let place = project("recursive = true\n");
    let all = ["A-1", "A-2", "B-1", "C-1", "C-2"];
    let here = &all[..3];
    assert_eq!(ids(&place.run(&["run", "--list"])), all);
    assert_eq!(ids(&place.run(&["run", "--list", "--recursive"])), all);
    assert_eq!(ids(&place.run(&["run", "--list", "--recursive=true"])), all);
    assert_eq!(ids(&place.run(&["run", "--list", "--recursive=false"])), here);
    assert_eq!(ids(&with(&place, &["run", "--list"], &[("PROBATIVE_RECURSIVE", "no")])), here);
    assert_eq!(ids(&with(&place, &["run", "--list", "-r"], &[("PROBATIVE_RECURSIVE", "0")])), all);
    let place = project("");
    assert_eq!(ids(&with(&place, &["run", "--list"], &[("PROBATIVE_RECURSIVE", "1")])), all);
    assert_eq!(
        ids(&with(&place, &["run", "--list", "--recursive=false"], &[("PROBATIVE_RECURSIVE", "1")])),
        here
    );
    // Short flags together, and words that are none of ours.
    assert_eq!(ids(&place.run(&["run", "--list", "-rj2"])), all);
    place.run(&["run", "--recursive=maybe"]).with(2, &[], &["unexpected value 'maybe' for '--recursive'"]);
    place.run(&["run", "-r", "--recursive=false"]).with(
        2,
        &[],
        &["'--recursive' and '--recursive=false' cannot be used together"],
    );
    place.run(&["run", "--", "--recursive=false"]).with(
        2,
        &["ERROR --recursive=false\n  cannot be read"],
        &[],
    );
    with(&place, &["run"], &[("PROBATIVE_JOBS", "0")]).with(
        2,
        &[],
        &["PROBATIVE_JOBS: '0': 0 is not in 1..=1024"],
    );
    let ended = with(&place, &["run"], &[("PROBATIVE_RECURSIVE", "perhaps")]);
    ended.with(2, &[], &["PROBATIVE_RECURSIVE: 'perhaps': value was not a boolean"]);
}

#[test]
fn paths_are_meant_from_where_the_file_stands() {
    let config = "paths = [\"docs\", \"a.spec.md\"]\nreport = [\"json=out.json\", \"human\"]\njournal = \"docs/journal.jsonl\"\nsave_baseline = \"base.json\"\n";
    let place = project(config);
    let ended = below(&place, "docs/deep", &["run", "--fail-fast=false"]);
    ended.with(1, &["4 passed", "../../docs/b.spec.md"], &[]);
    assert!(place.read("out.json").contains("\"total\":5"));
    assert_eq!(place.read("docs/journal.jsonl").lines().count(), 5);
    assert!(place.path("base.json").exists());
    // Words on the command line, and in the environment, are meant from where one stands.
    below(&place, "docs", &["run", "b.spec.md", "--report", "json=here.json"]).with(1, &[], &[]);
    assert!(place.read("docs/here.json").contains("\"total\":2"));
    let mut command = place.command(&["run", "--list"]);
    let ended: Ended =
        command.current_dir(place.path("docs")).env("PROBATIVE_PATHS", "b.spec.md").output().unwrap().into();
    assert_eq!(ids(&ended), ["C-1", "C-2"]);
    // At the root they stay as they are written.
    place.run(&["lint"]).with(0, &[], &[]);
    place.run(&["run"]).with(1, &[" docs/b.spec.md"], &[]);
}

#[test]
fn the_file_at_the_root_counts_and_no_other() {
    let place = project("filter = \"A-1\"\n");
    place.write("docs/.git", b"");
    assert_eq!(ids(&below(&place, "docs", &["run", "--list"])), ["C-1", "C-2"]);
    place.write("docs/deep/probative.toml", b"filter = \"C-2\"\n");
    assert_eq!(ids(&below(&place, "docs/deep", &["run", "..", "--list"])), ["C-2"]);
}

#[test]
fn a_mistake_is_told_with_its_place_before_anything_runs() {
    for (config, told) in [
        (
            "jbos = 4\n",
            &["unknown key 'jbos'; did you mean 'jobs'?", "--> probative.toml:1:1", "1 | jbos = 4"][..],
        ),
        ("\n\njobs = \"4\"\n", &["jobs: expected an integer, found '4'", "--> probative.toml:3:8"]),
        ("jobs = 0\n", &["jobs: 0 is not in 1..=1024", "--> probative.toml:1:8"]),
        ("formats = [\"md\", \"mdx\"]\n", &["unknown format 'mdx'", "--> probative.toml:1:18"]),
        (
            "fail_on = \"never\"\n",
            &["fail_on: expected one of failure, regression", "--> probative.toml:1:11"],
        ),
        ("filter = \"/(/\"\n", &["filter: ", "--> probative.toml:1:10"]),
        ("report = [\"human\", \"xml=a\"]\n", &["unknown report format 'xml'", "--> probative.toml:1:20"]),
        ("budget = -1\n", &["budget: invalid digit", "--> probative.toml:1:10"]),
        (
            "agent = \"a\"\nresponses = \"r\"\n",
            &["responses: cannot be used with agent", "--> probative.toml:2:13"],
        ),
        ("jobs = \n", &["--> probative.toml:1:8"]),
        ("agents = 3\njobs = 0", &["--> probative.toml:2:8"]),
        ("\u{1b}[31m = 1\n", &["probative.toml:1:2: key with no value"]),
    ] {
        let place = project(config);
        let ended = place.run(&["run", "--report", "json=out.json"]);
        ended.with(2, &[], told);
        assert_eq!(ended.stdout, "", "{config}");
        assert!(!ended.stderr.contains('\u{1b}'), "{ended:?}");
        assert!(!place.path("out.json").exists());
        // What is said of the command line comes first, and what reads no file is not in its way.
        place.run(&["run", "--help"]).with(0, &["Usage: probative run"], &[]);
        place.run(&["run", "--jbos"]).with(2, &[], &["unexpected argument '--jbos'"]);
        place.run(&["explain", "status"]).with(0, &["status"], &[]);
    }
    let place = project("");
    place.write("probative.toml", b"jobs = 4 # \xff\n");
    place.run(&["lint"]).with(2, &[], &["probative.toml:1: not UTF-8"]);
    std::fs::remove_file(place.path("probative.toml")).unwrap();
    std::fs::create_dir(place.path("probative.toml")).unwrap();
    place.run(&["lint"]).with(2, &[], &["probative.toml: not a file"]);
}

#[test]
fn what_excludes_a_default_stands_over_it() {
    let suite = r#"{"agent": "echo", "version": "1", "description": "", "test_suites": {"s": {"name": "s", "tests":
        [{"id": "ONE", "input": {"status": "asked"}, "expect": {"status": "asked"}}]}}}"#;
    let config = "responses = \"recorded\"\n[agents.echo]\ncommand = \"cat\"\n";
    let place = Place::with(&[
        ("a.tests.json", suite),
        ("recorded/ONE.json", "{\"status\": \"recorded\"}"),
        ("probative.toml", config),
    ]);
    place.run(&["run"]).with(1, &["recorded"], &[]);
    place.run(&["run", "--agent", "echo"]).with(0, &["1 passed"], &[]);
    with(&place, &["run"], &[("PROBATIVE_AGENT", "echo")]).with(0, &["1 passed"], &[]);
    let both = [("PROBATIVE_AGENT", "echo"), ("PROBATIVE_RESPONSES", "recorded")];
    with(&place, &["run"], &both).with(2, &[], &["PROBATIVE_RESPONSES: cannot be used with PROBATIVE_AGENT"]);
    with(&place, &["run", "--agent", "echo"], &both).with(0, &["1 passed"], &[]);
    place.run(&["run", "--agent", "echo", "--responses", "recorded"]).with(2, &[], &["cannot be used with"]);
}

#[test]
fn a_variable_that_names_no_flag_is_warned_of() {
    let place = project("");
    let variables = [("PROBATIVE_JBOS", "4"), ("PROBATIVE_OTHER\u{1b}", "1")];
    let ended = with(&place, &["run"], &variables);
    ended.with(
        0,
        &["3 passed"],
        &[
            "warning: ignoring unknown variable PROBATIVE_JBOS; did you mean PROBATIVE_JOBS?",
            "warning: ignoring unknown variable PROBATIVE_OTHER",
        ],
    );
    assert!(!ended.stderr.contains('\u{1b}'), "{ended:?}");
    assert_eq!(with(&place, &["explain"], &variables).stderr, "");
}

#[test]
fn every_command_takes_what_its_flags_are_called() {
    let place = project(
        "recursive = true\ntrace_format = \"native\"\nbrief = true\nto = \"native\"\ninput = \"json\"\n",
    );
    place.write("q.yaml", b"status: ok\n");
    place.write("seen/r.json", b"{\"status\": \"ok\"}");
    place.run(&["check", "q.yaml", "seen"]).with(0, &["1 passed"], &[]);
    place.run(&["check", "q.yaml", "seen", "--recursive=false"]).with(2, &[], &[]);
    place.run(&["show", "seen"]).with(0, &["ok"], &[]);
}

#[test]
fn the_page_about_it_shows_what_is_so() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/config.md");
    let page = std::fs::read_to_string(page).unwrap();
    let block = |language: &str| {
        let rest = page.split(&format!("```{language}\n")).nth(1).unwrap();
        rest.split("```").next().unwrap()
    };
    let place = project(block("toml"));
    std::fs::create_dir_all(place.path("specs")).unwrap();
    std::fs::create_dir_all(place.path("target")).unwrap();
    place.run(&["run"]).with(2, &["docs/b.spec.md"], &[]);
    assert!(
        place.read("target/results.json").contains("\"total\":3"),
        "two cases, and a directory without any"
    );
    let place = project("jbos = 4\n");
    assert_eq!(place.run(&["run"]).stderr, block("text"));
}
