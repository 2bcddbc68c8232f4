//! Files beside a trace that belong to it.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use probative::trajectory::readers::{Hand, TraceFile};
use rustix::fs::{Mode, OFlags, open};

use crate::feed::LARGEST_SUBJECT;

/// How many files of sub-agents are read with a session.
const MOST_AGENTS: usize = 1000;

/// Reads the files of a Claude Code session's sub-agents: `<session>/subagents/agent-*.jsonl` beside `<session>.jsonl`.
///
/// A file that can't be read makes the steps of the session unknown. Links that lead out of `<session>` are not followed.
pub(super) fn read(path: Option<&Path>, file: &mut TraceFile, hand: Hand<'_>) {
    let Some(path) = path.filter(|path| path.extension().is_some_and(|ending| ending == "jsonl")) else {
        return;
    };
    let session = Path::new(path.file_stem().unwrap_or_default());
    let folder = path.with_extension("").join("subagents");
    let agents = real_directory(path).and_then(|root| Ok((agent_files(&folder, &root)?, root)));
    let (agents, root) = match agents {
        Ok((agents, root)) => (agents, root),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return,
        Err(error) => {
            let name = session.join("subagents");
            return file.skip_companion(format!("{}: {error}", name.display()), hand);
        }
    };
    for (number, name) in agents.iter().enumerate() {
        let shown = session.join("subagents").join(name);
        let contents = if number < MOST_AGENTS {
            contents(&folder.join(name), &root)
        } else {
            Err(refused(&format!("a session can have at most {MOST_AGENTS} sub-agent files")))
        };
        let bytes = match contents {
            Ok(bytes) => bytes,
            Err(error) => {
                file.skip_companion(format!("{}: {error}", shown.display()), hand);
                continue;
            }
        };
        for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
            file.line(number, line, false, hand);
        }
    }
}

/// Returns the directory of a session, unless it is a symbolic link.
fn real_directory(path: &Path) -> io::Result<PathBuf> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok(fs::canonicalize(parent)?.join(path.file_stem().unwrap_or_default()))
}

/// The names of the files of sub-agents, in order.
fn agent_files(folder: &Path, root: &Path) -> io::Result<Vec<PathBuf>> {
    // A link that leads nowhere is not the same as no directory.
    fs::symlink_metadata(folder)?;
    check_inside(folder, root)?;
    let is_agent = |name: &OsStr| {
        let name = name.to_string_lossy();
        name.starts_with("agent-") && name.ends_with(".jsonl")
    };
    let mut agents = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        if is_agent(&name) {
            agents.push(PathBuf::from(name));
        }
    }
    agents.sort();
    Ok(agents)
}

/// Checks that a path leads to something inside of a directory. Answers with where it is.
fn check_inside(path: &Path, root: &Path) -> io::Result<PathBuf> {
    let found = fs::canonicalize(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => refused("broken symbolic link"),
        _ => error,
    })?;
    if found.starts_with(root) {
        Ok(found)
    } else {
        Err(refused("symbolic link leads outside the session's directory; not followed"))
    }
}

/// Everything in a file of a sub-agent. Only a regular file is opened, and without waiting for a writer.
fn contents(path: &Path, root: &Path) -> io::Result<Vec<u8>> {
    let not_regular = || refused("not a regular file");
    let found = check_inside(path, root)?;
    if !fs::symlink_metadata(&found)?.is_file() {
        return Err(not_regular());
    }
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW;
    let file = File::from(open(&found, flags, Mode::empty())?);
    if !file.metadata()?.is_file() {
        return Err(not_regular());
    }
    let mut bytes = Vec::new();
    file.take(LARGEST_SUBJECT as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > LARGEST_SUBJECT {
        return Err(refused(&format!("longer than {} MiB", LARGEST_SUBJECT >> 20)));
    }
    Ok(bytes)
}

fn refused(why: &str) -> io::Error {
    io::Error::other(why.to_owned())
}
