//! What a vocabulary is: the words a question may use about one kind of subject.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::document::fields;
use crate::exhibit::{Exhibit, Showing};
use crate::json::JsonDocument;
use crate::spec::lang::{Nowhere, World};
use crate::trajectory::{Lost, Trajectory};
use crate::value::excerpt::cut;
use crate::value::{Malformed, Moment, Pattern, Value};
use crate::verdict::{Error, Pointed, Verdict};

/// A vocabulary is one enum. Each variant is an assertion: its name is the variant's in `snake_case`, its argument is
/// what the variant holds, its documentation is the variant's doc comment.
///
/// Reading a variant compiles it (paths, patterns, dates), so judging only looks.
pub trait Vocabulary: DeserializeOwned + JsonSchema + Send + Sync {
    /// What the vocabulary speaks about, and the target that a question may name: `response`.
    const SUBJECT: &'static str;
    /// What people call a subject.
    const NOUN: &'static str = Self::SUBJECT;

    /// What that is of an agent, in words: `an agent's response`.
    const ABOUT: &'static str;

    /// The type of a case that asks in this vocabulary: `agent.response`.
    const TYPE: &'static str;

    /// What is judged. It may borrow from the text that it was read from.
    type Subject<'s>;

    /// What a question as a whole may say beside its assertions, under the key [`Vocabulary::SETTING`].
    type Setting: DeserializeOwned + JsonSchema + fmt::Debug + Clone + Default + Send + Sync;

    /// The key of the setting: `scope`.
    const SETTING: Option<&'static str> = None;

    /// The keys by which a subject of this kind is known among others, at the top of its JSON.
    const MARKS: &'static [&'static str] = &[];

    /// Reads a subject that is written in JSON.
    fn read<'s>(json: &'s [u8], setting: &Self::Setting) -> Result<Read<Self::Subject<'s>>, Malformed>;

    /// A subject that is plain text, where that can be one.
    fn from_text(_text: &str) -> Option<Self::Subject<'_>> {
        None
    }

    /// A subject that was recorded in a trace format, where a run can be one.
    fn from_run<'s>(_run: Trajectory<'s>, _setting: &Self::Setting) -> Option<Read<Self::Subject<'s>>> {
        None
    }

    /// What the source of a subject could not say, where it was read from a trace format.
    fn losses(_subject: &Self::Subject<'_>) -> Vec<Lost> {
        Vec::new()
    }

    /// Takes what the assertion needs beside itself, before the first subject is judged: `file` gives the bytes of a
    /// file, as it is named from where the question stands. Answers with what should be known about these.
    fn supply(&mut self, _file: &mut FileReader<'_>) -> Result<Vec<String>, Error> {
        Ok(Vec::new())
    }

    /// Whether the subject is what this assertion says.
    fn judge(&self, subject: &Self::Subject<'_>, context: &Context<'_>) -> Result<Verdict, Error>;

    /// The same, where nobody wants to know why it is not: of what must not be so, say.
    fn holds(&self, subject: &Self::Subject<'_>, context: &Context<'_>) -> Result<bool, Error> {
        self.judge(subject, context).map(|verdict| verdict.passed())
    }

    /// Whether it is known that this assertion does not hold, which was not found to: part of the subject may be missing.
    fn denies(&self, _subject: &Self::Subject<'_>) -> Result<(), Error> {
        Ok(())
    }

    /// The answer that this assertion gives whatever the subject holds, where its argument leaves no choice.
    fn constant(&self) -> Option<Constant> {
        None
    }

    /// Whether this assertion, which passed, had anything in the subject to say no to.
    ///
    /// Inside `cannot` it is asked of one that did not hold: there, what holds is that it does not.
    fn exercise(&self, _subject: &Self::Subject<'_>, _context: &Context<'_>) -> Exercise {
        Exercise::Yes
    }

    /// The tools that a subject mentions: those called at any depth, and those that it lists.
    fn mentions(_subject: &Self::Subject<'_>) -> Vec<String> {
        Vec::new()
    }

    /// How many tokens there are for a selection, where the assertion says so.
    fn budget(&self) -> Option<u64> {
        None
    }

    /// The parts of a subject that show why this assertion holds, for one that must not.
    fn witnesses(&self, _subject: &Self::Subject<'_>) -> Vec<Pointed> {
        Vec::new()
    }

    /// What is seen in a subject in which this assertion holds, for one that must not.
    fn sighting(&self, _subject: &Self::Subject<'_>) -> Option<Sighting> {
        None
    }

    /// The setting under which all of a subject is looked at.
    fn whole() -> Self::Setting {
        Self::Setting::default()
    }

    /// The subject as text, for a person who wants to see it. Nothing in it is obeyed by a terminal.
    fn show(subject: &Self::Subject<'_>, showing: &Showing) -> String;

    /// The subject as a report shows it beside failures, where it can be shown.
    fn exhibit<'a>(_subject: &'a Self::Subject<'_>) -> Option<&'a dyn Exhibit> {
        None
    }

    /// Keys that are no assertions but stand beside one and belong to it: `value`, with the `has_field` that takes it.
    const COMPANIONS: &'static [(&'static str, &'static str)] = &[];

    /// Whether a key is such a companion.
    fn is_companion(key: &str) -> bool {
        Self::COMPANIONS.iter().any(|(companion, _)| *companion == key)
    }

    /// Takes such a key, and answers whether it did.
    fn attach(&mut self, _key: &str, _value: &Value) -> bool {
        false
    }
}

