//! Hostile input: whatever it is, the program ends with a documented code, within its limits, tells the place, and judges the rest.
#![cfg(target_os = "linux")]

mod answers;
mod bytes;
mod depth;
mod files;
mod guard;
mod injection;
mod numbers;
mod patterns;
mod size;
mod tables;

#[path = "../cases/mod.rs"]
mod cases;
#[path = "../place/mod.rs"]
mod place;
#[path = "../readers/mod.rs"]
mod readers;
#[path = "../servers/mod.rs"]
mod servers;
