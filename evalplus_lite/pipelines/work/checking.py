"""Checking a task: what of it will be tested, what not, and why."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from evalplus_lite.errors import ReferenceSolutionError, UnusableTask
from evalplus_lite.execution.base import Place, Row, Work
from evalplus_lite.grading.evidence import Evidence, blamed, own_refused, sentence
from evalplus_lite.grading.idle import ignored
from evalplus_lite.grading.oracle import Answers, answer
from evalplus_lite.grading.paces import reference_steps
from evalplus_lite.pipelines.work.expected import source_of
from evalplus_lite.pipelines.work.staging import staged
from evalplus_lite.programs import definitions
from evalplus_lite.sandbox import Limits, Sandbox
from evalplus_lite.tasks.contracts import has_check
from evalplus_lite.tasks.doctests import examples
from evalplus_lite.tasks.published.rows import LEFT_OUT
from evalplus_lite.types import Case, Cause, Task

CHECKS: Mapping[str, tuple[Cause, ...]] = {
    "row": ("unreadable", "duplicate"),
    "reference": ("load", "test", "no reference"),
    "inputs": ("no inputs", "raises", "arity", "crashes", "memory", "expected", "format"),
    "contract": ("invalid", "contract"),
    "stable": ("unstable",),
    "observed": ("unobserved",),
    "representable": ("unrepresentable",),
    "time": ("slow", "budget"),
}
"""What is checked of a task, in order, and the causes by which it does not hold."""
MOST_STEPS = 200_000_000
MOST_EXAMPLES = 100
"""Examples of a prompt that are tried."""


def check_of(cause: str) -> str:
    """Return the check that a cause belongs to."""
    return next((name for name, causes in CHECKS.items() if cause in causes), "inputs")


def checking(place: Place, settings: Row) -> Work:
    """Of a staged task, a row of ``pipelines.checking``."""
    source = source_of(settings)

    def check(item: Row) -> Row:
        task, given = staged(place, item)
        try:
            with blamed(task):
                refused = own_refused(place.sandbox, task)
                answers = source.usable(place.sandbox, task, given)
        except UnusableTask as error:
            return {**described(task), **failed(error.cause, error.detail)}
        evidence = source.evidence[task.id]
        row = {**described(task), **_found(place.sandbox, task, answers, evidence)}
        if refused:
            row["checks"]["contract"] = False
            row["remarks"].append(
                _remark("refused", f"kept, though {sentence(refused[0])}", len(refused))
            )
        row["status"] = "remarks" if row["remarks"] else "ready"
        return row

    return check


def described(task: Task) -> dict[str, Any]:
    """Return what a task asks to be tested."""
    return {
        "task_id": task.id,
        "harness": task.harness.kind,
        "observe": list(task.harness.observe),
        "compared": "check" if has_check(task) else task.rule.kind,
        "given": len(task.cases),
        "usable": 0,
        "steps": None,
    }


def failed(cause: str, detail: str) -> dict[str, Any]:
    """Return what is known of a task that cannot be used: what stands in its way comes first."""
    found: dict[str, bool | None] = dict.fromkeys(CHECKS)
    broken = check_of(cause)
    for name in CHECKS:
        if name == broken:
            found[name] = False
            break
        if name == "row":
            found[name] = True
    return {"status": "unusable", "checks": found, "remarks": [_remark(cause, detail)]}


def _found(sandbox: Sandbox, task: Task, answers: Answers, evidence: Evidence) -> dict[str, Any]:
    lost = {check_of(loss.cause) for loss in evidence.lost}
    found: dict[str, bool | None] = {name: name not in lost for name in CHECKS}
    remarks = [_remark(loss.cause, loss.example, loss.count) for loss in evidence.lost]
    if left_out := task.extra.get(LEFT_OUT):
        remarks.append(_remark("left out", "; ".join(left_out[:3]), len(left_out)))
    if task.contract is None:
        found["contract"] = None
    if not evidence.base:
        remarks.append(_remark("no base", "no base case is left"))
    if evidence.blind:
        remarks.append(_remark("constant", evidence.blind))
    if evidence.observed:
        remarks.append(_remark("observed", evidence.observed))
    steps = None
    if task.reference:
        base = answers.suite.cases[: evidence.base]
        steps = max(reference_steps(sandbox, task, base, most=MOST_STEPS), default=None)
        remarks += [*_untested(task), *_contradicted(sandbox, task)]
        remarks += [_remark("ignored", text) for text in ignored(sandbox, task, base)]
    else:
        found |= dict.fromkeys(("reference", "stable", "time"))
        detail = "judged by its outputs; augment and reduce leave it out"
        remarks.append(_remark("no reference", detail))
    return {"usable": evidence.cases, "steps": steps, "checks": found, "remarks": remarks}


def _remark(kind: str, detail: str, count: int = 1) -> dict[str, Any]:
    return {"kind": kind, "count": count, "detail": detail}


def _untested(task: Task) -> list[dict[str, Any]]:
    """Return a remark on functions and classes of the reference that the entry point never uses."""
    tree = definitions.parse(task.reference)
    if tree is None or not task.defined:
        return []
    used = definitions.needed(tree.body, [task.defined])
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    names = [node.name for node in tree.body if isinstance(node, kinds) and node not in used]
    if not names:
        return []
    return [_remark("untested", f"nothing calls {', '.join(names[:5])}", len(names))]


def _contradicted(sandbox: Sandbox, task: Task) -> list[dict[str, Any]]:
    """Return a remark on examples in the prompt that the reference answers otherwise."""
    if task.harness.kind != "call" or has_check(task):
        return []
    found = [each for each in examples(task.prompt, task.entry_point) if not each.problem]
    found = found[:MOST_EXAMPLES]
    if not found:
        return []
    cases = tuple(Case(each.arguments, "docstring") for each in found)
    stated = replace(task, base=cases, plus=(), outputs=tuple(each.output for each in found))
    limits = Limits(cpu=2.0, load=10.0)
    try:
        answers = answer(
            sandbox,
            stated,
            cases,
            base_count=len(cases),
            limits=limits,
            contract=False,
            twice=False,
        )
    except ReferenceSolutionError as error:  # it did load before
        return [_remark("prompt", str(error))]
    if not answers.dropped:
        return []
    first = answers.dropped[0]
    detail = f"an example in the prompt: {sentence(first)}"
    return [_remark("prompt", detail, len(answers.dropped))]
