"""Hold inferred input constraints against contracts: how much do they leave out, and let in?

    python -m scripts.benchmarks.constraints [--support any] [--half even] [--record FILE]

For each task of HumanEval, whose contract says which inputs are valid, constraints are inferred as
if there were no contract, from 3, from 5 and from all of its own inputs. Then

- *narrow*: the share of inputs accepted by the contract that the constraints refuse,
- *wide*: the share of inputs generated within the constraints that the contract refuses, although
  the reference answers them (so that they would become tests), as means over tasks, and
- for each kind of constraint: how often was it applied, or not, although some valid input breaks it
  (*wrong*), or none does (*right*)?

``--support any`` applies all that the inputs have in common, ``none`` nothing, ``chance`` what
``generate/domains/evidence.py`` says. Everything is decided by the seed.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import mean

from evalplus_lite.errors import InputError
from evalplus_lite.generate.domains.constants import Constants
from evalplus_lite.generate.domains.evidence import HABITS, LIMITS
from evalplus_lite.generate.domains.filter import InputFilter
from evalplus_lite.generate.engine.generator import Generator
from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox
from evalplus_lite.tasks import load_dataset
from evalplus_lite.tasks.contracts import violations
from evalplus_lite.tasks.published.base_cases import recover
from evalplus_lite.types import Case, Outcome, Returned, Task
from evalplus_lite.values.identity import key
from scripts.benchmarks.figures import Row, Table, arguments
from scripts.benchmarks.processes import each_in_a_sandbox

LIMIT = Limits(cpu=0.5, load=10.0)
MAX_FAILURES = 5
SIZES = (3, 5, 99)
"""Inputs to infer from; the last stands for all."""
KINDS = (*HABITS, *LIMITS, "stated")
COLUMNS = ("applied: wrong", "applied: right", "left off: wrong", "left off: right")


@dataclass(frozen=True, slots=True)
class Finding:
    """What the constraints of one task, inferred from so many inputs, do."""

    inputs: int
    narrow: float
    wide: float
    refused: float
    """The share of generated inputs that the contract refuses, answered or not."""
    kinds: Counter[tuple[str, str]]
    """How often each kind is in each of ``COLUMNS``."""


def main() -> None:
    """Report on all chosen tasks."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add("--only", action="append", help="ids, numbers or ranges, such as 3,10-20")
    add("--half", choices=("even", "odd"), help="tasks of even or odd numbers only")
    add("--support", choices=("chance", "any", "none"), default="chance")
    add("--kind", action="append", help="use --support for constraints of this kind only")
    add("--proposals", type=int, default=150, help="inputs to generate a task")
    add("--valid", type=int, default=400, help="inputs to generate within the contract a task")
    add("--seed", type=int, default=0)
    options = parser.parse_args()
    tasks = load_dataset("humaneval", only=options.only).tasks
    if options.half:
        tasks = tasks[options.half == "odd" :: 2]
    work = partial(examine, options=options)
    found = each_in_a_sandbox(work, tasks, workers=options.workers)
    findings = [each for some in found for each in some]
    table, kinds = Table(), Table(["kind", *COLUMNS])
    for size in SIZES:
        table.add(summary(size, [each for each in findings if each.inputs == size]))
    counts = sum((each.kinds for each in findings), Counter[tuple[str, str]]())
    for kind in KINDS:
        if any(counts[kind, column] for column in COLUMNS):
            kinds.add({"kind": kind, **{column: counts[kind, column] for column in COLUMNS}})
    table.save(options.record, kinds={"columns": kinds.columns, "rows": kinds.rows})


