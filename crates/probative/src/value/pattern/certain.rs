//! The part of a backtracking pattern that the linear engine could answer.

use super::parse::{Parsed, parse};
use super::syntax::{Anchor, Branches, Look, Node, Piece, Style, Times};
use super::translate::translate;

/// A pattern for the linear engine that matches only where the written one does; `None` if nothing is left of it.
///
/// Leaving out a branch never adds a match: outside atomic groups and look-around, which are left out whole, every way to
/// match is tried.
pub(super) fn source(written: &str) -> Option<String> {
    let parsed = parse(written).ok()?;
    if succeeds(&parsed.body) {
        return Some(String::new());
    }
    let parsed = Parsed { body: branches(parsed.body)?, ..parsed };
    translate(&parsed)
        .ok()
        .filter(|translation| !translation.backtracks)
        .map(|translation| translation.source)
}

/// The branches that can be kept, if any.
fn branches(all: Branches) -> Option<Branches> {
    let kept: Branches = all.into_iter().filter_map(sequence).collect();
    (!kept.is_empty()).then_some(kept)
}

/// A sequence without what asks for nothing; `None` if a part that must match cannot be kept.
fn sequence(pieces: Vec<Piece>) -> Option<Vec<Piece>> {
    let mut kept = Vec::new();
    for Piece { node, width } in pieces {
        let node = match node {
            Node::Look(Look::Ahead, body) if succeeds(&body) => continue,
            Node::Repeat(_, Times { style: Style::Possessive, .. })
            | Node::Atomic(_)
            | Node::Look(..)
            | Node::Reference(_)
            | Node::Conditional { .. } => return None,
            Node::Repeat(item, times) => match sequence(vec![*item]) {
                Some(mut item) => match item.pop() {
                    Some(item) => Node::Repeat(Box::new(item), times),
                    None => continue,
                },
                None if times.min == 0 => continue,
                None => return None,
            },
            Node::Group { ignore_case, body, .. } => {
                Node::Group { capture: None, ignore_case, body: branches(body)? }
            }
            Node::At(Anchor::BeforeFinalNewline) => Node::At(Anchor::TextEnd),
            Node::Literal(_) | Node::Any { .. } | Node::Set(_) | Node::At(_) => node,
        };
        kept.push(Piece { node, width });
    }
    Some(kept)
}

/// Whether one of the branches matches from every place of every text, however far it then goes.
fn succeeds(branches: &Branches) -> bool {
    branches.iter().any(|pieces| pieces.iter().all(piece_succeeds))
}

fn piece_succeeds(piece: &Piece) -> bool {
    match &piece.node {
        Node::Repeat(item, times) => times.min == 0 || piece_succeeds(item),
        Node::Group { body, .. } | Node::Atomic(body) | Node::Look(Look::Ahead, body) => succeeds(body),
        Node::Literal(_)
        | Node::Any { .. }
        | Node::Set(_)
        | Node::At(_)
        | Node::Look(..)
        | Node::Reference(_)
        | Node::Conditional { .. } => false,
    }
}
