//! Reading a document: one pass over the text, without recursion.

use std::borrow::Cow;

use serde_json::Value;

use super::node::JsonNode;
use super::{number, string};
use crate::value::{Cause, Malformed, Tree};

/// Maximum nesting of arrays and objects in a text.
const DEEPEST: usize = 127;

/// Maximum number of entries in a document: one for each value and one for each key, 16 bytes each.
const MOST_ENTRIES: usize = 20_000_000;

/// Maximum number of keys in an object that are compared one by one to find a repeated one.
const FEW_KEYS: usize = 16;

/// A JSON document as read.
#[derive(Debug, Clone)]
pub struct JsonDocument<'t> {
    text: Cow<'t, str>,
    entries: Vec<Entry>,
    repeated_keys: Vec<String>,
}

/// A value or a key: where it is, and what comes after it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// Of a string or a key, the offset after its first quote; of anything else, of its first character.
    pub(super) start: u32,
    /// Of a string or a key, the offset of its last quote; of anything else, after its last character.
    pub(super) end: u32,
    /// Of a value, the index of the entry after it and all that is in it; of a key, its hash.
    pub(super) link: u32,
    pub(super) tag: Tag,
}

/// The one entry of a document that is null.
const NULL: Entry = Entry { start: 0, end: 4, link: 1, tag: Tag::Null };

/// Type of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    Null,
    False,
    True,
    Number,
    String,
    EscapedString,
    Key,
    EscapedKey,
    /// A key that its object has again, so that another value counts.
    OverwrittenKey,
    Array,
    Object,
}

impl<'t> JsonDocument<'t> {
    /// Reads one JSON document (RFC 8259); a byte order mark before it is ignored.
    ///
    /// Malformed are numbers beyond the doubles, lone surrogates, invalid UTF-8, nesting deeper than 127, and documents with
    /// more than 4 GiB or twenty million values and keys. Of a key that an object has twice, the last value counts.
    pub fn read(bytes: &'t [u8]) -> Result<JsonDocument<'t>, Malformed> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let Ok(text) = simdutf8::basic::from_utf8(bytes) else { return Err(explain(bytes)) };
        let mut reader = Reader::new(text, MOST_ENTRIES);
        reader.document(DEEPEST).map_err(|stop| stop.explain(bytes))?;
        // Rare enough to be read again, by what names the places.
        let repeated_keys = if reader.is_unique { Vec::new() } else { Tree::read(bytes)?.repeated_keys };
        Ok(JsonDocument { text: Cow::Borrowed(text), entries: reader.entries, repeated_keys })
    }

    /// Reads a document up to where it stops being JSON, as if what is open there ended there.
    ///
    /// Of text that isn't UTF-8, or begins with no JSON, that is null.
    pub fn read_beginning(bytes: &'t [u8]) -> JsonDocument<'t> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let text = std::str::from_utf8(bytes).unwrap_or_default();
        let mut reader = Reader::new(text, MOST_ENTRIES);
        if reader.document(DEEPEST).is_err() {
            reader.end_early();
        }
        let is_nothing = reader.entries.is_empty();
        JsonDocument {
            text: Cow::Borrowed(if is_nothing { "null" } else { text }),
            entries: if is_nothing { vec![NULL] } else { reader.entries },
            repeated_keys: Vec::new(),
        }
    }

    /// The whole document.
    pub fn root(&self) -> JsonNode<'_> {
        JsonNode::root(&self.text, &self.entries)
    }

    /// The places of keys that an object had twice (the first few), in document order.
    pub fn repeated_keys(&self) -> &[String] {
        &self.repeated_keys
    }

    /// The warnings about repeated keys.
    pub fn warnings(&self) -> Vec<String> {
        let warning = |place| format!("'{place}' appears twice; the last value is used");
        self.repeated_keys.iter().map(warning).collect()
    }

    /// Converts to a document that borrows nothing.
    pub fn into_owned(self) -> JsonDocument<'static> {
        JsonDocument { text: Cow::Owned(self.text.into_owned()), ..self }
    }
}

