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
        const REFERENCE_COUNTS: usize = 2 * size_of::<usize>();
        REFERENCE_COUNTS + size_of::<Environment<'_>>() + captured * size_of::<Datum<'_>>()
    }

    pub(super) fn get(&self, at: u32) -> &Datum<'e> {
        &self.captured[at as usize]
    }
}

/// Functions may hold functions that hold functions, and so on for as many steps as were taken: letting go of them one
/// inside the other would overflow the host's stack.
impl Drop for Environment<'_> {
    fn drop(&mut self) {
        let mut rest = std::mem::take(&mut self.captured);
        while let Some(value) = rest.pop() {
            if let Datum::Function(environment, _) = value
                && let Some(mut alone) = Rc::into_inner(environment)
            {
                rest.append(&mut alone.captured);
            }
        }
    }
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
