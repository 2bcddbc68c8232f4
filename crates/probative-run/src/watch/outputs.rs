//! Files that the cases themselves write.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// In so many runs, one after the other, a file must change before it is taken for something that the cases write. A person
/// who edits while cases run does so now and then, and not in each of them.
const RUNS: usize = 3;

/// So many runs, one after the other, may be started by nothing but files that were made during the one before: a file that
/// the cases write may have another name each time.
const CHAIN: usize = 5;

/// Which files change whenever cases run. A run that such a change started would start the next one, for ever.
#[derive(Debug, Default)]
pub struct Outputs {
    /// In how many runs without a gap a file changed, up to the one before.
    before: BTreeMap<PathBuf, usize>,
    /// What changed while the last run ran, or right behind it.
    during: BTreeSet<PathBuf>,
    /// What is known to be written by the cases.
    own: BTreeSet<PathBuf>,
    /// How many runs in a row were started by files that were made during the one before.
    chain: usize,
}

impl Outputs {
    /// Says that cases are run now.
    pub fn run(&mut self) {
        let during = std::mem::take(&mut self.during);
        let count = |path: PathBuf| {
            let times = self.before.get(&path).copied().unwrap_or(0) + 1;
            (path, times)
        };
        self.before = during.into_iter().map(count).collect();
    }

    /// Says what changed while nothing ran: somebody else writes it, too.
    pub fn edited(&mut self, changed: &BTreeSet<PathBuf>) {
        if !changed.is_empty() {
            self.chain = 0;
        }
        self.own.retain(|path| !changed.contains(path));
        self.before.retain(|path, _| !changed.contains(path));
    }

    /// Takes what changed during the last run, and answers with what of it was not written by the cases. A file that turns
    /// out to be written by them is handed to `told` once. `is_made` tells whether a file was made during the run.
    pub fn sift(
        &mut self,
        changed: BTreeSet<PathBuf>,
        is_made: impl Fn(&Path) -> bool,
        mut told: impl FnMut(&Path),
    ) -> BTreeSet<PathBuf> {
        let mut sifted = BTreeSet::new();
        for path in changed {
            let times = self.before.get(&path).copied().unwrap_or(0) + 1;
            self.during.insert(path.clone());
            if times >= RUNS && self.own.insert(path.clone()) {
                told(&path);
            }
            if !self.own.contains(&path) {
                sifted.insert(path);
            }
        }
        let Some(first) = sifted.first() else { return sifted };
        self.chain = if sifted.iter().all(|path| is_made(path)) { self.chain + 1 } else { 0 };
        match self.chain {
            ..CHAIN => sifted,
            CHAIN => {
                told(first);
                BTreeSet::new()
            }
            _ => BTreeSet::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: &[&str]) -> BTreeSet<PathBuf> {
        names.iter().map(PathBuf::from).collect()
    }

    #[test]
    fn a_file_that_changes_in_every_run_ends_the_chain() {
        let mut outputs = Outputs::default();
        let mut told = Vec::new();
        let mut runs = Vec::new();
        for _ in 0..5 {
            outputs.run();
            runs.push(outputs.sift(set(&["log"]), |_| false, |path| told.push(path.to_owned())));
        }
        assert_eq!(runs, [set(&["log"]), set(&["log"]), set(&[]), set(&[]), set(&[])]);
        assert_eq!(told, ["log"].map(PathBuf::from));
    }

    #[test]
    fn files_of_another_name_each_time_end_the_chain_too() {
        let mut outputs = Outputs::default();
        let mut told = Vec::new();
        for turn in 1..8 {
            outputs.run();
            let name = format!("log.{turn}");
            let left = outputs.sift(set(&[&name]), |_| true, |path| told.push(path.to_owned()));
            assert_eq!(left.is_empty(), turn >= CHAIN, "{turn}");
        }
        assert_eq!(told, [PathBuf::from("log.5")]);
        outputs.edited(&set(&["agent.py"]));
        assert_eq!(outputs.sift(set(&["log.9"]), |_| false, |_| {}), set(&["log.9"]));
    }

    #[test]
    fn a_run_in_which_it_does_not_change_clears_it() {
        let mut outputs = Outputs::default();
        for changed in [&["agent.py"][..], &["agent.py"], &[], &["agent.py"], &["agent.py"]] {
            outputs.run();
            assert_eq!(outputs.sift(set(changed), |_| false, |_| panic!("it is edited")), set(changed));
        }
    }

    #[test]
    fn what_the_cases_write_stays_known_until_somebody_else_does() {
        let mut outputs = Outputs::default();
        for _ in 0..RUNS {
            outputs.run();
            outputs.sift(set(&["log"]), |_| false, |_| {});
        }
        // A run that does not write it changes nothing.
        outputs.run();
        outputs.run();
        assert_eq!(outputs.sift(set(&["log"]), |_| false, |_| panic!("it is known")), set(&[]));
        outputs.edited(&set(&["log"]));
        assert_eq!(outputs.sift(set(&["log"]), |_| false, |_| panic!("it is edited")), set(&["log"]));
    }
}
