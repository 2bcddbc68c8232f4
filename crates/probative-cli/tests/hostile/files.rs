//! Files that are none, that lead elsewhere or that go away: told by name, and nothing is read or written that was not given.

use std::os::unix::fs::symlink;
use std::process::Command;

use probative::report::Format;
use serde_json::json;

use crate::cases::{PASSES, fence, shell};
use crate::guard::{guarded, is_error, of, passed, results, run};
use crate::place::Place;
use crate::tables::VOCABULARIES;

fn fifo(place: &Place, name: &str) {
    assert!(Command::new("mkfifo").arg(place.path(name)).status().unwrap().success());
}

#[test]
fn subjects_that_are_no_files() {
    for (question, good) in VOCABULARIES {
        let place = Place::with(&[("q.yaml", question), ("good.json", good), ("d.json/x.json", good)]);
        symlink("loop.json", place.path("loop.json")).unwrap();
        symlink("nowhere", place.path("dangling.json")).unwrap();
        symlink("/dev/full", place.path("full.json")).unwrap();
        symlink("/dev/null", place.path("null.json")).unwrap();
        symlink("/proc/self/mem", place.path("mem.json")).unwrap();
        symlink("..", place.path("d.json/up")).unwrap();
        let names =
            ["loop.json", "dangling.json", "null.json", "mem.json", "full.json", "d.json", "good.json"];
        let told = results(&place, &[&["check", "q.yaml"], &names[..]].concat());
        for name in &names[..6] {
            is_error(&told, name, "");
        }
        is_error(&told, "loop.json", "too many levels of symbolic links");
        is_error(&told, "d.json", "is a directory");
        passed(&told, "good.json");
        for command in ["show", "convert"] {
            let ended = run(&place, &[&[command], &names[..]].concat());
            assert!(names[..4].iter().all(|name| ended.stderr.contains(name)), "{ended:#?}");
        }
        // Where files are looked for, a pipe is none, and a loop of links is walked once.
        fifo(&place, "d.json/pipe.json");
        let told = results(&place, &["check", "q.yaml", "-r", "d.json"]);
        passed(&told, "d.json/x.json");
    }
}

#[test]
fn a_pipe_is_read_until_it_ends() {
    let place = Place::with(&[("good.json", VOCABULARIES[0].1), ("q.yaml", VOCABULARIES[0].0)]);
    let mut command = Command::new("bash");
    let binary = assert_cmd::cargo::cargo_bin!("probative");
    let script = "exec \"$0\" check <(cat q.yaml) <(cat good.json) <(printf '{')";
    command.args(["-c", script]).arg(binary).current_dir(place.path(""));
    guarded(&command, 512, std::process::Stdio::null()).with(2, &["1 passed, 1 error"], &[]);
}

#[test]
fn files_that_vanish_shrink_or_grow_before_they_are_read() {
    let text = |id: &str, path: &str| json!({"id": id, "type": "text.file", "path": path, "assert": [{"target": "text", "must": [{"contain": ["there"]}]}]});
    let change = "rm gone.txt; : > shrunk.txt; rm swapped.txt; ln -s /etc/passwd swapped.txt; rm pipe.txt; mkfifo pipe.txt; mkdir -p x; rm dir.txt; mkdir dir.txt";
    let cases = json!([
        shell("CHANGES", change),
        text("GONE", "gone.txt"),
        text("SHRUNK", "shrunk.txt"),
        text("SWAPPED", "swapped.txt"),
        text("PIPE", "pipe.txt"),
        text("DIR", "dir.txt"),
        text("GOOD", "good.txt"),
    ]);
    let place = Place::with(&[("probative.toml", ""), ("a.spec.json", &cases.to_string())]);
    for name in ["gone", "shrunk", "swapped", "pipe", "dir", "good"] {
        place.write(&format!("{name}.txt"), b"there");
    }
    let told = results(&place, &["run", "a.spec.json", "-j", "1"]);
    passed(&told, "CHANGES");
    for id in ["GONE", "SWAPPED", "PIPE", "DIR"] {
        is_error(&told, id, "");
    }
    assert_eq!(of(&told, "SHRUNK")["status"], "fail");
    assert!(of(&told, "SWAPPED")["message"].as_str().unwrap().contains("escapes contract root"));
    passed(&told, "GOOD");
}

