//! An answer of the model: its texts, its calls, how it stopped; all at once or in pieces.

use super::super::json::{count, get, holds_step, is_empty, sum_counts, take, take_text, text, timestamp};
use super::super::recorder::{Args, Mark, Outcome, Recorder};
use super::chat::candidates;
use super::partial::fill;
use super::{member, take_member, take_member_text};
use crate::trajectory::json::Json;
use crate::trajectory::model::{LlmCall, RunError};
use crate::value::Value;

/// The tool that code which the model wrote runs in.
const CODE_EXECUTION: &str = "code_execution";

/// The reason to finish that stands for none.
const UNSPECIFIED: &str = "FINISH_REASON_UNSPECIFIED";

/// An answer, as far as it came.
#[derive(Default)]
pub(super) struct Answer {
    /// The id of the response.
    pub(super) id: Option<String>,
    /// Whether it is a response, which tells how it stopped.
    is_response: bool,
    model: Option<String>,
    created: Option<Json<'static>>,
    /// The last that was told: it grows with each chunk.
    usage: Value,
    text: String,
    calls: Vec<Call>,
    stopped: Option<String>,
    why: Option<String>,
    /// Why there is no answer.
    blocked: Option<String>,
    /// What was not understood, each in a few words.
    not_understood: Vec<String>,
}

#[derive(Default)]
struct Call {
    id: Option<String>,
    name: String,
    args: Value,
    /// Whether more of its arguments is to come.
    continues: bool,
    /// What came of it, where the service itself ran it.
    returned: Option<(Option<Value>, Outcome)>,
}

impl Answer {
    /// Whether it said that it stopped.
    pub(super) fn is_over(&self) -> bool {
        self.stopped.is_some() || self.blocked.is_some()
    }

    /// Takes a response, or the next chunk of one.
    pub(super) fn chunk(&mut self, mut chunk: Value) {
        self.is_response = true;
        self.id = take_member_text(&mut chunk, "responseId", "response_id").or(self.id.take());
        self.model = take_member_text(&mut chunk, "modelVersion", "model_version").or(self.model.take());
        self.created = timestamp(member(&chunk, "createTime", "create_time")).or(self.created.take());
        if let Some(usage) = take_member(&mut chunk, "usageMetadata", "usage_metadata") {
            self.usage = usage;
        }
        if let Some(mut feedback) = take_member(&mut chunk, "promptFeedback", "prompt_feedback")
            && let Some(reason) = take_member_text(&mut feedback, "blockReason", "block_reason")
        {
            let message = take_member_text(&mut feedback, "blockReasonMessage", "block_reason_message");
            self.blocked = Some(message.unwrap_or(reason));
        }
        let (candidate, others) = candidates(&mut chunk);
        // Which of several answers was taken is not recorded.
        if others.iter().any(holds_step) {
            self.lose("several candidates, with function calls");
        }
        if holds_step(&chunk) {
            self.lose("unexpected function call in a response");
        }
        let Some(mut candidate) = candidate else { return };
        let stopped = take_member_text(&mut candidate, "finishReason", "finish_reason");
        // Chunks that aren't the last may have the reason that stands for none.
        self.stopped = stopped.filter(|reason| reason != UNSPECIFIED).or(self.stopped.take());
        if member(&candidate, "finishReason", "finish_reason").is_some() {
            self.lose("a candidate with both 'finishReason' and 'finish_reason'");
        }
        self.why = take_member_text(&mut candidate, "finishMessage", "finish_message").or(self.why.take());
        if let Some(mut content) = take(&mut candidate, "content") {
            match take(&mut content, "parts") {
                Some(Value::Array(parts)) => self.parts(parts),
                Some(_) => self.lose("'parts' isn't an array"),
                None if content.is_object() => {}
                None => self.lose("'content' isn't an object"),
            }
            if holds_step(&content) {
                self.lose("unexpected function call in 'content'");
            }
        }
        if holds_step(&candidate) {
            self.lose("unexpected function call in a candidate");
        }
    }

    fn lose(&mut self, what: &str) {
        self.not_understood.push(what.to_owned());
    }

