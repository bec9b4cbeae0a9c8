"""Mutants of a reference: small faults that a good suite detects. The only user of mutmut.

mutmut's mutation is not a public interface: it changed in five releases (see the history of
``create_mutations``). The version is pinned in pyproject.toml, only ``_by_mutmut`` here calls it,
and ``tests/reduction/test_mutants.py`` checks it.
"""

from __future__ import annotations

import ast
import copy
import difflib
import threading
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, takewhile
from typing import Any, NamedTuple

from evalplus_lite import programs
from evalplus_lite.errors import ReferenceSolutionError
from evalplus_lite.programs import TooLarge, definitions, parsing

# Operators: generators from a node to its replacements, for faults that mutmut does not plant. The
# families are conditions (negated, always true, never true), comparisons (every other one of the
# same family), loops (no iteration, one, first or last item skipped), statements (dropped), values
# and calls.


def changed(node: ast.AST, **fields: object) -> Any:
    """Return a copy of a node with some fields changed."""
    new = copy.copy(node)
    for name, value in fields.items():
        setattr(new, name, value)
    return new


def replaced(items: Sequence[Any], at: int, *others: object) -> list[Any]:
    """Return a list with one item replaced by others, or removed."""
    return [*items[:at], *others, *items[at + 1 :]]


def negated(node: ast.expr) -> ast.expr:
    """Return the negation of an expression."""
    return ast.UnaryOp(ast.Not(), node)


def new_call(name: str, *arguments: ast.expr) -> ast.Call:
    """Return a call of a function by name."""
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


def number(value: complex | float | int) -> ast.expr:
    """Return a literal, with a minus sign as an operation if it is negative."""
    if not isinstance(value, complex) and value < 0:
        return ast.UnaryOp(ast.USub(), ast.Constant(-value))
    return ast.Constant(value)


def shifted(node: ast.expr, by: int) -> ast.expr:
    """Return an expression plus ``by``."""
    return ast.BinOp(node, ast.Add() if by > 0 else ast.Sub(), ast.Constant(abs(by)))


MOST_PARTS = 8
"""Limit on the parts of a literal that are dropped, one at a time."""

_NEIGHBOURS: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Add, ast.FloorDiv),
    ast.Div: (ast.FloorDiv, ast.Mult),
    ast.FloorDiv: (ast.Div, ast.Mod),
    ast.Mod: (ast.FloorDiv,),
    ast.Pow: (ast.Mult,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
    ast.BitXor: (ast.BitOr,),
}


def operand(node: ast.BinOp) -> Iterator[ast.AST]:
    """Use just one of the two operands, or a related operator."""
    yield node.left
    yield node.right
    for other in _NEIGHBOURS.get(type(node.op), ()):
        yield changed(node, op=other())


def sign(node: ast.UnaryOp) -> Iterator[ast.AST]:
    """Drop the sign or the ``not``."""
    yield node.operand


def choice(node: ast.IfExp) -> Iterator[ast.AST]:
    """Swap the two values of a conditional expression."""
    yield changed(node, body=node.orelse, orelse=node.body)


_OTHER_NAMES = {
    "max": ("min",),
    "min": ("max",),
    "any": ("all",),
    "all": ("any",),
    "ceil": ("floor",),
    "floor": ("ceil",),
    "round": ("int",),
    "int": ("round",),
    "upper": ("lower", "title"),
    "lower": ("upper",),
    "startswith": ("endswith",),
    "endswith": ("startswith",),
    "isalpha": ("isalnum", "islower", "isupper"),
    "isdigit": ("isalnum",),
    "isupper": ("isalpha",),
    "islower": ("isalpha",),
    "find": ("rfind",),
    "index": ("find",),
    "append": ("extend",),
}


def call(node: ast.Call) -> Iterator[ast.AST]:
    """Use just the argument or the object; drop an argument; call a related function."""
    name = definitions.last_name(node.func)
    if isinstance(node.func, ast.Attribute) and not node.args:
        yield node.func.value
    elif node.args and not isinstance(node.args[0], ast.Starred):
        yield node.args[0]
    for position in range(len(node.args)):
        yield changed(node, args=replaced(node.args, position))
    for position in range(len(node.keywords)):
        yield changed(node, keywords=replaced(node.keywords, position))
    for other in _OTHER_NAMES.get(name, ()):
        if isinstance(node.func, ast.Name):
            yield changed(node, func=ast.Name(other, ast.Load()))
        elif isinstance(node.func, ast.Attribute):
            yield changed(node, func=changed(node.func, attr=other))
    if name == "len":
        yield shifted(node, -1)
        yield shifted(node, 1)
    if name == "sorted" and len(node.args) == 1:
        yield new_call("list", new_call("reversed", node))
        yield new_call("sorted", new_call("set", node.args[0]))


