//! Checks that a file named by an agent was written during its case.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// A moment by the clock that dates files: seconds and nanoseconds.
type Moment = (i64, i64);

/// That clock may stand still for as long; waiting longer means that it isn't this machine's.
const LONGEST_TICK: Duration = Duration::from_millis(100);

/// The artifacts that a run has read so far.
///
/// Files are dated by a clock that ticks every few milliseconds, so a file with the date at which a case started may be
/// older. [`Artifacts::start`] therefore waits for the next tick where that could happen.
pub(crate) struct Artifacts {
    /// When the newest of them was written, or when the run began.
    latest: Mutex<Moment>,
}

impl Artifacts {
    pub(crate) fn new() -> Artifacts {
        Artifacts { latest: Mutex::new(now()) }
    }

    /// The start of a case: later than any file from before the run, and any artifact of an earlier case.
    pub(crate) fn start(&self) -> Moment {
        let latest = *self.latest();
        let waiting = Instant::now();
        loop {
            let now = now();
            if now > latest || waiting.elapsed() > LONGEST_TICK {
                return now;
            }
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Returns true if a file was written, and not only renamed or touched, since its case started.
    pub(crate) fn is_new(&self, file: &Metadata, start: Moment) -> bool {
        let written = (file.mtime(), file.mtime_nsec());
        // Nobody can choose this date, and it is never before that of a write.
        let changed = (file.ctime(), file.ctime_nsec());
        let mut latest = self.latest();
        *latest = changed.max(*latest);
        written >= start && changed >= start
    }

    fn latest(&self) -> std::sync::MutexGuard<'_, Moment> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(target_os = "linux")]
fn now() -> Moment {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::RealtimeCoarse);
    (now.tv_sec, now.tv_nsec)
}

#[cfg(not(target_os = "linux"))]
fn now() -> Moment {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    (i64::try_from(now.as_secs()).unwrap_or(i64::MAX), i64::from(now.subsec_nanos()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_new_only_if_it_was_written_since_the_start() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("run.json");
        let artifacts = Artifacts::new();
        let is_new = |start| artifacts.is_new(&std::fs::metadata(&path).unwrap(), start);
        for _ in 0..50 {
            let start = artifacts.start();
            std::fs::write(&path, "{}").unwrap();
            assert!(is_new(start));
            // The next case follows at once and writes nothing.
            assert!(!is_new(artifacts.start()));
        }
    }

    #[test]
    fn a_date_in_the_future_and_a_new_name_make_no_file_new() {
        let place = tempfile::tempdir().unwrap();
        let (path, other) = (place.path().join("run.json"), place.path().join("other.json"));
        std::fs::write(&path, "{}").unwrap();
        let file = std::fs::File::options().write(true).open(&path).unwrap();
        let artifacts = Artifacts::new();
        file.set_modified(std::time::SystemTime::now() + Duration::from_hours(1)).unwrap();
        let is_new = |path, start| artifacts.is_new(&std::fs::metadata(path).unwrap(), start);
        is_new(&path, now());
        assert!(!is_new(&path, artifacts.start()));
        file.set_modified(std::time::SystemTime::now() - Duration::from_hours(1)).unwrap();
        let start = artifacts.start();
        std::fs::rename(&path, &other).unwrap();
        assert!(!is_new(&other, start));
    }
}
