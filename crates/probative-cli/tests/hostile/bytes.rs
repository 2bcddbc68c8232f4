//! Bytes that are no text, and characters that a terminal obeys or hides: refused with their place, or shown as escapes.

use std::fs::File;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::process::Command;

use rustix_openpty::{Pty, openpty};
use serde_json::{Value, json};

use crate::cases::{PASSES, fence, shell};
use crate::guard::{guarded, is_error, passed, results, run, tells_of};
use crate::place::{Ended, Place};
use crate::tables::{VOCABULARIES, formats, traces};

/// A title, a link, a clipboard, colours in both alphabets, a bell, backspaces, bidi, nothing wide, ends of lines, a mark.
const OBEYED: &str = "\u{1b}]0;owned\u{7}\u{1b}]8;;http://x\u{1b}\\\u{1b}]52;c;eA==\u{7}\u{1b}[2J\u{9b}31m\u{90}q\u{8}\u{8}\r\
                      \u{202e}\u{2066}\u{200b}\u{200f}\u{2028}\u{2029}\u{feff}\u{ad}\u{e0041}\u{0}\u{7f}";

/// Whether a terminal would do anything but print it, or a person would not see it.
pub(crate) fn is_obeyed(character: char) -> bool {
    let hidden = [0xad, 0x61c, 0x180e, 0xfeff];
    let ranges = [
        (0, 8),
        (0xb, 0x1f),
        (0x7f, 0x9f),
        (0x200b, 0x200f),
        (0x2028, 0x202e),
        (0x2060, 0x206f),
        (0xe0000, 0xe007f),
    ];
    let code = u32::from(character);
    hidden.contains(&code) || ranges.iter().any(|(first, last)| (*first..=*last).contains(&code))
}

/// Nothing of what is told is obeyed.
#[track_caller]
fn is_inert(ended: &Ended) {
    for text in [&ended.stdout, &ended.stderr] {
        let found = text.chars().find(|character| is_obeyed(*character));
        assert_eq!(found, None, "{text}");
    }
}

/// The same, and it is there to be seen.
#[track_caller]
fn is_shown(ended: &Ended) {
    is_inert(ended);
    let told = [&*ended.stdout, &*ended.stderr].concat();
    assert!(told.contains(r"\u001b"), "it is shown as an escape: {told}");
}

#[test]
fn in_every_text_of_a_response_a_run_and_a_selection() {
    let bad = json!(OBEYED);
    let step = json!({"step_type": "tool_call", "tool_name": OBEYED, "tool_args": {OBEYED: OBEYED}, "tool_result": bad, "tool_error": OBEYED, "parent": OBEYED});
    let model = json!({"step_type": "llm_call", "model": OBEYED, "prompt": OBEYED, "response": OBEYED});
    let state = json!({"step_type": "state_change", "key": OBEYED, "old_value": bad, "new_value": bad});
    let item = json!({"item": {"content": OBEYED, "kind": OBEYED, "source": OBEYED, "tags": [OBEYED], "metadata": {OBEYED: OBEYED}, "tokens": 1}, "score": 1.0, "reason": {"reason": "Filtered", "filter_name": OBEYED}});
    let subjects = [
        (
            "status: success\nsummary_contains: x\nall_have_tags: [x]\n",
            json!({"status": OBEYED, "summary": OBEYED, OBEYED: OBEYED, "results": [{"metadata": {"tags": [OBEYED]}}]}),
        ),
        (
            "tool_was_called: x\noutput_contains: x\n",
            json!({"steps": [step, model, state], "final_output": OBEYED, "input": OBEYED, "error": {"type": OBEYED, "message": OBEYED}, "tools": [OBEYED]}),
        ),
        (
            "include_item_with_kind: Message\n",
            json!({"events": [], "included": [item], "excluded": [item], "total_candidates": 2, "total_tokens_considered": 2}),
        ),
    ];
    for (question, subject) in subjects {
        let name = format!("n{}.json", OBEYED.replace(['\0', '/'], ""));
        let place = Place::with(&[("q.yaml", question), (&name, &subject.to_string())]);
        let checked = run(&place, &["check", "q.yaml", &name, &format!("missing{name}")]);
        assert!(checked.code > 0, "{checked:#?}");
        is_shown(&checked);
        is_shown(&run(&place, &["show", &name]));
        is_shown(&run(&place, &["convert", &format!("missing{name}")]));
        // A machine that reads JSON is told what is meant.
        let told = results(&place, &["check", "q.yaml", &name]);
        assert_eq!(told[0]["id"], name);
    }
}

