//! Parser of filters: logic, comparisons and functions, with the types of RFC 9535.

use std::ops::Range;

use serde_json::Value;

use super::{Parser, error};
use crate::value::path::PathError;
use crate::value::path::query::{Condition, Operand, Operator, Pattern, Query};
use crate::value::path::regexp::{Refused, Regexp};

/// A part of a filter whose use decides what it may be.
enum Term {
    Query(Query),
    Operand(Operand),
    Test(Condition),
}

impl Parser<'_> {
    /// Reads the condition of a filter: parts joined by `||`.
    pub(super) fn condition(&mut self) -> Result<Condition, PathError> {
        self.joined("||", Condition::Any, |parser| parser.joined("&&", Condition::All, Self::basic_condition))
    }

    fn joined(
        &mut self,
        operator: &str,
        join: impl FnOnce(Vec<Condition>) -> Condition,
        read: impl Fn(&mut Self) -> Result<Condition, PathError>,
    ) -> Result<Condition, PathError> {
        let first = read(self)?;
        let mut others = Vec::new();
        loop {
            let end = self.at;
            self.skip_space();
            if !self.take(operator) {
                self.at = end;
                break;
            }
            others.push(read(self)?);
        }
        Ok(if others.is_empty() { first } else { join(std::iter::once(first).chain(others).collect()) })
    }

    /// A condition in parentheses, a comparison or a test.
    fn basic_condition(&mut self) -> Result<Condition, PathError> {
        self.skip_space();
        let is_denied = self.take("!");
        self.skip_space();
        let start = self.at;
        let condition = if self.take("(") {
            self.nested(start, |parser| {
                let condition = parser.condition()?;
                parser.skip_space();
                if parser.take(")") { Ok(condition) } else { Err(parser.expected("`&&`, `||` or `)`")) }
            })?
        } else {
            let term = self.term()?;
            let place = start..self.at;
            match self.operator() {
                Some(_) if is_denied => {
                    return Err(error(
                        "`!` negates a test, not a comparison; put the comparison in parentheses",
                        start,
                    ));
                }
                Some(operator) => self.comparison(term, place, operator)?,
                None => self.test(term, place)?,
            }
        };
        Ok(if is_denied { Condition::Not(Box::new(condition)) } else { condition })
    }

    fn operator(&mut self) -> Option<Operator> {
        let end = self.at;
        self.skip_space();
        let found = Operator::WRITTEN.into_iter().find(|(written, _)| self.take(written));
        if found.is_none() {
            self.at = end;
        }
        found.map(|(_, operator)| operator)
    }

    fn comparison(
        &mut self,
        left: Term,
        place: Range<usize>,
        operator: Operator,
    ) -> Result<Condition, PathError> {
        let left = self.operand(left, place)?;
        self.skip_space();
        let start = self.at;
        let right = self.term()?;
        Ok(Condition::Compare(left, operator, self.operand(right, start..self.at)?))
    }

    /// A term that is compared, or an argument that is a value.
    fn operand(&self, term: Term, place: Range<usize>) -> Result<Operand, PathError> {
        let written = &self.written[place.clone()];
        match term {
            Term::Operand(operand) => Ok(operand),
            Term::Query(query) if query.is_singular() => Ok(Operand::Node(query)),
            Term::Query(_) => Err(error(
                format!("`{written}` may select several values; a single one is needed here"),
                place.start,
            )),
            Term::Test(_) => {
                Err(error(format!("`{written}` is true or false; it can't be compared"), place.start))
            }
        }
    }

    /// A term that stands alone.
    fn test(&self, term: Term, place: Range<usize>) -> Result<Condition, PathError> {
        let written = &self.written[place.clone()];
        match term {
            Term::Query(query) => Ok(Condition::Exists(query)),
            Term::Test(condition) => Ok(condition),
            Term::Operand(_) => {
                Err(error(format!("`{written}` must be compared with something"), place.start))
            }
        }
    }

    /// A literal, a query or a call of a function.
    fn term(&mut self) -> Result<Term, PathError> {
        let start = self.at;
        match self.peek() {
            Some('@' | '$') => self.query().map(Term::Query),
            Some('\'' | '"') => self.string().map(|string| Term::Operand(Operand::Literal(string.into()))),
            Some('-' | '0'..='9') => {
                self.number().map(|number| Term::Operand(Operand::Literal(Value::Number(number))))
            }
            Some('a'..='z') => {
                let word = self.take_until(|character| !matches!(character, 'a'..='z' | '0'..='9' | '_'));
                if self.take("(") {
                    let open = self.at - 1;
                    return self.nested(open, |parser| parser.call(word, start));
                }
                match word {
                    "true" => Ok(Term::Operand(Operand::Literal(true.into()))),
                    "false" => Ok(Term::Operand(Operand::Literal(false.into()))),
                    "null" => Ok(Term::Operand(Operand::Literal(Value::Null))),
                    _ => Err(error(
                        format!("`{word}` is neither a literal nor a call; strings are quoted: '{word}'"),
                        start,
                    )),
                }
            }
            _ => Err(self.expected("`@`, `$`, a literal or a function")),
        }
    }

    fn query(&mut self) -> Result<Query, PathError> {
        let from_root = self.take("$");
        if !from_root && !self.take("@") {
            return Err(self.expected("a query that begins with `@` or `$`"));
        }
        Ok(Query { from_root, segments: self.segments()? })
    }

    /// The arguments of a function, and the parenthesis behind them.
    fn call(&mut self, name: &str, start: usize) -> Result<Term, PathError> {
        let term = match name {
            "length" => Term::Operand(Operand::Length(Box::new(self.argument()?))),
            "count" => Term::Operand(Operand::Count(self.nodes()?)),
            "value" => Term::Operand(Operand::OnlyNode(self.nodes()?)),
            "match" | "search" => {
                let text = self.argument()?;
                self.skip_space();
                if !self.take(",") {
                    return Err(self.expected("`,` and a pattern"));
                }
                self.skip_space();
                let at = self.at;
                let pattern = pattern(self.argument()?, name == "match", at)?;
                Term::Test(Condition::Matches(text, pattern))
            }
            _ => {
                let message =
                    format!("no function '{name}'; the functions are length, count, match, search and value");
                return Err(error(message, start));
            }
        };
        self.skip_space();
        if self.take(")") {
            Ok(term)
        } else {
            Err(self.expected(&format!("`)` after the last argument of {name}()")))
        }
    }

    /// An argument that is a value.
    fn argument(&mut self) -> Result<Operand, PathError> {
        self.skip_space();
        let start = self.at;
        let term = self.term()?;
        self.operand(term, start..self.at)
    }

    /// An argument that is a query.
    fn nodes(&mut self) -> Result<Query, PathError> {
        self.skip_space();
        self.query()
    }
}

/// A pattern, compiled if it is known.
fn pattern(pattern: Operand, is_whole: bool, at: usize) -> Result<Pattern, PathError> {
    let Operand::Literal(Value::String(written)) = &pattern else {
        return Ok(Pattern::Dynamic { pattern, is_whole });
    };
    match Regexp::compile(written, is_whole) {
        Ok(regexp) => Ok(Pattern::Literal(regexp)),
        Err(Refused::Invalid(message)) => Err(error(format!("invalid pattern: {message}"), at)),
        Err(Refused::TooLarge) => Err(error("pattern is too large", at)),
    }
}
