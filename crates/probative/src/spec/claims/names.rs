//! The names by which texts ask for what is carried: `$1`, `$value`, `${name}`.

use crate::document::nearest;
use crate::value::Captor;
use crate::value::excerpt::cut;

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

/// Takes a string apart at what it captures. `$$` is a dollar, and so is one with no name or number behind it.
///
/// A bare name such as `$id` is an error: a group is written `${id}`, and left as it is, the string would never match.
pub(super) fn parts(text: &str, offer: Offer<'_>) -> Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    let (mut plain, mut rest) = (String::new(), text);
    while let Some(at) = rest.find('$') {
        plain.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(word) = bare_word(rest) {
            return Err(undefined_word(word, offer));
        }
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
    let behind = text.strip_prefix("value").filter(|behind| !behind.starts_with(is_word))?;
    Some(("value", behind))
}

fn is_word(next: char) -> bool {
    next.is_alphanumeric() || next == '_'
}

/// Returns the name behind a dollar that isn't in braces, unless it is `value`.
fn bare_word(text: &str) -> Option<&str> {
    let end = text.find(|next| !is_word(next)).unwrap_or(text.len());
    let word = &text[..end];
    (word.starts_with(|first: char| first.is_alphabetic() || first == '_') && word != "value").then_some(word)
}

fn undefined_word(word: &str, offer: Offer<'_>) -> String {
    let shown = cut(word);
    if offer.regex.is_some_and(|regex| regex.named(word).is_some()) {
        return format!("${shown} is undefined; write ${{{shown}}} for the group, $$ for a literal dollar");
    }
    let names = offer.regex.into_iter().flat_map(Captor::names);
    match nearest(word, offer.value.then_some("value").into_iter().chain(names)) {
        Some("value") => format!("${shown} is undefined; did you mean $value? Write $$ for a literal dollar"),
        Some(near) => {
            format!("${shown} is undefined; did you mean ${{{near}}}? Write $$ for a literal dollar")
        }
        None => format!("${shown} is undefined; write $$ for a literal dollar"),
    }
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
