//! One span, in whichever of the ways it was written.

use serde_json::Map;

use super::events;
use super::time::{self, Time};
use crate::trajectory::model::RunError;
use crate::trajectory::readers::json::{get, is_empty, take, take_list, text};
use crate::value::Value;

/// What a span is to an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A call of a model.
    Llm,
    /// A call of a tool.
    Tool,
    /// An agent that runs.
    Agent,
    /// Something that models, tools and agents are put together by.
    Chain,
    /// Nothing.
    Other,
}

/// A span, without what nothing is made of.
#[derive(Debug)]
pub(super) struct Span {
    pub(super) trace: String,
    pub(super) id: String,
    /// Empty where it has none.
    pub(super) parent: String,
    pub(super) name: String,
    pub(super) kind: Kind,
    /// Whether it is a call of the Model Context Protocol.
    pub(super) is_mcp: bool,
    pub(super) start: Option<Time>,
    pub(super) end: Option<Time>,
    /// An object; empty unless the span is something to an agent.
    pub(super) attributes: Value,
    /// Why it failed, if it did.
    pub(super) failure: Option<RunError<'static>>,
    /// True if its status can't be read, so that it is unknown if it failed.
    pub(super) has_odd_status: bool,
    /// It has what only calls of models and tools have, but doesn't say what it does.
    pub(super) is_silent: bool,
    /// What was not understood of it, in a few words.
    pub(super) not_understood: Option<String>,
}

const PARENTS: [&str; 4] = ["parentSpanId", "parent_span_id", "parentId", "parent_id"];

/// Whether a record is a span.
pub(super) fn is_one(record: &Value) -> bool {
    const MARKS: [&str; 6] = [
        "attributes",
        "span_attributes",
        "startTimeUnixNano",
        "start_time_unix_nano",
        "start_time",
        "startTime",
    ];
    id(record, &["spanId", "span_id"]).is_some()
        && id(record, &["traceId", "trace_id"]).is_some()
        && MARKS.iter().any(|key| record.get(key).is_some())
}

/// An id, which stands in the span or in its `context`. Hexadecimal ids are the same in capitals, and with `0x`.
fn id(span: &Value, keys: &[&str]) -> Option<String> {
    let context = get(span, "context").unwrap_or(&Value::Null);
    let id = keys.iter().find_map(|key| text(span, key).or_else(|| text(context, key)))?;
    let digits = id.strip_prefix("0x").unwrap_or(id);
    let is_hexadecimal = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    Some(if is_hexadecimal { digits.to_ascii_lowercase() } else { id.to_owned() })
}

