//! What was said to a model and by it, as spans tell it: lists of messages (`GenAI`), or an attribute for each part of each
//! message (`OpenInference`).

use std::borrow::Cow;

use super::dumped;
use super::flat::Flat;
use super::span::Span;
use super::stops::is_for_calls;
use crate::trajectory::readers::json::{get, list, object_in, take, take_list, take_text, text, tool_names};
use crate::trajectory::readers::recorder::Recorder;
use crate::value::{Tree, Value};

/// A call that a model asked for.
pub(super) struct Asked {
    pub(super) id: Option<String>,
    pub(super) name: String,
    pub(super) args: Option<Value>,
}

/// What came of a call, as the model was told.
pub(super) struct Response {
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    pub(super) result: Option<Value>,
}

/// What a model or an agent said.
#[derive(Default)]
pub(super) struct Said {
    pub(super) text: Option<String>,
    pub(super) calls: Vec<Asked>,
    /// What came of those calls that the model's provider made itself.
    pub(super) responses: Vec<Response>,
    /// A message says that it ended to call tools.
    pub(super) stops_for_calls: bool,
}

/// What a span says was said; `None` where that is not recorded.
pub(super) fn said(span: &mut Span, run: &mut Recorder) -> Option<Said> {
    let mut said = Said::default();
    if let Some(written) = span.take(&["gen_ai.output.messages"]) {
        let Some(messages) = decoded(written) else {
            run.not_understood(|| "'gen_ai.output.messages' isn't an array of messages".to_owned());
            return None;
        };
        for mut message in messages {
            let parts = run.take_list(&mut message, "parts");
            said.text = text_of(&parts).or_else(|| take_text(&mut message, "content")).or(said.text);
            for part in parts {
                if let Some(rest) = take_part(part, &mut said.calls, &mut said.responses) {
                    run.check_rest(&rest, "an output message");
                }
            }
            said.stops_for_calls |= get(&message, "finish_reason").is_some_and(is_for_calls);
            run.check_rest(&message, "an output message");
        }
        return Some(said);
    }
    let flat = Flat::answers(span);
    if let Some(flat) = &flat {
        for message in flat.messages() {
            let content = flat.content(message);
            said.text = content.and_then(|content| content.as_str().map(str::to_owned)).or(said.text);
            said.calls.extend((0..).map_while(|call| flat.call(message, call)));
        }
    }
    if Flat::named_calls(span) > said.calls.len() {
        run.not_understood(|| "a tool call in an unknown attribute".to_owned());
    }
    flat.map(|_| said)
}

/// The first message of a user that a model was given: its text, or its parts where they are not text alone.
pub(super) fn request(span: &Span) -> Option<Value> {
    if let Some(messages) = span.attributes.get("gen_ai.input.messages").cloned().and_then(decoded) {
        let mut message = messages.into_iter().find(|message| text(message, "role") == Some("user"))?;
        let parts = take_list(&mut message, "parts");
        if parts.is_empty() {
            return take(&mut message, "content");
        }
        let is_text = |part: &Value| part_text(part).is_some();
        return if parts.iter().all(is_text) { text_of(&parts).map(Value::from) } else { Some(parts.into()) };
    }
    let flat = Flat::given(span)?;
    flat.content(flat.messages().find(|message| flat.role(*message) == Some("user"))?)
}

/// What came of calls, as a model was told it; `None` where what it was told is not recorded.
pub(super) fn responses(span: &mut Span) -> Option<Vec<Response>> {
    let mut found = Vec::new();
    if let Some(messages) = span.take(&["gen_ai.input.messages"]).and_then(decoded) {
        for mut message in messages {
            for part in take_list(&mut message, "parts") {
                take_part(part, &mut Vec::new(), &mut found);
            }
        }
        return Some(found);
    }
    let flat = Flat::given(span)?;
    for message in flat.messages() {
        if matches!(flat.role(message), Some("tool" | "function")) {
            let of = |key| flat.get(message, key).and_then(Value::as_str).map(str::to_owned);
            let result = flat.content(message);
            found.push(Response { id: of("tool_call_id"), name: of("name"), result });
        }
    }
    Some(found)
}

/// A list of messages, which may be a text that holds one.
fn decoded(messages: Value) -> Option<Vec<Value>> {
    let messages = match messages {
        Value::String(text) => Tree::read(text.as_bytes()).ok()?.value,
        messages => messages,
    };
    match messages {
        Value::Array(messages) => Some(messages),
        message @ Value::Object(_) => Some(vec![message]),
        _ => None,
    }
}

fn part_text(part: &Value) -> Option<&str> {
    text(part, "content").or_else(|| text(part, "text")).filter(|_| text(part, "type") == Some("text"))
}

/// The texts of a message, joined; `None` where it has none.
fn text_of(parts: &[Value]) -> Option<String> {
    parts.iter().filter_map(part_text).map(Cow::Borrowed).reduce(|all, next| all + next).map(Cow::into_owned)
}

