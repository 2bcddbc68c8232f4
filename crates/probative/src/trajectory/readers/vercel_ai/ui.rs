//! Messages of the UI: each part of an assistant's message has its state, and a call holds what came of it.

use super::super::json::{at, count, get, take, take_text, text};
use super::super::recorder::{Mark, Outcome, Recorder};
use super::content::{Answer, check_part, denied, failed, is_true, take_call};
use crate::trajectory::model::LlmCall;
use crate::value::Value;

/// Takes a message of the assistant. A `step-start` begins a call of a model, and so does what comes before the first.
pub(super) fn take_answer(run: &mut Recorder, mut message: Value) {
    let parts = run.take_list(&mut message, "parts");
    if parts.is_empty() {
        take_invocations(run, message);
        return;
    }
    let mut answer: Option<Answer> = None;
    for mut part in parts {
        let kind = take_text(&mut part, "type").unwrap_or_default();
        if kind == "step-start" {
            end(run, answer.take());
        }
        let name = match kind.as_str() {
            "step-start" | "text" | "reasoning" => None,
            "tool-invocation" => {
                part = run.take_object(&mut part, "toolInvocation");
                Some(take_text(&mut part, "toolName").unwrap_or_default())
            }
            "dynamic-tool" => Some(take_text(&mut part, "toolName").unwrap_or_default()),
            kind => {
                let Some(name) = kind.strip_prefix("tool-") else {
                    check_part(run, Some(kind));
                    continue;
                };
                Some(name.to_owned())
            }
        };
        let answer = begun(run, &mut answer);
        if let Some(name) = name {
            tool(run, part, name, answer);
            continue;
        }
        answer.breaks_off |= get(&part, "state").is_some_and(|state| state.as_str() != Some("done"));
        if kind == "text" {
            match text(&part, "text") {
                Some(text) => answer.text.push_str(text),
                None => run.answer_not_understood(|| "a text part whose 'text' isn't a string".to_owned()),
            }
        }
    }
    begun(run, &mut answer);
    end(run, answer);
}

/// The answer that is under way; it is begun where there is none.
fn begun<'a>(run: &mut Recorder, answer: &'a mut Option<Answer>) -> &'a mut Answer {
    answer.get_or_insert_with(|| {
        run.llm(LlmCall::default(), Mark::default());
        Answer::default()
    })
}

fn end(run: &mut Recorder, answer: Option<Answer>) {
    if let Some(answer) = answer {
        answer.end(run);
    }
}

/// Takes a call with its state. One that waits for its input, for leave or for its output has no result.
fn tool(run: &mut Recorder, mut part: Value, name: String, answer: &mut Answer) {
    answer.breaks_off |= matches!(text(&part, "state"), Some("input-streaming" | "partial-call"));
    let step = take_call(run, &mut part, name, answer);
    let (result, outcome) = match text(&part, "state") {
        Some("output-available") if is_true(&part, "preliminary") => return,
        Some("output-available") => (part.get_mut("output").map(Value::take), Outcome::Succeeded),
        Some("output-error") => (None, Outcome::Failed(failed(take(&mut part, "errorText")))),
        Some("output-denied") => (None, Outcome::Failed(denied(reason(&part)))),
        Some("approval-responded") if at(&part, &["approval", "approved"]) == Some(&Value::Bool(false)) => {
            (None, Outcome::Failed(denied(reason(&part))))
        }
        Some("result") => (part.get_mut("result").map(Value::take), Outcome::Unknown),
        _ => return,
    };
    run.settle(step, result, outcome);
    if is_true(&part, "providerExecuted") {
        answer.waiting = answer.waiting.saturating_sub(1);
    }
}

fn reason(part: &Value) -> Option<String> {
    at(part, &["approval", "reason"]).and_then(Value::as_str).map(str::to_owned)
}

/// Takes a message of version 4 without parts: its calls, by their steps, and then what was said of their results.
fn take_invocations(run: &mut Recorder, mut message: Value) {
    let mut answer: Option<Answer> = None;
    let mut current = None;
    let mut are_answered = true;
    for mut part in run.take_list(&mut message, "toolInvocations") {
        let step = count(&part, "step");
        if step != current {
            end(run, answer.take());
            current = step;
        }
        are_answered = text(&part, "state") == Some("result");
        let name = take_text(&mut part, "toolName").unwrap_or_default();
        let answer = begun(run, &mut answer);
        tool(run, part, name, answer);
    }
    let said = get(&message, "content").and_then(Value::as_str).unwrap_or_default();
    if are_answered && !said.is_empty() {
        end(run, answer.take());
    }
    begun(run, &mut answer).text.push_str(said);
    end(run, answer);
}
