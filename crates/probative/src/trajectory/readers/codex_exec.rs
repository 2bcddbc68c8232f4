//! What `codex exec --json` prints: the events of a thread. It tells no calls of models.

use std::collections::BTreeMap;

use serde_json::{Map, json};

use super::json::{count, get, take, take_text, text, unknown_kind};
use super::recorder::{Args, Mark, Outcome, Recorder};
use super::{Claim, NoteKind, Reader, Recorded, RunId, TraceFormat};
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
pub(super) struct Exec {
    threads: Vec<Thread>,
    /// A record was not understood, and may have begun or ended a turn.
    is_lossy: bool,
}

struct Thread {
    id: Option<String>,
    /// It has records already.
    is_started: bool,
    run: Recorder,
    /// The calls so far, by the ids of their items. These begin again whenever the thread is resumed.
    calls: BTreeMap<String, Call>,
    tokens: Tokens,
    /// True from the start of a turn to its end.
    is_turn_open: bool,
}

#[derive(Clone, Copy)]
struct Call {
    step: usize,
    is_completed: bool,
}

/// The tokens of a thread. Each turn ends with a count of all turns, which may begin again where the thread is resumed.
#[derive(Default)]
struct Tokens {
    before: u64,
    last: Option<u64>,
    /// A turn began that has not ended with a count.
    is_open: bool,
    /// A turn has no count that could be read, so that nobody knows what the thread took.
    is_lost: bool,
}

impl Tokens {
    fn begin(&mut self) {
        self.is_lost |= self.is_open;
        self.is_open = true;
    }

    fn count(&mut self, usage: &Value) {
        let (Some(input), Some(output)) = (count(usage, "input_tokens"), count(usage, "output_tokens"))
        else {
            self.is_lost = true;
            return;
        };
        let total = input.saturating_add(output);
        if let Some(last) = self.last.filter(|last| total < *last) {
            self.before = self.before.saturating_add(last);
        }
        (self.last, self.is_open) = (Some(total), false);
    }

    fn total(&self) -> Option<u64> {
        let last = self.last.filter(|_| !self.is_open && !self.is_lost)?;
        Some(self.before.saturating_add(last))
    }
}

impl Thread {
    fn new() -> Thread {
        let mut run = Recorder::new(TraceFormat::CodexExec);
        run.run().unknown.llm_calls = true;
        let (calls, tokens) = (BTreeMap::new(), Tokens::default());
        Thread { id: None, is_started: false, run, calls, tokens, is_turn_open: false }
    }

    fn item(&mut self, mut item: Value, is_completed: bool) {
        let kind = take_text(&mut item, "type");
        let Some(kind) = kind.as_deref() else {
            return self.run.not_understood(|| "an item without 'type'".to_owned());
        };
        match kind {
            "agent_message" if is_completed => return self.message(item),
            "agent_message" | "reasoning" | "todo_list" | "error" => return,
            _ => {}
        }
        let Some((name, args)) = called(kind, &mut item) else {
            return self.run.not_understood(|| format!("unknown item type '{kind}'"));
        };
        let id = take_text(&mut item, "id");
        if id.is_none() {
            self.run.not_understood(|| format!("an item that calls '{name}' without 'id'"));
        }
        if let Some(step) = self.step_of(id, &name, args, is_completed)
            && is_completed
        {
            self.completed(step, kind, item);
        }
    }

    fn message(&mut self, mut item: Value) {
        let text = take_text(&mut item, "text");
        self.run.run().unknown.final_output = text.is_none();
        if let Some(text) = text {
            return self.run.said(text);
        }
        self.run.run().final_output = None;
        self.run.not_understood(|| "an agent_message item without 'text'".to_owned());
    }

    /// Returns the step of a call, which begins with its first item; `None` where the item repeats one that was completed.
    ///
    /// What a completed item says counts: a search is started before its query is known.
    fn step_of(
        &mut self,
        id: Option<String>,
        name: &str,
        args: Option<Value>,
        is_completed: bool,
    ) -> Option<usize> {
        let known = id.as_deref().and_then(|id| self.calls.get(id)).copied();
        let known = known.filter(|call| {
            if call.is_completed {
                !is_completed || self.run.is_call_of(call.step, name, args.as_ref())
            } else {
                self.run.is_call_to(call.step, name)
            }
        });
        let step = match known {
            Some(Call { is_completed: true, .. }) => {
                self.run.note(NoteKind::Repeated, || format!("a call to '{name}'"));
                return None;
            }
            Some(Call { step, .. }) => {
                if let Some(args) = args {
                    self.run.set_args(step, args);
                }
                step
            }
            None => {
                let args = args.map_or(Args::Unrecorded, Args::Given);
                self.run.call(None, name, args, Mark::default())
            }
        };
        if let Some(id) = id {
            self.calls.insert(id, Call { step, is_completed });
        }
        Some(step)
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
        let has_failed = get(&item, "exit_code").map(|code| code.as_i64() != Some(0));
        let outcome = match (error, text(&item, "status")) {
            (Some(error), _) => failed(error),
            (None, Some("completed")) if has_failed != Some(true) => Outcome::Succeeded,
            (None, Some("declined")) => failed("declined"),
            (None, Some("failed")) => {
                let told = result.as_ref().filter(|_| kind != "collab_tool_call");
                Outcome::flagged(Some(true), told)
            }
            (None, _) => Outcome::flagged(has_failed, result.as_ref()),
        };
        match kind {
            "file_change" | "web_search" => self.run.untold(step, outcome),
            _ => self.run.settle(step, result, outcome),
        }
    }
}

