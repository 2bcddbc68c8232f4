//! Operators mean what they say: each is compiled to an expression, which must agree with its plain meaning.

use std::borrow::Cow;

use probative::document::Document;
use probative::question::Judgement;
use probative::spec::lang::{Nowhere, World};
use probative::spec::types::Target;
use probative::spec::{Case, Circumstances, Format, Observed, Plan, Settings, Spec, Subject};
use probative::value::{Pattern, Value};
use probative::verdict::Error;
use proptest::prelude::*;
use serde_json::json;

/// A text that every target is.
struct Text(Value);

impl Observed for Text {
    fn subject(&self, _: &'static Target) -> Result<Subject<'_>, Error> {
        Ok(Subject::Value(Cow::Borrowed(&self.0)))
    }

    fn world(&self) -> &dyn World {
        &Nowhere
    }
}

fn case(assert: &Value) -> Case {
    let written = json!({"id": "LAW", "type": "text.file", "assert": assert});
    let document = Document::new("law.spec.json", written.to_string());
    let mut spec = Spec::read(document, Format::Json, &Settings::default());
    assert!(spec.errors.is_empty(), "{:?}", spec.errors);
    spec.cases.remove(0)
}

fn judge(assert: &Value, text: &str) -> Judgement {
    match case(assert).plan {
        Plan::Run(run) => {
            let document = Document::new("law.spec.json", "");
            let circumstances = Circumstances { id: "LAW", document: &document, now: None };
            run.judge(&circumstances, &Text(text.into())).judgement
        }
        other => panic!("{other:?}"),
    }
}

fn holds(leaf: &Value, text: &str) -> bool {
    judge(&json!([{"target": "text", "must": [leaf]}]), text).passed()
}

/// Texts in which small words come up often.
fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[ab\n]{0,12}", "\\PC{0,8}", Just(String::new())]
}

/// Texts that are JSON now and then.
fn almost_json() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("[]".to_owned()),
        Just("{\"a\": 1}".to_owned()),
        Just(" [1, {}] \n".to_owned()),
        Just("null".to_owned()),
        Just("\"[]\"".to_owned()),
        text(),
    ]
}

proptest! {
    #[test]
    fn contain_is_what_texts_contain(text in text(), word in "[ab\n]{0,3}") {
        prop_assert_eq!(holds(&json!({"contain": [word]}), &text), text.contains(&word));
    }

    #[test]
    fn regex_is_what_patterns_find(text in text(), pattern in "[ab.^$]{0,3}") {
        let plain = Pattern::parse(&pattern).unwrap().is_match(&text).unwrap();
        prop_assert_eq!(holds(&json!({"regex": [pattern]}), &text), plain);
    }

    #[test]
    fn json_type_is_what_a_parser_reads(text in almost_json()) {
        let read = serde_json::from_str::<Value>(&text).unwrap_or_default();
        prop_assert_eq!(holds(&json!({"json_type": ["list"]}), &text), read.is_array());
        prop_assert_eq!(holds(&json!({"json_type": ["dict"]}), &text), read.is_object());
    }

    #[test]
    fn an_operator_is_the_expression_it_stands_for(text in almost_json(), word in "[ab]{0,2}") {
        for (leaf, expression) in [
            (json!({"contain": [word]}), json!(["contains", ["subject"], word])),
            (json!({"regex": [word]}), json!(["regex_match", ["subject"], word])),
            (json!({"json_type": ["list"]}), json!(["json_type", ["json_parse", ["subject"]], "list"])),
        ] {
            prop_assert_eq!(holds(&leaf, &text), holds(&json!({"evaluate": [expression]}), &text));
        }
    }

    #[test]
    fn groups_are_all_some_and_none(text in "[abc]{0,4}", words in prop::collection::vec("[abc]{1,2}", 1..4)) {
        let leaves: Vec<Value> = words.iter().map(|word| json!({"contain": [word]})).collect();
        let group = |name: &str| judge(&json!([{"target": "text", name: leaves}]), &text).passed();
        let found = |word: &String| text.contains(word.as_str());
        prop_assert_eq!(group("must"), words.iter().all(found));
        prop_assert_eq!(group("can"), words.iter().any(found));
        prop_assert_eq!(group("cannot"), !words.iter().any(found));
        // Several values in one leaf must all hold.
        let leaf = json!({"contain": words});
        prop_assert_eq!(holds(&leaf, &text), words.iter().all(found));
        let cannot = judge(&json!([{"target": "text", "cannot": [leaf]}]), &text).passed();
        prop_assert_eq!(cannot, !words.iter().all(found));
    }

    /// Whatever stands in a document, reading it ends, and every error has a place in it.
    #[test]
    fn reading_anything_ends(text in "(```yaml spec-test\n|```\n|id: x\n|type: text.file\n|assert:\n|- target: text\n|  must: \\[|\\]|[-:{}\\[\\]&*!|>'\" \n]){0,24}") {
        let length = text.len();
        for format in Format::ALL {
            let spec = Spec::read(Document::new("any", text.clone()), format, &Settings::default());
            for error in &spec.errors {
                let place = error.place.as_ref().unwrap();
                prop_assert!(place.line.is_some() && place.span.as_ref().unwrap().start <= length, "{}", error);
            }
        }
    }
}
