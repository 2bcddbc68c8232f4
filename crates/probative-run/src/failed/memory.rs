//! What is kept between runs: a file for every contract root, in the platform's cache directory.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use probative::baseline::Entry;
use probative::mask::Mask;
use serde::{Deserialize, Serialize};

use super::Failed;
use crate::documents;
use crate::out::Out;
use crate::root;
use crate::selection::{Selection, stable_hash};
use crate::subjects::reason;
use crate::suite::Suite;

/// The version of the file.
const VERSION: u64 = 1;

/// Nobody has so many cases that fail.
const LARGEST: usize = 64 << 20;

/// Where it is kept what failed last time in the contract root of this directory.
#[derive(Debug)]
pub struct Memory {
    root: PathBuf,
    /// The file, if there is a place for one.
    file: Option<PathBuf>,
    /// What failed in the last run of this process, where the file cannot be had.
    recent: Mutex<Option<Failed>>,
}

/// What the file holds.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    version: u64,
    /// The contract root, for people, and because two paths may have one hash.
    root: String,
    /// What failed in each document; `null` is the document itself.
    failed: BTreeMap<String, BTreeSet<Option<String>>>,
}

/// Advice for when nothing usable is kept.
const ANEW: &str = "run once without --failed";

impl Memory {
    /// That of this directory.
    pub fn here() -> Memory {
        let directory = std::fs::canonicalize(".").unwrap_or_else(|_| PathBuf::from("."));
        Memory::of(root::of(&directory), cache_directory(|name| std::env::var_os(name)))
    }

    fn of(root: &Path, cache: Option<PathBuf>) -> Memory {
        let name = format!("{:016x}.json", stable_hash(root.as_os_str().as_encoded_bytes()));
        let file = cache.map(|cache| cache.join("probative").join("failed").join(name));
        Memory { root: root.to_owned(), file, recent: Mutex::default() }
    }

    /// What failed last time; or why that is not known.
    pub fn recall(&self, mask: &Arc<Mask>) -> Result<Failed, String> {
        self.recall_kept(mask).or_else(|why| self.recent().ok_or(why))
    }

    fn recent(&self) -> Option<Failed> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn recall_kept(&self, mask: &Arc<Mask>) -> Result<Failed, String> {
        let unknown = |why: String| format!("no record of what failed last time: {why}");
        let Some(file) = &self.file else {
            return Err(unknown("no cache directory; set XDG_CACHE_HOME or HOME".to_owned()));
        };
        match self.read(file, mask).map_err(unknown)? {
            Some(failed) => Ok(failed),
            // Perhaps there was one, which could not be kept.
            None => Err(match place_for(file) {
                Err(error) => unknown(format!("{} cannot be written: {}", file.display(), reason(&error))),
                Ok(_) => {
                    format!("nothing has run in {} yet; {ANEW}", self.root.display())
                }
            }),
        }
    }

    /// Keeps what failed after a run. What cannot be kept is forgotten: that changes no run's result.
    ///
    /// Nothing is written where nothing has changed. Of two runs at once, the last to end is remembered where both ran a
    /// case, and the file is always whole.
    pub fn remember(&self, suite: &Suite, selection: &Selection, ended: &[Entry], mask: &Arc<Mask>) {
        let before = self.file.as_deref().and_then(|file| self.read(file, mask).ok().flatten());
        let is_known = before.is_some();
        let before = before.or_else(|| self.recent()).unwrap_or_else(|| Failed::nothing(&self.root, mask));
        let now = before.after(suite, selection, ended);
        let is_news = if is_known { now != before } else { !ended.is_empty() || !now.is_empty() };
        if let Some(file) = self.file.as_deref().filter(|_| is_news) {
            if !is_known {
                forget_roots_that_are_gone(file);
            }
            let _ = self.write(file, &now);
        }
        *self.recent.lock().unwrap_or_else(PoisonError::into_inner) = Some(now);
    }

    /// What a file holds; nothing where there is none, or one about another root.
    fn read(&self, file: &Path, mask: &Arc<Mask>) -> Result<Option<Failed>, String> {
        if matches!(file.symlink_metadata(), Err(error) if error.kind() == io::ErrorKind::NotFound) {
            return Ok(None);
        }
        let shown = file.display().to_string();
        let bytes = documents::read_bytes(file, &shown, LARGEST).map_err(|error| error.to_string())?;
        let kept: Kept =
            serde_json::from_slice(&bytes).map_err(|error| format!("{shown} is invalid: {error}; {ANEW}"))?;
        if kept.version != VERSION {
            return Err(format!("{shown} was written by another version of probative; {ANEW}"));
        }
        let failed = Failed { root: self.root.clone(), documents: kept.failed, mask: Arc::clone(mask) };
        Ok((kept.root == mask.hide_silently(&self.root.to_string_lossy())).then_some(failed))
    }

