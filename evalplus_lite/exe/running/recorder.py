"""The recorder, inside the sandbox, of calls that tests and examples make to a package.

The *source* of this file follows that of ``guest`` in the program that the sandbox runs, so it
imports only the standard library and pytest. ``entry(settings)`` runs a package's tests and the
examples in its docstrings and README. It returns the number of tests, one problem as text, and
for each function its calls as literals.
"""

# Runs in a bare interpreter of any supported version, with values of any type.
# mypy: ignore-errors
# ruff: noqa: D102, F821

import os
import sys
import zlib

MOST_CALLS, MOST_FUNCTIONS, MOST_OBJECTS = 30, 5000, 3000
"""Maximum distinct calls per function and source, functions, and objects tracked at once."""
MOST_SEEN = 8 * MOST_CALLS
"""Calls to choose from by a hash, because tables of tests often begin with similar calls."""
LONGEST_CALL, MOST_TEXT = 3000, 3_000_000
"""Maximum characters of one call's values, and of all recorded calls."""
MOST_EVENTS, ALL_EVENTS = 400_000, 4_000_000
"""Maximum calls and returns in one test or example, and in all; counted instead of timed."""
TEST_SECONDS, CPU_SECONDS = 20, 15.0
"""Wall seconds of one test, in case it waits; CPU seconds of all, in case they make no calls."""
LONGEST_TROUBLE = 120
PLAIN = (type(None), bool, int, float, str, bytes)
HELD = {list: "[{}]", tuple: "({},)", set: "{{{}}}"}
AS_TEXT = {"PurePosixPath", "PosixPath", "PureWindowsPath", "Decimal", "Fraction"}


class Odd(Exception):
    """A value is not plain data, or too large."""


class Spent(BaseException):
    """A test or example exceeded its limit of calls or time. It must not catch this."""


def written(value, left):
    """Return a value as a literal; a date as ``{"$date": text}``, and other objects similarly."""
    kind = type(value)
    if kind in PLAIN:
        text = repr(value)
        left[0] -= len(text)
        if left[0] < 0 or (kind is float and not abs(value) < float("inf")):
            raise Odd
        return text
    left[0] -= 2
    if left[0] < 0:
        raise Odd
    if kind is dict:
        pairs = [f"{written(key, left)}: {written(each, left)}" for key, each in value.items()]
        return f"{{{', '.join(pairs)}}}"
    if kind in HELD and (value or kind is not set):
        parts = [written(each, left) for each in value]
        text = HELD[kind].format(", ".join(sorted(parts) if kind is set else parts))
        return "()" if text == "(,)" else text
    if isinstance(value, enum.Enum):
        return repr({"$literal": value.name})
    if kind.__module__ == "datetime" and hasattr(kind, "isoformat"):
        return repr({f"${kind.__name__}": value.isoformat()})
    if kind.__module__ == "datetime" and hasattr(kind, "total_seconds"):
        return repr({"$timedelta": value.total_seconds()})
    if kind.__name__ in AS_TEXT:
        return repr({f"${kind.__name__}": str(value)})
    if (constructor := constructor_of(value, left)) is None:
        raise Odd
    return f"{{'$made': ({kind.__name__!r}, {constructor})}}"


objects = {}
"""By id: an object, kept alive, and the literal of its ``__init__`` arguments."""


def constructor_of(value, left):
    """Return an object's constructor arguments as a literal, by parameter; None if unknown."""
    known, text = objects.get(id(value), (None, ""))
    if known is value and known is not None:
        left[0] -= len(text)
        if left[0] < 0:
            raise Odd
        return text
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        held = {f.name: getattr(value, f.name) for f in dataclasses.fields(value) if f.init}
        return written(held, left)
    return written(value._asdict(), left) if hasattr(value, "_asdict") else None


