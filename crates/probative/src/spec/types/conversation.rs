//! A test of a suite: an agent is asked, once or several times.

use serde_json::Value;

/// What an agent is asked, turn by turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Conversation {
    /// The agent, by the name under which it is configured.
    pub agent: Option<String>,
    /// What it is asked; there is at least one turn.
    pub turns: Vec<Turn>,
}

/// One question to an agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// What the step is called, of several.
    pub step: Option<String>,
    /// What the agent is given.
    pub input: Value,
}
