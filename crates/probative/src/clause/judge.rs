//! Asking, and what was found.

use super::{Asks, Clause, headlines};
use crate::exhibit::{Marked, Marks};
use crate::verdict::{Category, Cause, Error, Evidence, Explanation, Failure, Pointed, Verdict};
use crate::vocabulary::{Constant, Exercise, Sighting};

/// How many branches a message lists.
const BRANCHES_TOLD: usize = 5;

/// How many branches people read of.
const BRANCHES_LISTED: usize = 20;

/// What a question found in one subject. Empty, and without any allocation, where everything passed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Judgement {
    faults: Vec<(usize, Fault)>,
    /// The rows that passed for lack of anything to say no to, with why; empty where nobody asked.
    idle: Vec<(usize, Exercise)>,
}

/// Why one row of a question did not pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The assertion does not hold.
    Failed(Box<Failure>),
    /// There is no verdict.
    Error(Box<Error>),
    /// There is no verdict because of the error in another row: the agent crashed, or the part of its output that both are
    /// about is missing or can't be read. That row tells why; a report only counts these
    /// (see [`Judgement::not_judged`]).
    NotJudged {
        /// The row with the error, by its position in the question. It is always a [`Fault::Error`].
        because_of: usize,
    },
}

/// Knows how to ask the leaves of a tree.
pub(crate) trait Asker<L> {
    /// Whether one holds.
    fn ask(&self, leaf: &L) -> Result<Verdict, Error>;

    /// The same, where nobody wants to know why it does not hold.
    fn holds(&self, leaf: &L) -> Result<bool, Error> {
        self.ask(leaf).map(|verdict| verdict.passed())
    }

    /// Whether it is known that one does not hold, of which it is known that it was not found to.
    fn denies(&self, _leaf: &L) -> Result<(), Error> {
        Ok(())
    }

    /// The parts of a subject that show why it holds, for one that must not.
    fn witnesses(&self, _leaf: &L) -> Vec<Pointed> {
        Vec::new()
    }

    /// Returns whether the outcome could have been different: a `wanted` leaf that holds could have failed, an unwanted one that
    /// doesn't hold could have held.
    fn exercise(&self, _leaf: &L, _wanted: bool) -> Exercise {
        Exercise::Yes
    }

    /// The answer that one gives whatever the subject holds.
    fn constant(&self, _leaf: &L) -> Option<Constant> {
        None
    }

    /// What is seen where it holds, for one that must not.
    fn sighting(&self, _leaf: &L) -> Option<Sighting> {
        None
    }
}

impl Judgement {
    /// Asks every row. An error in one does not keep the others from being asked.
    pub(crate) fn of<L>(clauses: &[Clause<L>], asker: &impl Asker<L>) -> Judgement {
        let mut judgement = Judgement::default();
        for (row, clause) in clauses.iter().enumerate() {
            judgement.take(row, clause.judge(asker));
        }
        judgement
    }

    /// Takes the answer of one more row.
    pub fn take(&mut self, row: usize, answer: Result<Verdict, Error>) {
        match answer {
            Ok(Verdict::Pass) => {}
            Ok(Verdict::Fail(failure)) => self.faults.push((row, Fault::Failed(failure))),
            Err(error) => self.faults.push((row, Fault::Error(Box::new(error)))),
        }
    }

    /// Notes that a row which passed, or one part of it, was not exercised. It still passed.
    pub fn take_idle(&mut self, row: usize, exercise: Exercise) {
        if !exercise.is_yes() {
            self.idle.push((row, exercise));
        }
    }

    /// Lets these be the rows that had nothing to say no to, whatever was taken before.
    pub fn idle_are(&mut self, rows: Vec<(usize, Exercise)>) {
        self.idle = rows;
    }

    /// The rows that passed for lack of anything to say no to, as far as they were taken, with why.
    pub fn idle(&self) -> impl Iterator<Item = (usize, &Exercise)> {
        self.idle.iter().map(|(row, exercise)| (*row, exercise))
    }

