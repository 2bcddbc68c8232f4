"""Runs the Python part of a case: a hook, an entrypoint `module:attr`, or a hook and then the entrypoint.

`python3 SHIM ORDER.json`. Python 3.8 or newer, its standard library only. The order says what to do, and where
the answer goes: `{"ctx": {...}, "failed": null}`, or why the hook or the entrypoint could not be used. It is
written before the entrypoint runs, so that it is there however the program ends.

The program sees little of this file: its imports are forgotten, `__main__` is an empty module, `sys.path[0]` is
the root, tracebacks do not show its frames.

block_imports: a blocked module, and all below it, looks absent, and Python itself says what it says of absent
modules: `import a.b` raises `ModuleNotFoundError`, `from a import b` raises `ImportError` unless `a` defines
a `b`, `importlib.util.find_spec("a.b")` is `None`. Modules that hold a blocked module already keep it.

stub_modules: the name is an empty module, also where a real one is installed. A parent is the real module if
that can be imported, else a stub too. A stub gives a callable stub for every name that is asked of it, except
names like `__path__`; so nothing below it can be imported as a module unless it is named as well. What is both
blocked and stubbed is blocked.

A hook sees blocked and stubbed modules as the program does. What it and the processes that it starts print is
kept apart from the output of the command.
"""

import io
import os
import sys

import _frozen_importlib as importing

EX_SOFTWARE = 70


class Unusable(Exception):
    """A hook or an entrypoint cannot be called: a mistake in the case, not in the program."""


def main(order_path):
    json = import_unseen("json")
    with open(order_path, "rb") as file:
        order = json.loads(file.read().decode("utf-8"))
    answer = Answer(order["answer"], order["ctx"], json)

    sys.path[:] = [order["root"]] + (sys.path if getattr(sys.flags, "safe_path", False) else sys.path[1:])
    sys.argv = [order["prog"]] + order["argv"]
    sys.modules["__main__"] = type(sys)("__main__")
    is_blocked = block(order["block_imports"])
    stub(order["stub_modules"], is_blocked)

    hook, entrypoint = order["hook"], order["entrypoint"]
    if hook and (hook["when"] == "before" or entrypoint is None):
        run_hook(hook, answer)
    answer.write()
    if entrypoint is not None:
        run_entrypoint(entrypoint, list(order["argv"]), answer)


def import_unseen(name):
    """A module of the standard library, whatever PYTHONPATH holds, that leaves no trace in `sys.modules`."""
    before, path = set(sys.modules), sys.path[:]
    sys.path.insert(0, os.path.dirname(os.__file__))
    try:
        return __import__(name)
    finally:
        sys.path[:] = path
        for added in set(sys.modules) - before:
            del sys.modules[added]


def block(names):
    """Makes modules look absent; returns the question whether a dotted name is blocked."""
    names = set(names)

    def is_blocked(name):
        parts = name.split(".")
        return any(".".join(parts[:count]) in names for count in range(1, len(parts) + 1))

    if names:
        for name in filter(is_blocked, list(sys.modules)):
            forget(name)
        # Every import and every `find_spec` asks this one function, and Python itself says "not found". A
        # finder in `sys.meta_path` could only raise, which is not how `find_spec` answers for absent modules.
        real = importing._find_spec

        def find_spec(name, path, target=None):
            return None if is_blocked(name) else real(name, path, target)

        importing._find_spec = find_spec
        if "importlib.util" in sys.modules:
            sys.modules["importlib.util"]._find_spec = find_spec
    return is_blocked


def forget(name):
    """Takes an imported module out of `sys.modules`, and out of the package that holds it."""
    module = sys.modules.pop(name)
    parent, _, child = name.rpartition(".")
    package = vars(sys.modules[parent]) if parent in sys.modules else {}
    if "__path__" in package and package.get(child) is module:
        del package[child]


def stub(names, is_blocked):
    """Puts stubs into `sys.modules`: all that are named first, because a real parent may import them."""
    stubs = sorted(name for name in set(names) if not is_blocked(name))
    for name in stubs:
        sys.modules[name] = stub_module(name, is_blocked)
    for name in stubs:
        while "." in name:
            child = sys.modules[name]
            name, _, attribute = name.rpartition(".")
            try:
                __import__(name)
            except Exception:
                sys.modules[name] = stub_module(name, is_blocked)
            setattr(sys.modules[name], attribute, child)


def stub_module(name, is_blocked):
    module = type(sys)(name)
    module.__spec__ = importing.ModuleSpec(name, None)

    def __getattr__(attribute):
        if is_dunder(attribute) or is_blocked(name + "." + attribute):
            raise AttributeError("module {!r} has no attribute {!r}".format(name, attribute))
        return vars(module).setdefault(attribute, Stub(name + "." + attribute))

    module.__getattr__ = __getattr__
    return module


class Stub:
    """Anything in a stub module: attributes and calls give stubs; as a base class it adds nothing."""

    __name = "?"

    def __init__(self, name):
        self.__name = name

    def __getattr__(self, attribute):
        if is_dunder(attribute):
            raise AttributeError("{!r} has no attribute {!r}".format(self, attribute))
        return vars(self).setdefault(attribute, Stub(self.__name + "." + attribute))

    def __call__(self, *args, **kwargs):
        return Stub(self.__name + "()")

    def __mro_entries__(self, bases):
        return ()

    def __repr__(self):
        return "<stub {}>".format(self.__name)


def is_dunder(name):
    return name.startswith("__") and name.endswith("__")


def run_hook(hook, answer):
    """Calls a hook. If it fails in any way, that is answered and this process ends."""
    failure = None
    captured = Captured(answer.path + ".output")
    with captured:
        try:
            call_hook(hook, answer.ctx)
            answer.check_ctx()
        except Unusable as error:
            failure = str(error), ""
        except BaseException as error:
            failure = in_one_line(error), in_full(error)
    if failure:
        answer.fail(hook["when"], hook["target"], *failure, captured.output)


