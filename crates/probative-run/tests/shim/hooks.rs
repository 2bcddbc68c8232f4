//! What hooks are given, what they give, and how they fail.

use super::*;

#[test]
fn before_gets_its_arguments_and_changes_ctx() {
    let module =
        "def f(case, ctx, harness, **more):\n    ctx['seen'] = [case, harness, more]\n    del ctx['root']";
    let mut order = json!({"hook": hook("before")});
    order["hook"]["kwargs"] = json!({"k": [1]});
    let ran = run(&[("hooks.py", module)], &order);
    assert_eq!(ran.printed(), "");
    assert_eq!(ran.answer["ctx"], json!({"seen": [{"id": "C-1"}, {"h": 1}, {"k": [1]}]}));
}

#[test]
fn after_gets_the_result_too() {
    let ran = run_hook("def f(*, case, ctx, harness, result): ctx['r'] = result", "after");
    assert_eq!(ran.printed(), "");
    assert_eq!(ran.answer["ctx"]["r"], hook("after")["result"]);
}

/// In the same process: what the hook sets up is there, and what it printed is not. A stream that somebody keeps
/// while the hook runs is the command's own afterwards.
#[test]
fn before_runs_before_the_entrypoint() {
    let module = "import os, sys, subprocess\n\
                  def f(case, ctx, harness):\n    import app\n    ctx['n'] = 1\n    os.environ['SET'] = 'yes'\n    \
                  print('out'); print('err', file=sys.stderr); sys.stdout.buffer.write(b'bytes')\n    \
                  subprocess.call([sys.executable, '-c', 'print(1)'])";
    let app = "import os, sys\ndef main(argv, out=sys.stdout): print(os.environ['SET'], file=out)";
    let files = [("hooks.py", module), ("app.py", app), ("parent/__init__.py", "print('earlier')")];
    let ran = run(
        &files,
        &json!({"hook": hook("before"), "entrypoint": "app:main", "stub_modules": ["parent.sub"]}),
    );
    assert_eq!((ran.printed(), ran.stderr.as_str()), ("earlier\nyes\n", ""));
    assert_eq!(ran.answer["ctx"], json!({"root": "r", "n": 1}));
}

#[test]
fn that_fail_stop_the_case() {
    for (line, message) in [
        ("raise ValueError('boom')", "ValueError: boom"),
        ("raise ValueError", "ValueError"),
        ("raise SystemExit(0)", "SystemExit: 0"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("import absent", "ModuleNotFoundError: No module named 'absent'"),
        ("raise OSError('\\udc80')", "OSError: \\udc80"),
    ] {
        let module = format!("def f(case, ctx, harness):\n    print('so far')\n    {line}");
        let order = json!({"hook": hook("before"), "entrypoint": "app:main"});
        let ran = run(&[("hooks.py", &module), ("app.py", "def main(argv): print('never')")], &order);
        assert_eq!(ran.failure(), message);
        let failed = &ran.answer["failed"];
        assert_eq!((&failed["when"], &failed["target"]), (&json!("before"), &json!("hooks:f")));
        assert_eq!(failed["output"], "so far\n");
        let traceback = failed["traceback"].as_str().unwrap();
        assert_eq!(traceback.matches("  File ").count(), 1, "{traceback}");
        assert!(traceback.trim_end().ends_with(message), "{traceback}");
    }
}

#[test]
fn tell_their_traceback_without_colours() {
    let order = json!({"hook": hook("after")});
    let ran = run_with(&[("hooks.py", "def f(**_): 1/0")], &order, &[("FORCE_COLOR", "1")]);
    assert_eq!(ran.failure(), "ZeroDivisionError: division by zero");
    assert!(!ran.answer["failed"]["traceback"].as_str().unwrap().contains('\u{1b}'));
}

#[test]
fn that_cannot_be_used_stop_the_case() {
    for (module, message) in [
        ("", "'hooks' has no attribute 'f'"),
        ("f = 1", "'hooks:f' isn't callable; its type is int"),
        ("1/0", "ZeroDivisionError: division by zero"),
        ("async def f(**_): pass", "'hooks:f' is async; a hook must be a plain function"),
        ("def f(case): pass", "TypeError: f() got an unexpected keyword argument 'ctx'"),
    ] {
        assert_eq!(run_hook(module, "before").failure(), message);
    }
    let ran = run(&[], &json!({"hook": hook("after")}));
    assert!(ran.failure().starts_with("no module named 'hooks' (looked in: ROOT, "), "{}", ran.failure());
    assert_eq!(ran.answer["failed"]["when"], "after");
}

#[test]
fn may_not_be_given_an_argument_twice() {
    let mut order = json!({"hook": hook("before")});
    order["hook"]["kwargs"] = json!({"harness": 1, "case": 2, "result": 3});
    let files = [("hooks.py", "def f(**_): pass")];
    assert_eq!(
        run(&files, &order).failure(),
        "hook_kwargs must not contain case, harness: hooks always get it"
    );
    order["hook"]["kwargs"] = json!({"result": 3});
    assert_eq!(run(&files, &order).printed(), "");
    order["hook"]["when"] = json!("after");
    assert_eq!(run(&files, &order).failure(), "hook_kwargs must not contain result: hooks always get it");
}

#[test]
fn may_only_put_json_into_ctx() {
    for (value, message) in [
        ("object", "Object of type type is not JSON serializable"),
        ("float('nan')", "Out of range float values are not JSON compliant"),
        ("[ctx]", "Circular reference detected"),
        ("'\\ud800'", "'utf-8' codec can't encode character '\\ud800'"),
    ] {
        let ran = run_hook(&format!("def f(case, ctx, harness): ctx.update(good=1, bad={value})"), "before");
        let expected = format!("ctx['bad'] is not JSON: {message}");
        assert!(ran.failure().starts_with(&expected), "{}", ran.failure());
        assert_eq!(ran.answer["ctx"], json!({"root": "r", "good": 1}));
    }
}

/// A second hook order with an entrypoint is none: the runner asks for the hook after the command on its own.
#[test]
fn after_never_runs_with_an_entrypoint() {
    let order = json!({"hook": hook("after"), "entrypoint": "app:main"});
    let ran = run(&[("hooks.py", "1/0"), ("app.py", "def main(argv): pass")], &order);
    assert_eq!(ran.printed(), "");
}
