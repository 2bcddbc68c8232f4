//! Documents with cases in them, of every format.

use probative::document::Document;
use probative::report::{Asked, diagnostic};
use probative::spec::{Format, Mode, Plan, Settings, Spec, written};
use probative::verdict::Error;

use crate::input::{choice, text};
use crate::visible::assert_visible;

/// Reads and compiles the cases of a document, and looks for what is the matter with them.
///
/// Reading ends, every error has a place in the document that can be shown, and a YAML document is the same with a mark
/// before it, which keeps the plain reader from it.
pub fn cases(bytes: &[u8]) {
    let (format, rest) = choice(bytes);
    let (format, text) = (Format::ALL[format % Format::ALL.len()], text(rest));
    let name = format!("fuzz{}", format.endings()[0]);
    let settings = Settings { health: Mode::Warn, conditions: vec!["so".to_owned()] };
    let spec = Spec::read(Document::new(name.as_str(), text.as_ref()), format, &settings);
    for error in spec.errors.iter().chain(&spec.warnings) {
        shown(&spec.document, error);
    }
    for case in &spec.cases {
        case.place_of(&spec.document, &["harness", "entrypoint"]);
        match &case.plan {
            Plan::Run(run) => {
                Asked::rows_of(run);
                run.refusal();
                run.health.findings.iter().for_each(|finding| assert!(finding.place.line.is_some()));
            }
            Plan::Malformed(errors) => errors.iter().for_each(|error| shown(&spec.document, error)),
            Plan::Missing(_) | Plan::Skipped(_) | Plan::UnknownType(_) => {}
        }
    }
    let values = written(&spec.document, format);
    if format == Format::Yaml {
        let marked = Document::new(name.as_str(), format!("---\n{}", spec.document.text));
        // Where the mark is not alone, it means something else.
        if !values.is_empty() && !spec.document.text.starts_with("---") {
            assert_eq!(values, written(&marked, format), "the two readers of YAML disagree");
        }
    }
}

/// An error in a document has a place there, and is shown with it.
fn shown(document: &Document, error: &Error) {
    let place = error.place.as_deref().expect("an error in a document has a place");
    let (line, column) = (place.line.expect("a line"), place.column.expect("a column"));
    assert!(line <= document.text.split('\n').count() && column >= 1, "{line}:{column}");
    assert_visible(&diagnostic::render(document, error, false));
}
