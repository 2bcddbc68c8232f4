//! The values of one object of the native format, read as what they must be.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use super::is_instead_of;
use super::keys::{
    COMPLETION_TOKENS, COST, DEPTH, ERROR, KEY, MESSAGE, MODEL, MODULE, NEW_VALUE, OLD_VALUE, PARENT,
    PROMPT_TOKENS, STEP, STEP_INDEX, STEP_TYPE, STEP_TYPES, TIMESTAMP, TOOL_ARGS, TOOL_ERROR, TOOL_NAME,
    TOOL_RESULT, TYPE, UNKNOWN,
};
use super::reader::Misfit;
use crate::argument::Count;
use crate::document::nearest;
use crate::json::{JsonNode, Kind, View};
use crate::trajectory::json::Json;
use crate::trajectory::model::{CallUnknown, Event, LlmCall, RunError, StateChange, Step, ToolCall};
use crate::value::excerpt::cut;
use crate::value::tree::SURELY_FEW_ENOUGH;
use crate::value::{Moment, Tree, with_article};

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

/// The values of an object of the format.
pub(super) struct Fields<'d, 't, const N: usize> {
    /// The text that the document was read from.
    text: &'t str,
    object: JsonNode<'d>,
    place: Place,
    names: &'static [&'static str; N],
    /// The index of each value in the document; 0, which is the root's, for one that is not there.
    values: [u32; N],
    /// One bit for each that may be given under a misspelt key.
    doubted: u32,
}

impl<'t> Fields<'_, 't, { STEP.len() }> {
    /// Returns the step that the values make.
    pub(super) fn step(&self) -> Result<Step<'t>, Misfit> {
        let step_type = self.text(STEP_TYPE)?.ok_or_else(|| self.missing(STEP_TYPE))?;
        let event = match &*step_type {
            "tool_call" => Event::ToolCall(self.tool_call()?),
            "llm_call" => Event::LlmCall(self.llm_call()?),
            "state_change" => Event::StateChange(self.state_change()?),
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
            Some(number) if number.kind() == Kind::Number => Some(Cow::Borrowed(self.written(number))),
            _ => self.text(PARENT)?,
        };
        let depth = match self.whole(DEPTH)? {
            None => u32::from(parent.is_some()),
            Some(depth) => u32::try_from(depth).map_err(|_| self.wrong(DEPTH, "too large"))?,
        };
        let timestamp = self.timestamp()?;
        let step_index = self.whole(STEP_INDEX)?;
        Ok(Step { event, step_index, timestamp, depth, parent })
    }

    fn tool_call(&self) -> Result<ToolCall<'t>, Misfit> {
        let name = self.text(TOOL_NAME)?.ok_or_else(|| self.missing(TOOL_NAME))?;
        let args = match self.given(TOOL_ARGS) {
            None => None,
            Some(args) if args.is_object() => self.any(TOOL_ARGS)?,
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

    fn state_change(&self) -> Result<StateChange<'t>, Misfit> {
        let key = self.text(KEY)?.ok_or_else(|| self.missing(KEY))?;
        Ok(StateChange { key, old_value: self.any(OLD_VALUE)?, new_value: self.any(NEW_VALUE)? })
    }

    fn timestamp(&self) -> Result<Option<Json<'t>>, Misfit> {
        let Some(found) = self.given(TIMESTAMP) else { return Ok(None) };
        let is_one = match found.kind() {
            Kind::Number => true,
            // A day alone is no point in time.
            Kind::String => {
                found.as_str().is_some_and(|text| text.contains(':') && Moment::parse(&text).is_some())
            }
            _ => false,
        };
        if !is_one {
            return Err(self.wrong(TIMESTAMP, "expected epoch seconds or a time in RFC 3339"));
        }
        self.any(TIMESTAMP)
    }
}

impl<'d, 't, const N: usize> Fields<'d, 't, N> {
    /// Sorts the members of an object by their keys. `other` is given each key that is none of the names; the value that it
    /// was likely meant for, by its position, is then doubted.
    pub(super) fn of(
        text: &'t str,
        object: JsonNode<'d>,
        place: Place,
        names: &'static [&'static str; N],
        mut other: impl FnMut(Cow<'d, str>) -> Option<usize>,
    ) -> Self {
        let mut fields = Fields { text, object, place, names, values: [0; N], doubted: 0 };
        let mut next = 0;
        for (key, value) in object.members() {
            match position(names, &key, next) {
                Some(slot) => {
                    fields.values[slot] = value.index();
                    next = slot + 1;
                }
                None => fields.doubted |= other(key).map_or(0, |slot| 1 << slot),
            }
        }
        fields
    }

    /// Reads which parts of the object are unknown: those the list at `slot` names, and those missing where a misspelt key may
    /// have meant them. If the list itself may be misspelt, all of them are.
    pub(super) fn unknown<const K: usize>(
        &self,
        slot: usize,
        names: [&'static str; K],
        parts: [usize; K],
    ) -> Result<[bool; K], Misfit> {
        if self.doubted == 0 && self.given(slot).is_none() {
            return Ok([false; K]);
        }
        let mut unknown = self.flags(slot, names)?;
        let is_absent = |slot: usize| self.values[slot] == 0;
        let is_doubted = |slot: usize| self.doubted & 1 << slot != 0 && is_absent(slot);
        for (unknown, part) in unknown.iter_mut().zip(parts) {
            *unknown |= is_doubted(part) || is_doubted(slot);
        }
        Ok(unknown)
    }

    /// A value that is there, be it null.
    pub(super) fn value(&self, slot: usize) -> Option<JsonNode<'d>> {
        let index = self.values[slot];
        (index != 0).then(|| self.object.at(index))
    }

