"""The work counter, which runs inside the sandbox around a program that cannot reach it.

It is sent as text and imports the standard library only. A unit of work is about four simulated
instructions (``scripts/benchmarks/efficiency.py weights``). Statements cost units for each of their
operations, and calls of C code a weight times the elements, characters or digits that they process.
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
from functools import _lru_cache_wrapper as CachedFunction
from functools import partial
from itertools import pairwise

# By name: a program may assign to what a module of the library holds.
from math import log, log2
from re import Match, purge
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
"""Units of a statement, of a turn of a loop, of an item of a comprehension, of its unpacking."""
CALL, FRAME, OBJECT = 25, 30, 250
"""Units of a call of C code, of a function of the program, and of an object of its classes."""
COPIED, SPLIT, LOOKED, HASHED, COUNTED, MADE = 4, 9, 26, 45, 110, 18
"""Units an element: copied; a character made a text; compared with one; hashed; hashed and counted;
taken one by one."""
SAME, BEST, SUMMED, CALLED = 10, 40, 13, 30
"""Units an element: compared with its like; compared for the largest; added; handed to a key."""
SORTED = {int: 12, float: 12, bool: 12, str: 18}
COMPARED = 55
"""Units of a comparison in a sort, by type, and of other types or in heaps."""
CHARACTER, SCANNED, TESTED = 0.7, 1, 6
"""Units a character: copied; searched; tested one by one."""
PATTERN, MATCHED, REPLACED = 4, 240, 60
"""Units of a regular expression: a character, a match, a character or part that is replaced."""
RESUMED, CONVERTED = 30, 170
"""Units of resuming a generator; of a number read from a text or written as one."""
EXACT, INTERPRETED = 580, 100
"""Units an element: of ``statistics`` in fractions; of other library functions in Python."""
DIGIT, SQUARED = 2, 110
"""Units a pair of 30-bit digits that are multiplied, or a digit added; a bit of an exponent."""
CALLS = {
    **dict.fromkeys("max min sorted range".split(), 220),
    **dict.fromkeys("startswith endswith sort enumerate filter map zip".split(), 150),
    **dict.fromkeys("divmod list tuple set dict".split(), 70),
    **{"round": 300, "format": 300, "Counter": 1700},
}
"""Units of a call in addition to ``CALL``, by name."""
TAKEN = dict.fromkeys("accumulate combinations permutations product".split(), 45)
TAKEN |= {"reversed": 8, "groupby": 220}
"""Units of taking an item from a lazy function, by name."""
SMALL = 1 << 60
SEQUENCES = (list, tuple, str, bytes, bytearray)
VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))
_HASHED = (set, frozenset, dict, Counter, OrderedDict, defaultdict)
SIZED: tuple[Any, ...] = (*SEQUENCES, *_HASHED, deque, range, *VIEWS)
_SOME: tuple[Any, ...] = ([], (), "", "\xe9", b"", {}, {}.values(), {}.items(), set(), deque())
NUMBERS = frozenset((int, float, bool, type(None)))
EXACT_SIZES = frozenset(SIZED) - {Counter}
"""Types without a length, and those whose length no program can change."""
ITERATORS: tuple[Any, ...] = (
    *(type(iter(each)) for each in (*_SOME, range(0), range(1 << 70))),
    type(reversed([])),
    type(reversed({})),
)
"""Iterators that know how many items are left."""
IN_C: tuple[type, ...] = tuple(map(type, (len, "".__len__, str.lower, str.__len__)))
PLAIN = frozenset((len, id, isinstance, ord, chr, next))
ARITHMETIC = frozenset((abs, round, divmod, max, min))
"""Functions that cost a call alone: always, and on one or two numbers of a digit or two."""
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
    **{"Tuple": 35, "UnaryOp": 15, "Yield": 30, "grown": 35},
}
"""Units of each operation of a statement, before and after it was rewritten."""
COMPREHENSION = {ast.GeneratorExp: RESUMED, ast.SetComp: 20, ast.DictComp: 60}
"""Units an item of a comprehension, in addition to ``ITEM``."""
INNER = (ast.stmt, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
"""Parts of a statement that are counted when they run, not with it."""
FUNCTIONS = (
    "called taken operated grown contains equals looked sliced hashed deleted charge".split()
)


class WorkMeter:
    """Charges for work; its functions are the only names that a rewritten program gets."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def charge(self, units: float) -> bool:
        names = self.names
        names[LEFT] -= int(units)
        if names[LEFT] < 0:
            raise names[STOP]
        return True

    def called(self, function: Any) -> Any:
        """Return the replacement of a function in a call: itself if it is written in Python."""
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
        if is_own(function):  # its code is rewritten
            self.names[LEFT] -= OBJECT
            return function
        if kind is types.MethodWrapperType and function.__name__ == "__call__":
            return self.called(function.__self__)
        if is_lazy(function):
            self.names[LEFT] -= CALLS.get(function.__name__, CALL)
            return lambda *arguments, **options: self.taken(
                function(
                    *(self.handed(each, (int, float, str)) for each in arguments),
                    **{name: self.handed(each) for name, each in options.items()},
                ),
                taking(function, arguments),
            )
        if function is any or function is all:
            return lambda items: function(self.taken(items, MADE // 2))

        def counted(*arguments: Any, **options: Any) -> Any:
            is_pair = len(arguments) < 3 and not options
            if is_pair and function in ARITHMETIC and all(map(is_small, arguments)):
                self.charge(CALL + CALLS.get(function.__name__, 0))
                return function(*arguments)
            arguments = tuple(map(self.handed, arguments))
            options = {name: self.handed(value) for name, value in options.items()}
            if function is sorted and arguments and length(arguments[0]) == 0:
                arguments = (list(arguments[0]), *arguments[1:])
            before = (length(getattr(function, "__self__", None)), *map(length, arguments))
            if getattr(function, "__name__", "") == "sort":
                owner = next(iter(arguments), None)
                owner = owner if kind is types.MethodDescriptorType else function.__self__
                if isinstance(owner, list):
                    self.charge(sorting(owner, options))  # while it is unsorted
            try:
                result = function(*arguments, **options)
            except BaseException:  # as a search that finds nothing
                self.charge(CALL + cost(function, arguments, options, before, None))
                raise
            self.charge(CALL + cost(function, arguments, options, before, result))
            is_lazy = getattr(function, "__name__", "") == "finditer"
            return self.taken(result, MATCHED) if is_lazy else result

        return counted

    def handed(self, value: Any, types: Sequence[type] = ()) -> Any:
        """Return the replacement of an argument: a function in C, or a type, charges if called."""
        is_type = any(value is each for each in types)
        return self.called(value) if is_type or type(value) in IN_C else value

    def taken(self, items: Iterable[Any], units: int) -> Iterable[Any]:
        names = self.names
        stop = names[STOP]
        for item in items:
            names[LEFT] -= units
            if names[LEFT] < 0:
                raise stop
            yield item

    def operated(self, name: str, left: Any, right: Any) -> Any:
        kind = type(right)
        if kind is int and type(left) is int:
            self.computed(name, left, right)
            return OPERATORS[name](left, right)
        result = OPERATORS[name](left, right)
        kind = type(result)
        if kind in SIZED:
            units = weight(kind) * len(result)
            if kind in (set, frozenset) and type(left) in SIZED and type(right) in SIZED:
                units = HASHED * (min if name == "BitAnd" else max)(len(left), len(right))
            self.charge(units + (CALLS["format"] if name == "Mod" else 0))
        return result

    def computed(self, name: str, left: int, right: int) -> None:
        """Charge for arithmetic on whole numbers, before it is done: small ones cost no more."""
        if name in ("Pow", "LShift"):
            times = min(max(0, right), SMALL)
            bits = times * log2(abs(left)) if name == "Pow" and left else times
            count = digits(left) + int(bits) // 30
            if count > 2 and not (name == "Pow" and abs(left) < 2):
                self.charge(DIGIT * count ** (1.6 if name == "Pow" else 1))
        elif not (-SMALL < left < SMALL and -SMALL < right < SMALL):
            few, many = sorted((digits(left), digits(right)))
            self.charge(DIGIT * many * (few if name in ("Mult", "FloorDiv", "Mod") else 1))

    def grown(self, name: str, target: Any, value: Any) -> Any:
        """Charge for ``target += value`` and the like, before it is done."""
        kind = type(target)
        if kind is int and type(value) is int:
            self.computed(name, target, value)
        elif kind in SEQUENCES and type(value) is int:  # repeated
            self.charge(weight(kind) * len(target) * max(0, value))
        elif type(value) in SIZED:
            units = len(value) + (len(target) if kind in (tuple, bytes) else 0)
            self.charge((HASHED if kind in (set, dict) else weight(kind)) * units)
        return value

    def contains(self, item: Any, items: Any) -> bool:
        kind = type(items)
        if kind not in EXACT_SIZES and isinstance(items, ITERATORS):
            return item in self.taken(items, LOOKED)
        is_member = item in items
        if kind in (list, tuple, deque):
            try:
                place = items.index(item) + 1 if is_member else len(items)
            except ValueError:  # found by identity alone, as NaN is
                place = len(items)
            self.charge(LOOKED * place)
        elif isinstance(items, (list, tuple, deque, VIEWS[1])):
            self.charge(LOOKED * length(items))
        elif kind in (set, frozenset, dict) and type(item) is tuple:  # its hash is not kept
            self.charge(LOOKED * len(item))
        elif kind is str and type(item) is str:
            self.charge(SCANNED * (items.find(item) + len(item) if is_member else len(items)))
        return is_member

    def equals(self, left: Any, right: Any) -> Any:
        is_equal = left == right
        if type(left) not in NUMBERS and isinstance(left, SIZED) and length(left) == length(right):
            if is_equal is False and type(left) is list and type(right) is list:
                # Comparing ends at the first difference.
                pairs = enumerate(zip(left, right, strict=False), 1)
                place = next((at for at, (a, b) in pairs if a is not b and a != b), len(left))
                self.charge(SAME * place)
            else:
                self.looked(left)
        return is_equal

    def looked(self, items: Any) -> Any:
        if type(items) in NUMBERS:
            return items
        self.charge(CHARACTER * len(items) if type(items) is str else SAME * total(items))
        return items

    def sliced(self, part: Any) -> Any:
        self.charge(weight(type(part)) * length(part))
        return part

    def hashed(self, item: Any) -> Any:
        """Charge for the hash of a tuple, which is not kept."""
        if type(item) is tuple:
            self.charge(LOOKED * len(item))
        return item

    def deleted(self, owner: Any) -> Any:
        self.charge(CHARACTER * len(owner) if type(owner) is list else 0)
        return owner


def weight(kind: type) -> float:
    """Return the units that copying an element of a container costs."""
    is_text = kind in (str, bytes, bytearray, range)
    return CHARACTER if is_text else COPIED if kind in (list, tuple, deque) else HASHED


def digits(number: int) -> int:
    return 1 + number.bit_length() // 30


OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    **{"Add": operator.add, "Sub": operator.sub, "Mult": operator.mul, "Mod": operator.mod},
    **{"FloorDiv": operator.floordiv, "Pow": operator.pow, "BitAnd": operator.and_},
    **{"BitOr": operator.or_, "BitXor": operator.xor},
    **{"LShift": operator.lshift, "RShift": operator.rshift},
}


def is_small(value: Any) -> bool:
    return type(value) is float or (type(value) is int and -SMALL < value < SMALL)


def is_lazy(function: Any) -> bool:
    if isinstance(function, type):
        return function in LAZY or function.__module__ == "itertools"
    owner = getattr(function, "__self__", None)  # as of chain.from_iterable
    return isinstance(owner, type) and owner.__module__ == "itertools"


def length(value: Any) -> Any:
    """Return the length of a container by its base type, ignoring overrides."""
    exact = type(value)
    if exact in NUMBERS:
        return 0
    if exact in EXACT_SIZES:
        return len(value)
    for kind in SIZED:
        if isinstance(value, kind):
            return kind.__len__(value)
    return value.__length_hint__() if isinstance(value, ITERATORS) else 0


def total(value: Any) -> int:
    """Return the number of items of a value of plain containers, theirs included."""
    found, rest, seen = 0, [value], set[int]()
    while rest:
        part = rest.pop()
        found += length(part)
        if type(part) in (list, tuple, dict) and part and id(part) not in seen:
            seen.add(id(part))
            parts = part.values() if type(part) is dict else part
            rest += [each for each in parts if isinstance(each, SIZED)]
    return found


def taking(function: Any, arguments: Sequence[Any]) -> int:
    """Return the units of taking an item of a lazy function."""
    name = getattr(function, "__name__", "")
    return 8 + 8 * len(arguments) if name == "zip" else TAKEN.get(name, 24)


def is_own(function: Any) -> bool:
    """Return whether a function is a class of the program without foreign bases."""
    return isinstance(function, type) and all(
        base is object or base.__module__ == "program" for base in function.__mro__
    )


def runs(items: Sequence[Any]) -> Any:
    """Return how many ascending runs plain items have, which a merge sort has to merge."""
    if len(items) > 1 and all(type(item) in (int, float, str) for item in items):
        try:
            falls = sum(a > b for a, b in pairwise(items))
        except TypeError:
            return len(items)
        return 1 + min(falls, len(items) - 1 - falls)
    return len(items)


def sorting(items: Sequence[Any], options: Mapping[str, Any]) -> float:
    """Return the units of sorting: a pass, and comparisons for each level of merging."""
    count = len(items)
    key = options.get("key")
    keyed = CALLED if key is not None and type(key) is not types.FunctionType else 0
    parts = runs(items) if key is None else count
    compared = SORTED.get(type(items[0]) if count else int, COMPARED) if key is None else 12
    return count * (COPIED + keyed + compared * (1 + log2(max(1, parts))))


def cost(
    function: Any, arguments: Any, options: Mapping[str, Any], before: Sequence[int], result: Any
) -> float:
    """Return the units of a call of C code, in addition to ``CALL``; ``result``: None if it failed.

    ``before``: the lengths of the owner and the arguments.
    """
    name = str(getattr(function, "__name__", ""))
    owner = getattr(function, "__self__", None)
    if type(function) is types.MethodDescriptorType and arguments:  # such as str.lower
        owner, arguments, before = arguments[0], arguments[1:], before[1:]
    held, size = before[0], sum(before[1:])
    fixed = CALLS.get(name, 0) + BEST * max(0, len(arguments) - 3)  # such as max(*xs)
    if function is sorted:
        return fixed + sorting(list(arguments[0]) if size else [], options)
    if isinstance(function, type):
        return fixed + making(function, arguments, size, length(result))
    if isinstance(owner, (str, bytes)):
        return fixed + searching(name, arguments, held, size, result)
    if isinstance(owner, SIZED):
        return fixed + holding(name, owner, arguments, held, size, result)
    module = getattr(function, "__module__", None)
    if module in ("_heapq", "heapq"):
        if name in ("nlargest", "nsmallest"):
            few = arguments[0] if arguments and type(arguments[0]) is int else 1
            few = max(1, min(few, size))
            replaced = few * (1 + log(max(1, size) / few))
            return COMPARED * (size + replaced * (4 + log2(2 + few)))
        full = size if name in ("heapify", "merge") else 1
        return COMPARED * (full if name == "heapify" else full / 5 * log2(2 + size))
    if module in ("_bisect", "bisect"):
        moved = size / 2 if name.startswith("insort") else 0
        return 40 * log2(2 + size) + CHARACTER * moved
    if function in (sum, min, max):
        if function is sum and length(result):  # each step copies the sum so far
            return float(COPIED * length(result) * size)
        each = SUMMED if function is sum else BEST
        return fixed + (each + (CALLED if "key" in options else 0)) * size
    if module == "math" or function in (pow, divmod, abs, round):
        numbers = [digits(item) for item in (*arguments, result) if type(item) is int]
        large = max(numbers, default=1)
        if function is pow and len(arguments) == 3 and type(arguments[1]) is int:
            return arguments[1].bit_length() * (SQUARED + DIGIT * large * large)
        if name in ("factorial", "comb", "perm") and arguments and type(arguments[0]) is int:
            return DIGIT * large * max(1, min(abs(arguments[0]), 1 << 20)) / 4
        return fixed + (DIGIT * large * large if large > 2 else 0) + SUMMED * size
    if module == "statistics" and name != "fmean":
        is_sorted = size and name.startswith("median")
        return sorting(list(arguments[0]), options) if is_sorted else EXACT * size
    if module == "re" or type(owner).__module__ == "re":
        return (700 if module == "re" else 150) + matching(name, arguments, size, result)
    if name in ("deepcopy", "asdict", "astuple", "dumps"):
        return 2 * INTERPRETED * sum(map(total, arguments))
    if function in PLAIN or function is iter or name == "reduce":
        return (CALLED + MADE) * size * (name == "reduce")
    per = INTERPRETED if isinstance(function, types.FunctionType) else COPIED
    return fixed + float(per * (held + size + length(result)))


def making(kind: type, arguments: Sequence[Any], size: int, made: int) -> float:
    """Return the units of a call of a type."""
    if kind in (int, str, float) and arguments and type(arguments[0]) in (int, str):
        count = digits(arguments[0]) if type(arguments[0]) is int else size / 9
        units = CONVERTED if (kind is str) is not (type(arguments[0]) is str) else 0
        return units + (DIGIT * count * count + CHARACTER * size if count > 2 else 0)
    if kind is range:
        return 0
    if kind is Counter:
        return COUNTED * max(size, made)
    if kind in (set, frozenset, dict, OrderedDict):
        return HASHED * max(size, made)
    return (SPLIT if arguments and type(arguments[0]) is str else COPIED) * max(size, made)


def searching(name: str, arguments: Sequence[Any], held: int, size: int, result: Any) -> float:
    """Return the units of a method of a text."""
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
    return SCANNED * held * (2 if name == "count" else 1) + CHARACTER * made + MADE * parts


def holding(
    name: str, owner: Any, arguments: Sequence[Any], held: int, size: int, result: Any
) -> float:
    """Return the units of a method of a container."""
    if isinstance(owner, (list, tuple, deque, range)):
        if name in ("index", "count", "remove"):
            return LOOKED * (result + 1 if name == "index" and type(result) is int else held)
        if name in ("insert", "pop") and isinstance(owner, list):
            at = arguments[0] if arguments and type(arguments[0]) is int else held
            return CHARACTER * max(0, held - (at if at >= 0 else held + at))
        if name in ("append", "appendleft", "pop", "popleft", "sort"):
            return 0
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
    """Return the units of a regular expression: of what it has read and found."""
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
"""Methods, by type, whose calls cost a call alone."""
COPYING = frozenset("clear union intersection difference symmetric_difference fromkeys".split())
NOTHING = ast.Constant(None)


class Working(Counting):
    """Rewrites a program so that it charges for its work; statements as ``Counting`` does."""

    def __init__(self, *, by_line: bool = False) -> None:
        self.by_line = by_line
        self.makes_tuples = False

    def visit_Module(self, node: ast.Module) -> Any:
        self.makes_tuples = any(map(makes_tuple, ast.walk(node)))
        return self.generic_visit(node)

    def counts_locally(self, scope: ast.AST) -> bool:
        return False

    def instrument(self, node: Any) -> None:
        """Do nothing: the ``visit_`` methods rewrite expressions."""

    def counted(
        self, statements: list[ast.stmt], loop: ast.For | ast.While | None
    ) -> list[ast.stmt]:
        """Charge for runs of statements that are executed one after the other."""
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
        if name not in OPERATORS:
            return node
        return call(PREFIX + "operated", ast.Constant(name), node.left, node.right)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        parts = [*ast.iter_child_nodes(node.target)][:-1]  # of x: none; of x[i]: x and i
        is_plain = all(isinstance(part, (ast.Name, ast.Constant)) for part in parts)
        is_plain = is_plain and not isinstance(node.target, ast.Attribute)
        target = ast.parse(ast.unparse(node.target), mode="eval").body if is_plain else NOTHING
        self.generic_visit(node)
        name = ast.Constant(type(node.op).__name__)
        node.value = call(PREFIX + "grown", name, target, node.value)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) != 1 or not isinstance(node.ops[0], (ast.In, ast.NotIn, ast.Eq)):
            if not all(isinstance(each, (ast.Is, ast.IsNot)) for each in node.ops):
                node.comparators = [call(PREFIX + "looked", each) for each in node.comparators]
            return node
        if isinstance(node.ops[0], ast.Eq):
            return call(PREFIX + "equals", node.left, *node.comparators)
        test = call(PREFIX + "contains", node.left, *node.comparators)
        return test if isinstance(node.ops[0], ast.In) else ast.UnaryOp(ast.Not(), test)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        is_slice = isinstance(node.slice, ast.Slice)
        if is_slice and isinstance(node.ctx, ast.Load):
            return call(PREFIX + "sliced", node)
        if is_slice or isinstance(node.ctx, ast.Del):
            node.value = call(PREFIX + "deleted", node.value)
        elif self.makes_tuples and not isinstance(node.slice, (ast.Constant, ast.Tuple)):
            node.slice = call(PREFIX + "hashed", node.slice)
        return node

    def visit_Starred(self, node: Any) -> Any:
        self.generic_visit(node)
        targets = [part for each in getattr(node, "targets", ()) for part in ast.walk(each)]
        is_unpacked = any(isinstance(part, ast.Starred) for part in targets)
        if is_unpacked if targets else not isinstance(getattr(node, "ctx", None), ast.Store):
            node.value = call(PREFIX + "sliced", node.value)
        return node

    visit_YieldFrom = visit_Assign = visit_Starred

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
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        # Annotations and the patterns of ``match`` cost nothing, and some must not contain calls.
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