/// What is seen in a subject although it must not be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sighting {
    /// What is seen, as the beginning of a sentence: `search({"q":"tea"}) was called at step 4`.
    pub seen: String,
    /// How that sentence goes on after `but`: `must not be`.
    pub but: Cow<'static, str>,
    /// What was expected instead.
    pub expected: String,
    /// What was found.
    pub found: String,
    /// Where in the subject.
    pub place: Option<String>,
}

impl Sighting {
    /// Something that is: `search({"q":"tea"}) was called`.
    pub(crate) fn of_state(seen: impl Into<String>) -> Sighting {
        Sighting {
            seen: seen.into(),
            but: Cow::Borrowed("must not be"),
            expected: String::new(),
            found: String::new(),
            place: None,
        }
    }

    /// Something that does: `stdout contains 'ERROR'`.
    pub(crate) fn of_action(seen: impl Into<String>) -> Sighting {
        Sighting::of_state(seen).but("must not")
    }

    /// How the sentence goes on after `but`.
    pub(crate) fn but(self, but: impl Into<Cow<'static, str>>) -> Sighting {
        Sighting { but: but.into(), ..self }
    }

    pub(crate) fn expected(self, expected: impl Into<String>) -> Sighting {
        Sighting { expected: expected.into(), ..self }
    }

    pub(crate) fn found(self, found: impl Into<String>) -> Sighting {
        Sighting { found: found.into(), ..self }
    }

    pub(crate) fn at(self, place: impl fmt::Display) -> Sighting {
        Sighting { place: Some(place.to_string()), ..self }
    }

    /// Several that are seen together, at the place of the first.
    pub(crate) fn of_all(sightings: Vec<Sighting>) -> Sighting {
        if let [_] = sightings.as_slice() {
            return sightings.into_iter().next().unwrap_or_else(|| Sighting::of_action(""));
        }
        let joined = |part: fn(&Sighting) -> &str, between: &str| {
            let parts: Vec<&str> = sightings.iter().map(part).filter(|part| !part.is_empty()).collect();
            parts.join(between)
        };
        let seen = joined(|sighting| &sighting.seen, " and ");
        let expected = format!("not all of: {}", joined(|sighting| &sighting.seen, "; "));
        let found = joined(|sighting| &sighting.found, "; ");
        let place = sightings.iter().find_map(|sighting| sighting.place.clone());
        Sighting { seen, but: "these must not occur together".into(), expected, found, place }
    }

    /// The whole sentence.
    pub(crate) fn sentence(&self) -> String {
        format!("{}, but {}", self.seen, self.but)
    }
}

/// Whether an assertion had anything to say no to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exercise {
    /// It had.
    Yes,
    /// It had not, and this is why, in a few words: `results is empty`.
    No(String),
    /// It is about a tool, by name, that this subject neither calls nor lists. Another may.
    Unmentioned(String),
}

impl Exercise {
    /// Whether it had.
    pub fn is_yes(&self) -> bool {
        *self == Exercise::Yes
    }

    /// Why it had not, in a few words; `None` where it had.
    pub fn why(&self) -> Option<String> {
        match self {
            Exercise::Yes => None,
            Exercise::No(why) => Some(why.clone()),
            Exercise::Unmentioned(tool) => {
                Some(format!("the tool '{}' is neither called nor listed in 'tools'", cut(tool)))
            }
        }
    }

    /// Whether any of several had, with the first reason where none had; `None` where there are none.
    pub(crate) fn any(several: impl IntoIterator<Item = Exercise>) -> Option<Exercise> {
        let mut first = None;
        for one in several {
            if one.is_yes() {
                return Some(one);
            }
            first = first.or(Some(one));
        }
        first
    }

