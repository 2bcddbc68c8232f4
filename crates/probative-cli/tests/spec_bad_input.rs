//! Hostile documents, and what hostile programs print: told, in bounded time, and nothing else is hidden by it.
#![cfg(unix)]

mod cases;
mod place;

use std::os::unix::fs::symlink;
use std::process::Command;
use std::sync::mpsc::channel;
use std::time::Duration;

use cases::{PASSES, each, fence};
use place::{Ended, Place};
use serde_json::{Value, json};

/// Runs in less time than a person waits.
#[track_caller]
fn soon(place: &Place, arguments: &[&str]) -> Ended {
    let child = place.start(arguments);
    let pid = child.id();
    let (tell, told) = channel();
    std::thread::spawn(move || tell.send(child.wait_with_output()));
    let Ok(output) = told.recv_timeout(Duration::from_secs(10)) else {
        cases::signal("KILL", pid);
        panic!("it does not end: {arguments:?}");
    };
    output.unwrap().into()
}

/// `<id> <status> <category> <message>` of every result.
fn told(results: &[Value]) -> Vec<String> {
    let text = |result: &Value, key: &str| result[key].as_str().unwrap_or("-").to_owned();
    let told =
        |result: &Value| ["id", "status", "category", "message"].map(|key| text(result, key)).join(" ");
    results.iter().map(told).collect()
}

#[track_caller]
fn assert_told(results: &[Value], expected: &[&str]) {
    let told = told(results);
    assert_eq!(told.len(), expected.len(), "{told:#?}");
    for (told, expected) in told.iter().zip(expected) {
        assert!(told.starts_with(expected), "{told}\n{expected}");
    }
}

#[test]
fn hostile_documents_are_refused_and_the_others_are_run() {
    let level = |level: usize| match level {
        0 => "x-0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned(),
        _ => format!("x-{level}: &a{level} [{}]\n", vec![format!("*a{}", level - 1); 10].join(", ")),
    };
    let bomb: String = (0..10).map(level).collect();
    let place = Place::with(&[
        ("a-bomb.spec.md", &fence(&format!("id: BOMB\ntype: text.file\n{bomb}"))),
        ("b-dashes.spec.md", &fence(&"- ".repeat(100_000))),
        ("c-brackets.spec.yaml", &"[".repeat(100_000)),
        ("d-braces.spec.md", &fence(&"{a: ".repeat(100_000))),
        ("e-lists.spec.json", &"[".repeat(100_000)),
        ("f-objects.spec.json", &"{\"a\":".repeat(100_000)),
        ("g-quotes.spec.md", &("> ".repeat(100_000) + "x\n")),
        (
            "h-ticks.spec.md",
            &("`".repeat(1_000_000) + "\n" + &"- ".repeat(50_000) + "\n" + &"[a](".repeat(50_000)),
        ),
        ("z-good.spec.md", &fence(PASSES)),
    ]);
    place.write("i-latin.spec.md", b"# ok\n\xe9\n");
    place.write("j-nul.spec.md", b"```yaml spec-test\nid: A\ntitle: a\0b\n```\n");
    place.write("k-large.spec.md", b"");
    // 50 MiB, of which the disk holds nothing.
    std::fs::File::options()
        .write(true)
        .open(place.path("k-large.spec.md"))
        .unwrap()
        .set_len(50 << 20)
        .unwrap();
    let ended = soon(&place, &["run", "--formats", "md,yaml,json", "--report", "jsonl", "--no-timings"]);
    assert_eq!(ended.code, 2);
    assert_told(
        &ended.json_lines(),
        &[
            "a-bomb.spec.md error schema a-bomb.spec.md:8:46: aliases expand to more than 100000 values",
            "b-dashes.spec.md error schema b-dashes.spec.md:2:2129: nested more than 1064 levels deep",
            "c-brackets.spec.yaml error schema c-brackets.spec.yaml:1:1065: nested more than 1064 levels deep",
            "d-braces.spec.md error schema d-braces.spec.md:2:257: nested more than 64 levels deep",
            "e-lists.spec.json error schema e-lists.spec.json:1:",
            "f-objects.spec.json error schema f-objects.spec.json:1:",
            "i-latin.spec.md error schema i-latin.spec.md:2: not UTF-8",
            "j-nul.spec.md error schema j-nul.spec.md: not UTF-8: contains NUL bytes or a UTF-16 byte order mark; save it as UTF-8",
            "k-large.spec.md error runtime k-large.spec.md: larger than 16 MiB",
            "GOOD pass - -",
        ],
    );
    let linted = soon(&place, &["lint", "--formats", "md,yaml,json"]);
    linted.with(2, &["k-large.spec.md: larger than 16 MiB", "1 case: 9 errors, "], &[]);
    // A line of megabytes is not shown whole.
    assert!(linted.stdout.len() < 10_000, "{}", linted.stdout.len());
}

