//! `LangChain` and `LangGraph`: messages however they were written, states that hold them, streams of graphs.

mod message;
mod server;
mod stream;

use super::json::{get, list, take, take_list, text};
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
        Some(Value::Array(messages)) => Claim::of_list(messages, |item| Claim::part(is_message(item))),
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

/// Messages and events that are records.
#[derive(Default)]
pub(super) struct Messages(Conversation);

impl Reader for Messages {
    fn record(&mut self, mut record: Value, id: RunId, done: &mut Vec<Recorded>) -> Result<(), String> {
        if let Value::Array(items) = &mut record {
            if stream::is_event(items) {
                return self.0.event(std::mem::take(items));
            }
            if stream::is_piece(items) {
                return self.0.piece(std::mem::take(items), Mark::default());
            }
            let messages = std::mem::take(items);
            done.push(whole(messages, false)?.finish(id));
            return Ok(());
        }
        if Kind::of(&record).is_some() {
            return self.0.append(record);
        }
        if message::is_dump(&record) {
            record = take(&mut record, "kwargs").unwrap_or_default();
        }
        if get(&record, "messages").is_some_and(Value::is_array) {
            let was_interrupted = !list(&record, stream::INTERRUPT).is_empty();
            let mut run = whole(take_list(&mut record, "messages"), was_interrupted)?;
            run.run().run_id = text(&record, "thread_id").map(|id| id.to_owned().into());
            done.push(run.finish(id));
            return Ok(());
        }
        if stream::is_update(&record, |message| Kind::of(message).is_some()) {
            return self.0.update(record, &Mark::default());
        }
        Err("no message".to_owned())
    }

    fn finish(self: Box<Self>, done: &mut Vec<Recorded>) {
        done.extend(self.0.told().map(|run| run.finish(RunId::Whole)));
    }
}

/// The run that a list of messages is.
fn whole(messages: Vec<Value>, was_interrupted: bool) -> Result<Recorder, String> {
    let mut run = Recorder::new(TraceFormat::Langchain);
    for message in messages {
        match Message::open(message) {
            Some(message) => message.tell(&mut run, &Mark::default()),
            None => run.note(NoteKind::StrayRecord, || "no message".to_owned()),
        }
    }
    if was_interrupted {
        run.broke_off();
    }
    if run.is_empty() { Err("no messages".to_owned()) } else { Ok(run) }
}
