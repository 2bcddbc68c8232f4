//! `LangChain` and `LangGraph`: messages however they were written, states that hold them, streams of graphs.

mod message;
mod server;
mod stream;

use super::json::{get, list, take, take_list, text, unknown_kind};
use super::recorder::{Mark, Recorder};
use super::{Claim, NoteKind, Reader, Recorded, RunId, TraceFormat};
use crate::value::Value;
pub(super) use message::{Kind, Message};
use stream::Conversation;

/// How likely a record is of `LangChain`: a message, a list of them, a state with `messages`, an event of a graph's stream.
pub(super) fn claim(record: &Value) -> Claim {
    if let Value::Array(items) = record {
        let is_event = stream::is_event(items) || stream::is_piece(items);
        return if is_event {
            Claim::PART
        } else {
            Claim::of_list(items, |item| Claim::part(is_message(item)))
        };
    }
    if is_message(record) || message::is_dump(record) {
        return Claim::PART;
    }
    match get(record, "messages") {
        Some(Value::Array(messages)) => {
            let claim = Claim::of_list(messages, |item| Claim::part(is_message(item)));
            Claim { is_run: claim.is_run && is_finished(record), ..claim }
        }
        _ => Claim::part(stream::is_update(record, is_message)),
    }
}

/// Whether a record is a message, and not one of another format that looks like it: Claude Code has a `type` and a
/// `content` too, other chats have a `role`.
fn is_message(record: &Value) -> bool {
    const OF_OTHERS: [&str; 6] = ["role", "uuid", "parentUuid", "sessionId", "session_id", "subtype"];
    match Kind::of(record) {
        None => false,
        Some(Kind::Chat) => true,
        Some(_) => message::is_dump(record) || OF_OTHERS.iter().all(|key| record.get(key).is_none()),
    }
}

/// Whether a state is one that a run may end with. Where the states of a graph are told as it goes, the first holds nothing
/// but what the graph was given, and most of the others end with a call or what came of it.
fn is_finished(state: &Value) -> bool {
    list(state, "messages").last().is_some_and(message::is_answer)
        && list(state, stream::INTERRUPT).is_empty()
}

/// Messages and events that are records.
#[derive(Default)]
pub(super) struct Messages {
    conversation: Conversation,
    growing: Option<Growing>,
    /// Whether a run was handed over.
    was_handed: bool,
}

/// A run that is told by its states, each of which holds all messages so far. The last of them.
struct Growing {
    state: Value,
    id: RunId,
    /// Whether there was another before it.
    has_grown: bool,
}

impl Reader for Messages {
    fn record(&mut self, mut record: Value, id: RunId, done: &mut Vec<Recorded>) -> Result<(), String> {
        if let Value::Array(items) = &mut record {
            if stream::is_event(items) {
                return self.conversation.event(std::mem::take(items));
            }
            if stream::is_piece(items) {
                return self.conversation.piece(std::mem::take(items), Mark::default());
            }
            let messages = std::mem::take(items);
            let run = whole(messages, false)?;
            self.hand_over(done);
            self.was_handed = true;
            done.push(run.finish(id));
            return Ok(());
        }
        if Kind::of(&record).is_some() {
            return self.conversation.append(record);
        }
        if message::is_dump(&record) {
            record = take(&mut record, "kwargs").unwrap_or_default();
        }
        if get(&record, "messages").is_some_and(Value::is_array) {
            return self.state(record, id, done);
        }
        if stream::is_update(&record, |message| Kind::of(message).is_some()) {
            return self.conversation.update(record, &Mark::default());
        }
        Err(format!("{}, and no 'messages'", unknown_kind(&record, "type")))
    }

    fn finish(mut self: Box<Self>, done: &mut Vec<Recorded>) {
        if let Some(growing) = self.growing.as_mut().filter(|growing| growing.has_grown && !self.was_handed) {
            // There is nothing else in the file.
            growing.id = RunId::Whole;
        }
        self.hand_over(done);
        done.extend(self.conversation.told().map(|run| run.finish(RunId::Whole)));
    }
}

impl Messages {
    /// Takes a state. One that ends with an answer is a run; one that does not may be the beginning of the next.
    fn state(&mut self, state: Value, id: RunId, done: &mut Vec<Recorded>) -> Result<(), String> {
        if let Some(growing) = self.growing.as_mut().filter(|growing| is_continued(&growing.state, &state)) {
            *growing = Growing { state, id, has_grown: true };
            return Ok(());
        }
        self.hand_over(done);
        if is_finished(&state) {
            self.was_handed = true;
            done.push(of_state(state)?.finish(id));
            return Ok(());
        }
        of_state(state.clone())?;
        self.growing = Some(Growing { state, id, has_grown: false });
        Ok(())
    }

    /// Hands over the run that has grown so far.
    fn hand_over(&mut self, done: &mut Vec<Recorded>) {
        if let Some(Growing { state, id, .. }) = self.growing.take()
            && let Ok(run) = of_state(state)
        {
            self.was_handed = true;
            done.push(run.finish(id));
        }
    }
}

/// Whether a state begins with all messages of another.
fn is_continued(before: &Value, next: &Value) -> bool {
    let (before, next) = (list(before, "messages"), list(next, "messages"));
    before.len() <= next.len() && before.iter().zip(next).all(|(one, other)| message::is_same(one, other))
}

/// The run that a state holds.
fn of_state(mut state: Value) -> Result<Recorder, String> {
    let was_interrupted = !list(&state, stream::INTERRUPT).is_empty();
    let mut run = whole(take_list(&mut state, "messages"), was_interrupted)?;
    run.run().run_id = text(&state, "thread_id").map(|id| id.to_owned().into());
    run.check_rest(&state, "a state");
    Ok(run)
}

/// The run that a list of messages is.
fn whole(messages: Vec<Value>, was_interrupted: bool) -> Result<Recorder, String> {
    let mut run = Recorder::new(TraceFormat::Langchain);
    for (number, message) in (1..).zip(messages) {
        let why = unknown_kind(&message, "type");
        match Message::open(message) {
            Some(message) => message.tell(&mut run, &Mark::default()),
            None => run.note(NoteKind::StrayRecord, || format!("message {number}: {why}")),
        }
    }
    if was_interrupted {
        run.broke_off();
    }
    if run.is_empty() { Err("no human or AI message in 'messages'".to_owned()) } else { Ok(run) }
}
