"""What a program's statements bind and use is read off its text, without running anything."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest

from evalplus_lite.programs import definitions


def statement(source: str) -> ast.stmt:
    (only,) = ast.parse(source).body
    return only


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("x = 1\n", None),
        ("x = (1,\ny = 2\n", 1),
        ("def f():\n    return 1\nThis is prose.\n", 3),
        ("def f():\n    pass\nreturn 1\n", 3),
        ("x = 1\ny = '\n", 2),
        ("\x00", 1),
        ("x = '\ud800'", 1),
        ("-" * 100_000 + "1", 1),
        ("x = '\\d'\n", None),
    ],
)
def test_a_fault_is_named_by_its_line(source: str, line: int | None) -> None:
    """The line at which a text is no program is found, also where the compiler names none."""
    assert definitions.fault(source) == line
    assert (definitions.parse(source) is None) == (line is not None)


@pytest.mark.parametrize(
    ("names_of", "source", "names"),
    [
        # What a top-level statement gives to the module.
        (definitions.bound, "def f(a): b = 1", {"f"}),
        (definitions.bound, "class C: x = 1", {"C"}),
        (definitions.bound, "import a.b, c as d", {"a", "d"}),
        (definitions.bound, "from m import *", {"*"}),
        (definitions.bound, "x, (y, *z) = w", {"x", "y", "z"}),
        (definitions.bound, "if a:\n    def g(): h = 1\nelse:\n    k = 2", {"g", "k"}),
        (definitions.bound, "try:\n    pass\nexcept E as e:\n    pass", {"e"}),
        (definitions.bound, "with a as b: pass", {"b"}),
        (definitions.bound, "print([i for i in x])", set()),
        (definitions.bound, "a.b = 1", set()),
        (definitions.bound, "match x:\n    case [p, *q]: r = 1", {"p", "q", "r"}),
        # A method called for its effect, or a part assigned to, changes the name in front.
        (definitions.changed, "x.append(1)", {"x"}),
        (definitions.changed, "x[0].y = 1", {"x"}),
        (definitions.changed, "for i in y:\n    x.add(i)", {"x"}),
        (definitions.changed, "z = x.pop()", set()),
        (definitions.changed, "f(x)", set()),
        # Names from outside; arguments and locals of a function are not among them.
        (definitions.used, "def f(a, b=c): d = a; return d + e", {"c", "e"}),
        (definitions.used, "def f():\n    def g(): return x + y\n    x = 1\n    return g()", {"y"}),
        (definitions.used, "def f():\n    global x\n    x = 1", {"x"}),
        (definitions.used, "def f(a: T) -> U: pass", {"T", "U"}),
        (definitions.used, "@d\nclass C(B):\n    x = y", {"d", "B", "y"}),
        (definitions.used, "f = lambda a: a + b", {"b"}),
        (definitions.used, "x = [i + j for i in k]", {"j", "k"}),
        (definitions.used, "x += 1", {"x"}),
        (definitions.used, "def f():\n    try: pass\n    except E as e: raise e", {"E"}),
        (definitions.used, "def f():\n    import m\n    return m.x", set()),
        # Decorators, defaults and annotations are looked up at once; a body only when called.
        (definitions.used_at_once, "@d\ndef f(a: T = c) -> U:\n    return e", {"d", "T", "c", "U"}),
    ],
)
def test_names_of_a_statement(
    names_of: Callable[[ast.stmt], frozenset[str]], source: str, names: set[str]
) -> None:
    """What a statement binds, changes in place and looks up outside."""
    assert names_of(statement(source)) == names


def test_undefined_names() -> None:
    """What neither the statements nor Python bind is undefined; a star import may bind anything."""
    body = ast.parse("def f(x):\n    return g(len(x), y)\ndef h():\n    global y\n    y = 1").body
    assert definitions.undefined(body) == {"g"}
    assert definitions.undefined([*ast.parse("from m import *").body, *body]) == frozenset()


SOURCE = '''import math
from typing import *

memo = {}
memo["a"] = 1  # filled in place
unused = 2


@decorate
def helper(x):  # with a comment
    return memo[x]


def other(): return 1


def main(x):
    """Text."""
    return helper(x); y = 1
print(main(2)); z = 1
'''


def test_what_a_name_needs() -> None:
    """A name's definitions, what they use, and what changes that: all else is left out."""
    kept = definitions.needed(ast.parse(SOURCE).body, ["main"])
    assert [ast.unparse(node).splitlines()[0] for node in kept] == [
        "from typing import *",
        "memo = {}",
        "memo['a'] = 1",
        "@decorate",
        "def main(x):",
    ]


def test_statements_come_out_as_they_stand() -> None:
    """The text of statements keeps comments and decorators, and parts what shares a line."""
    tree = ast.parse(SOURCE)
    by_name = {name: node for node in tree.body for name in definitions.bound(node)}
    text = definitions.text_of(SOURCE, [by_name["helper"], by_name["z"]])
    assert text == "@decorate\ndef helper(x):  # with a comment\n    return memo[x]\nz = 1\n"


def test_statements_are_taken_out_of_a_program() -> None:
    """Without some statements the rest stays as it stands, and only shared lines are parted."""
    tree = ast.parse(SOURCE)
    by_name = {name: node for node in tree.body for name in definitions.bound(node)}
    rest = definitions.without(SOURCE, tree, [by_name["unused"]])
    assert rest == SOURCE.replace("unused = 2\n", "")
    rest = definitions.without(SOURCE, tree, [tree.body[-2]])
    assert ast.dump(ast.parse(rest)) == ast.dump(ast.parse(SOURCE.replace("print(main(2)); ", "")))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_of_any_kind_are_kept(end: str) -> None:
    """Lines are counted as Python counts them: form feeds and separators within texts end none."""
    source = end.join(["a = 'x\x0c\u2028'", "def f():", "    return 1", "b = 2", ""])
    tree = ast.parse(source)
    assert definitions.text_of(source, tree.body[2:]) == "b = 2\n"
    assert definitions.without(source, tree, tree.body[1:2]) == end.join(
        ["a = 'x\x0c\u2028'", "b = 2", ""]
    )


@pytest.mark.parametrize(
    ("source", "stub"),
    [
        ('def f():\n    """Text."""\n', True),
        ("def f(): ...\n", True),
        ("def f(): return 1\ndef f():\n    pass\n", True),
        ("def f(): pass\ndef f(): return 1\n", False),
        ("def f(): pass\nf = len\n", False),
    ],
)
def test_stubs(source: str, stub: bool) -> None:
    """The last definition of a name decides whether it does anything."""
    assert definitions.is_stub(ast.parse(source), "f") == stub
