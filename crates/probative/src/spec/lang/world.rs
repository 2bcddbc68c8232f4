//! What an expression may ask of the world around it.

use std::fmt;
use std::time::Duration;

/// What an expression may ask of the world. The judge itself has no files and no clock.
pub trait World: Sync + fmt::Debug {
    /// A clock that never goes back, for the time limit. `None`: no limit is kept.
    fn elapsed(&self) -> Option<Duration> {
        None
    }

    /// Whether whoever evaluates wants to end, whatever the budget.
    fn is_stopped(&self) -> bool {
        false
    }

    /// Whether something is at a path. `None`: there are no files here, and whoever asks gets an error that says so.
    fn path_exists(&self, _path: &str) -> Option<bool> {
        None
    }
}

/// A world without files and without a clock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Nowhere;

impl World for Nowhere {}
