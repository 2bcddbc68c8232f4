//! What is left out of an abridged run changes no answer: it passes if the whole run does, and only then, and gives the same rows
//! something to say no to.

use probative::document::Document;
use probative::question::Question;
use probative::value::Value;
use probative::vocabulary::{Abridged, Read};
use probative::{Context, TrajectoryAssertion, Vocabulary};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Map, json};

type Run<'s> = <TrajectoryAssertion as Vocabulary>::Subject<'s>;

/// Few names, so that they meet; one begins and ends like another.
const TOOLS: [&str; 5] = ["search", "refund", "sea…rch", "ask", "search_for_another_one"];

fn tool() -> impl Strategy<Value = &'static str> {
    prop::sample::select(TOOLS.to_vec())
}

fn question(written: &Value) -> Question<TrajectoryAssertion> {
    Question::compile(Document::new("question.json", written.to_string())).unwrap()
}

fn args() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![
        json!({}),
        json!({"q": "tea"}),
        json!({"q": "te\"a", "n": 1}),
        json!({"n": 1.0, "q": "tea", "more": {"deep": [1, {"a": null}]}}),
        json!({"more": {"deep": [1, {"a": null}]}}),
    ])
}

/// Mostly what a recorder writes, now and then something that it should not.
fn step() -> impl Strategy<Value = Value> {
    let call =
        (tool(), args(), 0..12_u8, prop::option::weighted(0.2, (0..3_u32, tool()))).prop_map(|(name, args, odd, by)| {
            let mut step = json!({"step_type": "tool_call", "tool_name": name, "tool_args": args, "tool_result": {"hits": odd}});
            let put = |step: &mut Value, key: &str, value: Value| step[key] = value;
            match odd {
                0 => put(&mut step, "tool_error", json!({"type": "Timeout", "message": "late"})),
                1 => put(&mut step, "tool_error", json!("late")),
                2 => put(&mut step, "unknown", json!(["tool_args", "tool_error"])),
                3 => put(&mut step, "unknown", json!(["tool_result"])),
                4 => put(&mut step, "tool_result", Value::Null),
                5 => put(&mut step, "timestamp", json!("2026-01-10T10:00:00Z")),
                6 => put(&mut step, "step_index", json!(7.0)),
                _ => {}
            }
            if odd == 3 {
                step.as_object_mut().unwrap().remove("tool_result");
            }
            if let Some((depth, parent)) = by {
                put(&mut step, "depth", json!(depth));
                put(&mut step, "parent", json!(parent));
            }
            step
        });
    // Some are written in ways that take a closer look.
    let tokens = prop_oneof![
        18 => (0..2000_u64).prop_map(Value::from),
        1 => prop::sample::select(vec![json!(12_345_678), json!(5.0), json!(u64::MAX)]),
        2 => Just(Value::Null),
    ];
    let cost = prop_oneof![
        18 => (0..100_u32).prop_map(|cost| json!(f64::from(cost) / 10.0)),
        1 => prop::sample::select(vec![json!(1e-7), json!(0.000_000_012_345), json!(7)]),
        2 => Just(Value::Null),
    ];
    let model = (tokens, cost).prop_map(|(tokens, cost)| {
        json!({"step_type": "llm_call", "model": "m", "prompt_tokens": tokens, "completion_tokens": 1, "cost": cost})
    });
    let wrong = prop::sample::select(vec![
        json!({"step_type": "tool_call"}),
        json!({"step_type": "tool_call", "tool_name": "ask", "tool_args": [1]}),
        json!({"step_type": "tool_call", "tool_name": "ask", "step_index": -1}),
        json!({"step_type": "tool_call", "tool_name": "ask", "timestamp": true}),
        json!({"step_type": "llm_call", "cost": -1}),
        json!({"step_type": "tool_call", "tool_name": "ask", "step_index": 1.5}),
        json!({"step_type": "llm_call", "cost": "1"}),
        json!({"step_type": "llm_call", "model": 5}),
        json!({"step_type": "llm_call", "prompt_tokens": -1}),
        json!({"step_type": "llm_call", "completion_tokens": "5"}),
        json!({"step_type": "state_change", "key": 5}),
        json!({"step_type": "toolcall", "tool_name": "ask"}),
        json!({"step_type": "tool_call", "tool_name": "ask", "tool_arg": 1}),
        json!({"step_type": "state_change"}),
        json!([]),
    ]);
    let change = Just(json!({"step_type": "state_change", "key": "k", "old_value": 1, "new_value": [2]}));
    prop_oneof![120 => call, 40 => model, 12 => change, 1 => wrong]
}

