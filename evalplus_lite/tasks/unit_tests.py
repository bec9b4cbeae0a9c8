"""Unit tests of tasks, split so that expected values stay outside the sandbox.

``self.assertEqual(f(2), 4)`` becomes ``__seen__(0, f(2))`` in the text that runs in the program's
process, and ``equal(got[0], 4)`` in the ``check`` that judges the recorded values elsewhere.
Assertions that cannot be split (between objects, about mocks or files) stay unchanged: the
program's own process decides them.
"""

from __future__ import annotations

import ast
import copy
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from evalplus_lite.programs import definitions, parsing
from evalplus_lite.types import Case, Harness, Task

# The ``check`` that judges recorded values: its source, up to the table of assertions.

OWN_WORD = {"decided": True}
"""The record of an assertion that held between objects without plain values."""

CHECK = '''\
import builtins
import unittest

BIG = 10**9
BASIC = [True, False, None, 0, 1, -1, 2, 0.0, 0.5, BIG, -BIG, "", "a", " "]
BASIC += [[], [0], [""], {}, (), set(), *range(3, 11)]
PAIRS = [1, 2, "a", "ab", ["a"], True]
test = unittest.TestCase()
test.maxDiff = None


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


def decided(seen):
    return len(seen) == 1 and type(seen[0]) is dict and seen[0] == {"decided": True}


def opaque(seen):
    return any(type(each) is dict and "no plain value" in each for each in seen)


def library(name):
    module, _, function = name.rpartition(".")
    return getattr(__import__(module, fromlist=["*"]), function)


def equal(first, second, kind=None):
    assert first == second
    assert kind is None or isinstance(first, kind) and isinstance(second, kind)


def kinds(names, wanted, shown):
    for each in wanted:
        if isinstance(getattr(builtins, each, None), type):
            right = ["builtins." + each]
        else:  # a class of the program's own, or of a library: what the reference had here
            known = shown or names
            right = [name for name in known if name.rpartition(".")[2] == each]
        if not set(right).isdisjoint(names):
            return True
    return False


def raised(seen, wanted, shown, pattern=None):
    known = shown[0][0] if shown and shown[0] else None
    assert seen is not None and kinds(seen[0], wanted, known)
    if pattern is not None:
        test.assertRegex(seen[1], pattern)


def alike(first, second):
    try:
        return bool(first == second)
    except Exception:  # arrays
        return False


def holds(number, seen, known, shown):
    """Whether an assertion holds of what was seen, beside what the reference showed there."""
    if known is None:  # what it compares with is not the same each time
        return True
    try:
        SITES[number]([value(each) for each in seen], known, shown)
    except Exception:
        return False
    return True


def rows(output, expected):
    saw, known = expected["saw"], expected["known"]
    if expected["ordered"]:
        fixed = [pair for pair in zip(saw, known) if pair[0][0] not in LOOSE]
        now = [each for each in output if each[0] not in LOOSE]
        if [each[0] for each in now] != [each[0][0] for each in fixed]:
            return None
        found = [(each, then[1:], side) for each, (then, side) in zip(now, fixed)]
        # How often a program comes to these depends on what it gives.
        some = {then[0]: (then[1:], side) for then, side in zip(saw, known) if then[0] in LOOSE}
        if set(some) != {each[0] for each in output if each[0] in LOOSE}:
            return None
        return found + [(each, *some[each[0]]) for each in output if each[0] in LOOSE]
    at = {then[0]: (then[1:], side) for then, side in zip(saw, known)}
    if set(at) != {each[0] for each in output}:
        return None
    return [(now, *at[now[0]]) for now in output]


def check(inputs, output, expected):
    found = None if type(output) is not list else rows(output, expected)
    if found is None:
        return output is expected
    for (number, *got), shown, side in found:
        if decided(got):
            if not decided(shown):
                return False
        elif number in LOOSE or not (shown and alike(got, shown)):
            if opaque(side or ()) or not holds(number, got, side, shown):
                return False
    return True


def upheld(inputs, output, expected):
    """Whether the reference passes its own test; what is no plain value it decides by itself."""
    return all(
        decided(shown) or side and opaque([*shown, *side]) or holds(number, shown, side, shown)
        for (number, *shown), side in zip(expected["saw"], expected["known"])
    )


def survey(inputs, output, expected):
    """Whether a program that does not know the task could show what every assertion wants."""
    visible = VISIBLE.get(tuple(inputs), [])
    texts = [each for each in visible if type(each) is str]
    lengths = [len(each) for each in visible if hasattr(each, "__len__")]
    guesses = [*BASIC, *visible, *lengths, " ".join(texts), "".join(texts), texts, visible]
    guesses += [{"no plain value": [], "truth": True, "items": each} for each in ([], guesses)]
    asked = set()
    for (number, *shown), known in zip(expected["saw"], expected["known"]):
        if known is None or not shown or decided(shown) or number in FREE:
            continue
        if repr((number, known)) in asked:
            continue
        asked.add(repr((number, known)))
        if number in RAISING:
            if shown[0] is None:
                continue
            tries = [[[shown[0][0], text]] for text in ["", "a", *texts, " ".join(texts)]]
        elif len(shown) == 2:
            tries = [[first, second] for first in PAIRS for second in PAIRS]
            tries += [[each, each] for each in guesses]
        else:
            tries = [[each] * len(shown) for each in guesses]
        if opaque(known):  # it has to be as the reference's
            if not opaque(shown) and not any(alike(each, shown) for each in tries):
                return False
        elif not any(holds(number, each, known, shown) for each in tries):
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

# Assertion syntax: names, and which parts are literals.

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

# The unittest assertions that can be split, and the number of arguments each compares.
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
# Structural classes: they are not among the bases of the classes that satisfy them.
ABSTRACT = frozenset(
    "Number Real Integral Rational Complex Iterable Iterator Generator Callable Mapping Sequence "
    "Set MutableMapping MutableSequence Hashable Sized Container Collection Any".split()
)
CLOSE = ("allclose", "array_equal", "isclose", "array_equiv")
"""Functions of numpy and math that return whether two values are equal or close."""
TESTING = {
    "assert_array_equal": "numpy", "assert_array_almost_equal": "numpy",
    "assert_allclose": "numpy", "assert_almost_equal": "numpy", "assert_equal": "numpy",
    "assert_frame_equal": "pandas", "assert_series_equal": "pandas", "assert_index_equal": "pandas",
}  # fmt: skip
"""Library assertions that compare two values."""
ALIASES = {"IOError": "OSError", "EnvironmentError": "OSError"}


def assertion(node: ast.Call) -> str | None:
    """Return the name, without ``assert``, of a unittest assertion that can be split, or None."""
    function = node.func
    if not isinstance(function, ast.Attribute) or not isinstance(function.value, ast.Name):
        return None
    if function.value.id != "self" or not function.attr.startswith("assert"):
        return None
    name = function.attr.removeprefix("assert")
    name = OLD_NAMES.get(name, name)
    return name if name in ASSERTIONS or name in ("Raises", "RaisesRegex") else None


@dataclass
class Holes:
    """The parts of an assertion: literals, values the program yields, values the test computes."""

    values: Values | None = None
    got: list[ast.expr] = field(default_factory=list)
    known: list[ast.expr] = field(default_factory=list)

    def parts(self, nodes: Sequence[ast.expr]) -> list[ast.expr]:
        """Return the sides of a comparison, at least one of which is recorded from the program."""
        values, left = self.values, [each for each in nodes if not is_literal(each)]
        if values is not None and left and all(map(values.known, left)):
            first = next(filter(values.is_touched, left), left[0])
            return [self.shown(each) if each is first else self.part(each) for each in nodes]
        return list(map(self.part, nodes))

    def part(self, node: ast.expr) -> ast.expr:
        """Return a literal unchanged; anything else as a computed or recorded value."""
        if not is_literal(node) and self.values is not None and self.values.known(node):
            self.known.append(node)
            return _item("known", len(self.known) - 1)
        return self.shown(node)

    def shown(self, node: ast.expr) -> ast.expr:
        """Return a literal unchanged; anything else as the next recorded value."""
        if is_literal(node):
            return node
        self.got.append(node)
        return _item("got", len(self.got) - 1)

    def is_known(self, node: ast.expr) -> bool:
        """Return whether an expression need not be recorded from the program."""
        return is_literal(node) or (self.values is not None and self.values.known(node))

    def condition(self, node: ast.expr) -> ast.expr:
        """Return a condition with recorded values filled in; a comparison is split by its sides."""
        match node:
            case ast.UnaryOp(op=ast.Not()):
                return ast.UnaryOp(node.op, self.condition(node.operand))
            case ast.Compare(ops=[op], comparators=[right]):
                sides = [node.left, right]
                if any(map(is_single, sides) if isinstance(op, ast.Is | ast.IsNot)
                       else map(self.is_known, sides)):  # fmt: skip
                    first, second = self.parts(sides)
                    return ast.Compare(first, node.ops, [second])
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr), args=[_, _]) if (
                attr in CLOSE and all(is_literal(each.value) for each in node.keywords)
            ):
                origin = "math" if name == "math" else "numpy"
                return library(f"{origin}.{attr}", self.parts(node.args), node.keywords)
            case ast.Call(
                func=ast.Attribute(value=left, attr="equals"), args=[right], keywords=[]
            ) if self.is_known(right):
                first, second = self.parts([left, right])
                return ast.Call(ast.Attribute(first, "equals", ast.Load()), [second], [])
        return self.shown(node)


def library(name: str, arguments: Sequence[ast.expr], keywords: Sequence[ast.keyword]) -> ast.expr:
    """Return a call of a library function by its dotted name."""
    found = ast.Call(ast.Name("library", ast.Load()), [ast.Constant(name)], [])
    return ast.Call(found, list(arguments), list(keywords))


def _item(name: str, at: int) -> ast.expr:
    return ast.Subscript(ast.Name(name, ast.Load()), ast.Constant(at), ast.Load())


def is_literal(node: ast.AST) -> bool:
    """Return whether an expression is a literal, so that its value depends on no names."""
    match node:
        case ast.Constant():
            return True
        case ast.List() | ast.Tuple() | ast.Set():
            return all(map(is_literal, node.elts))
        case ast.Dict():
            return None not in node.keys and all(
                map(is_literal, (*filter(None, node.keys), *node.values))
            )
        case ast.UnaryOp():
            return is_literal(node.operand)
        case ast.BinOp():
            return is_literal(node.left) and is_literal(node.right)
        case ast.Call(func=ast.Name(id="set" | "frozenset" | "float" | "tuple"), keywords=[]):
            return all(map(is_literal, node.args))
    return False


def is_single(node: ast.AST) -> bool:
    """Return whether an expression is a singleton: None, True or False."""
    return isinstance(node, ast.Constant) and node.value in (None, True, False)


def class_names(node: ast.expr) -> list[str] | None:
    """Return the names of the classes in an expression; None if they are unclear."""
    if isinstance(node, ast.Tuple):
        each = [class_names(item) for item in node.elts]
        return None if None in each else [name for names in each for name in names or ()]
    name = node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")
    if not name or name in ABSTRACT:
        return None
    return [ALIASES.get(name, name)]


def inline(function: Function) -> None:
    """Inline local names that are bound to a literal and used only in assertions."""
    stored, loaded = Counter[str](), Counter[str]()
    for node in ast.walk(function):
        if isinstance(node, ast.Name):
            (loaded if isinstance(node.ctx, ast.Load) else stored)[node.id] += 1
        elif isinstance(node, ast.Nonlocal | ast.Global):
            stored.update(2 * node.names)
    constants = {
        target.id: (node, node.value)
        for node in function.body
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and is_literal(node.value)
        for target in node.targets
        if isinstance(target, ast.Name) and stored[target.id] == 1
    }
    places: dict[str, list[tuple[ast.Call, int]]] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and assertion(node):
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


# Expressions that do not depend on the program: expected values that the test itself computes, such
# as ``expected = sum(data)``, a list from ``setUp``, or pairs in a loop. They are computed when the
# reference runs, and removed from the text that runs with a program. In doubt, an expression counts
# as dependent on the program.

# Modules whose functions are deterministic, or are assumed to be.
PURE = frozenset(
    "base64 binascii bisect calendar cmath collections copy csv dataclasses datetime decimal "
    "difflib enum fractions functools hashlib heapq html itertools json math numpy operator "
    "pandas re statistics string struct textwrap types typing unicodedata urllib zlib".split()
)
# Functions that read or change state outside their arguments.
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
    """The names of a scope whose values do not depend on the program.

    An attribute of the test object is named ``self.name``. ``touched`` names were passed to the
    program, which may have changed their values.
    """

    clean: set[str] = field(default_factory=set)
    touched: set[str] = field(default_factory=set)
    fixed: frozenset[str] = CALLED
    """Functions and modules, which calls do not change."""
    strict: bool = False
    """Whether names passed to the program count as dependent on it."""

    def known(self, node: ast.expr) -> bool:
        """Return whether an expression does not depend on the program."""
        return _is_clean(node, self.clean)

    def is_touched(self, node: ast.expr) -> bool:
        """Return whether the program may have changed the value of an expression."""
        return not self.touched.isdisjoint(names_read(node))


def of_module(tree: ast.Module, *, strict: bool = False) -> Values:
    """Return the independent names at the top level of a test module."""
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
            names = {each.id for each in node.targets if isinstance(each, ast.Name)}
            found.clean |= {name for name in names if stored[name] == 1}
    program = definitions.undefined(tree.body)
    return Values(found.clean - program, fixed=fixed, strict=strict)


def of_class(owner: ast.ClassDef, module: Values) -> Values:
    """Return the independent names in a test class, including attributes set once before tests."""
    methods = [each for each in owner.body if isinstance(each, Function)]
    stored: Counter[str] = Counter()
    clean = set(module.clean)
    for node in owner.body:
        if isinstance(node, ast.Assign):
            names = [f"self.{each.id}" for each in node.targets if isinstance(each, ast.Name)]
            stored.update(names)
            clean.update(names if module.known(node.value) else ())
    for each in methods:
        is_first = each.name in ("setUp", "setUpClass")
        inner = replace(module, clean=clean)
        inner = of_function(each, inner) if is_first else inner
        names = [name for inside in ast.walk(each) for name in _stored(inside)]
        names = [name for name in names if name.startswith("self.")]
        stored.update(names)
        clean |= {*names} & inner.clean if is_first else set()
    return replace(module, clean={name for name in clean if stored[name] <= 1})


def of_function(function: Function, outer: Values) -> Values:
    """Return the independent names within a function of a test class."""
    arguments = function.args
    bound = {each.arg for each in (*arguments.args, *arguments.kwonlyargs, *arguments.posonlyargs)}
    clean = (outer.clean - bound) | _bound_once(function)
    values = Values(clean, fixed=outer.fixed - bound, strict=outer.strict)
    _settle(function, values)
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and not values.known(node) and not _asserts(node):
            for each in (*node.args, *(keyword.value for keyword in node.keywords)):
                values.touched |= names_read(each) - values.fixed
    before = 0
    while len(values.touched) > before:  # names assigned from touched ones
        before = len(values.touched)
        for node in ast.walk(function):
            if isinstance(node, ast.Assign) and values.is_touched(node.value):
                values.touched.update(_stored(node))
    if values.strict:
        values.clean -= values.touched
        _settle(function, values)
    return values


def _settle(function: Function, values: Values) -> None:
    """Remove names that depend on the program indirectly, until nothing changes."""
    while lost := set(_dirty(function.body, values, in_doubt=False)) & values.clean:
        values.clean -= lost


def names_read(node: ast.AST) -> set[str]:
    """Return the names that an expression reads, including attributes of the test object."""
    parts = [each for each in ast.walk(node) if isinstance(getattr(each, "ctx", None), ast.Load)]
    names = {each.id for each in parts if isinstance(each, ast.Name)} - {"self", "cls"}
    return names | {name for name in map(_own, parts) if name is not None}


def cut_unread(tree: ast.Module, dropped: Mapping[int, set[str]]) -> None:
    """Remove assignments that became unused, repeatedly, as this may leave others unused.

    ``dropped`` maps the identity of each function to the names that its removed values read.
    """
    owners = [each for each in tree.body if isinstance(each, ast.ClassDef)]
    functions = [(owner, each) for owner in owners for each in owner.body
                 if isinstance(each, Function)]  # fmt: skip
    local = {id(each): set(dropped.get(id(each), ())) for _, each in functions}
    while True:
        before = names_read(tree)
        everywhere = {name for found in local.values() for name in found}
        tree.body = _unread(tree.body, everywhere, before)
        for owner in owners:
            own = {name.removeprefix("self.") for name in names_read(owner)}
            shared = {name.removeprefix("self.") for name in everywhere if "." in name}
            owner.body = _unread(owner.body, shared, own) or [ast.Pass()]
        for owner, function in functions:
            read = names_read(function)
            attributes = {name for name in names_read(owner) if "." in name}
            candidates = local[id(function)] | {name for name in everywhere if "." in name}
            _Cut(function, candidates, read | attributes).visit(function)
            local[id(function)] |= read - names_read(function)
        if names_read(tree) == before:
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
    """Removes assignments to unread candidates, and their values in lists that are looped over."""

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
        """Return the rows of a list in a loop, given directly or by a name without other uses."""
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
        """Replace values of rows with None where nothing reads their keys or positions."""
        parts = list(ast.walk(self.function))
        items = [each for each in parts if isinstance(each, ast.Subscript)
                 and isinstance(each.slice, ast.Constant)
                 and getattr(each.value, "id", "") == name]  # fmt: skip
        whole = [each for each in parts if isinstance(each, ast.Name) and each.id == name
                 and isinstance(each.ctx, ast.Load)]  # fmt: skip
        if len(whole) != len(items):  # it is also read as a whole
            return
        keys = {each.slice.value for each in items if isinstance(each.slice, ast.Constant)}
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
    """Yield the names whose values statements make dependent on the program.

    ``in_doubt`` means that the program decides whether the statements run at all.
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
            # A method call may change its object.
            root = _root(node.func.value)
            if root and root not in values.fixed and not _asserts(node) and not values.known(node):
                yield root
        yield from _dirty(ast.iter_child_nodes(node), values, in_doubt=doubt)


def _stored(node: ast.AST) -> list[str]:
    """Return the names that a statement binds, or whose items or attributes it sets."""
    targets: list[ast.expr | None] = []
    match node:
        case ast.Assign():
            targets = [*node.targets]
        case ast.AnnAssign() | ast.AugAssign() | ast.For() | ast.NamedExpr():
            targets = [node.target]
        case ast.withitem():
            targets = [node.optional_vars]
    return [name for each in targets if each is not None for name in _targets(each)]


def _targets(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Tuple | ast.List):
        return [name for each in node.elts for name in _targets(each)]
    return [root] if (root := _root(node)) else []


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
    """Return ``self.name`` for an attribute of the test object, None for anything else."""
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


# Splitting a test module into the text that runs with a program and the check.

CHANGING = re.compile(r"\b(now|today|utcnow|time|uuid[14]|random|choices?|randint|shuffle)\(")
LONGEST_VISIBLE, MOST_VISIBLE = 2000, 400
"""Limits on literals of a test that are tried as guesses: characters of one, and their number."""


@dataclass(frozen=True, slots=True)
class UnitTests:
    """Tests in two parts: ``text`` runs with a program, ``check`` judges the recorded values.

    ``whole`` runs with the reference only, and also records the values that the tests compute; ""
    if they compute none.

    ``names`` has (class, method) of each test; ``inside`` has those that the program's own process
    decides, at least in part.
    """

    text: str
    check: str
    names: tuple[tuple[str, str], ...]
    inside: frozenset[tuple[str, str]] = frozenset()
    whole: str = ""


def divided(source: str, *, strict: bool = False) -> UnitTests:
    """Split a module of ``unittest.TestCase`` classes.

    With ``strict``, values passed to a program count as dependent on it. Raises ValueError for a
    text that is not Python, or has no tests.
    """
    try:
        tree: ast.Module = parsing.parse(source)
        tree.body = [
            node
            for node in tree.body
            if not (isinstance(node, ast.If) and "__name__" in ast.unparse(node.test))
            and not _is_skipped(node)
        ]
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                node.body = [e for e in node.body if not _is_skipped(e)] or [ast.Pass()]
        divider = _Divider(of_module(tree, strict=strict))
        tree = ast.fix_missing_locations(divider.visit(tree))
        text, whole = ast.unparse(tree), ""
        if "__known__(" in text:
            recording = copy.deepcopy(tree)  # of the values that tests compute, for the reference
            for call in ast.walk(recording):
                if isinstance(call, ast.Call):
                    call.args = [part for each in call.args for part in _known(each) or [each]]
            whole = ast.unparse(recording)
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
        f"VISIBLE = {_visible(tree)}\n"
    )
    check = f"{CHECK}{sites}}}\n{about}"
    return UnitTests(text, check, names, inside, whole)


def having_tests(task: Task, source: str) -> Task:
    """Return the task with the tests of a module as its cases; raise as ``divided`` does."""
    # A program may store the time or random values in its arguments.
    tests = divided(source, strict=CHANGING.search(task.reference) is not None)
    return replace(
        task,
        harness=Harness("unittest", tests=tests.text, whole=tests.whole, inside=len(tests.inside)),
        base=tuple(map(Case, tests.names)),
        contract="\n\n".join(filter(None, (task.contract, tests.check))),
    )


def written_contract(task: Task) -> str:
    """Return the contract that a task's author wrote, without the check generated from tests."""
    text = task.contract or ""
    is_made = task.harness.kind == "unittest"
    return text.partition(CHECK.partition("BIG")[0])[0].strip() if is_made else text


def in_words(value: Any, *, expected: bool = False) -> str:
    """Return a test's recorded values as text, one item for each assertion; "" for other values.

    With ``expected``, the value is the reference's record, a dictionary with additional keys.
    """
    if expected:
        is_record = type(value) is dict and value.keys() == {"saw", "known", "ordered", "weak"}
        value = value["saw"] if is_record else None
    if type(value) is not list or not all(type(each) is list and each for each in value):
        return ""
    rows = [", ".join(map(_word, row[1:])) for row in value]
    return rows[0] if len(rows) == 1 else "; ".join(f"{n}) {row}" for n, row in enumerate(rows, 1))


def _word(value: Any) -> str:
    if value == OWN_WORD:
        return "holds"
    if type(value) is dict and "no plain value" in value:
        return str(value.get("text") or f"an object of {value['no plain value'][0]}")
    match value:  # an exception: the dotted names of its classes, and its text
        case [[str(kind), *_, "builtins.BaseException", "builtins.object"], str(text)]:
            return f"{kind.rpartition('.')[2]}({text!r})"
    return repr(value)


def _known(node: ast.expr) -> list[ast.expr]:
    match node:
        case ast.Call(func=ast.Name(id="__known__"), args=parts):
            return parts
    return []


def _without_known(tree: ast.Module) -> ast.Module:
    """Remove the values that tests compute, and the assignments used only for these."""
    dropped: dict[int, set[str]] = {}
    for owner in (each for each in tree.body if isinstance(each, ast.ClassDef)):
        for function in owner.body:
            found = dropped.setdefault(id(function), set())
            for node in ast.walk(function):
                if isinstance(node, ast.Call):
                    for part in (part for each in node.args for part in _known(each)):
                        found |= names_read(part)
                    node.args = [each for each in node.args if not _known(each)]
    cut_unread(tree, dropped)
    return tree


def _visible(tree: ast.Module) -> str:
    """Return, as source of a dict, the literals in each test, and in the members of its class that
    are not tests."""
    found = {
        (owner.name, each.name): _literals([each, *(o for o in owner.body if not _is_test(o))])
        for owner in tree.body
        if isinstance(owner, ast.ClassDef)
        for each in owner.body
        if isinstance(each, ast.FunctionDef) and _is_test(each)
    }
    return "{" + ", ".join(f"{name!r}: [{texts}]" for name, texts in found.items()) + "}"


def _is_test(node: ast.stmt) -> bool:
    return getattr(node, "name", "").startswith("test")


def _is_skipped(node: ast.stmt) -> bool:
    """Return whether a test or class is under ``@unittest.skip``, so that it is never run."""
    decorators = getattr(node, "decorator_list", ())
    return any(class_names(getattr(each, "func", each)) == ["skip"] for each in decorators)


def _literals(nodes: Sequence[ast.AST]) -> str:
    found: dict[str, None] = {}
    sites: set[ast.AST] = set()
    kinds = ast.Constant | ast.List | ast.Tuple | ast.Dict | ast.Set | ast.UnaryOp
    for node in (each for part in nodes for each in ast.walk(part)):
        match node:  # a call comes before its arguments
            case ast.Call(func=ast.Name(id=name), args=[ast.Constant(value=int()) as number, *_]):
                if name.startswith("__"):
                    sites.add(number)  # the test's source does not have it
        if node not in sites and isinstance(node, kinds):
            try:
                is_value = ast.literal_eval(node) is not ...
            except (ValueError, TypeError):
                continue
            # Not the value's repr: that of a set depends on the hash seed.
            if is_value and len(text := ast.unparse(node)) <= LONGEST_VISIBLE:
                found[text] = None
    return ", ".join(list(found)[:MOST_VISIBLE])


def _tests(
    tree: ast.Module, inside: set[int]
) -> tuple[tuple[tuple[str, str], ...], frozenset[tuple[str, str]]]:
    """Return the tests of a split module, and which are decided in the program's process."""
    names: list[tuple[str, str]] = []
    own: set[tuple[str, str]] = set()
    for owner in tree.body:
        if not isinstance(owner, ast.ClassDef) or not owner.bases:
            continue
        methods = [each for each in owner.body if isinstance(each, ast.FunctionDef)]
        decides = [m for m in methods if any(id(part) in inside for part in ast.walk(m))]
        # Any test of the class may depend on assertions in its helpers.
        is_shared = not all(map(_is_test, decides))
        tests = list(filter(_is_test, methods))
        names += [(owner.name, each.name) for each in tests]
        own |= {(owner.name, each.name) for each in (tests if is_shared else decides)}
    return tuple(dict.fromkeys(names)), frozenset(own)


@dataclass
class _Divider(ast.NodeTransformer):
    """Replaces assertions with calls that record their values, and collects the conditions."""

    values: Values
    sites: list[str] = field(default_factory=list)
    inside: set[int] = field(default_factory=set)
    """The assertions, by identity, that are decided in the program's process."""
    free: set[int] = field(default_factory=set)
    """Assertions that a program can satisfy without knowing the task, mostly about class names."""
    loose: set[int] = field(default_factory=set)
    """Assertions whose number of executions depends on the program's values."""
    depth: int = 0
    """The number of enclosing blocks that depend on the program's values."""
    raising: set[int] = field(default_factory=set)
    """Assertions about an exception's text."""

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """Split the tests of a class, given the values set in its ``setUp``."""
        return self._scope(node, of_class(node, self.values))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Inline constants that only assertions use, then split the function's assertions."""
        inline(node)
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        return self._scope(node, of_function(node, self.values))

    def _scope(self, node: ast.AST, values: Values) -> ast.AST:
        before, self.values = self.values, values
        self.generic_visit(node)
        self.values = before
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        """Split assertions whose number of executions may depend on the program."""
        return self._block(node, node.iter)

    def visit_While(self, node: ast.While) -> ast.AST:
        """Split assertions whose number of executions depends on the program."""
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
        """Split an assertion, or record that it stays unchanged."""
        self.generic_visit(node)
        name = assertion(node)
        if name is None:
            if (found := self._library(node)) is not None:
                return found
            called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            if called.startswith(("assert", "fail")) and called != "fail":
                self.inside.add(id(node))
            return node
        if name in ("Raises", "RaisesRegex"):
            return self._raising(node, name) or self._kept(node)
        return self._seeing(node, name) or self._kept(node)

    def visit_If(self, node: ast.If) -> ast.AST:
        """Split ``if f(1) != 4: self.fail()``, or that raises, as the opposite assertion."""
        match node:
            case ast.If(
                body=[
                    ast.Expr(value=ast.Call(func=ast.Attribute(attr="fail")))
                    | ast.Raise(
                        exc=ast.Call(func=ast.Name(id="AssertionError"))
                        | ast.Name(id="AssertionError")
                    )
                ],
                orelse=[],
            ):
                wrong = ast.UnaryOp(ast.Not(), node.test)
                return self.visit_Assert(ast.copy_location(ast.Assert(wrong), node))
        return self._block(node, node.test)

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        """Split a plain ``assert``."""
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

    def _library(self, node: ast.Call) -> ast.Call | None:
        """Split a library's assertion that compares two values; None if it is not one."""
        called = node.func
        name = called.id if isinstance(called, ast.Name) else getattr(called, "attr", "")
        options = [*node.args[2:], *(each.value for each in node.keywords)]
        if name not in TESTING or len(node.args) < 2 or not all(map(is_literal, options)):
            return None
        holes, sides = self._holes(), node.args[:2]
        if not any(map(holes.is_known, sides)):
            return self._kept(node)
        dotted = f"{TESTING[name]}.testing.{name}"
        asked = library(dotted, [*holes.parts(sides), *node.args[2:]], node.keywords)
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
        parts = [*map(ast.unparse, holes.parts(arguments))]
        options = [f"{each.arg}={ast.unparse(holes.part(each.value))}" for each in keywords]
        return self._site(_asked(name, parts, options), holes)

    def _deciding(
        self, node: ast.Call, name: str, parts: Sequence[ast.expr], named: Sequence[ast.keyword]
    ) -> ast.Call:
        """Split an assertion with both sides from the program's process.

        That process decides it if they are not plain values, or if it is about identity.
        """
        got = [f"got[{at}]" for at in range(len(parts))]
        options = [f"{each.arg}=got[{at}]" for at, each in enumerate(named, len(parts))]
        # About identity, the process must have decided.
        asked = "equal(0, 1)" if name in IDENTITY else _asked(name, got, options)
        self.free.add(len(self.sites))  # a program can yield the same value twice
        site = self._site(asked, Holes(got=[node.func, *parts]), "__deciding__")
        site.keywords = list(named)
        self.inside.add(id(site))
        return site


def _asked(name: str, sides: Sequence[str], options: Sequence[str]) -> str:
    """Return the condition of a unittest assertion on these sides, as source."""
    if name == "Equal" or name in KINDS:
        return f"equal({', '.join(filter(None, (*sides, KINDS.get(name))))})"
    return f"test.assert{name}({', '.join((*sides, *options))})"