class Recorder:
    """A profile function that records the arguments of functions in some folders."""

    def __init__(self, folders, tests):
        self.folders, self.tests = folders, tests
        self.label = "tests"
        self.records, self.functions, self.seen = {}, {}, {}
        self.events = self.all_events = self.text = 0

    def begin(self, label):
        self.label, self.events = label, 0
        if self.all_events < ALL_EVENTS:
            sys.setprofile(self)

    def __call__(self, frame, event, argument):
        self.events += 1
        self.all_events += 1
        if self.events > MOST_EVENTS or self.all_events > ALL_EVENTS:
            raise Spent
        if event != "call":
            return
        code = frame.f_code
        if code not in self.records:
            self.records[code] = self.record_of(frame, code)
        record = self.records[code]
        if record is not None:
            self.note(frame, code, record)

    def note(self, frame, code, record):
        values = dict(frame.f_locals)
        count = code.co_argcount + code.co_kwonlyargcount
        names = code.co_varnames[: count + bool(code.co_flags & 4) + bool(code.co_flags & 8)]
        if len(values) > len(names):
            return  # a generator that resumes
        owner = code.co_qualname.rpartition(".")[0]
        caller = frame.f_back.f_code.co_filename if frame.f_back is not None else ""
        is_inner = caller.startswith(self.folders) and caller not in self.tests
        label = "call sites" if is_inner else self.label
        constructor, is_new = None, code.co_name == "__init__"
        if owner and names:
            itself = values.get(names[0])
            if isinstance(itself, type) or type(itself).__name__ == owner or is_new:
                values.pop(names[0], None)
                if not isinstance(itself, type) and not is_new:
                    with contextlib.suppress(Exception):
                        constructor = constructor_of(itself, [LONGEST_CALL])
        seen = self.seen.get((code, label), 0)
        if seen >= MOST_SEEN:
            return
        left, whole, parts = [LONGEST_CALL], True, []
        for name in names:
            if name in values:
                try:
                    parts.append(f"{name!r}: {written(values[name], left)}")
                except (Odd, RecursionError):
                    whole = False
        text = f"{{{', '.join(parts)}}}"
        if is_new and whole and owner and len(objects) < MOST_OBJECTS:
            objects[id(itself)] = itself, text
        if (text, constructor) not in record and self.text < MOST_TEXT:
            self.seen[code, label] = seen + 1
            self.text += len(text) + len(constructor or "")
            record[text, constructor] = label, whole
            own = [key for key, (source, _) in record.items() if source == label]
            if len(own) > MOST_CALLS:
                last = max(own, key=lambda key: zlib.crc32(repr(key).encode()))
                self.text -= len(last[0]) + len(last[1] or "")
                del record[last]

    def record_of(self, frame, code):
        path = code.co_filename
        is_ours = path.startswith(self.folders) and path not in self.tests
        if not is_ours or "<" in code.co_qualname or code.co_qualname.count(".") > 1:
            return None
        if len(self.functions) >= MOST_FUNCTIONS:
            return None
        return self.functions.setdefault(
            (str(frame.f_globals.get("__name__")), code.co_qualname), {}
        )


def plugin_of(pytest, recorder, most):
    """Return a pytest plugin that records during tests, counts them, and ends slow ones."""
    import random
    import signal
    import time

    def late(number, frame):
        raise Spent

    class Tests:
        outcomes, trouble = set(), {}
        begun = None  # CPU seconds at the start of the first test; imports do not count

        def pytest_collection_modifyitems(self, session, config, items):
            del items[most:]

        @pytest.hookimpl(hookwrapper=True)
        def pytest_runtest_call(self, item):
            random.seed(0)
            self.begun = self.begun or time.process_time()
            signal.signal(signal.SIGALRM, late)
            signal.alarm(TEST_SECONDS)
            # Values drawn at random by a library were not chosen by a person.
            is_drawn = hasattr(getattr(item, "obj", None), "hypothesis")
            recorder.begin("drawn" if is_drawn else "tests")
            yield
            sys.setprofile(None)
            signal.alarm(0)
            if recorder.all_events > ALL_EVENTS or time.process_time() - self.begun > CPU_SECONDS:
                item.session.shouldstop = "time"

        def pytest_collectreport(self, report):
            if report.failed:
                last = told_by(str(report.longrepr)) or "a file of tests cannot be read"
                self.trouble[last] = self.trouble.get(last, 0) + 1

        def pytest_runtest_logreport(self, report):
            if report.when == "call" or report.failed:
                self.outcomes.add(report.nodeid)

    return Tests()


