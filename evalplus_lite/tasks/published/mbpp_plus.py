"""MBPP+: tasks with inputs as JSON, and assertions that show their types."""

from __future__ import annotations

from evalplus_lite.tasks.fields import Fields
from evalplus_lite.tasks.published.download import Release
from evalplus_lite.tasks.published.format import Background, Format, published_rule
from evalplus_lite.tasks.published.rows import cases, heading, rest
from evalplus_lite.types import Task


def mbpp_plus_task(fields: Fields, background: Background) -> Task:
    """Return a task of MBPP+, with the real types that its assertions show."""
    id, entry_point, prompt = heading(fields)
    base, plus = cases(fields, fields.text("assertion"), entry_point)
    return Task(
        id=id,
        prompt=prompt,
        entry_point=entry_point,
        reference=fields.text("canonical_solution"),
        base=base,
        plus=plus,
        contract=background.contracts.get(id),
        rule=published_rule(id, fields.number("atol", default=0.0)),
        style="solution",
        extra=rest(fields, "canonical_solution", "assertion", "contract", "atol"),
    )


FORMAT = Format(
    "MBPP+",
    {"base_input", "plus_input", "canonical_solution", "assertion"},
    mbpp_plus_task,
    sources={
        "mbpp+": Release(
            "https://github.com/evalplus/mbppplus_release/releases/download/v0.2.0/"
            "MbppPlus.jsonl.gz",
            "af43697e8791c4c149bdfd6b489d8b5412507551ac20e28a439f650b8225db63",
        )
    },
    contracts="mbpp",
    prefix="Mbpp/",
)
