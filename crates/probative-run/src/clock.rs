//! The clock, for whoever does not say what time it is.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use probative::spec::lang::World;
use probative::value::Moment;

/// What time it is. `None` on a machine whose clock stands before 1970 or beyond the calendar.
pub fn now() -> Option<Moment> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    Moment::from_unix_seconds(i64::try_from(since.as_secs()).ok()?)
}

/// A clock that only goes forward, for expressions with a time limit.
#[derive(Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts it.
    pub fn start() -> Stopwatch {
        Stopwatch(Instant::now())
    }
}

impl World for Stopwatch {
    fn elapsed(&self) -> Option<Duration> {
        Some(self.0.elapsed())
    }
}
