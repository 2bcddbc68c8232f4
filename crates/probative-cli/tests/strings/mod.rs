//! Finds the strings that people read in Rust sources, scripts, pages and JSON Schemas.

use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Words that read as translated or private, each with plain ones that replace it elsewhere.
pub(crate) const RETIRED: &[&str] = &[
    "is told",
    "are told",
    "tells of",
    "told of",
    "stands in",
    "stand in a",
    "mend",
    "mended",
    "comes by",
    "come by",
    "passed over",
    "had nothing to say no to",
    "to say no to",
    "whole number",
    "is no json",
    "is not so",
    "must be so",
    "holds no record",
    "written wrongly",
    "it is told",
    "nothing is green for nothing",
    "by the way of",
    "again:",
];

/// Macros and methods whose strings only explain a bug in the program itself.
const INTERNAL: &[&str] = &[
    "assert",
    "assert_eq",
    "assert_ne",
    "debug_assert",
    "debug_assert_eq",
    "expect",
    "unreachable",
    "panic",
];

/// The files below a directory with one of the endings, sorted, without those of tests.
pub(crate) fn files(directory: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![directory.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                if name != "tests" {
                    open.push(path);
                }
            } else if name != "tests.rs"
                && path.extension().is_some_and(|end| endings.iter().any(|one| end == *one))
            {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The sources that hold strings for people.
pub(crate) fn sources(crates: &Path) -> Vec<PathBuf> {
    let found = files(crates, &["rs", "js", "html"]);
    assert!(found.len() > 200, "only {} sources", found.len());
    found
}

/// The strings of one file that are prose: several words.
pub(crate) fn strings_of(file: &Path, text: &str) -> Vec<String> {
    let mut strings = Vec::new();
    match file.extension().and_then(|ending| ending.to_str()) {
        Some("js") => quoted_in_script(text, &mut strings),
        Some("html") => shown_on_page(text, &mut strings),
        _ => {
            let tokens = text.parse().unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            literals(tokens, &mut strings);
        }
    }
    strings.retain(|text| is_prose(text));
    strings.into_iter().map(|text| text.replace('\n', "\n    ")).collect()
}

/// The names that `explain` lists: the first word of each indented line.
pub(crate) fn names(list: &str) -> Vec<String> {
    let indented = list.lines().filter_map(|line| line.strip_prefix("  "));
    let entries = indented.filter(|line| !line.starts_with(' '));
    let mut names: Vec<String> =
        entries.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect();
    names.dedup();
    assert!(names.len() > 90, "only {} names", names.len());
    names
}

/// The titles and descriptions in a JSON Schema, in their order.
pub(crate) fn descriptions(schema: &str) -> Vec<String> {
    fn collect(value: &serde_json::Value, found: &mut Vec<String>) {
        match value {
            serde_json::Value::Object(object) => {
                for (key, value) in object {
                    match value.as_str() {
                        Some(text) if key == "title" || key == "description" => found.push(text.to_owned()),
                        _ => collect(value, found),
                    }
                }
            }
            serde_json::Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    collect(&serde_json::from_str(schema).unwrap(), &mut found);
    found.sort();
    found.dedup();
    found
}

/// Returns whether `line` contains the words, neither preceded nor followed by a letter.
pub(crate) fn contains_words(line: &str, words: &str) -> bool {
    line.match_indices(words).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + words.len()..].chars().next();
        let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        !is_letter(before) && !is_letter(after)
    })
}

/// Two words or more, which paths of an icon and selectors of a style are not.
fn is_prose(text: &str) -> bool {
    let is_word =
        |word: &&str| word.as_bytes().windows(2).any(|pair| pair.iter().all(u8::is_ascii_alphabetic));
    let (first, computed) = text.split_once("${").map_or((text, None), |(first, rest)| (first, Some(rest)));
    let computed = computed.into_iter().flat_map(|rest| rest.split("${"));
    let shown = computed.map(|part| part.split_once('}').map_or(part, |(_, rest)| rest));
    let words: usize =
        std::iter::once(first).chain(shown).map(|part| part.split_whitespace().filter(is_word).count()).sum();
    words >= 2 && text.contains(' ') && text.contains(|c: char| c.is_ascii_lowercase())
}

fn literals(tokens: TokenStream, found: &mut Vec<String>) {
    let mut tokens = tokens.into_iter().peekable();
    let mut is_internal = false;
    let mut skips_block = false;
    while let Some(token) = tokens.next() {
        match token {
            // An attribute, which may be that of a module of tests.
            TokenTree::Punct(punct) if punct.as_char() == '#' => {
                while let Some(TokenTree::Punct(_)) = tokens.peek() {
                    tokens.next();
                }
                if let Some(TokenTree::Group(attribute)) = tokens.peek()
                    && attribute.delimiter() == Delimiter::Bracket
                {
                    skips_block |= attribute.stream().to_string().replace(' ', "") == "cfg(test)";
                    tokens.next();
                }
            }
            TokenTree::Punct(punct) => {
                if punct.as_char() == ';' {
                    skips_block = false;
                }
                is_internal &= punct.as_char() == '!';
            }
            TokenTree::Ident(name) => is_internal = INTERNAL.contains(&name.to_string().as_str()),
            TokenTree::Group(group) => {
                let is_skipped = is_internal || (skips_block && group.delimiter() == Delimiter::Brace);
                if !is_skipped {
                    literals(group.stream(), found);
                }
                if group.delimiter() == Delimiter::Brace {
                    skips_block = false;
                }
                is_internal = false;
            }
            TokenTree::Literal(literal) => {
                if let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string()) {
                    found.push(text.value());
                }
            }
        }
    }
}

/// The strings of a script, outside of its comments.
fn quoted_in_script(script: &str, found: &mut Vec<String>) {
    let mut rest = script;
    while let Some(at) = rest.find(['"', '\'', '`', '/']) {
        let (mark, after) = (&rest[at..=at], &rest[at + 1..]);
        rest = match (mark, after.as_bytes().first()) {
            ("/", Some(b'/')) => after.split_once('\n').map_or("", |(_, next)| next),
            ("/", Some(b'*')) => after.split_once("*/").map_or("", |(_, next)| next),
            ("/", _) => after,
            _ => {
                let mut escaped = false;
                let end = after.find(|c: char| {
                    let ends = !escaped && mark.starts_with(c);
                    escaped = c == '\\' && !escaped;
                    ends
                });
                let end = end.unwrap_or(after.len());
                found.push(after[..end].to_owned());
                after.get(end + 1..).unwrap_or_default()
            }
        };
    }
}

/// What a page shows: the texts between its tags, and the attributes that are read out or shown.
fn shown_on_page(page: &str, found: &mut Vec<String>) {
    for name in ["placeholder", "title", "aria-label", "alt"] {
        let opening = format!(" {name}=\"");
        let values = page.split(&opening).skip(1);
        found.extend(values.filter_map(|rest| rest.split('"').next()).map(str::to_owned));
    }
    for part in page.split('<').skip(1).filter(|part| !part.starts_with("!--")) {
        found.extend(part.split_once('>').map(|(_, text)| text.trim().to_owned()));
    }
}
