//! The native format: the model itself, as one JSON object with `snake_case` keys.

mod fields;
mod keys;
mod schema;
mod tools;

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeSet;

use fields::{Fields, LONGEST, Place};
use keys::{
    DURATION_SECONDS, FINAL_OUTPUT, INPUT, LLM_CALLS, RUN, RUN_ERROR, RUN_ID, RUN_KEYS, RUN_UNKNOWN, SOURCE,
    STEP, STEP_KEYS, STEP_TYPE, STEPS, TOOLS, TOTAL_COST, TOTAL_TOKENS,
};

use crate::document::nearest;
use crate::trajectory::model::{RunUnknown, Step, Trajectory};
use crate::value::excerpt::cut;
use crate::value::scan::{Key, Kind, Layout, Memo, Scanner, Stop};
use crate::value::{Cause, Malformed, Tree, Value};

pub use schema::schema;

use super::{Claim, Notes, Recorded, RunId};
use crate::vocabulary::Read;

/// Reads a run. Only `steps` is required; keys that are not of the format are passed over, and warned of where they
/// look like a slip. So are tools in `tools` that have no name.
///
/// What is not JSON, and what does not fit the model (an unknown `step_type`, a tool call without a name), is malformed; so is
/// what has more than 4 GiB.
pub fn read(bytes: &[u8]) -> Result<Read<Trajectory<'_>>, Malformed> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let Ok(text) = simdutf8::basic::from_utf8(bytes) else { return Err(not_json(bytes, 0)) };
    if text.len() > LONGEST {
        return Err(at_offset(text, 0, "a run has at most 4 GiB".to_owned(), Cause::Model));
    }
    let mut reader = Reader {
        scanner: Scanner::new(text),
        text,
        repeated: false,
        slips: Vec::new(),
        unlisted: None,
        learned: LEARNED.take(),
    };
    let subject = reader.run();
    LEARNED.set(reader.learned);
    let subject = subject.map_err(|misfit| match misfit {
        Misfit::NotJson(Stop { at }) => not_json(bytes, at),
        Misfit::Model { at, message } => at_offset(text, at, message, Cause::Model),
    })?;
    let mut warnings: Vec<String> = reader.slips.iter().filter_map(Slip::warning).collect();
    warnings.extend(reader.unlisted);
    if reader.repeated || reader.scanner.repeated_keys() {
        warnings.extend(match Tree::read(bytes) {
            Ok(tree) => tree.warnings(),
            Err(_) => vec!["some keys are given twice; the last of each counts".to_owned()],
        });
        // What stays as text has no key twice.
        return Ok(Read { subject: subject.into_owned(), warnings });
    }
    Ok(Read { subject, warnings })
}

/// How likely a record is a run in the native format.
pub(super) fn claim(record: &Value) -> Claim {
    let steps = record.get("steps").and_then(Value::as_array);
    let is_step = |step: &Value| step.get("step_type").is_some();
    let is_run = steps.is_some_and(|steps| {
        if steps.is_empty() { record.get("schema_version").is_none() } else { steps.iter().any(is_step) }
    });
    Claim::run(is_run)
}

/// Reads records that are a run each.
pub(super) struct Whole;

impl super::Reader for Whole {
    fn record(&mut self, record: Value, id: RunId, done: &mut Vec<Recorded>) -> Result<(), String> {
        let written = record.to_string();
        let Read { subject, .. } = read(written.as_bytes()).map_err(|malformed| malformed.message)?;
        done.push(Recorded { id, trajectory: subject.into_owned(), notes: Notes::default() });
        Ok(())
    }

    fn finish(self: Box<Self>, _: &mut Vec<Recorded>) {}
}

/// Whether a text is a run in the native format, as far as that can be told without reading all of it.
///
/// What has `steps` is one unless its first step lacks a `step_type`.
pub fn is_native(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let Ok(text) = simdutf8::basic::from_utf8(bytes) else { return false };
    let mut scanner = Scanner::new(text);
    let mut has_steps = || -> Result<bool, Stop> {
        scanner.open_object()?;
        while let Some(key) = scanner.next_key()? {
            if key != "steps" {
                scanner.skip()?;
                continue;
            }
            scanner.open_array()?;
            if !scanner.next_item()? {
                return Ok(true);
            }
            scanner.open_object()?;
            while let Some(key) = scanner.next_key()? {
                if key == "step_type" {
                    return Ok(true);
                }
                scanner.skip()?;
            }
            return Ok(false);
        }
        Ok(false)
    };
    has_steps().unwrap_or(false)
}

/// What the slower reader says about bytes that the scanner refused.
fn not_json(bytes: &[u8], at: usize) -> Malformed {
    match Tree::read(bytes) {
        Err(malformed) => malformed,
        Ok(_) => at_offset(&String::from_utf8_lossy(bytes), at, "cannot be read".to_owned(), Cause::Syntax),
    }
}

fn at_offset(text: &str, at: usize, message: String, cause: Cause) -> Malformed {
    let before = &text[..text.floor_char_boundary(at)];
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    let line = before.matches('\n').count() + 1;
    Malformed { message, line, column: before.len() - line_start + 1, cause }
}

/// Why text is not a run.
enum Misfit {
    NotJson(Stop),
    Model { at: usize, message: String },
}

impl Misfit {
    fn model(at: usize, message: impl Into<String>) -> Misfit {
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
        Some(format!("'{place}{}' is not read; did you mean '{}'?", cut(key), (*meant)?))
    }
}

