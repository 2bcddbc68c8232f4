//! What is left of a run whose own process has died without a chance to end it.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, PipeWriter, Write};
#[cfg(target_os = "linux")]
use std::os::fd::AsRawFd as _;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use rustix::process::Pid;

/// A shell that waits until it is told that all is well, or that nobody is left to tell it. Then it kills the groups that a
/// file says are still there (`+ GROUP` without a `- GROUP`) and the processes that say that they are within one of the run's
/// cases, and removes a directory.
///
/// The file is its standard output, for it is given no other: so it has the file from the beginning. It looks for processes until it
/// has found none several times, since one that is just being started or replaced by another program cannot say what it is within. Every
/// thread is asked, for one that has ended cannot say it either, and the first may end before the others.
const SCRIPT: &str = r#"
read -r word && exit
live=' '
while read -r what of; do
    case $what in
    +) live="$live$of " ;;
    -) case $live in *" $of "*) live="${live%%" $of "*} ${live#*" $of "}" ;; esac ;;
    esac
done <&1
for group in $live; do kill -s KILL -- "-$group"; done
rounds=0 none=0
while [ "$rounds" -lt 100 ] && [ "$none" -lt 4 ]; do
    found=$(grep -s -l -F -e "/$2/" /proc/[0-9]*/task/*/environ)
    for one in $found; do
        one=${one#/proc/}
        kill -s KILL -- "${one%%/*}"
    done
    rounds=$((rounds + 1)) none=$((none + 1))
    if [ -n "$found" ]; then none=0; else sleep 0.05; fi
done
rm -rf -- "$1"
"#;

/// Kills the process groups that a process leaves behind when it is killed itself, and what has left them.
///
/// It is a process of its own, started with the first group. Where it cannot be started, all else goes on without it.
#[derive(Debug)]
pub struct Watchdog {
    /// Where it is kept which groups there are, if the system has no files without a name.
    groups: PathBuf,
    /// What is removed.
    removed: PathBuf,
    /// The name of what holds the directories of all cases: no other directory is called so, and no line ends in it.
    name: OsString,
    shell: OnceLock<Option<Shell>>,
}

#[derive(Debug)]
struct Shell {
    child: Child,
    /// Hung up when this process dies.
    alive: PipeWriter,
    groups: File,
}

impl Watchdog {
    /// A watchdog that has a file in a directory, and removes the whole directory if that is temporary.
    pub fn over(directory: &Path, is_temporary: bool) -> Watchdog {
        let groups = directory.join(".groups");
        let removed = if is_temporary { directory.to_owned() } else { groups.clone() };
        let name = directory.file_name().unwrap_or_default().to_owned();
        Watchdog { groups, removed, name, shell: OnceLock::new() }
    }

    /// Starts it, if it is not yet: before there is anything to be watched over.
    pub(super) fn begin(&self) {
        self.shell.get_or_init(|| self.start().ok());
    }

    /// Kills a group, until it is told that the group has ended.
    pub(super) fn watch(&self, group: Pid) {
        self.keep(&format!("+ {}\n", group.as_raw_nonzero()));
    }

    /// Leaves a group alone that has ended. Its number must not have been given to another yet.
    pub(super) fn release(&self, group: Pid) {
        self.keep(&format!("- {}\n", group.as_raw_nonzero()));
    }

    /// Its own process, if it was started.
    pub(crate) fn pid(&self) -> Option<Pid> {
        Some(Pid::from_child(&self.shell.get()?.as_ref()?.child))
    }

    /// Writes down what happened to a group: to a file in memory, which wakes nobody.
    fn keep(&self, line: &str) {
        self.begin();
        if let Some(Some(Shell { groups, .. })) = self.shell.get() {
            let _ = (&mut &*groups).write_all(line.as_bytes());
        }
    }

    fn start(&self) -> io::Result<Shell> {
        let Watchdog { groups, removed, name, .. } = self;
        let (file, told) = in_memory().or_else(|_| {
            Ok::<_, io::Error>((
                OpenOptions::new().create(true).append(true).open(groups)?,
                File::open(groups)?,
            ))
        })?;
        let (hears, alive) = io::pipe()?;
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", SCRIPT, "watchdog"]).arg(removed).arg(name);
        shell.env_clear().current_dir("/").process_group(0);
        // Its tools are there, whatever the caller's path leads to.
        let mut path = OsString::from("/usr/bin:/bin");
        if let Some(more) = std::env::var_os("PATH") {
            path.push(":");
            path.push(more);
        }
        shell.env("PATH", path);
        let child = shell.stdin(hears).stdout(told).stderr(Stdio::null()).spawn()?;
        Ok(Shell { child, alive, groups: file })
    }
}

/// A file without a name, to be written and to be read from its beginning.
#[cfg(target_os = "linux")]
fn in_memory() -> io::Result<(File, File)> {
    let file = rustix::fs::memfd_create("groups", rustix::fs::MemfdFlags::CLOEXEC)?;
    let read = File::open(format!("/proc/self/fd/{}", file.as_raw_fd()))?;
    Ok((file.into(), read))
}

#[cfg(not(target_os = "linux"))]
fn in_memory() -> io::Result<(File, File)> {
    Err(io::ErrorKind::Unsupported.into())
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        if let Some(Some(Shell { mut child, mut alive, .. })) = self.shell.take() {
            let _ = alive.write(b"well\n");
            drop(alive);
            let _ = child.wait();
            let _ = std::fs::remove_file(&self.groups);
        }
    }
}