def told_by(text):
    """Return the last line that pytest marks as an error, shortened."""
    said = [line[1:].strip() for line in text.split("\n") if line[:2] == "E "]
    return (said or [""])[-1][:LONGEST_TROUBLE]


def examples_of(text):
    """Yield the example statements in a text: after ``>>>``, or in fenced blocks of Python."""
    import ast
    import doctest
    import re

    try:
        shown = [each.source for each in doctest.DocTestParser().get_examples(text)]
    except ValueError:
        shown = []
    blocks = re.findall(r"^```\s*(?:python|py|python3)\s*\n(.*?)^```", text, re.M | re.S)
    for block in [*shown, *(each for each in blocks if ">>>" not in each)]:
        try:
            yield from map(ast.unparse, ast.parse(block).body)
        except (SyntaxError, ValueError, RecursionError):
            continue


def show(recorder, label, text, space):
    """Run the examples of a text one by one, ignoring errors."""
    recorder.events = 0
    for statement in examples_of(text):
        try:
            code = compile(statement, "<example>", "exec")
            events = recorder.events
            recorder.begin(label)
            recorder.events = events
            exec(code, space)
        except BaseException:
            pass
        finally:
            sys.setprofile(None)


def document(recorder, modules, readme):
    """Run the examples in the docstrings of modules, and in the README."""
    import ast
    import importlib

    documented = ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef
    for name in modules:
        if name.rpartition(".")[2] == "__main__":
            continue
        try:
            module = importlib.import_module(name)
            with open(module.__file__, encoding="utf-8") as file:
                tree = ast.parse(file.read())
        except BaseException:
            continue
        for node in ast.walk(tree):
            text = ast.get_docstring(node) if isinstance(node, documented) else None
            if text and (">>>" in text or "```" in text):
                show(recorder, "doctests", text, dict(vars(module)))
    show(recorder, "README", readme, {"__name__": "readme"})


def entry(settings):
    """Run tests and examples; return the test count, a problem, and each function's calls."""
    import contextlib
    import importlib
    import io
    import time

    root = next(p for p in sys.path if os.path.exists(os.path.join(p, settings["mark"])))
    tree = os.path.join(root, "tree")
    sources = [os.path.normpath(os.path.join(tree, each)) for each in settings["sources"]]
    sys.path[:0] = [*sources, os.path.join(root, "libraries")]
    sys.dont_write_bytecode = True
    sys.setrecursionlimit(1000)
    tests = [os.path.join(tree, each) for each in settings["tests"]]
    if settings["shift"]:
        now = time.time
        _move_dates(settings["shift"], now)
        time.time = lambda: now() + settings["shift"]
    time.sleep = lambda seconds: None
    os.chdir(os.path.join(tree, settings["top"]))
    recorder = Recorder(tuple(each + os.sep for each in sources), frozenset(tests))
    errors = io.StringIO()
    outcomes, trouble = set(), {}
    aside = contextlib.redirect_stdout, contextlib.redirect_stderr
    with open(os.devnull, "w") as null, aside[0](null), aside[1](errors):
        document(recorder, settings["modules"], settings["readme"])
        if tests:
            import pytest

            try:
                profiles = importlib.import_module("hypothesis").settings
                profiles.register_profile("few", derandomize=True, max_examples=20, database=None)
                profiles.load_profile("few")
            except Exception:
                pass
            plugin = plugin_of(pytest, recorder, settings["most"])
            options = ["-c", os.path.join(root, "empty.ini"), "--rootdir", os.getcwd(), "--tb=no"]
            options += ["-q", "-p", "no:cacheprovider", "-p", "no:faulthandler", "--capture=sys"]
            options += ["--continue-on-collection-errors"]
            pytest.main([*options, *tests], plugins=[plugin])
            outcomes, trouble = plugin.outcomes, plugin.trouble
    sys.setprofile(None)
    functions = []
    for (module, name), record in sorted(recorder.functions.items()):
        items = record.items()
        calls = [
            [label, text, constructor or "", whole] for (text, constructor), (label, whole) in items
        ]
        functions += [[module, name, calls]] if calls else []
    last = min(trouble, key=lambda each: (-trouble[each], each), default="")
    last = last or told_by(errors.getvalue())  # a conftest.py that cannot be read
    return [len(outcomes), last, functions]
