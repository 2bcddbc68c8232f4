//! The values of one object of the native format, read as what they must be.

use std::borrow::Cow;
use std::fmt;

use super::is_instead_of;
use super::keys::{
    COMPLETION_TOKENS, COST, DEPTH, ERROR, KEY, MESSAGE, MODEL, MODULE, NEW_VALUE, OLD_VALUE, PARENT,
    PROMPT_TOKENS, STEP, STEP_INDEX, STEP_TYPE, STEP_TYPES, TIMESTAMP, TOOL_ARGS, TOOL_ERROR, TOOL_NAME,
    TOOL_RESULT, TYPE, UNKNOWN,
};
use super::reader::Misfit;
use crate::argument::Count;
use crate::document::nearest;
use crate::trajectory::json::Json;
use crate::trajectory::model::{CallUnknown, Event, LlmCall, RunError, StateChange, Step, ToolCall};
use crate::value::excerpt::cut;
use crate::value::scan::{Key, Passed, Scanner, Stop, number_at, string_at};
use crate::value::tree::SURELY_FEW_ENOUGH;
use crate::value::{Moment, Tree};

/// How many bytes a text of the format may have.
pub(super) const LONGEST: usize = u32::MAX as usize;

/// Where an object of the format stands.
#[derive(Clone, Copy)]
pub(super) enum Place {
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
pub(super) struct Fields<'t, const N: usize> {
    text: &'t str,
    place: Place,
    names: &'static [&'static str; N],
    /// Where each value starts and ends in the text; one that ends at 0 is not there. Half as wide as they might be, because
    /// all of them are cleared for every step.
    values: [(u32, u32); N],
    /// One bit for each value that is there and not null.
    given: u32,
    /// One bit for each value that is a string in which something is escaped.
    escaped: u32,
    /// One bit for each that may be given under a misspelt key.
    doubted: u32,
}

impl<'t> Fields<'t, { STEP.len() }> {
    /// Returns the step that the values make, and that starts at an offset.
    pub(super) fn step(&self, start: usize) -> Result<Step<'t>, Misfit> {
        let step_type = self.text(STEP_TYPE)?.ok_or_else(|| self.missing(STEP_TYPE, start))?;
        let event = match &*step_type {
            "tool_call" => Event::ToolCall(self.tool_call(start)?),
            "llm_call" => Event::LlmCall(self.llm_call()?),
            "state_change" => Event::StateChange(self.state_change(start)?),
            other => {
                let hint = nearest(other, STEP_TYPES.into_iter());
                let [call, model, change] = STEP_TYPES;
                let hint = hint.map_or(format!("expected {call}, {model} or {change}"), |hint| {
                    format!("did you mean '{hint}'?")
                });
                return Err(self.wrong(STEP_TYPE, format!("unknown step_type '{}'; {hint}", cut(other))));
            }
        };
        let parent = match self.given(PARENT) {
            None => None,
            Some((_, b'-' | b'0'..=b'9')) => Some(self.written(PARENT).into()),
            Some(_) => self.text(PARENT)?,
        };
        let depth = match self.whole(DEPTH)? {
            None => u32::from(parent.is_some()),
            Some(depth) => u32::try_from(depth).map_err(|_| self.wrong(DEPTH, "too large"))?,
        };
        let timestamp = self.timestamp()?;
        let step_index = self.whole(STEP_INDEX)?;
        Ok(Step { event, step_index, timestamp, depth, parent })
    }

    fn tool_call(&self, start: usize) -> Result<ToolCall<'t>, Misfit> {
        let name = self.text(TOOL_NAME)?.ok_or_else(|| self.missing(TOOL_NAME, start))?;
        let args = match self.given(TOOL_ARGS) {
            None => None,
            Some((_, b'{')) => self.any(TOOL_ARGS)?,
            Some(_) => return Err(self.unexpected(TOOL_ARGS, "an object")),
        };
        let error = self.error(TOOL_ERROR)?.map(Box::new);
        let unknown = self
            .unknown(UNKNOWN, CallUnknown::NAMES, [TOOL_ARGS, TOOL_RESULT, TOOL_ERROR])
            .map(CallUnknown::of)?;
        Ok(ToolCall { name, args, result: self.any(TOOL_RESULT)?, error, unknown })
    }

    fn llm_call(&self) -> Result<LlmCall<'t>, Misfit> {
        Ok(LlmCall {
            model: self.text(MODEL)?,
            prompt_tokens: self.whole(PROMPT_TOKENS)?,
            completion_tokens: self.whole(COMPLETION_TOKENS)?,
            cost: self.amount(COST)?,
        })
    }

    fn state_change(&self, start: usize) -> Result<StateChange<'t>, Misfit> {
        let key = self.text(KEY)?.ok_or_else(|| self.missing(KEY, start))?;
        Ok(StateChange { key, old_value: self.any(OLD_VALUE)?, new_value: self.any(NEW_VALUE)? })
    }

    #[inline]
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
            return Err(self.wrong(TIMESTAMP, "expected epoch seconds or a time in RFC 3339"));
        }
        self.any(TIMESTAMP)
    }
}

