"""Variants of a reference that overlook something: letter case, order, repetition, size, sign.

A mutant changes one place in the reference's source. A variant keeps the source and changes
arguments or results: it treats ``Anna`` like ``anna``, drops repeated items, cuts long texts or
loses a fraction. If its answer is wrong, the overlooked property matters.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from evalplus_lite.programs import definitions, parsing
from evalplus_lite.types import Value

# Deciding whether the mutants of a program may run one after another in one process.

WITHOUT_STATE = frozenset(
    "__future__ abc array bisect cmath collections copy dataclasses datetime enum fractions "
    "functools hashlib heapq itertools json math numbers operator queue random re statistics "
    "string struct textwrap typing unicodedata".split()
)
"""Modules whose ordinary calls leave no state that a later program would notice; ``random`` is
seeded again for each. ``decimal`` and ``sys`` are not among them, as contexts and limits remain."""
REACHES_FAR = frozenset("__builtins__ __import__ delattr eval exec open setattr".split())
"""Names through which a program may reach anything."""
WORK = (
    *(ast.Call, ast.For, ast.While, ast.With, ast.Try),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)


def may_share(source: str) -> bool:
    """Return whether a program, and so its mutants, changes only its own state and does no work
    while loading, which would count as work of its first call.

    Imports and names decide, so True is reliable only for programs without malice.
    """
    tree = parsing.tree_or_none(source)
    if tree is None:
        return False
    nodes = list(ast.walk(tree))
    imported: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            imported.update((each.asname or each.name).partition(".")[0] for each in node.names)
    outside = definitions.within_scope([tree], definitions.FUNCTIONS)
    works = any(isinstance(node, WORK) for node in outside)
    return all(_is_harmless(node, imported) for node in nodes) and not works


def _is_harmless(node: ast.AST, imported: set[str]) -> bool:
    if isinstance(node, ast.Import):
        return all(each.name.partition(".")[0] in WITHOUT_STATE for each in node.names)
    if isinstance(node, ast.ImportFrom):
        return (node.module or "").partition(".")[0] in WITHOUT_STATE
    if isinstance(node, ast.Name):
        return node.id not in REACHES_FAR
    if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
        return not (isinstance(node.value, ast.Name) and node.value.id in imported)
    return True


@dataclass(frozen=True, slots=True)
class Change:
    """The oversight of a variant; ``text`` is an expression over ``x``, a value of type ``of``.

    ``of`` names the type (``args``: all arguments, as a list; ``any``: any answer).
    """

    name: str
    of: str
    text: str


_IN = (
    Change("lower", "str", "x.lower()"),
    Change("upper", "str", "x.upper()"),
    Change("stripped", "str", "x.strip()"),
    Change("one space", "str", "' '.join(x.split())"),
    Change("no space", "str", "x.replace(' ', '')"),
    Change("no marks", "str", "''.join(c for c in x if c.isalnum() or c.isspace())"),
    Change("no digits", "str", "''.join(c for c in x if not c.isdigit())"),
    Change("ascii", "str", "x.encode('ascii', 'ignore').decode()"),
    Change("distinct characters", "str", "''.join(dict.fromkeys(x))"),
    Change("reversed", "str", "x[::-1]"),
    Change("blank for empty", "str", "x or ' '"),
    Change("letters for digits", "str", "''.join('a' if c.isdigit() else c for c in x)"),
    Change("spaces for blanks", "str", "''.join(' ' if c.isspace() else c for c in x)"),
    Change("no letters", "str", "''.join(c for c in x if not c.isalpha())"),
    Change("first word", "str", "' '.join(x.split()[:1])"),
    Change("last word", "str", "' '.join(x.split()[-1:])"),
    Change("first character", "str", "x[:1]"),
    Change("without first", "str", "x[1:]"),
    Change("without last", "str", "x[:-1]"),
    Change("up to 10", "str", "x[:10]"),
    Change("up to 100", "str", "x[:100]"),
    Change("zero for none", "NoneType", "0"),
    Change("as an integer", "bool", "int(x)"),
    Change("one for zero", "int", "x or 1"),
    Change("one for zero", "float", "x or 1.0"),
    Change("even", "int", "x // 2 * 2"),
    Change("size", "int", "abs(x)"),
    Change("size", "float", "abs(x)"),
    Change("truncated", "float", "int(x)"),
    Change("rounded", "float", "round(x)"),
    Change("to one decimal", "float", "round(x, 1)"),
    Change("as a float", "int", "float(x)"),
    Change("at least one", "int", "max(x, 1)"),
    Change("at least one", "float", "max(x, 1.0)"),
    Change("at least zero", "int", "max(x, 0)"),
    Change("at most zero", "int", "min(x, 0)"),
    Change("at most 10", "int", "min(x, 10)"),
    Change("at most 100", "int", "min(x, 100)"),
    Change("at most 10**6", "int", "min(x, 10**6)"),
    Change("32 bits", "int", "(x + 2**31) % 2**32 - 2**31"),
    Change("last digit", "int", "x % 10"),
    Change("distinct", "list", "_distinct(x)"),
    Change("sorted", "list", "sorted(x)"),
    Change("reversed", "list", "x[::-1]"),
    Change("turned", "list", "x[1:] + x[:1]"),
    Change("unequal neighbours", "list", "[i for n, i in enumerate(x) if not n or i != x[n - 1]]"),
    Change("no repeated", "list", "[i for i in x if x.count(i) == 1]"),
    Change("without greatest", "list", "_without(x, max(x))"),
    Change("without least", "list", "_without(x, min(x))"),
    Change("zero for empty", "list", "x or [0]"),
    Change("no ones", "list", "[i for i in x if i != 1]"),
    Change("no zeros", "list", "[i for i in x if i != 0]"),
    Change("no negatives", "list", "[i for i in x if not i < 0]"),
    Change("no falsehoods", "list", "[i for i in x if i]"),
    Change("whole only", "list", "[i for i in x if not isinstance(i, float)]"),
    Change("without first", "list", "x[1:]"),
    Change("without last", "list", "x[:-1]"),
    Change("up to one", "list", "x[:1]"),
    Change("up to two", "list", "x[:2]"),
    Change("up to 10", "list", "x[:10]"),
    Change("up to 100", "list", "x[:100]"),
    Change("no falsehoods", "dict", "{k: v for k, v in x.items() if v}"),
    Change("without first", "dict", "dict(list(x.items())[1:])"),
    Change("without last", "dict", "dict(list(x.items())[:-1])"),
    Change("swapped", "args", "x[1::-1] + x[2:]"),
)
_OUT = (
    Change("size", "int", "abs(x)"),
    Change("size", "float", "abs(x)"),
    Change("truncated", "float", "int(x)"),
    Change("to two decimals", "float", "round(x, 2)"),
    Change("through a float", "int", "int(float(x))"),
    Change("32 bits", "int", "(x + 2**31) % 2**32 - 2**31"),
    Change("sorted", "list", "sorted(x)"),
    Change("reversed", "list", "x[::-1]"),
    Change("distinct", "list", "_distinct(x)"),
    Change("no falsehoods", "list", "[i for i in x if i]"),
    Change("lower", "str", "x.lower()"),
    Change("stripped", "str", "x.strip()"),
    Change("up to 100", "str", "x[:100]"),
    Change("none for empty", "any", "x if x or x is False else None"),
    Change("none for false", "any", "x or None"),
)
_FRAME = """

