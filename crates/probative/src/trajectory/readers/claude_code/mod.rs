//! Claude Code: what `--output-format stream-json` prints, session files, and the files of sub-agents.

mod apart;
mod totals;

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use indexmap::IndexMap;

use super::anthropic::{Answer, is_call, model_call, take_answer, take_results, unfinished};
use super::json::{
    at, count, get, joined, list, take, take_list, take_text, text, timestamp, tool_names, unknown_kind,
};
use super::recorder::{Mark, Recorder};
use super::{Claim, NoteKind, Reader, Recorded, RunId, TraceFormat};
use crate::trajectory::model::RunError;
use crate::value::Value;

use apart::Apart;
use totals::Totals;

/// Who writes what no model said: a notice of Claude Code itself.
const SYNTHETIC: &str = "<synthetic>";

/// Kinds of records that are no part of the run: what the session is called, which files it saw, how it goes on.
const BOOKKEEPING: &[&str] = &[
    "agent-color",
    "agent-name",
    "agent-setting",
    "ai-title",
    "atis-latch",
    "attachment",
    "attribution-snapshot",
    "auth_status",
    "bridge-session",
    "content-replacement",
    "conversation_reset",
    "cost-state",
    "custom-title",
    "file-history-delta",
    "file-history-snapshot",
    "frame-link",
    "keep_alive",
    "last-prompt",
    "marble-origami-commit",
    "marble-origami-snapshot",
    "mode",
    "permission-mode",
    "post_turn_summary",
    "pr-link",
    "progress",
    "prompt_suggestion",
    "queue-operation",
    "rate_limit_event",
    "saved_hook_context",
    "speculation-accept",
    "stream_event",
    "summary",
    "tag",
    "task-summary",
    "tool_progress",
    "tool_use_summary",
    "update_environment_variables",
    "worktree-state",
];

/// How likely a record is of Claude Code. Exports and other programs' copies leave out who it belongs to.
pub(super) fn claim(record: &Value) -> Claim {
    if let Some(Value::Array(lines)) = get(record, "loglines") {
        // Nothing else has lines by this name.
        let fitting = lines.iter().filter(|line| claim(line) != Claim::NO).count();
        return Claim::run(fitting * 2 > lines.len());
    }
    let has = |keys: &[&str]| keys.iter().any(|key| record.get(*key).is_some());
    let has_session = has(&["session_id", "sessionId"]);
    let is_named = has_session || has(&["parentUuid", "parent_tool_use_id", "uuid"]);
    match text(record, "type") {
        Some("user" | "assistant") if is_message(record) => {
            if is_named {
                Claim::PART
            } else {
                Claim::COMMON
            }
        }
        Some("system") => Claim::part(has_session && has(&["subtype", "uuid"])),
        Some("result") if has_session || has(&["num_turns", "total_cost_usd"]) => {
            Claim::part(has(&["subtype", "is_error", "result"]))
        }
        Some("control_request" | "control_response" | "control_cancel_request") => {
            Claim::part(has(&["response", "request", "request_id"]))
        }
        Some(kind) if BOOKKEEPING.contains(&kind) => {
            if is_named || has(&["leafUuid", "messageId"]) {
                Claim::PART
            } else {
                Claim::COMMON
            }
        }
        _ => Claim::NO,
    }
}

/// Returns true if a record has a message of the Messages API. Other agents' have `parts`.
fn is_message(record: &Value) -> bool {
    let content = at(record, &["message", "content"]);
    content.is_some_and(|content| content.is_string() || content.is_array())
}

/// Why a record isn't of Claude Code.
fn misfit(record: &Value) -> String {
    match text(record, "type") {
        Some("user" | "assistant") => "no 'message.content'".to_owned(),
        Some("system") => "a system record without 'subtype'".to_owned(),
        Some("result") => "a result record without 'session_id' or 'subtype'".to_owned(),
        Some("control_request" | "control_response" | "control_cancel_request") => {
            "a control record without 'request_id'".to_owned()
        }
        _ => unknown_kind(record, "type"),
    }
}

