"""A task's own unit tests: what is expected is taken out of them, and stays outside the sandbox.

``self.assertEqual(f(2), 4)`` becomes ``__seen__(0, f(2))`` in the text that runs beside a program,
and ``equal(got[0], 4)`` in the ``check`` that judges, elsewhere, what was seen. Assertions that
cannot be divided so (between objects, of mocks, of files) stay as they are: the program's own
process decides them.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from evalplus_lite.programs import parsing
from evalplus_lite.tasks.unit_test_check import CHECK, KINDS
from evalplus_lite.tasks.unit_test_syntax import (
    ASSERTIONS,
    IDENTITY,
    KEPT_KEYWORDS,
    assertion,
    class_names,
    hole,
    inline,
    is_literal,
    is_single,
    template,
)
from evalplus_lite.types import Case, Harness, Task


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
        inline(node)
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Divide an assertion, or note that it stays."""
        self.generic_visit(node)
        name = assertion(node)
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
        asked = template(node.test, holes)
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
        wanted = class_names(node.args[0])
        if wanted is None:
            return None
        asked = f"raised(got[0], {wanted}"
        if needed == 2:
            if not is_literal(node.args[1]):
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
            wanted = class_names(arguments[1])
            if wanted is None:
                return None
            kinds = ast.Call(ast.Name("__kinds__", ast.Load()), [arguments[0]], [])
            return self._site(f"equal(kinds(got[0], {wanted}), {name == 'IsInstance'})", [kinds])
        if name in ("True", "False"):
            asked = ast.unparse(template(arguments[0], holes))
            return self._site(f"equal(bool({asked}), {name == 'True'})", holes)
        known = sum(map(is_single if name in IDENTITY else is_literal, arguments))
        if known < len(arguments) - 1:
            return self._deciding(node, name, arguments, keywords)
        parts = [hole(each, holes) for each in arguments]
        options = [ast.keyword(each.arg, hole(each.value, holes)) for each in keywords]
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
