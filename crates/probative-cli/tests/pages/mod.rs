//! The pages of the documentation, as Markdown: their fences, headings and links.
#![allow(dead_code, unreachable_pub, reason = "every test file uses some of it")]

pub mod session;
pub mod taken;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// One page, named from the root: `docs/tutorial.md`.
pub struct Page {
    pub name: String,
    text: String,
}

/// A fenced block of code.
pub struct Fence {
    /// The words behind the backticks: `console`, `yaml spec-test`.
    pub words: Vec<String>,
    pub text: String,
    /// The page and the line that it begins in.
    pub place: String,
}

/// A link, and where it stands.
pub struct Link {
    pub to: String,
    pub place: String,
}

impl Page {
    pub fn at(name: &str) -> Page {
        let text = std::fs::read_to_string(root().join(name));
        Page::of(name, &text.unwrap_or_else(|error| panic!("{name}: {error}")))
    }

    pub fn of(name: &str, text: &str) -> Page {
        Page { name: name.to_owned(), text: text.to_owned() }
    }

    /// All pages of the book, in the order of their names; the table of contents is none.
    pub fn all_of_the_book() -> Vec<Page> {
        let mut names = markdown_below("docs");
        names.retain(|name| name != "docs/SUMMARY.md");
        names.sort();
        names.iter().map(|name| Page::at(name)).collect()
    }

    pub fn fences(&self) -> Vec<Fence> {
        let mut fences: Vec<Fence> = Vec::new();
        let mut open = false;
        for (event, range) in self.events() {
            match event {
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                    let words = info.split_whitespace().map(str::to_owned).collect();
                    fences.push(Fence { words, text: String::new(), place: self.place(range.start) });
                    open = true;
                }
                Event::Text(text) if open => fences.last_mut().unwrap().text.push_str(&text),
                Event::End(TagEnd::CodeBlock) => open = false,
                _ => {}
            }
        }
        fences
    }

    pub fn links(&self) -> Vec<Link> {
        let links = self.events().filter_map(|(event, range)| match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                Some(Link { to: dest_url.to_string(), place: self.place(range.start) })
            }
            _ => None,
        });
        links.collect()
    }

    /// What stands in single backticks, and where.
    pub fn code_in_sentences(&self) -> Vec<(String, String)> {
        let codes = self.events().filter_map(|(event, range)| match event {
            Event::Code(code) => Some((code.to_string(), self.place(range.start))),
            _ => None,
        });
        codes.collect()
    }

    /// What can stand behind `#`: the headings, under names that both GitHub and mdBook give them.
    pub fn anchors(&self) -> BTreeSet<String> {
        let headings = self.headings();
        let named = |name: fn(&str) -> String| numbered(headings.iter().map(|heading| name(heading)));
        let (github, mdbook) = (named(on_github), named(in_the_book));
        github.into_iter().zip(mdbook).filter(|(one, other)| one == other).map(|(name, _)| name).collect()
    }

    fn headings(&self) -> Vec<String> {
        let mut headings: Vec<String> = Vec::new();
        let mut open = false;
        for (event, _) in self.events() {
            match event {
                Event::Start(Tag::Heading { .. }) => {
                    headings.push(String::new());
                    open = true;
                }
                Event::Text(text) | Event::Code(text) if open => headings.last_mut().unwrap().push_str(&text),
                Event::End(TagEnd::Heading(_)) => open = false,
                _ => {}
            }
        }
        headings
    }

    fn events(&self) -> impl Iterator<Item = (Event<'_>, std::ops::Range<usize>)> {
        Parser::new_ext(&self.text, Options::ENABLE_TABLES).into_offset_iter()
    }

    fn place(&self, at: usize) -> String {
        format!("{}:{}", self.name, self.text[..at].matches('\n').count() + 1)
    }
}

impl Fence {
    pub fn is(&self, word: &str) -> bool {
        self.words.first().is_some_and(|first| first == word)
    }
}

fn markdown_below(folder: &str) -> Vec<String> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(root().join(folder)).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{folder}/{}", path.file_name().unwrap().to_str().unwrap());
        if path.is_dir() {
            names.extend(markdown_below(&name));
        } else if path.extension().is_some_and(|extension| extension == "md") {
            names.push(name);
        }
    }
    names
}

fn on_github(heading: &str) -> String {
    let kept = heading.to_lowercase();
    let kept = kept.chars().filter(|character| character.is_alphanumeric() || " -_".contains(*character));
    kept.map(|character| if character == ' ' { '-' } else { character }).collect()
}

fn in_the_book(heading: &str) -> String {
    let name = heading.trim().chars().filter_map(|character| match character {
        '_' | '-' => Some(character),
        _ if character.is_alphanumeric() => Some(character.to_ascii_lowercase()),
        _ if character.is_whitespace() => Some('-'),
        _ => None,
    });
    name.collect()
}

/// The second heading of a name is `name-1`, the third `name-2`.
fn numbered(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut before: Vec<String> = Vec::new();
    let mut told = Vec::new();
    for name in names {
        let count = before.iter().filter(|earlier| **earlier == name).count();
        told.push(if count == 0 { name.clone() } else { format!("{name}-{count}") });
        before.push(name);
    }
    told
}