/// The sessions of a file, in the order in which they begin.
#[derive(Default)]
pub(super) struct ClaudeCode {
    sessions: IndexMap<String, Session>,
    /// What came before a session had a name.
    current: String,
    /// Why lines of an export were not understood.
    strays: Vec<String>,
    /// A record that was not understood has amounts, as the results of turns have.
    has_lost_totals: bool,
}

impl Reader for ClaudeCode {
    fn record(&mut self, mut record: Value, id: RunId, done: &mut Vec<Recorded>) -> Result<(), String> {
        if get(&record, "loglines").is_some() {
            let mut lines = ClaudeCode::default();
            for line in take_list(&mut record, "loglines") {
                let strays = lines.take(line).err();
                lines.strays.extend(strays);
            }
            lines.hand_over(&id, done);
            return Ok(());
        }
        self.take(record)
    }

    fn finish(self: Box<Self>, done: &mut Vec<Recorded>) {
        self.hand_over(&RunId::Whole, done);
    }
}

impl ClaudeCode {
    fn take(&mut self, record: Value) -> Result<(), String> {
        let kind = text(&record, "type").unwrap_or_default();
        let is_bookkeeping = BOOKKEEPING.contains(&kind) || kind.starts_with("control_");
        if !is_bookkeeping && claim(&record) == Claim::NO {
            self.has_lost_totals |= has_totals(&record);
            return Err(misfit(&record));
        }
        let is_id = |key: &str| matches!(record.get(key), None | Some(Value::Null | Value::String(_)));
        if !(is_id("sessionId") && is_id("session_id")) {
            self.has_lost_totals |= has_totals(&record);
            return Err("the session id isn't a string".to_owned());
        }
        if let Some(session) = text(&record, "sessionId").or_else(|| text(&record, "session_id"))
            && session != self.current
        {
            session.clone_into(&mut self.current);
        }
        match self.sessions.get_mut(&self.current) {
            Some(session) => session.take(record),
            None if !is_bookkeeping => {
                let mut session = Session::of(&self.current);
                session.take(record);
                self.sessions.insert(self.current.clone(), session);
            }
            None => {}
        }
        Ok(())
    }

    fn hand_over(self, id: &RunId, done: &mut Vec<Recorded>) {
        let has_run = |session: &Session| {
            !session.run.is_empty() || session.ending == Ending::Recorded || session.is_lossy
        };
        let mut sessions: Vec<(String, Session)> = self.sessions.into_iter().collect();
        if sessions.iter().any(|(_, session)| has_run(session)) {
            sessions.retain(|(_, session)| has_run(session));
        }
        let alone = sessions.len() == 1;
        for (name, mut session) in sessions {
            for stray in &self.strays {
                session.run.not_understood(|| stray.clone());
            }
            session.totals.are_lost |= self.has_lost_totals;
            done.push(session.finish(if alone { id.clone() } else { RunId::Named(name) }));
        }
    }
}

/// One session.
struct Session {
    run: Recorder,
    /// The steps of the messages that models gave: one message may come in several records.
    messages: IndexMap<String, usize>,
    /// The message that was said last, and what it says so far.
    saying: Option<(String, String)>,
    /// The records so far by their `uuid`, as hashes, and the steps of calls by their ids: both may be repeated.
    records: BTreeMap<String, u64>,
    calls: BTreeMap<String, usize>,
    /// The ids of calls that other records name: those that were denied, and those that were streamed.
    named: BTreeSet<String>,
    /// How deep the sub-agents are that calls started.
    depths: IndexMap<String, u32>,
    /// Which sub-agent a record belongs to, as the id of its call.
    owners: IndexMap<String, String>,
    apart: Apart,
    totals: Totals,
    /// Whether a record is of the agent itself, and what the sub-agents' say where none is.
    has_own: bool,
    aside: Aside,
    /// What is wrong, as the last answer tells.
    failure: Option<RunError<'static>>,
    notice: Option<String>,
    ending: Ending,
    /// The first record of a sub-agent that no call started.
    unstarted: Option<String>,
    /// A record in it was not understood, and perhaps it was a result.
    is_lossy: bool,
}

