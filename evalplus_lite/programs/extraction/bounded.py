"""Extraction in a helper process: for texts of anyone, at a bounded cost."""

from __future__ import annotations

from evalplus_lite.programs import helper
from evalplus_lite.programs.extraction.extraction import joined
from evalplus_lite.programs.extraction.steps import Extraction, Kind
from evalplus_lite.types import Task


def extract(text: str, task: Task, *, kind: Kind = "solution") -> Extraction:
    """Return what ``extraction.extract`` returns; an answer that is too large stays as it is."""
    try:
        source, steps = helper.ask(
            "extract",
            text=text,
            prompt=task.prompt,
            entry_point=task.entry_point,
            style=task.style,
            kind=kind,
        )
    except helper.TooLarge:
        return Extraction(joined(text, task, kind=kind), ("too large to look into",))
    return Extraction(source, tuple(steps))
