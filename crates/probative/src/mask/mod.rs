//! Secrets, hidden from whatever is told: a mask knows their values and puts stars over them, however they are written.
//!
//! Judging never sees a mask. What is hidden keeps its length in bytes, so that places, marks and columns stay true.

mod gap;
mod json;
mod name;
mod search;
mod secret;
mod writing;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub use self::name::Name;
use self::search::Search;
use self::secret::{Index, Secret};

/// What stands in the place of every byte that is hidden.
const STAR: u8 = b'*';

/// Hides secrets in texts.
///
/// A secret is found as it is; over several lines or with other space in it, be there marks such as `|` or `+` before the
/// lines; with its characters escaped as in JSON, in a URL, in XML or HTML; in Base64, alone or in the midst of what was
/// encoded with it. Where a text is cut, or a quote or a line ends or begins, a part of it is hidden, too.
///
/// ```
/// use probative::mask::Mask;
///
/// let mask = Mask::of(["s3cr3t-k3y"]);
/// assert_eq!(mask.hide("key=s3cr3t-k3y"), "key=**********");
/// assert_eq!(mask.hide("s3cr3\n  | t-k3y"), "*****\n  | *****");
/// assert_eq!(mask.hide("the key is s3cr3t..."), "the key is ******...");
/// assert_eq!(mask.hide("no key"), "no key");
/// ```
#[derive(Debug, Clone, Default)]
pub struct Mask {
    secrets: Vec<Secret>,
    /// Whose each of them is: nobody's, if the value came without a name.
    owners: Vec<Vec<Arc<Name>>>,
    index: Index,
    /// Whether stars may complete a secret.
    has_stars: bool,
}

impl Mask {
    /// A value with fewer characters, space left out, is shown.
    pub const SHORTEST: usize = secret::SHORTEST;

    /// A mask for these values. Those that are too short to be a secret are left out; see [`Mask::can_hide`].
    pub fn of<'v>(values: impl IntoIterator<Item = &'v str>) -> Mask {
        Mask::new(values.into_iter().map(|value| (None, value)))
    }

    /// The same for values with names, on which is noted whose value was hidden.
    pub fn of_named<'v>(values: impl IntoIterator<Item = (&'v Arc<Name>, &'v str)>) -> Mask {
        Mask::new(values.into_iter().map(|(name, value)| (Some(name), value)))
    }

    fn new<'v>(values: impl Iterator<Item = (Option<&'v Arc<Name>>, &'v str)>) -> Mask {
        let mut owners: BTreeMap<Secret, Vec<Arc<Name>>> = BTreeMap::new();
        for (name, value) in values.filter(|(_, value)| Mask::can_hide(value)) {
            for secret in secret::all_of(value) {
                owners.entry(secret).or_default().extend(name.map(Arc::clone));
            }
        }
        let (secrets, owners): (Vec<Secret>, Vec<_>) = owners.into_iter().unzip();
        let index = Index::of(&secrets);
        let has_stars = secrets.iter().any(Secret::has_stars);
        Mask { secrets, owners, index, has_stars }
    }

    /// Whether a value can be hidden: one of fewer than four characters, or a word such as `true`, stands everywhere.
    pub fn can_hide(value: &str) -> bool {
        let length = value.chars().filter(|character| !gap::is_space(*character)).count();
        length >= secret::SHORTEST && !secret::IS_NO_SECRET.contains(&value.trim())
    }

    /// Whether there is nothing to hide.
    pub fn is_empty(&self) -> bool {
        self.secrets.is_empty()
    }

    /// The text with stars over every secret. One without any is handed back as it is.
    pub fn hide<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.hide_noting(text, |secret| self.owners[secret].iter().for_each(|name| name.note()))
    }

    /// The same for what is compared and not told: nobody is told whose value was hidden there.
    pub fn hide_silently<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.hide_noting(text, |_| {})
    }

    /// The same for a text that is nobody else's.
    pub fn hide_in(&self, text: &mut String) {
        if let Cow::Owned(hidden) = self.hide(text) {
            *text = hidden;
        }
    }

    fn hide_noting<'t>(&self, text: &'t str, note: impl Fn(usize)) -> Cow<'t, str> {
        if self.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut found = BTreeSet::new();
        let Some(mut hidden) = self.hide_once(text, &mut found) else { return Cow::Borrowed(text) };
        while self.has_stars
            && let Some(again) = self.hide_once(&hidden, &mut found)
        {
            hidden = again;
        }
        found.into_iter().for_each(note);
        Cow::Owned(hidden)
    }

    /// The text with what was found hidden, if that changes anything; and which secrets were found.
    fn hide_once(&self, text: &str, found: &mut BTreeSet<usize>) -> Option<String> {
        let bytes = Search::new(&self.secrets, &self.index, text, found).run()?;
        // Whole characters became stars, so that nothing is lost here.
        let hidden = String::from_utf8_lossy(&bytes).into_owned();
        (hidden != text).then_some(hidden)
    }
}

/// Masks that hide the same are equal, whatever they have hidden and whosever it is.
impl PartialEq for Mask {
    fn eq(&self, other: &Mask) -> bool {
        self.secrets == other.secrets
    }
}

impl Eq for Mask {}

#[cfg(test)]
mod tests;
