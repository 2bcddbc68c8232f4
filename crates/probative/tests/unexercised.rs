//! Rows that passed for lack of anything to say no to, in a judgement and in reports.

use probative::document::Document;
use probative::json::JsonDocument;
use probative::question::Judgement;
use probative::report::{Asked, CaseResult, Format, Outcome, Style, Summary, Unexercised, Verbosity};
use probative::vocabulary::Exercise;
use probative::{Context, Question, ResponseAssertion, TrajectoryAssertion, Vocabulary};
use serde_json::{Value, json};

const QUESTION: &str = r#"{"status": "success", "all_match": {"path": "results[*]", "value": 1}}"#;

fn question() -> Question<ResponseAssertion> {
    Question::compile(Document::new("q.json", QUESTION)).unwrap()
}

/// What a subject finds, with every row that passed and was idle.
fn judged(subject: &Value) -> Judgement {
    let (question, context) = (question(), Context::default());
    let subject = &JsonDocument::from(subject);
    let mut judgement = question.judge(subject, &context);
    let failed: Vec<usize> = judgement.faults().map(|(row, _)| row).collect();
    for row in (0..question.clauses().len()).filter(|row| !failed.contains(row)) {
        judgement.take_idle(row, question.exercise(subject, &context, row));
    }
    judgement
}

fn rendered(format: Format, judgement: Judgement) -> String {
    let (asked, mut out) = (Asked::of(&question()), Vec::new());
    let result = CaseResult::bare(
        "r.json".to_owned(),
        ResponseAssertion::TYPE,
        "r.json",
        &asked,
        Outcome::Judged(judgement),
    );
    format
        .renderer(Style { colour: false, noun: "subject", rerun: None, verbosity: Verbosity::Normal })
        .result(&result, &mut out);
    String::from_utf8(out).unwrap()
}

#[test]
fn an_idle_row_passes() {
    let judgement = judged(&json!({"status": "success", "results": []}));
    assert!(judgement.passed() && judgement.category().is_none());
    let idle: Vec<_> = judgement.idle().collect();
    assert_eq!(idle, [(1, &Exercise::No("results is empty".to_owned()))]);
    assert_eq!(judged(&json!({"status": "success", "results": [1]})), Judgement::default());
}

#[test]
fn its_status_in_the_json_report_is_unexercised() {
    for (subject, first) in
        [(json!({"status": "success", "results": []}), "pass"), (json!({"results": []}), "fail")]
    {
        let told: Value = serde_json::from_str(&rendered(Format::Jsonl, judged(&subject))).unwrap();
        assert_eq!((&told["status"], &told["assertions"][0]["status"]), (&first.into(), &first.into()));
        let expected = json!({"name": "all_match", "path": "all_match", "status": "unexercised",
            "expected": null, "actual": null, "place": null, "message": "results is empty"});
        assert_eq!(told["assertions"][1], expected);
    }
}

#[test]
fn people_are_told_of_it_beside_failures() {
    assert_eq!(rendered(Format::Human, judged(&json!({"status": "success", "results": []}))), "");
    let told = rendered(Format::Human, judged(&json!({"status": "error", "results": []})));
    let expected = "\
FAIL r.json
  Test FAILS (1 of 2 assertions failed)

  status  q.json:1:2
    Expected status 'success', got 'error'
    expected  'success'
    found     'error'
    at        status

  never exercised  all_match  results is empty

";
    assert_eq!(told, expected);
}

#[test]
fn one_in_a_case_is_listed_with_the_case() {
    let asked = Asked::of(&question());
    let row = Unexercised::in_case("REFUND-2", &asked.rows()[1], "results is empty".to_owned());
    let mut summary = Summary { total: 1, passed: 1, unexercised: vec![row], ..Summary::default() };
    let human = Format::Human
        .renderer(Style { colour: false, noun: "case", rerun: None, verbosity: Verbosity::Normal })
        .frame(&summary)
        .tail;
    let expected = "\
1 assertion was never exercised:
  q.json:1:23 REFUND-2 all_match: results is empty

1 case: 1 passed, 1 assertion never exercised
";
    assert_eq!(human, expected);
    let json = serde_json::to_value(&summary).unwrap();
    assert_eq!(json["unexercised"][0]["case"], "REFUND-2");
    assert!(json.get("strict").is_none());
    assert_eq!(summary.exit_code(), 0);
    summary.strict = true;
    assert_eq!(summary.exit_code(), 1);
    summary.askers_mistakes = 1;
    assert_eq!(summary.exit_code(), 2);
    summary.interrupted = true;
    assert_eq!(summary.exit_code(), 130);
    assert_eq!(Summary { total: 1, strict: true, ..Summary::default() }.exit_code(), 0);
}

#[test]
fn a_run_mentions_what_it_lists_and_what_anybody_calls() {
    let run = br#"{"tools": ["refund", "search"], "steps": [
        {"step_type": "tool_call", "tool_name": "search"}, {"step_type": "llm_call"},
        {"step_type": "tool_call", "tool_name": "lookup", "depth": 1}]}"#;
    let read = TrajectoryAssertion::read(run, &<TrajectoryAssertion as Vocabulary>::Setting::default());
    let run = read.unwrap().subject;
    assert_eq!(TrajectoryAssertion::mentions(&run), ["refund", "search", "lookup"]);
    assert!(run.mentions("lookup") && run.mentions("refund") && !run.mentions("delete"));
    assert!(ResponseAssertion::mentions(&JsonDocument::from(&Value::Null)).is_empty());
}