#[test]
fn in_every_word_of_a_question() {
    let place = Place::with(&[("r.json", VOCABULARIES[0].1)]);
    let questions = [
        json!({OBEYED: 1}),
        json!({"status": OBEYED}),
        json!({"all_match": {"path": format!("a[{OBEYED}"), "value": 1}}),
        json!({"all_match_pattern": {"path": "status", "regex": format!("({OBEYED}")}}),
        json!({"all_match_pattern": {"path": "status", "regex": OBEYED}}),
        json!({"field_contains": {OBEYED: 1}}),
        json!({"results_schema": {OBEYED: {"type": OBEYED}}}),
        json!({"must": [{OBEYED: [1]}], OBEYED: 1}),
        json!({"date_after": OBEYED}),
        json!([{OBEYED: 1}]),
    ];
    for question in questions {
        for name in ["q.json", "q.yaml"] {
            place.write(name, question.to_string().as_bytes());
            is_shown(&run(&place, &["check", name, "r.json"]));
        }
    }
}

#[test]
fn in_every_text_of_a_case_and_in_what_commands_print() {
    let printed = OBEYED.replace('\0', "");
    let quoted = shlex::try_quote(&printed).unwrap();
    let mut prints = shell("PRINTS", &format!("printf %s {quoted}; printf %s {quoted} >&2; exit 3"));
    prints["title"] = printed.as_str().into();
    let mut late = shell("LATE", &format!("printf %s {quoted}; printf %s {quoted} >&2; sleep 600"));
    late["harness"]["timeout_ms"] = 300.into();
    let leaf = |leaf: Value| json!([{"target": "text", "must": [leaf]}]);
    let case = |id: &str, more: Value| {
        let mut case = json!({"id": format!("{id}{printed}"), "type": "text.file", "title": printed});
        case.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        case
    };
    let cases = json!([
        prints,
        late,
        case("FAILS", json!({"assert": leaf(json!({"contain": [format!("absent {printed} words")]}))})),
        case("KEY", json!({printed.as_str(): 1})),
        case("TYPE", json!({"type": printed})),
        case("PATH", json!({"path": printed})),
        case("NEEDS", json!({"requires": {"capabilities": [printed], "when_missing": "skip"}})),
        case("LANG", json!({"assert": leaf(json!({"evaluate": [[printed, 1]]}))})),
        json!({"id": "PROGRAM", "type": "cli.run", "harness": {"entrypoint": format!("./{printed}")}}),
        json!({"id": "URL", "type": "api.http", "request": {"method": "GET", "url": format!("http://127.0.0.1:1/{printed}"), "headers": {"x": printed}}}),
    ]);
    let name = "n\u{1b}[31m\u{202e}.spec.json";
    let place = Place::with(&[(name, &cases.to_string())]);
    for arguments in [&["run", name][..], &["run", name, "--list"], &["lint", name], &["conformance", name]] {
        is_shown(&run(&place, arguments));
    }
}

