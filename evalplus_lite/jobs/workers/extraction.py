"""Programs out of responses, many at a time."""

from __future__ import annotations

from evalplus_lite.execution.base import Row, Work, WorkerContext
from evalplus_lite.programs.extraction import extract
from evalplus_lite.types import Task


def extracting(place: WorkerContext, _: Row) -> Work:
    """Return the (program, steps) of several (text, kind, prompt, entry point, style)."""
    del place  # a helper process inspects them; nothing is run

    def work(item: Row) -> Row:
        rows = []
        for text, kind, prompt, entry_point, style in item:
            task = Task("", prompt, entry_point, "", style=style)
            extraction = extract(text, task, kind=kind)
            rows.append((extraction.source, extraction.steps))
        return rows

    return work