/// The record of how a turn ended.
#[derive(Clone, Copy, PartialEq)]
enum Ending {
    /// Session files have none.
    Unrecorded,
    /// A stream has begun a turn, and will say how it ended.
    Awaited,
    Recorded,
}

/// What a file of one sub-agent alone is made a run from.
#[derive(Default)]
struct Aside {
    agent: Option<String>,
    input: Option<Value>,
    said: Option<String>,
    answered: bool,
}

impl Session {
    fn of(name: &str) -> Session {
        let mut run = Recorder::new(TraceFormat::ClaudeCode);
        run.run().run_id = (!name.is_empty()).then(|| name.to_owned().into());
        Session {
            run,
            messages: IndexMap::new(),
            saying: None,
            records: BTreeMap::new(),
            calls: BTreeMap::new(),
            named: BTreeSet::new(),
            depths: IndexMap::new(),
            owners: IndexMap::new(),
            apart: Apart::default(),
            totals: Totals::default(),
            has_own: false,
            aside: Aside::default(),
            failure: None,
            notice: None,
            ending: Ending::Unrecorded,
            unstarted: None,
            is_lossy: false,
        }
    }

    fn take(&mut self, mut record: Value) {
        if self.is_repeated(&record) {
            return self.run.note(NoteKind::Repeated, || "a record".to_owned());
        }
        match text(&record, "type") {
            Some("system")
                if !matches!(record.get("subtype"), None | Some(Value::Null | Value::String(_))) =>
            {
                self.run.not_understood(|| "'subtype' of a system record isn't a string".to_owned());
            }
            Some("system") if text(&record, "subtype") == Some("init") => {
                self.has_own = true;
                self.ending = Ending::Awaited;
                self.run.goes_on();
                self.run.run().tools = tool_names(list(&record, "tools"));
            }
            Some("assistant") => {
                let (mark, own) = self.mark(&record);
                self.notice = take_text(&mut record, "error").or(self.notice.take());
                let begin = self.run.run().steps.len();
                self.answer(take(&mut record, "message").unwrap_or_default(), &mark, own);
                if let Some(agent) = agent_apart(&record) {
                    let end = self.run.run().steps.len();
                    self.apart.record(agent, || None, begin..end);
                }
            }
            Some("user") => self.user(record),
            Some("result") => {
                let denied = list(&record, "permission_denials").iter();
                self.named.extend(denied.filter_map(|denial| text(denial, "tool_use_id")).map(str::to_owned));
                self.result(&record);
            }
            Some("stream_event") => {
                let block = at(&record, &["event", "content_block"]);
                let call = block.filter(|block| text(block, "type").is_some_and(is_call));
                self.named.extend(call.and_then(|call| text(call, "id")).map(str::to_owned));
            }
            Some("progress") => self.progress(&record),
            Some("system") if text(&record, "subtype") == Some("task_progress") => {
                if let (Some(agent), Some(_)) = (text(&record, "task_id"), get(&record, "last_tool_name")) {
                    self.apart.goes_on(agent, text(&record, "tool_use_id"));
                }
            }
            Some("system" | "control_request" | "control_response" | "control_cancel_request") => {}
            Some(kind) if BOOKKEEPING.contains(&kind) => {}
            _ => {
                self.run.not_understood(|| format!("a record: {}", unknown_kind(&record, "type")));
                self.is_lossy = true;
                self.totals.are_lost |= has_totals(&record);
            }
        }
    }

