//! A directory with files in it, in which the binary is run.
#![allow(dead_code, unreachable_pub, reason = "every test file uses some of it")]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

pub struct Place {
    directory: TempDir,
    /// What the binary remembers between runs is kept beside, and goes with it.
    cache: TempDir,
}

impl Place {
    pub fn with(files: &[(&str, &str)]) -> Place {
        let place = Place { directory: tempfile::tempdir().unwrap(), cache: tempfile::tempdir().unwrap() };
        for (name, text) in files {
            place.write(name, text.as_bytes());
        }
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// The names of all files, sorted.
    pub fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.directory.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Where the binary keeps what it remembers.
    pub fn cache(&self) -> &Path {
        self.cache.path()
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("probative"));
        command.args(arguments).current_dir(self.directory.path()).stdin(Stdio::null());
        command.env_remove("CLICOLOR_FORCE").env_remove("NO_COLOR").env("XDG_CACHE_HOME", self.cache.path());
        // The tests may themselves be a step of a workflow.
        command.env_remove("GITHUB_ACTIONS").env_remove("GITHUB_STEP_SUMMARY").env_remove("GITHUB_WORKSPACE");
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ended {
        self.command(arguments).output().unwrap().into()
    }

    /// Starts the binary with pipes on all sides.
    pub fn start(&self, arguments: &[&str]) -> Child {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    pub fn run_with_input(&self, arguments: &[&str], input: &[u8]) -> Ended {
        let mut child = self.start(arguments);
        child.stdin.take().unwrap().write_all(input).unwrap();
        child.wait_with_output().unwrap().into()
    }

    /// The results of a JSONL report.
    pub fn results(&self, arguments: &[&str]) -> Vec<Value> {
        self.run(&[arguments, &["--report", "jsonl", "--no-timings"]].concat()).json_lines()
    }
}

#[derive(Debug)]
pub struct Ended {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Ended {
            code: output.status.code().unwrap_or(-1),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

impl Ended {
    /// Ended with that code, and said all of that.
    #[track_caller]
    pub fn with(&self, code: i32, stdout: &[&str], stderr: &[&str]) {
        assert_eq!(self.code, code, "{self:#?}");
        for text in stdout {
            assert!(self.stdout.contains(text), "{text:?} is not in the output of {self:#?}");
        }
        for text in stderr {
            assert!(self.stderr.contains(text), "{text:?} is not in the complaints of {self:#?}");
        }
    }

    pub fn json_lines(&self) -> Vec<Value> {
        self.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}
