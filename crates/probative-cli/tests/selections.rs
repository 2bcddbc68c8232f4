//! `probative check` and `probative show` over selection reports, as a stranger meets them.

mod place;

use place::Place;
use serde_json::{Value, json};

fn included(content: &str, kind: &str, score: f64) -> Value {
    json!({"item": {"content": content, "kind": kind, "tokens": 10}, "score": score, "reason": {"reason": "Scored"}})
}

fn excluded(content: &str, kind: &str, score: f64) -> Value {
    let reason = json!({"reason": "BudgetExceeded", "item_tokens": 30, "available_tokens": 5});
    json!({"item": {"content": content, "kind": kind, "tokens": 30}, "score": score, "reason": reason})
}

fn report(included: &[Value], excluded: &[Value]) -> String {
    let tokens = 10 * included.len() + 30 * excluded.len();
    json!({"events": [], "included": included, "excluded": excluded, "total_candidates": included.len() + excluded.len(),
        "total_tokens_considered": tokens})
    .to_string()
}

fn small() -> String {
    report(
        &[included("be kind", "SystemPrompt", 1.0), included("hi", "Message", 0.5)],
        &[excluded("page", "Document", 0.75)],
    )
}

#[test]
fn a_failure_shows_the_selection_with_arrows() {
    let question = "include_item_with_kind: document\nplace_top_n_scored_at_edges: 3\n";
    let place = Place::with(&[("q.yaml", question), ("report.json", &small())]);
    let ended = place.run(&["check", "q.yaml", "report.json", "--no-timings"]);
    let expected = "FAIL report.json
  Test FAILS (2 of 2 assertions failed)

  include_item_with_kind  q.yaml:1:1
    IncludeItemWithKind(document) failed: Included contained 0 items with Kind=document. Included had 2 items with kinds: [SystemPrompt, Message].
    expected  at least 1 included item with Kind=document
    found     2 items with kinds: [SystemPrompt, Message]
    at        included

  place_top_n_scored_at_edges  q.yaml:2:1
    PlaceTopNScoredAtEdges(3) failed: n=3 exceeds Included count=2. There are not enough items to fill 3 edge positions.
    expected  at least 3 included items
    found     2
    at        included

  Included (2 items, in placement order):
      [0]  SystemPrompt  1.0000  10 tokens  Scored          'be kind'
      [1]  Message       0.5000  10 tokens  Scored          'hi'
  Excluded (1 item):
      [0]  Document      0.7500  30 tokens  BudgetExceeded  'page'  (needs 30 tokens, 5 left)  ← matches, but was excluded: BudgetExceeded

  rerun: probative check q.yaml report.json

1 subject: 1 failed
";
    assert_eq!((ended.code, &*ended.stdout, &*ended.stderr), (1, expected, ""));
}

#[test]
fn a_report_is_shown_with_its_budget() {
    let place = Place::with(&[("report.json", &small())]);
    let expected = "report.json
  included    [████████████░░░░░░░░░░░░░░░░░░] 20 of 50 tokens, 40.0% (2 of 3 items)
  budget      [██████████████████████████████] 20 of 20 tokens, 100.0%

Included (2 items, in placement order):
    [0]  SystemPrompt  1.0000  10 tokens  Scored          'be kind'
    [1]  Message       0.5000  10 tokens  Scored          'hi'
Excluded (1 item):
    [0]  Document      0.7500  30 tokens  BudgetExceeded  'page'  (needs 30 tokens, 5 left)
";
    let ended = place.run(&["show", "report.json", "--budget", "20"]);
    assert_eq!((ended.code, &*ended.stdout, &*ended.stderr), (0, expected, ""));
    place.run(&["show", "report.json", "--budget", "10"]).with(
        0,
        &["20 of 10 tokens, 200.0%, over budget"],
        &[],
    );
    place.run(&["show", "report.json"]).with(0, &["(2 of 3 items)\n\nIncluded"], &[]);
}

