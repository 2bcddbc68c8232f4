//! Contents and responses, one after the other, as one run.

use super::super::json::{get, id, list, take, take_list, take_text, text, unknown_kind};
use super::super::recorder::{Outcome, Recorder, Returned};
use super::super::{Recorded, RunId, TraceFormat};
use super::answer::{Answer, unknown_part};
use super::{member, take_member};
use crate::trajectory::model::RunError;
use crate::value::Value;

/// Whether a record is a content: a role, and parts that do not say their type, as those of others do.
pub(super) fn is_content(record: &Value) -> bool {
    matches!(text(record, "role"), Some("user" | "model" | "function" | "tool")) && has_parts(record)
}

/// Returns true if a record has the parts of a content. In a request, the role may be left out.
pub(super) fn has_parts(record: &Value) -> bool {
    let is_part = |part: &Value| part.is_object() && get(part, "type").is_none();
    get(record, "parts").and_then(Value::as_array).is_some_and(|parts| parts.iter().all(is_part))
}

/// Whether a record is a response or a chunk of a streamed one. Some have usage alone, or say why there is no answer.
pub(super) fn is_response(record: &Value) -> bool {
    let is_candidate = |candidate: &Value| {
        get(candidate, "content").is_some_and(Value::is_object)
            || member(candidate, "finishReason", "finish_reason").is_some()
    };
    match get(record, "candidates") {
        Some(Value::Array(candidates)) => candidates.iter().all(is_candidate),
        Some(_) => false,
        None => {
            let feedback = member(record, "promptFeedback", "prompt_feedback");
            let usage = get(record, "usageMetadata");
            feedback.or(usage).is_some_and(Value::is_object)
        }
    }
}

/// A run that is written down content by content, chunk by chunk.
pub(super) struct Chat {
    run: Recorder,
    /// The answer that is streaming.
    answer: Option<Answer>,
    responses: usize,
    /// The id of the last response, which is that of the run if there is no other.
    response: Option<String>,
    /// What ends the run, unless the model answers once more.
    failure: Option<RunError<'static>>,
}

impl Default for Chat {
    fn default() -> Chat {
        let run = Recorder::new(TraceFormat::Gemini);
        Chat { run, answer: None, responses: 0, response: None, failure: None }
    }
}

impl Chat {
    pub(super) fn run(&mut self) -> &mut Recorder {
        &mut self.run
    }

    pub(super) fn is_empty(&self) -> bool {
        self.run.is_empty() && self.answer.is_none()
    }

    /// Takes a content: an answer of the model, or what the user and the functions said.
    pub(super) fn content(&mut self, mut content: Value) -> Result<(), String> {
        self.close();
        let Some(Value::Array(parts)) = take(&mut content, "parts") else {
            return Err("no 'parts' array".to_owned());
        };
        let role = text(&content, "role").or_else(|| match get(&content, "role") {
            None if parts.iter().any(is_models) => Some("model"),
            None => {
                // A prompt needs no role. What comes after it may be the user's or the model's.
                if !self.run.is_empty() && !parts.iter().all(is_result) {
                    self.run.not_understood(|| "a content object without 'role'".to_owned());
                }
                Some("user")
            }
            Some(_) => None,
        });
        self.run.check_rest(&content, "a content object");
        match role {
            Some("model") => {
                let mut answer = Answer::default();
                answer.parts(parts);
                self.failure = answer.hand_over(&mut self.run);
            }
            Some("user" | "function" | "tool") => {
                let mut said = Vec::new();
                for mut part in parts {
                    if let Some(response) = take_member(&mut part, "functionResponse", "function_response") {
                        self.returned(response);
                        if let Some(what) = unknown_part(&part) {
                            self.run.not_understood(|| what);
                        }
                        continue;
                    }
                    if let Some(what) = unknown_part(&part) {
                        self.run.not_understood(|| what);
                    }
                    said.push(part);
                }
                if !said.is_empty() {
                    self.run.heard(Some(Value::Array(said)));
                }
            }
            Some("system") => {}
            _ => return Err(unknown_kind(&content, "role")),
        }
        Ok(())
    }