    /// The same, with what is wrong told in other words, and why rows had nothing to say no to.
    pub(crate) fn retold(self, fault: impl Fn(Fault) -> Fault, words: impl Fn(&str) -> String) -> Judgement {
        let idle = self.idle.into_iter().map(|(row, exercise)| match exercise {
            Exercise::Yes => (row, Exercise::Yes),
            Exercise::No(why) => (row, Exercise::No(words(&why))),
            Exercise::Unmentioned(tool) => (row, Exercise::Unmentioned(words(&tool))),
        });
        let faults = self.faults.into_iter().map(|(row, told)| (row, fault(told)));
        Judgement { idle: idle.collect(), faults: faults.collect() }
    }

    /// Makes an error the fault of a row, and the reason why nothing is judged that needs output which is missing.
    ///
    /// Does nothing if no row needs any.
    pub(crate) fn blame(&mut self, row: usize, error: Error) {
        let mut is_needed = false;
        for (_, fault) in &mut self.faults {
            if matches!(fault, Fault::Error(error) if error.is_missing_output()) {
                *fault = Fault::NotJudged { because_of: row };
                is_needed = true;
            }
        }
        if is_needed {
            self.faults.retain(|(known, _)| *known != row);
            let at = self.faults.partition_point(|(known, _)| *known < row);
            self.faults.insert(at, (row, Fault::Error(Box::new(error))));
        }
    }

    /// Keeps one error of those that lack the same part of the output: that of the first row.
    pub(crate) fn share_errors(&mut self) {
        let mut first: Vec<(Cause, usize)> = Vec::new();
        for (row, fault) in &mut self.faults {
            let Fault::Error(error) = &*fault else { continue };
            let Some(cause) = error.cause.as_deref().filter(|_| error.is_missing_output()) else { continue };
            match first.iter().find(|(known, _)| known == cause) {
                Some((_, because_of)) => *fault = Fault::NotJudged { because_of: *because_of },
                None => first.push((cause.clone(), *row)),
            }
        }
    }

    /// Returns the rows that weren't judged because of the error in this one.
    pub fn not_judged(&self, row: usize) -> impl Iterator<Item = usize> {
        let depends =
            move |fault: &Fault| matches!(fault, Fault::NotJudged { because_of } if *because_of == row);
        self.faults.iter().filter(move |(_, fault)| depends(fault)).map(|(row, _)| *row)
    }

    /// Whether every row passed.
    pub fn passed(&self) -> bool {
        self.faults.is_empty()
    }

    /// The rows that did not pass, in order, by their position in the question.
    pub fn faults(&self) -> impl Iterator<Item = (usize, &Fault)> {
        self.faults.iter().map(|(row, fault)| (*row, fault))
    }