impl Span {
    /// Reads a span; `None` where a record is none.
    pub(super) fn open(mut span: Value) -> Option<Span> {
        let trace = id(&span, &["traceId", "trace_id"])?;
        let own = id(&span, &["spanId", "span_id"])?;
        let parent = id(&span, &PARENTS);
        let name = text(&span, "name").or(text(&span, "span_name")).unwrap_or_default().to_owned();
        let start = time(&span, &["startTimeUnixNano", "start_time_unix_nano"])
            .or_else(|| time(&span, &["start_time", "startTime", "timestamp"]));
        let end = time(&span, &["endTimeUnixNano", "end_time_unix_nano"])
            .or_else(|| time(&span, &["end_time", "endTime"]))
            .or_else(|| Some(start.as_ref()?.after(time::duration(text(&span, "duration")?)?)));
        let written = take(&mut span, "attributes").or_else(|| take(&mut span, "span_attributes"));
        let is_odd = !are_readable(written.as_ref());
        let mut attributes = written.filter(is_of_agent).map(attributes).unwrap_or_default();
        let (kind, is_mcp) = kind(&attributes, &name);
        let mut not_understood =
            (is_odd || !is_kind_readable(&attributes)).then(|| format!("the attributes of span '{name}'"));
        if name.is_empty() && kind == Kind::Other {
            not_understood = not_understood.or_else(|| Some("a span without 'name'".to_owned()));
        }
        let is_silent =
            kind == Kind::Other && (does_more(&attributes) || names_operation(&name, &attributes));
        let mut events = match take(&mut span, "events") {
            Some(Value::Array(events)) => events,
            Some(other) => {
                not_understood = not_understood.or_else(|| {
                    (kind != Kind::Other && !is_empty(&other))
                        .then(|| "'events' of a span isn't an array".to_owned())
                });
                Vec::new()
            }
            None => Vec::new(),
        };
        for event in events.iter_mut().filter(|_| kind != Kind::Other) {
            if text(event, "name") == Some("gen_ai.client.inference.operation.details") {
                attributes.extend(take(event, "attributes").map(self::attributes).unwrap_or_default());
            }
        }
        if matches!(kind, Kind::Llm | Kind::Agent | Kind::Chain) {
            add_messages(&mut attributes, &mut events);
        }
        let failure = failure(&span, &attributes, events);
        // An attribute without a key may have said that the call failed.
        let has_odd_status =
            kind != Kind::Other && (has_odd_status(&span) || attributes.contains_key(NO_KEY));
        let has_odd_parent =
            PARENTS.iter().any(|key| get(&span, key).is_some_and(|parent| !parent.is_string()));
        if has_odd_parent || names_agent(&span) {
            not_understood = not_understood.or_else(|| Some(format!("the parent or agent of span '{name}'")));
        }
        if kind == Kind::Other {
            attributes = Map::new();
        }
        let (parent, attributes) = (parent.unwrap_or_default(), Value::Object(attributes));
        Some(Span {
            trace,
            id: own,
            parent,
            name,
            kind,
            is_mcp,
            start,
            end,
            attributes,
            failure,
            has_odd_status,
            is_silent,
            not_understood,
        })
    }

    /// Returns true if `later` is the same span exported again: it contradicts nothing recorded here.
    pub(super) fn is_same(&self, later: &Span) -> bool {
        let moment = |time: &Option<Time>| time.as_ref().map(|time| time.nanoseconds);
        let is_kept =
            |(key, value): (&String, &Value)| later.attributes.get(key).is_none_or(|it| it == value);
        (&self.name, &self.parent, moment(&self.start)) == (&later.name, &later.parent, moment(&later.start))
            && (self.end.is_none() || moment(&self.end) == moment(&later.end))
            && (self.failure.is_none() || self.failure == later.failure)
            && self.attributes.as_object().is_none_or(|attributes| attributes.iter().all(is_kept))
    }

    /// A text among the attributes that is not empty, by the first of the names that it has.
    pub(super) fn text(&self, keys: &[&str]) -> Option<&str> {
        keys.iter().find_map(|key| text(&self.attributes, key).filter(|text| !text.is_empty()))
    }

    /// Takes out an attribute, by the first of the names that it has; null is a value.
    pub(super) fn take(&mut self, keys: &[&str]) -> Option<Value> {
        keys.iter().find_map(|key| self.attributes.get_mut(key).map(Value::take))
    }

    /// What a tool is called; by the name of the span where nothing else tells.
    pub(super) fn tool_name(&self) -> &str {
        self.recorded_tool_name().unwrap_or(&self.name)
    }

    /// What a tool is called, where its span tells by an attribute or by a name of the conventions.
    pub(super) fn recorded_tool_name(&self) -> Option<&str> {
        self.text(&TOOL_NAMES).or_else(|| tool_in_name(&self.name))
    }

    /// The id by which a model asked for a call.
    pub(super) fn call_id(&self) -> Option<&str> {
        self.text(&["gen_ai.tool.call.id", "tool_call.id", "tool.id"])
    }
}