impl<'t, const N: usize> Fields<'t, N> {
    pub(super) fn new(text: &'t str, place: Place, names: &'static [&'static str; N]) -> Self {
        Fields { text, place, names, values: [(0, 0); N], given: 0, escaped: 0, doubted: 0 }
    }

    /// Notes that a key was misspelt, and the value that was likely meant.
    pub(super) fn doubt(&mut self, slot: Option<usize>) {
        self.doubted |= slot.map_or(0, |slot| 1 << slot);
    }

    /// Reads which parts of the object are unknown: those the list at `slot` names, and those missing where a misspelt key may
    /// have meant them. If the list itself may be misspelt, all of them are.
    pub(super) fn unknown<const K: usize>(
        &self,
        slot: usize,
        names: [&'static str; K],
        parts: [usize; K],
    ) -> Result<[bool; K], Misfit> {
        if self.doubted == 0 && !self.is_given(slot) {
            return Ok([false; K]);
        }
        let mut unknown = self.flags(slot, names)?;
        let is_absent = |slot: usize| self.values[slot].1 == 0;
        let is_doubted = |slot: usize| self.doubted & 1 << slot != 0 && is_absent(slot);
        for (unknown, part) in unknown.iter_mut().zip(parts) {
            *unknown |= is_doubted(part) || is_doubted(slot);
        }
        Ok(unknown)
    }

    /// Takes the value that comes next, and answers whether there was one already: then that was not the one that counts.
    #[inline]
    pub(super) fn take(&mut self, slot: usize, scanner: &mut Scanner<'t>) -> Result<bool, Stop> {
        let passed = scanner.pass()?;
        let is_repeated = self.values[slot].1 != 0;
        for bits in [&mut self.given, &mut self.escaped] {
            *bits &= !(1 << slot);
        }
        self.put(slot, passed, scanner.at());
        Ok(is_repeated)
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "no text is longer than LONGEST")]
    fn put(&mut self, slot: usize, Passed { start, null, escaped }: Passed, end: usize) {
        self.given |= u32::from(!null) << slot;
        if escaped {
            self.escaped |= 1 << slot;
        }
        self.values[slot] = (start as u32, end as u32);
    }

    /// From where to where a value stands in the text; one that ends at 0 is not there.
    #[inline]
    fn place(&self, slot: usize) -> (usize, usize) {
        let (start, end) = self.values[slot];
        (start as usize, end as usize)
    }

    #[inline]
    fn is_given(&self, slot: usize) -> bool {
        self.given & 1 << slot != 0
    }

    /// Where a value starts that is there and not null, and its first byte.
    #[inline]
    fn given(&self, slot: usize) -> Option<(usize, u8)> {
        if !self.is_given(slot) {
            return None;
        }
        let (start, _) = self.place(slot);
        Some((start, *self.text.as_bytes().get(start)?))
    }

    pub(super) fn is_text(&self, slot: usize) -> bool {
        self.given(slot).is_some_and(|(_, first)| first == b'"')
    }

    /// A value as it is written.
    #[inline]
    fn written(&self, slot: usize) -> &'t str {
        let (start, end) = self.place(slot);
        self.text.get(start..end).unwrap_or_default()
    }