    /// What explains why it did not pass: parts of the subject, and places in it, by the name of their row.
    pub fn marks<'n>(&self, name: impl Fn(usize) -> &'n str + Copy) -> Marks {
        let failures = self.faults.iter().filter_map(|(row, fault)| match fault {
            Fault::Failed(failure) => Some((*row, failure)),
            Fault::Error(_) | Fault::NotJudged { .. } => None,
        });
        let places = failures.flat_map(|(row, failure)| {
            let mark = move |place: &String| Marked {
                place: place.clone(),
                note: name(row).to_owned(),
                target: failure.origin.as_ref().map(|origin| origin.target.clone()),
            };
            failure.place.iter().chain(&failure.evidence.elsewhere).map(mark).collect::<Vec<_>>()
        });
        Marks { places: places.collect(), parts: self.pointed(name) }
    }

    /// What explains why it did not pass. Where several rows point, each note begins with its row's name.
    fn pointed<'n>(&self, name: impl Fn(usize) -> &'n str) -> Vec<Pointed> {
        let pointing = self.faults.iter().filter_map(|(row, fault)| match fault {
            Fault::Failed(failure) if !failure.evidence.pointed.is_empty() => {
                Some((*row, &failure.evidence.pointed))
            }
            _ => None,
        });
        let pointing: Vec<_> = pointing.collect();
        let several = pointing.len() > 1;
        let note =
            |row: usize, note: &str| if several { format!("{}: {note}", name(row)) } else { note.to_owned() };
        // In turns, so that no row's many parts leave another without any.
        let longest = pointing.iter().map(|(_, parts)| parts.len()).max().unwrap_or_default();
        let in_turns = (0..longest)
            .flat_map(|turn| pointing.iter().filter_map(move |(row, parts)| Some((*row, parts.get(turn)?))));
        in_turns.map(|(row, pointed)| Pointed { note: note(row, &pointed.note), ..*pointed }).collect()
    }

    /// The one category of it all.
    pub fn category(&self) -> Option<Category> {
        Category::worst(self.faults.iter().map(|(_, fault)| fault.category()))
    }

    /// Returns what the rows say that did not pass, as machines read it: each message begins with its origin.
    pub fn full_messages(&self) -> String {
        self.faults.iter().filter_map(|(_, fault)| fault.full_message()).collect::<Vec<_>>().join("; ")
    }

    /// Returns what the rows say that did not pass, as people read it.
    pub fn messages(&self) -> String {
        self.each_message(Fault::message)
    }

    /// Returns the same, with the fixed text of an error that people read in other words.
    pub fn fixed_messages(&self) -> String {
        self.each_message(|fault| match fault {
            Fault::Error(error) if error.origin.is_some() => Some(error.kind.to_string()),
            fault => fault.message(),
        })
    }

    fn each_message(&self, message: impl Fn(&Fault) -> Option<String>) -> String {
        let mut messages: Vec<String> = self.faults.iter().filter_map(|(_, fault)| message(fault)).collect();
        messages.dedup();
        messages.join("; ")
    }

    /// The overall line: `Test FAILS (1 of 3 assertions failed)`.
    pub fn line(&self, asked: usize) -> String {
        let failed = self.faults.iter().filter(|(_, fault)| matches!(fault, Fault::Failed(_))).count();
        // A crash is the reason why others weren't judged, and none of them.
        let is_crash = |fault: &Fault| matches!(fault, Fault::Error(error) if error.crash().is_some());
        let crashes = self.faults.iter().filter(|(_, fault)| is_crash(fault)).count();
        let errors = self.faults.len() - failed - crashes;
        let of = format!("of {asked} assertion{}", if asked == 1 { "" } else { "s" });
        match (failed, errors) {
            (0, 0) => format!("Test PASSES ({asked} {of})"),
            (failed, 0) => format!("Test FAILS ({failed} {of} failed)"),
            (0, errors) => format!("Test has ERRORS ({errors} {of} not judged)"),
            (failed, errors) => format!("Test has ERRORS ({failed} {of} failed, {errors} not judged)"),
        }
    }
}

impl Fault {
    /// Returns the message that machines read, which begins with its origin.
    pub fn full_message(&self) -> Option<String> {
        match self {
            Fault::Failed(failure) => Some(failure.full_message()),
            Fault::Error(error) => Some(error.full_message()),
            Fault::NotJudged { .. } => None,
        }
    }

    /// Returns the message that people read. In a case, an error goes without its place, which is that of the row.
    pub fn message(&self) -> Option<String> {
        match self {
            Fault::Failed(failure) => Some(failure.in_one_line()),
            Fault::Error(error) if error.origin.is_some() || error.crash().is_some() => Some(error.summary()),
            Fault::Error(error) => Some(error.to_string()),
            Fault::NotJudged { .. } => None,
        }
    }

    /// What kind of thing went wrong.
    pub fn category(&self) -> Category {
        match self {
            Fault::Failed(_) => Category::Assertion,
            Fault::Error(error) => error.category(),
            Fault::NotJudged { .. } => Category::Runtime,
        }
    }
}

impl<L> Clause<L> {
    pub(crate) fn judge(&self, asker: &impl Asker<L>) -> Result<Verdict, Error> {
        match self.asks.as_ref().map_err(Error::clone)? {
            Asks::One(leaf) => asker.ask(leaf),
            Asks::All(clauses) => all(clauses, asker),
            Asks::Any(branches) => any(branches, asker),
            Asks::None(branches) => self.none(branches, asker),
        }
    }

