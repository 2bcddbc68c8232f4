//! What is told at a glance is what judging would have told: a text that passes at a glance passes when it is read and
//! judged, and nothing about it would have been told beside that.

use std::fmt::Write as _;

use probative::question::Question;
use probative::value::Value;
use probative::{Context, ResponseAssertion, TrajectoryAssertion, Vocabulary};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Map, json};

const NAMES: [&str; 10] =
    ["status", "results", "file", "n", "metadata", "tags", "created", "summary", "a b", "naïve"];

fn question(written: &Value) -> Question<ResponseAssertion> {
    let document = probative::document::Document::new("question.json", written.to_string());
    Question::compile(document).unwrap()
}

/// What judging says of a text: whether it passes, and whether anything else would be told.
fn judged(question: &Question<ResponseAssertion>, text: &str, context: &Context<'_>) -> (bool, bool) {
    match ResponseAssertion::read(text.as_bytes(), question.setting()) {
        Err(_) => (false, true),
        Ok(read) => (question.judge(&read.subject, context).passed(), !read.warnings.is_empty()),
    }
}

fn now<'c>() -> Context<'c> {
    Context { now: probative::value::Moment::parse("2026-01-15"), ..Context::default() }
}

fn at_a_glance(question: &Question<ResponseAssertion>, text: &str) -> Option<bool> {
    let context = now();
    question.glance(&context).map(|glance| glance.look().passes(text.as_bytes()))
}

fn passes(written: &Value, text: &str) -> Option<bool> {
    at_a_glance(&question(written), text)
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => prop::sample::select(vec![
            json!("success"), json!("work"), json!("note"), json!("journal/a.md"), json!("2026-01-10"), json!("say \"no\""),
            json!("2026-01-20T10:00:00Z"), json!("naïve\nlines"), json!(""), json!("5"), json!("people/ann.md"),
        ]),
        4 => prop::sample::select(vec![
            json!(0), json!(1), json!(5), json!(5.0), json!(-0.5), json!(0.75), json!(1e300), json!(u64::MAX),
            json!(9_007_199_254_740_993_u64), json!(-3),
        ]),
        1 => prop::sample::select(vec![json!(null), json!(true), json!(false)]),
    ]
}

fn anything() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((prop::sample::select(NAMES.to_vec()), inner), 0..4).prop_map(|members| {
                members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
            }),
        ]
    })
}

/// Mostly what agents answer, now and then something else in a place.
fn response() -> impl Strategy<Value = Value> {
    let mostly = |usual: Vec<Value>| prop_oneof![9 => prop::sample::select(usual), 1 => anything()];
    let result = (
        mostly(vec![json!("journal/a.md"), json!("journal/b.md")]),
        mostly(vec![json!(0), json!(0.5), json!(1)]),
        mostly(vec![json!(["work"]), json!(["work", "security"]), json!(["security", "work", 7])]),
        mostly(vec![json!("2026-01-10"), json!("2026-01-20T10:00:00Z")]),
        prop::bool::weighted(0.1),
    );
    let result = result.prop_map(|(file, n, tags, created, bare)| {
        if bare {
            return json!({"file": file, "n": n});
        }
        json!({"file": file, "n": n, "metadata": {"tags": tags, "type": "note"}, "created": created})
    });
    let shaped = (
        mostly(vec![json!("success")]),
        prop_oneof![8 => prop::collection::vec(result, 0..4).prop_map(Value::from), 1 => anything()],
        mostly(vec![json!("Found 3 notes"), json!("none")]),
    );
    let shaped = shaped.prop_map(|(status, results, summary)| {
        json!({"status": status, "results": results, "summary": summary, "page": {"total": 3, "offset": 0}})
    });
    prop_oneof![9 => shaped, 1 => anything()]
}

fn path() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "status",
        "results",
        "results[*]",
        "results[*].file",
        "results[*].n",
        "results[*].created",
        "summary",
        "page.total",
        "results[*].metadata",
        "results[*].metadata.tags",
        "results[*].metadata.tags[*]",
        "results[*].metadata.type",
        "page",
        "nowhere",
        "$.results[*].n",
        "results[0].n",
        "page[*]",
        "$",
    ])
}

