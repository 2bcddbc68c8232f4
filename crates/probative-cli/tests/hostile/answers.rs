//! Servers that answer with what a terminal or a report would obey, too much of it, or no HTTP at all.

use probative::report::Format;
use serde_json::{Value, json};

use crate::bytes::is_obeyed;
use crate::cases::{PASSES, fence};
use crate::guard::{is_error, of, passed, results, results_within, run};
use crate::place::Place;
use crate::readers;
use crate::servers::serve;

/// MiB for an answer that is cut where it becomes too large.
const FOR_ANSWERS: u64 = 1024;

/// A case that asks a server, and what it then looks for.
fn ask(id: &str, server: &str, assert: &Value) -> Value {
    json!({"id": id, "type": "api.http", "request": {"method": "GET", "url": format!("http://{server}/")},
           "harness": {"timeout_seconds": 30}, "assert": assert})
}

/// An answer with a header of this value, and the same as its body.
fn answer(value: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nX-Odd: ", value.len());
    [head.as_bytes(), value, b"\r\n\r\n", value].concat()
}

#[test]
fn what_headers_hold_is_shown_and_not_sent() {
    // What HTTP allows in a header beyond ASCII, which are the escapes of eight bits, and what would be more in a report.
    let values: [&[u8]; 5] = [
        b"\xc2\x9b31m \xe2\x80\xae \xef\xbb\xbf \xe2\x80\x8b",
        b"\x9b31m\x90q\xff\xfe",
        b"]]></failure></testcase><testcase name=\"fake\"/>",
        b"::error file=x::pwned %0A::stop-commands::x ##[error]pwned",
        b"</script><script>alert(1)</script> | a | # SKIP",
    ];
    let look = json!([
        {"target": "headers", "must": [{"contain": ["X-Odd: never"]}]},
        {"target": "body_text", "must": [{"contain": ["never"]}]},
    ]);
    for format in Format::ALL {
        let server = serve(values.map(|value| Some(answer(value))).into());
        let cases: Vec<Value> = (0..values.len()).map(|at| ask(&format!("A-{at}"), &server, &look)).collect();
        let place = Place::with(&[("a.spec.json", &json!(cases).to_string())]);
        let ended =
            run(&place, &["run", "a.spec.json", "-j", "1", "--no-timings", "--report", format.name()]);
        assert_eq!(ended.code, 1, "{ended:#?}");
        let report = ended.stdout;
        match format {
            // There they are data, for programs and for the page's own script, which shows them as escapes.
            Format::Json | Format::Jsonl | Format::Html => {}
            _ => assert_eq!(report.chars().find(|character| is_obeyed(*character)), None, "{report}"),
        }
        match format {
            Format::Json | Format::Jsonl => {
                assert_eq!(report.matches("\"id\":\"A-").count(), values.len(), "{report}");
            }
            Format::Junit => {
                let read = readers::junit(&report);
                let children = read["children"][0]["children"].as_array().unwrap();
                let told = children.iter().filter(|child| child["tag"] == "testcase");
                assert_eq!(told.count(), values.len(), "{report}");
            }
            Format::Tap => {
                let lines = readers::tap(&report);
                let points = lines.as_array().unwrap().iter().filter(|line| line["category"] == "test");
                assert!(
                    points.clone().all(|point| point["ok"] == false && point["skip"] == false),
                    "{lines:#}"
                );
                assert_eq!(points.count(), values.len());
            }
            Format::Human | Format::Github | Format::Markdown => {
                let is_command = |line: &&str| line.trim_start().starts_with("::") || line.starts_with("##[");
                let commands: Vec<&str> = report.lines().filter(is_command).collect();
                let own = commands.iter().filter(|line| line.starts_with("::error file=a.spec.json,"));
                let expected = if format == Format::Github { values.len() } else { 0 };
                assert_eq!((own.count(), commands.len()), (expected, expected), "{report}");
            }
            Format::Html => assert!(!report.contains("<script>alert(1)"), "{report}"),
        }
    }
}

#[test]
fn what_is_no_answer_is_told_and_the_rest_is_asked() {
    let many = "X-Many: 1\r\n".repeat(10_000);
    let answers: Vec<(&str, Vec<u8>)> = vec![
        ("ESCAPE", answer(b"\x1b]0;owned\x07")),
        ("NUL", answer(b"a\0b")),
        ("LONG", answer(&vec![b'x'; 10 << 20])),
        ("MANY", format!("HTTP/1.1 200 OK\r\n{many}\r\n").into_bytes()),
        ("NAME", b"HTTP/1.1 200 OK\r\nX\x1b[31m: 1\r\n\r\n".to_vec()),
        ("STATUS", b"HTTP/1.1 99999999999999999999 \x1b[31m\r\n\r\n".to_vec()),
        ("BABBLE", b"\x1b[2J".repeat(1000)),
        ("LENGTH", b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\nx".to_vec()),
        ("MINUS", b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nx".to_vec()),
        ("CHUNK", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nx".to_vec()),
        ("PACKED", b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nxyz".to_vec()),
        (
            "ELSEWHERE",
            b"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n".to_vec(),
        ),
    ];
    let ids: Vec<&str> = answers.iter().map(|(id, _)| *id).collect();
    let server = serve(answers.into_iter().map(|(_, answer)| Some(answer)).collect());
    let status = json!([{"target": "body_text", "must": [{"contain": ["never"]}]}]);
    let cases: Vec<Value> = ids.iter().map(|id| ask(id, &server, &status)).collect();
    let place = Place::with(&[("a.spec.json", &json!(cases).to_string()), ("b.spec.md", &fence(PASSES))]);
    let told = results_within(&place, &["run", ".", "-j", "1", "--formats", "md,json"], FOR_ANSWERS);
    passed(&told, "GOOD");
    for id in ids {
        let result = of(&told, id);
        assert!(result["status"] == "error" || result["status"] == "fail", "{result:#}");
        let told = result["message"].as_str().unwrap();
        assert_eq!(told.chars().find(|character| is_obeyed(*character)), None, "{told}");
        assert!(told.len() < 5000 && !told.contains("root:"), "{told:.1000}");
    }
}

#[test]
fn an_answer_that_never_ends_is_cut() {
    let endless = [b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), vec![b'x'; 40 << 20]].concat();
    let server = serve(vec![Some(endless)]);
    let look = json!([{"target": "body_text", "must": [{"contain": ["never"]}]}]);
    let place = Place::with(&[("a.spec.json", &json!([ask("ENDLESS", &server, &look)]).to_string())]);
    let told = results(&place, &["run", "a.spec.json"]);
    is_error(&told, "ENDLESS", "cut off after 16777216 bytes");
}
