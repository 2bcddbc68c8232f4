//! Laws that hold for every run, against plain and slow definitions.

use probative::exhibit::Extent;
use probative::trajectory::readers::native;
use probative::trajectory::{
    CallCount, Event, ExpectedCall, ExpectedCalls, MatchMode, Repetition, Run, Scope, Step, Trajectory,
    call_order_contains, call_order_equals, calls_match, format, no_repeated_calls, tool_call_count,
    tool_called_before, tool_called_immediately_before, tool_not_called, tool_was_called, tools_only,
};
use probative::value::{Malformed, Tree, Value, equal, visible};
use probative::verdict::{Part, Pointed};
use proptest::prelude::*;
use serde_json::json;

/// Few names, so that they meet.
fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c", "ab"]).prop_map(str::to_owned)
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        Just(json!(1)),
        Just(json!(1.0)),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn arguments() -> impl Strategy<Value = Value> {
    prop::collection::vec(
        (name(), prop_oneof![Just(json!(1)), Just(json!(1.0)), Just(json!("1")), json_value()]),
        0..3,
    )
    .prop_map(|members| Value::Object(members.into_iter().collect()))
}

fn step() -> impl Strategy<Value = Step<'static>> {
    let event = prop_oneof![
        4 => (name(), arguments()).prop_map(|(name, args)| Step::tool_call(name, args)),
        1 => (name(), json_value()).prop_map(|(name, result)| Step::tool_call(name, json!({})).returning(result)),
        1 => any::<String>().prop_map(Step::llm_call),
        1 => (any::<String>(), json_value(), json_value()).prop_map(|(key, old, new)| Step::state_change(key, old, new)),
    ];
    (event, prop_oneof![3 => Just(None), 1 => (name(), 0u32..4).prop_map(Some)]).prop_map(|(step, by)| {
        match by {
            None => step,
            Some((agent, depth)) => step.by(agent, depth),
        }
    })
}

fn trajectory(most: usize) -> impl Strategy<Value = Trajectory<'static>> {
    let output = prop_oneof![Just(None), any::<String>().prop_map(Some)];
    (prop::collection::vec(step(), 0..most), output).prop_map(|(steps, output)| Trajectory {
        steps,
        final_output: output.map(Into::into),
        ..Trajectory::default()
    })
}

/// The tool calls of depth 0, as plainly as can be.
fn calls(run: &Trajectory<'_>) -> Vec<(usize, String, Value)> {
    let mut calls = Vec::new();
    for (index, step) in run.steps.iter().enumerate() {
        if let Event::ToolCall(call) = &step.event
            && step.depth == 0
        {
            calls.push((index, call.name.to_string(), call.arguments().into_owned()));
        }
    }
    calls
}

fn is_subsequence(names: &[String], of: &[String]) -> bool {
    match (names, of) {
        ([], _) => true,
        (_, []) => false,
        ([name, rest @ ..], [first, others @ ..]) => {
            (name == first && is_subsequence(rest, others)) || is_subsequence(names, others)
        }
    }
}

fn read_whole(bytes: &[u8]) -> Result<(Trajectory<'static>, Vec<String>), Malformed> {
    native::read(bytes).map(|read| (read.subject.into_owned(), read.warnings))
}

/// What a thread reads that never read anything else.
#[expect(clippy::disallowed_methods, reason = "what one thread read before is what is tested")]
fn read_alone(bytes: &[u8]) -> Result<(Trajectory<'static>, Vec<String>), Malformed> {
    std::thread::scope(|scope| scope.spawn(|| read_whole(bytes)).join().unwrap())
}