fn assertion() -> impl Strategy<Value = (&'static str, Value)> {
    let tags = || prop::sample::subsequence(vec!["work", "security", "draft"], 0..3);
    prop_oneof![
        scalar().prop_map(|value| ("status", value)),
        Just(("status", json!("success"))),
        prop::sample::select(vec!["note", "journal", "5", "a b", "ïve", "\"no", "3 n", "true", "Found 3"])
            .prop_map(|text| ("contains", json!(text))),
        prop::sample::select(vec!["", "Found", "o"]).prop_map(|text| ("summary_contains", json!(text))),
        (0_u64..3).prop_map(|least| ("results_min", json!(least))),
        (0_u64..5).prop_map(|most| ("results_max", json!(most))),
        (0_u64..5).prop_map(|count| ("results_count", json!(count))),
        prop::collection::vec(path(), 1..3).prop_map(|paths| ("has_fields", json!(paths))),
        (path(), anything()).prop_map(|(path, value)| ("field_equals", json!({path: value}))),
        Just(("field_equals", json!({"page": {"offset": 0, "total": 3.0}}))),
        (path(), prop::sample::select(vec!["", "note", "journal"]))
            .prop_map(|(path, text)| ("field_contains", json!({"path": path, "text": text}))),
        (path(), anything()).prop_map(|(path, value)| ("all_match", json!({"path": path, "value": value}))),
        (path(), prop::collection::vec(scalar(), 1..6))
            .prop_map(|(path, values)| ("all_match_one_of", json!({"path": path, "values": values}))),
        (path(), prop::sample::select(vec!["^journal/", "a", "", r"(?<=l)/", "md$"]))
            .prop_map(|(path, regex)| ("all_match_pattern", json!({"path": path, "regex": regex}))),
        (path(), prop::sample::select(vec!["^people/", "b", r"(a)\1"]))
            .prop_map(|(path, regex)| ("none_match_pattern", json!({"path": path, "regex": regex}))),
        tags().prop_map(|tags| ("all_have_tags", json!(tags))),
        tags().prop_map(|tags| ("none_have_tags", json!(tags))),
        tags().prop_map(|tags| ("each_has_any_tag", json!(tags))),
        path().prop_map(|path| {
            ("all_dates_between", json!({"path": path, "start": "2026-01-01", "end": "2026-01-20"}))
        }),
        (path(), 0_u64..9)
            .prop_map(|(path, days)| ("dates_within_days", json!({"path": path, "days": days}))),
        path().prop_map(|path| ("all_dates_in_year", json!({"path": path, "year": 2026}))),
        (
            path(),
            prop::sample::select(vec![json!({"min": 0}), json!({"max": 1.0}), json!({"min": -1, "max": 5})])
        )
            .prop_map(|(path, mut bounds)| {
                bounds["path"] = json!(path);
                ("all_in_range", bounds)
            }),
        path().prop_map(|path| ("sorted_desc", json!({"path": path}))),
        path().prop_map(|path| ("sorted_asc", json!({"path": path}))),
        (path(), prop::collection::vec(anything(), 0..3))
            .prop_map(|(path, values)| ("array_contains", json!({"path": path, "values": values}))),
        path().prop_map(|path| ("array_contains", json!({"path": path, "pattern": "^wo"}))),
        tags().prop_map(|tags| ("if_results", json!({"all_have_tags": tags, "results_max": 3}))),
        Just(("if_has_history", json!({"status": "success"}))),
        prop::sample::select(vec![
            json!({"file": "string"}),
            json!({"n": {"type": "number", "min": 0, "optional": true}}),
            json!({"n": "integer", "metadata": "object"}),
            json!({"metadata.tags": {"type": "array", "optional": true}}),
            json!({"metadata.tags[*]": {"type": "string", "optional": true}}),
            json!({"file": {"enum": ["journal/a.md", ["x"]]}, "created": {"pattern": "^2026"}}),
        ])
        .prop_map(|fields| ("results_schema", fields)),
        Just(("one_of", json!([{"status": "success"}, {"status": "error"}]))),
    ]
}

/// Up to three assertions, of two with one name one; now and then in a group.
fn asked() -> impl Strategy<Value = Value> {
    (prop::collection::vec(assertion(), 1..4), prop::bool::weighted(0.1)).prop_map(|(assertions, grouped)| {
        let one = |(name, argument): (&str, Value)| {
            (name.to_owned(), if grouped { json!([argument]) } else { argument })
        };
        let assertions: Map<_, _> = assertions.into_iter().map(one).collect();
        if grouped { json!({"must": [assertions]}) } else { Value::from(assertions) }
    })
}

/// How a text is written: blanks, escapes, which member of every object comes last, and in which object which of them is given twice.
#[derive(Debug, Clone)]
struct Hand {
    blanks: Vec<u8>,
    escapes: bool,
    last: usize,
    repeats: Option<(usize, usize)>,
}

fn hand() -> impl Strategy<Value = Hand> {
    let blanks =
        prop_oneof![2 => Just(vec![0]), 2 => Just(vec![1]), 1 => prop::collection::vec(0_u8..4, 1..5)];
    let repeats = prop_oneof![4 => Just(None), 1 => (0_usize..6, 0_usize..4).prop_map(Some)];
    (blanks, prop::bool::weighted(0.1), 0_usize..6, repeats)
        .prop_map(|(blanks, escapes, last, repeats)| Hand { blanks, escapes, last, repeats })
}