/// How many different unknown keys are looked at for slips.
const UNKNOWN_KEYS_TOLD: usize = 16;

/// How many bytes a step is guessed to take, and up to how many steps there is room from the beginning.
const BYTES_PER_STEP: usize = 256;
const MOST_EXPECTED_STEPS: usize = 1024;

thread_local! {
    /// What steps looked like in the runs that this thread read before: most come from the same program, and many are too
    /// short to learn from alone. It changes how long reading takes, and nothing else.
    static LEARNED: Cell<Box<Learned>> = Cell::default();
}

/// What steps looked like.
#[derive(Default)]
struct Learned {
    /// Between their values.
    layout: Layout,
    /// The values of each key.
    memos: [Memo; STEP.len()],
}

struct Reader<'t> {
    scanner: Scanner<'t>,
    text: &'t str,
    /// Whether a key of the run or of a step was given twice.
    repeated: bool,
    slips: Vec<Slip<'t>>,
    /// What to tell about the list of tools, where not all of it could be read.
    unlisted: Option<String>,
    learned: Box<Learned>,
}

impl<'t> Reader<'t> {
    fn run(&mut self) -> Result<Trajectory<'t>, Misfit> {
        if !matches!(self.scanner.peek()?, Kind::Object) {
            let start = self.scanner.at();
            self.scanner.skip()?;
            self.scanner.end()?;
            return Err(Misfit::model(start, "a run is a JSON object with 'steps'"));
        }
        let (mut steps, mut next) = (None, 0);
        let (mut fields, mut others) = (Fields::new(self.text, Place::Run, &RUN), BTreeSet::new());
        self.scanner.open_object()?;
        while let Some(key) = self.scanner.next_of(&RUN_KEYS, next)? {
            match key {
                Key::Known(STEPS) => {
                    self.repeated |= steps.is_some();
                    steps = Some(self.steps()?);
                    next = STEPS + 1;
                }
                Key::Known(slot) => {
                    self.repeated |= fields.take(slot, &mut self.scanner)?;
                    next = slot + 1;
                }
                Key::Other(key) => {
                    self.repeated |= !others.insert(key.clone());
                    self.unknown(Place::Run, key, &RUN);
                    self.scanner.skip()?;
                }
            }
        }
        self.scanner.end()?;
        let steps = steps
            .ok_or_else(|| Misfit::model(0, "'steps' is missing; a run is a JSON object with 'steps'"))?;
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
            unknown: RunUnknown::of(fields.flags(RUN_UNKNOWN, RunUnknown::NAMES)?),
        })
    }

    fn steps(&mut self) -> Result<Vec<Step<'t>>, Misfit> {
        if !matches!(self.scanner.peek()?, Kind::Array) {
            return Err(Misfit::model(self.scanner.at(), "steps: expected an array"));
        }
        let expected = (self.text.len() / BYTES_PER_STEP).min(MOST_EXPECTED_STEPS);
        let mut steps = Vec::with_capacity(expected);
        self.scanner.open_array()?;
        while self.scanner.next_item()? {
            if !matches!(self.scanner.peek()?, Kind::Object) {
                let message = format!("steps[{}]: expected an object", steps.len());
                return Err(Misfit::model(self.scanner.at(), message));
            }
            self.step(&mut steps)?;
            while self.scanner.next_object() {
                self.step(&mut steps)?;
            }
        }
        Ok(steps)
    }

    fn step(&mut self, steps: &mut Vec<Step<'t>>) -> Result<(), Misfit> {
        let (place, start) = (Place::Step(steps.len()), self.scanner.at());
        let mut fields = Fields::new(self.text, place, &STEP);
        let Learned { layout, memos } = &mut *self.learned;
        let is_like_another = layout.follow(&mut self.scanner, memos, |held| fields.hold(held));
        if !is_like_another {
            fields = self.unlike_others(place, start)?;
        }
        fields.step(start, steps)
    }

    /// Reads a step key by key.
    #[inline(never)]
    fn unlike_others(&mut self, place: Place, start: usize) -> Result<Fields<'t, { STEP.len() }>, Misfit> {
        let mut fields = Fields::new(self.text, place, &STEP);
        let mut others = None::<BTreeSet<Cow<'t, str>>>;
        let (mut next, mut repeated) = (0, false);
        self.scanner.open_object()?;
        while let Some(key) = self.scanner.next_of(&STEP_KEYS, next)? {
            match key {
                Key::Known(slot) => {
                    repeated |= fields.take_like(slot, &mut self.scanner, &mut self.learned.memos)?;
                    next = slot + 1;
                }
                Key::Other(key) => {
                    repeated |= !others.get_or_insert_default().insert(key.clone());
                    self.unknown(place, key, &STEP);
                    self.scanner.skip()?;
                }
            }
        }
        self.repeated |= repeated;
        if !repeated && others.is_none() {
            self.learned.layout.missed(self.text, start..self.scanner.at(), &fields.places(), STEP_TYPE);
        }
        Ok(fields)
    }

    /// Notes a key that is not of the format, with what may have been meant.
    fn unknown(&mut self, place: Place, key: Cow<'t, str>, names: &'static [&'static str]) {
        if self.slips.len() == UNKNOWN_KEYS_TOLD || self.slips.iter().any(|slip| slip.key == key) {
            return;
        }
        let prefixed = names.iter().find(|name| name.strip_prefix("tool_") == Some(&*key));
        let meant = prefixed.copied().or_else(|| nearest(&key, names.iter().copied()));
        self.slips.push(Slip { place, key, meant });
    }
}
