//! Claude Code: what `--output-format stream-json` prints, session files, and the files of sub-agents.

mod apart;
mod totals;

use indexmap::IndexMap;

use super::anthropic::{Answer, is_call, model_call, take_answer, take_results, unfinished};
use super::json::{at, get, joined, list, take, take_list, take_text, text, timestamp, tool_names};
use super::recorder::{Mark, Recorder};
use super::{Claim, Reader, Recorded, RunId, TraceFormat};
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
    "worktree-state",
];

/// How likely a record is of Claude Code. Exports and other programs' copies leave out who it belongs to.
pub(super) fn claim(record: &Value) -> Claim {
    if let Some(Value::Array(lines)) = get(record, "loglines") {
        return Claim::run(Claim::of_list(lines, claim).weight > 0);
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

/// Whether a record has a message of the Messages API. Other agents' have `parts`.
fn is_message(record: &Value) -> bool {
    let content = at(record, &["message", "content"]);
    content.is_some_and(|content| content.is_string() || content.is_array())
}

/// The sessions of a file, in the order in which they begin.
#[derive(Default)]
pub(super) struct ClaudeCode {
    sessions: IndexMap<String, Session>,
    /// What came before a session had a name.
    current: String,
}

impl Reader for ClaudeCode {
    fn record(&mut self, mut record: Value, id: RunId, done: &mut Vec<Recorded>) -> Result<(), String> {
        if get(&record, "loglines").is_some() {
            let mut lines = ClaudeCode::default();
            for line in take_list(&mut record, "loglines") {
                lines.take(line)?;
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
        if claim(&record) == Claim::NO {
            return Err("no record of Claude Code".to_owned());
        }
        if let Some(session) = text(&record, "sessionId").or_else(|| text(&record, "session_id"))
            && session != self.current
        {
            session.clone_into(&mut self.current);
        }
        let is_of_run = matches!(text(&record, "type"), Some("user" | "assistant" | "system" | "result"));
        match self.sessions.get_mut(&self.current) {
            Some(session) => session.take(record),
            None if is_of_run => {
                let mut session = Session::of(&self.current);
                session.take(record);
                self.sessions.insert(self.current.clone(), session);
            }
            None => {}
        }
        Ok(())
    }

    fn hand_over(self, id: &RunId, done: &mut Vec<Recorded>) {
        let has_run = |session: &Session| !session.run.is_empty() || session.is_ended;
        let mut sessions: Vec<(String, Session)> = self.sessions.into_iter().collect();
        if sessions.iter().any(|(_, session)| has_run(session)) {
            sessions.retain(|(_, session)| has_run(session));
        }
        let alone = sessions.len() == 1;
        for (name, session) in sessions {
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
    is_ended: bool,
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
            depths: IndexMap::new(),
            owners: IndexMap::new(),
            apart: Apart::default(),
            totals: Totals::default(),
            has_own: false,
            aside: Aside::default(),
            failure: None,
            notice: None,
            is_ended: false,
        }
    }

    fn take(&mut self, mut record: Value) {
        match text(&record, "type") {
            Some("system") if text(&record, "subtype") == Some("init") => {
                self.has_own = true;
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
            Some("result") => self.result(&record),
            _ => {}
        }
    }

    /// Whose record it is, and whether it is the agent's own.
    fn mark(&mut self, record: &Value) -> (Mark, bool) {
        let timestamp = timestamp(get(record, "timestamp"));
        let owner = match text(record, "parent_tool_use_id") {
            Some(call) => Some(call.to_owned()),
            None if get(record, "isSidechain") == Some(&Value::Bool(true)) => Some(self.owner_of(record)),
            None => None,
        };
        let Some(owner) = owner else {
            self.has_own = true;
            return (Mark { timestamp, ..Mark::default() }, true);
        };
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
        let owner = started.unwrap_or_else(|| text(record, "uuid").unwrap_or("sub-agent").to_owned());
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
        self.note_agents(content.as_ref(), mark.depth);
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

    /// Notes the calls that start sub-agents, which are known by saying what such a one is to do.
    fn note_agents(&mut self, content: Option<&Value>, depth: u32) {
        let blocks = content.and_then(Value::as_array).into_iter().flatten();
        let calls = blocks.filter(|block| text(block, "type").is_some_and(is_call));
        for (step, call) in (self.run.run().steps.len()..).zip(calls) {
            let is_start = matches!(text(call, "name"), Some("Task" | "Agent"));
            let (Some(id), Some(input)) = (text(call, "id").filter(|_| is_start), get(call, "input")) else {
                continue;
            };
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
        let agent = at(&record, &["toolUseResult", "agentId"]).and_then(Value::as_str).map(str::to_owned);
        let content = at(&record, &["message", "content"]);
        if let (Some(agent), Some(Value::Array(blocks))) = (agent, content)
            && let Some(call) = blocks.iter().find_map(|block| text(block, "tool_use_id"))
        {
            self.apart.started(agent, call);
        }
        let content = record.get_mut("message").and_then(|message| take(message, "content"));
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

    /// The last record: what came of the run, and what it took. Whether it failed is what `is_error` says, whatever the
    /// subtype is.
    fn result(&mut self, record: &Value) {
        self.has_own = true;
        self.is_ended = true;
        self.totals.take(record);
        let run = self.run.run();
        run.total_tokens = self.totals.tokens();
        run.total_cost = self.totals.cost();
        run.duration_seconds = self.totals.seconds();
        let told = text(record, "result").filter(|told| !told.is_empty());
        if get(record, "is_error") == Some(&Value::Bool(true)) {
            let subtype = text(record, "subtype").filter(|subtype| *subtype != "success").map(str::to_owned);
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
        }
        if let Some(failure) = self.failure.take().filter(|_| !self.is_ended) {
            self.run.ended(Some(failure));
        }
        if self.is_ended && !self.run.has_steps() {
            // The last record alone: what was done is not there.
            let unknown = &mut self.run.run().unknown;
            (unknown.steps, unknown.llm_calls) = (true, true);
        }
        let mut recorded = self.run.finish(id);
        self.apart.put_in_place(&mut recorded);
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

/// The id of the sub-agent in whose own file a record stands.
fn agent_apart(record: &Value) -> Option<&str> {
    let is_aside = get(record, "isSidechain") == Some(&Value::Bool(true));
    text(record, "agentId").filter(|_| is_aside && text(record, "parent_tool_use_id").is_none())
}
