"""Sections of a page other than verdicts: suites, survivors, tables of results, pictures."""

from __future__ import annotations

import base64
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any, TypeAlias

from evalplus_lite.errors import InputError
from evalplus_lite.jobs.outputs import Output
from evalplus_lite.jobs.tables import LAYOUTS, Cell, Table, cell_text
from evalplus_lite.reports.page.gathering import WORDS
from evalplus_lite.reports.page.rendering import MOST_ROWS, Section
from evalplus_lite.store import read_text
from evalplus_lite.store.reading import OWN_LINE, written_rows
from evalplus_lite.tasks import Dataset

# Suites, and the mutants that survive them.

MOST_OPERATORS = 12
MOST_SURVIVORS = 500
"""Maximum number of a suite's survivors shown with their diffs."""
SIGNS = {"+": "added", "-": "removed", "@": "place"}


def suite_sections(outputs: Sequence[Output], datasets: Iterable[Dataset]) -> Iterator[Section]:
    """Yield a section on the inputs of each suite, then one on the survivors of each with any."""
    suites = [(each.name, _suite(each)) for each in datasets if any(t.cases for t in each.tasks)]
    yield from _numbered("inputs", "Inputs", suites)
    survivors = [_survivors(each) for each in outputs if each.kind == "mutants"]
    yield from _numbered("survivors", "Survivors", survivors)


def _numbered(
    route: str, title: str, contexts: Sequence[tuple[str, dict[str, Any]]]
) -> Iterator[Section]:
    """Yield a section for each (suite, context); if there are several, titles name the suite."""
    names = [name for name, _ in contexts]
    for number, (name, context) in enumerate(contexts, 1):
        naming = f" of {name}" if len(contexts) > 1 else ""
        naming += f" ({number})" if names.count(name) > 1 else ""
        ending = f"-{number}" if number > 1 else ""
        context["name"] = name
        yield Section(f"{route}{ending}", f"{title}{naming}", f"{route}.html", context)


