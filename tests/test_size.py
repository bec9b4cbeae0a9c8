"""How large each room is: a table that only goes down, unless a commit says why."""

from __future__ import annotations

from collections import Counter

import pytest
from test_layers import MODULES, PACKAGE

SIZES: dict[str, tuple[int, int]] = {
    ".": (1_027, 8),
    "cli": (2_449, 18),
    "efficiency": (2_073, 9),
    "exe": (12_709, 37),
    "execution": (2_207, 10),
    "generate": (8_243, 29),
    "grading": (2_759, 13),
    "jobs": (9_412, 22),
    "models": (2_435, 12),
    "programs": (2_809, 12),
    "reduction": (1_453, 8),
    "reports": (5_493, 26),
    "sandbox": (4_948, 29),
    "serving": (4_243, 28),
    "statistics": (892, 7),
    "store": (1_801, 12),
    "tasks": (9_260, 31),
    "values": (3_385, 17),
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


@pytest.mark.parametrize("room", sorted(SIZES))
def test_no_room_has_grown(room: str) -> None:
    """A room holds at most the lines and modules that the table allows it."""
    assert sorted(SIZES) == sorted(sizes())
    (lines, modules), (most_lines, most_modules) = sizes()[room], SIZES[room]
    assert lines <= most_lines
    assert modules <= most_modules
