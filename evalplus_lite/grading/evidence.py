"""The evidence of a task's suite: usable cases, lost inputs, blind spots.

No program passes a task without a usable case: every command that reads suites excludes it from its
figures and lists it with the cause from here.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, cast

from evalplus_lite.errors import ContractError, ReferenceSolutionError, UnusableTask
from evalplus_lite.grading.oracle import Answers, Dropped
from evalplus_lite.sandbox import Sandbox
from evalplus_lite.store.opening import Packed
from evalplus_lite.tasks.contracts import check_of, faulty_check, has_check, shown, violations
from evalplus_lite.types import Cause, Rule, Suite, Task, Unusable, clip
from evalplus_lite.values import wire
from evalplus_lite.values.equality import is_something
from evalplus_lite.values.source import shorten

# Why a case cannot be a test, as the start of a sentence.
WORDS: Mapping[Cause, str] = {
    "raises": "the reference raises",
    "arity": "the reference does not take",
    "test": "the reference fails its own test",
    "unstable": "the reference does not answer the same twice",
    "unrepresentable": "the answer cannot be represented",
    "slow": "the reference is too slow",
    "crashes": "the reference ends its process",
    "memory": "the reference needs too much memory",
    "invalid": "the contract refuses the input",
    "contract": "the contract fails",
    "budget": "not tried",
    "expected": "the reference does not give the output that the task came with",
}
# Number of right answers on which a contract's check is tried before it judges samples.
TRIED_ON_CHECK = 3
# Harness settings that turn a value of this type into an answer; ``items`` for other types.
FIELDS = {
    "coroutine": '"awaited": true',
    "function": '"kind": "factory"',
    "builtin_function_or_method": '"kind": "factory"',
    "type": '"kind": "factory"',
    "object": '"attributes": ["name", ...]',
}
NOTHING = wire.encode(None)


@dataclass(frozen=True, slots=True)
class Loss:
    """The number of a task's inputs lost for one cause, and the detail of the first."""

    cause: Cause
    count: int
    example: str

    @classmethod
    def of(cls, dropped: Iterable[Dropped]) -> tuple[Loss, ...]:
        """Return a loss for each cause, most frequent first."""
        first: dict[Cause, Dropped] = {}
        counts: Counter[Cause] = Counter()
        for drop in dropped:
            first.setdefault(drop.cause, drop)
            counts[drop.cause] += 1
        return tuple(
            cls(cause, count, sentence(first[cause]))
            for cause, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
        )


@dataclass(frozen=True, slots=True)
class Evidence:
    """Facts about a usable task's suite.

    ``lost`` inputs cannot be tests. ``blind`` describes what a program could do unnoticed, or is
    "". ``observed`` describes inferred observation, ``null_program`` a null program that passes
    (``grading.null``).
    """

    cases: int
    base: int
    lost: tuple[Loss, ...] = ()
    blind: str = ""
    observed: str = ""
    null_program: str = ""


def weighed(task: Task, answers: Answers) -> Evidence:
    """Return the evidence of a task's suite; raise UnusableTask if there is no usable case."""
    lost = Loss.of(answers.dropped)
    if not answers.suite.cases:
        if not lost:
            raise UnusableTask(task.id, "no inputs", "it has no inputs")
        # The most frequent cause is reported as the task's problem; the others are only counted.
        more = f" (all {len(answers.dropped)} inputs: {counted(lost)})" if len(lost) > 1 else ""
        raise UnusableTask(task.id, lost[0].cause, lost[0].example + more + _remedy(answers))
    suite = answers.suite
    blind = unseen(suite, task)
    return Evidence(len(suite.cases), suite.base_count, lost, blind, observed(task))


def _remedy(answers: Answers) -> str:
    """Return a harness setting that would make the first lost input a test; "" if unknown."""
    first = answers.dropped[0]
    if first.cause == "raises" and (name := first.detail.partition(":")[0]).isidentifier():
        return f'; if that is an answer, say "harness": {{"exceptions": ["{name}"]}}'
    if first.cause != "unrepresentable":
        return ""
    kind = first.detail.removeprefix("returned ").partition(",")[0].removeprefix("builtins.")
    field = '"attributes": ["name", ...]' if "." in kind else FIELDS.get(kind, '"items": 1000')
    return f'; say what of it is compared: "harness": {{{field}}}'


def observed(task: Task) -> str:
    """Describe what is compared, if that was inferred from the reference; else ""."""
    if not task.harness.inferred:
        return ""
    return f"compared, by the text of the reference: {task.harness.words}"


def require_check(sandbox: Sandbox, task: Task, suite: Suite) -> None:
    """Raise UnusableTask if the task's own check does not work on answers known to be right."""
    if not has_check(task):
        return
    # A check that rejects right answers would reject every sample, so it is tried before judging
    # any.
    few = zip(islice(suite.cases, TRIED_ON_CHECK), suite.expected, strict=False)
    problem = faulty_check(sandbox, check_of(task), [(case, wire.decode(x)) for case, x in few])
    if problem is not None:
        raise UnusableTask(task.id, "contract", problem)


