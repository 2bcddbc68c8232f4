//! What a case depends on.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use probative::spec::types::Source;
use probative::spec::{Plan, Work};

use crate::config;
use crate::harness::recordings;
use crate::inside::without_dots;
use crate::search::GLOB;
use crate::suite::{Item, SpecFile, Suite};

/// What an item of a suite depends on. Every path is one as the system names it; a file behind a link has two.
#[derive(Debug, Default)]
pub(super) struct Need {
    /// The document that it stands in.
    pub(super) document: Arc<[PathBuf]>,
    /// The path at which nothing could be found, if it is about that.
    pub(super) missing: Option<PathBuf>,
    /// The configuration.
    pub(super) config: Option<PathBuf>,
    /// What was recorded, and is nothing else.
    pub(super) recorded: Vec<PathBuf>,
    /// What else may be recorded: its names.
    pub(super) pattern: Option<glob::Pattern>,
    /// What is read, and may be anything, such as a program.
    pub(super) texts: Vec<PathBuf>,
    /// The contract root, where it runs something: whatever is below may be a part of that.
    pub(super) runs: Option<PathBuf>,
}

impl Need {
    /// What every item of a suite depends on, in order. `responses` is where tests of suites find recorded ones.
    pub(super) fn of_all(suite: &Suite, responses: Option<&Path>) -> Vec<Need> {
        // The items of a document come one after the other.
        let mut last = (PathBuf::new(), Arc::default());
        let need = |item: Item<'_>| {
            let Some(path) = item.file().path() else { return Need::of_missing(&item.file().name) };
            if last.0 != path {
                last = (path.clone(), names(&path).into());
            }
            Need::of(item, Arc::clone(&last.1), responses)
        };
        suite.items().map(need).collect()
    }

    fn of_missing(name: &str) -> Need {
        let missing = std::fs::canonicalize(name).or_else(|_| std::path::absolute(name));
        Need { missing: missing.ok().map(|path| without_dots(&path)), ..Need::default() }
    }

    fn of(item: Item<'_>, document: Arc<[PathBuf]>, responses: Option<&Path>) -> Need {
        let file = item.file();
        let mut need = Need { document, config: Some(file.root.join(config::NAME)), ..Need::default() };
        let Some(case) = item.case() else { return need };
        need.recorded.extend(file.supplied(&case.id).iter().flat_map(|path| names(path)));
        if let Plan::Run(run) = &case.plan {
            need.take(&run.work, file, &case.id, responses);
        }
        need
    }

    /// Takes what the work of a case depends on.
    fn take(&mut self, work: &Work, file: &SpecFile, id: &str, responses: Option<&Path>) {
        let runs = || Some(file.root.to_path_buf());
        match work {
            Work::TextFile(text) => {
                self.texts =
                    text.path.iter().flat_map(|path| names(&file.directory.join(path.as_str()))).collect();
            }
            Work::CliRun(_) => self.runs = runs(),
            Work::ApiHttp(http) => match http.request.file() {
                None => self.runs = runs(),
                Some(name) => self.texts = names(&file.directory.join(name)),
            },
            Work::Agent(agent) => match agent.source() {
                Source::Written => {}
                Source::Run(_) => self.runs = runs(),
                Source::Recorded(path) => {
                    let found = recordings(path, file).unwrap_or_default();
                    self.recorded.extend(found.iter().flat_map(|name| names(&file.directory.join(name))));
                    let directory = glob::Pattern::escape(&file.directory.display().to_string());
                    self.pattern = glob::Pattern::new(&format!("{directory}/{}", path.as_str())).ok();
                }
            },
            Work::Conversation(conversation) => match responses {
                None => self.runs = runs(),
                Some(directory) => {
                    let directory = std::fs::canonicalize(directory).unwrap_or_else(|_| directory.to_owned());
                    for turn in &conversation.turns {
                        let step = turn.step.as_ref().map(|step| format!(".{step}")).unwrap_or_default();
                        let name = |ending| directory.join(format!("{id}{step}.{ending}"));
                        self.recorded.extend(["json", "txt"].map(name));
                    }
                }
            },
        }
    }

    /// The files that are known to be read, there or not.
    pub(super) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.document.iter().chain(&self.config).chain(&self.recorded).chain(&self.texts)
    }

    /// The contract root.
    pub(super) fn root(&self) -> Option<&Path> {
        self.config.as_ref().and_then(|config| config.parent())
    }

    /// The directories in which these are, or would be.
    pub(super) fn directories(&self) -> impl Iterator<Item = &Path> {
        let parents = self.files().chain(&self.missing).filter_map(|file| file.parent());
        parents.chain(self.missing.as_deref())
    }

    /// Whether a path is that of something recorded.
    pub(super) fn is_recorded_at(&self, path: &Path) -> bool {
        self.recorded.iter().any(|recorded| recorded == path)
            || self.pattern.as_ref().is_some_and(|pattern| pattern.matches_path_with(path, GLOB))
    }
}

/// The names of a file: the one that is written, and where links lead to.
fn names(path: &Path) -> Vec<PathBuf> {
    let written = without_dots(path);
    let real = std::fs::canonicalize(path).ok().filter(|real| *real != written);
    std::iter::once(written).chain(real).collect()
}
