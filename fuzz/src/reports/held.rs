//! What must hold of a report, by its format.

use probative::document::Document;
use probative::report::{CaseResult, Format, Summary};
use pulldown_cmark::{Event, Options, Parser, Tag};
use serde_json::Value;

use crate::visible::assert_visible;

/// A report, and how many results it tells.
pub(super) struct Report {
    pub(super) text: String,
    pub(super) told: usize,
}

pub(super) fn to_its_laws(format: Format, report: &Report, results: &[CaseResult<'_>], summary: &Summary) {
    let Report { text, told } = report;
    match format {
        Format::Human => assert_visible(text),
        Format::Json => {
            let document = is_json(text);
            assert_eq!(document["results"].as_array().map(Vec::len), Some(results.len()));
            let ids = |(told, result): (&Value, &CaseResult<'_>)| assert_eq!(told["id"], *result.id);
            document["results"].as_array().into_iter().flatten().zip(results).for_each(ids);
        }
        Format::Jsonl => {
            assert_eq!(text.lines().count(), results.len());
            text.lines().for_each(|line| assert!(is_json(line).is_object()));
        }
        Format::Junit => is_junit(text, results, summary),
        Format::Github => are_commands(text, *told),
        Format::Markdown => is_markdown(text),
        Format::Tap => is_tap(text, results),
        Format::Html => is_page(text),
    }
}

pub(super) fn is_json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The text without what colours it.
pub(super) fn without_colour(text: &str) -> String {
    let mut pieces = text.split("\u{1b}[");
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |plain, piece| {
        let end = piece.find('m').expect("colours end with an m");
        assert!(piece[..end].bytes().all(|byte| byte.is_ascii_digit() || byte == b';'), "{piece:?}");
        plain + &piece[end + 1..]
    })
}

fn is_junit(text: &str, results: &[CaseResult<'_>], summary: &Summary) {
    assert_visible(text);
    let document = roxmltree::Document::parse(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let cases: Vec<_> = document.descendants().filter(|node| node.has_tag_name("testcase")).collect();
    assert_eq!(cases.len(), results.len());
    let failures = document.descendants().filter(|node| node.has_tag_name("failure")).count();
    assert_eq!(failures, summary.failed);
}

/// Every line is one command of ours.
fn are_commands(text: &str, told: usize) {
    assert_visible(text);
    let is_ours =
        |line: &str| ["::error ", "::warning ", "::notice "].iter().any(|own| line.starts_with(own));
    assert!(text.lines().all(is_ours), "{text}");
    let notices = text.lines().filter(|line| line.starts_with("::notice title=probative::")).count();
    assert_eq!(text.lines().count(), told + notices);
    assert!(notices <= 2);
}

/// A heading, a table, and parts that are folded away: no text has become anything else.
fn is_markdown(text: &str) {
    assert_visible(text);
    assert!(text.len() <= 65_536, "GitHub refuses a comment of {} bytes", text.len());
    let options = Options::ENABLE_TABLES | Options::ENABLE_GFM | Options::ENABLE_STRIKETHROUGH;
    for event in Parser::new_ext(text, options) {
        match event {
            Event::Start(tag) => assert!(
                matches!(
                    tag,
                    Tag::Table(_)
                        | Tag::TableHead
                        | Tag::TableRow
                        | Tag::TableCell
                        | Tag::HtmlBlock
                        | Tag::Paragraph
                        | Tag::Heading { .. }
                        | Tag::CodeBlock(_)
                ),
                "{tag:?} in {text}"
            ),
            Event::InlineHtml(tag) => assert!(["<code>", "</code>"].contains(&&*tag), "{tag} in {text}"),
            Event::Html(html) => {
                let is_ours = html.starts_with("<details><summary>") || html.starts_with("</details>");
                assert!(is_ours && html.matches('<').count() <= 5, "{html} in {text}");
            }
            Event::Code(code) => panic!("{code} in {text}"),
            _ => {}
        }
    }
}

/// One point a result, YAML that can be read below it, and nothing else but comments and the plan.
fn is_tap(text: &str, results: &[CaseResult<'_>]) {
    assert_visible(text);
    let (mut points, mut yaml) = (0, None::<String>);
    for line in text.lines().skip(1) {
        match (&mut yaml, line) {
            (Some(block), "  ...") => {
                let document = Document::new("tap.yaml", std::mem::take(block));
                let read = document.read().unwrap_or_else(|error| panic!("{error} in {}", document.text));
                assert!(read.get("evidence").is_some() && read.get("severity").is_some());
                yaml = None;
            }
            (Some(block), line) => {
                let inner = line.strip_prefix("  ").expect("a block is indented");
                block.push_str(inner);
                block.push('\n');
            }
            (None, "  ---") => yaml = Some(String::new()),
            (None, line) if line.starts_with("ok - ") || line.starts_with("not ok - ") => points += 1,
            (None, line) => {
                let is_ours = ["# ", "#", "1..", "Bail out! "].iter().any(|own| line.starts_with(own));
                assert!(is_ours, "{line:?} in {text}");
            }
        }
    }
    assert!(yaml.is_none());
    assert_eq!(points, results.len());
}

/// Tags of ours alone, and lines of JSON between them.
fn is_page(text: &str) {
    let markup = |text: &str| text.matches("</script").count() + text.matches("<!--").count();
    let empty = Summary::default();
    let frame = Format::Html.renderer(super::style(false, None)).frame(&empty);
    assert_eq!(markup(text), markup(&frame.head) + markup(&frame.tail));
    let body = &text[frame.head.find("<title>").expect("a title")..];
    let scripts = body.matches("<script").count();
    assert_eq!(scripts, frame.head.matches("<script").count() + frame.tail.matches("<script").count());
}
