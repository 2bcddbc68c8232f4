//! The stream of a graph: states, updates of states and pieces of messages, which tell the same messages several times.

use std::collections::VecDeque;

use indexmap::IndexMap;
use serde_json::json;

use super::message::{Kind, Message};
use crate::trajectory::readers::json::{count, get, sum, take, take_list, text};
use crate::trajectory::readers::recorder::{Mark, Recorder};
use crate::trajectory::readers::{NoteKind, TraceFormat};
use crate::value::Value;

/// The key under which a graph says that it waits for somebody.
pub(super) const INTERRUPT: &str = "__interrupt__";

const MODES: [&str; 8] =
    ["values", "updates", "messages", "messages-tuple", "custom", "debug", "checkpoints", "tasks"];

/// Whether a list is `[mode, payload]`, or that with the place in the graph before it: `[namespace, mode, payload]`.
pub(super) fn is_event(items: &[Value]) -> bool {
    let (mode, payload) = match items {
        [mode, payload] => (mode, payload),
        [Value::Array(names), mode, payload] if names.iter().all(Value::is_string) => (mode, payload),
        _ => return false,
    };
    mode.as_str().is_some_and(|mode| MODES.contains(&mode)) && !payload.is_string()
}

/// Whether a list is a piece of a message with what the graph says about it.
pub(super) fn is_piece(items: &[Value]) -> bool {
    let is_about = |about: &serde_json::Map<String, Value>| {
        about.keys().any(|key| key.starts_with("langgraph_") || key.starts_with("ls_"))
    };
    matches!(items, [message, Value::Object(about)] if Kind::of(message).is_some() && is_about(about))
}

/// Whether an object is an update by itself: `{node: {messages: […]}}`, or that the graph waits.
pub(super) fn is_update(record: &Value, is_message: impl Fn(&Value) -> bool) -> bool {
    let Value::Object(nodes) = record else { return false };
    let has_messages = |update: &Value| match get(update, "messages") {
        Some(Value::Array(messages)) => messages.first().is_some_and(&is_message),
        Some(message) => is_message(message),
        None => false,
    };
    // A node answers with its part of the state, or with nothing. Other objects have members that are texts.
    let are_nodes = nodes.values().all(|update| update.is_object() || update.is_array() || update.is_null());
    (are_nodes && nodes.values().any(has_messages))
        || (nodes.len() == 1 && nodes.get(INTERRUPT).is_some_and(Value::is_array))
}

/// The messages of one run, in the order in which they were first told.
#[derive(Default)]
pub(super) struct Conversation {
    messages: Vec<Told>,
    by_id: IndexMap<String, usize>,
    /// Results that have no id of their own, by the ids of their calls and what they are.
    unnamed: IndexMap<(String, String), VecDeque<usize>>,
    /// How many messages the longest state held so far, if there was one.
    longest_state: Option<usize>,
    was_interrupted: bool,
    thread: Option<String>,
    strays: usize,
}

struct Told {
    message: Message,
    mark: Mark,
    pieces: usize,
    /// The message that it comes before, though that one was told first.
    before: Option<usize>,
}

impl Conversation {
    /// Takes an event: a list of which [`is_event`] holds.
    pub(super) fn event(&mut self, mut event: Vec<Value>) -> Result<(), String> {
        let payload = event.pop().unwrap_or_default();
        let mode = event.pop().unwrap_or_default();
        let mark = match event.pop() {
            Some(Value::Array(names)) => mark_of(names.iter().filter_map(Value::as_str)),
            _ => Mark::default(),
        };
        match (mode.as_str().unwrap_or_default(), payload) {
            ("values", state) => return self.state(state, &mark),
            ("updates", update) => return self.update(update, &mark),
            ("messages" | "messages-tuple", Value::Array(items)) => return self.piece(items, mark),
            ("messages" | "messages-tuple", _) => {
                return Err("the payload of 'messages' isn't an array".to_owned());
            }
            // What a graph says beside its messages tells nothing that they do not.
            _ => {}
        }
        Ok(())
    }

