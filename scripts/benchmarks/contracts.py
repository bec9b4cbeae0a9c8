"""Hold every HumanEval contract against HumanEval+: its inputs, its own contract, its references.

    python -m scripts.benchmarks.contracts --record contracts.json

For each task it counts how many inputs of the original tests and of HumanEval+ the contract accepts
(*tests*, *base*, *plus*); on mutated inputs how often it agrees with HumanEval+'s own contract
(*both* accept, *neither*, only *ours* or *theirs*); and on every accepted input whether the two
references agree (*compared*, *differ*, *none*: one gives no answer). The JSON has examples of each
disagreement. All is decided by the seed, but for references near their time limit. Exits with 1 if
an input shows two references at odds.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from evalplus_lite.errors import EvalPlusLiteError
from evalplus_lite.generate.domains.constants import Constants
from evalplus_lite.generate.domains.filter import InputFilter
from evalplus_lite.generate.engine.generator import Generator
from evalplus_lite.grading.stability import same
from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox
from evalplus_lite.tasks import load_dataset
from evalplus_lite.tasks.contracts import parse, violations
from evalplus_lite.tasks.published.base_cases import recover
from evalplus_lite.types import Case, Outcome, Raised, Returned, Task
from evalplus_lite.values import wire
from scripts.benchmarks.checkout import DATASETS
from scripts.benchmarks.figures import Table, arguments
from scripts.benchmarks.processes import each_in_a_sandbox

LIMITS = Limits(cpu=5.0, load=10.0)
MAX_FAILURES = 5
"""Inputs that a reference may fail to answer before the rest of a task is left out."""
EXAMPLES = 3
"""Examples kept of each class of inputs."""
COUNTS = ("both", "neither", "ours", "theirs", "compared", "differ", "none")
ACCEPTED = ("tests", "base", "plus")


@dataclass(frozen=True, slots=True)
class Pair:
    """A task of HumanEval, which has our contract and reference, and the same of HumanEval+."""

    ours: Task
    theirs: Task
    contract: str


@dataclass(slots=True)
class Report:
    """What is found of one task: numbers by column, and examples by what they are examples of."""

    task: str
    own: str
    counts: Counter[str] = field(default_factory=Counter)
    inputs: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)

    def note(self, what: str, example: str) -> None:
        """Keep one of the first examples of something."""
        if len(known := self.examples.setdefault(what, [])) < EXAMPLES:
            known.append(example)

    def row(self) -> dict[str, Any]:
        """Return the task's row of the table."""
        shares = {name: f"{self.counts[name]}/{self.inputs[name]}" for name in ACCEPTED}
        counts = {name: self.counts[name] for name in COUNTS}
        return {"task": self.task, **shares, **counts, "own": self.own}


def main() -> int:
    """Report on the chosen tasks."""
    parser = arguments(__doc__)
    parser.add_argument("--plus", default=str(DATASETS["humaneval"]), help="a HumanEval+ file")
    parser.add_argument("--only", action="append", help="ids, numbers or ranges, such as 3,10-20")
    parser.add_argument("--mutants", type=int, default=200, help="mutated inputs a task")
    parser.add_argument("--seed", type=int, default=0, help="decides the mutated inputs")
    options = parser.parse_args()
    table, reports = Table(), []
    work = partial(examine, options=options)
    for report in each_in_a_sandbox(work, pairs(options), workers=options.workers):
        table.add(report.row())
        reports.append(report)
    note = summary(reports)
    print(note)
    table.save(options.record, note=note, examples={each.task: each.examples for each in reports})
    return int(any(report.counts["differ"] for report in reports))


def pairs(options: argparse.Namespace) -> list[Pair]:
    """Return the tasks of both sets that are asked for."""
    known = {task.id: task for task in load_dataset("humaneval", only=options.only).tasks}
    found = []
    for theirs in load_dataset(options.plus, only=options.only).tasks:
        ours = known[theirs.id]
        if ours.contract is None:
            raise EvalPlusLiteError(f"{ours.id} has no contract file")
        found.append(Pair(ours, theirs, ours.contract))
    return found


def examine(sandbox: Sandbox, pair: Pair, *, options: argparse.Namespace) -> Report:
    """Return the report on one task."""
    functions = parse(pair.contract).functions
    own = ["reference"] * (pair.ours.entry_point in functions) + ["check"] * ("check" in functions)
    number = pair.ours.id.rpartition("/")[2]
    report = Report(f"{number} {pair.ours.entry_point}", " ".join(own))
    accepted: list[Case] = []
    tests = recover(sandbox, pair.ours).base
    for name, cases in zip(ACCEPTED, (tests, pair.theirs.base, pair.theirs.plus), strict=True):
        found = violations(sandbox, pair.contract, cases)
        valid = [case for case, why in zip(cases, found, strict=True) if why is None]
        report.counts[name], report.inputs[name] = len(valid), len(cases)
        accepted += valid
    agree(sandbox, pair, mutate(pair.theirs, options), accepted, report)
    compare(sandbox, pair, accepted, report)
    return report


def mutate(task: Task, options: argparse.Namespace) -> list[Case]:
    """Return new inputs of the types that HumanEval+'s inputs show, valid or not."""
    generator = Generator(
        task.cases,
        input_filter=InputFilter.typed([case.arguments for case in task.cases]),
        rng=random.Random(f"{options.seed}:{task.id}"),
        constants=Constants.of_task(task),
    )
    return generator.propose(options.mutants)