#[test]
fn a_document_that_a_case_removes_is_judged_as_it_was_read() {
    let place = Place::with(&[
        ("a.spec.json", &json!([shell("REMOVES", "rm -f b.spec.md a.spec.json")]).to_string()),
        ("b.spec.md", &fence(PASSES)),
    ]);
    let told = results(&place, &["run", "a.spec.json", "b.spec.md", "-j", "1"]);
    passed(&told, "REMOVES");
    assert!(of(&told, "GOOD")["status"].is_string());
}

#[test]
fn reports_that_cannot_be_written() {
    let (question, good) = VOCABULARIES[0];
    let files = [("q.yaml", question), ("good.json", good), ("bad.json", "{}"), ("d/x", "")];
    let place = Place::with(&files);
    symlink("loop", place.path("loop")).unwrap();
    for format in Format::ALL {
        for to in ["/dev/full", "d", "d/x/y", "loop", "/proc/self/nothing", "good.json/x"] {
            let report = format!("{}={to}", format.name());
            // There are no annotations of what passed, so that nothing of them can be lost.
            let (subject, code) = if format == Format::Github { ("bad.json", 1) } else { ("good.json", 2) };
            let ended = run(&place, &["check", "q.yaml", subject, "--report", &report]);
            assert!(ended.code == 2 || (ended.code == code && to == "/dev/full"), "{report}: {ended:#?}");
            assert!(ended.stderr.contains(to), "{report}: {ended:#?}");
        }
    }
    assert_eq!(place.files(), ["bad.json", "d", "good.json", "loop", "q.yaml"], "nothing is left behind");
}

