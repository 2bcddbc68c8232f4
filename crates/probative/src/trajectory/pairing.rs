//! The largest pairing of two sides, each of whose members takes part once.

use std::collections::VecDeque;

/// Pairs as many of the left side as can be. `edges[left]` lists the right members that a left one may be paired with.
///
/// Answers with the left partner of each of `rights` right members. The size of the pairing does not depend on the order
/// of either side: a pair is given up for another wherever that lets one more be paired.
pub(super) fn largest(edges: &[Vec<usize>], rights: usize) -> Vec<Option<usize>> {
    let mut partner: Vec<Option<usize>> = vec![None; rights];
    let mut right_of: Vec<Option<usize>> = vec![None; edges.len()];
    // In which round a right member was reached, and from which left one.
    let mut reached: Vec<(usize, usize)> = vec![(usize::MAX, 0); rights];
    for round in 0..edges.len() {
        let mut waiting = VecDeque::from([round]);
        let mut free = None;
        'search: while let Some(left) = waiting.pop_front() {
            for &right in &edges[left] {
                if reached[right].0 == round {
                    continue;
                }
                reached[right] = (round, left);
                match partner[right] {
                    None => {
                        free = Some(right);
                        break 'search;
                    }
                    Some(other) => waiting.push_back(other),
                }
            }
        }
        // Each left member on the way takes the right one reached from it, and frees the one that it had.
        while let Some(right) = free {
            let left = reached[right].1;
            partner[right] = Some(left);
            free = right_of[left].replace(right);
        }
    }
    partner
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
            let partner = largest(&edges, 6);
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
