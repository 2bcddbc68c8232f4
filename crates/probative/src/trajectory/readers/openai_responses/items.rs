//! The items of the Responses API: messages, calls of tools, and what came of them.

use std::borrow::Cow;

use serde_json::json;

use crate::trajectory::model::{LlmCall, RunError};
use crate::trajectory::readers::json::{
    get, id, object_in, take, take_list, take_text, text, texts, tool_names, unknown_kind,
};
use crate::trajectory::readers::recorder::{Args, Mark, Outcome, Recorder, Returned};
use crate::value::Value;

/// Takes items one after the other. What a model says and asks for between two inputs is one answer of it.
#[derive(Default)]
pub(in crate::trajectory::readers) struct Items {
    /// What is known of the model, for the answers to come.
    pub(in crate::trajectory::readers) model: LlmCall<'static>,
    /// Whether the items so far end with an answer that may go on.
    answering: bool,
    /// Whether all items belong to one answer, whatever stands between them.
    is_one_answer: bool,
    /// Whether that a call was completed does not say that it went well.
    hides_errors: bool,
}

impl Items {
    /// Those of one answer, which is written down at once.
    pub(in crate::trajectory::readers) fn of_answer(
        run: &mut Recorder,
        model: LlmCall<'static>,
        mark: Mark,
    ) -> Items {
        run.llm(model, mark);
        Items { answering: true, is_one_answer: true, ..Items::default() }
    }

    /// Those of a trace that has no mark for calls that failed.
    pub(in crate::trajectory::readers) fn hiding_errors() -> Items {
        Items { hides_errors: true, ..Items::default() }
    }

    /// That what follows is another answer.
    pub(in crate::trajectory::readers) fn interrupt(&mut self) {
        self.answering = self.is_one_answer;
    }

    /// Takes the next item. One that is none is given back as a reason.
    pub(in crate::trajectory::readers) fn take(
        &mut self,
        run: &mut Recorder,
        mut item: Value,
        mark: Mark,
    ) -> Result<(), String> {
        let kind = take_text(&mut item, "type");
        match kind.as_deref() {
            Some("message") | None => return self.message(run, item, &mark),
            Some("reasoning") => self.answers(run, &mark),
            Some("function_call") => self.function(run, item, mark),
            Some("custom_tool_call") => {
                self.answers(run, &mark);
                let args = match take(&mut item, "input") {
                    // What a custom tool is given is a text, and means itself.
                    Some(Value::String(input)) => Args::Given(json!({ "input": input })),
                    args => args.into(),
                };
                let name = take_text(&mut item, "name").unwrap_or_default();
                run.call(call_id(&item).as_deref(), name, args, mark);
            }
            Some("program") => {
                self.answers(run, &mark);
                let code = take(&mut item, "code").map(|code| json!({ "code": code }));
                run.call(call_id(&item).as_deref(), "program", code.into(), mark);
            }
            Some("hosted_tool_call") => self.hosted(run, item, mark),
            Some("mcp_list_tools") => run.run().tools.extend(tool_names(&take_list(&mut item, "tools"))),
            Some("mcp_approval_request") => {
                self.answers(run, &mark);
                run.broke_off();
            }
            Some("mcp_approval_response") => self.interrupt(),
            Some("compaction" | "compaction_summary" | "context_compaction" | "item_reference") => {}
            Some(kind) if kind.ends_with("_call") => self.server_call(run, kind, item, mark),
            Some(kind) if kind.ends_with("_output") || kind.ends_with("_result") => {
                // What the service itself carried out does not end the answer.
                if text(&item, "execution") != Some("server") {
                    self.interrupt();
                }
                returned(run, kind, item);
            }
            Some(kind) => return Err(format!("unknown item type '{kind}'")),
        }
        Ok(())
    }

    /// Begins an answer of the model, unless one goes on.
    fn answers(&mut self, run: &mut Recorder, mark: &Mark) {
        if !std::mem::replace(&mut self.answering, true) {
            run.llm(self.model.clone(), mark.clone());
        }
    }

    fn message(&mut self, run: &mut Recorder, mut item: Value, mark: &Mark) -> Result<(), String> {
        match text(&item, "role") {
            Some("user") => {
                self.interrupt();
                run.heard(take(&mut item, "content"));
            }
            Some("assistant") => {
                self.answers(run, mark);
                let content = take(&mut item, "content").unwrap_or_default();
                if content.is_null() {
                    run.answer_not_understood(|| "an assistant message without 'content'".to_owned());
                }
                if let Some(text) = texts(&content).filter(|text| !text.is_empty()) {
                    run.said(text);
                }
                if matches!(text(&item, "status"), Some("in_progress" | "incomplete")) {
                    run.broke_off();
                }
                let refusal = |part: &Value| text(part, "refusal").map(str::to_owned);
                let parts = content.as_array().map_or(&[][..], Vec::as_slice);
                if let Some(refusal) = parts.iter().find_map(refusal) {
                    run.ended(Some(RunError::new("refusal", refusal)));
                }
                run.check_texts(&content);
                run.check_rest(&content, "an assistant message");
                run.check_rest(&item, "an assistant message");
            }
            Some("system" | "developer") => self.interrupt(),
            _ => return Err(unknown_kind(&item, "role")),
        }
        Ok(())
    }

