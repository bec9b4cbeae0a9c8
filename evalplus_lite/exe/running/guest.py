"""The program that loads, calls and observes mined code inside the sandbox.

The *source* of this file precedes the program that the sandbox runs, so it imports only the
standard library. ``build(settings)`` loads the mined code (or the original module) and returns the
function that the sandbox calls: ``entry(args, kwargs)`` answers with plain data, ``entry(None,
None)`` with everything touched so far. An audit hook and watched functions record what code
touches, ``perturb`` changes clock, environment, folder and random generators, stubs replace missing
libraries while a module loads, ``taken`` reads results, and ``Counters`` counts steps.
"""

# Runs in a bare interpreter of any supported version, with values of any type.
# mypy: ignore-errors
# ruff: noqa: D102, B905

import collections
import contextlib
import dataclasses
import datetime
import enum
import functools
import operator
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
    """Return whether mined code is running on this stack, other than importing a library."""
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
    """Record that mined code accessed something other than its arguments."""
    if len(touched) < 50 and is_ours() and what not in touched:
        touched.append(what)


def audit(event, arguments):
    """Record every audited event, except those of computing and importing."""
    if event not in _QUIET:
        detail = arguments[0] if arguments and type(arguments[0]) is str else ""
        touch(f"{event} {detail}"[:120].strip())


def watched(what, function):
    """Return a wrapper that records each call of a function."""

    def call(*args, **kwargs):
        touch(what)
        return function(*args, **kwargs)

    return call


def perturb(variant):
    """Change clock, environment, folder and random generators for code loaded from now on."""
    import locale
    import random
    import time
    import uuid

    shift = 86400.0 * 400 * variant + 12345.678
    real_time, real_gmtime = time.time, time.gmtime

    def moved(name, place, change):
        """Let ``change`` answer when mined code omits a clock function's argument at ``place``."""
        function = getattr(time, name)

        def call(*args):
            if (len(args) > place and args[place] is not None) or not is_ours():
                return function(*args)
            touch(f"time.{name}")
            return change(function, *args[:place])

        setattr(time, name, call)

    def calendar():
        return real_gmtime(real_time() + shift)

    for name in ("time", "monotonic", "perf_counter", "process_time", "thread_time"):
        moved(name, 0, lambda function: function() + shift)
        moved(f"{name}_ns", 0, lambda function: function() + int(shift * 10**9))
    for name in ("localtime", "gmtime", "ctime"):
        moved(name, 0, lambda function: function(real_time() + shift))
    moved("asctime", 0, lambda function: function(calendar()))
    moved("strftime", 1, lambda function, form: function(form, calendar()))
    _move_dates(shift, real_time)
    random.seed(variant)
    for module, names in {
        random: "random randint randrange choice choices shuffle sample uniform gauss getrandbits"
        " normalvariate betavariate",
        os: "urandom getpid getcwd getlogin getuid cpu_count uname times",
        uuid: "uuid1 getnode",
        locale: "localeconv",
    }.items():
        for name in names.split():
            function = getattr(module, name)
            setattr(module, name, watched(f"{module.__name__}.{name}", function))
    os.environ |= {"LANG": "tr_TR.UTF-8", "TZ": "XYZ-7", "HOME": f"/home{variant}", "COLUMNS": "61",
                   "USER": f"user{variant}", "NO_COLOR": "1", "TERM": "dumb"}  # fmt: skip
    time.tzset()
    for name in ("__getitem__", "__iter__"):
        kind = type(os.environ)
        setattr(kind, name, watched("os.environ", getattr(kind, name)))
    for folder in ("/", "/tmp", "/usr")[variant % 3 :]:
        with contextlib.suppress(OSError):
            os.chdir(folder)
            break