#[test]
fn everything_that_a_report_can_hold_is_shown() {
    let reasons = [
        json!({"reason": "BudgetExceeded", "item_tokens": 9, "available_tokens": 4}),
        json!({"reason": "ScoredTooLow", "score": 0.1, "threshold": 0.2}),
        json!({"reason": "Deduplicated", "deduplicated_against": "a"}),
        json!({"reason": "QuotaCapExceeded", "kind": "Memory", "cap": 1, "actual": 2}),
        json!({"reason": "QuotaRequireDisplaced", "displaced_by_kind": "Memory"}),
        json!({"reason": "NegativeTokens", "tokens": -1}),
        json!({"reason": "PinnedOverride", "displaced_by": "a"}),
        json!({"reason": "Filtered", "filter_name": "old"}),
        json!({"reason": "CountCapExceeded", "kind": "Memory", "cap": 1, "count": 1}),
        json!({"reason": "CountRequireCandidatesExhausted", "kind": "Memory"}),
        json!({"reason": "_Unknown"}),
    ];
    let scores = [1e8, 1e7, 9_999_999.0, 1.0, 0.5, 1e-4, 5e-5, 0.0, -0.25, -2.0, -1e9];
    let left: Vec<Value> = reasons.iter().zip(scores).map(|(reason, score)| {
        json!({"item": {"content": "x", "tokens": if score > 0.5 { 1 } else { -3 }}, "score": score, "reason": reason})
    }).collect();
    let whole = json!({"events": [], "included": [{"item": {"content": "a\nb", "tokens": 2}, "score": null, "reason": {"reason": "ZeroToken"}}],
        "excluded": left, "total_candidates": 12, "total_tokens_considered": -15,
        "count_requirement_shortfalls": [{"kind": "Memory", "required_count": 3, "satisfied_count": 1}]});
    let place = Place::with(&[("report.json", &whole.to_string())]);
    let expected = r"report.json
  included    [██████████░░░░░░░░░░░░░░░░░░░░] 2 of 6 tokens, 33.3% (1 of 12 items)

Included (1 item):
     [0]  Message           NaN   2 tokens  ZeroToken                        'a\nb'
Excluded (11 items, by score):
     [0]  Message           1e8    1 token  BudgetExceeded                   'x'  (needs 9 tokens, 4 left)
     [1]  Message           1e7    1 token  ScoredTooLow                     'x'  (0.1 is below 0.2)
     [2]  Message  9999999.0000    1 token  Deduplicated                     'x'
     [3]  Message        1.0000    1 token  QuotaCapExceeded                 'x'  (Memory: 2, at most 1)
     [4]  Message        0.5000  -3 tokens  QuotaRequireDisplaced            'x'  (by Memory)
     [5]  Message        0.0001  -3 tokens  NegativeTokens                   'x'
     [6]  Message          5e-5  -3 tokens  PinnedOverride                   'x'  (by 'a')
     [7]  Message        0.0000  -3 tokens  Filtered                         'x'  (by old)
     [8]  Message       -0.2500  -3 tokens  CountCapExceeded                 'x'  (Memory, at most 1)
     [9]  Message       -2.0000  -3 tokens  CountRequireCandidatesExhausted  'x'  (Memory)
    [10]  Message          -1e9  -3 tokens  _Unknown                         'x'
  shortfall   1 of 3 required items of kind Memory
";
    assert_eq!(place.run(&["show", "report.json"]).stdout, expected);
}

#[test]
fn a_long_report_is_shown_whole_or_in_brief() {
    let many: Vec<Value> = (0..30).map(|n| included(&format!("item {n}"), "Message", 0.5)).collect();
    let place = Place::with(&[
        ("long.json", &report(&many, &[])),
        ("q.yaml", "place_item_at_edge: [eq, [get, [get, [subject], item], content], item 7]"),
    ]);
    let whole = place.run(&["show", "long.json"]);
    assert_eq!(whole.stdout.lines().filter(|line| line.contains("'item ")).count(), 30);
    assert!(whole.stdout.contains("    [29]  Message") && whole.stdout.contains("     [7]  Message"));
    let brief = place.run(&["show", "--brief", "long.json"]);
    brief.with(0, &["    ... (28 more items) ...", "Excluded: (none)"], &[]);
    let ended = place.run(&["check", "q.yaml", "long.json"]);
    ended.with(
        1,
        &["'item 6'\n", "'item 7'  ← satisfies the predicate, but isn't at an edge\n", "(5 more items)"],
        &[],
    );
}

