//! The spec-test fences of a Markdown document, by the rules of `CommonMark`.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

use crate::document::{Mistake, nearest};

/// What stands in a fence, and where each part of it stands in the document.
///
/// In a list or a quote the text of a fence is not one piece of the document.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Fence {
    /// The text, without what a list or a quote puts before each line.
    pub(super) text: String,
    /// Where pieces of it start: in the text, and in the document.
    pieces: Vec<(usize, usize)>,
    /// The whole block in the document, both fences included.
    pub(super) block: Range<usize>,
}

/// What there is of spec-test fences in a document.
#[derive(Debug, Default)]
pub(super) struct Fences {
    /// The fences, in order.
    pub(super) cases: Vec<Fence>,
    /// Those that are written wrongly.
    pub(super) mistakes: Vec<Mistake>,
    /// Those that look as if a case were meant, and are none.
    pub(super) near: Vec<Mistake>,
}

/// Finds the spec-test fences of a document.
pub(super) fn fences(markdown: &str) -> Fences {
    let mut fences = Fences::default();
    let mut open: Option<(Kind, Fence)> = None;
    // The parts in which a line that looks like a fence is none.
    let mut covered: Vec<Range<usize>> = Vec::new();
    for (event, span) in Parser::new(markdown).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                covered.push(span.clone());
                open = Some((Kind::of(&info), Fence { block: span, ..Fence::default() }));
            }
            Event::Start(Tag::HtmlBlock) if markdown[span.clone()].trim_start().starts_with("<!--") => {
                covered.push(span);
            }
            Event::Text(text) => {
                if let Some((_, fence)) = &mut open {
                    fence.push(&text, span.start);
                }
            }
            Event::End(TagEnd::CodeBlock) => match open.take() {
                Some((kind, fence)) if !fence.is_closed(markdown) => {
                    fences.mistakes.extend(fence.unclosed(kind, markdown));
                }
                Some((Kind::SpecTest, fence)) => fences.cases.push(fence),
                Some((Kind::Almost, fence)) => fences.near.push(Mistake::at(
                    "this fence is no case: its words must be `spec-test` and `yaml` or `yml`",
                    fence.block.start..fence.opener_end(markdown),
                )),
                Some((Kind::Other, fence)) => fences.near.extend(fence.swallowed(markdown)),
                None => {}
            },
            _ => {}
        }
    }
    fences.near.extend(unopened(markdown, &covered));
    fences
}

/// Lines that look as if a case were to begin there, outside of fences and comments: indented too far, in an HTML block, with
/// a fence that is too short, or behind an end of line that Markdown does not know.
fn unopened<'m>(markdown: &'m str, covered: &'m [Range<usize>]) -> impl Iterator<Item = Mistake> + 'm {
    let lines = markdown.split_inclusive(LINE_ENDS).scan(0, |end, line| {
        *end += line.len();
        Some((*end - line.len(), line.trim_end()))
    });
    let is_covered = |at: usize| covered.iter().any(|part| part.contains(&at));
    let looks_like_one = |line: &str| {
        let line = line.trim_start_matches(|next: char| next.is_whitespace() || ">-*+".contains(next));
        // One character may be wrong.
        let rest = line.trim_start_matches(|next: char| !FENCE.contains(&next));
        let info = rest.trim_start_matches(FENCE);
        let wrong = line[..line.len() - rest.len()].chars().count();
        wrong <= 1 && rest.len() - info.len() >= 2 && Kind::of(info) == Kind::SpecTest
    };
    let found = lines.filter(move |(at, line)| looks_like_one(line) && !is_covered(at + line.len() - 1));
    found.map(|(at, line)| {
        let start = at + line.len() - line.trim_start().len();
        Mistake::at(
            "this looks like the beginning of a case, but Markdown sees no fence here",
            start..at + line.len(),
        )
    })
}

/// What a fence is made of.
const FENCE: [char; 2] = ['`', '~'];

/// What may end a line, for Markdown or for others.
const LINE_ENDS: [char; 5] = ['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    SpecTest,
    /// What somebody may have meant as a case.
    Almost,
    Other,
}

