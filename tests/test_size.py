"""How large each room is: a table that only goes down, unless a commit says why."""

from __future__ import annotations

from collections import Counter

import pytest
from test_layers import MODULES, PACKAGE

SIZES: dict[str, tuple[int, int]] = {
    ".": (1_018, 6),
    "cli": (3_295, 27),
    "exe": (15_975, 89),
    "execution": (2_158, 11),
    "generate": (7_239, 33),
    "grading": (2_444, 15),
    "jobs": (9_100, 44),
    "models": (2_471, 15),
    "programs": (2_904, 16),
    "reduction": (2_588, 13),
    "reports": (7_080, 47),
    "sandbox": (4_672, 28),
    "serving": (5_141, 41),
    "statistics": (799, 7),
    "store": (2_335, 18),
    "tasks": (6_036, 42),
    "values": (3_628, 29),
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