def _move_dates(shift, real_time):
    def kind(real, methods):
        class Kind(type):
            def __instancecheck__(cls, value):
                return type.__instancecheck__(cls, value) or isinstance(value, real)

            def __subclasscheck__(cls, other):
                return type.__subclasscheck__(cls, other) or issubclass(other, real)

        body = {"__module__": "datetime", "__qualname__": real.__name__, "__slots__": (),
                **{name: classmethod(method) for name, method in methods.items()}}  # fmt: skip
        return Kind(real.__name__, (real,), body)

    def today(cls):
        touch("datetime.today")
        return cls.fromtimestamp(real_time() + shift)

    def now(cls, tz=None):
        touch("datetime.now")
        return cls.fromtimestamp(real_time() + shift, tz)

    def utcnow(cls):
        touch("datetime.utcnow")
        return cls.fromtimestamp(real_time() + shift, datetime.UTC).replace(tzinfo=None)

    datetime.date = kind(datetime.date, {"today": today})
    datetime.datetime = kind(datetime.datetime, {"today": today, "now": now, "utcnow": utcnow})


absent = set()  # libraries whose stubs were accessed by a call
is_called = []  # not empty after loading
_stubs = {}


def reach(name):
    """Record that a call accessed a stub: its answer is not the original's."""
    if is_called:
        absent.add(name.partition(".")[0])


class StubModule(types.ModuleType):
    """A stub for a missing library, for use while a module loads."""

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
    """The result of a missing library's functions: a false string that accepts any operation.

    It is not empty because ``typing`` reads it as the name of a type.
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
    """The last finder, for libraries that are neither the package nor the standard library.

    It finds only those named in ``wanted``, or all of them if that is None.
    """

    def __init__(self, roots):
        self.roots = roots
        self.wanted = set()

    def is_missing(self, root):
        return root not in self.roots and root not in sys.stdlib_module_names

    def find_spec(self, name, path=None, target=None):
        from importlib.machinery import ModuleSpec

        root = name.partition(".")[0]
        is_wanted = self.wanted is None or root in self.wanted
        is_found = is_wanted and self.is_missing(root)
        return ModuleSpec(name, self, is_package=True) if is_found else None

    def create_module(self, spec):
        return StubModule(spec.name)

    def exec_module(self, module):
        module.__path__ = []


MAX_ITEMS = 20000  # in an iterator that a function returns
MAX_OBJECTS = 1000  # in an answer
MAX_BITS = 14_000  # of an integer: Python writes and reads 4300 decimal digits
MAX_MESSAGE = 2000  # characters of an exception's message, as in the sandbox
MAX_ANSWER = 100_000  # characters, digits and items in one answer


class TooLong(Exception):
    """An iterator yields more than MAX_ITEMS, or an answer exceeds a size limit."""


_LAZY = tuple(type(x) for x in (iter([]), iter(()), iter({}), iter({}.values()), iter({}.items()),
                                iter(set()), iter(""), map(str, ""), filter(None, ""), zip(),
                                enumerate(""), reversed([]), {}.keys(), {}.values(), {}.items(),
                                range(0), (x for x in ""), iter(range(0))))  # fmt: skip


_MAPPINGS = (types.MappingProxyType, collections.ChainMap, collections.UserDict)
_AS_TEXT = ("decimal", "fractions", "pathlib", "pathlib._local")


def taken(value, depth=0):
    """Return a result as plain data: dates and decimals as text, objects as their attributes."""
    kind = type(value)
    if kind in (int, str, float, bool, type(None), bytes, complex):
        return value
    if isinstance(value, (datetime.date, datetime.time)):
        try:
            return value.isoformat()
        except Exception as error:  # raised by the program's time zone, not by the call
            raise Untold(f"a date: {error!r}") from None
    if isinstance(value, enum.Enum):
        for plain in (int, str):  # equal to their values, as JSON writes them
            if isinstance(value, plain) and type(value._value_) is plain:
                return value._value_
        is_named = type(value._name_) is str
        return f"{kind.__name__}.{value._name_}" if is_named else taken(value._value_, depth + 1)
    if kind is datetime.timedelta or kind.__module__ in _AS_TEXT:
        return str(value)
    if depth > 100:
        return value
    if isinstance(value, tuple) and type(getattr(kind, "_fields", None)) is tuple:
        return tuple(taken(item, depth + 1) for item in tuple.__iter__(value))
    if dataclasses.is_dataclass(value) and kind is not type:
        held = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return _read(value, held, depth)
    if kind in (list, tuple):
        return kind(taken(item, depth + 1) for item in value)
    if kind in (set, frozenset):
        found = kind(taken(item, depth + 1) for item in value)
        if len(found) < len(value):
            raise Untold("members that are written alike")
        return found
    # A defaultdict, OrderedDict or Counter is read as the dict that it is.
    if kind is dict or (isinstance(value, dict) and kind.__module__ == "collections"):
        return _items(dict.items(value), depth)
    if kind in _MAPPINGS:
        return _items(value.items(), depth)
    if isinstance(value, _LAZY) or type(value).__module__ in ("itertools", "collections"):
        if isinstance(value, (dict, str, int)) or not hasattr(value, "__iter__"):
            return value
        return [taken(item, depth + 1) for item in _drained(value)]
    held = attributes(value)
    return _read(value, held, depth) if held else value


def attributes(value):
    """Return the public attributes of an object whose class is not of the standard library."""
    kind = type(value)
    library = kind.__module__.partition(".")[0]
    if library in sys.stdlib_module_names or isinstance(value, _NO_OBJECTS):
        return {}
    found = {}
    for each in reversed(kind.__mro__):
        slots = each.__dict__.get("__slots__", ())
        for name in slots if type(slots) in (tuple, list) else ():
            with contextlib.suppress(AttributeError):
                found[name] = object.__getattribute__(value, name)
    with contextlib.suppress(AttributeError):
        found.update(object.__getattribute__(value, "__dict__"))
    return {name: item for name, item in found.items() if name[:1] != "_"}


_NO_OBJECTS = (type, BaseException, int, str, float, bytes, list, tuple, dict, set, frozenset)
_open = []  # objects that are being read
_objects = [0]  # number of objects read for this answer


def _read(value, held, depth):
    """Return an object's attributes as plain data; raise Untold if it contains itself."""
    if id(value) in _open:
        raise Untold("an object that holds itself")
    _objects[0] += 1
    if _objects[0] > MAX_OBJECTS:
        raise TooLong(f"more than {MAX_OBJECTS} objects")
    _open.append(id(value))
    try:
        return {name: taken(item, depth + 1) for name, item in held.items()}
    finally:
        _open.pop()