def agree(
    sandbox: Sandbox, pair: Pair, cases: Sequence[Case], accepted: list[Case], report: Report
) -> None:
    """Count how both contracts judge the cases; add to ``accepted`` what both accept."""
    theirs = judged_by_theirs(sandbox, pair.theirs, cases)
    mine = violations(sandbox, pair.contract, cases)
    for case, our, their in zip(cases, mine, theirs, strict=True):
        if our is None and their is None:
            accepted.append(case)
            report.counts["both"] += 1
        elif our is not None and their is not None:
            report.counts["neither"] += 1
        else:
            side = "ours" if our is None else "theirs"
            report.counts[side] += 1
            report.note(f"accepted by {side} alone: {our.reason if our else their}", show(case))


def judged_by_theirs(sandbox: Sandbox, task: Task, cases: Sequence[Case]) -> list[str | None]:
    """Return for each case what HumanEval+'s contract objects to, or None where it accepts.

    Its lines belong at the start of the solution's body, so they are run there.
    """
    source = f"{task.prompt}\n{task.extra['contract']}\n    return None\n"
    inputs = Inputs.of(case.arguments for case in cases)
    run = sandbox.run(Program.of(task, source), inputs, LIMITS)
    if run.load_failed:
        raise EvalPlusLiteError(f"{task.id}: its contract does not load: {run.outcomes[0]}")
    return [objection(source, outcome) for outcome in run.outcomes]


def objection(source: str, outcome: Outcome | None) -> str | None:
    """Return the assertion that failed, or what else happened."""
    if isinstance(outcome, Returned):
        return None
    if isinstance(outcome, Raised) and outcome.type == "AssertionError" and outcome.line:
        failed = source.splitlines()[outcome.line - 1]
        return failed.partition("# $_CONTRACT_$")[0].strip()
    return outcome.type if isinstance(outcome, Raised) else str(outcome)


def compare(sandbox: Sandbox, pair: Pair, cases: Sequence[Case], report: Report) -> None:
    """Count where our reference and HumanEval+'s differ, by the task's rule or check."""
    left, right = (answers(sandbox, task, cases) for task in (pair.ours, pair.theirs))
    unlike: list[tuple[Case, Returned, Returned]] = []
    for case, ours, theirs in zip(cases, left, right, strict=True):
        if ours is None or theirs is None:  # left out
            continue
        report.counts["compared"] += 1
        if not isinstance(ours, Returned) or not isinstance(theirs, Returned):
            report.counts["none"] += 1
            report.note("no answer", f"{show(case)}: {brief(ours)}, HumanEval+ {brief(theirs)}")
        elif not same(ours.data, theirs.data, pair.theirs):
            unlike.append((case, ours, theirs))
    if unlike and parse(pair.contract).has_check:
        rows = [
            (list(case.arguments), wire.decode(theirs.data), wire.decode(ours.data))
            for case, ours, theirs in unlike
        ]
        check = Program(pair.contract, "check")
        verdicts = sandbox.run(check, Inputs.of(rows, private=True), LIMITS).outcomes
        passed = [isinstance(v, Returned) and wire.decode(v.data) is True for v in verdicts]
        unlike = [each for each, good in zip(unlike, passed, strict=True) if not good]
    for case, ours, theirs in unlike:
        report.counts["differ"] += 1
        report.note("differ", f"{show(case)}: {brief(ours)}, HumanEval+ {brief(theirs)}")


def answers(sandbox: Sandbox, task: Task, cases: Sequence[Case]) -> Sequence[Outcome | None]:
    """Return what the task's reference does on each case, None after too many failures."""
    failures = 0

    def go_on(_: int, outcome: Outcome) -> bool:
        nonlocal failures
        failures += not isinstance(outcome, Returned)
        return failures < MAX_FAILURES

    if not cases:
        return []
    inputs = Inputs.of(case.arguments for case in cases)
    return sandbox.run(Program.of(task), inputs, LIMITS, on_outcome=go_on).outcomes


def show(case: Case) -> str:
    """Return a case's arguments as text of bounded length."""
    try:
        text = ", ".join(map(repr, case.arguments))
    except ValueError:  # an integer of more than 4,300 digits
        text = "(a very long integer)"
    return text if len(text) <= 160 else text[:160] + "..."


def brief(outcome: Outcome) -> str:
    """Return what happened as text of bounded length."""
    if isinstance(outcome, Returned):
        return show(Case((wire.decode(outcome.data),)))
    return f"{outcome.type}: {outcome.message}" if isinstance(outcome, Raised) else str(outcome)


def summary(reports: Sequence[Report]) -> str:
    """Return what the tasks come to together."""
    counts = sum((report.counts for report in reports), Counter[str]())
    inputs = sum((report.inputs for report in reports), Counter[str]())
    own = sum("reference" in report.own for report in reports)
    parts = [f"{len(reports)} tasks, {own} with a reference of our own."]
    names = ("the original tests", "HumanEval+ (base)", "HumanEval+ (plus)")
    for name, column in zip(names, ACCEPTED, strict=True):
        whole = sum(report.counts[column] == report.inputs[column] for report in reports)
        parts.append(
            f"Of {name}, {counts[column]} of {inputs[column]} inputs are accepted, all of them in "
            f"{whole} tasks."
        )
    parts.append(
        f"Of mutated inputs, {counts['both'] + counts['neither']} are judged alike, "
        f"{counts['ours']} accepted by ours alone, {counts['theirs']} by HumanEval+ alone."
    )
    parts.append(f"{counts['differ']} of {counts['compared']} answers of the references differ.")
    return " ".join(parts)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except EvalPlusLiteError as error:
        sys.exit(f"contracts: {error}")