def own_refused(sandbox: Sandbox, task: Task) -> tuple[Dropped, ...]:
    """Return the base inputs of a task that its contract rejects.

    Raises UnusableTask if the contract itself fails on one of them, or rejects all of the task's
    inputs.
    """
    if task.contract is None or not task.base:
        return ()
    refused = []
    reasons = violations(sandbox, task.contract, task.base, most_slow=1)
    for case, violation in zip(task.base, reasons, strict=True):
        if violation is not None and violation.faulty:
            raise UnusableTask(
                task.id, "contract", sentence(Dropped(case, "contract", clip(violation.reason)))
            )
        if violation is not None:
            refused.append(Dropped(case, "invalid", clip(violation.reason)))
    # A few rejected inputs are kept, with a note. A contract that rejects all inputs does not fit
    # the task.
    if len(refused) == len(task.cases):
        raise UnusableTask(task.id, "invalid", f"{sentence(refused[0])}, and every other one")
    return tuple(refused)


@contextlib.contextmanager
def blamed(task: Task) -> Iterator[None]:
    """Convert an error in a task's reference or contract into an UnusableTask for that task."""
    try:
        yield
    except ReferenceSolutionError as error:
        text = str(error).removeprefix(f"{task.id}: ").removeprefix(f"task {task.id}: ")
        raise UnusableTask(task.id, "load", clip(text)) from None
    except ContractError as error:
        text = str(error).removeprefix(f"{task.id}: ")
        raise UnusableTask(task.id, "contract", clip(text)) from None


def unseen(suite: Suite, task: Task) -> str:
    """Describe a blind spot of a suite; "" if none was found."""
    inside, blind = task.harness.inside, blind_spot(suite, task.rule)
    if not inside:
        return blind
    count = len(task.base)
    told = (
        f"the program's own process decides some assertions of {inside} of {count} tests: "
        "a program made to deceive could pass these"
    )
    return f"{told}; {blind}" if blind else told


def blind_spot(suite: Suite, rule: Rule) -> str:
    """Return a suite's blind spot if all its answers are equal."""
    count = len(suite.cases)
    cases = f"on all {count} cases" if count > 1 else "on its only case"
    if rule.kind == "truthiness" and all(map(is_something, suite.expected)):
        return (
            f"the rule asks only whether there is an answer, and there is one {cases}: "
            "a program that always returns 1 passes"
        )
    if len(set(suite.blobs.items())) != 1:
        return ""
    if suite.expected[0] == NOTHING:
        return (
            f"the reference returns None {cases}: a program that does nothing passes "
            "(give an input on which it returns something)"
        )
    # ``None`` on a single case was reported above, as doing nothing passes there, too.
    if count == 1:  # a single case always has just one value
        return ""
    item = next(suite.blobs.items())
    text = "one large value" if isinstance(item, Packed) else clip(shorten(wire.decode(item)))
    return f"the reference returns {text} {cases}: a program that always does so passes"


def sentence(drop: Dropped) -> str:
    """Return a readable sentence about an input that cannot be a test."""
    return f"{WORDS[drop.cause]}: {drop.detail}, on input {shown(drop.case)}"


def counted(losses: Iterable[Loss]) -> str:
    """Return the numbers of lost inputs by cause, as one line."""
    return ", ".join(f"{loss.count} {loss.cause}" for loss in losses)


def recorded(error: UnusableTask) -> Unusable:
    """Return the record of an error, for lists."""
    return Unusable(error.task_id, cast("Cause", error.cause), error.detail)


def weakness(evidence: Evidence) -> str:
    """Return the sentence on a null program that passes."""
    return f"weak suite: a program that {evidence.null_program} passes"


def notes(evidence: Evidence) -> list[str]:
    """Return notes for users about a usable suite, as lines."""
    lines = []
    if evidence.lost:
        first = evidence.lost[0].example
        lines.append(f"inputs dropped: {counted(evidence.lost)}; {first}")
    if not evidence.base:
        lines.append("no base case is left: base is judged by all other cases")
    if evidence.blind:
        lines.append(evidence.blind)
    if evidence.null_program and not evidence.blind:
        lines.append(weakness(evidence))
    if evidence.observed:
        lines.append(evidence.observed)
    return lines


def evidence_rows(task_id: str, evidence: Evidence, *, has_plus: bool) -> list[dict[str, Any]]:
    """Return the notes on a usable suite in the form of results.

    ``kind`` is ``dropped`` (inputs, with cause, count and example), ``no base``, ``no plus`` (if
    the dataset ``has_plus`` cases), ``constant`` (a blind spot), ``weak`` (a null program passes)
    or ``observed`` (inferred observation).
    """
    rows: list[dict[str, Any]] = [
        {"kind": "dropped", "cause": each.cause, "count": each.count, "detail": each.example}
        for each in evidence.lost
    ]
    if not evidence.base:
        rows.append({"kind": "no base", "detail": "no base case is left"})
    if has_plus and evidence.base == evidence.cases:
        rows.append({"kind": "no plus", "detail": "no case beyond the base ones: plus is base"})
    if evidence.blind:
        rows.append({"kind": "constant", "detail": evidence.blind})
    if evidence.null_program and not evidence.blind:
        rows.append({"kind": "weak", "detail": weakness(evidence)})
    if evidence.observed:
        rows.append({"kind": "observed", "detail": evidence.observed})
    return [{"task_id": task_id, **row} for row in rows]
