"""A reward for trainers: the less work a right program does, the more it earns."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace

from evalplus_lite.efficiency.job import FAILED, HARNESSES, LEVELS, counts, judged, key_of, rows_of
from evalplus_lite.errors import InputError
from evalplus_lite.jobs.datasets import prepared, unknown_task
from evalplus_lite.jobs.expected import SharedData
from evalplus_lite.jobs.session import Session
from evalplus_lite.programs import program_hash
from evalplus_lite.programs.extraction import extract
from evalplus_lite.tasks import Dataset
from evalplus_lite.types import Sample


class EfficiencyReward:
    """Rewards answers of models from 0 to 1; a context manager, for one thread at a time.

        with EfficiencyReward("tasks.jsonl") as reward:
            rewards = reward([("Own/0", "def f(x): return x + x")])

    A wrong program earns 0, even if it only fails on a growing input. A right one earns ``least``
    plus the rest times its score: 1 in total for the reference's work or less. It earns ``least``
    if its work cannot be counted or the task's inputs cannot grow. A failure of the machine raises
    InfrastructureError, and a task without a usable test InputError: neither is a 0.
    """

    def __init__(
        self,
        dataset: Dataset | str | os.PathLike[str],
        *,
        least: float = 0.5,
        levels: int = LEVELS,
        seed: int = 0,
        session: Session | None = None,
    ) -> None:
        self.session = Session() if session is None else session
        self.data = prepared(dataset, self.session)
        self._least, self._settings = least, (levels, seed, "work")
        self._staging = SharedData(self.session.pool())

    def __enter__(self) -> EfficiencyReward:
        return self

    def __exit__(self, *_: object) -> None:
        self.session.close()

    def __call__(self, items: Iterable[tuple[str, str]]) -> list[float]:
        """Return the reward of each (task id, answer), extracting the program from each answer."""
        samples = []
        for index, (id, answer) in enumerate(items):
            if id not in self.data:
                raise unknown_task(id, self.data)
            samples.append(Sample(id, extract(answer, self.data[id]).source, index=index))
        wanted = {sample.task_id for sample in samples}
        tasks = tuple(task for task in self.data.tasks if task.id in wanted)
        passed, right, unusable = judged(replace(self.data, tasks=tasks), samples, self.session)
        if lost := sorted(wanted & unusable.keys()):
            raise InputError(f"{lost[0]} cannot be used: {unusable[lost[0]]}")
        usable = [task for task in tasks if task.harness.kind in HARNESSES and right[task.id]]
        rows = {
            (row["task_id"], row["program"]): row
            for found in counts(self._staging, usable, right, self._settings)
            for row in rows_of(found, right[found["task_id"]])
        }
        rewards = []
        for sample in samples:
            # Without a row, the task has no growing inputs.
            row = rows.get((sample.task_id, program_hash(sample.source)), {"reason": ""})
            share = self._least + (1 - self._least) * min(1.0, row.get("score") or 0.0)
            is_right = key_of(sample) in passed and row["reason"] not in FAILED
            rewards.append(share if is_right else 0.0)
        return rewards
