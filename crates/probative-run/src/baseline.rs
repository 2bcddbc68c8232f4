//! Baselines as files, and which of their cases are gone.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use probative::baseline::Baseline;
use probative::mask::Mask;
use probative::verdict::Error;

use crate::documents::read_bytes;
use crate::out::Out;
use crate::selection::Selection;
use crate::suite::{Item, Suite};

/// A baseline that is larger than this is refused.
const LARGEST_BASELINE: usize = 256 << 20;

/// Reads a baseline. Whatever is no plain file is none.
pub fn read_baseline(path: &Path) -> Result<Baseline, Error> {
    let name = path.display().to_string();
    Baseline::read(read_bytes(path, &name, LARGEST_BASELINE)?, name)
}

/// Writes a baseline to the place that was found for it.
pub fn save_baseline(baseline: &Baseline, mut out: Out) -> io::Result<()> {
    out.writer().write_all(baseline.to_json().as_bytes())?;
    out.complete()
}

/// How many cases are selected: so many have ended when a run is complete.
pub fn selected(suite: &Suite, selection: &Selection) -> usize {
    selection.of(suite).filter(|item| matches!(item, Item::Case(..))).count()
}

/// Tells which cases are gone: those that no document has, although they would have been selected.
///
/// What stands in a document that is written wrongly nobody knows, so none is gone then. A baseline knows ids without the
/// secrets in them.
pub fn gone<'s>(suite: &'s Suite, selection: &'s Selection, mask: &Mask) -> impl Fn(&str) -> bool + use<'s> {
    let is_read = !suite.items().any(|item| matches!(item, Item::File(_)));
    let known: BTreeSet<Cow<'s, str>> = suite.items().map(|item| mask.hide(item.id())).collect();
    move |id| is_read && !known.contains(id) && selection.takes_id(id)
}
