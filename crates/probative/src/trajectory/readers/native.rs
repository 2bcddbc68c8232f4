//! The native format: the model itself, as one JSON object with `snake_case` keys.

use std::borrow::Cow;
use std::fmt;

use crate::argument::Count;
use crate::document::nearest;
use crate::trajectory::json::Json;
use crate::trajectory::model::{Event, LlmCall, RunError, StateChange, Step, ToolCall, Trajectory};
use crate::value::excerpt::cut;
use crate::value::scan::{Key, Kind, Names, Scanner, Stop, number_at, short_whole_at, string_at};
use crate::value::{Cause, Malformed, Moment, Tree};
use crate::vocabulary::Read;

/// Reads a run. Only `steps` is required; keys that are not of the format are passed over, and warned of where they
/// look like a slip.
///
/// What is not JSON, and what does not fit the model (an unknown `step_type`, a tool call without a name), is malformed.
pub fn read(bytes: &[u8]) -> Result<Read<Trajectory<'_>>, Malformed> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let Ok(text) = std::str::from_utf8(bytes) else { return Err(not_json(bytes, 0)) };
    let mut reader = Reader { scanner: Scanner::new(text), text, repeated: false, slips: Vec::new() };
    let subject = reader.run().map_err(|misfit| match misfit {
        Misfit::NotJson(Stop { at }) => not_json(bytes, at),
        Misfit::Model { at, message } => at_offset(text, at, message, Cause::Model),
    })?;
    let mut warnings: Vec<String> = reader.slips.iter().filter_map(Slip::warning).collect();
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

struct Reader<'t> {
    scanner: Scanner<'t>,
    text: &'t str,
    /// Whether a key of the run or of a step was given twice.
    repeated: bool,
    slips: Vec<Slip<'t>>,
}

/// The keys of the objects of the format, in the order in which they are usually written.
macro_rules! keys {
    ($($table:ident, $known:ident { $($constant:ident = $name:literal @ $slot:literal),* $(,)? })*) => {$(
        $(const $constant: usize = $slot;)*
        const $table: [&str; [$($slot),*].len()] = [$($name),*];
        static $known: Names<{ $table.len() }> = Names::new($table);
    )*};
}

keys! {
    RUN, RUN_KEYS {
        RUN_ID = "run_id" @ 0,
        INPUT = "input" @ 1,
        STEPS = "steps" @ 2,
        FINAL_OUTPUT = "final_output" @ 3,
        TOTAL_TOKENS = "total_tokens" @ 4,
        TOTAL_COST = "total_cost" @ 5,
        DURATION_SECONDS = "duration_seconds" @ 6,
        LLM_CALLS = "llm_calls" @ 7,
        RUN_ERROR = "error" @ 8,
    }
    STEP, STEP_KEYS {
        STEP_INDEX = "step_index" @ 0,
        TIMESTAMP = "timestamp" @ 1,
        STEP_TYPE = "step_type" @ 2,
        TOOL_NAME = "tool_name" @ 3,
        TOOL_ARGS = "tool_args" @ 4,
        TOOL_RESULT = "tool_result" @ 5,
        TOOL_ERROR = "tool_error" @ 6,
        MODEL = "model" @ 7,
        PROMPT_TOKENS = "prompt_tokens" @ 8,
        COMPLETION_TOKENS = "completion_tokens" @ 9,
        COST = "cost" @ 10,
        KEY = "key" @ 11,
        OLD_VALUE = "old_value" @ 12,
        NEW_VALUE = "new_value" @ 13,
        DEPTH = "depth" @ 14,
        PARENT = "parent" @ 15,
    }
    ERROR, ERROR_KEYS {
        TYPE = "type" @ 0,
        MESSAGE = "message" @ 1,
        MODULE = "module" @ 2,
    }
}

const STEP_TYPES: [&str; 3] = ["tool_call", "llm_call", "state_change"];