def call_hook(hook, ctx):
    given = {"case": hook["case"], "ctx": ctx, "harness": hook["harness"]}
    if hook["when"] == "after":
        given["result"] = hook["result"]
    taken = sorted(set(given) & set(hook["kwargs"]))
    if taken:
        raise Unusable("hook_kwargs must not contain {}: hooks always get it".format(", ".join(taken)))
    returned = resolve(hook["target"])(**given, **hook["kwargs"])
    if hasattr(returned, "__await__"):
        raise Unusable("{!r} is async; a hook must be a plain function".format(hook["target"]))


class Captured:
    """While a hook runs, descriptors 1 and 2 are a file, for its child processes too.

    `sys.stdout` and `sys.stderr` stay the same objects: whoever keeps one, as `logging` does, uses it later.
    """

    def __init__(self, path):
        self.path = path

    def __enter__(self):
        flush()
        self.kept = [(os.dup(number), number) for number in (1, 2)]
        self.file = open(self.path, "w+b")
        for number in (1, 2):
            os.dup2(self.file.fileno(), number)

    def __exit__(self, *_):
        flush()
        for kept, number in self.kept:
            os.dup2(kept, number)
            os.close(kept)
        with self.file:
            self.file.seek(0)
            self.output = self.file.read().decode("utf-8", "replace")
        os.remove(self.path)


def flush():
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        try:
            stream.flush()
        except Exception:
            pass  # closed, or not there at all


def run_entrypoint(target, argv, answer):
    """Calls the entrypoint and ends this process as the script of an installed package would."""
    try:
        sys.exit(resolve(target)(argv))
    except SystemExit:
        raise
    except Unusable as error:
        answer.fail("entrypoint", target, str(error), "", "")
    except BaseException as error:
        error.__traceback__ = without_our_frames(error.__traceback__)
        sys.excepthook(type(error), error, error.__traceback__)
        sys.exit(130 if isinstance(error, KeyboardInterrupt) else 1)


def resolve(target):
    """What `module:attr` names. `Unusable` if it is not there; what the module raises is the module's own."""
    name, _, attributes = target.partition(":")
    if not name or not attributes:
        raise Unusable("{!r} is not of the form module:attr".format(target))
    try:
        __import__(name)
    except ModuleNotFoundError as error:
        # Raised by a line of the program: an import in it that fails. Raised by none: the import above.
        if without_our_frames(error.__traceback__) or not (name + ".").startswith(str(error.name) + "."):
            raise
        parent = sys.modules.get(error.name.rpartition(".")[0])
        places = ", ".join(getattr(parent, "__path__", sys.path))
        raise Unusable("no module named {!r} (looked in: {})".format(error.name, places))
    found = sys.modules[name]
    for attribute in attributes.split("."):
        try:
            found = getattr(found, attribute)
        except AttributeError:
            raise Unusable("{!r} has no attribute {!r}{}".format(name, attribute, hint(attribute, found)))
        name += "." + attribute
    if not callable(found):
        raise Unusable("{!r} isn't callable; its type is {}".format(target, type(found).__name__))
    return found


def hint(name, found):
    """Suggests the public name of an object that is most like another."""
    known = [known for known in dir(found) if not known.startswith("_")]
    nearest = import_unseen("difflib").get_close_matches(name, known, 1)
    return "; did you mean {!r}?".format(nearest[0]) if nearest else ""


class Answer:
    """What the runner is told when this process has ended."""

    def __init__(self, path, ctx, json):
        self.path, self.ctx, self.json = path, ctx, json

    def check_ctx(self):
        """Keeps of `ctx` what is JSON; `Unusable` if anything in it is not."""
        wrong = []
        for key, value in list(self.ctx.items()):
            try:
                self.encode({key: value})
            except Exception as error:
                del self.ctx[key]
                wrong.append("ctx[{!r}] is not JSON: {}".format(key, error))
        if wrong:
            raise Unusable("; ".join(wrong))

    def fail(self, when, target, message, traceback, output):
        """Answers why there is nothing to judge, and ends this process."""
        try:
            self.check_ctx()
        except Unusable:
            pass  # the message tells of an earlier failure
        told = {"when": when, "target": target, "message": message, "traceback": traceback, "output": output}
        # A lone surrogate is a string to Python, but not to readers of JSON.
        self.write({key: text.encode("utf-8", "backslashreplace").decode() for key, text in told.items()})
        sys.exit(EX_SOFTWARE)

    def write(self, failed=None):
        with open(self.path, "wb") as file:
            file.write(self.encode({"ctx": self.ctx, "failed": failed}))

    def encode(self, value):
        return self.json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8")


def in_one_line(error):
    try:
        text = str(error)
    except Exception:
        text = "<no message>"
    return ": ".join(filter(None, [type(error).__name__, text]))


def in_full(error):
    """The traceback as Python prints it, without colours."""
    os.environ["PYTHON_COLORS"] = "0"
    error.__traceback__ = without_our_frames(error.__traceback__)
    kept, sys.stderr = sys.stderr, io.StringIO()
    try:
        sys.__excepthook__(type(error), error, error.__traceback__)
        return sys.stderr.getvalue()
    finally:
        sys.stderr = kept


def without_our_frames(traceback):
    here = without_our_frames.__code__.co_filename
    first = last = None
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename != here:
            if last is None:
                first = traceback
            elif last.tb_next is not traceback:
                last.tb_next = traceback
            last = traceback
        traceback = traceback.tb_next
    if last is not None:
        last.tb_next = None
    return first


if __name__ == "__main__":
    main(sys.argv[1])