    fn returned(&mut self, mut response: Value) {
        let (result, outcome) = told(take(&mut response, "response"));
        let id = id(&response, "id");
        self.run.returned(Returned { id: id.as_deref(), name: text(&response, "name"), result, outcome });
    }

    /// Takes a response or its chunks, which end an answer.
    pub(super) fn responses(&mut self, response: Value) {
        self.close();
        match response {
            Value::Array(chunks) => chunks.into_iter().for_each(|chunk| self.chunk(chunk)),
            response => self.chunk(response),
        }
        self.close();
    }

    /// Takes a response, or a chunk of one: those with the same id are one answer, and those without until it stops.
    pub(super) fn chunk(&mut self, mut chunk: Value) {
        let id = member(&chunk, "responseId", "response_id").and_then(Value::as_str);
        let is_over = self.answer.as_ref().is_some_and(|answer| match (&answer.id, id) {
            (Some(one), Some(other)) => one != other,
            _ => answer.is_over() && !list(&chunk, "candidates").is_empty(),
        });
        if is_over {
            self.close();
        }
        let history =
            take_member(&mut chunk, "automaticFunctionCallingHistory", "automatic_function_calling_history");
        if let Some(Value::Array(history)) = history.filter(|_| self.is_empty()) {
            // The SDK called the functions itself, and tells so here alone.
            for content in history {
                if let Err(why) = self.content(content) {
                    self.run.not_understood(|| format!("'automaticFunctionCallingHistory': {why}"));
                }
            }
        }
        self.answer.get_or_insert_default().chunk(chunk);
    }

    /// Hands over the answer that is streaming, as far as it came.
    fn close(&mut self) {
        if let Some(mut answer) = self.answer.take() {
            self.responses = self.responses.saturating_add(1);
            self.response = answer.id.take();
            self.failure = answer.hand_over(&mut self.run);
        }
    }

    pub(super) fn finish(mut self, id: RunId) -> Recorded {
        self.close();
        if self.responses == 1 {
            self.run.run().run_id = self.response.map(Into::into);
        }
        if self.failure.is_some() {
            self.run.ended(self.failure);
        }
        self.run.finish(id)
    }
}

/// What a function's response tells: `output` is its result and `error` its error; where there is neither, all of it is
/// the result.
pub(super) fn told(response: Option<Value>) -> (Option<Value>, Outcome) {
    let Some(mut response) = response else { return (None, Outcome::Unknown) };
    if !response.is_object() {
        return (Some(response), Outcome::Unknown);
    }
    let is_error = |error: &Value| !matches!(error, Value::Bool(false)) && error.as_str() != Some("");
    let error = get(&response, "error").is_some_and(is_error).then(|| take(&mut response, "error")).flatten();
    let output = response.get_mut("output").map(Value::take);
    match error {
        Some(error) => (output, Outcome::Failed(run_error(error))),
        None => (Some(output.unwrap_or(response)), Outcome::Succeeded),
    }
}

/// An error that is a text, or an object with a message.
fn run_error(mut error: Value) -> RunError<'static> {
    let r#type =
        ["type", "status"].iter().find_map(|key| text(&error, key)).map(|kind| kind.to_owned().into());
    let message = match take_text(&mut error, "message") {
        Some(message) => message,
        None => match error {
            Value::String(message) => message,
            other => other.to_string(),
        },
    };
    RunError { r#type, message: Some(message.into()), module: None }
}

/// Returns true for a part that only a model writes.
fn is_models(part: &Value) -> bool {
    member(part, "functionCall", "function_call")
        .or(member(part, "executableCode", "executable_code"))
        .is_some()
}

fn is_result(part: &Value) -> bool {
    member(part, "functionResponse", "function_response").is_some()
}

/// Takes the answers of a response: the first, and those that could be chosen instead.
pub(super) fn candidates(response: &mut Value) -> (Option<Value>, Vec<Value>) {
    let is_first = |candidate: &Value| get(candidate, "index").is_none_or(|index| index.as_u64() == Some(0));
    let mut all = take_list(response, "candidates");
    let first = all.iter().position(is_first).map(|first| all.remove(first));
    (first, all)
}