    /// Combines several: exercised if all are, else with the reason of one, preferably one that no other subject can change.
    pub(crate) fn every(several: impl IntoIterator<Item = Exercise>) -> Exercise {
        let mut found = Exercise::Yes;
        for one in several {
            match one {
                Exercise::No(_) => return one,
                Exercise::Unmentioned(_) if found.is_yes() => found = one,
                Exercise::Yes | Exercise::Unmentioned(_) => {}
            }
        }
        found
    }

    /// The exercise of what asks for nothing, so that every subject passes.
    pub(crate) fn nothing_asked() -> Exercise {
        Exercise::No("it asserts nothing".to_owned())
    }

    /// The answer, where it is known whether there was anything.
    pub(crate) fn unless(idle: bool, why: &str) -> Exercise {
        if idle { Exercise::No(why.to_owned()) } else { Exercise::Yes }
    }
}

/// An answer that does not depend on what the subject holds: every text contains the empty one.
///
/// A subject may still lack what the assertion looks at, or hold it in another type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constant {
    /// True if the assertion always holds. If not, it never does.
    pub holds: bool,
    /// The reason, in a few words: `every string contains ''`.
    pub why: String,
}

impl Constant {
    /// An assertion that always holds.
    pub(crate) fn always(why: impl Into<String>) -> Constant {
        Constant { holds: true, why: why.into() }
    }

    /// An assertion that never holds.
    pub(crate) fn never(why: impl Into<String>) -> Constant {
        Constant { holds: false, why: why.into() }
    }

    /// An assertion that always holds if it is given nothing to ask for.
    pub(crate) fn if_empty(is_empty: bool) -> Option<Constant> {
        is_empty.then(|| Constant::always("it asserts nothing"))
    }

    /// A search for a text. Every text contains the empty one.
    pub(crate) fn of_text(text: &str) -> Option<Constant> {
        text.is_empty().then(|| Constant::always("every string contains ''"))
    }

    /// A search for a pattern.
    pub(crate) fn of_pattern(pattern: &Pattern) -> Option<Constant> {
        let written = cut(pattern.as_str());
        if pattern.matches_every_text() {
            return Some(Constant::always(format!("every string matches '{written}'")));
        }
        pattern.matches_no_text().then(|| Constant::never(format!("no string matches '{written}'")))
    }

    /// The answer of assertions that must all hold.
    pub(crate) fn all(parts: impl IntoIterator<Item = Option<Constant>>) -> Option<Constant> {
        let parts: Vec<Option<Constant>> = parts.into_iter().collect();
        if parts.is_empty() { Constant::if_empty(true) } else { Constant::decided(parts, false) }
    }

    /// The answer of assertions of which one must hold.
    pub(crate) fn any(parts: impl IntoIterator<Item = Option<Constant>>) -> Option<Constant> {
        Constant::decided(parts.into_iter().collect(), true)
    }

    /// The first part whose answer is decisive; else the first part, if all are constant.
    fn decided(parts: Vec<Option<Constant>>, decisive: bool) -> Option<Constant> {
        let found = parts.iter().flatten().find(|part| part.holds == decisive);
        match found {
            Some(part) => Some(part.clone()),
            None if parts.contains(&None) => None,
            None => parts.into_iter().next().flatten(),
        }
    }

    /// The opposite answer, for the same reason.
    pub(crate) fn negated(self) -> Constant {
        Constant { holds: !self.holds, ..self }
    }
}

/// Gives the bytes of a file that a question names.
pub type FileReader<'f> = dyn FnMut(&str) -> Result<Vec<u8>, Error> + 'f;

/// A subject as it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Read<S> {
    /// The subject.
    pub subject: S,
    /// What the reader of a report should know about it.
    pub warnings: Vec<String>,
}

/// No setting: what a vocabulary has whose questions hold nothing but assertions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct NoSetting;

/// The names of a vocabulary's assertions, as its enum declares them.
pub fn names<A: Vocabulary>() -> &'static [&'static str] {
    fields::<A>()
}

/// What a judgement may depend on beside the question and the subject.
#[derive(Debug, Clone, Copy, Default)]
pub struct Context<'c> {
    /// What time it is, where it matters.
    pub now: Option<Moment>,
    /// The responses that earlier steps have stored, by name.
    pub stored: Option<&'c BTreeMap<String, JsonDocument<'c>>>,
    /// What expressions may ask of the world.
    pub world: Option<&'c dyn World>,
}

impl Context<'_> {
    /// What expressions may ask of the world; where nothing was given, nothing.
    pub fn world(&self) -> &dyn World {
        self.world.unwrap_or(&Nowhere)
    }
}
