//! Reading a run of the native format from its text.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::fields::{Fields, Place};
use super::keys::{
    DURATION_SECONDS, FINAL_OUTPUT, INPUT, LLM_CALLS, RUN, RUN_ERROR, RUN_ID, RUN_UNKNOWN, SOURCE, STEP,
    STEPS, TOOLS, TOTAL_COST, TOTAL_TOKENS,
};
use super::tools;
use super::{is_like_steps, likely};
use crate::trajectory::model::{RunUnknown, Step, Trajectory};
use crate::value::excerpt::cut;
use crate::value::scan::{Key, Kind, Scanner, Stop};

/// Why text is not a run.
pub(super) enum Misfit {
    NotJson(Stop),
    Model { at: usize, message: String },
}

impl Misfit {
    pub(super) fn model(at: usize, message: impl Into<String>) -> Misfit {
        Misfit::Model { at, message: message.into() }
    }
}

impl From<Stop> for Misfit {
    fn from(stop: Stop) -> Self {
        Misfit::NotJson(stop)
    }
}

/// A key that is not of the format, and the one that it looks like.
struct Slip<'t> {
    place: Place,
    key: Cow<'t, str>,
    meant: Option<&'static str>,
}

impl Slip<'_> {
    fn warning(&self) -> Option<String> {
        let Slip { place, key, meant } = self;
        Some(format!("unknown key '{place}{}' is ignored; did you mean '{}'?", cut(key), (*meant)?))
    }
}

/// What a run is, for whoever gave something else.
const A_RUN: &str = "a native run is a JSON object with 'steps'";

/// How many different unknown keys are looked at for slips.
const UNKNOWN_KEYS_TOLD: usize = 16;

/// How many bytes a step is guessed to take, and up to how many steps there is room from the beginning.
const BYTES_PER_STEP: usize = 256;
const MOST_EXPECTED_STEPS: usize = 1024;

/// Reads the text of a run.
pub(super) struct Reader<'t> {
    scanner: Scanner<'t>,
    text: &'t str,
    /// Whether a key of the run or of a step was given twice.
    repeated: bool,
    slips: Vec<Slip<'t>>,
    /// What to tell about the list of tools, where not all of it could be read.
    unlisted: Option<String>,
}

