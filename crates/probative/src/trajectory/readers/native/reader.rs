//! Reading a run of the native format from its text.

use super::fields::{Fields, Place};
use super::keys::{
    DURATION_SECONDS, FINAL_OUTPUT, INPUT, LLM_CALLS, RUN, RUN_ERROR, RUN_ID, RUN_UNKNOWN, SOURCE, STEP,
    STEPS, TOOLS, TOTAL_COST, TOTAL_TOKENS,
};
use super::tools;
use super::{is_like_steps, likely};
use crate::json::{JsonNode, View};
use crate::trajectory::model::{RunUnknown, Step, Trajectory};
use crate::value::excerpt::cut;

/// The reason why a document is not a run.
pub(super) enum Misfit {
    /// A value in it has more parts than can be held.
    TooLarge,
    /// It doesn't fit the model at this offset.
    Model { at: usize, message: String },
}

impl Misfit {
    pub(super) fn model(value: JsonNode<'_>, message: impl Into<String>) -> Misfit {
        Misfit::Model { at: value.range().start, message: message.into() }
    }
}

/// A key that is not of the format, and the one that it looks like.
struct Slip {
    place: Place,
    key: String,
    meant: Option<&'static str>,
}

impl Slip {
    fn warning(&self) -> Option<String> {
        let Slip { place, key, meant } = self;
        Some(format!("unknown key '{place}{}' is ignored; did you mean '{}'?", cut(key), (*meant)?))
    }
}

/// What a run is, for whoever gave something else.
const A_RUN: &str = "a native run is a JSON object with 'steps'";

/// How many different unknown keys are looked at for slips.
const UNKNOWN_KEYS_TOLD: usize = 16;

/// Reads a run from its document.
pub(super) struct Reader<'t> {
    text: &'t str,
    slips: Vec<Slip>,
    /// What to tell about the list of tools, where not all of it could be read.
    unlisted: Option<String>,
}

impl<'t> Reader<'t> {
    /// A reader of what was read from a text.
    pub(super) fn of(text: &'t str) -> Self {
        Reader { text, slips: Vec::new(), unlisted: None }
    }

    /// What to tell of what was read.
    pub(super) fn warnings(&self) -> Vec<String> {
        self.slips.iter().filter_map(Slip::warning).chain(self.unlisted.clone()).collect()
    }

    /// Reads a run.
    pub(super) fn run(&mut self, root: JsonNode<'_>) -> Result<Trajectory<'t>, Misfit> {
        if !root.is_object() {
            return Err(Misfit::model(root, A_RUN));
        }
        let slips = &mut self.slips;
        let fields = Fields::of(self.text, root, Place::Run, &RUN, |key| {
            // A run without 'steps' is refused, whatever else it has.
            likely_meant(slips, Place::Run, &key, &RUN).filter(|slot| *slot != STEPS)
        });
        let Some(steps) = fields.value(STEPS) else {
            let hint = self.slips.iter().find(|slip| is_like_steps(&slip.key));
            let hint = hint.map_or(A_RUN.to_owned(), |slip| {
                format!("found '{}', did you mean 'steps'?", cut(&slip.key))
            });
            return Err(Misfit::Model { at: 0, message: format!("'steps' is missing; {hint}") });
        };
        Ok(Trajectory {
            steps: self.list(steps)?,
            run_id: fields.text(RUN_ID)?,
            input: fields.any(INPUT)?,
            tools: match fields.any(TOOLS)? {
                None => Vec::new(),
                Some(written) => tools::read(&written, &mut self.unlisted),
            },
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

    fn list(&mut self, list: JsonNode<'_>) -> Result<Vec<Step<'t>>, Misfit> {
        let Some(items) = list.as_array() else {
            return Err(Misfit::model(list, "steps: expected an array"));
        };
        let mut steps = Vec::with_capacity(list.len());
        for (index, item) in items.enumerate() {
            if !item.is_object() {
                return Err(Misfit::model(item, format!("steps[{index}]: expected an object")));
            }
            let (place, slips) = (Place::Step(index), &mut self.slips);
            let fields =
                Fields::of(self.text, item, place, &STEP, |key| likely_meant(slips, place, &key, &STEP));
            steps.push(fields.step()?);
        }
        Ok(steps)
    }
}

/// Notes a key that is not of the format. Returns the position of the one that was likely meant.
fn likely_meant(
    slips: &mut Vec<Slip>,
    place: Place,
    key: &str,
    names: &'static [&'static str],
) -> Option<usize> {
    let position = |meant: &str| names.iter().position(|name| *name == meant);
    if let Some(slip) = slips.iter().find(|slip| slip.key == key) {
        return position(slip.meant?);
    }
    let meant = likely(key, names);
    if slips.len() < UNKNOWN_KEYS_TOLD {
        slips.push(Slip { place, key: key.to_owned(), meant });
    }
    position(meant?)
}
