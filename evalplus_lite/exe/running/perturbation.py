"""The world around mined code inside the sandbox: watched, changed, or made up.

The front of the program that the sandbox runs (``conversion`` and ``harness`` follow): an audit
hook and watched functions note what the code touches; ``perturb`` changes clock, environment,
folder and generators; stand-ins take the place of libraries that are not there.
"""

# Runs in a bare interpreter, around values of any type, on whatever version is there.
# mypy: ignore-errors
# ruff: noqa: D102

import datetime
import os
import sys
import types

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


def perturb(variant):
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


absent = set()  # libraries whose stand-ins were reached for by a call
is_called = []  # not empty once the original has loaded
_stubs = {}


def reach(name):
    """Note that a call reached for a stand-in: its answer is not the original's."""
    if is_called:
        absent.add(name.partition(".")[0])


class StubModule(types.ModuleType):
    """Stands for a library that is not here, as long as a module loads."""

    def __getattr__(self, name):
        if name.startswith("__") and name != "__version__":
            raise AttributeError(name)
        reach(self.__name__)
        return "99.0.0" if name == "__version__" else _stub(f"{self.__name__}.{name}")


def _stub(name):
    if name in _stubs:
        return _stubs[name]

    class Meta(type):
        def __getattr__(cls, attribute):
            if attribute.startswith("__"):
                raise AttributeError(attribute)
            reach(name)
            return _stub(f"{name}.{attribute}")

        def __getitem__(cls, key):
            return cls

        def __or__(cls, other):
            return cls

        def __ror__(cls, other):
            return cls

    def new(cls, /, *args, **kwargs):
        reach(name)
        if len(args) == 1 and not kwargs and callable(args[0]):
            return args[0]  # a decorator
        return StubValue() if cls is stub else object.__new__(cls)

    body = {"__new__": new, "__init__": lambda self, /, *args, **kwargs: None,
            "__getattr__": lambda self, attribute: getattr(stub, attribute)}  # fmt: skip
    stub = _stubs[name] = Meta(name.rpartition(".")[2], (), body)
    return stub


class StubValue(str):
    """What a missing library's function returns: a string that puts up with anything, and is false.

    Not an empty one: ``typing`` takes it for the name of a type.
    """

    def __new__(cls, /, *args, **kwargs):
        return str.__new__(cls, "missing")

    def __bool__(self):
        return False

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
    """Finds, last of all, libraries that are neither the package nor the standard library.

    Those named in ``wanted`` alone; all of them where it is None.
    """

    def __init__(self, roots):
        self.roots = roots
        self.wanted = set()

    def is_missing(self, name):
        root = name.partition(".")[0]
        return root not in self.roots and root not in sys.stdlib_module_names

    def find_spec(self, name, path=None, target=None):
        from importlib.machinery import ModuleSpec

        if not self.is_missing(name):
            return None
        if self.wanted is not None and name.partition(".")[0] not in self.wanted:
            return None
        return ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return StubModule(spec.name)

    def exec_module(self, module):
        module.__path__ = []
