//! Progress counts a case when it ends, not when its turn to be reported comes.

use std::sync::Mutex;

use probative::spec::{Format, Settings};
use probative_run::process::Stop;
use probative_run::{Environment, Event, Running, Selection, Sources, Suite, run};

/// The first case ends only when progress has counted the two behind it, one of which has trials.
const CASES: &str = r#"[
    {"id": "WAITS", "type": "cli.run", "argv": ["while [ ! -e counted ]; do sleep 0.01; done"],
     "harness": {"entrypoint": "sh -c", "cwd": "root", "timeout_ms": 20000}},
    {"id": "FAILS", "type": "cli.run", "exit_code": 3, "harness": {"entrypoint": "true"}},
    {"id": "TRIALS", "type": "agent.response", "input": {"status": "ok"}, "trials": {"n": 3},
     "harness": {"entrypoint": "cat"}, "assert": [{"target": "response", "must": [{"status": ["ok"]}]}]}
]"#;

#[test]
fn a_case_counts_when_it_ends() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("a.spec.json"), CASES).unwrap();
    let paths = vec![place.path().join("a.spec.json")];
    let sources = Sources { paths, recursive: false, formats: vec![Format::Json] };
    let suite = Suite::load(&sources, &Settings::default(), 2);
    let finished = Mutex::new(Vec::new());
    let watch = |event: Event<'_>| {
        if let Event::Finished { failed } = event {
            let mut finished = finished.lock().unwrap();
            finished.push(failed);
            if finished.len() == 2 {
                std::fs::write(place.path().join("counted"), "").unwrap();
            }
        }
    };
    let (selection, environment) = (Selection::default(), Environment::of_this_process().unwrap());
    let stop = Stop::new().unwrap();
    let running = Running { progress: Some(&watch), ..Running::plainly(&selection, &environment, 2, &stop) };
    let summary = run(&suite, &running, &mut []);
    assert_eq!((summary.total, summary.passed, summary.failed), (3, 2, 1));
    // The failure was known before its turn came.
    assert_eq!(*finished.lock().unwrap(), [true, false, false]);
}