    fn function(&mut self, run: &mut Recorder, mut item: Value, mark: Mark) {
        self.answers(run, &mark);
        let name = take_text(&mut item, "name").unwrap_or_default();
        let arguments = take(&mut item, "arguments");
        let id = call_id(&item);
        let id = id.as_deref();
        let Some(uses) = together(&name, arguments.as_ref()) else {
            if is_parallel(&name) {
                run.not_understood(|| format!("the tool calls in the arguments of '{name}'"));
            }
            run.call(id, name, arguments.into(), mark);
            return;
        };
        for mut call in uses {
            let name = take_text(&mut call, "recipient_name").unwrap_or_default();
            let name = name.strip_prefix("functions.").unwrap_or(&name);
            run.call(id, name, take(&mut call, "parameters").into(), mark.clone());
        }
    }

    /// A call as the Agents SDK for JavaScript writes it: what the API told is beside it.
    fn hosted(&mut self, run: &mut Recorder, mut item: Value, mark: Mark) {
        let mut told = take(&mut item, "providerData").filter(Value::is_object).unwrap_or_else(|| json!({}));
        let name = take_text(&mut item, "name").unwrap_or_default();
        let kind = take_text(&mut told, "type").unwrap_or_else(|| name.clone());
        if let Value::Object(members) = &mut told {
            let outer = ["arguments", "status", "output", "error"].map(|key| (key, take(&mut item, key)));
            let outer = outer.into_iter().chain([("name", Some(name.into()))]);
            for (key, member) in outer.filter_map(|(key, member)| Some((key, member?))) {
                if members.get(key).is_none_or(Value::is_null) {
                    members.insert(key.to_owned(), member);
                }
            }
        }
        if kind.starts_with("mcp_")
            && kind != "mcp_call"
            && let Value::Object(members) = &mut told
        {
            members.insert("type".to_owned(), kind.into());
            // What else a server has to tell is no call.
            let _ = self.take(run, told, mark);
            return;
        }
        self.server_call(run, &kind, told, mark);
    }

    /// A call of a tool of the service. Most hold what came of them; those with a `call_id` wait for it.
    fn server_call(&mut self, run: &mut Recorder, kind: &str, mut item: Value, mark: Mark) {
        self.answers(run, &mark);
        let name = match take(&mut item, "name") {
            Some(Value::String(name)) if kind == "mcp_call" || !kind.ends_with("_call") => name,
            // The type does not name the tool of a server.
            _ if kind == "mcp_call" => String::new(),
            name => {
                if let Some(name) = name {
                    run.not_understood(|| format!("an item of type '{kind}' with the name {name}"));
                }
                kind.strip_suffix("_call").unwrap_or(kind).to_owned()
            }
        };
        let args = given(&mut item);
        let step = run.call(call_id(&item).as_deref(), name, args, mark);
        if call_id(&item).is_some() || kind == "tool_search_call" {
            return;
        }
        let result = ["output", "outputs", "results", "result"].iter().find_map(|key| take(&mut item, key));
        let outcome = match (get(&item, "error"), text(&item, "status")) {
            (Some(error), _) => Outcome::Failed(failure(error)),
            (None, Some("failed")) => Outcome::flagged(Some(true), result.as_ref()),
            (None, Some("completed")) if !self.hides_errors => Outcome::Succeeded,
            (None, None) if result.is_some() && !self.hides_errors => Outcome::Succeeded,
            (None, Some("completed") | None) => Outcome::Unknown,
            // It has not come to an end.
            (None, Some(_)) => return,
        };
        match (result, outcome) {
            (None, outcome @ (Outcome::Succeeded | Outcome::Unknown)) => run.untold(step, outcome),
            (result, outcome) => run.settle(step, result, outcome),
        }
    }
}

