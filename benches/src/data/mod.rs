//! Repeatable data, one file for each benchmark.

pub mod did;
pub mod promised;
pub mod said;
pub mod saw;
pub mod traces;