#[test]
fn in_the_words_of_a_command_line() {
    let place = Place::with(&[
        ("a.spec.md", &fence(PASSES)),
        ("q.yaml", VOCABULARIES[0].0),
        ("r.json", VOCABULARIES[0].1),
    ]);
    let word = OBEYED.replace('\0', "");
    let flag = format!("--{word}");
    let report = format!("--report={word}");
    let lines = [
        &[&*word][..],
        &["run", &flag],
        &["run", &report],
        &["run", "--report", &format!("json={word}/x")],
        &["run", "--filter", &format!("/({word}/")],
        &["run", "--case", &word],
        &["run", "--type", &word],
        &["run", "--now", &word],
        &["run", "--trials", &word],
        &["run", &word],
        &["lint", &word],
        &["conformance", &word],
        &["check", &word, "r.json"],
        &["check", "q.yaml", &word],
        &["check", "q.yaml", "r.json", "--trace-format", &word],
        &["show", &word],
        &["convert", &word],
        &["explain", &word],
        &["schema", &word],
        &["completions", &word],
        &["init", &format!("/dev/null/{word}")],
    ];
    for arguments in lines {
        let ended = run(&place, arguments);
        assert!(ended.code > 0, "{ended:#?}");
        is_inert(&ended);
    }
    let mut command = place.command(&["run"]);
    command.env("PROBATIVE_JOBS", &word);
    is_inert(&guarded(&command, 512, std::process::Stdio::null()));
}

#[test]
fn on_a_terminal_while_it_runs() {
    let printed = OBEYED.replace('\0', "");
    let mut slow = shell(&format!("SLOW{printed}"), "sleep 1; exit 3");
    slow["title"] = printed.as_str().into();
    let place = Place::with(&[("a.spec.json", &json!([slow]).to_string())]);
    let Pty { controller, user } = openpty(None, None).unwrap();
    let mut command: Command = place.command(&["run", "a.spec.json"]);
    command.env("NO_COLOR", "1").env("TERM", "xterm").stdout(user.try_clone().unwrap()).stderr(user);
    let mut child = command.spawn().unwrap();
    drop(command);
    let mut shown = Vec::new();
    // It ends with an error once nobody has the other side open.
    let _ = File::from(controller).read_to_end(&mut shown);
    child.wait().unwrap();
    let shown = String::from_utf8(shown).unwrap();
    assert!(shown.contains("running SLOW"), "the progress was seen: {shown:?}");
    for sent in [
        "\u{1b}]",
        "\u{9b}",
        "\u{90}",
        "\u{8}",
        "\u{7}",
        "\u{202e}",
        "\u{2066}",
        "\u{200b}",
        "\u{2028}",
        "\u{feff}",
        "\u{e0041}",
    ] {
        assert!(!shown.contains(sent), "{sent:?} is sent: {shown:?}");
    }
    // What is sent moves within the line, and clears it.
    let codes =
        shown.split("\u{1b}[").skip(1).filter_map(|rest| rest.chars().find(char::is_ascii_alphabetic));
    assert!(codes.into_iter().all(|code| "KmABCDGlh".contains(code)), "{shown:?}");
}

