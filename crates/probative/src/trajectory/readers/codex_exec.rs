//! What `codex exec --json` prints: the events of a thread. It tells no calls of models.

use std::collections::BTreeMap;

use serde_json::{Map, json};

use super::json::{count, get, sum, take, take_text, text};
use super::recorder::{Args, Mark, Outcome, Recorder};
use super::{Claim, Reader, Recorded, RunId, TraceFormat};
use crate::trajectory::model::RunError;
use crate::value::Value;

/// How likely a record is an event of a thread. Others have errors that look alike.
pub(super) fn claim(record: &Value) -> Claim {
    let has = |key| get(record, key).is_some_and(Value::is_object);
    Claim::part(match text(record, "type") {
        Some("thread.started") => text(record, "thread_id").is_some(),
        Some("turn.started") => true,
        Some("turn.completed") => has("usage") || text(record, "thread_id").is_some(),
        Some("turn.failed") => has("error"),
        Some(kind) if kind.starts_with("item.") => has("item") || text(record, "item_type").is_some(),
        Some("error") => return Claim::common(text(record, "message").is_some()),
        _ => false,
    })
}

/// The threads in what was printed, which is one but for output that was put together.
#[derive(Default)]
pub(super) struct Exec(Vec<Thread>);

struct Thread {
    id: Option<String>,
    run: Recorder,
    /// The calls that were started, by the ids of their items. These begin again whenever the thread is resumed.
    started: BTreeMap<String, usize>,
    /// The tokens that were spent before the count began anew, and the last count.
    tokens: (u64, u64),
}

impl Thread {
    fn new() -> Thread {
        let mut run = Recorder::new(TraceFormat::CodexExec);
        run.run().unknown.llm_calls = true;
        Thread { id: None, run, started: BTreeMap::new(), tokens: (0, 0) }
    }

    /// Takes the count of a thread's tokens, which grows from turn to turn, and may begin anew where the thread is resumed.
    fn count(&mut self, usage: &Value) {
        let total = sum(["input_tokens", "output_tokens"].map(|key| count(usage, key)));
        if let Some(total) = total {
            let (before, last) = self.tokens;
            let before = if total < last { before.saturating_add(last) } else { before };
            self.tokens = (before, total);
            self.run.run().total_tokens = Some(before.saturating_add(total));
        }
    }

    fn item(&mut self, mut item: Value, is_completed: bool) {
        let kind = take_text(&mut item, "type");
        if kind.as_deref() == Some("agent_message") {
            if let Some(text) = take_text(&mut item, "text").filter(|_| is_completed) {
                self.run.said(text);
            }
            return;
        }
        let Some((name, args)) = kind.as_deref().and_then(|kind| called(kind, &mut item)) else { return };
        let id = take_text(&mut item, "id").unwrap_or_default();
        let step = match self.started.get(&id) {
            Some(step) => *step,
            None => self.run.call(None, name, args, Mark::default()),
        };
        if is_completed {
            self.started.remove(&id);
            self.completed(step, kind.as_deref().unwrap_or_default(), item);
        } else {
            self.started.insert(id, step);
        }
    }

    /// What came of a call. Of changes of files and searches no result is printed.
    fn completed(&mut self, step: usize, kind: &str, mut item: Value) {
        let result = match kind {
            "command_execution" => take(&mut item, "aggregated_output"),
            "mcp_tool_call" => take(&mut item, "result").map(|mut result| {
                let structured = take(&mut result, "structured_content");
                let content = take(&mut result, "content").filter(|content| *content != json!([]));
                content.or(structured).unwrap_or(result)
            }),
            "collab_tool_call" => take(&mut item, "agents_states"),
            _ => None,
        };
        let error =
            get(&item, "error").map(|error| text(error, "message").or(error.as_str()).unwrap_or("failed"));
        let outcome = match (error, text(&item, "status")) {
            (Some(error), _) => failed(error),
            (None, Some("completed")) => Outcome::Succeeded,
            (None, Some("declined")) => failed("declined"),
            (None, Some("failed")) => {
                let told = result.as_ref().filter(|_| kind != "collab_tool_call");
                Outcome::flagged(Some(true), told)
            }
            (None, _) => match get(&item, "exit_code").map(|code| code.as_i64() != Some(0)) {
                has_failed @ Some(_) => Outcome::flagged(has_failed, result.as_ref()),
                None => Outcome::Unknown,
            },
        };
        match kind {
            "file_change" | "web_search" => self.run.untold(step, outcome),
            _ => self.run.settle(step, result, outcome),
        }
    }
}

