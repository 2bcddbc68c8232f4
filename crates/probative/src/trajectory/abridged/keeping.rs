//! The steps of one run as they come by, and those of them that are kept.

use super::interest::Worth;
use super::{Abridgement, MOST_INTERESTS};
use crate::trajectory::model::{Event, Step, ToolCall, Trajectory};
use crate::trajectory::readers::native::{Outline, Takes};
use crate::trajectory::run::{ModelCalls, Run, Scope};

/// How many steps are kept at most. Where more would be, little is left out.
const MOST_KEPT: usize = 1024;

/// How many there is room for from the beginning.
const EXPECTED: usize = 8;

/// Takes the steps of a run, and keeps those on which an answer depends.
pub(super) struct Keeping<'a, 'q, 't> {
    by: &'a Abridgement<'q>,
    kept: Vec<Step<'t>>,
    /// The positions of the calls among these before which others were left out.
    apart: Vec<usize>,
    models: ModelCalls,
    /// How many steps came by, and how many of them are in scope.
    count: usize,
    in_scope: usize,
    /// The tools that were called, in scope and beyond it, one bit each.
    called: u64,
    called_beyond: u64,
    /// The interests to which another call may matter, one bit each, and how far each has come.
    open: u64,
    progress: [u64; MOST_INTERESTS],
    /// The tool of the last call in scope, and whether that was kept.
    last: Option<usize>,
    is_last_kept: bool,
}

impl<'a, 'q, 't> Keeping<'a, 'q, 't> {
    pub(super) fn new(by: &'a Abridgement<'q>) -> Self {
        Keeping {
            by,
            kept: Vec::with_capacity(EXPECTED),
            apart: Vec::new(),
            models: ModelCalls::default(),
            count: 0,
            in_scope: 0,
            called: 0,
            called_beyond: 0,
            open: u64::MAX,
            progress: [0; MOST_INTERESTS],
            last: None,
            is_last_kept: true,
        }
    }

    /// Whether a step is to be kept; it is counted in any case.
    #[inline]
    pub(super) fn wants(&mut self, step: &Step<'_>) -> bool {
        self.count += 1;
        let is_in_scope = self.by.scope.includes(step);
        self.in_scope += usize::from(is_in_scope);
        match &step.event {
            Event::ToolCall(call) => self.wants_call(call, is_in_scope),
            Event::LlmCall(call) => {
                if is_in_scope {
                    self.models.add(call.tokens(), call.least_tokens(), call.cost);
                }
                false
            }
            Event::StateChange(_) => false,
        }
    }

    #[inline]
    fn wants_call(&mut self, call: &ToolCall<'_>, is_in_scope: bool) -> bool {
        let tool = self.by.tool_of(&call.name);
        let bit = 1 << tool;
        if !is_in_scope {
            let is_first = self.called_beyond & bit == 0;
            self.called_beyond |= bit;
            return is_first;
        }
        let mut is_wanted = self.called & bit == 0;
        self.called |= bit;
        let mut asking = self.by.of_tool[tool] & self.open;
        while asking != 0 {
            is_wanted |= self.is_worth(asking.trailing_zeros() as usize, call, tool);
            asking &= asking - 1;
        }
        if is_wanted && !self.is_last_kept && !self.has_too_many() {
            self.apart.push(self.kept.len());
        }
        (self.last, self.is_last_kept) = (Some(tool), is_wanted);
        is_wanted
    }

    /// Whether a call is worth something to an interest.
    fn is_worth(&mut self, interest: usize, call: &ToolCall<'_>, tool: usize) -> bool {
        let worth = self.by.interests[interest].worth(call, tool, self.last, &mut self.progress[interest]);
        if worth == Worth::Last {
            self.open &= !(1 << interest);
        }
        worth != Worth::Nothing
    }

    /// Keeps a step, unless there are too many already.
    pub(super) fn keep(&mut self, step: Step<'t>) {
        if !self.has_too_many() {
            self.kept.push(step);
        }
    }

    /// Whether more steps are wanted than are kept.
    pub(super) fn has_too_many(&self) -> bool {
        self.kept.len() > MOST_KEPT
    }

    /// The run, of which all but the steps is given. None if too many of these would have to be kept, or nobody has the name that is
    /// asked for, which must be told.
    pub(super) fn run(self, run: Trajectory<'t>) -> Option<Run<'t>> {
        let has_too_many = self.has_too_many();
        let Keeping { by, kept, apart, models, in_scope, .. } = self;
        let is_nobody = in_scope == 0 && matches!(by.scope, Scope::Agent(_));
        // So must what its source could not say, and a duration of 0, which timestamps may contradict that are not kept.
        if is_nobody || has_too_many || run.source.is_some() || run.duration_seconds == Some(0.0) {
            return None;
        }
        let run = Run::abridged(Trajectory { steps: kept, ..run }, by.scope.clone(), models, &apart);
        // And so must totals that contradict the steps.
        run.contradictions().is_empty().then_some(run)
    }
}

impl<'t> Takes<'t> for Keeping<'_, '_, 't> {
    fn begin(&mut self, _expected: usize) {
        if self.count > 0 {
            *self = Keeping::new(self.by);
        }
    }

    fn count(&self) -> usize {
        self.count
    }

    #[inline]
    fn take(&mut self, step: Step<'t>) {
        if self.wants(&step) {
            self.keep(step);
        }
    }

    const MAY_PASS_BY: bool = true;

    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "most steps are such, and a call costs more than passing one by"
    )]
    fn passes_by(&mut self, step: Outline<'_>) -> bool {
        if matches!(self.by.scope, Scope::Agent(_)) {
            return false;
        }
        match step {
            Outline::ToolCall(name) => {
                let tool = self.by.tool_of(name);
                if self.called & 1 << tool == 0 || self.by.of_tool[tool] & self.open != 0 {
                    return false;
                }
                (self.last, self.is_last_kept) = (Some(tool), false);
            }
            Outline::LlmCall { tokens: Some(tokens), cost } => self.models.add(Some(tokens), tokens, cost),
            // A part of its tokens may be recorded.
            Outline::LlmCall { tokens: None, .. } => return false,
            Outline::StateChange => {}
        }
        self.count += 1;
        self.in_scope += 1;
        true
    }
}
