//! Parsers of option values.

use std::sync::Arc;

use probative::spec::Format as SpecFormat;
use probative::value::{Moment, Pattern};

pub(super) fn cost(text: &str) -> Result<f64, String> {
    let cost = text.parse::<f64>().ok().filter(|cost| cost.is_finite() && *cost > 0.0);
    cost.ok_or_else(|| "expected a number above 0, such as 2.50".to_owned())
}

pub(super) fn format(name: &str) -> Result<SpecFormat, String> {
    let known = SpecFormat::ALL.into_iter().find(|format| format.name() == name);
    let names = SpecFormat::ALL.map(SpecFormat::name).join(", ");
    known.ok_or_else(|| format!("unknown format '{name}'; expected one of {names}"))
}

pub(super) fn pattern(text: &str) -> Result<Arc<Pattern>, String> {
    Pattern::parse(text).map(Arc::new).map_err(|error| error.message)
}

pub(super) fn moment(text: &str) -> Result<Moment, String> {
    Moment::parse(text).ok_or_else(|| "expected an RFC 3339 time or a date as YYYY-MM-DD".to_owned())
}
