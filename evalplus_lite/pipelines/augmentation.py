"""Tasks to augmented suites: seeds, mutation, filter, reference, until there are inputs enough.

One task at a time is the unit: its suite depends on (seed, task) alone, so any number of workers
gives the same file, and a journal of finished tasks lets a killed run go on.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evalplus_lite.consensus.disputes import Dispute
from evalplus_lite.consensus.panel import UNANSWERED, Jury
from evalplus_lite.errors import UnusableTask
from evalplus_lite.execution.base import Mapper
from evalplus_lite.generate.domains.constants import Constants, examples
from evalplus_lite.generate.domains.filter import InputFilter
from evalplus_lite.generate.engine.generator import Generator
from evalplus_lite.grading.evidence import (
    blamed,
    notes,
    own_refused,
    recorded,
    require_check,
    sentence,
    weighed,
)
from evalplus_lite.grading.oracle import Answers, answer
from evalplus_lite.pipelines.progress import Progress, Silent
from evalplus_lite.pipelines.seed_generators import from_strategies
from evalplus_lite.pipelines.subsets import joined, taken
from evalplus_lite.pipelines.targeting import aim, alive, targets
from evalplus_lite.sandbox import Limits, Sandbox
from evalplus_lite.store.compressed import Packed
from evalplus_lite.tasks.row_assertions import with_stated_contract
from evalplus_lite.types import Case, Suite, Task, Unusable

BASE_LIMITS = Limits(cpu=20.0, load=10.0)
GROWTH = 4
"""A batch may be so many times as large as the one before. Small ones teach the generator early,
but each costs three processes, whatever its size."""
MOST_UNANSWERED = 10
SeedSource = Callable[[Sandbox, Task], Sequence[Case]]
"""Gives further seeds for a task: of a language model, say."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How much to do for a task.

    ``inputs``: new cases wanted. ``seconds``: of a usual machine, what a case may cost the
    reference (``steps.STEPS_A_SECOND``); a slower input is dropped. ``batch``: inputs proposed at
    first, and again after slow ones; each further batch may be ``GROWTH`` times as large.
    ``patience``: batches without a single new valid input after which the task is done. ``slow``:
    slow inputs after which a batch is given up.
    ``targeted``: inputs that may be added for wrong programs which the others let pass.
    """

    inputs: int = 1000
    seconds: float = 0.5
    batch: int = 250
    patience: int = 4
    slow: int = 8
    targeted: int = 0


@dataclass(frozen=True, slots=True)
class Augmented:
    """A task's suite, with how many inputs came from where and were dropped for which cause.

    ``review`` are the inputs that were set aside since most of ``jurors`` programs contradict the
    reference on them. ``aimed`` wrong programs passed all inputs of the normal budget;
    ``survivors`` (name and diff) pass the targeted ones, too. ``unanswered`` are some of the inputs
    that the reference raises on or is too slow for.
    """

    suite: Suite
    sources: Mapping[str, int]
    dropped: Mapping[str, int]
    notes: tuple[str, ...] = ()
    review: tuple[Dispute, ...] = ()
    jurors: int = 0
    aimed: int = 0
    survivors: tuple[Mapping[str, str], ...] = ()
    unanswered: tuple[Case, ...] = ()


def augment_task(
    sandbox: Sandbox,
    task: Task,
    *,
    seed: int,
    budget: Budget,
    seeds: SeedSource | None = None,
    samples: Sequence[str] = (),
    wrong: Sequence[str] = (),
) -> Augmented:
    """Return the task's base cases and new ones, with the reference's answers.

    ``samples`` are programs for the task; an input on which most of those that pass the base cases
    contradict the reference is not used, but set aside for review. ``wrong`` are programs that the
    targeted rounds aim at, besides the reference's mutants.
    Base cases are the task's own: one that its contract rejects is kept and noted, one that the
    reference cannot answer is dropped and noted. Raises UnusableTask if none is left, or if the
    reference or the contract fails.
    A task without a contract has the assertions that its published row states of the inputs.
    """
    task = with_stated_contract(task)
    base, told = _answer_base(sandbox, task)
    kept: list[Case] = list(base.suite.cases)
    dropped: Counter[str] = Counter()
    unanswered: list[Case] = []
    generator = _generator(sandbox, task, kept, seed, budget, seeds)
    suites: list[Suite] = [base.suite]
    jury = Jury.summon(sandbox, task, base.suite, samples)
    review: list[Dispute] = []

    def answered(batch: Sequence[Case]) -> Answers:
        """Return what of a batch can be kept, and note what cannot."""
        answers = answer(
            sandbox,
            task,
            batch,
            base_count=0,
            limits=Limits(cpu=budget.seconds, load=10.0),
            max_failures=budget.slow,
        )
        dropped.update(answers.causes)
        failed = [drop.case for drop in answers.dropped if drop.cause in UNANSWERED]
        unanswered.extend(failed[: MOST_UNANSWERED - len(unanswered)])
        return answers

    def undisputed(answers: Answers) -> Answers:
        disputes = jury.hear(sandbox, answers.suite, answers.dropped)
        review.extend(filter(None, disputes))
        places = [n for n in range(len(answers.suite.cases)) if disputes[n] is None]
        dropped["disputed"] += len(answers.suite.cases) - len(places)
        kept = tuple(answers.kept[place] for place in places)
        return replace(answers, suite=taken(answers.suite, places), kept=kept)

    new = idle = proposed = 0
    size = budget.batch
    while new < budget.inputs and idle < budget.patience:
        batch = generator.propose(min(size, _needed(budget.inputs - new, kept=new, of=proposed)))
        if not batch:
            break
        proposed += len(batch)
        answers = answered(batch)
        enough = range(min(budget.inputs - new, len(answers.suite.cases)))
        answers = undisputed(replace(answers, suite=taken(answers.suite, enough)))
        slow = [
            drop.case for drop in answers.dropped if drop.cause in ("slow", "memory", "crashes")
        ]
        # Parents are positions in the suite so far, which is how the generator counts them.
        chosen = [batch[number] for number in answers.kept]
        outputs = [_name(data) for data in answers.suite.blobs.items()]
        generator.feedback(chosen, slow=slow, outputs=outputs)
        suites.append(replace(answers.suite, cases=tuple(chosen)))
        new += len(chosen)
        idle = 0 if chosen else idle + 1
        size = budget.batch if slow else GROWTH * size
    round = None
    provenance: dict[str, Any] = {"seed": seed, "inputs": budget.inputs, "seconds": budget.seconds}
    provenance["guards"] = [constraint.to_json() for constraint in generator.input_filter.found]
    if budget.targeted:
        provenance["targeted"] = budget.targeted
        sofar = joined(suites, provenance)
        round = aim(
            sandbox,
            task,
            generator,
            alive(sandbox, task, sofar, targets(task, wrong)),
            lambda batch: undisputed(answered(batch)),
            inputs=budget.targeted,
            batch=budget.batch,
        )
        suites += round.suites
    suite = joined(suites, provenance)
    sources = Counter(case.source for case in suite.cases)
    return Augmented(
        suite,
        dict(sorted(sources.items())),
        dict(sorted((+dropped).items())),
        tuple(told),
        tuple(review),
        len(jury.programs),
        round.aimed if round else 0,
        tuple({"name": each.name, "diff": each.diff} for each in round.survivors) if round else (),
        tuple(unanswered),
    )


def augment(
    tasks: Iterable[Task],
    pool: Mapper,
    *,
    seed: int,
    budget: Budget,
    seeds: SeedSource | None = None,
    samples: Mapping[str, Sequence[str]] | None = None,
    wrong: Mapping[str, Sequence[str]] | None = None,
    done: Mapping[str, Augmented] | None = None,
    finished: Callable[[Augmented], None] | None = None,
    left_out: Callable[[Unusable], None] | None = None,
    progress: Progress | None = None,
) -> list[Augmented]:
    """Augment every task; ``done`` are taken over, ``finished`` is told of each new one.

    ``samples`` and ``wrong`` are programs by task, used as ``augment_task`` says.
    A task that cannot be used is left out; ``left_out`` is told of it.
    """
    progress = progress or Silent()
    done = done or {}

    def run(sandbox: Sandbox, task: Task) -> Augmented | Unusable:
        if task.id in done:
            return done[task.id]
        try:
            with blamed(task):
                return augment_task(
                    sandbox,
                    task,
                    seed=seed,
                    budget=budget,
                    seeds=seeds,
                    samples=(samples or {}).get(task.id, ()),
                    wrong=(wrong or {}).get(task.id, ()),
                )
        except UnusableTask as error:
            return recorded(error)

    results = []
    for result in pool.imap(run, tasks):
        progress.advance()
        if isinstance(result, Unusable):
            if left_out is not None:
                left_out(result)
            continue
        if finished is not None and result.suite.task_id not in done:
            finished(result)
        results.append(result)
    return results


def _answer_base(sandbox: Sandbox, task: Task) -> tuple[Answers, list[str]]:
    refused = own_refused(sandbox, task)
    base = answer(
        sandbox, task, task.base, base_count=len(task.base), limits=BASE_LIMITS, contract=False
    )
    told = notes(weighed(task, base))
    require_check(sandbox, task, base.suite)
    if refused:
        told.append(f"{len(refused)} base inputs are kept though {sentence(refused[0])}")
    return base, told


def _generator(
    sandbox: Sandbox,
    task: Task,
    base: Sequence[Case],
    seed: int,
    budget: Budget,
    seeds: SeedSource | None,
) -> Generator:
    constants = Constants.of_task(task)
    input_filter = InputFilter.of_task(replace(task, base=tuple(base)), constants=constants)
    first = [Case(shown, "docstring") for shown in examples(task.prompt, task.entry_point)]
    first += seeds(sandbox, task) if seeds is not None else ()
    name = f"{seed}:{task.id}"
    return Generator(
        base,
        input_filter=input_filter,
        rng=random.Random(name),
        seeds=first,
        sampled=from_strategies(input_filter, inputs=budget.inputs, seed=name),
        constants=constants,
    )


def _needed(count: int, *, kept: int, of: int) -> int:
    """Return how many inputs to propose for ``count`` valid ones, as ``kept`` of so many were."""
    return int(count * 1.03 * (of + 20) / (kept + 20)) + 5


def _name(data: bytes | Packed) -> bytes:
    """Return what tells outputs apart, without holding large ones."""
    return data.digest if isinstance(data, Packed) else data