/// Writes a value as JSON, however deep and large it is, and reads that.
///
/// Panics if its JSON has more than 4 GiB: a value that can't be read must not look like another one.
impl From<&Value> for JsonDocument<'static> {
    fn from(value: &Value) -> Self {
        let text = value.to_string();
        let mut reader = Reader::new(&text, usize::MAX);
        if let Err(stop) = reader.document(usize::MAX) {
            panic!("the JSON of a value can't be read: {stop:?}");
        }
        let entries = reader.entries;
        JsonDocument { text: Cow::Owned(text), entries, repeated_keys: Vec::new() }
    }
}

/// A document of a string.
impl From<&str> for JsonDocument<'static> {
    fn from(text: &str) -> Self {
        JsonDocument::from(&Value::from(text))
    }
}

/// By value: how a document is written makes no difference.
impl PartialEq for JsonDocument<'_> {
    fn eq(&self, other: &Self) -> bool {
        crate::value::equal(self.root(), other.root())
    }
}

/// The reason why reading stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    /// The text is not JSON at this offset.
    At(usize),
    /// There are too many values and keys up to this offset.
    Crowded(usize),
    /// The text has more than 4 GiB.
    TooLong,
}

impl Stop {
    fn explain(self, bytes: &[u8]) -> Malformed {
        match self {
            Stop::At(_) => explain(bytes),
            Stop::Crowded(at) => limit("more than twenty million values and keys", &bytes[..at]),
            Stop::TooLong => limit("larger than 4 GiB", &[]),
        }
    }
}

/// Names a limit that is exceeded after some of the bytes.
fn limit(message: &str, before: &[u8]) -> Malformed {
    let line_start = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
    let line = memchr::memchr_iter(b'\n', before).count() + 1;
    let column = before.len() - line_start + 1;
    Malformed { message: message.to_owned(), line, column, cause: Cause::Limit }
}

/// Says what is wrong with text that isn't JSON. The slower reader knows the words.
#[cold]
fn explain(bytes: &[u8]) -> Malformed {
    Tree::read(bytes).err().unwrap_or_else(|| Malformed {
        message: "cannot be read".to_owned(),
        line: 1,
        column: 1,
        cause: Cause::Syntax,
    })
}

/// The index of what is around the root.
const OUTSIDE: u32 = u32::MAX;

/// An array or object that is not closed yet.
#[derive(Clone, Copy)]
struct Open {
    entry: u32,
    is_object: bool,
    /// Number of its keys.
    keys: u32,
    /// A bit for each key, by its hash.
    seen: u64,
}

struct Reader<'b> {
    bytes: &'b [u8],
    entries: Vec<Entry>,
    /// The arrays and objects around the innermost one.
    open: Vec<Open>,
    /// False once a key may be in an object twice.
    is_unique: bool,
    most_entries: usize,
}