    /// Takes a state, which holds all messages so far.
    fn state(&mut self, mut state: Value, mark: &Mark) -> Result<(), String> {
        let was_interrupted = get(&state, INTERRUPT).is_some();
        let messages = match take(&mut state, "messages") {
            Some(Value::Array(messages)) => messages,
            Some(_) => return Err("'messages' of a state isn't an array".to_owned()),
            None if holds_message(&state) => {
                return Err("a state with messages outside 'messages'".to_owned());
            }
            None => Vec::new(),
        };
        let longest = self.longest_state.unwrap_or_default();
        self.longest_state = Some(longest.max(messages.len()));
        for (position, message) in messages.into_iter().enumerate() {
            match Message::open_whole(message) {
                Some(message) if message.id().is_some() || position >= longest => {
                    let _ = self.put(message, mark);
                }
                Some(_) => {}
                None => self.strays += usize::from(position >= longest),
            }
        }
        self.was_interrupted |= was_interrupted;
        Ok(())
    }

    /// Takes what nodes of the graph added to the state.
    pub(super) fn update(&mut self, update: Value, mark: &Mark) -> Result<(), String> {
        let Value::Object(nodes) = update else {
            return Err("the payload of 'updates' isn't an object".to_owned());
        };
        for (node, update) in nodes {
            if node == INTERRUPT {
                self.was_interrupted = true;
                continue;
            }
            let updates = match update {
                Value::Array(updates) => {
                    self.strays += usize::from(updates.is_empty());
                    updates
                }
                update => vec![update],
            };
            for mut update in updates {
                let messages = match take(&mut update, "messages") {
                    Some(Value::Array(messages)) => messages,
                    Some(message) => vec![message],
                    None => {
                        let is_odd = !update.is_object() && !update.is_null();
                        self.strays += usize::from(is_odd || holds_message(&update));
                        continue;
                    }
                };
                let begun = self.messages.len();
                for message in messages {
                    match Message::open_whole(message) {
                        // A state tells such a message again, and cannot say that it is the same.
                        Some(message) if message.id().is_none() && self.longest_state.is_some() => {}
                        Some(message) => self.put_in_order(message, mark, begun),
                        None => self.strays += 1,
                    }
                }
            }
        }
        Ok(())
    }

    /// Takes a piece of a message, with what the graph says about it.
    pub(super) fn piece(&mut self, mut items: Vec<Value>, mut mark: Mark) -> Result<(), String> {
        let about = if items.len() > 1 { items.pop() } else { None }.unwrap_or_default();
        let message = items.pop().and_then(Message::open).ok_or("not a message")?;
        if self.thread.is_none() {
            self.thread = text(&about, "thread_id").map(str::to_owned);
        }
        if let Some((around, _)) =
            text(&about, "langgraph_checkpoint_ns").and_then(|place| place.rsplit_once('|'))
        {
            mark = mark_of(around.split('|'));
        }
        self.put(message, &mark);
        Ok(())
    }

    /// Takes a message that stands by itself. Two of them are two, whatever their ids, unless they are pieces.
    pub(super) fn append(&mut self, record: Value) -> Result<(), String> {
        let message = Message::open(record).ok_or("not a message")?;
        match self.messages.last_mut() {
            Some(last) if is_continued(&last.message, &message) => last.join(message),
            _ => self.push(message, Mark::default()),
        }
        Ok(())
    }

    /// Puts a message of an update, which may repeat what parts of the graph told before it. What is new in it comes before
    /// what is repeated after it; `begun` is how many messages there were before the update.
    fn put_in_order(&mut self, message: Message, mark: &Mark, begun: usize) {
        let Some(place) = self.put(message, mark) else { return };
        let new = self.messages.get_mut(begun..).unwrap_or_default().iter_mut().rev();
        new.take_while(|told| told.before.is_none()).for_each(|told| told.before = Some(place));
    }

