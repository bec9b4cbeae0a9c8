"""Strings that match a program's regular expressions."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from re import _constants as op  # type: ignore[attr-defined]  # typeshed leaves it out
from re import _parser  # type: ignore[attr-defined]
from typing import Any

_CALLS = frozenset("compile match search fullmatch sub subn findall finditer split".split())
_MOST_REPEATS = 4
_MOST_CHARACTERS = 200
_WORD = "abcdefgzABCXYZ0129_é日"
_CLASSES = {
    op.CATEGORY_DIGIT: "0123456789", op.CATEGORY_NOT_DIGIT: "ab -.",
    op.CATEGORY_SPACE: " \t\n", op.CATEGORY_NOT_SPACE: "ab1.-é",
    op.CATEGORY_WORD: _WORD, op.CATEGORY_NOT_WORD: " .,-/#",
}  # fmt: skip
_ANY = _WORD + " .,:;-/#'\"()<>&%=\\\n"


def expressions(code: str) -> list[str]:
    """Return the regular expressions that a program gives to ``re`` as literals, in order."""
    found: dict[str, None] = {}
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in _CALLS and isinstance(node.args[0].value, str):
                found[node.args[0].value] = None
    return list(found)


def matching(expression: str, random: Callable[[], float], *, count: int) -> list[str]:
    """Return up to ``count`` strings that an expression matches, lookaround apart.

    None where the expression is not one.
    """
    try:
        tree = _parser.parse(expression)
        made = ["".join(_written(tree, random, {})) for _ in range(count)]
    except (re.error, RecursionError, OverflowError, ValueError):
        return []
    return [text for text in dict.fromkeys(made) if len(text) <= _MOST_CHARACTERS]


def _written(tree: Any, random: Callable[[], float], groups: dict[int, str]) -> Iterator[str]:
    def pick(options: Any) -> Any:
        return options[int(random() * len(options))]

    def text(tree: Any) -> str:
        return "".join(_written(tree, random, groups))

    for kind, given in tree:
        if kind is op.LITERAL:
            yield chr(given)
        elif kind is op.NOT_LITERAL:
            yield pick(_ANY.replace(chr(given), ""))
        elif kind is op.ANY:
            yield pick(_ANY[:-1])
        elif kind is op.IN:
            yield pick(_members(given) or "?")
        elif kind is op.BRANCH:
            yield text(pick(given[1]))
        elif kind is op.SUBPATTERN:
            made = text(given[-1])
            if given[0] is not None:
                groups[given[0]] = made
            yield made
        elif kind in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
            low, high, inner = given
            most = min(int(high), low + _MOST_REPEATS)
            for _ in range(min(low, _MOST_CHARACTERS) + int(random() * (most - low + 1))):
                yield text(inner)
        elif kind is op.ATOMIC_GROUP:
            yield text(given)
        elif kind is op.GROUPREF:
            yield groups.get(given, "")
        elif kind is op.GROUPREF_EXISTS:
            yield text(given[1] if given[0] in groups else given[2] or ())


def _members(given: Any) -> str:
    """Return some characters of a set, of each of its ranges the ends and one within."""
    found = ""
    for kind, value in given:
        if kind is op.LITERAL:
            found += chr(value)
        elif kind is op.RANGE:
            low, high = value
            found += "".join(chr(at) for at in {low, (low + high) // 2, high})
        elif kind is op.CATEGORY:
            found += _CLASSES[value]
    if given[0][0] is op.NEGATE:
        return "".join(each for each in _ANY if each not in found)
    return "".join(sorted(each for each in set(found) if not "\ud800" <= each <= "\udfff"))
