//! One message, in whichever of the three ways it was written.

use serde_json::json;

use super::server;
use crate::trajectory::model::{LlmCall, RunError};
use crate::trajectory::readers::NoteKind;
use crate::trajectory::readers::json::{at, count, get, id, list, take, take_text, text, texts};
use crate::trajectory::readers::openai_responses::Items;
use crate::trajectory::readers::recorder::{Args, Mark, Outcome, Recorder, Returned};
use crate::value::Value;

/// What `dumpd` wraps an object in that could be taken for one of its own.
const ESCAPED: &str = "__lc_escaped__";

/// Whose message one is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Kind {
    Human,
    Ai,
    Tool,
    System,
    Function,
    /// One with a role of its own.
    Chat,
    /// No message: the removal of one from the state. What was said was said.
    Remove,
}

/// Whether `dumpd` wrote it.
pub(super) fn is_dump(record: &Value) -> bool {
    record.get("lc").is_some_and(Value::is_number) && get(record, "type").is_some()
}

impl Kind {
    /// That of a record, if it is a message: `{lc, id: […, "AIMessage"], kwargs}`, `{type: "ai", content}` or
    /// `{type: "ai", data: {content}}`.
    pub(in super::super) fn of(record: &Value) -> Option<Kind> {
        if is_dump(record) {
            get(record, "kwargs").filter(|kwargs| kwargs.is_object())?;
            return Kind::named(list(record, "id").last()?.as_str()?);
        }
        let body = body(record);
        let is_content = |content: &&Value| content.is_string() || content.is_array();
        body.get("content").filter(is_content).and_then(|_| Kind::named(text(record, "type")?))
    }

    /// By the name of a class or a type: `AIMessageChunk`, `AIMessage`, `ai`.
    fn named(name: &str) -> Option<Kind> {
        let name = name.strip_suffix("Chunk").unwrap_or(name);
        match name.strip_suffix("Message").unwrap_or(name) {
            "human" | "Human" => Some(Kind::Human),
            "ai" | "AI" => Some(Kind::Ai),
            "tool" | "Tool" => Some(Kind::Tool),
            "system" | "System" => Some(Kind::System),
            "function" | "Function" => Some(Kind::Function),
            "chat" | "Chat" => Some(Kind::Chat),
            "remove" | "Remove" => Some(Kind::Remove),
            _ => None,
        }
    }
}

/// Where the members of a message are.
fn body(record: &Value) -> &Value {
    let key = if is_dump(record) { "kwargs" } else { "data" };
    get(record, key).filter(|body| body.is_object()).unwrap_or(record)
}

/// Whether two records are the same message: by their ids, else because they are equal.
pub(super) fn is_same(one: &Value, other: &Value) -> bool {
    match (text(body(one), "id"), text(body(other), "id")) {
        (Some(one), Some(other)) => one == other,
        _ => one == other,
    }
}

/// Whether a message is an answer that asks for nothing, so that a run may end with it.
pub(super) fn is_answer(record: &Value) -> bool {
    let body = body(record);
    let provided = get(body, "additional_kwargs").unwrap_or(&Value::Null);
    let asks = ["tool_calls", "invalid_tool_calls"].iter().any(|key| !list(body, key).is_empty())
        || !list(provided, "tool_calls").is_empty()
        || get(provided, "function_call").is_some();
    Kind::of(record) == Some(Kind::Ai) && !asks
}

/// A message, without what it was wrapped in.
pub(in super::super) struct Message {
    pub(in super::super) kind: Kind,
    pub(in super::super) body: Value,
    /// Whether it is a piece of one, or was put together of pieces.
    pub(super) is_chunk: bool,
}

impl Message {
    /// Unwraps a record; `None` where it is no message.
    pub(in super::super) fn open(mut record: Value) -> Option<Message> {
        let kind = Kind::of(&record)?;
        let is_dump = is_dump(&record);
        let class = if is_dump { list(&record, "id").last()?.as_str() } else { text(&record, "type") };
        let is_chunk = class.is_some_and(|class| class.ends_with("Chunk"));
        let key = if is_dump { "kwargs" } else { "data" };
        let mut body = match record.get_mut(key) {
            Some(body @ Value::Object(_)) => body.take(),
            _ => record,
        };
        if is_dump {
            unescape(&mut body);
        }
        Some(Message { kind, body, is_chunk })
    }

    /// Unwraps a record of a state or an update, which holds whole messages, even where their class is that of pieces.
    pub(super) fn open_whole(record: Value) -> Option<Message> {
        Message::open(record).map(|message| Message { is_chunk: false, ..message })
    }

    /// What identifies it.
    pub(super) fn id(&self) -> Option<&str> {
        text(&self.body, "id").filter(|id| !id.is_empty())
    }