    /// Takes what a sub-agent is doing: its name, and the calls that its own records must have.
    fn progress(&mut self, record: &Value) {
        let Some(data) = get(record, "data") else { return };
        if !data.is_object() {
            return self.run.not_understood(|| "'data' of a progress record isn't an object".to_owned());
        }
        let agent = text(data, "agentId");
        if let Some(agent) = agent {
            self.apart.goes_on(agent, text(record, "parentToolUseID"));
        }
        let is_agents = agent.is_some() || text(data, "type") == Some("agent_progress");
        let Some(message) = get(data, "message").filter(|_| is_agents) else { return };
        let blocks = match at(message, &["message", "content"]) {
            Some(Value::Array(blocks)) => blocks.as_slice(),
            Some(Value::String(_)) => &[],
            _ => {
                return self
                    .run
                    .not_understood(|| "a progress record without 'message.message.content'".to_owned());
            }
        };
        for block in blocks {
            match (text(block, "type"), text(block, "id")) {
                (Some(kind), Some(id)) if is_call(kind) => {
                    self.named.insert(id.to_owned());
                }
                (Some(kind), _) if is_known_block(kind) && !is_call(kind) => {}
                _ => self
                    .run
                    .not_understood(|| format!("a progress record's block: {}", unknown_kind(block, "type"))),
            }
        }
    }

    /// Returns true if a message is recorded once more: sessions that are resumed or streamed again repeat some.
    fn is_repeated(&mut self, record: &Value) -> bool {
        let (Some(uuid), Some(message)) = (text(record, "uuid"), get(record, "message")) else {
            return false;
        };
        let mut hasher = DefaultHasher::new();
        message.hash(&mut hasher);
        let hash = hasher.finish();
        self.records.insert(uuid.to_owned(), hash) == Some(hash)
    }

    /// Whose record it is, and whether it is the agent's own.
    fn mark(&mut self, record: &Value) -> (Mark, bool) {
        let timestamp = timestamp(get(record, "timestamp"));
        let is_aside = get(record, "isSidechain");
        if is_aside.is_some_and(|aside| !aside.is_boolean()) {
            self.run.not_understood(|| "'isSidechain' isn't a boolean".to_owned());
        }
        let is_known = |before: &str| self.owners.contains_key(before);
        let owner = match get(record, "parent_tool_use_id") {
            Some(Value::String(call)) => Some(call.clone()),
            Some(_) => Some("sub-agent".to_owned()),
            None if agent_apart(record).is_some()
                || is_aside == Some(&Value::Bool(true))
                || text(record, "parentUuid").is_some_and(is_known) =>
            {
                Some(self.owner_of(record))
            }
            None => None,
        };
        if let Some(call) = owner.as_ref().filter(|_| get(record, "parent_tool_use_id").is_some())
            && !self.calls.contains_key(call)
        {
            self.run.not_understood(|| {
                format!("'parent_tool_use_id' names a call that isn't recorded: '{call}'")
            });
        }
        let Some(owner) = owner else {
            self.has_own = true;
            return (Mark { timestamp, ..Mark::default() }, true);
        };
        self.apart.met(&owner);
        let name = self.apart.name(&owner).unwrap_or(&owner).to_owned();
        let depth = self.depths.get(&owner).copied().unwrap_or(1);
        (Mark { timestamp, depth, parent: Some(name) }, false)
    }

    /// The call that started the sub-agent whose record it is: by the record before it, or, for its first record, by what it
    /// was told to do. One with an id of its own is put in its place when all is known.
    fn owner_of(&mut self, record: &Value) -> String {
        let told = || at(record, &["message", "content"]).and_then(joined);
        if let Some(agent) = agent_apart(record) {
            self.aside.agent.get_or_insert_with(|| agent.to_owned());
            self.apart.record(agent, told, 0..0);
            return agent.to_owned();
        }
        let known = text(record, "parentUuid").and_then(|before| self.owners.get(before)).cloned();
        let started = known.or_else(|| self.apart.take_call(&told()?));
        let owner = started.unwrap_or_else(|| {
            let first = text(record, "uuid").unwrap_or("sub-agent").to_owned();
            self.unstarted.get_or_insert_with(|| first.clone());
            first
        });
        if let Some(uuid) = text(record, "uuid") {
            self.owners.insert(uuid.to_owned(), owner.clone());
        }
        owner
    }

