//! The stream of Gemini CLI: `gemini --output-format stream-json`.

use super::super::json::{amount, count, get, take, take_text, text, timestamp};
use super::super::recorder::{Mark, Outcome, Recorder, Returned};
use super::super::{Recorded, RunId, TraceFormat};
use crate::trajectory::model::{LlmCall, RunError};
use crate::value::Value;

/// Whether a record is an event of the stream. Others have events that are called alike.
pub(super) fn is_event(record: &Value) -> bool {
    let has = |key| get(record, key).is_some();
    match text(record, "type") {
        Some("init") => has("session_id") && has("model"),
        Some("message") => {
            matches!(text(record, "role"), Some("user" | "assistant"))
                && text(record, "content").is_some()
                && has("timestamp")
        }
        Some("tool_use") => has("tool_name") && has("tool_id"),
        Some("tool_result") => has("tool_id") && has("status"),
        Some("error") => has("severity") && has("message"),
        Some("result") => has("status") && has("timestamp") && !has("subtype"),
        _ => false,
    }
}

/// A run that is written down event by event. The calls of models are not told: what comes until results do is one answer.
pub(super) struct Events {
    run: Recorder,
    id: Option<String>,
    model: Option<String>,
    answer: Option<Answer>,
    /// What ends the run, unless the stream tells how it ended.
    failure: Option<RunError<'static>>,
    has_result: bool,
}

#[derive(Default)]
struct Answer {
    text: String,
    has_calls: bool,
}

impl Default for Events {
    fn default() -> Events {
        let run = Recorder::new(TraceFormat::Gemini);
        Events { run, id: None, model: None, answer: None, failure: None, has_result: false }
    }
}

impl Events {
    pub(super) fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.run.is_empty() && self.failure.is_none()
    }

    /// Whether a record begins another session.
    pub(super) fn is_other(&self, record: &Value) -> bool {
        let id = text(record, "session_id").filter(|_| text(record, "type") == Some("init"));
        id.is_some_and(|id| self.id().is_some_and(|known| known != id))
    }

    pub(super) fn event(&mut self, mut event: Value) {
        let mark = Mark { timestamp: timestamp(get(&event, "timestamp")), ..Mark::default() };
        match text(&event, "type") {
            Some("init") => {
                self.id = take_text(&mut event, "session_id").or(self.id.take());
                self.model = take_text(&mut event, "model").or(self.model.take());
            }
            Some("message") if text(&event, "role") == Some("user") => {
                self.close();
                self.run.heard(take(&mut event, "content"));
            }
            Some("message") => self.answer(mark).text.extend(text(&event, "content")),
            Some("tool_use") => {
                self.answer(mark.clone()).has_calls = true;
                let name = take_text(&mut event, "tool_name").unwrap_or_default();
                let args = take(&mut event, "parameters").into();
                self.run.call(text(&event, "tool_id"), name, args, mark);
            }
            Some("tool_result") => {
                self.close();
                let result = take(&mut event, "output");
                let error = take(&mut event, "error");
                let outcome = match (text(&event, "status"), error) {
                    (_, Some(error)) => Outcome::Failed(failed(error)),
                    (Some("success"), None) => Outcome::Succeeded,
                    (Some("error"), None) => Outcome::flagged(Some(true), result.as_ref()),
                    (_, None) => Outcome::Unknown,
                };
                let id = text(&event, "tool_id");
                self.run.returned(Returned { id, name: None, result, outcome });
            }
            Some("error") if text(&event, "severity") == Some("error") => {
                self.failure = Some(failed(event));
            }
            Some("result") => self.result(event),
            _ => {}
        }
    }

    fn result(&mut self, mut event: Value) {
        self.close();
        self.has_result = true;
        let stats = take(&mut event, "stats").unwrap_or_default();
        self.run.run().total_tokens = count(&stats, "total_tokens");
        self.run.run().duration_seconds =
            amount(&stats, "duration_ms").map(|milliseconds| milliseconds / 1000.0);
        let (before, error) = (self.failure.take(), take(&mut event, "error"));
        let error = match (text(&event, "status"), error) {
            (_, Some(error)) => Some(failed(error)),
            (Some("success"), None) => None,
            (_, None) => Some(before.unwrap_or_else(|| failed("failed".into()))),
        };
        self.run.ended(error);
    }

    /// The answer that is under way; it is begun where there is none.
    fn answer(&mut self, mark: Mark) -> &mut Answer {
        if self.answer.is_none() {
            let model = self.model.clone().map(Into::into);
            self.run.llm(LlmCall { model, ..LlmCall::default() }, mark);
        }
        self.answer.get_or_insert_default()
    }

    fn close(&mut self) {
        let Some(Answer { text, has_calls }) = self.answer.take() else { return };
        if !text.is_empty() {
            self.run.said(text);
        }
        if has_calls {
            self.run.broke_off();
        }
    }

    pub(super) fn finish(mut self, id: RunId) -> Recorded {
        self.close();
        self.run.run().run_id = self.id.map(Into::into);
        if self.failure.is_some() {
            self.run.ended(self.failure);
        }
        if !self.has_result {
            self.run.cut_off("no 'result' event");
        }
        self.run.finish(id)
    }
}

/// An error that is a text, or `{type, message}`.
fn failed(mut error: Value) -> RunError<'static> {
    let r#type = take_text(&mut error, "type").filter(|kind| kind != "error");
    let message = match error {
        Value::String(message) => Some(message),
        mut error => take_text(&mut error, "message"),
    };
    RunError { r#type: r#type.map(Into::into), message: message.map(Into::into), module: None }
}
