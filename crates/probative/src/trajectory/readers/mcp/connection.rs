//! What is asked for over a connection, and which response answers it.

use std::collections::{BTreeMap, VecDeque};

use super::super::json::{at, get, text};
use crate::value::Value;

/// One connection, as far as the recorder told them apart. Ids begin again where it is opened again.
#[derive(Default)]
pub(super) struct Connection {
    /// Requests that wait for a response, by the one who asked and the id as it is written.
    pub(super) asked: BTreeMap<(Side, String), VecDeque<Asked>>,
    /// Calls that wait for what the client was asked for, by the state that is sent back, or by the tool.
    held: BTreeMap<String, VecDeque<usize>>,
    /// Calls that go on as tasks, by the id of the task.
    pub(super) tasks: BTreeMap<String, usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    Client,
    Server,
}

impl Side {
    pub(super) fn other(self) -> Side {
        match self {
            Side::Client => Side::Server,
            Side::Server => Side::Client,
        }
    }
}

/// What was asked for.
pub(super) enum Asked {
    /// The call of a tool, by its step.
    Call {
        step: usize,
        tool: String,
    },
    Tools,
    Else,
}

impl Connection {
    /// What a response answers, and takes it from those that wait.
    pub(super) fn answered(&mut self, id: &str, sender: Option<Side>, message: &Value) -> Option<Asked> {
        let [clients, servers] = [Side::Client, Side::Server].map(|side| (side, id.to_owned()));
        let waits = |key| self.asked.get(key).is_some_and(|asked| !asked.is_empty());
        let is_clients = match sender {
            Some(sender) => sender == Side::Client,
            None => waits(&servers) && (!waits(&clients) || is_clients_answer(message)),
        };
        self.asked.get_mut(if is_clients { &servers } else { &clients })?.pop_front()
    }

    /// Whether a response is not yet what came of a call: the client is asked for more, or a task goes on.
    pub(super) fn goes_on(&mut self, step: usize, tool: String, result: &Value) -> bool {
        if text(result, "resultType") == Some("input_required") {
            let key = text(result, "requestState").map_or(tool, str::to_owned);
            self.held.entry(key).or_default().push_back(step);
            return true;
        }
        match at(result, &["task", "taskId"]).and_then(Value::as_str) {
            Some(task) if get(result, "content").is_none() => {
                self.tasks.insert(task.to_owned(), step);
                true
            }
            _ => false,
        }
    }

    /// The call that a request goes on with, where it brings what the client was asked for.
    pub(super) fn resumed(&mut self, params: &Value, tool: &str) -> Option<usize> {
        get(params, "inputResponses")?;
        let key = text(params, "requestState").unwrap_or(tool);
        self.held.get_mut(key)?.pop_front()
    }
}

/// Who asks for something: mostly the client. Of some requests the method does not tell.
pub(super) fn asker(method: &str) -> Option<Side> {
    match method.split_once('/').map_or(method, |(family, _)| family) {
        "sampling" | "elicitation" | "roots" => Some(Side::Server),
        "ping" | "tasks" | "notifications" => None,
        _ => Some(Side::Client),
    }
}

/// Whether a response has the form of what a client answers to its server.
fn is_clients_answer(message: &Value) -> bool {
    get(message, "result").is_some_and(|result| {
        let is_tools = ["isError", "structuredContent"].iter().any(|key| get(result, key).is_some());
        let is_clients = ["action", "roots", "role"].iter().any(|key| get(result, key).is_some());
        !is_tools && is_clients
    })
}
