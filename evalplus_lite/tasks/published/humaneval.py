"""HumanEval and sets with its format: HumanEval+, HumanEval-X, HumanEvalPack and EvoEval."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from evalplus_lite.programs import definitions
from evalplus_lite.store import Row, read_jsonl
from evalplus_lite.tasks.contracts import bundled
from evalplus_lite.tasks.fields import Fields
from evalplus_lite.tasks.published.format import CHECKED, Background, Format, Release
from evalplus_lite.tasks.published.rows import (
    arguments_of,
    as_cases,
    cases,
    heading,
    published,
    rest,
)
from evalplus_lite.types import Task


def humaneval_task(fields: Fields, background: Background) -> Task:
    """Return a task of the original HumanEval; its base cases stay in ``extra["test"]``.

    Only running ``check`` reveals their arguments (``recover``). The task gets its contract, and
    the contract's repaired reference if the original is wrong.
    """
    id, entry_point, prompt = names = heading(fields)
    reference = prompt + fields.text("canonical_solution")
    fields.text("test")
    contract = background.contracts.get(id, "")
    if f"def {entry_point}(" in contract:  # in few; parsing all of them is slow
        tree = definitions.parse(contract)
        if tree is not None and definitions.defines(tree, entry_point):
            reference = definitions.text_of(contract, definitions.needed(tree.body, [entry_point]))
    return published(fields, background, names, reference, "canonical_solution", "test")


def packaged() -> Path:
    """Return the file that ships with the project."""
    return bundled("data") / "HumanEval.jsonl.gz"


def humaneval_plus_task(fields: Fields, background: Background) -> Task:
    """Return a task of HumanEval+ or its mini version, with the types its assertions reveal."""
    id, _, prompt = names = heading(fields)
    test = fields.text("test", default=background.tests.get(id, ""))
    base, plus = cases(fields, test, "candidate")
    return published(
        fields,
        background,
        names,
        prompt + fields.text("canonical_solution"),
        *("canonical_solution", "test", "contract", "atol"),
        base=base,
        plus=plus,
        contract=background.contracts.get(id) if id in CHECKED else None,
    )


def _tests(first: Row) -> Mapping[str, str]:
    """Return the original tasks' test programs, for a file that omits them."""
    if "test" in first.data:
        return {}
    return {row.data["task_id"]: row.data["test"] for row in read_jsonl(packaged())}


_FUNCTION = re.compile(r"^def[ \t]+(\w+)[ \t]*\(", re.MULTILINE)


def humaneval_x_task(fields: Fields, background: Background) -> Task:
    """Return a task; its base cases stay in ``extra["test"]``, as HumanEval's do.

    HumanEvalPack names the entry point; in HumanEval-X it is the last function declared. Rows in
    other languages raise InputError.
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
    return published(
        fields,
        background,
        (id, entry_point, prompt),
        prompt + fields.text("canonical_solution"),
        *("canonical_solution", "test", "buggy_solution", "bug_type"),
    )


def evoeval_task(fields: Fields, background: Background) -> Task:
    """Return a task; unless all inputs are literals, they stay in ``extra["test"]`` as a program
    that the sandbox runs to recover them, as with HumanEval.
    """
    names = heading(fields)
    inputs = fields.texts("inputs")
    extra = rest(fields, "canonical_solution", "parent")
    try:
        base = as_cases(map(arguments_of, inputs), "base")
    except ValueError:
        # Not indented, because a text may contain a string of several lines.
        calls = "".join(f"lambda candidate: candidate(\n{text}\n),\n" for text in inputs)
        body = "    for call in CALLS:\n        call(candidate)\n"
        base, extra["test"] = (), f"CALLS = [\n{calls}]\n\ndef check(candidate):\n{body}"
    reference = f"{names[2]}\n{fields.text('canonical_solution')}"
    return published(fields, background, names, reference, base=base, extra=extra)


_RELEASES = "https://github.com/evalplus/humanevalplus_release/releases/download/v0.1.10/"
FORMATS = (
    Format(
        "HumanEval",
        {"canonical_solution", "test"},
        humaneval_task,
        sources={"humaneval": packaged},
        contracts="humaneval",
        prefix="HumanEval/",
    ),
    Format(
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
    ),
    Format(
        "HumanEval-X",
        {"declaration", "canonical_solution", "test"},
        humaneval_x_task,
        contracts="humaneval",
        prefix="Python/",
    ),
    Format("EvoEval", {"canonical_solution", "entry_point", "inputs"}, evoeval_task),
)
