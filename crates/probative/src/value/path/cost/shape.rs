//! The shape of a path: what each step may select, and what its filters ask.

use super::super::parse::quoted_name;
use crate::value::pattern::states;

/// More states than the engine's own limit on the size of a pattern allows.
const MOST_STATES: u64 = 400_000;

/// The steps of a path.
#[derive(Debug, Clone)]
pub(in super::super) struct Shape {
    pub(super) steps: Vec<Step>,
}

#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) descends: bool,
    pub(super) selectors: Vec<Selector>,
}

#[derive(Debug, Clone)]
pub(super) enum Selector {
    /// A name or an index.
    One,
    /// A wildcard or a slice.
    Many,
    Filter(Box<Filter>),
}

/// What a filter asks of each node.
#[derive(Debug, Clone, Default)]
pub(super) struct Filter {
    /// Its queries that begin with `@`.
    pub(super) relative: Vec<Shape>,
    /// Its queries that begin with `$`.
    pub(super) absolute: Vec<Shape>,
    /// It may compare whole values of the node.
    pub(super) compares_values: bool,
    /// It may read a whole value of the root each time.
    pub(super) rereads_root: bool,
    pub(super) patterns: Vec<Searched>,
}

/// A pattern of `match` or `search`, which is compiled anew for each node.
#[derive(Debug, Clone)]
pub(super) struct Searched {
    pub(super) states: u64,
    /// True if the text comes from the root.
    pub(super) of_root: bool,
}

impl Shape {
    /// The shape of a valid path, in either notation; `None` if walking it takes a few visits of each node at most.
    pub(in super::super) fn of(written: &str) -> Option<Shape> {
        let rest = written.strip_prefix('$');
        let mut scanner = Scanner { rest: rest.unwrap_or(written) };
        let shape = scanner.query(rest.is_none());
        (!shape.is_cheap()).then_some(shape)
    }

    fn is_cheap(&self) -> bool {
        let descents = self.steps.iter().filter(|step| step.descends).count();
        descents <= 1
            && self.steps.iter().all(|step| match step.selectors.as_slice() {
                [Selector::One | Selector::Many] => true,
                [Selector::Filter(filter)] => filter.is_cheap(),
                _ => false,
            })
    }

    /// Returns true if it leads to one node at most.
    fn is_singular(&self) -> bool {
        self.steps.iter().all(|step| !step.descends && matches!(step.selectors.as_slice(), [Selector::One]))
    }
}

impl Filter {
    fn is_cheap(&self) -> bool {
        let mut queries = self.relative.iter().chain(&self.absolute);
        !self.compares_values
            && !self.rereads_root
            && self.patterns.is_empty()
            && queries.all(Shape::is_singular)
    }
}

/// A call of a function inside a filter, up to where the scanner is.
struct Call {
    /// Parentheses may also group.
    is_function: bool,
    searches: bool,
    argument: usize,
    of_root: bool,
    states: u64,
}

/// Reads what the JSONPath parser has accepted, so it may be lenient.
struct Scanner<'p> {
    rest: &'p str,
}

impl<'p> Scanner<'p> {
    /// The steps behind `$` or `@`, or of a whole path in shorthand, which may begin with a name.
    fn query(&mut self, shorthand: bool) -> Shape {
        let mut steps = Vec::new();
        if shorthand && !self.rest.starts_with('[') {
            steps.push(Step { descends: false, selectors: vec![self.name(shorthand)] });
        }
        loop {
            let space = self.rest.len() - self.rest.trim_start().len();
            let next = if shorthand { self.rest } else { &self.rest[space..] };
            let descends = !shorthand && next.starts_with("..");
            if !next.starts_with(['.', '[']) {
                return Shape { steps };
            }
            self.rest = next.trim_start_matches('.');
            let selectors =
                if self.rest.starts_with('[') { self.brackets() } else { vec![self.name(shorthand)] };
            steps.push(Step { descends, selectors });
        }
    }

    fn name(&mut self, shorthand: bool) -> Selector {
        let is_end = |character: char| {
            if shorthand {
                matches!(character, '.' | '[' | ']')
            } else {
                !(character.is_alphanumeric() || matches!(character, '_' | '*') || !character.is_ascii())
            }
        };
        if !shorthand {
            self.rest = self.rest.trim_start();
        }
        let name = self.take(self.rest.find(is_end).unwrap_or(self.rest.len()));
        if name == "*" { Selector::Many } else { Selector::One }
    }

    /// `[ … ]`
    fn brackets(&mut self) -> Vec<Selector> {
        let mut selectors = Vec::new();
        self.take(1);
        loop {
            self.rest = self.rest.trim_start();
            match self.rest.chars().next() {
                None => return selectors,
                Some(']') => {
                    self.take(1);
                    return selectors;
                }
                Some(',') => {
                    self.take(1);
                }
                Some('\'' | '"') => {
                    self.quoted();
                    selectors.push(Selector::One);
                }
                Some('?') => {
                    self.take(1);
                    selectors.push(Selector::Filter(Box::new(self.filter())));
                }
                Some(_) => {
                    let written = self.take(self.rest.find([',', ']']).unwrap_or(self.rest.len()));
                    let is_many = written.contains(['*', ':']);
                    selectors.push(if is_many { Selector::Many } else { Selector::One });
                }
            }
        }
    }