fn run() -> impl Strategy<Value = Value> {
    let totals = (
        prop::option::of(0..3000_u64),
        prop::option::of(0..20_u32),
        prop::option::of(0..9_u64),
        prop::sample::select(vec![Value::Null, json!("Done, RF-1"), json!("")]),
        prop::sample::select(vec![
            Value::Null,
            Value::Null,
            json!({"type": "asyncio.TimeoutError", "message": ""}),
        ]),
        prop::sample::select(vec![json!([]), json!([]), json!(["steps"]), json!(["llm_calls", "error"])]),
        prop_oneof![6 => Just(Value::Null), 3 => Just(json!(["ask", {"name": "refund"}])), 1 => Just(json!([7]))],
        prop::bool::weighted(0.05),
    );
    (prop::collection::vec(step(), 0..14), totals).prop_map(
        |(steps, (tokens, cost, calls, output, error, unknown, tools, sourced))| {
            let mut run = Map::new();
            let mut put = |key: &str, value: Value| run.insert(key.to_owned(), value);
            put("run_id", json!("r-1"));
            if !tools.is_null() {
                put("tools", tools);
            }
            put("steps", steps.into());
            put("total_tokens", json!(tokens));
            put("total_cost", json!(cost));
            put("llm_calls", json!(calls));
            put("duration_seconds", json!(5));
            put("final_output", output);
            put("error", error);
            put("unknown", unknown);
            if sourced {
                put("source", json!("otlp"));
            }
            Value::Object(run)
        },
    )
}

fn leaf() -> impl Strategy<Value = (&'static str, Value)> {
    let names = || prop::collection::vec(tool(), 0..4);
    let two = || (tool(), tool()).prop_map(|(first, second)| json!({"first": first, "second": second}));
    let which =
        || (tool(), prop::option::of(0..3_u64)).prop_map(|(name, nth)| json!({"name": name, "nth": nth}));
    prop_oneof![
        tool().prop_map(|name| ("tool_was_called", json!(name))),
        tool().prop_map(|name| ("tool_not_called", json!(name))),
        (tool(), 0..3_u64, 0..3_u64).prop_map(|(name, min, more)| (
            "tool_call_count",
            json!({"name": name, "min": min, "max": min + more})
        )),
        (tool(), 0..4_u64).prop_map(|(name, min)| ("tool_call_count", json!({"name": name, "min": min}))),
        (tool(), args()).prop_map(|(name, args)| ("tool_called_with", json!({"name": name, "args": args}))),
        (tool(), args())
            .prop_map(|(name, args)| ("tool_called_with_partial", json!({"name": name, "args": args}))),
        tool().prop_map(|name| (
            "tool_called_with_partial",
            json!({"name": name, "args": {"q": {"$regex": "^t"}}})
        )),
        two().prop_map(|tools| ("tool_called_before", tools)),
        two().prop_map(|tools| ("tool_called_immediately_before", tools)),
        names().prop_map(|names| ("call_order_contains", json!(names))),
        names().prop_map(|names| ("call_order_equals", json!(names))),
        names().prop_map(|names| ("tools_only", json!(names))),
        which().prop_map(|which| ("tool_errored", which)),
        which().prop_map(|which| ("tool_succeeded", which)),
        (which(), 0..12_u8).prop_map(|(mut which, hits)| {
            which["value"] = json!({"hits": hits});
            ("tool_result", which)
        }),
        (tool(), tool())
            .prop_map(|(tool, then)| ("if_called", json!({"tool": tool, "then": {"tool_was_called": then}}))),
        Just(("output_contains", json!("RF-"))),
        Just(("output_not_contains", json!("sorry"))),
        (0..30_u64).prop_map(|limit| ("cost_under", json!(limit))),
        (0..9000_u64).prop_map(|limit| ("tokens_under", json!(limit))),
        (0..9_u64).prop_map(|limit| ("llm_calls_under", json!(limit))),
        Just(("duration_under", json!(9))),
        Just(("succeeded", json!(true))),
        Just(("failed", json!(true))),
        Just(("error_is", json!("TimeoutError"))),
        // Of these every call may matter.
        names().prop_map(|names| {
            let calls: Vec<Value> = names.iter().map(|name| json!({"name": name})).collect();
            ("calls_match", json!({"mode": "superset", "calls": calls}))
        }),
        Just(("no_repeated_calls", json!({"max": 2}))),
    ]
}

