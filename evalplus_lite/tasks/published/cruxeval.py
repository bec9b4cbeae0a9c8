"""CRUXEval's programs as coding tasks, to check them and add inputs.

``exe.tasks.forms`` reads them as execution-prediction tasks.
"""

from __future__ import annotations

from evalplus_lite.tasks.fields import Fields
from evalplus_lite.tasks.published.format import Background, Format
from evalplus_lite.tasks.published.rows import arguments_of
from evalplus_lite.types import Case, Task
from evalplus_lite.values import wire


def cruxeval_task(fields: Fields, background: Background) -> Task:
    """Return a task with one base case and its output; InputError if they are not literals."""
    id, code = fields.id("id"), fields.text("code")
    given, output = fields.text("input"), fields.text("output")
    try:
        arguments, (right,) = arguments_of(given), arguments_of(f"({output}),")
    except ValueError as error:
        raise fields.refuse(f"its input or output is not a literal: {error}") from None
    return Task(
        id=f"cruxeval/{id}",
        prompt=code,
        entry_point="f",
        reference=code,
        base=(Case(arguments),),
        outputs=(wire.encode(right),),
        style="solution",
    )


FORMATS = (Format("CRUXEval", {"code", "input", "output"}, cruxeval_task),)