/// Adds the messages that events tell, where the attributes themselves tell none.
fn add_messages(attributes: &mut Map<String, Value>, span_events: &mut [Value]) {
    let (mut given, mut answers) = (Vec::new(), Vec::new());
    for event in span_events {
        let Some(name) = text(event, "name").filter(|name| name.starts_with("gen_ai.")).map(str::to_owned)
        else {
            continue;
        };
        let told = take(event, "attributes").map(self::attributes).unwrap_or_default();
        match events::message(&name, told) {
            Some(events::Told::Given(message)) => given.push(message),
            Some(events::Told::Answer(message)) => answers.push(message),
            Some(events::Told::Stopped) => {
                attributes.entry("gen_ai.response.finish_reasons").or_insert_with(|| "tool_calls".into());
            }
            None => {}
        }
    }
    for (key, messages) in [("gen_ai.input.messages", given), ("gen_ai.output.messages", answers)] {
        if !messages.is_empty() && attributes.get(key).is_none_or(Value::is_null) {
            attributes.insert(key.to_owned(), messages.into());
        }
    }
}

/// A time, by the first of the names that it has.
fn time(span: &Value, keys: &[&str]) -> Option<Time> {
    let value = keys.iter().find_map(|key| get(span, key))?;
    Time::of_nanoseconds(value).or_else(|| Time::of_text(value))
}

/// The attributes that say what a span does.
const KINDS: [&str; 3] = ["gen_ai.operation.name", "openinference.span.kind", "mcp.method.name"];

/// The attributes that name the tool of a call.
const TOOL_NAMES: [&str; 4] = ["gen_ai.tool.name", "tool.name", "tool_call.function.name", "mcp.tool.name"];

/// How the names of spans begin that call a tool, which is named next.
const TOOL_SPANS: [&str; 2] = ["execute_tool ", MCP_CALL];

const MCP_CALL: &str = "tools/call ";

/// The attributes, or beginnings of them, that calls of models and tools have.
const OF_AGENT: [&str; 8] = [
    "gen_ai.",
    "openinference.",
    "llm.",
    "mcp.",
    "tool_call.",
    "ai.toolCall.",
    "gcp.vertex.agent.",
    "traceloop.span.kind",
];

fn is_of_agents(key: &str) -> bool {
    TOOL_NAMES.contains(&key) || OF_AGENT.iter().any(|beginning| key.starts_with(beginning))
}

/// Whether attributes say that their span is something to an agent.
fn is_of_agent(written: &Value) -> bool {
    match written {
        Value::Object(attributes) => attributes.keys().any(|key| is_of_agents(key)),
        Value::Array(attributes) => {
            attributes.iter().any(|attribute| text(attribute, "key").is_some_and(is_of_agents))
        }
        _ => false,
    }
}

/// Returns true if all attributes have a key.
fn are_readable(written: Option<&Value>) -> bool {
    match written {
        None | Some(Value::Object(_)) => true,
        Some(Value::Array(list)) => list.iter().all(|attribute| text(attribute, "key").is_some()),
        Some(_) => false,
    }
}

/// Returns true if the attributes that say what a span does, and to which tool, are strings.
fn is_kind_readable(attributes: &Map<String, Value>) -> bool {
    let is_told =
        |key: &&str| attributes.get(*key).is_none_or(|value| value.as_str().is_some_and(|it| !it.is_empty()));
    KINDS.iter().chain(&TOOL_NAMES).all(is_told)
}

/// The tool that a span calls by a name of the conventions: `execute_tool refund`.
fn tool_in_name(name: &str) -> Option<&str> {
    let tool = TOOL_SPANS.iter().find_map(|beginning| name.strip_prefix(beginning))?;
    Some(tool.trim()).filter(|tool| !tool.is_empty())
}

/// Returns true for a span with a name that the conventions give to calls of models and runs of agents, and no attribute
/// that says what it does.
fn names_operation(name: &str, attributes: &Map<String, Value>) -> bool {
    const OPERATIONS: [&str; 4] = ["chat ", "generate_content ", "text_completion ", "invoke_agent "];
    let says = |key: &&str| attributes.contains_key(*key);
    !KINDS.iter().any(says) && OPERATIONS.iter().any(|beginning| name.starts_with(beginning))
}

