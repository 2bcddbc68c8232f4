//! Commands, hooks and servers that do not do what a case needs: what was tried is told, and nobody waits for ever.
#![cfg(unix)]

mod cases;
mod place;
mod servers;

use std::net::TcpListener;
use std::time::{Duration, Instant};

use cases::{each, shell};
use place::{Ended, Place};
use serde_json::{Value, json};
use servers::serve;

#[test]
fn a_command_that_cannot_be_run_says_what_was_tried() {
    use std::os::unix::fs::PermissionsExt as _;
    let cli = |id: &str, harness: Value| json!({"id": id, "type": "cli.run", "harness": harness});
    let cases = json!([
        cli("RELATIVE", json!({"entrypoint": "./bin/none --x"})),
        cli("ON-PATH", json!({"entrypoint": "no-such-program-anywhere", "env": {"PATH": "/no/where:/bin"}})),
        cli("PLAIN", json!({"entrypoint": "./plain"})),
        cli("ORPHAN", json!({"entrypoint": "./orphan"})),
        cli("DIRECTORY", json!({"entrypoint": "./bin"})),
        cli("NOTHING", json!({})),
        cli("MODULE", json!({"entrypoint": "no_such_module:main"})),
        cli("ATTRIBUTE", json!({"entrypoint": "json:nonesuch"})),
        cli(
            "BEFORE",
            json!({"entrypoint": "touch ran", "cwd": "root", "hook_before": "sh -c 'echo oh no >&2; exit 7'"})
        ),
        cli("AFTER", json!({"entrypoint": "true", "hook_after": "sh -c 'exit 8'"})),
        cli("NO-HOOK", json!({"entrypoint": "true", "hook_before": "./none"})),
    ]);
    let place = Place::with(&[
        ("a.spec.json", &cases.to_string()),
        ("bin/x", ""),
        ("plain", "#!/bin/sh\n"),
        ("orphan", "#!/no/such/shell\n"),
    ]);
    std::fs::set_permissions(place.path("orphan"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = place.command(&["run", "a.spec.json", "--report", "jsonl", "--no-timings"]);
    let ended: Ended = command.env_remove("SPEC_RUNNER_ENTRYPOINT").output().unwrap().into();
    assert_eq!(ended.code, 1);
    let results = ended.json_lines();
    assert_eq!(each(&results, "category"), ["runtime"; 11]);
    let expected = [
        "cannot find program './bin/none': no such file in the project root",
        "cannot find program 'no-such-program-anywhere': not in PATH: /no/where, /bin",
        "cannot run ./plain: it is not executable",
        "cannot run ./orphan: the interpreter on its first line doesn't exist",
        "cannot find program './bin': not a file",
        "cli.run requires harness.entrypoint or SPEC_RUNNER_ENTRYPOINT",
        "no_such_module",
        "nonesuch",
        "exit code 7; stderr ends with: oh no",
        "exit code 8",
        "cannot find program './none'",
    ];
    for (result, expected) in results.iter().zip(expected) {
        let message = result["message"].as_str().unwrap();
        assert!(message.contains(expected), "{message}\n{expected}");
    }
    assert!(!place.path("ran").exists());
}

#[test]
fn a_server_is_asked_and_not_waited_for_for_ever() {
    let ok = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n{\"a\": [1]}\n";
    let lost = "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone";
    let half = "HTTP/1.1 200 OK\r\nContent-Length: 400\r\n\r\npart";
    let server = serve(vec![Some(ok), Some(lost), Some(half), Some("what?\r\n\r\n"), None]);
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let ask = |id: &str, url: &str, asserts: Value| json!({"id": id, "type": "api.http", "request": {"method": "GET", "url": url}, "harness": {"timeout_seconds": 0.3}, "assert": asserts});
    let at = |path: &str| format!("http://{server}/{path}");
    let cases = json!([
        ask(
            "OK",
            &at("ok"),
            json!([
                {"target": "status", "must": [{"regex": ["^200$"]}]},
                {"target": "headers", "must": [{"contain": ["Content-Type: application/json"]}]},
                {"target": "body_json", "must": [{"evaluate": [["eq", ["get", ["subject"], "a"], ["get", ["json_parse", "{\"b\": [1]}"], "b"]]]}]},
            ])
        ),
        ask(
            "LOST",
            &at("lost"),
            json!([{"target": "status", "must": [{"contain": ["404"]}]}, {"target": "body_text", "must": [{"contain": ["here"]}]}])
        ),
        ask("HALF", &at("half"), json!([])),
        ask("BABBLE", &at("babble"), json!([])),
        ask("SILENT", &at("silent"), json!([])),
        ask("REFUSED", &format!("http://{free}/"), json!([])),
        ask(
            "LOCAL",
            "answer.json",
            json!([{"target": "status", "must": [{"contain": ["200"]}]}, {"target": "body_json", "must": [{"json_type": ["dict"]}]}])
        ),
        ask("MISSING", "none.json", json!([])),
    ]);
    let place = Place::with(&[("a.spec.json", &cases.to_string()), ("answer.json", "{}")]);
    let begun = Instant::now();
    let ended = place.run(&["run", "a.spec.json", "-j", "1", "--report", "jsonl", "--no-timings"]);
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
    let results = ended.json_lines();
    let statuses = ["pass", "fail", "error", "error", "error", "error", "pass", "error"];
    assert_eq!(each(&results, "status"), statuses, "{results:#?}");
    assert_eq!(ended.code, 1);
    let message = |at: usize| results[at]["message"].as_str().unwrap();
    assert!(message(1).contains("expected body_text to contain 'here', found 'gone'"), "{}", message(1));
    assert!(message(2).contains("closed the connection before the response was complete"), "{}", message(2));
    assert!(
        message(4).contains(&format!("GET http://{server}/silent: timed out after 300ms")),
        "{}",
        message(4)
    );
    assert!(
        message(5).contains(&format!("GET http://{free}/: {free} refused the connection")),
        "{}",
        message(5)
    );
    assert!(message(7).contains("cannot read none.json: no such file or directory"), "{}", message(7));
}

#[test]
fn an_interrupt_does_not_wait_for_a_server() {
    let server = serve::<&str>(vec![None]);
    let case = json!({"id": "SILENT", "type": "api.http", "request": {"method": "GET", "url": format!("http://{server}/")},
                      "harness": {"timeout_seconds": 60}});
    let place = Place::with(&[("a.spec.json", &json!([shell("READY", "echo 1 > ready"), case]).to_string())]);
    let mut child =
        place.command(&["run", "a.spec.json", "-j", "1", "--report", "json=out.json"]).spawn().unwrap();
    cases::written(&place.path("ready"));
    std::thread::sleep(Duration::from_millis(200));
    let begun = Instant::now();
    cases::signal("INT", child.id());
    assert_eq!(cases::exit_code(&mut child), Some(130));
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
    let report: Value = serde_json::from_str(&place.read("out.json")).unwrap();
    assert!(report["results"][1]["message"].as_str().unwrap().ends_with("interrupted"), "{report:#}");
}
