"""Samples: the programs that the responses in a file mean, and files of such programs."""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal, TypeAlias, cast

from evalplus_lite.errors import InputError
from evalplus_lite.programs.extraction import Extraction, Step, extract, joined
from evalplus_lite.store import write_jsonl
from evalplus_lite.store.locations import Folder, Place, is_folder, place_of
from evalplus_lite.tasks.dataset import Dataset
from evalplus_lite.tasks.response_folders import is_generations, read_folder, read_generations
from evalplus_lite.tasks.response_rows import IN_MEMORY, PARTS, parts_in, read_rows
from evalplus_lite.tasks.responses import Faults as Faults
from evalplus_lite.tasks.responses import Response as Response
from evalplus_lite.types import Sample, Task

Source: TypeAlias = str | os.PathLike[str] | Iterable[Mapping[str, Any]]
"""A file or folder of responses, by path or URL, or rows in memory."""
Extractor: TypeAlias = Callable[[Iterable[tuple[Response, Task]]], Iterable[Extraction]]


def read_responses(
    path: Source, dataset: Dataset, *, faults: Faults | None = None
) -> Iterator[Response]:
    """Yield the responses of a sample file or folder to tasks of the dataset, in its order.

    ``path`` may be a URL, or rows in memory. A folder holds a folder of programs for each task, or
    files of rows that are taken, by name, for parts of one.

    A file may cover some of the tasks only, and tasks that were not chosen (``Dataset.only``) are
    passed over; so are tasks of the family that a suite file belongs to (``HumanEval/40`` beside a
    suite of ``HumanEval/0`` to ``39``), counted in ``faults``. A response over ``MAX_SOURCE``
    bytes, with a NUL character or of another type than string has a ``fault``. Raises InputError,
    naming line or file, for a missing or unknown task id, a row without a response, a wrongly typed
    field, a duplicate index, and for whatever ``store.read_jsonl`` refuses; with ``faults``, such a
    row is counted there and passed over, unless the file holds no other.
    """
    chosen = {task.id for task in dataset.tasks}
    place = place_of(path) if isinstance(path, str | os.PathLike) else None
    if place is None:
        responses = read_rows(cast("Iterable[Mapping[str, Any]]", path), dataset, faults)
    elif is_folder(place):
        responses = _of_folder(place, dataset, faults)
    elif is_generations(place):
        responses = read_generations(place, dataset)
    else:
        responses = read_rows([place], dataset, faults)
    return (response for response in responses if response.task_id in chosen)


def _of_folder(place: Place, dataset: Dataset, faults: Faults | None) -> Iterator[Response]:
    """Yield the responses of a folder: of parts, or of programs by task."""
    if isinstance(place, str):
        names = parts_in(Folder(place).names())
        if not names:
            raise InputError(
                "holds no files of rows", path=place, remedy=f"they end in {', '.join(PARTS)}"
            )
        return read_rows([f"{place.rstrip('/')}/{name}" for name in names], dataset, faults)
    ids = {id.replace("/", "_") for id in dataset.all_ids}
    names = parts_in(each.name for each in place.iterdir() if each.is_file())
    if names and not any((place / id).is_dir() for id in ids):
        return read_rows([place / name for name in names], dataset, faults)
    return read_folder(place, dataset, faults)


def read_samples(
    path: Source,
    dataset: Dataset,
    *,
    extraction: Literal["clean", "none"] = "clean",
    steps: Counter[Step] | None = None,
    faults: Faults | None = None,
    extractor: Extractor | None = None,
) -> Iterator[Sample]:
    """Yield the programs of a sample file for the tasks of the dataset, in the file's order.

    ``clean`` makes a program of each response (``programs.extract``) and counts in ``steps`` what
    was done to how many; ``none`` takes responses as they are, completions after their prompt. A
    response that cannot be a program becomes one that raises and says why. ``extractor`` may
    extract many at once, in their order. Raises as ``read_responses``.
    """
    tasks = {task.id: task for task in dataset.tasks}
    if extraction == "none":
        extractor = _taken_as_they_are
    extractor = extractor or one_by_one
    waiting: deque[Response] = deque()
    shown = path if isinstance(path, str | os.PathLike) else IN_MEMORY

    def responses() -> Iterator[tuple[Response, Task]]:
        for response in read_responses(path, dataset, faults=faults):
            waiting.append(response)
            if not response.fault:
                yield response, tasks[response.task_id]

    def faulty() -> Iterator[Sample]:
        """Yield samples for what waits up to the first response that is a program."""
        while waiting and waiting[0].fault:
            if faults is not None:
                faults.count(waiting[0], shown)
            yield sample(f"raise ValueError({f'the sample {waiting[0].fault}'!a})\n")

    def sample(source: str) -> Sample:
        of = waiting.popleft()
        return Sample(of.task_id, source, of.model, of.index, of.temperature)

    for found in extractor(responses()):
        yield from faulty()
        if steps is not None:
            steps.update(found.steps)
        yield sample(found.source)
    yield from faulty()


def one_by_one(responses: Iterable[tuple[Response, Task]]) -> Iterator[Extraction]:
    """Yield the programs that responses mean, in order."""
    return (extracted(response, task) for response, task in responses)


def _taken_as_they_are(responses: Iterable[tuple[Response, Task]]) -> Iterator[Extraction]:
    return (Extraction(joined(each.text, task, kind=each.kind)) for each, task in responses)


def extracted(response: Response, task: Task) -> Extraction:
    """Return the program that a response means, and what was done to get it."""
    return extract(response.text, task, kind=response.kind)


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
