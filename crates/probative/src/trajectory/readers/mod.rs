//! Recorded bytes to a run, one file per format.

pub mod native;
