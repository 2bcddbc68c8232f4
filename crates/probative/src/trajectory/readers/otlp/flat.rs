//! Messages flattened into one attribute per part: `llm.input_messages.0.message.role` (`OpenInference`),
//! `gen_ai.prompt.0.role` (`OpenLLMetry`).

use super::messages::Asked;
use super::span::Span;
use crate::trajectory::readers::json::content;
use crate::value::Value;

/// The messages in one list of a span.
pub(super) struct Flat<'s> {
    span: &'s Span,
    list: &'static str,
    dialect: &'static Dialect,
}

/// The names of attributes.
struct Dialect {
    /// The lists of what a model was given, and what it answered.
    given: &'static str,
    answers: &'static str,
    /// Between the number of a message and its parts.
    message: &'static str,
    /// The parts of a call: its name, arguments and id.
    call: [&'static str; 3],
    /// The name and arguments of a function call: at most one per message, without an id.
    function_call: [&'static str; 2],
}

const DIALECTS: [Dialect; 2] = [
    Dialect {
        given: "llm.input_messages",
        answers: "llm.output_messages",
        message: "message.",
        call: ["tool_call.function.name", "tool_call.function.arguments", "tool_call.id"],
        function_call: ["function_call_name", "function_call_arguments_json"],
    },
    Dialect {
        given: "gen_ai.prompt",
        answers: "gen_ai.completion",
        message: "",
        call: ["name", "arguments", "id"],
        function_call: ["function_call.name", "function_call.arguments"],
    },
];

impl<'s> Flat<'s> {
    /// Returns what a model was given; `None` where that is not recorded.
    pub(super) fn given(span: &'s Span) -> Option<Flat<'s>> {
        let mut lists = DIALECTS.iter().map(|dialect| Flat { span, list: dialect.given, dialect });
        lists.find(|flat| flat.has(0))
    }

    /// Returns what a model answered; `None` where that is not recorded.
    pub(super) fn answers(span: &'s Span) -> Option<Flat<'s>> {
        let mut lists = DIALECTS.iter().map(|dialect| Flat { span, list: dialect.answers, dialect });
        lists.find(|flat| flat.has(0))
    }

    /// Returns how many calls the attributes of answers name, wherever they do.
    pub(super) fn named_calls(span: &Span) -> usize {
        let is_named = |(key, value): &(&String, &Value)| {
            let is_answer = |dialect: &Dialect| key.starts_with(dialect.answers);
            !value.is_null()
                && DIALECTS.iter().any(is_answer)
                && (key.contains("tool_call") || key.contains("function_call"))
                && key.ends_with("name")
        };
        span.attributes.as_object().map_or(0, |attributes| attributes.iter().filter(is_named).count())
    }

    /// Returns the numbers of the messages.
    pub(super) fn messages(&self) -> impl Iterator<Item = usize> {
        (0..).take_while(|message| self.has(*message))
    }

    /// Returns a call in a message, by its number.
    pub(super) fn call(&self, message: usize, call: usize) -> Option<Asked> {
        let [name, args, id] =
            self.dialect.call.map(|key| self.get(message, &format!("tool_calls.{call}.{key}")));
        let [function, function_args] = self.dialect.function_call.map(|key| self.get(message, key));
        let (name, args) = match (name, args, id) {
            (None, None, None) if call == 0 => (Some(function?), function_args),
            (None, None, None) => return None,
            _ => (name, args),
        };
        let name = name.and_then(Value::as_str).unwrap_or_default().to_owned();
        let id = id.and_then(Value::as_str).filter(|id| !id.is_empty()).map(str::to_owned);
        Some(Asked { id, name, args: args.cloned() })
    }

    pub(super) fn get(&self, message: usize, key: &str) -> Option<&'s Value> {
        let value =
            self.span.attributes.get(format!("{}.{message}.{}{key}", self.list, self.dialect.message));
        value.filter(|value| !value.is_null())
    }

    fn has(&self, message: usize) -> bool {
        let first = ["role", "content", "contents.0.message_content.type"];
        first.iter().any(|key| self.get(message, key).is_some()) || self.call(message, 0).is_some()
    }

    pub(super) fn role(&self, message: usize) -> Option<&'s str> {
        self.get(message, "role")?.as_str()
    }

    /// The text of a message, or its parts where they are not text alone.
    pub(super) fn content(&self, message: usize) -> Option<Value> {
        if let Some(content) = self.get(message, "content") {
            return Some(content.clone());
        }
        let of = |part: usize, key: &str| {
            self.get(message, &format!("contents.{part}.message_content.{key}")).cloned()
        };
        let part = |part: usize| {
            let kind = of(part, "type")?;
            let members = ["text", "image.image.url", "id", "name", "input"];
            let told = members.iter().filter_map(|key| Some(((*key).to_owned(), of(part, key)?)));
            Some(Value::Object(std::iter::once(("type".to_owned(), kind)).chain(told).collect()))
        };
        let parts: Vec<Value> = (0..).map_while(part).collect();
        if parts.is_empty() { None } else { Some(content(parts.into())) }
    }
}
