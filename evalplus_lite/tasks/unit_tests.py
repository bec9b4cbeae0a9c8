"""A task's own unit tests: what is expected is taken out of them, and stays outside the sandbox.

``self.assertEqual(f(2), 4)`` becomes ``__seen__(0, f(2))`` in the text that runs beside a program,
and ``equal(got[0], 4)`` in the ``check`` that judges, elsewhere, what was seen. Assertions that
cannot be divided so (between objects, of mocks, of files) stay as they are: the program's own
process decides them.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from evalplus_lite.programs import parsing
from evalplus_lite.tasks import unit_test_values
from evalplus_lite.tasks.unit_test_check import CHECK, KINDS
from evalplus_lite.tasks.unit_test_syntax import (
    ASSERTIONS,
    IDENTITY,
    KEPT_KEYWORDS,
    Holes,
    assertion,
    class_names,
    inline,
    is_literal,
    is_single,
    library,
    library_assertion,
    refusal,
)
from evalplus_lite.types import Case, Harness, Task

CHANGING = re.compile(r"\b(now|today|utcnow|time|uuid[14]|random|choices?|randint|shuffle)\(")
LONGEST_VISIBLE, MOST_VISIBLE = 2000, 400
"""Of what stands in tests: characters of a value, and values, that are tried as guesses."""


@dataclass(frozen=True, slots=True)
class UnitTests:
    """Tests in two parts: ``text`` runs beside a program, ``check`` judges what was seen.

    ``whole`` runs beside the reference alone, and shows also what the tests themselves compute; ""
    if they compute nothing.

    ``names`` are (class, method) of each test, ``inside`` those that the program's own process
    decides, at least in part.
    """

    text: str
    check: str
    names: tuple[tuple[str, str], ...]
    inside: frozenset[tuple[str, str]] = frozenset()
    whole: str = ""


def divided(source: str, *, strict: bool = False) -> UnitTests:
    """Return the tests of a module of ``unittest.TestCase`` classes in two parts.

    If ``strict``, nothing that was handed to a program is taken for the test's own afterwards.
    Raises ValueError for a text that is not Python, or has no test.
    """
    try:
        tree: ast.Module = parsing.parse(source)
        tree.body = [node for node in tree.body if not _is_main(node)]
        divider = _Divider(unit_test_values.of_module(tree, strict=strict))
        tree = ast.fix_missing_locations(divider.visit(tree))
        text, whole = ast.unparse(tree), ""
        if "__known__(" in text:
            whole = ast.unparse(_Whole().visit(copy.deepcopy(tree)))
            tree = ast.fix_missing_locations(_without_known(tree))
            text = ast.unparse(tree)
    except (SyntaxError, RecursionError) as error:
        raise ValueError(f"its tests are not Python: {error}") from None
    names, inside = _tests(tree, divider.inside)
    if not names:
        raise ValueError("there is no class with methods whose names begin with test")
    sites = "".join(
        f"    {n}: lambda got, known, shown: {site},\n" for n, site in enumerate(divider.sites)
    )
    about = (
        f"FREE = {sorted(divider.free)}\nRAISING = {sorted(divider.raising)}\n"
        f"LOOSE = {sorted(divider.loose)}\n"
        f"VISIBLE = {_visible(tree)!r}\n"
    )
    check = f"{CHECK}{sites}}}\n{about}"
    return UnitTests(text, check, names, inside, whole)


def having_tests(task: Task, source: str) -> Task:
    """Return the task with the tests of a module as its cases; raises as ``divided``."""
    # What a program puts into its arguments may be the time, or drawn at random.
    tests = divided(source, strict=CHANGING.search(task.reference) is not None)
    return replace(
        task,
        harness=Harness("unittest", tests=tests.text, whole=tests.whole, inside=len(tests.inside)),
        base=tuple(map(Case, tests.names)),
        contract="\n\n".join(filter(None, (task.contract, tests.check))),
    )


class _Whole(ast.NodeTransformer):
    """Has what a test computes shown, too: for the reference alone."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        node.args = [part for each in node.args for part in (_known(each) or [each])]
        return node