    /// Returns true for an answer in pieces of which none says that it is the last, nor why the model stopped.
    pub(super) fn is_streaming(&self) -> bool {
        const ENDINGS: [&str; 6] =
            ["finish_reason", "finishReason", "stop_reason", "stopReason", "done_reason", "status"];
        let metadata = get(&self.body, "response_metadata").unwrap_or(&Value::Null);
        let is_last = text(&self.body, "chunk_position") == Some("last");
        let has_stopped = ENDINGS.iter().any(|key| get(metadata, key).is_some());
        self.kind == Kind::Ai && self.is_chunk && !is_last && !has_stopped
    }

    /// Writes it down.
    pub(super) fn tell(self, run: &mut Recorder, mark: &Mark) {
        let Message { kind, mut body, .. } = self;
        let is_own = mark.depth == 0;
        let role = text(&body, "role").filter(|_| kind == Kind::Chat);
        match (kind, role) {
            (Kind::Human, _) | (Kind::Chat, Some("user" | "human")) if is_own => {
                run.heard(take(&mut body, "content"));
                run.check_rest(&body, "a human message");
            }
            (Kind::Ai, _) | (Kind::Chat, Some("assistant" | "ai")) => tell_answer(run, body, mark),
            (Kind::Tool | Kind::Function, _) => tell_result(run, body),
            (Kind::Human | Kind::System | Kind::Remove, _)
            | (Kind::Chat, Some("user" | "human" | "system" | "developer")) => {
                run.check_rest(&body, "a message");
            }
            (Kind::Chat, _) => run.not_understood(|| "a chat message with an unknown 'role'".to_owned()),
        }
    }
}

fn tell_result(run: &mut Recorder, mut message: Value) {
    let result = take(&mut message, "content");
    let failed = match text(&message, "status") {
        Some("error") => Some(true),
        Some("success") => Some(false),
        _ => None,
    };
    let outcome = Outcome::flagged(failed, result.as_ref());
    let id = id(&message, "tool_call_id").filter(|id| !id.is_empty());
    let name = text(&message, "name").filter(|name| !name.is_empty());
    run.returned(Returned { id: id.as_deref(), name, result, outcome });
}

fn tell_answer(run: &mut Recorder, mut message: Value, mark: &Mark) {
    let metadata = take(&mut message, "response_metadata").unwrap_or_default();
    let usage = take(&mut message, "usage_metadata").unwrap_or_default();
    let of_provider = get(&metadata, "token_usage").unwrap_or(&Value::Null);
    let model = text(&metadata, "model_name").or_else(|| text(&metadata, "model"));
    let call = LlmCall {
        model: model.map(|model| model.to_owned().into()),
        prompt_tokens: count(&usage, "input_tokens").or_else(|| count(of_provider, "prompt_tokens")),
        completion_tokens: count(&usage, "output_tokens").or_else(|| count(of_provider, "completion_tokens")),
        cost: None,
    };
    let mut items = Items::of_answer(run, call, mark.clone());
    if !matches!(message.get("additional_kwargs"), None | Some(Value::Null | Value::Object(_))) {
        run.not_understood(|| "'additional_kwargs' isn't an object".to_owned());
    }
    for part in server::parts(run, &message) {
        server::tell(run, &mut items, part, mark);
    }
    if mark.depth == 0 {
        if let Some(text) = get(&message, "content").and_then(texts).filter(|text| !text.is_empty()) {
            run.said(text);
        }
        if let Some(refusal) = refusal(&message, &metadata) {
            run.ended(Some(RunError::new("refusal", refusal.to_owned())));
        }
    }
    let has_calls = tell_calls(run, message, mark);
    check_stop(run, &metadata, has_calls, mark);
}

/// Checks why the model stopped: an answer that is cut short or withheld ends nothing, and a call that the service could not
/// read isn't among those of the message.
fn check_stop(run: &mut Recorder, metadata: &Value, has_calls: bool, mark: &Mark) {
    const KEYS: [&str; 5] = ["finish_reason", "finishReason", "stop_reason", "stopReason", "done_reason"];
    if !(metadata.is_object() || metadata.is_null()) {
        run.not_understood(|| "'response_metadata' isn't an object".to_owned());
    }
    let Some(reason) = KEYS.iter().find_map(|key| get(metadata, key)) else { return };
    let Some(reason) = reason.as_str().map(str::to_ascii_lowercase) else {
        run.not_understood(|| "the finish reason isn't a string".to_owned());
        return;
    };
    match reason.as_str() {
        "malformed_function_call" | "unexpected_tool_call" | "too_many_tool_calls" => {
            run.not_understood(|| format!("finish reason '{reason}'"));
        }
        "tool_calls" | "tool_use" | "function_call" if !has_calls => {
            run.not_understood(|| format!("finish reason '{reason}', but the message has no tool call"));
        }
        "length"
        | "max_tokens"
        | "model_length"
        | "model_context_window_exceeded"
        | "content_filter"
        | "safety"
        | "error"
        | "other"
            if mark.depth == 0 =>
        {
            run.broke_off();
        }
        _ => {}
    }
}