#[test]
fn names_that_hold_ends_of_lines_and_what_a_shell_obeys() {
    let names = [
        "a\nb.json",
        "-rf.json",
        "$(touch pwned).json",
        "a;touch pwned;.json",
        "'\"`.json",
        " .json",
        "*.json",
    ];
    let place = Place::with(&[("q.yaml", VOCABULARIES[0].0)]);
    for name in names {
        place.write(name, br#"{"status": "error"}"#);
    }
    let told = results(&place, &["check", "q.yaml", "-r", "."]);
    assert_eq!(told.len(), names.len(), "{told:#?}");
    let ended = run(&place, &["check", "q.yaml", "-r", "."]);
    assert!(ended.stdout.contains(r"a\nb.json") && !place.path("pwned").exists(), "{ended:#?}");
    // What it says to be run again is one command, which reads that file and no other.
    for line in ended.stdout.lines().filter_map(|line| line.trim().strip_prefix("rerun: probative ")) {
        let words = shlex::split(line).unwrap();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        assert_eq!(results(&place, &words).len(), 1, "{line}");
    }
}

#[test]
fn paths_that_climb_out() {
    let file = |id: &str, path: &str| json!({"id": id, "type": "text.file", "path": path});
    let setup = |id: &str, path: &str| json!({"id": id, "type": "cli.run", "harness": {"entrypoint": "true", "setup_files": [{"path": path, "text": "pwned"}]}});
    let cases = json!([
        file("UP", "../secret.txt"),
        file("AROUND", "x/../../secret.txt"),
        file("LINK", "link.txt"),
        setup("SETUP-UP", "../../pwned.txt"),
        setup("SETUP-ROOT", "/tmp/probative-pwned.txt"),
        setup("SETUP-DOT", "a/../../pwned.txt"),
        file("GOOD", "inside.txt"),
    ]);
    let place = Place::with(&[
        ("secret.txt", "s3cret"),
        ("root/probative.toml", ""),
        ("root/inside.txt", "fine"),
        ("root/a.spec.json", &cases.to_string()),
    ]);
    symlink("../secret.txt", place.path("root/link.txt")).unwrap();
    let ended = run(&place, &["run", "root/a.spec.json", "--report", "jsonl", "--no-timings"]);
    assert!(!ended.stdout.contains("s3cret"));
    let told = ended.json_lines();
    for id in ["UP", "AROUND", "LINK", "SETUP-UP", "SETUP-ROOT", "SETUP-DOT"] {
        is_error(&told, id, "");
    }
    passed(&told, "GOOD");
    assert!(!std::path::Path::new("/tmp/probative-pwned.txt").exists());
    assert_eq!(place.files(), ["root", "secret.txt"]);
}

#[test]
fn recordings_that_climb_out() {
    let place = Place::with(&[
        ("secret.json", r#"{"status": "s3cret"}"#),
        ("root/probative.toml", ""),
        ("root/good.json", r#"{"status": "success"}"#),
        ("root/names.json", r#"{"response_file": "../secret.json"}"#),
        ("root/names-link.json", r#"{"response_file": "link.json"}"#),
        ("root/names-root.json", r#"{"response_file": "/etc/hostname"}"#),
    ]);
    symlink("../secret.json", place.path("root/link.json")).unwrap();
    symlink("..", place.path("root/up")).unwrap();
    let absolute = place.path("secret.json").display().to_string();
    let files = [
        ("UP", "../secret.json", "file escapes contract root"),
        ("AROUND", "x/../../secret.json", "file escapes contract root"),
        ("ABSOLUTE", &absolute, "file must be relative"),
        ("LINK", "link.json", "file escapes contract root: link.json"),
        ("THROUGH", "up/secret.json", "file escapes contract root: up/secret.json"),
        ("FOUND", "li*.json", "file escapes contract root: link.json"),
        ("FOUND-UP", "../secret*.json", "file escapes contract root"),
        ("NAMES", "names.json", "file escapes contract root: ../secret.json"),
        ("NAMES-LINK", "names-link.json", "file escapes contract root: link.json"),
        ("NAMES-ROOT", "names-root.json", "/etc/hostname"),
        ("GOOD", "good.json", ""),
    ];
    let leaf = json!([{"target": "response", "must": [{"status": ["success"]}]}]);
    let case = |(id, file, _): &(&str, &str, &str)| json!({"id": id, "type": "agent.run", "file": file, "assert": leaf});
    let cases: Vec<_> = files.iter().map(case).collect();
    place.write("root/a.spec.json", json!(cases).to_string().as_bytes());
    let ended = run(&place, &["run", "root/a.spec.json", "--report", "jsonl", "--no-timings"]);
    assert!(!ended.stdout.contains("s3cret"), "{}", ended.stdout);
    let told = ended.json_lines();
    for (id, _, message) in &files[..files.len() - 1] {
        is_error(&told, id, message);
    }
    passed(&told, "GOOD");
}

/// What nobody can read, root included.
#[test]
fn what_cannot_be_read() {
    for (question, good) in VOCABULARIES {
        let place = Place::with(&[("q.yaml", question), ("good.json", good), ("file", "")]);
        symlink("b", place.path("a")).unwrap();
        symlink("a", place.path("b")).unwrap();
        symlink("/proc/self/mem", place.path("mem.json")).unwrap();
        let long = format!("{}.json", "n".repeat(300));
        let unreadable = [
            ("file/x.json", "not a directory"),
            ("a", "too many levels of symbolic links"),
            ("a/x.json", "too many levels of symbolic links"),
            ("mem.json", "input/output error"),
            (&long, "file name too long"),
            ("none/x.json", "no such file or directory"),
        ];
        let names: Vec<&str> = unreadable.iter().map(|(name, _)| *name).chain(["good.json"]).collect();
        let told = results(&place, &[&["check", "q.yaml"], &names[..]].concat());
        for (name, why) in unreadable {
            is_error(&told, name, why);
        }
        passed(&told, "good.json");
        for name in ["file/q.yaml", "a", "mem.json"] {
            let ended = run(&place, &["check", name, "good.json"]);
            assert!(ended.code == 2 && ended.stderr.contains(name), "{ended:#?}");
        }
        for command in ["run", "lint", "show", "convert"] {
            for name in ["file/x.spec.md", "a", "b/x.spec.md"] {
                let ended = run(&place, &[command, name]);
                let told = [ended.stdout, ended.stderr].concat();
                assert!(ended.code > 0 && told.contains(name), "{command}: {told}");
            }
        }
    }
}

#[test]
fn archives_are_never_unpacked_to_files() {
    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;
    let mut archive = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let bomb = vec![b' '; 130 << 20];
    for name in
        ["samples/../../pwned.json", "/tmp/probative-pwned.json", "samples/bomb.json", "samples/link.json"]
    {
        archive.start_file(name, SimpleFileOptions::default()).unwrap();
        let contents: &[u8] = if name.contains("bomb") { &bomb } else { b"{}" };
        std::io::Write::write_all(&mut archive, contents).unwrap();
    }
    let place = Place::with(&[("q.yaml", "succeeded: true\n")]);
    place.write("log.eval", &archive.finish().unwrap().into_inner());
    for command in [&["check", "q.yaml"][..], &["show"], &["convert"]] {
        let ended = run(&place, &[command, &["log.eval"]].concat());
        let told = [ended.stdout, ended.stderr].concat();
        assert!(ended.code > 0 && told.contains("unpacks to more than 128 MiB"), "{told}");
    }
    assert_eq!(place.files(), ["log.eval", "q.yaml"]);
    assert!(!std::path::Path::new("/tmp/probative-pwned.json").exists());
}
