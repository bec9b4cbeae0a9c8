"""What is known of a case as numbers, and which constructs its program has, by name."""

from __future__ import annotations

import ast
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean, pstdev
from typing import Any

STATIC = ("lines", "cyclomatic", "maintainability", "call_depth", "identifiers", "ifs", "returns")
"""Of the static statistics those that scores are shown by."""
PER_LINE: Mapping[str, tuple[str, ...]] = {
    "calls": ("Call",),
    "identifiers created": ("Store", "arg"),
    "branches": ("If", "IfExp"),
    "return statements": ("Return",),
}
"""Node types that are counted for each line of code (the paper's figure 8)."""
MOST = 1e15
"""What a count is below; no clock and no counter gets there."""
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
    """Return a case's measures by name: of the text, of the text per line, and ``run: ...``.

    ``static`` is a task's entry, ``runtime`` a case's; what they lack is left out. ``seconds`` are
    of CPU.
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
    """Return which constructs a program has; what stands in annotations does not count."""
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
    """Return each statistic's coefficient of variation over a function's cases.

    The population's standard deviation over the mean, to four decimals; 0 where the mean is 0.
    """
    found: dict[str, float] = {}
    for name in sorted({name for row in rows for name in row}):
        values = [float(row[name]) for row in rows if name in row]
        mean = fmean(values) if values else 0.0
        ratio = pstdev(values) / abs(mean) if mean else 0.0
        found[name] = round(ratio, 4) if math.isfinite(ratio) else 0.0
    return found
