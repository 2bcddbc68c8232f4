//! Blocked modules look absent.

use super::*;

const FILES: [(&str, &str); 4] =
    [("a/__init__.py", "c = 'an attribute'"), ("a/b/__init__.py", ""), ("a/b/d.py", ""), ("a/c.py", "")];

#[test]
fn makes_modules_look_absent() {
    let order = json!({"block_imports": ["a.b", "a.c", "json", "absent"]});
    for (line, crash) in [
        ("import json", "ModuleNotFoundError: No module named 'json'"),
        ("import json.decoder", "ModuleNotFoundError: No module named 'json'"),
        ("from json import loads", "ModuleNotFoundError: No module named 'json'"),
        ("import a.b", "ModuleNotFoundError: No module named 'a.b'"),
        ("import a.b.d", "ModuleNotFoundError: No module named 'a.b'"),
        ("from a.b import d", "ModuleNotFoundError: No module named 'a.b'"),
        ("from a import b", "ImportError: cannot import name 'b' from 'a' (ROOT/a/__init__.py)"),
        ("import importlib; importlib.import_module('a.b')", "ModuleNotFoundError: No module named 'a.b'"),
        (
            "import importlib; importlib.import_module('.b', 'a')",
            "ModuleNotFoundError: No module named 'a.b'",
        ),
        (
            "import importlib.util as u; u.find_spec('json.decoder')",
            "ModuleNotFoundError: No module named 'json'",
        ),
    ] {
        let ran = run_main_with(line, &FILES, &order);
        assert_eq!(ran.crash(), crash, "{line}");
    }
}

#[test]
fn leaves_the_rest() {
    let body = "import a, jsonschema, importlib.util as u\nfrom a import c\nspecs = [u.find_spec(n) for n in names]\n\
                try: import a.b.d\nexcept ModuleNotFoundError as e: print(e.name)\nprint(c, specs)";
    let body = format!("names = ['json', 'a.b', 'absent']\n{body}");
    let files = [&FILES[..], &[("jsonschema.py", "")]].concat();
    let ran = run_main_with(&body, &files, &json!({"block_imports": ["a.b", "a.c", "json"]}));
    assert_eq!(ran.printed(), "a.b\nan attribute [None, None, None]\n");
}

/// Also when Python's own start has imported them.
#[test]
fn reaches_modules_that_are_imported_already() {
    let site = "import importlib.util, a.b.d, threading, json";
    let app = "def main(argv):\n    for line in argv:\n        try: exec(line); print('ok')\n        \
               except ImportError as error: print(type(error).__name__)";
    let files = [&FILES[..], &[("sitecustomize.py", site), ("app.py", app)]].concat();
    let lines = [
        "import os.path",
        "import os; os.path.join('a', 'b')",
        "import json",
        "import a.b",
        "from a import b",
        "import threading",
        "import importlib.util as u; assert u.find_spec('json') is None",
    ];
    let order = json!({"entrypoint": "app:main", "argv": lines, "block_imports": ["os.path", "json", "a.b"]});
    let ran = run_with(&files, &order, &[("PYTHONPATH", "ROOT")]);
    let missing = "ModuleNotFoundError\n";
    assert_eq!(ran.printed(), format!("{missing}ok\n{missing}{missing}ImportError\nok\nok\n"));
}

/// The shim goes on to need what the program may not have.
#[test]
fn does_not_reach_the_shim() {
    let order = json!({"block_imports": ["json", "io", "os", "re", "traceback", "tokenize", "linecache", "codecs",
                                         "encodings", "importlib", "_frozen_importlib", "enum", "abc"],
                       "hook": hook("before")});
    let ran = run(
        &[("hooks.py", "def f(case, ctx, harness): ctx['é'] = 1; print('x'); raise ValueError('boom')")],
        &order,
    );
    assert_eq!(ran.failure(), "ValueError: boom");
    assert_eq!(ran.answer["ctx"], json!({"root": "r", "é": 1}));
    assert_eq!(ran.answer["failed"]["output"], "x\n");
    assert!(ran.answer["failed"]["traceback"].as_str().unwrap().contains("hooks.py\", line 1"));
}

/// A finder of the program is called from within the shim.
#[test]
fn is_not_seen_in_tracebacks() {
    let body = "class Finder:\n    def find_spec(self, name, path, target=None): raise ValueError(name)\n\
                sys.meta_path.insert(0, Finder())\nimport other";
    assert_eq!(run_main_with(body, &[], &json!({"block_imports": ["json"]})).crash(), "ValueError: other");
}
