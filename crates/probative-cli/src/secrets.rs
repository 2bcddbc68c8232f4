//! The secrets of this process, which nothing that it writes may hold.

use std::io::Write as _;
use std::sync::{Arc, Mutex, Once, OnceLock, PoisonError};

use probative::mask::Mask;
use probative::value::visible;
use probative_run::{Secrets, Suite};

use crate::terminal::stderr;

/// What is known of them.
struct Known {
    secrets: Secrets,
    mask: Arc<Mask>,
}

/// What is hidden now: in the environment, and in what cases and agents set as far as they were read.
pub(crate) fn mask() -> Arc<Mask> {
    Arc::clone(&known().lock().unwrap_or_else(PoisonError::into_inner).mask)
}

/// Learns what the cases of a suite set, before anything of them is told.
pub(crate) fn learn(suite: &Suite) {
    let mut known = known().lock().unwrap_or_else(PoisonError::into_inner);
    known.secrets.learn(suite);
    known.mask = Arc::new(known.secrets.mask());
}

/// A text without them.
pub(crate) fn hidden(text: &str) -> String {
    mask().hide(text).into_owned()
}

/// Says once which of them cannot be hidden, though the project names them.
pub(crate) fn warn() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let weak = known().lock().unwrap_or_else(PoisonError::into_inner).secrets.weak().to_vec();
        for name in weak {
            let name = visible(&name);
            let _ =
                writeln!(stderr(), "warning: the value of {name} is too short or too common to be hidden");
        }
    });
}

fn known() -> &'static Mutex<Known> {
    static KNOWN: OnceLock<Mutex<Known>> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let secrets = Secrets::here();
        let mask = Arc::new(secrets.mask());
        Mutex::new(Known { secrets, mask })
    })
}