class Failed(Exception):
    """An iterator returned by a function raised ``args[0]``, an exception of the function."""


def _drained(items):
    count = 0
    try:
        for count, item in enumerate(items, 1):
            if count > MAX_ITEMS:
                break
            yield item
    except Exception as error:
        raise Failed(error) from None
    if count > MAX_ITEMS:
        raise TooLong(f"more than {MAX_ITEMS} items")


def plain_result(result):
    """Return a result as plain data; raise Untold if reading it fails."""
    _objects[0] = 0
    try:
        return bounded(taken(result))
    except Failed as failed:
        tell(failed.args[0])
        raise failed.args[0] from None
    except (TooLong, Untold):
        raise
    except Exception as error:
        raise Untold(repr(error)) from None


def tell(error):
    """Raise Untold or TooLong if an exception's message cannot be recorded in full."""
    try:
        size = len(str(error))
    except Exception:
        raise Untold("an exception that cannot be printed") from None
    if size > MAX_MESSAGE:
        raise TooLong(f"a message of more than {MAX_MESSAGE} characters") from None


def _items(items, depth):
    """Return a mapping's items as a dict; raise Untold if two keys become equal."""
    pairs = [(taken(key, depth + 1), taken(value, depth + 1)) for key, value in items]
    if len(dict(pairs)) < len(pairs):
        raise Untold("keys that are written alike")
    return dict(pairs)


