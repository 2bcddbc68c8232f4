//! The symbols of spec-lang.

use probative::spec::lang::{SYMBOLS, Symbol};

use super::{Group, Layout, Topic};

/// Every symbol there is.
pub(super) fn symbols() -> Group {
    let topic = |symbol: &Symbol| Topic {
        name: symbol.name.to_owned(),
        summary: symbol.gives.to_owned(),
        text: format!("{}\n\nGives {}.\n\n  {}\n", symbol.written, symbol.gives, symbol.example),
    };
    Group {
        heading: "Symbols of expressions (`evaluate`, docs/reference/spec-lang.md):".to_owned(),
        noun: "symbol of expressions".to_owned(),
        layout: Layout::Names,
        topics: SYMBOLS.iter().map(topic).collect(),
    }
}