/// A tree of one to four rows, some of them groups, in any scope.
fn asked() -> impl Strategy<Value = Value> {
    let one = || leaf().prop_map(|(name, argument)| json!({name: [argument]}));
    let row = prop_oneof![
        6 => one(),
        1 => prop::collection::vec(one(), 1..3).prop_map(|rows| json!({"can": rows})),
        1 => prop::collection::vec(one(), 1..3).prop_map(|rows| json!({"cannot": rows})),
    ];
    let agents = vec![json!("all"), json!({"agent": "ask"}), json!({"agent": "nobody"})];
    let scope = prop_oneof![7 => Just(Value::Null), 3 => prop::sample::select(agents)];
    (prop::collection::vec(row, 1..4), scope).prop_map(|(rows, scope)| match scope {
        Value::Null => json!({"must": rows}),
        scope => json!({"must": rows, "scope": scope}),
    })
}

/// A run that comes so many bytes at a time.
fn in_pieces(
    abridged: &dyn Abridged<TrajectoryAssertion>,
    json: &[u8],
    length: usize,
) -> Option<Run<'static>> {
    let (mut pieces, mut from, mut to) = (abridged.pieces(), 0, 0);
    while to < json.len() {
        to = json.len().min(to + length);
        from += pieces.advance(&json[from..to], false)?;
    }
    pieces.advance(&json[from..], true)?;
    pieces.subject()
}

/// How a run ends: which rows it exercises and how, where it passes; otherwise it only fails.
fn ends(question: &Question<TrajectoryAssertion>, run: &Run<'_>) -> Vec<String> {
    let context = Context::default();
    if !question.judge(run, &context).passed() {
        return vec![FAILS.to_owned()];
    }
    let rows = 0..question.clauses().len();
    rows.map(|row| format!("{:?}", question.exercise(run, &context, row))).collect()
}

const FAILS: &str = "fails";

/// How the whole run ends, unless something else is to be told of it as well.
fn expected(question: &Question<TrajectoryAssertion>, text: &str) -> Option<Vec<String>> {
    let read = TrajectoryAssertion::read(text.as_bytes(), question.setting());
    let Ok(Read { subject, warnings }) = read else { return None };
    (warnings.is_empty() && TrajectoryAssertion::losses(&subject).is_empty())
        .then(|| ends(question, &subject))
}

