"""What stands around mined code inside the sandbox.

This file's *text* is the front of the program that the sandbox runs, so it imports the standard
library only. ``build(settings)`` loads the mined code (or the original module), under an audit
hook and, where asked, with another clock, environment, folder and generator state, and returns
the function that the sandbox calls: ``entry(args, kwargs)`` answers with plain data,
``entry(None, None)`` with what was touched so far.
"""

# Runs in a bare interpreter, around values of any type, on whatever version is there.
# mypy: ignore-errors
# ruff: noqa: D102, B905

import datetime
import os
import sys
import types

MAX_ITEMS = 20000  # of an iterator that a function returns
FILENAME = "<inlined>"
touched = []
_IMPORTING = ("<frozen importlib", "<frozen zipimport")
_QUIET = frozenset(
    """builtins.id code.__new__ compile cpython._PySys_ClearAuditHooks exec import marshal.loads
    object.__delattr__ object.__getattr__ object.__setattr__ sys._getframe sys.settrace
    sys.setprofile sys.addaudithook sys.excepthook sys.unraisablehook builtins.breakpoint
    function.__new__ cpython.PyInterpreterState_New cpython.run_command sys._getframemodulename
    sys._current_frames gc.get_objects gc.get_referrers gc.get_referents pickle.find_class
    array.__new__ re.compile string.__new__ sys.monitoring.register_callback""".split()
)


class TooLong(Exception):
    """An iterator went on past MAX_ITEMS."""


def is_ours():
    """Return whether mined code is at work on this stack, other than importing a library."""
    frame = sys._getframe(2)
    while frame is not None:
        name = frame.f_code.co_filename
        if name.startswith(_IMPORTING):
            return False
        if name == FILENAME:
            return True
        frame = frame.f_back
    return False


def touch(what):
    """Note that mined code reached for something beyond its arguments."""
    if len(touched) < 50 and is_ours() and what not in touched:
        touched.append(what)


def audit(event, arguments):
    """Note every audited event that is neither computing nor importing."""
    if event not in _QUIET:
        detail = arguments[0] if arguments and type(arguments[0]) is str else ""
        touch(f"{event} {detail}"[:120].strip())


def watched(what, function):
    """Return a function that notes each call, then does what it always did."""

    def call(*args, **kwargs):
        touch(what)
        return function(*args, **kwargs)

    return call


def disturb(variant):
    """Change clock, environment, folder and generators for what is loaded from now on."""
    import locale
    import random
    import time
    import uuid

    shift = 86400.0 * 400 * variant + 12345.678

    def moved(name, amount, optional=None):
        function = getattr(time, name)

        def call(*args):
            if optional is not None and len(args) > optional and args[optional] is not None:
                return function(*args)
            if not is_ours():
                return function(*args)
            touch(f"time.{name}")
            if optional is None:
                return function() + amount
            return function(*args[:optional], *arguments(name))

        def arguments(name):
            if name in ("localtime", "gmtime", "ctime"):
                return (real_time() + shift,)
            return (real_gmtime(real_time() + shift),)

        setattr(time, name, call)

    real_time, real_gmtime = time.time, time.gmtime
    for name in ("time", "monotonic", "perf_counter", "process_time", "thread_time"):
        moved(name, shift)
        moved(f"{name}_ns", int(shift * 10**9))
    for name in ("localtime", "gmtime", "ctime", "asctime"):
        moved(name, shift, 0)
    moved("strftime", shift, 1)
    _move_dates(shift, real_time)
    for name in ("random", "randint", "randrange", "choice", "choices", "shuffle", "sample",
                 "uniform", "gauss", "getrandbits", "normalvariate", "betavariate"):  # fmt: skip
        setattr(random, name, watched(f"random.{name}", getattr(random, name)))
    random.seed(variant)
    os.urandom = watched("os.urandom", os.urandom)
    uuid.uuid1 = watched("uuid.uuid1", uuid.uuid1)
    uuid.getnode = watched("uuid.getnode", uuid.getnode)
    for name in ("getpid", "getcwd", "getlogin", "getuid", "cpu_count", "uname", "times"):
        setattr(os, name, watched(f"os.{name}", getattr(os, name)))
    locale.localeconv = watched("locale.localeconv", locale.localeconv)
    lookup = type(os.environ).__getitem__
    changed = {"LANG": "tr_TR.UTF-8", "TZ": "XYZ-7", "HOME": f"/home{variant}", "COLUMNS": "61",
               "USER": f"user{variant}", "NO_COLOR": "1", "TERM": "dumb"}  # fmt: skip
    for name, value in changed.items():
        os.environ[name] = value
    time.tzset()
    type(os.environ).__getitem__ = watched("os.environ", lookup)
    type(os.environ).__iter__ = watched("os.environ", type(os.environ).__iter__)
    for folder in ("/", "/tmp", "/usr")[variant % 3 :]:
        try:
            os.chdir(folder)
            break
        except OSError:
            continue


