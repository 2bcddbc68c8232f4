//! The report for a browser: what the file holds. What it does there is tested in a browser, in `tests/browser`.

mod place;

use place::Place;
use serde_json::{Value, json};

const QUESTION: &str = "status: success\nmessage_contains: refund\n";
const HOSTILE: &str =
    "</script><script>alert(1)</script><!--<img src=x onerror=alert(2)>&lt;\u{202e}\u{2028}";

/// A page, read as its script reads it.
struct Page {
    text: String,
    lines: Vec<Value>,
    whole: Value,
}

impl Page {
    fn of(place: &Place, arguments: &[&str]) -> Page {
        let _ = place.run(&[arguments, &["--report", "html=page.html"]].concat());
        let text = place.read("page.html");
        let lines = between(&text, "id=\"results\">\n", "</script>");
        let lines = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let whole = serde_json::from_str(between(&text, "id=\"whole\">", "</script>")).unwrap();
        Page { text, lines, whole }
    }

    fn panels(&self) -> Vec<&Value> {
        self.lines.iter().filter(|line| line.get("panels").is_some()).collect()
    }

    fn records(&self) -> Vec<&Value> {
        self.lines.iter().filter(|line| line.get("result").is_some()).collect()
    }
}

fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    let (_, rest) = text.split_once(start).unwrap();
    rest.split_once(end).unwrap().0
}

fn response(status: &str, message: &str) -> String {
    json!({"status": status, "message": message}).to_string()
}

#[test]
fn a_line_tells_what_machines_are_told_and_what_people_need_beside_it() {
    let place = Place::with(&[("q.yaml", QUESTION), ("r.json", &response("error", "no"))]);
    let page = Page::of(&place, &["check", "q.yaml", "r.json", "--no-timings"]);
    let told = &place.results(&["check", "q.yaml", "r.json"])[0];
    let [record] = page.records()[..] else { panic!("{:?}", page.lines) };
    assert_eq!(record["result"], *told);
    assert_eq!(record["rerun"], "probative check q.yaml r.json");
    assert_eq!(record["written"], json!(["q.yaml:1:1", "q.yaml:2:1"]));
    let response = json!({"status": "error", "message": "no"});
    let panel = json!({"panels": [{"kind": "json", "title": "response", "value": response}]});
    assert_eq!(page.lines[1], panel, "behind its result");
    assert_eq!(page.whole["noun"], "subject");
    assert_eq!(page.whole["summary"]["failed"], 1);
    assert_eq!(between(&page.text, "<title>", "</title>"), "1 failed – Probative");
}

#[test]
fn an_error_in_a_document_is_shown_with_its_line() {
    let case = "# A\n\n```yaml spec-test\nid: A\ntype: cli.run\nasert: []\n```\n";
    let place = Place::with(&[("a.spec.md", case)]);
    let page = Page::of(&place, &["run", "a.spec.md"]);
    let told = page.records()[0]["diagnostics"][0]["text"].as_str().unwrap();
    assert!(told.contains("6 | asert: []"), "{told}");
}

#[test]
fn no_text_from_outside_is_markup() {
    let hostile = format!("{{\"status\": {}, \"message\": 1}}", json!(HOSTILE));
    let question = format!("status: {}\n", json!(HOSTILE.replace("alert(1)", "alert(3)")));
    let name = "<img src=x>&.json";
    let place = Place::with(&[("q.yaml", &question), (name, &hostile)]);
    let page = Page::of(&place, &["check", "q.yaml", name]);
    // The page's own elements, and no other.
    assert_eq!(page.text.matches("<script").count(), 3);
    assert_eq!(page.text.matches("</script").count(), 3);
    assert!(!page.text.contains("<img") && !page.text.contains("<!--"));
    assert_eq!(page.panels()[0]["panels"][0]["value"]["status"], HOSTILE);
    assert_eq!(page.records()[0]["result"]["id"], name);
}

#[test]
fn it_needs_nothing_but_itself() {
    let place = Place::with(&[("q.yaml", QUESTION), ("r.json", &response("success", "refund"))]);
    let page = Page::of(&place, &["check", "q.yaml", "r.json"]);
    let policy = between(&page.text, "Content-Security-Policy\" content=\"", "\"");
    assert!(policy.starts_with("default-src 'none'; script-src 'sha256-"), "{policy}");
    assert!(!policy.contains("unsafe"));
    // The name of SVG is only a name.
    assert!(!page.text.replace("http://www.w3.org/2000/svg", "").contains("://"));
    for reference in ["src=", "@import", "url(", "fetch(", "XMLHttpRequest", "innerHTML"] {
        assert!(!page.text.contains(reference), "{reference}");
    }
}

#[test]
fn without_timings_it_is_the_same_every_time() {
    let responses: String =
        (0..400).map(|n| response(if n % 7 == 0 { "error" } else { "success" }, "refund") + "\n").collect();
    let place = Place::with(&[("q.yaml", QUESTION), ("r.jsonl", &responses)]);
    let page = || Page::of(&place, &["check", "q.yaml", "r.jsonl", "--no-timings"]).text;
    assert_eq!(page(), page());
}

