//! How long it is worth to compare what comes with what came before.

/// How many may look like none before them until they are no longer compared: at first, and the most that it becomes, by one for
/// each that does look like one.
const NEW_CREDIT: u32 = 8;
const MOST_CREDIT: u32 = 32;

/// Up to how many are passed before the next one is learned from: twice as many each time.
const LONGEST_PAUSE: u32 = 1024;

/// Whether to compare, and whether to learn. What is always new soon costs little.
#[derive(Debug, Default)]
pub(super) struct Patience {
    /// How many may look like none before them until they are no longer compared.
    credit: u32,
    /// How many are passed before the next one is learned from, and how many were the last time.
    wait: u32,
    pause: u32,
}

impl Patience {
    /// Whether the next one is compared with those before it.
    #[inline]
    pub(super) fn compares(&self) -> bool {
        self.credit > 0
    }

    /// One was compared, and looked like one before it, or did not.
    #[inline]
    pub(super) fn met(&mut self, alike: bool) {
        self.credit = if alike { (self.credit + 1).min(MOST_CREDIT) } else { self.credit.saturating_sub(1) };
    }

    /// Whether one that looked like none before it is learned from. What is learned is worth a few comparisons.
    #[inline]
    pub(super) fn learns(&mut self) -> bool {
        if self.wait > 0 {
            self.wait -= 1;
            return false;
        }
        self.pause = (2 * self.pause + 1).min(LONGEST_PAUSE);
        self.wait = self.pause;
        self.credit = NEW_CREDIT;
        true
    }

    /// Makes the next one that looks like none before it one that is learned from.
    #[cfg(test)]
    pub(super) fn learn_next(&mut self) {
        self.wait = 0;
    }
}