    /// Any value that is there.
    #[inline]
    pub(super) fn any(&self, slot: usize) -> Result<Option<Json<'t>>, Misfit> {
        let (start, end) = self.place(slot);
        if end == 0 {
            return Ok(None);
        }
        let written = self.written(slot);
        // Whoever looks at it later must be able to decode it.
        if written.len() >= SURELY_FEW_ENOUGH && Tree::read(written.as_bytes()).is_err() {
            return Err(Stop { at: start }.into());
        }
        Ok(Some(Json::checked(written)))
    }

    /// A text that is there, in which nothing is escaped.
    #[inline]
    fn plain_text(&self, slot: usize) -> Option<&'t str> {
        let (start, end) = self.place(slot);
        let is_plain = self.is_text(slot) && self.escaped & 1 << slot == 0;
        self.text.get(start + 1..end.wrapping_sub(1)).filter(|_| is_plain)
    }

    #[inline]
    pub(super) fn text(&self, slot: usize) -> Result<Option<Cow<'t, str>>, Misfit> {
        if !self.is_given(slot) {
            return Ok(None);
        }
        match self.plain_text(slot) {
            Some(text) => Ok(Some(Cow::Borrowed(text))),
            None => self.escaped_text(slot).map(Some),
        }
    }

    /// The same where something is escaped in it, or it is no text.
    #[cold]
    fn escaped_text(&self, slot: usize) -> Result<Cow<'t, str>, Misfit> {
        let (start, _) = self.place(slot);
        string_at(self.text, start).map_err(|_| self.unexpected(slot, "a string"))
    }

    /// A whole number, 0 or more; `5.0` is one.
    pub(super) fn whole(&self, slot: usize) -> Result<Option<u64>, Misfit> {
        let Some((start, _)) = self.given(slot) else { return Ok(None) };
        let number = number_at(self.text, start).ok();
        let count = number.and_then(|number| Count::of(&number));
        let whole = count.map(|count| Some(count.0));
        whole.ok_or_else(|| self.wrong(slot, "expected a non-negative integer"))
    }

    /// A number, 0 or more.
    pub(super) fn amount(&self, slot: usize) -> Result<Option<f64>, Misfit> {
        let Some((start, _)) = self.given(slot) else { return Ok(None) };
        let number = number_at(self.text, start).ok().and_then(|number| number.as_f64());
        let amount = number.filter(|number| *number >= 0.0);
        amount.map(Some).ok_or_else(|| self.wrong(slot, "expected a non-negative number"))
    }

    /// An error: a text, or an object that says more.
    pub(super) fn error(&self, slot: usize) -> Result<Option<RunError<'t>>, Misfit> {
        let start = match self.given(slot) {
            None => return Ok(None),
            Some((start, b'{')) => start,
            Some((_, b'"')) => {
                return Ok(Some(RunError { message: self.text(slot)?, ..RunError::default() }));
            }
            Some(_) => return Err(self.unexpected(slot, "a string or an object")),
        };
        let index = match self.place {
            Place::Step(index) => Some(index),
            Place::Run | Place::Error(..) => None,
        };
        let mut fields = Fields::new(self.text, Place::Error(self.names[slot], index), &ERROR);
        let mut scanner = Scanner::starting_at(self.text, start);
        scanner.open_object()?;
        while let Some(key) = scanner.next_of(&ERROR, 0)? {
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

    /// Which of some names a list holds; it may hold no others.
    pub(super) fn flags<const M: usize>(
        &self,
        slot: usize,
        names: [&'static str; M],
    ) -> Result<[bool; M], Misfit> {
        let mut flags = [false; M];
        let Some((start, _)) = self.given(slot) else { return Ok(flags) };
        let wrong = || self.wrong(slot, format!("expected an array of {}", names.join(", ")));
        let mut scanner = Scanner::starting_at(self.text, start);
        scanner.open_array().map_err(|_| wrong())?;
        while scanner.next_item()? {
            let name = scanner.string().map_err(|_| wrong())?;
            let position = names.iter().position(|known| *known == name).ok_or_else(wrong)?;
            flags[position] = true;
        }
        Ok(flags)
    }

    fn missing(&self, slot: usize, start: usize) -> Misfit {
        let place = self.place.to_string();
        let place = place.trim_end_matches('.');
        let name = self.names[slot];
        let hint = self.instead_of(name, start);
        let hint =
            hint.map_or(String::new(), |key| format!("; found '{}', did you mean '{name}'?", cut(&key)));
        Misfit::Model { at: start, message: format!("{place}: '{name}' is missing{hint}") }
    }

    /// The key of the object at an offset that was likely meant to be one that is missing.
    fn instead_of(&self, name: &'static str, start: usize) -> Option<Cow<'t, str>> {
        let mut scanner = Scanner::starting_at(self.text, start);
        scanner.open_object().ok()?;
        while let Some(key) = scanner.next_key().ok()? {
            let is_known = self.names.contains(&&*key);
            if is_known || !is_instead_of(&key, name) {
                scanner.skip().ok()?;
                continue;
            }
            if name != STEP[STEP_TYPE] {
                return Some(key);
            }
            // Others have steps, too, whose types are their own.
            return nearest(&scanner.string().ok()?, STEP_TYPES.into_iter()).map(|_| key);
        }
        None
    }

    /// That a value is of another type than expected.
    fn unexpected(&self, slot: usize, expected: &str) -> Misfit {
        let found = match self.given(slot) {
            Some((_, b'{')) => ", found an object",
            Some((_, b'[')) => ", found an array",
            Some((_, b'"')) => ", found a string",
            Some((_, b't' | b'f')) => ", found a boolean",
            Some((_, b'-' | b'0'..=b'9')) => ", found a number",
            _ => "",
        };
        self.wrong(slot, format!("expected {expected}{found}"))
    }

    /// What is wrong with a value that is there.
    pub(super) fn wrong(&self, slot: usize, message: impl fmt::Display) -> Misfit {
        let (at, _) = self.place(slot);
        Misfit::Model { at, message: format!("{}{}: {message}", self.place, self.names[slot]) }
    }
}
