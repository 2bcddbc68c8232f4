//! The largest pairing of two sides, each of whose members takes part once.

use std::collections::VecDeque;

/// Pairs as many of the left side as can be. `edges[left]` lists the right members that a left one may be paired with.
///
/// Answers with the left partner of each of `rights` right members. The size of the pairing does not depend on the order
/// of either side: a pair is given up for another wherever that lets one more be paired.
pub(super) fn largest(edges: &[&[usize]], rights: usize) -> Vec<Option<usize>> {
    let mut search = Search {
        partner: vec![None; rights],
        right_of: vec![None; edges.len()],
        reached: vec![(usize::MAX, 0); rights],
        edges,
    };
    for left in 0..edges.len() {
        if let Some(free) = search.free_from(left) {
            search.pair_up_to(free);
        }
    }
    search.partner
}

struct Search<'e> {
    edges: &'e [&'e [usize]],
    partner: Vec<Option<usize>>,
    right_of: Vec<Option<usize>>,
    /// In which round a right member was reached, and from which left one.
    reached: Vec<(usize, usize)>,
}

/// The round of right members from which no free one can be reached, now or later.
const DEAD: usize = usize::MAX - 1;

impl Search<'_> {
    /// A right member that is free, reached from a left one by giving up pairs for others on the way.
    fn free_from(&mut self, left: usize) -> Option<usize> {
        let round = left;
        let mut visited = Vec::new();
        let mut waiting = VecDeque::from([left]);
        while let Some(left) = waiting.pop_front() {
            for &right in self.edges[left] {
                if self.reached[right].0 == round || self.reached[right].0 == DEAD {
                    continue;
                }
                self.reached[right] = (round, left);
                match self.partner[right] {
                    None => return Some(right),
                    Some(other) => waiting.push_back(other),
                }
                visited.push(right);
            }
        }
        for right in visited {
            self.reached[right].0 = DEAD;
        }
        None
    }

    /// Each left member on the way takes the right one reached from it, and frees the one that it had.
    fn pair_up_to(&mut self, free: usize) {
        let mut next = Some(free);
        while let Some(right) = next {
            let left = self.reached[right].1;
            self.partner[right] = Some(left);
            next = self.right_of[left].replace(right);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The size of the largest pairing, by trying everything.
    fn by_trying(edges: &[Vec<usize>], taken: &mut Vec<usize>) -> usize {
        let Some((first, rest)) = edges.split_first() else { return 0 };
        let mut best = by_trying(rest, taken);
        for right in first {
            if !taken.contains(right) {
                taken.push(*right);
                best = best.max(1 + by_trying(rest, taken));
                taken.pop();
            }
        }
        best
    }

    proptest! {
        #[test]
        fn no_pairing_is_larger(edges in prop::collection::vec(prop::collection::vec(0usize..6, 0..5), 0..6)) {
            let partner = largest(&edges.iter().map(Vec::as_slice).collect::<Vec<_>>(), 6);
            let paired: Vec<(usize, usize)> =
                partner.iter().enumerate().filter_map(|(right, left)| Some((right, (*left)?))).collect();
            prop_assert!(paired.iter().all(|(right, left)| edges[*left].contains(right)));
            let mut lefts: Vec<usize> = paired.iter().map(|(_, left)| *left).collect();
            lefts.sort_unstable();
            lefts.dedup();
            prop_assert_eq!(lefts.len(), paired.len());
            prop_assert_eq!(paired.len(), by_trying(&edges, &mut Vec::new()));
        }
    }
}