def _move_dates(shift, real_time):
    real_date, real_moment = datetime.date, datetime.datetime

    def kind(name, real, methods):
        class Kind(type):
            def __instancecheck__(cls, value):
                return type.__instancecheck__(cls, value) or isinstance(value, real)

            def __subclasscheck__(cls, other):
                return type.__subclasscheck__(cls, other) or issubclass(other, real)

        body = {"__module__": "datetime", "__qualname__": name, "__slots__": (), **methods}
        return Kind(name, (real,), body)

    def today(cls):
        touch("datetime.today")
        return cls.fromtimestamp(real_time() + shift)

    def now(cls, tz=None):
        touch("datetime.now")
        return cls.fromtimestamp(real_time() + shift, tz)

    def utcnow(cls):
        touch("datetime.utcnow")
        return cls.fromtimestamp(real_time() + shift, datetime.UTC).replace(tzinfo=None)

    datetime.date = kind("date", real_date, {"today": classmethod(today)})
    methods = {"today": classmethod(today), "now": classmethod(now), "utcnow": classmethod(utcnow)}
    datetime.datetime = kind("datetime", real_moment, methods)


class Missing(types.ModuleType):
    """Stands for a library that is not here; the code under test never needs it to compute."""

    def __getattr__(self, name):
        if name.startswith("__") and name != "__version__":
            raise AttributeError(name)
        value = "0" if name == "__version__" else _stub(f"{self.__name__}.{name}")
        setattr(self, name, value)
        return value


def _stub(name):
    class Meta(type):
        def __getattr__(cls, attribute):
            if attribute.startswith("__"):
                raise AttributeError(attribute)
            return _stub(f"{name}.{attribute}")

        def __getitem__(cls, key):
            return cls

        def __or__(cls, other):
            return cls

        def __ror__(cls, other):
            return cls

    def new(cls, *args, **kwargs):
        if len(args) == 1 and not kwargs and callable(args[0]):
            return args[0]  # a decorator
        return StubValue() if cls is stub else object.__new__(cls)

    body = {"__new__": new, "__init__": lambda self, *args, **kwargs: None,
            "__getattr__": lambda self, attribute: _stub(f"{name}.{attribute}")}  # fmt: skip
    stub = Meta(name.rpartition(".")[2], (), body)
    return stub


class StubValue(str):
    """What a missing library's function returns: an empty string that puts up with anything."""

    def __new__(cls, *args, **kwargs):
        return str.__new__(cls)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _stub(name)

    def __call__(self, *args, **kwargs):
        return args[0] if args else self

    def __getitem__(self, key):
        return self

    def __enter__(self):
        return self

    def __exit__(self, *details):
        return None

    def __fspath__(self):
        return "/missing"


class MissingFinder:
    """Finds, last of all, every library that is neither the package nor the standard library."""

    def __init__(self, roots):
        self.roots = roots

    def find_spec(self, name, path=None, target=None):
        from importlib.machinery import ModuleSpec

        root = name.partition(".")[0]
        if root in self.roots or root in sys.stdlib_module_names:
            return None
        return ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return Missing(spec.name)

    def exec_module(self, module):
        module.__path__ = []


def load_inlined(settings):
    """Execute the mined program in a module of its own; return its entry point."""
    module = types.ModuleType("inlined")
    sys.modules["inlined"] = module
    space = module.__dict__
    space.update(settings.get("helpers", {}))
    if "counters" in settings:
        space["_count"] = Counters(settings["counters"])
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


class Counters:
    """What instrumented code reports to: one slot a kind of step."""

    def __init__(self, names):
        self.slots = dict.fromkeys(names, 0)
        self.declared = set()
        self.used = set()

    def add(self, name, value=None):
        self.slots[name] += 1
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


MAX_MOMENTS = 300


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
        try:
            result = count_library_lines(function, args, kwargs, count)
            if isinstance(result, _LAZY):
                list(zip(result, range(MAX_ITEMS)))
        except Exception:
            pass
        return dict(count.slots)

    def watched_run(args, kwargs):
        if not plain:
            args = [given(v, kinds[n]) for v, n in zip(args, positional)]
        return moments_of(function, args, kwargs)

    if settings.get("watch"):
        return watched_run
    return counted if "counters" in settings else entry
