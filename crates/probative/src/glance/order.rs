//! The keys that the objects in one place usually have, so that those of the next one are merely compared.

use crate::value::scan::{Scanner, Way};

/// Up to how many objects are passed before the next one is learned from: twice as many each time.
const LONGEST_PAUSE: u32 = 1024;

/// The keys of an object, in the order in which they were written, none of them twice.
///
/// An object whose keys are among these, in this order, has no key twice either.
#[derive(Debug, Default)]
pub(super) struct Order {
    keys: Vec<Known>,
    /// Whether no key was too long to be remembered: nothing behind such a key can be.
    complete: bool,
    /// How many objects are passed before the next one is learned from, and how many were the last time.
    wait: u32,
    pause: u32,
}

/// A key that an object had.
#[derive(Debug, Clone)]
struct Known {
    way: Way,
    name: Box<str>,
    meaning: Meaning,
}

/// What is asked of the value of a key.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Meaning {
    /// The bit of the member that it is; zero if nobody asks about it.
    pub(super) bit: u64,
    /// The spot that is asked of it; none if anything will do.
    pub(super) spot: Option<usize>,
}

impl Order {
    /// What is asked of the first of the keys from the one at `known` on that comes next, which is then passed over.
    #[inline]
    pub(super) fn follow(&self, scanner: &mut Scanner<'_>, known: &mut usize) -> Option<Meaning> {
        let likely = self.keys.get(*known)?;
        if scanner.follow_likely(&likely.way) {
            *known += 1;
            return Some(likely.meaning);
        }
        self.follow_further(scanner, known)
    }

    #[inline(never)]
    fn follow_further(&self, scanner: &mut Scanner<'_>, known: &mut usize) -> Option<Meaning> {
        let keys = self.keys.get(*known..)?;
        let further = keys.iter().position(|key| scanner.follow(&key.way))?;
        *known += further + 1;
        Some(keys[further].meaning)
    }

    /// Whether a name is one of those before the key at `known`.
    pub(super) fn has_before(&self, known: usize, name: &str) -> bool {
        self.keys.iter().take(known).any(|key| *key.name == *name)
    }

    /// Whether the next object that is not in this order is learned from.
    pub(super) fn learns(&self) -> bool {
        self.wait == 0
    }

    /// What the order is up to a key, to be learned on from there.
    pub(super) fn until(&self, known: usize) -> Order {
        let keys = self.keys.iter().take(known).cloned().collect();
        Order { keys, complete: true, ..Order::default() }
    }

    /// Takes the next key. If it was among those before and is not this time, its place is now here.
    pub(super) fn learn(&mut self, way: Option<Way>, meaning: Meaning, name: &str) {
        self.complete &= way.is_some();
        self.keys.retain(|key| *key.name != *name);
        if let Some(way) = way.filter(|_| self.complete) {
            self.keys.push(Known { way, name: name.into(), meaning });
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
