//! One value of a document.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::{Number, Value};

use super::read::{Entry, Tag};
use super::view::{Kind, Shape, View};
use super::{number, string};

/// A value in a [`JsonDocument`](super::JsonDocument). Copying one is cheap.
#[derive(Clone, Copy)]
pub struct JsonNode<'d> {
    text: &'d str,
    entries: &'d [Entry],
    at: usize,
}

impl<'d> JsonNode<'d> {
    /// The root of a document. There is at least one entry.
    pub(super) fn root(text: &'d str, entries: &'d [Entry]) -> JsonNode<'d> {
        JsonNode { text, entries, at: 0 }
    }

    #[inline]
    fn entry(self) -> Entry {
        self.entries[self.at]
    }

    /// The index of the value in its document.
    pub(crate) fn index(self) -> u32 {
        // An index is below MOST_ENTRIES.
        u32::try_from(self.at).unwrap_or(u32::MAX)
    }

    /// The value at an index in the same document.
    pub(crate) fn at(self, index: u32) -> JsonNode<'d> {
        self.sibling(index as usize)
    }

    #[inline]
    fn sibling(self, at: usize) -> JsonNode<'d> {
        JsonNode { at, ..self }
    }

    /// Returns the range of the value in the text, in bytes; a string with its quotes.
    pub fn range(self) -> Range<usize> {
        let Entry { start, end, tag, .. } = self.entry();
        let quote = usize::from(matches!(tag, Tag::String | Tag::EscapedString));
        start as usize - quote..end as usize + quote
    }

    /// The JSON text of the value, as it is written; of a string, with its quotes.
    pub fn written(self) -> &'d str {
        &self.text[self.range()]
    }

    /// The string, borrowed unless something in it is escaped; `None` for anything else.
    #[inline]
    pub fn as_str(self) -> Option<Cow<'d, str>> {
        let Entry { start, end, tag, .. } = self.entry();
        let inside = || &self.text[start as usize..end as usize];
        match tag {
            Tag::String => Some(Cow::Borrowed(inside())),
            Tag::EscapedString => Some(Cow::Owned(string::unescape(inside()))),
            _ => None,
        }
    }

    /// The number; `None` for anything else.
    pub fn as_number(self) -> Option<Number> {
        (self.entry().tag == Tag::Number).then(|| number::parse(self.written()))
    }

    /// The boolean; `None` for anything else.
    pub fn as_bool(self) -> Option<bool> {
        match self.entry().tag {
            Tag::True => Some(true),
            Tag::False => Some(false),
            _ => None,
        }
    }

    /// Returns true for `null`.
    pub fn is_null(self) -> bool {
        self.entry().tag == Tag::Null
    }

    /// Returns true for an array.
    pub fn is_array(self) -> bool {
        self.entry().tag == Tag::Array
    }

    /// Returns true for an object.
    pub fn is_object(self) -> bool {
        self.entry().tag == Tag::Object
    }

    /// Returns true for an array or object without anything in it.
    pub fn is_empty(self) -> bool {
        matches!(self.entry().tag, Tag::Array | Tag::Object) && self.entry().link as usize == self.at + 1
    }

    /// The items of an array; `None` for anything else.
    pub fn as_array(self) -> Option<Items<'d>> {
        self.is_array().then(|| self.items_of())
    }

    /// The members of an object; `None` for anything else.
    pub fn as_object(self) -> Option<Members<'d>> {
        self.is_object().then(|| self.members_of())
    }

    fn items_of(self) -> Items<'d> {
        let end = if self.is_array() { self.entry().link as usize } else { 0 };
        Items { next: self.sibling(self.at + 1), end }
    }

    fn members_of(self) -> Members<'d> {
        let end = if self.is_object() { self.entry().link as usize } else { 0 };
        Members { next: self.sibling(self.at + 1), end }
    }

    /// The key of a member.
    #[inline]
    fn key(self) -> Cow<'d, str> {
        let Entry { start, end, tag, .. } = self.entry();
        let inside = &self.text[start as usize..end as usize];
        if tag == Tag::EscapedKey { Cow::Owned(string::unescape(inside)) } else { Cow::Borrowed(inside) }
    }
}

