//! What is asked, row by row: an assertion, or a group of them that is answered as one, whatever the assertions are.

mod compile;
mod judge;

use std::collections::BTreeMap;

pub(crate) use compile::{GROUPS, Grammar, LABEL, LABEL_ABOUT, Tree, call, has_group, is_group};
pub(crate) use judge::Asker;
pub use judge::{Fault, Judgement};

use crate::verdict::{Error, Place};

/// One row of what is asked: an assertion, or a group of them that is answered as one.
#[derive(Debug, Clone)]
pub struct Clause<L> {
    /// The assertion's name, or `can` or `cannot`.
    pub name: String,
    /// The name that the author gave it, or the group that it is in.
    pub label: Option<String>,
    /// The written argument, as messages show it; empty for a group.
    pub(crate) argument: String,
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

/// How many assertions the headline of a group names.
const NAMED: usize = 3;

impl<L> Clause<L> {
    /// Returns its headline: the label, or what is asserted: `cannot tool_was_called`.
    pub(crate) fn headline(&self) -> String {
        match (&self.label, &self.asks) {
            (Some(label), _) => label.clone(),
            (None, Ok(Asks::All(inner))) => headlines(inner),
            (None, Ok(Asks::Any(inner) | Asks::None(inner))) => match inner.as_slice() {
                [Clause { label: Some(label), .. }] => label.clone(),
                _ => format!("{} {}", self.name, headlines(inner)),
            },
            (None, Ok(Asks::One(_)) | Err(_)) => self.name.clone(),
        }
    }

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

/// The distinct headlines of some rows, as far as there is room.
pub(crate) fn headlines<'c, L: 'c>(clauses: impl IntoIterator<Item = &'c Clause<L>>) -> String {
    let mut names: Vec<String> = Vec::new();
    for clause in clauses {
        let name = clause.headline();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let more = names.len().saturating_sub(NAMED);
    names.truncate(NAMED);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("{}{more}", names.join(", "))
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