    /// Whether it holds. Where it must not, or need not, that is all there is to say.
    fn holds(&self, asker: &impl Asker<L>) -> Result<bool, Error> {
        match self.asks.as_ref().map_err(Error::clone)? {
            Asks::One(leaf) => asker.holds(leaf),
            Asks::All(clauses) => Ok(holding(clauses, asker)?.all(|(_, holds)| holds)),
            Asks::Any(branches) => Ok(holding(branches, asker)?.any(|(_, holds)| holds)),
            Asks::None(branches) => Ok(!holding(branches, asker)?.any(|(_, holds)| holds)),
        }
    }

    /// Whether it is known that it does not hold, which was not found to.
    fn denied(&self, asker: &impl Asker<L>) -> Result<(), Error> {
        match &self.asks {
            Ok(Asks::One(leaf)) => asker.denies(leaf),
            Ok(Asks::All(inner) | Asks::Any(inner)) => {
                inner.iter().try_for_each(|clause| clause.denied(asker))
            }
            Ok(Asks::None(_)) | Err(_) => Ok(()),
        }
    }

    /// Returns whether a row that passed was exercised. An assertion that no subject can fail never is.
    pub(crate) fn exercise(&self, asker: &impl Asker<L>) -> Exercise {
        match self.constant(&|leaf| asker.constant(leaf)) {
            Some(Constant { why, .. }) => Exercise::No(why),
            None => self.exercise_of(asker, true),
        }
    }

    /// The same part by part, for different subjects may exercise the branches of a `cannot`; else there is one part.
    pub(crate) fn exercises(&self, asker: &impl Asker<L>) -> Vec<Exercise> {
        match &self.asks {
            Ok(Asks::None(branches)) if self.constant(&|leaf| asker.constant(leaf)).is_none() => {
                branches.iter().map(|branch| branch.exercise_of(asker, false)).collect()
            }
            _ => vec![self.exercise(asker)],
        }
    }

