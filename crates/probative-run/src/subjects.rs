//! What the words on a command line stand for: files, globs, directories, standard input.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use probative::value::Pattern;
use probative::verdict::{Error, ErrorKind};

use crate::search::Search;
use crate::trace::Traces;

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

/// How subjects are read.
#[derive(Debug, Clone, Copy)]
pub struct How<'a> {
    /// How they are written.
    pub input: Input,
    /// How traces among them are read.
    pub traces: Traces,
    /// What tells that a tool failed, where its trace does not: a pattern that is found in its result.
    pub tool_error: Option<&'a Pattern>,
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
    /// The file that it is.
    pub(crate) fn path(&self) -> Option<&Path> {
        match &self.source {
            Ok(Source::File(path)) => Some(path),
            Ok(Source::Stdin) | Err(_) => None,
        }
    }

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

/// Finds the subjects that the words of a command line stand for, in their order; what a directory or a glob finds is
/// in the order of the paths.
///
/// A word that names an existing file is that file, whatever characters it has. A directory is searched only when
/// `recursive`. Neither a directory nor a glob finds hidden files, anything behind a link to a directory, or what is no
/// plain file: a pipe that happens to lie there could be read for ever.
pub fn find(words: &[OsString], recursive: bool) -> Vec<Subject> {
    let mut found = Vec::new();
    for word in words {
        let twice =
            word == "-" && found.iter().any(|subject: &Subject| matches!(subject.source, Ok(Source::Stdin)));
        if twice {
            found.push(refused("-", ErrorKind::Usage("standard input can be read only once".to_owned())));
        } else {
            found.extend(find_one(word, recursive));
        }
    }
    found
}

fn find_one(word: &OsStr, recursive: bool) -> Vec<Subject> {
    let path = Path::new(word);
    let name = path.display().to_string();
    if name == "-" {
        return vec![Subject { name, source: Ok(Source::Stdin) }];
    }
    match std::fs::metadata(path) {
        Ok(found) if found.is_dir() && recursive => search(&name, &Search::below(path)),
        Ok(found) if found.is_dir() => {
            vec![refused(
                &name,
                ErrorKind::Usage("is a directory; use -r to read the files in it".to_owned()),
            )]
        }
        Ok(_) => vec![Subject { name, source: Ok(Source::File(path.to_owned())) }],
        Err(_) if name.is_empty() => vec![refused("''", ErrorKind::Usage("empty path".to_owned()))],
        Err(_) if name.contains(['*', '?', '[']) => match Search::matching(&name) {
            Ok(pattern) => search(&name, &pattern),
            Err(error) => vec![refused(&name, ErrorKind::Usage(format!("invalid glob: {}", error.msg)))],
        },
        Err(error) => vec![refused(&name, ErrorKind::Usage(reason(&error)))],
    }
}

fn search(word: &str, search: &Search) -> Vec<Subject> {
    let found = search.run();
    if found.is_empty() {
        return vec![refused(word, ErrorKind::Usage("matches no file".to_owned()))];
    }
    found
}

fn refused(name: &str, kind: ErrorKind) -> Subject {
    Subject { name: name.to_owned(), source: Err(Error::in_file(kind, name)) }
}

/// The system's reason, without its error number and without the names of temporary files.
pub fn reason(error: &std::io::Error) -> String {
    let reason = error.to_string();
    let reason = reason.split(" (os error").next().unwrap_or_default();
    reason.split(" at path").next().unwrap_or_default().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A directory with some files, and what words find there.
    struct Place(tempfile::TempDir);

    impl Place {
        fn with(files: &[&str]) -> Place {
            let place = Place(tempfile::tempdir().unwrap());
            for name in files {
                let path = place.0.path().join(name);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, "1").unwrap();
            }
            place
        }

        fn find(&self, word: impl AsRef<OsStr>, recursive: bool) -> Vec<String> {
            let root = format!("{}/", self.0.path().display());
            let told = |subject: Subject| match subject.source {
                Ok(_) => subject.name.replace(&root, ""),
                Err(error) => error.kind.to_string(),
            };
            find(&[self.0.path().join(word.as_ref()).into_os_string()], recursive)
                .into_iter()
                .map(told)
                .collect()
        }
    }

    #[test]
    fn directories_and_globs_are_searched_in_order() {
        let place = Place::with(&[
            "b.json",
            "a.jsonl",
            "sub/c.txt",
            "sub/d.json",
            ".hidden.json",
            "notes.md",
            "odd[1].json",
        ]);
        assert_eq!(place.find("", true), ["a.jsonl", "b.json", "odd[1].json", "sub/c.txt", "sub/d.json"]);
        assert_eq!(place.find("", false), ["is a directory; use -r to read the files in it"]);
        assert_eq!(place.find("*.json", false), ["b.json", "odd[1].json"]);
        assert_eq!(place.find("**/*.json", false), ["b.json", "odd[1].json", "sub/d.json"]);
        assert_eq!(place.find("s*/?.txt", false), ["sub/c.txt"]);
        assert_eq!(place.find("odd[1].json", false), ["odd[1].json"]);
        assert_eq!(place.find("*.xml", false), ["matches no file"]);
        assert_eq!(
            place.find("***", false),
            ["invalid glob: wildcards are either regular `*` or recursive `**`"]
        );
        assert_eq!(place.find("missing.json", false), ["no such file or directory"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_pipes_and_odd_names_do_no_harm() {
        use std::os::unix::ffi::OsStrExt as _;
        let place = Place::with(&["a/x.json"]);
        for link in ["a/up", "a/again", "a/more"] {
            std::os::unix::fs::symlink("..", place.0.path().join(link)).unwrap();
        }
        std::os::unix::fs::symlink("x.json", place.0.path().join("a/y.json")).unwrap();
        std::fs::write(place.0.path().join("a").join(OsStr::from_bytes(b"\xff.json")), "1").unwrap();
        let pipe = std::process::Command::new("mkfifo").arg(place.0.path().join("a/pipe.json")).status();
        assert!(pipe.unwrap().success());
        let expected = ["a/x.json", "a/y.json", "a/\u{fffd}.json"];
        assert_eq!(place.find("", true), expected);
        assert_eq!(place.find("**/*.json", false), expected);
        assert_eq!(place.find("a/*.json", false), expected);
        assert_eq!(place.find(OsStr::from_bytes(b"a/\xff.json"), false), ["a/\u{fffd}.json"]);
    }

    #[test]
    fn standard_input_is_read_once() {
        let found = find(&["-".into(), "-".into(), "".into()], false);
        assert!(found[0].source.is_ok() && found[1].source.is_err() && found[2].source.is_err());
    }
}