    /// Puts a message where its id says that it was told before: a piece is joined to the others, and a whole message
    /// takes their place. Answers with its place if a part of the graph told it.
    fn put(&mut self, message: Message, mark: &Mark) -> Option<usize> {
        let known = match message.id() {
            Some(id) => self.by_id.get(id).copied(),
            None => self.messages.len().checked_sub(1).filter(|last| {
                self.messages.get(*last).is_some_and(|last| is_continued(&last.message, &message))
            }),
        };
        let known = known.or_else(|| self.repeated_result(&message, mark));
        let Some((place, told)) = known.and_then(|place| Some((place, self.messages.get_mut(place)?))) else {
            self.push(message, mark.clone());
            return None;
        };
        let is_of_part = mark.depth < told.mark.depth;
        if is_of_part {
            // What a graph has in its own state is its own, though a part of it said it first.
            told.mark = mark.clone();
        }
        match (told.message.is_chunk, message.is_chunk) {
            (true, true) => told.join(message),
            (false, true) => {}
            (_, false) if message.kind == Kind::Remove => {}
            (_, false) => (told.message, told.pieces) = (message, 1),
        }
        is_of_part.then_some(place)
    }

    /// Where a result was told by a part of the graph, which had no id for it yet.
    fn repeated_result(&mut self, message: &Message, mark: &Mark) -> Option<usize> {
        let places = self.unnamed.get_mut(&result_key(message)?)?;
        let first = *places.front()?;
        let is_outer = mark.depth < self.messages.get(first)?.mark.depth;
        if message.id().is_none() && !is_outer {
            return None;
        }
        if let Some(id) = message.id() {
            places.pop_front();
            self.by_id.insert(id.to_owned(), first);
        }
        Some(first)
    }

    fn push(&mut self, message: Message, mark: Mark) {
        self.was_interrupted = false;
        if let Some(id) = message.id() {
            self.by_id.insert(id.to_owned(), self.messages.len());
        } else if let Some(key) = result_key(&message) {
            self.unnamed.entry(key).or_default().push_back(self.messages.len());
        }
        self.messages.push(Told { message, mark, pieces: 1, before: None });
    }

    /// The run, if any message was told.
    pub(super) fn told(self) -> Option<Recorder> {
        let mut run = Recorder::new(TraceFormat::Langchain);
        run.run().run_id = self.thread.map(Into::into);
        let mut messages: Vec<(usize, Told)> = self.messages.into_iter().enumerate().collect();
        messages.sort_by_key(|(place, told)| (told.before.unwrap_or(*place), told.before.is_none()));
        let is_cut_off = messages.last().is_some_and(|(_, last)| last.message.is_streaming());
        for (_, mut told) in messages {
            told.assemble();
            told.message.tell(&mut run, &told.mark);
        }
        for _ in 0..self.strays {
            run.note(NoteKind::StrayRecord, || "not a message".to_owned());
        }
        if self.was_interrupted {
            run.broke_off();
        }
        if is_cut_off {
            run.cut_off("the last message has no final chunk");
        }
        (!run.is_empty()).then_some(run)
    }
}

/// Returns true if a value contains, at any depth, a message of a model or a tool.
fn holds_message(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(holds_message),
        Value::Object(members) => {
            matches!(Kind::of(value), Some(Kind::Ai | Kind::Tool | Kind::Function))
                || members.values().any(holds_message)
        }
        _ => false,
    }
}

/// What a result without an id is known by: the id of its call, and what it is.
fn result_key(message: &Message) -> Option<(String, String)> {
    let call = text(&message.body, "tool_call_id").filter(|_| message.kind == Kind::Tool)?;
    Some((call.to_owned(), get(&message.body, "content").map(ToString::to_string).unwrap_or_default()))
}

/// Whether a message is the next piece of another.
fn is_continued(before: &Message, next: &Message) -> bool {
    before.is_chunk && next.is_chunk && before.kind == next.kind && before.id() == next.id()
}

