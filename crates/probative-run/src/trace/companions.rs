//! Files beside a trace that belong to it.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use probative::trajectory::readers::{Hand, TraceFile};

use crate::feed::LARGEST_SUBJECT;

/// How many files of sub-agents are read with a session.
const MOST_AGENTS: usize = 1000;

/// Reads the files of a Claude Code session's sub-agents: `<session>/subagents/agent-*.jsonl` beside `<session>.jsonl`.
/// What cannot be read is passed over: the session itself is there.
pub(super) fn read(path: Option<&Path>, file: &mut TraceFile, hand: Hand<'_>) {
    let Some(path) = path.filter(|path| path.extension().is_some_and(|ending| ending == "jsonl")) else {
        return;
    };
    let Ok(entries) = fs::read_dir(path.with_extension("").join("subagents")) else { return };
    let is_agent = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("agent-") && name.ends_with(".jsonl") && path.is_file()
    };
    let mut agents: Vec<PathBuf> =
        entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_agent).collect();
    agents.sort();
    for agent in agents.into_iter().take(MOST_AGENTS) {
        let mut bytes = Vec::new();
        let Ok(opened) = File::open(&agent) else { continue };
        if opened.take(LARGEST_SUBJECT as u64).read_to_end(&mut bytes).is_err() {
            continue;
        }
        for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
            file.line(number, line, false, hand);
        }
    }
}
