//! A written path, cut into segments.

use serde_json_path::JsonPath;

use super::{PathError, Query, Segment};

/// Longer paths and deeper nesting than anybody writes; the JSONPath parser recurses.
const LONGEST_PATH: usize = 4096;
const DEEPEST_NESTING: usize = 32;

pub(super) fn segments(written: &str) -> Result<Vec<Segment>, PathError> {
    if written.is_empty() {
        return Err(error("an empty path; the whole document is `$`", 0));
    }
    if written.len() > LONGEST_PATH {
        return Err(error(format!("a path of more than {LONGEST_PATH} bytes"), LONGEST_PATH));
    }
    check_nesting(written)?;
    let Some(after_root) = written.strip_prefix('$') else {
        return Cutter::new(written, Names::Any).segments();
    };
    let whole = JsonPath::parse(written).map_err(|cause| jsonpath_error(&cause, cause.position()))?;
    // A filter that looks back at the root must see the real root: such a path stays in one piece.
    if outside_quotes(after_root).any(|(_, character)| character == '$') {
        return Ok(vec![Query::segment(whole, after_root)]);
    }
    Cutter::new(written, Names::AfterRoot).segments()
}

#[derive(Clone, Copy, PartialEq)]
enum Names {
    /// Shorthand: a name is anything up to the next `.` or `[`.
    Any,
    /// Already accepted as RFC 9535, starting with `$`.
    AfterRoot,
}

/// Walks over a path and cuts off one segment after the other.
struct Cutter<'p> {
    written: &'p str,
    at: usize,
    names: Names,
}

impl<'p> Cutter<'p> {
    fn new(written: &'p str, names: Names) -> Self {
        Cutter { written, at: usize::from(names == Names::AfterRoot), names }
    }

    fn rest(&self) -> &'p str {
        &self.written[self.at..]
    }

    fn segments(mut self) -> Result<Vec<Segment>, PathError> {
        let mut segments = Vec::new();
        if self.names == Names::Any && !self.written.starts_with('[') {
            segments.push(self.name()?);
        }
        loop {
            if self.names == Names::AfterRoot {
                self.at += self.rest().len() - self.rest().trim_start().len();
            }
            segments.push(match self.rest().as_bytes() {
                [] => return Ok(segments),
                [b'[', ..] => self.bracket()?,
                [b'.', b'.', ..] if self.names == Names::AfterRoot => self.descendant()?,
                [b'.', ..] => {
                    self.at += 1;
                    self.name()?
                }
                _ => return Err(error("expected `.` or `[`", self.at)),
            });
        }
    }

    fn name(&mut self) -> Result<Segment, PathError> {
        if self.names == Names::AfterRoot {
            self.at += self.rest().len() - self.rest().trim_start().len();
        }
        let stops: &[char] =
            if self.names == Names::Any { &['.', '[', ']'] } else { &['.', '[', ' ', '\t', '\n', '\r'] };
        let name = self.rest().split(stops).next().unwrap_or_default();
        if name.is_empty() {
            return Err(error("an empty name; descendants are written `$..name`", self.at));
        }
        self.at += name.len();
        Ok(if name == "*" { Segment::Wildcard } else { Segment::Name(name.into()) })
    }

    fn bracket(&mut self) -> Result<Segment, PathError> {
        let start = self.at;
        let written = self.take_brackets()?;
        let inner = written[1..written.len() - 1].trim();
        if inner == "*" {
            return Ok(Segment::Wildcard);
        }
        if let Some(index) = index(inner) {
            return Ok(Segment::Index(index));
        }
        if let Some(name) = quoted_name(inner) {
            return Ok(Segment::Name(name.into()));
        }
        Self::query(written, start)
    }

    fn descendant(&mut self) -> Result<Segment, PathError> {
        let start = self.at;
        self.at += 2;
        if self.rest().starts_with('[') {
            self.take_brackets()?;
        } else {
            self.name()?;
        }
        let written = &self.written[start..self.at];
        Self::query(written, start)
    }

    /// A segment that the engine answers, as a path of its own.
    fn query(written: &str, start: usize) -> Result<Segment, PathError> {
        let engine = JsonPath::parse(&format!("${written}"));
        // The engine counts the `$` too.
        let engine =
            engine.map_err(|cause| jsonpath_error(&cause, (start + cause.position()).saturating_sub(1)))?;
        Ok(Query::segment(engine, written))
    }

    /// Takes `[ … ]` with everything nested in it.
    fn take_brackets(&mut self) -> Result<&'p str, PathError> {
        let rest = self.rest();
        let mut open = 0_usize;
        for (at, character) in outside_quotes(rest) {
            match character {
                '[' => open += 1,
                ']' if open == 1 => {
                    self.at += at + 1;
                    return Ok(&rest[..=at]);
                }
                ']' => open -= 1,
                _ => {}
            }
        }
        Err(error("`[` without its `]`", self.at))
    }
}

impl Query {
    fn segment(engine: JsonPath, written: &str) -> Segment {
        let may_choose_nothing = outside_quotes(written).any(|(_, character)| matches!(character, '?' | ':'));
        Segment::Query(Box::new(Query { engine, written: written.into(), may_choose_nothing }))
    }
}

/// An integer as RFC 9535 writes it: no leading zeros, no `-0`.
fn index(inner: &str) -> Option<i64> {
    let digits = inner.strip_prefix('-').unwrap_or(inner);
    let well_written = digits.bytes().all(|byte| byte.is_ascii_digit())
        && (digits.len() == 1 || !digits.starts_with('0'))
        && inner != "-0";
    if well_written { inner.parse().ok() } else { None }
}

