//! What expressions may ask of the world.

use std::borrow::Cow;
use std::path::Path;
use std::time::Duration;

use probative::spec::lang::World;

use crate::clock::Stopwatch;
use crate::process::Stop;

/// The world as seen from a directory.
#[derive(Debug)]
pub(crate) struct Here<'s> {
    directory: Cow<'s, Path>,
    clock: Stopwatch,
    stop: &'s Stop,
}

impl<'s> Here<'s> {
    pub(crate) fn at(directory: impl Into<Cow<'s, Path>>, stop: &'s Stop) -> Here<'s> {
        Here { directory: directory.into(), clock: Stopwatch::start(), stop }
    }
}

impl World for Here<'_> {
    fn elapsed(&self) -> Option<Duration> {
        self.clock.elapsed()
    }

    fn is_stopped(&self) -> bool {
        self.stop.is_tripped()
    }

    fn path_exists(&self, path: &str) -> Option<bool> {
        Some(!path.is_empty() && self.directory.join(path).exists())
    }
}