/// What a model said when it refused to answer.
fn refusal<'m>(message: &'m Value, metadata: &'m Value) -> Option<&'m str> {
    let in_content = || {
        let parts = list(message, "content").iter();
        parts.filter(|part| text(part, "type") == Some("refusal")).find_map(|part| text(part, "refusal"))
    };
    let by_reason = || {
        let reason = text(metadata, "stop_reason").filter(|reason| *reason == "refusal");
        reason.map(|_| "the model refused to answer")
    };
    let told = at(message, &["additional_kwargs", "refusal"]).and_then(Value::as_str);
    told.or_else(in_content).or_else(by_reason)
}

/// Tells the calls that could be decoded, then those that could not; where there are neither, those that the provider wrote.
/// Returns true if there are any.
fn tell_calls(run: &mut Recorder, mut message: Value, mark: &Mark) -> bool {
    let calls = run.take_list(&mut message, "tool_calls");
    let invalid = run.take_list(&mut message, "invalid_tool_calls");
    let mut provided = take(&mut message, "additional_kwargs").unwrap_or_default();
    let (written, function) =
        (run.take_list(&mut provided, "tool_calls"), take(&mut provided, "function_call"));
    // What the service did itself is told before.
    take(&mut provided, "tool_outputs");
    run.check_rest(&provided, "an AI message");
    // The pieces of a call are told by the call.
    let pieces = run.take_list(&mut message, "tool_call_chunks");
    let content = take(&mut message, "content").unwrap_or_default();
    run.check_texts(&content);
    run.check_rest(&message, "an AI message");
    let mut raw = written;
    if raw.is_empty() {
        raw.extend(function.map(|function| json!({ "function": function })));
    }
    let asks = |part: &&Value| text(part, "type").is_some_and(server::is_of_agent);
    let asked: Vec<&Value> = content.as_array().into_iter().flatten().filter(asks).collect();
    if calls.is_empty() && invalid.is_empty() {
        let has_calls = !raw.is_empty();
        let is_asked = !asked.is_empty() || !pieces.is_empty();
        if is_asked && !has_calls {
            run.not_understood(|| "a tool call in 'content' that isn't in 'tool_calls'".to_owned());
        }
        for mut call in raw {
            let mut function = take(&mut call, "function").unwrap_or_default();
            let args = take(&mut function, "arguments").into();
            tell_call(run, &mut call, take_text(&mut function, "name"), args, mark);
        }
        return has_calls;
    }
    let told: Vec<&str> = calls.iter().chain(&invalid).filter_map(|call| text(call, "name")).collect();
    let written = raw.iter().map(|call| at(call, &["function", "name"]).and_then(Value::as_str)).collect();
    // A piece of a call has no name.
    let asked = asked.iter().filter_map(|part| text(part, "name").map(Some)).collect();
    for (names, place) in [(written, "additional_kwargs"), (asked, "content")] {
        if !are_among(names, &told) {
            run.not_understood(|| format!("a tool call in '{place}' that isn't in 'tool_calls'"));
        }
    }
    for mut call in calls {
        let (name, args) = (take_text(&mut call, "name"), take(&mut call, "args").into());
        tell_call(run, &mut call, name, args, mark);
    }
    for call in invalid {
        tell_invalid_call(run, call, mark);
    }
    true
}

/// Returns true if the calls that an answer repeats elsewhere are among those it has, by their names and their number.
fn are_among(repeated: Vec<Option<&str>>, calls: &[&str]) -> bool {
    let mut left = calls.to_vec();
    repeated.into_iter().all(|name| match left.iter().position(|call| Some(*call) == name) {
        Some(at) => {
            left.swap_remove(at);
            true
        }
        // Without a name it may be any of them.
        None => name.is_none() && left.pop().is_some(),
    })
}

/// A call whose arguments `LangChain` could not decode.
fn tell_invalid_call(run: &mut Recorder, mut call: Value, mark: &Mark) {
    let (name, written) = (take_text(&mut call, "name"), take(&mut call, "args"));
    let args = match (written, take_text(&mut call, "error")) {
        (Some(raw), Some(why)) => {
            let told = format!("'{}': {why}", name.as_deref().unwrap_or_default());
            run.note(NoteKind::UndecodedArguments, || told);
            Args::Given(json!({ "raw": raw, "parse_error": why }))
        }
        (written, _) => written.into(),
    };
    tell_call(run, &mut call, name, args, mark);
}

fn tell_call(run: &mut Recorder, call: &mut Value, name: Option<String>, args: Args, mark: &Mark) {
    let id = id(call, "id").filter(|id| !id.is_empty());
    run.call(id.as_deref(), name.unwrap_or_default(), args, mark.clone());
}

/// Takes the wrapping off that `dumpd` put around objects. What was wrapped is as it was. Values are nested as deep as
/// JSON is read, and no deeper.
fn unescape(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(unescape),
        Value::Object(members) => {
            let wrapped = if members.len() == 1 { members.get_mut(ESCAPED).map(Value::take) } else { None };
            match wrapped {
                Some(inner) => *value = inner,
                None => members.values_mut().for_each(unescape),
            }
        }
        _ => {}
    }
}
