//! The prose before a case in its spec file: paragraphs, lists and code, as data that a report lays out itself.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use serde::Serialize;

use crate::value::Value;

/// A longer text is cut.
const LONGEST: usize = 4 << 10;

/// Where the prose before a case is in its document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Passage {
    /// The heading of its section.
    pub(super) heading: Range<usize>,
    /// The text between the heading, or the case before, and the case.
    pub(super) body: Range<usize>,
}

/// The prose before a case.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Prose {
    /// The heading of the section.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heading: Option<String>,
    /// The text.
    pub blocks: Vec<Block>,
    /// Whether the rest is left out, because it is too long.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

/// A block of prose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Block {
    /// A paragraph.
    Paragraph {
        /// Its text.
        spans: Vec<Span>,
    },
    /// A code block.
    Code {
        /// The code.
        text: String,
    },
    /// A list. The items of lists within it are among its own.
    List {
        /// The text of each item.
        items: Vec<Vec<Span>>,
    },
}

/// A piece of text in one style.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Span {
    /// The text, which is never markup.
    pub text: String,
    /// How it looks.
    #[serde(skip_serializing_if = "Style::is_plain")]
    pub style: Style,
}

/// How a piece of text looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Style {
    /// Like the text around it.
    Plain,
    /// Emphasised.
    Emphasis,
    /// Strongly emphasised.
    Strong,
    /// Code.
    Code,
}

/// What an agent is given in one turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Input<'c> {
    /// The name of the step, of several.
    pub step: Option<Cow<'c, str>>,
    /// The input.
    pub value: Cow<'c, Value>,
}

impl Style {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
    fn is_plain(&self) -> bool {
        *self == Style::Plain
    }
}

impl Prose {
    /// Reads the prose of a passage. `None` if there is nothing but a heading.
    pub(super) fn read(markdown: &str, passage: &Passage) -> Option<Prose> {
        let part = |range: &Range<usize>| markdown.get(range.clone()).unwrap_or_default();
        let Prose { blocks, cut, .. } = Writer::default().write(part(&passage.body));
        let heading = Writer::default().write(part(&passage.heading)).blocks;
        let heading: String = heading.iter().flat_map(Block::texts).collect();
        let heading = (!heading.trim().is_empty()).then_some(heading);
        (!blocks.is_empty()).then_some(Prose { heading, blocks, cut })
    }

    /// Takes a description as one paragraph of plain text.
    pub(super) fn plain(text: &str) -> Option<Prose> {
        let end = text.floor_char_boundary(LONGEST);
        let span = Span { text: text[..end].to_owned(), style: Style::Plain };
        let blocks = vec![Block::Paragraph { spans: vec![span] }];
        (!text.trim().is_empty()).then_some(Prose { heading: None, blocks, cut: end < text.len() })
    }

    /// Changes every text.
    pub(crate) fn each_text(&mut self, mut change: impl FnMut(&mut String)) {
        self.heading.iter_mut().for_each(&mut change);
        for block in &mut self.blocks {
            match block {
                Block::Code { text } => change(text),
                Block::Paragraph { spans } => spans.iter_mut().for_each(|span| change(&mut span.text)),
                Block::List { items } => {
                    items.iter_mut().flatten().for_each(|span| change(&mut span.text));
                }
            }
        }
    }
}

impl Block {
    fn texts(&self) -> Vec<&str> {
        match self {
            Block::Code { text } => vec![text],
            Block::Paragraph { spans } => spans.iter().map(|span| span.text.as_str()).collect(),
            Block::List { items } => items.iter().flatten().map(|span| span.text.as_str()).collect(),
        }
    }
}

/// Collects blocks from the events of a Markdown parser. HTML is skipped.
#[derive(Default)]
struct Writer {
    prose: Prose,
    spans: Vec<Span>,
    /// The items of the list that is open.
    items: Vec<Vec<Span>>,
    lists: usize,
    styles: Vec<Style>,
    /// The code block that is open.
    code: Option<String>,
    length: usize,
}

impl Writer {
    fn write(mut self, markdown: &str) -> Prose {
        for event in Parser::new(markdown) {
            if self.prose.cut {
                break;
            }
            match event {
                Event::Start(tag) => self.start(&tag),
                Event::End(tag) => self.end(tag),
                Event::Text(text) => self.text(&text, self.styles.last().copied().unwrap_or(Style::Plain)),
                Event::Code(text) => self.text(&text, Style::Code),
                Event::SoftBreak => self.text(" ", Style::Plain),
                Event::HardBreak => self.text("\n", Style::Plain),
                _ => {}
            }
        }
        self.end_item();
        self.end_list();
        self.end_paragraph();
        self.prose
    }

