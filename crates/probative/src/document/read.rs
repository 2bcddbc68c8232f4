//! A part of a document as a typed value: a serde reader whose errors know their place.

use std::cell::Cell;

use serde::de::value::StrDeserializer;
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error as _, MapAccess, SeqAccess, Unexpected,
    VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::Value;

use super::deep::{Token, TokenKind, Tokens, too_deep};
use super::{CLOSE, Content, Member, Mistake, Node, OPEN, TOKENS};
use crate::vocabulary::{Vocabulary, names};

impl<'de> Deserializer<'de> for &'de Node {
    type Error = Mistake;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        let read = match &self.content {
            Content::Scalar(Value::String(text)) => visitor.visit_borrowed_str(text),
            Content::Scalar(scalar) => visit_scalar(scalar, visitor),
            Content::Deep(_) => Err(too_deep(self.span.clone())),
            Content::List(items) => visitor.visit_seq(Items(items.iter())),
            Content::Map(members) => visitor.visit_map(Members { rest: members.iter(), read: None }),
        };
        read.map_err(|mistake: Mistake| mistake.within(&self.span))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        let read = match &self.content {
            Content::List(_) | Content::Deep(_) if name == TOKENS => return in_tokens(self, visitor),
            _ => visitor.visit_newtype_struct(self),
        };
        read.map_err(|mistake: Mistake| mistake.within(&self.span))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        let read = match &self.content {
            Content::Scalar(Value::String(text)) => visitor.visit_enum(StrDeserializer::<Mistake>::new(text)),
            Content::Map(members) => match members.as_slice() {
                [member] => visitor.visit_enum(Entry::of(member)),
                _ => Err(Mistake::custom("expected an object with one key")),
            },
            _ => Err(Mistake::custom(format_args!(
                "expected an object with one key, found {}",
                self.kind_name()
            ))),
        };
        read.map_err(|mistake| mistake.within(&self.span))
    }

    /// Only an object is a struct: a list would be taken by position, and nobody means that.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        match &self.content {
            Content::List(_) | Content::Deep(_) => {
                Err(Mistake::invalid_type(Unexpected::Seq, &"an object").within(&self.span))
            }
            Content::Scalar(_) | Content::Map(_) => self.deserialize_any(visitor),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map identifier ignored_any
    }
}

fn visit_scalar<'de, V: Visitor<'de>>(scalar: &Value, visitor: V) -> Result<V::Value, Mistake> {
    match scalar {
        Value::String(text) => visitor.visit_str(text),
        Value::Bool(value) => visitor.visit_bool(*value),
        Value::Number(number) => match (number.as_u64(), number.as_i64()) {
            (Some(whole), _) => visitor.visit_u64(whole),
            (None, Some(negative)) => visitor.visit_i64(negative),
            (None, None) => visitor.visit_f64(number.as_f64().unwrap_or_default()),
        },
        _ => visitor.visit_unit(),
    }
}

/// Yields the contents of a list as one sequence of tokens, however deep it is nested. Errors point at the last token.
fn in_tokens<'de, V: Visitor<'de>>(list: &Node, visitor: V) -> Result<V::Value, Mistake> {
    let mut tokens = Tokens::default();
    tokens.take(list);
    let at = Cell::new(0);
    let inner = tokens.tokens.get(1..tokens.tokens.len().saturating_sub(1)).unwrap_or_default();
    let read = visitor.visit_seq(TokenSeq { tokens: inner, at: &at });
    read.map_err(|mistake| {
        let token = at.get().checked_sub(1).and_then(|at| inner.get(at));
        mistake.within(token.map_or(&list.span, |token| &token.span))
    })
}

struct TokenSeq<'t> {
    tokens: &'t [Token],
    /// How many were read; one more at the end.
    at: &'t Cell<usize>,
}

impl<'de> SeqAccess<'de> for TokenSeq<'_> {
    type Error = Mistake;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Mistake> {
        let token = self.tokens.get(self.at.get());
        self.at.set(self.at.get() + 1);
        token.map(|token| seed.deserialize(token)).transpose()
    }
}

impl<'de> Deserializer<'de> for &Token {
    type Error = Mistake;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        match &self.kind {
            TokenKind::Open => visitor.visit_bytes(OPEN),
            TokenKind::Close => visitor.visit_bytes(CLOSE),
            TokenKind::Object => visitor.visit_map(Members { rest: [].iter(), read: None }),
            TokenKind::Scalar(scalar) => visit_scalar(scalar, visitor),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// The items of a list. What is wrong with one is told at its place, also where it was read without complaint.
struct Items<'de>(std::slice::Iter<'de, Node>);

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = Mistake;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Mistake> {
        let Some(item) = self.0.next() else { return Ok(None) };
        seed.deserialize(item).map(Some).map_err(|mistake| mistake.within(&item.span))
    }
}