def _distinct(items):
    found = []
    for item in items:
        if item not in found:
            found.append(item)
    return found

def _without(items, item):
    at = items.index(item)
    return items[:at] + items[at + 1:]

def _deep(x, kind, change):
    if type(x) is list or type(x) is tuple:
        x = type(x)([_deep(i, kind, change) for i in x])
    elif type(x) is dict:
        x = {{_deep(k, kind, change): _deep(v, kind, change) for k, v in x.items()}}
    if type(x).__name__ == kind:
        try:
            return change(x)
        except (TypeError, ValueError, OverflowError):
            return x
    return x

def _variant(inner):
    busy = False
    def variant(*arguments):
        nonlocal busy
        if busy:
            return inner(*arguments)
        busy = True
        try:
            x = list(arguments)
            {body}
        finally:
            busy = False
    return variant

{entry_point} = _variant({entry_point})
"""


def variants(source: str, entry_point: str, kinds: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield (name, program) for each variant that can matter for values of these types.

    ``kinds`` are names of types that occur in arguments (``str``) and in answers (``answer str``).
    """
    kinds = {"args", "answer any", *kinds}
    for change in _IN:
        if change.of in kinds:
            each = f"[_deep(i, {change.of!r}, lambda x: {change.text}) for i in x]"
            body = f"return inner(*({change.text if change.of == 'args' else each}))"
            yield f"in: {change.of} {change.name}", _framed(source, entry_point, body)
    for change in _OUT:
        if f"answer {change.of}" in kinds:
            body = f"x = _deep(inner(*x), {change.of!r}, lambda x: {change.text})"
            if change.of == "any":
                body = f"x = inner(*x); x = {change.text}"
            yield (
                f"out: {change.of} {change.name}",
                _framed(source, entry_point, f"{body}; return x"),
            )


def kinds_of(values: Iterable[Value]) -> set[str]:
    """Return the names of the types within values; in long lists, of the first items only."""
    kinds: set[str] = set()
    waiting: list[Any] = list(values)
    while waiting:
        value = waiting.pop()
        kinds.add(type(value).__name__)
        if isinstance(value, dict):
            waiting += [*value, *value.values()]
        elif isinstance(value, list | tuple | set | frozenset):
            waiting += list(value)[:20]
    return kinds


def _framed(source: str, entry_point: str, body: str) -> str:
    return source.rstrip("\n") + _FRAME.format(body=body, entry_point=entry_point)
