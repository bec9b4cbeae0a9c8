"""Charts as coordinates: templates draw them as SVG that needs no script."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from evalplus_lite.pages.strength import Point

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 640, 270, 48, 34, 24
"""Of a chart, in its own units; ``LEFT``, ``BOTTOM`` and ``TOP`` are for what stands beside it."""


def chart(
    title: str, words: str, line: Sequence[tuple[int, float]], points: Sequence[Point]
) -> dict[str, Any]:
    """Return coordinates of a line and points: shares upwards, tests to the right, by logarithm."""
    values = [share for _, share in line] + [point.share for point in points]
    low = math.floor(10 * min(values)) / 10
    low = min(low, 0.9)
    widest = max([n for n, _ in line] + [math.ceil(point.tests) for point in points])
    span = math.log(max(widest, 2))

    def x(tests: float) -> float:
        return LEFT + (WIDTH - LEFT - 16) * math.log(max(tests, 1)) / span

    def y(share: float) -> float:
        return TOP + (HEIGHT - BOTTOM - TOP) * (1 - (share - low) / (1 - low))

    steps = round((1 - low) * 10)
    ticks = [n for n in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000) if n <= widest]
    marks = [
        {"name": p.name, "tests": p.tests, "share": p.share, "x": x(p.tests), "y": y(p.share)}
        for p in points
    ]
    return {
        "title": title,
        "words": words,
        "path": "M" + "L".join(f"{x(n):.1f} {y(share):.1f}" for n, share in line),
        "points": marks,
        "rows": [(f"{n} at random", share) for n, share in line if n in ticks],
        "x": [(n, x(n)) for n in ticks],
        "y": [(round(100 * (1 - n / 10)), y(1 - n / 10)) for n in range(steps + 1)],
        "width": WIDTH,
        "height": HEIGHT,
        "left": LEFT,
        "floor": HEIGHT - BOTTOM,
    }
