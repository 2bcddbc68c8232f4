//! The documents with cases that a run is about: found, read and compiled before the first case is run.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher as _, RandomState};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use probative::spec::types;
use probative::spec::{Case, Format, Plan, Settings, Spec, Work};
use probative::value::{Value, visible};
use probative::verdict::{Error, ErrorKind};

use crate::config::{self, Config};
use crate::documents;
use crate::feed::LARGEST_SUBJECT;
use crate::harness::{files_named_by, read_inside, recordings};
use crate::ordered::in_order;
use crate::root;
use crate::search::Search;
use crate::subjects::{Source, Subject, reason};

/// Where cases are looked for.
#[derive(Debug, Clone)]
pub struct Sources {
    /// Files, and directories in which documents are found by the endings of their names.
    pub paths: Vec<PathBuf>,
    /// Whether to look below directories, too.
    pub recursive: bool,
    /// What documents in directories are written in.
    pub formats: Vec<Format>,
}

/// All cases of a run, in order.
#[derive(Debug)]
pub struct Suite {
    files: Vec<SpecFile>,
    /// Cases whose id another has already, by their file and position.
    repeated: BTreeMap<(usize, usize), Error>,
    /// When loading began: a run lasts from then on.
    pub(crate) began: Instant,
}

/// A document with cases.
#[derive(Debug)]
pub(crate) struct SpecFile {
    /// As results name it.
    pub(crate) name: String,
    /// What stands in it, or why it could not be read.
    pub(crate) spec: Result<Spec, Error>,
    /// Where it stands.
    pub(crate) directory: Arc<Path>,
    /// What paths in it must not leave: links followed, as in the directory.
    pub(crate) root: Arc<Path>,
    /// What the project says once for all its cases.
    pub(crate) config: Arc<Result<Config, Error>>,
    /// The files that assertions of its cases name, by the ids of these.
    supplied: BTreeMap<String, Vec<PathBuf>>,
}

/// One thing to be told: a case, or what is wrong with a file.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Item<'s> {
    /// An error in a file beside its cases.
    File(&'s SpecFile, &'s Error),
    /// A case whose id another has already.
    Repeated(&'s SpecFile, &'s Case, &'s Error),
    /// A case.
    Case(&'s SpecFile, &'s Case),
}

impl Suite {
    /// Finds, reads and compiles, on so many threads.
    pub fn load(sources: &Sources, settings: &Settings, threads: usize) -> Suite {
        let (began, roots) = (Instant::now(), Roots::default());
        let Found { subjects, directories } = find(sources);
        let mut found = subjects.into_iter();
        let threads = threads.min(found.len()).max(1);
        let (mut files, mut ids) = (Vec::new(), Ids::default());
        in_order(
            threads,
            usize::MAX / threads,
            || found.next(),
            |subject| SpecFile::load(subject, settings, &roots).unless_empty(sources),
            |file| {
                ids.note(&file);
                files.push(file);
            },
        );
        let without_case = directories.into_iter().filter(|directory| directory.is_without_case(&files));
        let without_case: Vec<SpecFile> = without_case.map(SpecFile::of_directory).collect();
        files.extend(without_case);
        let repeated = if ids.may_repeat { repeated(&files) } else { BTreeMap::new() };
        Suite { files, repeated, began }
    }

    /// What looks as if a case were meant to be run, and is not, with its document.
    pub(crate) fn warnings(&self) -> impl Iterator<Item = (&SpecFile, &Error)> {
        self.files.iter().flat_map(|file| {
            let warnings = file.spec.as_ref().map_or(&[][..], |spec| spec.warnings.as_slice());
            warnings.iter().map(move |warning| (file, warning))
        })
    }

    /// Describes what looks like a case but isn't run: `a.spec.md:3:1: this fence isn't a case; …`.
    pub fn ignored(&self) -> impl Iterator<Item = String> {
        self.warnings().map(|(_, warning)| warning.to_string())
    }

    /// The documents that were found.
    pub fn files(&self) -> Vec<PathBuf> {
        self.files.iter().map(|file| PathBuf::from(&file.name)).collect()
    }

