//! The spec-test fences of a Markdown document, by the rules of `CommonMark`.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

use super::prose::Passage;
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
    /// The prose before it.
    pub(super) passage: Passage,
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
    let mut passage = Passage::default();
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
                } else {
                    fences.near.extend(broken_opener(markdown, &text, span));
                }
            }
            Event::End(TagEnd::CodeBlock) => match open.take() {
                Some((kind, fence)) if !fence.is_closed(markdown) => match fence.unclosed(kind, markdown) {
                    Some(mistake) => fences.mistakes.push(mistake),
                    None => fences.near.extend(fence.cut_short(markdown)),
                },
                Some((Kind::SpecTest, mut fence)) => {
                    let end = fence.block.end;
                    passage.body.end = fence.block.start;
                    fence.passage = passage.clone();
                    passage.body = end..end;
                    fences.cases.push(fence);
                }
                Some((Kind::Almost, fence)) => fences.near.push(Mistake::at(
                    "this fence isn't a case; to make it one, start it with ```yaml spec-test",
                    fence.block.start..fence.opener_end(markdown),
                )),
                Some((Kind::Other, fence)) => fences.near.extend(fence.hidden(markdown)),
                None => {}
            },
            Event::End(TagEnd::Heading(_)) => {
                passage = Passage { body: span.end..span.end, heading: span };
            }
            _ => {}
        }
    }
    for unopened in unopened(markdown, &covered) {
        // A line that was reported for its text is reported once.
        fences.near.retain(|near| !overlap(near, &unopened));
        fences.near.push(unopened);
    }
    fences
}

fn overlap(one: &Mistake, other: &Mistake) -> bool {
    let spans = one.span.as_ref().zip(other.span.as_ref());
    spans.is_some_and(|(one, other)| one.start < other.end && other.start < one.end)
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
            "this looks like the start of a case, but Markdown doesn't see a fence here",
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
        let words = info.split(|character: char| !character.is_alphanumeric() && !"-_".contains(character));
        let tokens: Vec<&str> = info.split_whitespace().collect();
        // A blank in the word makes two of it.
        let pairs = tokens.windows(2).map(<[&str]>::concat);
        let mut written = words.chain(tokens.iter().copied()).map(str::to_owned).chain(pairs);
        let joined: String = info.chars().filter(|next| next.is_alphanumeric()).collect();
        let is_almost = joined.to_ascii_lowercase().contains("spectest")
            || written.any(|word| nearest(&word.to_ascii_lowercase(), ["spec-test"].into_iter()).is_some());
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

    /// What is wrong with a fence that is never closed, if it matters here.
    fn unclosed(&self, kind: Kind, markdown: &str) -> Option<Mistake> {
        let opener = self.block.start..self.opener_end(markdown);
        match kind {
            Kind::SpecTest => Some(Mistake::at("this spec-test fence is never closed", opener)),
            Kind::Almost => Some(Mistake::at("this fence is never closed; it looks like a case", opener)),
            Kind::Other => {
                let hidden = self.text.lines().find(|line| opens_a_spec_test(line))?;
                let message = format!("this fence is never closed and hides '{}'", hidden.trim());
                Some(Mistake::at(message, opener))
            }
        }
    }

    /// What looks like a case in a fence of another kind: one that a bare or broken fence swallows, or words that belong into
    /// the line above. An example stands in a fence that is longer, or written with the other character.
    fn hidden(&self, markdown: &str) -> Option<Mistake> {
        let opener = markdown.get(self.block.start..self.opener_end(markdown))?;
        let fence = &opener[..opener.len() - opener.trim_start_matches(['`', '~']).len()];
        let opener_span = self.block.start..self.opener_end(markdown);
        let swallowed =
            self.text.lines().find(|line| line.trim_start().starts_with(fence) && opens_a_spec_test(line));
        if let Some(line) = swallowed {
            let message =
                format!("this fence hides '{}'; close it first, or use a longer fence", line.trim());
            return Some(Mistake::at(message, opener_span));
        }
        let first = self.text.lines().find(|line| !line.trim().is_empty());
        let first = first.filter(|line| !line.trim_start().starts_with(['`', '~']));
        // A line break in the middle of the words leaves one of them, or a half, below the opener.
        let info = opener.trim_start_matches(['`', '~']);
        let is_cut_off = |line: &str| {
            line.split_whitespace().count() == 1 && are_words_of_a_fence(&format!("{info} {line}"))
        };
        let line = first.filter(|line| are_words_of_a_fence(line) || is_cut_off(line))?;
        let message = format!("'{}' is below this fence; move it to the fence line", line.trim());
        Some(Mistake::at(message, opener_span))
    }

    /// A fence of YAML that is never closed: a line break may have cut its words in two.
    fn cut_short(&self, markdown: &str) -> Option<Mistake> {
        let opener = self.block.start..self.opener_end(markdown);
        let mut words = markdown.get(opener.clone())?.split(|mark: char| !mark.is_alphanumeric());
        let is_yaml = words.any(|word| ["yaml", "yml"].iter().any(|yaml| word.eq_ignore_ascii_case(yaml)));
        is_yaml.then(|| Mistake::at("this YAML fence is never closed", opener))
    }

    fn opener_end(&self, markdown: &str) -> usize {
        let block = &markdown[self.block.clone()];
        self.block.start + block.find(['\n', '\r']).unwrap_or(block.len())
    }
}