def bounds_of_range(node: ast.Call) -> Iterator[ast.AST]:
    """Shift each bound of a ``range`` by one, either way."""
    if definitions.last_name(node.func) != "range":
        return
    for position, bound in enumerate(node.args[:2]):
        for by in (-1, 1):
            yield changed(node, args=replaced(node.args, position, shifted(bound, by)))


def index(node: ast.Subscript) -> Iterator[ast.AST]:
    """Shift the index by one, either way; drop or shift each bound of a slice."""
    if not isinstance(node.slice, ast.Slice):
        if not isinstance(node.slice, ast.Tuple) and not (
            isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
        ):
            yield changed(node, slice=shifted(node.slice, -1))
            yield changed(node, slice=shifted(node.slice, 1))
        return
    for field in ("lower", "upper", "step"):
        bound = getattr(node.slice, field)
        if bound is not None:
            yield changed(node, slice=changed(node.slice, **{field: None}))
            if field != "step":
                for by in (-1, 1):
                    moved = changed(node.slice, **{field: shifted(bound, by)})
                    yield changed(node, slice=moved)


def literal(node: ast.Constant) -> Iterator[ast.AST]:
    """Use a neighbor of the number; the other truth value; the text without a character."""
    value = node.value
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int | float):
        third = 0 if isinstance(value, int) else value / 2
        for other in dict.fromkeys((value - 1, value + 1, third, -value)):
            if other != value:
                yield number(other)
    elif isinstance(value, str):
        yield ast.Constant("" if value else "x")
        for position in range(min(len(value), MOST_PARTS)):
            yield ast.Constant("".join(replaced(value, position)))


def element(node: ast.List | ast.Tuple | ast.Set) -> Iterator[ast.AST]:
    """Drop one element of a list, tuple or set display."""
    if isinstance(getattr(node, "ctx", None), ast.Store | ast.Del):
        return
    for position in range(min(len(node.elts), MOST_PARTS)):
        rest = replaced(node.elts, position)
        if rest or not isinstance(node, ast.Set):
            yield changed(node, elts=rest)


def entry(node: ast.Dict) -> Iterator[ast.AST]:
    """Drop one entry of a dictionary display."""
    for position in range(min(len(node.keys), MOST_PARTS)):
        keys, values = replaced(node.keys, position), replaced(node.values, position)
        yield changed(node, keys=keys, values=values)


def condition(node: ast.If | ast.IfExp | ast.While) -> Iterator[ast.AST]:
    """Negate it; make it always true, except for ``while``, which would never end; never true."""
    yield changed(node, test=negated(node.test))
    if not isinstance(node, ast.While):
        yield changed(node, test=ast.Constant(True))
    yield changed(node, test=ast.Constant(False))


def filter_of_comprehension(node: ast.comprehension) -> Iterator[ast.AST]:
    """Negate or drop each condition."""
    for position, test in enumerate(node.ifs):
        yield changed(node, ifs=replaced(node.ifs, position, negated(test)))
        yield changed(node, ifs=replaced(node.ifs, position))


