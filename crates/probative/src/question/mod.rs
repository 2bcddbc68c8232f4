//! A question: assertions to be asked of a subject, compiled once and asked many times.

mod compile;
mod expect;
mod judge;
pub mod reference;
mod schema;

use std::collections::BTreeMap;

pub(crate) use compile::words;
pub use expect::Expect;
pub use judge::{Fault, Judgement};
pub use schema::schema;

use crate::document::{Document, Node};
use crate::verdict::{Error, Place};
use crate::vocabulary::{FileReader, Vocabulary};

/// Assertions of one vocabulary, as somebody wrote them.
///
/// A question is written as an object (name → argument), a list of one-key objects, or a tree of `must`, `can` and
/// `cannot`, in JSON or YAML. What is malformed in it does not keep the rest from being asked.
#[derive(Debug, Clone)]
pub struct Question<A: Vocabulary> {
    document: Document,
    setting: A::Setting,
    clauses: Vec<Clause<A>>,
}

/// One row of a question: an assertion, or a group of them that is answered as one.
#[derive(Debug, Clone)]
pub struct Clause<A> {
    /// The assertion's name, or `can` or `cannot`.
    pub name: String,
    /// Where it stands in the question: `status`, `must[0].can`.
    pub path: String,
    /// Where it stands in the file.
    pub place: Place,
    asks: Result<Asks<A>, Error>,
}

#[derive(Debug, Clone)]
enum Asks<A> {
    One(A),
    All(Vec<Clause<A>>),
    Any(Vec<Clause<A>>),
    None(Vec<Clause<A>>),
}

/// Reads a document that is to be a question.
pub fn read(document: &Document) -> Result<Node, Error> {
    if document.text.trim().is_empty() {
        return Err(document.malformed("an empty question", 0..0));
    }
    document.read()
}

impl<A> Clause<A> {
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
}

impl<A: Vocabulary> Clause<A> {
    fn supply(&mut self, file: &mut FileReader<'_>) -> Vec<String> {
        match &mut self.asks {
            Err(_) => Vec::new(),
            Ok(Asks::One(assertion)) => assertion.supply(file).unwrap_or_else(|error| {
                self.asks = Err(error.told_at(self.place.clone()));
                Vec::new()
            }),
            Ok(Asks::All(inner) | Asks::Any(inner) | Asks::None(inner)) => {
                inner.iter_mut().flat_map(|clause| clause.supply(file)).collect()
            }
        }
    }
}

impl<A: Vocabulary> Question<A> {
    /// Compiles a question.
    ///
    /// Fails only where nothing can be asked at all: the document cannot be read, or is no question. A single
    /// malformed assertion is kept as an error in its place; [`Question::errors`] lists them.
    pub fn compile(document: Document) -> Result<Question<A>, Error> {
        let root = read(&document)?;
        Question::compile_read(document, &root)
    }

    /// The same of a document that has been read already.
    pub fn compile_read(document: Document, root: &Node) -> Result<Question<A>, Error> {
        let compile::Compiled { setting, clauses } = compile::compile(&document, root)?;
        Ok(Question { document, setting, clauses })
    }

    /// Takes the files that assertions name, before the first subject is judged.
    ///
    /// An assertion whose file cannot be had is an error in its place, like one that is malformed. Answers with what should
    /// be known about the files.
    pub fn supply(&mut self, file: &mut FileReader<'_>) -> Vec<String> {
        self.clauses.iter_mut().flat_map(|clause| clause.supply(file)).collect()
    }

    /// What the question says as a whole, beside its assertions.
    pub fn setting(&self) -> &A::Setting {
        &self.setting
    }

    /// The document that the question was written in.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// The rows that every subject is asked, in the order written.
    pub fn clauses(&self) -> &[Clause<A>] {
        &self.clauses
    }

    /// Whether the question asks nothing, so that every subject passes.
    pub fn asserts_nothing(&self) -> bool {
        self.clauses.is_empty()
    }

    /// What is malformed in the question, in the order written.
    pub fn errors(&self) -> Vec<&Error> {
        fn collect<'q, A>(clauses: &'q [Clause<A>], errors: &mut BTreeMap<usize, &'q Error>) {
            for clause in clauses {
                match &clause.asks {
                    Err(error) => {
                        let start = error
                            .place
                            .as_ref()
                            .and_then(|place| place.span.as_ref())
                            .map_or(0, |span| span.start);
                        errors.entry(start).or_insert(error);
                    }
                    Ok(Asks::All(inner) | Asks::Any(inner) | Asks::None(inner)) => collect(inner, errors),
                    Ok(Asks::One(_)) => {}
                }
            }
        }
        let mut errors = BTreeMap::new();
        collect(&self.clauses, &mut errors);
        errors.into_values().collect()
    }
}
