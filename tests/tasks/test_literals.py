"""Values written as Python are read from the syntax tree, and nothing of them is executed."""

from __future__ import annotations

import ast
import datetime
import math
from collections import Counter, deque
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from evalplus_lite.values.source import assigned, literal_calls, value_of


def expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[1, (2, {3, 4}), {'a': None}]", [1, (2, {3, 4}), {"a": None}]),
        ("-1.5 + 2j", -1.5 + 2j),
        ("inf", math.inf),
        ("-inf", -math.inf),
        ("float('-inf')", -math.inf),
        ("complex(1, 2)", 1 + 2j),
        ("set()", set()),
        ("frozenset([1])", frozenset([1])),
        ("64 * 64 - 2 ** 3", 4088),
        ("'ab' * 2 + 'c'", "ababc"),
        ("2 * [0]", [0, 0]),
        ("Decimal('1.5')", Decimal("1.5")),
        ("datetime.date(2024, month=2, day=29)", datetime.date(2024, 2, 29)),
        ("deque([1], maxlen=2)", deque([1], 2)),
        ("Counter('aab')", Counter("aab")),
        ("-Fraction(1, 3)", Fraction(-1, 3)),
    ],
)
def test_literals_and_what_they_are_made_of(text: str, value: Any) -> None:
    """Literals, arithmetic of literals and plain constructors give their value."""
    found = value_of(expression(text))
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "open('file')",
        "(lambda: 1)()",
        "[].append(1)",
        "f'{1}'",
        "[0] * 10 ** 9",
        "10 ** 9 * 'a'",
        "2 ** 10 ** 9",
        "1 + 'a'",
        "{[]: 1}",
        "{**{}}",
        "...",
        "1 / 0",
        "list(range(10 ** 9))",
        "Decimal('1e9999999')",
        "Fraction(1, 0)",
        "date(2023, 2, 29)",
        "datetime.date.today()",
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    """Names, calls, huge results and impossible sums are no literals."""
    with pytest.raises(ValueError, match="not a literal"):
        value_of(expression(text))


def test_calls_are_found_in_source_order() -> None:
    """Each call of the name gives its arguments; one that is no literal gives None."""
    tree = ast.parse("assert f(1, [2]) == f(3)\nassert g(f(x)) == 1 and f(a=1)\nm.f(4)\n")
    assert list(literal_calls(tree, "f")) == [(1, [2]), (3,), None, None]


def test_assignments_are_found() -> None:
    """The value that a module assigns to a name comes back; without one it is an error."""
    tree = ast.parse("import m\nx = 1\ninputs = [[(1, 2)], [inf]]\n")
    assert assigned(tree, "inputs") == [[(1, 2)], [math.inf]]
    with pytest.raises(ValueError, match="nothing is assigned"):
        assigned(tree, "y")
