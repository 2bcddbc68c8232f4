//! A subject as people see it: lines, with marks at the parts that explain a failure.

mod list;
mod outline;
mod panel;
mod text;

use std::borrow::Cow;
use std::fmt;

pub(crate) use list::List;
pub use outline::outline;
pub use panel::Panel;
pub use text::{beginning, ending};

use crate::value::excerpt::cut;
use crate::value::visible;
use crate::verdict::Pointed;

/// A subject that can be shown beside failures.
pub trait Exhibit {
    /// The lines to show beside a failure, in order, with marks at what explains them.
    fn lines(&self, marks: &Marks) -> Vec<ExhibitLine>;

    /// The same as data, for a report that lays it out itself. What is pointed at is told with the assertions.
    fn panels(&self) -> Vec<Panel> {
        Vec::new()
    }
}

/// What explains failures in a subject.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Marks {
    /// Steps and items, each with a note.
    pub parts: Vec<Pointed>,
    /// Places in JSON, each with a note.
    pub places: Vec<Marked>,
}

/// A place in JSON that explains a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marked {
    /// In the notation of paths: `results[2].file`. There may be nothing.
    pub place: String,
    /// What to see there.
    pub note: String,
    /// What it is a place in, where that is known: `response`.
    pub target: Option<String>,
}

impl Marks {
    /// The places in a subject of this name, with those of which it is not known where they are.
    pub fn places_in<'m>(&'m self, target: &'m str) -> impl Iterator<Item = &'m Marked> {
        self.places.iter().filter(move |marked| marked.target.as_deref().is_none_or(|known| known == target))
    }
}

/// One line of an exhibit. Nothing in it is obeyed by a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExhibitLine {
    /// What is there.
    pub text: String,
    /// What to see there: `called second`.
    pub note: Option<String>,
}

/// How a subject is to be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Showing {
    /// How much of it.
    pub extent: Extent,
    /// How many tokens there were for a selection, where that is known.
    pub budget: Option<u64>,
}

/// How much of a subject is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Extent {
    /// Every entry of a list, long values cut.
    #[default]
    Whole,
    /// Of more than 20 entries, the first, the last, those pointed at and their neighbours.
    Brief,
    /// Every entry, and every value whole.
    Full,
}

impl Extent {
    /// Text as it is shown: cut, unless every value is shown whole.
    pub(crate) fn text(self, text: &str) -> Cow<'_, str> {
        if self == Extent::Full { visible(text) } else { cut(text) }
    }
}

impl ExhibitLine {
    /// A line without a mark.
    pub fn plain(text: impl Into<String>) -> ExhibitLine {
        ExhibitLine { text: text.into(), note: None }
    }
}

impl fmt::Display for ExhibitLine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)?;
        self.note.iter().try_for_each(|note| write!(formatter, "  ← {note}"))
    }
}