impl<'b> Reader<'b> {
    fn new(text: &'b str, most_entries: usize) -> Reader<'b> {
        // A guess that most documents meet, and that costs little where they don't.
        let entries = Vec::with_capacity((text.len() / 8).min(MOST_ENTRIES / 8) + 4);
        Reader { bytes: text.as_bytes(), entries, open: Vec::new(), is_unique: true, most_entries }
    }

    fn document(&mut self, deepest: usize) -> Result<(), Stop> {
        let bytes = self.bytes;
        if u32::try_from(bytes.len()).is_err() {
            return Err(Stop::TooLong);
        }
        let (mut at, mut byte) = next_token(bytes, 0);
        let mut inner = Open { entry: OUTSIDE, is_object: false, keys: 0, seen: 0 };
        'value: loop {
            let start = at;
            match byte {
                b'"' => {
                    let (end, is_escaped) = string::end(bytes, at + 1).map_err(Stop::At)?;
                    self.push(if is_escaped { Tag::EscapedString } else { Tag::String }, start + 1, end)?;
                    at = end + 1;
                }
                b'{' | b'[' => {
                    if self.open.len() >= deepest {
                        return Err(Stop::At(at));
                    }
                    self.open.push(inner);
                    let is_object = byte == b'{';
                    inner = Open { entry: self.index(), is_object, keys: 0, seen: 0 };
                    self.push(if is_object { Tag::Object } else { Tag::Array }, start, start)?;
                    (at, byte) = next_token(bytes, at + 1);
                    if is_object && byte != b'}' {
                        (at, byte) = self.key(at, byte, &mut inner)?;
                        continue 'value;
                    }
                    if !is_object && byte != b']' {
                        continue 'value;
                    }
                }
                b'-' | b'0'..=b'9' => {
                    at = number::end(bytes, at).map_err(Stop::At)?;
                    self.push(Tag::Number, start, at)?;
                }
                b't' => at = self.literal(at, b"true", Tag::True)?,
                b'f' => at = self.literal(at, b"false", Tag::False)?,
                b'n' => at = self.literal(at, b"null", Tag::Null)?,
                _ => return Err(Stop::At(at)),
            }
            // After a value: the next one, or the end of what it is in.
            loop {
                (at, byte) = next_token(bytes, at);
                match byte {
                    _ if inner.entry == OUTSIDE => {
                        return if at == bytes.len() { Ok(()) } else { Err(Stop::At(at)) };
                    }
                    b',' => {
                        (at, byte) = next_token(bytes, at + 1);
                        if inner.is_object {
                            (at, byte) = self.key(at, byte, &mut inner)?;
                        }
                        continue 'value;
                    }
                    b'}' if inner.is_object => {
                        if inner.keys as usize > FEW_KEYS {
                            self.check_many_keys(inner);
                        }
                    }
                    b']' if !inner.is_object => {}
                    _ => return Err(Stop::At(at)),
                }
                at += 1;
                let after = self.index();
                let entry = &mut self.entries[inner.entry as usize];
                (entry.end, entry.link) = (offset(at), after);
                // What is closed was opened.
                inner = self.open.pop().ok_or(Stop::At(at))?;
            }
        }
    }

    /// Ends all arrays and objects that are open, before a key that has no value yet.
    fn end_early(&mut self) {
        let is_key =
            |entry: &mut Entry| matches!(entry.tag, Tag::Key | Tag::EscapedKey | Tag::OverwrittenKey);
        let last_key = self.entries.pop_if(is_key);
        let (end, after) = (last_key.map_or(self.bytes.len(), |key| key.start as usize), self.index());
        for entry in &mut self.entries {
            // Those that are closed have an end.
            if matches!(entry.tag, Tag::Array | Tag::Object) && entry.end == entry.start {
                (entry.end, entry.link) = (offset(end), after);
            }
        }
    }

    /// The index that the next entry gets.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "there are at most MOST_ENTRIES")]
    fn index(&self) -> u32 {
        self.entries.len() as u32
    }

    #[inline]
    fn push(&mut self, tag: Tag, start: usize, end: usize) -> Result<(), Stop> {
        if self.entries.len() >= self.most_entries {
            return Err(Stop::Crowded(start));
        }
        let link = self.index() + 1;
        self.entries.push(Entry { start: offset(start), end: offset(end), link, tag });
        Ok(())
    }

    #[inline]
    fn literal(&mut self, at: usize, word: &[u8], tag: Tag) -> Result<usize, Stop> {
        let end = at + word.len();
        if self.bytes.get(at..end) != Some(word) {
            return Err(Stop::At(at));
        }
        self.push(tag, at, end)?;
        Ok(end)
    }

