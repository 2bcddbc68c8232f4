//! Laws that hold for every expression, against a plain and slow evaluator.

mod naive;

use naive::{Naive, Outcome};
use probative::Category;
use probative::spec::lang::{Budget, Expression, Nowhere, World};
use probative::value::{Pattern, Tree, Value};
use proptest::prelude::*;
use serde_json::json;

/// Symbols that take any value, and how many.
const TAKE_ANYTHING: [(&str, usize); 13] = [
    ("eq", 2),
    ("neq", 2),
    ("not", 1),
    ("and", 2),
    ("and", 3),
    ("or", 2),
    ("or", 1),
    ("contains", 1),
    ("contains", 2),
    ("starts_with", 2),
    ("ends_with", 1),
    ("has_key", 2),
    ("trim", 1),
];

/// Symbols that take some values only.
const TAKE_SOMETHING: [(&str, usize); 13] = [
    ("add", 2),
    ("sub", 2),
    ("get", 2),
    ("get", 2),
    ("in", 2),
    ("len", 1),
    ("json_type", 1),
    ("json_type", 2),
    ("json_parse", 1),
    ("json_parse", 1),
    ("regex_match", 2),
    ("path_exists", 1),
    ("upper", 1),
];

/// Expressions are made from bytes, so that a failing one is shrunk with its bytes. When they run out, all is 0.
struct Choices<'b> {
    bytes: std::slice::Iter<'b, u8>,
}

