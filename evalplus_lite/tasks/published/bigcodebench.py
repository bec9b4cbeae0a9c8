"""BigCodeBench: functions on many libraries, each with its unit tests."""

from __future__ import annotations

from evalplus_lite.tasks.fields import Fields
from evalplus_lite.tasks.published.format import Background, Format
from evalplus_lite.tasks.published.rows import heading, rest
from evalplus_lite.tasks.published.unittest_rows import tested_task
from evalplus_lite.types import Task


def bigcodebench_task(fields: Fields, background: Background) -> Task:
    """Return a task of BigCodeBench, in its form for completion."""
    _, entry_point, prompt = heading(
        fields
        if "complete_prompt" not in fields.row.data
        else Fields(
            fields.path,
            fields.row._replace(
                data=fields.row.data | {"prompt": fields.row.data["complete_prompt"]}
            ),
        )
    )
    return tested_task(
        fields,
        prompt=prompt,
        entry_point=entry_point,
        reference=prompt + fields.text("canonical_solution"),
        style="completion",
        extra=rest(fields, "canonical_solution", "test", "libs"),
    )


FORMAT = Format(
    "BigCodeBench",
    {"task_id", "entry_point", "canonical_solution", "test", "libs"},
    bigcodebench_task,
)
