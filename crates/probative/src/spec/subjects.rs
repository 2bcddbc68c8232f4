//! What came of a case, read in the words it is asked in: each at most once.

use std::cell::OnceCell;

use super::answer::Artifact;
use super::assert::Observed;
#[cfg(feature = "cupel")]
use crate::context::ContextAssertion;
use crate::json::{JsonDocument, View as _};
use crate::response::ResponseAssertion;
use crate::trajectory::{self, Lost, Scope, TrajectoryAssertion};
use crate::value::{Tree, Value};
use crate::verdict::Error;
use crate::vocabularies::About;
use crate::vocabulary::{NoSetting, Read, Vocabulary};
use crate::written::malformed;

type Cell<S> = OnceCell<Result<Read<S>, Error>>;

/// The subjects of one case.
pub(super) struct Subjects<'o> {
    observed: &'o dyn Observed,
    scope: Scope,
    response: Cell<JsonDocument<'o>>,
    trajectory: Cell<trajectory::Run<'o>>,
    #[cfg(feature = "cupel")]
    report: Cell<<ContextAssertion as Vocabulary>::Subject<'o>>,
    /// Each subject as plain JSON, for expressions.
    plain: [OnceCell<Result<Value, Error>>; 3],
}

impl<'o> Subjects<'o> {
    pub(super) fn of(observed: &'o dyn Observed, scope: Scope) -> Subjects<'o> {
        Subjects {
            observed,
            scope,
            response: OnceCell::new(),
            trajectory: OnceCell::new(),
            #[cfg(feature = "cupel")]
            report: OnceCell::new(),
            plain: [const { OnceCell::new() }; 3],
        }
    }

    pub(super) fn observed(&self) -> &'o dyn Observed {
        self.observed
    }

    pub(super) fn response(&self) -> Result<&JsonDocument<'o>, Error> {
        let read = || self.read::<ResponseAssertion>(About::Response, &NoSetting);
        subject(self.response.get_or_init(read))
    }

    pub(super) fn trajectory(&self) -> Result<&trajectory::Run<'o>, Error> {
        let read = || self.read::<TrajectoryAssertion>(About::Trajectory, &self.scope);
        subject(self.trajectory.get_or_init(read))
    }

    #[cfg(feature = "cupel")]
    pub(super) fn report(&self) -> Result<&<ContextAssertion as Vocabulary>::Subject<'o>, Error> {
        let read = || self.read::<ContextAssertion>(About::Report, &NoSetting);
        subject(self.report.get_or_init(read))
    }

    /// A subject as plain JSON.
    pub(super) fn json(&self, about: About) -> Result<&Value, Error> {
        let cell = match about {
            About::Response => {
                let read = || self.response().map(|response| response.root().to_value());
                return self.plain[2].get_or_init(read).as_ref().map_err(Error::clone);
            }
            About::Trajectory => &self.plain[0],
            #[cfg(feature = "cupel")]
            About::Report => &self.plain[1],
        };
        let read = || {
            let artifact = self.artifact(about)?;
            let bytes = artifact.written().bytes();
            let told = |cause| missing(about)(artifact.told(malformed(&cause, bytes, &artifact.name, None)));
            Tree::read(bytes).map(|tree| tree.value).map_err(told)
        };
        cell.get_or_init(read).as_ref().map_err(Error::clone)
    }

    /// The tools that the run mentions, where one came.
    pub(super) fn mentions(&self) -> Vec<String> {
        if self.observed.artifact(About::Trajectory).is_err() {
            return Vec::new();
        }
        self.trajectory().map(TrajectoryAssertion::mentions).unwrap_or_default()
    }

    /// What the source of the run could not say, where one was looked at.
    pub(super) fn losses(&self) -> Vec<Lost> {
        match self.trajectory.get() {
            Some(Ok(read)) => TrajectoryAssertion::losses(&read.subject),
            Some(Err(_)) | None => Vec::new(),
        }
    }

    /// What the reader of a report should know about what was read.
    pub(super) fn warnings(&self) -> Vec<String> {
        let mut warnings = warnings(&self.response);
        warnings.extend(self::warnings(&self.trajectory));
        #[cfg(feature = "cupel")]
        warnings.extend(self::warnings(&self.report));
        warnings
    }

    fn read<A: Vocabulary>(&self, about: About, setting: &A::Setting) -> Result<Read<A::Subject<'o>>, Error> {
        self.artifact(about)?.read::<A>(setting).map_err(missing(about))
    }

    fn artifact(&self, about: About) -> Result<&'o Artifact, Error> {
        self.observed.artifact(about).map_err(missing(about))
    }
}

/// Says of an error that it is about a part of the output as a whole.
fn missing(about: About) -> impl Fn(Error) -> Error {
    move |error| error.missing(about, 0)
}

fn subject<S>(read: &Result<Read<S>, Error>) -> Result<&S, Error> {
    read.as_ref().map(|read| &read.subject).map_err(Error::clone)
}

fn warnings<S>(cell: &Cell<S>) -> Vec<String> {
    match cell.get() {
        Some(Ok(read)) => read.warnings.clone(),
        Some(Err(_)) | None => Vec::new(),
    }
}