/// The place in a graph of graphs: `researcher:7f3a` inside of others.
fn mark_of<'n>(names: impl Iterator<Item = &'n str>) -> Mark {
    let mut mark = Mark::default();
    for name in names {
        mark.depth = mark.depth.saturating_add(1);
        mark.parent = Some(name.split(':').next().unwrap_or(name).to_owned());
    }
    mark
}

impl Told {
    /// Joins the next piece.
    fn join(&mut self, mut piece: Message) {
        let Value::Object(body) = &mut self.message.body else { return };
        self.pieces += 1;
        let content = take(&mut piece.body, "content").unwrap_or_default();
        join_content(body.entry("content").or_insert(Value::Null), content);
        let calls = take_list(&mut piece.body, "tool_call_chunks");
        match body.entry("tool_call_chunks").or_insert(Value::Null) {
            Value::Array(all) => all.extend(calls),
            none => *none = calls.into(),
        }
        if let Some(more) = take(&mut piece.body, "usage_metadata") {
            let usage = body.entry("usage_metadata").or_insert(Value::Null);
            let added = |key| sum([count(usage, key), count(&more, key)]);
            *usage =
                json!({ "input_tokens": added("input_tokens"), "output_tokens": added("output_tokens") });
        }
        if let Some(position) = take(&mut piece.body, "chunk_position") {
            body.insert("chunk_position".to_owned(), position);
        }
        if let Some(Value::Object(more)) = take(&mut piece.body, "response_metadata") {
            match body.entry("response_metadata").or_insert(Value::Null) {
                Value::Object(told) => more.into_iter().for_each(|(key, value)| {
                    told.entry(key).or_insert(value);
                }),
                none => *none = Value::Object(more),
            }
        }
    }

    /// Puts the pieces of its calls together, where they are in pieces.
    fn assemble(&mut self) {
        let pieces = take_list(&mut self.message.body, "tool_call_chunks");
        let is_whole = self.pieces == 1
            && ["tool_calls", "invalid_tool_calls"]
                .iter()
                .any(|key| !super::list(&self.message.body, key).is_empty());
        if pieces.is_empty() || is_whole {
            return;
        }
        let Value::Object(body) = &mut self.message.body else { return };
        body.insert("tool_calls".to_owned(), assembled(pieces).into());
        body.remove("invalid_tool_calls");
    }
}

/// Joins content: texts to a text, anything else to a list of parts.
fn join_content(content: &mut Value, more: Value) {
    match (&mut *content, more) {
        (Value::String(text), Value::String(more)) => text.push_str(&more),
        (Value::Array(parts), Value::Array(more)) => parts.extend(more),
        (Value::Array(parts), Value::String(more)) => parts.push(more.into()),
        (Value::String(text), Value::Array(more)) => {
            let text = std::mem::take(text);
            *content = std::iter::once(Value::String(text)).chain(more).collect::<Vec<Value>>().into();
        }
        (_, Value::Null) => {}
        (_, more) => *content = more,
    }
}

