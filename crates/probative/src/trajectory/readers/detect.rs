//! Which format the records of a file are in.

use super::unsupported::Unsupported;
use super::{NoRuns, TraceFormat, native};
use crate::value::Value;

/// How many records are asked which format they are in.
pub(super) const VOTERS: usize = 512;

/// How many votes one record has at most, however sure it is: a few of another format must not decide for many.
const MOST_VOTES: usize = 3;

/// One record in so many may be of no format, or of another one than the rest.
pub(super) const MISFITS_IN: usize = 10;

/// A file with fewer records must fit whole; from here on, one misfit is tolerated.
const FEW: usize = 3;

/// Returns true if so many of `asked` records fit a format that it is the format of all of them.
fn is_quorum(fitting: usize, asked: usize) -> bool {
    let tolerated = (asked / MISFITS_IN).max(usize::from(asked >= FEW));
    fitting > 0 && asked.saturating_sub(fitting) <= tolerated
}

/// How likely a record is of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Claim {
    /// How many marks of the format it has; 0 means that it isn't of the format.
    pub(super) weight: usize,
    /// The record is a run by itself, and not a part of one.
    pub(super) is_run: bool,
    /// Other formats have such records, too: it fits, but says nothing about which format it is.
    pub(super) is_common: bool,
}

impl Claim {
    /// A record that is not of the format.
    pub(super) const NO: Claim = Claim { weight: 0, is_run: false, is_common: false };
    /// A record that is part of a run.
    pub(super) const PART: Claim = Claim { weight: 1, ..Claim::NO };
    /// A part of a run that could be of other formats, too.
    pub(super) const COMMON: Claim = Claim { is_common: true, ..Claim::PART };
    /// A record that says what it is, and is a whole run.
    pub(super) const RUN: Claim = Claim { weight: 100, is_run: true, ..Claim::NO };

    /// A part of a run, if it has the marks.
    pub(super) fn part(has_marks: bool) -> Claim {
        if has_marks { Claim::PART } else { Claim::NO }
    }

    /// A part that could be of other formats, too, if it has the marks.
    pub(super) fn common(has_marks: bool) -> Claim {
        if has_marks { Claim::COMMON } else { Claim::NO }
    }

    /// A whole run, if it has the marks.
    pub(super) fn run(has_marks: bool) -> Claim {
        if has_marks { Claim::RUN } else { Claim::NO }
    }

    /// A list, which is a run if nearly all of its items are parts of one.
    pub(super) fn of_list(items: &[Value], claim: impl Fn(&Value) -> Claim) -> Claim {
        let asked = &items[..items.len().min(VOTERS)];
        let weight = asked.iter().filter(|item| claim(item).weight > 0).count();
        let is_common = asked.iter().map(&claim).all(|claim| claim.weight == 0 || claim.is_common);
        if is_quorum(weight, asked.len()) { Claim { weight, is_run: true, is_common } } else { Claim::NO }
    }
}

/// Counts which formats the records of a file fit.
#[derive(Debug, Clone, Default)]
pub(super) struct Vote {
    /// What was counted for each format, in the order of the table.
    tallies: Vec<Tally>,
    /// How many records were asked.
    pub(super) asked: usize,
    /// True if one that fits no format has the key of a native run, `steps`, or one that is misspelt.
    has_steps: bool,
    /// The first format without a reader that a record was recognized as.
    unsupported: Option<&'static Unsupported>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Tally {
    /// How many records fit the format.
    fitting: usize,
    /// How much speaks for it: a record speaks for the format of which it has the most marks.
    votes: usize,
    /// How many of the records that fit are runs by themselves.
    runs: usize,
}

impl Tally {
    /// What formats are compared by.
    fn rank(self) -> (usize, usize) {
        (self.fitting, self.votes)
    }
}

impl Vote {
    /// Asks a record.
    pub(super) fn ask(&mut self, record: &Value) {
        self.asked += 1;
        self.tallies.resize(TraceFormat::ALL.len(), Tally::default());
        let claims: Vec<Claim> = TraceFormat::ALL.iter().map(|format| format.claim(record)).collect();
        let most = claims.iter().map(|claim| claim.weight).max().unwrap_or_default();
        self.has_steps |= most == 0 && native::has_steps(record);
        self.unsupported = self.unsupported.or_else(|| Unsupported::recognize(record));
        for (tally, Claim { weight, is_run, is_common }) in self.tallies.iter_mut().zip(claims) {
            tally.fitting += usize::from(weight > 0);
            tally.runs += usize::from(is_run);
            tally.votes += if weight == most && !is_common { weight.min(MOST_VOTES) } else { 0 };
        }
    }

    /// The one format that nearly all records fit. Of several, the one that most fit; then the one that most speaks for.
    pub(super) fn winner(&self) -> Result<TraceFormat, NoRuns> {
        if let Some(unsupported) = self.unsupported {
            return Err(unsupported.refusal());
        }
        let spoken_for = || TraceFormat::ALL.iter().zip(&self.tallies).filter(|(_, tally)| tally.votes > 0);
        let Some(most) = spoken_for().map(|(_, tally)| *tally).max_by_key(|tally| tally.rank()) else {
            return Err(NoRuns::Unknown {
                asked: self.asked,
                has_steps: self.has_steps,
                first: String::new(),
                part: None,
                closest: Vec::new(),
            });
        };
        // Among runs, a record that is none is an error of its own, and takes nothing from the others.
        if !is_quorum(most.fitting, self.asked) && most.runs * 2 <= self.asked {
            let mut resembles: Vec<(TraceFormat, usize)> =
                spoken_for().map(|(format, tally)| (*format, tally.fitting)).collect();
            resembles.sort_by_key(|(_, fitting)| std::cmp::Reverse(*fitting));
            return Err(NoRuns::TooFew { asked: self.asked, resembles, closest: Vec::new() });
        }
        let best: Vec<TraceFormat> = spoken_for()
            .filter(|(_, tally)| tally.rank() == most.rank())
            .map(|(format, _)| *format)
            .collect();
        match *best {
            [format] => Ok(format),
            _ => Err(NoRuns::Ambiguous(best)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearly_all_records_must_fit() {
        for (fitting, asked) in [(1, 1), (3, 3), (2, 3), (3, 4), (9, 10), (18, 19), (18, 20), (180, 200)] {
            assert!(is_quorum(fitting, asked), "{fitting} of {asked}");
        }
        for (fitting, asked) in [(0, 0), (0, 4), (1, 2), (1, 3), (3, 5), (17, 19), (179, 200), (8, 200)] {
            assert!(!is_quorum(fitting, asked), "{fitting} of {asked}");
        }
    }
}
