//! A pattern as a machine that reads characters, with the characters that it treats alike as one letter.

use std::collections::{BTreeMap, BTreeSet};

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look, Repetition};

/// Nodes a machine may have; `\A(?:a|b){0,1000}\z` fits.
const MAX_NODES: usize = 8 << 10;

/// Different sets of characters, single characters included, that a pattern may ask for.
const MAX_SETS: usize = 64;

/// A machine would be too large, or asks what no translation asks.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unanswered;

pub(super) struct Machine {
    pub(super) nodes: Vec<Node>,
    pub(super) start: usize,
    /// One letter for each kind of character that the pattern tells apart. Together they are all characters.
    pub(super) letters: Vec<Letter>,
}

pub(super) enum Node {
    /// Goes on after a character of the set.
    Take {
        set: usize,
        next: usize,
    },
    /// Goes on at once where the assertion holds.
    At {
        look: Look,
        next: usize,
    },
    /// Goes on at once in every one of these.
    Fork(Vec<usize>),
    Match,
}

pub(super) struct Letter {
    pub(super) sample: char,
    pub(super) side: Side,
    in_sets: Vec<bool>,
}

/// What anchors can see on one side of a place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    /// The text starts or ends here.
    Edge,
    Newline,
    Word,
    Other,
}

impl Machine {
    /// The machine for a pattern of the linear engine.
    pub(super) fn new(pattern: &Hir) -> Result<Machine, Unanswered> {
        let mut builder = Builder { nodes: vec![Node::Match], sets: Vec::new(), visits: 0 };
        let newline = builder.set(character('\n'))?;
        let asks_for_words = pattern.properties().look_set().contains_word();
        let word = asks_for_words.then(|| builder.set(word_characters()?)).transpose()?;
        let start = builder.node(pattern, 0)?;
        let mut letters = letters(&builder.sets);
        for letter in &mut letters {
            if letter.is_in(newline) {
                letter.side = Side::Newline;
            } else if word.is_some_and(|word| letter.is_in(word)) {
                letter.side = Side::Word;
            }
        }
        Ok(Machine { nodes: builder.nodes, start, letters })
    }
}

impl Letter {
    pub(super) fn is_in(&self, set: usize) -> bool {
        self.in_sets[set]
    }
}

impl Side {
    pub(super) const ALL: [Side; 4] = [Side::Edge, Side::Newline, Side::Word, Side::Other];
}

/// Whether an assertion holds between `before` and `after`.
pub(super) fn holds(look: Look, before: Side, after: Side) -> bool {
    let word_edge = (before == Side::Word) != (after == Side::Word);
    match look {
        Look::Start => before == Side::Edge,
        Look::End => after == Side::Edge,
        Look::StartLF => matches!(before, Side::Edge | Side::Newline),
        Look::EndLF => matches!(after, Side::Edge | Side::Newline),
        Look::WordUnicode => word_edge,
        Look::WordUnicodeNegate => !word_edge,
        _ => false,
    }
}

/// Builds from the end: every node knows the one that comes after it.
struct Builder {
    nodes: Vec<Node>,
    sets: Vec<ClassUnicode>,
    visits: usize,
}

impl Builder {
    /// The node that a pattern begins with when `next` comes after it.
    fn node(&mut self, pattern: &Hir, next: usize) -> Result<usize, Unanswered> {
        self.visits += 1;
        if self.visits.max(self.nodes.len()) > MAX_NODES {
            return Err(Unanswered);
        }
        match pattern.kind() {
            HirKind::Empty => Ok(next),
            HirKind::Literal(literal) => {
                let text = str::from_utf8(&literal.0).map_err(|_| Unanswered)?;
                text.chars().rev().try_fold(next, |next, c| self.take(character(c), next))
            }
            HirKind::Class(Class::Unicode(set)) => self.take(set.clone(), next),
            HirKind::Class(Class::Bytes(set)) => self.take(set.to_unicode_class().ok_or(Unanswered)?, next),
            HirKind::Look(look) => self.at(*look, next),
            HirKind::Repetition(repetition) => self.repetition(repetition, next),
            HirKind::Capture(capture) => self.node(&capture.sub, next),
            HirKind::Concat(parts) => parts.iter().rev().try_fold(next, |next, part| self.node(part, next)),
            HirKind::Alternation(branches) => {
                let branches = branches.iter().map(|branch| self.node(branch, next));
                let fork = branches.collect::<Result<_, _>>()?;
                Ok(self.push(Node::Fork(fork)))
            }
        }
    }