/// Takes a call or what came of one out of a part of a message. A part that is neither is given back.
fn take_part(mut part: Value, calls: &mut Vec<Asked>, responses: &mut Vec<Response>) -> Option<Value> {
    if !matches!(
        text(&part, "type"),
        Some("tool_call" | "server_tool_call" | "tool_call_response" | "server_tool_call_response")
    ) {
        return Some(part);
    }
    let id = take_text(&mut part, "id").filter(|id| !id.is_empty());
    let name = take_text(&mut part, "name");
    match text(&part, "type") {
        Some("tool_call") => {
            let args = take(&mut part, "arguments");
            calls.push(Asked { id, name: name.unwrap_or_default(), args });
        }
        Some("server_tool_call") => {
            let mut call = take(&mut part, "server_tool_call").unwrap_or_default();
            let name = name.or_else(|| text(&call, "type").map(str::to_owned)).unwrap_or_default();
            let args = take(&mut call, "arguments").or_else(|| take(&mut part, "arguments")).or(Some(call));
            calls.push(Asked { id, name, args });
        }
        Some("tool_call_response" | "server_tool_call_response") => {
            let result = ["response", "result", "server_tool_call_response"]
                .iter()
                .find_map(|key| part.get_mut(key).map(Value::take));
            responses.push(Response { id, name, result });
        }
        _ => {}
    }
    None
}

/// The names of the tools that a span lists.
pub(super) fn tools(span: &Span) -> Vec<Cow<'static, str>> {
    if let Some(tools) = span.attributes.get("gen_ai.tool.definitions").cloned().and_then(decoded) {
        return tool_names(&tools);
    }
    let schema = |tool: usize| span.attributes.get(format!("llm.tools.{tool}.tool.json_schema"));
    let schemas = (0..).map_while(schema).map(|schema| match schema {
        Value::String(text) => object_in(text).map(Value::Object).unwrap_or_default(),
        schema => schema.clone(),
    });
    let tools = tool_names(&schemas.collect::<Vec<Value>>());
    if !tools.is_empty() {
        return tools;
    }
    let names = span.attributes.get("smolagents.tools_names").cloned().and_then(decoded);
    tool_names(&names.unwrap_or_default())
}

/// What an agent was given, where its span tells.
pub(super) fn task(span: &Span) -> Option<Value> {
    let told = || {
        let input = span.text(&["input.value"])?;
        if let Some(messages) = dumped::messages(input) {
            return dumped::question(messages).or_else(|| Some(input.into()));
        }
        let wrapped = object_in(input).map(Value::Object);
        let task = wrapped.as_ref().and_then(|wrapped| text(wrapped, "task"));
        Some(Value::from(task.unwrap_or(input)))
    };
    request(span).or_else(told)
}

/// The same, unless it is JSON that may hold more than a question.
pub(super) fn question(span: &Span) -> Option<Value> {
    let is_json = |task: &Value| task.as_str().is_some_and(|text| dumped::held(text).is_some());
    task(span).filter(|task| !is_json(task))
}

/// What a tool was called with, where its span tells. A text that holds an object is that object.
pub(super) fn arguments(span: &mut Span) -> Option<Value> {
    let is_genai = span.attributes.get("gen_ai.tool.call.arguments").is_some();
    let told = span.take(&[
        "gen_ai.tool.call.arguments",
        "input.value",
        "tool_call.function.arguments",
        "tool_arguments",
    ])?;
    let object = match &told {
        Value::String(text) => object_in(text).map(Value::Object),
        _ => None,
    };
    Some(match object {
        Some(object) if is_genai => object,
        Some(object) => unwrapped(object, span),
        None => told,
    })
}

/// The arguments in `{args: […], kwargs: {…}}`, as Python's functions take them. Those without names have the names that
/// the tool's schema gives them, in their order.
fn unwrapped(mut object: Value, span: &Span) -> Value {
    let is_wrapped = object.as_object().is_some_and(|members| {
        let is_known = |key: &String| ["args", "kwargs", "sanitize_inputs_outputs"].contains(&key.as_str());
        members.keys().all(is_known)
    }) && get(&object, "kwargs").is_some_and(Value::is_object)
        && get(&object, "args").is_some_and(Value::is_array);
    if !is_wrapped {
        return object;
    }
    let schema = span.text(&["tool.parameters"]).and_then(object_in);
    let names = schema.map(|schema| schema.into_iter().map(|(name, _)| name).collect::<Vec<String>>());
    let names = names.unwrap_or_default();
    if list(&object, "args").len() > names.len() {
        return object;
    }
    let args = take_list(&mut object, "args");
    let mut all = take(&mut object, "kwargs").unwrap_or_default();
    if let Value::Object(all) = &mut all {
        for (name, value) in names.into_iter().zip(args) {
            all.entry(name).or_insert(value);
        }
    }
    all
}
