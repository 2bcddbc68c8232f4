//! Repeatable data, one file for each vocabulary.

pub mod did;
pub mod said;
pub mod saw;
