//! Reports of earlier runs, which a run is compared with.

use probative::baseline::{Baseline, Comparison};

use crate::input::parts;

/// Two reports, in JSON or JSON lines.
///
/// What is read of one and written, with times to the microsecond, is read back and written as the same; and any two can be compared.
pub fn baselines(bytes: &[u8]) {
    let [before, now] = parts(bytes);
    let Ok(before) = Baseline::read(before.to_vec(), "before.json") else { return };
    let again = Baseline::read(before.to_json().into_bytes(), "again.json").expect("what is written is read");
    assert_eq!(before.to_json(), again.to_json());
    let same = Comparison::between(&before, before.cases(), |_| true);
    assert!(!same.has_regressed(), "{same:?}");
    let Ok(now) = Baseline::read(now.to_vec(), "now.json") else { return };
    let changed = Comparison::between(&before, now.cases(), |id| id.len() > 3);
    assert!(!(changed.is_empty() && changed.has_regressed()), "{changed:?}");
    before.after(now.cases().to_vec(), |id| id.len() > 3);
}
