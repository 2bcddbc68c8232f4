//! Baselines as files, and which of their cases are gone.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
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
    let is_read = !suite.items().any(|item| matches!(item, Item::File(..)));
    let known: BTreeSet<Cow<'s, str>> = suite.items().map(|item| mask.hide_silently(item.id())).collect();
    move |id| is_read && !known.contains(id) && selection.takes_id(id)
}

/// The ids that several selected cases have once the secrets in them are hidden, with how many: a baseline, and what is
/// remembered, takes these cases for one.
pub fn alike_when_hidden(suite: &Suite, selection: &Selection, mask: &Mask) -> Vec<(String, usize)> {
    let mut known: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    if !mask.is_empty() {
        for item in selection.of(suite) {
            let hidden = mask.hide_silently(item.id()).into_owned();
            known.entry(hidden).or_default().insert(item.id());
        }
    }
    let alike = known.into_iter().map(|(hidden, ids)| (hidden, ids.len()));
    alike.filter(|(_, count)| *count > 1).collect()
}
