//! Runs as subjects: read from a trace, with what it could not say, and shown to people.

use probative::exhibit::{Extent, Marks, Panel, Showing};
use probative::trajectory::{Run, Scope, Step, Trajectory, losses};
use probative::verdict::{Part, Pointed};
use probative::{TrajectoryAssertion, Vocabulary as _};
use serde_json::json;

fn run() -> Trajectory<'static> {
    Trajectory { steps: vec![Step::tool_call("look", json!({"at": 5}))], ..Trajectory::default() }
}

#[test]
fn a_run_of_a_trace_is_looked_at_in_the_scope_that_is_asked_for() {
    let own = TrajectoryAssertion::from_run(run(), &Scope::Itself).unwrap();
    assert_eq!((own.subject.call_count(), own.warnings), (1, vec![]));
    let nobodys = TrajectoryAssertion::from_run(run(), &Scope::Agent("helper".to_owned())).unwrap();
    assert_eq!(nobodys.subject.call_count(), 0);
    assert_eq!(nobodys.warnings, ["no step belongs to agent 'helper'"]);
    let helped =
        Trajectory { steps: vec![Step::llm_call("m"), Step::llm_call("m").by("helper", 1)], ..run() };
    let warnings = |name: &str| {
        TrajectoryAssertion::from_run(helped.clone(), &Scope::Agent(name.to_owned())).unwrap().warnings
    };
    assert_eq!(warnings("helper"), Vec::<String>::new());
    assert_eq!(warnings("helpr"), ["no step belongs to agent 'helpr'; did you mean 'helper'?"]);
}

#[test]
fn totals_that_contradict_the_steps_are_warned_of() {
    let totals = r#""total_cost": 0, "total_tokens": 10, "llm_calls": 1"#;
    let step =
        r#"{"step_type": "llm_call", "model": "m", "prompt_tokens": 9, "completion_tokens": 1, "cost": 5}"#;
    let warnings = |steps: &[&str]| {
        let run = format!(r#"{{"steps": [{}], {totals}}}"#, steps.join(", "));
        let read = TrajectoryAssertion::read(run.as_bytes(), &Scope::Itself).unwrap();
        let traced =
            TrajectoryAssertion::from_run(read.subject.trajectory().clone(), &Scope::Itself).unwrap();
        assert_eq!(traced.warnings, read.warnings);
        read.warnings
    };
    assert_eq!(warnings(&[]), [""; 0]);
    assert_eq!(warnings(&[step]), ["the recorded total_cost (0) is less than the sum over the steps (5)"]);
    assert_eq!(
        warnings(&[step, step]),
        [
            "the recorded total_cost (0) is less than the sum over the steps (10)",
            "the recorded total_tokens (10) is less than the sum over the steps (20)",
            "the recorded llm_calls (1) is less than the sum over the steps (2)",
        ]
    );
}

#[test]
fn only_a_run_that_was_read_from_a_trace_tells_what_it_lost() {
    assert!(!losses(&run()).is_empty());
    assert_eq!(TrajectoryAssertion::losses(&Run::new(run())), []);
    let read = Trajectory { source: Some("otlp".into()), ..run() };
    assert_eq!(TrajectoryAssertion::losses(&Run::new(read.clone())), losses(&read));
}

#[test]
fn a_run_is_shown_as_a_page_as_lines_and_as_a_panel() {
    let run = Run::new(run());
    let page = TrajectoryAssertion::show(&run, &Showing { extent: Extent::Whole, budget: None });
    assert!(page.contains("    1. [tool]  look({\"at\":5})\n"), "{page}");
    let exhibit = TrajectoryAssertion::exhibit(&run).unwrap();
    let here = Pointed { part: Part::Step(0), note: "here".to_owned() };
    let lines = exhibit.lines(&Marks { parts: vec![here], ..Marks::default() });
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[1].to_string(), "    1. [tool]  look({\"at\":5})  ← here");
    assert!(matches!(&exhibit.panels()[..], [Panel::Trajectory { title, .. }] if title == "trajectory"));
}
