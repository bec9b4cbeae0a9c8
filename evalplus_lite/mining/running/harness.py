"""What stands around mined code inside the sandbox.

This file's *text*, after those of ``perturbation`` and ``conversion``, is the front of the program
that the sandbox runs, so it imports the standard library only. ``build(settings)`` loads the mined
code (or the original module) and returns the function that the sandbox calls: ``entry(args,
kwargs)`` answers with plain data, ``entry(None, None)`` with what was touched so far.
"""

# Runs in a bare interpreter, around values of any type, on whatever version is there.
# mypy: ignore-errors
# ruff: noqa: D102, B905
# ruff: noqa: F821 - names of ``perturbation`` and ``conversion``, whose text stands before this one

import functools
import os
import sys
import types

MAX_MOMENTS = 300


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
    """Import the original module, with stand-ins for libraries that it cannot do without."""
    import importlib
    import warnings

    warnings.simplefilter("ignore")
    finder = MissingFinder(frozenset(settings["roots"]))
    sys.meta_path.append(finder)
    if settings.get("bare_parents"):
        finder.wanted = None
        sys.meta_path.insert(0, Lenient(settings["roots"], settings["module"]))
        parts = settings["module"].split(".")
        for end in range(1, len(parts)):
            name = ".".join(parts[:end])
            parent = Hollow(name)
            parent.__path__ = [
                os.path.join(folder, *parts[:end])
                for folder in sys.path
                if os.path.isdir(os.path.join(folder, *parts[:end]))
            ]
            sys.modules[name] = parent
    before = set(sys.modules)
    while True:
        try:
            return getattr(importlib.import_module(settings["module"]), settings["name"])
        except Exception as error:
            if finder.wanted is None:
                raise
            # What is only tried for stays absent, as where the package is installed by itself;
            # what ends the import is stood in for. Where that leads nowhere, everything is.
            lacking = (getattr(error, "name", None) or "").partition(".")[0]
            if isinstance(error, ImportError) and lacking and finder.is_missing(lacking):
                finder.wanted = finder.wanted | {lacking} if lacking not in finder.wanted else None
            else:
                finder.wanted = None
            for name in set(sys.modules) - before:
                if name.partition(".")[0] not in sys.stdlib_module_names:
                    del sys.modules[name]
            importlib.invalidate_caches()


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
        self.slots["user_calls" if is_own(function) else "builtin_calls"] += 1
        self.slots["calls"] += 1
        return function

    def each(self, name, items):
        for item in items:
            self.slots[name] += 1
            yield item

    def heads(self, items):
        for item in items:
            yield item
            self.slots["lines"] += 1  # the loop comes back to its head

    def operated(self, name, result):
        return self.add("container_operations" if is_container(result) else name, result)

    def onto(self, name, *operands):
        is_one = any(map(is_container, operands))
        return self.add("container_operations" if is_one else name, operands[-1])

    def joined(self, *parts):
        return "".join(parts)

    def shown(self, value, conversion, spec):
        convert = {115: str, 114: repr, 97: ascii}.get(conversion)
        return format(value if convert is None else convert(value), spec)

    def bind(self, names):
        self.declared.update(names)
        self.slots["variables_declared"] = len(self.declared)

    def read(self, names):
        self.used.update(names)
        self.slots["variables_used"] = len(self.used)


def is_container(value):
    """Say whether an operator on it is no arithmetic: text and collections have a length."""
    return hasattr(type(value), "__len__")


def is_own(function):
    """Say whether calling it runs the program's own code, perhaps cached, bound or partial."""
    for _ in range(8):
        if type(function) is functools.partial:
            function = function.func
        elif type(function) is types.MethodType:
            function = function.__func__
        elif type(function) is type(_cached):
            function = function.__wrapped__
    if not isinstance(function, (type, types.FunctionType)):
        function = type(function)
    return getattr(function, "__module__", None) == "inlined"


@functools.lru_cache
def _cached():
    pass


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


def build(settings):
    """Return the function that the sandbox calls on each case."""
    sys.dont_write_bytecode = True
    sys.setrecursionlimit(1000)
    if settings.get("variant"):
        perturb(settings["variant"])
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
        return bounded(taken(function(*args, **kwargs)))

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
