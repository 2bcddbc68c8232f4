//! Inspect logs: each sample in each epoch is a run. A log is one document; in a `.eval` archive each sample is one.

mod attachments;
mod events;
mod known;
mod spans;

use super::json::{
    amount, at, count, get, list, sum, take, take_list, take_text, text, texts, thrown_name, unknown_kind,
};
use super::recorder::{Args, Mark, Outcome, Recorder, Returned};
use super::{Claim, NoteKind, Reader, Recorded, RunId, TraceFormat, VOTERS};
use crate::trajectory::model::{LlmCall, RunError};
use crate::value::Value;

use attachments::Attachments;

/// How likely a record is a log, or a sample of one.
pub(super) fn claim(record: &Value) -> Claim {
    let has = |key| get(record, key).is_some();
    let is_log = has("version") && has("status") && get(record, "eval").is_some_and(Value::is_object);
    if is_log || !is_sample(record) {
        return Claim::run(is_log);
    }
    // Each of its messages speaks for chats.
    let messages = list(record, "messages").len().min(VOTERS);
    Claim { weight: Claim::RUN.weight + messages, ..Claim::RUN }
}

fn is_sample(record: &Value) -> bool {
    let has = |key| get(record, key).is_some();
    has("id") && has("epoch") && has("input") && (has("messages") || has("events") || has("transcript"))
}

/// Logs, or their samples.
#[derive(Default)]
pub(super) struct Inspect;

impl Reader for Inspect {
    fn record(&mut self, mut record: Value, _: RunId, done: &mut Vec<Recorded>) -> Result<(), String> {
        if is_sample(&record) {
            done.push(run_of(record, false));
            return Ok(());
        }
        let is_over = text(&record, "status") == Some("success");
        let samples = take_list(&mut record, "samples");
        if samples.is_empty() {
            return Err("no 'samples'".to_owned());
        }
        let mut strays = Ok(());
        for sample in samples {
            if sample.is_object() {
                done.push(run_of(sample, is_over));
            } else {
                strays = Err("a sample that isn't an object".to_owned());
            }
        }
        strays
    }

    fn finish(self: Box<Self>, _: &mut Vec<Recorded>) {}
}

/// The run that a sample is. `is_over` says that its log tells that all went to their end.
fn run_of(mut sample: Value, is_over: bool) -> Recorded {
    let mut run = Recorder::new(TraceFormat::Inspect);
    let id = RunId::Named(format!("{}@{}", label(&sample, "id"), label(&sample, "epoch")));
    run.run().run_id = take_text(&mut sample, "uuid").map(Into::into);
    let mut transcript = run.take_object(&mut sample, "transcript");
    let kept = take(&mut transcript, "content");
    let mut attachments = Attachments::new(take(&mut sample, "attachments"), kept);
    let input = match take(&mut sample, "input") {
        Some(Value::Array(messages)) => {
            let mut users = messages.into_iter().filter(|message| text(message, "role") == Some("user"));
            users.next().and_then(|mut message| take(&mut message, "content"))
        }
        input => input,
    };
    if input.is_some() {
        run.heard(attachments.resolved(input));
    }
    let mut events = run.take_list(&mut sample, "events");
    if events.is_empty() {
        events = run.take_list(&mut transcript, "events");
    }
    let is_bare = events.is_empty() && list(&sample, "messages").is_empty();
    let is_step = |event: &Value| matches!(text(event, "event"), Some("model" | "tool"));
    let failure = if events.iter().any(is_step) {
        events::take_events(&mut run, events, &mut attachments)
    } else {
        for event in &events {
            events::check_kind(&mut run, text(event, "event"));
        }
        for (number, message) in (1..).zip(run.take_list(&mut sample, "messages")) {
            if let Err(why) = take_message(&mut run, message, &mut attachments) {
                run.note(NoteKind::StrayRecord, || format!("message {number}: {why}"));
            }
        }
        None
    };
    // A summary: it says that the sample ended, and maybe with which answer, but not what was done.
    let is_summary = !run.has_steps() && (is_bare || has_answer(&sample));
    if is_summary {
        run.not_understood(|| "a sample whose steps aren't in 'messages' or 'events'".to_owned());
        run.run().unknown.llm_calls = true;
    }
    let error = error_of(&mut sample).or(failure);
    let is_told = |key: &&str| get(&sample, key).is_some();
    let is_over = is_over || ["completed_at", "total_time", "scores"].iter().any(is_told);
    if error.is_some() || (is_over && !is_summary) {
        run.ended(error);
    }
    conclude(&mut run, sample, &mut attachments);
    if attachments.are_too_much {
        run.note(NoteKind::StrayRecord, || "the attachments are too large".to_owned());
    }
    run.finish(id)
}

