//! The content of a message or step: texts, calls of tools, and what came of them.

use super::super::json::{get, is_empty, take, take_text, text};
use super::super::recorder::{Args, Mark, Outcome, Recorder, Returned};
use crate::trajectory::model::RunError;
use crate::value::Value;

/// Where content stands, which tells how the outputs of tools are written in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    /// In a message, as `{type: json, value: …}`.
    Message,
    /// In a step, as they are.
    Step,
}

/// An answer of the model while its parts are taken.
#[derive(Default)]
pub(super) struct Answer {
    pub(super) text: String,
    /// Whether it called a tool that the application runs: what it said is not its last word then.
    pub(super) has_calls: bool,
    /// How many calls of tools that the provider runs have no result yet.
    pub(super) waiting: usize,
    /// Whether it breaks off.
    pub(super) breaks_off: bool,
}

impl Answer {
    /// Ends the answer: what it said is written down.
    pub(super) fn end(self, run: &mut Recorder) {
        if !self.text.is_empty() {
            run.said(self.text);
        }
        if self.has_calls || self.waiting > 0 {
            run.broke_off();
        }
        if self.breaks_off {
            run.cut_off("a part is still streaming");
        }
    }
}

/// Takes the content of an answer.
pub(super) fn take_content(run: &mut Recorder, content: Option<Value>, written: Written) {
    let mut answer = Answer::default();
    let parts = match content {
        Some(Value::Array(parts)) => parts,
        Some(Value::String(text)) => {
            answer.text = text;
            Vec::new()
        }
        Some(other) if !is_empty(&other) => {
            run.answer_not_understood(|| "'content' is neither a string nor an array".to_owned());
            Vec::new()
        }
        _ => Vec::new(),
    };
    let mut invalid = Vec::new();
    for mut part in parts {
        match text(&part, "type") {
            Some("text") => match text(&part, "text") {
                Some(text) => answer.text.push_str(text),
                None => run.answer_not_understood(|| "a text part whose 'text' isn't a string".to_owned()),
            },
            Some("tool-call") => {
                let is_invalid = is_true(&part, "invalid");
                let error = take(&mut part, "error");
                let name = take_text(&mut part, "toolName").unwrap_or_default();
                let step = take_call(run, &mut part, name, &mut answer);
                if is_invalid {
                    invalid.push((step, error));
                }
            }
            Some("tool-result" | "tool-error") => {
                let settled = take_result(run, part, written);
                answer.waiting = answer.waiting.saturating_sub(usize::from(settled.is_some()));
                if !invalid.is_empty() {
                    invalid.retain(|(step, _)| Some(*step) != settled);
                }
            }
            kind => check_part(run, kind),
        }
    }
    for (step, error) in invalid {
        run.settle(step, None, Outcome::Failed(failed(error)));
    }
    answer.end(run);
}

/// Takes the results in a message of the tools.
pub(super) fn take_results(run: &mut Recorder, parts: Vec<Value>) {
    for part in parts {
        match text(&part, "type") {
            Some("tool-result") => {
                take_result(run, part, Written::Message);
            }
            kind => check_part(run, kind),
        }
    }
}

/// Notes a part of a kind that isn't known: it may be a call. Others (files, sources, data) are no steps.
pub(super) fn check_part(run: &mut Recorder, kind: Option<&str>) {
    const HARMLESS: [&str; 10] = [
        "reasoning",
        "reasoning-file",
        "file",
        "image",
        "source",
        "source-url",
        "source-document",
        "custom",
        "tool-approval-request",
        "tool-approval-response",
    ];
    match kind.filter(|kind| !kind.is_empty()) {
        Some(kind) if HARMLESS.contains(&kind) || kind.starts_with("data-") => {}
        Some(kind) => run.answer_not_understood(|| format!("unknown part type '{kind}'")),
        None => run.answer_not_understood(|| "a part without 'type'".to_owned()),
    }
}

/// Takes a part that calls a tool; version 4 has `args` for `input`. Answers with the step of the call.
pub(super) fn take_call(run: &mut Recorder, part: &mut Value, name: String, answer: &mut Answer) -> usize {
    if is_true(part, "providerExecuted") {
        answer.waiting = answer.waiting.saturating_add(1);
    } else {
        answer.has_calls = true;
    }
    let args = ["input", "args", "rawInput"].iter().find_map(|key| take(part, key));
    run.call(text(part, "toolCallId"), name, Args::from(args), Mark::default())
}

/// Takes a part that tells what came of a call. Answers with the step of the call.
fn take_result(run: &mut Recorder, mut part: Value, written: Written) -> Option<usize> {
    if is_true(&part, "preliminary") {
        return None;
    }
    let (result, outcome) = if text(&part, "type") == Some("tool-error") {
        (None, Outcome::Failed(failed(take(&mut part, "error"))))
    } else {
        match (part.get_mut("output").map(Value::take), written) {
            (Some(output), Written::Message) => unwrapped(output),
            (Some(output), Written::Step) => (Some(output), Outcome::Succeeded),
            (None, _) => {
                let result = part.get_mut("result").map(Value::take);
                let failed = get(&part, "isError").and_then(Value::as_bool);
                let outcome = Outcome::flagged(failed, result.as_ref());
                (result, outcome)
            }
        }
    };
    let (id, name) = (text(&part, "toolCallId"), text(&part, "toolName"));
    run.returned(Returned { id, name, result, outcome })
}

/// What an output in a message says: `{type: error-text, value: …}`.
fn unwrapped(mut output: Value) -> (Option<Value>, Outcome) {
    let kind = take_text(&mut output, "type");
    let mut value = || output.get_mut("value").map(Value::take);
    match kind.as_deref() {
        Some("text" | "json" | "content") => (value(), Outcome::Succeeded),
        Some("error-text" | "error-json") => (None, Outcome::Failed(failed(value()))),
        Some("execution-denied") => (None, Outcome::Failed(denied(take_text(&mut output, "reason")))),
        other => {
            if let (Some(kind), Some(output)) = (other, output.as_object_mut()) {
                output.insert("type".to_owned(), kind.into());
            }
            (Some(output), Outcome::Unknown)
        }
    }
}

/// The error of a call that was not allowed.
pub(super) fn denied(reason: Option<String>) -> RunError<'static> {
    RunError { r#type: Some("denied".into()), message: reason.map(Into::into), module: None }
}

/// An error as it was written: a text, or an object that may have lost what it said.
pub(super) fn failed(error: Option<Value>) -> RunError<'static> {
    let mut error = error.unwrap_or_default();
    let r#type = take_text(&mut error, "name");
    let message = take_text(&mut error, "message").unwrap_or_else(|| match error {
        Value::String(message) if !message.is_empty() => message,
        Value::Null | Value::String(_) => "failed".to_owned(),
        Value::Object(error) if error.values().all(Value::is_null) => "failed".to_owned(),
        other => other.to_string(),
    });
    RunError { r#type: r#type.map(Into::into), message: Some(message.into()), module: None }
}

pub(super) fn is_true(value: &Value, key: &str) -> bool {
    get(value, key) == Some(&Value::Bool(true))
}