struct Writer<'h> {
    hand: &'h Hand,
    written: usize,
    objects: usize,
    out: String,
}

impl Writer<'_> {
    fn blank(&mut self) {
        let blank =
            ["", " ", "\n", " \t"][usize::from(self.hand.blanks[self.written % self.hand.blanks.len()])];
        self.written += 1;
        self.out.push_str(blank);
    }

    fn text(&mut self, text: &str) {
        if !self.hand.escapes {
            self.out.push_str(&json!(text).to_string());
            return;
        }
        self.out.push('"');
        for unit in text.encode_utf16() {
            let _ = write!(self.out, "\\u{unit:04x}");
        }
        self.out.push('"');
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Array(items) => {
                self.out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        self.out.push(',');
                    }
                    self.blank();
                    self.value(item);
                }
                self.out.push(']');
            }
            Value::Object(members) => {
                let object = self.objects;
                self.objects += 1;
                let mut members: Vec<_> = members.iter().collect();
                if let Some(later) = members.get_mut(self.hand.last..) {
                    later.rotate_left(later.len().min(1));
                }
                if let Some((_, which)) = self.hand.repeats.filter(|(repeats, _)| *repeats == object) {
                    members.extend(members.get(which).copied());
                }
                self.out.push('{');
                for (index, (name, value)) in members.into_iter().enumerate() {
                    if index > 0 {
                        self.out.push(',');
                        self.blank();
                    }
                    self.text(name);
                    self.out.push(':');
                    self.blank();
                    self.value(value);
                }
                self.out.push('}');
            }
            Value::String(text) => self.text(text),
            other => self.out.push_str(&other.to_string()),
        }
    }
}

fn written(value: &Value, hand: &Hand) -> String {
    let mut writer = Writer { hand, written: 0, objects: 0, out: String::new() };
    writer.value(value);
    writer.out
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    #[test]
    fn what_passes_at_a_glance_passes(asked in asked(), responses in prop::collection::vec((response(), prop::collection::vec(hand(), 1..6)), 1..4)) {
        let (question, context) = (question(&asked), now());
        let Some(glance) = question.glance(&context) else { return Ok(()) };
        // What is learned from one is made use of in the next.
        let mut look = glance.look();
        for (response, hands) in &responses {
            for hand in hands.iter().flat_map(|hand| [hand, hand]) {
                let text = written(response, hand);
                if look.passes(text.as_bytes()) {
                    prop_assert_eq!(judged(&question, &text, &context), (true, false), "{} of {}", asked, text);
                }
            }
        }
    }

    #[test]
    fn what_is_broken_does_not_pass_at_a_glance(response in response(), hand in hand(), cut in any::<prop::sample::Index>(), put in "[\\x00-~]{0,2}") {
        let (question, context) = (question(&json!({"has_fields": ["status"]})), now());
        let mut text = written(&response, &hand);
        let glance = question.glance(&context).unwrap();
        let mut look = glance.look();
        look.passes(text.as_bytes());
        let at = text.floor_char_boundary(cut.index(text.len() + 1));
        let end = (at + 1).min(text.len());
        text.replace_range(at..text.ceil_char_boundary(end), &put);
        if look.passes(text.as_bytes()) {
            prop_assert_eq!(judged(&question, &text, &context), (true, false), "{}", text);
        }
    }
}

/// Otherwise the tests above would hold of a glance that tells nothing.
#[test]
fn most_of_what_passes_is_told_at_a_glance() {
    let seeded = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), seeded);
    let cases = (asked(), response(), hand());
    let (mut passed, mut told, mut failed) = (0, 0, 0);
    for _ in 0..4000 {
        let (asked, response, hand) = cases.new_tree(&mut runner).unwrap().current();
        let (question, text) = (question(&asked), written(&response, &hand));
        let Some(glanced) = at_a_glance(&question, &text) else { continue };
        match judged(&question, &text, &now()) {
            (true, false) => {
                passed += 1;
                told += u32::from(glanced);
            }
            _ => failed += 1,
        }
    }
    assert!(passed > 400 && failed > 400, "{passed} passed, {failed} did not");
    assert!(told * 10 > passed * 9, "{told} of {passed} were told");
}

#[test]
fn every_name_is_asked_about_or_left_to_others() {
    let text = r#"{"status": "success", "results": [{"file": "a", "metadata": {"tags": ["work"]}}]}"#;
    assert_eq!(passes(&json!({"status": "success", "all_have_tags": ["work"]}), text), Some(true));
    assert_eq!(passes(&json!({"status": "error"}), text), Some(false));
    assert_eq!(passes(&json!({"must": [{"status": ["success"]}, {"results_max": [1]}]}), text), Some(true));
    for left in [
        json!({"one_of": [{"status": "success"}]}),
        json!({"cannot": [{"status": "error"}]}),
        json!({"can": [{"status": "success"}]}),
        json!({"has_fields": ["results[0]"]}),
        json!({"if_sensitive_results": {"has_field": "sensitive"}}),
        json!({"contains": "true"}),
        json!({"no_such_name": 1}),
    ] {
        assert_eq!(passes(&left, text), None, "{left}");
    }
}

