"""The work counter, which runs in the sandbox around a program that cannot reach it.

It is sent as text and imports only the standard library. A unit of work is about four simulated
instructions (``scripts/benchmarks/efficiency.py weights``). Statements cost units for each of their
operations; calls of C code cost a weight times the elements, characters or digits they process.
Calls, operators, comparisons, slices and comprehensions are rewritten to charge for their work.
Python functions are never wrapped, so recursion goes as deep as without counting.
"""

from __future__ import annotations

import ast
import builtins
import operator
import sys
import types
import typing
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from copy import copy
from functools import _lru_cache_wrapper as CachedFunction
from functools import partial
from itertools import islice, pairwise

# Imported by name, because a program may assign to a module's attributes.
from math import log, log2
from re import Match, purge
from sys import getrefcount
from typing import Any

from evalplus_lite.sandbox.guest.counting import (
    CHECK,
    FREE,
    LEFT,
    NESTING,
    STOP,
    CountedExecution,
    Counting,
    call,
)
from evalplus_lite.sandbox.guest.harness import Names, bind

STATEMENT, ITERATION, ITEM, UNPACKED = 20, 20, 32, 20
"""Units of a statement, a loop iteration, an item of a comprehension, and its unpacking."""
CALL, FRAME, OBJECT = 25, 30, 250
"""Units of a call of C code, of a program's function, and of creating one of its objects."""
COPIED, SPLIT, LOOKED, HASHED, COUNTED, MADE = 4, 9, 26, 45, 110, 18
"""Units per element: copied; split off as a string; compared with another; hashed; hashed and
counted; iterated one by one."""
IDENTICAL, SAME, BEST, SUMMED, CALLED = 3, 10, 40, 13, 30
"""Units per element: compared by identity, with an equal, for a maximum; added; passed to a key."""
SORTED = {int: 12, float: 12, bool: 12, str: 18}
COMPARED = 55
"""Units of a comparison in a sort, by type, and for other types or in heaps."""
CHARACTER, SCANNED, TESTED = 0.7, 1, 6
"""Units per character: copied; searched; tested one by one."""
PATTERN, MATCHED, REPLACED = 4, 240, 60
"""Units of a regular expression: per character, per match, per replaced or split part."""
RESUMED, CONVERTED = 30, 170
"""Units of resuming a generator; of parsing or formatting a number."""
EXACT, INTERPRETED = 580, 100
"""Units per element: ``statistics`` with fractions; other library functions in Python."""
DIGIT, SQUARED = 2, 110
"""Units per pair of multiplied 30-bit digits, or added digit; per bit of an exponent."""
CALLS = {
    **dict.fromkeys("max min sorted range".split(), 220),
    **dict.fromkeys("startswith endswith sort enumerate filter map zip".split(), 150),
    **dict.fromkeys("divmod list tuple set dict".split(), 70),
    **{"round": 300, "format": 300, "Counter": 1700},
}
"""Units of a call in addition to ``CALL``, by name."""
CHOOSING = (
    "batched chain combinations combinations_with_replacement compress cycle dropwhile filter "
    "filterfalse from_iterable groupby islice permutations product takewhile"
).split()
"""Lazy functions that may consume more items than they yield."""
TAKEN = dict.fromkeys(CHOOSING, 16) | {"reversed": 8, "groupby": 220}
TAKEN |= {"accumulate": 20, "combinations": 45, "permutations": 45, "product": 45}
"""Units of taking an item from a lazy function, by name."""
COLLECTING = frozenset("fsum join max min prod sorted sum".split())
"""Functions whose iterator argument is converted to a list, so that its items can be examined."""
ITEMS = frozenset("__getitem__ __len__ getitem".split())
SMALL = 1 << 60
SEQUENCES = (list, tuple, str, bytes, bytearray)
VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))
_HASHED = (set, frozenset, dict, Counter, OrderedDict, defaultdict)
SIZED: tuple[Any, ...] = (*SEQUENCES, *_HASHED, deque, range, *VIEWS)
_SOME: tuple[Any, ...] = ([], (), "", "\xe9", b"", {}, {}.values(), {}.items(), set(), deque())
NUMBERS = frozenset((int, float, bool, type(None)))
EXACT_SIZES = frozenset(SIZED) - {Counter}
"""Types without a length, and those whose length no program can override."""
ITERATORS: tuple[Any, ...] = (
    *(type(iter(each)) for each in (*_SOME, range(0), range(1 << 70))),
    type(reversed([])),
    type(reversed({})),
)
"""Iterators that know how many items are left."""
DESCRIPTORS: tuple[type, ...] = (types.MethodDescriptorType, types.WrapperDescriptorType)
IN_C: tuple[type, ...] = (*DESCRIPTORS, types.BuiltinFunctionType, types.MethodWrapperType)
HOLDERS = frozenset((bool, classmethod, object, property, range, slice, staticmethod, type))
CONSTANTS = frozenset((float, frozenset, int, str, tuple))
"""Types whose call copies nothing, and those that do not copy a value of their own type."""
ALONE = 4
"""Reference count in ``grown`` of a string that nothing else holds: Python extends it in place."""
PURE = frozenset((int, float, bool, type(None), str, bytes))
"""Types whose comparison runs none of the program's code."""
PLAIN = frozenset((len, id, isinstance, ord, chr, next))
ARITHMETIC = frozenset((abs, round, divmod, max, min))
"""Functions that cost only a call: always, and for one or two small numbers."""
LAZY = frozenset((map, filter, zip, enumerate, reversed))
PREFIX = "_evalplus_lite_"
OPERATIONS: dict[str, int] = {
    **dict.fromkeys(("BinOp", "operated"), 40),
    **dict.fromkeys(("Compare", "contains", "equals"), 25),
    **dict.fromkeys(("Dict", "List", "Set"), 45),
    **dict.fromkeys(("DictComp", "ListComp", "SetComp"), 300),
    **dict.fromkeys(("FunctionDef", "Lambda"), 70),
    **dict.fromkeys(("BoolOp", "IfExp"), 5),
    **dict.fromkeys(("Starred", "Subscript", "called"), 20),
    **{"Attribute": 10, "FormattedValue": 130, "GeneratorExp": 400, "JoinedStr": 40, "Slice": 100},
    **{"Tuple": 35, "UnaryOp": 15, "Yield": 30, "assigned": 35, "grown": 35},
}
"""Units of each operation of a statement, before and after rewriting."""
COMPREHENSION = {ast.GeneratorExp: RESUMED, ast.SetComp: 20, ast.DictComp: 60}
"""Units per item of a comprehension, in addition to ``ITEM``."""
INNER = (ast.stmt, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
"""Parts of a statement that are counted when they run, not with the statement."""
FUNCTIONS = "assigned called charge contains defined equals grown handed operated taken".split()


class WorkMeter:
    """Charges for work; its functions are the only names added to a rewritten program."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def charge(self, units: float) -> bool:
        names = self.names
        names[LEFT] -= int(units)
        if names[LEFT] < 0:
            raise names[STOP]
        return True

    def called(self, function: Any) -> Any:
        """Return the replacement of a called function: itself if it is written in Python."""
        kind = type(function)
        if kind is types.BuiltinFunctionType:
            names = CONSTANT.get(type(function.__self__))
            if function.__name__ in names if names else function in PLAIN:
                self.names[LEFT] -= CALL
                return function
        if kind is types.FunctionType or kind is types.MethodType:
            scope = getattr(getattr(function, "__func__", function), "__globals__", None)
            if scope is self.names or scope is globals():  # ours charge already
                self.names[LEFT] -= FRAME * (scope is self.names)
                return function
        if kind is CachedFunction and type(function.__wrapped__) not in IN_C:
            return function
        if kind is partial:
            return partial(self.called(function.func), *function.args, **function.keywords)
        defined = getattr(kind, "__call__", None)  # noqa: B004 - how the class defines it
        is_written = type(defined) is types.FunctionType and defined.__globals__ is self.names
        if is_own(function) or is_own(kind) or is_written:  # its code is rewritten
            self.names[LEFT] -= OBJECT
            return function
        if kind is types.MethodWrapperType and function.__name__ == "__call__":
            return self.called(function.__self__)
        if function is any or function is all:
            return lambda items: function(self.taken(items, MADE // 2))
        return partial(self.passed, function)

    def passed(self, function: Any, /, *arguments: Any, **options: Any) -> Any:
        """Call a function that is not rewritten, and charge for what it processes."""
        name = str(getattr(function, "__name__", ""))
        is_short = len(arguments) < 3 and not options
        is_known = type(function) in IN_C and function in ARITHMETIC
        if is_short and is_known and all(map(is_small, arguments)):
            self.charge(CALL + CALLS.get(name, 0))
            return function(*arguments)
        lazy = is_lazy(function)
        given = [self.handed(each, lazy and name != "repeat") for each in arguments]
        options = {word: self.handed(each, word == "key") for word, each in options.items()}
        if lazy:
            self.charge(CALLS.get(name, CALL))
            if name == "accumulate" and is_short and len(given) == 1:
                given.append(self.called(operator.add))
            if name in CHOOSING:  # they may consume more than they yield
                given = [self.taken(x, 8) if hasattr(type(x), "__iter__") else x for x in given]
            units = 8 + 8 * len(given) if name == "zip" else TAKEN.get(name, 24)
            return self.taken(function(*given, **options), units)
        is_alone = len(given) == 1 or (given and function is sum)
        if name in COLLECTING and is_alone and not isinstance(given[0], SIZED):
            given[0] = list(given[0])
        values = [getattr(function, "__self__", None), *given]
        before = [*map(length, values)]
        compared: list[Any] = []
        if name in ("sort", "sorted"):  # before sorting
            compared += held_by(values[1 if given else 0])
        if callable(key := options.get("key")):
            compared.clear()

            def keyed(item: Any) -> Any:
                compared.append(key(item))
                return compared[-1]

            options["key"] = keyed
        result = None
        try:
            result = function(*given, **options)
        finally:  # an unsuccessful search raises
            fixed = CALL + CALLS.get(name, 0) + CALLED * len(compared) * bool(key)
            self.charge(fixed + cost(name, function, given, compared, before, result))
        if name == "tee":
            return tuple(self.taken(each, MADE) for each in result)
        return self.taken(result, MATCHED) if name == "finditer" else result

    def handed(self, value: Any, is_called: bool = False) -> Any:
        """Return the replacement of an argument, so that functions in C charge when called."""
        kind = type(value)
        is_foreign = kind in IN_C or kind is partial or kind is CachedFunction
        return self.called(value) if is_foreign or (is_called and kind is type) else value

    def defined(self, owner: Any) -> Any:
        """Replace functions in C in a class, which Python may call for an operator."""
        for name, value in [*vars(owner).items()] if isinstance(owner, type) else ():
            if type(value) in IN_C or type(value) is partial:
                replaced: Any = self.handed(value)
                if type(value) in DESCRIPTORS:
                    replaced = lambda *items, to=replaced: to(*items)  # noqa: E731 - is bound
                setattr(owner, name, replaced)
        return owner

    def taken(self, items: Iterable[Any], units: int) -> Iterable[Any]:
        names = self.names
        stop = names[STOP]
        for item in items:
            names[LEFT] -= units
            if names[LEFT] < 0:
                raise stop
            yield item

    def operated(self, name: str, left: Any, right: Any) -> Any:
        if type(left) is int and type(right) is int:
            self.charge(computing(name, left, right))
            return OPERATORS[name](left, right)
        if name == "Mod" and isinstance(left, (str, bytes)):
            self.charge(CALLS["format"] + showing(right))
        result = OPERATORS[name](left, right)
        kind = type(result)
        if name == "Append" and kind is str and getrefcount(left) < ALONE:
            self.charge(CHARACTER * len(right))
        elif kind in SIZED:
            units = weight(kind) * len(result)
            if kind in (set, frozenset) and type(left) in SIZED and type(right) in SIZED:
                units = HASHED * (min if name == "BitAnd" else max)(len(left), len(right))
            elif kind is Counter:
                units = COUNTED * (length(left) + length(right))
            self.charge(units)
        elif kind.__module__ == "fractions":
            self.charge(
                EXACT + DIGIT * (digits(result.numerator) + digits(result.denominator)) ** 2
            )
        return result

    def grown(self, name: str, target: Any, value: Any) -> Any:
        """Charge for ``target += value`` and the like, before it happens."""
        kind = type(target)
        units: float = 0
        if kind is int and type(value) is int:
            units = computing(name, target, value)
        elif kind in SEQUENCES and type(value) is int:  # repeated
            units = weight(kind) * len(target) * max(0, value)
        elif kind is Counter:
            units = COUNTED * (len(target) + length(value))
        elif kind.__module__ == "fractions":
            units = EXACT + DIGIT * (digits(target.numerator) + digits(target.denominator)) ** 2
        elif type(value) in SIZED:
            is_copied = kind in (tuple, bytes) or (kind is str and getrefcount(target) > ALONE)
            units = len(value) + (len(target) if is_copied else 0)
            units *= HASHED if kind in (set, dict) else weight(kind)
        self.charge(units)
        return value

    def assigned(self, name: str, left: Any, right: Any) -> Any:
        """Return the result of ``left += right`` and the like for an attribute or item."""
        return IN_PLACE[name](left, self.grown(name, left, right))

    def contains(self, item: Any, items: Any) -> bool:
        kind = type(items)
        if kind not in EXACT_SIZES and isinstance(items, ITERATORS):
            return item in self.taken(items, LOOKED)
        is_member = item in items
        units: float = 0
        if kind in (list, tuple, deque):
            place = len(items)
            if is_member and is_pure(item) and all(map(is_pure, items)):
                with suppress(ValueError):  # found by identity alone, as NaN is
                    place = items.index(item) + 1
            units = LOOKED * place + looking(item, islice(items, place))
        elif isinstance(items, (list, tuple, deque, VIEWS[1])) or (
            kind is range and type(item) is not int
        ):
            units = LOOKED * length(items)
        elif kind in (str, bytes, bytearray):
            units = SCANNED * (items.find(item) + length(item) if is_member else len(items))
        elif isinstance(items, (set, frozenset, dict, VIEWS[2])):
            units = hashing(item) + (SAME * total(item) if isinstance(items, VIEWS[2]) else 0)
        if units:
            self.charge(units)
        return is_member

    def equals(self, left: Any, right: Any, is_negated: bool = False) -> Any:
        result = left != right if is_negated else left == right
        if type(left) is str:
            self.charge(CHARACTER * len(left) if length(right) == len(left) else 0)
        elif not is_small(left) and length(left) == length(right):
            self.charge(common(left, right))
        return result

    def seen(self, rule: Callable[[Any], float], value: Any) -> Any:
        """Charge for an operation on a value by a rule, and return the value."""
        if type(value) is not float and (units := rule(value)):
            self.charge(units)
        return value


def weight(kind: type) -> float:
    """Return the units of copying an element of a container."""
    is_text = kind in (str, bytes, bytearray, range)
    return CHARACTER if is_text else COPIED if kind in (list, tuple, deque) else HASHED


def digits(number: int) -> int:
    return 1 + number.bit_length() // 30


NAMED = {
    **{"add": "Add", "sub": "Sub", "mul": "Mult", "floordiv": "FloorDiv", "mod": "Mod"},
    **{"pow": "Pow", "lshift": "LShift", "rshift": "RShift", "and": "BitAnd", "or": "BitOr"},
    **{"xor": "BitXor", "truediv": "Div", "matmul": "MatMult"},
}
"""Operators by the names of their methods."""
OPERATORS = {key: getattr(operator, f"__{name}__") for name, key in NAMED.items()}
OPERATORS["Append"] = operator.add
IN_PLACE = {key: getattr(operator, f"__i{name}__") for name, key in NAMED.items()}


def computing(name: str, left: int, right: int) -> float:
    """Return the units of arithmetic on integers: 0 for small ones."""
    if name in ("Pow", "LShift"):
        times = min(max(0, right), SMALL)
        bits = times * log2(abs(left)) if name == "Pow" and left else times
        count = digits(left) + int(bits) // 30
        if count > 2 and not (name == "Pow" and abs(left) < 2):
            return float(DIGIT * count ** (1.6 if name == "Pow" else 1))
    elif not (-SMALL < left < SMALL and -SMALL < right < SMALL):
        few, many = sorted((digits(left), digits(right)))
        return DIGIT * many * (few if name in ("Mult", "FloorDiv", "Mod") else 1)
    return 0


def is_small(value: Any) -> bool:
    return type(value) is float or (type(value) is int and -SMALL < value < SMALL)


def is_lazy(function: Any) -> bool:
    if isinstance(function, type):
        return function in LAZY or function.__module__ == "itertools"
    owner = getattr(function, "__self__", None)  # as of chain.from_iterable
    return isinstance(owner, type) and owner.__module__ == "itertools"


def length(value: Any) -> Any:
    """Return the length of a container by its base type, ignoring overrides, or of a number."""
    exact = type(value)
    if exact is int:
        return 0 if -SMALL < value < SMALL else digits(value)
    if exact in NUMBERS:
        return 0
    if exact in EXACT_SIZES:
        return len(value)
    for kind in SIZED:
        if isinstance(value, kind):
            return kind.__len__(value)
    return value.__length_hint__() if isinstance(value, ITERATORS) else 0


def total(value: Any) -> int:
    """Return the number of items in nested plain containers."""
    found, rest, seen = 0, [value], set[int]()
    while rest:
        part = rest.pop()
        found += length(part)
        if type(part) in (list, tuple, dict) and part and id(part) not in seen:
            seen.add(id(part))
            parts = part.values() if type(part) is dict else part
            rest += [each for each in parts if not is_small(each)]
    return found


def common(left: Any, right: Any) -> Any:
    """Return the units of comparing two values up to their first difference."""
    if not isinstance(left, (list, tuple)) or not isinstance(right, (list, tuple)):
        few: int = min(length(left), length(right))
        if isinstance(left, (int, str, bytes)):
            return few / (2 if isinstance(left, int) else 16)
        return SAME * total(left) if few and length(left) == length(right) else 0
    units = 0.0
    for one, other in zip(left, right, strict=False):
        units += IDENTICAL
        if one is not other:
            units += SAME if is_small(one) else SAME + common(one, other)
            if is_pure(one) and is_pure(other) and one != other:
                break
    return units


def is_pure(item: Any) -> bool:
    """Return whether comparing a value runs none of the program's code: plain values and tuples."""
    kind = type(item)
    if kind is tuple or kind is list:
        return all(type(each) in PURE for each in item)
    return kind in PURE


def held_by(items: Any) -> list[Any]:
    """Return a container's items without using its own class's overrides."""
    base = next((each for each in SIZED if isinstance(items, each)), None)
    return [] if base is None else [*base.__iter__(items)]


def looking(item: Any, items: Iterable[Any]) -> Any:
    """Return the units of comparing an item with others, in addition to ``LOOKED`` for each."""
    size = 0 if is_small(item) else length(item)
    return sum(common(item, each) for each in items if length(each) == size) if size else 0


def hashing(item: Any) -> Any:
    """Return the units of a hash that is not cached."""
    return LOOKED * total(item) if type(item) is tuple else length(item) if type(item) is int else 0


def processing(item: Any) -> Any:
    """Return the units of an operation on a whole value."""
    if type(item) in (int, str):
        return length(item) * (CHARACTER if type(item) is str else 1)
    return 0 if type(item) in NUMBERS else SAME * total(item)


def copying(item: Any) -> Any:
    return weight(type(item)) * length(item)


def moving(item: Any) -> Any:
    """Return the units of moving the items of a list, such as after a deletion."""
    return CHARACTER * len(item) if type(item) in (list, deque, bytearray) else 0


def showing(item: Any) -> Any:
    """Return the units of converting a value to a string."""
    size = length(item)
    return DIGIT * size * size if type(item) is int else 6 * COPIED * total(item) if size else 0


def is_own(function: Any) -> bool:
    """Return whether a function is a class of the program without foreign bases."""
    return isinstance(function, type) and all(
        base is object or base.__module__ == "program" for base in function.__mro__
    )


def runs(items: Sequence[Any]) -> Any:
    """Return the number of ascending runs of plain items, which a merge sort has to merge."""
    if len(items) > 1 and all(type(item) in (int, float, str) for item in items):
        try:
            falls = sum(a > b for a, b in pairwise(items))
        except TypeError:
            return len(items)
        return 1 + min(falls, len(items) - 1 - falls)
    return len(items)


def sorting(items: list[Any]) -> Any:
    """Return the units of sorting: one pass, and comparisons for each level of merging."""
    count = len(items)
    compared = SORTED.get(type(items[0]) if count else int, COMPARED)
    return count * COPIED + (count * compared + alike(items)) * (1 + log2(max(1, runs(items))))


def alike(items: list[Any]) -> Any:
    """Return the units of comparing long items with their neighbors in sorted order."""
    if max(map(length, items), default=0) <= 4:
        return 0
    if all(map(is_pure, items)):
        try:
            items = sorted(items)
        except TypeError:
            return 0  # the program could not sort them either
    return sum(map(common, items, items[1:]))


def cost(
    name: str, function: Any, arguments: Any, compared: Any, before: Sequence[int], result: Any
) -> Any:
    """Return the units of a call of C code; ``result`` is None if it failed.

    ``before``: lengths of the owner and the arguments. ``compared``: items of a sort, or keys.
    """
    owner = getattr(function, "__self__", None)
    if type(function) in DESCRIPTORS and arguments:  # such as str.lower
        owner, arguments, before = arguments[0], arguments[1:], before[1:]
    held, size, made = before[0], sum(before[1:]), length(result)
    fixed = BEST * max(0, len(arguments) - 3)  # such as max(*xs)
    numbers = [each for each in (owner, *arguments) if type(each) is int]
    word = name.strip("_")
    operation = NAMED.get(word, NAMED.get(word[1:]))  # such as radd
    if operation and len(numbers) == 2:
        return computing(operation, *numbers)
    if name in ("sort", "sorted"):
        return sorting(compared)
    is_builtin = type(function) in IN_C
    if function is iter or (is_builtin and function in PLAIN) or name in ITEMS:
        return COPIED * made if arguments and isinstance(arguments[-1], slice) else 0
    if name == "reduce":
        return (CALLED + MADE) * size
    if name in ("ascii", "print", "repr"):
        return sum(map(showing, arguments))
    if isinstance(function, type):
        return fixed + making(function, arguments, size, made)
    if isinstance(owner, (str, bytes, bytearray)):
        return fixed + searching(name, arguments, held, size, result)
    if isinstance(owner, SIZED):
        return fixed + holding(name, owner, arguments, held, size, result)
    module = getattr(function, "__module__", None)
    if module in ("_heapq", "heapq"):
        if name in ("nlargest", "nsmallest"):
            few = arguments[0] if arguments and type(arguments[0]) is int else 1
            few = max(1, min(few, size))
            return COMPARED * (size + few * (1 + log(max(1, size) / few)) * (4 + log2(2 + few)))
        full = size if name in ("heapify", "merge") else 1
        heap = arguments[0] if arguments and type(arguments[0]) is list else []
        units = COMPARED + common(result, heap[0]) if heap and result else COMPARED
        return units * (full if name == "heapify" else full / 5 * log2(2 + size))
    if module in ("_bisect", "bisect"):
        moved = size / 2 if name.startswith("insort") else 0
        return 40 * log2(2 + size) + CHARACTER * moved
    if function is min or function is max:
        items = compared or (held_by(arguments[0]) if len(arguments) == 1 else [*arguments])
        return fixed + BEST * len(items) + alike(items)
    if function is sum:  # each step copies the sum so far
        largest = max(map(length, arguments[0]), default=0) if made else 0
        return SUMMED * size + COPIED * max(made, largest) * size
    if module == "math" or (is_builtin and function in (pow, divmod, abs, round)):
        large = max((digits(each) for each in (*numbers, result) if type(each) is int), default=1)
        if function is pow and len(numbers) == 3:
            return numbers[1].bit_length() * (SQUARED + DIGIT * large * large)
        if name in ("factorial", "comb", "perm") and numbers:
            return DIGIT * large * max(1, min(abs(numbers[0]), 1 << 20)) / 4
        return fixed + (DIGIT * large * large if large > 2 else 0) + SUMMED * size
    if module == "statistics" and name != "fmean":
        return sorting(list(arguments[0])) if size and name.startswith("median") else EXACT * size
    if module == "re" or type(owner).__module__ == "re":
        return (700 if module == "re" else 150) + matching(name, arguments, size, result)
    if name in ("deepcopy", "asdict", "astuple", "dumps"):
        return 2 * INTERPRETED * sum(map(total, arguments))
    per = INTERPRETED if isinstance(function, types.FunctionType) else COPIED
    return fixed + float(per * (held + size + made))


def making(kind: type, arguments: Sequence[Any], size: int, made: int) -> float:
    """Return the units of calling a type."""
    first = type(arguments[0]) if arguments else None
    if kind in HOLDERS or issubclass(kind, BaseException) or (kind is first and kind in CONSTANTS):
        return 0
    if kind in (int, str, float) and first in (int, str):
        count = size if first is int else size / 9
        return CONVERTED + CHARACTER * size + (DIGIT * count * count if count > 2 else 0)
    if kind is Counter:
        return COUNTED * max(size, made)
    if kind in (set, frozenset, dict, OrderedDict):
        return HASHED * max(size, made)
    return (SPLIT if first is str else COPIED) * max(size, made)


def searching(name: str, arguments: Sequence[Any], held: int, size: int, result: Any) -> float:
    """Return the units of a string method."""
    if name in ("startswith", "endswith"):
        return CHARACTER * size
    if name.startswith("is"):
        return TESTED * held if result else SCANNED
    if name in ("find", "index"):
        start = arguments[1] if len(arguments) > 1 and type(arguments[1]) is int else 0
        end: int = result if type(result) is int and result >= 0 else held
        return SCANNED * max(0, end - max(start, 0))
    made: int = length(result)
    parts = made if type(result) is list else size if name == "join" else 0
    written = sum(map(showing, arguments)) if name == "format" else 0
    seen = SCANNED * held * (2 if name == "count" else 1)
    return float(seen + CHARACTER * made + MADE * parts + written)


def holding(
    name: str, owner: Any, arguments: Sequence[Any], held: int, size: int, result: Any
) -> Any:
    """Return the units of a container method."""
    if isinstance(owner, (list, tuple, deque, range)):
        if name in ("index", "count", "remove"):
            seen = result + 1 if name == "index" and type(result) is int else held
            return LOOKED * seen + looking(arguments[0] if arguments else 0, islice(owner, seen))
        if name in ("insert", "pop") and isinstance(owner, list):
            at = arguments[0] if arguments and type(arguments[0]) is int else held
            return CHARACTER * max(0, held - (at if at >= 0 else held + at))
        if name in ("append", "appendleft", "pop", "popleft"):
            return 0
        if name == "rotate":
            times = arguments[0] if arguments and type(arguments[0]) is int else 1
            return COPIED * min(abs(times), held)
        return COPIED * (size if name.startswith("extend") else held)
    if name in ("isdisjoint", "issubset", "issuperset"):
        is_hashed = isinstance(next(iter(arguments), None), (set, frozenset, dict))
        return LOOKED * (min(held, size) if is_hashed else size)
    if name in FREE_METHODS:
        return 0
    if name == "most_common":
        return held * COMPARED * (1 + log2(max(1, held))) / 4
    if name == "copy":
        return MADE * held
    per = COUNTED if isinstance(owner, Counter) else HASHED
    return per * (size + (held if name in COPYING else 0))


def matching(name: str, arguments: Sequence[Any], size: int, result: Any) -> float:
    """Return the units of a regular expression, by the text it read and its matches."""
    if isinstance(result, Match):
        return float(PATTERN * result.end())
    if name in ("sub", "subn"):
        return PATTERN * size + REPLACED * (0 if result in arguments else size)
    found: int = length(result)
    return PATTERN * size + (REPLACED if name == "split" else MATCHED) * found


FREE_METHODS = frozenset("get add discard remove setdefault pop popitem items keys values".split())
CONSTANT: Mapping[type, Any] = {
    list: ("append",),
    deque: ("append", "appendleft", "pop", "popleft"),
    **dict.fromkeys((set, dict, defaultdict), FREE_METHODS),
}
"""Methods, by type, that cost only a call."""
COPYING = frozenset("clear union intersection difference symmetric_difference fromkeys".split())
NOTHING = ast.Constant(None)
SEEN = {
    **{"deleted": moving, "hashed": hashing, "looked": processing, "shown": showing},
    **{"sliced": copying},
}
"""Rules of ``WorkMeter.seen``, by their names in a rewritten program."""


class Working(Counting):
    """Rewrites a program to charge for its work; statements are handled as in ``Counting``."""

    def __init__(self, *, by_line: bool = False) -> None:
        self.by_line = by_line
        self.shared: set[str] = set()
        """Names of variables in which a string is not extended in place."""

    def visit_Module(self, node: ast.Module) -> Any:
        for part in ast.walk(node):
            self.shared.update(part.names if isinstance(part, (ast.Global, ast.Nonlocal)) else ())
        return self.generic_visit(node)

    def counts_locally(self, scope: ast.AST) -> bool:
        return False

    def instrument(self, node: Any) -> None:
        """Do nothing: the ``visit_`` methods rewrite expressions."""

    def counted(
        self, statements: list[ast.stmt], loop: ast.For | ast.While | None
    ) -> list[ast.stmt]:
        """Charge for sequences of statements that are executed one after the other."""
        result: list[ast.stmt] = []
        if loop is not None:
            turn = units_of(loop.test) if isinstance(loop, ast.While) else ITERATION
            turn += UNPACKED * isinstance(getattr(loop, "target", None), ast.Tuple)
            result += placed(f"{LEFT} -= {turn}{taken_apart(getattr(loop, 'target', None))}", loop)
        run: list[ast.stmt] = []
        for at, statement in enumerate(statements, 1):
            run.append(statement)
            if at == len(statements) or self.by_line or isinstance(statement, NESTING):
                units = sum(units_of(each) for each in run if not isinstance(each, FREE))
                text = f"{LEFT} -= {max(units, 1)}\n{CHECK}"
                result += [*placed(text, statement), *run]
                run = []
        return result

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        units = FRAME + units_of(node.body)
        self.generic_visit(node)
        node.body = ast.IfExp(call(PREFIX + "charge", ast.Constant(units)), node.body, NOTHING)
        return node

    def visit_ListComp(self, node: Any) -> Any:
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        first = node.generators[-1]
        units = ITEM + sum(units_of(each) - STATEMENT for each in (*parts, *first.ifs))
        units += COMPREHENSION.get(type(node), 0)
        units += UNPACKED * isinstance(first.target, ast.Tuple)
        self.generic_visit(node)
        for generator in node.generators:
            if not generator.is_async:
                cost = units if generator is first else ITEM
                generator.iter = call(PREFIX + "taken", generator.iter, ast.Constant(cost))
        return node

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if not (isinstance(node.func, ast.Name) and node.func.id == "super"):
            node.func = call(PREFIX + "called", node.func)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        name = type(node.op).__name__
        if name in ("Div", "MatMult"):
            return node
        return call(PREFIX + "operated", ast.Constant(name), node.left, node.right)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        name = ast.Constant(type(node.op).__name__)
        node.value = self.visit(node.value)
        target: Any = node.target
        if isinstance(target, ast.Name) and target.id not in self.shared:
            node.value = call(PREFIX + "grown", name, ast.Name(target.id, ast.Load()), node.value)
            return node
        # Evaluate its parts once, and keep them in variables for the assignment.
        loaded, stored = copy(target), copy(target)
        if isinstance(target, ast.Subscript):
            part = self.visit(target.slice)
            if isinstance(part, ast.Slice):
                target.value = call(PREFIX + "deleted", target.value)
                bounds = (each or NOTHING for each in (part.lower, part.upper, part.step))
                part = call(PREFIX + "slice", *bounds)
            elif not isinstance(part, (ast.Constant, ast.Tuple)):
                part = call(PREFIX + "hashed", part)
            loaded.slice, stored.slice = kept("part", part)
        if not isinstance(target, ast.Name):
            loaded.value, stored.value = kept("owner", self.visit(target.value))
        loaded.ctx = ast.Load()
        return ast.Assign([stored], call(PREFIX + "assigned", name, loaded, node.value))

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        equality = (ast.Eq, ast.NotEq)
        if len(node.ops) != 1 or not isinstance(node.ops[0], (ast.In, ast.NotIn, *equality)):
            if not all(isinstance(each, (ast.Is, ast.IsNot)) for each in node.ops):
                node.comparators = [call(PREFIX + "looked", each) for each in node.comparators]
            return node
        if isinstance(node.ops[0], equality):
            is_negated = [ast.Constant(True)] if isinstance(node.ops[0], ast.NotEq) else []
            return call(PREFIX + "equals", node.left, *node.comparators, *is_negated)
        test = call(PREFIX + "contains", node.left, *node.comparators)
        return test if isinstance(node.ops[0], ast.In) else ast.UnaryOp(ast.Not(), test)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        is_slice = isinstance(node.slice, ast.Slice)
        if is_slice and isinstance(node.ctx, ast.Load):
            return call(PREFIX + "sliced", node)
        if is_slice or isinstance(node.ctx, ast.Del):
            node.value = call(PREFIX + "deleted", node.value)
        elif not isinstance(node.slice, (ast.Constant, ast.Tuple)):
            node.slice = call(PREFIX + "hashed", node.slice)
        return node

    def visit_Starred(self, node: Any) -> Any:
        self.generic_visit(node)
        targets = [part for each in getattr(node, "targets", ()) for part in ast.walk(each)]
        is_unpacked = any(isinstance(part, ast.Starred) for part in targets)
        if is_unpacked if targets else not isinstance(getattr(node, "ctx", None), ast.Store):
            node.value = call(PREFIX + "sliced", node.value)
        return node

    visit_YieldFrom = visit_Starred

    def visit_Assign(self, node: Any) -> Any:
        match node:
            case ast.Assign([ast.Name(id=name)], ast.BinOp(ast.Name(id=left), ast.Add())):
                # ``text = text + more`` is done in place.
                is_appended = name == left and name not in self.shared
            case _:
                is_appended = False
        self.visit_Starred(node)
        if is_appended:
            node.value.args[0] = ast.Constant("Append")
        for target in node.targets:
            if isinstance(getattr(target, "slice", None), ast.Slice):
                node.value = call(PREFIX + "sliced", node.value)
            elif (word := getattr(target, "attr", "")).startswith("__") and word.endswith("__"):
                node.value = call(PREFIX + "handed", node.value)
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Not) and not isinstance(node.operand, ast.Constant):
            node.operand = call(PREFIX + "looked", node.operand)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        self.generic_visit(node)
        node.decorator_list.append(ast.Name(PREFIX + "defined", ast.Load()))
        return node

    def visit_keyword(self, node: ast.keyword) -> ast.AST:
        self.generic_visit(node)
        if node.arg is None:
            node.value = call(PREFIX + "sliced", node.value)
        return node

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        self.generic_visit(node)
        pairs = zip(node.keys, node.values, strict=True)
        node.values = [each if key else call(PREFIX + "sliced", each) for key, each in pairs]
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        self.generic_visit(node)
        return call(PREFIX + "sliced", node)

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.format_spec, ast.Call):  # a part of the text, not a value
            node.format_spec = node.format_spec.args[0]
        node.value = call(PREFIX + "shown", node.value)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        # Annotations and ``match`` patterns cost nothing, and some must not contain calls.
        for argument in ast.walk(node.args):
            if isinstance(argument, ast.arg):
                argument.annotation = None
        node.returns = None
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_match_case(self, node: ast.match_case) -> ast.AST:
        node.guard = None if node.guard is None else self.visit(node.guard)
        taken = placed(f"{LEFT} -= 1{taken_apart(node.pattern)}", node.body[0])
        node.body = [*taken, *self.counted([self.visit(each) for each in node.body], None)]
        return node


