"""How large each room is: a table that only goes down, unless a commit says why."""

from __future__ import annotations

from collections import Counter

import pytest
from test_layers import MODULES, PACKAGE

SIZES: dict[str, tuple[int, int]] = {
    ".": (1_057, 8),
    "cli": (2_768, 20),
    "efficiency": (1_437, 8),
    "exe": (14_644, 72),
    "execution": (2_164, 11),
    "generate": (6_805, 32),
    "grading": (2_792, 16),
    "jobs": (9_604, 41),
    "models": (2_500, 14),
    "programs": (2_970, 17),
    "reduction": (2_284, 12),
    "reports": (6_491, 44),
    "sandbox": (4_933, 29),
    "serving": (5_058, 40),
    "statistics": (808, 7),
    "store": (1_924, 16),
    "tasks": (6_826, 43),
    "values": (3_534, 17),
}
"""Lines and modules of each room; ``.`` are the modules beside the rooms."""


def sizes() -> dict[str, tuple[int, int]]:
    """Return the lines and modules that each room has today."""
    lines: Counter[str] = Counter()
    modules: Counter[str] = Counter()
    for path in MODULES:
        room = (path.relative_to(PACKAGE).parent.parts or (".",))[0]
        lines[room] += len(path.read_text(encoding="utf-8").splitlines())
        modules[room] += 1
    return {room: (lines[room], modules[room]) for room in sorted(lines)}


def test_the_table_has_each_room() -> None:
    """A room that is new, or gone, is new or gone here."""
    assert sorted(SIZES) == sorted(sizes())


@pytest.mark.parametrize("room", sorted(SIZES))
def test_no_room_has_grown(room: str) -> None:
    """A room holds at most the lines and modules that the table allows it."""
    (lines, modules), (most_lines, most_modules) = sizes()[room], SIZES[room]
    assert lines <= most_lines
    assert modules <= most_modules
