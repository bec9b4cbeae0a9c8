"""inspect_ai: a scorer, a dataset, and a ready task for each published set.

inspect eval evalplus_lite/humaneval_plus --model openai/gpt-4o [-T dataset=FILE]
"""

from __future__ import annotations

import asyncio
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState, generate

from evalplus_lite.serving.adapters.judge import (
    begin,
    configure_for,
    dataset_rows,
    shared_judge,
    slug,
)
from evalplus_lite.tasks.loading import names


def dataset(name: str) -> MemoryDataset:
    """Return the tasks of a data set as samples, with each task's id as the target."""
    samples = [
        Sample(input=row["request"], target=row["task_id"], id=row["task_id"], metadata=row)
        for row in dataset_rows(name)
    ]
    return MemoryDataset(samples, name=name)


@scorer(metrics=[accuracy(), stderr()])
def verdict() -> Scorer:
    """Score 1 for a program that passes every test; the target is a task's id, or its tests.

    A program that times out has a verdict. Without a verdict (an infrastructure error) it raises,
    so the sample has an error and no score.
    """

    async def score(state: TaskState, target: Target) -> Score:
        tests = state.metadata.get("tests") or target.text
        future = await asyncio.to_thread(begin, tests, state.output.completion)
        found = await asyncio.wrap_future(future)
        return Score(
            value=float(found.passed),
            answer=found.program,
            explanation=f"{found.verdict}: {found.detail}" if found.detail else found.verdict,
            metadata={"verdict": found.verdict},
        )

    return score


def evaluation(name: str) -> Task:
    """Return the inspect_ai task for a data set, by name or file."""
    configure_for(name)
    shared_judge()
    return Task(dataset=dataset(name), solver=generate(), scorer=verdict())


def _define(name: str) -> Any:
    @task(name=slug(name))
    def published(dataset: str = name) -> Task:
        return evaluation(dataset)

    return published


TASKS = {name: _define(name) for name in names()}


@task
def file(path: str) -> Task:
    """A file of tasks or suites: ``-T path=my_tasks.jsonl``."""
    return evaluation(path)
