//! A document with cases in it, whatever it is written in.

use std::ops::Range;

use super::case::{Case, Plan, Settings};
use super::health::Mode;
use super::markdown::{self, Fence, Fences};
use super::prose::Passage;
use super::{suite, variables};
use crate::document::{Content, Document, Mistake, Node, Notation};
use crate::value::Value;
use crate::verdict::Error;

/// What cases are written in. The first three give the same cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Fences in a Markdown document: `*.spec.md`.
    Markdown,
    /// A YAML document that is one case or a list of them: `*.spec.yaml`, `*.spec.yml`.
    Yaml,
    /// The same in JSON: `*.spec.json`.
    Json,
    /// Suites of tests of an agent: `*.tests.json`.
    Suite,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 4] = [Format::Markdown, Format::Yaml, Format::Json, Format::Suite];

    /// The name that asks for it.
    pub fn name(self) -> &'static str {
        match self {
            Format::Markdown => "md",
            Format::Yaml => "yaml",
            Format::Json => "json",
            Format::Suite => "tests",
        }
    }

    /// How the names of its files end.
    pub fn endings(self) -> &'static [&'static str] {
        match self {
            Format::Markdown => &[".spec.md"],
            Format::Yaml => &[".spec.yaml", ".spec.yml"],
            Format::Json => &[".spec.json"],
            Format::Suite => &[".tests.json"],
        }
    }

    /// The format of a file, as its name tells; where it tells nothing, Markdown.
    pub fn of(name: &str) -> Format {
        let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
        match extension.as_deref() {
            _ if name.to_ascii_lowercase().ends_with(".tests.json") => Format::Suite,
            Some("yaml" | "yml") => Format::Yaml,
            Some("json") => Format::Json,
            _ => Format::Markdown,
        }
    }
}

/// A document and the cases in it.
#[derive(Debug)]
pub struct Spec {
    /// The document.
    pub document: Document,
    /// Its cases in order. Those that are malformed are among them, as far as they have an id.
    pub cases: Vec<Case>,
    /// What is wrong with the document where no case can be told.
    pub errors: Vec<Error>,
    /// What looks as if a case were meant to be run, and is not.
    pub warnings: Vec<Error>,
    /// The variables that its cases set, with their values, whatever else is wrong with them.
    pub variables: Vec<(String, String)>,
}

impl Spec {
    /// Reads and compiles the cases of a document.
    pub fn read(document: Document, format: Format, settings: &Settings) -> Spec {
        let mut spec = Spec {
            document,
            cases: Vec::new(),
            errors: Vec::new(),
            warnings: Vec::new(),
            variables: Vec::new(),
        };
        match format {
            Format::Yaml => spec.take_whole(Notation::Yaml, settings),
            Format::Json => spec.take_whole(Notation::Json, settings),
            Format::Suite => spec.take_suite(settings),
            Format::Markdown => spec.take_fences(settings),
        }
        spec.errors.sort_by_key(Error::offset);
        spec
    }

    fn take_whole(&mut self, notation: Notation, settings: &Settings) {
        self.take(notation.read(&self.document.text), 0..self.document.text.len(), None, settings);
    }

    fn take_suite(&mut self, settings: &Settings) {
        match self.document.read() {
            Ok(root) => self.cases = suite::read(&self.document, &root, settings, &mut self.errors),
            Err(error) => self.errors.push(error),
        }
        if self.cases.is_empty() && self.errors.is_empty() {
            self.doubt(self.document.malformed("no tests in this suite", 0..0), settings);
        }
    }

    /// Takes what looks as if a case were meant, and is none: an error where findings fail.
    fn doubt(&mut self, doubt: Error, settings: &Settings) {
        match settings.health {
            Mode::Error => self.errors.push(doubt),
            Mode::Ignore | Mode::Warn => self.warnings.push(doubt),
        }
    }

    fn take_fences(&mut self, settings: &Settings) {
        let Fences { cases, mistakes, near } = markdown::fences(&self.document.text);
        self.cases.reserve(cases.len());
        for fence in cases {
            self.take(read(&fence), fence.block, Some(&fence.passage), settings);
        }
        self.errors.extend(mistakes.into_iter().map(|mistake| self.document.error(mistake)));
        for near in near {
            self.doubt(self.document.error(near), settings);
        }
    }

    /// Takes the cases that stand in one part of the document. What is read of a part is compiled before the next is read, so that
    /// its memory can be used again.
    fn take(
        &mut self,
        read: Result<Node, Mistake>,
        block: Range<usize>,
        passage: Option<&Passage>,
        settings: &Settings,
    ) {
        let written = match read.and_then(cases) {
            Ok(written) => written,
            Err(mistake) => return self.errors.push(self.document.error(mistake.within(&block))),
        };
        for written in written {
            self.variables.extend(variables::of_tree(&written));
            match Case::read(&self.document, written, settings) {
                Ok(mut case) => {
                    case.passage = passage.cloned();
                    if let Plan::Missing(missing) = &case.plan {
                        for misspelt in missing.misspelt() {
                            self.doubt(misspelt, settings);
                        }
                    }
                    self.cases.push(case);
                }
                Err(error) => self.errors.push(error),
            }
        }
    }
}

/// The cases of a document as they are written, as values: for whoever holds them to a schema.
///
/// Tests of a suite are no cases by themselves, so a suite is one value. What cannot be read is left out.
pub fn written(document: &Document, format: Format) -> Vec<Value> {
    let nodes = match format {
        Format::Suite => return document.read().map(|root| root.to_value()).into_iter().collect(),
        Format::Yaml => vec![Notation::Yaml.read(&document.text)],
        Format::Json => vec![Notation::Json.read(&document.text)],
        Format::Markdown => markdown::fences(&document.text).cases.iter().map(read).collect(),
    };
    let cases = nodes.into_iter().filter_map(|node| node.and_then(cases).ok()).flatten();
    cases.map(|case| case.to_value()).collect()
}

/// What stands in a fence, with places in the document.
fn read(fence: &Fence) -> Result<Node, Mistake> {
    let moved = |span| fence.in_document(span);
    match Notation::Yaml.read(&fence.text) {
        Ok(mut node) => {
            node.relocate(&moved);
            Ok(node)
        }
        Err(mut mistake) => {
            mistake.span = mistake.span.map(moved);
            Err(mistake)
        }
    }
}

/// One case, or a list of them.
fn cases(node: Node) -> Result<Vec<Node>, Mistake> {
    match node.content {
        Content::List(items) if items.is_empty() => Err(Mistake::at("the list of cases is empty", node.span)),
        Content::List(items) => Ok(items),
        Content::Scalar(ref scalar) if scalar.is_null() => {
            Err(Mistake::at("expected a case, found nothing", node.span))
        }
        Content::Map(_) | Content::Scalar(_) | Content::Deep(_) => Ok(vec![node]),
    }
}
