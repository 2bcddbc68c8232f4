//! A response as a report shows it beside failures.

use crate::exhibit::{Exhibit, ExhibitLine, Panel};
use crate::value::Value;
use crate::verdict::Pointed;

impl Exhibit for Value {
    fn lines(&self, _: &[Pointed]) -> Vec<ExhibitLine> {
        Vec::new()
    }

    fn panels(&self) -> Vec<Panel> {
        vec![Panel::json("response", self)]
    }
}
