//! What expressions may ask of the world.

use std::path::{Path, PathBuf};
use std::time::Duration;

use probative::spec::lang::World;

use crate::clock::Stopwatch;

/// The world as seen from a directory.
#[derive(Debug)]
pub(crate) struct Here {
    directory: PathBuf,
    clock: Stopwatch,
}

impl Here {
    pub(crate) fn at(directory: &Path) -> Here {
        Here { directory: directory.to_owned(), clock: Stopwatch::start() }
    }
}

impl World for Here {
    fn elapsed(&self) -> Option<Duration> {
        self.clock.elapsed()
    }

    fn path_exists(&self, path: &str) -> Option<bool> {
        Some(!path.is_empty() && self.directory.join(path).exists())
    }
}
