//! Files below a directory, by their endings or by a glob.

use std::collections::VecDeque;
use std::fs::FileType;
use std::io;
use std::path::{Path, PathBuf};

use probative::spec::Format;
use probative::verdict::{Error, ErrorKind};

use crate::subjects::{Source, Subject, reason};
use crate::suite::Sources;

/// What a directory is searched for.
const KNOWN_ENDINGS: [&str; 9] = ["json", "jsonl", "ndjson", "txt", "traj", "sse", "eval", "gz", "zst"];

/// How globs match: a `*` stays in its directory, and finds nothing hidden.
pub(crate) const GLOB: glob::MatchOptions = glob::MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: true,
};

/// Where to look, and for what.
pub(crate) struct Search {
    start: PathBuf,
    /// How many directories deep to go.
    depth: usize,
    wanted: Wanted,
}

enum Wanted {
    KnownEnding,
    Matching(glob::Pattern),
    /// Documents with cases: what looks like one and cannot be read is told, for nobody meant it to be passed over.
    Specs(Vec<&'static str>),
}

impl Search {
    /// The files below a directory whose endings say that they may be subjects.
    pub(crate) fn below(directory: &Path) -> Search {
        Search { start: directory.to_owned(), depth: usize::MAX, wanted: Wanted::KnownEnding }
    }

    /// The documents with cases in a directory, and below it if `recursive`, by the endings of their names.
    pub(crate) fn specs(directory: &Path, recursive: bool, endings: Vec<&'static str>) -> Search {
        let depth = if recursive { usize::MAX } else { 0 };
        Search { start: directory.to_owned(), depth, wanted: Wanted::Specs(endings) }
    }

    /// The files that a glob matches.
    pub(crate) fn matching(glob: &str) -> Result<Search, glob::PatternError> {
        let pattern = glob::Pattern::new(glob)?;
        let parts: Vec<&str> = glob.split('/').collect();
        let plain = parts.iter().take_while(|part| !part.contains(['*', '?', '['])).count();
        let start = PathBuf::from(match parts[..plain].join("/") {
            root if root.is_empty() && glob.starts_with('/') => "/".to_owned(),
            start => start,
        });
        let depth = if glob.contains("**") { usize::MAX } else { parts.len() - plain - 1 };
        Ok(Search { start, depth, wanted: Wanted::Matching(pattern) })
    }

    /// What there is, in the order of the paths. A directory that cannot be read is told as such.
    pub(crate) fn run(&self) -> Vec<Subject> {
        let mut found = Vec::new();
        self.look_into(&self.start, self.depth, &mut found);
        // Names that are not UTF-8 may look the same; what differs then is the path.
        found.sort_by(|a, b| (&a.name, a.path()).cmp(&(&b.name, b.path())));
        found
    }

    fn look_into(&self, directory: &Path, depth: usize, found: &mut Vec<Subject>) {
        // The empty path is this directory, but only its name says so to the system.
        let listed = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
        let entries = match std::fs::read_dir(listed).and_then(Iterator::collect::<io::Result<Vec<_>>>) {
            Ok(entries) => entries,
            Err(error) => return self.tell_unreadable(directory, &error, found),
        };
        for entry in entries {
            let (path, name) = (directory.join(entry.file_name()), entry.file_name());
            let hidden = name.as_encoded_bytes().starts_with(b".");
            // The type of the entry itself: a link to a directory is no directory, so no loop can be walked.
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && depth > 0 && !hidden => {
                    self.look_into(&path, depth.saturating_sub(1), found);
                }
                Ok(kind) if is_plain_file(kind, &path) && self.wants(&path, hidden) => {
                    found.push(Subject { name: path.display().to_string(), source: Ok(Source::File(path)) });
                }
                Ok(kind) if !kind.is_dir() && self.misses(&path, hidden) => {
                    let name = path.display().to_string();
                    let error = Error::in_file(ErrorKind::Usage("not a file".to_owned()), &*name);
                    found.push(Subject { name, source: Err(error) });
                }
                _ => {}
            }
        }
    }

