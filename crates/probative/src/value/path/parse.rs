//! A written path, cut into segments.

use serde_json_path::JsonPath;

use super::{Chooses, FromRoot, Path, PathError, Query, Segment};

/// Longer paths and deeper nesting than anybody writes; the JSONPath parser recurses.
const LONGEST_PATH: usize = 4096;
const DEEPEST_NESTING: usize = 32;
/// Every filter within a filter doubles the time of the JSONPath parser, or more.
const DEEPEST_FILTERS: usize = 6;

pub(super) fn path(written: &str) -> Result<Path, PathError> {
    if written.is_empty() {
        return Err(error("path is empty; use `$` for the whole document", 0));
    }
    if written.len() > LONGEST_PATH {
        return Err(error(format!("path is longer than {LONGEST_PATH} bytes"), LONGEST_PATH));
    }
    check_nesting(written)?;
    let Some(after_root) = written.strip_prefix('$') else {
        if looks_back(written) {
            return from_root(
                written,
                &format!("{}{written}", if written.starts_with('[') { "$" } else { "$." }),
            );
        }
        let segments = Cutter::new(written, Names::Any).segments()?;
        return Ok(Path { written: written.to_owned(), from_root: None, segments, shape: None });
    };
    check_last_escape(written)?;
    JsonPath::parse(written).map_err(|cause| jsonpath_error(&cause, cause.position()))?;
    if looks_back(after_root) {
        return from_root(written, written);
    }
    let segments = Cutter::new(written, Names::AfterRoot).segments()?;
    Ok(Path { written: written.to_owned(), from_root: None, segments, shape: None })
}

/// A path in which a filter looks back at the root: such a filter must see the real root, so the engine is asked from
/// there. What comes before the first such filter, and after the last, is walked like any other path.
fn from_root(written: &str, jsonpath: &str) -> Result<Path, PathError> {
    let added = jsonpath.len() - written.len();
    check_last_escape(written)?;
    JsonPath::parse(jsonpath)
        .map_err(|cause| jsonpath_error(&cause, cause.position().saturating_sub(added)))?;
    let mut cutter = Cutter::new(jsonpath, Names::AfterRoot);
    let (mut way, mut rest, mut until) = (Vec::new(), Vec::new(), 0);
    loop {
        let start = cutter.at;
        let Some(segment) = cutter.segment()? else { break };
        if outside_quotes(&jsonpath[start..cutter.at]).any(|(_, character)| character == '$') {
            until = cutter.at;
            rest.clear();
        } else if until == 0 {
            way.push(segment);
        } else {
            rest.push(segment);
        }
    }
    let query = &jsonpath[..until];
    let engine = JsonPath::parse(query)
        .map_err(|cause| jsonpath_error(&cause, cause.position().saturating_sub(added)))?;
    let query = Query { engine, written: query.into(), chooses: Chooses::ByFilter };
    Ok(Path {
        written: written.to_owned(),
        from_root: Some(Box::new(FromRoot { way, query })),
        segments: rest,
        shape: None,
    })
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
        while let Some(segment) = self.segment()? {
            segments.push(segment);
        }
        Ok(segments)
    }

    /// The next segment, until there is none.
    fn segment(&mut self) -> Result<Option<Segment>, PathError> {
        self.skip_space();
        match self.rest().as_bytes() {
            [] => Ok(None),
            [b'[', ..] => self.bracket().map(Some),
            [b'.', b'.', ..] if self.names == Names::AfterRoot => self.descendant().map(Some),
            [b'.', ..] => {
                self.at += 1;
                self.name().map(Some)
            }
            _ => Err(error("expected `.` or `[`", self.at)),
        }
    }

    /// JSONPath allows space between segments; in shorthand it is part of a name.
    fn skip_space(&mut self) {
        if self.names == Names::AfterRoot {
            self.at += self.rest().len() - self.rest().trim_start().len();
        }
    }

    fn name(&mut self) -> Result<Segment, PathError> {
        self.skip_space();
        let stops: &[char] =
            if self.names == Names::Any { &['.', '[', ']'] } else { &['.', '[', ' ', '\t', '\n', '\r'] };
        let name = self.rest().split(stops).next().unwrap_or_default();
        if name.is_empty() {
            return Err(error("name is empty; use `$..name` for descendants", self.at));
        }
        self.at += name.len();
        Ok(if name == "*" { Segment::Wildcard } else { Segment::Name(name.into()) })
    }

    fn bracket(&mut self) -> Result<Segment, PathError> {
        let start = self.at;
        let written = self.take_brackets()?;
        let inner = &written[1..written.len() - 1];
        if let Some(segment) = simple(inner.trim()) {
            return Ok(segment);
        }
        let several: Option<Vec<Segment>> = between_commas(inner).map(|part| simple(part.trim())).collect();
        if let Some(several) = several {
            return Ok(Segment::Several(several));
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
        Err(error("unclosed `[`", self.at))
    }
}