    /// Everything that is read, each once: the documents, the configuration, and what was recorded.
    pub fn inputs(&self) -> Vec<PathBuf> {
        let mut inputs = self.files();
        for file in &self.files {
            inputs.push(file.root.join(config::NAME));
            let cases = file.spec.as_ref().map_or(&[][..], |spec| spec.cases.as_slice());
            for case in cases {
                inputs.extend_from_slice(file.supplied(&case.id));
                let Plan::Run(run) = &case.plan else { continue };
                match &run.work {
                    Work::TextFile(text) => {
                        inputs.extend(text.path.iter().map(|path| file.directory.join(path.as_str())));
                    }
                    Work::Agent(agent) => {
                        let types::Source::Recorded(path) = agent.source() else { continue };
                        let recorded = recordings(path, file).unwrap_or_default();
                        inputs.extend(recorded.iter().map(|name| file.directory.join(name)));
                        inputs.extend(recorded.iter().flat_map(|name| files_named_by(name, file)));
                    }
                    Work::ApiHttp(http) => {
                        inputs.extend(http.request.file().map(|name| file.directory.join(name)));
                    }
                    Work::CliRun(_) | Work::Conversation(_) => {}
                }
            }
            let config = file.config.as_ref().as_ref();
            inputs.extend(config.into_iter().flat_map(|config| config.programs(&file.root)));
        }
        // Many cases may be about one file.
        inputs.sort_unstable_by(|one, other| one.as_os_str().cmp(other.as_os_str()));
        inputs.dedup_by(|one, other| one.as_os_str() == other.as_os_str());
        inputs
    }

    /// Whether no case does anything but read files, so that each is the same for all of them.
    pub(crate) fn only_reads(&self) -> bool {
        self.specs().flat_map(|spec| &spec.cases).all(|case| match &case.plan {
            Plan::Run(run) => matches!(run.work, Work::TextFile(_)),
            Plan::Missing(_) | Plan::Skipped(_) | Plan::UnknownType(_) | Plan::Malformed(_) => true,
        })
    }

    /// The documents, whether they could be read or not.
    pub(crate) fn documents(&self) -> impl Iterator<Item = &SpecFile> {
        self.files.iter()
    }

    /// The documents that could be read.
    pub(crate) fn specs(&self) -> impl Iterator<Item = &Spec> {
        self.files.iter().filter_map(|file| file.spec.as_ref().ok())
    }

    /// What there is to tell, in order.
    pub(crate) fn items(&self) -> impl Iterator<Item = Item<'_>> {
        self.files.iter().enumerate().flat_map(move |(at, file)| {
            let (cases, errors) = match &file.spec {
                Ok(spec) => (spec.cases.as_slice(), spec.errors.as_slice()),
                Err(error) => (&[][..], std::slice::from_ref(error)),
            };
            let cases = cases.iter().enumerate().map(move |(position, case)| {
                match self.repeated.get(&(at, position)) {
                    Some(error) => Item::Repeated(file, case, error),
                    None => Item::Case(file, case),
                }
            });
            errors.iter().map(move |error| Item::File(file, error)).chain(cases)
        })
    }
}

impl<'s> Item<'s> {
    /// What identifies it: the id of the case, or the name of the file.
    pub(crate) fn id(self) -> &'s str {
        match self {
            Item::File(file, _) => &file.name,
            Item::Repeated(_, case, _) | Item::Case(_, case) => &case.id,
        }
    }

    pub(crate) fn file(self) -> &'s SpecFile {
        match self {
            Item::File(file, _) | Item::Repeated(file, ..) | Item::Case(file, _) => file,
        }
    }

    pub(crate) fn case(self) -> Option<&'s Case> {
        match self {
            Item::File(..) => None,
            Item::Repeated(_, case, _) | Item::Case(_, case) => Some(case),
        }
    }
}

impl SpecFile {
    fn load(subject: Subject, settings: &Settings, roots: &Roots) -> SpecFile {
        let Subject { name, source } = subject;
        let path = match source {
            Ok(Source::File(path)) => path,
            Ok(Source::Stdin) => PathBuf::from("-"),
            Err(error) => return SpecFile::new(name, Err(error), Standing::nowhere()),
        };
        let standing = roots.of(&path);
        let mut spec = documents::read_named(&path, &name)
            .and_then(|bytes| documents::spec(bytes, name.clone()))
            .map(|document| Spec::read(document, Format::of(&name), settings));
        let mut supplied = BTreeMap::new();
        if let Ok(spec) = &mut spec {
            let place = (&*standing.directory, &*standing.root);
            for case in &mut spec.cases {
                let mut names = Vec::new();
                case.supply(&mut |named: &str| {
                    names.push(standing.directory.join(named));
                    read_inside(named, place, "file is outside the project root", LARGEST_SUBJECT)
                });
                if !names.is_empty() {
                    supplied.insert(case.id.clone(), names);
                }
            }
        }
        SpecFile { supplied, ..SpecFile::new(name, spec, standing) }
    }

