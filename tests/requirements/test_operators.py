"""Each family of operators plants the fault it names."""

from __future__ import annotations

import ast

import pytest

from evalplus_lite.programs.mutation.mutants import own_mutations

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


def test_only_function_bodies_are_changed() -> None:
    """Imports, module constants, signatures, annotations and decorators stay as they are."""
    head = "import math\nLIMIT = 3\n\n@staticmethod\ndef f(x: int=2) -> 'list[3]':\n"
    for _, text in own_mutations(head + "    return x\n"):
        assert text.startswith(
            ast.unparse(ast.parse(head + "    return x\n")).split("    return")[0]
        )
