//! Too few files may be open, or too few processes be there.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use super::cases::{each, shell};
use super::place::{Ended, Place};
use super::{left_behind, place_with};

/// Runs the cases of a place below limits that a shell sets.
fn limited(place: &Place, limits: &str, arguments: &str) -> Ended {
    let probative = assert_cmd::cargo::cargo_bin!("probative").display().to_string();
    let script = format!("{limits}; exec {probative} run a.spec.json {arguments}");
    let mut command = Command::new("sh");
    command.args(["-c", &script]).current_dir(place.path(".")).env("XDG_CACHE_HOME", place.cache());
    command.env("TMPDIR", place.path("tmp")).output().unwrap().into()
}

#[test]
fn five_thousand_cases_with_64_jobs_and_64_files() {
    let case = |number: usize| match number % 40 {
        0 => {
            let mut case = shell(&format!("C-{number}"), "cat");
            case["harness"]["stdin_text"] = json!(format!("in {number}"));
            case["assert"] = json!([{"target": "stdout", "must": [{"contain": [format!("in {number}")]}]}]);
            case
        }
        5 => {
            let mut case = shell(&format!("C-{number}"), "cat file; test -t 0");
            case["harness"]["stdin_isatty"] = true.into();
            case["harness"]["cwd"] = "temp".into();
            case["harness"]["setup_files"] = json!([{"path": "file", "text": "written"}]);
            case["assert"] = json!([{"target": "stdout", "must": [{"contain": ["written"]}]}]);
            case
        }
        10 => shell(&format!("C-{number}"), "exit 1"),
        15 => json!({"id": format!("C-{number}"), "type": "cli.run", "harness": {"entrypoint": "true"}}),
        _ => {
            json!({"id": format!("C-{number}"), "type": "text.file", "path": "a.txt", "assert": [{"target": "text", "must": [{"contain": ["A"]}]}]})
        }
    };
    let cases: Vec<Value> = (0..5000).map(case).collect();
    let place = place_with(&cases.into());
    place.write("a.txt", b"A");
    let ended =
        limited(&place, "ulimit -n 64", "-j 64 --report jsonl --journal j.jsonl --report junit=out.xml");
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    let results = ended.json_lines();
    let wrong: Vec<&Value> = results
        .iter()
        .enumerate()
        .filter(|(number, result)| result["status"] != if number % 40 == 10 { "fail" } else { "pass" })
        .map(|(_, result)| &result["message"])
        .collect();
    assert!(
        results.len() == 5000 && wrong.is_empty(),
        "{} of {}: {:?}",
        wrong.len(),
        results.len(),
        wrong.first()
    );
    assert!(
        ended.stderr.contains("cases at once instead of 64: the limit on open files is too low"),
        "{}",
        ended.stderr
    );
    assert_eq!(left_behind(&place), [""; 0]);
}