    /// A filter, up to the `,` or `]` that ends it.
    fn filter(&mut self) -> Filter {
        let mut filter = Filter::default();
        let mut calls: Vec<Call> = Vec::new();
        let mut word = "";
        let mut queries = 0;
        while let Some(character) = self.rest.chars().next() {
            match character {
                ']' => break,
                ',' if calls.is_empty() => break,
                ',' => calls.iter_mut().rev().take(1).for_each(|call| call.argument += 1),
                '(' => calls.push(Call {
                    is_function: !word.is_empty(),
                    searches: matches!(word, "match" | "search"),
                    argument: 0,
                    of_root: false,
                    states: 0,
                }),
                ')' => {
                    if let Some(Call { searches: true, states, of_root, .. }) = calls.pop() {
                        filter.patterns.push(Searched { states, of_root });
                    }
                }
                '\'' | '"' => {
                    let literal = self.quoted();
                    if let Some(call) = calls.last_mut().filter(|call| call.argument == 1) {
                        call.states = states_of(literal);
                    }
                    continue;
                }
                '@' | '$' => {
                    queries += 1;
                    self.take(1);
                    let shape = self.query(false);
                    for call in &mut calls {
                        match call.argument {
                            0 => call.of_root |= character == '$',
                            _ => call.states = MOST_STATES,
                        }
                    }
                    if character == '@' {
                        filter.relative.push(shape);
                    } else {
                        let is_read = calls.iter().any(|call| call.is_function);
                        filter.rereads_root |= is_read || self.is_compared_with_root();
                        filter.absolute.push(shape);
                    }
                    continue;
                }
                _ if character.is_ascii_alphabetic() => {
                    let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
                    word = self.take(end.unwrap_or(self.rest.len()));
                    continue;
                }
                _ => {}
            }
            word = "";
            self.take(character.len_utf8());
        }
        filter.compares_values = queries > 1;
        filter
    }

    /// Returns true if a comparison with another value of the root follows.
    fn is_compared_with_root(&self) -> bool {
        let rest = self.rest.trim_start();
        let other = rest.trim_start_matches(['=', '!', '<', '>']);
        other.len() < rest.len() && other.trim_start().starts_with('$')
    }

    /// A text in quotes, with them.
    fn quoted(&mut self) -> &'p str {
        let mut escaped = false;
        let quote = self.rest.chars().next();
        let end = self.rest.char_indices().skip(1).find(|&(_, character)| {
            let ends = !escaped && Some(character) == quote;
            escaped = !escaped && character == '\\';
            ends
        });
        self.take(end.map_or(self.rest.len(), |(at, _)| at + 1))
    }

    fn take(&mut self, bytes: usize) -> &'p str {
        let (taken, rest) = self.rest.split_at(bytes.min(self.rest.len()));
        self.rest = rest;
        taken
    }
}

/// How many states the engine makes of a pattern in quotes. One that it refuses never matches, and costs little.
fn states_of(literal: &str) -> u64 {
    quoted_name(literal).and_then(|pattern| states(&pattern)).map_or(0, |states| states as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(path: &str) -> Shape {
        Scanner { rest: path.strip_prefix('$').unwrap_or(path) }.query(!path.starts_with('$'))
    }

    #[test]
    fn steps_and_selectors_are_told_apart() {
        let shape = shape(r#"$.a ['b]', "c\"," , 0, 1:2] .. * [?@.x[?@ > 1], *]"#);
        let [a, union, all, chosen] = shape.steps.as_slice() else { panic!("{shape:?}") };
        assert!(matches!(a.selectors.as_slice(), [Selector::One]) && !a.descends);
        let [Selector::One, Selector::One, Selector::One, Selector::Many] = union.selectors.as_slice() else {
            panic!("{union:?}")
        };
        assert!(matches!(all.selectors.as_slice(), [Selector::Many]) && all.descends);
        let [Selector::Filter(filter), Selector::Many] = chosen.selectors.as_slice() else {
            panic!("{chosen:?}")
        };
        assert!(!filter.is_cheap() && filter.relative.len() == 1 && filter.relative[0].steps.len() == 2);
    }

    #[test]
    fn shorthand_names_may_hold_anything() {
        assert_eq!(shape("a b.c-d[*].$x").steps.len(), 4);
        assert_eq!(shape("[0].id").steps.len(), 2);
    }

    #[test]
    fn functions_know_their_patterns() {
        let shape = shape("$[?search($.s, 'a{100}') && !match(@.t, $.p) && length(@.u) > 1]");
        let [Selector::Filter(filter)] = shape.steps[0].selectors.as_slice() else { panic!("{shape:?}") };
        let [literal, asked] = filter.patterns.as_slice() else { panic!("{filter:?}") };
        assert!(literal.of_root && (100..1000).contains(&literal.states), "{literal:?}");
        assert!(!asked.of_root && asked.states == MOST_STATES, "{asked:?}");
    }

    #[test]
    fn what_takes_a_few_visits_of_each_node_need_not_be_estimated() {
        for cheap in ["$", "$..a[*].b", "a.b[?@.c == 'd'].e", "$..[?(@.a > 1)]", "$[?$.x]"] {
            assert!(Shape::of(cheap).is_none(), "{cheap}");
        }
        for costly in ["$..a..b", "$[*,*]", "$[?@.*]", "$[?$..a]", "$[?match(@, 'a')]", "$[?length($.a) > 1]"]
        {
            assert!(Shape::of(costly).is_some(), "{costly}");
        }
    }
}
