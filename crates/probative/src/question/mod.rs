//! A question: assertions to be asked of a subject, compiled once and asked many times.

mod compile;
mod expect;
mod judge;
pub mod reference;
mod schema;

pub(crate) use compile::{clauses, words};
pub use expect::Expect;
pub(crate) use judge::Asking;
pub use schema::schema;
pub(crate) use schema::{definitions, label_schema, leaf, named_leaf};

use crate::clause;
pub use crate::clause::{Clause, Fault, Judgement};
use crate::document::{Document, Node};
use crate::verdict::Error;
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

/// Reads a document that is to be a question.
pub fn read(document: &Document) -> Result<Node, Error> {
    if document.text.trim().is_empty() {
        return Err(document.malformed("the question is empty", 0..0));
    }
    document.read()
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
        let mut warnings = Vec::new();
        for clause in &mut self.clauses {
            clause.each_leaf(&mut |assertion, place| {
                let supplied = assertion.supply(file).map_err(|error| error.told_at(place.clone()))?;
                warnings.extend(supplied);
                Ok(())
            });
        }
        warnings
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
        clause::errors(&self.clauses)
    }
}
