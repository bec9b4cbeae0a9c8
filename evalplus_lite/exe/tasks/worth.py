"""What a task asks of its reader: marks, difficulty, and whether it is worth asking."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from statistics import median_low
from typing import Any, Literal, TypeAlias

from evalplus_lite.errors import InputError
from evalplus_lite.exe.running.runs import CallResult

HASH = "hash"
"""Part of the program is a checksum or a cryptographic hash: nobody foresees it by reading."""
LOOPS = "long-loops"
"""A case goes through loops very often: each step has to be followed (the paper's section 5)."""
Split: TypeAlias = Literal["easy", "medium", "hard"]
SPLITS: tuple[Split, ...] = ("easy", "medium", "hard")
TAGS = (HASH, LOOPS, *SPLITS)
"""What ``exe predict`` selects tasks by."""
MANY = 100
"""Times that a case's loops begin anew, from which they are long."""
HARD = {"lines": 60, "depth": 2}
"""What the median run of a hard task does at least: lines executed, functions open at once."""
EASY = {"lines": 14, "depth": 2, "variables": 8, "iterations": 9}
"""What the median run of an easy task does at most."""
MOST_LINES = 2
"""Lines of a run without a branch or a loop that ask nothing."""
FEW_ANSWERS = 2
"""Different answers that can be guessed."""
MOST_OF_CLASS = 3
"""Tasks of one class: more ask about the same program."""
_COUNTERS = {"lines": "lines", "depth": "call_depth", "variables": "variables_declared",
             "iterations": "loop_iterations"}  # fmt: skip
_MODULES = frozenset({"hashlib", "hmac", "crypt"})
_FUNCTIONS = frozenset(
    {("zlib", "crc32"), ("zlib", "adler32"), ("binascii", "crc32"), ("binascii", "crc_hqx"),
     ("uuid", "uuid3"), ("uuid", "uuid5")}
)  # fmt: skip


def tags_of(code: str, *, iterations: Iterable[int] = ()) -> list[str]:
    """Return the marks of a program that parses, sorted; ``iterations`` are its cases' loops."""
    found = [HASH] if any(map(_is_hash, ast.walk(ast.parse(code)))) else []
    return found + ([LOOPS] if any(count >= MANY for count in iterations) else [])


def difficulty_of(runs: Sequence[Mapping[str, int]], *, is_driven: bool = False) -> dict[str, Any]:
    """Return the counts of a task's median run and its split; nothing where runs lack counts.

    Of a program that is called by an entry point made here (``is_driven``), that one's line and
    call do not count.
    """
    if not runs or not all(run.keys() >= {*_COUNTERS.values()} for run in runs):
        return {}
    counts = {name: median_low(run[key] for run in runs) for name, key in _COUNTERS.items()}
    counts |= {name: counts[name] - is_driven for name in ("lines", "depth")}
    split: Split = "medium"
    if all(counts[name] >= least for name, least in HARD.items()):
        split = "hard"
    elif all(counts[name] <= most for name, most in EASY.items()):
        split = "easy"
    return {**counts, "split": split}


def triviality(
    answers: Sequence[CallResult], runs: Sequence[Mapping[str, int]], *, is_driven: bool = False
) -> str:
    """Return why nobody learns anything from a task's answers; empty for one worth asking."""
    values = [answer.value for answer in answers if answer.kind == "value"]
    if values and all(value is None or isinstance(value, bool) for value in values):
        return "trivial: every answer is true, false or none"
    if len({answer.key for answer in answers}) <= FEW_ANSWERS < len(answers):
        return "trivial: two answers"
    if not all(run.keys() >= {"lines", "conditionals", "loop_iterations"} for run in runs):
        return ""
    lines = max((run["lines"] for run in runs), default=0) - is_driven
    if any(run["loop_iterations"] for run in runs):
        return ""
    if lines <= 1:
        return "trivial: one step"
    is_straight = not any(run["conditionals"] for run in runs)
    return "trivial: no branch and two lines" if is_straight and lines <= MOST_LINES else ""


def check_tags(tags: Iterable[str]) -> None:
    """Raise InputError for a mark or split that there is not."""
    for tag in tags:
        if tag not in TAGS:
            raise InputError(f"{tag!r} is no tag", remedy=f"give one of {', '.join(TAGS)}")


def _is_hash(node: ast.AST) -> bool:
    match node:
        case ast.Import():
            return any(each.name in _MODULES for each in node.names)
        case ast.ImportFrom(module=str(module)):
            names = {(module, each.name) for each in node.names}
            return module in _MODULES or not names.isdisjoint(_FUNCTIONS)
        case ast.Attribute(value=ast.Name(id=module), attr=name):
            return (module, name) in _FUNCTIONS
    return False
