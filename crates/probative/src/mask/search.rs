//! One search for all secrets in a text.

use std::collections::BTreeSet;

use super::STAR;
use super::gap::{Before, each_end, is_cut_at};
use super::secret::{Index, Secret};
use super::writing::each_at;

/// A search on its way through a text.
pub(super) struct Search<'s> {
    secrets: &'s [Secret],
    index: &'s Index,
    text: &'s str,
    /// The text with what was found hidden, once something was.
    hidden: Option<Vec<u8>>,
    /// Which secrets hid something that was not hidden before.
    hit: &'s mut BTreeSet<usize>,
    /// The characters of a secret as they are found, kept to be used again.
    found: Vec<Found>,
}

/// A character of a secret, found in a text.
#[derive(Clone, Copy)]
struct Found {
    start: usize,
    end: usize,
    /// Which of those found before it precedes it.
    previous: Option<usize>,
}

impl<'s> Search<'s> {
    pub(super) fn new(
        secrets: &'s [Secret],
        index: &'s Index,
        text: &'s str,
        hit: &'s mut BTreeSet<usize>,
    ) -> Search<'s> {
        Search { secrets, index, text, hidden: None, hit, found: Vec::new() }
    }

    /// The bytes of the text with all secrets hidden; `None` where there are none.
    pub(super) fn run(mut self) -> Option<Vec<u8>> {
        let (index, text) = (self.index, self.text);
        let mut before = Before::beginning();
        for (at, plain) in text.char_indices() {
            let may_begin = index.may_begin(text.as_bytes()[at]);
            if may_begin {
                each_at(text, at, |(character, length)| {
                    for &secret in index.first(character) {
                        self.follow(secret, 0, at, at + length);
                    }
                });
            }
            if before.is_cut() {
                self.go_on_at(at);
                // Plain space does not end the cut, but escaped space is several characters.
                if matches!(plain, '%' | '&' | '\\') {
                    each_end(text, at, |end| {
                        if end > at {
                            self.go_on_at(end);
                        }
                    });
                }
            }
            before = before.and(plain);
        }
        self.hidden
    }

    /// Follows every secret that may go on at a place, behind what was cut off.
    fn go_on_at(&mut self, at: usize) {
        let (index, text) = (self.index, self.text);
        each_at(text, at, |(character, length)| {
            for &(secret, place) in index.inside(character) {
                self.follow(secret, place, at, at + length);
            }
        });
    }

    /// Follows a secret from one of its characters, which was found, and hides it: if all the rest is there, or as much as
    /// tells too much before the text is cut.
    fn follow(&mut self, which: usize, place: usize, start: usize, end: usize) {
        let (text, secret) = (self.text, &self.secrets[which]);
        let (last, telling) = (secret.characters.len() - 1, secret.telling());
        self.found.clear();
        self.found.push(Found { start, end, previous: None });
        // Those that are the same character of the secret: more than one, where a text can be read in several ways.
        let (mut from, mut until, mut place_now) = (0, 1, place);
        let mut cut = None;
        loop {
            let depth = place_now - place + 1;
            if place_now == last {
                if place == 0 || depth >= telling {
                    self.hide(which, from);
                }
                return;
            }
            if depth >= telling {
                cut = (from..until).find(|found| is_cut_at(text, self.found[*found].end)).or(cut);
            }
            place_now += 1;
            for previous in from..until {
                let found = &mut self.found;
                each_end(text, found[previous].end, |start| {
                    each_at(text, start, |(character, length)| {
                        let end = start + length;
                        let is_known = found[until..].iter().any(|other| other.end == end);
                        if secret.is_at(place_now, character) && !is_known {
                            found.push(Found { start, end, previous: Some(previous) });
                        }
                    });
                });
            }
            (from, until) = (until, self.found.len());
            if from == until {
                if let Some(cut) = cut {
                    self.hide(which, cut);
                }
                return;
            }
        }
    }

    /// Hides what leads to a character of a secret that was found.
    fn hide(&mut self, which: usize, last: usize) {
        let hidden = self.hidden.get_or_insert_with(|| self.text.as_bytes().to_vec());
        let mut next = Some(last);
        while let Some(at) = next {
            let Found { start, end, previous } = self.found[at];
            hidden[start..end].fill(STAR);
            if self.text.as_bytes()[start] != STAR {
                self.hit.insert(which);
            }
            next = previous;
        }
    }
}
