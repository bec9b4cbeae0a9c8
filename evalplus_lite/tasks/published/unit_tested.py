"""Sets with unit tests: BigCodeBench and ClassEval."""

from __future__ import annotations

from evalplus_lite.tasks.fields import Fields
from evalplus_lite.tasks.published.format import Background, Format
from evalplus_lite.tasks.published.rows import published, with_tests
from evalplus_lite.types import Task


def bigcodebench_task(fields: Fields, background: Background) -> Task:
    """Return a task of BigCodeBench, with its prompt for completion."""
    later = "complete_prompt" in fields.row.data  # the key since version 0.2
    prompt = fields.text("complete_prompt" if later else "prompt")
    reference = prompt + fields.text("canonical_solution")
    names = fields.id("task_id"), fields.identifier("entry_point"), prompt
    keys = "canonical_solution", "test", "libs"
    return with_tests(fields, published(fields, background, names, reference, *keys))


def classeval_task(fields: Fields, background: Background) -> Task:
    """Return a task of ClassEval; the row's imports are prepended to the reference."""
    imports = "\n".join(map(str, fields.items("import_statement")))
    names = fields.id("task_id"), fields.identifier("class_name"), fields.text("skeleton")
    reference = f"{imports}\n\n{fields.text('solution_code')}"
    task = published(fields, background, names, reference, "test", style="solution")
    return with_tests(fields, task)


FORMATS = (
    Format("BigCodeBench", {"canonical_solution", "test", "libs"}, bigcodebench_task),
    Format("ClassEval", {"skeleton", "solution_code", "class_name", "test"}, classeval_task),
)