/// The calls that pieces make up: those with the same index, of which the first has the id and the name.
fn assembled(pieces: Vec<Value>) -> Vec<Value> {
    struct Call {
        id: Option<String>,
        name: Option<String>,
        args: String,
    }
    let mut calls: Vec<Call> = Vec::new();
    let mut by_index: IndexMap<String, usize> = IndexMap::new();
    for mut piece in pieces {
        let take_name = |piece: &mut Value, key| match take(piece, key) {
            Some(Value::String(text)) if !text.is_empty() => Some(text),
            _ => None,
        };
        let (id, name) = (take_name(&mut piece, "id"), take_name(&mut piece, "name"));
        let args = match take(&mut piece, "args") {
            Some(Value::String(args)) => args,
            Some(args) => args.to_string(),
            None => String::new(),
        };
        let index = get(&piece, "index").map(ToString::to_string);
        let begun = index.as_ref().and_then(|index| calls.get_mut(*by_index.get(index)?));
        match begun {
            Some(call) if id.is_none() || call.id.is_none() || call.id == id => {
                call.id = call.id.take().or(id);
                call.name = call.name.take().or(name);
                call.args.push_str(&args);
            }
            _ => {
                by_index.extend(index.map(|index| (index, calls.len())));
                calls.push(Call { id, name, args });
            }
        }
    }
    let written = |call: Call| json!({ "id": call.id, "name": call.name, "args": call.args });
    calls.into_iter().map(written).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::trajectory::readers::{Given, TraceFormat, read_trace};

    /// The run that events become, one on each line.
    fn run(events: &[Value]) -> Value {
        let lines: Vec<String> = events.iter().map(ToString::to_string).collect();
        let mut runs = Vec::new();
        let format = read_trace(lines.join("\n").as_bytes(), None, true, &mut |given| match given {
            Given::Run(run) => runs.push(serde_json::to_value(&run.trajectory).unwrap()),
            Given::NoRun { .. } => panic!("{given:?}"),
        });
        assert_eq!(format, Ok(TraceFormat::Langchain));
        assert_eq!(runs.len(), 1);
        runs.remove(0)
    }

    #[test]
    fn pieces_alone_are_put_together() {
        let about = json!({ "langgraph_node": "agent", "thread_id": "t-1" });
        let piece = |content: &str, calls: Value, input: u64, output: u64| {
            let usage = json!({ "input_tokens": input, "output_tokens": output });
            let body = json!({
                "type": "AIMessageChunk", "id": "m", "content": content,
                "tool_call_chunks": calls, "usage_metadata": usage,
            });
            json!(["messages", [body, about]])
        };
        let mut last = piece("", json!([{ "index": 0, "id": null, "name": null, "args": ": 1}" }]), 0, 2);
        last[1][0]["chunk_position"] = "last".into();
        let run = run(&[
            piece("I ", json!([{ "index": 0, "id": "a", "name": "f", "args": "{\"x\"" }]), 5, 0),
            piece("look.", json!([{ "index": 1, "id": "b", "name": "g", "args": "" }]), 0, 1),
            last,
        ]);
        assert_eq!(run["run_id"], "t-1");
        assert_eq!(run["final_output"], "I look.");
        assert_eq!(run["steps"][0]["prompt_tokens"], 5);
        assert_eq!(run["steps"][0]["completion_tokens"], 3);
        assert_eq!(run["steps"][1]["tool_args"], json!({ "x": 1 }));
        assert_eq!(run["steps"][2]["tool_name"], "g");
    }

    #[test]
    fn a_graph_in_a_graph_is_a_sub_agent_unless_its_messages_are_the_graph_s_own() {
        let said = |id: &str, text: &str| json!({ "type": "ai", "id": id, "content": text });
        let update = |message: Value| json!({ "node": { "messages": [message] } });
        let run = run(&[
            json!([["researcher:7f"], "updates", update(said("m1", "inside"))]),
            json!([["researcher:7f"], "updates", update(said("m2", "shown"))]),
            json!([[], "updates", update(said("m2", "shown"))]),
        ]);
        assert_eq!(run["steps"][0]["parent"], "researcher");
        assert_eq!(run["steps"][1].get("parent"), None);
        assert_eq!(run["final_output"], "shown");
        assert_eq!(run["steps"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn what_is_removed_from_the_state_was_said() {
        let said = |id: &str, text: &str| json!({ "type": "ai", "id": id, "content": text });
        let update = |messages: Value| json!(["updates", { "node": { "messages": messages } }]);
        let run = run(&[
            update(json!([said("m1", "first")])),
            update(json!([said("m2", "second"), { "type": "remove", "id": "m1", "content": "" }])),
        ]);
        assert_eq!(run["steps"].as_array().unwrap().len(), 2);
        assert_eq!(run["final_output"], "second");
    }
}