    /// The same, unless somebody named it and there is no case in it.
    fn unless_empty(mut self, sources: &Sources) -> SpecFile {
        let is_empty = self.spec.as_ref().is_ok_and(|spec| spec.cases.is_empty() && spec.errors.is_empty());
        if is_empty && sources.paths.iter().any(|path| path.as_os_str() == self.name.as_str()) {
            let near = self.spec.as_ref().ok().and_then(|spec| spec.warnings.first());
            let message = match (Format::of(&self.name), near) {
                (Format::Suite, _) => "no tests in this suite".to_owned(),
                (_, Some(near)) => format!("no cases in this file; {}", near.kind),
                _ => "no cases in this file; a case is a code block that starts with ```yaml spec-test"
                    .to_owned(),
            };
            let place = near.and_then(|near| near.place.clone());
            let error = Error::in_file(ErrorKind::Usage(message), &*self.name);
            self.spec = Err(Error { place: place.or(error.place), ..error });
        }
        self
    }

    /// Stands for a directory none of whose documents has a case.
    fn of_directory(directory: Directory) -> SpecFile {
        let message =
            "no spec file in this directory has a case; a case is a code block that starts with ```yaml spec-test"
                .to_owned();
        let error = Error::in_file(ErrorKind::Usage(message), &*directory.name);
        SpecFile::new(directory.name, Err(error), Standing::nowhere())
    }

    fn new(name: String, spec: Result<Spec, Error>, standing: Standing) -> SpecFile {
        let Standing { directory, root, config } = standing;
        SpecFile { name, spec, directory, root, config, supplied: BTreeMap::new() }
    }

    /// Its path, links to its directory followed; nothing for what was not found.
    pub(crate) fn path(&self) -> Option<PathBuf> {
        let name = Path::new(&self.name).file_name().filter(|_| self.directory.is_absolute())?;
        Some(self.directory.join(name))
    }

    /// The files that the assertions of a case name, there or not.
    pub(crate) fn supplied(&self, id: &str) -> &[PathBuf] {
        self.supplied.get(id).map_or(&[], Vec::as_slice)
    }

    /// Where it stands, and what paths in it must not leave.
    pub(crate) fn place(&self) -> (&Path, &Path) {
        (&self.directory, &self.root)
    }

    /// Its text as a subject.
    pub(crate) fn text(&self) -> &Value {
        self.spec.as_ref().map_or(&Value::Null, |spec| spec.document.text.value())
    }
}

/// What was found, and in which directories that were named.
struct Found {
    subjects: Vec<Subject>,
    directories: Vec<Directory>,
}

/// A directory that was named, with the names of its documents.
struct Directory {
    name: String,
    documents: BTreeSet<String>,
}

impl Directory {
    /// Returns true if no document in it has a case, nor an error that would say why.
    fn is_without_case(&self, files: &[SpecFile]) -> bool {
        let is_empty = |file: &SpecFile| {
            file.spec.as_ref().is_ok_and(|spec| spec.cases.is_empty() && spec.errors.is_empty())
        };
        if !files.iter().filter(|file| self.documents.contains(&file.name)).all(is_empty) {
            return false;
        }
        // A document that was named before has its name from there.
        let places: BTreeSet<PathBuf> = self.documents.iter().map(|name| place_of(Path::new(name))).collect();
        files.iter().filter(|file| places.contains(&place_of(Path::new(&file.name)))).all(is_empty)
    }
}

