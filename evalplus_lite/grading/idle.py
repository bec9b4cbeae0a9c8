"""Detection of suites that an idle program passes, which are no evidence at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from evalplus_lite.errors import CodecError, UnusableTask
from evalplus_lite.grading.null import accepts, null_program
from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox
from evalplus_lite.tasks.contracts import has_check
from evalplus_lite.types import Case, Returned, Suite, Task
from evalplus_lite.values import wire
from evalplus_lite.values.identity import key

NOTHING = wire.encode(None)
LIMITS = Limits(cpu=2.0)
EFFECTS = {"arguments": "changes its arguments", "printed": "prints"}
TRIED = 20  # cases on which a reference is watched


def is_plain(task: Task) -> bool:
    """Return whether only the return values of a task's programs are compared."""
    return task.harness.observe == ("value",)


def require_effect(sandbox: Sandbox, task: Task, suite: Suite) -> None:
    """Raise UnusableTask if the reference's effects are not what programs are judged by."""
    if task.harness.kind not in ("call", "method") or has_check(task):
        return
    if is_plain(task):
        if any(data != NOTHING for data in suite.expected):
            return
        seen = _effects(sandbox, task, suite.cases) if task.reference else []
        if seen:
            what = " and ".join(
                {"arguments": "changes its arguments"}.get(s, "prints") for s in seen
            )
            observe = ", ".join(f'"{each}"' for each in seen)
            raise UnusableTask(
                task.id,
                "unobserved",
                f"the reference only returns None and {what}: a program that does nothing would "
                f'pass; say "harness": {{"observe": [{observe}]}}',
            )
    elif accepts(sandbox, task, suite, null_program(task, "pass")):
        raise UnusableTask(
            task.id,
            "unobserved",
            f"a program that does nothing would pass: {' and '.join(task.harness.observe)} are "
            "observed, and on no input does the reference do more; give such an input, or "
            "observe something else",
        )


def ignored(sandbox: Sandbox, task: Task, cases: Sequence[Case]) -> list[str]:
    """Return in words the unobserved effects of a reference on these cases."""
    harness = task.harness
    if harness.kind not in ("call", "method") or "exception" in harness.observe:
        return []
    return [
        f'it {EFFECTS[each]}, which is not compared: "observe" may name {each!r}'
        for each in _effects(sandbox, task, cases)
        if each not in harness.observe
    ]


def _effects(sandbox: Sandbox, task: Task, cases: Sequence[Case]) -> list[str]:
    """Return which of arguments and printed text a reference that returns None leaves changed."""
    harness = replace(task.harness, observe=("arguments", "printed"))
    few = list(islice(cases, TRIED))
    inputs = Inputs.of(case.arguments for case in few)
    run = sandbox.run(Program.of(replace(task, harness=harness)), inputs, LIMITS)
    effects: set[str] = set()
    for case, outcome in zip(few, run.outcomes, strict=False):
        try:
            seen = wire.decode(outcome.data) if isinstance(outcome, Returned) else {}
        except CodecError:
            continue
        if "arguments" in seen and key(seen["arguments"]) != key(list(case.arguments)):
            effects.add("arguments")
        if seen.get("printed"):
            effects.add("printed")
    return sorted(effects)
