//! Which mutant is on. This file is put into the copy of the judge as its module `mutant`; the judge itself has no such thing.
#![allow(clippy::all, clippy::pedantic, clippy::disallowed_methods, clippy::disallowed_types, missing_docs)]

use std::cell::RefCell;
use std::fs::File;
use std::io::Write;
use std::sync::{LazyLock, Mutex};

/// The number in `MUTANT`; 0, which no mutant has, if there is none.
static CHOSEN: LazyLock<u32> =
    LazyLock::new(|| std::env::var("MUTANT").ok().and_then(|number| number.parse().ok()).unwrap_or(0));

/// Where it is written down which test came by which mutant, if it is.
static REACHED: LazyLock<Option<Mutex<File>>> = LazyLock::new(|| {
    let path = std::env::var_os("MUTANTS_REACHED")?;
    Some(Mutex::new(File::options().create(true).append(true).open(path).unwrap()))
});

thread_local! {
    /// By number.
    static SEEN: RefCell<Vec<bool>> = const { RefCell::new(Vec::new()) };
}

/// Whether the mutant of this number is on.
pub(crate) fn on(number: u32) -> bool {
    if let Some(file) = &*REACHED {
        write_down(file, number);
    }
    *CHOSEN == number
}

/// A test runs on a thread that has its name.
fn write_down(file: &Mutex<File>, number: u32) {
    let is_new = SEEN.with_borrow_mut(|seen| {
        let at = number as usize;
        seen.resize(seen.len().max(at + 1), false);
        !std::mem::replace(&mut seen[at], true)
    });
    if is_new {
        let thread = std::thread::current();
        let line = format!("{number}\t{}\n", thread.name().unwrap_or_default());
        file.lock().unwrap().write_all(line.as_bytes()).unwrap();
    }
}
