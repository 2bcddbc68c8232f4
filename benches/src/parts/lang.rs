//! A loop in spec-lang.

use std::io;

use crate::bench::{Bench, script};
use crate::limits::{STEPS, turn};
use crate::measure::{Contender, compare};
use crate::peers::Peer;
use crate::rows::{Row, Target};
use crate::told::count;

pub(super) const ASKS: &str = "\
A tail-recursive function counts one number down and another up: twelve steps of spec-lang per round, each counted \
against a budget. CPython and Rhai run the same as a `while` loop, Lua both as a `while` loop and as the same function. \
Times are taken inside each process around the loop, without start-up and compilation; for Lua it is processor time, \
because it has no finer clock.";

pub(super) fn measure(bench: &Bench) -> io::Result<Vec<Row>> {
    let turns = bench.sized(10_000_000 / STEPS);
    let told = turns.to_string();
    let asked = |peer: Peer, arguments: &[&str], file: Option<&str>| {
        let mut command = peer.command(&bench.peers);
        command.args(file.map(script)).args(arguments).arg(&told);
        command
    };
    let ours = Contender::function("spec-lang", || turn(turns));
    let peers = vec![
        Contender::told("CPython, while", asked(Peer::CPython, &[], Some("loop.py")))
            .wanted(Target::SpeedAtLeast(3.0)),
        Contender::told("Lua, while", asked(Peer::Lua, &["while"], Some("loop.lua")))
            .wanted(Target::SpeedAtLeast(1.0)),
        Contender::told("Lua, calling itself", asked(Peer::Lua, &["calls"], Some("loop.lua")))
            .wanted(Target::SpeedAtLeast(1.0)),
        Contender::told("rhai, while", asked(Peer::Rhai, &["rhai"], None)),
    ];
    compare(&format!("{} steps", count(turns * STEPS)), bench.rounds(15), ours, peers)
}