class Untold(Exception):
    """A value cannot be read as plain data."""


def is_read(value):
    """Return whether a result differs from the plain data recorded for it."""
    _objects[0] = 0
    try:
        return not (is_plain(value) or bool(value == taken(value)))
    except BaseException:  # such as Enough from a counter
        return True


def bounded(value):
    """Return a plain value unchanged; raise TooLong if it is larger than MAX_ANSWER."""
    size = 0
    pending = [value]
    while pending:
        item = pending.pop()
        kind = type(item)
        if kind in (str, bytes):
            size += len(item)
        elif kind is int:
            size += item.bit_length() // 3
            if item.bit_length() > MAX_BITS:
                raise TooLong("an integer that Python does not write")
        elif kind in (list, tuple, set, frozenset):
            size += len(item)
            pending += item if size <= MAX_ANSWER else ()
        elif kind is dict:
            size += 2 * len(item)
            pending += [*item, *item.values()] if size <= MAX_ANSWER else ()
        if size > MAX_ANSWER:
            raise TooLong(f"an answer of more than {MAX_ANSWER} characters or items")
    return value


def is_plain(value, depth=0):
    """Return whether a value consists of builtin data only."""
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


UNNAMED = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")  # no calls since Python 3.12


LONGEST_NUMBER = 1_000_000  # bits in the result of a power, product or shift under a budget
LONGEST_COPY = 10_000_000  # items in a repeated text or collection
LONG_NUMBER = 10_000  # bits from which an operation's steps grow with the length


GROWING = {"**": operator.pow, "<<": operator.lshift, "*": operator.mul}


class Enough(BaseException):
    """The step budget is used up, which is the same on every machine."""


class Counters:
    """The counters that instrumented code calls: a slot per kind of step, and the arms reached."""

    def __init__(self, names, budget):
        self.slots = dict.fromkeys(names, 0)
        self.most = budget or float("inf")
        self.declared = set()
        self.reached = set()
        self.open = {}  # functions by call site while arguments are evaluated; some may have raised
        self.clear()

    def clear(self):
        for name in self.slots:
            self.slots[name] = 0
        self.declared.clear()
        self.reached.clear()
        self.open.clear()
        self.spent = 0

    def add(self, name, value=None):
        self.slots[name] += 1
        self.spent += 1
        if self.spent >= self.most:
            raise Enough
        return value

    def tried(self, cases):
        for _ in range(cases):
            self.add("lines")

    def reach(self, arm):
        self.reached.add(arm)

    def decide(self, arm, value):
        truth = bool(value)  # evaluated once; the caller uses the result
        self.reached.add(arm + truth)
        return truth

    def call(self, function):
        self.slots["user_calls" if is_own(function) else "builtin_calls"] += 1
        self.slots["calls"] += 1
        return function

    def calling(self, place, function):
        self.open.setdefault(place, []).append(function)
        return function

    def called(self, place):
        self.call(self.open[place].pop())
        return {}

    def each(self, arm, items, is_head):
        return self._passes(arm, iter(items), is_head)  # iter may raise immediately

    def _passes(self, arm, items, is_head):
        count = 0
        for count, item in enumerate(items, 1):
            if not is_head:
                self.add("loop_iterations")
            if count == 2:
                self.reached.add(arm + 1)
            yield item
            if is_head:
                self.add("lines")  # the loop returns to its head
        if not count:
            self.reached.add(arm)

    def operated(self, name, result):
        self.spent += length_of(result)
        return self.add("container_operations" if is_container(result) else name, result)

    def grown(self, sign, base, by):
        """Return the right operand; raise Enough if the result is too long to compute in time.

        The time differs between machines; the length does not.
        """
        if type(by) is int and self.most < float("inf") and is_long(sign, base, by):
            self.spent = self.most
            raise Enough
        return by

    def applied(self, sign, one, other):
        if sign == "*":
            self.grown(sign, other, one)
        return GROWING[sign](one, self.grown(sign, one, other))

    def onto(self, name, *operands):
        is_one = any(map(is_container, operands))
        self.spent += sum(map(length_of, operands))
        return self.add("container_operations" if is_one else name, operands[-1])

    def joined(self, *parts):
        return "".join(parts)

    def shown(self, value, conversion, spec):
        convert = {115: str, 114: repr, 97: ascii}.get(conversion)
        return format(value if convert is None else convert(value), spec)

    def declare(self, frame):
        """Count the variables of a frame that have a value, once per function."""
        code, held = frame.f_code, frame.f_locals
        place = code.co_name, code.co_firstlineno
        names = (name for name in (*code.co_varnames, *code.co_cellvars) if name in held)
        self.declared.update((*place, name) for name in names)
        self.slots["variables_declared"] = len(self.declared)


