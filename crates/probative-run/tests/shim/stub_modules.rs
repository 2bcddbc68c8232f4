//! Stubs stand for modules that are not there.

use super::*;

fn stubs(names: &[&str], body: &str, files: &[(&str, &str)]) -> Ran {
    run_main_with(body, files, &json!({"stub_modules": names}))
}

#[test]
fn can_be_used_by_any_name() {
    let body = "from google.cloud import storage\nimport google.cloud, google\n\
                print(storage.Client().bucket('x'), google.cloud.storage is storage)\n\
                class Mine(storage.Base): pass\n\
                print(Mine.__mro__[1:], google, hasattr(google.cloud, '__path__'))\n\
                import copy, importlib.util\n\
                print(copy.copy(storage), importlib.util.find_spec('google.cloud') is not None)";
    assert_eq!(
        stubs(&["google.cloud"], body, &[]).printed(),
        "<stub google.cloud.storage.Client().bucket()> True\n\
         (<class 'object'>,) <module 'google'> False\n<stub google.cloud.storage> True\n"
    );
}

#[test]
fn keep_their_real_parents() {
    let files =
        [("real/__init__.py", "import zeta\nKEPT = 1"), ("real/sub.py", "1/0"), ("bad/__init__.py", "1/0")];
    let body = "import real.sub, bad.sub\nprint(real.KEPT, real.sub.x, bad.sub.x, real.zeta)";
    assert_eq!(
        stubs(&["real.sub", "bad.sub", "zeta"], body, &files).printed(),
        "1 <stub real.sub.x> <stub bad.sub.x> <module 'zeta'>\n"
    );
}

#[test]
fn replace_what_is_installed() {
    let ran = stubs(&["json", "a.b.c"], "import json, a.b.c\nprint(json.loads('1'), a.b.c)", &[]);
    assert_eq!(ran.printed(), "<stub json.loads()> <module 'a.b.c'>\n");
}

#[test]
fn are_not_packages() {
    let ran = stubs(&["a.b"], "import a.b.c", &[]);
    assert_eq!(ran.crash(), "ModuleNotFoundError: No module named 'a.b.c'; 'a.b' is not a package");
    let ran = stubs(&["a"], "import a\na.__version__", &[]);
    assert_eq!(ran.crash(), "AttributeError: module 'a' has no attribute '__version__'");
}

#[test]
fn give_way_to_blocked_modules() {
    let order = json!({"stub_modules": ["a", "b.c"], "block_imports": ["a.x", "b"]});
    let try_all = "for line in ['import a', 'from a import y', 'from a import x', 'import b.c']:\n    \
                   try: exec(line); print('ok')\n    except ImportError as error: print(error)";
    assert_eq!(
        run_main_with(try_all, &[], &order).printed(),
        "ok\nok\ncannot import name 'x' from 'a' (unknown location)\nNo module named 'b'\n"
    );
}