def _known(node: ast.expr) -> list[ast.expr]:
    match node:
        case ast.Call(func=ast.Name(id="__known__"), args=parts):
            return parts
    return []


def _without_known(tree: ast.Module) -> ast.Module:
    """Return tests without what they compute themselves, nor what that was computed from."""
    dropped: dict[int, set[str]] = {}
    functions = [each for owner in tree.body if isinstance(owner, ast.ClassDef)
                 for each in owner.body]  # fmt: skip
    for function in functions:
        found = dropped.setdefault(id(function), set())
        for node in ast.walk(function):
            if isinstance(node, ast.Call):
                for each in node.args:
                    for part in _known(each):
                        found |= unit_test_values.names(part)
                node.args = [each for each in node.args if not _known(each)]
    unit_test_values.cut(tree, dropped)
    return tree


def _visible(tree: ast.Module) -> dict[tuple[str, str], list[Any]]:
    """Return the values that stand in each test, and in what comes before it in its class."""
    found = {}
    for owner in tree.body:
        if isinstance(owner, ast.ClassDef):
            shared = [
                each for each in owner.body if not getattr(each, "name", "").startswith("test")
            ]
            for each in owner.body:
                if isinstance(each, ast.FunctionDef) and each.name.startswith("test"):
                    found[owner.name, each.name] = _literals([each, *shared])
    return found


