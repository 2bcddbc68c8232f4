//! Laws that hold between assertions, whatever the response.

use probative::document::Document;
use probative::json::JsonDocument;
use probative::value::Value;
use probative::{Context, Question, ResponseAssertion};
use proptest::prelude::*;
use serde_json::json;

/// Whether a response passes a question that must be well-formed.
fn passes(question: &Value, response: &Value) -> bool {
    let document = Document::new("law.json", question.to_string());
    let question = Question::<ResponseAssertion>::compile(document).unwrap();
    assert!(question.errors().is_empty(), "{:?}", question.errors());
    question.judge(&JsonDocument::from(response), &Context::default()).passed()
}

fn any_scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-2_i64..3).prop_map(Value::from),
        (-2_i8..3).prop_map(|number| Value::from(f64::from(number) / 2.0)),
        prop_oneof![Just("a"), Just("ab"), Just("b"), Just("success")].prop_map(Value::from),
    ]
}

fn any_result() -> impl Strategy<Value = Value> {
    let tags = prop::collection::vec(prop_oneof![Just("x"), Just("y")], 0..3);
    let members = (prop::option::of(any_scalar()), prop::option::of(tags));
    members.prop_map(|(field, tags)| {
        let mut result = json!({});
        if let Some(field) = field {
            result["f"] = field;
        }
        if let Some(tags) = tags {
            result["metadata"] = json!({"tags": tags});
        }
        result
    })
}

fn any_response() -> impl Strategy<Value = Value> {
    let results = prop::option::of(prop_oneof![
        5 => prop::collection::vec(any_result(), 0..4).prop_map(Value::from),
        1 => any_scalar(),
    ]);
    (results, prop::option::of(any_scalar())).prop_map(|(results, status)| {
        let mut response = json!({});
        if let Some(results) = results {
            response["results"] = results;
        }
        if let Some(status) = status {
            response["status"] = status;
        }
        response
    })
}

/// Assertions as one-key objects.
fn any_assertion() -> impl Strategy<Value = Value> {
    prop_oneof![
        any_scalar().prop_map(|status| json!({"status": status})),
        (0_u8..4).prop_map(|count| json!({"results_min": count})),
        (0_u8..4).prop_map(|count| json!({"results_count": count})),
        any_scalar().prop_map(|value| json!({"all_match": {"path": "results[*].f", "value": value}})),
        Just(json!({"all_match_pattern": {"path": "results[*].f", "regex": "^a"}})),
        Just(json!({"none_match_pattern": {"path": "results[*].f", "regex": "^a"}})),
        Just(json!({"all_have_tags": ["x"]})),
        Just(json!({"none_have_tags": ["x", "y"]})),
        Just(json!({"sorted_desc": {"path": "results[*].f"}})),
        Just(json!({"has_fields": ["status", "results[*].f"]})),
        Just(json!({"contains": "a"})),
        Just(json!({"if_results": {"all_in_range": {"path": "results[*].f", "min": 0}}})),
    ]
}

/// The same assertion as a leaf of a tree, whose arguments stand in lists.
fn leaf(assertion: &Value) -> Value {
    let (name, argument) = assertion.as_object().unwrap().iter().next().unwrap();
    json!({name: [argument]})
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn groups_mean_all_some_and_none(assertions in prop::collection::vec(any_assertion(), 1..4), response in any_response()) {
        let each: Vec<bool> = assertions.iter().map(|assertion| passes(assertion, &response)).collect();
        let leaves: Vec<Value> = assertions.iter().map(leaf).collect();
        prop_assert_eq!(passes(&json!({"must": leaves}), &response), each.iter().all(|passed| *passed));
        prop_assert_eq!(passes(&json!({"can": leaves}), &response), each.iter().any(|passed| *passed));
        prop_assert_eq!(passes(&json!({"cannot": leaves}), &response), !each.iter().any(|passed| *passed));
        prop_assert_eq!(passes(&json!(assertions), &response), each.iter().all(|passed| *passed));
        prop_assert_eq!(passes(&json!({"one_of": assertions}), &response), each.iter().any(|passed| *passed));
    }

    #[test]
    fn a_group_in_a_group_is_judged_as_one(inner in prop::collection::vec(any_assertion(), 1..3), response in any_response()) {
        let leaves: Vec<Value> = inner.iter().map(leaf).collect();
        let all = passes(&json!({"must": leaves}), &response);
        prop_assert_eq!(passes(&json!({"can": [{"must": leaves}]}), &response), all);
        prop_assert_eq!(passes(&json!({"cannot": [{"must": leaves}]}), &response), !all);
        prop_assert_eq!(passes(&json!({"cannot": [{"cannot": leaves}]}), &response), inner.iter().any(|one| passes(one, &response)));
    }

    #[test]
    fn at_least_and_at_most_is_exactly(count in 0_u8..4, response in any_response()) {
        let both = passes(&json!({"results_min": count, "results_max": count}), &response);
        prop_assert_eq!(passes(&json!({"results_count": count}), &response), both);
    }

    #[test]
    fn order_turned_round_is_the_other_order(mut response in any_response()) {
        let descending = passes(&json!({"sorted_desc": {"path": "results[*].f"}}), &response);
        if let Some(results) = response["results"].as_array_mut() {
            results.reverse();
            prop_assert_eq!(passes(&json!({"sorted_asc": {"path": "results[*].f"}}), &response), descending);
        }
    }

    #[test]
    fn sorting_is_that_no_value_is_above_the_one_before(numbers in prop::collection::vec(-3_i32..4, 0..6)) {
        let descending = numbers.windows(2).all(|pair| pair[0] >= pair[1]);
        prop_assert_eq!(passes(&json!({"sorted_desc": {"path": "[*]"}}), &json!(numbers)), descending);
    }

    #[test]
    fn some_value_matches_or_none_does(response in any_response()) {
        let all = passes(&json!({"all_match_pattern": {"path": "results[*].f", "regex": "a"}}), &response);
        let none = passes(&json!({"none_match_pattern": {"path": "results[*].f", "regex": "a"}}), &response);
        let empty = response["results"].as_array().is_some_and(Vec::is_empty);
        prop_assert_eq!(all && none, empty);
    }

    #[test]
    fn one_allowed_value_is_that_value(value in any_scalar(), response in any_response()) {
        let one = passes(&json!({"all_match": {"path": "results[*].f", "value": value}}), &response);
        prop_assert_eq!(passes(&json!({"all_match_one_of": {"path": "results[*].f", "values": [value]}}), &response), one);
    }

    #[test]
    fn no_question_and_no_response_panics(question in any::<String>(), yaml in any::<bool>(), response in any_response()) {
        let document = Document::new(if yaml { "q.yaml" } else { "q.json" }, question);
        if let Ok(question) = Question::<ResponseAssertion>::compile(document) {
            question.judge(&JsonDocument::from(&response), &Context::default());
        }
    }
}
