//! JSON with places: every value is first taken as its raw bytes, whose address tells where it stands.

use std::ops::Range;

use serde::Deserializer as _;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::deep::{DEEPEST_DATA, Tokens, too_deep};
use super::{Content, Member, Mistake, Node, repeated_key};
use crate::value::Malformed;

pub(super) fn read(text: &str) -> Result<Node, Mistake> {
    let raw: &RawValue = serde_json::from_str(text).map_err(|error| mistake(text, &error))?;
    Reader { text }.node(raw, 0)
}

struct Reader<'t> {
    text: &'t str,
}

impl<'t> Reader<'t> {
    fn node(&self, raw: &'t RawValue, depth: usize) -> Result<Node, Mistake> {
        let span = self.span(raw.get());
        // Each level is scanned once more.
        match raw.get().as_bytes().first() {
            Some(b'[') if depth >= DEEPEST_DATA => return deep(raw.get(), span.start),
            Some(b'{') if depth >= DEEPEST_DATA => return Err(too_deep(span)),
            _ => {}
        }
        let mut json = serde_json::Deserializer::from_str(raw.get());
        let within = |error: serde_json::Error| Mistake::at(Malformed::from(&error).message, span.clone());
        let content = match raw.get().as_bytes().first() {
            Some(b'[') => {
                let items = json.deserialize_seq(Items).map_err(within)?;
                Content::List(
                    items.into_iter().map(|item| self.node(item, depth + 1)).collect::<Result<_, _>>()?,
                )
            }
            Some(b'{') => {
                let members = json.deserialize_map(Members).map_err(within)?;
                let members = members.into_iter().map(|(key, value)| {
                    let key_span = self.span(key.get());
                    let key = serde_json::from_str(key.get()).map_err(within)?;
                    Ok(Member { key, key_span, value: self.node(value, depth + 1)? })
                });
                Content::Map(members.collect::<Result<_, Mistake>>()?)
            }
            _ => Content::Scalar(serde_json::from_str::<Value>(raw.get()).map_err(within)?),
        };
        match &content {
            Content::Map(members) => repeated_key(members).map_or(Ok(()), Err)?,
            Content::Scalar(_) | Content::List(_) | Content::Deep(_) => {}
        }
        Ok(Node { span, content })
    }

    /// Where a slice of the text stands in it.
    fn span(&self, part: &str) -> Range<usize> {
        let start = (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        start..start + part.len()
    }
}

/// The tokens of a list, which is known to be JSON.
fn deep(list: &str, start: usize) -> Result<Node, Mistake> {
    let (bytes, mut tokens, mut at) = (list.as_bytes(), Tokens::default(), 0);
    while let Some(byte) = bytes.get(at) {
        let here = start + at;
        match byte {
            b'[' => tokens.open(here..here + 1)?,
            b']' if tokens.close(here + 1) => break,
            b'{' => return Err(too_deep(here..here + 1)),
            b']' | b',' | b' ' | b'\t' | b'\n' | b'\r' => {}
            _ => {
                let mut scalars = serde_json::Deserializer::from_str(&list[at..]).into_iter::<Value>();
                let within =
                    |error: serde_json::Error| Mistake::at(Malformed::from(&error).message, here..here + 1);
                let Some(scalar) = scalars.next() else { break };
                let scalar = scalar.map_err(within)?;
                at += scalars.byte_offset();
                tokens.scalar(scalar, here..start + at);
                continue;
            }
        }
        at += 1;
    }
    Ok(tokens.into_node())
}

struct Items;

impl<'t> Visitor<'t> for Items {
    type Value = Vec<&'t RawValue>;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'t>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        std::iter::from_fn(|| items.next_element().transpose()).collect()
    }
}

struct Members;

impl<'t> Visitor<'t> for Members {
    type Value = Vec<(&'t RawValue, &'t RawValue)>;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'t>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        std::iter::from_fn(|| members.next_entry().transpose()).collect()
    }
}

/// A syntax error at its line and column; the parser counts columns in bytes.
fn mistake(text: &str, error: &serde_json::Error) -> Mistake {
    let Malformed { message, line, column, .. } = Malformed::from(error);
    let line_start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let start = (line_start + column.saturating_sub(1)).min(text.len());
    Mistake::at(message, start..start)
}