    /// Takes parts. Those that are thoughts are not said.
    pub(super) fn parts(&mut self, parts: Vec<Value>) {
        for mut part in parts {
            if let Some(call) = take_member(&mut part, "functionCall", "function_call") {
                self.call(call);
            } else if let Some(code) = take_member(&mut part, "executableCode", "executable_code") {
                let name = CODE_EXECUTION.to_owned();
                self.calls.push(Call { name, args: code, ..Call::default() });
            } else if let Some(result) =
                take_member(&mut part, "codeExecutionResult", "code_execution_result")
            {
                let is_open = |call: &&mut Call| call.name == CODE_EXECUTION && call.returned.is_none();
                match self.calls.last_mut().filter(is_open) {
                    Some(call) => call.ran(result),
                    None => self.lose("a code execution result without its code"),
                }
            } else if unknown_part(&part).is_none() && get(&part, "thought") != Some(&Value::Bool(true)) {
                match text(&part, "text") {
                    Some(text) => self.text.push_str(text),
                    None if is_silent(&part) => {}
                    None => self.lose("a part without 'text' or another known key"),
                }
                continue;
            }
            // A part is one thing. What else it holds may be another call.
            if let Some(what) = unknown_part(&part) {
                self.not_understood.push(what);
            }
        }
    }

    /// Takes a call, or the next of a call's arguments, which has no name.
    fn call(&mut self, mut written: Value) {
        let continues = member(&written, "willContinue", "will_continue") == Some(&Value::Bool(true));
        let pieces = match take_member(&mut written, "partialArgs", "partial_args") {
            Some(Value::Array(pieces)) => pieces,
            _ => Vec::new(),
        };
        let name = take_text(&mut written, "name");
        if name.is_some() || !self.calls.last().is_some_and(|call| call.continues) {
            let (id, args) = (take_text(&mut written, "id"), take(&mut written, "args"));
            let (name, args) = (name.unwrap_or_default(), args.unwrap_or_default());
            self.calls.push(Call { id, name, args, ..Call::default() });
        }
        let Some(call) = self.calls.last_mut() else { return };
        call.continues = continues;
        for piece in pieces {
            fill(&mut call.args, piece);
        }
    }

    /// Writes it down. Answers with what it ends the run with, unless something follows.
    pub(super) fn hand_over(self, run: &mut Recorder) -> Option<RunError<'static>> {
        let failure = self.failure();
        let tokens = |keys: [&str; 2]| sum_counts(&self.usage, &keys[..1], &keys[1..]);
        let prompt = tokens(["promptTokenCount", "toolUsePromptTokenCount"])
            .or_else(|| tokens(["prompt_token_count", "tool_use_prompt_token_count"]));
        let completion = tokens(["candidatesTokenCount", "thoughtsTokenCount"])
            .or_else(|| tokens(["candidates_token_count", "thoughts_token_count"]));
        let total = count(&self.usage, "totalTokenCount").or_else(|| count(&self.usage, "total_token_count"));
        let (prompt_tokens, completion_tokens) =
            with_total((prompt, completion), total, self.stopped.is_some());
        let call =
            LlmCall { prompt_tokens, completion_tokens, model: self.model.map(Into::into), cost: None };
        let mark = Mark { timestamp: self.created, ..Mark::default() };
        run.llm(call, mark.clone());
        for what in self.not_understood {
            run.answer_not_understood(|| what);
        }
        let mut waits = false;
        for Call { id, name, args, returned, .. } in self.calls {
            let step = run.call(id.as_deref(), name, Args::Given(args), mark.clone());
            match returned {
                Some((result, outcome)) => run.settle(step, result, outcome),
                None => waits = true,
            }
        }
        if !self.text.is_empty() {
            run.said(self.text);
        }
        if waits {
            run.broke_off();
        }
        match &self.stopped {
            None if self.is_response && self.blocked.is_none() => {
                run.cut_off("no 'finishReason'");
            }
            Some(reason) if !is_known_stop(reason) => {
                // The model asked for a call that isn't among its parts.
                run.not_understood(|| format!("'finishReason' is {reason}"));
            }
            _ => {}
        }
        failure
    }

    /// A refusal, or an answer that is broken or cut short.
    fn failure(&self) -> Option<RunError<'static>> {
        let refusal = |why: &str| Some(RunError::new("refusal", why.to_owned()));
        if let Some(why) = &self.blocked {
            return refusal(why);
        }
        match self.stopped.as_deref()? {
            "STOP" => None,
            reason @ "MAX_TOKENS" => Some(RunError::new("incomplete", reason.to_owned())),
            reason if REFUSALS.contains(&reason) => refusal(self.why.as_deref().unwrap_or(reason)),
            reason => Some(RunError {
                r#type: Some(reason.to_owned().into()),
                message: self.why.clone().map(Into::into),
                module: None,
            }),
        }
    }
}