impl Kind {
    /// What the info string of a fence says: `yaml spec-test` in any order and case, with anything beside it.
    fn of(info: &str) -> Kind {
        let says = |word: &str| info.split_whitespace().any(|token| token.eq_ignore_ascii_case(word));
        if says("spec-test") && (says("yaml") || says("yml")) {
            return Kind::SpecTest;
        }
        let mut words =
            info.split(|character: char| !character.is_alphanumeric() && !"-_".contains(character));
        let joined: String = info.chars().filter(|next| next.is_alphanumeric()).collect();
        let is_almost = joined.to_ascii_lowercase().contains("spectest")
            || words.any(|word| nearest(&word.to_ascii_lowercase(), ["spec-test"].into_iter()).is_some());
        if is_almost { Kind::Almost } else { Kind::Other }
    }
}

impl Fence {
    /// Takes the next piece, which stands there in the document.
    fn push(&mut self, text: &str, document: usize) {
        let goes_on =
            self.pieces.last().is_some_and(|(start, at)| at + (self.text.len() - start) == document);
        if !goes_on {
            self.pieces.push((self.text.len(), document));
        }
        if self.text.is_empty() {
            self.text.reserve(self.block.len());
        }
        self.text.push_str(text);
    }

    /// Where bytes of the text stand in the document.
    pub(super) fn in_document(&self, span: Range<usize>) -> Range<usize> {
        let place = |offset: usize| {
            let piece = self.pieces.partition_point(|(start, _)| *start <= offset).checked_sub(1);
            match piece.map(|piece| self.pieces[piece]) {
                Some((start, document)) => document + (offset - start),
                None => self.block.start,
            }
        };
        // The end is that of the last byte: what follows may stand elsewhere.
        let end = if span.is_empty() { place(span.start) } else { place(span.end - 1) + 1 };
        place(span.start)..end
    }

    /// Whether what stands behind the last text is a closing fence. A container that ends closes nothing.
    fn is_closed(&self, markdown: &str) -> bool {
        let opener_end =
            markdown[self.block.clone()].find('\n').map_or(self.block.end, |at| self.block.start + at);
        let text_end = match self.pieces.last() {
            Some((start, document)) => document + (self.text.len() - start),
            None => opener_end,
        };
        let closer = markdown.get(text_end..self.block.end).unwrap_or_default();
        let closer = closer.trim_matches(|character: char| character.is_whitespace() || character == '>');
        closer.starts_with(['`', '~'])
    }

    /// A case that begins in another fence, and whose end closes that: the end of the other is missing.
    fn swallowed(&self, markdown: &str) -> Option<Mistake> {
        let opener = self.block.start..self.opener_end(markdown);
        let mark = markdown[opener.clone()].trim_start();
        let length =
            |text: &str| text.len() - text.trim_start_matches(mark.chars().next().unwrap_or('`')).len();
        let closes = |line: &&str| opens_a_spec_test(line) && length(line.trim_start()) >= length(mark);
        let hidden = self.text.lines().find(closes)?;
        let message =
            format!("this fence hides '{}': close it before that, or make it longer", hidden.trim());
        Some(Mistake::at(message, opener))
    }

    /// What is wrong with a fence that is never closed, if it matters here.
    fn unclosed(&self, kind: Kind, markdown: &str) -> Option<Mistake> {
        let opener = self.block.start..self.opener_end(markdown);
        match kind {
            Kind::SpecTest => Some(Mistake::at("this spec-test fence is never closed", opener)),
            Kind::Almost | Kind::Other => {
                let hidden = self.text.lines().find(|line| opens_a_spec_test(line))?;
                let message = format!("this fence is never closed, and hides '{}'", hidden.trim());
                Some(Mistake::at(message, opener))
            }
        }
    }

    fn opener_end(&self, markdown: &str) -> usize {
        let block = &markdown[self.block.clone()];
        self.block.start + block.find(['\n', '\r']).unwrap_or(block.len())
    }
}