#[test]
fn what_is_no_file_is_not_waited_for() {
    let place =
        Place::with(&[("z-good.spec.md", &fence(PASSES)), ("c-directory.spec.md/x.spec.md", &fence(PASSES))]);
    let made = Command::new("mkfifo").arg(place.path("a-fifo.spec.md")).status().unwrap();
    assert!(made.success());
    for (target, link) in [
        ("/dev/zero", "b-device.spec.md"),
        ("nowhere", "d-dangling.spec.md"),
        ("e-loop.spec.md", "e-loop.spec.md"),
        ("z-good.spec.md", "y-link.spec.md"),
    ] {
        symlink(target, place.path(link)).unwrap();
    }
    let expected = [
        "a-fifo.spec.md error runtime a-fifo.spec.md: not a file",
        "b-device.spec.md error runtime b-device.spec.md: not a file",
        "d-dangling.spec.md error runtime d-dangling.spec.md: not a file",
        "e-loop.spec.md error runtime e-loop.spec.md: not a file",
        "GOOD pass - -",
        "GOOD error schema z-good.spec.md:2:5: duplicate id 'GOOD'; first used at y-link.spec.md:2:1",
    ];
    let ended = soon(&place, &["run", ".", "--report", "jsonl", "--no-timings"]);
    assert_told(&ended.json_lines(), &expected);
    let ended =
        soon(&place, &["run", "a-fifo.spec.md", "z-good.spec.md", "--report", "jsonl", "--no-timings"]);
    assert_eq!(ended.code, 2);
    assert_told(&ended.json_lines(), &[expected[0], "GOOD pass - -"]);
    let ended =
        soon(&place, &["run", "d-dangling.spec.md", "z-good.spec.md", "--report", "jsonl", "--no-timings"]);
    assert_eq!(ended.code, 2);
    assert_told(
        &ended.json_lines(),
        &[
            "d-dangling.spec.md error runtime d-dangling.spec.md: cannot be read: no such file",
            "GOOD pass - -",
        ],
    );
    assert_eq!(soon(&place, &["lint", "a-fifo.spec.md"]).code, 2);
    // Who names a directory means what is in it, whatever its name.
    assert_eq!(soon(&place, &["run", "c-directory.spec.md"]).code, 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_document_that_cannot_be_read_to_its_end_is_told() {
    let place = Place::with(&[("z.spec.md", &fence(PASSES))]);
    let ended = soon(&place, &["run", "/proc/self/mem", "z.spec.md", "--report", "jsonl", "--no-timings"]);
    assert_eq!(ended.code, 2);
    assert_told(
        &ended.json_lines(),
        &["/proc/self/mem error runtime /proc/self/mem: input/output error", "GOOD pass - -"],
    );
}

#[test]
fn a_document_that_may_not_be_read_is_told() {
    use std::os::unix::fs::PermissionsExt as _;
    let place =
        Place::with(&[("a.spec.md", &fence(PASSES)), ("b/x.spec.md", ""), ("z.spec.md", &fence(PASSES))]);
    for name in ["a.spec.md", "b"] {
        std::fs::set_permissions(place.path(name), std::fs::Permissions::from_mode(0o000)).unwrap();
    }
    if std::fs::File::open(place.path("a.spec.md")).is_ok() {
        return; // Nothing is forbidden to the superuser.
    }
    let ended = soon(&place, &["run", "-r", ".", "--report", "jsonl", "--no-timings"]);
    std::fs::set_permissions(place.path("b"), std::fs::Permissions::from_mode(0o700)).unwrap();
    let denied = ["a.spec.md", "b"].map(|name| format!("{name} error runtime {name}: permission denied"));
    assert_told(&ended.json_lines(), &[&denied[0], &denied[1], "GOOD pass - -"]);
}

#[test]
fn no_path_leads_out_of_the_root() {
    let file = |id: &str, path: &str| json!({"id": id, "type": "text.file", "path": path});
    let url =
        |id: &str, url: &str| json!({"id": id, "type": "api.http", "request": {"method": "GET", "url": url}});
    let cases = json!([
        file("ABOVE", "../secret.txt"),
        file("AROUND", "../root/../secret.txt"),
        file("BY-LINK", "link.txt"),
        file("BY-DIRECTORY", "out/secret.txt"),
        file("NOWHERE", "../none.txt"),
        url("URL", "../secret.txt"),
        url("URL-LINK", "link.txt"),
        file("FIFO", "fifo"),
        file("DEVICE", "zero"),
        file("INSIDE", "./sub/../inside.txt"),
    ]);
    let place = Place::with(&[
        ("secret.txt", "s3cret"),
        ("root/probative.toml", ""),
        ("root/inside.txt", "fine"),
        ("root/sub/x", ""),
        ("root/a.spec.json", &cases.to_string()),
    ]);
    symlink("../secret.txt", place.path("root/link.txt")).unwrap();
    symlink("..", place.path("root/out")).unwrap();
    symlink("/dev/zero", place.path("root/zero")).unwrap();
    assert!(Command::new("mkfifo").arg(place.path("root/fifo")).status().unwrap().success());
    let ended = soon(&place, &["run", "root/a.spec.json", "--report", "jsonl", "--no-timings"]);
    assert_eq!(ended.code, 2);
    assert!(!ended.stdout.contains("s3cret"));
    let at = "root/a.spec.json:1:";
    let results = ended.json_lines();
    let escapes = |result: &Value, what: &str, path: &str| {
        let message = result["message"].as_str().unwrap();
        assert_eq!(
            (&result["status"], &result["category"]),
            (&"error".into(), &"schema".into()),
            "{message}"
        );
        assert!(
            message.starts_with(at) && message.ends_with(&format!("{what} escapes contract root: {path}")),
            "{message}"
        );
    };
    let paths = ["../secret.txt", "../root/../secret.txt", "link.txt", "out/secret.txt", "../none.txt"];
    for (result, path) in results.iter().zip(paths) {
        escapes(result, "text.file path", path);
    }
    escapes(&results[5], "api.http request.url", "../secret.txt");
    escapes(&results[6], "api.http request.url", "link.txt");
    assert_eq!(each(&results[7..], "category"), ["runtime", "schema", "null"]);
    assert!(results[7]["message"].as_str().unwrap().contains("not a file"), "{}", results[7]);
}

/// Nothing of it makes a terminal do anything but go to the next line or column.
#[track_caller]
fn is_plain(ended: &Ended) {
    for text in [&ended.stdout, &ended.stderr] {
        assert_eq!(text.chars().find(|character| is_obeyed(*character)), None, "{text}");
    }
}

/// Returns true if a terminal, an editor or a browser obeys a character, or shows others elsewhere because of it.
fn is_obeyed(character: char) -> bool {
    (character.is_control() && !matches!(character, '\n' | '\t'))
        || matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[test]
fn nothing_reaches_the_terminal_raw() {
    let bad = "\u{1b}[2J\u{9b}31m\u{7}\u{85}\u{202e}\u{2067}\u{200f}\u{61c}\u{7f}\r\0";
    let printed = r"printf '\033[2J\302\23331m\007\302\205\342\200\256\342\201\247\177\r'";
    let case = |id: &str, more: Value| {
        let mut case = json!({"id": format!("{id}{bad}"), "type": "text.file", "title": bad});
        case.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        case
    };
    let leaf = |leaf: Value| json!({"assert": [{"target": "text", "must": [leaf]}]});
    let name = "n\u{1b}[31m\u{9b}.spec.json";
    let documents = [
        case("KEY", json!({bad: 1})),
        case("TYPE", json!({"type": bad})),
        case("FAILS", leaf(json!({"contain": [format!("absent{bad}")]}))),
        case("REGEX", leaf(json!({"regex": [format!("({bad}")]}))),
        case("OPERATOR", leaf(json!({bad: ["x"]}))),
        case("SYMBOL", leaf(json!({"evaluate": [[bad, 1]]}))),
        case("PATH", json!({"path": "none\u{1b}[2J"})),
        case("NEEDS", json!({"requires": {"capabilities": [bad]}})),
        case(
            "HEALTH",
            json!({"assert_health": {"mode": "warn"}, "assert": [{"target": "text", "must": [{"contain": ["", bad, bad]}]}]}),
        ),
        json!({"id": "PRINTS", "type": "cli.run", "argv": [format!("{printed}; {printed} >&2; exit 1")], "harness": {"entrypoint": "sh -c"}}),
        json!({"id": "LATE", "type": "cli.run", "argv": [format!("{printed}; {printed} >&2; sleep 600")], "harness": {"entrypoint": "sh -c", "timeout_ms": 100}}),
        json!({"id": "NONE", "type": "cli.run", "harness": {"entrypoint": "./no\u{1b}[2J"}}),
        json!({"id": "FILE", "type": "cli.run", "harness": {"entrypoint": "true", "setup_files": [{"path": "a\u{1b}/../../x", "text": ""}]}}),
    ];
    let place = Place::with(&[(name, &Value::from(documents.to_vec()).to_string())]);
    for arguments in [
        &["run", name, "--retries", "1"][..],
        &["run", name, "--list"],
        &["lint", name],
        &["conformance", name],
        &["run", "\u{1b}[2J"],
    ] {
        let ended = place.run(arguments);
        is_plain(&ended);
        assert!(ended.stdout.contains(r"\u001b[2J"), "{}", ended.stdout);
    }
    // Nor does it reach any report or other file, from which somebody may show it.
    let formats = probative::report::Format::ALL.iter().map(|format| format.name());
    for format in formats {
        is_plain(&place.run(&["run", name, "--report", format]));
    }
    place.run(&["run", name, "--journal", "journal.jsonl", "--save-baseline", "baseline.json"]);
    for file in ["journal.jsonl", "baseline.json"] {
        let text = std::fs::read_to_string(place.path(file)).unwrap();
        assert_eq!(text.chars().find(|character| is_obeyed(*character)), None, "{text}");
    }
    // Whoever reads JSON gets what is meant.
    let results = place.results(&["run", name]);
    assert_eq!(results[0]["id"], format!("KEY{bad}"));
    assert_eq!(results[0]["file"], name);
}