/// What looks like the first line of a fence, and is prose: two backticks, or a character before three of them.
fn broken_opener(markdown: &str, text: &str, span: Range<usize>) -> Option<Mistake> {
    if Kind::of(text) == Kind::Other {
        return None;
    }
    let start = markdown.get(..span.start)?.rfind('\n').map_or(0, |end| end + 1);
    let end = markdown.get(span.end..)?.find('\n').map_or(markdown.len(), |end| span.end + end);
    let line = markdown.get(start..end)?;
    // What a quote or a list puts before it is no part of it, and one edit puts one character there.
    let (before, _) = line.split_once(['`', '~'])?;
    let is_container = |mark: &char| mark.is_whitespace() || ">*+-".contains(*mark);
    let begins_like_one = before.chars().filter(|mark| !is_container(mark)).count() <= 1;
    let is_meant = begins_like_one && are_words_of_a_fence(&line.replace(['`', '~', '>'], " "));
    let message = "this line isn't a fence; a case starts with ``` or ~~~ at the beginning of a line";
    is_meant.then(|| Mistake::at(message, span))
}

/// Returns true if a line has little but the words of a spec-test fence.
fn are_words_of_a_fence(line: &str) -> bool {
    const MOST_WORDS: usize = 5;
    line.split_whitespace().count() <= MOST_WORDS && Kind::of(line) != Kind::Other
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
    fn a_broken_fence_does_not_hide_its_case() {
        let next = "\n\n```yaml spec-test\nb: 1\n```\n";
        for opener in [
            "``yaml spec-test",
            "x```yaml spec-test",
            "``?yaml spec-test",
            "``\t`yaml spec-test",
            "```yaml sp`ec-test",
        ] {
            let markdown = format!("{opener}\na: 1\n```{next}");
            let Fences { near, mistakes, .. } = fences(&markdown);
            assert!(!near.is_empty() || !mistakes.is_empty(), "{opener}");
        }
        for opener in
            ["```\nyaml spec-test", "```yaml\nspec-test", "```yaml spec\ntest", "```\n```yaml spec-test"]
        {
            let near = fences(&format!("{opener}\na: 1\n```\n")).near;
            assert_eq!(near.len(), 1, "{opener}");
        }
        for prose in [
            "A `yaml spec-test` fence",
            "`spec-test`",
            "````text\n```yaml spec-test\na\n```\n````",
            "~~~text\n```yaml spec-test\na\n```\n~~~",
            "spec-tests are written so:",
            "```yaml spec\ntest: 1\nid: A\n```",
        ] {
            assert!(fences(prose).near.is_empty(), "{prose}");
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
    fn prose_goes_from_the_heading_or_the_case_before() {
        let case = "```yaml spec-test\na: 1\n```\n";
        let markdown =
            format!("# One\n\nfirst\n\n{case}\nsecond\n\n~~~\ncode\n~~~\n\n{case}\n## Two\n\n{case}");
        let passages = fences(&markdown).cases.into_iter().map(|fence| fence.passage);
        let texts: Vec<_> = passages
            .map(|Passage { heading, body }| (markdown[heading].trim(), markdown[body].trim()))
            .collect();
        assert_eq!(texts, [("# One", "first"), ("# One", "second\n\n~~~\ncode\n~~~"), ("## Two", "")]);
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
            ("this fence is never closed and hides '~~~ yaml spec-test'".to_owned(), "```text".to_owned())
        );
        assert!(texts("```text\nnothing of interest\n").is_empty());
    }
}
