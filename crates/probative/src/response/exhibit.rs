//! A response as a report shows it beside failures.

use crate::exhibit::{Exhibit, ExhibitLine, Marks, Panel, beginning, outline};
use crate::value::Value;

impl Exhibit for Value {
    fn lines(&self, marks: &Marks) -> Vec<ExhibitLine> {
        let quoted = |line: ExhibitLine| ExhibitLine { text: format!("  │ {}", line.text), ..line };
        match self {
            Value::String(text) => beginning("response", text),
            json => {
                let head = ExhibitLine::plain("response:");
                std::iter::once(head)
                    .chain(outline(json, marks.places_in("response")).into_iter().map(quoted))
                    .collect()
            }
        }
    }

    fn panels(&self) -> Vec<Panel> {
        match self {
            Value::String(text) => vec![Panel::text("response", text)],
            json => vec![Panel::json("response", json)],
        }
    }
}
