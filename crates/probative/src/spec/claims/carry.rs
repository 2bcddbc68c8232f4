//! Values carried from a condition into what follows from it.

use std::ops::Range;

use crate::document::{Content, Node};
use crate::value::{Captor, Value};

/// The groups of a regex beyond which nobody counts.
const MOST_GROUPS: usize = 100;

/// What one moment at which a condition holds carries with it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Carried {
    /// The value that a path selected.
    pub(super) value: Option<Value>,
    /// What a regex caught: the whole match, then its groups.
    pub(super) caught: Vec<String>,
}

/// A part of a written text.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    /// What `$value` stands for.
    Value,
    /// What `$0`, `$1` … or `${name}` stands for.
    Group(usize),
}

/// A text in which something carried is put.
#[derive(Debug, Clone)]
struct Slot {
    /// The way to it through the tree: which item or member each time.
    way: Vec<usize>,
    parts: Vec<Part>,
    /// Whether it is read as a pattern, in which what is carried stands for itself.
    is_pattern: bool,
}

/// What is asked once for each value that is carried.
#[derive(Debug, Clone)]
pub(super) struct Template {
    node: Node,
    slots: Vec<Slot>,
}

/// What a condition carries.
#[derive(Debug, Clone, Copy)]
pub(super) struct Offer<'a> {
    /// Whether a path selects a value.
    pub(super) value: bool,
    pub(super) regex: Option<&'a Captor>,
}

/// Something that cannot be carried, and where it is written.
pub(super) struct Unknown {
    pub(super) message: String,
    pub(super) span: Range<usize>,
}

impl Template {
    /// Looks for what is carried in every text.
    pub(super) fn of(node: &Node, offer: Offer<'_>) -> Result<Template, Unknown> {
        let mut slots = Vec::new();
        find(node, &mut Vec::new(), offer, &mut slots)?;
        Ok(Template { node: node.clone(), slots })
    }

    /// Whether nothing is carried into it.
    pub(super) fn is_plain(&self) -> bool {
        self.slots.is_empty()
    }

    /// The tree with everything in its place.
    pub(super) fn filled(&self, carried: &Carried) -> Node {
        self.with(|slot| carried.put(slot))
    }

    /// Finds out which texts are patterns, by what can be compiled: `compiles` must take texts with something harmless in
    /// every slot. Answers with the place of a slot into which nothing can be carried: a path, say.
    pub(super) fn learn(&mut self, compiles: impl Fn(&Node) -> bool) -> Result<(), Range<usize>> {
        /// No pattern and no path.
        const HOSTILE: &str = "(";
        let rest =
            [Carried::harmless(), Carried::number()].into_iter().find(|rest| compiles(&self.filled(rest)));
        // What does not compile at all is told by whoever compiles it.
        let Some(rest) = rest else { return Ok(()) };
        let hostile =
            Carried { value: Some(HOSTILE.into()), caught: vec![HOSTILE.to_owned(); MOST_GROUPS + 1] };
        for at in 0..self.slots.len() {
            let is_number = rest.value.as_ref().is_some_and(Value::is_number);
            if is_number && self.slots[at].parts == [Part::Value] {
                continue;
            }
            let tried = |slots: &Template| {
                let way = &slots.slots[at].way;
                slots.with(|slot| if slot.way == *way { hostile.put(slot) } else { rest.put(slot) })
            };
            if compiles(&tried(self)) {
                continue;
            }
            self.slots[at].is_pattern = true;
            if !compiles(&tried(self)) {
                return Err(part(&self.node, &self.slots[at].way).span.clone());
            }
        }
        Ok(())
    }

    fn with(&self, put: impl Fn(&Slot) -> Value) -> Node {
        let mut node = self.node.clone();
        for slot in &self.slots {
            part_mut(&mut node, &slot.way).content = Content::Scalar(put(slot));
        }
        node
    }
}

impl Carried {
    /// What any text may hold.
    pub(super) fn harmless() -> Carried {
        Carried { value: Some("x".into()), caught: vec!["x".to_owned(); MOST_GROUPS + 1] }
    }

    /// The same with a number where a value stands alone.
    pub(super) fn number() -> Carried {
        Carried { value: Some(1.into()), ..Carried::harmless() }
    }

    /// What a slot becomes: the value itself where nothing else stands there, else a text.
    fn put(&self, slot: &Slot) -> Value {
        if let ([Part::Value], false, Some(value)) = (slot.parts.as_slice(), slot.is_pattern, &self.value) {
            return value.clone();
        }
        let caught = |group: usize| self.caught.get(group).cloned().unwrap_or_default();
        let carried = |text: String| if slot.is_pattern { regex_syntax::escape(&text) } else { text };
        let text = slot.parts.iter().map(|part| match part {
            Part::Text(text) => text.clone(),
            Part::Group(group) => carried(caught(*group)),
            Part::Value => carried(match &self.value {
                Some(Value::String(text)) => text.clone(),
                Some(value) => value.to_string(),
                None => String::new(),
            }),
        });
        Value::from(text.collect::<String>())
    }
}

