"""Variants of a reference: what goes in or comes out is changed, once a call."""

from __future__ import annotations

from typing import Any

import pytest

from evalplus_lite.programs.mutation.variants import kinds_of, variants

ECHO = "def f(*x):\n    return x[0] if len(x) == 1 else list(x)"
COUNT = "def f(x):\n    return 1 + f(x[1:]) if x else 0"


def made(source: str, *kinds: str) -> dict[str, Any]:
    """Return the variants' functions by name; the texts are ours, so they may run here."""
    found = {}
    for name, text in variants(source, "f", kinds):
        names: dict[str, Any] = {}
        exec(text, names)
        found[name] = names["f"]
    return found


@pytest.mark.parametrize(
    ("name", "value", "changed"),
    [
        ("in: str lower", {"A": ["Bc"]}, {"a": ["bc"]}),
        ("in: str no marks", "a, b-c", "a bc"),
        ("in: float truncated", [1.5, -0.5], [1, 0]),
        ("in: int 32 bits", 2**31, -(2**31)),
        ("in: list distinct", [1, [2, 2], 1], [1, [2]]),
        ("in: list sorted", [2, "a"], [2, "a"]),
        ("in: list without greatest", [1, 3, 2, 3], [1, 2, 3]),
        ("in: dict no falsehoods", [{"a": "", "b": 1}], [{"b": 1}]),
        ("out: any none for false", 0, None),
        ("out: list reversed", [1, 2], [2, 1]),
    ],
)
def test_a_variant_overlooks_one_thing(name: str, value: Any, changed: Any) -> None:
    """Values are changed at any depth; one that cannot be is left as it is."""
    kinds = ("str", "int", "float", "list", "dict", "answer list")
    assert made(ECHO, *kinds)[name](value) == changed


def test_a_recursive_reference_is_changed_once() -> None:
    """Only the call from outside is another."""
    assert made(COUNT, "list")["in: list without first"]([1, 2, 3]) == 2


def test_arguments_change_places() -> None:
    """The list of arguments is no argument: it is swapped, and nothing else happens to it."""
    found = made(ECHO, "list")
    assert found["in: args swapped"](1, 2, 3) == [2, 1, 3]
    assert found["in: list without first"](1, 2) == [1, 2]


def test_only_types_that_occur_make_variants() -> None:
    """A task without texts has no variant that changes texts."""
    assert kinds_of([(1, [True]), {"a": 2.0}]) == {
        "tuple", "int", "list", "bool", "dict", "str", "float",
    }  # fmt: skip
    assert not [name for name in made(ECHO, "int") if " str " in name or "list" in name]
