//! The names by which texts ask for what is carried: `$1`, `$value`, `${name}`.

use crate::document::nearest;
use crate::value::Captor;

/// A part of a written text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    Text(String),
    /// What `$value` stands for.
    Value,
    /// What `$0`, `$1` … or `${name}` stands for.
    Group(usize),
}

/// What a condition carries.
#[derive(Debug, Clone, Copy)]
pub(super) struct Offer<'a> {
    /// Whether a path selects a value.
    pub(super) value: bool,
    pub(super) regex: Option<&'a Captor>,
}

/// A text, taken apart at what is carried. `$$` is a dollar; any other dollar stands for itself.
pub(super) fn parts(text: &str, offer: Offer<'_>) -> Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    let (mut plain, mut rest) = (String::new(), text);
    while let Some(at) = rest.find('$') {
        plain.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let Some((name, behind)) = name(rest) else {
            plain.push('$');
            rest = rest.strip_prefix('$').unwrap_or(rest);
            continue;
        };
        rest = behind;
        if !plain.is_empty() {
            parts.push(Part::Text(std::mem::take(&mut plain)));
        }
        parts.push(carried(name, offer)?);
    }
    plain.push_str(rest);
    if !plain.is_empty() {
        parts.push(Part::Text(plain));
    }
    Ok(parts)
}

/// The name behind a dollar, and what follows it: a digit, `value`, or anything in braces.
fn name(text: &str) -> Option<(&str, &str)> {
    if let Some(braced) = text.strip_prefix('{') {
        return braced.split_once('}');
    }
    if text.starts_with(|first: char| first.is_ascii_digit()) {
        return Some(text.split_at(1));
    }
    let is_word = |next: char| next.is_alphanumeric() || next == '_';
    let behind = text.strip_prefix("value").filter(|behind| !behind.starts_with(is_word))?;
    Some(("value", behind))
}

fn carried(name: &str, offer: Offer<'_>) -> Result<Part, String> {
    let groups = offer.regex.map(Captor::groups);
    let number = name.parse::<usize>().ok().or_else(|| offer.regex?.named(name));
    match (name, number) {
        ("value", None) if offer.value => Ok(Part::Value),
        ("value", None) => Err("$value is undefined: 'when' has no path".to_owned()),
        (_, Some(group)) if groups.is_some_and(|groups| group <= groups) => Ok(Part::Group(group)),
        (_, Some(group)) => Err(match groups {
            Some(groups) => {
                format!(
                    "${group} is undefined: the regex has {groups} group{}; write $$ for a literal dollar",
                    if groups == 1 { "" } else { "s" }
                )
            }
            None => format!("${group} is undefined: 'when' has no regex; write $$ for a literal dollar"),
        }),
        (name, None) => {
            let names: Vec<&str> = offer.regex.into_iter().flat_map(Captor::names).collect();
            let hint = match (nearest(name, names.iter().copied()), names.is_empty()) {
                (Some(nearest), _) => format!("did you mean ${{{nearest}}}?"),
                (None, false) => format!("the groups are {}", names.join(", ")),
                (None, true) => "write $$ for a literal dollar".to_owned(),
            };
            Err(format!("${{{name}}} is undefined; {hint}"))
        }
    }
}
