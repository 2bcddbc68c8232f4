//! What leaves its process group does not outlive its case, and not the run.

use std::time::Duration;

use std::process::Stdio;

use serde_json::{Value, json};

use super::cases::{each, exit_code, is_gone, shell, signal, written};
use super::{command, left_behind, place_with, processes_of, run, soon};

/// Ways to leave the group of a case, by a process that writes its number to a file and would run for ten minutes.
const WAYS: [(&str, &str); 5] = [
    ("SESSION", "setsid sleep 600 & echo $! > pid"),
    ("GROUP", "timeout 600 sleep 600 & echo $! > pid"),
    ("TWICE", "(setsid sh -c 'setsid sleep 600 & echo $! > pid' &) ; until [ -s pid ]; do sleep 0.01; done"),
    // Its parent is in the group, and dies only when that is killed.
    ("BELOW", "sh -c 'setsid sleep 600 & echo $! > pid; sleep 600' & until [ -s pid ]; do sleep 0.01; done"),
    (
        "STUBBORN",
        "setsid sh -c 'trap \"\" TERM HUP INT; echo $$ > pid; while :; do sleep 60; done' & until [ -s pid ]; do sleep 0.01; done",
    ),
];

/// Leaves the group, and ends its first thread before the other one.
const LEADERLESS: &str = r#"
import ctypes, os, threading, time
os.setsid()
def outlive():
    while ") Z " not in open(f"/proc/{os.getpid()}/stat").read():
        time.sleep(0.005)
    with open("pid", "w") as file:
        file.write(f"{os.getpid()}\n")
    time.sleep(600)
threading.Thread(target=outlive).start()
ctypes.CDLL(None).syscall(60 if os.uname().machine == "x86_64" else 93, 0)
"#;

/// Starts that, and waits until its first thread has ended.
const LEAVES_LEADERLESS: &str = "python3 leaderless.py & until [ -s pid ]; do sleep 0.01; done";

/// Returns true if a thread of a process has not ended.
fn has_live_thread(pid: &str) -> bool {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let stats = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("stat")).ok());
    stats.into_iter().any(|stat| !stat.contains(") Z ") && !stat.contains(") X "))
}

#[test]
fn who_leaves_the_group_and_lost_its_first_thread_ends_with_the_case() {
    let gone = "kill -0 $(cat pid) && exit 1; exit 0";
    let place = place_with(&json!([shell("LEAVES", LEAVES_LEADERLESS), shell("GONE", gone)]));
    place.write("leaderless.py", LEADERLESS.as_bytes());
    let results = run(&place, &["-j", "1", "--report", "jsonl"]).json_lines();
    assert_eq!(each(&results, "status"), ["pass", "pass"], "{results:#?}");
    assert!(!has_live_thread(&written(&place.path("pid"))));
}

#[test]
fn who_forgets_whose_it_is_and_lost_its_first_thread_ends_with_the_run() {
    let forgetful = LEAVES_LEADERLESS.replace("python3", "env -i /usr/bin/env python3");
    let place = place_with(&shell("FORGETFUL", &forgetful));
    place.write("leaderless.py", LEADERLESS.as_bytes());
    assert_eq!(run(&place, &[]).code, 0);
    assert!(!has_live_thread(&written(&place.path("pid"))));
}

#[test]
fn if_the_runner_is_killed_who_lost_its_first_thread_ends_too() {
    let place = place_with(&shell("LEAVES", &format!("{LEAVES_LEADERLESS}; sleep 600")));
    place.write("leaderless.py", LEADERLESS.as_bytes());
    let mut child = command(&place, &[]).spawn().unwrap();
    let pid = written(&place.path("pid"));
    assert!(has_live_thread(&pid));
    signal("KILL", child.id());
    assert_eq!(exit_code(&mut child), None);
    assert!(soon(20, || !has_live_thread(&pid)));
}

