"""EvoEval: tasks in HumanEval's form, with inputs as the source of argument lists."""

from __future__ import annotations

from collections.abc import Sequence

from evalplus_lite.tasks.fields import Fields
from evalplus_lite.tasks.published.format import Background, Format
from evalplus_lite.tasks.published.rows import arguments_of, as_cases, heading, rest
from evalplus_lite.types import Task


def evoeval_task(fields: Fields, background: Background) -> Task:
    """Return a task; inputs that are not all literals stay in ``extra["test"]``, a program that the
    sandbox runs to find them, as HumanEval's tests are.
    """
    id, entry_point, prompt = heading(fields)
    inputs = fields.items("inputs")
    if any(type(each) is not str for each in inputs):
        raise fields.refuse("'inputs' holds something other than texts")
    extra = rest(fields, "canonical_solution", "parent")
    try:
        base = as_cases(map(arguments_of, inputs), "base")
    except ValueError:
        base, extra["test"] = (), _test(inputs)
    return Task(
        id=id,
        prompt=prompt,
        entry_point=entry_point,
        reference=f"{prompt}\n{fields.text('canonical_solution')}",
        base=base,
        extra=extra,
    )


def _test(inputs: Sequence[str]) -> str:
    """Return a test program in HumanEval's form that makes these calls."""
    # Not indented: a text may have lines of a string in it.
    calls = "".join(f"lambda candidate: candidate(\n{text}\n),\n" for text in inputs)
    body = "    for call in CALLS:\n        call(candidate)\n"
    return f"CALLS = [\n{calls}]\n\ndef check(candidate):\n{body}"


FORMAT = Format("EvoEval", {"canonical_solution", "entry_point", "inputs"}, evoeval_task)
