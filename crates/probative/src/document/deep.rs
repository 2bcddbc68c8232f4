//! Lists that are nested deeper than data may be: kept as tokens, so that nothing recurses over them.

use std::fmt::Write as _;
use std::ops::Range;

use serde_json::Value;

use super::{Content, Mistake, Node};

/// How deep lists and objects may nest in data.
pub(super) const DEEPEST_DATA: usize = 64;

/// How deep lists may nest at all: as deep as an expression, in a document that is as deep as data may be.
pub(super) const DEEPEST_LIST: usize = DEEPEST_DATA + 1_000;

/// The name with which an expression asks for its lists as tokens.
pub(crate) const TOKENS: &str = "$probative::tokens";

/// The bytes that stand for the beginning and the end of a list among tokens.
pub(crate) const OPEN: &[u8] = b"[";
pub(crate) const CLOSE: &[u8] = b"]";

/// A part of a list that is nested too deep for data.
#[derive(Debug, Clone, PartialEq)]
pub struct Token {
    /// Where it is; for the end of a list, the whole list.
    pub(super) span: Range<usize>,
    pub(super) kind: TokenKind,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum TokenKind {
    Open,
    Scalar(Value),
    /// An object, which no expression holds.
    Object,
    Close,
}

/// The mistake that something is nested too deep.
pub(super) fn too_deep(span: Range<usize>) -> Mistake {
    Mistake::at(format!("nested more than {DEEPEST_DATA} levels deep"), span)
}

/// The same of what not even an expression may be.
pub(super) fn too_deep_for_any_list(span: Range<usize>) -> Mistake {
    Mistake::at(format!("nested more than {DEEPEST_LIST} levels deep"), span)
}

/// Collects the tokens of one list.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    pub(super) tokens: Vec<Token>,
    /// Where the lists begin that are open.
    open: Vec<usize>,
}

impl Tokens {
    /// Begins a list, unless it is nested too deep for anything.
    pub(super) fn open(&mut self, span: Range<usize>) -> Result<(), Mistake> {
        if DEEPEST_DATA + self.open.len() == DEEPEST_LIST {
            return Err(too_deep_for_any_list(span));
        }
        self.open.push(span.start);
        self.tokens.push(Token { span, kind: TokenKind::Open });
        Ok(())
    }

    pub(super) fn scalar(&mut self, scalar: Value, span: Range<usize>) {
        self.tokens.push(Token { span, kind: TokenKind::Scalar(scalar) });
    }

    /// Ends the innermost list, and tells whether it was the last.
    pub(super) fn close(&mut self, end: usize) -> bool {
        let start = self.open.pop().unwrap_or(end);
        self.tokens.push(Token { span: start..end, kind: TokenKind::Close });
        self.open.is_empty()
    }

    /// Takes a whole node.
    pub(super) fn take(&mut self, node: &Node) {
        match &node.content {
            Content::Scalar(scalar) => self.scalar(scalar.clone(), node.span.clone()),
            Content::Map(_) => {
                self.tokens.push(Token { span: node.span.clone(), kind: TokenKind::Object });
            }
            Content::Deep(tokens) => self.tokens.extend(tokens.iter().cloned()),
            Content::List(items) => {
                self.tokens.push(Token { span: node.span.clone(), kind: TokenKind::Open });
                for item in items {
                    self.take(item);
                }
                self.tokens.push(Token { span: node.span.clone(), kind: TokenKind::Close });
            }
        }
    }

    /// The list as a node.
    pub(super) fn into_node(self) -> Node {
        let span = self.tokens.last().map_or(0..0, |last| last.span.clone());
        Node { span, content: Content::Deep(self.tokens) }
    }
}

/// Tokens as compact JSON.
pub(super) fn text(tokens: &[Token]) -> String {
    let mut text = String::new();
    for Token { kind, .. } in tokens {
        if *kind != TokenKind::Close && !text.is_empty() && !text.ends_with('[') {
            text.push(',');
        }
        // Writing to a text does not fail.
        let _ = match kind {
            TokenKind::Open => text.write_char('['),
            TokenKind::Close => text.write_char(']'),
            TokenKind::Object => text.write_str("{}"),
            TokenKind::Scalar(scalar) => write!(text, "{scalar}"),
        };
    }
    text
}
