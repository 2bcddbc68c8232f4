//! spec-lang in memory: loops stay flat, recursion ends, nothing is left behind.

use counting_allocator::{counted, forget_the_most};
use probative::spec::lang::{Budget, Expression, Nowhere};
use probative::value::Value;
use serde_json::json;

const KIB: isize = 1 << 10;

/// What an expression gives with steps to spare, and the most bytes that were held meanwhile. None are held afterwards.
fn measured(expression: &Value, subject: &Value) -> (Result<Value, String>, isize) {
    let budget = Budget { max_steps: u64::MAX, timeout_ms: 0, ..Budget::default() };
    let expression = Expression::compile(expression).unwrap();
    let before = counted().held;
    forget_the_most();
    let answer = expression.holds(subject, &budget, &Nowhere);
    let counted = counted();
    let answer = answer.map(Value::from).map_err(|error| error.to_string());
    if answer.is_ok() {
        assert_eq!(counted.held, before, "something is left behind");
    }
    (answer, counted.most - before)
}

/// `loop(n, keep)`, which goes on with `n - 1` and what it shall keep until `n` is 0, and gives then what is said.
fn looped(rounds: u64, keep: &Value, kept: &Value, at_last: &Value) -> Value {
    json!([
        "let",
        [[
            "loop",
            [
                "fn",
                ["n", "keep"],
                [
                    "if",
                    ["eq", ["var", "n"], 0],
                    at_last,
                    ["call", ["var", "loop"], ["sub", ["var", "n"], 1], keep]
                ]
            ]
        ]],
        ["call", ["var", "loop"], rounds, kept]
    ])
}

/// Slower code gets less to do.
fn rounds(in_release: u64) -> u64 {
    if cfg!(debug_assertions) { in_release / 10 } else { in_release }
}

#[test]
fn a_tail_loop_is_flat() {
    let rounds = rounds(10_000_000);
    let counting = looped(
        rounds,
        &json!(["add", ["var", "keep"], 1]),
        &json!(0),
        &json!(["eq", ["var", "keep"], rounds]),
    );
    let (answer, most) = measured(&counting, &json!(null));
    assert_eq!(answer, Ok(json!(true)));
    assert!(most < KIB, "{most} bytes");
}

#[test]
fn functions_that_call_each_other_are_flat() {
    let step = |other| {
        json!([
            "fn",
            ["n"],
            ["if", ["eq", ["var", "n"], 0], true, ["call", ["var", other], ["sub", ["var", "n"], 1]]]
        ])
    };
    let mutual = json!([
        "let",
        [["a", step("b")], ["b", step("c")], ["c", step("a")]],
        ["call", ["var", "a"], rounds(1_000_000)]
    ]);
    let (answer, most) = measured(&mutual, &json!(null));
    assert_eq!(answer, Ok(json!(true)));
    assert!(most < KIB, "{most} bytes");
}

#[test]
fn a_let_in_a_loop_is_flat() {
    // Each round makes functions that refer to themselves, to each other and to the loop.
    let inner = json!([
        "let",
        [
            [
                "down",
                [
                    "fn",
                    ["m"],
                    ["if", ["eq", ["var", "m"], 0], ["var", "n"], ["call", ["var", "up"], ["var", "m"]]]
                ]
            ],
            ["up", ["fn", ["m"], ["call", ["var", "down"], ["sub", ["var", "m"], 1]]]]
        ],
        ["call", ["var", "down"], 2]
    ]);
    let (answer, most) =
        measured(&looped(rounds(300_000), &inner, &json!(0), &json!(["var", "keep"])), &json!(null));
    assert_eq!(answer, Ok(json!(true)));
    assert!(most < 2 * KIB, "{most} bytes");
}

#[test]
fn texts_are_freed_as_it_goes() {
    let subject = json!("Ä".repeat(100_000));
    let built = json!(["upper", ["lower", ["trim", ["subject"]]]]);
    let (answer, most) = measured(
        &looped(rounds(1000), &built, &json!(""), &json!(["eq", ["var", "keep"], ["subject"]])),
        &subject,
    );
    assert_eq!(answer, Ok(json!(true)));
    assert!(most < 6 * 200 * KIB, "{most} bytes");
}

#[test]
fn what_is_parsed_is_freed_as_it_goes() {
    let subject = json!(format!("{{\"a\": [[{}1]]}}", "1,".repeat(1000)));
    let parsed = json!(["get", ["get", ["json_parse", ["subject"]], "a"], 0]);
    let (answer, most) = measured(
        &looped(rounds(1000), &parsed, &json!(0), &json!(["eq", ["len", ["var", "keep"]], 1001])),
        &subject,
    );
    assert_eq!(answer, Ok(json!(true)));
    assert!(most < 5 * 1001 * 80, "{most} bytes");
}

