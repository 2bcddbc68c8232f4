//! What the words on a command line stand for: files, globs, directories, standard input.

use std::path::{Path, PathBuf};

use probative::verdict::{Error, ErrorKind};

/// How a subject is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// By the file's name: `.json` is one subject, `.jsonl` and `.ndjson` one a line, `.txt` one text; anything else by
    /// its beginning.
    Auto,
    /// One JSON document.
    Json,
    /// One JSON document a line.
    Jsonl,
    /// A text, which is judged as a JSON string.
    Text,
}

/// Something to be judged, or why it cannot be had.
#[derive(Debug)]
pub struct Subject {
    /// As results name it.
    pub name: String,
    /// Where it is.
    pub source: Result<Source, Error>,
}

/// Where subjects come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
}

impl Subject {
    /// How many bytes it has, where that is known before reading it. What cannot be had has none.
    pub fn size(&self) -> Option<u64> {
        match &self.source {
            Ok(Source::File(path)) => {
                let file = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
                Some(file.len())
            }
            Ok(Source::Stdin) => None,
            Err(_) => Some(0),
        }
    }
}

/// What a directory is searched for.
const KNOWN_ENDINGS: [&str; 4] = ["json", "jsonl", "ndjson", "txt"];

/// Finds the subjects that the words of a command line stand for, in their order; what a directory or a glob finds is
/// in the order of the paths.
///
/// A word that names an existing file is that file, whatever characters it has. A directory is searched only when
/// `recursive`, without hidden files and without following links.
pub fn find(words: &[String], recursive: bool) -> Vec<Subject> {
    words.iter().flat_map(|word| find_one(word, recursive)).collect()
}

fn find_one(word: &str, recursive: bool) -> Vec<Subject> {
    if word == "-" {
        return vec![Subject { name: "-".to_owned(), source: Ok(Source::Stdin) }];
    }
    let path = Path::new(word);
    match std::fs::metadata(path) {
        Ok(found) if found.is_dir() && recursive => below(word),
        Ok(found) if found.is_dir() => {
            vec![refused(word, ErrorKind::Usage("is a directory; -r judges the files below it".to_owned()))]
        }
        Ok(_) => vec![Subject { name: word.to_owned(), source: Ok(Source::File(path.to_owned())) }],
        Err(_) if word.contains(['*', '?', '[']) => matching(word, word, |_| true),
        Err(error) => vec![refused(word, ErrorKind::Unobtainable(reason(&error)))],
    }
}

/// The files below a directory whose endings say that they may be subjects.
fn below(directory: &str) -> Vec<Subject> {
    let pattern = format!("{}/**/*", glob::Pattern::escape(directory.trim_end_matches('/')));
    let has_known_ending = |path: &Path| {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        ending.is_some_and(|ending| KNOWN_ENDINGS.contains(&ending.as_str()))
    };
    matching(directory, &pattern, has_known_ending)
}

fn matching(word: &str, pattern: &str, wanted: impl Fn(&Path) -> bool) -> Vec<Subject> {
    let options = glob::MatchOptions {
        case_sensitive: true,
        require_literal_separator: true,
        require_literal_leading_dot: true,
    };
    let paths = match glob::glob_with(pattern, options) {
        Ok(paths) => paths,
        Err(error) => return vec![refused(word, ErrorKind::Usage(format!("not a glob: {}", error.msg)))],
    };
    let mut found = Vec::new();
    for path in paths {
        match path {
            // Only plain files: a pipe or a device that happens to lie there could be read for ever.
            Ok(path) if path.is_file() && wanted(&path) => {
                found.push(Subject { name: path.display().to_string(), source: Ok(Source::File(path)) });
            }
            Ok(_) => {}
            Err(error) => {
                let name = error.path().display().to_string();
                found.push(refused(&name, ErrorKind::Unobtainable(reason(error.error()))));
            }
        }
    }
    if found.is_empty() {
        found.push(refused(word, ErrorKind::Usage("matches no file".to_owned())));
    }
    found
}

fn refused(name: &str, kind: ErrorKind) -> Subject {
    Subject { name: name.to_owned(), source: Err(Error::in_file(kind, name)) }
}

/// The system's reason, without its error number.
pub(crate) fn reason(error: &std::io::Error) -> String {
    let reason = error.to_string();
    reason.split(" (os error").next().unwrap_or_default().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_and_globs_are_searched_in_order() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        std::fs::create_dir_all(at("sub")).unwrap();
        for name in ["b.json", "a.jsonl", "sub/c.txt", ".hidden.json", "notes.md", "odd[1].json"] {
            std::fs::write(at(name), "1").unwrap();
        }
        let names = |word: &str, recursive| -> Vec<String> {
            let short = |subject: Subject| match subject.source {
                Ok(_) => subject.name.replace(&format!("{}/", directory.path().display()), ""),
                Err(error) => error.kind.to_string(),
            };
            find(&[at(word).display().to_string()], recursive).into_iter().map(short).collect()
        };
        assert_eq!(names("", true), ["a.jsonl", "b.json", "odd[1].json", "sub/c.txt"]);
        assert_eq!(names("", false), ["is a directory; -r judges the files below it"]);
        assert_eq!(names("*.json", false), ["b.json", "odd[1].json"]);
        assert_eq!(names("odd[1].json", false), ["odd[1].json"]);
        assert_eq!(names("*.xml", false), ["matches no file"]);
        assert_eq!(names("***", false), ["not a glob: wildcards are either regular `*` or recursive `**`"]);
        assert_eq!(names("missing.json", false), ["no such file or directory"]);
    }
}
