"""A small runner of `text.file` cases, as runners of this format are written in Python.

spec_runner.py [--c] DIRECTORY RESULTS: reads the fences of every *.spec.md with PyYAML (with --c its parser in C),
compiles assertions to spec-lang, judges every case, and writes the results as JSON. Ends with 1 if a case did not pass.
"""

import json
import re
import sys
from pathlib import Path

import yaml

KEYS = {"id", "type", "title", "purpose", "assert", "assert_health", "expect", "requires", "harness", "path"}
GROUPS = ("must", "can", "cannot")
OPENER = re.compile(r"^(`{3,}|~{3,})\s*(.*)$")
MAX_STEPS = 20000


class SpecError(Exception):
    def __init__(self, category, message):
        super().__init__(message)
        self.category = category


def fences(text):
    """The bodies of the spec-test fences of a Markdown text."""
    body, closer = None, None
    for line in text.splitlines():
        if closer is None:
            opener = OPENER.match(line)
            if opener:
                mark, info = opener.group(1), opener.group(2).lower().split()
                closer = re.compile(r"^" + re.escape(mark[0]) + "{" + str(len(mark)) + r",}\s*$")
                is_case = "spec-test" in info and ("yaml" in info or "yml" in info)
                body = [] if is_case else None
        elif closer.match(line):
            if body is not None:
                yield "\n".join(body)
            closer = None
        elif body is not None:
            body.append(line)
    if closer is not None and body is not None:
        raise SpecError("schema", "a spec-test fence is never closed")


def truthy(value):
    return bool(value)


def text_of(value):
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def pair(args, subject):
    return (subject, args[0]) if len(args) == 1 else (args[0], args[1])


SYMBOLS = {
    "contains": lambda args, subject: text_of(pair(args, subject)[1]) in text_of(pair(args, subject)[0]),
    "starts_with": lambda args, subject: text_of(pair(args, subject)[0]).startswith(text_of(pair(args, subject)[1])),
    "ends_with": lambda args, subject: text_of(pair(args, subject)[0]).endswith(text_of(pair(args, subject)[1])),
    "eq": lambda args, subject: args[0] == args[1],
    "neq": lambda args, subject: args[0] != args[1],
    "in": lambda args, subject: args[0] in args[1],
    "len": lambda args, subject: len(args[0]),
    "trim": lambda args, subject: text_of(args[0]).strip(),
    "lower": lambda args, subject: text_of(args[0]).lower(),
    "upper": lambda args, subject: text_of(args[0]).upper(),
    "add": lambda args, subject: args[0] + args[1],
    "sub": lambda args, subject: args[0] - args[1],
    "subject": lambda args, subject: subject,
    "regex_match": lambda args, subject: re.search(args[1], text_of(args[0])) is not None,
}
ARITY = {"contains": (1, 2), "starts_with": (1, 2), "ends_with": (1, 2), "subject": (0, 0)}
ARITY |= {name: (2, 2) for name in ("eq", "neq", "in", "add", "sub", "regex_match")}
ARITY |= {name: (1, 1) for name in ("len", "trim", "lower", "upper")}


def compiled(expression):
    """Checks an expression before anything is evaluated."""
    if isinstance(expression, dict):
        raise SpecError("schema", "an expression is a list-based s-expr")
    if not isinstance(expression, list):
        return expression
    if not expression or not isinstance(expression[0], str):
        raise SpecError("schema", "an expression begins with a symbol")
    symbol, args = expression[0], expression[1:]
    if symbol not in SYMBOLS and symbol not in ("and", "or", "not", "if"):
        raise SpecError("schema", f"unsupported spec_lang symbol: {symbol}")
    low, high = ARITY.get(symbol, (1, len(args)))
    if not low <= len(args) <= high:
        raise SpecError("schema", f"{symbol}: wrong number of arguments")
    if symbol == "regex_match":
        re.compile(args[1])
    return [symbol, *map(compiled, args)]


class Machine:
    def __init__(self, subject):
        self.subject, self.steps = subject, 0

    def evaluate(self, expression):
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise SpecError("runtime", "spec_lang budget exceeded: steps")
        if not isinstance(expression, list):
            return expression
        symbol, args = expression[0], expression[1:]
        if symbol == "and":
            return all(truthy(self.evaluate(arg)) for arg in args)
        if symbol == "or":
            return any(truthy(self.evaluate(arg)) for arg in args)
        if symbol == "not":
            return not truthy(self.evaluate(args[0]))
        if symbol == "if":
            return self.evaluate(args[1] if truthy(self.evaluate(args[0])) else args[2])
        return SYMBOLS[symbol]([self.evaluate(arg) for arg in args], self.subject)


def leaf(operator, value):
    if operator == "contain":
        return compiled(["contains", ["subject"], value])
    if operator == "regex":
        return compiled(["regex_match", ["subject"], value])
    if operator == "evaluate":
        return compiled(value)
    raise SpecError("schema", f"unsupported op for text.file.text: {operator}")


