//! What functions remember of the place where they were made.

use std::fmt;
use std::rc::Rc;

use super::datum::Datum;
use super::memory::Held;

/// Copies of the values that a group of functions refers to.
///
/// Functions that are bound together share one environment and name each other by number, so that none holds itself.
#[derive(Default)]
pub(super) struct Environment<'e> {
    captured: Vec<Datum<'e>>,
    /// The memory that it takes itself.
    _held: Option<Held>,
}

impl<'e> Environment<'e> {
    pub(super) fn new(captured: Vec<Datum<'e>>, held: Option<Held>) -> Rc<Environment<'e>> {
        Rc::new(Environment { captured, _held: held })
    }

    /// How many bytes one of so many values takes.
    pub(super) fn size(captured: usize) -> usize {
        // Two allocations, each with what the allocator keeps beside it, and the reference counts.
        const ALLOCATIONS: usize = 2 * 16 + 2 * size_of::<usize>();
        ALLOCATIONS + size_of::<Environment<'_>>() + captured * size_of::<Datum<'_>>()
    }

    pub(super) fn get(&self, at: u32) -> &Datum<'e> {
        &self.captured[at as usize]
    }
}

/// Functions may hold functions that hold functions, as deep as steps were taken. Dropping them recursively would overflow the
/// host's stack, so they are dropped from a list; other values are dropped at once, which keeps that list short.
impl Drop for Environment<'_> {
    fn drop(&mut self) {
        let mut functions = Vec::new();
        drain_functions(&mut self.captured, &mut functions);
        while let Some(environment) = functions.pop() {
            if let Some(mut last) = Rc::into_inner(environment) {
                drain_functions(&mut last.captured, &mut functions);
            }
        }
    }
}

/// Takes the environments of functions out of `values`, and drops everything else.
fn drain_functions<'e>(values: &mut Vec<Datum<'e>>, functions: &mut Vec<Rc<Environment<'e>>>) {
    functions.extend(values.drain(..).filter_map(|value| match value {
        Datum::Function(environment, _) => Some(environment),
        _ => None,
    }));
}

impl fmt::Debug for Environment<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} values", self.captured.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_is_counted_and_not_shown() {
        let inner = Datum::Function(Environment::new(vec![Datum::Null], None), 0);
        assert_eq!(format!("{:?}", Environment::new(vec![inner, Datum::Null], None)), "2 values");
    }
}
