//! The keys that the objects in one place usually have, so that those of the next one are merely compared.

use crate::value::scan::{Scanner, Way};

/// Up to how many objects are passed before the next one is learned from: twice as many each time.
const LONGEST_PAUSE: u32 = 1024;

/// The keys of an object, in the order in which they were written, none of them twice.
///
/// An object whose keys are among these, in this order, has no key twice either.
#[derive(Debug, Default)]
pub(super) struct Order {
    ways: Vec<Way>,
    /// Which of the members that are asked about each of them is.
    pub(super) positions: Vec<Option<usize>>,
    pub(super) names: Vec<Box<str>>,
    /// Whether a key was too long to be remembered, so that nothing behind it can be.
    complete: bool,
    /// How many objects are passed before the next one is learned from, and how many were the last time.
    wait: u32,
    pause: u32,
}

impl Order {
    /// The first of the keys from the one at `known` on that comes next, which is then passed over.
    #[inline]
    pub(super) fn follow(&self, scanner: &mut Scanner<'_>, known: usize) -> Option<usize> {
        let ways = self.ways.get(known..)?;
        ways.iter().position(|way| scanner.follow(way)).map(|further| known + further)
    }

    /// Whether the next object that is not in this order is learned from.
    pub(super) fn learns(&self) -> bool {
        self.wait == 0
    }

    /// What the order is up to a key, to be learned on from there.
    pub(super) fn until(&self, known: usize) -> Order {
        let mut order = Order { complete: true, ..Order::default() };
        order.ways.extend(self.ways.iter().take(known));
        order.positions.extend(self.positions.iter().take(known));
        order.names.extend(self.names.iter().take(known).cloned());
        order
    }

    /// Takes the next key.
    pub(super) fn learn(&mut self, way: Option<Way>, position: Option<usize>, name: &str) {
        self.complete &= way.is_some();
        if let Some(way) = way.filter(|_| self.complete) {
            self.ways.push(way);
            self.positions.push(position);
            self.names.push(name.into());
        }
    }

    /// Takes the order of an object that was not in this one, if it was learned: less and less often, so that objects that are
    /// all different cost little.
    pub(super) fn replace(&mut self, learned: Option<Order>) {
        match learned {
            None => self.wait -= 1,
            Some(learned) => {
                let pause = (2 * self.pause + 1).min(LONGEST_PAUSE);
                *self = Order { wait: pause, pause, ..learned };
            }
        }
    }
}
