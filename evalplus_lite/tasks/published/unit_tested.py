"""Sets with unit tests: BigCodeBench and ClassEval."""

from __future__ import annotations

from evalplus_lite.tasks.fields import Fields
from evalplus_lite.tasks.published.format import Background, Format
from evalplus_lite.tasks.published.rows import rest, with_tests
from evalplus_lite.types import Task


def bigcodebench_task(fields: Fields, background: Background) -> Task:
    """Return a task of BigCodeBench, with its prompt for completion."""
    later = "complete_prompt" in fields.row.data  # the key since version 0.2
    prompt = fields.text("complete_prompt" if later else "prompt")
    task = Task(
        id=fields.id("task_id"),
        prompt=prompt,
        entry_point=fields.identifier("entry_point"),
        reference=prompt + fields.text("canonical_solution"),
        extra=rest(fields, "canonical_solution", "test", "libs"),
    )
    return with_tests(fields, task)


def classeval_task(fields: Fields, background: Background) -> Task:
    """Return a task of ClassEval; the row's imports are prepended to the reference."""
    imports = "\n".join(map(str, fields.items("import_statement")))
    task = Task(
        id=fields.id("task_id"),
        prompt=fields.text("skeleton"),
        entry_point=fields.identifier("class_name"),
        reference=f"{imports}\n\n{fields.text('solution_code')}",
        style="solution",
        extra=rest(fields, "test"),
    )
    return with_tests(fields, task)


FORMATS = (
    Format("BigCodeBench", {"canonical_solution", "test", "libs"}, bigcodebench_task),
    Format("ClassEval", {"skeleton", "solution_code", "class_name", "test"}, classeval_task),
)