/// Whether something is an item, and no plain message.
pub(in super::super) fn is_item(record: &Value) -> bool {
    let has_id = || call_id(record).is_some();
    match text(record, "type") {
        Some("message") => message_parts(record).is_some() && record.get("stop_reason").is_none(),
        Some("function_call" | "custom_tool_call") => has_id() && get(record, "name").is_some(),
        Some(
            "function_call_output"
            | "custom_tool_call_output"
            | "computer_call_output"
            | "shell_call_output"
            | "apply_patch_call_output"
            | "program_output"
            | "program",
        ) => has_id(),
        Some("reasoning") => get(record, "summary").or(get(record, "encrypted_content")).is_some(),
        Some("mcp_call" | "mcp_list_tools" | "mcp_approval_request") => get(record, "server_label").is_some(),
        Some("mcp_approval_response") => get(record, "approval_request_id").is_some(),
        Some(
            "web_search_call"
            | "file_search_call"
            | "code_interpreter_call"
            | "computer_call"
            | "local_shell_call"
            | "local_shell_call_output"
            | "shell_call"
            | "apply_patch_call"
            | "image_generation_call"
            | "tool_search_call"
            | "tool_search_output",
        ) => true,
        _ => false,
    }
}

/// Whether something is a message of which one cannot tell that it is an item. Other formats have the same.
pub(super) fn is_plain_message(record: &Value) -> bool {
    const KEYS: [&str; 6] = ["type", "role", "content", "id", "status", "phase"];
    get(record, "type").is_none()
        && record.as_object().is_some_and(|members| members.keys().all(|key| KEYS.contains(&key.as_str())))
        && message_parts(record).is_some()
}

/// The parts of a message as the Responses API writes them; none where its content is a text.
fn message_parts(record: &Value) -> Option<&[Value]> {
    let is_known = matches!(text(record, "role"), Some("user" | "assistant" | "system" | "developer"));
    let is_part = |part: &Value| {
        matches!(
            text(part, "type"),
            Some("input_text" | "output_text" | "input_image" | "input_file" | "input_audio" | "refusal")
        )
    };
    match get(record, "content").filter(|_| is_known)? {
        Value::String(_) => Some(&[]),
        Value::Array(parts) if parts.iter().all(is_part) => Some(parts),
        _ => None,
    }
}

/// The id by which a call and what came of it belong together, which is not the id of the item.
fn call_id(item: &Value) -> Option<Cow<'_, str>> {
    id(item, "call_id").or_else(|| id(item, "callId"))
}

fn is_parallel(name: &str) -> bool {
    matches!(name, "parallel" | "multi_tool_use.parallel")
}

/// The calls in a call named `parallel`, which models make up.
fn together(name: &str, arguments: Option<&Value>) -> Option<Vec<Value>> {
    if !is_parallel(name) {
        return None;
    }
    let mut arguments = Value::Object(object_in(arguments?.as_str()?)?);
    let uses = take_list(&mut arguments, "tool_uses");
    let are_calls = !uses.is_empty() && uses.iter().all(|call| text(call, "recipient_name").is_some());
    are_calls.then_some(uses)
}

/// What a tool of the service was called with.
fn given(item: &mut Value) -> Args {
    if let Some(all) = ["arguments", "action", "operation"].iter().find_map(|key| take(item, key)) {
        return Args::Given(all);
    }
    let one = ["queries", "query", "code", "actions"].iter().find_map(|key| Some((key, take(item, key)?)));
    one.map_or(Args::Unrecorded, |(key, value)| Args::Given(json!({ *key: value })))
}

/// What came of a call that is another item.
fn returned(run: &mut Recorder, kind: &str, mut item: Value) {
    let result = ["output", "result", "tools"].iter().find_map(|key| take(&mut item, key));
    let result = match result {
        // A part by itself.
        Some(part @ Value::Object(_))
            if matches!(text(&part, "type"), Some("text" | "input_text" | "output_text")) =>
        {
            Some(Value::Array(vec![part]))
        }
        result => result,
    };
    let outcome = match text(&item, "status") {
        Some("failed") => Outcome::flagged(Some(true), result.as_ref()),
        Some("completed") if kind == "apply_patch_call_output" => Outcome::Succeeded,
        _ => Outcome::Unknown,
    };
    let id = call_id(&item).or_else(|| id(&item, "id").filter(|_| kind == "local_shell_call_output"));
    let id = id.as_deref();
    let name = text(&item, "name").or_else(|| match id {
        None if kind.starts_with("function_") || kind.starts_with("custom_") => None,
        None => Some(kind.trim_end_matches("_output").trim_end_matches("_result").trim_end_matches("_call")),
        Some(_) => None,
    });
    run.returned(Returned { id, name, result, outcome });
}

/// An error as a call or a response tells it: a text, or an object with a message.
pub(super) fn failure(error: &Value) -> RunError<'static> {
    let kind = text(error, "code").or_else(|| text(error, "type"));
    let message = text(error, "message").map(str::to_owned);
    let message = message.or_else(|| get(error, "content").and_then(texts));
    let message = message.or_else(|| error.as_str().map(str::to_owned));
    match (kind, message) {
        (Some(kind), message) => RunError::new(kind.to_owned(), message.unwrap_or_default()),
        (None, message) => {
            let message = message.unwrap_or_else(|| error.to_string());
            RunError { message: Some(message.into()), ..RunError::default() }
        }
    }
}
