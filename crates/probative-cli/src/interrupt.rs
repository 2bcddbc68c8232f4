//! Ctrl-C, and being told to end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// How long the reports may take to be finished after an interrupt, before the process ends without them.
const GRACE: Duration = Duration::from_secs(2);

/// A flag that an interrupt sets. Whoever watches it finishes the reports and ends with 130; whoever waits for input
/// that never comes, or is interrupted twice, is ended with 130 all the same.
pub(crate) fn flag() -> std::io::Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&interrupted);
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    std::thread::spawn(move || {
        for _ in signals.forever() {
            if seen.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
            std::thread::spawn(|| {
                std::thread::sleep(GRACE);
                std::process::exit(130);
            });
        }
    });
    Ok(interrupted)
}