/// A case that leaves the group in a way, and one that passes if it is gone.
fn left_in(way: &str, script: &str) -> [Value; 2] {
    let (left, gone) = (script.replace("pid", way), format!("kill -0 $(cat {way}) && exit 1; exit 0"));
    [shell(way, &left), shell(&format!("{way}-GONE"), &gone)]
}

#[test]
fn who_leaves_the_group_ends_with_the_case() {
    let cases: Vec<Value> = WAYS.iter().flat_map(|(way, script)| left_in(way, script)).collect();
    let place = place_with(&cases.into());
    let ended = run(&place, &["-j", "1", "--report", "jsonl"]);
    let results = ended.json_lines();
    assert_eq!(each(&results, "status"), ["pass"; 10], "{results:#?}");
    assert_eq!(processes_of(&place), [""; 0]);
    assert_eq!(left_behind(&place), [""; 0]);
}

#[test]
fn who_leaves_the_group_ends_with_the_case_whatever_else_runs() {
    // While one case runs all the time, and has left the group itself.
    let busy = "(setsid sleep 600 & echo $! > daemon); until [ -e done ]; do sleep 0.02; done; kill -0 $(cat daemon)";
    let others = WAYS.iter().map(|(way, script)| {
        let script = script.replace("pid", way);
        shell(way, &format!("until [ -s daemon ]; do sleep 0.01; done; {script}"))
    });
    let gone: Vec<String> =
        WAYS.iter().map(|(way, _)| format!("kill -0 $(cat {way}) && echo {way} >> alive")).collect();
    let last = format!("{}; touch done; test ! -e alive", gone.join("; "));
    let cases: Vec<Value> =
        std::iter::once(shell("BUSY", busy)).chain(others).chain([shell("LAST", &last)]).collect();
    let place = place_with(&cases.into());
    let results = run(&place, &["-j", "2", "--report", "jsonl"]).json_lines();
    assert_eq!(each(&results, "status"), ["pass"; 7], "{results:#?}");
    assert!(is_gone(&written(&place.path("daemon"))));
}

#[test]
fn who_forgets_whose_it_is_ends_with_the_run() {
    let forgetful = "env -i setsid sleep 600 & echo $! > pid; sleep 0.1";
    let place = place_with(&json!([shell("FORGETFUL", forgetful), shell("NEXT", "true")]));
    assert_eq!(run(&place, &[]).code, 0);
    assert!(is_gone(&written(&place.path("pid"))));
}

#[test]
fn what_a_hook_has_started_lives_as_long_as_the_case() {
    let mut served = shell("SERVED", "kill -0 $(cat server)");
    served["harness"]["hook_before"] = "sh -c 'setsid sleep 600 & echo $! > server'".into();
    let place = place_with(&json!([served, shell("LATER", "kill -0 $(cat server) && exit 1; exit 0")]));
    let results = run(&place, &["-j", "1", "--report", "jsonl"]).json_lines();
    assert_eq!(each(&results, "status"), ["pass", "pass"], "{results:#?}");
}

#[test]
fn a_time_limit_and_an_interrupt_end_those_who_left_too() {
    let mut late = shell("LATE", "setsid sleep 600 & echo $! > late; wait");
    late["harness"]["timeout_ms"] = 300.into();
    let place = place_with(&json!([late, shell("CUT", "(setsid sleep 600 & echo $! > cut); sleep 600")]));
    let mut child = command(&place, &["-j", "1"]).spawn().unwrap();
    let (cut, late) = (written(&place.path("cut")), written(&place.path("late")));
    assert!(is_gone(&late));
    signal("TERM", child.id());
    assert_eq!(exit_code(&mut child), Some(130));
    assert!(is_gone(&cut));
}