    /// The answer that it gives whatever the subject holds. What is malformed gives none.
    pub(crate) fn constant(&self, leaf_constant: &impl Fn(&L) -> Option<Constant>) -> Option<Constant> {
        let each = |inner: &'_ [Clause<L>]| {
            inner.iter().map(|clause| clause.constant(leaf_constant)).collect::<Vec<_>>()
        };
        match self.asks.as_ref().ok()? {
            Asks::One(leaf) => leaf_constant(leaf),
            Asks::All(inner) => Constant::all(each(inner)),
            Asks::Any(branches) => Constant::any(each(branches)),
            Asks::None(branches) => Constant::any(each(branches)).map(Constant::negated),
        }
    }

    /// Returns whether it could have failed or, where it must not hold and does not, could have held.
    ///
    /// Of the branches of a `can`, those count that hold. Every branch of a `cannot` counts, like every row of a `must`.
    /// What is malformed is an error, and never idle.
    fn exercise_of(&self, asker: &impl Asker<L>, is_wanted: bool) -> Exercise {
        let holding = |clause: &&Clause<L>| clause.holds(asker) == Ok(true);
        let any = match (&self.asks, is_wanted) {
            (Err(_), _) => None,
            (Ok(Asks::One(leaf)), wanted) => Some(asker.exercise(leaf, wanted)),
            (Ok(Asks::All(inner)), true) => {
                Exercise::any(inner.iter().map(|clause| clause.exercise_of(asker, true)))
            }
            (Ok(Asks::Any(inner)), true) | (Ok(Asks::None(inner)), false) => {
                Exercise::any(inner.iter().filter(holding).map(|clause| clause.exercise_of(asker, true)))
            }
            (Ok(Asks::All(inner)), false) => {
                let failing = inner.iter().filter(|clause| !holding(clause));
                Some(Exercise::every(failing.map(|clause| clause.exercise_of(asker, false))))
            }
            (Ok(Asks::Any(inner)), false) | (Ok(Asks::None(inner)), true) => {
                Some(Exercise::every(inner.iter().map(|clause| clause.exercise_of(asker, false))))
            }
        };
        any.unwrap_or(Exercise::Yes)
    }

    /// What shows that it holds, as far as its assertions know.
    fn witnesses(&self, asker: &impl Asker<L>, pointed: &mut Vec<Pointed>) {
        match &self.asks {
            Ok(Asks::One(leaf)) => pointed.extend(asker.witnesses(leaf)),
            Ok(Asks::All(inner) | Asks::Any(inner)) => {
                for clause in inner {
                    clause.witnesses(asker, pointed);
                }
            }
            Ok(Asks::None(_)) | Err(_) => {}
        }
    }

    /// Judges a `cannot`.
    fn none(&self, branches: &[Clause<L>], asker: &impl Asker<L>) -> Result<Verdict, Error> {
        let passed = holding(branches, asker)?.filter(|(_, holds)| *holds);
        let passed: Vec<&Clause<L>> = passed.map(|(clause, _)| clause).collect();
        if passed.is_empty() {
            branches.iter().try_for_each(|branch| branch.denied(asker))?;
            return Ok(Verdict::Pass);
        }
        let mut pointed = Vec::new();
        for clause in &passed {
            clause.witnesses(asker, &mut pointed);
        }
        let paths: Vec<String> = passed.iter().map(|clause| clause.path_of_sighting(asker)).collect();
        let sightings: Vec<Sighting> = passed.iter().map(|clause| clause.sighting(asker)).collect();
        let headline = match passed.as_slice() {
            [only] => only.label.clone(),
            _ => None,
        };
        let headline = headline.unwrap_or_else(|| format!("{} {}", self.name, headlines(passed)));
        let (summary, details) = if let [only] = sightings.as_slice() {
            (only.sentence(), Vec::new())
        } else {
            let count = format!("{} of {} assertions hold, but must not", paths.len(), branches.len());
            (count, listed(sightings.iter().map(|sighting| sighting.seen.clone())))
        };
        let joined = |part: fn(&Sighting) -> &str| {
            let mut parts: Vec<&str> = sightings.iter().map(part).collect();
            parts.retain(|part| !part.is_empty());
            parts.dedup();
            parts.truncate(BRANCHES_LISTED);
            parts.join("; ")
        };
        let message = format!("'cannot' failed: {} branch(es) passed: {}", paths.len(), paths.join(", "));
        let failure = Verdict::fail(message)
            .expected(joined(|sighting| &sighting.expected))
            .actual(joined(|sighting| &sighting.found))
            .explained(Explanation { headline: Some(headline), summary, details });
        let mut places = sightings.iter().filter_map(|sighting| sighting.place.clone());
        let place = places.next();
        let elsewhere = places.filter(|other| Some(other) != place.as_ref()).collect();
        let evidence = Evidence { pointed, elsewhere, ..Evidence::default() };
        Ok(Failure { place, evidence, ..failure }.into())
    }

    /// What is seen where it holds although it must not.
    fn sighting(&self, asker: &impl Asker<L>) -> Sighting {
        match &self.asks {
            Ok(Asks::One(leaf)) => asker.sighting(leaf).unwrap_or_else(|| self.unspecific_sighting(asker)),
            Ok(Asks::All(inner)) if !inner.is_empty() => {
                Sighting::of_all(inner.iter().map(|clause| clause.sighting(asker)).collect())
            }
            Ok(Asks::Any(inner)) => {
                let seen = inner.iter().filter(|clause| clause.holds(asker) == Ok(true));
                Sighting::of_all(seen.map(|clause| clause.sighting(asker)).collect())
            }
            Ok(Asks::All(_) | Asks::None(_)) | Err(_) => self.unspecific_sighting(asker),
        }
    }

    /// What is seen of something that holds, where no more is known than what was claimed.
    fn unspecific_sighting(&self, asker: &impl Asker<L>) -> Sighting {
        let space = if self.argument.is_empty() { "" } else { " " };
        let claimed = match &self.asks {
            Ok(Asks::One(_)) | Err(_) => format!("{}{space}{}", self.name, self.argument),
            Ok(_) => self.headline(),
        };
        let mut pointed = Vec::new();
        self.witnesses(asker, &mut pointed);
        let unplaced = Sighting::of_action(format!("{claimed} holds"));
        match pointed.first() {
            Some(first) => unplaced.at(first.part),
            None => unplaced,
        }
    }

    /// The row's path and, where it is known, what was seen.
    fn path_of_sighting(&self, asker: &impl Asker<L>) -> String {
        let seen = match &self.asks {
            Ok(Asks::One(leaf)) => asker.sighting(leaf),
            _ => None,
        };
        seen.map_or_else(|| self.path.clone(), |sighting| format!("{} ({})", self.path, sighting.seen))
    }
}

