"""What stands around mined code inside the sandbox.

This file's *text*, after that of ``surroundings``, is the front of the program that the sandbox
runs, so it imports the standard library only. ``build(settings)`` loads the mined code (or the
original module) and returns the function that the sandbox calls: ``entry(args, kwargs)`` answers
with plain data, ``entry(None, None)`` with what was touched so far.
"""

# Runs in a bare interpreter, around values of any type, on whatever version is there.
# mypy: ignore-errors
# ruff: noqa: D102, B905
# ruff: noqa: F821 - names of ``surroundings``, whose text stands before this one

import datetime
import os
import sys
import types

MAX_ITEMS = 20000  # of an iterator that a function returns
MAX_MOMENTS = 300


class TooLong(Exception):
    """An iterator went on past MAX_ITEMS."""


def load_inlined(settings):
    """Execute the mined program in a module of its own; return its entry point."""
    module = types.ModuleType("inlined")
    sys.modules["inlined"] = module
    space = module.__dict__
    space.update(settings.get("helpers", {}))
    if "counters" in settings:
        space["_count"] = Counters(settings["counters"], settings["budget"])
    exec(compile(settings["code"], FILENAME, "exec", dont_inherit=True), space)
    return space[settings["name"]]


class Lenient:
    """Finds the package's own modules, and gives stand-ins for what in them fails to load."""

    def __init__(self, roots, module):
        self.roots, self.module = roots, module

    def find_spec(self, name, path=None, target=None):
        from importlib.machinery import PathFinder

        if name == self.module or name.partition(".")[0] not in self.roots:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            real = spec.loader.exec_module

            def exec_module(module):
                try:
                    real(module)
                except Exception:
                    module.__class__ = Missing

            spec.loader.exec_module = exec_module
        return spec


def load_original(settings):
    """Import the original module, with stand-ins for libraries that are not here."""
    import importlib
    import warnings

    warnings.simplefilter("ignore")
    sys.meta_path.append(MissingFinder(frozenset(settings["roots"])))
    if settings.get("bare_parents"):
        sys.meta_path.insert(0, Lenient(settings["roots"], settings["module"]))
        parts = settings["module"].split(".")
        for end in range(1, len(parts)):
            name = ".".join(parts[:end])
            parent = types.ModuleType(name)
            parent.__path__ = [
                os.path.join(folder, *parts[:end])
                for folder in sys.path
                if os.path.isdir(os.path.join(folder, *parts[:end]))
            ]
            sys.modules[name] = parent
    return getattr(importlib.import_module(settings["module"]), settings["name"])


def given(value, kind):
    """Return an argument as the function wants it: dates are written as text."""
    name, inner = kind
    if name == "date" and type(value) is str:
        return datetime.date.fromisoformat(value)
    if name == "datetime" and type(value) is str:
        return datetime.datetime.fromisoformat(value)
    if name == "union":
        for member in inner:
            if member[0] in ("date", "datetime") and type(value) is str:
                return given(value, member)
        for member in inner:
            if member[1]:
                return given(value, member)
        return value
    if inner and type(value) in (list, set, frozenset):
        return type(value)(given(item, inner[0]) for item in value)
    if inner and type(value) is tuple:
        kinds = inner if len(inner) == len(value) else inner[:1] * len(value)
        return tuple(given(item, kind) for item, kind in zip(value, kinds))
    if len(inner) == 2 and type(value) is dict:
        return {given(k, inner[0]): given(v, inner[1]) for k, v in value.items()}
    return value


_LAZY = tuple(type(x) for x in (iter([]), iter(()), iter({}), iter({}.values()), iter({}.items()),
                                iter(set()), iter(""), map(str, ""), filter(None, ""), zip(),
                                enumerate(""), reversed([]), {}.keys(), {}.values(), {}.items(),
                                range(0), (x for x in ""), iter(range(0))))  # fmt: skip


def taken(value, depth=0):
    """Return a result as plain data: dates as text, iterators and views as lists."""
    kind = type(value)
    if kind in (int, str, float, bool, type(None), bytes, complex):
        return value
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if depth > 100:
        return value
    if kind in (list, tuple, set, frozenset):
        return kind(taken(item, depth + 1) for item in value)
    if kind is dict:
        return {taken(k, depth + 1): taken(v, depth + 1) for k, v in value.items()}
    if isinstance(value, _LAZY) or type(value).__module__ in ("itertools", "collections"):
        if isinstance(value, (dict, str, int)) or not hasattr(value, "__iter__"):
            return value
        items = []
        for item in value:
            if len(items) >= MAX_ITEMS:
                raise TooLong(f"more than {MAX_ITEMS} items")
            items.append(taken(item, depth + 1))
        return items
    return value


