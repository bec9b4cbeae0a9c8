"""Mutants are different programs, made the same way every time, by both makers."""

from __future__ import annotations

import ast
import importlib.metadata
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from support.commands import captured

from evalplus_lite.errors import ReferenceSolutionError
from evalplus_lite.programs.mutation.mutants import (
    MOST_LINES,
    Mutant,
    difference,
    mutants,
    normal_form,
    own_mutations,
)
from evalplus_lite.programs.mutation.variants import kinds_of, variants

SOURCE = '''
from typing import List

LIMIT = 10

def helper(x):
    """Twice."""
    return x * 2

def f(xs: List[int]) -> int:
    """Sum what is small."""
    total = 0
    for x in xs:
        if helper(x) < LIMIT and x > 0:
            total += x
    return total
'''


def by_mutmut(source: str) -> list[Mutant]:
    return [mutant for mutant in mutants(source) if mutant.operator == "mutmut"]


def test_mutants_are_distinct_and_differ_from_the_reference() -> None:
    """By both makers, in function bodies only; each difference shows the one place."""
    made = mutants(SOURCE)
    sources = [mutant.source for mutant in made]
    without_mutmut = mutants(SOURCE, mutmut=False)
    assert len(set(sources)) == len(sources) > len(without_mutmut) > 5
    assert normal_form(SOURCE) not in sources
    assert len({mutant.key for mutant in made}) == len(made)
    for some in (by_mutmut(SOURCE), without_mutmut):
        assert any("x * 2" not in mutant.source for mutant in some)
    for mutant in mutants(SOURCE):
        text = difference(SOURCE, mutant)
        assert f"@@ -{mutant.line}" in text or f"@@ -{mutant.line - 1}" in text
        changed = [line for line in text.splitlines()[3:] if line[:1] in "+-"]
        assert changed, text
    assert "Twice" not in normal_form(SOURCE)
    assert "Twice" in normal_form(SOURCE + "\nprint(helper.__doc__)\n")
    with pytest.raises(ReferenceSolutionError, match="does not parse"):
        mutants("def f(:")
    reference = "def f(x):\n    return x\n"
    long = Mutant("def f(x):\n    return x\n" + "x\ny\nx\n" * 30_000, "", 3)
    shown = difference(reference, long)
    assert len(shown.splitlines()) < 2 * MOST_LINES
    assert f"{90_002 - MOST_LINES} more lines" in shown
    head = "import math\nLIMIT = 3\n\n@staticmethod\ndef f(x: int=2) -> 'list[3]':\n"
    for _, text in own_mutations(head + "    return x\n"):
        assert text.startswith(
            ast.unparse(ast.parse(head + "    return x\n")).split("    return")[0]
        )
    version = importlib.metadata.version("mutmut")
    made = by_mutmut(SOURCE)
    text = "\n".join(mutant.source for mutant in made)
    for change in ("<= LIMIT", "or x > 0", "total = x", "total -= x", "x / 2", "total = 1"):
        assert change in text, f"mutmut {version} no longer makes {change!r}"


def test_making_mutants_leaves_mutmut_s_configuration_alone() -> None:
    """One thread at a time, whatever the hash seed."""
    import mutmut.configuration

    before = mutmut.configuration._config
    by_mutmut(SOURCE)
    assert mutmut.configuration._config is before
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: by_mutmut(SOURCE), range(12)))
    assert all(one == made[0] for one in made)
    import os
    import sys

    script = (
        "import json, sys; from evalplus_lite.programs.mutation.mutants import mutants;"
        "print(json.dumps([m.key for m in mutants(sys.stdin.read())]))"
    )
    keys = []
    for seed in ("1", "2"):
        done = captured(
            [sys.executable, "-c", script],
            input=SOURCE,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        keys.append(json.loads(done.stdout))
    assert keys[0] == keys[1] == [mutant.key for mutant in mutants(SOURCE)]


# Variants of a reference: what goes in or comes out is changed, once a call.

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


def test_variants_of_arguments() -> None:
    """Only the call from outside is changed; only types that occur make variants."""
    assert made(COUNT, "list")["in: list without first"]([1, 2, 3]) == 2
    found = made(ECHO, "list")
    assert found["in: args swapped"](1, 2, 3) == [2, 1, 3]
    assert found["in: list without first"](1, 2) == [1, 2]
    assert kinds_of([(1, [True]), {"a": 2.0}]) == {
        "tuple", "int", "list", "bool", "dict", "str", "float",
    }  # fmt: skip
    assert not [name for name in made(ECHO, "int") if " str " in name or "list" in name]


# Each family of operators plants the fault it names.

PLANTED = [
    ("if x:\n  return 1\nreturn 2", "condition", "if not x:"),
    ("while x:\n  x -= 1", "condition", "while False:"),
    ("return [y for y in x if y]", "filter of comprehension", "[y for y in x if not y]"),
    ("return x and x[0]", "boolean operand", "return x or x[0]"),
    ("return x and x[0]", "boolean operand", "return x\n"),
    ("return x < 1", "comparison", "return x <= 1"),
    ("return x in [1]", "comparison", "return x not in [1]"),
    ("for y in x:\n  print(y)", "rounds", "for y in ():"),
    ("for y in x:\n  print(y)", "rounds", "in list(x)[:-1]:"),
    ("for y in x:\n  print(y)", "first round only", "break"),
    ("x.sort()\nreturn x", "dropped statement", "pass\n    return x"),
    ("return x > 1", "returned value", "return not x > 1"),
    ("x += 1\nreturn x", "assigned value", "x = 1"),
    ("return x // 2", "operand", "return x / 2"),
    ("return -x", "sign", "return x"),
    ("return 1 if x else 2", "choice", "return 2 if x else 1"),
    ("return sorted(x, reverse=True)", "call", "return sorted(x)"),
    ("return max(x)", "call", "return min(x)"),
    ("return x.lower()", "call", "return x\n"),
    ("return list(range(1, x))", "bounds of range", "range(1, x + 1)"),
    ("return x[1:]", "index", "return x[:]"),
    ("return x[0]", "index", "return x[0 + 1]"),
    ("return x in 'aeiou'", "literal", "return x in 'aeio'"),
    ("return 7", "literal", "return 8"),
    ("return x in [1, 2]", "element", "return x in [1]"),
    ("return {1: 2, 3: x}", "entry", "return {3: x}"),
]


@pytest.mark.parametrize(("body", "operator", "planted"), PLANTED)
def test_operator_plants_its_fault(body: str, operator: str, planted: str) -> None:
    """The named operator makes a program that holds the planted text, and Python accepts it."""
    source = "def f(x):\n" + "".join(f"    {line}\n" for line in body.splitlines())
    made = [text + "\n" for name, text in own_mutations(source) if name == operator]
    assert any(planted in text for text in made), made
    for text in made:
        ast.parse(text)
