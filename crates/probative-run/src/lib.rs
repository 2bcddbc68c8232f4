//! The hands: everything with an effect. Finds and reads subjects, drives the judge on all cores, keeps the results in
//! order, writes the reports.
#![forbid(unsafe_code)]

mod alive;
mod alone;
mod baseline;
mod check;
pub mod clock;
mod config;
pub mod defaults;
pub mod documents;
mod environment;
mod exercised;
mod failed;
mod feed;
pub mod harness;
mod inside;
mod lines;
mod lint;
mod open_lines;
mod ordered;
pub mod out;
mod partial;
#[cfg(unix)]
pub mod process;
pub mod project;
mod record;
mod root;
mod run;
mod scratch;
mod search;
mod secrets;
mod selection;
mod show;
pub mod sink;
mod spare;
mod specs;
mod stdin;
pub mod subjects;
mod suite;
mod trace;
mod watch;

pub use baseline::{alike_when_hidden, gone, read_baseline, save_baseline, selected};
pub use check::{Check, check, refuse};
pub use config::schema as config_schema;
pub use environment::Environment;
pub use failed::{Failed, Memory};
pub use harness::Suites;
pub use lint::Lint;
pub use partial::abandon;
pub use record::Record;
pub use run::{Event, Journal, Running, conform, count, is_faulty, list, run};
pub use search::Overlooked;
pub use secrets::{DEFAULTS as SECRET_NAMES, Secrets};
pub use selection::{Filter, Selection, Shard};
pub use show::each;
pub use specs::{Ran, SpecCase, Specs, run_dir};
pub use suite::{Sources, Suite};
pub use trace::Traces;
pub use watch::{ANYWHERE, Affected, Outputs, Watch, Watcher};