/// The tool that an item calls, and with what, where that is recorded; `None` where the item is no call.
fn called(kind: &str, item: &mut Value) -> Option<(String, Option<Value>)> {
    let keys: &[&str] = match kind {
        "command_execution" => &["command"],
        "file_change" => &["changes"],
        "web_search" => &["query", "action"],
        "collab_tool_call" => &["receiver_thread_ids", "prompt"],
        "mcp_tool_call" => {
            let args = item.get_mut("arguments").map(Value::take);
            return Some((take_text(item, "tool").filter(|name| !name.is_empty())?, args));
        }
        _ => return None,
    };
    let name = if kind == "collab_tool_call" { take_text(item, "tool")? } else { kind.to_owned() };
    let args = keys.iter().filter_map(|key| Some(((*key).to_owned(), take(item, key)?)));
    let args: Map<String, Value> = args.collect();
    Some((name, (!args.is_empty()).then_some(Value::Object(args))))
}

fn failed(why: &str) -> Outcome {
    Outcome::Failed(failure(why))
}

fn failure(message: &str) -> RunError<'static> {
    RunError { message: Some(message.to_owned().into()), ..RunError::default() }
}

impl Reader for Exec {
    fn record(&mut self, mut record: Value, _: RunId, _: &mut Vec<Recorded>) -> Result<(), String> {
        let why = unknown_kind(&record, "type");
        let kind = take_text(&mut record, "type");
        let is_known = |kind: &str| {
            kind == "error" || ["thread.", "turn.", "item."].iter().any(|prefix| kind.starts_with(prefix))
        };
        if !kind.as_deref().is_some_and(is_known) {
            self.is_lossy = true;
            return Err(why);
        }
        if kind.as_deref() == Some("thread.started") {
            let id = take_text(&mut record, "thread_id");
            let is_named = id.is_some();
            self.begin(id);
            return if is_named { Ok(()) } else { Err("thread.started without 'thread_id'".to_owned()) };
        }
        let thread = self.thread();
        thread.is_started = true;
        match kind.as_deref() {
            Some("turn.started") => {
                thread.is_turn_open = true;
                thread.run.goes_on();
                thread.tokens.begin();
            }
            Some("turn.completed") => {
                thread.is_turn_open = false;
                thread.run.ended(None);
                match get(&record, "usage") {
                    Some(usage) => thread.tokens.count(usage),
                    None => thread.tokens.is_lost = true,
                }
            }
            Some("turn.failed") => {
                thread.is_turn_open = false;
                let message = get(&record, "error").and_then(|error| text(error, "message"));
                thread.run.ended(Some(failure(message.unwrap_or("failed"))));
            }
            // It ends the run, unless the run goes on.
            Some("error") => {
                let message = text(&record, "message").unwrap_or("failed");
                if !message.starts_with("Reconnecting") {
                    thread.is_turn_open = false;
                    thread.run.ended(Some(failure(message)));
                }
            }
            Some(kind @ ("item.started" | "item.updated" | "item.completed")) => {
                thread.run.goes_on();
                let item = take(&mut record, "item").unwrap_or_else(|| flat(record));
                thread.item(item, kind == "item.completed");
            }
            // Part of a message that is printed in full when it is completed.
            Some("item.delta") => {}
            kind => {
                let kind = kind.unwrap_or_default();
                thread.tokens.is_lost = true;
                thread.run.not_understood(|| format!("unknown event type '{kind}'"));
            }
        }
        Ok(())
    }

    fn finish(self: Box<Self>, done: &mut Vec<Recorded>) {
        let Exec { threads, is_lossy } = *self;
        let is_only = threads.len() == 1;
        done.extend(threads.into_iter().map(|thread| {
            let Thread { id, mut run, tokens, is_turn_open, .. } = thread;
            if is_turn_open {
                run.cut_off("no turn.completed or turn.failed");
            }
            run.run().total_tokens = tokens.total().filter(|_| !is_lossy);
            run.run().run_id = id.clone().map(Into::into);
            run.finish(id.filter(|_| !is_only).map_or(RunId::Whole, RunId::Named))
        }));
    }
}

impl Exec {
    /// The thread that goes on.
    fn thread(&mut self) -> &mut Thread {
        if self.threads.is_empty() {
            self.threads.push(Thread::new());
        }
        let last = self.threads.len() - 1;
        &mut self.threads[last]
    }

    /// Begins a thread, or resumes the last one.
    fn begin(&mut self, id: Option<String>) {
        self.is_lossy |= id.is_none();
        let thread = self.thread();
        if !thread.is_started {
            thread.id = id;
        } else if id.is_some() && thread.id == id {
            thread.run.goes_on();
            thread.calls.clear();
        } else {
            self.threads.push(Thread { id, ..Thread::new() });
        }
        self.thread().is_started = true;
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
