//! Processes that misbehave, runners that are killed, and machines that have too little of something.
#![cfg(target_os = "linux")]

#[path = "../cases/mod.rs"]
mod cases;
#[path = "../place/mod.rs"]
mod place;

mod children;
mod directories;
mod escapes;
mod full;
mod interrupts;
mod processes;
mod random;
mod scarce;

use std::path::Path;
use std::time::{Duration, Instant};

use place::{Ended, Place};
use serde_json::Value;

/// A place with cases, in which temporary files have a directory of their own.
fn place_with(cases: &Value) -> Place {
    let place = Place::with(&[("a.spec.json", &cases.to_string())]);
    std::fs::create_dir(place.path("tmp")).unwrap();
    place
}

fn command(place: &Place, arguments: &[&str]) -> std::process::Command {
    let mut command = place.command(&[&["run", "a.spec.json"], arguments].concat());
    command.env("TMPDIR", place.path("tmp"));
    command
}

fn run(place: &Place, arguments: &[&str]) -> Ended {
    command(place, arguments).output().unwrap().into()
}

/// What lies where temporary files are made.
fn left_behind(place: &Place) -> Vec<String> {
    let entries = std::fs::read_dir(place.path("tmp")).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// The processes that run in a place, or were started by a case of a run there.
fn processes_of(place: &Place) -> Vec<String> {
    let root = place.path("").canonicalize().unwrap();
    let is_here = |entry: &Path| {
        let within = std::fs::read(entry.join("environ")).unwrap_or_default();
        let within = String::from_utf8_lossy(&within).into_owned();
        std::fs::read_link(entry.join("cwd")).is_ok_and(|cwd| cwd.starts_with(&root))
            || within.contains(&*root.join("tmp/probative-").to_string_lossy())
    };
    let entries = std::fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().path());
    let here = entries.filter(|entry| is_here(entry));
    here.map(|entry| std::fs::read_to_string(entry.join("cmdline")).unwrap_or_default()).collect()
}

/// Whether something holds within so many seconds.
fn soon(seconds: u64, holds: impl Fn() -> bool) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(seconds) {
        if holds() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    false
}
