//! What may change since an earlier report, as a question says it.

use std::sync::Arc;

use cupel::SelectionReport;

use super::argument::{Allowance, Changes};
use super::diff::{Change, selection_changed};
use super::predicate::holds;
use super::read::read;
use crate::verdict::{Error, ErrorKind, Verdict};
use crate::vocabulary::{Context, FileReader};

impl Changes {
    /// Reads the earlier report, and answers with what should be known about it.
    pub(super) fn supply(&mut self, file: &mut FileReader<'_>) -> Result<Vec<String>, Error> {
        let name = &self.against;
        let read = read(&file(name)?).map_err(|malformed| {
            Error::in_file(ErrorKind::MalformedSubject(malformed.to_string()), name.as_str())
        })?;
        self.earlier = Some(Arc::new(read.subject));
        Ok(read.warnings.into_iter().map(|warning| format!("{name}: {warning}")).collect())
    }

    pub(super) fn judge(&self, report: &SelectionReport, context: &Context<'_>) -> Result<Verdict, Error> {
        let Some(earlier) = &self.earlier else {
            let message = format!("the report '{}' was not read", self.against);
            return Err(Error::new(ErrorKind::Unobtainable(message)));
        };
        selection_changed(report, earlier, &self.against, |change| {
            for allowance in &self.allow {
                if allowance.includes(change, context)? {
                    return Ok(true);
                }
            }
            Ok(false)
        })
    }
}

impl Allowance {
    /// Whether the change is one of those that are allowed.
    fn includes(&self, change: &Change<'_>, context: &Context<'_>) -> Result<bool, Error> {
        let named = self.change.is_none_or(|how| how == change.how())
            && self.kind.as_ref().is_none_or(|kind| kind.0 == *change.item.kind());
        match &self.predicate {
            Some(predicate) if named => holds(predicate, change.item, context),
            _ => Ok(named),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::ContextAssertion;
    use super::*;
    use crate::verdict::Category;
    use crate::vocabulary::{NoSetting, Vocabulary};

    #[test]
    fn what_was_not_supplied_cannot_be_judged() {
        let empty = json!({"events": [], "included": [], "excluded": [], "total_candidates": 0,
            "total_tokens_considered": 0});
        let empty = empty.to_string();
        let report = ContextAssertion::read(empty.as_bytes(), &NoSetting).unwrap().subject;
        let changes = Changes { against: "earlier.json".to_owned(), allow: Vec::new(), earlier: None };
        let error = changes.judge(&report, &Context::default()).unwrap_err();
        assert_eq!(error.to_string(), "the report 'earlier.json' was not read");
        assert_eq!(error.category(), Category::Runtime);
    }
}
