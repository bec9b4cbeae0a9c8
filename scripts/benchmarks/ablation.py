"""Take parts of the generator away, one at a time: how many more inputs are needed without each?

    python -m scripts.benchmarks.ablation [--family mbpp] [--bare] [--only 0-40] [--record FILE]

Wrong programs are model samples that pass a published set's base cases and fail its plus cases, and
mutants of the reference that pass the base cases. For each variant and seed a task's inputs are
made as ``augment`` makes them, half of them before the generator first learns anything. What counts
is the position of the first new input that rejects a program (``UNFOUND`` if none does): the
factor is the geometric mean, over tasks, of that position against the whole generator's, with the
bounds of two standard errors over tasks. A factor above 1 says that more inputs are needed.

With ``--bare`` contracts are hidden from the generator: inputs that they refuse then count as
invalid, and reject nothing.
"""

from __future__ import annotations

import contextlib
import math
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import mean, stdev
from typing import Any
from unittest.mock import patch

from evalplus_lite.errors import EvalPlusLiteError
from evalplus_lite.generate.domains import inference, relations
from evalplus_lite.generate.domains.constants import Constants, examples
from evalplus_lite.generate.domains.filter import InputFilter
from evalplus_lite.generate.engine import generator as engine
from evalplus_lite.generate.engine import sampling, slots
from evalplus_lite.generate.engine.boundary_combinations import BoundaryCombinations
from evalplus_lite.generate.engine.challenges import CHANGING, SCALING, Challenges
from evalplus_lite.generate.engine.cross_argument import CrossArgument
from evalplus_lite.generate.engine.generator import Generator
from evalplus_lite.generate.engine.growth import GrowthLimits
from evalplus_lite.generate.engine.pool import Pool
from evalplus_lite.generate.engine.scheduler import InputSource, Mix
from evalplus_lite.generate.strategies import sampled
from evalplus_lite.grading.evaluator import PreparedSuite, evaluate_program
from evalplus_lite.grading.oracle import answer
from evalplus_lite.grading.subsets import joined, taken
from evalplus_lite.mutation.mutants import mutants
from evalplus_lite.pipelines.work.probing import probe
from evalplus_lite.programs import program_key
from evalplus_lite.sandbox import Limits, Preset, Sandbox
from evalplus_lite.tasks import load_dataset
from evalplus_lite.tasks.contracts import violations
from evalplus_lite.tasks.row_assertions import with_stated_contract
from evalplus_lite.tasks.samples import read_samples
from evalplus_lite.types import Case, Suite, Task
from scripts.benchmarks.checkout import DATASETS, SHARED
from scripts.benchmarks.figures import Row, Table, arguments
from scripts.benchmarks.processes import each_in_a_sandbox

CHALLENGES = (*SCALING, *CHANGING)
LIMITS, PRESET, MEMORY = Limits(cpu=0.03, load=10.0), Preset(0.1), 256 << 20
TIMED = ("timeout", "memory", "crash", "infra")
UNFOUND = 600
MOST_MUTANTS, MOST_SAMPLES, EASY = 12, 12, 15
"""Programs of a task, and the position before which a mutant found is too easy to tell anything."""

Patch = contextlib.AbstractContextManager[Any]
Positions = Mapping[str, int]
"""The first new input that rejects a program, by program; programs that run late are left out."""


@dataclass(frozen=True, slots=True)
class Made:
    """A task's new inputs under one variant: who was rejected where, and how many were invalid."""

    positions: Positions
    new: int
    invalid: int


def variants() -> dict[str, list[Patch]]:
    """Return what each variant changes."""
    part = patch.object
    return {
        "nothing": [],
        "boundary values": [mixed(boundary=0.0)],
        "boundary combinations": [part(BoundaryCombinations, "draw", BoundaryCombinations._single)],
        "constants of the text": [mixed(constant=0.0)],
        "challenges": [mixed(**dict.fromkeys(CHALLENGES, 0.0))],
        **{f"challenges: {kind}": [mixed(**{kind: 0.0})] for kind in CHALLENGES},
        "ladders": [part(Challenges, "ladder", lambda self, base: iter(()))],
        "Hypothesis": [part(engine.Generator, "_next_sampled", lambda self: None)],
        "cross-argument mutation": [part(CrossArgument, "choose", lambda self, random: 0)],
        "learned operator weights": [part(slots.Table, "credit", lambda self, index, worth: None)],
        "balance of outputs": [part(Pool, "_has_classes", lambda self: False)],
        "growth limits": [part(GrowthLimits, "of", staticmethod(unlimited))],
        "random values in mutation": [part(slots, "_FRESH", 0.0)],
        "plans of random strings": [
            part(sampling, "_TEXT_PLANS", (sampling._few_letters, sampling._any_letters))
        ],
        "compensation for rejections": [part(InputSource, "want", evenly)],
        "string patterns": [
            part(inference, "pattern_of", lambda values: None),
            part(inference, "has_common_pattern", lambda values: False),
        ],
        "relations": [part(relations, "infer", lambda base, ledger: ())],
    }


