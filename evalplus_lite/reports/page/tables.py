"""Results other than verdicts as sections: quality, cross-validation, audits, mining, scores."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evalplus_lite.errors import InputError
from evalplus_lite.jobs.outputs import Kind, Output
from evalplus_lite.jobs.tables import LAYOUTS
from evalplus_lite.reports.page.document import Section
from evalplus_lite.reports.page.rendering import MOST_ROWS
from evalplus_lite.store import read_text
from evalplus_lite.store.reading import OWN_LINE


def table_sections(outputs: Sequence[Output]) -> Iterator[Section]:
    """Yield a section for each kind of result that there is, with the tables of all of its kind."""
    for kind, (title, lead) in VIEWS.items():
        found = [each for each in outputs if each.kind == kind]
        if found:
            parts = [(str(each.path), list(LAYOUTS[kind](each.summary))) for each in found]
            context = {"title": title, "lead": lead, "parts": parts, "most": MOST_ROWS}
            yield Section(kind, title, "tables.html", context)


VIEWS: Mapping[Kind, tuple[str, str]] = {
    "quality": (
        "Quality",
        "How well the suites tell right programs from wrong ones. Shares come with their counts"
        " and 95 % intervals.",
    ),
    "crossval": (
        "Cross-validation",
        "Small suites that were chosen by other models' samples, and judged by a model that was"
        " left out.",
    ),
    "lint": (
        "Lint",
        "Whether each task is fit to judge or train by: weak tasks accept wrong programs, unfair"
        " ones reject right programs, and broken ones cannot be used.",
    ),
    "mining": ("Mining", "Functions of packages on their way to execution tasks."),
    "score": ("Predictions", "How many predictions of what programs do are right."),
}
"""By kind of output: the section's title, and what it shows."""


# Pictures that a job drew, with their tables: a page that holds them loads nothing.

EXECUTION = "Execution prediction"
EXECUTION_LEAD = (
    "What models predict of programs: the tables and figures of EXecution-Eval, by model, package, "
    "construct, and measure of the code. Intervals are of 95 %."
)


def picture_sections(outputs: Sequence[Output]) -> Iterator[Section]:
    """Yield a section for each exe-report: what it drew into its folder.

    A picture is embedded as an image, in which no script runs, whatever its file holds.
    """
    found = [each for each in outputs if each.kind == "execution"]
    for number, output in enumerate(found, 1):
        several = f" {number}" if len(found) > 1 else ""
        context = {
            "title": f"{EXECUTION}{several}",
            "lead": EXECUTION_LEAD,
            "products": [_product(output, each) for each in output.summary.get("figures", ())],
            "missing": output.summary.get("missing", ()),
            "path": str(output.path),
            "most": MOST_ROWS,
        }
        route = f"execution{several.replace(' ', '-')}"
        allows = {"img-src": "data:"}
        yield Section(route, f"{EXECUTION}{several}", "pictures.html", context, allows=allows)


def _product(output: Output, made: Mapping[str, Any]) -> dict[str, Any]:
    """Return a figure's title, caption, picture (base64, or "") and table as texts."""
    try:
        name, left = str(made["name"]), int(made["left"])
        pictures = [file for file in made["files"] if file == f"{name}.svg"]
        rows = [[_text(cell) for cell in row] for row in made["rows"]]
        heads = [str(head) for head in made["heads"]]
        found = {"title": str(made["title"]), "caption": str(made["caption"])}
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"has a figure of another shape: {type(error).__name__}: {error}",
            path=output.path,
            remedy="make it again: evalplus-lite exe report",
        ) from None
    image = ""
    for file in pictures:
        text = read_text(output.folder / file, max_bytes=OWN_LINE)
        image = base64.b64encode(text.encode()).decode()
    return {**found, "image": image, "heads": heads, "rows": rows, "left": left}


def _text(cell: object) -> str:
    if cell is None:
        return ""
    return f"{cell:.4g}" if isinstance(cell, float) else str(cell)
