//! spec-lang against its vectors, its places, its limits and its documentation.
#![allow(clippy::disallowed_methods, reason = "vectors are files")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use probative::Category;
use probative::document::Document;
use probative::spec::lang::{Budget, Expression, Nowhere, SYMBOLS, World};
use probative::value::Value;
use serde::Deserialize;
use serde::de::value::BytesDeserializer;
use serde_json::json;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vectors {
    #[serde(rename = "about")]
    _about: String,
    cases: Vec<Vector>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vector {
    title: String,
    expression: Value,
    subject: Value,
    /// What it gives, unless it ends in an error.
    #[serde(default, deserialize_with = "given")]
    result: Option<Value>,
    /// How that counts.
    truth: Option<bool>,
    category: Option<String>,
    #[serde(default)]
    message_has: Vec<String>,
    /// How many steps it takes to the answer or the error.
    steps: Option<u64>,
    #[serde(default)]
    budget: Budget,
}

fn given<'de, D: serde::Deserializer<'de>>(reader: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(reader).map(Some)
}

/// What it gives as JSON, or the category and message of the error.
type Answer = Result<Value, (Category, String)>;

fn answer(expression: &Value, subject: &Value, budget: &Budget) -> Answer {
    let told = |error: probative::Error| (error.category(), error.to_string());
    let expression = Expression::compile(expression).map_err(told)?;
    let answer = expression.evaluate(subject, budget, &Nowhere).map_err(told);
    let truth = expression.holds(subject, budget, &Nowhere).map_err(told);
    assert_eq!(truth.is_ok(), answer.is_ok(), "{expression}: evaluating and asking for the truth agree");
    answer
}

fn is_as_told(answer: &Answer, vector: &Vector) -> bool {
    match (answer, &vector.result) {
        // Not only by value: a whole number stays one, and 1.0 is not 1.
        (Ok(found), Some(expected)) => found == expected,
        (Err((category, message)), None) => {
            Some(format!("{category:?}").to_lowercase()) == vector.category
                && vector.message_has.iter().all(|token| message.contains(token))
        }
        _ => false,
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn vectors() -> BTreeMap<String, Vectors> {
    let files = std::fs::read_dir(root().join("vectors/lang")).unwrap().map(|file| file.unwrap().path());
    let read = |path: PathBuf| {
        let vectors = serde_json::from_slice(&std::fs::read(&path).unwrap());
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        (name, vectors.unwrap_or_else(|error| panic!("{}: {error}", path.display())))
    };
    files.map(read).collect()
}

#[test]
fn every_vector_is_answered_as_it_says() {
    let (mut wrong, mut asked) = (Vec::new(), 0);
    for (file, vectors) in vectors() {
        for vector in &vectors.cases {
            let Vector { title, expression, subject, budget, .. } = vector;
            let answered = answer(expression, subject, budget);
            if !is_as_told(&answered, vector) {
                let expected = (&vector.result, &vector.category, &vector.message_has);
                wrong.push(format!(
                    "{file}: {title}\n  {expression}\n  expected {expected:?}\n  answered {answered:?}"
                ));
            }
            if let Some(truth) = vector.truth {
                let compiled = Expression::compile(expression).unwrap();
                assert_eq!(compiled.holds(subject, budget, &Nowhere).unwrap(), truth, "{file}: {title}");
            }
            asked += 1;
        }
    }
    assert!(wrong.is_empty(), "{} of {asked} vectors:\n{}", wrong.len(), wrong.join("\n"));
    assert!(asked >= 380, "only {asked} vectors were found");
}

/// So many steps are enough, and one fewer is not.
#[test]
fn steps_are_counted_exactly() {
    let mut counted = 0;
    for (file, vectors) in vectors() {
        for vector in vectors.cases {
            let Some(steps) = vector.steps else { continue };
            let at = |max_steps| {
                answer(&vector.expression, &vector.subject, &Budget { max_steps, ..vector.budget })
            };
            assert!(is_as_told(&at(steps), &vector), "{file}: {}: {steps} steps are too few", vector.title);
            let message = "spec_lang budget exceeded: steps".to_owned();
            let exceeded = Err((Category::Runtime, message));
            assert_eq!(at(steps - 1), exceeded, "{file}: {}: {steps} steps are too many", vector.title);
            counted += 1;
        }
    }
    assert!(counted >= 120, "only {counted} vectors tell their steps");
}

#[test]
fn every_symbol_has_vectors() {
    fn heads(expression: &Value, found: &mut BTreeMap<String, usize>) {
        let Value::Array(items) = expression else { return };
        if let Some(Value::String(head)) = items.first() {
            *found.entry(head.clone()).or_default() += 1;
        }
        for item in items {
            heads(item, found);
        }
    }
    let mut found = BTreeMap::new();
    let vectors = vectors();
    for vector in vectors.values().flat_map(|file| &file.cases) {
        heads(&vector.expression, &mut found);
    }
    for symbol in &SYMBOLS {
        assert!(
            found.get(symbol.name).is_some_and(|count| *count >= 4),
            "{} has too few vectors",
            symbol.name
        );
    }
}

#[test]
fn lists_may_be_nested_1000_deep() {
    let nested = |depth: usize| (1..depth).fold(json!(["subject"]), |inner, _| json!(["not", inner]));
    let expression = Expression::compile(&nested(1000)).unwrap();
    assert!(!expression.holds(&json!(1), &Budget::default(), &Nowhere).unwrap());
    assert_eq!(
        Expression::compile(&nested(1001)).unwrap_err().to_string(),
        "nested more than 1000 levels deep"
    );
    // Each let adds three lists: its own, its bindings and the one binding.
    let lets = |depth: usize| (1..depth).fold(json!(1), |inner, _| json!(["let", [["a", inner]], 1]));
    assert!(Expression::compile(&lets(334)).is_ok());
    assert!(Expression::compile(&lets(335)).is_err());
}

/// Forms around an inner one, each in its own way.
const AROUND: [(&str, &str); 12] = [
    ("[not, ", "]"),
    ("[and, true, ", "]"),
    ("[or, false, ", "]"),
    ("[if, ", ", true, false]"),
    ("[if, true, ", ", false]"),
    ("[eq, 1, ", "]"),
    ("[get, ", ", 0]"),
    ("[trim, ", "]"),
    ("[let, [], ", "]"),
    ("[fn, [], ", "]"),
    ("[call, ", "]"),
    ("[call, [fn, [a], [var, a]], ", "]"),
];

#[test]
fn expressions_nest_as_deep_in_every_notation() {
    let quoted = |text: &str| {
        let bare = |word: &str| !word.is_empty() && word.chars().all(|letter| letter.is_ascii_lowercase());
        let words = text.split_inclusive(['[', ']', ',', ' ']);
        let quote = |word: &str| match word.trim_end_matches(['[', ']', ',', ' ']) {
            name if bare(name) && !["true", "false"].contains(&name) => {
                word.replacen(name, &format!("\"{name}\""), 1)
            }
            _ => word.to_owned(),
        };
        words.map(quote).collect::<String>()
    };
    for (before, after) in AROUND {
        let lists = |deep: usize| before.repeat(deep - 1) + "[subject]" + &after.repeat(deep - 1);
        let yaml = lists(998);
        let json = quoted(&yaml);
        let (from_yaml, from_json) = (read("q.yaml", &yaml).unwrap(), read("q.json", &json).unwrap());
        assert_eq!(from_yaml.to_string(), from_json.to_string(), "{before}");
        let value = |expression: &Expression| {
            expression
                .evaluate(&json!([[1]]), &Budget::default(), &Nowhere)
                .map_err(|error| error.to_string())
        };
        assert_eq!(value(&from_yaml), value(&from_json), "{before}");
        for deep in [1_001, 1_070, 3_000] {
            let yaml = lists(deep);
            for (name, text) in [("q.yaml", yaml.clone()), ("q.json", quoted(&yaml))] {
                let error = read(name, &text).map(|_| ()).unwrap_err();
                assert!(error.contains("nested more than"), "{before} {deep} {name} {error}");
            }
        }
    }
}

#[test]
fn a_mistake_deep_in_an_expression_has_its_place() {
    let deep = |inner: &str| "[not, ".repeat(200) + inner + &"]".repeat(200);
    for (inner, told) in [
        ("[nto, 1]", "q.yaml:1:1202: unsupported spec_lang symbol: nto; did you mean 'not'?"),
        ("[eq, 1]", "q.yaml:1:1201: 'eq' takes 2 arguments, got 1"),
        ("[]", "q.yaml:1:1201: empty list"),
        ("{a: 1}", "q.yaml:1:1201: nested more than 64 levels deep"),
    ] {
        let error = read("q.yaml", &deep(inner)).map(|_| ()).unwrap_err();
        assert!(error.starts_with(told), "{error}");
    }
}

#[test]
fn data_is_not_nested_deeper_for_it() {
    for name in ["q.yaml", "q.json"] {
        for (deep, is_data) in [(64, true), (65, false)] {
            let list = Document::new(name, "[".repeat(deep) + "1" + &"]".repeat(deep)).read().unwrap();
            let read = Value::deserialize(&list).map_err(|mistake| mistake.message);
            assert_eq!(read.is_ok(), is_data, "{name} {deep}");
            assert!(is_data || read.unwrap_err() == "nested more than 64 levels deep");
        }
        let object = Document::new(name, "{\"a\": ".repeat(65) + "1" + &"}".repeat(65)).read();
        assert!(object.unwrap_err().to_string().contains("nested more than 64 levels deep"));
    }
}

fn read(name: &str, text: &str) -> Result<Expression, String> {
    let document = Document::new(name, text);
    let node = document.read().map_err(|error| error.to_string())?;
    Expression::deserialize(&node).map_err(|mistake| document.error(mistake).to_string())
}

#[test]
fn a_mistake_is_told_at_the_innermost_part_that_has_it() {
    for (text, error) in [
        (
            "[and, true,\n  [contain, x]]",
            "q.yaml:2:4: unsupported spec_lang symbol: contain; did you mean 'contains'?",
        ),
        ("[and, true,\n  [eq, 1]]", "q.yaml:2:3: 'eq' takes 2 arguments, got 1; write it as [\"eq\", a, b]"),
        (
            "- eq\n- 1\n- {a: 1}",
            "q.yaml:3:3: spec_lang expressions are written as a list-based s-expr, found an object",
        ),
        ("[not,\n []]", "q.yaml:2:2: empty list: a form starts with a symbol"),
        ("[not,\n [[subject], 1]]", "q.yaml:2:3: expected a symbol at the start of a form, found a list"),
        ("[not,\n [var, x]]", "q.yaml:2:8: unknown variable 'x'"),
        ("[let, [[ab, 1]],\n [var, abc]]", "q.yaml:2:8: unknown variable 'abc'; did you mean 'ab'?"),
        ("[let, [[a, 1],\n  [a, 2]], 1]", "q.yaml:2:4: duplicate name 'a'"),
        ("[let, [[a, 1],\n  [b]], 1]", "q.yaml:2:3: a binding is a name and a value: [name, value]"),
        ("[fn, [a,\n  5], 1]", "q.yaml:2:3: expected a name, found 5"),
        ("[regex_match, [subject],\n '(a']", "q.yaml:2:2: invalid regex '(a': "),
        // A name may still come as long as the bindings go on, so the bindings as a whole lack it.
        ("[let,\n [[f, [fn, [n], [var, m]]]], 1]", "q.yaml:2:2: unknown variable 'm'"),
    ] {
        let told = read("q.yaml", text).unwrap_err();
        assert!(told.starts_with(error), "{text}\n  expected {error}\n  found    {told}");
    }
}

/// Other formats than JSON have more kinds of values.
#[test]
fn what_json_has_not_is_no_expression() {
    let bytes = BytesDeserializer::<serde::de::value::Error>::new(b"subject");
    let error = Expression::deserialize(bytes).unwrap_err();
    assert_eq!(error.to_string(), "invalid type: byte array, expected an expression");
}

#[test]
fn an_expression_is_shown_as_it_is_written() {
    let text =
        r#"["let",[["é",["fn",["a"],["eq",["var","a"],5.0]]]],["call",["var","é"],null,true,"\n",[]]]"#;
    assert_eq!(read("q.json", text).unwrap_err(), "q.json:1:87: empty list: a form starts with a symbol");
    let text = text.replace(",[]]", "]");
    let expression = read("q.json", &text).unwrap();
    assert_eq!(expression.to_string(), text);
    assert_eq!(format!("{:?}", expression.clone()), format!("Expression({text})"));
    assert_eq!(serde_json::from_str::<Expression>(&text).unwrap().to_string(), text);
}

#[test]
fn a_budget_has_minima() {
    let read = |budget: Value| serde_json::from_value::<Budget>(budget).map_err(|error| error.to_string());
    assert_eq!(read(json!({})), Ok(Budget::default()));
    let budget = Budget { max_steps: 1, max_nodes: 2, max_literal_bytes: 3, timeout_ms: 0 };
    let written = json!({"max_steps": 1, "max_nodes": 2.0, "max_literal_bytes": 3, "timeout_ms": 0});
    assert_eq!(read(written), Ok(budget));
    for name in ["max_steps", "max_nodes", "max_literal_bytes"] {
        assert_eq!(read(json!({name: 0})).unwrap_err(), "expected a positive integer, found 0");
    }
    for wrong in
        [json!({"timeout_ms": -1}), json!({"max_steps": 1.5}), json!({"max_steps": "5"}), json!({"steps": 5})]
    {
        assert!(read(wrong.clone()).is_err(), "{wrong}");
    }
    let schema = schemars::schema_for!(Budget).to_value();
    assert_eq!(schema["properties"]["max_steps"]["minimum"], 1);
    assert_eq!(schema["properties"]["timeout_ms"]["minimum"], 0);
    assert_eq!(schema["additionalProperties"], false);
}

#[test]
fn the_schema_lists_the_symbols() {
    let schema = schemars::schema_for!(Expression).to_value();
    let listed = schema["anyOf"][1]["prefixItems"][0]["enum"].as_array().unwrap();
    assert!(listed.iter().eq(SYMBOLS.iter().map(|symbol| symbol.name)));
    let forms = schema["anyOf"][1]["allOf"].as_array().unwrap();
    for (symbol, form) in SYMBOLS.iter().zip(forms) {
        assert_eq!(form["then"]["minItems"], symbol.least + 1, "{}", symbol.name);
        assert_eq!(
            form["then"]["maxItems"].as_u64(),
            symbol.most.map(|most| most as u64 + 1),
            "{}",
            symbol.name
        );
    }
}

/// A world in which some paths exist, and whose clock advances by so many milliseconds at each look.
#[derive(Debug, Default)]
struct Somewhere {
    looks: AtomicU64,
    each_takes: u64,
}

impl World for Somewhere {
    fn elapsed(&self) -> Option<Duration> {
        Some(Duration::from_millis(self.looks.fetch_add(1, Ordering::Relaxed) * self.each_takes))
    }

    fn path_exists(&self, path: &str) -> Option<bool> {
        Some(path == "here")
    }
}

fn counting_down(from: u64) -> Expression {
    Expression::compile(&json!([
        "let",
        [[
            "loop",
            [
                "fn",
                ["n", "acc"],
                [
                    "if",
                    ["eq", ["var", "n"], 0],
                    ["var", "acc"],
                    ["call", ["var", "loop"], ["sub", ["var", "n"], 1], ["add", ["var", "acc"], 1]]
                ]
            ]
        ]],
        ["call", ["var", "loop"], from, 0]
    ]))
    .unwrap()
}

#[test]
fn the_time_limit_is_kept_where_there_is_a_clock() {
    let ask = |expression: &Expression, each_takes, timeout_ms| {
        let world = Somewhere { each_takes, ..Somewhere::default() };
        let answer = expression.evaluate(&json!(null), &Budget { timeout_ms, ..Budget::default() }, &world);
        answer.map_err(|error| (error.category(), error.to_string()))
    };
    let exceeded = Err((Category::Runtime, "spec_lang budget exceeded: timeout".to_owned()));
    let expression = counting_down(1500);
    assert_eq!(ask(&expression, 1000, 200), exceeded);
    assert_eq!(ask(&expression, 1000, 1), exceeded);
    assert_eq!(ask(&expression, 1000, 0), Ok(json!(1500)), "0 is no limit");
    assert_eq!(ask(&expression, 10, 200), Ok(json!(1500)));
    // The clock is looked at when the loop begins and after every 4096 of its 18011 steps.
    assert_eq!(ask(&expression, 50, 200), exceeded);
    assert_eq!(ask(&expression, 40, 200), Ok(json!(1500)));
    assert_eq!(expression.evaluate(&json!(null), &Budget::default(), &Nowhere).unwrap(), 1500);
}

#[test]
fn what_reads_much_is_timed_too() {
    let world = |each_takes| Somewhere { each_takes, ..Somewhere::default() };
    let large = json!({"text": "x".repeat(10_000), "list": [[1], [2]]});
    for slow in [
        json!(["contains", "y"]),
        json!(["upper", ["get", ["subject"], "text"]]),
        json!(["eq", ["get", ["subject"], "list"], ["get", ["subject"], "list"]]),
        json!(["if", ["neq", ["get", ["subject"], "text"], ["get", ["subject"], "text"]], 1, 2]),
        json!(["in", 5, ["get", ["subject"], "list"]]),
        json!(["regex_match", "a", "b"]),
    ] {
        let expression = Expression::compile(&slow).unwrap();
        assert!(expression.evaluate(&large, &Budget::default(), &world(70)).is_ok(), "{slow}");
        let error = expression.evaluate(&large, &Budget::default(), &world(150)).unwrap_err();
        assert_eq!(error.to_string(), "spec_lang budget exceeded: timeout", "{slow}");
    }
    let short = "x".repeat(4096);
    for quick in [
        json!(["has_key", ["get", ["subject"], "list"], "a"]),
        json!(["upper", 5]),
        json!(["upper", short]),
        json!(["contains", "a", "b"]),
        json!(["if", ["eq", 1.5, 2.5], 1, 2]),
        json!(["if", ["eq", ["get", ["subject"], "list"], 5], 1, 2]),
    ] {
        let expression = Expression::compile(&quick).unwrap();
        assert!(expression.evaluate(&large, &Budget::default(), &world(150)).is_ok(), "{quick}");
    }
}

/// A world in which somebody wants to end.
#[derive(Debug)]
struct Ending;

impl World for Ending {
    fn is_stopped(&self) -> bool {
        true
    }
}

#[test]
fn whoever_wants_to_end_is_heard_without_a_clock() {
    let error = counting_down(5).evaluate(&json!(null), &Budget::default(), &Ending).unwrap_err();
    assert_eq!(
        (error.category(), error.to_string()),
        (Category::Runtime, "spec_lang interrupted".to_owned())
    );
}

#[test]
fn a_path_exists_where_there_are_files() {
    let expression = Expression::compile(&json!(["path_exists", ["subject"]])).unwrap();
    for (path, exists) in [("here", true), ("there", false)] {
        assert_eq!(expression.holds(&json!(path), &Budget::default(), &Somewhere::default()), Ok(exists));
    }
}

fn assert_shared<T: Send + Sync + Clone + std::fmt::Debug>() {}

#[test]
fn an_expression_is_shared_between_threads() {
    assert_shared::<Expression>();
}

fn documentation() -> String {
    std::fs::read_to_string(root().join("docs/reference/spec-lang.md")).unwrap()
}

#[test]
fn the_documentation_has_every_symbol() {
    let documentation = documentation();
    for symbol in &SYMBOLS {
        let row = format!("| `{}` | {} |", symbol.written.replace(" or ", "` or `"), symbol.gives);
        assert!(documentation.contains(&row), "docs/reference/spec-lang.md lacks {row}");
    }
}

/// An example is written `EXPRESSION → ANSWER` or `EXPRESSION with subject SUBJECT → ANSWER`.
#[test]
fn every_example_in_the_documentation_is_true() {
    let documentation = documentation();
    let blocks = documentation.split("```text\n").skip(1).filter_map(|block| block.split("```").next());
    let mut examples = 0;
    for (question, expected) in blocks.flat_map(str::lines).filter_map(|line| line.split_once(" → ")) {
        let (expression, subject) = question.split_once(" with subject ").unwrap_or((question, "null"));
        let parsed = |text: &str| {
            serde_json::from_str::<Value>(text).unwrap_or_else(|error| panic!("{text}: {error}"))
        };
        let (found, is_true) = match answer(&parsed(expression), &parsed(subject), &Budget::default()) {
            Ok(value) => (value.to_string(), value == parsed(expected)),
            Err((category, message)) => {
                let told = format!("{}: {message}", format!("{category:?}").to_lowercase());
                let is_true = told.starts_with(expected);
                (told, is_true)
            }
        };
        assert!(is_true, "{question}\n  expected {expected}\n  found    {found}");
        examples += 1;
    }
    assert!(examples >= 50, "only {examples} examples were found");
}

/// Functions that come into being together are charged together, and there may be more of them than steps between two
/// looks at the clock.
#[test]
fn many_steps_at_once_are_counted() {
    let functions: Vec<Value> = (0..5000).map(|at| json!([format!("f{at}"), ["fn", [], at]])).collect();
    let expression = json!(["let", functions, ["call", ["var", "f4999"]]]);
    let at = |max_steps| {
        answer(&expression, &json!(null), &Budget { max_steps, max_nodes: 100_000, ..Budget::default() })
    };
    assert_eq!(at(5004), Ok(json!(4999)));
    assert_eq!(at(5003), Err((Category::Runtime, "spec_lang budget exceeded: steps".to_owned())));
}
