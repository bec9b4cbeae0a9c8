"""ClassEval: classes to be written whole, each with its unit tests."""

from __future__ import annotations

from evalplus_lite.tasks.fields import Fields
from evalplus_lite.tasks.published.format import Background, Format
from evalplus_lite.tasks.published.rows import rest, with_tests
from evalplus_lite.types import Task


def classeval_task(fields: Fields, background: Background) -> Task:
    """Return a task of ClassEval; the imports of its row stand before the reference."""
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


FORMAT = Format("ClassEval", {"skeleton", "solution_code", "class_name", "test"}, classeval_task)