def makes_tuple(node: ast.AST) -> bool:
    """Return whether an expression may make a long tuple."""
    if isinstance(node, (ast.BinOp, ast.AugAssign)):
        return any(isinstance(part, ast.Tuple) for part in ast.iter_child_nodes(node))
    is_named = isinstance(node, ast.Name) and node.id == "tuple"
    return is_named or isinstance(node, ast.Starred) or bool(getattr(node, "vararg", None))


def taken_apart(node: ast.AST | None) -> str:
    """Return statements that charge for what a loop's target or a pattern copies."""
    parts = [] if node is None else list(ast.walk(node))
    stars = [ast.unparse(each.value) for each in parts if isinstance(each, ast.Starred)]
    stars += [each.name for each in parts if isinstance(each, ast.MatchStar) and each.name]
    return "".join(f"; {PREFIX}sliced({each})" for each in stars)


def placed(text: str, statement: ast.stmt) -> list[ast.stmt]:
    """Return statements that belong to the line of another."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        ast.copy_location(node, statement)
    return tree.body


class LineMeter:
    """A trace function that adds up the units of each line of a program, its calls apart."""

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
    """Return the units of a statement or expression, without the statements and loops within."""
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
            elif isinstance(each, ast.expr):  # making it
                units += OPERATIONS[type(each).__name__]
    return units


KEPT = -1
CLEARING: tuple[Callable[[], None], ...] = (purge, *vars(typing)["_cleanups"])
FRESH = frozenset(
    "bisect collections copy functools heapq itertools math operator re string typing".split()
)
"""Modules in which a program can keep nothing without assigning to attributes."""


def keeps(tree: ast.AST) -> bool:
    """Return whether a program may keep something when it is loaded again."""
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
    """Return a function that calls the program's: [units of work, whether it returned, answer].

    The program is loaded for each call, and the work of that counts; ``KEPT`` in place of the units
    says that it was not called, as a call before was late or may have kept something outside of its
    names. More than ``most`` units end the call; the units are then above ``most``. With
    ``by_line`` the units of each line stand in place of the answer.
    """
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(5 * usual)
    tree = ast.fix_missing_locations(Working(by_line=by_line).visit(ast.parse(source)))
    code = compile(tree, "<program>", "exec", dont_inherit=True)
    sys.setrecursionlimit(usual)
    work = WorkMeter({})
    vars(builtins).update({PREFIX + name: getattr(work, name) for name in FUNCTIONS})
    may_keep = keeps(ast.parse(source))

    def worked(*arguments: Any) -> list[Any]:
        if work.names and (may_keep or work.names[LEFT] < 0):
            return [KEPT, False, None]
        for clear in CLEARING:  # what compares as it likes is found again in caches
            clear()
        execution = CountedExecution(code, spec)
        names = work.names = execution.names
        names[LEFT] = most
        meter = LineMeter(names)
        sys.settrace(meter if by_line else None)
        try:
            function = bind(execution, entry_point, spec)
            if type(function) not in (types.FunctionType, types.MethodType):
                function = work.called(function)  # a name for a function in C
            answer = function(*arguments)
        except MemoryError:
            raise
        except BaseException:
            return [most - names[LEFT], False, None]
        finally:
            sys.settrace(None)
        return [most - names[LEFT], True, meter.units if by_line else answer]

    return worked