#[test]
fn what_functions_hold_is_let_go() {
    // A variable that functions refer to before it is set, and that holds one of them.
    let early = json!([
        "let",
        [
            ["f", ["fn", [], ["var", "g"]]],
            ["x", 1],
            ["g", ["fn", [], ["add", ["call", ["call", ["var", "f"]]], ["var", "x"]]]]
        ],
        ["if", ["var", "g"], ["var", "x"], 0]
    ]);
    assert_eq!(measured(&early, &json!(null)).0, Ok(json!(true)));
}

#[test]
fn a_million_functions_one_inside_the_other_are_let_go() {
    let wrapped = json!(["fn", [], ["var", "keep"]]);
    let (answer, _) = measured(
        &looped(1_000_000, &wrapped, &json!(0), &json!(["if", ["var", "keep"], 1, 2])),
        &json!(null),
    );
    assert_eq!(answer, Ok(json!(true)));
}

#[test]
fn functions_one_inside_the_other_stay_within_their_memory() {
    let exceeded = Err("spec_lang budget exceeded: memory (512 MiB)".to_owned());
    // Each holds the one before, and sixteen numbers.
    let names: Vec<String> = (0..16).map(|at| format!("v{at}")).collect();
    let bindings: Vec<Value> = names.iter().map(|name| json!([name, ["add", ["var", "n"], 1]])).collect();
    let used: Vec<Value> = names.iter().map(|name| json!(["var", name])).collect();
    let all = [vec![json!("and"), json!(["var", "keep"])], used].concat();
    let wide = json!(["let", bindings, ["fn", [], all]]);
    let (answer, most) = measured(&looped(10_000_000, &wide, &json!(0), &json!(1)), &json!(null));
    assert_eq!(answer, exceeded);
    assert!(most < 560 * KIB * KIB, "{most} bytes");
    // Each holds the one before, and a text of its own.
    let text = json!([
        "let",
        [["text", ["upper", ["subject"]]]],
        ["fn", [], ["and", ["var", "keep"], ["var", "text"]]]
    ]);
    let subject = json!("a".repeat(1 << 20));
    let (answer, most) = measured(&looped(5_000, &text, &json!(0), &json!(1)), &subject);
    assert_eq!(answer, exceeded);
    assert!(most < 560 * KIB * KIB, "{most} bytes");
}

/// `sum(n)`, which is `n` and the sum of what is below, not in tail position.
fn recursive(depth: u64) -> Value {
    json!([
        "let",
        [[
            "sum",
            [
                "fn",
                ["n"],
                [
                    "if",
                    ["eq", ["var", "n"], 0],
                    0,
                    ["add", ["var", "n"], ["call", ["var", "sum"], ["sub", ["var", "n"], 1]]]
                ]
            ]
        ]],
        ["call", ["var", "sum"], depth]
    ])
}

#[test]
fn a_recursion_of_almost_a_million_calls_answers() {
    let (answer, most) = measured(&recursive(999_998), &json!(null));
    assert_eq!(answer, Ok(json!(true)));
    assert!(most < 300 * KIB * KIB, "{most} bytes");
}

#[test]
fn a_deeper_recursion_is_a_runtime_error() {
    let (answer, _) = measured(&recursive(1_500_000), &json!(null));
    assert_eq!(answer, Err("spec_lang recursion is deeper than 1,000,000 calls".to_owned()));
    // Each call holds a hundred variables.
    let names: Vec<String> = (0..100).map(|at| format!("v{at}")).collect();
    let bindings: Vec<Value> = names.iter().map(|name| json!([name, 1])).collect();
    let wide = json!([
        "let",
        [["f", ["fn", [], ["let", bindings, ["add", 1, ["call", ["var", "f"]]]]]]],
        ["call", ["var", "f"]]
    ]);
    assert_eq!(
        measured(&wide, &json!(null)).0,
        Err("spec_lang recursion holds more than 16,000,000 values".to_owned())
    );
}

#[test]
fn variables_that_are_referred_to_before_they_are_set_are_bounded() {
    let early = json!(["let", [["f", ["fn", [], ["var", "x"]]], ["x", 1]], ["call", ["var", "f"]]]);
    let (answer, _) = measured(&looped(1_000_001, &early, &json!(0), &json!(1)), &json!(null));
    assert_eq!(
        answer,
        Err("spec_lang functions refer to more than 1,000,000 variables before they are set".to_owned())
    );
}