impl Choices<'_> {
    fn below(&mut self, count: usize) -> usize {
        usize::from(*self.bytes.next().unwrap_or(&0)) % count
    }

    fn of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())].clone()
    }

    /// An expression in which these names are bound, each with the number of its parameters if it is a function.
    fn expression(&mut self, depth: usize, names: &mut Vec<(&'static str, Option<usize>)>) -> Value {
        if depth == 0 {
            return self.leaf(names);
        }
        match self.below(24) {
            0..=4 => self.leaf(names),
            5..=7 => {
                let (name, count) = self.of(&TAKE_ANYTHING);
                self.form(name, count, depth, names)
            }
            8 => {
                let (name, count) = self.of(&TAKE_SOMETHING);
                self.form(name, count, depth, names)
            }
            9 => json!([
                self.of(&["add", "sub"]),
                ["len", self.form("trim", 1, depth, names)],
                self.of(&[1, -1, 3])
            ]),
            10 => json!([
                "json_type",
                self.expression(depth - 1, names),
                self.of(&["null", "list", "string", "dict"])
            ]),
            11..=13 => self.form("if", 3, depth, names),
            14..=17 => self.bindings(depth, names),
            18 => self.function(depth, names).0,
            _ => self.call(depth, names),
        }
    }

    fn leaf(&mut self, names: &[(&'static str, Option<usize>)]) -> Value {
        let literals = [
            json!(0),
            json!(null),
            json!(1),
            json!(true),
            json!(false),
            json!(-1),
            json!(2.0),
            json!(0.5),
            json!(""),
            json!("a"),
            json!("abc"),
            json!("[1, 2]"),
            json!("{\"a\": [\"b\"]}"),
            json!(u64::MAX),
            json!(i64::MIN),
            json!(1e308),
        ];
        match self.below(3) {
            0 => self.of(&literals),
            1 => json!(["subject"]),
            _ => match names.iter().rev().filter(|(_, parameters)| parameters.is_none()).nth(self.below(3)) {
                Some((name, _)) => json!(["var", name]),
                None if names.is_empty() => self.of(&literals),
                None => json!(["var", self.of(names).0]),
            },
        }
    }

    fn form(
        &mut self,
        name: &str,
        count: usize,
        depth: usize,
        names: &mut Vec<(&'static str, Option<usize>)>,
    ) -> Value {
        let arguments = (0..count).map(|_| self.expression(depth - 1, names));
        [json!(name)].into_iter().chain(arguments).collect()
    }

    fn bindings(&mut self, depth: usize, names: &mut Vec<(&'static str, Option<usize>)>) -> Value {
        let outer = names.len();
        let bound = &["a", "b", "c"][..=self.below(3)];
        let functions: Vec<Option<usize>> =
            bound.iter().map(|_| if self.below(2) == 0 { Some(self.below(3)) } else { None }).collect();
        names.extend(bound.iter().copied().zip(functions.iter().copied()));
        let values = functions.iter().enumerate().map(|(at, parameters)| match parameters {
            Some(count) => self.function_of(*count, depth, names),
            // Mostly of what is set already.
            None if self.below(6) > 0 => self.expression(depth - 1, &mut names[..outer + at].to_vec()),
            None => self.expression(depth - 1, names),
        });
        let pairs: Vec<Value> = values.zip(bound).map(|(value, name)| json!([name, value])).collect();
        let body = self.expression(depth - 1, names);
        names.truncate(outer);
        json!(["let", pairs, body])
    }

    fn function(&mut self, depth: usize, names: &mut Vec<(&'static str, Option<usize>)>) -> (Value, usize) {
        let count = self.below(3);
        (self.function_of(count, depth, names), count)
    }

    fn function_of(
        &mut self,
        count: usize,
        depth: usize,
        names: &mut Vec<(&'static str, Option<usize>)>,
    ) -> Value {
        let outer = names.len();
        let parameters = if self.below(4) == 0 { &["a", "b"][..count] } else { &["x", "y"][..count] };
        names.extend(parameters.iter().map(|name| (*name, None)));
        let body = self.expression(depth - 1, names);
        names.truncate(outer);
        json!(["fn", parameters, body])
    }

    /// A call that has mostly something to call, and mostly as many arguments as are taken.
    fn call(&mut self, depth: usize, names: &mut Vec<(&'static str, Option<usize>)>) -> Value {
        let known: Vec<_> = names.iter().filter_map(|(name, count)| Some((*name, (*count)?))).collect();
        let (function, count) = match self.below(8) {
            0 => (self.expression(depth - 1, names), self.below(3)),
            1..=5 if !known.is_empty() => {
                let (name, count) = self.of(&known);
                (json!(["var", name]), count)
            }
            _ => self.function(depth, names),
        };
        let count = if self.below(10) == 9 { count + 1 } else { count };
        let arguments = (0..count).map(|_| self.expression(depth - 1, names));
        [json!("call"), function].into_iter().chain(arguments).collect()
    }
}

fn expression() -> impl Strategy<Value = Value> {
    prop::collection::vec(any::<u8>(), 0..400)
        .prop_map(|bytes| Choices { bytes: bytes.iter() }.expression(6, &mut Vec::new()))
}

fn subject() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![
        json!(null),
        json!("abc"),
        json!({"a": {"b": [1, "x", null]}, "b": 2}),
        json!([0, 1, [2], "a", {"a": 1}]),
        json!(3),
    ])
}

/// Any JSON, much of which looks like an expression.
fn any_json() -> impl Strategy<Value = Value> {
    let symbols = probative::spec::lang::SYMBOLS.iter().map(|symbol| json!(symbol.name)).collect::<Vec<_>>();
    let leaf = prop_oneof![
        3 => prop::sample::select(symbols),
        1 => prop::sample::select(vec![json!(null), json!(1), json!("a"), json!(-0.5), json!(true), json!({})]),
    ];
    leaf.prop_recursive(6, 40, 4, |inner| prop::collection::vec(inner, 0..4).prop_map(Value::from))
}

/// What the machine makes of an expression with so many steps.
fn machine(expression: &Expression, subject: &Value, max_steps: u64) -> Outcome {
    match expression.evaluate(subject, &Budget { max_steps, ..Budget::default() }, &Nowhere) {
        Ok(value) => Outcome::Value(value),
        Err(error) if error.to_string() == "spec_lang budget exceeded: steps" => Outcome::TooManySteps,
        Err(error) if error.category() == Category::Schema => Outcome::Schema,
        Err(_) => Outcome::Runtime,
    }
}

const MOST_STEPS: u64 = 200;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn the_machine_answers_as_the_plain_evaluator_step_by_step(written in expression(), subject in subject()) {
        let expression = Expression::compile(&written).unwrap();
        let (plain, steps) = Naive::evaluate(&written, &subject, MOST_STEPS);
        prop_assert_eq!(&machine(&expression, &subject, steps), &plain, "{} with {} steps", written, steps);
        if plain != Outcome::TooManySteps {
            prop_assert_eq!(machine(&expression, &subject, steps - 1), Outcome::TooManySteps, "{}", written);
            prop_assert_eq!(machine(&expression, &subject, u64::MAX), plain, "{}", written);
        }
    }

    #[test]
    fn no_json_makes_the_compiler_panic(written in any_json(), subject in subject()) {
        if let Ok(expression) = Expression::compile(&written) {
            prop_assert_eq!(expression.to_string(), written.to_string());
            let _ = expression.evaluate(&subject, &Budget::default(), &Nowhere);
        }
    }
}

fn asks(expression: &Value, subject: &Value) -> bool {
    Expression::compile(expression).unwrap().holds(subject, &Budget::default(), &Here).unwrap()
}

/// A world in which the paths exist that have an `a`.
#[derive(Debug)]
struct Here;

impl World for Here {
    fn path_exists(&self, path: &str) -> Option<bool> {
        Some(path.contains('a'))
    }
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[ab\\[\\]{}:\" 1]{0,6}", ".{0,8}", "\\[[12, ]{0,4}\\]", "\\{(\"a\": ?1)?\\}"]
}

proptest! {
    #[test]
    fn contain_is_a_substring(subject in text(), part in text()) {
        let expression = json!(["contains", ["subject"], part]);
        prop_assert_eq!(asks(&expression, &json!(subject)), subject.contains(&part));
    }

    #[test]
    fn regex_is_a_search(subject in text(), pattern in "[ab]{0,2}[.+*]?(\\||\\[ab\\]|\\$)?") {
        if let Ok(compiled) = Pattern::parse(&pattern) {
            let expression = json!(["regex_match", ["subject"], pattern]);
            prop_assert_eq!(asks(&expression, &json!(subject)), compiled.is_match(&subject).unwrap());
        }
    }

    #[test]
    fn json_type_is_the_type_of_what_the_text_says(subject in text()) {
        let parsed = Tree::read(subject.as_bytes()).map(|tree| tree.value);
        for (name, is) in [("dict", parsed.as_ref().is_ok_and(Value::is_object)), ("list", parsed.as_ref().is_ok_and(Value::is_array))] {
            prop_assert_eq!(asks(&json!(["json_type", ["json_parse", ["subject"]], name]), &json!(subject)), is);
            if let Ok(value) = &parsed {
                prop_assert_eq!(asks(&json!(["json_type", ["subject"], name]), value), is);
            }
        }
    }

    #[test]
    fn exists_asks_the_world(subject in text()) {
        prop_assert_eq!(asks(&json!(["path_exists", ["subject"]]), &json!(subject)), subject.contains('a'));
    }
}
