//! What is left of a run whose own process has died without a chance to end it.

use std::io::{self, PipeWriter, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use rustix::process::Pid;

/// A shell that reads which groups run, and kills those that are left when it reads no more.
///
/// It reads `+ GROUP` and `- GROUP`, `d DIRECTORY` for one to be removed, and `.` when all is well.
const SCRIPT: &str = r#"
live=' '
while read -r what of; do
    case $what in
    +) live="$live$of " ;;
    -) case $live in *" $of "*) live="${live%%" $of "*} ${live#*" $of "}" ;; esac ;;
    d) directory=$of ;;
    .) exit ;;
    esac
done
for group in $live; do kill -s KILL -- "-$group"; done
test -z "$directory" || rm -rf -- "$directory"
"#;

/// Kills the process groups that a process leaves behind when it is killed itself.
///
/// It is a process of its own, started with the first group. Where it cannot be started, all else goes on without it.
#[derive(Debug, Default)]
pub struct Watchdog {
    shell: OnceLock<Option<Shell>>,
}

#[derive(Debug)]
struct Shell {
    child: Child,
    tell: PipeWriter,
}

impl Watchdog {
    /// Removes a directory, too, with everything in it.
    pub fn remove(&self, directory: &Path) {
        if let Some(path) = directory.to_str().filter(|path| !path.contains('\n')) {
            self.tell(&format!("d {path}\n"));
        }
    }

    /// Kills a group, until it is told that the group has ended.
    pub(super) fn watch(&self, group: Pid) {
        self.tell(&format!("+ {}\n", group.as_raw_nonzero()));
    }

    /// Leaves a group alone that has ended. Its number must not have been given to another yet.
    pub(super) fn release(&self, group: Pid) {
        self.tell(&format!("- {}\n", group.as_raw_nonzero()));
    }

    fn tell(&self, line: &str) {
        // A line is written whole or not at all: one that does not fit is not worth waiting for.
        if let Some(Shell { tell, .. }) = self.shell.get_or_init(|| Shell::start().ok()) {
            let _ = (&mut &*tell).write(line.as_bytes());
        }
    }
}

impl Shell {
    fn start() -> io::Result<Shell> {
        let (told, tell) = io::pipe()?;
        rustix::io::ioctl_fionbio(&tell, true)?;
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", SCRIPT]).env_clear().current_dir("/").process_group(0);
        if let Some(path) = std::env::var_os("PATH") {
            shell.env("PATH", path);
        }
        let child = shell.stdin(told).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        Ok(Shell { child, tell })
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        if let Some(Some(Shell { mut child, mut tell })) = self.shell.take() {
            let _ = tell.write(b".\n");
            drop(tell);
            let _ = child.wait();
        }
    }
}