def compile_tree(node, target, path):
    """A tree of groups and leaves: ("must" | "can" | "cannot", [...]) or ("leaf", path, operator, value, expression)."""
    if isinstance(node, list):
        return ("must", path, [compile_tree(item, target, f"{path}[{at}]") for at, item in enumerate(node)])
    if not isinstance(node, dict):
        raise SpecError("schema", f"{path}: not an assertion")
    groups = [key for key in node if key in GROUPS]
    if not groups:
        if target is None:
            raise SpecError("schema", f"{path}: no target")
        leaves = []
        for operator, values in node.items():
            if not isinstance(values, list) or not values:
                raise SpecError("schema", f"{path}.{operator}: a list that is not empty")
            leaves += [("leaf", path, operator, value, leaf(operator, value)) for value in values]
        return ("must", path, leaves)
    if len(groups) > 1 or set(node) - {"target", groups[0]}:
        raise SpecError("schema", f"{path}: one group")
    [group], target = groups, node.get("target", target)
    if target != "text":
        raise SpecError("schema", f"{path}: unknown target: {target}")
    if not isinstance(node[group], list) or not node[group]:
        raise SpecError("schema", f"{path}.{group}: a list that is not empty")
    items = [compile_tree(item, target, f"{path}.{group}[{at}]") for at, item in enumerate(node[group])]
    return (group, path, items)


def ask(tree, subject):
    """Why a tree does not hold, or nothing."""
    if tree[0] == "leaf":
        _, path, operator, value, expression = tree
        holds = truthy(Machine(subject).evaluate(expression))
        return None if holds else f"assert_path={path} target=text op={operator}: expected {value!r}, found {subject[:80]!r}"
    group, path, items = tree
    if group == "must":
        for item in items:
            failure = ask(item, subject)
            if failure:
                return failure
        return None
    failures = [ask(item, subject) for item in items]
    if group == "can":
        return None if None in failures else f"{path}: all 'can' branches failed: " + "; ".join(failures[:5])
    passed = failures.count(None)
    return f"{path}: 'cannot' failed: {passed} branch(es) passed" if passed else None


def subject_of(case, document, text, root):
    path = case.get("path")
    if path is None:
        return text
    if not isinstance(path, str) or Path(path).is_absolute():
        raise SpecError("schema", "text.file path must be relative")
    resolved = (document.parent / path).resolve()
    if not resolved.is_relative_to(root):
        raise SpecError("schema", "text.file path escapes contract root")
    try:
        return resolved.read_text(encoding="utf-8")
    except OSError as error:
        raise SpecError("runtime", f"cannot read {path}: {error}") from error


def run_case(case, document, text, root):
    unknown = [key for key in case if key not in KEYS and not key.startswith("x-")]
    if unknown:
        raise SpecError("schema", f"unknown key {unknown[0]}")
    if case["type"] != "text.file":
        raise SpecError("runtime", f"unknown spec-test type: {case['type']}")
    try:
        tree = compile_tree(case.get("assert", []), None, "assert")
    except re.error as error:
        raise SpecError("schema", f"bad regex: {error}") from error
    return ask(tree, subject_of(case, document, text, root))


def root_of(directory):
    for above in (directory, *directory.parents):
        if (above / ".git").exists() or (above / "probative.toml").exists():
            return above
    return directory


def load(directory, loader):
    """All cases of all documents: everything is read before anything is run."""
    for document in sorted(directory.glob("*.spec.md")):
        text = document.read_text(encoding="utf-8")
        for body in fences(text):
            read = yaml.load(body, Loader=loader)
            for case in read if isinstance(read, list) else [read]:
                if not isinstance(case, dict) or not isinstance(case.get("id"), str) or "type" not in case:
                    raise SpecError("schema", f"{document}: a case is a mapping with id and type")
                yield case, document, text


def main(arguments):
    loader = yaml.SafeLoader
    if arguments[0] == "--c":
        loader, arguments = yaml.CSafeLoader, arguments[1:]
    directory, out = Path(arguments[0]).resolve(), Path(arguments[1])
    root, seen, results = root_of(directory), set(), []
    for case, document, text in list(load(directory, loader)):
        result = {"id": case["id"], "status": "pass", "category": None, "message": None}
        try:
            if case["id"] in seen:
                raise SpecError("schema", f"duplicate id {case['id']}")
            seen.add(case["id"])
            failure = run_case(case, document, text, root)
            if failure:
                result |= {"status": "fail", "category": "assertion", "message": f"[case_id={case['id']}] {failure}"}
        except SpecError as error:
            result |= {"status": "error", "category": error.category, "message": str(error)}
        results.append(result)
    out.write_text(json.dumps({"version": 1, "results": results}, indent=2) + "\n", encoding="utf-8")
    return 0 if all(result["status"] == "pass" for result in results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
