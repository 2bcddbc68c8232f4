//! A run that is read piece by piece, so that not all of its text is held.

use super::Abridgement;
use super::keeping::Keeping;
use crate::spec::is_envelope;
use crate::trajectory::TrajectoryAssertion;
use crate::trajectory::json::Json;
use crate::trajectory::model::{Event, Step};
use crate::trajectory::readers::native::{self, Outline, StepsInPieces, Takes};
use crate::trajectory::run::Run;
use crate::vocabulary::Pieces;

/// How many bytes of arguments and results are kept at most: what they become takes several times as much.
const MOST_TEXT: usize = 1 << 18;

/// One run, of which the steps that are kept borrow nothing.
pub(super) struct RunInPieces<'a, 'q> {
    text: StepsInPieces,
    kept: Owned<'a, 'q>,
}

impl<'a, 'q> RunInPieces<'a, 'q> {
    pub(super) fn new(by: &'a Abridgement<'q>) -> Self {
        RunInPieces { text: StepsInPieces::default(), kept: Owned { keeping: Keeping::new(by), length: 0 } }
    }
}

impl Pieces<TrajectoryAssertion> for RunInPieces<'_, '_> {
    fn advance(&mut self, held: &[u8], is_rest: bool) -> Option<usize> {
        let read = self.text.advance(held, is_rest, &mut self.kept)?;
        (!self.kept.is_too_much()).then_some(read)
    }

    fn subject(self: Box<Self>) -> Option<Run<'static>> {
        if is_envelope(self.text.around()) {
            return None;
        }
        let around = native::read_plain(self.text.around(), &mut Vec::new())?.into_owned();
        self.kept.keeping.run(around)
    }
}

/// Takes steps, and makes those that are kept its own.
struct Owned<'a, 'q> {
    keeping: Keeping<'a, 'q, 'static>,
    /// How long the arguments and results of these are together.
    length: usize,
}

impl Owned<'_, '_> {
    fn is_too_much(&self) -> bool {
        self.length > MOST_TEXT || self.keeping.has_too_many()
    }
}

impl<'t> Takes<'t> for Owned<'_, '_> {
    fn begin(&mut self, expected: usize) {
        self.keeping.begin(expected);
    }

    fn count(&self) -> usize {
        self.keeping.count()
    }

    #[inline]
    fn take(&mut self, step: Step<'t>) {
        if !self.keeping.wants(&step) {
            return;
        }
        if let Event::ToolCall(call) = &step.event {
            let texts = [&call.args, &call.result].into_iter().flatten();
            self.length += texts.map(Json::written_len).sum::<usize>();
        }
        if !self.is_too_much() {
            self.keeping.keep(step.into_owned());
        }
    }

    const MAY_PASS_BY: bool = true;

    #[inline]
    fn passes_by(&mut self, step: Outline<'_>) -> bool {
        self.keeping.passes_by(step)
    }
}