def boolean_operand(node: ast.BoolOp) -> Iterator[ast.AST]:
    """Swap ``and`` and ``or``; drop or negate each operand."""
    yield changed(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
    for position, value in enumerate(node.values):
        rest = replaced(node.values, position)
        yield changed(node, values=rest) if len(rest) > 1 else rest[0]
        yield changed(node, values=replaced(node.values, position, negated(value)))


_FAMILIES = (
    (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq),
    (ast.In, ast.NotIn),
    (ast.Is, ast.IsNot),
)


def comparison(node: ast.Compare) -> Iterator[ast.AST]:
    """Replace each comparison by every other one of its family."""
    for position, operator in enumerate(node.ops):
        for other in next(family for family in _FAMILIES if isinstance(operator, family)):
            if not isinstance(operator, other):
                yield changed(node, ops=replaced(node.ops, position, other()))


def rounds(node: ast.For | ast.comprehension) -> Iterator[ast.AST]:
    """Run no iteration; all but the first; all but the last; all in reverse order."""
    items = new_call("list", node.iter)
    yield changed(node, iter=ast.Tuple([], ast.Load()))
    for part in (
        ast.Slice(ast.Constant(1)),
        ast.Slice(None, number(-1)),
        ast.Slice(None, None, number(-1)),
    ):
        yield changed(node, iter=ast.Subscript(items, part, ast.Load()))


def first_round_only(node: ast.For | ast.While) -> Iterator[ast.AST]:
    """Leave the loop after one iteration."""
    yield changed(node, body=[*node.body, ast.Break()])


def dropped_statement(node: ast.stmt) -> Iterator[ast.AST]:
    """Replace the statement by ``pass``; drop an ``else``."""
    yield ast.Pass()
    if isinstance(node, ast.If | ast.For | ast.While) and node.orelse:
        yield changed(node, orelse=[])


def returned_value(node: ast.Return) -> Iterator[ast.AST]:
    """Return None; the negation of a truth value; otherwise zero, an empty string or list."""
    if node.value is None:
        return
    value = node.value
    yield changed(node, value=ast.Constant(None))
    if isinstance(value, ast.Compare | ast.BoolOp) or (
        isinstance(value, ast.Constant) and isinstance(value.value, bool)
    ):
        yield changed(node, value=negated(value))
        return
    for other in (ast.Constant(0), ast.Constant(""), ast.List([], ast.Load())):
        yield changed(node, value=other)


def assigned_value(node: ast.AugAssign) -> Iterator[ast.AST]:
    """Ignore the previous value in an assignment."""
    yield ast.Assign([node.target], node.value)


# Planting faults: each of our operators at each place of a program.

_DROPPABLE = (
    *(ast.Assign, ast.AugAssign, ast.Delete, ast.Expr, ast.If, ast.For, ast.While),
    *(ast.Continue, ast.Break, ast.Raise, ast.Return),
)
_OPERATORS: tuple[tuple[Any, Callable[[Any], Iterator[ast.AST]]], ...] = (
    ((ast.If, ast.IfExp, ast.While), condition),
    (ast.comprehension, filter_of_comprehension),
    (ast.BoolOp, boolean_operand),
    (ast.Compare, comparison),
    ((ast.For, ast.comprehension), rounds),
    ((ast.For, ast.While), first_round_only),
    (_DROPPABLE, dropped_statement),
    (ast.Return, returned_value),
    (ast.AugAssign, assigned_value),
    (ast.BinOp, operand),
    (ast.UnaryOp, sign),
    (ast.IfExp, choice),
    (ast.Call, call),
    (ast.Call, bounds_of_range),
    (ast.Subscript, index),
    (ast.Constant, literal),
    ((ast.List, ast.Tuple, ast.Set), element),
    (ast.Dict, entry),
)


def own_mutations(source: str, *, script: bool = False) -> Iterator[tuple[str, str]]:
    """Yield (operator's name, mutated program) for each change to a function's body, in order.

    In a ``script``, statements outside functions count as well. The program is parsed once; the
    results come from ``ast.unparse`` and may repeat.
    """
    tree = parsing.parse(source)
    for place in list(_places(tree, script=script)):
        for kind, operator in _OPERATORS:
            for replacement in operator(place.node) if isinstance(place.node, kind) else ():
                place.put(replacement)
                text = ast.unparse(ast.fix_missing_locations(tree))
                place.put(place.node)
                yield operator.__name__.replace("_", " "), text


class _Place(NamedTuple):
    """The position of a node: a field of its parent, and an index if the field is a list."""

    parent: ast.AST
    field: str
    at: int | None
    node: ast.AST

    def put(self, node: ast.AST) -> None:
        if self.at is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.at] = node