    fn answer(&mut self, mut message: Value, mark: &Mark, own: bool) {
        if text(&message, "model") == Some(SYNTHETIC) {
            return;
        }
        self.notice = None;
        if own && self.ending == Ending::Recorded {
            // The run did not end with its last result.
            self.ending = Ending::Awaited;
            self.run.goes_on();
        }
        let id = take_text(&mut message, "id").unwrap_or_default();
        let mut call = model_call(&mut message);
        // What each record says came out is only what had come so far.
        call.completion_tokens = None;
        if let Some(known) = self.messages.get(&id).and_then(|step| self.run.llm_at(*step)) {
            known.prompt_tokens = known.prompt_tokens.max(call.prompt_tokens);
        } else {
            let step = self.run.llm(call, mark.clone());
            if !id.is_empty() {
                self.messages.insert(id.clone(), step);
            }
        }
        if own {
            self.failure = unfinished(&message);
        }
        let content = take(&mut message, "content");
        if !id.is_empty() && content.as_ref().is_some_and(Value::is_string) {
            self.run.not_understood(|| "'content' of an API message isn't an array of blocks".to_owned());
        }
        let content = self.understood(content);
        self.note_calls(content.as_ref(), mark.depth);
        let Answer { text: said, waits } = take_answer(&mut self.run, content, mark);
        if !own {
            self.aside.answered = !waits && !said.is_empty();
            if !said.is_empty() {
                self.aside.said = Some(said);
            }
            return;
        }
        if !said.is_empty() {
            let so_far = self.saying.take().filter(|(of, _)| !id.is_empty() && *of == id);
            let text = so_far.map_or_else(String::new, |(_, text)| text) + &said;
            self.run.said(text.clone());
            self.saying = Some((id, text));
        }
        if waits {
            self.run.broke_off();
        }
    }

    /// Returns the blocks of an answer without those that repeat a call and those that are not understood.
    fn understood(&mut self, content: Option<Value>) -> Option<Value> {
        let Some(Value::Array(mut blocks)) = content else { return content };
        blocks.retain(|block| {
            let kind = text(block, "type").unwrap_or_default();
            if !is_known_block(kind) {
                self.run.not_understood(|| format!("a content block: {}", unknown_kind(block, "type")));
                return false;
            }
            if !is_call(kind) {
                return true;
            }
            let Some(name) = text(block, "name").filter(|name| !name.is_empty()) else {
                self.run.not_understood(|| "a tool_use block without 'name'".to_owned());
                return false;
            };
            let same = text(block, "id").and_then(|id| self.calls.get(id));
            let is_repeated = same.is_some_and(|step| self.run.is_call_of(*step, name, get(block, "input")));
            if is_repeated {
                self.run.note(NoteKind::Repeated, || format!("a call to '{name}'"));
            }
            !is_repeated
        });
        Some(Value::Array(blocks))
    }

    /// Notes the steps that calls are about to have, and which of them start sub-agents: those that say what such a one is
    /// to do.
    fn note_calls(&mut self, content: Option<&Value>, depth: u32) {
        let blocks = content.and_then(Value::as_array).into_iter().flatten();
        let calls = blocks.filter(|block| text(block, "type").is_some_and(is_call));
        for (step, call) in (self.run.run().steps.len()..).zip(calls) {
            let Some(id) = text(call, "id") else { continue };
            self.calls.insert(id.to_owned(), step);
            let is_start = matches!(text(call, "name"), Some("Task" | "Agent"));
            let Some(input) = get(call, "input").filter(|_| is_start) else { continue };
            let name = text(input, "subagent_type").unwrap_or(id);
            self.apart.call(id, step, name, text(input, "prompt"));
            self.depths.insert(id.to_owned(), depth.saturating_add(1));
        }
    }