fn all<L>(clauses: &[Clause<L>], asker: &impl Asker<L>) -> Result<Verdict, Error> {
    let failures: Vec<Failure> =
        judged(clauses, asker)?.filter_map(|(_, verdict)| failure(verdict)).collect();
    Ok(Failure::all_of(failures))
}

fn any<L>(branches: &[Clause<L>], asker: &impl Asker<L>) -> Result<Verdict, Error> {
    if holding(branches, asker)?.any(|(_, holds)| holds) {
        return Ok(Verdict::Pass);
    }
    let judged = judged(branches, asker)?.filter_map(|(clause, verdict)| Some((clause, failure(verdict)?)));
    let failures: Vec<(&Clause<L>, Failure)> = judged.collect();
    let told = failures.iter().take(BRANCHES_TOLD).enumerate();
    let told: Vec<String> =
        told.map(|(at, (_, failure))| format!("({}) {}", at + 1, failure.message)).collect();
    let details =
        failures.iter().map(|(clause, failure)| format!("{}: {}", clause.headline(), failure.in_one_line()));
    let (summary, details) = match failures.len() {
        1 => (details.collect(), Vec::new()),
        count => (format!("no branch passed (of {count})"), listed(details)),
    };
    let failure = Verdict::fail(format!("all 'can' branches failed: {}", told.join("; ")))
        .expected(format!("at least one branch to pass (of {})", failures.len()))
        .actual("none passed")
        .explained(Explanation { headline: None, summary, details });
    let told = failures.into_iter().take(BRANCHES_TOLD);
    let pointed = told.flat_map(|(_, failure)| failure.evidence.pointed).collect();
    Ok(Failure { evidence: Evidence { pointed, ..Evidence::default() }, ..failure }.into())
}

/// The first lines of a list, and how many more there are.
fn listed(lines: impl ExactSizeIterator<Item = String>) -> Vec<String> {
    let more = lines.len().saturating_sub(BRANCHES_LISTED);
    let mut listed: Vec<String> = lines.take(BRANCHES_LISTED).collect();
    if more > 0 {
        listed.push(format!("… and {more} more"));
    }
    listed
}

/// Every clause with its verdict. All are judged, so that an error in any of them surfaces.
fn judged<'c, L>(
    clauses: &'c [Clause<L>],
    asker: &impl Asker<L>,
) -> Result<impl Iterator<Item = (&'c Clause<L>, Verdict)>, Error> {
    let verdicts = Error::or_all(clauses.iter().map(|clause| clause.judge(asker)))?;
    Ok(clauses.iter().zip(verdicts))
}

/// Every clause with whether it holds. All are asked, so that an error in any of them surfaces.
fn holding<'c, L>(
    clauses: &'c [Clause<L>],
    asker: &impl Asker<L>,
) -> Result<impl Iterator<Item = (&'c Clause<L>, bool)>, Error> {
    let answers = Error::or_all(clauses.iter().map(|clause| clause.holds(asker)))?;
    Ok(clauses.iter().zip(answers))
}

fn failure(verdict: Verdict) -> Option<Failure> {
    match verdict {
        Verdict::Fail(failure) => Some(*failure),
        Verdict::Pass => None,
    }
}
