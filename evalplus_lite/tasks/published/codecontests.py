"""CodeContests: problems with public, private and generated tests, as JSON rows."""

from __future__ import annotations

from typing import Any

from evalplus_lite.tasks.fields import Fields
from evalplus_lite.tasks.published.contest import Tests, contest_task, nested, texts
from evalplus_lite.tasks.published.format import Background, Format
from evalplus_lite.types import Rule, Task

RULE = Rule("numbers", 1e-5, 1e-5)
"""As its own judge: words, and numbers with a fraction within a tolerance."""
PYTHON3 = (3, "PYTHON3")
PARTS = ("public_tests", "private_tests", "generated_tests")


def codecontests_task(fields: Fields, background: Background) -> Task:
    """Return a task of CodeContests; one that reads or writes files by name is refused."""
    id = fields.id("name")
    for key in ("input_file", "output_file"):
        if fields.row.data.get(key):
            raise fields.refuse(f"task {id} names a file as its {key}: only standard streams are")
    inputs: list[str] = []
    outputs: list[str] = []
    for part in PARTS:
        held: dict[str, Any] = nested(fields, part, dict, default={})
        given, expected = held.get("input", []), held.get("output", [])
        if type(given) is not list or type(expected) is not list or len(given) != len(expected):
            raise fields.refuse(f"task {id}: {part} are not as many inputs as outputs")
        inputs += texts(fields, given, part)
        outputs += texts(fields, expected, part)
    solutions = nested(fields, "solutions", dict, default={})
    languages, sources = solutions.get("language", []), solutions.get("solution", [])
    ours = [s for kind, s in zip(languages, sources, strict=False) if kind in PYTHON3]
    return contest_task(
        fields,
        id,
        fields.text("description"),
        Tests([(text,) for text in inputs], [*outputs]),
        ours,
        rule=RULE,
        extra={},
    )


FORMAT = Format("CodeContests", {"name", "description", *PARTS, "solutions"}, codecontests_task)