    fn user(&mut self, mut record: Value) {
        let (_, own) = self.mark(&record);
        let is_meta = ["isMeta", "isCompactSummary", "isSynthetic"]
            .iter()
            .any(|key| get(&record, key) == Some(&Value::Bool(true)));
        self.note_started(&record);
        let mut content = record.get_mut("message").and_then(|message| take(message, "content"));
        if let Some(Value::Array(blocks)) = &mut content {
            blocks.retain(|block| {
                let is_lost =
                    text(block, "type").is_some_and(is_result) && text(block, "tool_use_id").is_none();
                if is_lost {
                    self.run.not_understood(|| "a tool_result block without 'tool_use_id'".to_owned());
                }
                !is_lost
            });
        }
        let said = take_results(&mut self.run, content);
        match said {
            Some(said) if own && !is_meta => self.run.heard(Some(said)),
            Some(said) if !own => {
                self.aside.answered = false;
                self.aside.input.get_or_insert(said);
            }
            Some(_) => {}
            None if own => self.run.broke_off(),
            None => self.aside.answered = false,
        }
    }

    /// Notes the sub-agents that the results of calls name, or say to have called tools.
    fn note_started(&mut self, record: &Value) {
        let beside = ["toolUseResult", "tool_use_result"].iter().find_map(|key| get(record, key));
        let agent = beside.and_then(|beside| get(beside, "agentId"));
        if agent.is_some_and(|agent| !agent.is_string()) {
            self.run.not_understood(|| "'agentId' isn't a string".to_owned());
        }
        let uses = beside.filter(|beside| get(beside, "totalToolUseCount").is_some());
        let mut has_used = uses.is_some_and(|beside| count(beside, "totalToolUseCount") != Some(0));
        let mut agent = agent.and_then(Value::as_str);
        for result in list(get(record, "message").unwrap_or(&Value::Null), "content") {
            let Some(call) = text(result, "tool_use_id") else { continue };
            let told = get(result, "content").filter(|_| self.apart.is_start(call));
            // What is recorded beside the message is about its first result.
            let has_used = std::mem::take(&mut has_used);
            match agent.take().or_else(|| agent_in(told?)) {
                Some(agent) => self.apart.started(agent.to_owned(), call),
                None if has_used => self.apart.started_nameless(call),
                None => {}
            }
        }
    }

