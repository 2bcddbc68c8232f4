//! Where a value stands in its document, without allocating until somebody asks.

use std::fmt;

use crate::value::visible;

/// One step down into a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'t> {
    /// Into an object.
    Name(&'t str),
    /// Into an array.
    Index(usize),
}

/// The way from the root of a document to a value, as a chain of steps that lives on the stack.
///
/// Prints as the place in the notation of paths: `results[2].file`, `odd['a.b']`; the root is `$`.
#[derive(Debug, Clone, Copy)]
pub struct Trail<'t> {
    way: Option<(&'t Trail<'t>, Step<'t>)>,
}

impl<'t> Trail<'t> {
    /// The root of a document.
    pub const fn root() -> Trail<'static> {
        Trail { way: None }
    }

    /// One step further.
    pub fn then(&'t self, step: Step<'t>) -> Trail<'t> {
        Trail { way: Some((self, step)) }
    }

    /// One step further, into an object.
    pub fn name(&'t self, name: &'t str) -> Trail<'t> {
        self.then(Step::Name(name))
    }

    /// One step further, into an array.
    pub fn index(&'t self, index: usize) -> Trail<'t> {
        self.then(Step::Index(index))
    }

    /// The steps, from the root.
    pub fn steps(&self) -> Vec<Step<'t>> {
        let mut steps = Vec::new();
        let mut here = self.way;
        while let Some((before, step)) = here {
            steps.push(step);
            here = before.way;
        }
        steps.reverse();
        steps
    }

    fn write_steps(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((before, step)) = self.way else { return Ok(()) };
        before.write_steps(formatter)?;
        match step {
            Step::Index(index) => write!(formatter, "[{index}]"),
            Step::Name(name) => write_name(formatter, name, before.way.is_none()),
        }
    }
}

/// A name in the notation of paths; `first` leaves out the dot.
pub(super) fn write_name(formatter: &mut impl fmt::Write, name: &str, first: bool) -> fmt::Result {
    let odd = |character: char| matches!(character, '.' | '[' | ']' | '\'' | ' ') || character.is_control();
    if name.is_empty() || name == "*" || name.starts_with('$') || name.contains(odd) {
        let quoted = name.replace('\\', "\\\\").replace('\'', "\\'");
        write!(formatter, "['{}']", visible(&quoted))
    } else {
        write!(formatter, "{}{}", if first { "" } else { "." }, visible(name))
    }
}

impl fmt::Display for Trail<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.way.is_none() { formatter.write_str("$") } else { self.write_steps(formatter) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trail_prints_as_a_place() {
        let root = Trail::root();
        assert_eq!(root.to_string(), "$");
        assert_eq!(root.name("results").index(2).name("file").to_string(), "results[2].file");
        assert_eq!(root.index(0).name("id").to_string(), "[0].id");
        assert_eq!(root.name("a.b").name("it's").to_string(), r"['a.b']['it\'s']");
        assert_eq!(root.name("a\u{1b}").to_string(), r"['a\u001b']");
    }
}
