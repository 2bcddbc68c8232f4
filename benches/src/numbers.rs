//! Numbers that are the same on every machine.

/// A small generator of numbers (xorshift64*).
pub(crate) struct Numbers(u64);

impl Numbers {
    /// Numbers from a seed, which must not be 0.
    pub(crate) fn seeded(seed: u64) -> Numbers {
        Numbers(seed)
    }

    /// The next number below a limit.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) % limit
    }

    /// One of several.
    pub(crate) fn one_of<'t, T>(&mut self, several: &'t [T]) -> &'t T {
        let index = usize::try_from(self.below(several.len() as u64)).unwrap_or_default();
        &several[index]
    }
}