proptest! {
    #[test]
    fn tool_calls_are_judged_as_a_plain_look_would(
        run in trajectory(12),
        names in prop::collection::vec(name(), 0..4),
        (a, b) in (name(), name()),
        (min, more) in (0u64..4, 0u64..3),
    ) {
        let order: Vec<String> = calls(&run).into_iter().map(|(_, name, _)| name).collect();
        let count = order.iter().filter(|name| **name == a).count() as u64;
        let first = |wanted: &str| order.iter().position(|name| name == wanted);
        let run = Run::new(run);
        prop_assert_eq!(run.call_order().collect::<Vec<_>>(), order.iter().collect::<Vec<_>>());
        prop_assert_eq!(tool_was_called(&run, &a).passed(), count > 0);
        prop_assert_eq!(tool_not_called(&run, &a).passed(), count == 0);
        let asked = CallCount { name: a.clone(), min, max: Some(min + more) };
        prop_assert_eq!(tool_call_count(&run, &asked).passed(), (min..=min + more).contains(&count));
        let before = matches!((first(&a), first(&b)), (Some(a), Some(b)) if a < b);
        prop_assert_eq!(tool_called_before(&run, &a, &b).passed(), before);
        prop_assert!(!(before && tool_called_before(&run, &b, &a).passed()));
        let adjacent = order.windows(2).any(|pair| pair[0] == a && pair[1] == b);
        prop_assert_eq!(tool_called_immediately_before(&run, &a, &b).passed(), adjacent);
        prop_assert_eq!(call_order_contains(&run, &names).passed(), is_subsequence(&names, &order));
        prop_assert_eq!(call_order_equals(&run, &names).passed(), names == order);
        prop_assert_eq!(tools_only(&run, &names).passed(), order.iter().all(|name| names.contains(name)));
    }

    #[test]
    fn repetition_is_found_as_by_comparing_every_pair(run in trajectory(10), max in 1u64..3, same_args in any::<bool>()) {
        let calls = calls(&run);
        let is_same = |a: &(usize, String, Value), b: &(usize, String, Value)| a.1 == b.1 && (!same_args || equal(&a.2, &b.2));
        let most = calls.iter().map(|a| calls.iter().filter(|b| is_same(a, b)).count() as u64).max().unwrap_or(0);
        prop_assert_eq!(no_repeated_calls(&Run::new(run), Repetition { max, same_args }).unwrap().passed(), most <= max);
    }

    #[test]
    fn the_order_of_expected_calls_changes_no_answer_that_has_none(
        run in trajectory(6),
        expected in prop::collection::vec((name(), prop_oneof![Just(None), Just(Some(json!({}))), Just(Some(json!({"$partial": {"a": 1}}))), Just(Some(json!({"a": 1}))), Just(Some(json!({"a": {"$any": true}})))]), 0..5),
    ) {
        let run = Run::new(run);
        let expected: Vec<ExpectedCall> = expected
            .into_iter()
            .map(|(name, args)| match args {
                None => json!({"name": name}),
                Some(args) => json!({"name": name, "args": args}),
            })
            .map(|call| serde_json::from_value(call).unwrap())
            .collect();
        let backwards: Vec<ExpectedCall> = expected.iter().rev().cloned().collect();
        let ask = |mode, calls: &[ExpectedCall]| calls_match(&run, &ExpectedCalls { mode, calls: calls.to_vec() }).unwrap().passed();
        for mode in [MatchMode::AnyOrder, MatchMode::Subset, MatchMode::Superset] {
            prop_assert_eq!(ask(mode, &expected), ask(mode, &backwards));
        }
        prop_assert_eq!(ask(MatchMode::AnyOrder, &expected), ask(MatchMode::Subset, &expected) && ask(MatchMode::Superset, &expected));
        prop_assert!(!ask(MatchMode::Exact, &expected) || ask(MatchMode::InOrder, &expected));
        prop_assert!(!ask(MatchMode::Exact, &expected) || ask(MatchMode::AnyOrder, &expected));
        prop_assert!(!ask(MatchMode::InOrder, &expected) || ask(MatchMode::Superset, &expected));
    }

    #[test]
    fn what_is_written_is_read_back(run in trajectory(8)) {
        let written = serde_json::to_string(&run).unwrap();
        let read = native::read(written.as_bytes()).unwrap();
        prop_assert_eq!(&read.subject, &run);
        prop_assert!(read.warnings.is_empty());
        prop_assert_eq!(&read.subject.into_owned(), &run);
    }

    #[test]
    fn what_is_not_json_is_no_run(run in trajectory(4), at in any::<prop::sample::Index>(), bit in 0u8..8, cut in any::<bool>()) {
        let mut bytes = serde_json::to_vec(&run).unwrap();
        let at = at.index(bytes.len());
        if cut { bytes.truncate(at) } else { bytes[at] ^= 1 << bit }
        let read = native::read(&bytes);
        if Tree::read(&bytes).is_err() {
            prop_assert!(read.is_err());
        }
    }

    /// Reading is faster for steps that look like others, in this run or in those that the thread read before.
    #[test]
    fn what_was_read_before_changes_nothing(
        steps in prop::collection::vec(step(), 1..4),
        turns in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40),
        at in any::<prop::sample::Index>(),
        bit in 0u8..8,
    ) {
        let steps = turns.iter().map(|(step, index)| Step { step_index: Some((*index).into()), ..step.get::<Step>(&steps).clone() });
        let mut bytes = serde_json::to_vec(&Trajectory { steps: steps.collect(), ..Trajectory::default() }).unwrap();
        for _ in 0..2 {
            prop_assert_eq!(read_whole(&bytes), read_alone(&bytes));
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
        }
    }

    #[test]
    fn a_formatted_run_keeps_its_bounds(
        run in trajectory(60),
        pointed in prop::collection::vec((0usize..80, any::<String>()), 0..60),
        whole in any::<bool>(),
    ) {
        let pointed_at: std::collections::BTreeSet<usize> = pointed.iter().map(|(index, _)| *index).filter(|index| *index < run.steps.len()).collect();
        let pointed: Vec<Pointed> = pointed.into_iter().map(|(index, note)| Pointed { part: Part::Step(index), note }).collect();
        let extent = if whole { Extent::Whole } else { Extent::Brief };
        let lines = format(&run, &pointed, extent);
        let steps = run.steps.len();
        let told = lines.iter().filter(|line| !line.text.trim_start().starts_with("...")).count() - 1;
        if steps == 0 {
            prop_assert_eq!(lines[0].to_string(), "Actual trajectory: (empty)");
        } else if whole || steps <= 20 {
            prop_assert_eq!(told, steps);
        } else {
            prop_assert!(told <= 3 * 200 + 2);
            prop_assert_eq!(lines.iter().filter(|line| line.note.is_some()).count(), pointed_at.len());
        }
        for line in &lines {
            let line = line.to_string();
            // Three values of a hundred characters, each of which may take twelve to be shown; a note; the rest.
            prop_assert!(line.chars().count() <= 3 * 103 * 12 + 13_000, "{}", line.chars().count());
            prop_assert_eq!(visible(&line), line.as_str());
        }
        let gaps: usize = lines.iter().filter_map(|line| line.text.trim().strip_prefix("... (")?.split(' ').next()?.parse::<usize>().ok()).sum();
        prop_assert_eq!(told + gaps, steps);
    }

    #[test]
    fn all_agents_together_have_every_call(run in trajectory(12)) {
        let total = run.steps.iter().filter(|step| matches!(step.event, Event::ToolCall(_))).count();
        prop_assert_eq!(Run::in_scope(run.clone(), Scope::All).call_count(), total);
        let own = Run::new(run.clone()).call_count();
        let deeper = run.steps.iter().filter(|step| step.depth > 0 && matches!(step.event, Event::ToolCall(_))).count();
        prop_assert_eq!(own + deeper, total);
    }
}
