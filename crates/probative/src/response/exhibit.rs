//! A response as a report shows it beside failures.

use crate::exhibit::{Exhibit, ExhibitLine, Marks, Panel, beginning, outline};
use crate::json::{JsonDocument, View as _};
use crate::value::Value;

impl Exhibit for JsonDocument<'_> {
    fn lines(&self, marks: &Marks) -> Vec<ExhibitLine> {
        let quoted = |line: ExhibitLine| ExhibitLine { text: format!("  │ {}", line.text), ..line };
        match self.root().to_value() {
            Value::String(text) => beginning("response", &text),
            json => {
                let head = ExhibitLine::plain("response:");
                std::iter::once(head)
                    .chain(outline(&json, marks.places_in("response")).into_iter().map(quoted))
                    .collect()
            }
        }
    }

    fn panels(&self) -> Vec<Panel> {
        match self.root().to_value() {
            Value::String(text) => vec![Panel::text("response", &text)],
            json => vec![Panel::json("response", &json)],
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::exhibit::{Marked, Showing};
    use crate::{ResponseAssertion, Vocabulary};

    fn shown(response: &Value, place: &str) -> Vec<String> {
        let marked = Marked { place: place.to_owned(), note: "here".to_owned(), target: None };
        let marks = Marks { places: vec![marked], ..Marks::default() };
        let document = JsonDocument::from(response);
        let exhibit = ResponseAssertion::exhibit(&document).unwrap();
        exhibit.lines(&marks).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn json_is_shown_below_its_name_and_a_text_beside_it() {
        assert_eq!(shown(&json!({"a": 1}), "a"), ["response:", "  │ {", "  │   \"a\": 1  ← here", "  │ }"]);
        assert_eq!(shown(&json!("one\ntwo"), "a"), ["response:", "  │ one", "  │ two"]);
    }

    #[test]
    fn a_panel_holds_all_of_it() {
        let panels = |response: Value| serde_json::to_value(JsonDocument::from(&response).panels()).unwrap();
        let json = json!([{"kind": "json", "title": "response", "value": {"a": 1}}]);
        assert_eq!(panels(json!({"a": 1})), json);
        let text = json!([{"kind": "text", "title": "response", "text": "one", "left_out": 0}]);
        assert_eq!(panels(json!("one")), text);
    }

    #[test]
    fn any_text_is_a_response_and_is_shown_with_escapes_seen() {
        assert_eq!(ResponseAssertion::from_text("{"), Some(JsonDocument::from("{")));
        let shown =
            ResponseAssertion::show(&JsonDocument::from(&json!({"a": "\u{9b}"})), &Showing::default());
        assert_eq!(shown, "  {\n    \"a\": \"\\u009b\"\n  }\n");
    }
}