impl<'d> View<'d> for JsonNode<'d> {
    fn kind(self) -> Kind {
        match self.entry().tag {
            Tag::Null => Kind::Null,
            Tag::True | Tag::False => Kind::Boolean,
            Tag::Number => Kind::Number,
            Tag::Array => Kind::Array,
            Tag::Object => Kind::Object,
            // Keys have no node of their own.
            Tag::String | Tag::EscapedString | Tag::Key | Tag::EscapedKey | Tag::OverwrittenKey => {
                Kind::String
            }
        }
    }

    fn shape(self) -> Shape<'d> {
        match self.entry().tag {
            Tag::Null => Shape::Null,
            Tag::True => Shape::Boolean(true),
            Tag::False => Shape::Boolean(false),
            Tag::Number => Shape::Number(number::parse(self.written())),
            Tag::String | Tag::EscapedString => Shape::String(self.as_str().unwrap_or_default()),
            // Keys have no node of their own.
            Tag::Key | Tag::EscapedKey | Tag::OverwrittenKey => Shape::String(self.key()),
            Tag::Array => Shape::Array,
            Tag::Object => Shape::Object,
        }
    }

    fn items(self) -> impl Iterator<Item = JsonNode<'d>> {
        self.items_of()
    }

    fn members(self) -> impl Iterator<Item = (Cow<'d, str>, JsonNode<'d>)> {
        self.members_of()
    }

    fn len(self) -> usize {
        match self.entry().tag {
            Tag::Array => self.items_of().count(),
            Tag::Object => self.members_of().nodes().count(),
            _ => 0,
        }
    }

    fn get(self, key: &str) -> Option<JsonNode<'d>> {
        let hash = string::hash(key);
        // A key with the same hash is compared.
        let is_it = |found: JsonNode<'d>| found.entry().link == hash && found.key() == key;
        self.members_of().nodes().find(|(found, _)| is_it(*found)).map(|(_, value)| value)
    }
}

/// The items of an array.
#[derive(Debug, Clone)]
pub struct Items<'d> {
    next: JsonNode<'d>,
    end: usize,
}

impl<'d> Iterator for Items<'d> {
    type Item = JsonNode<'d>;

    #[inline]
    fn next(&mut self) -> Option<JsonNode<'d>> {
        if self.next.at >= self.end {
            return None;
        }
        let item = self.next;
        self.next = item.sibling(item.entry().link as usize);
        Some(item)
    }
}

/// The members of an object.
#[derive(Debug, Clone)]
pub struct Members<'d> {
    next: JsonNode<'d>,
    end: usize,
}

impl<'d> Members<'d> {
    /// Each key as a node, and its value.
    #[inline]
    fn nodes(mut self) -> impl Iterator<Item = (JsonNode<'d>, JsonNode<'d>)> {
        std::iter::from_fn(move || self.step())
    }

    #[inline]
    fn step(&mut self) -> Option<(JsonNode<'d>, JsonNode<'d>)> {
        while self.next.at < self.end {
            let key = self.next;
            let value = key.sibling(key.at + 1);
            self.next = value.sibling(value.entry().link as usize);
            if key.entry().tag != Tag::OverwrittenKey {
                return Some((key, value));
            }
        }
        None
    }
}

impl<'d> Iterator for Members<'d> {
    type Item = (Cow<'d, str>, JsonNode<'d>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.step().map(|(key, value)| (key.key(), value))
    }
}

/// As JSON: compact, or pretty in Rust's alternate form.
impl fmt::Display for JsonNode<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let written = if formatter.alternate() {
            serde_json::to_string_pretty(self)
        } else {
            serde_json::to_string(self)
        };
        formatter.write_str(&written.map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for JsonNode<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.written())
    }
}

impl Serialize for JsonNode<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.shape() {
            Shape::Null => serializer.serialize_unit(),
            Shape::Boolean(boolean) => serializer.serialize_bool(boolean),
            Shape::Number(number) => number.serialize(serializer),
            Shape::String(string) => serializer.serialize_str(&string),
            Shape::Array => {
                let mut array = serializer.serialize_seq(None)?;
                self.items_of().try_for_each(|item| array.serialize_element(&item))?;
                array.end()
            }
            Shape::Object => {
                let mut object = serializer.serialize_map(None)?;
                self.members_of().try_for_each(|(key, value)| object.serialize_entry(&key, &value))?;
                object.end()
            }
        }
    }
}

impl From<JsonNode<'_>> for Value {
    fn from(node: JsonNode<'_>) -> Value {
        node.to_value()
    }
}