def mixed(**shares: float) -> Patch:
    """Leave a source of inputs out; the others take its share."""
    return patch.object(engine, "Mix", lambda: replace(Mix(), **shares))


def unlimited(base: Sequence[Sequence[Any]]) -> GrowthLimits:
    """Return limits that are as wide at first as they ever get."""
    return GrowthLimits(1e19, 10_000, 0.0)


def evenly(self: InputSource) -> None:
    """Plan a source's share whatever became of its inputs so far."""
    self.every = 1 / self.share
    self.due = self.every / 2


def main() -> None:
    """Measure all variants on the chosen tasks."""
    parser = arguments(__doc__, workers=False)
    add = parser.add_argument
    add("--family", choices=sorted(DATASETS), default="humaneval")
    add("--only", action="append", help="ids, numbers or ranges, such as 3,10-20")
    add("--bare", action="store_true", help="hide contracts from the generator")
    add("--inputs", type=int, default=300)
    add("--seeds", type=int, default=2)
    options = parser.parse_args()
    data = load_dataset(DATASETS[options.family], only=options.only)
    samples: dict[str, list[str]] = defaultdict(list)
    for path in sorted((SHARED / "samples" / options.family).glob("*.jsonl.gz")):
        for sample in read_samples(path, data, extraction="clean"):
            samples[sample.task_id].append(sample.source)
    found: dict[str, list[list[Made]]] = {name: [] for name in variants()}
    programs = each_in_a_sandbox(partial(wrong, samples=samples), data.tasks, workers=1)
    chosen = [pair for pair in programs if pair[1]]
    # Patches hold for the process, so one variant is worked on at a time.
    for name, patches in variants().items():
        with contextlib.ExitStack() as stack:
            for each in patches:
                stack.enter_context(each)
            work = partial(measure, bare=options.bare, inputs=options.inputs, seeds=options.seeds)
            found[name] = list(each_in_a_sandbox(work, chosen, workers=1))
    table = Table()
    for name in list(found)[1:]:
        table.add(compared(name, found[name], found["nothing"]))
    table.save(options.record, inputs=options.inputs, seeds=options.seeds, family=options.family)


def wrong(
    sandbox: Sandbox, task: Task, *, samples: Mapping[str, Sequence[str]]
) -> tuple[Task, dict[str, str]]:
    """Return a task with its wrong programs, by name; none if it cannot be used."""
    task = with_stated_contract(task)
    try:
        cases = answer(
            sandbox, task, task.cases, base_count=len(task.base), limits=LIMITS, twice=False
        )
        whole = PreparedSuite.of(task, cases.suite, PRESET, memory=MEMORY)
        easy = PreparedSuite.of(task, made(sandbox, task, "easy", EASY), PRESET, memory=MEMORY)
    except EvalPlusLiteError:
        return task, {}
    found = {}
    for source in dict.fromkeys(samples.get(task.id, ())):
        verdict = evaluate_program(sandbox, whole, source)
        if verdict.base == "pass" and verdict.plus not in ("pass", *TIMED):
            found[f"sample {program_key(source)}"] = source
    found = dict(sorted(found.items())[:MOST_SAMPLES])
    for mutant in sorted(mutants(task.reference), key=lambda each: each.key)[:MOST_MUTANTS]:
        if evaluate_program(sandbox, easy, mutant.source).failure is None:
            found[f"mutant {mutant.key}"] = mutant.source
    return task, found


