"""TACO: APPS' form without numbers, and with tags."""

from __future__ import annotations

from evalplus_lite.tasks.fields import Fields
from evalplus_lite.tasks.published.apps import judged_by_tests
from evalplus_lite.tasks.published.format import Background, Format
from evalplus_lite.types import Task


def taco_task(fields: Fields, background: Background) -> Task:
    """Return a task of TACO, named by its line, from 0: rows have no names of their own."""
    return judged_by_tests(fields, f"TACO/{fields.row.line - 1}")


FORMAT = Format("TACO", {"question", "input_output", "solutions", "raw_tags"}, taco_task)