#[test]
fn what_may_be_no_subject_at_all_is_read() {
    let nothing = || probative::document::Document::new("question.json", "{}");
    assert!(Question::<ResponseAssertion>::compile(nothing()).unwrap().glance(&now()).is_some());
    assert!(Question::<TrajectoryAssertion>::compile(nothing()).unwrap().glance(&now()).is_none());
    #[cfg(feature = "cupel")]
    assert!(Question::<probative::ContextAssertion>::compile(nothing()).unwrap().glance(&now()).is_none());
}

#[test]
fn a_mention_is_looked_for_in_strings_as_they_read() {
    let mentions = |wanted: &str, text: &str| passes(&json!({"contains": wanted}), text);
    assert_eq!(mentions("security", r#"{"security": 1}"#), Some(true));
    assert_eq!(mentions("no results", r#"{"a": "there are no results"}"#), Some(true));
    // The letters of an escape are not what it stands for.
    assert_eq!(mentions("u00e9b", r#"{"a": "\u00e9b"}"#), Some(false));
    assert_eq!(mentions("e9b12x", r#"{"a": "\u00e9b12x"}"#), Some(false));
    assert_eq!(mentions("b12x", r#"{"a": "\u00e9b12x"}"#), Some(true));
    assert_eq!(mentions("mention", r#"{"a": "\"quoted\" is a mention"}"#), Some(true));
    // These could stand outside of strings, or be written otherwise.
    for unsure in ["12", "null", "1.5e3", "a\"b", "a\\b", "a\nb", ", ", ""] {
        assert_eq!(mentions(unsure, r#"{"a": "x"}"#), None, "{unsure}");
    }
}

#[test]
fn keys_given_twice_are_for_others_to_tell() {
    let asked = || json!({"has_fields": ["a.b"]});
    for twice in [
        r#"{"a": {"b": 1, "b": 2}}"#,
        r#"{"a": {"b": 1}, "c": 1, "c": 2}"#,
        r#"{"a": {"b": 1}, "c": {"d": 1, "d": 2}}"#,
        r#"{"a": {"b": {"d": 1, "d": 2}}}"#,
        r#"{"a": {"b": 1}, "\u0061": 2}"#,
        r#"{"a": {"b": 1}, "c": 1, "\u0063": 2}"#,
    ] {
        assert_eq!(passes(&asked(), twice), Some(false), "{twice}");
    }
    assert_eq!(passes(&asked(), r#"{"c": 1, "a": {"c": 1, "b": {"c": 1}}}"#), Some(true));
}

#[test]
fn what_is_learned_from_one_does_not_hide_a_key_given_twice_in_the_next() {
    let (question, context) = (question(&json!({"has_fields": ["b"]})), now());
    let glance = question.glance(&context).unwrap();
    let mut look = glance.look();
    let mut passes = |text: &str| look.passes(text.as_bytes());
    assert!(passes(r#"{"a": 1, "b": 2, "c": 3}"#));
    assert!(passes(r#"{"a": 1, "b": 2, "c": 3}"#));
    // Some of the keys, in that order; then in another, which is learned; then twice.
    assert!(passes(r#"{"a": 1, "b": 2}"#));
    assert!(passes(r#"{"b": 1, "d": 2}"#));
    for twice in [
        r#"{"a": 1, "b": 2, "a": 3}"#,
        r#"{"a": 1, "b": 2, "b": 3}"#,
        r#"{"b": 2, "d": 1, "b": 3}"#,
        r#"{"b": 2, "d": 1, "d": 3}"#,
        r#"{"b": 2, "e": 1, "e": 3}"#,
        r#"{"b": 2, "e": 1, "\u0065": 3}"#,
    ] {
        assert!(!passes(twice), "{twice}");
        assert!(!passes(twice), "{twice}");
    }
    // What is asked about comes later than before, which is learned; then in both places.
    for moved in [r#"{"x": 1, "b": 2, "c": 3}"#, r#"{"x": 1, "c": 3, "b": 2}"#] {
        assert!((0..5000).all(|_| passes(moved)), "{moved}");
    }
    assert!(!passes(r#"{"x": 1, "b": 2, "c": 3, "b": 4}"#));
    assert!(
        !passes(r#"{"a": 1, "b": 2"#) && !passes(r#"{"a": 1, "b": 2}}"#) && !passes(r#"{"a": 1,, "b": 2}"#)
    );
}