impl<'t> Reader<'t> {
    fn run(&mut self) -> Result<Trajectory<'t>, Misfit> {
        if !matches!(self.scanner.peek()?, Kind::Object) {
            return Err(Misfit::model(self.scanner.at(), "a run is a JSON object with 'steps'"));
        }
        let (mut steps, mut next) = (None, 0);
        let mut fields = Fields::new(self.text, Place::Run, &RUN);
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
            input: fields.any(INPUT),
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
        }
        Ok(steps)
    }

    fn step(&mut self, steps: &mut Vec<Step<'t>>) -> Result<(), Misfit> {
        let (index, start) = (steps.len(), self.scanner.at());
        let mut fields = Fields::new(self.text, Place::Step(index), &STEP);
        let mut next = 0;
        self.scanner.open_object()?;
        while let Some(key) = self.scanner.next_of(&STEP_KEYS, next)? {
            match key {
                Key::Known(slot) => {
                    self.repeated |= fields.take(slot, &mut self.scanner)?;
                    next = slot + 1;
                }
                Key::Other(key) => {
                    self.unknown(Place::Step(index), key, &STEP);
                    self.scanner.skip()?;
                }
            }
        }
        steps.push(fields.step(start)?);
        Ok(())
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

/// Where an object of the format stands.
#[derive(Clone, Copy)]
enum Place {
    Run,
    Step(usize),
    /// An error inside one of them.
    Error(&'static str, Option<usize>),
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Run => Ok(()),
            Place::Step(index) => write!(formatter, "steps[{index}]."),
            Place::Error(key, None) => write!(formatter, "{key}."),
            Place::Error(key, Some(index)) => write!(formatter, "steps[{index}].{key}."),
        }
    }
}

/// The values of an object of the format, which have been checked to be JSON.
struct Fields<'t, const N: usize> {
    text: &'t str,
    place: Place,
    names: &'static [&'static str; N],
    /// Where each value starts and ends in the text; one that ends at 0 is not there.
    values: [(usize, usize); N],
}

impl<'t> Fields<'t, { STEP.len() }> {
    fn step(&self, start: usize) -> Result<Step<'t>, Misfit> {
        let step_type = self.text(STEP_TYPE)?.ok_or_else(|| self.missing(STEP_TYPE, start))?;
        let event = match &*step_type {
            "tool_call" => self.tool_call(start)?,
            "llm_call" => self.llm_call()?,
            "state_change" => self.state_change(start)?,
            other => {
                let hint = nearest(other, STEP_TYPES.into_iter());
                let hint = hint.map_or(format!("there are {}", STEP_TYPES.join(", ")), |hint| {
                    format!("did you mean '{hint}'?")
                });
                return Err(self.wrong(STEP_TYPE, format!("unknown step_type '{}'; {hint}", cut(other))));
            }
        };
        let parent = match self.given(PARENT) {
            Some((_, b'-' | b'0'..=b'9')) => Some(self.written(PARENT).into()),
            _ => self.text(PARENT)?,
        };
        let depth = match self.whole(DEPTH)? {
            None => u32::from(parent.is_some()),
            Some(depth) => u32::try_from(depth).map_err(|_| self.wrong(DEPTH, "too deep"))?,
        };
        let timestamp = self.timestamp()?;
        Ok(Step { event, step_index: self.whole(STEP_INDEX)?, timestamp, depth, parent })
    }

    fn tool_call(&self, start: usize) -> Result<Event<'t>, Misfit> {
        let name = self.text(TOOL_NAME)?.ok_or_else(|| self.missing(TOOL_NAME, start))?;
        let args = match self.given(TOOL_ARGS) {
            None => None,
            Some((_, b'{')) => self.any(TOOL_ARGS),
            Some(_) => return Err(self.wrong(TOOL_ARGS, "expected an object")),
        };
        let error = self.error(TOOL_ERROR)?.map(Box::new);
        Ok(Event::ToolCall(ToolCall { name, args, result: self.any(TOOL_RESULT), error }))
    }

    fn llm_call(&self) -> Result<Event<'t>, Misfit> {
        Ok(Event::LlmCall(LlmCall {
            model: self.text(MODEL)?,
            prompt_tokens: self.whole(PROMPT_TOKENS)?,
            completion_tokens: self.whole(COMPLETION_TOKENS)?,
            cost: self.amount(COST)?,
        }))
    }

    fn state_change(&self, start: usize) -> Result<Event<'t>, Misfit> {
        let key = self.text(KEY)?.ok_or_else(|| self.missing(KEY, start))?;
        Ok(Event::StateChange(StateChange {
            key,
            old_value: self.any(OLD_VALUE),
            new_value: self.any(NEW_VALUE),
        }))
    }

    fn timestamp(&self) -> Result<Option<Json<'t>>, Misfit> {
        let Some((_, first)) = self.given(TIMESTAMP) else { return Ok(None) };
        let is_one = match first {
            b'-' | b'0'..=b'9' => true,
            // A day alone is no point in time.
            b'"' => {
                self.text(TIMESTAMP)?.is_some_and(|text| text.contains(':') && Moment::parse(&text).is_some())
            }
            _ => false,
        };
        if !is_one {
            return Err(self.wrong(TIMESTAMP, "expected epoch seconds or RFC 3339"));
        }
        Ok(self.any(TIMESTAMP))
    }
}