    /// Reads a key and its colon. Returns where its value starts, and the first byte of that.
    #[inline]
    fn key(&mut self, at: usize, byte: u8, inner: &mut Open) -> Result<(usize, u8), Stop> {
        if byte != b'"' {
            return Err(Stop::At(at));
        }
        let start = at + 1;
        let (end, is_escaped) = string::end(self.bytes, start).map_err(Stop::At)?;
        let (tag, hash) = if is_escaped {
            let raw = std::str::from_utf8(&self.bytes[start..end]).unwrap_or_default();
            (Tag::EscapedKey, string::hash(&string::unescape(raw)))
        } else {
            (Tag::Key, string::hash_within(self.bytes, start, end))
        };
        let bit = 1 << (hash & 63);
        let may_repeat = inner.seen & bit != 0 && (inner.keys as usize) < FEW_KEYS;
        inner.seen |= bit;
        inner.keys += 1;
        if self.entries.len() >= self.most_entries {
            return Err(Stop::Crowded(start));
        }
        self.entries.push(Entry { start: offset(start), end: offset(end), link: hash, tag });
        if may_repeat {
            self.check_last_key(*inner);
        }
        let (at, byte) = next_token(self.bytes, end + 1);
        if byte == b':' { Ok(next_token(self.bytes, at + 1)) } else { Err(Stop::At(at)) }
    }

    /// Notes if an object with few keys had the last one before.
    #[cold]
    fn check_last_key(&mut self, inner: Open) {
        let last = self.entries.len() - 1;
        let (name, hash) = (self.spelled(last), self.entries[last].link);
        let mut at = inner.entry as usize + 1;
        while at < last {
            let Entry { link, tag, .. } = self.entries[at];
            if link == hash && tag != Tag::OverwrittenKey && self.spelled(at) == name {
                self.entries[at].tag = Tag::OverwrittenKey;
                self.is_unique = false;
                return;
            }
            at = self.entries[at + 1].link as usize;
        }
    }

    /// Notes the repeated keys of an object with many, once it ends.
    #[cold]
    fn check_many_keys(&mut self, inner: Open) {
        let mut keys = Vec::with_capacity(inner.keys as usize);
        let mut at = inner.entry as usize + 1;
        while at < self.entries.len() {
            keys.push(at);
            at = self.entries[at + 1].link as usize;
        }
        let hash = |at: usize| self.entries[at].link;
        // Equal keys stay in the order of the document.
        keys.sort_by(|&one, &other| {
            hash(one).cmp(&hash(other)).then_with(|| self.spelled(one).cmp(&self.spelled(other)))
        });
        let is_same = |one, other| hash(one) == hash(other) && self.spelled(one) == self.spelled(other);
        let pairs = keys.iter().zip(keys.iter().skip(1));
        let overwritten: Vec<usize> =
            pairs.filter(|(one, other)| is_same(**one, **other)).map(|(one, _)| *one).collect();
        for at in overwritten {
            self.entries[at].tag = Tag::OverwrittenKey;
            self.is_unique = false;
        }
    }

    /// The key at an index. One that is overwritten needs no more comparing.
    fn spelled(&self, at: usize) -> Cow<'b, str> {
        let Entry { start, end, tag, .. } = self.entries[at];
        let raw = std::str::from_utf8(&self.bytes[start as usize..end as usize]).unwrap_or_default();
        if tag == Tag::EscapedKey { Cow::Owned(string::unescape(raw)) } else { Cow::Borrowed(raw) }
    }
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the text is shorter than 4 GiB")]
fn offset(at: usize) -> u32 {
    at as u32
}

/// Returns the offset of the first byte from `at` on that isn't whitespace, and that byte; zero at the end.
#[inline]
fn next_token(bytes: &[u8], at: usize) -> (usize, u8) {
    match bytes.get(at).copied().unwrap_or_default() {
        byte if byte > b' ' => (at, byte),
        _ => after_whitespace(bytes, at),
    }
}

fn after_whitespace(bytes: &[u8], mut at: usize) -> (usize, u8) {
    while matches!(bytes.get(at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
        at += 1;
    }
    (at, bytes.get(at).copied().unwrap_or_default())
}
