//! The methods for Rust tests: both faces of every check, and where the asserting one panics.

use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::sync::{Arc, Mutex};

use probative::trajectory::{AgentRunResult, Event, LlmCall, MatchMode, RunError, Scope, Step, Trajectory};
use serde_json::json;

fn run() -> AgentRunResult {
    AgentRunResult::new(Trajectory {
        steps: vec![
            Step::new(Event::LlmCall(LlmCall {
                model: Some("gpt-4o".into()),
                prompt_tokens: Some(300),
                completion_tokens: Some(12),
                cost: Some(0.0041),
            })),
            Step::tool_call("search", json!({"q": "mug", "limit": 5})).returning(json!(["a"])),
            Step::tool_call("refund", json!({"id": 7})).failing(RunError::new("LimitError", "too much")),
            Step::tool_call("refund", json!({"id": 7})),
        ],
        final_output: Some("Refunded as RF-1.".into()),
        duration_seconds: Some(2.5),
        error: Some(RunError {
            module: Some("asyncio".into()),
            ..RunError::new("TimeoutError", "took too long")
        }),
        ..Trajectory::default()
    })
}

/// What a check panicked with, and whether at a line of this file.
fn panicked(check: impl FnOnce()) -> (String, bool) {
    let place: Arc<Mutex<Option<String>>> = Arc::default();
    let (seen, this) = (Arc::clone(&place), std::thread::current().id());
    std::panic::set_hook(Box::new(move |info| {
        // Other tests panic too, on threads of their own.
        if std::thread::current().id() != this {
            return;
        }
        *seen.lock().unwrap() = info.location().map(|location: &Location<'_>| location.file().to_owned());
    }));
    let payload = catch_unwind(AssertUnwindSafe(check)).expect_err("the check should have panicked");
    let _ = std::panic::take_hook();
    let here = place.lock().unwrap().as_deref() == Some(file!());
    (*payload.downcast::<String>().expect("a panic with a message"), here)
}

macro_rules! both_faces {
    ($run:ident: $($check:ident, $asserting:ident: holds($($good:expr),*), fails($($bad:expr),*) $message:literal;)*) => {
        let mut checked = 0;
        $(
            assert!($run.$check($($good),*), stringify!($check));
            $run.$asserting($($good),*);
            assert!(!$run.$check($($bad),*), stringify!($check));
            let (message, here) = panicked(|| $run.$asserting($($bad),*));
            assert!(here, "{} does not panic at its caller's line", stringify!($asserting));
            let (told, trajectory) = message.split_once("\n\n").expect("a blank line before the run");
            assert!(told.contains($message), "{}: {told}", stringify!($asserting));
            assert!(trajectory.starts_with("Actual trajectory (4 steps):\n    1. [llm]   gpt-4o (312 tokens, $0.0041)"), "{trajectory}");
            checked += 1;
        )*
        assert_eq!(checked, 25);
    };
}

/// What makes no sense is no answer: both faces panic at the caller's line.
fn mistakes_panic_at_their_caller(run: &AgentRunResult) {
    let mistakes: [(&dyn Fn(), &str); 5] = [
        (&|| assert!(run.output_matches("(")), "invalid regex '('"),
        (&|| run.assert_output_matches("("), "invalid regex '('"),
        (
            &|| run.assert_tool_called_with("search", json!([1])),
            "expected the arguments as a JSON object, got [1]",
        ),
        (&|| run.assert_tool_called_with_partial("search", json!({"q": {"$gtt": 1}})), "did you mean '$gt'?"),
        (&|| run.assert_cost_under(f64::NAN), "expected a finite number as the limit, got NaN"),
    ];
    for (mistake, message) in mistakes {
        let (told, here) = panicked(mistake);
        assert!(here && told.contains(message), "{told}");
    }
}

/// One test, because the hook for panics is there once.
#[test]
fn every_check_has_both_faces() {
    let run = run();
    mistakes_panic_at_their_caller(&run);
    both_faces! { run:
        tool_was_called, assert_tool_was_called: holds("search"), fails("serch") "did you mean 'search'?";
        tool_not_called, assert_tool_not_called: holds("delete"), fails("refund") "'refund' was called 2 times";
        tool_call_count, assert_tool_call_count: holds("refund", 2), fails("refund", 1) "expected exactly once";
        tool_called_with, assert_tool_called_with: holds("refund", json!({"id": 7.0})), fails("refund", json!({"id": 8})) "'refund' was never called with {\"id\":8}";
        tool_called_with_partial, assert_tool_called_with_partial: holds("search", json!({"limit": {"$lt": 6}})), fails("search", json!({"limit": 6})) "'search' was never called with";
        tool_called_before, assert_tool_called_before: holds("search", "refund"), fails("refund", "search") "'refund' was not called before 'search'";
        tool_called_immediately_before, assert_tool_called_immediately_before: holds("refund", "refund"), fails("refund", "search") "never called immediately before";
        call_order_contains, assert_call_order_contains: holds(&["search", "refund"]), fails(&["refund", "search"]) "'search' was not called after 'refund' (step 3)";
        call_order_equals, assert_call_order_equals: holds(&["search", "refund", "refund"]), fails(&["search", "refund"]) "call 3 is 'refund'";
        tools_only, assert_tools_only: holds(&["search", "refund"]), fails(&["search"]) "'refund' was called, but isn't allowed";
        no_repeated_calls, assert_no_repeated_calls: holds(2), fails(1) "with the same arguments, expected at most once";
        calls_match, assert_calls_match: holds(MatchMode::Superset, json!([{"name": "search"}])), fails(MatchMode::Exact, json!([{"name": "search"}])) "2 more calls than expected";
        tool_result, assert_tool_result: holds("search", json!({"$any": true})), fails("search", json!("nothing")) "'search' did not return \"nothing\"";
        tool_errored, assert_tool_errored: holds("refund"), fails("search") "'search' did not fail";
        tool_succeeded, assert_tool_succeeded: holds("search"), fails("delete") "'delete' was never called";
        if_called, assert_if_called: holds("delete", json!({"succeeded": true})), fails("search", json!({"tool_not_called": "refund"})) "'refund' was called 2 times";
        output_equals, assert_output_equals: holds("Refunded as RF-1."), fails("Refunded") "differs";
        output_contains, assert_output_contains: holds("RF-"), fails("rf-") "does not contain 'rf-'";
        output_not_contains, assert_output_not_contains: holds("sorry"), fails("Refunded") "contains 'Refunded'";
        output_matches, assert_output_matches: holds(r"RF-\d"), fails(r"RF-\D") "does not match";
        cost_under, assert_cost_under: holds(0.0042), fails(0.0041) "The run cost 0.0041, expected less than 0.0041";
        tokens_under, assert_tokens_under: holds(313), fails(312) "312 tokens";
        duration_under, assert_duration_under: holds(3.0), fails(2.5) "2.5 seconds";
        llm_calls_under, assert_llm_calls_under: holds(2), fails(1) "1 model call,";
        error_is, assert_error_is: holds("asyncio.TimeoutError"), fails("ValueError") "'asyncio.TimeoutError', expected 'ValueError'";
    }
}

#[test]
fn succeeding_and_failing_exclude_each_other() {
    let failed = run();
    assert!(failed.failed() && !failed.succeeded());
    failed.assert_failed();
    let fine = AgentRunResult::new(Trajectory::default());
    assert!(fine.succeeded() && !fine.failed());
    fine.assert_succeeded();
}

#[test]
#[should_panic(expected = "The run failed: TimeoutError: took too long\n  expected  no error")]
fn asserting_success_tells_the_error() {
    run().assert_succeeded();
}

#[test]
#[should_panic(expected = "3. [tool]  refund({\"id\":7}) ✗ LimitError: too much  ← the last tool error")]
fn asserting_success_shows_the_last_tool_error() {
    run().assert_succeeded();
}

#[test]
#[should_panic(expected = "not evaluable: the run doesn't record the duration\n\nActual trajectory: (empty)")]
fn what_is_not_recorded_is_not_evaluable() {
    let empty = AgentRunResult::new(Trajectory::default());
    assert!(!empty.cost_under(1e9) && !empty.tokens_under(u64::MAX) && empty.llm_calls_under(1));
    empty.assert_duration_under(1e9);
}

#[test]
fn a_run_can_be_looked_into() {
    let run = run();
    assert_eq!(run.call_order(), ["search", "refund", "refund"]);
    assert_eq!(run.get_calls("refund").len(), 2);
    assert!(run.get_call("refund", 0).unwrap().error.is_some());
    let error = run.get_call("refund", 2).unwrap_err();
    assert_eq!(error.to_string(), "'refund' was called only 2 times; there is no call 3 (nth: 2)");
    assert_eq!((error.tool.as_str(), error.called, error.n), ("refund", 2, 2));
    assert_eq!(
        (run.output(), run.total_cost(), run.total_tokens()),
        (Some("Refunded as RF-1."), Some(0.0041), Some(312))
    );
    assert_eq!((run.duration(), run.llm_calls()), (Some(2.5), Some(1)));
    assert_eq!(run.error().and_then(RunError::full_name).as_deref(), Some("asyncio.TimeoutError"));
}

#[test]
fn a_recorded_run_is_read_and_may_be_looked_at_in_depth() {
    let json =
        br#"{"steps": [{"step_type": "tool_call", "tool_name": "dig", "parent": "helper"}], "llm_calls": 3}"#;
    let run = AgentRunResult::from_json(json).unwrap();
    assert!(run.tool_not_called("dig"));
    let all = AgentRunResult::in_scope(run.trajectory().clone(), Scope::All);
    assert!(all.tool_was_called("dig"));
    assert_eq!(all.llm_calls(), Some(3));
    let malformed = AgentRunResult::from_json(b"{}").unwrap_err();
    assert!(malformed.to_string().starts_with("'steps' is missing;"), "{malformed}");
    let malformed = AgentRunResult::from_json(b"{\"steps\": [}").unwrap_err();
    assert_eq!(malformed.to_string(), "not JSON: expected value (line 1, column 12)");
}

#[test]
fn a_trace_of_another_program_is_a_run_too() {
    let chat = br#"[{"role": "user", "content": "hi"}, {"role": "assistant", "content": null, "tool_calls":
        [{"id": "1", "function": {"name": "look", "arguments": "{\"at\": 5}"}}]},
        {"role": "tool", "tool_call_id": "1", "content": "a mug"}, {"role": "assistant", "content": "A mug."}]"#;
    let run = AgentRunResult::from_trace(chat, None).unwrap();
    run.assert_tool_called_with("look", serde_json::json!({"at": 5}));
    run.assert_output_equals("A mug.");
    assert_eq!(run.trajectory().source.as_deref(), Some("openai-chat"));
    let twice = [b"[", &chat[..], b",", &chat[..], b"]"].concat();
    let why = AgentRunResult::from_trace(&twice, None).unwrap_err().to_string();
    assert_eq!(why, "contains 2 openai-chat runs; expected one");
    let why = AgentRunResult::from_trace(b"{}", None).unwrap_err().to_string();
    assert_eq!(
        why,
        "unrecognized trace format (an empty object); native runs need 'steps'; \
         force a format with --trace-format NAME (`probative explain traces` lists them)"
    );
}
