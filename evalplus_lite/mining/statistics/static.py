"""What can be said of a program without running it (the paper's appendix A.6)."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

from evalplus_lite.mining.reading.name_uses import uses_of
from evalplus_lite.mining.statistics.complexity import complexity_of
from evalplus_lite.mining.statistics.lines import code_lines


@dataclass(frozen=True, slots=True)
class StaticStatistics:
    """Counts over a task's whole program."""

    lines: int
    """Lines that hold code: no blank ones, comments or docstrings."""
    nodes: dict[str, int]
    """AST node type -> count."""
    cyclomatic: int | None
    maintainability: float | None
    call_depth: int
    """Longest chain of the program's own functions from the entry point, recursion left out."""
    identifiers: int
    """Distinct names of variables, functions, classes, parameters and attributes."""
    ifs: int
    returns: int
    functions: int
    classes: int

    def to_json(self) -> dict[str, Any]:
        """Return it as the ``static`` entry of a task row."""
        return asdict(self)


def static_statistics(code: str, entry_point: str) -> StaticStatistics:
    """Return the static statistics of a program that parses."""
    tree = ast.parse(code)
    nodes = Counter(type(node).__name__ for node in ast.walk(tree))
    complexity = complexity_of(code, tree)
    return StaticStatistics(
        lines=code_lines(code, tree),
        nodes=dict(sorted(nodes.items())),
        cyclomatic=None if complexity is None else complexity.cyclomatic,
        maintainability=None if complexity is None else complexity.maintainability,
        call_depth=_call_depth(tree, entry_point),
        identifiers=len(_identifiers(tree)),
        ifs=nodes["If"] + nodes["IfExp"],
        returns=nodes["Return"],
        functions=nodes["FunctionDef"] + nodes["AsyncFunctionDef"],
        classes=nodes["ClassDef"],
    )


def _identifiers(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.Attribute):
            names.add(node.attr)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
    return names


def _call_depth(tree: ast.Module, entry_point: str) -> int:
    needs: dict[str, list[str]] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            late = {use.name for use in uses_of(node).uses if use.when == "late"}
            needs[node.name] = sorted(late)
    depths: dict[str, int] = {}
    open_: set[str] = set()

    def depth(name: str) -> int:
        if name in depths:
            return depths[name]
        if name not in needs or name in open_:
            return 0
        open_.add(name)
        found = 1 + max((depth(n) for n in needs[name]), default=0)
        open_.discard(name)
        depths[name] = found
        return found

    return depth(entry_point)
