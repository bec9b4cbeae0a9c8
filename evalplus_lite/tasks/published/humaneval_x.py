"""HumanEval-X and HumanEvalPack, their Python rows: HumanEval's tasks in another form."""

from __future__ import annotations

import re

from evalplus_lite.tasks.fields import Fields
from evalplus_lite.tasks.published.format import Background, Format, published_rule
from evalplus_lite.tasks.published.rows import rest
from evalplus_lite.types import Task

_FUNCTION = re.compile(r"^def[ \t]+(\w+)[ \t]*\(", re.MULTILINE)


def humaneval_x_task(fields: Fields, background: Background) -> Task:
    """Return a task; its base cases stay in ``extra["test"]``, as HumanEval's do.

    HumanEvalPack names the entry point, of HumanEval-X it is the last function declared. Rows in
    other languages are refused.
    """
    id, prompt = fields.id("task_id"), fields.text("prompt")
    if not id.startswith("Python/"):
        raise fields.refuse(f"{id} is not a task in Python")
    if "entry_point" in fields.row.data:
        entry_point = fields.identifier("entry_point")
    else:
        declared = _FUNCTION.findall(fields.text("declaration"))
        if not declared:
            raise fields.refuse("its declaration declares no function")
        entry_point = declared[-1]
    fields.text("test")
    return Task(
        id=id,
        prompt=prompt,
        entry_point=entry_point,
        reference=prompt + fields.text("canonical_solution"),
        contract=background.contracts.get(id),
        rule=published_rule(id, 0.0),
        extra=rest(fields, "canonical_solution", "test", "buggy_solution", "bug_type"),
    )


FORMAT = Format(
    "HumanEval-X",
    {"declaration", "canonical_solution", "test"},
    humaneval_x_task,
    contracts="humaneval",
    prefix="Python/",
)