/// The tool that an item calls, and with what; `None` where it calls none.
fn called(kind: &str, item: &mut Value) -> Option<(String, Args)> {
    let keys: &[&str] = match kind {
        "command_execution" => &["command"],
        "file_change" => &["changes"],
        "web_search" => &["query", "action"],
        "collab_tool_call" => &["receiver_thread_ids", "prompt"],
        "mcp_tool_call" => {
            let args = take(item, "arguments").into();
            return Some((take_text(item, "tool")?, args));
        }
        _ => return None,
    };
    let name = if kind == "collab_tool_call" { take_text(item, "tool")? } else { kind.to_owned() };
    let args = keys.iter().filter_map(|key| Some(((*key).to_owned(), take(item, key)?)));
    Some((name, Args::Given(Value::Object(args.collect::<Map<String, Value>>()))))
}

fn failed(why: &str) -> Outcome {
    Outcome::Failed(failure(why))
}

fn failure(message: &str) -> RunError<'static> {
    RunError { message: Some(message.to_owned().into()), ..RunError::default() }
}

impl Reader for Exec {
    fn record(&mut self, mut record: Value, _: RunId, _: &mut Vec<Recorded>) -> Result<(), String> {
        let kind = take_text(&mut record, "type");
        let is_known = |kind: &str| {
            kind == "error" || ["thread.", "turn.", "item."].iter().any(|prefix| kind.starts_with(prefix))
        };
        if !kind.as_deref().is_some_and(is_known) {
            return Err("no event of codex exec".to_owned());
        }
        if kind.as_deref() == Some("thread.started") {
            self.begin(take_text(&mut record, "thread_id"));
            return Ok(());
        }
        let thread = self.thread();
        match kind.as_deref() {
            Some("turn.started") => thread.run.goes_on(),
            Some("turn.completed") => {
                thread.run.ended(None);
                if let Some(usage) = get(&record, "usage") {
                    thread.count(usage);
                }
            }
            Some("turn.failed") => {
                let message = get(&record, "error").and_then(|error| text(error, "message"));
                thread.run.ended(Some(failure(message.unwrap_or("failed"))));
            }
            // It ends the run, unless the run goes on.
            Some("error") => {
                let message = text(&record, "message").unwrap_or("failed");
                if !message.starts_with("Reconnecting") {
                    thread.run.ended(Some(failure(message)));
                }
            }
            Some(kind @ ("item.started" | "item.updated" | "item.completed")) => {
                thread.run.goes_on();
                let item = take(&mut record, "item").unwrap_or_else(|| flat(record));
                thread.item(item, kind == "item.completed");
            }
            _ => {}
        }
        Ok(())
    }

    fn finish(self: Box<Self>, done: &mut Vec<Recorded>) {
        let is_only = self.0.len() == 1;
        done.extend(self.0.into_iter().map(|thread| {
            let Thread { id, mut run, .. } = thread;
            run.run().run_id = id.clone().map(Into::into);
            run.finish(id.filter(|_| !is_only).map_or(RunId::Whole, RunId::Named))
        }));
    }
}

impl Exec {
    /// The thread that goes on.
    fn thread(&mut self) -> &mut Thread {
        if self.0.is_empty() {
            self.0.push(Thread::new());
        }
        let last = self.0.len() - 1;
        &mut self.0[last]
    }

    /// Begins a thread, or resumes the last one.
    fn begin(&mut self, id: Option<String>) {
        let thread = self.thread();
        if thread.id.is_none() || id.is_none() {
            thread.id = thread.id.take().or(id);
        } else if thread.id == id {
            thread.run.goes_on();
            thread.started.clear();
        } else {
            self.0.push(Thread { id, ..Thread::new() });
        }
    }
}

/// An item whose members are those of its event: `item_id`, `item_type`, `content`.
fn flat(mut event: Value) -> Value {
    let (id, kind) = (take(&mut event, "item_id"), take(&mut event, "item_type"));
    let mut item = take(&mut event, "content").filter(Value::is_object).unwrap_or_else(|| json!({}));
    if let Value::Object(members) = &mut item {
        let told = [("id", id), ("type", kind), ("status", take(&mut event, "status"))];
        members.extend(told.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))));
    }
    item
}