def _suite(suite: Dataset) -> dict[str, Any]:
    every = [case for task in suite.tasks for case in task.cases]
    counts = sorted(len(task.cases) for task in suite.tasks)
    operators = Counter(name for case in every for name in case.operators)
    return {
        "sizes": {
            "tasks": len(suite.tasks),
            "cases": len(every),
            "base": sum(len(task.base) for task in suite.tasks),
            "least": counts[0],
            "median": counts[len(counts) // 2],
            "most": counts[-1],
        },
        "sources": _bars(Counter(case.source for case in every)),
        "operators": _bars(operators, MOST_OPERATORS),
        "further_operators": max(0, len(operators) - MOST_OPERATORS),
    }


def _bars(counts: Counter[str], most: int | None = None) -> list[tuple[str, int, float]]:
    """Return display names, counts, and lengths in percent of the longest bar."""
    rows = counts.most_common(most)
    longest = max((count for _, count in rows), default=1)
    return [
        (WORDS.get(name, name.replace(".", ": ")), count, 100 * count / longest)
        for name, count in rows
    ]


def _survivors(output: Output) -> tuple[str, dict[str, Any]]:
    """Return the suite's name and its survivors by task, likely gaps in the tests first."""
    summary = output.summary
    groups: dict[bool, dict[str, list[Any]]] = {False: {}, True: {}}
    try:
        pairs = [
            (id, survivor)
            for id, row in summary["by_task"].items()
            for survivor in row["survivors"]
        ]
        pairs.sort(key=lambda pair: bool(pair[1]["suspected_equivalent"]))
        for id, survivor in pairs[:MOST_SURVIVORS]:
            lines = survivor["diff"].splitlines()[2:]
            row = {**survivor, "lines": [(SIGNS.get(line[:1], "same"), line) for line in lines]}
            groups[bool(survivor["suspected_equivalent"])].setdefault(id, []).append(row)
        name, *_ = (summary[key] for key in ("dataset", "mutants", "killed", "killed_by_base"))
    except FAULTS as error:
        raise _damaged(output, error) from None
    return str(name), {
        "summary": summary,
        "groups": groups,
        "counts": Counter(bool(survivor["suspected_equivalent"]) for _, survivor in pairs),
        "further": max(0, len(pairs) - MOST_SURVIVORS),
    }


# Results of other jobs: their tables, some with the job's pictures.


def _tables(output: Output) -> Iterator[tuple[Table, str]]:
    """Yield the tables of an output, without pictures."""
    yield from ((table, "") for table in LAYOUTS[output.kind](output.summary))


def _drawn(output: Output) -> Iterator[tuple[Table, str]]:
    """Yield the tables of exe report, each with the picture in its folder, or ""."""
    for figure in output.summary.get("figures", ()):
        name = str(figure["name"])
        table = Table(
            name,
            str(figure["title"]),
            [str(head) for head in figure["heads"]],
            [[cell_text(cell) for cell in row] for row in figure["rows"]],
            caption=str(figure["caption"]),
            left=int(figure["left"]),
        )
        file = f"{name}.svg"
        has_picture = file in figure["files"]
        yield table, read_text(output.folder / file, max_bytes=OWN_LINE) if has_picture else ""


# Efficiency: ranked models, work by size for each task, a map of models.

ROWS = "efficiency.jsonl"
COLUMNS, WIDE, HIGH, MARGIN = 6, 150, 110, 16
"""Panels per row of the picture of growth, and their size in pixels."""
REFERENCE, USUAL, SLOWER, NOTHING = "#252144", "#3847de", "#fe511a", "#dddddd"
CELL, NAMES, LETTER = 14, 150, 7
"""Pixels of a cell of the map, of the names next to it, and of a wide letter."""


def _pictures(output: Output) -> Iterator[tuple[Table, str]]:
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


Drawing: TypeAlias = Callable[[Output], Iterator[tuple[Table, str]]]
VIEWS: Mapping[str, tuple[str, str, Drawing]] = {
    "quality": (
        "Quality",
        "How well the suites tell right programs from wrong ones. Shares come with their counts"
        " and 95 % intervals.",
        _tables,
    ),
    "reduction": ("Reduction", "How many inputs a small suite keeps of a large one.", _tables),
    "crossval": (
        "Cross-validation",
        "Small suites that were chosen by other models' samples, and judged by a model that was"
        " left out.",
        _tables,
    ),
    "lint": (
        "Lint",
        "Whether each task is fit to judge or train by: weak tasks accept wrong programs, unfair"
        " ones reject right programs, and broken ones cannot be used.",
        _tables,
    ),
    "mining": ("Mining", "Functions of packages on their way to execution tasks.", _tables),
    "score": ("Predictions", "How many predictions of what programs do are right.", _tables),
    "execution": (
        "Execution prediction",
        "What models predict of programs: the tables and figures of EXecution-Eval, by model,"
        " package, construct, and measure of the code. Intervals are of 95 %.",
        _drawn,
    ),
    "efficiency": (
        "Efficiency",
        "Counted work of right programs on inputs that grow. Counts are the same on every machine;"
        " how much time a unit takes depends on it.",
        _pictures,
    ),
}
"""By kind of output: title, description, and a function for its tables with SVG pictures."""


def job_sections(outputs: Sequence[Output]) -> Iterator[Section]:
    """Yield a section for each kind of result.

    A picture is embedded as an image, in which no script can run.
    """
    for kind, (title, lead, drawing) in VIEWS.items():
        parts = [_part(each, drawing) for each in outputs if each.kind == kind]
        if parts:
            context = {"title": title, "lead": lead, "parts": parts, "most": MOST_ROWS}
            has_pictures = any(image for part in parts for _, image in part["products"])
            yield Section(kind, title, "tables.html", context, has_pictures)


FAULTS = (AttributeError, KeyError, TypeError, ValueError, OSError)
COMMANDS = {
    "mining": "exe mine", "score": "exe score", "execution": "exe report",
    "efficiency": "efficiency --force", "mutants": "reduce", "reduction": "reduce",
    "crossval": "reduce --cross-validate",
}  # fmt: skip
"""The command that writes a kind of output, if it has another name."""


def _damaged(output: Output, error: Exception) -> InputError:
    problem = f"is not what {output.kind} writes: {type(error).__name__}: {error}"
    again = f"make it again: evalplus-lite {COMMANDS.get(output.kind, output.kind)}"
    return InputError(problem, path=output.path, remedy=again)


def _part(output: Output, drawing: Drawing) -> dict[str, Any]:
    try:
        products = [
            (table, base64.b64encode(image.encode()).decode()) for table, image in drawing(output)
        ]
        left_out = output.summary.get("not_measured", {}).items()
        missing = [{"name": id, "reason": reason} for id, reason in left_out]
        named = output.summary.get("missing", ())
        missing += named if isinstance(named, list) else ()  # score has only their number
    except FAULTS as error:
        raise _damaged(output, error) from None
    return {"path": str(output.path), "products": products, "missing": missing}
