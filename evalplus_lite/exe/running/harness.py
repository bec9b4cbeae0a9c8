"""What stands around mined code inside the sandbox.

This file's *text*, after those of ``perturbation``, ``conversion`` and ``counters``, is the front
of the program that the sandbox runs, so it imports the standard library only. ``build(settings)``
loads the mined code (or the original module) and returns the function that the sandbox calls:
``entry(args, kwargs)`` answers with plain data, ``entry(None, None)`` with what was touched so far.
"""

# Runs in a bare interpreter, around values of any type, on whatever version is there.
# mypy: ignore-errors
# ruff: noqa: B905
# ruff: noqa: F821 - names of the texts that stand before this one

import functools
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


def load_original(settings):
    """Import the original module, with stand-ins for libraries that it cannot do without."""
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


def caches_of(space):
    """Return the cached functions of a module, and of its classes."""
    classes = [each for each in space.values() if isinstance(each, type)]
    spaces = [space, *(vars(each) for each in classes if each.__module__ == "inlined")]
    found = (getattr(each, "__func__", each) for inner in spaces for each in inner.values())
    return [each for each in found if isinstance(each, functools._lru_cache_wrapper)]


def moments_of(function, args, kwargs):
    """Call a function; return [line, plain locals] each time one of its own lines is reached."""
    inner = function
    while hasattr(inner, "__wrapped__"):  # it is cached, or decorated as functools.wraps does
        inner = inner.__wrapped__
    code = getattr(inner, "__code__", None)
    found = []

    def note(frame, event, argument):
        if event == "line" and len(found) < MAX_MOMENTS:
            state = {}
            for name, value in sorted(frame.f_locals.items()):
                try:
                    if is_plain(value):
                        state[name] = bounded(taken(value))
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
    # What counts or watches stands on the stack, too: a call may go as deep as it does without.
    # And what catches that it went too deep answers otherwise where there is less room.
    is_noted = "counters" in settings or settings.get("watch")
    sys.setrecursionlimit(1100 if is_noted else 1000 - 50 * settings.get("variant", 0))
    if settings.get("variant"):
        perturb(settings["variant"])
    if settings.get("audit"):
        sys.addaudithook(audit)
    load = load_original if settings["kind"] == "original" else load_inlined
    function = load(settings)
    space = getattr(sys.modules.get("inlined"), "__dict__", {})
    caches = caches_of(space)
    is_called.append(True)

    def entry(args, kwargs):
        if args is None:
            return [*touched, *sorted(absent)]
        for each in caches:  # a case is asked about in a fresh process
            each.cache_clear()
        try:
            result = function(*args, **kwargs)
        except BaseException as error:
            tell(error)
            raise
        return plain_result(result)

    count = space.get("_count")

    def counted(args, kwargs):
        count.clear()
        for each in caches:
            each.cache_clear()
        result = None
        try:
            result = count_library_lines(function, args, kwargs, count)
            if isinstance(result, _LAZY):
                list(zip(result, range(MAX_ITEMS)))
        except BaseException:  # what it raises may be any: KeyboardInterrupt, say, or Enough
            pass
        found = [dict(count.slots), sorted(count.reached), count.spent, count.spent < count.most]
        return [*found, is_read(result)]

    if settings.get("watch"):
        return functools.partial(moments_of, function)
    return counted if "counters" in settings else entry
