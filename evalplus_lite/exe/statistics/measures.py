"""Metrics of a program's source and of its runs (the paper's appendix A.6)."""

from __future__ import annotations

import ast
import io
import math
import tokenize
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean, pstdev
from typing import Any, TypeGuard

from radon.metrics import mi_visit
from radon.visitors import ComplexityVisitor

from evalplus_lite.exe.reading.names import uses_of


def complexity_of(code: str, tree: ast.Module) -> tuple[int, float] | tuple[None, None]:
    """Return a program's cyclomatic complexity (McCabe) and its maintainability index.

    The index is radon's, 0 to 100, with docstrings counted as comments. Both are None if radon
    fails, or would read more than ``MOST_READ`` characters.
    """
    try:
        if sum(map(_read_by_radon, ast.walk(tree))) > MOST_READ:
            return None, None
        cyclomatic = int(ComplexityVisitor.from_ast(tree).total_complexity)
        return cyclomatic, round(mi_visit(code, True), 2)
    except Exception:
        # A failure of radon is a missing figure, not a failure to mine.
        return None, None


def _read_by_radon(node: ast.AST) -> int:
    """Estimate the characters that radon reads for a statement without a body."""
    if not isinstance(node, ast.stmt) or hasattr(node, "body"):
        return 0
    lines = (node.end_lineno or node.lineno) - node.lineno + 1
    return 0 if lines == 1 else lines * len(ast.unparse(node)) // 2


_LAYOUT = frozenset(
    {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
     tokenize.ENCODING, tokenize.ENDMARKER}
)  # fmt: skip
MOST_READ = 500_000
"""Maximum characters that radon may read for one program, about a second's work. For a statement of
n lines it reads the first line, the first two, and so on."""


def is_bare_string(node: ast.AST) -> TypeGuard[ast.Expr]:
    """Return whether a statement is a bare string, such as a docstring."""
    match node:
        case ast.Expr(value=ast.Constant(value=str())):
            return True
    return False


def code_lines(code: str, tree: ast.Module) -> int:
    """Count the lines of code, without blank lines, comments and bare strings."""
    idle: set[int] = set()
    for node in ast.walk(tree):
        if is_bare_string(node):
            idle.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    held: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        lines = range(token.start[0], token.end[0] + 1)
        if token.type == tokenize.STRING:
            held.update(line for line in lines if line not in idle)
        elif token.type not in _LAYOUT:  # on a docstring's line, too
            held.update(lines)
    return len(held)


def static_statistics(code: str, entry_point: str) -> dict[str, Any]:
    """Return the static metrics of a valid program: the ``static`` field of a task row.

    ``lines`` are lines of code, without blank lines, comments and docstrings. ``nodes`` are counts
    by type. ``call_depth`` is the longest chain of the program's own functions from the entry
    point, without recursion; ``identifiers`` are distinct names of variables, functions, classes,
    parameters and attributes.
    """
    tree = ast.parse(code)
    nodes = Counter(type(node).__name__ for node in ast.walk(tree))
    cyclomatic, maintainability = complexity_of(code, tree)
    names = {getattr(node, _NAMED[type(node)]) for node in ast.walk(tree) if type(node) in _NAMED}
    return {
        "lines": code_lines(code, tree),
        "nodes": dict(sorted(nodes.items())),
        "cyclomatic": cyclomatic,
        "maintainability": maintainability,
        "call_depth": _call_depth(tree, entry_point),
        "identifiers": len(names),
        "ifs": nodes["If"] + nodes["IfExp"],
        "returns": nodes["Return"],
        "functions": nodes["FunctionDef"] + nodes["AsyncFunctionDef"],
        "classes": nodes["ClassDef"],
    }


_NAMED: dict[type[ast.AST], str] = {
    ast.Name: "id", ast.Attribute: "attr", ast.arg: "arg", ast.FunctionDef: "name",
    ast.AsyncFunctionDef: "name", ast.ClassDef: "name",
}  # fmt: skip
"""Node types that hold a name, and its attribute."""