def kept(name: str, value: Any) -> tuple[ast.expr, ast.expr]:
    """Return an expression that stores its value in an internal variable, and that variable."""
    name = PREFIX + name
    return ast.NamedExpr(ast.Name(name, ast.Store()), value), ast.Name(name, ast.Load())


def taken_apart(node: ast.AST | None) -> str:
    """Return statements that charge for the copies made by a loop's target or a pattern."""
    parts = [] if node is None else list(ast.walk(node))
    stars = [ast.unparse(each.value) for each in parts if isinstance(each, ast.Starred)]
    stars += [each.name for each in parts if isinstance(each, ast.MatchStar) and each.name]
    stars += [each.rest for each in parts if isinstance(each, ast.MatchMapping) and each.rest]
    return "".join(f"; {PREFIX}sliced({each})" for each in stars)


def placed(text: str, statement: ast.stmt) -> list[ast.stmt]:
    """Parse statements, and give them the line of another statement."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        ast.copy_location(node, statement)
    return tree.body


class LineMeter:
    """A trace function that adds up the units of each line of a program, without its calls."""

    def __init__(self, names: Names) -> None:
        self.names, self.left, self.rows = names, names[LEFT], [0]
        self.units: dict[int, int] = {}

    def __call__(self, frame: types.FrameType, event: str, _: Any) -> Any:
        if frame.f_globals is not self.names or frame.f_code.co_filename != "<program>":
            return None
        row = self.rows[-1]
        self.units[row] = self.units.get(row, 0) + self.left - self.names[LEFT]
        self.left = self.names[LEFT]
        if event == "call":
            self.rows.append(frame.f_lineno)
        elif event == "return":
            self.rows.pop()
        else:
            self.rows[-1] = frame.f_lineno
        return self


def units_of(node: ast.AST) -> int:
    """Return the units of a statement or expression, without statements and loops in it."""
    units, rest = STATEMENT, [node]
    while rest:
        part = rest.pop()
        is_unpacked = isinstance(part, ast.Tuple) and isinstance(part.ctx, ast.Store)
        units += UNPACKED // 2 if is_unpacked else OPERATIONS.get(type(part).__name__, 0)
        if isinstance(part, (ast.Set, ast.Dict)):
            units += HASHED * len(part.elts if isinstance(part, ast.Set) else part.keys)
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Name):
            units += OPERATIONS.get(part.func.id.removeprefix(PREFIX), 0)
        for each in ast.iter_child_nodes(part):
            if not isinstance(each, INNER):
                rest.append(each)
            elif isinstance(each, ast.expr):  # the cost of creating it
                units += OPERATIONS[type(each).__name__]
    return units


KEPT = -1
CLEARING: tuple[Callable[[], None], ...] = (purge, *vars(typing)["_cleanups"])
FRESH = frozenset(
    "bisect collections copy functools heapq itertools math operator re string typing".split()
)
"""Modules in which a program can store data only by assigning to attributes."""


def keeps(tree: ast.AST) -> bool:
    """Return whether a program could preserve data across loading."""
    names: list[str | None] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):  # of a module, or of an abstract class
            names += [None] * (node.attr == "register" or not isinstance(node.ctx, ast.Load))
        elif isinstance(node, ast.ImportFrom):
            names.append(node.module)
        elif isinstance(node, ast.Import):
            names += [each.name for each in node.names]
    return not FRESH.issuperset(names)


def worker(
    source: str, entry_point: str, spec: Mapping[str, Any], most: int, by_line: bool
) -> Callable[..., list[Any]]:
    """Return a function that calls the program's: [units of work, has returned, answer].

    The program is loaded for each call, which counts, too. The units are ``KEPT`` if it was not
    called, because an earlier call was late or may have stored data outside its names. A call
    ends after more than ``most`` units, and returns units above ``most``. With ``by_line`` the
    answer is replaced by the units of each line.
    """
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(5 * usual)
    tree = ast.fix_missing_locations(Working(by_line=by_line).visit(ast.parse(source)))
    code = compile(tree, "<program>", "exec", dont_inherit=True)
    sys.setrecursionlimit(usual)
    work = WorkMeter({})
    vars(builtins).update({PREFIX + name: getattr(work, name) for name in FUNCTIONS})
    vars(builtins).update({PREFIX + key: partial(work.seen, rule) for key, rule in SEEN.items()})
    vars(builtins)[PREFIX + "slice"] = slice
    may_keep = keeps(ast.parse(source))

    def worked(*arguments: Any) -> list[Any]:
        if work.names and (may_keep or work.names[LEFT] < 0):
            return [KEPT, False, None]
        for clear in CLEARING:  # keys with custom equality could be found again in caches
            clear()
        execution = CountedExecution(code, spec)
        names = work.names = execution.names
        names[LEFT] = most
        meter = LineMeter(names)
        sys.settrace(meter if by_line else None)
        try:
            function = bind(execution, entry_point, spec)
            if type(function) not in (types.FunctionType, types.MethodType):
                function = work.called(function)  # the entry point is a function in C
            answer = function(*arguments)
        except MemoryError:
            raise
        except BaseException:
            return [most - names[LEFT], False, None]
        finally:
            sys.settrace(None)
        return [most - names[LEFT], True, meter.units if by_line else answer]

    return worked
