"""Mutants of a reference: small faults that a good suite detects. The only user of mutmut.

mutmut's mutation is not a public interface: its shape changed in five of its releases (see
``create_mutations``' history). The version is pinned in pyproject.toml, only ``_by_mutmut`` here
calls it, and ``tests/requirements/test_mutants.py`` watches it.
"""

from __future__ import annotations

import ast
import difflib
import hashlib
import threading
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from evalplus_lite import programs
from evalplus_lite.errors import ReferenceSolutionError
from evalplus_lite.programs import TooLarge, parsing
from evalplus_lite.programs.mutation import operators

# Planting faults: every operator of ours at every place of a program.

_Operator: TypeAlias = Callable[[Any], Iterator[ast.AST]]

_DROPPABLE = (
    ast.Assign,
    ast.AugAssign,
    ast.Expr,
    ast.If,
    ast.For,
    ast.While,
    ast.Continue,
    ast.Break,
    ast.Delete,
    ast.Raise,
    ast.Return,
)

_Table: TypeAlias = tuple[tuple[Any, _Operator], ...]

_OPERATORS: _Table = (
    ((ast.If, ast.IfExp, ast.While), operators.condition),
    (ast.comprehension, operators.filter_of_comprehension),
    (ast.BoolOp, operators.boolean_operand),
    (ast.Compare, operators.comparison),
    ((ast.For, ast.comprehension), operators.rounds),
    ((ast.For, ast.While), operators.first_round_only),
    (_DROPPABLE, operators.dropped_statement),
    (ast.Return, operators.returned_value),
    (ast.AugAssign, operators.assigned_value),
    (ast.BinOp, operators.operand),
    (ast.UnaryOp, operators.sign),
    (ast.IfExp, operators.choice),
    (ast.Call, operators.call),
    (ast.Call, operators.bounds_of_range),
    (ast.Subscript, operators.index),
    (ast.Constant, operators.literal),
    ((ast.List, ast.Tuple, ast.Set), operators.element),
    (ast.Dict, operators.entry),
)


def own_mutations(source: str) -> Iterator[tuple[str, str]]:
    """Yield (operator's name, mutated program) for each change to a function's body, in order.

    The program is parsed once; texts are as ``ast.unparse`` writes them and may repeat.
    """
    tree = parsing.parse(source)
    for place in list(_places(tree)):
        for kind, operator in _OPERATORS:
            if isinstance(place.node, kind):
                for replacement in operator(place.node):
                    place.put(replacement)
                    text = ast.unparse(ast.fix_missing_locations(tree))
                    place.put(place.node)
                    yield operator.__name__.replace("_", " "), text


class _Place:
    """The position of a node: a field of its parent, perhaps an index in a list."""

    def __init__(self, parent: ast.AST, field: str, index: int | None, node: ast.AST) -> None:
        self.parent, self.field, self.index, self.node = parent, field, index, node

    def put(self, node: ast.AST) -> None:
        if self.index is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.index] = node


def _places(tree: ast.AST) -> Iterator[_Place]:
    """Yield the places inside functions that may be changed, in the order of the text."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _inside(node, ("body",))
        else:
            yield from _places(node)


_LEFT_ALONE = {"annotation", "returns", "decorator_list", "type_params", "ctx", "keywords_names"}


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
"""mutmut keeps its configuration in a global, and tasks are worked on in several threads."""


MOST_LINES = 300
"""Lines of a program that a diff shows."""


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
        """A short name that depends on the program's text alone."""
        return hashlib.sha256(self.source.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def normal_form(source: str) -> str:
    """Return the program as ``ast`` writes it, without docstrings: the basis of mutants.

    Equal programs have equal normal forms. Docstrings stay if the program reads ``__doc__``. Raises
    ReferenceSolutionError if the source is not Python.
    """
    try:
        return programs.normal_form(source)
    except (SyntaxError, TooLarge) as error:
        raise ReferenceSolutionError(f"the reference does not parse: {error}") from None


def mutants(reference: str, *, mutmut: bool = True, own: bool = True) -> tuple[Mutant, ...]:
    """Return the mutants of a program, without those that are the same program.

    ``mutmut`` and ``own`` choose whose operators are used; mutmut's come first, each in the order
    of the text. A mutant that equals the reference or an earlier mutant is left out.
    """
    original = normal_form(reference)
    seen = {original}
    result: list[Mutant] = []
    for operator, text in _all(original, mutmut=mutmut, own=own):
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
    """Return the unified diff from reference to mutant, with one line of context."""
    return unified(reference, mutant.source, "mutant")


def unified(reference: str, source: str, name: str) -> str:
    """Return the unified diff from a reference to another program, called ``name`` there.

    Only the first ``MOST_LINES`` lines of the program count: a diff takes the square of the lines
    and more, and a sample may have any number.
    """
    ours, theirs = normal_form(reference).splitlines(), source.splitlines()
    if len(theirs) > MOST_LINES:
        theirs = [*theirs[:MOST_LINES], f"... and {len(theirs) - MOST_LINES} more lines"]
    return "\n".join(
        difflib.unified_diff(ours[:MOST_LINES], theirs, "reference", name, n=1, lineterm="")
    )


def _all(original: str, *, mutmut: bool, own: bool) -> Iterator[tuple[str, str]]:
    if mutmut:
        for text in _by_mutmut(original):
            yield "mutmut", text
    if own:
        yield from own_mutations(original)


def _by_mutmut(source: str) -> Iterator[str]:
    """Yield the programs that mutmut's operators make, one change each."""
    # The import takes half a second and is needed by those who make mutants only.
    import mutmut.configuration
    from mutmut.mutation.file_mutation import create_mutations, deep_replace

    # Without a configuration mutmut looks for src/ in the current folder, and fails without one.
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
    pairs = zip(original.splitlines(), mutated.splitlines(), strict=False)
    same = 0
    for before, after in pairs:
        if before != after:
            break
        same += 1
    return same + 1
