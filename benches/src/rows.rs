//! What came of measuring, as data: the table and the page are told from it.

use serde::{Deserialize, Serialize};

use crate::told::{count, figures, time};

/// Something that was measured.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "row", rename_all = "snake_case")]
pub(crate) enum Row {
    Pair(Pair),
    Figure(Figure),
    Growth(Growth),
}

/// Probative beside something else, both doing the same.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Pair {
    /// What both do.
    pub(crate) what: String,
    pub(crate) beside: String,
    pub(crate) role: Role,
    /// Seconds.
    pub(crate) ours: f64,
    pub(crate) theirs: f64,
    /// Their time by ours, of every round.
    pub(crate) times_as_fast: Spread,
    pub(crate) our_mebibytes: Option<f64>,
    pub(crate) their_mebibytes: Option<f64>,
    pub(crate) target: Option<Target>,
}

/// A figure of Probative alone.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Figure {
    pub(crate) what: String,
    /// In seconds or megabytes, as `unit` says.
    pub(crate) value: Spread,
    pub(crate) unit: Unit,
    pub(crate) at_most: Option<f64>,
}

/// The same with 1, 10 and 100 times as much of one thing.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Growth {
    pub(crate) what: String,
    pub(crate) sizes: [usize; 3],
    /// Seconds.
    pub(crate) times: [f64; 3],
    pub(crate) mebibytes: [Option<f64>; 3],
}

/// What something is to Probative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Role {
    /// Does the same job.
    Peer,
    /// Does only what nobody who does the job can leave out.
    Limit,
    /// Is Probative, in another way.
    Itself,
}

/// What is wanted of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Target {
    /// At least so many times as fast.
    SpeedAtLeast(f64),
    /// At most so many times its time.
    TimeAtMost(f64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Unit {
    Seconds,
    Megabytes,
}

/// The median of several measurements, and how far they lie apart.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) least: f64,
    pub(crate) most: f64,
}

impl Spread {
    /// Of at least one measurement; the median of an even number of them is the upper of the middle two.
    pub(crate) fn of(mut measured: Vec<f64>) -> Spread {
        measured.sort_by(f64::total_cmp);
        Spread {
            median: measured[measured.len() / 2],
            least: measured[0],
            most: measured[measured.len() - 1],
        }
    }

    /// The same the other way round: a half where this says twice.
    fn inverse(self) -> Spread {
        Spread { median: 1.0 / self.median, least: 1.0 / self.most, most: 1.0 / self.least }
    }

    fn told(self, unit: &str) -> String {
        let [median, least, most] = [self.median, self.least, self.most].map(figures);
        format!("{median}{unit} ({least}–{most})")
    }
}

/// Time may grow with its input by this power, to allow for noise; above, it wants an explanation.
const LINEAR: f64 = 1.05;

impl Growth {
    /// The power by which time grows between the second and the third size, where start-up weighs least.
    pub(crate) fn exponent(&self) -> f64 {
        (self.times[2] / self.times[1]).log10()
    }

    /// The power by which time grows from the first to the third size.
    pub(crate) fn overall(&self) -> f64 {
        (self.times[2] / self.times[0]).log10() / 2.0
    }

    pub(crate) fn is_steep(&self) -> bool {
        self.exponent() > LINEAR
    }

    /// Why it is steep, if anybody has found out. In a code review the place for it is here.
    pub(crate) fn explanation(&self) -> Option<&'static str> {
        EXPLANATIONS.iter().find(|(what, _)| *what == self.what).map(|(_, why)| *why)
    }
}

/// Why some things grow faster than their input, by what grows. Empty while nothing does.
const EXPLANATIONS: [(&str, &str); 0] = [];

impl Row {
    /// What was measured, in one line.
    pub(crate) fn title(&self) -> String {
        match self {
            Row::Pair(pair) => {
                format!("{}, beside {}: {}, {}", pair.what, pair.beside, self.ratio(), self.target())
            }
            Row::Figure(figure) => format!("{}: {}, {}", figure.what, self.ours(), self.target()),
            Row::Growth(growth) => {
                format!("{}: time grows with the power {:.2}", growth.what, growth.exponent())
            }
        }
    }

    /// A target that is missed, or a growth that is neither linear nor explained.
    pub(crate) fn is_missed(&self) -> bool {
        match self {
            Row::Pair(pair) => pair.target.is_some_and(|target| match target {
                Target::SpeedAtLeast(wanted) => pair.times_as_fast.median < wanted,
                Target::TimeAtMost(wanted) => pair.times_as_fast.inverse().median > wanted,
            }),
            Row::Figure(figure) => figure.at_most.is_some_and(|wanted| figure.value.median > wanted),
            Row::Growth(growth) => growth.is_steep() && growth.explanation().is_none(),
        }
    }

