"""HumanEval+ and its mini form: HumanEval's tasks with inputs as JSON."""

from __future__ import annotations

from collections.abc import Mapping

from evalplus_lite.store import Row, read_jsonl
from evalplus_lite.tasks.fields import Fields
from evalplus_lite.tasks.published.download import Release
from evalplus_lite.tasks.published.format import CHECKED, Background, Format, published_rule
from evalplus_lite.tasks.published.humaneval import packaged
from evalplus_lite.tasks.published.rows import cases, heading, rest
from evalplus_lite.types import Task


def humaneval_plus_task(fields: Fields, background: Background) -> Task:
    """Return a task of HumanEval+ or its mini form, with real types where its asserts show them."""
    id, entry_point, prompt = heading(fields)
    body = fields.text("canonical_solution")
    test = fields.text("test", default=background.tests.get(id, ""))
    base, plus = cases(fields, test, "candidate")
    return Task(
        id=id,
        prompt=prompt,
        entry_point=entry_point,
        reference=prompt + body,
        base=base,
        plus=plus,
        contract=background.contracts.get(id) if id in CHECKED else None,
        rule=published_rule(id, fields.number("atol", default=0.0)),
        extra=rest(fields, "canonical_solution", "test", "contract", "atol"),
    )


def _tests(first: Row) -> Mapping[str, str]:
    """Return the test programs of the original tasks where a file of theirs comes without them."""
    if "test" in first.data:
        return {}
    return {row.data["task_id"]: row.data["test"] for row in read_jsonl(packaged())}


_RELEASES = "https://github.com/evalplus/humanevalplus_release/releases/download/v0.1.10/"
FORMAT = Format(
    "HumanEval+",
    {"base_input", "plus_input", "canonical_solution"},
    humaneval_plus_task,
    sources={
        "humaneval+": Release(
            f"{_RELEASES}HumanEvalPlus.jsonl.gz",
            "272720b90ac375502c8ed23cd791c2a93dfb22a911641a494da74a426c09f101",
        ),
        "humaneval+-mini": Release(
            f"{_RELEASES}HumanEvalPlus-Mini.jsonl.gz",
            "91486741f1627101021fbe50523df08eebb5b0bf5e804b633dcd5ca3c14dbd2f",
        ),
    },
    contracts="humaneval",
    prefix="HumanEval/",
    tests=_tests,
)
