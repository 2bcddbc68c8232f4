//! YAML 1.2 with places: one document, core schema, text keys, no tags, bounded aliases.

use std::borrow::Cow;
use std::ops::Range;

use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, ScanError};
use serde_json::{Number, Value};

use super::deep::{DEEPEST_DATA, DEEPEST_LIST, Tokens, too_deep, too_deep_for_any_list};
use super::{Content, Member, Mistake, Node, repeated_key};
use crate::value::visible;

/// How many nodes all aliases of a document may stand for together.
const ALIASED_NODES: usize = 100_000;

/// Reads a document.
pub(super) fn read(text: &str) -> Result<Node, Mistake> {
    let options = granit_parser::options! {
        disallow_directives: true,
        flow_nesting_limit: DEEPEST_LIST,
        block_nesting_limit: DEEPEST_LIST,
    };
    let parser = Parser::new_from_str_with_options(text, options);
    let mut loader = Loader { events: parser, end: text.len(), anchors: Vec::new(), aliased: 0, depth: 0 };
    loader.document()
}

struct Loader<I> {
    events: I,
    end: usize,
    /// Anchored nodes by the parser's ids, with how many nodes each holds.
    anchors: Vec<(usize, Node, usize)>,
    aliased: usize,
    /// How many lists and objects are around what is being read.
    depth: usize,
}

impl<'t, I: Iterator<Item = Result<(Event<'t>, granit_parser::Span), ScanError>>> Loader<I> {
    fn next(&mut self) -> Result<(Event<'t>, Range<usize>), Mistake> {
        let end = self.end;
        match self.events.next() {
            Some(Ok((event, span))) => Ok((event, span.byte_range().unwrap_or(end..end))),
            Some(Err(error)) => {
                let at = error.marker().byte_offset().unwrap_or(end);
                Err(match error.kind() {
                    ErrorKind::RecursionLimitExceeded => too_deep_for_any_list(at..at),
                    ErrorKind::UnknownQuotedScalarEscape => {
                        let why = "unknown escape in double quotes; put a regex in single quotes";
                        Mistake::at(why, at..at)
                    }
                    _ => Mistake::at(error.info().clone(), at..at),
                })
            }
            None => Err(Mistake::at("unexpected end of the file", end..end)),
        }
    }

    fn document(&mut self) -> Result<Node, Mistake> {
        let mut document = None;
        loop {
            match self.next()? {
                (Event::StreamEnd, _) => break,
                (Event::StreamStart | Event::DocumentEnd, _) => {}
                (Event::DocumentStart(..), span) if document.is_some() => {
                    return Err(Mistake::at("expected one YAML document, found another", span));
                }
                (Event::DocumentStart(..), _) => {
                    let first = self.next()?;
                    document = Some(self.node(first)?.0);
                }
                (_, span) => return Err(Mistake::at("unexpected content", span)),
            }
        }
        Ok(document.unwrap_or(Node { span: self.end..self.end, content: Content::Scalar(Value::Null) }))
    }