    fn start(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::Emphasis => self.styles.push(Style::Emphasis),
            Tag::Strong => self.styles.push(Style::Strong),
            Tag::CodeBlock(_) => {
                self.end_item();
                self.code = Some(String::new());
            }
            Tag::List(_) => {
                self.end_item();
                self.lists += 1;
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Emphasis | TagEnd::Strong => drop(self.styles.pop()),
            TagEnd::CodeBlock => {
                let text = self.code.take().unwrap_or_default().trim_end().to_owned();
                // Within a list, code keeps its place among the items.
                if self.lists > 0 {
                    self.items.push(vec![Span { text, style: Style::Code }]);
                } else {
                    self.prose.blocks.push(Block::Code { text });
                }
            }
            TagEnd::Item => self.end_item(),
            TagEnd::List(_) => {
                self.lists -= 1;
                if self.lists == 0 {
                    self.end_list();
                }
            }
            TagEnd::Paragraph | TagEnd::Heading(_) if self.lists > 0 => self.end_item(),
            TagEnd::Paragraph | TagEnd::Heading(_) => self.end_paragraph(),
            _ => {}
        }
    }

    fn text(&mut self, text: &str, style: Style) {
        let room = LONGEST.saturating_sub(self.length);
        let shown = &text[..text.floor_char_boundary(room)];
        self.length += shown.len();
        self.prose.cut = shown.len() < text.len();
        match (&mut self.code, self.spans.last_mut()) {
            (Some(code), _) => code.push_str(shown),
            // The parser splits text at every character that could be markup.
            (None, Some(last)) if last.style == style => last.text.push_str(shown),
            (None, _) => self.spans.push(Span { text: shown.to_owned(), style }),
        }
    }

    fn end_item(&mut self) {
        if self.lists > 0 && !self.spans.is_empty() {
            self.items.push(std::mem::take(&mut self.spans));
        }
    }

    fn end_list(&mut self) {
        if !self.items.is_empty() {
            self.prose.blocks.push(Block::List { items: std::mem::take(&mut self.items) });
        }
    }

    fn end_paragraph(&mut self) {
        if let Some(text) = self.code.take() {
            self.prose.blocks.push(Block::Code { text });
        }
        if !self.spans.is_empty() {
            self.prose.blocks.push(Block::Paragraph { spans: std::mem::take(&mut self.spans) });
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(markdown: &str) -> Prose {
        let passage = Passage { heading: 0..0, body: 0..markdown.len() };
        Prose::read(markdown, &passage).unwrap_or_default()
    }

    #[test]
    fn paragraphs_lists_and_code_are_kept() {
        let prose =
            read("The *policy* of `refund`\nis **strict**.\n\n- one\n- two\n  - three\n\n```sh\nls\n```\n");
        let expected = json!({"blocks": [
            {"kind": "paragraph", "spans": [
                {"text": "The "}, {"text": "policy", "style": "emphasis"}, {"text": " of "},
                {"text": "refund", "style": "code"}, {"text": " is "}, {"text": "strict", "style": "strong"}, {"text": "."},
            ]},
            {"kind": "list", "items": [[{"text": "one"}], [{"text": "two"}], [{"text": "three"}]]},
            {"kind": "code", "text": "ls"},
        ]});
        assert_eq!(serde_json::to_value(prose).unwrap(), expected);
    }

    #[test]
    fn html_is_left_out_and_links_are_text() {
        let prose = read("<script>no</script>\n\na <b>bold</b> [link](javascript:no)\n\n<!-- hidden -->\n");
        let texts: Vec<&str> = prose.blocks.iter().flat_map(Block::texts).collect();
        assert_eq!(texts, ["a bold link"]);
    }

    #[test]
    fn text_with_marks_is_one_span() {
        assert_eq!(read("a_b_c & d*e [f]").blocks.iter().flat_map(Block::texts).count(), 1);
    }

    #[test]
    fn a_long_text_is_cut() {
        let prose = read(&"wörd ".repeat(2000));
        let length: usize = prose.blocks.iter().flat_map(Block::texts).map(str::len).sum();
        assert!(prose.cut && length <= LONGEST && length > LONGEST - 4, "{length}");
        let code = read(&format!("```\n{}", "x\n".repeat(4000)));
        assert!(code.cut);
        assert_eq!(code.blocks.len(), 1);
        assert_eq!(Prose::plain(&"é".repeat(4000)).map(|prose| prose.cut), Some(true));
    }

    #[test]
    fn a_heading_alone_is_no_prose() {
        assert_eq!(Prose::read("# Title\n\n", &Passage { heading: 0..8, body: 8..9 }), None);
        let prose = Prose::read("# The `x` *title*\n\ntext", &Passage { heading: 0..18, body: 18..23 });
        assert_eq!(prose.and_then(|prose| prose.heading).as_deref(), Some("The x title"));
    }
}