/// Whether a line looks as if a spec-test were to begin there.
fn opens_a_spec_test(line: &str) -> bool {
    let line = line.trim_start_matches(|character: char| character.is_whitespace() || character == '>');
    let info = line.trim_start_matches(['`', '~']);
    line.len() - info.len() >= 3 && Kind::of(info) == Kind::SpecTest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(markdown: &str) -> Vec<String> {
        let Fences { cases, mistakes, .. } = fences(markdown);
        assert!(mistakes.is_empty(), "{mistakes:?}");
        cases.into_iter().map(|fence| fence.text).collect()
    }

    fn mistake(markdown: &str) -> (String, String) {
        let Fences { cases, mistakes, .. } = fences(markdown);
        assert!(cases.is_empty());
        let [mistake] = mistakes.try_into().unwrap();
        (mistake.message, markdown[mistake.span.unwrap()].to_owned())
    }

    #[test]
    fn a_fence_is_known_by_its_words() {
        for info in ["yaml spec-test", "spec-test yaml", "YML Spec-Test", " yaml   x  spec-test "] {
            assert_eq!(texts(&format!("```{info}\na: 1\n```\n")), ["a: 1\n"], "{info}");
        }
        for info in ["yaml", "spec-test", "yaml spec-tests", "json spec-test", ""] {
            assert!(texts(&format!("```{info}\na: 1\n```\n")).is_empty(), "{info}");
        }
    }

    #[test]
    fn what_looks_like_a_case_and_is_none_is_noticed() {
        for info in [
            "spec-test",
            "json spec-test",
            "yaml spec-tests",
            "yaml,spec-test",
            "{.yaml .spec-test}",
            "yaml spec_test",
        ] {
            let markdown = format!("```{info}\na: 1\n```\n");
            let near = fences(&markdown).near;
            assert_eq!(near.len(), 1, "{info}");
            assert_eq!(&markdown[near[0].span.clone().unwrap()], format!("```{info}"));
        }
        for info in ["yaml", "", "text", "spec", "rust,should_panic", "yaml test"] {
            assert!(fences(&format!("```{info}\na: 1\n```\n")).near.is_empty(), "{info}");
        }
    }

    #[test]
    fn fences_are_those_of_commonmark() {
        assert_eq!(texts("~~~~ yaml spec-test\na\n~~~\n```\n~~~~~  \n"), ["a\n~~~\n```\n"]);
        assert_eq!(texts("````text\n```yaml spec-test\na\n```\n````\n"), [""; 0]);
        assert_eq!(texts("<!--\n```yaml spec-test\na\n```\n-->\n"), [""; 0]);
        assert_eq!(texts("    ```yaml spec-test\n    a\n    ```\n"), [""; 0]);
        assert_eq!(texts("```yaml spec-test\r\na: 1\r\nb: 2\r\n```\r\n"), ["a: 1\nb: 2\n"]);
        assert_eq!(texts("```yaml spec-test\n```\n"), [""]);
    }

    #[test]
    fn places_in_a_quoted_list_are_those_of_the_document() {
        let markdown = "> - x\n>   ```yaml spec-test\n>   id: é\n>   b: two\n>   ```\n";
        let fence = &fences(markdown).cases[0];
        assert_eq!(fence.text, "id: é\nb: two\n");
        let at = fence.text.find("two").unwrap();
        assert_eq!(&markdown[fence.in_document(at..at + 3)], "two");
        assert_eq!(fence.in_document(at..at), markdown.find("two").unwrap()..markdown.find("two").unwrap());
    }

    #[test]
    fn what_is_never_closed_is_not_silence() {
        let never = "this spec-test fence is never closed".to_owned();
        let opener = "```yaml spec-test".to_owned();
        assert_eq!(mistake("x\n\n```yaml spec-test\na: 1\n"), (never.clone(), opener.clone()));
        assert_eq!(mistake("> ```yaml spec-test\n> a: 1\n\nb\n"), (never.clone(), opener.clone()));
        assert_eq!(mistake("```yaml spec-test"), (never, opener));
        assert_eq!(
            mistake("```text\nx\n\n~~~ yaml spec-test\na: 1\n~~~\n"),
            ("this fence is never closed, and hides '~~~ yaml spec-test'".to_owned(), "```text".to_owned())
        );
        assert!(texts("```text\nnothing of interest\n").is_empty());
    }
}