def _literals(nodes: Sequence[ast.AST]) -> list[Any]:
    found: dict[str, Any] = {}
    for node in (each for part in nodes for each in ast.walk(part)):
        match node:
            case ast.Call(func=ast.Name(id=name), args=[_, *_]) if name.startswith("__"):
                node.args[0] = ast.Name("site", ast.Load())  # its number is no guess
        if isinstance(node, ast.Constant | ast.List | ast.Tuple | ast.Dict | ast.Set | ast.UnaryOp):
            try:
                each = ast.literal_eval(node)
            except (ValueError, TypeError):
                continue
            if each is not ... and len(text := repr(each)) <= LONGEST_VISIBLE:
                found.setdefault(text, each)
    return list(found.values())[:MOST_VISIBLE]


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

    values: unit_test_values.Values
    sites: list[str] = field(default_factory=list)
    inside: set[int] = field(default_factory=set)
    """The nodes, by identity, that decide in the program's process."""
    free: set[int] = field(default_factory=set)
    """Sites that a program answers without knowing the task: names of classes, mostly."""
    loose: set[int] = field(default_factory=set)
    """Sites that are come to as often as what the program gives says."""
    depth: int = 0
    """How many blocks around depend on what the program gives."""
    raising: set[int] = field(default_factory=set)
    """Sites where an exception's text is asked for."""

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """Divide the tests of a class, knowing what stands in its ``setUp``."""
        before = self.values
        self.values = unit_test_values.of_class(node, before)
        self.generic_visit(node)
        self.values = before
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Put constants that assertions alone use into these."""
        inline(node)
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        before = self.values
        self.values = unit_test_values.of_function(node, before)
        self.generic_visit(node)
        self.values = before
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        """Note that how often the assertions in it are made may depend on the program."""
        return self._block(node, node.iter)

    def visit_While(self, node: ast.While) -> ast.AST:
        """Note the same of assertions in any other loop."""
        return self._block(node, None)

    def _block(self, node: ast.stmt, on: ast.expr | None) -> ast.AST:
        values = self.values
        is_loose = on is None or not values.known(on) or values.is_touched(on)
        self.depth += is_loose
        self.generic_visit(node)
        self.depth -= is_loose
        return node

    def _holes(self) -> Holes:
        return Holes(None if self.depth else self.values)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Divide an assertion, or note that it stays."""
        self.generic_visit(node)
        name = assertion(node)
        if name is None:
            if (dotted := library_assertion(node)) is not None:
                return self._compared(node, dotted)
            called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            if called.startswith(("assert", "fail")) and called != "fail":
                self.inside.add(id(node))
            return node
        if name in ("Raises", "RaisesRegex"):
            return self._raising(node, name) or self._kept(node)
        return self._seeing(node, name) or self._kept(node)

    def visit_If(self, node: ast.If) -> ast.AST:
        """Divide ``if f(1) != 4: self.fail()`` as an assertion of the contrary."""
        if refusal(node):
            wrong = ast.UnaryOp(ast.Not(), node.test)
            return self.visit_Assert(ast.copy_location(ast.Assert(wrong), node))
        return self._block(node, node.test)

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        """Divide a plain ``assert``."""
        self.generic_visit(node)
        holes = self._holes()
        asked = holes.condition(node.test)
        return ast.Expr(self._site(f"equal(bool({ast.unparse(asked)}), True)", holes))

    def _kept(self, node: ast.Call) -> ast.Call:
        self.inside.add(id(node))
        return node

    def _site(self, asked: str, holes: Holes, name: str = "__seen__") -> ast.Call:
        number = ast.Constant(len(self.sites))
        if self.depth:
            self.loose.add(len(self.sites))
        self.sites.append(asked)
        parts = list(holes.got)
        if holes.known:
            parts.append(ast.Call(ast.Name("__known__", ast.Load()), holes.known, []))
        return ast.Call(ast.Name(name, ast.Load()), [number, *parts], [])

    def _compared(self, node: ast.Call, dotted: str) -> ast.Call:
        """Divide a library's assertion that compares two values."""
        if sum(map(self._holes().is_known, node.args[:2])) == 0:
            return self._kept(node)
        holes = self._holes()
        asked = library(dotted, [*holes.parts(node.args[:2]), *node.args[2:]], node.keywords)
        return self._site(ast.unparse(asked), holes)

    def _raising(self, node: ast.Call, name: str) -> ast.Call | None:
        needed = 1 + (name == "RaisesRegex")
        if len(node.args) < needed or node.keywords:
            return None
        wanted = class_names(node.args[0])
        if wanted is None:
            return None
        asked = f"raised(got[0], {wanted}, shown"
        if needed == 2:
            if not is_literal(node.args[1]):
                return None
            asked += f", {ast.unparse(node.args[1])}"
        (self.raising if needed == 2 else self.free).add(len(self.sites))
        return self._site(asked + ")", Holes(got=node.args[needed:]), "__raising__")

    def _seeing(self, node: ast.Call, name: str) -> ast.Call | None:
        count = ASSERTIONS[name]
        arguments = node.args[:count]
        if len(arguments) < min(count, 2) or any(isinstance(a, ast.Starred) for a in arguments):
            return None
        keywords = [each for each in node.keywords if each.arg in KEPT_KEYWORDS]
        if any(each.arg not in (*KEPT_KEYWORDS, "msg") for each in node.keywords):
            return None
        if name in ("IsInstance", "NotIsInstance"):
            wanted = class_names(arguments[1])
            if wanted is None:
                return None
            kinds = ast.Call(ast.Name("__kinds__", ast.Load()), [arguments[0]], [])
            self.free.add(len(self.sites))
            asked = f"equal(kinds(got[0], {wanted}, shown and shown[0]), {name == 'IsInstance'})"
            return self._site(asked, Holes(got=[kinds]))
        holes = self._holes()
        if name in ("True", "False"):
            condition = ast.unparse(holes.condition(arguments[0]))
            return self._site(f"equal(bool({condition}), {name == 'True'})", holes)
        if name in IDENTITY:
            holes.values = None
        known = sum(map(is_single if name in IDENTITY else holes.is_known, arguments))
        if known < len(arguments) - 1:
            return self._deciding(node, name, arguments, keywords)
        parts = holes.parts(arguments)
        options = [ast.keyword(each.arg, holes.part(each.value)) for each in keywords]
        if name == "Equal" or name in KINDS:
            first, second = map(ast.unparse, parts[:2])
            kind = f", {KINDS[name]}" if name in KINDS else ""
            return self._site(f"equal({first}, {second}{kind})", holes)
        called = ast.Attribute(ast.Name("test", ast.Load()), f"assert{name}", ast.Load())
        return self._site(ast.unparse(ast.Call(called, parts, options)), holes)

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
        self.free.add(len(self.sites))  # a program shows the same twice
        site = self._site(asked, Holes(got=[node.func, *parts]), "__deciding__")
        site.keywords = list(named)
        self.inside.add(id(site))
        return site