impl<'t, const N: usize> Fields<'t, N> {
    fn new(text: &'t str, place: Place, names: &'static [&'static str; N]) -> Self {
        Fields { text, place, names, values: [(0, 0); N] }
    }

    /// Takes the value that comes next, and answers whether there was one already.
    #[inline]
    fn take(&mut self, slot: usize, scanner: &mut Scanner<'t>) -> Result<bool, Stop> {
        let start = scanner.pass()?;
        let before = std::mem::replace(&mut self.values[slot], (start, scanner.at()));
        Ok(before.1 != 0)
    }

    /// Where a value starts that is there and not null, and its first byte.
    #[inline]
    fn given(&self, slot: usize) -> Option<(usize, u8)> {
        let (start, end) = self.values[slot];
        if end == 0 {
            return None;
        }
        let first = *self.text.as_bytes().get(start)?;
        (first != b'n').then_some((start, first))
    }

    fn is_text(&self, slot: usize) -> bool {
        self.given(slot).is_some_and(|(_, first)| first == b'"')
    }

    /// A value as it is written.
    #[inline]
    fn written(&self, slot: usize) -> &'t str {
        let (start, end) = self.values[slot];
        self.text.get(start..end).unwrap_or_default()
    }

    /// Any value that is there.
    #[inline]
    fn any(&self, slot: usize) -> Option<Json<'t>> {
        (self.values[slot].1 != 0).then(|| Json::checked(self.written(slot)))
    }

    #[inline]
    fn text(&self, slot: usize) -> Result<Option<Cow<'t, str>>, Misfit> {
        let Some((start, _)) = self.given(slot) else { return Ok(None) };
        let text = string_at(self.text, start);
        text.map(Some).map_err(|_| self.wrong(slot, "expected a text"))
    }

    /// A whole number, 0 or more; `5.0` is one.
    #[inline]
    fn whole(&self, slot: usize) -> Result<Option<u64>, Misfit> {
        let Some((start, _)) = self.given(slot) else { return Ok(None) };
        if let Some(whole) = short_whole_at(self.text, start) {
            return Ok(Some(whole));
        }
        let number = number_at(self.text, start).ok();
        let count = number.and_then(|number| Count::of(&number));
        count.map(|count| Some(count.0)).ok_or_else(|| self.wrong(slot, "expected a whole number, 0 or more"))
    }

    /// A number, 0 or more.
    fn amount(&self, slot: usize) -> Result<Option<f64>, Misfit> {
        let Some((start, _)) = self.given(slot) else { return Ok(None) };
        let number = number_at(self.text, start).ok();
        let number = number.and_then(|number| number.as_f64());
        number
            .filter(|number| *number >= 0.0)
            .map(Some)
            .ok_or_else(|| self.wrong(slot, "expected a number, 0 or more"))
    }

    /// An error: a text, or an object that says more.
    fn error(&self, slot: usize) -> Result<Option<RunError<'t>>, Misfit> {
        let start = match self.given(slot) {
            None => return Ok(None),
            Some((start, b'{')) => start,
            Some((_, b'"')) => {
                return Ok(Some(RunError { message: self.text(slot)?, ..RunError::default() }));
            }
            Some(_) => return Err(self.wrong(slot, "expected a text or an object")),
        };
        let index = match self.place {
            Place::Step(index) => Some(index),
            Place::Run | Place::Error(..) => None,
        };
        let mut fields = Fields::new(self.text, Place::Error(self.names[slot], index), &ERROR);
        let mut scanner = Scanner::starting_at(self.text, start);
        scanner.open_object()?;
        while let Some(key) = scanner.next_of(&ERROR_KEYS, 0)? {
            match key {
                Key::Known(slot) => fields.take(slot, &mut scanner)?,
                Key::Other(_) => scanner.pass().map(|_| false)?,
            };
        }
        Ok(Some(RunError {
            r#type: fields.text(TYPE)?,
            message: fields.text(MESSAGE)?,
            module: fields.text(MODULE)?,
        }))
    }

    fn missing(&self, slot: usize, start: usize) -> Misfit {
        let place = self.place.to_string();
        let place = place.trim_end_matches('.');
        Misfit::Model { at: start, message: format!("{place}: '{}' is missing", self.names[slot]) }
    }

    /// What is wrong with a value that is there.
    fn wrong(&self, slot: usize, message: impl fmt::Display) -> Misfit {
        let (at, _) = self.values[slot];
        Misfit::Model { at, message: format!("{}{}: {message}", self.place, self.names[slot]) }
    }
}