/// Returns true for a span that is nothing by its kind, but has a kind that is not known, or what only the calls of models
/// and tools have. Spans of kinds that are known to be neither may have some of it.
fn does_more(attributes: &Map<String, Value>) -> bool {
    const NEITHER: [&str; 20] = [
        "embeddings",
        "create_agent",
        "retrieval",
        "rerank",
        "plan",
        "create_memory",
        "create_memory_store",
        "search_memory",
        "update_memory",
        "upsert_memory",
        "delete_memory",
        "delete_memory_store",
        "EMBEDDING",
        "RETRIEVER",
        "RERANKER",
        "GUARDRAIL",
        "EVALUATOR",
        "PROMPT",
        "UNKNOWN",
        "VECTOR_DB",
    ];
    const ONLY_CALLS: [&str; 11] = [
        "gen_ai.request.model",
        "gen_ai.response.",
        "gen_ai.output.messages",
        "gen_ai.completion",
        "gen_ai.tool.call.",
        "gen_ai.tool.name",
        "llm.output_messages",
        "llm.model_name",
        "tool_call.",
        // Of other dialects, which are not read yet.
        "ai.toolCall.",
        "gcp.vertex.agent.tool_",
    ];
    let of = |key| attributes.get(key).and_then(Value::as_str);
    let kind = of("gen_ai.operation.name").or(of("openinference.span.kind"));
    // What a client asks a server for beside tools is none of them either.
    !kind.is_some_and(|kind| NEITHER.contains(&kind))
        && of("mcp.method.name").is_none()
        && (kind.is_some()
            || of("traceloop.span.kind") == Some("tool")
            || attributes.keys().any(|key| ONLY_CALLS.iter().any(|beginning| key.starts_with(beginning))))
}

/// Returns true if something beside the attributes of a span is named like one of an agent's.
fn names_agent(rest: &Value) -> bool {
    match rest {
        Value::Array(items) => items.iter().any(names_agent),
        Value::Object(members) => {
            let is_named = |(key, value): (&String, &Value)| is_of_agents(key) || names_agent(value);
            text(rest, "key").is_some_and(is_of_agents) || members.iter().any(is_named)
        }
        _ => false,
    }
}

/// What a span is, by its attributes; if none says so, by its name.
fn kind(attributes: &Map<String, Value>, name: &str) -> (Kind, bool) {
    let of = |key| attributes.get(key).and_then(Value::as_str);
    let method = of("mcp.method.name");
    if method == Some("tools/call") {
        return (Kind::Tool, true);
    }
    let by_openinference = match of("openinference.span.kind") {
        Some("LLM") => Some(Kind::Llm),
        Some("TOOL") => Some(Kind::Tool),
        Some("AGENT") => Some(Kind::Agent),
        Some("CHAIN") => Some(Kind::Chain),
        _ => None,
    };
    let by_operation = match of("gen_ai.operation.name").filter(|_| method.is_none()) {
        Some("chat" | "generate_content" | "text_completion") => Some(Kind::Llm),
        Some("execute_tool") => Some(Kind::Tool),
        Some("invoke_agent") => Some(Kind::Agent),
        Some("invoke_workflow") => Some(Kind::Chain),
        _ => None,
    };
    // Some say which tool was called, and not that it was.
    let names_tool = TOOL_NAMES.iter().any(|key| of(key).is_some_and(|name| !name.is_empty()));
    let by_tool = names_tool.then_some(Kind::Tool);
    let by_openinference = by_openinference.filter(|_| method.is_none());
    if let Some(kind) = by_openinference.or(by_operation).or(by_tool) {
        return (kind, method.is_some());
    }
    let is_said = KINDS.iter().any(|key| attributes.contains_key(*key));
    match tool_in_name(name).filter(|_| !is_said) {
        Some(_) => (Kind::Tool, name.starts_with(MCP_CALL)),
        None => (Kind::Other, method.is_some()),
    }
}

/// The code of a span's status.
fn status_code(span: &Value) -> Option<&Value> {
    let status = get(span, "status").unwrap_or(&Value::Null);
    get(status, "code").or(get(status, "status_code")).or(get(span, "status_code"))
}