    /// Our time or figure.
    pub(crate) fn ours(&self) -> String {
        match self {
            Row::Pair(pair) => time(pair.ours),
            Row::Figure(Figure { value, unit: Unit::Seconds, .. }) => {
                format!("{} ({}–{})", time(value.median), time(value.least), time(value.most))
            }
            Row::Figure(Figure { value, unit: Unit::Megabytes, .. }) => {
                format!("{} MB", figures(value.median))
            }
            Row::Growth(growth) => time(growth.times[2]),
        }
    }

    /// How many times as fast, or how many times its time if the target says it so.
    pub(crate) fn ratio(&self) -> String {
        match self {
            Row::Pair(Pair { times_as_fast, target: Some(Target::TimeAtMost(_)), .. }) => {
                times_as_fast.inverse().told(" × its time")
            }
            Row::Pair(Pair { times_as_fast, .. }) => times_as_fast.told(" × as fast"),
            Row::Figure(_) => String::new(),
            Row::Growth(growth) => format!("{:.2}", growth.exponent()),
        }
    }

    /// What is wanted, if anything.
    pub(crate) fn target(&self) -> String {
        match self {
            Row::Pair(Pair { target: Some(Target::SpeedAtLeast(wanted)), .. }) => {
                format!("at least {wanted} ×")
            }
            Row::Pair(Pair { target: Some(Target::TimeAtMost(wanted)), .. }) => format!("at most {wanted} ×"),
            Row::Figure(Figure { at_most: Some(wanted), unit: Unit::Seconds, .. }) => {
                format!("at most {}", time(*wanted))
            }
            Row::Figure(Figure { at_most: Some(wanted), .. }) => format!("at most {wanted} MB"),
            Row::Pair(_) | Row::Figure(_) => String::new(),
            Row::Growth(_) => format!("at most {LINEAR}"),
        }
    }

    /// Whether the target is met, and who is faster if it is not us.
    pub(crate) fn verdict(&self) -> String {
        let target = match self.target().as_str() {
            "" => "",
            _ if self.is_missed() => "MISSED",
            _ => "met",
        };
        let Row::Pair(Pair { times_as_fast, role, .. }) = self else { return target.to_owned() };
        let faster = match role {
            _ if times_as_fast.median >= 1.0 => "",
            Role::Peer => "the peer is faster",
            Role::Limit => "slower than the limit",
            Role::Itself => "slower",
        };
        [target, faster].into_iter().filter(|words| !words.is_empty()).collect::<Vec<_>>().join(", ")
    }
}

impl Pair {
    /// `8 / 120`, where both are processes that hold it themselves.
    pub(crate) fn memory(&self) -> String {
        let told = |mebibytes: Option<f64>| mebibytes.map_or_else(|| "–".to_owned(), figures);
        match (self.our_mebibytes, self.their_mebibytes) {
            (None, None) => String::new(),
            (ours, theirs) => format!("{} / {}", told(ours), told(theirs)),
        }
    }
}

/// The sizes of something that grows.
pub(crate) fn sizes(growth: &Growth) -> String {
    growth.sizes.map(count).join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(times_as_fast: f64, role: Role, target: Option<Target>) -> Row {
        Row::Pair(Pair {
            what: "a thing".to_owned(),
            beside: "another".to_owned(),
            role,
            ours: 1.0,
            theirs: times_as_fast,
            times_as_fast: Spread::of(vec![times_as_fast]),
            our_mebibytes: None,
            their_mebibytes: None,
            target,
        })
    }

    #[test]
    fn a_peer_that_is_faster_is_told() {
        assert_eq!(pair(0.5, Role::Peer, None).verdict(), "the peer is faster");
        assert_eq!(pair(1.0, Role::Peer, None).verdict(), "");
        assert_eq!(
            pair(0.5, Role::Limit, Some(Target::SpeedAtLeast(0.5))).verdict(),
            "met, slower than the limit"
        );
    }

    #[test]
    fn targets_are_of_speed_or_of_time() {
        assert!(pair(3.9, Role::Limit, Some(Target::SpeedAtLeast(4.0))).is_missed());
        assert!(!pair(4.0, Role::Limit, Some(Target::SpeedAtLeast(4.0))).is_missed());
        assert!(pair(0.8, Role::Limit, Some(Target::TimeAtMost(1.15))).is_missed());
        assert!(!pair(0.9, Role::Limit, Some(Target::TimeAtMost(1.15))).is_missed());
    }

    #[test]
    fn the_middle_of_the_rounds_counts() {
        assert_eq!(Spread::of(vec![3.0, 1.0, 2.0]), Spread { median: 2.0, least: 1.0, most: 3.0 });
    }

    #[test]
    fn growth_is_a_power() {
        let growth =
            |times| Growth { what: "x".to_owned(), sizes: [1, 10, 100], times, mebibytes: [None; 3] };
        assert!(!growth([1.0, 10.0, 100.0]).is_steep());
        assert!(growth([1.0, 10.0, 1000.0]).is_steep());
        assert!((growth([1.0, 2.0, 100.0]).overall() - 1.0).abs() < 1e-9);
    }
}
