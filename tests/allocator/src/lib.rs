//! An allocator that counts what each thread asks for: the only unsafe code of the workspace, and only tests have it.
//!
//! Whoever depends on this crate and calls anything in it has it as the allocator of the program.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// What a thread asked for since it began.
#[derive(Clone, Copy, Debug)]
pub struct Counted {
    /// How often it asked for memory.
    pub allocations: usize,
    /// The bytes that it holds. What another thread gave back counts there, so there may be fewer than none.
    pub held: isize,
    /// The most bytes that it held since `forget_the_most`.
    pub most: isize,
}

thread_local! {
    static COUNTED: Cell<Counted> = const { Cell::new(Counted { allocations: 0, held: 0, most: 0 }) };
}

/// What this thread asked for so far.
pub fn counted() -> Counted {
    COUNTED.get()
}

/// From now on the most that is held is counted anew.
pub fn forget_the_most() {
    COUNTED.set(Counted { most: counted().held, ..counted() });
}

struct Counting;

impl Counting {
    fn count(allocations: usize, bytes: isize) {
        let before = COUNTED.get();
        let held = before.held + bytes;
        let allocations = before.allocations + allocations;
        COUNTED.set(Counted { allocations, held, most: before.most.max(held) });
    }
}

// SAFETY: all memory is the system allocator's, which is given and gives exactly what it would without this one. Counting
// touches only a cell of this thread, which is there from the start, needs no destructor and so allocates nothing itself.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Counting::count(1, layout.size().cast_signed());
        // SAFETY: the caller keeps the contract of `alloc`, which is the same there.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        Counting::count(0, -layout.size().cast_signed());
        // SAFETY: the caller keeps the contract of `dealloc`, and the memory came from `alloc` above: from the system.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[cfg(test)]
mod tests {
    use super::{counted, forget_the_most};

    #[test]
    fn what_is_held_is_counted_and_what_is_let_go_is_not() {
        let before = counted();
        let held = Vec::<u8>::with_capacity(1000);
        let during = counted();
        assert_eq!((during.allocations, during.held), (before.allocations + 1, before.held + 1000));
        drop(held);
        let after = counted();
        assert_eq!((after.allocations, after.held), (during.allocations, before.held));
        assert!(after.most >= before.held + 1000);
        forget_the_most();
        assert_eq!(counted().most, before.held);
    }
}
