//! Runs without the steps on which no answer to a question depends.
//!
//! Of a run with many steps a question needs few: that a tool was called is known by one call of it, that it was not by the
//! lack of one. Everything in a run is still checked as it is read; what is kept of it is judged like any run.
//!
//! Of the kept steps every assertion must say what it says of all: that it holds, that it does not, or that it cannot be asked. Then a
//! run that is read so passes only where the whole run does, whatever groups the assertions stand in, and gives the same rows something
//! to say no to. What is wrong with one that does not pass can be told only of the whole, and so can which tools it mentions.

mod interest;
mod keeping;
mod pieces;

use interest::{Interest, IsSo};
use keeping::Keeping;
use pieces::RunInPieces;

use super::readers::native;
use super::run::{Run, Scope, Tools};
use super::{TrajectoryAssertion, Wanted};
use crate::clause::Clause;
use crate::vocabulary::{Abridged, Pieces};

/// How many tools may be asked about, and how many things about their calls: a bit is kept for each, and one for all others.
const MOST_TOOLS: usize = 63;
const MOST_INTERESTS: usize = 32;

/// On how many calls of a tool an answer may depend.
const MOST_CALLS: u64 = 256;

/// What of a run a question depends on.
#[derive(Debug)]
pub(super) struct Abridgement<'q> {
    scope: &'q Scope,
    /// The tools that are asked about. Of each, and of one of the others, the first call is kept.
    tools: Tools<'q>,
    interests: Vec<Interest<'q>>,
    /// Which of the interests calls of each tool are of, one bit each; last, those of the other tools.
    of_tool: Vec<u64>,
}

impl<'q> Abridgement<'q> {
    /// What some rows depend on; none where it may be any of the calls.
    pub(super) fn of(rows: &'q [Clause<TrajectoryAssertion>], scope: &'q Scope) -> Option<Abridgement<'q>> {
        if matches!(scope, Scope::Agent(_)) {
            // Only the whole run says whether the agent took a step.
            return None;
        }
        let (tools, interests) = (Tools::default(), Vec::new());
        let mut all = Abridgement { scope, tools, interests, of_tool: Vec::new() };
        for row in rows {
            if row.is_malformed() {
                return None;
            }
            row.leaves().try_for_each(|assertion| all.ask(assertion))?;
        }
        if all.tools.names().len() > MOST_TOOLS || all.interests.len() > MOST_INTERESTS {
            return None;
        }
        let others = all.tools.names().len();
        all.of_tool = (0..=others).map(|tool| all.interests_in(tool)).collect();
        Some(all)
    }

    fn interests_in(&self, tool: usize) -> u64 {
        let interested = self.interests.iter().map(|interest| u64::from(interest.is_in(tool)));
        interested.rev().fold(0, |bits, bit| bits << 1 | bit)
    }

    /// The position of a tool among those that are asked about; the others share the one after them.
    #[inline]
    fn tool_of(&self, name: &str) -> usize {
        self.tools.position(name).unwrap_or_else(|| self.tools.names().len())
    }

    /// Adds what an assertion depends on beside the first call of each tool that it names, the totals of the calls of models, and
    /// all that a run records but its steps.
    fn ask(&mut self, assertion: &'q TrajectoryAssertion) -> Option<()> {
        use TrajectoryAssertion as Did;
        match assertion {
            Did::ToolWasCalled(tool) | Did::ToolNotCalled(tool) => {
                self.tool(&tool.name);
            }
            Did::ToolCallCount(count) => {
                let most = count.max.map_or(count.min, |max| max.saturating_add(1));
                self.calls(&count.name, most)?;
            }
            Did::ToolCalledWith(call) => self.some(&call.name, IsSo::Called(Wanted::All(&call.args))),
            Did::ToolCalledWithPartial(call) => self.some(&call.name, IsSo::Called(Wanted::Some(&call.args))),
            Did::ToolCalledBefore(tools) => {
                self.tool(&tools.first);
                self.tool(&tools.second);
            }
            Did::ToolCalledImmediatelyBefore(tools) => {
                let (first, second) = (self.tool(&tools.first), self.tool(&tools.second));
                self.interests.push(Interest::Adjacent { first, second });
            }
            Did::CallOrderContains(names) => {
                let tools = names.iter().map(|name| self.tool(name)).collect();
                self.interests.push(Interest::InOrder(tools));
            }
            Did::CallOrderEquals(names) => {
                let count = names.iter().map(|name| self.tool(name)).count() as u64 + 1;
                self.interests.push(Interest::First { tool: None, count: few(count)? });
            }
            Did::ToolsOnly(names) => {
                for name in names {
                    self.tool(name);
                }
            }
            Did::ToolResult(returned) => match returned.nth {
                Some(nth) => self.calls(&returned.name, nth.saturating_add(1))?,
                None => self.some(&returned.name, IsSo::Returned(returned)),
            },
            Did::ToolErrored(which) => match which.nth {
                Some(nth) => self.calls(&which.name, nth.saturating_add(1))?,
                None => self.some(&which.name, IsSo::Failed(true)),
            },
            Did::ToolSucceeded(which) => match which.nth {
                Some(nth) => self.calls(&which.name, nth.saturating_add(1))?,
                None => self.some(&which.name, IsSo::Failed(false)),
            },
            Did::IfCalled(condition) => {
                self.tool(&condition.tool);
                condition.then.assertions().iter().try_for_each(|assertion| self.ask(assertion))?;
            }
            // Any call may be one that is repeated, or that has no partner.
            Did::NoRepeatedCalls(_) | Did::CallsMatch(_) => return None,
            Did::OutputEquals(_)
            | Did::OutputContains(_)
            | Did::OutputNotContains(_)
            | Did::OutputMatches(_)
            | Did::CostUnder(_)
            | Did::TokensUnder(_)
            | Did::DurationUnder(_)
            | Did::LlmCallsUnder(_)
            | Did::Succeeded(_)
            | Did::Failed(_)
            | Did::ErrorIs(_) => {}
        }
        Some(())
    }

    /// The position of a tool among those that are asked about.
    fn tool(&mut self, name: &'q str) -> usize {
        self.tools.position(name).unwrap_or_else(|| self.tools.add(name.into()))
    }

    /// Asks for the first calls of a tool.
    fn calls(&mut self, name: &'q str, count: u64) -> Option<()> {
        let (tool, count) = (Some(self.tool(name)), few(count)?);
        self.interests.push(Interest::First { tool, count });
        Some(())
    }

    /// Asks for the first call of a tool that is so.
    fn some(&mut self, name: &'q str, is_so: IsSo<'q>) {
        let tool = self.tool(name);
        self.interests.push(Interest::Some { tool, is_so });
    }
}

fn few(count: u64) -> Option<u64> {
    (count <= MOST_CALLS).then_some(count)
}

impl Abridged<TrajectoryAssertion> for Abridgement<'_> {
    fn read<'s>(&self, json: &'s [u8]) -> Option<Run<'s>> {
        let mut keeping = Keeping::new(self);
        let run = native::read_plain(json, &mut keeping)?;
        keeping.run(run)
    }

    fn pieces(&self) -> Box<dyn Pieces<TrajectoryAssertion> + '_> {
        Box::new(RunInPieces::new(self))
    }
}
