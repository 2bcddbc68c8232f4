//! The work that the backtracking engine does without counting it.
//!
//! The engine counts steps back, and no others. Between two of them a look-ahead, or any piece that it hands to the linear
//! engine, may read the rest of the text; in a repetition that happens once per round. Loops inside an atomic group or a
//! look-around leave nothing to step back to, so all of their rounds go uncounted.

use super::syntax::{Branches, Node, Piece, Style};

/// The most bytes that one counted step may read: `times` the length of the text to the power of `degree`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scans {
    pub(super) degree: u32,
    pub(super) times: u64,
    /// True if a repetition without bound reads the text again in each round.
    pub(super) in_loop: bool,
}

impl Scans {
    const NONE: Scans = Scans { degree: 0, times: 0, in_loop: false };

    /// Reads the text once.
    const ONCE: Scans = Scans { degree: 1, times: 1, in_loop: false };

    /// Reads so many characters, however long the text is.
    fn bounded(characters: u64) -> Scans {
        Scans { times: characters.max(1), ..Scans::NONE }
    }

    /// This, and that as well. The higher degree counts.
    fn and(self, other: Scans) -> Scans {
        let times = match self.degree.cmp(&other.degree) {
            std::cmp::Ordering::Less => other.times,
            std::cmp::Ordering::Equal => self.times.saturating_add(other.times),
            std::cmp::Ordering::Greater => self.times,
        };
        let in_loop = self.in_loop || other.in_loop;
        Scans { degree: self.degree.max(other.degree), times, in_loop }
    }
}

/// Returns what one step of a pattern may read.
pub(super) fn scans(pattern: &Branches) -> Scans {
    of_branches(pattern, false)
}

/// `is_cut` is true inside an atomic group or a look-around.
fn of_branches(branches: &Branches, is_cut: bool) -> Scans {
    branches.iter().map(|branch| of_pieces(branch, is_cut)).fold(Scans::NONE, Scans::and)
}

fn of_pieces(pieces: &[Piece], is_cut: bool) -> Scans {
    pieces.iter().map(|piece| of_piece(piece, is_cut)).fold(Scans::NONE, Scans::and)
}

fn of_piece(piece: &Piece, is_cut: bool) -> Scans {
    if !needs_backtracking(piece) {
        return if piece.width.max == u64::MAX { Scans::ONCE } else { Scans::bounded(piece.width.max) };
    }
    match &piece.node {
        Node::Literal(_) | Node::Any { .. } | Node::Set(_) | Node::At(_) => Scans::bounded(1),
        // What it refers to may be as long as the text.
        Node::Reference(_) => Scans::ONCE,
        Node::Repeat(item, times) => {
            let is_cut = is_cut || matches!(times.style, Style::Possessive);
            let round = of_piece(item, is_cut);
            match times.max {
                None if is_cut => Scans { degree: round.degree + 1, in_loop: true, ..round },
                None => Scans { in_loop: round.in_loop || round.degree > 0, ..round },
                Some(max) => Scans { times: round.times.saturating_mul(max.max(1).into()), ..round },
            }
        }
        Node::Group { body, .. } => of_branches(body, is_cut),
        Node::Atomic(body) | Node::Look(_, body) => of_branches(body, true),
        Node::Conditional { yes, no, .. } => of_pieces(yes, is_cut).and(of_pieces(no, is_cut)),
    }
}

/// Returns true if only the backtracking engine can match a piece.
fn needs_backtracking(piece: &Piece) -> bool {
    let any = |pieces: &[Piece]| pieces.iter().any(needs_backtracking);
    match &piece.node {
        Node::Literal(_) | Node::Any { .. } | Node::Set(_) | Node::At(_) => false,
        Node::Repeat(item, times) => matches!(times.style, Style::Possessive) || needs_backtracking(item),
        Node::Group { body, .. } => body.iter().any(|branch| any(branch)),
        Node::Atomic(_) | Node::Look(..) | Node::Reference(_) | Node::Conditional { .. } => true,
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse;
    use super::*;

    #[test]
    fn what_a_step_reads_depends_on_what_loops() {
        for (pattern, degree, times, in_loop) in [
            ("(?=ab{3})c", 0, 5, false),
            ("(?=.*b)c", 1, 1, false),
            ("(?=.*b)(?=.*c)", 1, 2, false),
            ("(?:(?=.*b).)*c", 1, 1, true),
            ("(?:(?=.*b).){9}c", 1, 9, false),
            ("(?:(?!end).)*c", 0, 5, false),
            ("(?>(?:(?!end).)*)c", 1, 4, true),
            ("(?:(?=.*b).)*+c", 2, 1, true),
            ("(?=(?:(?=.*b).)*c)", 2, 1, true),
            ("(?=(?:[ab]*c)*d)", 1, 1, false),
            (r"(a+)+\1", 1, 2, false),
        ] {
            let expected = Scans { degree, times, in_loop };
            assert_eq!(scans(&parse(pattern).unwrap().body), expected, "{pattern}");
        }
    }
}