fn written(run: &Value, pretty: bool) -> String {
    if pretty { serde_json::to_string_pretty(run).unwrap() } else { run.to_string() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn what_is_left_out_changes_no_answer(asked in asked(), runs in prop::collection::vec(run(), 1..4), length in 40..900_usize, pretty in any::<bool>()) {
        let question = question(&asked);
        let Some(abridged) = question.abridged() else { return Ok(()) };
        for run in &runs {
            let text = written(run, pretty);
            let expected = expected(&question, &text);
            let whole = abridged.read(text.as_bytes());
            let pieces = in_pieces(&*abridged, text.as_bytes(), length);
            for run in [whole, pieces].into_iter().flatten() {
                prop_assert_eq!(Some(ends(&question, &run)), expected.clone(), "{} of {}", asked, text);
            }
        }
    }

    #[test]
    fn what_is_broken_is_not_read(run in run(), at in any::<prop::sample::Index>(), put in "[\\x00-~]{0,2}", length in 1..900_usize) {
        let question = question(&json!({"tool_was_called": "ask"}));
        let abridged = question.abridged().unwrap();
        let mut text = written(&run, false);
        let at = text.floor_char_boundary(at.index(text.len() + 1));
        text.replace_range(at..text.ceil_char_boundary((at + 1).min(text.len())), &put);
        let expected = expected(&question, &text);
        let pieces = in_pieces(&*abridged, text.as_bytes(), length);
        for run in [abridged.read(text.as_bytes()), pieces].into_iter().flatten() {
            prop_assert_eq!(Some(ends(&question, &run)), expected.clone(), "{}", text);
        }
    }
}

/// Otherwise the tests above would hold of what is never read.
#[test]
fn most_runs_can_be_abridged() {
    let seeded = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), seeded);
    let (mut passed, mut failed, mut read, mut in_pieces_too) = (0, 0, 0, 0);
    for _ in 0..3000 {
        let (asked, run) = (asked(), run()).new_tree(&mut runner).unwrap().current();
        let (question, text) = (question(&asked), written(&run, false));
        let (Some(abridged), Some(ends)) = (question.abridged(), expected(&question, &text)) else {
            continue;
        };
        let fails = ends == [FAILS];
        (passed, failed) = (passed + u32::from(!fails), failed + u32::from(fails));
        read += u32::from(abridged.read(text.as_bytes()).is_some());
        in_pieces_too += u32::from(in_pieces(&*abridged, text.as_bytes(), 600).is_some());
    }
    let all = passed + failed;
    assert!(passed > 200 && failed > 200, "{passed} passed, {failed} did not");
    assert!(read * 100 > all * 97, "{read} of {all} were read");
    assert!(in_pieces_too * 10 > all * 9, "{in_pieces_too} of {all} were read in pieces");
}

/// Every name of the vocabulary is either asked of abridged runs, or known to need the whole.
#[test]
fn what_may_depend_on_any_call_is_asked_of_whole_runs() {
    let is_abridged = |written: Value| question(&written).abridged().is_some();
    assert!(is_abridged(json!({"tool_was_called": "ask", "cost_under": 1})));
    assert!(is_abridged(json!({"cannot": [{"tool_call_count": [{"name": "ask", "count": 9}]}]})));
    assert!(is_abridged(json!({"tool_call_count": {"name": "ask", "max": 255}})));
    for needs_all in [
        json!({"no_repeated_calls": true}),
        json!({"calls_match": {"mode": "exact", "calls": []}}),
        json!({"if_called": {"tool": "ask", "then": {"no_repeated_calls": true}}}),
        json!({"tool_call_count": {"name": "ask", "max": 256}}),
        json!({"tool_errored": {"name": "ask", "nth": 1000}}),
        json!({"tool_was_caled": "ask"}),
        json!({"tools_only": (0..64).map(|number| format!("t{number}")).collect::<Vec<_>>()}),
        json!([{"cannot": [{"no_repeated_calls": [true]}]}]),
    ] {
        assert!(!is_abridged(needs_all.clone()), "{needs_all}");
    }
}

