//! The Gemini API: contents, requests, responses, streams; and the sessions and streams of Gemini CLI.
//!
//! Members are spelled as the API does (`functionCall`) or as Python does (`function_call`).

mod answer;
mod chat;
mod events;
mod partial;
mod session;

use super::json::{get, list, take, text, tool_names, unknown_kind};
use super::{Claim, NoteKind, Reader, Recorded, RunId};
use crate::value::Value;

use chat::{Chat, has_parts, is_content, is_response};
use events::{Events, is_event};
use session::Session;

/// How likely a record is of Gemini: a content, a response, a list of them, a request with `contents`, a session, an event.
pub(super) fn claim(record: &Value) -> Claim {
    if let Value::Array(items) = record {
        return Claim::of_list(items, |item| Claim::part(is_content(item) || is_response(item)));
    }
    if let Some(Value::Array(contents)) = get(record, "contents") {
        let is_one =
            |content: &Value| is_content(content) || get(content, "role").is_none() && has_parts(content);
        return Claim::of_list(contents, |content| Claim::part(is_one(content)));
    }
    if session::is_whole(record) {
        return Claim::RUN;
    }
    Claim::part(
        is_content(record)
            || is_response(record)
            || is_recorded_call(record)
            || session::is_record(record)
            || is_event(record),
    )
}

/// What keeps an object from being a content, as far as that is known.
pub(super) fn why_no_content(content: &Value) -> Option<String> {
    let is_known = matches!(text(content, "role"), Some("user" | "model" | "function" | "tool"));
    match content.get("parts") {
        _ if !content.is_object() || (!is_known && get(content, "role").is_some()) => {
            Some(unknown_kind(content, "role"))
        }
        None | Some(Value::Null) => Some("no 'parts'".to_owned()),
        Some(Value::Array(_)) => None,
        Some(_) => Some("'parts' isn't an array".to_owned()),
    }
}

/// A member under either of its names.
fn member<'v>(value: &'v Value, name: &str, pythons: &str) -> Option<&'v Value> {
    get(value, name).or_else(|| get(value, pythons))
}

/// Takes a member under either of its names. One that has both names is taken under both if they are equal; otherwise the
/// second is left in place.
fn take_member(value: &mut Value, name: &str, pythons: &str) -> Option<Value> {
    let taken = take(value, name);
    if taken.is_none() || value.get(pythons) == taken.as_ref() {
        let other = take(value, pythons);
        return taken.or(other);
    }
    taken
}

/// Takes a text under either of its names.
fn take_member_text(value: &mut Value, name: &str, pythons: &str) -> Option<String> {
    match take_member(value, name, pythons)? {
        Value::String(text) => Some(text),
        _ => None,
    }
}

/// Whether a record is a call of the API as recorders write it: `{method, response}`, the chunks of a stream as a list.
fn is_recorded_call(record: &Value) -> bool {
    match get(record, "response") {
        Some(Value::Array(chunks)) => chunks.iter().any(is_response),
        Some(response) => is_response(response),
        None => false,
    }
}

/// Contents, responses, or what Gemini CLI writes, record by record.
#[derive(Default)]
pub(super) struct Records {
    chat: Option<Chat>,
    sessions: Vec<Session>,
    events: Vec<Events>,
}

impl Reader for Records {
    fn record(&mut self, mut record: Value, id: RunId, done: &mut Vec<Recorded>) -> Result<(), String> {
        if record.is_array() || get(&record, "contents").is_some() {
            done.push(whole(record)?.finish(id));
        } else if session::is_whole(&record) {
            let mut session = Session::default();
            session.record(record);
            done.push(session.finish(id));
        } else if session::is_record(&record) {
            if self.sessions.last().is_none_or(|session| session.is_other(&record)) {
                self.sessions.push(Session::default());
            }
            self.sessions.last_mut().into_iter().for_each(|session| session.record(record.take()));
        } else if is_event(&record) {
            if self.events.last().is_none_or(|events| events.is_other(&record)) {
                self.events.push(Events::default());
            }
            self.events.last_mut().into_iter().for_each(|events| events.event(record.take()));
        } else if is_response(&record) {
            self.chat.get_or_insert_default().chunk(record);
        } else if is_recorded_call(&record) {
            self.chat.get_or_insert_default().responses(take(&mut record, "response").unwrap_or_default());
        } else if get(&record, "parts").is_some() {
            return self.chat.get_or_insert_default().content(record);
        } else {
            return Err("no 'contents', 'parts', 'candidates' or 'messages'".to_owned());
        }
        Ok(())
    }

    fn finish(self: Box<Self>, done: &mut Vec<Recorded>) {
        let Records { chat, sessions, events } = *self;
        let (sessions, events): (Vec<Session>, Vec<Events>) = (
            sessions.into_iter().filter(|session| !session.is_empty()).collect(),
            events.into_iter().filter(|events| !events.is_empty()).collect(),
        );
        let chat = chat.filter(|chat| !chat.is_empty());
        let are_several = usize::from(chat.is_some()) + sessions.len() + events.len() > 1;
        let named = |name: Option<&str>| match name {
            Some(name) if are_several => RunId::Named(name.to_owned()),
            _ => RunId::Whole,
        };
        done.extend(chat.map(|chat| chat.finish(RunId::Whole)));
        for session in sessions {
            let id = named(session.id());
            done.push(session.finish(id));
        }
        for events in events {
            let id = named(events.id());
            done.push(events.finish(id));
        }
    }
}

/// The chat that one record is: a list of contents or chunks, or a request, with its response where it has one.
fn whole(mut record: Value) -> Result<Chat, String> {
    let mut chat = Chat::default();
    let contents = match take(&mut record, "contents") {
        Some(Value::Array(contents)) => contents,
        Some(content) => vec![content],
        None => match &mut record {
            Value::Array(items) => std::mem::take(items),
            _ => Vec::new(),
        },
    };
    let tools = [list(&record, "tools"), get(&record, "config").map_or(&[], |config| list(config, "tools"))];
    for tool in tools.into_iter().flatten() {
        let declared =
            member(tool, "functionDeclarations", "function_declarations").and_then(Value::as_array);
        chat.run().run().tools.extend(tool_names(declared.map_or(&[], Vec::as_slice)));
    }
    for (number, content) in (1..).zip(contents) {
        if is_response(&content) {
            chat.chunk(content);
        } else if let Err(why) = chat.content(content) {
            chat.run().note(NoteKind::StrayRecord, || format!("content {number}: {why}"));
        }
    }
    if let Some(response) = take(&mut record, "response") {
        chat.responses(response);
    }
    if record.is_object() && is_response(&record) {
        // The response stands beside the contents of its request.
        chat.responses(record);
    } else if get(&record, "candidates").is_some() {
        chat.run().not_understood(|| "both 'candidates' and 'contents'".to_owned());
    } else {
        chat.run().check_rest(&record, "the request");
    }
    if chat.is_empty() {
        return Err("no content object from the user or the model".to_owned());
    }
    Ok(chat)
}
