//! SWE-agent's trajectories (`.traj`) and demonstrations, and those of mini-swe-agent.

use std::collections::{BTreeMap, VecDeque};

use serde_json::{Map, json};

use super::json::{
    amount, at, count, get, is_empty, list, object_in, take, take_list, take_text, text, texts, timestamp,
    unknown_kind,
};
use super::recorder::{Args, Mark, Outcome, Recorder, Returned};
use super::{Claim, NoteKind, Reader, Recorded, RunId, TraceFormat, VOTERS};
use crate::trajectory::model::{LlmCall, RunError};
use crate::value::Value;

/// How likely a record is a trajectory: one of turns, a history of marked messages, or one of mini-swe-agent.
pub(super) fn claim(record: &Value) -> Claim {
    let is_list = |key| record.get(key).is_some_and(Value::is_array);
    if is_mini(record) {
        // Each of its messages speaks for chats.
        let messages = list(record, "messages").len().min(VOTERS);
        return Claim { weight: Claim::RUN.weight + messages, ..Claim::RUN };
    }
    let is_turn = |turn: &Value| get(turn, "action").is_some() && turn.get("observation").is_some();
    let turns = list(record, "trajectory").first().is_none_or(is_turn);
    let beside = is_list("history") || get(record, "info").is_some_and(Value::is_object);
    let is_marked = |message: &Value| {
        get(message, "role").is_some() && text(message, "message_type").or(text(message, "agent")).is_some()
    };
    Claim::run(
        (is_list("trajectory") && turns && beside)
            || list(record, "history").iter().take(VOTERS).any(is_marked),
    )
}

fn is_mini(record: &Value) -> bool {
    let is_named = text(record, "trajectory_format").is_some_and(|name| name.starts_with("mini-swe-agent"));
    get(record, "messages").is_some_and(Value::is_array)
        && (is_named || at(record, &["info", "mini_version"]).is_some())
}

/// Documents that are a run each, or the messages of one.
#[derive(Default)]
pub(super) struct SweAgent {
    messages: Option<Messages>,
}

impl Reader for SweAgent {
    fn record(&mut self, mut record: Value, id: RunId, done: &mut Vec<Recorded>) -> Result<(), String> {
        if get(&record, "role").is_some() {
            return self.messages.get_or_insert_with(Messages::new).take(record, true);
        }
        if let Some(key) = ["trajectory", "history"].iter().find(|key| !is_list_or_none(&record, key)) {
            return Err(format!("'{key}' isn't an array"));
        }
        let turns = take_list(&mut record, "trajectory");
        let history = take_list(&mut record, "history");
        let is_mini = history.is_empty() && turns.is_empty();
        let told = if is_mini { take_list(&mut record, "messages") } else { history };
        if turns.is_empty() && told.is_empty() {
            return Err("no 'trajectory', 'history' or 'messages'".to_owned());
        }
        let mut run = if turns.is_empty() {
            let mut messages = Messages::new();
            for (number, message) in (1..).zip(told) {
                if let Err(why) = messages.take(message, is_mini) {
                    messages.run.note(NoteKind::StrayRecord, || format!("message {number}: {why}"));
                }
            }
            messages.run
        } else {
            told_in_turns(turns, told)
        };
        run.run().run_id = take_text(&mut record, "instance_id").map(Into::into);
        let info = run.take_object(&mut record, "info");
        take_info(&mut run, info);
        done.push(run.finish(id));
        Ok(())
    }

    fn finish(self: Box<Self>, done: &mut Vec<Recorded>) {
        done.extend(self.messages.map(|messages| messages.run.finish(RunId::Whole)));
    }
}

fn is_list_or_none(record: &Value, key: &str) -> bool {
    get(record, key).is_none_or(Value::is_array)
}