#[test]
fn where_not_even_one_case_has_enough_files_that_is_said() {
    let place = place_with(&json!([shell("A", "true"), shell("B", "true")]));
    let told = |files: usize| limited(&place, &format!("ulimit -n {files}"), "-j 8 --report jsonl");
    assert_eq!(told(40).code, 0);
    let (files, ended) =
        (5..40).rev().map(|files| (files, told(files))).find(|(_, ended)| ended.code != 0).unwrap();
    assert_eq!(ended.code, 1, "{files}: {ended:#?}");
    let why = format!("too many open files: ulimit -n allows {files}");
    let results = ended.json_lines();
    assert!(results.iter().all(|result| result["message"].as_str().unwrap().contains(&why)), "{results:#?}");
    let ended = told(6);
    assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{ended:#?}");
    let why = "probative: cannot listen for interrupts: too many open files: ulimit -n allows 6\n";
    assert_eq!(ended.stderr, why);
}

/// Runs the cases of a place where so many threads and processes may be there. There is no limit for the superuser, who becomes
/// another user here.
fn with_processes(place: &Place, processes: usize, jobs: usize) -> Ended {
    run_with_processes(place, "a.spec.json", processes, jobs)
}

fn run_with_processes(place: &Place, document: &str, processes: usize, jobs: usize) -> Ended {
    static USERS: AtomicUsize = AtomicUsize::new(0);
    for name in [".", "tmp"] {
        std::fs::set_permissions(place.path(name), std::fs::Permissions::from_mode(0o777)).unwrap();
    }
    // A fresh user id, so that no other user's processes count.
    let user = 100_000 + 64 * std::process::id() as usize + USERS.fetch_add(1, Ordering::Relaxed);
    let other = if is_root() {
        format!("setpriv --reuid={user} --clear-groups --inh-caps=-all")
    } else {
        String::new()
    };
    let probative = assert_cmd::cargo::cargo_bin!("probative").display().to_string();
    let script = format!(
        "exec {other} prlimit --nproc={processes} {probative} run {document} -j {jobs} --report jsonl"
    );
    let mut command = Command::new("sh");
    command.args(["-c", &script]).current_dir(place.path(".")).env("TMPDIR", place.path("tmp"));
    command.env("XDG_CACHE_HOME", place.path("tmp/cache")).output().unwrap().into()
}

fn is_root() -> bool {
    std::fs::read_to_string("/proc/self/status").unwrap().contains("Uid:\t0\t")
}

#[test]
fn where_not_even_a_thread_may_be_started_that_is_said() {
    let place = place_with(&shell("A", "true"));
    let ended = with_processes(&place, 1, 1);
    ended.with(2, &[], &["cannot listen for interrupts: resource temporarily unavailable"]);
    assert!(!ended.stderr.contains("panicked"), "{ended:#?}");
}

#[test]
fn where_no_process_may_be_started_that_is_said_and_fewer_threads_will_do() {
    if !is_root() {
        // How many threads and processes somebody else already has nobody knows: only a user who has none can be given a number.
        return;
    }
    let place = place_with(&json!([shell("A", "true"), shell("B", "true")]));
    // The main thread, the one that listens, the one that runs cases; and no other thread before.
    let ended = with_processes(&place, 3, 1);
    ended.with(1, &["can't start more processes; ulimit -u allows 3"], &[]);
    assert!(!ended.stderr.contains("panicked"), "{ended:#?}");
    // As many as there may be run cases, and their processes are waited for.
    let ended = with_processes(&place, 12, 8);
    assert_eq!(
        (ended.code, each(&ended.json_lines(), "status")),
        (0, vec!["pass".to_owned(); 2]),
        "{ended:#?}"
    );
}

/// Checks that most cases passed and none failed. On a machine where others start many processes, some may be left open.
fn assert_passed_or_inconclusive(results: &[Value], limit: usize) {
    let unsure = format!("ulimit -u allows {limit}");
    let is_unsure = |result: &&Value| {
        result["status"] == "error" && result["message"].as_str().is_some_and(|why| why.contains(&unsure))
    };
    let (passed, others): (Vec<&Value>, Vec<&Value>) =
        results.iter().partition(|result| result["status"] == "pass");
    assert!(passed.len() > others.len(), "{others:#?}");
    assert_eq!(others.iter().find(|result| !is_unsure(result)), None);
}

#[test]
fn children_that_cannot_start_processes_are_not_judged() {
    if !is_root() {
        return;
    }
    let pipeline = "test \"$(echo a | cat | cat | cat)\" = a";
    let cases: Vec<Value> = (0..58).map(|at| shell(&format!("C-{at}"), pipeline)).collect();
    let place = place_with(&cases.into());
    // Fewer run at once, and who lacks something runs alone.
    let ended = with_processes(&place, 20, 8);
    assert_passed_or_inconclusive(&ended.json_lines(), 20);
    assert!(
        ended
            .stderr
            .contains("at once instead of 8: the limit on processes is too low; raise it with ulimit -u"),
        "{ended:#?}"
    );
    // Not even one of them alone: that is the machine's error.
    let place = place_with(&json!([shell("A", pipeline), shell("B", pipeline)]));
    let ended = with_processes(&place, 7, 8);
    let results = ended.json_lines();
    assert_eq!((ended.code, each(&results, "status")), (1, vec!["error".to_owned(); 2]), "{ended:#?}");
    assert_eq!(each(&results, "category"), ["runtime", "runtime"], "{results:#?}");
    assert!(results.iter().all(|result| result["message"].as_str().unwrap().contains("ulimit -u allows 7")));
}

/// An agent that catches its own failure to start processes and answers all the same, as well-behaved agents do.
#[test]
fn agents_that_cannot_start_processes_are_not_judged() {
    if !is_root() {
        return;
    }
    let agent = r#"if test "$(echo a | cat | cat | cat)" = a; then echo '{"status": "success"}'; else echo '{"status": "error"}'; fi"#;
    let tests: Vec<Value> = (0..12)
        .map(|at| json!({"id": format!("S-{at}"), "name": "s", "input": {}, "expect": {"status": "success"}}))
        .collect();
    let suite = json!({"agent": "shell", "test_suites": {"all": {"name": "all", "tests": tests}}});
    let cases: Vec<Value> = (0..12)
        .map(|at| {
            json!({"id": format!("C-{at}"), "type": "agent.response", "harness": {"entrypoint": "./agent.sh"},
                "assert": [{"target": "response", "must": [{"status": ["success"]}]}]})
        })
        .collect();
    let place = place_with(&cases.into());
    place.write("s.tests.json", suite.to_string().as_bytes());
    place.write("probative.toml", b"[agents.shell]\ncommand = './agent.sh'\n");
    place.write("agent.sh", format!("#!/bin/sh\n{agent}\n").as_bytes());
    std::fs::set_permissions(place.path("agent.sh"), std::fs::Permissions::from_mode(0o755)).unwrap();
    for document in ["a.spec.json", "s.tests.json"] {
        let ended = run_with_processes(&place, document, 20, 8);
        assert_passed_or_inconclusive(&ended.json_lines(), 20);
        let ended = run_with_processes(&place, document, 7, 8);
        let results = ended.json_lines();
        assert_eq!((ended.code, each(&results, "status")), (1, vec!["error".to_owned(); 12]), "{ended:#?}");
        let is_explained =
            |result: &&Value| result["message"].as_str().unwrap().contains("ulimit -u allows 7");
        assert_eq!(results.iter().find(|result| !is_explained(result)), None);
    }
}

/// A shell that cannot fork exits with 2 and prints nothing, which is just what these cases want.
#[test]
fn passes_without_enough_processes_are_errors() {
    if !is_root() {
        return;
    }
    let mut exits = shell("EXITS", "x=$(echo a | cat | cat | cat); exit 0");
    exits["exit_code"] = 2.into();
    let mut silent = shell("SILENT", "x=$(echo secret | cat | cat | cat); echo \"$x\"");
    silent["assert"] = json!([{"target": "stdout", "cannot": [{"contain": ["secret"]}]}]);
    silent.as_object_mut().unwrap().remove("exit_code");
    let place = place_with(&json!([exits, silent]));
    let ended = with_processes(&place, 900, 8);
    assert_eq!(each(&ended.json_lines(), "status"), ["fail", "fail"], "{ended:#?}");
    let ended = with_processes(&place, 7, 8);
    assert_eq!(each(&ended.json_lines(), "status"), ["error", "error"], "{ended:#?}");
}

#[test]
fn a_failure_with_processes_to_spare_is_one() {
    if !is_root() {
        return;
    }
    let place = place_with(&json!([shell("A", "exit 1"), shell("B", "true")]));
    let ended = with_processes(&place, 900, 8);
    assert_eq!(each(&ended.json_lines(), "status"), ["fail", "pass"], "{ended:#?}");
}

#[test]
fn with_little_memory_fewer_cases_run_at_once() {
    let cases: Vec<Value> = (0..80).map(|at| shell(&format!("C-{at}"), "echo a | cat")).collect();
    let place = place_with(&cases.into());
    for kibibytes in [200_000, 300_000, 600_000] {
        let ended = limited(&place, &format!("ulimit -v {kibibytes}"), "-j 500 --report jsonl");
        assert_eq!(ended.code, 0, "{kibibytes}: {ended:#?}");
        assert_eq!(each(&ended.json_lines(), "status"), vec!["pass"; 80], "{kibibytes}");
        let told = "at once instead of 500: the limit on memory is too low; raise it with ulimit -v";
        assert!(ended.stderr.contains(told), "{kibibytes}: {}", ended.stderr);
    }
}

#[test]
fn without_memory_it_ends_with_2() {
    let large = json!([{"id": "A", "type": "text.file", "path": "large.txt", "assert": [{"target": "text", "must": [{"contain": ["b"]}]}]}]);
    let place = place_with(&large);
    place.write("large.txt", "a".repeat(40 << 20).as_bytes());
    let mut ends = Vec::new();
    for kibibytes in (20_000..140_000).step_by(10_000) {
        let ended = limited(&place, &format!("ulimit -v {kibibytes}"), "-j 1 --report jsonl");
        // Below what the program itself takes, the system cannot start it.
        if ended.stderr.contains("memory allocation of") {
            assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{kibibytes}: {ended:#?}");
            ends.push(kibibytes);
        }
    }
    assert!(!ends.is_empty(), "it always had enough");
}