def examine(sandbox: Sandbox, task: Task, *, options: argparse.Namespace) -> list[Finding]:
    """Return a finding for each number of inputs to infer from."""
    task = recover(sandbox, task)
    assert task.contract is not None
    rng, constants = random.Random(f"{options.seed}:{task.id}"), Constants.of_task(task)
    generator = Generator(
        task.base, input_filter=InputFilter.of_task(task), rng=rng, constants=constants
    )
    cases = [*task.base, *generator.propose(options.valid)]
    reasons = violations(sandbox, task.contract, cases)
    valid = [case for case, reason in zip(cases, reasons, strict=True) if reason is None]
    distinct = list({key(case.arguments): case for case in task.base}.values())
    found = []
    for size in SIZES:
        base = rng.sample(distinct, min(size, len(distinct))) if size < SIZES[-1] else distinct
        bare = replace(task, base=tuple(base), contract=None)
        input_filter = supported(bare, options)
        generator = Generator(base, input_filter=input_filter, rng=rng, constants=constants)
        proposed = generator.propose(options.proposals)
        reasons = violations(sandbox, task.contract, proposed)
        invalid = [case for case, reason in zip(proposed, reasons, strict=True) if reason]
        found.append(
            Finding(
                size,
                mean(not input_filter.admits(case.arguments) for case in valid),
                answered(sandbox, task, invalid) / max(1, len(proposed)),
                len(invalid) / max(1, len(proposed)),
                kinds_of(bare, input_filter, valid),
            )
        )
    return found


def supported(task: Task, options: argparse.Namespace) -> InputFilter:
    """Return the task's inferred constraints, taken on as the options say."""
    input_filter = InputFilter.of_task(task)
    if options.support == "chance":
        return input_filter
    choices = {
        each.name: options.support == "any"
        for each in input_filter.constraints
        if not options.kind or kind_of(each.name) in options.kind
    }
    return all_of(task, choices)


def all_of(task: Task, choices: Mapping[str, bool]) -> InputFilter:
    """Return the filter with choices; constraints that only show without others follow the rule."""
    return InputFilter.of_task(replace(task, constraints=choices))


def kind_of(name: str) -> str:
    """Return the kind of constraint that a name says."""
    return next((part for part in name.split(".") if part in KINDS), "stated")


def kinds_of(
    task: Task, input_filter: InputFilter, valid: Sequence[Case]
) -> Counter[tuple[str, str]]:
    """Return how many constraints of each kind are applied or not, and contradicted or not."""
    counts: Counter[tuple[str, str]] = Counter()
    for constraint in input_filter.constraints:
        kind = kind_of(constraint.name)
        # That zero is left out only shows if one sign is left out.
        shows = ("not-negative", "not-positive") if kind == "not-zero" else ()
        others = {each.name: kind_of(each.name) in shows for each in input_filter.constraints}
        try:
            without = all_of(task, others)
            alone = all_of(task, {**others, constraint.name: True})
        except InputError:  # one that is there only beside another
            continue
        is_wrong = any(
            without.admits(case.arguments) and not alone.admits(case.arguments) for case in valid
        )
        counts[kind, COLUMNS[2 * (not constraint.is_on) + (not is_wrong)]] += 1
    return counts


def answered(sandbox: Sandbox, task: Task, cases: Sequence[Case]) -> int:
    """Return how many of the cases the task's reference answers."""
    if not cases:
        return 0
    failures = 0

    def go_on(_: int, outcome: Outcome) -> bool:
        nonlocal failures
        failures += type(outcome).__name__ in ("TimedOut", "Crashed", "OutOfMemory")
        return failures < MAX_FAILURES

    inputs = Inputs.of(case.arguments for case in cases)
    program = Program.of(task)
    outcomes = sandbox.run(program, inputs, LIMIT, on_outcome=go_on).outcomes
    return sum(isinstance(outcome, Returned) for outcome in outcomes)


def summary(size: int, findings: Sequence[Finding]) -> Row:
    """Return what constraints from so many inputs do, as means over tasks in percent."""
    return {
        "inferred from": "all inputs" if size == SIZES[-1] else f"{size} inputs",
        "tasks": len(findings),
        "narrow, %": 100 * mean(each.narrow for each in findings),
        "wide, %": 100 * mean(each.wide for each in findings),
        "refused by the contract, %": 100 * mean(each.refused for each in findings),
        "tasks without a wrong one": sum(not each.wide for each in findings),
    }


if __name__ == "__main__":
    main()