def is_long(sign, base, by):
    """Return whether a power, product, shift or copy exceeds the size that a case may compute."""
    if sign == "*" and type(base) is int:
        return base.bit_length() + by.bit_length() > LONGEST_NUMBER
    if sign == "*":
        return type(base) in (str, bytes, list, tuple) and len(base) * by > LONGEST_COPY
    if type(base) is not int or base == 0:
        return False
    if sign == "<<":
        return base.bit_length() + by > LONGEST_NUMBER
    return abs(base) > 1 and base.bit_length() * by > LONGEST_NUMBER


def length_of(value):
    """Return the extra steps for an operation on a long number, by its length."""
    return value.bit_length() // LONG_NUMBER if type(value) is int else 0


def is_container(value):
    """Return whether a value is a text or collection, so that operators are not arithmetic."""
    return hasattr(type(value), "__len__")


def is_own(function):
    """Return whether a call runs the program's own code, also if cached, bound or partial."""
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
    """Call a function; count lines in other files, the depth of calls and the variables set."""
    depths = {}  # by id of the frame, which a later frame may reuse

    def in_library(frame, event, argument):
        if event == "line":
            count.add("library_lines")
        return in_library

    def in_program(frame, event, argument):
        if event == "return":
            count.declare(frame)
        return in_program

    def trace(frame, event, argument):
        depth = depths.get(id(frame.f_back), 0)
        name = frame.f_code.co_filename
        if name == FILENAME and frame.f_code.co_name not in UNNAMED:
            depth += 1
            count.slots["call_depth"] = max(depth, count.slots["call_depth"])
            frame.f_trace_lines = False
        depths[id(frame)] = depth
        if name == FILENAME:
            return None if frame.f_code.co_name in UNNAMED else in_program
        return None if name == "<program>" else in_library

    sys.settrace(trace)
    try:
        return function(*args, **kwargs)
    finally:
        sys.settrace(None)


MAX_MOMENTS = 300


def load_inlined(settings):
    """Execute the mined program in a new module; return its entry point."""
    module = types.ModuleType("inlined")
    sys.modules["inlined"] = module
    space = module.__dict__
    if settings["counters"]:
        space["_count"] = Counters(settings["counters"], settings["budget"])
    exec(compile(settings["code"], FILENAME, "exec", dont_inherit=True), space)
    return space[settings["name"]]


def load_original(settings):
    """Import the original module, with stubs for missing libraries that it requires."""
    import importlib
    import warnings

    warnings.simplefilter("ignore")
    finder = MissingFinder(frozenset(settings["roots"]))
    sys.meta_path.append(finder)
    before = set(sys.modules)
    while True:
        try:
            module = importlib.import_module(settings["module"])
            if not settings["driver"]:
                return getattr(module, settings["name"])
            space = {}
            for where, member in settings["needs"]:
                found = importlib.import_module(where)
                space[member or where] = getattr(found, member) if member else found
            exec(settings["driver"], space)
            return space[settings["name"]]
        except Exception as error:
            if finder.wanted is None:
                raise
            # Stub only the libraries whose absence ends the import: optional ones stay absent, as
            # if the package were installed alone. If that does not help, stub everything.
            lacking = (getattr(error, "name", None) or "").partition(".")[0]
            if isinstance(error, ImportError) and lacking and finder.is_missing(lacking):
                finder.wanted = finder.wanted | {lacking} if lacking not in finder.wanted else None
            else:
                finder.wanted = None
            for name in set(sys.modules) - before:
                if name.partition(".")[0] not in sys.stdlib_module_names:
                    del sys.modules[name]
            importlib.invalidate_caches()


