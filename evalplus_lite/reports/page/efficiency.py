"""The views of efficiency: ranked models, work against size of each task, a map of models."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from evalplus_lite.jobs.outputs import Output
from evalplus_lite.jobs.tables import LAYOUTS, Cell, Table
from evalplus_lite.store.reading import written_rows

ROWS = "efficiency.jsonl"
COLUMNS, WIDE, HIGH, MARGIN = 6, 150, 110, 16
"""Panels in a row of the picture of growth, and the pixels of each."""
REFERENCE, USUAL, SLOWER, NOTHING = "#252144", "#3847de", "#fe511a", "#dddddd"
CELL, NAMES, LETTER = 14, 150, 7
"""Pixels of a cell of the map, of the names beside it, and of a wide letter."""


def pictures(output: Output) -> Iterator[tuple[Table, str]]:
    """Yield the table of models, the picture of growth, and the map of tasks and models."""
    summary = output.summary
    for table in LAYOUTS["efficiency"](summary):
        yield table, ""
    tasks: dict[str, list[Mapping[str, Any]]] = {}
    for row in written_rows(output.folder / ROWS):
        if row.data["sizes"]:
            tasks.setdefault(str(row.data["task_id"]), []).append(row.data)
    heads = ["task", "right programs", "reference", "slower", "most units", "least units"]
    caption = (
        "A panel a task: work on the costliest input of each size, both axes logarithmic, so that a"
        " steeper line grows by a higher power. Dark: the reference; orange: programs of a higher"
        " class of growth than the best. Programs of equal work are one line."
    )
    lines = [_line(id, rows) for id, rows in tasks.items()]
    yield Table("growth", "Work by size", heads, lines, caption=caption), _growth(tasks)
    models = summary["models"]
    names = [str(each["model"]) or "samples" for each in models]
    scores = [(id, [each["by_task"].get(id) for each in models]) for id in tasks]
    caption = (
        "eff@1 of each task: dark for the reference's work or less, white for twice its most or a"
        " wrong answer, gray where a model has no counted sample."
    )
    shares = [(id, *("" if each is None else f"{each:.3f}" for each in row)) for id, row in scores]
    table = Table("map", "Score by task and model", ["task", *names], shares, caption=caption)
    yield table, _map(names, scores)


def _points(row: Mapping[str, Any]) -> list[tuple[float, float]]:
    """Return the logarithms of size and worst work of the levels that a program completed."""
    return [
        (math.log2(size), math.log10(max(1, *units)))
        for size, units in zip(row["sizes"], row["units"], strict=True)
        if None not in units
    ]


def _line(id: str, rows: Sequence[Mapping[str, Any]]) -> tuple[Cell, ...]:
    reference = next((each for each in rows if each["program"] == "reference"), None)
    grown = None if reference is None else reference["growth"]
    whole = [max(each["units"][-1]) for each in rows if not each["reason"]]
    return (
        id,
        sum(each["program"] != "reference" for each in rows),
        "" if grown is None else str(grown["name"]),
        sum(each["slower"] is True for each in rows),
        max(whole, default=None),
        min(whole, default=None),
    )


def _growth(tasks: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """Return the panels of all tasks as SVG."""
    parts = []
    for number, (id, rows) in enumerate(tasks.items()):
        lines = [(_points(row), row) for row in rows]
        xs, ys = zip(*(point for points, _ in lines for point in points), strict=True)
        left, top = number % COLUMNS * WIDE, number // COLUMNS * HIGH
        across, upward = (
            (low, (max(some) - low) or 1.0) for some, low in ((xs, min(xs)), (ys, min(ys)))
        )
        drawn: dict[tuple[str, str], None] = {}
        for points, row in sorted(lines, key=lambda pair: pair[1]["program"] == "reference"):
            places = [
                (
                    left + 4 + (x - across[0]) / across[1] * (WIDE - MARGIN),
                    top + HIGH - 18 - (y - upward[0]) / upward[1] * (HIGH - 36),
                )
                for x, y in points
            ]
            kind = USUAL if not row["slower"] else SLOWER
            kind = REFERENCE if row["program"] == "reference" else kind
            drawn[" ".join(f"{x:.0f},{y:.0f}" for x, y in places), kind] = None
        parts += [
            f'<polyline points="{places}" stroke="{kind}" fill="none" stroke-width="'
            f'{2 if kind == REFERENCE else 1}"/>'
            for places, kind in drawn
        ]
        low, high = (f"{10**y:.2g}" for y in (upward[0], sum(upward)))
        sizes = f"{2 ** min(xs):.0f}-{2 ** max(xs):.0f}: {low}-{high} units"
        parts += [_text(left + 4, top + 10, id[:24]), _text(left + 4, top + HIGH - 6, sizes)]
    return _svg(COLUMNS * WIDE, -(-len(tasks) // COLUMNS) * HIGH, parts)


def _map(names: Sequence[str], scores: Sequence[tuple[str, Sequence[float | None]]]) -> str:
    """Return the map of tasks (rows) and models (columns) as SVG."""
    wide = max(CELL, min(120, 720 // max(1, len(names))))
    heads = [(NAMES + at * wide + 2, name[: max(4, wide // 3)]) for at, name in enumerate(names)]
    parts = [_text(left, 10 if at % 2 else 22, name) for at, (left, name) in enumerate(heads)]
    right = max((left + LETTER * len(name) for left, name in heads), default=0)
    for row, (id, values) in enumerate(scores):
        top = 28 + row * CELL
        parts.append(_text(2, top + 10, id[:24]))
        for at, value in enumerate(values):
            light = 255 - round(215 * min(1.0, max(0.0, value or 0.0)))
            fill = NOTHING if value is None else f"#{light:02x}{light:02x}ff"
            parts.append(
                f'<rect x="{NAMES + at * wide}" y="{top}" width="{wide - 1}" height="{CELL - 1}"'
                f' fill="{fill}" stroke="#bbbbbb" stroke-width="0.3"/>'
            )
    return _svg(max(right, NAMES + wide * len(names)), 28 + CELL * len(scores), parts)


def _text(x: float, y: float, text: str) -> str:
    return f'<text x="{x}" y="{y}">{escape(text)}</text>'


def _svg(width: float, height: float, parts: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        f' font-family="sans-serif" font-size="9">{"".join(parts)}</svg>'
    )
