//! The native format: the model itself, as one JSON object with `snake_case` keys.

use std::borrow::Cow;
use std::fmt;

use crate::argument::Count;
use crate::document::nearest;
use crate::trajectory::json::Json;
use crate::trajectory::model::{Event, LlmCall, RunError, StateChange, Step, ToolCall, Trajectory};
use crate::value::excerpt::cut;
use crate::value::scan::{Kind, Scanner, Stop};
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

struct Reader<'t> {
    scanner: Scanner<'t>,
    text: &'t str,
    /// Whether a key of the run or of a step was given twice.
    repeated: bool,
    slips: Vec<Slip<'t>>,
}

/// The keys of the objects of the format: a table of their names, and a function that tells which one a key is.
macro_rules! keys {
    ($($table:ident, $which:ident { $($constant:ident = $name:literal @ $slot:literal),* $(,)? })*) => {$(
        $(const $constant: usize = $slot;)*
        const $table: [&str; [$($slot),*].len()] = [$($name),*];

        #[inline]
        fn $which(key: &str) -> Option<usize> {
            match key {
                $($name => Some($slot),)*
                _ => None,
            }
        }
    )*};
}

keys! {
    RUN, run_key {
        STEPS = "steps" @ 0,
        RUN_ID = "run_id" @ 1,
        INPUT = "input" @ 2,
        FINAL_OUTPUT = "final_output" @ 3,
        TOTAL_TOKENS = "total_tokens" @ 4,
        TOTAL_COST = "total_cost" @ 5,
        DURATION_SECONDS = "duration_seconds" @ 6,
        LLM_CALLS = "llm_calls" @ 7,
        RUN_ERROR = "error" @ 8,
    }
    STEP, step_key {
        STEP_TYPE = "step_type" @ 0,
        STEP_INDEX = "step_index" @ 1,
        TIMESTAMP = "timestamp" @ 2,
        DEPTH = "depth" @ 3,
        PARENT = "parent" @ 4,
        TOOL_NAME = "tool_name" @ 5,
        TOOL_ARGS = "tool_args" @ 6,
        TOOL_RESULT = "tool_result" @ 7,
        TOOL_ERROR = "tool_error" @ 8,
        MODEL = "model" @ 9,
        PROMPT_TOKENS = "prompt_tokens" @ 10,
        COMPLETION_TOKENS = "completion_tokens" @ 11,
        COST = "cost" @ 12,
        KEY = "key" @ 13,
        OLD_VALUE = "old_value" @ 14,
        NEW_VALUE = "new_value" @ 15,
    }
    ERROR, error_key {
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
        let (mut steps, mut values) = (None, [None; RUN.len()]);
        self.scanner.open_object()?;
        while let Some(key) = self.scanner.next_key()? {
            match run_key(&key) {
                Some(STEPS) => {
                    self.repeated |= steps.is_some();
                    steps = Some(self.steps()?);
                }
                Some(slot) => self.repeated |= values[slot].replace(self.scanner.skip()?).is_some(),
                None => {
                    self.unknown(Place::Run, key, &RUN);
                    self.scanner.skip()?;
                }
            }
        }
        self.scanner.end()?;
        let steps = steps
            .ok_or_else(|| Misfit::model(0, "'steps' is missing; a run is a JSON object with 'steps'"))?;
        let fields = Fields { text: self.text, place: Place::Run, names: &RUN, values };
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
        let mut steps = Vec::new();
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
        let mut values = [None; STEP.len()];
        self.scanner.open_object()?;
        while let Some(key) = self.scanner.next_key()? {
            if let Some(slot) = step_key(&key) {
                self.repeated |= values[slot].replace(self.scanner.skip()?).is_some();
            } else {
                self.unknown(Place::Step(index), key, &STEP);
                self.scanner.skip()?;
            }
        }
        let fields = Fields { text: self.text, place: Place::Step(index), names: &STEP, values };
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

/// The values of an object of the format, as text that has been checked to be JSON.
struct Fields<'t, const N: usize> {
    text: &'t str,
    place: Place,
    names: &'static [&'static str; N],
    values: [Option<&'t str>; N],
}

impl<'t> Fields<'t, { STEP.len() }> {
    fn step(&self, start: usize) -> Result<Step<'t>, Misfit> {
        let event = match self.values[STEP_TYPE] {
            Some("\"tool_call\"") => self.tool_call(start)?,
            Some("\"llm_call\"") => self.llm_call()?,
            Some("\"state_change\"") => self.state_change(start)?,
            _ => match self.text(STEP_TYPE)?.as_deref() {
                None => return Err(self.missing(STEP_TYPE, start)),
                Some("tool_call") => self.tool_call(start)?,
                Some("llm_call") => self.llm_call()?,
                Some("state_change") => self.state_change(start)?,
                Some(other) => {
                    let hint = nearest(other, STEP_TYPES.into_iter());
                    let hint = hint.map_or(format!("there are {}", STEP_TYPES.join(", ")), |hint| {
                        format!("did you mean '{hint}'?")
                    });
                    return Err(self.wrong(STEP_TYPE, format!("unknown step_type '{}'; {hint}", cut(other))));
                }
            },
        };
        let parent = match self.given(PARENT) {
            Some(text) if text.starts_with(['-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']) => {
                Some(text.into())
            }
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
            Some(args) if !args.starts_with('{') => return Err(self.wrong(TOOL_ARGS, "expected an object")),
            args => args.map(Json::checked),
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
        let Some(written) = self.given(TIMESTAMP) else { return Ok(None) };
        let is_one = match written.as_bytes().first() {
            // A day alone is no point in time.
            Some(b'"') => {
                self.text(TIMESTAMP)?.is_some_and(|text| text.contains(':') && Moment::parse(&text).is_some())
            }
            first => first.is_some_and(|byte| byte.is_ascii_digit() || *byte == b'-'),
        };
        if !is_one {
            return Err(self.wrong(TIMESTAMP, "expected epoch seconds or RFC 3339"));
        }
        Ok(Some(Json::checked(written)))
    }
}

impl<'t, const N: usize> Fields<'t, N> {
    /// The text of a value that is there and not null.
    fn given(&self, slot: usize) -> Option<&'t str> {
        self.values[slot].filter(|value| *value != "null")
    }

    fn is_text(&self, slot: usize) -> bool {
        self.values[slot].is_some_and(|value| value.starts_with('"'))
    }

    /// Any value that is there.
    fn any(&self, slot: usize) -> Option<Json<'t>> {
        self.values[slot].map(Json::checked)
    }

    fn text(&self, slot: usize) -> Result<Option<Cow<'t, str>>, Misfit> {
        let Some(value) = self.given(slot) else { return Ok(None) };
        match value.strip_prefix('"').and_then(|value| value.strip_suffix('"')) {
            None => Err(self.wrong(slot, "expected a text")),
            Some(inside) if !inside.as_bytes().contains(&b'\\') => Ok(Some(Cow::Borrowed(inside))),
            Some(_) => match serde_json::from_str::<String>(value) {
                Ok(decoded) => Ok(Some(Cow::Owned(decoded))),
                Err(_) => Err(self.wrong(slot, "expected a text")),
            },
        }
    }

    /// A whole number, 0 or more; `5.0` is one.
    fn whole(&self, slot: usize) -> Result<Option<u64>, Misfit> {
        let Some(value) = self.given(slot) else { return Ok(None) };
        if let Ok(whole) = value.parse() {
            return Ok(Some(whole));
        }
        let count = Scanner::new(value).number().ok().and_then(|number| Count::of(&number));
        count.map(|count| Some(count.0)).ok_or_else(|| self.wrong(slot, "expected a whole number, 0 or more"))
    }

    /// A number, 0 or more.
    fn amount(&self, slot: usize) -> Result<Option<f64>, Misfit> {
        let Some(value) = self.given(slot) else { return Ok(None) };
        let number = Scanner::new(value).number().ok().and_then(|number| number.as_f64());
        number
            .filter(|number| *number >= 0.0)
            .map(Some)
            .ok_or_else(|| self.wrong(slot, "expected a number, 0 or more"))
    }

    /// An error: a text, or an object that says more.
    fn error(&self, slot: usize) -> Result<Option<RunError<'t>>, Misfit> {
        let Some(value) = self.given(slot) else { return Ok(None) };
        if self.is_text(slot) {
            return Ok(Some(RunError { message: self.text(slot)?, ..RunError::default() }));
        }
        if !value.starts_with('{') {
            return Err(self.wrong(slot, "expected a text or an object"));
        }
        let mut values = [None; ERROR.len()];
        let mut scanner = Scanner::new(value);
        scanner.open_object()?;
        while let Some(key) = scanner.next_key()? {
            let value = scanner.skip()?;
            if let Some(slot) = error_key(&key) {
                values[slot] = Some(value);
            }
        }
        let index = match self.place {
            Place::Step(index) => Some(index),
            Place::Run | Place::Error(..) => None,
        };
        let place = Place::Error(self.names[slot], index);
        let fields = Fields { text: self.text, place, names: &ERROR, values };
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
        let value = self.values[slot].unwrap_or_default();
        let at = value.as_ptr().addr().saturating_sub(self.text.as_ptr().addr());
        Misfit::Model { at, message: format!("{}{}: {message}", self.place, self.names[slot]) }
    }
}
