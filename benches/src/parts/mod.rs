//! What is measured: one file for each part, and this table of them.

mod did;
mod growth;
mod lang;
mod promised;
mod said;
mod saw;
mod start;
mod traces;

use std::io;

use crate::bench::Bench;
use crate::peers::Peer;
use crate::rows::Row;

/// Something that Probative does, measured beside others who do it.
pub(crate) struct Part {
    /// As it is named on the command line.
    pub(crate) name: &'static str,
    /// The heading of its section.
    pub(crate) title: &'static str,
    /// What exactly is asked of everybody.
    pub(crate) asks: &'static str,
    /// Who must be there.
    pub(crate) peers: &'static [Peer],
    pub(crate) measure: fn(&Bench) -> io::Result<Vec<Row>>,
}

pub(crate) const PARTS: [Part; 8] = [
    Part {
        name: "said",
        title: "Responses",
        asks: said::ASKS,
        peers: &[Peer::Jq, Peer::Jaq, Peer::CPython, Peer::Orjson, Peer::Promptfoo, Peer::SonicRs],
        measure: said::measure,
    },
    Part {
        name: "did",
        title: "Runs",
        asks: did::ASKS,
        peers: &[Peer::CPython, Peer::Trajai, Peer::Agentevals, Peer::PydanticEvals],
        measure: did::measure,
    },
    Part {
        name: "saw",
        title: "Selection reports",
        asks: saw::ASKS,
        peers: &[Peer::CupelTesting],
        measure: saw::measure,
    },
    Part {
        name: "promised",
        title: "Spec files",
        asks: promised::ASKS,
        peers: &[
            Peer::CPython,
            Peer::PyYaml,
            Peer::Scrut,
            Peer::Trycmd,
            Peer::Bats,
            Peer::Parallel,
            Peer::Cram,
        ],
        measure: promised::measure,
    },
    Part {
        name: "lang",
        title: "Expressions",
        asks: lang::ASKS,
        peers: &[Peer::CPython, Peer::Lua, Peer::Rhai],
        measure: lang::measure,
    },
    Part {
        name: "start",
        title: "Start-up and size",
        asks: start::ASKS,
        peers: &[Peer::Hello, Peer::Promptfoo, Peer::Pytest, Peer::Scrut, Peer::Bats],
        measure: start::measure,
    },
    Part { name: "growth", title: "Growth", asks: growth::ASKS, peers: &[], measure: growth::measure },
    Part { name: "traces", title: "Traces", asks: traces::ASKS, peers: &[], measure: traces::measure },
];