/// Returns true if a sample has an output with an answer of a model.
fn has_answer(sample: &Value) -> bool {
    get(sample, "output").is_some_and(|output| !list(output, "choices").is_empty())
}

/// The sample's id or epoch: a text or a number.
fn label(sample: &Value, key: &str) -> String {
    match get(sample, key) {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => "1".to_owned(),
    }
}

/// What ended a sample before its time: an error, or a limit.
fn error_of(sample: &mut Value) -> Option<RunError<'static>> {
    match (take(sample, "error"), get(sample, "limit")) {
        (Some(Value::String(message)), _) => Some(message_error(message)),
        (Some(error), _) => Some(thrown(&error)),
        (None, limit) => {
            limit.map(|limit| RunError::new("limit", text(limit, "type").unwrap_or_default().to_owned()))
        }
    }
}

/// Takes the totals of a sample, and its answer.
fn conclude(run: &mut Recorder, mut sample: Value, attachments: &mut Attachments) {
    let usages = run.take_object(&mut sample, "model_usage");
    if let Some(usages) = usages.as_object().filter(|usages| !usages.is_empty()) {
        let add = |all: u64, usage| Some(all.saturating_add(all_tokens(usage)?));
        if usages.values().any(|usage| !usage.is_object()) {
            run.not_understood(|| "a value in 'model_usage' isn't an object".to_owned());
        }
        run.run().total_tokens = usages.values().try_fold(0, add);
        let cost = usages.values().try_fold(0.0, |all, usage| Some(all + amount(usage, "total_cost")?));
        run.run().total_cost = cost.filter(|cost| cost.is_finite());
    }
    run.run().duration_seconds = amount(&sample, "total_time");
    // What is scored is the answer, even where it was not said but handed in.
    let mut output = take(&mut sample, "output").unwrap_or_default();
    let chosen = take_list(&mut output, "choices").into_iter().next().unwrap_or_default();
    let content = at(&chosen, &["message", "content"]).and_then(texts).filter(|text| !text.is_empty());
    let answer = content.or_else(|| take_text(&mut output, "completion")).map(Value::String);
    if let Some(Value::String(answer)) = attachments.resolved(answer).filter(|answer| answer != "") {
        run.run().final_output = Some(answer.into());
    }
}

/// An error that was thrown: its message is how Python shows it, and the last line of its traceback names it, too.
fn thrown(error: &Value) -> RunError<'static> {
    let message = text(error, "message").unwrap_or_default();
    let last = || text(error, "traceback")?.trim_end().lines().next_back();
    let name = thrown_name(message).filter(|_| message.ends_with(')')).or_else(|| thrown_name(last()?));
    let r#type = name.map(|name| name.to_owned().into());
    RunError { r#type, ..message_error(message.to_owned()) }
}

/// An error that has only a message.
fn message_error(message: String) -> RunError<'static> {
    RunError { message: Some(message.into()), ..RunError::default() }
}

/// Takes a message of a sample that has no events.
fn take_message(run: &mut Recorder, mut message: Value, attachments: &mut Attachments) -> Result<(), String> {
    match text(&message, "role") {
        Some("user") => run.heard(attachments.resolved(take(&mut message, "content"))),
        Some("assistant") if text(&message, "source") != Some("input") => {
            let model = take_text(&mut message, "model").map(Into::into);
            run.llm(LlmCall { model, ..LlmCall::default() }, Mark::default());
            for asked in take_answer(run, message, &Mark::default(), attachments) {
                let Asked { id, name, args } = asked;
                run.call(id.as_deref(), name, args, Mark::default());
            }
        }
        Some("tool") => {
            let result = attachments.resolved(take(&mut message, "content"));
            let outcome = outcome(&mut message, result.as_ref());
            let (id, name) = (text(&message, "tool_call_id"), text(&message, "function"));
            run.returned(Returned { id, name, result, outcome });
        }
        Some("system" | "assistant") => {}
        _ => return Err(unknown_kind(&message, "role")),
    }
    Ok(())
}

