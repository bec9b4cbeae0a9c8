"""HumanEval: prompt, reference, and a test program ``check(candidate)``."""

from __future__ import annotations

from pathlib import Path

from evalplus_lite.programs import definitions
from evalplus_lite.tasks.contracts import bundled
from evalplus_lite.tasks.fields import Fields
from evalplus_lite.tasks.published.format import Background, Format
from evalplus_lite.tasks.published.rows import heading
from evalplus_lite.types import Task


def humaneval_task(fields: Fields, background: Background) -> Task:
    """Return a task of the original HumanEval; its base cases stay in ``extra["test"]``.

    They are arguments of calls that only running ``check`` shows (``recover``). The task takes its
    contract file, and the repaired reference in it where the original one is wrong.
    """
    id, entry_point, prompt = heading(fields)
    body, test = fields.text("canonical_solution"), fields.text("test")
    contract = background.contracts.get(id)
    reference = contract and _repaired_reference(contract, entry_point)
    return Task(
        id=id,
        prompt=prompt,
        entry_point=entry_point,
        reference=reference or prompt + body,
        contract=contract,
        extra={"canonical_solution": body, "test": test},
    )


def packaged() -> Path:
    """Return the file that ships with the project."""
    return bundled("data") / "HumanEval.jsonl.gz"


def _repaired_reference(contract: str, entry_point: str) -> str | None:
    """Return the program within a contract file that defines the entry point, if there is one."""
    if f"def {entry_point}(" not in contract:  # as in most: parsing all would take a while
        return None
    tree = definitions.parse(contract)
    if tree is None or not definitions.defines(tree, entry_point):
        return None
    return definitions.text_of(contract, definitions.needed(tree.body, [entry_point]))


FORMAT = Format(
    "HumanEval",
    {"canonical_solution", "test"},
    humaneval_task,
    sources={"humaneval": packaged},
    contracts="humaneval",
    prefix="HumanEval/",
)
