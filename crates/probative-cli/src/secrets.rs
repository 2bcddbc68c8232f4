//! The secrets of this process, which nothing that it writes may hold.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, Once, OnceLock, PoisonError};

use probative::mask::Mask;
use probative::value::visible;
use probative_run::{Secrets, Suite};

use crate::terminal::{self, stderr};

/// How many names are told at once.
const NAMED: usize = 5;

/// What is known of them, once somebody has asked.
static KNOWN: OnceLock<Mutex<Known>> = OnceLock::new();

struct Known {
    secrets: Secrets,
    mask: Arc<Mask>,
    /// Variables whose values were hidden: by what was known before, and those that were told.
    hidden: BTreeSet<String>,
    told: BTreeSet<String>,
}

impl Known {
    /// Nothing was hidden yet.
    fn of(secrets: Secrets) -> Known {
        let mask = Arc::new(secrets.mask());
        Known { secrets, mask, hidden: BTreeSet::new(), told: BTreeSet::new() }
    }
}

/// What is hidden now: in the environment, and in what cases and agents set as far as they were read.
pub(crate) fn mask() -> Arc<Mask> {
    Arc::clone(&known().mask)
}

/// Learns what the cases of a suite set, before anything of them is told. What was known of other suites is forgotten.
pub(crate) fn learn(suite: &Suite) {
    let mut secrets = Secrets::here();
    secrets.learn(suite);
    let Err(learned) = KNOWN.set(Mutex::new(Known::of(secrets))) else { return };
    let Known { secrets, mask, .. } = learned.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut known = known();
    let hidden: Vec<String> = known.secrets.hidden().map(str::to_owned).collect();
    known.hidden.extend(hidden);
    (known.secrets, known.mask) = (secrets, mask);
}

/// A text without them.
pub(crate) fn hidden(text: &str) -> String {
    mask().hide(text).into_owned()
}

/// Says once which of them cannot be hidden, though the project names them.
pub(crate) fn warn() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let warnings = known().secrets.warnings().to_vec();
        for warning in warnings {
            let _ = writeln!(stderr(), "warning: {}", visible(&warning));
        }
    });
}

/// Says whose values were hidden in what was written, as far as nobody has said it yet.
pub(crate) fn note() {
    // Who has asked for no mask has hidden nothing.
    if KNOWN.get().is_none() || terminal::is_quiet() {
        return;
    }
    let names = untold(&mut known());
    if !names.is_empty() {
        let _ = writeln!(stderr(), "note: {}; see `probative explain secrets`", told_of(&names));
    }
}

/// The names that are to be told now.
fn untold(known: &mut Known) -> Vec<String> {
    let Known { secrets, hidden, told, .. } = known;
    hidden.extend(secrets.hidden().map(str::to_owned));
    let names: Vec<String> = hidden.difference(told).cloned().collect();
    told.extend(names.iter().cloned());
    names
}

/// `the values of A, B and 3 more are hidden (*)`.
fn told_of(names: &[String]) -> String {
    let mut shown: Vec<String> = names.iter().take(NAMED).map(|name| visible(name).into_owned()).collect();
    if names.len() > NAMED {
        shown.push(format!("{} more", names.len() - NAMED));
    }
    match shown.split_last() {
        Some((last, [])) => format!("the value of {last} is hidden (*)"),
        Some((last, others)) => format!("the values of {} and {last} are hidden (*)", others.join(", ")),
        None => String::new(),
    }
}

fn known() -> MutexGuard<'static, Known> {
    let known = KNOWN.get_or_init(|| Mutex::new(Known::of(Secrets::here())));
    known.lock().unwrap_or_else(PoisonError::into_inner)
}