impl Query {
    fn segment(engine: JsonPath, written: &str) -> Segment {
        let has = |wanted| outside_quotes(written).any(|(_, character)| character == wanted);
        let chooses = match written {
            _ if has('?') => Chooses::ByFilter,
            descendants if descendants.starts_with("..") => Chooses::Descendants,
            _ => Chooses::BySlice,
        };
        Segment::Query(Box::new(Query { engine, written: written.into(), chooses }))
    }
}

/// A wildcard, an index or a quoted name.
fn simple(inner: &str) -> Option<Segment> {
    if inner == "*" {
        return Some(Segment::Wildcard);
    }
    index(inner).map(Segment::Index).or_else(|| quoted_name(inner).map(|name| Segment::Name(name.into())))
}

/// The parts of a list of selectors. What is not simple need not be cut rightly: it is not used.
fn between_commas(inner: &str) -> impl Iterator<Item = &str> {
    let commas = outside_quotes(inner).filter(|(_, character)| *character == ',').map(|(at, _)| at);
    let mut start = 0;
    commas.chain([inner.len()]).map(move |end| {
        let part = &inner[start..end];
        start = end + 1;
        part
    })
}

/// An integer as RFC 9535 writes it: no leading zeros, no `-0`.
fn index(inner: &str) -> Option<i64> {
    /// What RFC 9535 allows: integers that every double can hold.
    const LARGEST: u64 = (1 << 53) - 1;
    let digits = inner.strip_prefix('-').unwrap_or(inner);
    let well_written = digits.bytes().all(|byte| byte.is_ascii_digit())
        && (digits.len() == 1 || !digits.starts_with('0'))
        && inner != "-0";
    let index: i64 = if well_written { inner.parse().ok()? } else { return None };
    (index.unsigned_abs() <= LARGEST).then_some(index)
}

