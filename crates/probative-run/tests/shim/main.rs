//! The Python side of `cli.run`, rule by rule: each test writes real modules and runs the shim with `python3`.

mod block_imports;
mod entrypoint;
mod hooks;
mod stub_modules;

use std::fs;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

const SHIM: &str = include_str!("../../src/harness/cli_run/shim.py");

/// What came of one order. `ROOT` stands for the root in all texts.
struct Ran {
    code: Option<i32>,
    stdout: String,
    stderr: String,
    answer: Value,
}

impl Ran {
    /// Standard output of a program that ended well.
    #[track_caller]
    fn printed(&self) -> &str {
        assert_eq!(self.code, Some(0), "{}{}", self.stderr, self.answer);
        assert_eq!(self.answer["failed"], Value::Null);
        &self.stdout
    }

    /// The last line of standard error of a program that crashed.
    #[track_caller]
    fn crash(&self) -> &str {
        assert_eq!(self.code, Some(1), "{}{}", self.stdout, self.answer);
        assert_eq!(self.answer["failed"], Value::Null);
        assert!(!self.stderr.contains("shim.py"), "{}", self.stderr);
        self.stderr.lines().last().unwrap_or_default()
    }

    /// The message about a hook or an entrypoint that cannot be used.
    #[track_caller]
    fn failure(&self) -> &str {
        assert_eq!(self.code, Some(70), "{}{}", self.stdout, self.stderr);
        assert_eq!((self.stdout.as_str(), self.stderr.as_str()), ("", ""));
        self.answer["failed"]["message"].as_str().unwrap()
    }
}

/// Runs an order over a root with these files. `order` is laid over one that does nothing.
fn run(files: &[(&str, &str)], order: &Value) -> Ran {
    run_with(files, order, &[])
}

/// The same with variables in the environment.
fn run_with(files: &[(&str, &str)], order: &Value, env: &[(&str, &str)]) -> Ran {
    let (root, private) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for (path, text) in files {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let place = |name: &str| private.path().join(name);
    let mut whole = json!({
        "root": root.path(), "prog": "tool", "entrypoint": null, "argv": [], "block_imports": [],
        "stub_modules": [], "hook": null, "ctx": {"root": "r"}, "answer": place("answer.json"),
    });
    for (key, value) in order.as_object().unwrap() {
        whole[key] = value.clone();
    }
    fs::write(place("shim.py"), SHIM).unwrap();
    fs::write(place("order.json"), whole.to_string()).unwrap();
    let root = root.path().to_str().unwrap();
    let output = Command::new("python3")
        .args([place("shim.py"), place("order.json")])
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env_remove("PYTHONUNBUFFERED")
        .envs(env.iter().map(|(key, value)| (key, value.replace("ROOT", root))))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap().replace(root, "ROOT");
    let answer = fs::read(place("answer.json")).unwrap();
    assert_eq!(fs::read_dir(private.path()).unwrap().count(), 3, "the shim left a file");
    Ran {
        code: output.status.code(),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
        answer: serde_json::from_str(&text(answer)).unwrap(),
    }
}

/// Runs `app.py`, whose `main(argv)` has this body.
fn run_main(body: &str) -> Ran {
    run_main_with(body, &[], &json!({}))
}

/// The same beside other files, for more of an order.
fn run_main_with(body: &str, files: &[(&str, &str)], order: &Value) -> Ran {
    let app = format!("import sys\ndef main(argv):\n    {}\n", body.replace('\n', "\n    "));
    let mut order = order.clone();
    order["entrypoint"] = json!("app:main");
    run(&[files, &[("app.py", &app)]].concat(), &order)
}

/// The hook `hooks:f`.
fn hook(when: &str) -> Value {
    json!({"when": when, "target": "hooks:f", "case": {"id": "C-1"}, "harness": {"h": 1}, "kwargs": {},
           "result": {"exit_code": 3, "stdout": "out", "stderr": "", "stdout_path": null}})
}

/// Runs only a hook, whose module this is.
fn run_hook(module: &str, when: &str) -> Ran {
    run(&[("hooks.py", module)], &json!({"hook": hook(when)}))
}