class Enough(BaseException):
    """The budget of steps is spent: a measure that is the same on every machine."""


class Counters:
    """What instrumented code reports to: one slot a kind of step."""

    def __init__(self, names, budget):
        self.slots = dict.fromkeys(names, 0)
        self.budget = self.left = budget
        self.declared = set()
        self.used = set()

    def add(self, name, value=None):
        self.slots[name] += 1
        self.left -= 1
        if not self.left:
            raise Enough
        return value

    def call(self, function):
        kind = type(function)
        ours = getattr(function, "__module__", None) == "inlined"
        if kind is types.FunctionType or kind is types.MethodType or kind is type:
            self.slots["user_calls" if ours else "builtin_calls"] += 1
        else:
            self.slots["builtin_calls"] += 1
        self.slots["calls"] += 1
        return function

    def each(self, name, items):
        for item in items:
            self.slots[name] += 1
            yield item

    def bind(self, name):
        self.declared.add(name)
        self.slots["variables_declared"] = len(self.declared)

    def read(self, names):
        self.used.update(names)
        self.slots["variables_used"] = len(self.used)


def count_library_lines(function, args, kwargs, count):
    """Call a function, counting the lines that run in files other than its own."""

    def in_library(frame, event, argument):
        if event == "line":
            count.slots["library_lines"] += 1
        return in_library

    def trace(frame, event, argument):
        name = frame.f_code.co_filename
        return None if name in (FILENAME, "<program>") else in_library

    sys.settrace(trace)
    try:
        return function(*args, **kwargs)
    finally:
        sys.settrace(None)


def moments_of(function, args, kwargs):
    """Call a function; return [line, plain locals] each time one of its own lines is reached."""
    code = getattr(function, "__code__", None)
    found = []

    def note(frame, event, argument):
        if event == "line" and len(found) < MAX_MOMENTS:
            state = {}
            for name, value in sorted(frame.f_locals.items()):
                try:
                    if is_plain(value):
                        state[name] = taken(value)
                except Exception:
                    pass
            found.append([frame.f_lineno, state])
        return note

    def trace(frame, event, argument):
        return note if frame.f_code is code else None

    sys.settrace(trace)
    try:
        function(*args, **kwargs)
    except Exception:
        pass
    finally:
        sys.settrace(None)
    return found


def is_plain(value, depth=0):
    """Return whether a value is builtin data through and through."""
    kind = type(value)
    if kind in (int, str, float, bool, type(None), bytes):
        return True
    if depth > 20:
        return False
    if kind in (list, tuple, set, frozenset):
        return all(is_plain(item, depth + 1) for item in value)
    if kind is dict:
        return all(is_plain(k, depth + 1) and is_plain(v, depth + 1) for k, v in value.items())
    return False


def build(settings):
    """Return the function that the sandbox calls on each case."""
    sys.dont_write_bytecode = True
    sys.setrecursionlimit(1000)
    if settings.get("variant"):
        disturb(settings["variant"])
    if settings.get("audit"):
        sys.addaudithook(audit)
    load = load_original if settings["kind"] == "original" else load_inlined
    function = load(settings)
    kinds = settings["kinds"]
    plain = not any("date" in repr(kind) for kind in kinds.values())
    positional = settings["positional"]
    rest = settings["varargs"]

    def entry(args, kwargs):
        if args is None:
            return list(touched)
        if not plain:
            named = [*positional, *[rest] * (len(args) - len(positional))][: len(args)]
            args = [given(value, kinds[name]) for value, name in zip(args, named)]
            kwargs = {k: given(v, kinds[k]) if k in kinds else v for k, v in kwargs.items()}
        return taken(function(*args, **kwargs))

    def counted(args, kwargs):
        count = function.__globals__["_count"]
        for name in count.slots:
            count.slots[name] = 0
        count.declared.clear()
        count.used.clear()
        count.left = count.budget
        try:
            result = count_library_lines(function, args, kwargs, count)
            if isinstance(result, _LAZY):
                list(zip(result, range(MAX_ITEMS)))
        except (Exception, Enough):
            pass
        return dict(count.slots)

    def watched_run(args, kwargs):
        if not plain:
            args = [given(v, kinds[n]) for v, n in zip(args, positional)]
        return moments_of(function, args, kwargs)

    if settings.get("watch"):
        return watched_run
    return counted if "counters" in settings else entry
