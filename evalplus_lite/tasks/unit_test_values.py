"""Which expressions of unit tests do not depend on the program: what a test itself expects.

``expected = sum(data)``, a list that ``setUp`` keeps and the pairs of a loop are values that the
test computes without the program. They are computed when the reference runs, and cut out of the
text that runs beside a program. In doubt an expression depends on the program.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from evalplus_lite.programs import definitions
from evalplus_lite.tasks.unit_test_syntax import Function, is_literal

# Modules whose functions give the same for the same arguments, or at least are asked to here.
PURE = frozenset(
    "base64 binascii bisect calendar cmath collections copy csv dataclasses datetime decimal "
    "difflib enum fractions functools hashlib heapq html itertools json math numpy operator "
    "pandas re statistics string struct textwrap types typing unicodedata urllib zlib".split()
)
# Functions that read or change what lies outside their arguments.
BLOCKED = frozenset(
    "random seed now today utcnow open read readline readlines load exists listdir glob getvalue "
    "write dump fetchall fetchone execute cursor connect pop popitem append extend insert remove "
    "update clear sort reverse setdefault add discard urlopen request".split()
)
READS = ("read_", "load", "call", "to_", "from_file")
CALLED = frozenset(
    "abs all any bin bool bytes chr complex dict divmod enumerate filter float format frozenset "
    "hex int isinstance len list map max min oct ord pow range repr reversed round set sorted "
    "str sum tuple zip True False None".split()
)
NEVER = (ast.Lambda, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr, ast.Starred)


@dataclass
class Values:
    """The names of a scope that stand for what does not depend on the program.

    An attribute of the test object is known as ``self.name``. ``touched`` are those that a program
    may have changed, as they were handed to it.
    """

    clean: set[str] = field(default_factory=set)
    touched: set[str] = field(default_factory=set)
    fixed: frozenset[str] = CALLED
    """Functions and modules, which no call changes."""
    strict: bool = False
    """Whether what was handed to a program is known no longer."""

    def known(self, node: ast.expr) -> bool:
        """Return whether an expression does not depend on the program."""
        return _is_clean(node, self.clean)

    def is_touched(self, node: ast.expr) -> bool:
        """Return whether what an expression stands for may have been changed by the program."""
        return not self.touched.isdisjoint(names(node))


def of_module(tree: ast.Module, *, strict: bool = False) -> Values:
    """Return what is known of a module of tests before any class of it."""
    found = Values(set(CALLED))
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            for each in node.names:
                origin = node.module if isinstance(node, ast.ImportFrom) else each.name
                if (origin or "").split(".")[0] in PURE and each.name not in BLOCKED:
                    found.clean.add((each.asname or each.name).split(".")[0])
    fixed = frozenset(found.clean)
    stored = Counter(name for node in tree.body for name in _stored(node))
    for node in tree.body:
        if isinstance(node, ast.Assign) and found.known(node.value):
            found.clean.update(
                each.id
                for each in node.targets
                if isinstance(each, ast.Name) and stored[each.id] == 1
            )
    program = definitions.undefined(tree.body)
    return Values(found.clean - program, fixed=fixed, strict=strict)


def of_class(owner: ast.ClassDef, module: Values) -> Values:
    """Return what is known in a class of tests: attributes that are set once, before its tests."""
    methods = [each for each in owner.body if isinstance(each, Function)]
    stored: Counter[str] = Counter()
    clean = set(module.clean)
    for node in owner.body:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    stored[f"self.{target.id}"] += 1
                    if module.known(node.value):
                        clean.add(f"self.{target.id}")
    for each in methods:
        is_first = each.name in ("setUp", "setUpClass")
        inner = Values(clean, fixed=module.fixed, strict=module.strict)
        inner = of_function(each, inner) if is_first else inner
        for inside in ast.walk(each):
            for name in _stored(inside):
                if name.startswith("self."):
                    stored[name] += 1
                    if is_first and name in inner.clean:
                        clean.add(name)
    return Values(
        {name for name in clean if stored[name] <= 1}, fixed=module.fixed, strict=module.strict
    )


def of_function(function: Function, outer: Values) -> Values:
    """Return what is known within a function of a class of tests."""
    arguments = function.args
    bound = {each.arg for each in (*arguments.args, *arguments.kwonlyargs, *arguments.posonlyargs)}
    clean = outer.clean - bound
    values = Values(clean | _bound_once(function), fixed=outer.fixed - bound, strict=outer.strict)
    _settle(function, values)
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and not values.known(node) and not _asserts(node):
            for each in (*node.args, *(keyword.value for keyword in node.keywords)):
                values.touched |= names(each) - values.fixed
    before = 0
    while len(values.touched) > before:  # what is made of them after that
        before = len(values.touched)
        for node in ast.walk(function):
            if isinstance(node, ast.Assign) and values.is_touched(node.value):
                values.touched.update(_stored(node))
    if values.strict:
        values.clean -= values.touched
        _settle(function, values)
    return values


def _settle(function: Function, values: Values) -> None:
    """Forget what depends on what depends on the program."""
    while lost := set(_dirty(function.body, values, in_doubt=False)) & values.clean:
        values.clean -= lost


def names(node: ast.AST) -> set[str]:
    """Return the names that an expression reads, attributes of the test object among them."""
    found = set()
    for each in ast.walk(node):
        if not isinstance(getattr(each, "ctx", None), ast.Load):
            continue
        if isinstance(each, ast.Name) and each.id not in ("self", "cls"):
            found.add(each.id)
        elif (name := _own(each)) is not None:
            found.add(name)
    return found


def cut(tree: ast.Module, dropped: Mapping[int, set[str]]) -> None:
    """Take out of tests what assigns to names that nothing reads, and what that alone read.

    ``dropped`` are the names that each function, by its identity, read for its own values.
    """
    owners = [each for each in tree.body if isinstance(each, ast.ClassDef)]
    functions = [(owner, each) for owner in owners for each in owner.body
                 if isinstance(each, Function)]  # fmt: skip
    local = {id(each): set(dropped.get(id(each), ())) for _, each in functions}
    while True:
        before = names(tree)
        everywhere = {name for found in local.values() for name in found}
        tree.body = _unread(tree.body, everywhere, before)
        for owner in owners:
            own = {name.removeprefix("self.") for name in names(owner)}
            shared = {name.removeprefix("self.") for name in everywhere if "." in name}
            owner.body = _unread(owner.body, shared, own) or [ast.Pass()]
        for owner, function in functions:
            read = names(function)
            attributes = {name for name in names(owner) if "." in name}
            candidates = local[id(function)] | {name for name in everywhere if "." in name}
            _Cut(function, candidates, read | attributes).visit(function)
            local[id(function)] |= read - names(function)
        if names(tree) == before:
            return


def _unread(body: list[ast.stmt], candidates: set[str], read: set[str]) -> list[ast.stmt]:
    return [
        node
        for node in body
        if not (
            isinstance(node, ast.Assign)
            and (bound := set(_stored(node)))
            and bound <= candidates
            and not bound & read
        )
    ]


class _Cut(ast.NodeTransformer):
    """Takes out assignments to candidates that nothing reads, and their places in loops."""

    def __init__(self, function: Function, candidates: set[str], read: set[str]) -> None:
        self.function, self.candidates, self.read = function, candidates, read

    def visit_For(self, node: ast.For) -> ast.AST:
        rows = self.rows(node.iter)
        if isinstance(node.target, ast.Tuple | ast.List):
            for at, each in enumerate(node.target.elts):
                if isinstance(each, ast.Name) and each.id in self.candidates - self.read:
                    for row in rows:
                        if len(getattr(row, "elts", ())) == len(node.target.elts):
                            row.elts[at] = ast.Constant(None)  # type: ignore[attr-defined]
        elif isinstance(node.target, ast.Name) and node.target.id in self.candidates:
            self.blank(node.target.id, rows)
        return self.generic_visit(node)

    def rows(self, node: ast.expr) -> list[ast.expr]:
        """Return the rows of a list that stands in a loop, or alone under a name."""
        if isinstance(node, ast.Name):
            uses = [each for each in ast.walk(self.function)
                    if isinstance(each, ast.Name) and each.id == node.id]  # fmt: skip
            found = [each.value for each in ast.walk(self.function) if isinstance(each, ast.Assign)
                     and any(target in uses for target in each.targets)]  # fmt: skip
            if len(uses) != 2 or len(found) != 1:
                return []
            node = found[0]
        return node.elts if isinstance(node, ast.List | ast.Tuple) else []

    def blank(self, name: str, rows: list[ast.expr]) -> None:
        """Put None for what rows hold under keys, or at places, that nothing reads."""
        uses, keys = 0, set()
        for each in ast.walk(self.function):
            match each:
                case ast.Subscript(value=ast.Name(id=used), slice=ast.Constant(value=key)) if (
                    used == name
                ):
                    keys.add(key)
                    uses += 1
                case ast.Name(id=used, ctx=ast.Load()) if used == name:
                    uses -= 1
        if uses:  # it is read as a whole, too
            return
        for row in rows:
            if isinstance(row, ast.Dict):
                for at, part in enumerate(row.keys):
                    if isinstance(part, ast.Constant) and part.value not in keys:
                        row.values[at] = ast.Constant(None)
            elif isinstance(row, ast.Tuple | ast.List) and keys <= set(range(len(row.elts))):
                row.elts[:] = [
                    each if at in keys else ast.Constant(None) for at, each in enumerate(row.elts)
                ]

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        for part in ("body", "orelse", "finalbody"):
            body = getattr(node, part, None)
            if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
                left = _unread(body, self.candidates, self.read)
                setattr(node, part, left or ([ast.Pass()] if part == "body" else []))
        return node


def _bound_once(function: Function) -> set[str]:
    stored: Counter[str] = Counter()
    for node in ast.walk(function):
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.For | ast.withitem):
            stored.update(_stored(node))
        elif isinstance(node, ast.AugAssign | ast.NamedExpr):
            stored.update(2 * _stored(node))
        elif isinstance(node, ast.ExceptHandler | Function | ast.ClassDef):
            if node is not function and node.name:
                stored[node.name] += 2
        elif isinstance(node, ast.Import | ast.ImportFrom):
            stored.update(2 * [(each.asname or each.name).split(".")[0] for each in node.names])
    return {name for name, count in stored.items() if count == 1}


def _dirty(body: Iterable[ast.AST], values: Values, *, in_doubt: bool) -> Iterator[str]:
    """Yield the names that statements bind to, or change by, what depends on the program.

    Whatever is bound where that decides whether it is, is ``in_doubt``.
    """
    for node in body:
        doubt = in_doubt
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            if doubt or node.value is None or not values.known(node.value):
                yield from _stored(node)
        elif isinstance(node, ast.For | ast.AsyncFor):
            doubt |= not values.known(node.iter)
            if doubt:
                yield from _targets(node.target)
        elif isinstance(node, ast.If | ast.While):
            doubt |= not values.known(node.test)
        elif isinstance(node, ast.With | ast.AsyncWith):
            for item in node.items:
                if item.optional_vars is not None:
                    yield from _targets(item.optional_vars)
        elif isinstance(node, ast.Try):
            doubt |= bool(node.handlers)
        elif isinstance(node, Function | ast.ClassDef):
            yield from (name for each in ast.walk(node) for name in _stored(each))
            continue
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            # What is put into a list, or called on an object, may change it.
            root = _root(node.func.value)
            if root and root not in values.fixed and not _asserts(node) and not values.known(node):
                yield root
        yield from _dirty(ast.iter_child_nodes(node), values, in_doubt=doubt)


def _stored(node: ast.AST) -> list[str]:
    """Return the names that a statement binds, or changes a part of."""
    targets: list[ast.expr | None] = []
    if isinstance(node, ast.Assign):
        targets = [*node.targets]
    elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.For | ast.NamedExpr):
        targets = [node.target]
    elif isinstance(node, ast.withitem):
        targets = [node.optional_vars]
    return [name for each in targets if each is not None for name in _targets(each)]


def _targets(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Tuple | ast.List):
        return [name for each in node.elts for name in _targets(each)]
    root = _root(node)
    return [root] if root else []


def _root(node: ast.AST) -> str:
    while not isinstance(node, ast.Name):
        name = _own(node)
        if name is not None:
            return name
        if not isinstance(node, ast.Attribute | ast.Subscript | ast.Starred | ast.Call):
            return ""
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id


def _own(node: ast.AST) -> str | None:
    """Return ``self.name`` of an attribute of the test object, None of anything else."""
    match node:
        case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name):
            return f"self.{name}"
    return None


def _asserts(node: ast.Call) -> bool:
    called = node.func
    if isinstance(called, ast.Name):
        return called.id.startswith("__")
    return isinstance(called, ast.Attribute) and called.attr.startswith("assert")


def _is_clean(node: ast.AST, clean: set[str]) -> bool:
    own = _own(node)
    if own is not None:
        return own in clean
    if isinstance(node, NEVER):
        return False
    if isinstance(node, ast.Name):
        return node.id in clean
    if isinstance(node, ast.Attribute) and (
        node.attr in BLOCKED or node.attr.startswith(READS) or node.attr.startswith("_")
    ):
        return False
    if isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp):
        inner = set(clean)
        for each in node.generators:
            if not _is_clean(each.iter, inner):
                return False
            inner.update(_targets(each.target))
        parts = [part for part in ast.iter_child_nodes(node)
                 if not isinstance(part, ast.comprehension)]  # fmt: skip
        parts += [test for each in node.generators for test in each.ifs]
        return all(_is_clean(part, inner) for part in parts)
    return is_literal(node) or all(_is_clean(part, clean) for part in ast.iter_child_nodes(node))
