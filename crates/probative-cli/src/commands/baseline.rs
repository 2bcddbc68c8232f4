//! What a run is compared with, and what is kept of it for a later one.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use probative::baseline::{Baseline, Comparison, Entry, FailOn};
use probative::report::Summary;
use probative_run::out::{Out, place_of};
use probative_run::subjects::reason;
use probative_run::{Selection, Suite, gone, read_baseline, save_baseline, selected};

use super::Refusal;
use super::reports::Places;
use crate::args::BaselineArguments;
use crate::secrets;

/// The baselines of a run: the one that it is compared with, and the one that it becomes.
pub(super) struct Baselines {
    before: Option<Baseline>,
    fail_on: FailOn,
    allow_new_failures: bool,
    saved_to: Option<(Out, PathBuf)>,
}

/// How the cases of a run ended, as they do.
#[derive(Default)]
pub(super) struct Endings(Mutex<Vec<Entry>>);

impl Endings {
    /// Takes how the next case ended.
    pub(super) fn take(&self, entry: Entry) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(entry);
    }

    /// All of them, in order.
    pub(super) fn all(self) -> Vec<Entry> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The same without what is secret in ids. Of those that differ in nothing else, the first stands for all.
fn without_secrets(mut ended: Vec<Entry>) -> Vec<Entry> {
    let mask = secrets::mask();
    if !mask.is_empty() {
        let mut known = BTreeSet::new();
        for entry in &mut ended {
            mask.hide_in(&mut entry.id);
        }
        ended.retain(|entry| known.insert(entry.id.clone()));
    }
    ended
}

fn unwritten(path: &Path, error: &io::Error) -> Refusal {
    Refusal(format!("cannot write the baseline {}: {}", path.display(), reason(error)))
}

/// Whether what is asked for makes sense.
pub(super) fn check(arguments: &BaselineArguments) -> Result<(), Refusal> {
    let BaselineArguments { baseline, fail_on, .. } = arguments;
    if FailOn::from(*fail_on) == FailOn::Regression && baseline.is_none() {
        let message = "--fail-on regression needs --baseline FILE; create FILE with --save-baseline FILE";
        return Err(Refusal(message.to_owned()));
    }
    Ok(())
}

/// The file that is read and must not be overwritten, unless it is to be.
pub(super) fn input(arguments: &BaselineArguments) -> Option<PathBuf> {
    let saved_to = arguments.save_baseline.as_deref().map(place_of);
    arguments.baseline.clone().filter(|file| saved_to != Some(place_of(file)))
}

impl Baselines {
    /// Reads the one, and finds a place for the other, before anything is run.
    pub(super) fn open(arguments: &BaselineArguments, places: &mut Places<'_>) -> Result<Baselines, Refusal> {
        let BaselineArguments { baseline, save_baseline, fail_on, allow_new_failures } = arguments;
        let before = baseline.as_deref().map(read_baseline).transpose();
        let before = before.map_err(|error| Refusal(format!("cannot read the baseline: {error}")))?;
        let saved_to = save_baseline.as_deref().map(|path| {
            places.take("baseline", Some(path), "--save-baseline FILE")?;
            let out = Out::file(path).map_err(|error| unwritten(path, &error))?;
            Ok((out, path.to_owned()))
        });
        Ok(Baselines {
            before,
            fail_on: (*fail_on).into(),
            allow_new_failures: *allow_new_failures,
            saved_to: saved_to.transpose()?,
        })
    }

    /// Tells what has changed. A run that was broken off says nothing about what it broke off.
    pub(super) fn compare(
        &self,
        ended: &[Entry],
        summary: &mut Summary,
        suite: &Suite,
        selection: &Selection,
    ) {
        summary.fail_on = self.fail_on;
        summary.allow_new_failures = self.allow_new_failures;
        if let Some(before) = self.before.as_ref().filter(|_| !summary.interrupted) {
            let (mask, ended) = (secrets::mask(), without_secrets(ended.to_vec()));
            summary.comparison = Some(Comparison::between(before, &ended, gone(suite, selection, &mask)));
        }
    }

    /// Saves how all cases ended: those that were not selected as they stand in the baseline.
    ///
    /// What ended before all were run, or ran nothing, is not saved, and what was saved before stays.
    pub(super) fn save(
        self,
        ended: Vec<Entry>,
        summary: &Summary,
        suite: &Suite,
        selection: &Selection,
    ) -> Result<(), Refusal> {
        let Some((out, path)) = self.saved_to else { return Ok(()) };
        let selected = selected(suite, selection);
        if summary.interrupted || ended.len() < selected || selected == 0 {
            let why = if summary.interrupted { "the run was interrupted, and " } else { "" };
            let ran = match ended.len() {
                0 => "no case ran".to_owned(),
                ran => format!("only {ran} of {selected} cases ran"),
            };
            crate::terminal::complain(&format!("baseline not saved: {why}{ran}"));
            return Ok(());
        }
        let ended = without_secrets(ended);
        let baseline = match &self.before {
            Some(before) => before.after(ended, gone(suite, selection, &secrets::mask())),
            None => Baseline::from(ended),
        };
        save_baseline(&baseline, out).map_err(|error| unwritten(&path, &error))
    }
}