/// The name in `'…'` or `"…"`, if that is all there is.
fn quoted_name(inner: &str) -> Option<String> {
    let quote = inner.chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
    let name = inner.strip_prefix(quote)?.strip_suffix(quote)?;
    // Escapes are JSON's, but for the quote: rewrite the name as a JSON string and let its parser decode it.
    let mut json = String::with_capacity(inner.len() + 2);
    json.push('"');
    let mut characters = name.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next()? {
                '\'' => json.push('\''),
                escaped => json.extend(['\\', escaped]),
            },
            bare if bare == quote => return None,
            '"' => json.push_str("\\\""),
            plain => json.push(plain),
        }
    }
    json.push('"');
    serde_json::from_str(&json).ok()
}

/// The characters of a path that do not stand inside quotes, with their places.
fn outside_quotes(path: &str) -> impl Iterator<Item = (usize, char)> {
    let mut quote = None;
    let mut escaped = false;
    path.char_indices().filter(move |&(_, character)| {
        let Some(open) = quote else {
            quote = Some(character).filter(|character| matches!(character, '\'' | '"'));
            return quote.is_none();
        };
        if escaped {
            escaped = false;
        } else if character == '\\' {
            escaped = true;
        } else if character == open {
            quote = None;
        }
        false
    })
}

/// Refuses what would overflow the stack of a recursive parser.
fn check_nesting(path: &str) -> Result<(), PathError> {
    let mut depth = 0_usize;
    for (at, byte) in path.bytes().enumerate() {
        match byte {
            b'[' | b'(' => depth += 1,
            b']' | b')' => depth = depth.saturating_sub(1),
            // Every `!` may be a nested negation.
            b'!' => depth += usize::from(path.as_bytes().get(at + 1) == Some(&b'!')),
            _ => {}
        }
        if depth > DEEPEST_NESTING {
            return Err(error(format!("nested more than {DEEPEST_NESTING} deep"), at));
        }
    }
    Ok(())
}

fn jsonpath_error(cause: &serde_json_path::ParseError, at: usize) -> PathError {
    match cause.message() {
        "parser error" => error("not a JSONPath (RFC 9535) from here on", at),
        message => error(message, at),
    }
}

fn error(message: impl Into<String>, at: usize) -> PathError {
    PathError { message: message.into(), at }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Path;

    fn shape(path: &str) -> String {
        let named = |segment: &Segment| match segment {
            Segment::Name(name) => format!("name {name}"),
            Segment::Index(index) => format!("index {index}"),
            Segment::Wildcard => "all".to_owned(),
            Segment::Query(query) => format!("query {}", query.written),
        };
        match segments(path) {
            Ok(segments) => segments.iter().map(named).collect::<Vec<_>>().join(", "),
            Err(error) => format!("error at {}: {}", error.at, error.message),
        }
    }

    #[test]
    fn shorthand_and_jsonpath_give_the_same_segments() {
        assert_eq!(shape("results[*].metadata.type"), "name results, all, name metadata, name type");
        assert_eq!(shape("$.results[*].metadata['type']"), "name results, all, name metadata, name type");
        assert_eq!(shape("[0].id"), "index 0, name id");
        assert_eq!(shape("$[-1] .id"), "index -1, name id");
        assert_eq!(shape("$"), "");
        assert_eq!(shape("results.*.id"), "name results, all, name id");
    }

    #[test]
    fn shorthand_names_may_hold_odd_characters() {
        assert_eq!(shape("created-at.größe in cm"), "name created-at, name größe in cm");
        assert_eq!(shape(r#"a['b.c']["d'e"]['f\'g\u00e9']"#), "name a, name b.c, name d'e, name f'gé");
    }

    #[test]
    fn what_is_not_simple_is_left_to_the_engine() {
        assert_eq!(shape("results[?@.type=='x].y'].id"), "name results, query [?@.type=='x].y'], name id");
        assert_eq!(shape("$.results[0:2].id"), "name results, query [0:2], name id");
        assert_eq!(shape("$..id"), "query ..id");
        assert_eq!(shape("$.a..['id'].b"), "name a, query ..['id'], name b");
        assert_eq!(shape("$.a[?@.n == $.limit].b"), "query .a[?@.n == $.limit].b");
        assert_eq!(shape("a['x','y']"), "name a, query ['x','y']");
    }

    #[test]
    fn a_bad_path_says_where() {
        assert_eq!(shape(""), "error at 0: an empty path; the whole document is `$`");
        assert_eq!(shape("a..b"), "error at 2: an empty name; descendants are written `$..name`");
        assert_eq!(shape("a."), "error at 2: an empty name; descendants are written `$..name`");
        assert_eq!(shape("a[0"), "error at 1: `[` without its `]`");
        assert_eq!(shape("a]b"), "error at 1: expected `.` or `[`");
        assert!(shape("a[01]").starts_with("error at "), "{}", shape("a[01]"));
        assert!(shape("$.foo-bar").starts_with("error at 5: "), "{}", shape("$.foo-bar"));
        assert!(shape("$x").starts_with("error at "), "{}", shape("$x"));
    }

    #[test]
    fn hostile_paths_end_in_an_error() {
        for hostile in ["[?@".repeat(3000), "(".repeat(100_000), "$[?!!!!!!".repeat(500), "[".repeat(4000)] {
            assert!(Path::parse(&hostile).is_err());
            assert!(Path::parse(&format!("${hostile}")).is_err());
        }
        let negations = format!("$[?{}@.a]", "!".repeat(2000));
        assert!(Path::parse(&negations).is_err());
    }
}