/// A path, links followed.
fn place_of(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// The documents, in the order of the words that named them; in a directory, in the order of the paths.
fn find(sources: &Sources) -> Found {
    let endings = || sources.formats.iter().flat_map(|format| format.endings()).copied().collect();
    let refused = |name: String, kind| {
        let error = Error::in_file(kind, &*name);
        vec![Subject { name, source: Err(error) }]
    };
    let mut directories = Vec::new();
    let one = |path: &PathBuf| {
        let name = path.display().to_string();
        match std::fs::metadata(path) {
            Ok(found) if found.is_dir() => {
                // What stands in this directory need not say so.
                let start = if name == "." { Path::new("") } else { path };
                let endings: Vec<&str> = endings();
                let found = Search::specs(start, sources.recursive, endings.clone()).run();
                if found.is_empty() {
                    let names: Vec<String> = endings.iter().map(|ending| format!("*{ending}")).collect();
                    let further =
                        if sources.recursive { " or below it" } else { "; use -r to search below it" };
                    let message = format!("no {} in this directory{further}", names.join(" or "));
                    return refused(name, ErrorKind::Usage(message));
                }
                let documents = found.iter().map(|document| document.name.clone()).collect();
                directories.push(Directory { name, documents });
                found
            }
            Ok(_) => vec![Subject { name, source: Ok(Source::File(path.clone())) }],
            Err(error) => refused(name, ErrorKind::Usage(format!("cannot be read: {}", reason(&error)))),
        }
    };
    let mut subjects: Vec<Subject> = sources.paths.iter().flat_map(one).collect();
    if sources.paths.len() > 1 {
        // A document that is named twice, in whatever words, is one.
        let mut seen = BTreeSet::new();
        subjects.retain(|subject| {
            seen.insert(match &subject.source {
                Ok(Source::File(path)) => place_of(path),
                _ => PathBuf::from(&subject.name),
            })
        });
    }
    Found { subjects, directories }
}

/// Where a document stands, links followed.
#[derive(Debug, Clone)]
struct Standing {
    directory: Arc<Path>,
    root: Arc<Path>,
    config: Arc<Result<Config, Error>>,
}

impl Standing {
    /// The place of what could not be found.
    fn nowhere() -> Standing {
        let config = Arc::new(Ok(Config::default()));
        Standing { directory: Path::new("").into(), root: Path::new("").into(), config }
    }
}

/// Directories and their contract roots, each looked for once.
#[derive(Debug, Default)]
struct Roots(std::sync::Mutex<BTreeMap<PathBuf, Standing>>);

impl Roots {
    /// The directory of a file, and its contract root: the nearest above with a mark, else the directory itself.
    fn of(&self, file: &Path) -> Standing {
        let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut known = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(known) = known.get(parent) {
            return known.clone();
        }
        let directory = std::fs::canonicalize(parent).unwrap_or_else(|_| parent.to_owned());
        let root = root::of(&directory);
        let config = Arc::new(Config::load(root));
        let standing = Standing { root: root.into(), config, directory: directory.into() };
        known.entry(parent.to_owned()).or_insert(standing).clone()
    }
}
/// Whether an id may stand twice, known while the documents are read: most runs have none that does.
#[derive(Debug, Default)]
struct Ids {
    hasher: RandomState,
    /// The hashes of all ids so far.
    seen: HashSet<u64>,
    may_repeat: bool,
}

impl Ids {
    fn note(&mut self, file: &SpecFile) {
        for case in file.spec.iter().flat_map(|spec| &spec.cases) {
            self.may_repeat |= !self.seen.insert(self.hasher.hash_one(&case.id));
        }
    }
}

/// What is wrong with cases whose id another case of the run has already.
fn repeated(files: &[SpecFile]) -> BTreeMap<(usize, usize), Error> {
    // What comes of it is in the order of the cases, not in that of this map.
    let (mut first, mut repeated) = (HashMap::new(), BTreeMap::new());
    for (at, file) in files.iter().enumerate() {
        let Ok(spec) = &file.spec else { continue };
        for (position, case) in spec.cases.iter().enumerate() {
            match first.entry(case.id.as_str()) {
                Entry::Vacant(free) => {
                    free.insert(case);
                }
                Entry::Occupied(taken) => {
                    let message =
                        format!("duplicate id '{}'; first used at {}", visible(&case.id), taken.get().place);
                    let kind = ErrorKind::MalformedQuestion(message);
                    repeated.insert((at, position), Error::at(kind, case.id_place.clone()));
                }
            }
        }
    }
    repeated
}
