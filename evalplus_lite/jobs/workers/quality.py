"""What a suite costs, and which mutants differ from their reference on a large random pool."""

from __future__ import annotations

from evalplus_lite.errors import UnusableTask
from evalplus_lite.execution.base import Row, Work, WorkerContext
from evalplus_lite.grading.evaluator import evaluate_program
from evalplus_lite.grading.evidence import blamed
from evalplus_lite.grading.times import reference_steps
from evalplus_lite.jobs.expected import source_of
from evalplus_lite.jobs.workers.augmentation import augment_task
from evalplus_lite.jobs.workers.budget import Budget
from evalplus_lite.jobs.workers.settings import Settings
from evalplus_lite.jobs.workers.shared_data import staged
from evalplus_lite.programs.mutation.mutants import difference
from evalplus_lite.reduction.kills import KillSuite
from evalplus_lite.reduction.requirements import mutants_by_key
from evalplus_lite.sandbox import Sandbox
from evalplus_lite.types import Task


def costing(place: WorkerContext, settings: Row) -> Work:
    """Of a staged task, the CPU seconds in which its suite accepts its own reference.

    ``settings`` are (suite source, ``Settings``).
    """
    source, judged = source_of(settings[0]), Settings.of_row(settings[1])

    def cost(item: Row) -> Row:
        task, given = staged(place, item)
        prepared = judged.prepared(place, source, task, given)
        return evaluate_program(place.sandbox, prepared, task.reference).cpu

    return cost


def separating(place: WorkerContext, settings: Row) -> Work:
    """Of (staged task, keys of mutants to show, keys to tell from the reference), how many inputs
    the pool had, and a (key, operator, line, diff, whether the pool tells it) of each shown one.

    ``settings`` are the pool's (seed, inputs).
    """
    seed, inputs = settings

    def separate(item: Row) -> Row:
        ref, shown, doubtful = item
        task, _ = staged(place, ref)
        made = mutants_by_key(task)
        count, told = 0, set[str]()
        if doubtful:
            sources = {key: made[key].source for key in doubtful}
            count, told = _told(place.sandbox, task, sources, seed=seed, inputs=inputs)
        rows = [
            (key, made[key].operator, made[key].line, difference(task.reference, made[key]))
            for key in shown
        ]
        return count, [(*row, row[0] in told) for row in rows]

    return separate


def _told(
    sandbox: Sandbox, task: Task, programs: dict[str, str], *, seed: int, inputs: int
) -> tuple[int, set[str]]:
    """Return the size of a pool of random inputs, and which programs it rejects, by their keys."""
    try:
        with blamed(task):
            pool = augment_task(sandbox, task, seed=seed, budget=Budget(inputs=inputs)).suite
            steps = reference_steps(sandbox, task, pool.cases)
            suite = KillSuite.of_mutants(sandbox, task, pool, steps)
    except UnusableTask:
        return 0, set()
    kills = suite.kills(sandbox, list(programs.values()))
    found = {key for key, kill in zip(programs, kills, strict=True) if kill.killed}
    return len(suite.cases), found
