//! How an entrypoint is found, called, and ends.

use super::*;

#[test]
fn gets_its_arguments() {
    let ran =
        run_main_with("print(argv, sys.argv, argv is not sys.argv)", &[], &json!({"argv": ["--x", "é 🦀"]}));
    assert_eq!(ran.printed(), "['--x', 'é 🦀'] ['tool', '--x', 'é 🦀'] True\n");
    assert_eq!(ran.answer, json!({"ctx": {"root": "r"}, "failed": null}));
}

#[test]
fn finds_the_root_first_on_its_path() {
    let show = "import sys\ndef main(argv): print([place for place in sys.path if place])\n";
    for env in [[("SAFE", "0")], [("PYTHONSAFEPATH", "1")]] {
        let ran = run_with(&[("app.py", show)], &json!({"entrypoint": "app:main"}), &env);
        let plain =
            Command::new("python3").args(["-c", &format!("{show}main([])")]).envs(env).output().unwrap();
        let plain = String::from_utf8(plain.stdout).unwrap();
        assert_eq!(ran.printed(), plain.replacen('[', "['ROOT', ", 1));
    }
}

#[test]
fn sees_an_empty_main_module() {
    let ran = run_main("import __main__\nprint(sorted(vars(__main__)))");
    assert_eq!(ran.printed(), "['__doc__', '__loader__', '__name__', '__package__', '__spec__']\n");
}

#[test]
fn sees_only_modules_that_python_itself_imports() {
    let list = "import sys; names = ' '.join(sorted(sys.modules))";
    let app = format!("{list}\ndef main(argv): print(names)");
    let ran = run(&[("app.py", &app)], &json!({"entrypoint": "app:main"}));
    let plain = Command::new("python3").args(["-c", &format!("{list}; print(names)")]).output().unwrap();
    let plain = String::from_utf8(plain.stdout).unwrap();
    let added =
        ran.printed().split_whitespace().filter(|name| !plain.split_whitespace().any(|one| one == *name));
    assert_eq!(added.collect::<Vec<_>>(), ["app"]);
}

/// Also where the shim itself needs the module, and where it is found before the standard library.
#[test]
fn may_shadow_the_standard_library() {
    let files = [("json.py", "def main(argv): print('mine')")];
    for env in [&[][..], &[("PYTHONPATH", "ROOT")]] {
        let ran = run_with(&files, &json!({"entrypoint": "json:main"}), env);
        assert_eq!(ran.printed(), "mine\n");
    }
}

#[test]
fn may_be_an_attribute_of_an_attribute() {
    let app = "class App:\n    @staticmethod\n    def main(argv): print('dotted')";
    let ran = run(&[("pkg/mod.py", app)], &json!({"entrypoint": "pkg.mod:App.main"}));
    assert_eq!(ran.printed(), "dotted\n");
}

#[test]
fn ends_as_a_console_script_does() {
    for (body, code, stderr) in [
        ("return None", 0, ""),
        ("return False", 0, ""),
        ("return True", 1, ""),
        ("return 7", 7, ""),
        ("return -1", 255, ""),
        ("return 'why'", 1, "why\n"),
        ("sys.exit()", 0, ""),
        ("sys.exit(3)", 3, ""),
        ("sys.exit(300)", 44, ""),
        ("raise SystemExit('text')", 1, "text\n"),
    ] {
        let ran = run_main(body);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(code), stderr), "{body}");
        assert_eq!(ran.answer["failed"], Value::Null, "{body}");
    }
}

#[test]
fn crashes_with_its_own_frames_only() {
    let ran = run_main("try:\n    {}['k']\nexcept KeyError:\n    raise ValueError('boom')");
    assert_eq!(ran.crash(), "ValueError: boom");
    assert_eq!(ran.stderr.matches("  File ").count(), 2, "{}", ran.stderr);
    assert_eq!(ran.stderr.matches("File \"ROOT/app.py\"").count(), 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("KeyError: 'k'"), "{}", ran.stderr);
}

#[test]
fn crashes_through_its_own_excepthook() {
    let ran = run_main("sys.excepthook = lambda kind, error, tb: sys.exit(9)\n1/0");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(9), ""));
}

