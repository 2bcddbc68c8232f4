//! TOML with places.

use std::borrow::Cow;

use serde_json::{Number, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Content, Member, Mistake, Node};

pub(super) fn read(text: &str) -> Result<Node, Mistake> {
    let table = DeTable::parse(text).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        Mistake::at(error.message().to_owned(), span)
    })?;
    let span = table.span();
    Ok(Node { span, content: map(table.into_inner())? })
}

fn map(table: DeTable<'_>) -> Result<Content, Mistake> {
    let members = table.into_iter().map(|(key, value): (Spanned<Cow<'_, str>>, Spanned<DeValue<'_>>)| {
        Ok(Member { key_span: key.span(), key: key.into_inner().into_owned(), value: node(value)? })
    });
    let mut members: Vec<Member> = members.collect::<Result<_, Mistake>>()?;
    members.sort_by_key(|member| member.key_span.start);
    Ok(Content::Map(members))
}

/// How deep this goes is bounded by the parser.
fn node(value: Spanned<DeValue<'_>>) -> Result<Node, Mistake> {
    let span = value.span();
    let beyond = |what: &str| Mistake::at(format!("{what} is out of range"), span.clone());
    let content = match value.into_inner() {
        DeValue::String(text) => Content::Scalar(Value::from(text.into_owned())),
        DeValue::Boolean(is) => Content::Scalar(Value::Bool(is)),
        DeValue::Integer(digits) => {
            let whole = i64::from_str_radix(digits.as_str(), digits.radix());
            Content::Scalar(Value::from(whole.map_err(|_| beyond("this number"))?))
        }
        DeValue::Float(digits) => {
            let number = digits.as_str().parse().ok().and_then(Number::from_f64);
            Content::Scalar(Value::Number(number.ok_or_else(|| beyond("this number"))?))
        }
        DeValue::Datetime(date) => Content::Scalar(Value::from(date.to_string())),
        DeValue::Array(items) => Content::List(items.into_iter().map(node).collect::<Result<_, _>>()?),
        DeValue::Table(table) => map(table)?,
    };
    Ok(Node { span, content })
}