/// The members of a mapping. What is wrong with one is told under its key.
struct Members<'de> {
    rest: std::slice::Iter<'de, Member>,
    read: Option<&'de Member>,
}

impl<'de> MapAccess<'de> for Members<'de> {
    type Error = Mistake;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Mistake> {
        self.read = self.rest.next();
        self.read.map(|member| seed.deserialize(Key(member))).transpose()
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Mistake> {
        let member = self.read.take().ok_or_else(|| Mistake::custom("a value without a key"))?;
        let value = &member.value;
        seed.deserialize(value).map_err(|mistake| mistake.within(&value.span).under(&member.key))
    }
}

impl Member {
    /// Reads the key, with an argument that need not be its own value, as an assertion.
    pub fn read_with<A: Vocabulary>(&self, argument: &Node) -> Result<A, Mistake> {
        let read = A::deserialize(Entry { key: Key(self), value: argument });
        read.map_err(|mistake| mistake.within(&argument.span).under(&self.key).in_vocabulary(names::<A>()))
    }
}

/// A key, which knows its place.
struct Key<'de>(&'de Member);

impl<'de> Deserializer<'de> for Key<'de> {
    type Error = Mistake;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        visitor.visit_borrowed_str(&self.0.key).map_err(|mistake: Mistake| mistake.within(&self.0.key_span))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map struct identifier ignored_any enum option
    }
}

/// One key and its value, read as one variant of an enum: `status: success` as `Status("success")`.
///
/// Serves any reader of the value, so that an enum can be read entry by entry from any map.
struct Entry<K, D> {
    key: K,
    value: D,
}

impl<'de> Entry<Key<'de>, &'de Node> {
    fn of(member: &'de Member) -> Self {
        Entry { key: Key(member), value: &member.value }
    }
}

/// Reads a key and its value as one variant of `T`, whatever they are read from.
pub fn read_entry<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    key: &str,
    value: D,
) -> Result<T, D::Error> {
    T::deserialize(Entry { key: StrDeserializer::new(key), value })
}

impl<'de, K, D> Deserializer<'de> for Entry<K, D>
where
    K: Deserializer<'de, Error = D::Error>,
    D: Deserializer<'de>,
{
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        visitor.visit_enum(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map struct identifier ignored_any enum option
    }
}

impl<'de, K, D> EnumAccess<'de> for Entry<K, D>
where
    K: Deserializer<'de, Error = D::Error>,
    D: Deserializer<'de>,
{
    type Error = D::Error;
    type Variant = Argument<D>;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Argument<D>), D::Error> {
        Ok((seed.deserialize(self.key)?, Argument(self.value)))
    }
}

/// What stands behind the name of a variant.
struct Argument<D>(D);

impl<'de, D: Deserializer<'de>> VariantAccess<'de> for Argument<D> {
    type Error = D::Error;

    fn unit_variant(self) -> Result<(), D::Error> {
        <()>::deserialize(self.0)
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, D::Error> {
        seed.deserialize(self.0)
    }

    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_tuple(length, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_struct("", fields, visitor)
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use crate::document::Document;

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    #[expect(dead_code, reason = "only the errors matter")]
    enum Word {
        Count(u64),
        Range { min: f64, max: Option<f64> },
    }

    fn error(text: &str) -> String {
        let document = Document::new("q.yaml", text);
        let node = document.read().unwrap();
        document.error(Word::deserialize(&node).unwrap_err()).to_string()
    }

    #[test]
    fn errors_point_at_the_part_that_is_wrong() {
        assert_eq!(error("count: many"), "q.yaml:1:8: expected an integer, found 'many'");
        assert_eq!(error("range: {min: [1]}"), "q.yaml:1:14: min: expected a number, found a list");
        assert_eq!(error("range:\n  min: 1\n  mx: 2"), "q.yaml:3:3: unknown key 'mx'; did you mean 'max'?");
        assert_eq!(error("range: {max: 2}"), "q.yaml:1:8: 'min' is missing");
        assert_eq!(error("cuont: 1"), "q.yaml:1:1: unknown assertion 'cuont'; did you mean 'count'?");
        assert_eq!(error("range: 5"), "q.yaml:1:8: expected an object, found 5");
        assert_eq!(error("[1]"), "q.yaml:1:1: expected an object with one key, found a list");
    }
}