#[test]
fn every_kind_of_subject_is_shown_as_what_it_is() {
    let run = json!({"steps": [{"step_type": "tool_call", "tool_name": "search"}]}).to_string();
    let place = Place::with(&[
        ("1.json", &small()),
        ("2.json", &run),
        ("3.json", r#"{"status": "o\u001bk", "results": []}"#),
        ("4.txt", "just text"),
    ]);
    let ended = place.run(&["show", "1.json", "2.json", "3.json", "4.txt"]);
    let shown =
        ["Included (2 items", "Actual trajectory (1 step)", "  \"status\": \"o\\u001bk\"", "  \"just text\""];
    ended.with(0, &shown, &[]);
}

#[test]
fn reports_one_a_line_are_judged_one_by_one() {
    let lines = format!("{}\n{}\n{{\"steps\": []}}\n", small(), report(&[], &[]));
    let place = Place::with(&[("q.json", r#"{"have_at_least_n_exclusions": 1}"#), ("all.jsonl", &lines)]);
    let results = place.results(&["check", "q.json", "all.jsonl"]);
    let told: Vec<_> =
        results.iter().map(|result| (result["id"].as_str(), result["status"].as_str())).collect();
    let expected = [("all.jsonl:1", "pass"), ("all.jsonl:2", "fail"), ("all.jsonl:3", "error")];
    assert_eq!(told, expected.map(|(id, status)| (Some(id), Some(status))));
    assert_eq!(results[0]["type"], "context.selection");
    assert_eq!(results[2]["category"], "schema");
    assert!(
        results[2]["message"]
            .as_str()
            .unwrap()
            .contains("all.jsonl:3:1: not a selection report: 'events' is missing")
    );
}

#[test]
fn a_machine_is_told_the_items_by_place() {
    let place =
        Place::with(&[("q.yaml", "have_no_exclusions_for_kind: Document"), ("report.json", &small())]);
    let row = &place.results(&["check", "q.yaml", "report.json"])[0]["assertions"][0];
    assert_eq!(row["place"], "excluded[0]");
    assert_eq!(
        row["items"],
        json!([{"place": "excluded[0]", "note": "Kind=Document, reason=BudgetExceeded"}])
    );
    assert!(row.get("steps").is_none());
}

#[test]
fn an_earlier_report_is_read_from_where_the_question_stands() {
    let before = report(&[included("be kind", "SystemPrompt", 1.0)], &[]);
    let place = Place::with(&[
        (
            "questions/q.yaml",
            "selection_changed: {against: ../earlier/before.json, allow: [{kind: Message}]}",
        ),
        ("questions/strict.yaml", "selection_changed: {against: ../earlier/before.json}"),
        ("questions/gone.yaml", "selection_changed: {against: gone.json}\nhave_kind_coverage_count: 2\n"),
        ("questions/folder.yaml", "selection_changed: {against: ../earlier}"),
        ("questions/bad.yaml", "selection_changed: {against: ../bad.json}"),
        ("earlier/before.json", &before),
        ("bad.json", "{\n\"steps\": 1}"),
        ("report.json", &small()),
    ]);
    place.run(&["check", "questions/q.yaml", "report.json"]).with(0, &["1 passed"], &[]);
    let strict = place.run(&["check", "questions/strict.yaml", "report.json"]);
    strict.with(
        1,
        &["1 of 1 changes not allowed: entered at index 1 (kind=Message, 'hi', not a candidate before)"],
        &[],
    );
    // What cannot be had is a runtime error, of that assertion alone.
    let gone =
        place.run(&["check", "questions/gone.yaml", "report.json", "--report", "json", "--no-timings"]);
    let told: Value = serde_json::from_str(&gone.stdout).unwrap();
    let rows = &told["results"][0]["assertions"];
    assert_eq!((gone.code, &rows[0]["status"], &rows[1]["status"]), (1, &json!("error"), &json!("pass")));
    assert!(
        rows[0]["message"]
            .as_str()
            .unwrap()
            .starts_with("questions/gone.yaml:1:1: questions/gone.json: no such file"),
        "{rows}"
    );
    assert_eq!(told["results"][0]["category"], "runtime");
    let folder = place.run(&["check", "questions/folder.yaml", "report.json"]);
    folder.with(1, &["1 error"], &["questions/../earlier: not a file\n --> questions/folder.yaml:1:1"]);
    let bad = place.run(&["check", "questions/bad.yaml", "report.json"]);
    bad.with(
        2,
        &["1 error"],
        &[
            "../bad.json: not a selection report: 'events' is missing (line 1, column 1)",
            " --> questions/bad.yaml:1:1",
        ],
    );
}

#[test]
fn what_is_wrong_with_a_report_is_told_with_its_line() {
    let wrong = "{\"events\": [], \"included\": [\n{\"item\": {\"content\": \"a\", \"tokens\": 1, \"priority\": null},\n\
                 \"score\": \"high\", \"reason\": {\"reason\": \"Scored\"}}],\n\"excluded\": [], \"total_candidates\": 1, \
                 \"total_tokens_considered\": 1}";
    let place = Place::with(&[
        ("q.yaml", "have_kind_coverage_count: 1"),
        ("wrong.json", wrong),
        ("field.json", &small().replace("\"tokens\":10", "\"token\":10")),
        ("total.json", &small().replace("\"total_candidates\":3", "\"total_candidates\":7")),
        ("list.json", "[]"),
        ("null.json", "{\"events\": [], \"included\": null}"),
        ("positions.json", &small().replacen("{\"reason\":\"Scored\"}", "[\"Scored\"]", 1)),
        ("twice.json", "{\"events\": [], \"events\": [], \"included\": []}"),
        ("good.json", &small()),
    ]);
    let files = ["wrong", "field", "total", "list", "null", "positions", "twice", "good"];
    let files = files.map(|name| format!("{name}.json"));
    let arguments: Vec<&str> =
        ["check", "q.yaml"].into_iter().chain(files.iter().map(String::as_str)).collect();
    let ended = place.run(&arguments);
    let told = [
        "wrong.json:3:10: not a selection report: included[0].score: expected a number, found 'high'",
        "field.json:1:77: not a selection report: included[0].item: unknown key 'token'; did you mean 'tokens'?",
        "total.json:1:1: not a selection report: total_candidates 7 does not equal included.len() 2 + excluded.len() 1",
        "list.json:1:1: not a selection report: expected an object, found a list",
        "null.json:1:28: not a selection report: included: expected a list, found null",
        "positions.json:1:1: not a selection report: included[0].reason isn't an object",
        "twice.json:1:1: not a selection report: missing field `excluded`",
        "1 passed",
    ];
    ended.with(2, &told, &[]);
}

#[test]
fn what_a_reader_should_know_is_warned_of() {
    let strange = small()
        .replace("\"score\":0.5", "\"score\":null")
        .replace("BudgetExceeded", "NewerReason")
        .replace("\"total_tokens_considered\":50", "\"total_tokens_considered\":51");
    let twice = small().replacen('{', "{\"events\": [], ", 1);
    let place = Place::with(&[
        ("q.yaml", "exclude_item_with_reason: _Unknown"),
        ("strange.json", &strange),
        ("any.yaml", "have_kind_coverage_count: 1"),
        ("twice.json", &twice),
    ]);
    let told = [
        "'included[1].score' is null; read as NaN",
        "'excluded[0].reason': unknown reason 'NewerReason'; read as _Unknown",
        "'total_tokens_considered' is 51, but the items add up to 50 tokens",
        "1 passed",
    ];
    place.run(&["check", "q.yaml", "strange.json"]).with(0, &told, &[]);
    place.run(&["check", "any.yaml", "twice.json"]).with(0, &["'events' appears twice"], &[]);
}

#[test]
fn of_many_warnings_the_first_are_told() {
    let scored: Vec<Value> = (0..9).map(|n| included(&format!("item {n}"), "Message", 0.5)).collect();
    let left: Vec<Value> = (0..10).map(|n| excluded(&format!("page {n}"), "Document", 0.5)).collect();
    let strange =
        report(&scored, &left).replace("\"score\":0.5", "\"score\":null").replace("BudgetExceeded", "New");
    let place = Place::with(&[("q.yaml", "have_kind_coverage_count: 1"), ("strange.json", &strange)]);
    let warnings = place.results(&["check", "q.yaml", "strange.json"])[0]["warnings"].clone();
    let warnings: Vec<&str> =
        warnings.as_array().unwrap().iter().map(|warning| warning.as_str().unwrap()).collect();
    assert_eq!(warnings.len(), 18);
    assert!(
        warnings[7].starts_with("'included[7].score'") && warnings[8] == "… and 11 more like this",
        "{warnings:?}"
    );
    assert!(
        warnings[16].starts_with("'excluded[7].reason'") && warnings[17] == "… and 2 more like this",
        "{warnings:?}"
    );
}

#[test]
fn what_should_be_known_of_an_earlier_report_is_told() {
    let place = Place::with(&[
        ("q.yaml", "must: [{selection_changed: [{against: earlier.json}]}]"),
        ("earlier.json", &small().replace("\"score\":0.5", "\"score\":null")),
        ("report.json", &small()),
    ]);
    let told = "warning: q.yaml: earlier.json: 'included[1].score' is null; read as NaN";
    place.run(&["check", "q.yaml", "report.json"]).with(0, &["1 passed"], &[told]);
}

#[test]
fn a_negated_assertion_points_at_what_shows_that_it_holds() {
    let question = "cannot:\n  - include_item_with_kind: [Message]\n  - exclude_item_with_reason: [BudgetExceeded]\n\
                    \u{20} - place_item_at_edge: [[eq, [get, [get, [subject], item], kind], SystemPrompt]]\n";
    let place = Place::with(&[("q.yaml", question), ("report.json", &small())]);
    let ended = place.run(&["check", "q.yaml", "report.json"]);
    ended.with(
        1,
        &["'be kind'  ← this item\n", "'hi'  ← this item\n", "(needs 30 tokens, 5 left)  ← this item\n"],
        &[],
    );
}

#[test]
fn a_question_about_two_subjects_is_refused() {
    let place = Place::with(&[
        ("q.yaml", "have_kind_coverage_count: 1\ntool_was_called: search\n"),
        ("report.json", &small()),
    ]);
    let told = "'tool_was_called' judges a trajectory, but 'have_kind_coverage_count' judges a report";
    place.run(&["check", "q.yaml", "report.json"]).with(2, &[], &["q.yaml:2:1", told]);
}

#[test]
fn a_predicate_is_checked_before_anything_is_judged() {
    let place = Place::with(&[
        ("q.yaml", "include_item_matching:\n  - and\n  - [eqs, 1, 1]\nhave_kind_coverage_count: 2\n"),
        (
            "type.yaml",
            "exclude_item_matching_with_reason: {predicate: [len, [get, [subject], pinned]], reason: Filtered}",
        ),
        ("loop.yaml", "include_item_matching: [let, [[f, [fn, [], [call, [var, f]]]]], [call, [var, f]]]"),
        ("report.json", &small()),
    ]);
    let ended = place.run(&["check", "q.yaml", "report.json"]);
    ended.with(2, &["1 error"], &["q.yaml:3:6", "unsupported spec_lang symbol: eqs"]);
    let endless = place.run(&["check", "loop.yaml", "report.json"]);
    endless.with(1, &["included[0]: spec_lang budget exceeded: steps"], &[]);
    let mistaken = place.run(&["check", "type.yaml", "report.json"]);
    mistaken.with(2, &["excluded[0]: 'len' takes a string, a list or an object, got a boolean false"], &[]);
}

#[test]
fn what_a_terminal_obeys_is_shown() {
    let hostile = report(
        &[included("a\u{1b}[31m\u{202e}", "K\u{1b}]0;x\u{7}", 0.5)],
        &[excluded("b\n::error::", "L\r", 0.1)],
    );
    let question =
        "include_item_with_kind: Other\nhave_no_exclusions_for_kind: \"l\\r\"\nkinds_in_order: [Z]\n";
    let place = Place::with(&[("q.yaml", question), ("report.json", &hostile)]);
    for arguments in [&["check", "q.yaml", "report.json"][..], &["show", "report.json"]] {
        let ended = place.run(arguments);
        let obeyed = |character: char| character.is_control() && character != '\n' || character == '\u{202e}';
        assert!(!ended.stdout.contains(obeyed) && !ended.stdout.contains("\n::error"), "{:?}", ended.stdout);
        assert!(ended.stdout.contains(r"\u001b"), "{:?}", ended.stdout);
    }
}

#[test]
fn hostile_reports_end_in_a_verdict_or_an_error() {
    let kinds: Vec<Value> = (0..3000).map(|n| included("a", &format!("Kind {n}"), 0.5)).collect();
    let deep = format!("{{\"events\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let place = Place::with(&[
        (
            "q.yaml",
            "include_item_with_kind: Other\nhave_kind_coverage_count: 4000\nplace_top_n_scored_at_edges: 2000\nkinds_in_order: [Other]\n",
        ),
        ("kinds.json", &report(&kinds, &[])),
        ("deep.json", &deep),
        ("huge.json", &small().replace("\"tokens\":10", "\"tokens\":9223372036854775807")),
        ("beyond.json", &small().replace("\"score\":0.5", "\"score\":1e400")),
    ]);
    let ended = place.run(&["check", "q.yaml", "kinds.json", "deep.json", "huge.json", "beyond.json"]);
    let told = [
        "Kind 99, … 2900 more].",
        "but found 3000: [",
        "deep.json:1:",
        "nested more than 127 levels deep",
        "huge.json",
        "beyond.json:1:",
        "number out of range",
    ];
    ended.with(2, &told, &[]);
}