def _call_depth(tree: ast.Module, entry_point: str) -> int:
    needs: dict[str, list[str]] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            late = {use.name for use in uses_of(node).uses if use.when == "late"}
            needs[node.name] = sorted(late)
    depths: dict[str, int] = {}

    def depth(name: str) -> int:
        if name not in depths and name in needs:
            depths[name] = 0  # for recursive calls
            depths[name] = 1 + max(map(depth, needs[name]), default=0)
        return depths.get(name, 0)

    return depth(entry_point)


STATIC = ("lines", "cyclomatic", "maintainability", "call_depth", "identifiers", "ifs", "returns")
"""The static metrics that reports compare scores with."""
PER_LINE: Mapping[str, tuple[str, ...]] = {
    "calls": ("Call",),
    "identifiers created": ("Store", "arg"),
    "branches": ("If", "IfExp"),
    "return statements": ("Return",),
}
"""Node types that are counted per line of code (the paper's figure 8)."""
MOST = 1e15
"""Exclusive maximum of a valid count; larger numbers are ignored."""
TIME = "run: microseconds"
FEATURES: Mapping[str, tuple[str, ...]] = {
    "multiplication": ("Mult",),
    "division": ("Div", "FloorDiv"),
    "remainder, %": ("Mod",),
    "powers": ("Pow",),
    "bit manipulation": ("BitAnd", "BitOr", "BitXor", "LShift", "RShift", "Invert"),
    "boolean operations": ("BoolOp", "Not"),
    "compound assignment": ("AugAssign",),
    "slicing": ("Slice",),
    "list comprehensions": ("ListComp",),
    "other comprehensions": ("SetComp", "DictComp", "GeneratorExp"),
    "for loops": ("For",),
    "while loops": ("While",),
    "f-strings": ("JoinedStr",),
    "lambdas": ("Lambda",),
    "raise": ("Raise",),
    "try": ("Try", "TryStar"),
    "classes": ("ClassDef",),
}
"""Constructs that models may find hard (the paper's section 3), by their node types."""


def measures(
    static: Mapping[str, Any], runtime: Mapping[str, Any], seconds: float | None = None
) -> dict[str, float]:
    """Return a case's measures by name: of the source, per line of code, and ``run: ...``.

    ``static`` is a task's field, ``runtime`` a case's; missing values are left out. ``seconds`` are
    CPU seconds.
    """
    found = {name: float(static[name]) for name in STATIC if _is_number(static.get(name))}
    lines, nodes = found.get("lines", 0), static.get("nodes", {})
    if lines > 0:
        for label, types in PER_LINE.items():
            found[f"{label} per line"] = sum(nodes.get(kind, 0) for kind in types) / lines
    found |= {f"run: {name}": float(value) for name, value in runtime.items() if _is_number(value)}
    if seconds is not None and _is_number(seconds):
        found[TIME] = seconds * 1e6
    return found


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and abs(value) < MOST


def features(tree: ast.AST) -> set[str]:
    """Return the constructs in a program, without annotations."""
    kinds: Counter[str] = Counter()
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        kinds[type(node).__name__] += 1
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns"):
                continue
            parts = value if isinstance(value, list) else [value]
            pending += [part for part in parts if isinstance(part, ast.AST)]
    return {name for name, types in FEATURES.items() if any(kinds[kind] for kind in types)}


def variation(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return each counter's coefficient of variation over a function's cases.

    It is the population standard deviation over the mean, to four decimals; 0 if the mean is 0.
    """
    found: dict[str, float] = {}
    for name in sorted({name for row in rows for name in row}):
        values = [float(row[name]) for row in rows if name in row]
        mean = fmean(values) if values else 0.0
        ratio = pstdev(values) / abs(mean) if mean else 0.0
        found[name] = round(ratio, 4) if math.isfinite(ratio) else 0.0
    return found