/// Takes what is told of the run as a whole: what it took, what was handed in, how it ended.
fn take_info(run: &mut Recorder, mut info: Value) {
    let stats = &run.take_object(&mut info, "model_stats");
    if !stats.is_null() {
        if get(stats, "api_calls").is_some() && count(stats, "api_calls").is_none() {
            run.not_understood(|| "'api_calls' isn't a non-negative integer".to_owned());
        }
        let tokens = (count(stats, "tokens_sent"), count(stats, "tokens_received"));
        let tokens = tokens.0.zip(tokens.1).map(|(sent, received)| sent.saturating_add(received));
        // Zero is what each of them begins with, and stays at in a replay or for a model without a price.
        run.run().total_cost = amount(stats, "instance_cost").filter(|cost| *cost > 0.0);
        run.run().total_tokens = tokens.filter(|tokens| *tokens > 0);
        run.run().llm_calls = count(stats, "api_calls").filter(|calls| *calls > 0);
    }
    if let Some(submission) = take_text(&mut info, "submission").filter(|submission| !submission.is_empty()) {
        run.run().final_output = Some(submission.into());
    }
    if let Some(status) = take_text(&mut info, "exit_status") {
        run.ended(error_of(status));
    }
}

/// The error that an exit status is: none for `submitted`; what is in brackets made the agent hand in what it had.
fn error_of(status: String) -> Option<RunError<'static>> {
    let r#type = match status.split_once(' ') {
        _ if status.eq_ignore_ascii_case("submitted") => return None,
        Some((word, why)) if word.eq_ignore_ascii_case("submitted") => {
            why.trim_matches(['(', ')']).to_owned()
        }
        _ => status,
    };
    Some(RunError { r#type: Some(r#type.into()), ..RunError::default() })
}

fn is_demo(message: &Value) -> bool {
    get(message, "is_demo") == Some(&Value::Bool(true))
        || text(message, "message_type") == Some("demonstration")
}

/// The first message of the user that is no demonstration.
fn asked(messages: &mut [Value]) -> Option<Value> {
    let mut users =
        messages.iter_mut().filter(|message| text(message, "role") == Some("user") && !is_demo(message));
    users.next().and_then(|message| take(message, "content"))
}

/// A run whose turns are told. Only the history knows the calls by their names, if they have any.
fn told_in_turns(turns: Vec<Value>, mut history: Vec<Value>) -> Recorder {
    let mut run = Recorder::new(TraceFormat::SweAgent);
    let mut input = asked(&mut history);
    let mut named = Named { is_missing: history.is_empty(), ..Named::default() };
    for mut message in history {
        if !message.is_object() {
            run.not_understood(|| "an entry of 'history' isn't an object".to_owned());
        }
        let calls = run.take_list(&mut message, "tool_calls");
        if !calls.is_empty() && text(&message, "action").is_none() && !is_demo(&message) {
            run.not_understood(|| "'tool_calls' without 'action'".to_owned());
        }
        if let (Some(action), false) =
            (take_text(&mut message, "action"), calls.is_empty() || is_demo(&message))
        {
            named.by_action.entry(action).or_default().push_back(calls);
            named.are_all = true;
        }
        if !is_demo(&message) {
            run.check_rest(&message, "a history entry");
        }
    }
    let mut before = None;
    for mut turn in turns {
        for key in ["query", "messages"] {
            if let (None, Some(Value::Array(messages))) = (&input, turn.get_mut(key)) {
                input = asked(messages);
            }
        }
        if let Some(input) = input.take_if(|_| run.is_empty()) {
            run.heard(Some(input));
        }
        let state = state(&mut turn);
        take_turn(&mut run, turn, &mut named);
        if let Some(state) = state {
            if let Some(before) = &mut before {
                take_changes(&mut run, before, &state);
            }
            before = Some(state);
        }
    }
    run
}

/// The calls that the history names, by the actions that they became.
#[derive(Default)]
struct Named {
    by_action: BTreeMap<String, VecDeque<Vec<Value>>>,
    /// The agent calls functions, so that each action should have a name.
    are_all: bool,
    /// There is no history.
    is_missing: bool,
}

/// A turn: what the model answered, the action that this was, and what was seen of it.
fn take_turn(run: &mut Recorder, mut turn: Value, named: &mut Named) {
    let Some(action) = take_text(&mut turn, "action") else {
        run.not_understood(|| "'action' of a turn isn't a string".to_owned());
        return;
    };
    let is_answer = text(&turn, "response").is_some_and(|response| !response.is_empty());
    // SWE-agent itself ends a run that may not go on.
    let is_exit = action.starts_with("exit_") && !action.contains(char::is_whitespace);
    if is_exit || (action.trim().is_empty() && !is_answer) {
        return;
    }
    run.llm(LlmCall::default(), Mark::default());
    if action.trim().is_empty() {
        return;
    }
    let calls = named.by_action.get_mut(&action).and_then(VecDeque::pop_front);
    let steps = if let Some(calls) = calls {
        calls.into_iter().map(|call| take_call(run, call, Mark::default())).collect()
    } else {
        let is_written = || text(&turn, "response").is_some_and(|said| said.contains(action.trim()));
        let has_name = named.are_all || named.is_missing && !is_written();
        if has_name && !is_submit(&action) {
            run.not_understood(|| format!("'history' has no tool call for the action '{action}'"));
        }
        vec![command(run, &action, Mark::default())]
    };
    let mut observation = turn.get_mut("observation").map(Value::take).filter(|seen| !seen.is_null());
    for step in steps {
        match observation.take() {
            Some(seen) => run.settle(step, Some(seen), Outcome::Unknown),
            None => run.untold(step, Outcome::Unknown),
        }
    }
}

/// A call of a tool by its name. Answers with its step.
fn take_call(run: &mut Recorder, mut call: Value, mark: Mark) -> usize {
    let id = take_text(&mut call, "id");
    let mut function = take(&mut call, "function").unwrap_or_default();
    let name = take_text(&mut function, "name").unwrap_or_default();
    run.call(id.as_deref(), name, take(&mut function, "arguments").into(), mark)
}

/// An action that is a command: one for the shell, or `submit`, which hands in the work and ends the run. Answers with its
/// step.
fn command(run: &mut Recorder, command: &str, mark: Mark) -> usize {
    if is_submit(command) {
        return run.call(None, SUBMIT, None.into(), mark);
    }
    run.call(None, "shell", Args::Given(json!({ "command": command })), mark)
}

const SUBMIT: &str = "submit";

/// Returns true for SWE-agent's own command, which the history often leaves out: the run ends with it.
fn is_submit(command: &str) -> bool {
    command.trim() == SUBMIT
}

/// The state of a turn; old files have it as text.
fn state(turn: &mut Value) -> Option<Map<String, Value>> {
    match take(turn, "state")? {
        Value::Object(state) => Some(state),
        Value::String(text) => object_in(&text),
        _ => None,
    }
}

/// What differs between two states.
fn take_changes(run: &mut Recorder, before: &mut Map<String, Value>, after: &Map<String, Value>) {
    for (key, new) in after {
        let old = before.get_mut(key).map(Value::take);
        if old.as_ref() != Some(new) {
            run.changed(key, old, Some(new.clone()), Mark::default());
        }
    }
    for (key, old) in std::mem::take(before).into_iter().filter(|(key, _)| !after.contains_key(key)) {
        run.changed(key, Some(old), None, Mark::default());
    }
}

/// A run that only its messages tell.
struct Messages {
    run: Recorder,
    /// The step of the command that the next message of the user answers.
    command: Option<usize>,
}

impl Messages {
    fn new() -> Messages {
        Messages { run: Recorder::new(TraceFormat::SweAgent), command: None }
    }

    /// Takes a message. `is_mini` says that commands stand in the text alone.
    fn take(&mut self, mut message: Value, is_mini: bool) -> Result<(), String> {
        if is_demo(&message) {
            return Ok(());
        }
        match text(&message, "role") {
            Some("user") => match (self.command.take(), take(&mut message, "content")) {
                (Some(step), Some(seen)) => self.run.settle(step, Some(seen), outcome(&message)),
                (_, content) => self.run.heard(content),
            },
            Some("assistant") => self.answer(message, is_mini),
            Some("tool") => self.tool(message),
            Some("system" | "exit") => {}
            _ => return Err(unknown_kind(&message, "role")),
        }
        Ok(())
    }

    fn answer(&mut self, mut message: Value, is_mini: bool) {
        let extra = take(&mut message, "extra").unwrap_or_default();
        let timestamp = timestamp(get(&extra, "timestamp").or_else(|| get(&message, "timestamp")));
        let mark = Mark { timestamp, ..Mark::default() };
        self.run.llm(model_call(&extra), mark.clone());
        self.command = None;
        let calls = self.run.take_list(&mut message, "tool_calls");
        if calls.is_empty() {
            let action = get(&message, "action");
            if action.is_some_and(|action| !action.is_string()) {
                self.run.not_understood(|| "'action' isn't a string".to_owned());
            }
            let action = take_text(&mut message, "action").filter(|action| !action.trim().is_empty());
            let said = || get(&message, "content").and_then(texts).filter(|_| is_mini);
            let found = action.or_else(|| command_in(&said()?));
            let is_said = match get(&message, "content") {
                Some(Value::Array(parts)) => !parts.is_empty(),
                content => content.is_some_and(Value::is_string),
            };
            if found.is_none() && is_mini && !is_said {
                self.run.not_understood(|| {
                    "'content' of an assistant message is neither a string nor an array".to_owned()
                });
            }
            if found.is_none() && get(&extra, "actions").is_some_and(|actions| !is_empty(actions)) {
                self.run.not_understood(|| {
                    "'extra.actions' has actions that the message doesn't contain".to_owned()
                });
            }
            self.command = found.map(|found| command(&mut self.run, &found, mark.clone()));
        }
        let content = take(&mut message, "content").unwrap_or_default();
        self.run.check_rest(&message, "an assistant message");
        self.run.check_rest(&content, "an assistant message");
        for call in calls {
            take_call(&mut self.run, call, mark.clone());
        }
    }

    /// What came of calls: one message may answer several of them, and is the result of the first.
    fn tool(&mut self, mut message: Value) {
        let mut result = take(&mut message, "content");
        let outcome = outcome(&message);
        let one = get(&message, "tool_call_id").into_iter();
        for id in list(&message, "tool_call_ids").iter().chain(one) {
            let is_told = result.is_some();
            let outcome = if is_told { outcome.clone() } else { Outcome::Unknown };
            let id = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
            let returned = Returned { id: Some(&id), name: None, result: result.take(), outcome };
            match self.run.returned(returned) {
                Some(step) if !is_told => self.run.untold(step, Outcome::Unknown),
                _ => {}
            }
        }
    }
}

/// The call of a model, as mini-SWE-agent keeps it beside the answer: the response as it came, and what it cost.
fn model_call(extra: &Value) -> LlmCall<'static> {
    let response = get(extra, "response").unwrap_or(&Value::Null);
    let usage = get(response, "usage").unwrap_or(&Value::Null);
    LlmCall {
        model: text(response, "model").map(|model| model.to_owned().into()),
        prompt_tokens: count(usage, "prompt_tokens").or_else(|| count(usage, "input_tokens")),
        completion_tokens: count(usage, "completion_tokens").or_else(|| count(usage, "output_tokens")),
        // What has no price is counted as zero.
        cost: amount(extra, "cost").filter(|cost| *cost > 0.0),
    }
}

