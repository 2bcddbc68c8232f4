//! The Vercel AI SDK: UI messages, model messages, and the steps of a result.

mod claims;
mod content;
mod step;
mod ui;

use indexmap::IndexMap;

use super::json::{get, take, take_text, text, unknown_kind};
use super::recorder::{Mark, Recorder};
use super::{NoteKind, Reader, Recorded, RunId, TraceFormat};
use crate::trajectory::model::{LlmCall, RunError};
use crate::value::Value;

pub(super) use claims::claim;
use claims::is_step;
use content::{Written, take_content, take_results};

/// Messages or steps, record by record.
#[derive(Default)]
pub(super) struct Records {
    messages: Option<Conversation>,
    /// Of each call of the SDK, by its id.
    steps: IndexMap<String, Conversation>,
}

impl Reader for Records {
    fn record(&mut self, mut record: Value, id: RunId, done: &mut Vec<Recorded>) -> Result<(), String> {
        if is_step(&record) {
            let call = match (text(&record, "callId"), self.steps.last()) {
                (Some(call), _) => call.to_owned(),
                (None, Some((last, _))) => last.clone(),
                (None, None) => String::new(),
            };
            return self.steps.entry(call).or_default().record(record);
        }
        if get(&record, "role").is_some() {
            return self.messages.get_or_insert_default().record(record);
        }
        let mut run = Conversation::default();
        let records = match &mut record {
            Value::Array(records) => std::mem::take(records),
            result if get(result, "steps").is_some() => {
                run.total(take(result, "totalUsage"));
                run.run.take_list(result, "steps")
            }
            chat => {
                run.id = take_text(chat, "id");
                run.run.take_list(chat, "messages")
            }
        };
        for (number, record) in (1..).zip(records) {
            if let Err(why) = run.record(record) {
                run.run.note(NoteKind::StrayRecord, || format!("message or step {number}: {why}"));
            }
        }
        if run.run.is_empty() {
            return Err("no user or assistant message, and no step".to_owned());
        }
        done.push(run.finish(id));
        Ok(())
    }

    fn finish(self: Box<Self>, done: &mut Vec<Recorded>) {
        let Records { messages, mut steps } = *self;
        if steps.len() > 1 && steps.contains_key("") {
            for run in steps.values_mut() {
                run.run.not_understood(|| "a step without 'callId', although others have one".to_owned());
            }
        }
        let are_several = usize::from(messages.is_some()) + steps.len() > 1;
        let messages = messages.filter(|run| !run.run.is_empty());
        done.extend(messages.map(|run| run.finish(RunId::Whole)));
        for (call, run) in steps {
            let id = if are_several && !call.is_empty() { RunId::Named(call) } else { RunId::Whole };
            done.push(run.finish(id));
        }
    }
}

/// A run that is written down message by message, or step by step.
struct Conversation {
    run: Recorder,
    id: Option<String>,
    /// What ends the run, unless the model answers once more.
    failure: Option<RunError<'static>>,
}

impl Default for Conversation {
    fn default() -> Conversation {
        Conversation { run: Recorder::new(TraceFormat::VercelAi), id: None, failure: None }
    }
}

impl Conversation {
    fn record(&mut self, record: Value) -> Result<(), String> {
        if is_step(&record) {
            self.step(record);
            return Ok(());
        }
        self.message(record)
    }

    /// Takes a message, of the UI or of the model.
    fn message(&mut self, mut message: Value) -> Result<(), String> {
        match text(&message, "role") {
            Some("user") => {
                let parts = take(&mut message, "parts").filter(|parts| !is_empty(parts));
                self.run.heard(parts.or_else(|| take(&mut message, "content")));
            }
            Some("assistant") if get(&message, "parts").or(get(&message, "toolInvocations")).is_some() => {
                ui::take_answer(&mut self.run, message);
                self.failure = None;
            }
            Some("assistant") if get(&message, "content").is_none() => {
                return Err("no 'content' or 'parts'".to_owned());
            }
            Some("assistant") => {
                self.run.llm(LlmCall::default(), Mark::default());
                take_content(&mut self.run, take(&mut message, "content"), Written::Message);
                self.failure = None;
            }
            Some("tool") => {
                let parts = self.run.take_list(&mut message, "content");
                take_results(&mut self.run, parts);
            }
            Some("system" | "data") => {}
            _ => return Err(unknown_kind(&message, "role")),
        }
        Ok(())
    }

    fn finish(mut self, id: RunId) -> Recorded {
        self.run.run().run_id = self.id.map(Into::into);
        if self.failure.is_some() {
            self.run.ended(self.failure);
        }
        self.run.finish(id)
    }
}

fn is_empty(list: &Value) -> bool {
    list.as_array().is_some_and(Vec::is_empty)
}
