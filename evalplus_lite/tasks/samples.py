"""Samples: the programs that the answers in a file mean, and files of such programs."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Literal

from evalplus_lite.programs import extract
from evalplus_lite.programs.extraction import Extraction, Step, joined
from evalplus_lite.store import write_jsonl
from evalplus_lite.tasks import Dataset
from evalplus_lite.tasks.answers import MAX_SOURCE, Faults, Response, read_responses
from evalplus_lite.types import Sample, Task

__all__ = [
    "MAX_SOURCE",
    "Faults",
    "Response",
    "extracted",
    "read_responses",
    "read_samples",
    "sample_row",
    "write_samples",
]


def read_samples(
    path: str | os.PathLike[str],
    dataset: Dataset,
    *,
    extraction: Literal["clean", "none"] = "clean",
    steps: Counter[Step] | None = None,
    faults: Faults | None = None,
) -> Iterator[Sample]:
    """Yield the programs of a sample file for the tasks of the dataset, in the file's order.

    ``clean`` makes a program of each answer (``extraction.extract``) and counts in ``steps`` what
    was done to how many; ``none`` takes answers as they stand, completions after their prompt. An
    answer that cannot be a program becomes one that raises and says why. Raises as
    ``read_responses``.
    """
    tasks = {task.id: task for task in dataset.tasks}
    for answer in read_responses(path, dataset, faults=faults):
        task = tasks[answer.task_id]
        if answer.fault:
            source = f"raise ValueError({f'the sample {answer.fault}'!a})\n"
            if faults is not None:
                faults.count(answer, path)
        elif extraction == "none":
            source = joined(answer.text, task, kind=answer.kind)
        else:
            found = extracted(answer, task)
            source = found.source
            if steps is not None:
                steps.update(found.steps)
        yield Sample(answer.task_id, source, answer.model, answer.index, answer.temperature)


def extracted(answer: Response, task: Task) -> Extraction:
    """Return the program that an answer means, and what was done to get it."""
    return extract(answer.text, task, kind=answer.kind)


def write_samples(path: str | os.PathLike[str], samples: Iterable[Sample]) -> int:
    """Write samples as JSONL that ``read_samples`` reads back, and return how many there were."""
    return write_jsonl(path, map(sample_row, samples))


def sample_row(sample: Sample) -> dict[str, Any]:
    """Return a sample as the row of a JSONL file."""
    row: dict[str, Any] = {"task_id": sample.task_id, "index": sample.index}
    if sample.model:
        row["model"] = sample.model
    if sample.temperature is not None:
        row["temperature"] = sample.temperature
    return {**row, "solution": sample.source}
