//! The copy of the workspace in which the mutants live.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::site::Mutated;
use crate::splice;

/// A copy of all files that belong to the workspace, below its `target/`.
pub struct Tree {
    /// Where the workspace is.
    pub root: PathBuf,
    /// Where its copy is.
    pub copy: PathBuf,
}

const SWITCH: &str = include_str!("switch.rs");

impl Tree {
    /// Copies what git knows or would know. Files that have not changed keep their times, so that little is built anew.
    pub fn new(root: &Path) -> Result<Tree, String> {
        let tree = Tree { root: root.to_owned(), copy: root.join("target/mutants/tree") };
        let mut listed = BTreeSet::new();
        let known = tree.git(&["ls-files", "--cached", "--others", "--exclude-standard"])?;
        for file in known.lines().filter(|file| !file.starts_with("mutants/")) {
            let Ok(bytes) = fs::read(root.join(file)) else { continue };
            // Written with its mutants later.
            if !file.starts_with("crates/probative/src/") {
                tree.put(file, &bytes)?;
            }
            listed.insert(file.to_owned());
        }
        tree.remove_others(&tree.copy, &listed)?;
        Ok(tree)
    }

    /// The judge, with the mutants that are not left out.
    pub fn write(&self, mutated: &[Mutated], left_out: &BTreeSet<u32>) -> Result<(), String> {
        let of = |file: &str| mutated.iter().find(|sites| sites.file == file);
        for file in self
            .git(&["ls-files", "--cached", "--others", "--exclude-standard", "crates/probative/src"])?
            .lines()
        {
            let Ok(bytes) = fs::read(self.root.join(file)) else { continue };
            match of(file) {
                Some(sites) => self.put(file, splice::write(sites, left_out).as_bytes())?,
                None if file == "crates/probative/src/lib.rs" => {
                    let text = String::from_utf8_lossy(&bytes);
                    self.put(file, format!("{text}\nmod mutant;\n").as_bytes())?;
                }
                None => self.put(file, &bytes)?,
            }
        }
        self.put("crates/probative/src/mutant.rs", SWITCH.as_bytes())
    }

    /// The Rust files below these paths, without what is only tested with.
    pub fn sources(&self, below: &[String]) -> Result<Vec<String>, String> {
        let files = self.git(&["ls-files", "--cached", "--others", "--exclude-standard"])?;
        let is_chosen = |file: &&str| below.iter().any(|path| file.starts_with(path.as_str()));
        let is_for_tests = |file: &&str| file.ends_with("/tests.rs") || file.contains("/tests/");
        let sources = files.lines().filter(|file| Path::new(file).extension().is_some_and(|end| end == "rs"));
        Ok(sources.filter(is_chosen).filter(|file| !is_for_tests(file)).map(str::to_owned).collect())
    }

    fn put(&self, file: &str, bytes: &[u8]) -> Result<(), String> {
        let path = self.copy.join(file);
        if fs::read(&path).is_ok_and(|there| there == bytes) {
            return Ok(());
        }
        let written = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, bytes));
        written.map_err(|error| format!("{}: {error}", path.display()))
    }

    fn remove_others(&self, directory: &Path, listed: &BTreeSet<String>) -> Result<(), String> {
        let told = |error: std::io::Error| format!("{}: {error}", directory.display());
        for entry in fs::read_dir(directory).map_err(told)? {
            let path = entry.map_err(told)?.path();
            let name = path.strip_prefix(&self.copy).unwrap_or(&path).to_string_lossy().into_owned();
            if path.is_dir() {
                self.remove_others(&path, listed)?;
            } else if !listed.contains(&name) {
                fs::remove_file(&path).map_err(told)?;
            }
        }
        Ok(())
    }

    fn git(&self, arguments: &[&str]) -> Result<String, String> {
        let run = Command::new("git").args(arguments).current_dir(&self.root).output();
        let output = run.map_err(|error| format!("git: {error}"))?;
        if !output.status.success() {
            return Err(format!("git: {}", String::from_utf8_lossy(&output.stderr)));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}