/// Whether a command failed, where mini-SWE-agent keeps the code that it ended with.
fn outcome(message: &Value) -> Outcome {
    match at(message, &["extra", "returncode"]).and_then(Value::as_i64) {
        None => Outcome::Unknown,
        Some(0) => Outcome::Succeeded,
        Some(code) => {
            let message = Some(format!("exit code {code}").into());
            Outcome::Failed(RunError { message, ..RunError::default() })
        }
    }
}

/// The command in a text, where it is the only one in a fence: `` ```bash ``.
fn command_in(said: &str) -> Option<String> {
    let mut found = None;
    let mut lines = said.lines();
    while let Some(line) = lines.next() {
        let Some(language) = line.trim_end().strip_prefix("```") else { continue };
        let mut is_closed = false;
        let inside = lines.by_ref().take_while(|line| {
            is_closed = line.trim_end() == "```";
            !is_closed
        });
        let block = inside.collect::<Vec<&str>>().join("\n");
        let is_command = is_closed && matches!(language, "bash" | "sh" | "mswea_bash_command");
        if is_command && found.replace(block.trim().to_owned()).is_some() {
            return None;
        }
    }
    found.filter(|command| !command.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_of_an_answer_is_that_of_its_only_fence() {
        let one = "I look.\n\n```bash\nls\ncat a\n```\nand\n```json\n{}\n```";
        assert_eq!(command_in(one).as_deref(), Some("ls\ncat a"));
        assert_eq!(command_in("```bash\nls\n```\n```bash\nls\n```"), None);
        assert_eq!(command_in("```bash\nls"), None);
        assert_eq!(command_in("I am done."), None);
    }
}