    /// A value that is there and not null.
    fn given(&self, slot: usize) -> Option<JsonNode<'d>> {
        self.value(slot).filter(|value| !value.is_null())
    }

    pub(super) fn is_text(&self, slot: usize) -> bool {
        self.given(slot).is_some_and(|value| value.kind() == Kind::String)
    }

    /// A value as it is written.
    fn written(&self, value: JsonNode<'d>) -> &'t str {
        &self.text[value.range()]
    }

    /// Any value that is there.
    pub(super) fn any(&self, slot: usize) -> Result<Option<Json<'t>>, Misfit> {
        let Some(value) = self.value(slot) else { return Ok(None) };
        let written = self.written(value);
        // Whoever looks at it later must be able to decode it.
        if written.len() >= SURELY_FEW_ENOUGH && Tree::read(written.as_bytes()).is_err() {
            return Err(Misfit::TooLarge);
        }
        Ok(Some(Json::checked(written)))
    }

    pub(super) fn text(&self, slot: usize) -> Result<Option<Cow<'t, str>>, Misfit> {
        let Some(value) = self.given(slot) else { return Ok(None) };
        let read = value.as_str().ok_or_else(|| self.unexpected(slot, "a string"))?;
        if let Cow::Owned(unescaped) = read {
            return Ok(Some(Cow::Owned(unescaped)));
        }
        let Range { start, end } = value.range();
        Ok(Some(Cow::Borrowed(&self.text[start + 1..end - 1])))
    }

    /// A whole number, 0 or more; `5.0` is one.
    pub(super) fn whole(&self, slot: usize) -> Result<Option<u64>, Misfit> {
        let Some(value) = self.given(slot) else { return Ok(None) };
        let count = value.as_number().and_then(|number| Count::of(&number));
        let whole = count.map(|count| Some(count.0));
        whole.ok_or_else(|| self.wrong(slot, "expected a non-negative integer"))
    }

    /// A number, 0 or more.
    pub(super) fn amount(&self, slot: usize) -> Result<Option<f64>, Misfit> {
        let Some(value) = self.given(slot) else { return Ok(None) };
        let number = value.as_number().and_then(|number| number.as_f64());
        let amount = number.filter(|number| *number >= 0.0);
        amount.map(Some).ok_or_else(|| self.wrong(slot, "expected a non-negative number"))
    }

    /// An error: a text, or an object that says more.
    pub(super) fn error(&self, slot: usize) -> Result<Option<RunError<'t>>, Misfit> {
        let Some(value) = self.given(slot) else { return Ok(None) };
        match value.kind() {
            Kind::String => return Ok(Some(RunError { message: self.text(slot)?, ..RunError::default() })),
            Kind::Object => {}
            _ => return Err(self.unexpected(slot, "a string or an object")),
        }
        let index = match self.place {
            Place::Step(index) => Some(index),
            Place::Run | Place::Error(..) => None,
        };
        let fields = Fields::of(self.text, value, Place::Error(self.names[slot], index), &ERROR, |_| None);
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
        let Some(value) = self.given(slot) else { return Ok(flags) };
        let wrong = || self.wrong(slot, format!("expected an array of {}", names.join(", ")));
        for name in value.as_array().ok_or_else(wrong)? {
            let name = name.as_str().ok_or_else(wrong)?;
            let position = names.iter().position(|known| *known == name).ok_or_else(wrong)?;
            flags[position] = true;
        }
        Ok(flags)
    }

    fn missing(&self, slot: usize) -> Misfit {
        let place = self.place.to_string();
        let place = place.trim_end_matches('.');
        let name = self.names[slot];
        let hint =
            self.instead_of(name).map(|key| format!("; found '{}', did you mean '{name}'?", cut(&key)));
        let message = format!("{place}: '{name}' is missing{}", hint.unwrap_or_default());
        Misfit::model(self.object, message)
    }

    /// The key of the object that was likely meant to be one that is missing.
    fn instead_of(&self, name: &'static str) -> Option<Cow<'d, str>> {
        let is_it = |key: &str| !self.names.contains(&key) && is_instead_of(key, name);
        let (key, value) = self.object.members().find(|(key, _)| is_it(key))?;
        if name != STEP[STEP_TYPE] {
            return Some(key);
        }
        // Others have steps, too, whose types are their own.
        nearest(&value.as_str()?, STEP_TYPES.into_iter()).map(|_| key)
    }

    /// That a value is of another type than expected.
    fn unexpected(&self, slot: usize, expected: &str) -> Misfit {
        let found = self.given(slot).map(|value| format!(", found {}", with_article(value.kind().name())));
        self.wrong(slot, format!("expected {expected}{}", found.unwrap_or_default()))
    }

    /// Describes a mistake in a value that is there.
    pub(super) fn wrong(&self, slot: usize, message: impl fmt::Display) -> Misfit {
        let value = self.value(slot).unwrap_or(self.object);
        Misfit::model(value, format!("{}{}: {message}", self.place, self.names[slot]))
    }
}

/// The position of a key among the names. Keys are mostly written in the order of the names: `next` is tried first.
fn position(names: &[&str], key: &str, next: usize) -> Option<usize> {
    if names.get(next).is_some_and(|name| *name == key) {
        return Some(next);
    }
    names.iter().position(|name| *name == key)
}