/// Where no call is what is asked for, a pattern may give up on telling why: that is an error, and no fault of an abridged run.
#[test]
fn a_pattern_that_gives_up_on_what_differs_is_an_error() {
    let wanted = json!([{"name": "ask", "args": {"limit": 5, "q": {"$regex": "(?:(?=a)a|aa)+c"}}}]);
    let call = |args: Value| json!({"step_type": "tool_call", "tool_name": "ask", "tool_args": args});
    let slow = json!({"limit": 50, "q": "a".repeat(300)});
    let run = json!({"steps": [call(json!({})), call(slow.clone())]}).to_string();
    let fitting = call(json!({"limit": 5, "q": "ac"}));
    let found = json!({"steps": [call(json!({})), call(slow), fitting]}).to_string();
    for asked in [
        json!({"cannot": [{"tool_called_with_partial": wanted}]}),
        json!({"can": [{"tool_called_with_partial": wanted}, {"tool_was_called": ["ask"]}]}),
        json!({"must": [{"tool_called_with_partial": wanted}]}),
    ] {
        let question = question(&asked);
        let abridged = question.abridged().unwrap();
        for (text, passes) in [(&run, false), (&found, asked.get("cannot").is_none())] {
            let whole = TrajectoryAssertion::read(text.as_bytes(), question.setting()).unwrap().subject;
            assert_eq!(question.judge(&whole, &Context::default()).passed(), passes, "{asked}");
            for run in [abridged.read(text.as_bytes()), in_pieces(&*abridged, text.as_bytes(), 4096)] {
                assert_eq!(question.judge(&run.unwrap(), &Context::default()).passed(), passes, "{asked}");
            }
        }
    }
}

/// What is kept of a run that comes in pieces is the run's own, and takes more room than its text.
#[test]
fn little_text_is_kept_of_what_comes_in_pieces() {
    let call = |result: &Value| {
        json!({"step_type": "tool_call", "tool_name": "ask", "tool_result": result}).to_string()
    };
    let question = question(&json!({"tool_call_count": {"name": "ask", "min": 9}}));
    let abridged = question.abridged().unwrap();
    for (zeros, is_read) in [(100, true), (100_000, false)] {
        let steps = vec![call(&json!(vec![0; zeros])); 10];
        let text = format!("{{\"steps\": [{}]}}", steps.join(", "));
        assert_eq!(in_pieces(&*abridged, text.as_bytes(), 1 << 17).is_some(), is_read);
        assert!(abridged.read(text.as_bytes()).is_some());
    }
}

/// The steps of a long run are not held.
#[test]
fn few_steps_of_many_are_kept() {
    let call = |name: &str| json!({"step_type": "tool_call", "tool_name": name, "tool_args": {"q": name}});
    let mut steps: Vec<Value> = (0..5000).map(|number| call(TOOLS[number % 3])).collect();
    steps.push(call("ask"));
    let text = json!({"steps": steps}).to_string();
    let question = question(&json!({"must": [
        {"tool_called_before": [{"first": "search", "second": "ask"}]},
        {"tool_called_immediately_before": [{"first": "search", "second": "refund"}]},
        {"call_order_contains": [["sea…rch", "search", "ask"]]},
        {"tool_call_count": [{"name": "ask", "count": 1}]},
        {"tool_called_with": [{"name": "refund", "args": {"q": "refund"}}]},
        {"cannot": [{"tool_called_immediately_before": [{"first": "ask", "second": "search"}]}]},
    ]}));
    let abridged = question.abridged().unwrap();
    for run in
        [abridged.read(text.as_bytes()).unwrap(), in_pieces(&*abridged, text.as_bytes(), 4096).unwrap()]
    {
        assert!(run.trajectory().steps.len() < 12, "{}", run.trajectory().steps.len());
        assert!(question.judge(&run, &Context::default()).passed());
    }
    // What is never followed by what is asked for keeps all that might have been: then nothing is left out.
    let never = Question::<TrajectoryAssertion>::compile(Document::new(
        "q",
        r#"{"tool_called_immediately_before": {"first": "search", "second": "ask"}}"#,
    ));
    assert!(never.unwrap().abridged().unwrap().read(text.as_bytes()).is_none());
}