#[test]
fn what_passed_and_is_large_leaves_room_for_what_did_not() {
    let large = "refund ".repeat(20 << 10);
    let place = Place::with(&[
        ("q.yaml", QUESTION),
        ("fail.json", &response("error", &large)),
        ("large.json", &response("success", &large)),
        ("small.json", &response("success", "refund")),
    ]);
    let page = Page::of(&place, &["check", "q.yaml", "fail.json", "large.json", "small.json"]);
    let has_panels = |id: &str| {
        let at = page.lines.iter().position(|line| line["result"]["id"] == id).unwrap();
        page.lines.get(at + 1).is_some_and(|line| line.get("panels").is_some())
    };
    assert_eq!(["fail.json", "large.json", "small.json"].map(has_panels), [true, false, true]);
}

#[test]
fn a_page_stays_of_a_size_that_opens() {
    let large = "no ".repeat(100 << 10);
    let responses: String = (0..100).map(|_| response("error", &large) + "\n").collect();
    let place = Place::with(&[("q.yaml", QUESTION), ("r.jsonl", &responses)]);
    let page = Page::of(&place, &["check", "q.yaml", "r.jsonl"]);
    assert_eq!((page.records().len(), page.panels().len()), (100, 81), "24 MiB of 300 KiB each");
}

/// A case about an agent that says `answer`.
fn case(id: &str, input: &str, answer: &str) -> String {
    format!(
        "```yaml spec-test\nid: {id}\ntype: agent.response\nharness: {{entrypoint: \"echo {answer}\"}}\n\
         input: {input}\nassert:\n  - must:\n      - contains: [\"yes\"]\n```\n"
    )
}

#[test]
fn the_prose_and_the_input_of_a_case_come_with_it() {
    let document = format!(
        "# Shop\n\nopen *daily* <b>now</b>\n\n{}\n{}",
        case("A", "{order: 1}", "yes"),
        case("B", "hello", "no")
    );
    let place = Place::with(&[("a.spec.md", &document), ("probative.toml", "")]);
    let page = Page::of(&place, &["run", "a.spec.md"]);
    let [first, second] = page.panels()[..] else { panic!("{:?}", page.lines) };
    let spans = json!([{"text": "open "}, {"text": "daily", "style": "emphasis"}, {"text": " now"}]);
    let prose = json!({"heading": "Shop", "blocks": [{"kind": "paragraph", "spans": spans}]});
    assert_eq!(first["prose"], prose);
    assert_eq!(first["inputs"], json!([{"kind": "json", "title": "input", "value": {"order": 1}}]));
    assert_eq!(second["prose"], Value::Null);
    assert_eq!(second["inputs"][0]["text"], "hello");
}

#[test]
fn the_description_and_the_turns_of_a_test_come_with_it() {
    let turn = |step: u8, input: &str| json!({"step": step, "input": input, "expect": {"status": "success"}});
    let tests = json!([{
        "id": "T", "description": "Asks twice.", "multi_step": [turn(1, "first"), turn(2, "second")]
    }]);
    let suite = json!({"agent": "a", "test_suites": {"s": {"tests": tests}}});
    let config = "[agents.a]\ncommand = \"echo '{\\\"status\\\": \\\"success\\\"}'\"\n";
    let place = Place::with(&[("a.tests.json", &suite.to_string()), ("probative.toml", config)]);
    let page = Page::of(&place, &["run", "a.tests.json"]);
    let evidence = page.panels()[0];
    assert_eq!(evidence["prose"]["blocks"][0]["spans"][0]["text"], "Asks twice.");
    assert_eq!(
        evidence["inputs"][1],
        json!({"kind": "text", "title": "step 2: input", "text": "second", "left_out": 0})
    );
}

#[test]
fn secrets_are_hidden_in_prose_and_input() {
    let document = format!("the key is s3cr3t-k3y\n\n{}", case("A", "{key: s3cr3t-k3y}", "no"));
    let place = Place::with(&[("a.spec.md", &document), ("probative.toml", "")]);
    let arguments = ["run", "a.spec.md", "--report", "html=page.html"];
    let _ = place.command(&arguments).env("SHOP_KEY", "s3cr3t-k3y").output();
    let text = place.read("page.html");
    assert!(text.contains("the key is **********") && !text.contains("s3cr3t"));
}

#[test]
fn what_passed_and_is_large_still_has_its_prose() {
    let document = format!("why\n\n{}", case("A", "hello", "yes"))
        .replace("\"echo yes\"", "\"sh -c 'echo yes; head -c 100000 /dev/zero | tr x x'\"");
    let place = Place::with(&[("a.spec.md", &document), ("probative.toml", "")]);
    let page = Page::of(&place, &["run", "a.spec.md"]);
    let [evidence] = page.panels()[..] else { panic!("{:?}", page.lines) };
    assert_eq!(evidence["panels"], Value::Null);
    assert_eq!(evidence["prose"]["blocks"][0]["spans"][0]["text"], "why");
}

#[test]
fn a_crash_comes_with_the_end_of_stderr() {
    let document =
        case("A", "hello", "yes").replace("\"echo yes\"", "\"sh -c 'echo one >&2; echo two >&2; exit 3'\"");
    let place = Place::with(&[("a.spec.md", &document), ("probative.toml", "")]);
    let page = Page::of(&place, &["run", "a.spec.md"]);
    let [record] = page.records()[..] else { panic!("{:?}", page.lines) };
    let crash = &record["crashes"][0];
    assert_eq!((&crash["row"], &crash["exit_code"]), (&json!(0), &json!(3)));
    assert_eq!(crash["stderr"], json!(["one", "two"]));
    assert_eq!(record["cause"], "the agent crashed: two");
    assert_eq!(record["result"]["assertions"][1]["because_of"], 0);
}