    /// The node that an event starts, and how many nodes it holds. The parser bounds how deep this goes.
    fn node(&mut self, (event, span): (Event<'t>, Range<usize>)) -> Result<(Node, usize), Mistake> {
        let (anchor, node, size) = match event {
            Event::Scalar(.., Some(_))
            | Event::SequenceStart(.., Some(_))
            | Event::MappingStart(.., Some(_)) => {
                return Err(Mistake::at("YAML tags aren't supported", span));
            }
            Event::Scalar(text, style, anchor, None) => {
                let scalar = scalar(text, style).map_err(|message| Mistake::at(message, span.clone()))?;
                (anchor, Node { span, content: Content::Scalar(scalar) }, 1)
            }
            Event::SequenceStart(_, anchor, None) => {
                let is_deep = self.depth == DEEPEST_DATA;
                let (node, size) = if is_deep { self.deep(span) } else { self.list(span) }?;
                (anchor, node, size)
            }
            Event::MappingStart(..) if self.depth == DEEPEST_DATA => return Err(too_deep(span)),
            Event::MappingStart(_, anchor, None) => {
                let (node, size) = self.map(span)?;
                (anchor, node, size)
            }
            Event::Alias(id) => return self.alias(id, span),
            _ => return Err(Mistake::at("unexpected content", span)),
        };
        if anchor != 0 {
            self.anchors.push((anchor, node.clone(), size));
        }
        Ok((node, size))
    }

    /// A list that is nested too deep for data, as tokens: lists, scalars and aliases, but nothing that has an anchor.
    fn deep(&mut self, start: Range<usize>) -> Result<(Node, usize), Mistake> {
        let mut tokens = Tokens::default();
        tokens.open(start)?;
        loop {
            match self.next()? {
                (Event::SequenceStart(_, 0, None), span) => tokens.open(span)?,
                (Event::SequenceEnd, end) if tokens.close(end.end) => break,
                (Event::SequenceEnd, _) => {}
                (Event::Scalar(text, style, 0, None), span) => {
                    let scalar = scalar(text, style).map_err(|message| Mistake::at(message, span.clone()))?;
                    tokens.scalar(scalar, span);
                }
                (Event::Alias(id), span) => tokens.take(&self.alias(id, span)?.0),
                (_, span) => return Err(too_deep(span)),
            }
        }
        let size = tokens.tokens.len();
        Ok((tokens.into_node(), size))
    }

    fn list(&mut self, start: Range<usize>) -> Result<(Node, usize), Mistake> {
        self.depth += 1;
        let (mut items, mut size) = (Vec::new(), 1);
        loop {
            match self.next()? {
                (Event::SequenceEnd, end) => {
                    self.depth -= 1;
                    return Ok((Node { span: start.start..end.end, content: Content::List(items) }, size));
                }
                event => {
                    let (item, holds) = self.node(event)?;
                    items.push(item);
                    size += holds;
                }
            }
        }
    }

    fn map(&mut self, start: Range<usize>) -> Result<(Node, usize), Mistake> {
        self.depth += 1;
        let (mut members, mut size) = (Vec::new(), 1);
        loop {
            match self.next()? {
                (Event::MappingEnd, end) => {
                    self.depth -= 1;
                    repeated_key(&members).map_or(Ok(()), Err)?;
                    return Ok((Node { span: start.start..end.end, content: Content::Map(members) }, size));
                }
                (Event::Scalar(key, _, 0, None), key_span) => {
                    let value = self.next()?;
                    let (value, holds) = self.node(value)?;
                    members.push(Member { key: key.into_owned(), key_span, value });
                    size += holds + 1;
                }
                (_, span) => return Err(Mistake::at("a key must be a string", span)),
            }
        }
    }

    fn alias(&mut self, id: usize, span: Range<usize>) -> Result<(Node, usize), Mistake> {
        let Some((_, node, size)) = self.anchors.iter().find(|(anchor, ..)| *anchor == id) else {
            return Err(Mistake::at("an alias can't refer to the value that contains it", span));
        };
        self.aliased += size;
        if self.aliased > ALIASED_NODES {
            return Err(Mistake::at(format!("aliases expand to more than {ALIASED_NODES} values"), span));
        }
        Ok((node.clone(), *size))
    }
}

/// A scalar by the core schema of YAML 1.2; only plain scalars are anything but text.
fn scalar(text: Cow<'_, str>, style: ScalarStyle) -> Result<Value, String> {
    let may_be_number = text.starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first));
    Ok(match &*text {
        _ if style != ScalarStyle::Plain => Value::from(text),
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ if !may_be_number => Value::from(text),
        _ => match number(&text) {
            Some(number) => Value::Number(number),
            None if is_beyond_json(&text) => {
                return Err(format!("'{}' isn't a number that JSON can represent", visible(&text)));
            }
            None => Value::from(text),
        },
    })
}

fn number(text: &str) -> Option<Number> {
    for (prefix, radix) in [("0x", 16), ("0o", 8)] {
        if let Some(digits) = text.strip_prefix(prefix) {
            let well_written = digits.chars().all(|digit| digit.is_digit(radix));
            return well_written.then(|| u64::from_str_radix(digits, radix).ok()).flatten().map(Number::from);
        }
    }
    if !has_the_form_of_a_number(text) {
        return None;
    }
    let unsigned = text.strip_prefix('+').unwrap_or(text);
    let whole =
        unsigned.parse::<i64>().map(Number::from).or_else(|_| unsigned.parse::<u64>().map(Number::from));
    // There is no integer -0: whoever reads it as JSON gets a double, and its text must not depend on the notation.
    let whole = whole.ok().filter(|whole| !(text.starts_with('-') && whole.as_i64() == Some(0)));
    whole.or_else(|| Number::from_f64(unsigned.parse().ok()?))
}

/// `[-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?`
fn has_the_form_of_a_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.strip_prefix(['-', '+']).unwrap_or(exponent)),
        None => (unsigned, "0"),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    digits(whole)
        && digits(fraction)
        && digits(exponent)
        && !exponent.is_empty()
        && !(whole.is_empty() && fraction.is_empty())
}

/// Infinities, NaN, and decimal numbers too large for a double.
fn is_beyond_json(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    matches!(unsigned, ".inf" | ".Inf" | ".INF" | ".nan" | ".NaN" | ".NAN") || has_the_form_of_a_number(text)
}
