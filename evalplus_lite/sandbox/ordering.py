"""Programs as they would be if Python ordered things otherwise where it promises no order."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from evalplus_lite.sandbox.guest import ordering
from evalplus_lite.sandbox.limits import Program

TIES, SETS = ordering.TIES, ordering.SETS
"""The ways in which equal elements, and the elements of sets, may be ordered."""


def reordered(program: Program, way: str) -> Program:
    """Return a program that answers as the given one would; what it cannot do so, it raises."""
    facts = program.source, program.entry_point, program.harness.row, way
    return program.around(f"{_text()}\nanswer = Reordered(*{facts!r})\n", "answer")


@cache
def _text() -> str:
    return Path(ordering.__file__).read_text(encoding="utf-8")
