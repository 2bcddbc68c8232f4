//! What an agent put out or left in a file, where that is a trace in another format than the native one.

use super::answer::Reading;
use crate::trajectory::Trajectory;
use crate::trajectory::readers::{
    Given, Layout, NoRuns, Recorded, RunId, TraceFormat, native, probe, read_trace,
};
use crate::value::Value;

/// A run that was read from a trace.
pub(super) struct Traced {
    /// It, in the native format.
    pub(super) native: Vec<u8>,
    /// What the agent answered in the end: JSON where it is JSON.
    pub(super) answer: Option<String>,
    /// What the reader of a report should know.
    pub(super) warnings: Vec<String>,
}

/// Whether what should be anything looks like a trace of another program.
pub(super) fn is_trace(bytes: &[u8]) -> bool {
    if native::is_native(bytes) {
        return false;
    }
    match Layout::of(bytes) {
        Layout::Lines => {
            let found = probe(bytes.split(|byte| *byte == b'\n'));
            found.is_ok_and(|(format, _)| format != TraceFormat::Native)
        }
        Layout::Document => read_trace(bytes, None, false, &mut |_| ()).is_ok(),
    }
}

/// Reads a run from a trace. `None` where it is, or tries to be, a run in the native format.
pub(super) fn read(bytes: &[u8], reading: &Reading<'_>) -> Option<Result<Traced, String>> {
    let is_ours =
        reading.format.map_or_else(|| native::is_native(bytes), |format| format == TraceFormat::Native);
    if is_ours {
        return None;
    }
    let (mut runs, mut bad): (Vec<Recorded>, Option<String>) = (Vec::new(), None);
    let mut hand = |given| match given {
        Given::Run(run) => runs.push(*run),
        Given::NoRun { id, why } => bad = Some(format!("{}: {why}", place(&id))),
    };
    match read_trace(bytes, reading.format, Layout::of(bytes) == Layout::Lines, &mut hand) {
        // What is wrong with a run in our own format, or beside one, is said where it is read.
        Ok(TraceFormat::Native) | Err(NoRuns::Unknown { has_steps: true, .. } | NoRuns::Malformed(_)) => None,
        Err(NoRuns::Unknown { .. }) if native::read(bytes).is_ok() => None,
        Err(why) if why.can_be_forced() => {
            Some(Err(format!("{}; convert it with `probative convert --trace-format NAME`", why.cause())))
        }
        Err(why) => Some(Err(why.cause())),
        Ok(_) if bad.is_some() => bad.map(Err),
        Ok(_) if runs.len() == 1 => runs.pop().map(|run| Ok(Traced::of(run, reading))),
        Ok(_) => {
            let mut ids: Vec<String> = runs.iter().take(3).map(|run| run.id.to_string()).collect();
            if runs.len() > ids.len() {
                ids.push("…".to_owned());
            }
            Some(Err(format!(
                "contains {} runs ({}), but a case takes one; `probative convert` writes one run per line",
                runs.len(),
                ids.join(", ")
            )))
        }
    }
}

fn place(id: &RunId) -> String {
    match id {
        RunId::Line(line) => format!("line {line}"),
        other => format!("run {other}"),
    }
}

impl Traced {
    fn of(run: Recorded, reading: &Reading<'_>) -> Traced {
        let Recorded { mut trajectory, notes, .. } = run;
        if let Some(pattern) = reading.tool_error {
            trajectory.fail_by_text(pattern);
        }
        Traced {
            // Writing texts and numbers to memory cannot fail.
            native: serde_json::to_vec(&trajectory).unwrap_or_default(),
            answer: answer_of(&trajectory),
            warnings: notes.sorted().iter().map(ToString::to_string).collect(),
        }
    }
}

fn answer_of(run: &Trajectory<'_>) -> Option<String> {
    let answer = run.final_output.as_deref()?;
    let is_json =
        answer.trim_start().starts_with(['{', '[']) && serde_json::from_str::<Value>(answer).is_ok();
    Some(if is_json { answer.to_owned() } else { Value::from(answer).to_string() })
}