    /// Takes the last record: what came of the run, and what it took. It failed if `is_error` says so, even where the subtype
    /// is `success`, and if the subtype is an error, whatever `is_error` says.
    fn result(&mut self, record: &Value) {
        self.has_own = true;
        self.ending = Ending::Recorded;
        self.totals.take(record);
        let run = self.run.run();
        run.total_tokens = self.totals.tokens();
        run.total_cost = self.totals.cost();
        run.duration_seconds = self.totals.seconds();
        let told = text(record, "result").filter(|told| !told.is_empty());
        let is_error = get(record, "is_error").and_then(Value::as_bool);
        let subtype = text(record, "subtype").filter(|subtype| *subtype != "success").map(str::to_owned);
        let is_named_error = subtype.as_ref().is_some_and(|subtype| subtype.starts_with("error"));
        let is_readable = matches!(record.get("subtype"), None | Some(Value::Null | Value::String(_)));
        let has_failed =
            if is_named_error { Some(true) } else { is_error.filter(|failed| *failed || is_readable) };
        run.unknown.error = has_failed.is_none();
        if has_failed == Some(true) {
            let r#type = subtype.or(self.notice.take()).map(Into::into);
            let first = list(record, "errors").first().and_then(Value::as_str);
            let message = Some(told.or(first).unwrap_or("failed").to_owned().into());
            self.run.ended(Some(RunError { r#type, message, module: None }));
        } else {
            if let Some(told) = told {
                self.run.said(told);
            }
            self.run.ended(self.failure.take());
        }
    }

    fn finish(mut self, id: RunId) -> Recorded {
        if !self.has_own {
            self.be_own();
        } else if let Some(first) = &self.unstarted {
            self.run
                .not_understood(|| format!("a sub-agent's record that no recorded call started: '{first}'"));
        }
        if self.ending == Ending::Awaited {
            self.run.cut_off("no 'result' record");
        }
        if let Some(failure) = self.failure.take().filter(|_| self.ending != Ending::Recorded) {
            self.run.ended(Some(failure));
        }
        if self.ending == Ending::Recorded && !self.run.has_steps() {
            // The last record alone: what was done is not there.
            let unknown = &mut self.run.run().unknown;
            (unknown.steps, unknown.llm_calls) = (true, true);
        }
        if let Some(contradiction) = self.totals.contradiction.take() {
            self.run.note(NoteKind::ContradictingTotal, || contradiction);
        }
        if self.totals.are_lost {
            let run = self.run.run();
            (run.total_tokens, run.total_cost, run.duration_seconds) = (None, None, None);
        }
        for id in self.named.iter().filter(|id| !self.calls.contains_key(*id)) {
            self.run.not_understood(|| format!("a sub-agent's call '{id}' is not recorded"));
        }
        let starts = self.apart.starts();
        let missing = self.apart.missing(&starts);
        let mut recorded = self.run.finish(id);
        for agent in missing {
            recorded.trajectory.unknown.steps = true;
            recorded.notes.add(NoteKind::MissingSubAgent, || agent);
        }
        self.apart.put_in_place(&starts, &mut recorded);
        if !self.has_own {
            for step in &mut recorded.trajectory.steps {
                step.depth = step.depth.saturating_sub(1);
                step.parent = step.parent.take().filter(|_| step.depth > 0);
            }
        }
        recorded
    }

    /// Makes a file that holds nothing but a sub-agent's records the run of that agent.
    fn be_own(&mut self) {
        let Aside { agent, input, said, answered } = std::mem::take(&mut self.aside);
        self.run.heard(input);
        if let Some(said) = said {
            self.run.said(said);
        }
        if !answered {
            self.run.broke_off();
        }
        let run = self.run.run();
        run.run_id = agent.map(Into::into).or(run.run_id.take());
    }
}

/// Returns true if a record has amounts that only results have.
fn has_totals(record: &Value) -> bool {
    let keys = ["total_cost_usd", "cost_usd", "duration_ms", "modelUsage", "usage"];
    keys.iter().any(|key| get(record, key).is_some())
}

/// The id of the sub-agent that a result names in a line of its text: `agentId: a1b2c3 (for resuming …)`.
fn agent_in(result: &Value) -> Option<&str> {
    let parts = result.as_array().map_or(std::slice::from_ref(result), Vec::as_slice);
    let texts = parts.iter().filter_map(|part| part.as_str().or_else(|| text(part, "text")));
    let named = texts.flat_map(str::lines).find_map(|line| line.strip_prefix("agentId: "))?;
    named.split(|letter: char| !letter.is_ascii_alphanumeric() && !matches!(letter, '-' | '_')).next()
}

/// The id of the sub-agent in whose own file a record stands.
fn agent_apart(record: &Value) -> Option<&str> {
    text(record, "agentId").filter(|_| text(record, "parent_tool_use_id").is_none())
}

/// Returns true for the kinds of blocks that messages are known to have.
fn is_known_block(kind: &str) -> bool {
    let is_other = matches!(
        kind,
        "text"
            | "thinking"
            | "redacted_thinking"
            | "image"
            | "document"
            | "search_result"
            | "container_upload"
            | "compaction"
            | "fallback"
    );
    is_other || is_call(kind) || is_result(kind)
}

/// `tool_result`, and those of the service's own tools: `web_search_tool_result`.
fn is_result(kind: &str) -> bool {
    kind == "tool_result" || kind.ends_with("_tool_result")
}