/// Returns true if a span has a status that says neither that it failed nor that it did not.
fn has_odd_status(span: &Value) -> bool {
    const CODES: [&str; 9] =
        ["", "0", "1", "2", "UNSET", "OK", "ERROR", "STATUS_CODE_UNSET", "STATUS_CODE_OK"];
    let is_odd = |code: &Value| match code {
        Value::Number(code) => code.as_u64().is_none_or(|code| code > 2),
        Value::String(code) => {
            let code = code.to_ascii_uppercase();
            code != "STATUS_CODE_ERROR" && !CODES.contains(&code.as_str())
        }
        _ => true,
    };
    // Some write the status as a string.
    let is_whole_odd = |status: &Value| !status.is_object() && is_odd(status);
    get(span, "status").is_some_and(is_whole_odd) || status_code(span).is_some_and(is_odd)
}

/// Why a span failed: by its status or `error.type`. An exception that was recorded tells more, but may have been handled.
fn failure(span: &Value, attributes: &Map<String, Value>, events: Vec<Value>) -> Option<RunError<'static>> {
    let status = get(span, "status").unwrap_or(&Value::Null);
    let code = status_code(span).or_else(|| Some(status).filter(|status| status.is_string()));
    let is_error = match code {
        Some(Value::Number(code)) => code.as_u64() == Some(2),
        Some(Value::String(code)) => {
            matches!(code.to_ascii_uppercase().as_str(), "2" | "ERROR" | "STATUS_CODE_ERROR")
        }
        _ => false,
    };
    let of = |attributes: &Map<String, Value>, key: &str| {
        attributes.get(key).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let error_type = of(attributes, "error.type");
    if !is_error && error_type.is_none() {
        return None;
    }
    let is_exception = |event: &Value| text(event, "name") == Some("exception");
    let exception =
        events.into_iter().rfind(is_exception).and_then(|mut event| take(&mut event, "attributes"));
    let exception = exception.map(self::attributes).unwrap_or_default();
    let told = text(status, "message").or(text(status, "description")).or(text(span, "status_message"));
    let message = told.filter(|message| !message.is_empty()).map(str::to_owned);
    let message = message
        .or_else(|| of(&exception, "exception.message"))
        .or_else(|| of(attributes, "error.message"))
        .or_else(|| of(attributes, "exception.message"));
    let r#type =
        error_type.or_else(|| of(&exception, "exception.type")).or_else(|| of(attributes, "exception.type"));
    Some(RunError { r#type: r#type.map(Into::into), message: message.map(Into::into), module: None })
}

/// Attributes: a list of keys with values that name their types, or an object of values that are as they are.
fn attributes(written: Value) -> Map<String, Value> {
    match written {
        Value::Object(attributes) => attributes,
        Value::Array(list) => pairs(list),
        _ => Map::new(),
    }
}

/// Stands for a key that isn't a string.
const NO_KEY: &str = "";

fn pairs(list: Vec<Value>) -> Map<String, Value> {
    let pair = |mut pair: Value| match take(&mut pair, "key") {
        Some(Value::String(key)) => (key, take(&mut pair, "value").map(untyped).unwrap_or_default()),
        _ => (NO_KEY.to_owned(), Value::Null),
    };
    list.into_iter().map(pair).collect()
}

/// The value in `{stringValue: …}` and its like. They are nested as deep as JSON is read, and no deeper.
fn untyped(value: Value) -> Value {
    let Value::Object(typed) = value else { return value };
    let Some((kind, mut value)) = typed.into_iter().next() else { return Value::Null };
    match kind.as_str() {
        "intValue" | "int_value" => match value.as_str().map(str::parse::<i64>) {
            Some(Ok(number)) => number.into(),
            _ => value,
        },
        "arrayValue" | "array_value" => {
            take_list(&mut value, "values").into_iter().map(untyped).collect::<Vec<Value>>().into()
        }
        "kvlistValue" | "kvlist_value" => Value::Object(pairs(take_list(&mut value, "values"))),
        _ => value,
    }
}
