//! What everything is measured with, and where.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// The programs under test, where their peers are, and a place for data.
pub(crate) struct Bench {
    /// This program, which is also every limit.
    pub(crate) this: PathBuf,
    /// The binary that is measured: the one beside this program.
    pub(crate) probative: PathBuf,
    /// Where `scripts/bench` installs peers.
    pub(crate) peers: PathBuf,
    /// Whether everything is small and done once.
    pub(crate) quick: bool,
    directory: TempDir,
}

impl Bench {
    /// Of this process: fails if there is no binary beside it.
    pub(crate) fn here() -> io::Result<Bench> {
        let this = std::env::current_exe()?;
        let probative = this.with_file_name("probative");
        if !probative.exists() {
            return Err(io::Error::other(format!(
                "{} is missing: cargo build --release --locked",
                probative.display()
            )));
        }
        let (peers, quick) = (root().join("target/bench-peers"), std::env::var_os("BENCH_QUICK").is_some());
        Ok(Bench { this, probative, peers, quick, directory: tempfile::tempdir()? })
    }

    /// So many, or a hundredth of it in a quick trial, but never fewer than 20.
    pub(crate) fn sized(&self, count: usize) -> usize {
        if self.quick { (count / 100).max(20).min(count) } else { count }
    }

    /// So many rounds, or one in a quick trial.
    pub(crate) fn rounds(&self, rounds: usize) -> usize {
        if self.quick { 1 } else { rounds }
    }

    /// A directory of this name for data, which is there afterwards.
    pub(crate) fn at(&self, name: &str) -> io::Result<PathBuf> {
        let directory = self.directory.path().join(name);
        fs::create_dir_all(&directory)?;
        Ok(directory)
    }

    /// A file in a directory for data, with this text in it.
    pub(crate) fn written(&self, name: &str, text: &str) -> io::Result<PathBuf> {
        let file = self.directory.path().join(name);
        fs::create_dir_all(file.parent().unwrap_or(Path::new("/")))?;
        fs::write(&file, text)?;
        Ok(file)
    }

    /// `probative check`, so many jobs at a time, with the report that everybody gets: it names what fails.
    pub(crate) fn check(&self, question: &Path, subjects: &Path, jobs: usize) -> Command {
        let mut command = Command::new(&self.probative);
        command.arg("check").arg(question).arg(subjects).arg("--jobs").arg(jobs.to_string());
        command
    }

    /// `probative run`, so many jobs at a time, with the report that everybody gets.
    pub(crate) fn run(&self, documents: &Path, jobs: usize) -> Command {
        let mut command = Command::new(&self.probative);
        command.arg("run").arg(documents).arg("--jobs").arg(jobs.to_string());
        command
    }

    /// The same with all results as JSON instead.
    pub(crate) fn run_to_json(&self, documents: &Path, results: &Path, jobs: usize) -> Command {
        let mut command = self.run(documents, jobs);
        command.arg("--report").arg(format!("json={}", results.display()));
        command
    }

    /// One of the bare things that this program also does.
    pub(crate) fn limit(&self, arguments: &[&str], file: Option<&Path>) -> Command {
        let mut command = Command::new(&self.this);
        command.arg("limit").args(arguments).args(file);
        command
    }
}

/// The root of the repository that this was built from.
pub(crate) fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package).to_owned()
}

/// A script of a peer.
pub(crate) fn script(name: &str) -> PathBuf {
    root().join("benches/peers").join(name)
}