#[test]
fn who_is_interrupted_once_too_often_leaves_nobody_either() {
    let stubborn = "trap '' TERM; (setsid sleep 600 &); echo 1 > ready; while :; do sleep 60; done";
    let place = place_with(&shell("STUBBORN", stubborn));
    let mut child = command(&place, &["--report", "json=out.json"]).spawn().unwrap();
    written(&place.path("ready"));
    for _ in 0..3 {
        signal("INT", child.id());
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(exit_code(&mut child), Some(130));
    assert!(soon(3, || processes_of(&place).is_empty()), "{:?}", processes_of(&place));
    assert!(soon(3, || left_behind(&place).is_empty()), "{:?}", left_behind(&place));
    assert!(!place.files().iter().any(|name| name.ends_with(".partial")), "{:?}", place.files());
}

#[test]
fn who_has_ended_is_buried_while_the_case_still_runs() {
    let many = "for i in 1 2 3 4 5 6 7 8 9; do (setsid true &); done; sleep 0.1; \
                while [ -n \"$(cat /proc/$PPID/task/$PPID/children)\" ]; do sleep 0.05; done";
    let place = place_with(&super::cases::shell_within("MANY", many, 20_000));
    assert_eq!(run(&place, &[]).code, 0);
}

#[test]
fn if_the_runner_is_killed_those_who_left_end_too() {
    let cases: Vec<Value> = WAYS
        .iter()
        .map(|(way, script)| shell(way, &format!("{}; sleep 600", script.replace("pid", way))))
        .collect();
    let place = place_with(&cases.into());
    let mut child = command(&place, &["-j", "5"]).spawn().unwrap();
    let pids: Vec<String> = WAYS.iter().map(|(way, _)| written(&place.path(way))).collect();
    signal("KILL", child.id());
    assert_eq!(exit_code(&mut child), None);
    assert!(soon(3, || processes_of(&place).is_empty()), "{:?}", processes_of(&place));
    assert!(pids.iter().all(|pid| is_gone(pid)));
    assert!(soon(3, || left_behind(&place).is_empty()), "{:?}", left_behind(&place));
}

#[test]
fn a_runner_within_a_case_takes_its_own_with_it() {
    let inner =
        shell("INNER", "(setsid sleep 600 & echo $! > daemon); echo 1 > ready; sleep 600").to_string();
    let probative = assert_cmd::cargo::cargo_bin!("probative").display().to_string();
    let outer = format!(
        "{probative} run inner.spec.json & until [ -s ready ]; do sleep 0.01; done; kill -KILL $!; exit 0"
    );
    let gone = "kill -0 $(cat daemon) && exit 1; exit 0";
    let place = place_with(&json!([shell("OUTER", &outer), shell("GONE", gone)]));
    place.write("inner.spec.json", inner.as_bytes());
    let results = run(&place, &["-j", "1", "--report", "jsonl"]).json_lines();
    assert_eq!(each(&results, "status"), ["pass", "pass"], "{results:#?}");
    assert_eq!(processes_of(&place), [""; 0]);
}

#[test]
fn whatever_the_temp_directory_is_called_nobody_else_is_killed() {
    let place = place_with(&json!([shell("LEAVES", "setsid sleep 600 & echo $! > pid; sleep 600")]));
    let odd = place.path("tmp\n\nx");
    std::fs::create_dir(&odd).unwrap();
    let mut sleep = std::process::Command::new("sleep");
    sleep
        .arg("60")
        .current_dir("/")
        .env("HOME", place.path("tmp/"))
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut bystander = sleep.spawn().unwrap();
    let mut child = command(&place, &[]).env("TMPDIR", &odd).spawn().unwrap();
    let pid = written(&place.path("pid"));
    signal("KILL", child.id());
    assert_eq!(exit_code(&mut child), None);
    assert!(is_gone(&pid));
    assert!(soon(3, || std::fs::read_dir(&odd).unwrap().count() == 0));
    assert!(bystander.try_wait().unwrap().is_none());
    bystander.kill().unwrap();
    bystander.wait().unwrap();
}
