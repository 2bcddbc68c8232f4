//! What an agent did: the trajectory vocabulary.

mod vectors;

use probative::document::Document;
use probative::{Context, Question, TrajectoryAssertion, Vocabulary};
use serde_json::json;

#[test]
fn every_vector_is_answered_as_it_says() {
    vectors::are_answered_as_they_say::<TrajectoryAssertion>("did", 1300);
}

#[test]
fn every_assertion_has_vectors_of_every_kind() {
    vectors::cover_every_assertion::<TrajectoryAssertion>("did");
}

#[test]
fn every_example_in_the_documentation_is_true() {
    vectors::examples_are_true::<TrajectoryAssertion>(&[], 55);
}

#[test]
fn the_names_the_schema_and_the_reference_agree() {
    vectors::names_schema_and_reference_agree::<TrajectoryAssertion>();
}

/// Checks that a pattern which gives up on a call that differs anyway fails no assertion that a later call meets.
#[test]
fn a_pattern_that_gives_up_on_a_differing_call_is_an_error_unless_another_call_fits() {
    let wanted = json!([{"name": "ask", "args": {"limit": 5, "q": {"$regex": "(?:(?=a)a|aa)+c"}}}]);
    let call = |args| json!({"step_type": "tool_call", "tool_name": "ask", "tool_args": args});
    let slow = call(json!({"limit": 50, "q": "a".repeat(300)}));
    let fitting = call(json!({"limit": 5, "q": "ac"}));
    let run = json!({"steps": [call(json!({})), slow]}).to_string();
    let found = json!({"steps": [call(json!({})), slow, fitting]}).to_string();
    for asked in [
        json!({"cannot": [{"tool_called_with_partial": wanted}]}),
        json!({"can": [{"tool_called_with_partial": wanted}, {"tool_was_called": ["ask"]}]}),
        json!({"must": [{"tool_called_with_partial": wanted}]}),
    ] {
        let document = Document::new("question.json", asked.to_string());
        let question = Question::<TrajectoryAssertion>::compile(document).unwrap();
        for (text, passes) in [(&run, false), (&found, asked.get("cannot").is_none())] {
            let run = TrajectoryAssertion::read(text.as_bytes(), question.setting()).unwrap().subject;
            assert_eq!(question.judge(&run, &Context::default()).passed(), passes, "{asked} of {text}");
        }
    }
}
