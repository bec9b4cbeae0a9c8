"""BigCodeBench: functions on many libraries, each with its unit tests."""

from __future__ import annotations

from evalplus_lite.tasks.fields import Fields
from evalplus_lite.tasks.published.format import Background, Format
from evalplus_lite.tasks.published.rows import rest, with_tests
from evalplus_lite.types import Task


def bigcodebench_task(fields: Fields, background: Background) -> Task:
    """Return a task of BigCodeBench, in its form for completion."""
    later = "complete_prompt" in fields.row.data  # as files since version 0.2 call it
    prompt = fields.text("complete_prompt" if later else "prompt")
    task = Task(
        id=fields.id("task_id"),
        prompt=prompt,
        entry_point=fields.identifier("entry_point"),
        reference=prompt + fields.text("canonical_solution"),
        extra=rest(fields, "canonical_solution", "test", "libs"),
    )
    return with_tests(fields, task)


FORMAT = Format("BigCodeBench", {"canonical_solution", "test", "libs"}, bigcodebench_task)
