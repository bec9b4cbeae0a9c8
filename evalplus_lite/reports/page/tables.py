"""Results other than verdicts as sections: quality, cross-validation, audits, mining, scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from evalplus_lite.jobs.layouts import LAYOUTS
from evalplus_lite.jobs.outputs import Kind, Output
from evalplus_lite.reports.page.document import Section
from evalplus_lite.reports.page.rendering import MOST_ROWS


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
    "audit": (
        "Audit",
        "Inputs on which most programs that pass the base tests contradict the reference: for"
        " review, not proof.",
    ),
    "mining": ("Mining", "Functions of packages on their way to execution tasks."),
    "score": ("Predictions", "How many predictions of what programs do are right."),
}
"""By kind of output: the section's title, and what it shows."""
