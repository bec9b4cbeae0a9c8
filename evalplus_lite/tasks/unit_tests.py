"""A task's own unit tests: what is expected is taken out of them, and stays outside the sandbox.

``self.assertEqual(f(2), 4)`` becomes ``__seen__(0, f(2))`` in the text that runs beside a program,
and ``equal(got[0], 4)`` in the ``check`` that judges, elsewhere, what was seen. Assertions that
cannot be divided so (between objects, of mocks, of files) stay as they are: the program's own
process decides them.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from evalplus_lite.harness import Harness
from evalplus_lite.programs import parsing
from evalplus_lite.types import Case, Task

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

# The assertions of unittest that are divided, and how many arguments each compares.
ASSERTIONS = {
    "Equal": 2, "NotEqual": 2, "True": 1, "False": 1, "Is": 2, "IsNot": 2, "IsNone": 1,
    "IsNotNone": 1, "In": 2, "NotIn": 2, "IsInstance": 2, "NotIsInstance": 2, "AlmostEqual": 3,
    "NotAlmostEqual": 3, "Greater": 2, "GreaterEqual": 2, "Less": 2, "LessEqual": 2, "Regex": 2,
    "NotRegex": 2, "CountEqual": 2, "ListEqual": 2, "TupleEqual": 2, "SetEqual": 2, "DictEqual": 2,
    "SequenceEqual": 2, "MultiLineEqual": 2,
}  # fmt: skip
OLD_NAMES = {"Equals": "Equal", "NotEquals": "NotEqual", "AlmostEquals": "AlmostEqual"}
IDENTITY = ("Is", "IsNot")
KEPT_KEYWORDS = ("places", "delta")
# Classes by their structure, which do not stand among the bases of what they describe.
ABSTRACT = frozenset(
    "Number Real Integral Rational Complex Iterable Iterator Generator Callable Mapping Sequence "
    "Set MutableMapping MutableSequence Hashable Sized Container Collection Any".split()
)
ALIASES = {"IOError": "OSError", "EnvironmentError": "OSError"}

OWN_WORD = {"decided": True}
"""What is seen of an assertion between objects that are no plain values, once it has held."""

CHECK = '''\
import unittest

OWN = [{"decided": True}]
test = unittest.TestCase()


class Opaque:
    """What was no plain value: its truth and perhaps its items are known."""

    def __init__(self, fact):
        self.truth, self.items = fact["truth"], fact.get("items")

    def __bool__(self):
        return self.truth

    def __iter__(self):
        return iter(self.items)  # TypeError where there are none

    def __len__(self):
        return len(self.items)

    def __contains__(self, item):
        return item in self.items


def value(seen):
    return Opaque(seen) if type(seen) is dict and "no plain value" in seen else seen


def equal(first, second, kind=None):
    assert first == second
    assert kind is None or isinstance(first, kind) and isinstance(second, kind)


def kinds(names, wanted):
    return not set(wanted).isdisjoint(names)


def raised(seen, wanted, pattern=None):
    assert seen is not None and kinds(seen[0], wanted)
    if pattern is not None:
        test.assertRegex(seen[1], pattern)


def check(inputs, output, expected):
    if {each[0] for each in expected} - {each[0] for each in output}:
        return False
    try:
        for number, *seen in output:
            if seen == OWN:
                assert [number, *OWN] in expected
            else:
                SITES[number]([value(each) for each in seen])
    except Exception:
        return False
    return True


SITES = {
'''
KINDS = {
    "ListEqual": "list",
    "TupleEqual": "tuple",
    "SetEqual": "(set, frozenset)",
    "DictEqual": "dict",
    "MultiLineEqual": "str",
}


@dataclass(frozen=True, slots=True)
class UnitTests:
    """Tests in two parts: ``text`` runs beside a program, ``check`` judges what was seen.

    ``names`` are (class, method) of each test, ``inside`` those that the program's own process
    decides, at least in part.
    """

    text: str
    check: str
    names: tuple[tuple[str, str], ...]
    inside: frozenset[tuple[str, str]] = frozenset()


def divided(source: str) -> UnitTests:
    """Return the tests of a module of ``unittest.TestCase`` classes in two parts.

    Raises ValueError for a text that is not Python, or has no test.
    """
    try:
        tree: ast.Module = parsing.parse(source)
        divider = _Divider()
        body = [divider.visit(node) for node in tree.body if not _is_main(node)]
        tree = ast.Module([node for node in body if node is not None], [])
        text = ast.unparse(ast.fix_missing_locations(tree))
    except (SyntaxError, RecursionError) as error:
        raise ValueError(f"its tests are not Python: {error}") from None
    names, inside = _tests(tree, divider.inside)
    if not names:
        raise ValueError("there is no class with methods whose names begin with test")
    sites = "".join(f"    {n}: lambda got: {site},\n" for n, site in enumerate(divider.sites))
    return UnitTests(text, f"{CHECK}{sites}}}\n", names, inside)


def having_tests(task: Task, source: str) -> Task:
    """Return the task with the tests of a module as its cases; raises as ``divided``."""
    tests = divided(source)
    return replace(
        task,
        harness=Harness("unittest", tests=tests.text, inside=len(tests.inside)),
        base=tuple(map(Case, tests.names)),
        contract="\n\n".join(filter(None, (task.contract, tests.check))),
    )


def _tests(
    tree: ast.Module, inside: set[int]
) -> tuple[tuple[tuple[str, str], ...], frozenset[tuple[str, str]]]:
    """Return the tests of a divided module, and which of them decide something by themselves."""
    names, own = [], set()
    for node in tree.body:
        if not isinstance(node, ast.ClassDef) or not node.bases:
            continue
        methods = [each for each in node.body if isinstance(each, ast.FunctionDef)]
        # What helpers of the class decide, any of its tests may rest on.
        shared = any(
            id(part) in inside
            for each in methods
            if not each.name.startswith("test")
            for part in ast.walk(each)
        )
        for each in methods:
            if each.name.startswith("test"):
                names.append((node.name, each.name))
                if shared or any(id(part) in inside for part in ast.walk(each)):
                    own.add((node.name, each.name))
    return tuple(dict.fromkeys(names)), frozenset(own)


def _is_main(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and "__name__" in ast.unparse(node.test)


@dataclass
class _Divider(ast.NodeTransformer):
    """Replaces assertions by what shows their values, and keeps what each of them asks."""

    sites: list[str] = field(default_factory=list)
    inside: set[int] = field(default_factory=set)
    """The nodes, by identity, that decide in the program's process."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Put constants that assertions alone use into these."""
        _inline(node)
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Divide an assertion, or note that it stays."""
        self.generic_visit(node)
        name = _assertion(node)
        if name is None:
            called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            if called.startswith(("assert", "fail")) and called != "fail":
                self.inside.add(id(node))
            return node
        if name in ("Raises", "RaisesRegex"):
            return self._raising(node, name) or self._kept(node)
        return self._seeing(node, name) or self._kept(node)

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        """Divide a plain ``assert``."""
        self.generic_visit(node)
        holes: list[ast.expr] = []
        asked = _template(node.test, holes)
        return ast.Expr(self._site(f"equal(bool({ast.unparse(asked)}), True)", holes))

    def _kept(self, node: ast.Call) -> ast.Call:
        self.inside.add(id(node))
        return node

    def _site(self, asked: str, shown: Sequence[ast.expr], name: str = "__seen__") -> ast.Call:
        number = ast.Constant(len(self.sites))
        self.sites.append(asked)
        return ast.Call(ast.Name(name, ast.Load()), [number, *shown], [])

    def _raising(self, node: ast.Call, name: str) -> ast.Call | None:
        needed = 1 + (name == "RaisesRegex")
        if len(node.args) < needed or node.keywords:
            return None
        wanted = _class_names(node.args[0])
        if wanted is None:
            return None
        asked = f"raised(got[0], {wanted}"
        if needed == 2:
            if not _is_literal(node.args[1]):
                return None
            asked += f", {ast.unparse(node.args[1])}"
        return self._site(asked + ")", node.args[needed:], "__raising__")

    def _seeing(self, node: ast.Call, name: str) -> ast.Call | None:
        count = ASSERTIONS[name]
        arguments = node.args[:count]
        if len(arguments) < min(count, 2) or any(isinstance(a, ast.Starred) for a in arguments):
            return None
        keywords = [each for each in node.keywords if each.arg in KEPT_KEYWORDS]
        if any(each.arg not in (*KEPT_KEYWORDS, "msg") for each in node.keywords):
            return None
        holes: list[ast.expr] = []
        if name in ("IsInstance", "NotIsInstance"):
            wanted = _class_names(arguments[1])
            if wanted is None:
                return None
            kinds = ast.Call(ast.Name("__kinds__", ast.Load()), [arguments[0]], [])
            return self._site(f"equal(kinds(got[0], {wanted}), {name == 'IsInstance'})", [kinds])
        if name in ("True", "False"):
            asked = ast.unparse(_template(arguments[0], holes))
            return self._site(f"equal(bool({asked}), {name == 'True'})", holes)
        known = sum(map(_is_single if name in IDENTITY else _is_literal, arguments))
        if known < len(arguments) - 1:
            return self._deciding(node, name, arguments, keywords)
        parts = [_hole(each, holes) for each in arguments]
        options = [ast.keyword(each.arg, _hole(each.value, holes)) for each in keywords]
        call = ast.Call(
            ast.Attribute(ast.Name("test", ast.Load()), f"assert{name}", ast.Load()), [], []
        )
        if name == "Equal" or name in KINDS:
            first, second = map(ast.unparse, parts[:2])
            kind = f", {KINDS[name]}" if name in KINDS else ""
            site = self._site(f"equal({first}, {second}{kind})", holes)
        else:
            call.args, call.keywords = parts, options
            site = self._site(ast.unparse(call), holes)
        return site

    def _deciding(
        self, node: ast.Call, name: str, parts: Sequence[ast.expr], named: Sequence[ast.keyword]
    ) -> ast.Call:
        """Divide an assertion both sides of which come from the program's process.

        That decides it where they are no plain values, or where identity is asked for.
        """
        got = [f"got[{at}]" for at in range(len(parts))]
        got += [f"{each.arg}=got[{len(parts) + at}]" for at, each in enumerate(named)]
        seen = ", ".join(got)
        if name in IDENTITY:
            asked = "equal(0, 1)"  # the process has to have decided
        elif name == "Equal" or name in KINDS:
            asked = f"equal({seen}{KINDS.get(name, '') and ', ' + KINDS[name]})"
        else:
            asked = f"test.assert{name}({seen})"
        site = self._site(asked, [node.func, *parts], "__deciding__")
        site.keywords = list(named)
        self.inside.add(id(site))
        return site


def _assertion(node: ast.Call) -> str | None:
    """Return the name, without ``assert``, of an assertion of unittest that can be divided."""
    function = node.func
    if not isinstance(function, ast.Attribute) or not isinstance(function.value, ast.Name):
        return None
    if function.value.id != "self" or not function.attr.startswith("assert"):
        return None
    name = function.attr.removeprefix("assert")
    name = OLD_NAMES.get(name, name)
    return name if name in ASSERTIONS or name in ("Raises", "RaisesRegex") else None


def _template(node: ast.expr, holes: list[ast.expr]) -> ast.expr:
    """Return a condition with what has to be seen as holes: of a comparison, its sides."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return ast.UnaryOp(node.op, _template(node.operand, holes))
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        sides = [node.left, node.comparators[0]]
        identical = isinstance(node.ops[0], ast.Is | ast.IsNot)
        if any(map(_is_single if identical else _is_literal, sides)):
            left, right = (_hole(side, holes) for side in sides)
            return ast.Compare(left, node.ops, [right])
    return _hole(node, holes)