    /// Whether what cannot be taken was wanted all the same.
    fn misses(&self, path: &Path, hidden: bool) -> bool {
        matches!(self.wanted, Wanted::Specs(_)) && self.wants(path, hidden)
    }

    fn tell_unreadable(&self, directory: &Path, error: &io::Error, found: &mut Vec<Subject>) {
        // A glob below a directory that does not exist matches no file, which is told elsewhere.
        if directory == self.start && error.kind() == io::ErrorKind::NotFound {
            return;
        }
        let name = directory.display().to_string();
        let error = Error::in_file(ErrorKind::Usage(reason(error)), &*name);
        found.push(Subject { name, source: Err(error) });
    }

    fn wants(&self, path: &Path, hidden: bool) -> bool {
        match &self.wanted {
            Wanted::KnownEnding => {
                let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
                !hidden && ending.is_some_and(|ending| KNOWN_ENDINGS.contains(&ending.as_str()))
            }
            Wanted::Specs(endings) => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                !hidden && endings.iter().any(|ending| name.ends_with(ending))
            }
            Wanted::Matching(pattern) => pattern.matches_with(&path.to_string_lossy(), GLOB),
        }
    }
}

fn is_plain_file(kind: FileType, path: &Path) -> bool {
    kind.is_file() || (kind.is_symlink() && path.is_file())
}

/// Files with cases near those that were searched, which somebody may have meant as well.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Overlooked {
    /// How many are below directories that were not searched recursively.
    pub below: usize,
    /// How many in directories that were searched have a format that was not asked for.
    pub other_formats: Vec<(Format, usize)>,
}

impl Overlooked {
    /// How many entries of directories are looked at. It is only a hint, so what is beyond that is not counted.
    const MOST_ENTRIES: usize = 10_000;

    /// Looks in the directories that were searched, and below.
    pub fn beside(sources: &Sources) -> Overlooked {
        let mut overlooked = Overlooked::default();
        let mut left = Overlooked::MOST_ENTRIES;
        let mut directories: VecDeque<(PathBuf, bool)> =
            sources.paths.iter().filter(|path| path.is_dir()).map(|path| (path.clone(), true)).collect();
        while let Some((directory, is_searched)) = directories.pop_front() {
            for entry in std::fs::read_dir(&directory).into_iter().flatten().flatten() {
                let name = entry.file_name();
                left = left.saturating_sub(1);
                if left == 0 {
                    return overlooked;
                }
                if name.as_encoded_bytes().starts_with(b".") {
                    continue;
                }
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() => {
                        directories.push_back((entry.path(), is_searched && sources.recursive));
                    }
                    Ok(_) => overlooked.note(&name.to_string_lossy(), is_searched, &sources.formats),
                    Err(_) => {}
                }
            }
        }
        overlooked
    }

    fn note(&mut self, name: &str, is_searched: bool, wanted: &[Format]) {
        let has_ending = |format: &&Format| format.endings().iter().any(|ending| name.ends_with(ending));
        let Some(format) = Format::ALL.iter().find(has_ending) else { return };
        match (wanted.contains(format), is_searched) {
            (true, false) => self.below += 1,
            (false, true) => match self.other_formats.iter_mut().find(|(known, _)| known == format) {
                Some((_, count)) => *count += 1,
                None => self.other_formats.push((*format, 1)),
            },
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_searched_is_counted() {
        let place = tempfile::tempdir().unwrap();
        for name in
            ["a.spec.md", "b.spec.yaml", "c.txt", "below/d.spec.md", "below/e/f.tests.json", ".g/h.spec.md"]
        {
            let path = place.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let beside = |recursive, formats: &[Format]| {
            let paths = vec![place.path().to_owned(), place.path().join("a.spec.md")];
            Overlooked::beside(&Sources { paths, recursive, formats: formats.to_vec() })
        };
        let usual = [Format::Markdown, Format::Suite];
        assert_eq!(beside(false, &usual), Overlooked { below: 2, other_formats: vec![(Format::Yaml, 1)] });
        assert_eq!(beside(true, &usual), Overlooked { below: 0, other_formats: vec![(Format::Yaml, 1)] });
        assert_eq!(beside(true, &Format::ALL), Overlooked::default());
    }
}