/// The name in `'…'` or `"…"`, if that is all there is.
pub(super) fn quoted_name(inner: &str) -> Option<String> {
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

/// Whether something in brackets looks back at the root. In names outside of them a `$` is a letter like others, and a quote is none.
fn looks_back(path: &str) -> bool {
    let mut rest = path;
    while let Some(open) = rest.find('[') {
        let mut depth = 0_usize;
        let mut end = rest.len();
        for (at, character) in outside_quotes(&rest[open..]) {
            match character {
                '$' => return true,
                '[' => depth += 1,
                ']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                end = open + at + 1;
                break;
            }
        }
        rest = &rest[end..];
    }
    false
}

/// Refuses what would overflow the stack of a recursive parser, or take it hours. In names outside of brackets, and in quotes, nothing nests.
fn check_nesting(path: &str) -> Result<(), PathError> {
    let (mut brackets, mut others) = (0_usize, 0_usize);
    let (mut quote, mut escaped) = (None, false);
    for (at, byte) in path.bytes().enumerate() {
        if let Some(open) = quote {
            quote = quote.filter(|_| escaped || byte != open);
            escaped = !escaped && byte == b'\\';
            continue;
        }
        match byte {
            b'[' => brackets += 1,
            _ if brackets == 0 => {}
            b'?' if brackets > DEEPEST_FILTERS => {
                return Err(error(format!("filters are nested more than {DEEPEST_FILTERS} deep"), at));
            }
            b']' => brackets -= 1,
            b'(' => others += 1,
            b')' => others = others.saturating_sub(1),
            b'\'' | b'"' => quote = Some(byte),
            // Every `!` may be a nested negation.
            b'!' => others += usize::from(path.as_bytes().get(at + 1) == Some(&b'!')),
            _ => {}
        }
        if brackets + others > DEEPEST_NESTING {
            return Err(error(format!("path is nested more than {DEEPEST_NESTING} deep"), at));
        }
    }
    Ok(())
}

/// Refuses a path that ends within an escape: the JSONPath parser waits for more there, and panics.
fn check_last_escape(path: &str) -> Result<(), PathError> {
    let is_cut = ["\\u", "\\uD", "\\ud"].iter().any(|cut| path.ends_with(cut));
    if is_cut { Err(error("incomplete escape; expected four hex digits", path.len())) } else { Ok(()) }
}

fn jsonpath_error(cause: &serde_json_path::ParseError, at: usize) -> PathError {
    match cause.message() {
        "parser error" => error("invalid JSONPath (RFC 9535) from here on", at),
        message => error(message, at),
    }
}

fn error(message: impl Into<String>, at: usize) -> PathError {
    PathError { message: message.into(), at }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(path: &str) -> String {
        let named = |segment: &Segment| match segment {
            Segment::Name(name) => format!("name {name}"),
            Segment::Index(index) => format!("index {index}"),
            Segment::Wildcard => "all".to_owned(),
            Segment::Several(several) => format!("{} together", several.len()),
            Segment::Query(query) => format!("query {}", query.written),
        };
        match Path::parse(path) {
            Ok(path) => {
                let from_root =
                    path.from_root.map(|from_root| format!("from root {}", from_root.query.written));
                from_root.into_iter().chain(path.segments.iter().map(named)).collect::<Vec<_>>().join(", ")
            }
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
        let brackets = "(!!".repeat(40);
        assert_eq!(
            shape(&format!("a{brackets}.b['[{brackets}']")),
            format!("name a{brackets}, name b, name [{brackets}")
        );
    }

    #[test]
    fn a_dollar_in_a_name_does_not_look_back() {
        assert_eq!(shape("price$.us$"), "name price$, name us$");
        assert_eq!(shape("it's.a$b['$c'][0]"), "name it's, name a$b, name $c, index 0");
    }

    #[test]
    fn what_is_not_simple_is_left_to_the_engine() {
        assert_eq!(shape("results[?@.type=='x].y'].id"), "name results, query [?@.type=='x].y'], name id");
        assert_eq!(shape("$.results[0:2].id"), "name results, query [0:2], name id");
        assert_eq!(shape("$..id"), "query ..id");
        assert_eq!(shape("$.a..['id'].b"), "name a, query ..['id'], name b");
        assert_eq!(shape("$.a[?@.n == $.limit].b"), "from root $.a[?@.n == $.limit], name b");
        assert_eq!(shape("a[?@.n == $.limit].b"), "from root $.a[?@.n == $.limit], name b");
        assert_eq!(shape("a['x', 'y,z', 0, *]"), "name a, 4 together");
        assert_eq!(shape("a['x', 0:2]"), "name a, query ['x', 0:2]");
    }

    #[test]
    fn filters_within_filters_are_bounded() {
        for within in ["[?@.b", "['x', ?@.b"] {
            let nested = |depth: usize| format!("$.a{}{}", within.repeat(depth), "]".repeat(depth));
            assert!(path(&nested(6)).is_ok());
            let at = 3 + 7 * within.len() - 4;
            assert_eq!(shape(&nested(7)), format!("error at {at}: filters are nested more than 6 deep"));
            assert_eq!(shape(&nested(30)), shape(&nested(7)));
        }
    }

    #[test]
    fn a_bad_path_says_where() {
        assert_eq!(shape(""), "error at 0: path is empty; use `$` for the whole document");
        assert_eq!(shape("a..b"), "error at 2: name is empty; use `$..name` for descendants");
        assert_eq!(shape("a."), "error at 2: name is empty; use `$..name` for descendants");
        assert_eq!(shape("a[0"), "error at 1: unclosed `[`");
        assert_eq!(shape("a]b"), "error at 1: expected `.` or `[`");
        assert!(shape("a[01]").starts_with("error at "), "{}", shape("a[01]"));
        assert!(shape("a[9007199254740992]").starts_with("error at "), "{}", shape("a[9007199254740992]"));
        assert!(shape("$.foo-bar").starts_with("error at 5: "), "{}", shape("$.foo-bar"));
        assert!(shape("$x").starts_with("error at "), "{}", shape("$x"));
    }

    #[test]
    fn a_path_that_ends_within_an_escape_is_an_error() {
        for cut in [
            r"\",
            r"\u",
            r"\uD",
            r"\ud",
            r"\uD8",
            r"\uD83D",
            r"\uD83D\",
            r"\uD83D\u",
            r"\uD83D\uD",
            r"\uD83D\ud",
            r"\u00e",
        ] {
            for path in ["$['a", "$[\"a", "$.a[?@.b == 'c", "a['b", "a[?@.b == $.c && @.d == 'e"] {
                assert!(shape(&format!("{path}{cut}")).starts_with("error at "), "{path}{cut}");
            }
        }
        assert_eq!(shape(r"a\u"), r"name a\u");
    }

    #[test]
    fn hostile_paths_end_in_an_error() {
        for hostile in ["[?@".repeat(3000), "(".repeat(100_000), "$[?!!!!!!".repeat(500), "[".repeat(4000)] {
            assert!(Path::parse(&hostile).is_err());
            assert!(Path::parse(&format!("${hostile}")).is_err());
        }
        let negations = format!("$[?{}@.a]", "!".repeat(2000));
        assert!(Path::parse(&negations).is_err());
        let behind_quotes = format!(r#"$[?'\' [' == "\"" && {}@.a"#, "(".repeat(2000));
        assert!(Path::parse(&behind_quotes).unwrap_err().message.ends_with("32 deep"));
    }
}