#[test]
fn survives_very_deep_recursion() {
    let ran = run_main("return main(argv)");
    assert!(ran.crash().starts_with("RecursionError: maximum recursion depth exceeded"), "{}", ran.stderr);
}

#[test]
fn is_interrupted_with_130() {
    let ran = run_main("raise KeyboardInterrupt");
    assert_eq!(ran.code, Some(130));
    assert!(ran.stderr.ends_with("KeyboardInterrupt\n") && !ran.stderr.contains("shim.py"), "{}", ran.stderr);
}

#[test]
fn flushes_and_runs_its_exit_handlers() {
    let ran = run_main("import atexit\natexit.register(print, 'bye')\nprint('hi', end=' ')\nreturn 4");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(4), "hi bye\n"));
}

#[test]
fn may_end_at_once() {
    let ran = run_main("import os\nos._exit(3)");
    assert_eq!((ran.code, ran.answer), (Some(3), json!({"ctx": {"root": "r"}, "failed": null})));
}

#[test]
fn cannot_be_used() {
    let files = [("pkg/__init__.py", ""), ("pkg/cli.py", "NAME = 'x'\nclass App: pass"), ("plain.py", "")];
    for (target, message) in [
        ("pkg.none:main", "no module named 'pkg.none' (looked in: ROOT/pkg)"),
        ("plain.sub:main", "no module named 'plain.sub' (looked in: "),
        ("absent.cli:main", "no module named 'absent' (looked in: ROOT, "),
        ("pkg.cli:main", "'pkg.cli' has no attribute 'main'"),
        ("pkg.cli:App.main", "'pkg.cli.App' has no attribute 'main'"),
        ("pkg.cli:NAME", "'pkg.cli:NAME' isn't callable; its type is str"),
        ("pkg.cli:", "'pkg.cli:' is not of the form module:attr"),
        ("pkg.cli", "'pkg.cli' is not of the form module:attr"),
    ] {
        let ran = run(&files, &json!({"entrypoint": target}));
        assert!(ran.failure().starts_with(message), "{target}: {}", ran.failure());
        assert_eq!(ran.answer["failed"]["when"], "entrypoint");
        assert_eq!(ran.answer["failed"]["target"], target);
    }
}

/// An import that fails inside the program is a crash, even of a module that is named almost like it.
#[test]
fn crashes_while_it_is_imported() {
    for (init, cli, crash) in [
        ("", "import absent", "ModuleNotFoundError: No module named 'absent'"),
        (
            "import pkg.cli.deep",
            "",
            "ModuleNotFoundError: No module named 'pkg.cli.deep'; 'pkg.cli' is not a package",
        ),
        ("import pkg.none", "", "ModuleNotFoundError: No module named 'pkg.none'"),
        ("", "raise ModuleNotFoundError('own', name='pkg.cli')", "ModuleNotFoundError: own"),
        ("", "1/0", "ZeroDivisionError: division by zero"),
        ("", "def", "SyntaxError: invalid syntax"),
        ("", "import sys; sys.exit('no')", "no"),
    ] {
        let ran =
            run(&[("pkg/__init__.py", init), ("pkg/cli.py", cli)], &json!({"entrypoint": "pkg.cli:main"}));
        assert_eq!(ran.crash(), crash);
    }
}

/// A compiled module has no lines that a traceback could show. A partial function stands for it.
#[test]
fn crashes_while_it_is_imported_without_a_trace() {
    let module = "import sys, functools, importlib.machinery\n\
                  class Loader:\n    exec_module = functools.partial(__import__, 'absent')\n    \
                  def create_module(self, spec): pass\n\
                  class Finder:\n    def find_spec(self, name, path, target=None):\n        \
                  if name == 'app': return importlib.machinery.ModuleSpec(name, Loader())\n\
                  def f(**_): sys.meta_path.insert(0, Finder())";
    let ran = run(&[("hooks.py", module)], &json!({"hook": hook("before"), "entrypoint": "app:main"}));
    assert_eq!(ran.crash(), "ModuleNotFoundError: No module named 'absent'");
}