/// Fills in prompt and completion counts from the recorded total: a missing one is the remainder, and any excess is output.
///
/// A remainder of zero means no output only if the answer is complete, since zero counts aren't recorded.
pub(super) fn with_total(
    (prompt, completion): (Option<u64>, Option<u64>),
    total: Option<u64>,
    is_over: bool,
) -> (Option<u64>, Option<u64>) {
    let rest = |known: Option<u64>| total?.checked_sub(known?);
    let came_out = rest(prompt).filter(|rest| *rest > 0 || is_over);
    (prompt.or(rest(completion)), completion.max(came_out))
}

/// The reasons to finish that mean that an answer was withheld.
const REFUSALS: [&str; 8] = [
    "SAFETY",
    "RECITATION",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "SPII",
    "IMAGE_SAFETY",
    "IMAGE_PROHIBITED_CONTENT",
    "IMAGE_RECITATION",
];

/// Returns true for reasons to finish after which all calls of an answer are among its parts. After others, such as
/// `MALFORMED_FUNCTION_CALL` and `UNEXPECTED_TOOL_CALL`, one is missing, or may be.
fn is_known_stop(reason: &str) -> bool {
    matches!(reason, "STOP" | "MAX_TOKENS" | "LANGUAGE" | "NO_IMAGE" | "IMAGE_OTHER")
        || REFUSALS.contains(&reason)
}

/// Returns true for a part that is known to say nothing: data, a signature, or nothing at all.
fn is_silent(part: &Value) -> bool {
    const SILENT: [&str; 6] =
        ["inlineData", "inline_data", "fileData", "file_data", "thoughtSignature", "thought_signature"];
    let has = |key: &str| part.get(key).is_some_and(|member| !is_empty(member));
    SILENT.iter().any(|key| has(key))
        || part.as_object().is_some_and(|members| members.values().all(is_empty))
}

/// Describes what in a part is not known, and may be a call. An unknown member counts unless it is a scalar.
pub(super) fn unknown_part(part: &Value) -> Option<String> {
    const CALLS: [&str; 4] = ["functionCall", "function_call", "functionResponse", "function_response"];
    const KNOWN: [&str; 13] = [
        "text",
        "thought",
        "thoughtSignature",
        "thought_signature",
        "inlineData",
        "inline_data",
        "fileData",
        "file_data",
        "videoMetadata",
        "video_metadata",
        "mediaResolution",
        "media_resolution",
        "partMetadata",
    ];
    let Value::Object(members) = part else { return Some("a part that isn't an object".to_owned()) };
    let is_unknown = |key: &str, member: &Value| {
        let is_object = (member.is_object() || member.is_array()) && !is_empty(member);
        !KNOWN.contains(&key) && (is_object || CALLS.contains(&key) && !member.is_null())
    };
    let (key, _) = members.iter().find(|(key, member)| is_unknown(key, member))?;
    Some(format!("a part with the unknown key '{key}'"))
}

impl Call {
    /// What came of code that the service ran.
    fn ran(&mut self, mut result: Value) {
        let failed = text(&result, "outcome").map(|outcome| outcome != "OUTCOME_OK");
        let output = take(&mut result, "output");
        let outcome = Outcome::flagged(failed, output.as_ref());
        self.returned = Some((output, outcome));
    }
}
