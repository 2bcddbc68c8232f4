//! Recorded traces, of every format.

use probative::exhibit::Showing;
use probative::trajectory::readers::{Given, TraceFormat, native, probe, read_trace};
use probative::trajectory::{Trajectory, TrajectoryAssertion, losses};
use probative::{AgentRunResult, Vocabulary};

use crate::input::choice;
use crate::visible::assert_visible;

/// A trace: the first byte chooses its format, or that it be found out, and whether its lines are documents.
///
/// Every run that is read is written in the native format and read back as the same, with the same losses; it can be shown.
pub fn traces(bytes: &[u8]) {
    let (choice, trace) = choice(bytes);
    // One more than there are formats: none is given then.
    let formats = TraceFormat::ALL.len() + 1;
    let format = TraceFormat::ALL.get(choice % formats).copied();
    let are_lines = choice / formats % 2 == 1;
    let mut runs = Vec::new();
    let ended = read_trace(trace, format, are_lines, &mut |given| match given {
        Given::Run(run) => runs.push(run),
        Given::NoRun { why, .. } => assert!(!why.is_empty()),
    });
    if let Err(error) = ended {
        let _ = error.to_string();
    }
    let _ = probe(trace.split(|byte| *byte == b'\n'));
    for run in runs {
        run.notes.sorted();
        holds_together(run.trajectory);
    }
}

fn holds_together(run: Trajectory<'static>) {
    let written = serde_json::to_string(&run).expect("a run can be written");
    let again = native::read(written.as_bytes()).unwrap_or_else(|error| panic!("{error}: {written}"));
    assert!(again.warnings.is_empty(), "{:?}: {written}", again.warnings);
    assert_eq!(again.subject, run, "what is written is read back");
    let names = |run: &Trajectory<'_>| losses(run).iter().map(|lost| lost.loss.name()).collect::<Vec<_>>();
    assert_eq!(names(&again.subject), names(&run));
    let result = AgentRunResult::new(run.clone());
    result.call_order();
    let whole = TrajectoryAssertion::whole();
    let subject = TrajectoryAssertion::from_run(run, &whole).expect("a run is a subject").subject;
    assert_visible(&TrajectoryAssertion::show(&subject, &Showing::default()));
}
