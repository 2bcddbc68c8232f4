//! What is asked, row by row: an assertion, or a group of them that is answered as one, whatever the assertions are.

mod compile;
mod judge;

use std::collections::BTreeMap;

pub(crate) use compile::{GROUPS, Grammar, Tree, has_group, is_group};
pub(crate) use judge::Asker;
pub use judge::{Fault, Judgement};

use crate::verdict::{Error, Place};

/// One row of what is asked: an assertion, or a group of them that is answered as one.
#[derive(Debug, Clone)]
pub struct Clause<L> {
    /// The assertion's name, or `can` or `cannot`.
    pub name: String,
    /// Where it stands in what is asked: `status`, `must[0].can`.
    pub path: String,
    /// Where it stands in the file.
    pub place: Place,
    pub(crate) asks: Result<Asks<L>, Error>,
}

/// What a row asks. What is malformed stays in its place as an error, so that the others are still asked.
#[derive(Debug, Clone)]
pub(crate) enum Asks<L> {
    One(L),
    All(Vec<Clause<L>>),
    Any(Vec<Clause<L>>),
    None(Vec<Clause<L>>),
}

impl<L> Clause<L> {
    /// What it asks, down to the single assertions.
    pub(crate) fn leaves(&self) -> Box<dyn Iterator<Item = &L> + '_> {
        match &self.asks {
            Err(_) => Box::new(std::iter::empty()),
            Ok(Asks::One(leaf)) => Box::new(std::iter::once(leaf)),
            Ok(Asks::All(inner) | Asks::Any(inner) | Asks::None(inner)) => {
                Box::new(inner.iter().flat_map(Clause::leaves))
            }
        }
    }

    /// How many parts of it may be exercised one by one.
    pub(crate) fn parts(&self) -> usize {
        match &self.asks {
            Ok(Asks::None(branches)) => branches.len(),
            Ok(Asks::One(_) | Asks::All(_) | Asks::Any(_)) | Err(_) => 1,
        }
    }

    /// Whether something in it is malformed, so that it cannot be asked.
    pub fn is_malformed(&self) -> bool {
        match &self.asks {
            Err(_) => true,
            Ok(Asks::One(_)) => false,
            Ok(Asks::All(inner) | Asks::Any(inner) | Asks::None(inner)) => {
                inner.iter().any(Clause::is_malformed)
            }
        }
    }

    /// Does something with every assertion that can be asked; an error takes the place of the assertion.
    pub(crate) fn each_leaf(&mut self, act: &mut impl FnMut(&mut L, &Place) -> Result<(), Error>) {
        match &mut self.asks {
            Err(_) => {}
            Ok(Asks::One(leaf)) => {
                if let Err(error) = act(leaf, &self.place) {
                    self.asks = Err(error);
                }
            }
            Ok(Asks::All(inner) | Asks::Any(inner) | Asks::None(inner)) => {
                for clause in inner {
                    clause.each_leaf(act);
                }
            }
        }
    }
}

/// What is malformed in some rows, in the order written.
pub(crate) fn errors<L>(clauses: &[Clause<L>]) -> Vec<&Error> {
    fn collect<'q, L>(clauses: &'q [Clause<L>], errors: &mut BTreeMap<usize, &'q Error>) {
        for clause in clauses {
            match &clause.asks {
                Err(error) => {
                    errors.entry(error.offset()).or_insert(error);
                }
                Ok(Asks::All(inner) | Asks::Any(inner) | Asks::None(inner)) => collect(inner, errors),
                Ok(Asks::One(_)) => {}
            }
        }
    }
    let mut errors = BTreeMap::new();
    collect(clauses, &mut errors);
    errors.into_values().collect()
}
