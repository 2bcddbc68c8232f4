//! An error in a written file, shown with the line that it is in.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::document::Document;
use crate::value::visible;
use crate::verdict::{Error, Place};

/// How much of a document is shown around an error: a line of a minified file may be megabytes long.
const SHOWN_BYTES: usize = 200;

/// The error with its place, the line, and a mark under the part that is wrong.
///
/// ```text
/// error: unknown assertion 'statuss'; did you mean 'status'?
///  --> expect.yaml:3:1
///   |
/// 3 | statuss: success
///   | ^^^^^^^
/// ```
pub fn render(document: &Document, error: &Error, colour: bool) -> String {
    show(document, Level::ERROR, &error.kind.to_string(), error.place.as_deref(), colour)
}

/// The same for what is no error.
pub fn warning(document: &Document, title: &str, place: &Place, colour: bool) -> String {
    show(document, Level::WARNING, title, Some(place), colour)
}

/// An error that is none, but worth a look.
pub fn caution(document: &Document, error: &Error, colour: bool) -> String {
    show(document, Level::WARNING, &error.kind.to_string(), error.place.as_deref(), colour)
}

fn show(document: &Document, level: Level<'_>, title: &str, place: Option<&Place>, colour: bool) -> String {
    let title = visible(title).into_owned();
    let name = visible(&document.name).into_owned();
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let Some((place, span)) = place.and_then(|place| Some((place, place.span.clone()?))) else {
        let title = level.primary_title(format!("{name}: {title}"));
        return format!("{}\n", renderer.render(&[Group::with_title(title)]));
    };
    let window = Window::around(&document.text, span);
    let (line, column) = (place.line.unwrap_or(1), place.column.unwrap_or(1));
    let snippet =
        Snippet::source(window.text).line_start(line).annotation(AnnotationKind::Primary.span(window.mark));
    let report = if window.starts_the_line {
        level.primary_title(title).element(snippet.path(name))
    } else {
        level.primary_title(format!("{name}:{line}:{column}: {title}")).element(snippet)
    };
    format!("{}\n", renderer.render(&[report]))
}

/// The line that an error is in, cut to what fits, with the part that is wrong.
struct Window {
    text: String,
    mark: std::ops::Range<usize>,
    /// Whether columns counted in the window are columns of the line.
    starts_the_line: bool,
}

impl Window {
    fn around(text: &str, span: std::ops::Range<usize>) -> Window {
        let start = text.floor_char_boundary(span.start.min(text.len()));
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        // The line end of some editors is no part of the line.
        let line_end = if text[start..line_end].ends_with('\r') { line_end - 1 } else { line_end };
        let from = text.floor_char_boundary(line_start.max(start.saturating_sub(SHOWN_BYTES / 2)));
        let until = text.ceil_char_boundary(line_end.min(start + SHOWN_BYTES));
        let end = text.floor_char_boundary(span.end.clamp(start, until));
        // What a terminal obeys is shown, so the mark moves with what grows before it.
        let (before, marked, after) =
            (visible(&text[from..start]), visible(&text[start..end]), visible(&text[end..until]));
        Window {
            mark: before.len()..before.len() + marked.len(),
            text: format!("{before}{marked}{after}"),
            starts_the_line: from == line_start && before == text[from..start],
        }
    }
}
