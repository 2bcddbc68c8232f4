//! The hands: everything with an effect. Finds and reads subjects, drives the judge on all cores, keeps the results in
//! order, writes the reports.
#![forbid(unsafe_code)]

mod alone;
mod check;
pub mod clock;
pub mod documents;
mod feed;
mod lines;
mod ordered;
mod partial;
mod record;
mod search;
mod show;
pub mod sink;
mod spare;
mod stdin;
pub mod subjects;

pub use check::{Check, check, refuse};
pub use partial::abandon;
pub use record::Record;
pub use show::each;
