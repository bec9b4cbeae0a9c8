"""Sections of a page on all but verdicts: suites, survivors, tables of results, pictures."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from evalplus_lite.errors import InputError
from evalplus_lite.jobs.outputs import Output
from evalplus_lite.jobs.tables import LAYOUTS, Table, cell_text
from evalplus_lite.reports.page import efficiency
from evalplus_lite.reports.page.gathering import WORDS
from evalplus_lite.reports.page.rendering import MOST_ROWS, Section
from evalplus_lite.store import read_text
from evalplus_lite.store.reading import OWN_LINE
from evalplus_lite.tasks import Dataset

# Suites, and the mutants that survive them.

MOST_OPERATORS = 12
MOST_SURVIVORS = 500
"""Survivors of a suite that are shown with their diffs."""
SIGNS = {"+": "added", "-": "removed", "@": "place"}


def suite_sections(outputs: Sequence[Output], datasets: Iterable[Dataset]) -> Iterator[Section]:
    """Yield a section on the inputs of each suite, then one on the survivors of each that has."""
    suites = [(each.name, _suite(each)) for each in datasets if any(t.cases for t in each.tasks)]
    yield from _numbered("inputs", "Inputs", suites)
    found = [_survivors(each) for each in outputs if each.kind == "mutants"]
    yield from _numbered("survivors", "Survivors", found)


def _numbered(
    route: str, title: str, found: Sequence[tuple[str, dict[str, Any]]]
) -> Iterator[Section]:
    """Yield a section for each (suite, context); of several each has its suite in its title."""
    names = [name for name, _ in found]
    for number, (name, context) in enumerate(found, 1):
        naming = f" of {name}" if len(found) > 1 else ""
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
    """Return names in words, counts, and lengths in percent of the longest bar."""
    rows = counts.most_common(most)
    longest = max((count for _, count in rows), default=1)
    return [
        (WORDS.get(name, name.replace(".", ": ")), count, 100 * count / longest)
        for name, count in rows
    ]


def _survivors(output: Output) -> tuple[str, dict[str, Any]]:
    """Return the suite, and its survivors by task, those that most likely want an input first."""
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


# Results of other jobs: their tables, some with a picture that the job drew.


def _tables(output: Output) -> Iterator[tuple[Table, str]]:
    """Yield the tables of an output, without pictures."""
    yield from ((table, "") for table in LAYOUTS[output.kind](output.summary))


def _drawn(output: Output) -> Iterator[tuple[Table, str]]:
    """Yield the tables of exe report, each with the picture in its folder, or ""."""
    for made in output.summary.get("figures", ()):
        name = str(made["name"])
        table = Table(
            name,
            str(made["title"]),
            [str(head) for head in made["heads"]],
            [[cell_text(cell) for cell in row] for row in made["rows"]],
            caption=str(made["caption"]),
            left=int(made["left"]),
        )
        file = f"{name}.svg"
        has_picture = file in made["files"]
        yield table, read_text(output.folder / file, max_bytes=OWN_LINE) if has_picture else ""


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
        efficiency.pictures,
    ),
}
"""By kind of output: the title, what it shows, and its tables with their pictures as SVG."""


def job_sections(outputs: Sequence[Output]) -> Iterator[Section]:
    """Yield a section for each kind of result that there is, with all of its kind.

    A picture is embedded as an image, in which no script runs, whatever its file holds.
    """
    for kind, (title, lead, drawing) in VIEWS.items():
        parts = [_part(each, drawing) for each in outputs if each.kind == kind]
        if parts:
            context = {"title": title, "lead": lead, "parts": parts, "most": MOST_ROWS}
            has_pictures = any(image for part in parts for _, image in part["products"])
            allows = {"img-src": "data:"} if has_pictures else {}
            yield Section(kind, title, "tables.html", context, allows=allows)


FAULTS = (AttributeError, KeyError, TypeError, ValueError, OSError)
COMMANDS = {
    "mining": "exe mine", "score": "exe score", "execution": "exe report",
    "efficiency": "efficiency --force", "mutants": "reduce", "reduction": "reduce",
    "crossval": "reduce --cross-validate",
}  # fmt: skip
"""What writes a kind of output, where that is not its name."""


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
        missing += named if isinstance(named, list) else ()  # of a score their number
    except FAULTS as error:
        raise _damaged(output, error) from None
    return {"path": str(output.path), "products": products, "missing": missing}