    fn write(&self, file: &Path, failed: &Failed) -> io::Result<()> {
        let root = failed.mask.hide_silently(&self.root.to_string_lossy()).into_owned();
        let kept = Kept { version: VERSION, root, failed: failed.documents.clone() };
        // Opening a pipe would wait for whoever reads it.
        if file.symlink_metadata().is_ok_and(|found| !found.is_file()) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let mut out = place_for(file)?;
        serde_json::to_writer(out.writer(), &kept)?;
        out.complete()
    }
}

/// Removes what is kept about roots that no longer exist, such as temporary directories, from beside a file that is new there.
fn forget_roots_that_are_gone(file: &Path) {
    let beside = file.parent().and_then(|directory| std::fs::read_dir(directory).ok());
    for path in beside.into_iter().flatten().flatten().map(|entry| entry.path()) {
        let bytes = documents::read_bytes(&path, "", LARGEST).ok();
        let kept = bytes.and_then(|bytes| serde_json::from_slice::<Kept>(&bytes).ok());
        if kept.is_some_and(|kept| !Path::new(&kept.root).exists()) {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// A place to write a file to, whose directories are there or are made.
fn place_for(file: &Path) -> io::Result<Out> {
    if let Some(directory) = file.parent() {
        let mut builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.recursive(true).create(directory)?;
    }
    Out::file(file)
}

/// The platform's cache directory, as the environment tells it.
fn cache_directory(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    // A path that is not absolute is to be ignored, says the specification.
    let path = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let below_home = if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" };
    path("XDG_CACHE_HOME").or_else(|| path("HOME").map(|home| home.join(below_home)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_directory_is_the_platforms() {
        let told = |known: &[(&str, &str)]| {
            let known: Vec<(String, OsString)> =
                known.iter().map(|(name, value)| ((*name).to_owned(), OsString::from(value))).collect();
            cache_directory(|name| {
                known.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
            })
        };
        assert_eq!(told(&[("XDG_CACHE_HOME", "/c"), ("HOME", "/h")]), Some("/c".into()));
        let at_home = if cfg!(target_os = "macos") { "/h/Library/Caches" } else { "/h/.cache" };
        assert_eq!(told(&[("XDG_CACHE_HOME", "c"), ("HOME", "/h")]), Some(at_home.into()));
        assert_eq!(told(&[("XDG_CACHE_HOME", ""), ("HOME", "")]), None);
        assert_eq!(told(&[]), None);
    }

    #[test]
    fn what_is_kept_about_roots_that_are_gone_is_removed() {
        let cache = tempfile::tempdir().unwrap();
        let kept = |root: &Path| {
            let memory = Memory::of(root, Some(cache.path().to_owned()));
            let file = memory.file.clone().unwrap();
            memory.write(&file, &Failed::nothing(root, &Arc::default())).unwrap();
            file
        };
        let (gone, there) = (kept(Path::new("/no/such/root")), kept(cache.path()));
        let foreign = there.with_file_name("foreign.json");
        std::fs::write(&foreign, "{}").unwrap();
        forget_roots_that_are_gone(&there.with_file_name("new.json"));
        assert!(!gone.exists() && there.exists() && foreign.exists());
        forget_roots_that_are_gone(Path::new("/no/such/directory/new.json"));
    }

    #[test]
    fn what_is_read_is_about_this_root_and_what_was_written() {
        let cache = tempfile::tempdir().unwrap();
        let memory = Memory::of(Path::new("/one/root"), Some(cache.path().to_owned()));
        let file = memory.file.clone().unwrap();
        // It must never change: what was kept would be forgotten.
        assert!(file.ends_with("probative/failed/49d2c99ddac95bea.json"), "{}", file.display());
        assert!(memory.recall(&Arc::default()).unwrap_err().starts_with("nothing has run in /one/root yet"));
        let mut failed = Failed::nothing(&memory.root, &Arc::default());
        failed.documents.insert("a.spec.md".to_owned(), BTreeSet::from([None, Some("\u{1b} X".to_owned())]));
        memory.write(&file, &failed).unwrap();
        assert_eq!(memory.recall(&Arc::default()), Ok(failed));
        let other = Memory { root: "/other".into(), file: Some(file.clone()), recent: Mutex::default() };
        assert!(other.recall(&Arc::default()).unwrap_err().starts_with("nothing has run in"));
        for (text, told) in [
            ("{", "is invalid: EOF"),
            ("[]", "is invalid"),
            (r#"{"version":2,"root":"/one/root","failed":{}}"#, "was written by another version"),
        ] {
            std::fs::write(&file, text).unwrap();
            let why = memory.recall(&Arc::default()).unwrap_err();
            assert!(why.starts_with("no record of what failed last time: ") && why.contains(told), "{why}");
            assert!(why.ends_with("; run once without --failed"), "{why}");
        }
    }
}