def caches_of(space):
    """Return the cached functions of a module, and of its classes."""
    classes = [each for each in space.values() if isinstance(each, type)]
    spaces = [space, *(vars(each) for each in classes if each.__module__ == "inlined")]
    found = (getattr(each, "__func__", each) for inner in spaces for each in inner.values())
    return [each for each in found if isinstance(each, functools._lru_cache_wrapper)]


def moments_of(function, args, kwargs):
    """Call a function; return [line, plain locals] for each time one of its lines is reached."""
    inner = function
    while hasattr(inner, "__wrapped__"):  # it is cached, or decorated with functools.wraps
        inner = inner.__wrapped__
    code = getattr(inner, "__code__", None)
    found = []

    def note(frame, event, argument):
        if event == "line" and len(found) < MAX_MOMENTS:
            state = {}
            for name, value in sorted(frame.f_locals.items()):
                with contextlib.suppress(Exception):
                    if is_plain(value):
                        state[name] = bounded(taken(value))  # a copy, because it may change
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


def raising_lines(code):
    """Return the lines of a program's ``raise`` and ``assert`` statements."""
    import ast

    raising = [n for n in ast.walk(ast.parse(code)) if isinstance(n, (ast.Raise, ast.Assert))]
    return {line for node in raising for line in range(node.lineno, node.end_lineno + 1)}


def is_raised(error, lines):
    """Return whether a statement on one of these lines of the program raised ``error``."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    return at is not None and at.tb_frame.f_code.co_filename == FILENAME and at.tb_lineno in lines


def build(settings):
    """Return the function that the sandbox calls on each case."""
    sys.dont_write_bytecode = True
    # Counting and watching need extra frames, so that calls can go as deep as without them. Each
    # variant has less room, so that programs which catch RecursionError give different answers.
    is_noted = settings["counters"] or settings["watch"]
    sys.setrecursionlimit(1100 if is_noted else 1000 - 50 * settings["variant"])
    if settings["variant"]:
        perturb(settings["variant"])
    if "code" in settings:
        sys.addaudithook(audit)
        function = load_inlined(settings)
    else:
        function = load_original(settings)
    space = getattr(sys.modules.get("inlined"), "__dict__", {})
    caches = caches_of(space)
    is_called.append(True)

    def entry(args, kwargs):
        if args is None:
            return [*touched, *sorted(absent)]
        for each in caches:  # each case must answer as in a fresh process
            each.cache_clear()
        try:
            result = function(*args, **kwargs)
        except BaseException as error:
            tell(error)
            raise
        return plain_result(result)

    count = space.get("_count")
    raising = raising_lines(settings["code"]) if count else ()

    def counted(args, kwargs):
        count.clear()
        for each in caches:
            each.cache_clear()
        result, is_foreseen = None, False
        try:
            result = count_library_lines(function, args, kwargs, count)
            if isinstance(result, _LAZY):
                list(zip(result, range(MAX_ITEMS)))
        except BaseException as error:  # any, such as KeyboardInterrupt or Enough
            is_foreseen = is_raised(error, raising)
        found = [dict(count.slots), sorted(count.reached), count.spent, count.spent < count.most]
        return [*found, is_read(result), is_foreseen]

    if settings["watch"]:
        return functools.partial(moments_of, function)
    return counted if settings["counters"] else entry
