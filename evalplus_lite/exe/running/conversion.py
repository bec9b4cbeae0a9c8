"""Values on their way into mined code and out of it, inside the sandbox: builtin data both ways.

The middle of the program that the sandbox runs, between ``perturbation`` and ``harness``.
"""

# Runs in a bare interpreter, around values of any type, on whatever version is there.
# mypy: ignore-errors

import collections
import contextlib
import dataclasses
import datetime
import enum
import sys
import types

MAX_ITEMS = 20000  # of an iterator that a function returns
MAX_OBJECTS = 1000  # of an answer
MAX_BITS = 14_000  # of an integer: Python writes and reads 4300 decimal digits
MAX_MESSAGE = 2000  # characters of an exception's: the sandbox keeps no more
MAX_ANSWER = 100_000  # characters, digits and items of one answer: no question is that large


class TooLong(Exception):
    """An iterator went on past MAX_ITEMS, or an answer is larger than MAX_ANSWER."""


_LAZY = tuple(type(x) for x in (iter([]), iter(()), iter({}), iter({}.values()), iter({}.items()),
                                iter(set()), iter(""), map(str, ""), filter(None, ""), zip(),
                                enumerate(""), reversed([]), {}.keys(), {}.values(), {}.items(),
                                range(0), (x for x in ""), iter(range(0))))  # fmt: skip


_MAPPINGS = (types.MappingProxyType, collections.ChainMap, collections.UserDict)
_AS_TEXT = ("decimal", "fractions", "pathlib", "pathlib._local")


def taken(value, depth=0):
    """Return a result as plain data: dates and numbers as text, objects as what they hold."""
    kind = type(value)
    if kind in (int, str, float, bool, type(None), bytes, complex):
        return value
    if isinstance(value, (datetime.date, datetime.time)):
        try:
            return value.isoformat()
        except Exception as error:  # of a time zone that the program made: not of the call
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
        named = [field.name for field in dataclasses.fields(value)]
        return _read(value, {name: getattr(value, name) for name in named}, depth)
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
        items = []
        for item in _drained(value):
            if len(items) >= MAX_ITEMS:
                raise TooLong(f"more than {MAX_ITEMS} items")
            items.append(taken(item, depth + 1))
        return items
    held = attributes(value)
    return _read(value, held, depth) if held else value


def attributes(value):
    """Return the public attributes that an object of a program's own class holds."""
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
_objects = [0]  # how many were read for this answer


def _read(value, held, depth):
    """Return what an object holds as plain data; Untold where it holds itself."""
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
    """An iterator that a function returned raised: ``args[0]``, which is the function's own."""


def _drained(items):
    try:
        yield from items
    except Exception as error:
        raise Failed(error) from None


def plain_result(result):
    """Return a result as plain data; what reading it raises is no answer of the function's."""
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
    """Raise Untold or TooLong where an exception's message cannot be recorded whole."""
    try:
        size = len(str(error))
    except Exception:
        raise Untold("an exception that cannot be printed") from None
    if size > MAX_MESSAGE:
        raise TooLong(f"a message of more than {MAX_MESSAGE} characters") from None


def _items(items, depth):
    """Return a mapping's items as a dict; Untold where two keys would become one."""
    count, found = 0, {}
    for key, value in items:
        count += 1
        found[taken(key, depth + 1)] = taken(value, depth + 1)
    if len(found) < count:
        raise Untold("keys that are written alike")
    return found


class Untold(Exception):
    """A value cannot be read as plain data."""


def is_read(value):
    """Return whether a result is other than the plain data that stands for it."""
    _objects[0] = 0
    try:
        return not (is_plain(value) or bool(value == taken(value)))
    except BaseException:  # such as a counter that has counted enough
        return True


def bounded(value):
    """Return a plain value as it is; TooLong where it is larger than MAX_ANSWER."""
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
