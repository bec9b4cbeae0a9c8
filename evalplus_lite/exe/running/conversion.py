"""Values on their way into mined code and out of it, inside the sandbox: builtin data both ways.

The middle of the program that the sandbox runs, between ``perturbation`` and ``harness``.
"""

# Runs in a bare interpreter, around values of any type, on whatever version is there.
# mypy: ignore-errors

import collections
import dataclasses
import datetime
import enum
import types

MAX_ITEMS = 20000  # of an iterator that a function returns
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
        return value._name_ if type(value._name_) is str else taken(value._value_, depth + 1)
    if kind is datetime.timedelta or kind.__module__ in _AS_TEXT:
        return str(value)
    if depth > 100:
        return value
    if isinstance(value, tuple) and type(getattr(kind, "_fields", None)) is tuple:
        return tuple(taken(item, depth + 1) for item in tuple.__iter__(value))
    if dataclasses.is_dataclass(value) and kind is not type:
        named = [field.name for field in dataclasses.fields(value)]
        return {name: taken(getattr(value, name), depth + 1) for name in named}
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
    return value


class Failed(Exception):
    """An iterator that a function returned raised: ``args[0]``, which is the function's own."""


def _drained(items):
    try:
        yield from items
    except Exception as error:
        raise Failed(error) from None


def plain_result(result):
    """Return a result as plain data; what reading it raises is no answer of the function's."""
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