def _hole(node: ast.expr, holes: list[ast.expr]) -> ast.expr:
    """Return a literal as it is, anything else as the next thing that was seen."""
    if _is_literal(node):
        return node
    holes.append(node)
    return ast.Subscript(ast.Name("got", ast.Load()), ast.Constant(len(holes) - 1), ast.Load())


def _is_literal(node: ast.AST) -> bool:
    """Return whether an expression is a value by itself, whatever names stand for."""
    match node:
        case ast.Constant():
            return True
        case ast.List() | ast.Tuple() | ast.Set():
            return all(map(_is_literal, node.elts))
        case ast.Dict():
            return all(k is not None and _is_literal(k) for k in node.keys) and all(
                map(_is_literal, node.values)
            )
        case ast.UnaryOp():
            return _is_literal(node.operand)
        case ast.BinOp():
            return _is_literal(node.left) and _is_literal(node.right)
        case ast.Call(func=ast.Name(id="set" | "frozenset" | "float" | "tuple"), keywords=[]):
            return all(map(_is_literal, node.args))
    return False


def _is_single(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value in (None, True, False)


def _class_names(node: ast.expr) -> list[str] | None:
    """Return the names of the classes that an expression names; None where it cannot be told."""
    if isinstance(node, ast.Tuple):
        each = [_class_names(item) for item in node.elts]
        return None if None in each else [name for names in each for name in names or ()]
    name = node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")
    if not name or name in ABSTRACT:
        return None
    return [ALIASES.get(name, name)]


def _inline(function: Function) -> None:
    """Put local names that stand for a literal, and are used in assertions alone, into these."""
    stored, loaded = Counter[str](), Counter[str]()
    for node in ast.walk(function):
        if isinstance(node, ast.Name):
            (loaded if isinstance(node.ctx, ast.Load) else stored)[node.id] += 1
        elif isinstance(node, ast.Nonlocal | ast.Global):
            stored.update(2 * node.names)
    constants = {
        target.id: (node, node.value)
        for node in function.body
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and _is_literal(node.value)
        for target in node.targets
        if isinstance(target, ast.Name) and stored[target.id] == 1
    }
    places: dict[str, list[tuple[ast.Call, int]]] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and _assertion(node):
            for at, argument in enumerate(node.args):
                if isinstance(argument, ast.Name) and argument.id in constants:
                    places.setdefault(argument.id, []).append((node, at))
    gone = set()
    for name, found in places.items():
        if len(found) == loaded[name]:
            assigned, literal = constants[name]
            gone.add(id(assigned))
            for call, at in found:
                call.args[at] = copy.deepcopy(literal)
    function.body = [node for node in function.body if id(node) not in gone] or [ast.Pass()]