/// A call that a model asked for.
struct Asked {
    id: Option<String>,
    name: String,
    args: Args,
}

/// Takes what a model answered: what it said, and the calls that it asked for.
fn take_answer(
    run: &mut Recorder,
    mut message: Value,
    mark: &Mark,
    attachments: &mut Attachments,
) -> Vec<Asked> {
    let content = attachments.resolved(take(&mut message, "content"));
    if let Some(text) = content.as_ref().and_then(texts).filter(|text| mark.depth == 0 && !text.is_empty()) {
        run.said(text);
    }
    let calls = run.take_list(&mut message, "tool_calls").into_iter();
    calls.map(|mut call| asked(run, &mut call, attachments)).collect()
}

/// Takes a call that was asked for. Arguments that Inspect could not read are told as such.
fn asked(run: &mut Recorder, call: &mut Value, attachments: &mut Attachments) -> Asked {
    let name = take_text(call, "function").unwrap_or_default();
    let mut args = attachments.resolved(take(call, "arguments"));
    if let Some(why) = take_text(call, "parse_error") {
        run.note(NoteKind::UndecodedArguments, || format!("'{name}': {why}"));
        let mut told = serde_json::Map::new();
        let is_some = |raw: &Value| raw.as_object().is_none_or(|raw| !raw.is_empty());
        told.extend(args.filter(is_some).map(|raw| ("raw".to_owned(), raw)));
        told.insert("parse_error".to_owned(), Value::String(why));
        args = Some(Value::Object(told));
    }
    Asked { id: take_text(call, "id"), name, args: args.into() }
}

/// Whether a call failed, as its event or its message tells.
fn outcome(record: &mut Value, result: Option<&Value>) -> Outcome {
    match take(record, "error") {
        Some(Value::String(message)) => Outcome::Failed(message_error(message)),
        Some(mut error) => {
            let [r#type, message] = ["type", "message"].map(|key| take_text(&mut error, key).map(Into::into));
            Outcome::Failed(RunError { r#type, message, module: None })
        }
        None => Outcome::flagged(Some(get(record, "failed") == Some(&Value::Bool(true))), result),
    }
}

/// All tokens of a usage.
fn all_tokens(usage: &Value) -> Option<u64> {
    count(usage, "total_tokens")
        .or_else(|| Some(tokens_sent(usage)?.saturating_add(count(usage, "output_tokens")?)))
}

/// The tokens that went in. Whether cached ones are among the input tokens differs between logs; the total tells.
fn tokens_sent(usage: &Value) -> Option<u64> {
    let stated = count(usage, "total_tokens").zip(count(usage, "output_tokens"));
    if let Some(sent) = stated.and_then(|(all, received)| all.checked_sub(received)) {
        return Some(sent);
    }
    count(usage, "input_tokens")?;
    sum(["input_tokens", "input_tokens_cache_read", "input_tokens_cache_write"].map(|key| count(usage, key)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_sample_by_itself_is_a_run_and_no_chat() {
        let message = json!({ "role": "user", "content": "go" });
        let sample = json!({ "id": "a", "epoch": 2, "input": "go", "messages": vec![message; 300], "total_time": 1.5 });
        assert!(claim(&sample).weight > super::super::openai_chat::claim(&sample).weight);
        let mut done = Vec::new();
        Inspect.record(sample, RunId::Line(1), &mut done).unwrap();
        assert_eq!(
            (done[0].id.to_string().as_str(), done[0].trajectory.duration_seconds),
            ("#a@2", Some(1.5))
        );
    }

    #[test]
    fn a_model_that_a_tool_asks_is_no_call_of_the_agent() {
        let events = json!([
            { "event": "span_begin", "id": "s", "type": "tool", "name": "search" },
            { "event": "tool", "span_id": "s", "id": "c", "function": "search", "result": "tea" },
            { "event": "model", "span_id": "s", "model": "small" },
            { "event": "span_end", "id": "s" },
        ]);
        let run = run_of(json!({ "events": events }), false).trajectory;
        let whose: Vec<_> = run.steps.iter().map(|step| (step.depth, step.parent.as_deref())).collect();
        assert_eq!(whose, [(0, None), (1, Some("c"))]);
    }
}