#[test]
fn what_is_no_text_is_refused_with_its_place() {
    let broken: [(&str, &[u8], &str); 8] = [
        ("latin.json", b"{\"status\":\n\"\xe9\"}", "latin.json:2:"),
        ("overlong.json", b"{\"status\": \"\xc0\x80\"}", "overlong.json:1:"),
        ("surrogate-bytes.json", b"{\"status\": \"\xed\xa0\x80\"}", "surrogate-bytes.json:1:"),
        ("lone.json", br#"{"status": "\ud800"}"#, "half of a surrogate pair"),
        ("swapped.json", br#"{"status": "\udc00\ud800"}"#, "swapped.json:1:"),
        ("nul.json", b"{\"status\": \"a\0b\"}", "nul.json:1:"),
        ("bom-inside.json", b"{\xef\xbb\xbf\"status\": 1}", "bom-inside.json:1:"),
        ("utf16.json", b"\xff\xfe{\0}\0", "utf16.json:1:"),
    ];
    for (question, good) in VOCABULARIES {
        let place = Place::with(&[
            ("q.yaml", question),
            ("good.json", good),
            ("bom.json", &format!("\u{feff}{good}")),
        ]);
        for (name, bytes, _) in broken {
            place.write(name, bytes);
        }
        let names: Vec<&str> =
            broken.iter().map(|(name, ..)| *name).chain(["bom.json", "good.json"]).collect();
        let results = results(&place, &[&["check", "q.yaml"], &names[..]].concat());
        for (name, _, place) in broken {
            // What begins like no JSON at all may be a trace of lines.
            let is_trace = question.starts_with("tool") && name == "utf16.json";
            is_error(&results, name, if is_trace { "not JSON: line 1" } else { place });
        }
        passed(&results, "bom.json");
        passed(&results, "good.json");
        assert_eq!(run(&place, &[&["show"], &names[..]].concat()).code, 2);
    }
    let place = Place::with(&[("r.json", VOCABULARIES[0].1)]);
    for name in ["q.yaml", "q.json", "q.toml"] {
        for (_, bytes, _) in broken {
            place.write(name, bytes);
            run(&place, &["check", name, "r.json"]).with(2, &[], &[name]);
        }
    }
    place.write("a.spec.md", b"# \xff\n");
    run(&place, &["run", "a.spec.md"]).with(2, &["a.spec.md:1: not UTF-8"], &[]);
    let odd = std::ffi::OsStr::from_bytes(b"\xff\x9b.json");
    std::fs::write(place.path("").join(odd), VOCABULARIES[0].1).unwrap();
    place.write("q.yaml", VOCABULARIES[0].0.as_bytes());
    let mut command = place.command(&["check", "q.yaml"]);
    guarded(command.arg(odd), 512, std::process::Stdio::null()).with(0, &["1 passed"], &[]);
}

#[test]
fn traces_of_every_format_that_are_broken_in_the_middle() {
    for format in formats() {
        let place = Place::with(&[("q.yaml", "tool_not_called: nothing-calls-this\n")]);
        let mut broken = Vec::new();
        for (at, file) in traces(format).into_iter().enumerate() {
            let sound = std::fs::read(&file).unwrap();
            let ending = file.extension().unwrap().to_str().unwrap();
            place.write(&format!("sound.{ending}"), &sound);
            let middle = sound.len() / 2;
            for (kind, put) in [
                ("cut", None),
                ("latin", Some(&b"\xe9"[..])),
                ("nul", Some(b"\0")),
                ("escape", Some(b"\x1b]0;x\x07")),
            ] {
                let rest = if put.is_some() { &sound[middle..] } else { &[] };
                let name = format!("{kind}-{at}.{ending}");
                place.write(&name, &[&sound[..middle], put.unwrap_or_default(), rest].concat());
                broken.push(name);
            }
        }
        let sound = place.files().into_iter().find(|name| name.starts_with("sound.")).unwrap();
        let names: Vec<&str> = broken.iter().map(String::as_str).chain([&*sound]).collect();
        let format = format.name();
        let told = results(&place, &[&["check", "q.yaml", "--trace-format", format], &names[..]].concat());
        let of_file = |name: &str| -> Vec<Value> {
            let is_of = |result: &&Value| {
                let rest = result["id"].as_str().unwrap().strip_prefix(name);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '#']))
            };
            told.iter().filter(is_of).cloned().collect()
        };
        for name in &broken {
            let results = of_file(name);
            let is_told = |result: &Value| (1..1000).any(|line| tells_of(result, name, line));
            assert!(results.iter().any(is_told), "{name} in {format}: {results:#?}");
        }
        let alone = results(&place, &["check", "q.yaml", "--trace-format", format, &sound]);
        assert_eq!(of_file(&sound), alone, "{format}: the rest is judged as ever");
        for command in ["check q.yaml", "show", "convert"] {
            let words: Vec<&str> = command.split(' ').collect();
            let ended = run(&place, &[&words[..], &["--trace-format", format], &names[..]].concat());
            let told = [ended.stdout, ended.stderr].concat();
            assert_eq!(told.chars().find(|character| is_obeyed(*character)), None, "{told}");
        }
    }
}