def _places(tree: ast.AST, *, script: bool = False) -> Iterator[_Place]:
    """Yield the places inside functions that may be changed, in source order."""
    for index, node in enumerate(ast.iter_child_nodes(tree)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _inside(node, ("body",))
        elif script and not isinstance(node, ast.ClassDef | ast.Import | ast.ImportFrom):
            yield _Place(tree, "body", index, node)
            yield from _inside(node, node._fields)
        else:
            yield from _places(node)


_LEFT_ALONE = {"annotation", "returns", "decorator_list", "type_params", "ctx"}


def _inside(parent: ast.AST, fields: tuple[str, ...]) -> Iterator[_Place]:
    for field in fields:
        value = getattr(parent, field, None)
        if field in _LEFT_ALONE or value is None:
            continue
        items = enumerate(value) if isinstance(value, list) else [(None, value)]
        for index, node in items:
            if isinstance(node, ast.AST):
                yield _Place(parent, field, index, node)
                yield from _inside(node, node._fields)


_CONFIGURATION = threading.Lock()
"""Needed because mutmut keeps its configuration in a global, and tasks run in several threads."""


MOST_LINES = 300
"""Limit on lines of a program in a diff."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A program that differs from the reference in one place.

    ``source`` is the whole program in ``normal_form``, ``operator`` names the mutation operator,
    ``line`` is the first line (from 1) that differs from the reference's normal form.
    """

    source: str
    operator: str
    line: int

    @property
    def key(self) -> str:
        """A short hash of the program's text."""
        return programs.program_hash(self.source)


def normal_form(source: str) -> str:
    """Return the program in ``ast.unparse`` format, without docstrings, as the basis of mutants.

    Equal programs have equal normal forms. Docstrings stay if the program reads ``__doc__``. Raises
    ReferenceSolutionError if the source is not Python.
    """
    try:
        return programs.normal_form(source)
    except (SyntaxError, TooLarge) as error:
        raise ReferenceSolutionError(f"the reference does not parse: {error}") from None


def mutants(reference: str, *, mutmut: bool = True, script: bool = False) -> tuple[Mutant, ...]:
    """Return the distinct mutants of a program.

    Functions are mutated, and in a ``script``, by our operators, also statements outside them.
    With ``mutmut`` its operators are used, too, and come first, each in source order. A mutant that
    equals the reference or an earlier mutant is dropped.
    """
    original = normal_form(reference)
    seen = {original}
    result: list[Mutant] = []
    for operator, text in chain(
        (("mutmut", text) for text in _by_mutmut(original)) if mutmut else (),
        own_mutations(original, script=script),
    ):
        try:
            mutated = normal_form(text)
            compile(mutated, "<mutant>", "exec", dont_inherit=True)
        except (ReferenceSolutionError, SyntaxError, ValueError):
            continue  # an operator may produce invalid Python
        if mutated not in seen:
            seen.add(mutated)
            result.append(Mutant(mutated, operator, _first_difference(original, mutated)))
    return tuple(result)


def difference(reference: str, mutant: Mutant) -> str:
    """Return the unified diff from reference to mutant, with one line of context.

    Only the first ``MOST_LINES`` lines count, because a diff takes at least quadratic time.
    """
    ours, theirs = normal_form(reference).splitlines(), mutant.source.splitlines()
    if len(theirs) > MOST_LINES:
        theirs = [*theirs[:MOST_LINES], f"... and {len(theirs) - MOST_LINES} more lines"]
    return "\n".join(
        difflib.unified_diff(ours[:MOST_LINES], theirs, "reference", "mutant", n=1, lineterm="")
    )


def _by_mutmut(source: str) -> Iterator[str]:
    """Yield the programs that mutmut produces, each with one change."""
    # The import takes half a second, and only mutation needs it.
    import mutmut.configuration
    from mutmut.mutation.file_mutation import create_mutations, deep_replace

    # Without a configuration, mutmut looks for src/ in the current folder, and fails without it.
    with _CONFIGURATION:
        before = mutmut.configuration._config
        none: Any = types.SimpleNamespace(do_not_mutate_patterns=[])
        mutmut.configuration._config = none
        try:
            module, mutations, _, _ = create_mutations("reference.py", source)
        finally:
            mutmut.configuration._config = before
    for mutation in mutations:
        if mutation.contained_by_top_level_function is not None:
            changed: Any = deep_replace(module, mutation.original_node, mutation.mutated_node)
            yield changed.code


def _first_difference(original: str, mutated: str) -> int:
    """Return the number of the first line that differs (from 1)."""
    pairs = zip(original.splitlines(), mutated.splitlines(), strict=False)
    return 1 + sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
