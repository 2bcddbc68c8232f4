//! The run that the spans of a trace tell.

use std::collections::VecDeque;

use indexmap::{IndexMap, IndexSet};

use super::Trace;
use super::dumped;
use super::messages::{self, Asked, Response};
use super::order::{self, Event};
use super::span::{Kind, Span};
use super::stops;
use super::time::in_seconds;
use super::tree::{self, Place};
use crate::trajectory::model::{LlmCall, RunError};
use crate::trajectory::readers::json::{amount, count, get, sum};
use crate::trajectory::readers::recorder::{Args, Mark, Outcome, Recorder};
use crate::trajectory::readers::{NoteKind, TraceFormat};
use crate::value::Value;

/// The run of a trace. `lost` is how many spans of the file could not be read, which may be of any trace.
pub(super) fn told(id: String, trace: Trace, lost: usize) -> Recorder {
    let Trace { mut spans, by_id, repeated } = trace;
    let places = tree::places(&spans, &by_id);
    order::merge_repeated_calls(&mut spans, &places);
    let levels = order::levels(&spans, &places);
    let mut run = Recorder::new(TraceFormat::Otlp);
    run.run().run_id = Some(id.into()).filter(|id: &std::borrow::Cow<'_, str>| !id.is_empty());
    for _ in 0..repeated {
        run.note(NoteKind::Repeated, || "a span".to_owned());
    }
    let models = spans.iter().filter(|span| span.kind == Kind::Llm);
    let around_models: IndexSet<String> = models.map(|span| span.parent.clone()).collect();
    // One around the call of a model repeats what that tells.
    for span in spans.iter_mut().filter(|span| span.is_silent && !around_models.contains(&span.id)) {
        let what = format!("span '{}' has no attribute that says what it did", span.name);
        span.not_understood.get_or_insert(what);
    }
    let mut is_lossy = lost > 0;
    for what in spans.iter_mut().filter_map(|span| span.not_understood.take()) {
        run.not_understood(|| what);
        is_lossy = true;
    }
    for _ in 0..lost {
        run.not_understood(|| "a span that isn't an object with ids".to_owned());
    }
    let events = order::events(&spans, &places, &levels);
    let llms = spans.iter().zip(&places).filter(|(span, _)| span.kind == Kind::Llm);
    let call_models = llms.filter_map(|(_, place)| place.agent).collect();
    let was_told = vec![false; spans.len()];
    let mut telling = Telling {
        run,
        spans,
        places,
        levels,
        call_models,
        was_told,
        by_id: IndexMap::new(),
        by_name: IndexMap::new(),
        waiting: IndexMap::new(),
        tools_told: None,
        tools: IndexSet::new(),
        was_recorded: false,
        stops: 0,
    };
    telling.index_tools();
    telling.begin();
    for event in events {
        match event {
            Event::Span(index) if telling.spans[index].kind == Kind::Llm => telling.llm(index),
            Event::Span(index) => telling.unasked_tool(index),
            Event::End(index) => telling.end_of_agent(index),
        }
    }
    let mut run = telling.finish();
    if is_lossy {
        // What is missing may be what failed, or began first.
        run.run().duration_seconds = None;
        if run.run().error.is_none() {
            run.goes_on();
        }
    }
    run
}

/// The agent by whose steps calls are matched: `None` is the run's own.
type Scope = Option<usize>;

struct Telling {
    run: Recorder,
    spans: Vec<Span>,
    places: Vec<Place>,
    /// Of each agent, how many agents it is in, itself included; 0 of one that only holds others together.
    levels: IndexMap<usize, u32>,
    /// The agents that have spans of calls of models.
    call_models: IndexSet<usize>,
    was_told: Vec<bool>,
    /// The spans of calls, by their ids.
    by_id: IndexMap<(Scope, String), VecDeque<usize>>,
    /// The same by the names of tools: those without an id, and all.
    by_name: IndexMap<(Scope, String, bool), VecDeque<usize>>,
    /// Calls of which it is not known yet what came of them.
    waiting: IndexMap<Scope, Vec<Waiting>>,
    /// The list of tools that was read last, and the tools of all of them.
    tools_told: Option<Value>,
    tools: IndexSet<String>,
    /// Whether anything that the agent said was recorded.
    was_recorded: bool,
    /// Number of times a model stopped for calls, minus the calls seen since.
    stops: usize,
}

struct Waiting {
    id: Option<String>,
    name: String,
    step: usize,
    outcome: Outcome,
    /// Whether it has a span of its own, which does not tell what came of it.
    has_span: bool,
    /// How many models were called since.
    models: usize,
}

/// After so many calls of models nobody tells any more what came of a call.
const TOLD_WITHIN: usize = 8;

impl Telling {
    /// How deep among sub-agents a span is, and whose calls its calls are matched with.
    fn scope(&self, index: usize) -> (u32, Scope) {
        let agent = self.places[index].agent;
        let level = agent.and_then(|agent| self.levels.get(&agent).copied()).unwrap_or_default();
        let depth = level.saturating_sub(1);
        (depth, agent.filter(|_| depth > 0))
    }

    fn mark(&self, index: usize) -> Mark {
        let (depth, scope) = self.scope(index);
        let timestamp = self.spans[index].start.as_ref().and_then(|start| start.told.clone());
        Mark { timestamp, depth, parent: scope.map(|agent| self.agent_name(agent)) }
    }

    /// The name of an agent, else the id of the call that it runs in.
    fn agent_name(&self, agent: usize) -> String {
        let span = &self.spans[agent];
        let call = || self.places[agent].tool.and_then(|tool| self.spans[tool].call_id());
        let name = span.text(&["gen_ai.agent.name", "agent.name"]).or_else(call);
        name.or_else(|| span.text(&["gen_ai.agent.id"])).unwrap_or(&span.name).to_owned()
    }

    fn index_tools(&mut self) {
        let mut tools: Vec<usize> =
            (0..self.spans.len()).filter(|index| self.spans[*index].kind == Kind::Tool).collect();
        tools.sort_by_key(|index| (self.places[*index].start, self.places[*index].order));
        for index in tools {
            let (_, scope) = self.scope(index);
            let (id, name) = (self.spans[index].call_id(), self.spans[index].tool_name().to_owned());
            match id.map(str::to_owned) {
                Some(id) => self.by_id.entry((scope, id)).or_default().push_back(index),
                None => self.by_name.entry((scope, name.clone(), false)).or_default().push_back(index),
            }
            self.by_name.entry((scope, name, true)).or_default().push_back(index);
        }
    }

    /// What the outermost agent was given.
    fn begin(&mut self) {
        let is_own = |index: &usize| self.levels.get(index).is_some_and(|level| *level <= 1);
        let mut agents: Vec<usize> = self.levels.keys().copied().filter(is_own).collect();
        agents.sort_by_key(|index| (self.places[*index].start, self.places[*index].order));
        let task = agents.iter().find_map(|index| messages::task(&self.spans[*index]));
        let task = task.or_else(|| self.chains().find_map(|index| messages::question(&self.spans[index])));
        if task.is_some() {
            self.run.heard(task);
        }
        for index in agents {
            self.list_tools(index);
        }
    }

    /// What holds all together, where that is no agent.
    fn chains(&self) -> impl Iterator<Item = usize> {
        let is_one = |index: &usize| self.places[*index].is_root && self.spans[*index].kind == Kind::Chain;
        let mut chains: Vec<usize> = (0..self.spans.len()).filter(is_one).collect();
        chains.sort_by_key(|index| (self.places[*index].start, self.places[*index].order));
        chains.into_iter()
    }

    fn list_tools(&mut self, index: usize) {
        let span = &self.spans[index];
        let written = span.attributes.get("gen_ai.tool.definitions");
        if written.is_some() && written == self.tools_told.as_ref() {
            return;
        }
        for name in messages::tools(span) {
            if self.tools.insert(name.clone().into_owned()) {
                self.run.run().tools.push(name);
            }
        }
        self.tools_told = written.cloned();
    }

    fn llm(&mut self, index: usize) {
        let (depth, scope) = self.scope(index);
        if depth == 0 {
            self.list_tools(index);
            if self.run.run().input.is_none() {
                let request = messages::request(&self.spans[index]);
                self.run.heard(request);
            }
        }
        self.take_responses(index, scope);
        let call = llm_call(&self.spans[index]);
        let mark = self.mark(index);
        self.run.llm(call, mark.clone());
        if depth == 0 && self.spans[index].failure.is_some() {
            // What was said before it is not the answer.
            self.run.broke_off();
        }
        let stops_for_calls = stops::for_calls(&self.spans[index]);
        let said = messages::said(&mut self.spans[index], &mut self.run);
        let has_calls = said.as_ref().is_some_and(|said| !said.calls.is_empty());
        let stops_for_calls = stops_for_calls || said.as_ref().is_some_and(|said| said.stops_for_calls);
        self.stops += usize::from(stops_for_calls && !has_calls);
        let Some(said) = said else { return };
        self.was_recorded |= depth == 0;
        if let Some(text) = said.text.filter(|text| !text.is_empty() && depth == 0) {
            self.run.said(text);
        }
        self.take_calls(said.calls, scope, &mark);
        if !said.responses.is_empty() {
            self.settle(scope, said.responses);
        }
    }

    /// Tells the calls that a model asked for: by their spans, else by what the model said.
    fn take_calls(&mut self, calls: Vec<Asked>, scope: Scope, mark: &Mark) {
        for asked in calls {
            if let Some(span) = self.span_of(scope, &asked) {
                self.tool(span, asked.args);
                continue;
            }
            let Asked { id, name, args } = asked;
            let mark = Mark { timestamp: None, ..mark.clone() };
            let step = self.run.call(id.as_deref(), name.clone(), Args::from(args), mark);
            let waiting = Waiting { id, name, step, outcome: Outcome::Unknown, has_span: false, models: 0 };
            self.waiting.entry(scope).or_default().push(waiting);
        }
    }

    /// The span of a call: the first with its id that is left; where either has no id, the first of its tool. Spans that
    /// began before the model was called are told already.
    fn span_of(&mut self, scope: Scope, asked: &Asked) -> Option<usize> {
        let was_told = &self.was_told;
        let first = |spans: &mut VecDeque<usize>| {
            while spans.front().is_some_and(|span| was_told[*span]) {
                spans.pop_front();
            }
            spans.front().copied()
        };
        let by_id = asked.id.clone().and_then(|id| first(self.by_id.get_mut(&(scope, id))?));
        by_id.or_else(|| first(self.by_name.get_mut(&(scope, asked.name.clone(), asked.id.is_none()))?))
    }

    /// Tells a call by its span, where no model is known to have asked for it. A model that stopped for calls did.
    fn unasked_tool(&mut self, index: usize) {
        if !self.was_told[index] {
            self.stops = self.stops.saturating_sub(1);
            self.tool(index, None);
        }
    }

    /// Tells a call by its span; `asked` are the arguments that the model gave it, where that is known.
    fn tool(&mut self, index: usize, asked: Option<Value>) {
        if std::mem::replace(&mut self.was_told[index], true) {
            return;
        }
        let (_, scope) = self.scope(index);
        let mark = self.mark(index);
        let span = &mut self.spans[index];
        let (id, name) = (span.call_id().map(str::to_owned), span.tool_name().to_owned());
        let is_guessed = span.recorded_tool_name().is_none();
        let args = match (messages::arguments(span), asked) {
            // Some write what a tool was given as no JSON; the model did.
            (Some(Value::String(text)), Some(asked)) if !["", "null"].contains(&text.trim()) => {
                Args::Given(asked)
            }
            (None, Some(asked)) => Args::Given(asked),
            (Some(told), _) => Args::Given(told),
            (None, None) => Args::Unrecorded,
        };
        let result = span.take(&["gen_ai.tool.call.result", "output.value", "tool_response"]);
        let (result, says_failed) = dumped::result(result);
        let outcome = match span.failure.take() {
            Some(RunError { r#type: None, message: None, .. }) => {
                Outcome::flagged(Some(true), result.as_ref())
            }
            Some(failure) => Outcome::Failed(failure),
            None if says_failed => Outcome::flagged(Some(true), result.as_ref()),
            None if span.end.is_none() || span.has_odd_status => Outcome::Unknown,
            None => Outcome::Succeeded,
        };
        if is_guessed {
            self.run.not_understood(|| format!("span '{name}' calls a tool but doesn't name it"));
        }
        let step = self.run.call(id.as_deref(), name.clone(), args, mark);
        if result.is_some() || matches!(outcome, Outcome::Failed(_)) {
            self.run.settle(step, result, outcome);
            return;
        }
        let waiting = Waiting { id, name, step, outcome, has_span: true, models: 0 };
        self.waiting.entry(scope).or_default().push(waiting);
    }

    /// What a model was told about the calls before it.
    fn take_responses(&mut self, index: usize, scope: Scope) {
        if self.waiting.get(&scope).is_none_or(Vec::is_empty) {
            return;
        }
        let responses = messages::responses(&mut self.spans[index]);
        let is_recorded = responses.is_some();
        self.settle(scope, responses.unwrap_or_default());
        let Some(waiting) = self.waiting.get_mut(&scope) else { return };
        for call in waiting.iter_mut() {
            call.models += 1;
        }
        let is_over = |call: &mut Waiting| call.models >= TOLD_WITHIN || !(call.has_span || is_recorded);
        for Waiting { step, outcome, has_span, .. } in waiting.extract_if(.., is_over) {
            if has_span || !is_recorded {
                self.run.untold(step, outcome);
            }
        }
    }

    /// Settles calls by what a model was told of them. It is told of all calls so far each time, so the last that fit count.
    fn settle(&mut self, scope: Scope, responses: Vec<Response>) {
        let mut by_id: IndexMap<String, Vec<Option<Value>>> = IndexMap::new();
        let mut by_name: IndexMap<String, Vec<Option<Value>>> = IndexMap::new();
        let mut others = Vec::new();
        for Response { id, name, result } in responses {
            match (id, name) {
                (Some(id), _) => by_id.entry(id).or_default().push(result),
                (None, Some(name)) => by_name.entry(name).or_default().push(result),
                (None, None) => others.push(result),
            }
        }
        let Some(waiting) = self.waiting.get_mut(&scope) else { return };
        let mut left = Vec::new();
        for call in std::mem::take(waiting).into_iter().rev() {
            let result = call.id.as_ref().and_then(|id| by_id.get_mut(id)?.pop());
            let result = result.or_else(|| by_name.get_mut(&call.name)?.pop()).or_else(|| others.pop());
            match result {
                Some(result) => self.run.settle(call.step, result, call.outcome),
                None => left.push(call),
            }
        }
        left.reverse();
        *waiting = left;
    }

    /// The last word of an agent that is no sub-agent.
    fn end_of_agent(&mut self, index: usize) {
        let calls_models = self.call_models.contains(&index);
        let said = messages::said(&mut self.spans[index], &mut self.run);
        let output = self.spans[index].take(&["output.value"]);
        let output = output.as_ref().and_then(Value::as_str).map(str::to_owned);
        self.was_recorded |= said.is_some() || output.is_some();
        let said = said.unwrap_or_default();
        if !calls_models {
            let mark = Mark::default();
            self.take_calls(said.calls, None, &mark);
            self.settle(None, said.responses);
        }
        let output = match output.as_deref().and_then(dumped::messages) {
            // What a model was recorded to have said last is what they end with.
            Some(_) if self.run.run().final_output.is_some() => None,
            Some(messages) => dumped::answer(messages),
            None => output,
        };
        if let Some(text) = said.text.or(output).filter(|text| !text.is_empty()) {
            self.run.said(text);
        }
    }

    fn finish(mut self) -> Recorder {
        if self.run.run().input.is_none() {
            let input = self.chains().find_map(|index| messages::task(&self.spans[index]));
            self.run.run().input = input.map(Into::into);
        }
        for Waiting { step, outcome, .. } in
            self.waiting.drain(..).flat_map(|(_, calls)| calls).filter(|call| call.has_span)
        {
            self.run.untold(step, outcome);
        }
        for _ in 0..self.stops {
            self.run
                .not_understood(|| "a model stopped to call tools, but the calls aren't recorded".to_owned());
        }
        let all = 0..self.spans.len();
        let outermost: Vec<usize> = all
            .clone()
            .filter(|index| self.spans[*index].kind == Kind::Agent && self.places[*index].agents == 0)
            .collect();
        let roots: Vec<usize> = all.filter(|index| self.places[*index].is_root).collect();
        let last = outermost
            .iter()
            .copied()
            .max_by_key(|index| (self.places[*index].start, self.places[*index].order));
        let has_llm = self.spans.iter().any(|span| span.kind == Kind::Llm);
        let whole = match (&*roots, &*outermost) {
            ([only], _) | (_, [only]) => Some(*only),
            _ => None,
        };
        let run = self.run.run();
        run.duration_seconds = whole.and_then(|whole| {
            let (start, end) = (self.spans[whole].start.as_ref()?, self.spans[whole].end.as_ref()?);
            in_seconds(end.nanoseconds.saturating_sub(start.nanoseconds))
        });
        run.unknown.llm_calls = !has_llm;
        run.unknown.final_output = run.final_output.is_none() && !self.was_recorded;
        if let ([agent], false) = (&*outermost, has_llm) {
            let LlmCall { prompt_tokens, completion_tokens, cost, .. } = llm_call(&self.spans[*agent]);
            run.total_tokens =
                prompt_tokens.zip(completion_tokens).and_then(|(a, b)| sum([Some(a), Some(b)]));
            run.total_cost = cost;
        }
        let only = if let [only] = *roots { Some(only) } else { None };
        let has_failed = |index: &usize| self.spans[*index].failure.is_some();
        // A call that failed may be made again; a run that did is over.
        let failed_runs =
            roots.iter().filter(|root| !matches!(self.spans[**root].kind, Kind::Llm | Kind::Tool));
        let mut failed_runs = failed_runs.copied().filter(has_failed);
        // What an agent did well may have failed around it, or beside it.
        let around = last.map(|last| self.places[last].root).or(only);
        let ending = around
            .filter(has_failed)
            .or(last.filter(has_failed))
            .or_else(|| failed_runs.clone().find(|root| self.spans[*root].parent.is_empty()))
            .or(last)
            .or(only.filter(|only| self.spans[*only].kind == Kind::Chain));
        let has_odd_status = |index: usize| self.spans[index].has_odd_status;
        // The parent of a root that has one isn't in the file, and may have handled the failure.
        let may_have_failed =
            !ending.is_some_and(|ending| has_failed(&ending)) && failed_runs.next().is_some();
        if may_have_failed || around.into_iter().chain(ending).any(has_odd_status) {
            self.run.broke_off();
        } else if let Some(span) = ending.map(|ending| &mut self.spans[ending])
            && (span.end.is_some() || span.failure.is_some())
        {
            let named = |failure: RunError<'static>| match (&failure.r#type, &failure.message) {
                (None, None) => RunError { message: Some("failed".into()), ..failure },
                _ => failure,
            };
            self.run.ended(span.failure.take().map(named));
        }
        self.run
    }
}

/// What a span tells of a call of a model.
fn llm_call(span: &Span) -> LlmCall<'static> {
    let model = span.text(&["gen_ai.response.model", "llm.model_name", "gen_ai.request.model"]);
    let tokens = |keys: [&str; 3]| keys.iter().find_map(|key| count(&span.attributes, key));
    let cost = "llm.cost.total";
    let written = || get(&span.attributes, cost)?.as_str()?.parse().ok().filter(|cost: &f64| *cost >= 0.0);
    LlmCall {
        model: model.map(|model| model.to_owned().into()),
        prompt_tokens: tokens([
            "gen_ai.usage.input_tokens",
            "gen_ai.usage.prompt_tokens",
            "llm.token_count.prompt",
        ]),
        completion_tokens: tokens([
            "gen_ai.usage.output_tokens",
            "gen_ai.usage.completion_tokens",
            "llm.token_count.completion",
        ]),
        cost: amount(&span.attributes, cost).or_else(written).filter(|cost| cost.is_finite()),
    }
}