impl<'t> Reader<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        Reader { scanner: Scanner::new(text), text, repeated: false, slips: Vec::new(), unlisted: None }
    }

    /// What to tell of what was read.
    pub(super) fn warnings(&self) -> Vec<String> {
        self.slips.iter().filter_map(Slip::warning).chain(self.unlisted.clone()).collect()
    }

    /// Whether an object had a key twice.
    pub(super) fn repeats(&self) -> bool {
        self.repeated || self.scanner.repeated_keys()
    }

    /// Reads a run.
    pub(super) fn run(&mut self) -> Result<Trajectory<'t>, Misfit> {
        if !matches!(self.scanner.peek()?, Kind::Object) {
            let start = self.scanner.at();
            self.scanner.skip()?;
            self.scanner.end()?;
            return Err(Misfit::model(start, A_RUN));
        }
        let (mut steps, mut next) = (None, 0);
        let (mut fields, mut others) = (Fields::new(self.text, Place::Run, &RUN), BTreeSet::new());
        self.scanner.open_object()?;
        while let Some(key) = self.scanner.next_of(&RUN, next)? {
            match key {
                Key::Known(STEPS) => {
                    self.repeated |= steps.is_some();
                    steps = Some(self.list()?);
                    next = STEPS + 1;
                }
                Key::Known(slot) => {
                    self.repeated |= fields.take(slot, &mut self.scanner)?;
                    next = slot + 1;
                }
                Key::Other(key) => {
                    self.repeated |= !others.insert(key.clone());
                    // A run without 'steps' is refused, whatever else it has.
                    let meant = self.likely_meant(Place::Run, key, &RUN).filter(|slot| *slot != STEPS);
                    fields.doubt(meant);
                    self.scanner.skip()?;
                }
            }
        }
        self.scanner.end()?;
        let Some(steps) = steps else {
            let hint = self.slips.iter().find(|slip| is_like_steps(&slip.key));
            let hint = hint.map_or(A_RUN.to_owned(), |slip| {
                format!("found '{}', did you mean 'steps'?", cut(&slip.key))
            });
            return Err(Misfit::model(0, format!("'steps' is missing; {hint}")));
        };
        Ok(Trajectory {
            run_id: fields.text(RUN_ID)?,
            input: fields.any(INPUT)?,
            tools: match fields.any(TOOLS)? {
                None => Vec::new(),
                Some(written) => tools::read(&written, &mut self.unlisted),
            },
            steps,
            final_output: fields.text(FINAL_OUTPUT)?,
            total_tokens: fields.whole(TOTAL_TOKENS)?,
            total_cost: fields.amount(TOTAL_COST)?,
            duration_seconds: fields.amount(DURATION_SECONDS)?,
            llm_calls: fields.whole(LLM_CALLS)?,
            error: match fields.error(RUN_ERROR)? {
                Some(error) if error.r#type.is_none() && !fields.is_text(RUN_ERROR) => {
                    return Err(fields.wrong(RUN_ERROR, "'type' is missing"));
                }
                error => error,
            },
            source: if fields.is_text(SOURCE) { fields.text(SOURCE)? } else { None },
            unknown: RunUnknown::of(fields.unknown(
                RUN_UNKNOWN,
                RunUnknown::NAMES,
                [STEPS, LLM_CALLS, FINAL_OUTPUT, RUN_ERROR],
            )?),
        })
    }

    fn list(&mut self) -> Result<Vec<Step<'t>>, Misfit> {
        if !matches!(self.scanner.peek()?, Kind::Array) {
            return Err(Misfit::model(self.scanner.at(), "steps: expected an array"));
        }
        let mut steps = Vec::with_capacity((self.text.len() / BYTES_PER_STEP).min(MOST_EXPECTED_STEPS));
        self.scanner.open_array()?;
        while self.scanner.next_item()? {
            if !matches!(self.scanner.peek()?, Kind::Object) {
                let message = format!("steps[{}]: expected an object", steps.len());
                return Err(Misfit::model(self.scanner.at(), message));
            }
            steps.push(self.step(steps.len())?);
        }
        Ok(steps)
    }

    /// Reads the step with an index.
    fn step(&mut self, index: usize) -> Result<Step<'t>, Misfit> {
        let (place, start) = (Place::Step(index), self.scanner.at());
        let mut fields = Fields::new(self.text, place, &STEP);
        let mut others = None::<BTreeSet<Cow<'t, str>>>;
        let (mut next, mut repeated) = (0, false);
        self.scanner.open_object()?;
        while let Some(key) = self.scanner.next_of(&STEP, next)? {
            match key {
                Key::Known(slot) => {
                    repeated |= fields.take(slot, &mut self.scanner)?;
                    next = slot + 1;
                }
                Key::Other(key) => {
                    repeated |= !others.get_or_insert_default().insert(key.clone());
                    fields.doubt(self.likely_meant(place, key, &STEP));
                    self.scanner.skip()?;
                }
            }
        }
        self.repeated |= repeated;
        fields.step(start)
    }

    /// Notes a key that is not of the format. Returns the position of the one that was likely meant.
    fn likely_meant(
        &mut self,
        place: Place,
        key: Cow<'t, str>,
        names: &'static [&'static str],
    ) -> Option<usize> {
        let position = |meant: &str| names.iter().position(|name| *name == meant);
        if let Some(slip) = self.slips.iter().find(|slip| slip.key == key) {
            return position(slip.meant?);
        }
        let meant = likely(&key, names);
        if self.slips.len() < UNKNOWN_KEYS_TOLD {
            self.slips.push(Slip { place, key, meant });
        }
        position(meant?)
    }
}