fn find(node: &Node, way: &mut Vec<usize>, offer: Offer<'_>, slots: &mut Vec<Slot>) -> Result<(), Unknown> {
    let inner: Vec<&Node> = match &node.content {
        Content::Scalar(Value::String(text)) => {
            let parts = parts(text, offer).map_err(|message| Unknown { message, span: node.span.clone() })?;
            if !matches!(parts.as_slice(), [] | [Part::Text(_)]) || text.contains("$$") {
                slots.push(Slot { way: way.clone(), parts, is_pattern: false });
            }
            return Ok(());
        }
        Content::Scalar(_) => return Ok(()),
        Content::List(items) => items.iter().collect(),
        Content::Map(members) => members.iter().map(|member| &member.value).collect(),
    };
    for (index, inner) in inner.into_iter().enumerate() {
        way.push(index);
        find(inner, way, offer, slots)?;
        way.pop();
    }
    Ok(())
}

fn part<'n>(node: &'n Node, way: &[usize]) -> &'n Node {
    way.iter().fold(node, |node, at| match &node.content {
        Content::List(items) => &items[*at],
        Content::Map(members) => &members[*at].value,
        Content::Scalar(_) => node,
    })
}

fn part_mut<'n>(node: &'n mut Node, way: &[usize]) -> &'n mut Node {
    let Some((at, rest)) = way.split_first() else { return node };
    let inner = match &mut node.content {
        Content::List(items) => &mut items[*at],
        Content::Map(members) => &mut members[*at].value,
        Content::Scalar(_) => unreachable!("a way leads through lists and maps"),
    };
    part_mut(inner, rest)
}

/// A text, taken apart at what is carried. `$$` is a dollar; any other dollar stands for itself.
fn parts(text: &str, offer: Offer<'_>) -> Result<Vec<Part>, String> {
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
        ("value", None) => Err("nothing carries $value: 'when' has no path".to_owned()),
        (_, Some(group)) if groups.is_some_and(|groups| group <= groups) => Ok(Part::Group(group)),
        (_, Some(group)) => Err(match groups {
            Some(groups) => {
                format!("nothing carries ${group}: the regex has {groups} group(s); a dollar is written $$")
            }
            None => format!("nothing carries ${group}: 'when' has no regex; a dollar is written $$"),
        }),
        (name, None) => Err(format!("nothing carries ${{{name}}}; a dollar is written $$")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Document, Notation};

    fn node(yaml: &str) -> Node {
        let document = Document::new("a.yaml", yaml);
        assert_eq!(document.notation(), Notation::Yaml);
        document.read().unwrap()
    }

    fn carried() -> Carried {
        Carried { value: Some(5.into()), caught: vec!["RF-1".to_owned(), "1".to_owned()] }
    }

    fn filled(yaml: &str) -> Result<Value, String> {
        let regex = Captor::parse(r"RF-(?P<id>\d+)").unwrap();
        let offer = Offer { value: true, regex: Some(&regex) };
        let template = Template::of(&node(yaml), offer).map_err(|unknown| unknown.message)?;
        Ok(template.filled(&carried()).to_value())
    }

    #[test]
    fn what_is_carried_is_put_in_its_place() {
        for (written, put) in [
            ("$value", serde_json::json!(5)),
            ("id $1 of $0", "id 1 of RF-1".into()),
            ("${id}0", "10".into()),
            ("$$1 $ $x $", "$1 $ $x $".into()),
            ("$values ${value}", "$values 5".into()),
        ] {
            assert_eq!(filled(&format!("{{a: ['{written}']}}")).unwrap(), serde_json::json!({"a": [put]}));
        }
    }

    #[test]
    fn what_nothing_carries_is_refused() {
        assert_eq!(
            filled("a: $2").unwrap_err(),
            "nothing carries $2: the regex has 1 group(s); a dollar is written $$"
        );
        assert_eq!(filled("a: ${x}").unwrap_err(), "nothing carries ${x}; a dollar is written $$");
    }

    #[test]
    fn in_a_pattern_it_stands_for_itself() {
        let regex = Captor::parse("(.*)").unwrap();
        let offer = Offer { value: false, regex: Some(&regex) };
        let mut template = Template::of(&node("{pattern: '^$1', text: $1}"), offer).ok().unwrap();
        let compiles = |node: &Node| {
            Captor::parse(node.get("pattern").and_then(Node::as_str).unwrap_or_default()).is_ok()
        };
        template.learn(compiles).unwrap();
        let carried = Carried { value: None, caught: vec![".*".to_owned(); 2] };
        assert_eq!(
            template.filled(&carried).to_value(),
            serde_json::json!({"pattern": r"^\.\*", "text": ".*"})
        );
    }

    #[test]
    fn where_nothing_can_be_carried_is_told() {
        let regex = Captor::parse("(.*)").unwrap();
        let offer = Offer { value: false, regex: Some(&regex) };
        let mut template = Template::of(&node("{path: '$1'}"), offer).ok().unwrap();
        let place = template.learn(|node| node.get("path").and_then(Node::as_str) == Some("x"));
        assert_eq!(place, Err(7..11));
    }
}