def measure(
    sandbox: Sandbox, chosen: tuple[Task, Mapping[str, str]], *, bare: bool, inputs: int, seeds: int
) -> list[Made]:
    """Return what a task's inputs reject, for each seed."""
    task, programs = chosen
    extra = {name: value for name, value in task.extra.items() if name != "contract"}
    shown = replace(task, contract=None, extra=extra) if bare else task
    found = []
    for seed in range(seeds):
        suite = made(sandbox, shown, str(seed), inputs)
        valid = list(range(len(suite.cases)))
        if bare and task.contract is not None:
            reasons = violations(sandbox, task.contract, suite.cases)
            valid = [n for n in valid if reasons[n] is None or n < suite.base_count]
        kept = PreparedSuite.of(task, taken(suite, valid), PRESET, memory=MEMORY)
        new = len(suite.cases) - suite.base_count
        positions = dict(rejections(sandbox, kept, programs, valid))
        found.append(Made(positions, new, len(suite.cases) - len(valid)))
    return found


def rejections(
    sandbox: Sandbox, prepared: PreparedSuite, programs: Mapping[str, str], cases: Sequence[int]
) -> Iterator[tuple[str, int]]:
    """Yield each program with the position of the new input that rejects it first."""
    for name, source in programs.items():
        failure = evaluate_program(sandbox, prepared, source).failure
        if failure is None:
            yield name, UNFOUND
        elif failure.verdict not in TIMED:
            yield name, max(0, cases[failure.case] - prepared.suite.base_count)


def made(sandbox: Sandbox, task: Task, seed: str, inputs: int) -> Suite:
    """Return a suite of the task's base cases and so many new ones, if so many are found."""
    base = answer(
        sandbox, task, task.base, base_count=len(task.base), limits=LIMITS, contract=False
    ).suite
    constants, name = Constants.of_task(task), f"{seed}:{task.id}"
    input_filter = InputFilter.of_task(replace(task, base=base.cases), constants=constants)
    generator = Generator(
        base.cases,
        input_filter=input_filter,
        rng=random.Random(name),
        seeds=[Case(shown, "docstring") for shown in examples(task.prompt, task.entry_point)],
        sampled=sampled(input_filter, count=16, seed=name),
        constants=constants,
        is_challenging=True,
    )
    first = probe(sandbox, task, generator, base.cases, seconds=LIMITS.cpu).cases
    suites, new = [base, first], len(first.cases)
    generator.feedback(first.cases, outputs=list(first.expected))
    for _ in range(4):
        batch = generator.propose(min(inputs // 2, int((inputs - new) * 1.1) + 5))
        if not batch or new >= inputs:
            break
        answers = answer(
            sandbox, task, batch, base_count=0, limits=LIMITS, max_failures=2, twice=False
        )
        chosen = [batch[number] for number in answers.kept]
        generator.feedback(
            chosen,
            slow=[drop.case for drop in answers.dropped if drop.cause in ("slow", "memory")],
            outputs=list(answers.suite.expected),
        )
        suites.append(replace(answers.suite, cases=tuple(chosen)))
        new += len(chosen)
    return joined(suites, {})


def compared(name: str, variant: Sequence[Sequence[Made]], whole: Sequence[Sequence[Made]]) -> Row:
    """Return a variant's row against the whole generator's, task by task and seed by seed."""
    logs, rejected, invalid = [], 0, 0
    for ours, theirs in zip(variant, whole, strict=True):
        pairs = [
            (one.positions[program], other.positions[program])
            for one, other in zip(ours, theirs, strict=True)
            for program in one.positions.keys() & other.positions.keys()
        ]
        rejected += sum(one < UNFOUND for one, _ in pairs) - sum(o < UNFOUND for _, o in pairs)
        invalid += sum(each.invalid for each in ours) - sum(each.invalid for each in theirs)
        steps = [math.log(one + 1) - math.log(other + 1) for one, other in pairs if one or other]
        if steps:
            logs.append(mean(steps))
    middle = mean(logs) if logs else 0.0
    error = 2 * stdev(logs) / math.sqrt(len(logs)) if len(logs) > 1 else 0.0
    return {
        "without": name,
        "tasks": len(logs),
        "inputs needed": f"x{math.exp(middle):.2f}",
        "from": math.exp(middle - error),
        "to": math.exp(middle + error),
        "programs rejected": f"{rejected:+d}",
        "invalid inputs": f"{invalid:+d}",
    }


if __name__ == "__main__":
    main()
