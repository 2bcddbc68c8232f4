//! Secrets, hidden from whatever is told: a mask knows their values and puts stars over them, however they are written.
//!
//! Judging never sees a mask. What is hidden keeps its length in bytes, so that places, marks and columns stay true.

mod gap;
mod json;
mod search;
mod secret;
mod writing;

use std::borrow::Cow;

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
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mask {
    secrets: Vec<Secret>,
    index: Index,
    /// Whether stars may complete a secret.
    has_stars: bool,
}

impl Mask {
    /// A mask for these values. Those that are too short to be a secret are left out; see [`Mask::can_hide`].
    pub fn of<'v>(values: impl IntoIterator<Item = &'v str>) -> Mask {
        let mut secrets: Vec<Secret> =
            values.into_iter().filter(|value| Mask::can_hide(value)).flat_map(secret::all_of).collect();
        secrets.sort();
        secrets.dedup();
        let index = Index::of(&secrets);
        let has_stars = secrets.iter().any(Secret::has_stars);
        Mask { secrets, index, has_stars }
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
        if self.is_empty() {
            return Cow::Borrowed(text);
        }
        let Some(mut hidden) = self.hide_once(text) else { return Cow::Borrowed(text) };
        while self.has_stars
            && let Some(again) = self.hide_once(&hidden)
        {
            hidden = again;
        }
        Cow::Owned(hidden)
    }

    /// The same for a text that is nobody else's.
    pub fn hide_in(&self, text: &mut String) {
        if let Cow::Owned(hidden) = self.hide(text) {
            *text = hidden;
        }
    }

    /// The text with what was found hidden, if that changes anything.
    fn hide_once(&self, text: &str) -> Option<String> {
        let bytes = Search::new(&self.secrets, &self.index, text).run()?;
        // Whole characters became stars, so that nothing is lost here.
        let hidden = String::from_utf8_lossy(&bytes).into_owned();
        (hidden != text).then_some(hidden)
    }
}

#[cfg(test)]
mod tests;