    /// What must be repeated, then what may be: `a{2,4}` is `aa(a(a)?)?`, and `a{2,}` is `aaa*`.
    fn repetition(&mut self, repetition: &Repetition, next: usize) -> Result<usize, Unanswered> {
        let item = &*repetition.sub;
        let mut first = next;
        if let Some(max) = repetition.max {
            for _ in repetition.min..max {
                let round = self.node(item, first)?;
                first = self.push(Node::Fork(vec![round, next]));
            }
        } else {
            first = self.push(Node::Fork(Vec::new()));
            let round = self.node(item, first)?;
            self.nodes[first] = Node::Fork(vec![round, next]);
        }
        (0..repetition.min).try_fold(first, |next, _| self.node(item, next))
    }

    fn at(&mut self, look: Look, next: usize) -> Result<usize, Unanswered> {
        match look {
            Look::Start
            | Look::End
            | Look::StartLF
            | Look::EndLF
            | Look::WordUnicode
            | Look::WordUnicodeNegate => Ok(self.push(Node::At { look, next })),
            _ => Err(Unanswered),
        }
    }

    fn take(&mut self, set: ClassUnicode, next: usize) -> Result<usize, Unanswered> {
        let set = self.set(set)?;
        Ok(self.push(Node::Take { set, next }))
    }

    fn push(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// The number of a set of characters; the same set has one number.
    fn set(&mut self, set: ClassUnicode) -> Result<usize, Unanswered> {
        // Finding out whether a set is known takes longer the more ranges it has.
        self.visits += set.ranges().len() / 32;
        if let Some(known) = self.sets.iter().position(|known| *known == set) {
            return Ok(known);
        }
        if self.sets.len() == MAX_SETS {
            return Err(Unanswered);
        }
        self.sets.push(set);
        Ok(self.sets.len() - 1)
    }
}

fn character(c: char) -> ClassUnicode {
    ClassUnicode::new([ClassUnicodeRange::new(c, c)])
}

/// What `\b` takes for a word, which is more than Python's `\w`.
fn word_characters() -> Result<ClassUnicode, Unanswered> {
    match regex_syntax::parse(r"\w").map(Hir::into_kind) {
        Ok(HirKind::Class(Class::Unicode(words))) => Ok(words),
        _ => Err(Unanswered),
    }
}

/// One letter for all characters that are in the same sets.
///
/// Membership changes only where a range begins or has just ended, so one character from each of these places is enough.
fn letters(sets: &[ClassUnicode]) -> Vec<Letter> {
    let mut changes = BTreeSet::from(['\0']);
    for range in sets.iter().flat_map(ClassUnicode::iter) {
        changes.insert(range.start());
        changes.extend((range.end()..=char::MAX).nth(1));
    }
    let mut samples = BTreeMap::new();
    for sample in changes {
        let in_sets: Vec<bool> = sets.iter().map(|set| contains(set, sample)).collect();
        samples.entry(in_sets).or_insert(sample);
    }
    samples.into_iter().map(|(in_sets, sample)| Letter { sample, side: Side::Other, in_sets }).collect()
}

fn contains(set: &ClassUnicode, c: char) -> bool {
    let after = set.ranges().partition_point(|range| range.end() < c);
    set.ranges().get(after).is_some_and(|range| range.start() <= c)
}
