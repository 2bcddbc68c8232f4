//! The symbols of spec-lang.

use probative::spec::lang::{SYMBOLS, Symbol};

use super::{Group, Layout, Topic};

/// Every symbol there is.
pub(super) fn symbols() -> Group {
    let topic = |symbol: &Symbol| Topic {
        name: symbol.name.to_owned(),
        summary: symbol.gives.to_owned(),
        text: format!("{}\n\nReturns {}.\n\n  {}\n", symbol.written, symbol.gives, symbol.example),
    };
    Group {
        heading: "Expression symbols (for `evaluate` and predicates):".to_owned(),
        noun: "expression symbol".to_owned(),
        layout: Layout::Names,
        topics: SYMBOLS.iter().map(topic).collect(),
    }
}
