"""What records, inside the sandbox, the types that a package's tests call its functions with.

This file's *text* is the program that the sandbox runs, so it imports the standard library only,
and pytest, which is importable there. ``entry(settings)`` runs the tests and answers with plain
data: how many ran, and for each function seen what it was given.
"""

# Runs in a bare interpreter, around values of any type, on whatever version is there.
# mypy: ignore-errors
# ruff: noqa: D102

import os
import sys

MOST_CALLS, MOST_KINDS, MOST_FUNCTIONS = 200, 12, 5000
MOST_ITEMS, DEEPEST, LONGEST_TUPLE = 30, 4, 6
TEST_SECONDS, CPU_SECONDS = 10, 60.0
LONGEST_TROUBLE = 120
SIMPLE = {type(None): "none", bool: "bool", int: "int", float: "float", str: "str", bytes: "bytes"}
HELD = {list: "list", set: "set", frozenset: "frozenset"}


def kind_of(value, depth=0):
    """Return a plain value's type as nested tuples of names; None of what is no plain value."""
    kind = type(value)
    if kind in SIMPLE:
        return (SIMPLE[kind],)
    if depth >= DEEPEST:
        return None
    if kind is dict:
        keys = either(list(value)[:MOST_ITEMS], depth)
        values = either(list(value.values())[:MOST_ITEMS], depth)
        return None if None in (keys, values) else ("dict", *keys, *values)
    if kind is tuple and 0 < len(value) <= LONGEST_TUPLE:
        parts = [kind_of(each, depth + 1) for each in value]
        return None if None in parts else ("tuple", *parts)
    if kind is tuple or kind in HELD:
        held = either(list(value)[:MOST_ITEMS], depth)
        return None if held is None else (HELD.get(kind, "tuples"), *held)
    return None


def either(values, depth):
    """Return what values are, as one type in a tuple; () of none, None if one is no plain value."""
    kinds = {kind_of(each, depth + 1) for each in values}
    if None in kinds or len(kinds) > MOST_KINDS:
        return None
    if len(kinds) < 2:
        return tuple(kinds)
    return (("union", *sorted(kinds, key=repr)),)


class Recorder:
    """A profile function that notes what functions of some folders are given."""

    def __init__(self, folders, tests):
        self.folders, self.tests = folders, tests
        self.known, self.found = {}, {}

    def __call__(self, frame, event, argument):
        if event != "call":
            return
        code = frame.f_code
        if code not in self.known:
            self.known[code] = self.record_of(frame, code)
        record = self.known[code]
        if record is None or record["calls"] >= MOST_CALLS:
            return
        given = frame.f_locals
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        if len(given) > len(names) + bool(code.co_flags & 4) + bool(code.co_flags & 8):
            return  # a generator that goes on
        record["calls"] += 1
        for name in names:
            if name in given:
                kinds = record["kinds"].setdefault(name, set())
                if len(kinds) < MOST_KINDS:
                    kinds.add(kind_of(given[name]))

    def record_of(self, frame, code):
        path = code.co_filename
        is_ours = path.startswith(self.folders) and path not in self.tests
        if not is_ours or "<" in code.co_qualname or code.co_qualname.count(".") > 1:
            return None
        if len(self.found) >= MOST_FUNCTIONS:
            return None
        place = str(frame.f_globals.get("__name__")), code.co_qualname
        return self.found.setdefault(place, {"calls": 0, "kinds": {}})


def plugin_of(pytest, recorder, most):
    """Return a plugin: it records while a test runs, counts tests, and ends what takes too long."""
    import random
    import signal
    import time

    def late(number, frame):
        raise TimeoutError

    class Tests:
        outcomes, is_cut, trouble = {}, "", {}

        def pytest_collection_modifyitems(self, session, config, items):
            if len(items) > most:
                self.is_cut = "tests"
                del items[most:]

        @pytest.hookimpl(hookwrapper=True)
        def pytest_runtest_call(self, item):
            random.seed(0)
            signal.signal(signal.SIGALRM, late)
            signal.alarm(TEST_SECONDS)
            sys.setprofile(recorder)
            yield
            sys.setprofile(None)
            signal.alarm(0)
            if time.process_time() > CPU_SECONDS:
                self.is_cut = item.session.shouldstop = "time"

        def pytest_collectreport(self, report):
            if report.failed:
                last = told_by(str(report.longrepr)) or "a file of tests cannot be read"
                self.trouble[last] = self.trouble.get(last, 0) + 1

        def pytest_runtest_logreport(self, report):
            if report.when == "call" or report.failed:
                self.outcomes[report.nodeid] = report.outcome

    return Tests()


def told_by(text):
    """Return the last line of a text that pytest marks as an error."""
    said = [line[1:].strip() for line in text.split("\n") if line[:2] == "E "]
    return (said or [""])[-1][:LONGEST_TROUBLE]


def entry(settings):
    """Run the tests below a folder; return what came of them, and what functions were given."""
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
    time.sleep = lambda seconds: None
    os.chdir(os.path.join(tree, settings["top"]))
    import pytest

    try:
        profiles = importlib.import_module("hypothesis").settings
        profiles.register_profile("few", derandomize=True, max_examples=20, database=None)
        profiles.load_profile("few")
    except Exception:
        pass
    recorder = Recorder(tuple(each + os.sep for each in sources), frozenset(tests))
    plugin = plugin_of(pytest, recorder, settings["most"])
    options = ["-c", os.path.join(root, "empty.ini"), "--rootdir", os.getcwd(), "--tb=no", "-q"]
    options += ["-p", "no:cacheprovider", "-p", "no:faulthandler", "--capture=sys"]
    options += ["--continue-on-collection-errors"]
    aside = contextlib.redirect_stdout, contextlib.redirect_stderr
    errors = io.StringIO()
    with open(os.devnull, "w") as null, aside[0](null), aside[1](errors):
        code = pytest.main([*options, *tests], plugins=[plugin])
    sys.setprofile(None)
    functions = [
        [module, name, {each: sorted(kinds, key=repr) for each, kinds in record["kinds"].items()}]
        for (module, name), record in sorted(recorder.found.items())
        if record["calls"]
    ]
    passed = sum(outcome == "passed" for outcome in plugin.outcomes.values())
    trouble = min(plugin.trouble, key=lambda each: (-plugin.trouble[each], each), default="")
    trouble = trouble or told_by(errors.getvalue())  # a conftest.py that cannot be read
    return [int(code), len(plugin.outcomes), passed, plugin.is_cut, trouble, functions]
