"""Sample files: model answers in any of the formats people have, read one at a time.

JSONL with ``task_id`` and ``solution`` (a whole program) or ``completion`` (to follow the prompt);
a folder ``<task id, / as _>/<n>.py``; or bigcode-evaluation-harness' ``generations.json``, a list
of lists in the tasks' order. docs/formats.md has the details.
"""

from __future__ import annotations

import difflib
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from evalplus_lite.errors import InputError
from evalplus_lite.extraction import Extraction, Kind, Step, extract, joined
from evalplus_lite.store import parse_json, read_beginning, read_jsonl, read_text, write_jsonl
from evalplus_lite.tasks import Dataset
from evalplus_lite.types import Sample, Task

MAX_SOURCE = 1 << 20
"""Bytes an answer may hold, as UTF-8."""
MAX_INDEX = 1 << 20
"""Samples a task may have."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said to one task, and what it was meant as; ``index`` counts per task from 0."""

    task_id: str
    text: str
    kind: Kind = "solution"
    model: str = ""
    index: int = 0


def read_samples(
    path: str | os.PathLike[str],
    dataset: Dataset,
    *,
    extraction: Literal["clean", "none"] = "clean",
    steps: Counter[Step] | None = None,
) -> Iterator[Sample]:
    """Yield the programs of a sample file for the tasks of the dataset, in the file's order.

    ``clean`` makes a program of each answer (``extraction.extract``) and counts in ``steps`` what
    was done to how many; ``none`` takes answers as they stand, completions after their prompt.
    Raises as ``read_answers``.
    """
    tasks = {task.id: task for task in dataset.tasks}
    for answer in read_answers(path, dataset):
        task = tasks[answer.task_id]
        if extraction == "none":
            source = joined(answer.text, task, kind=answer.kind)
        else:
            found = extracted(answer, task)
            source = found.source
            if steps is not None:
                steps.update(found.steps)
        yield Sample(answer.task_id, source, answer.model, answer.index)


def extracted(answer: Answer, task: Task) -> Extraction:
    """Return the program that an answer means, and what was done to get it."""
    return extract(answer.text, task, kind=answer.kind)


def read_answers(path: str | os.PathLike[str], dataset: Dataset) -> Iterator[Answer]:
    """Yield the answers of a sample file for the tasks of the dataset, in the file's order.

    A file may cover some of the tasks only, and tasks that were not chosen (``Dataset.only``) are
    passed over. Raises InputError, naming line or file, for a missing or unknown task id, a missing
    or wrongly typed field, an index given twice, an answer over ``MAX_SOURCE`` bytes or with a NUL
    character, and for whatever ``store.read_jsonl`` refuses.
    """
    place = Path(path)
    chosen = {task.id for task in dataset.tasks}
    if place.is_dir():
        answers = _folder(place, dataset)
    elif _begins_with_list(place):
        answers = _generations(place, dataset)
    else:
        answers = _rows(place, _Ids(dataset))
    return (answer for answer in answers if answer.task_id in chosen)


def write_samples(path: str | os.PathLike[str], samples: Iterable[Sample]) -> int:
    """Write samples as JSONL that ``read_samples`` reads back, and return how many there were."""
    return write_jsonl(path, map(sample_row, samples))


def sample_row(sample: Sample) -> dict[str, Any]:
    """Return a sample as the row of a JSONL file."""
    row: dict[str, Any] = {"task_id": sample.task_id, "index": sample.index}
    if sample.model:
        row["model"] = sample.model
    return {**row, "solution": sample.source}


class _Ids:
    """The task ids that a file may speak of, and the indices that it has used."""

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset
        self.known = frozenset(dataset.all_ids)
        self.used: Counter[str] = Counter()  # one bit an index, so that memory stays flat

    def check(self, task_id: str, *, path: Path, line: int | None = None) -> None:
        """Raise unless the dataset has a task of that id."""
        if task_id in self.known:
            return
        close = difflib.get_close_matches(task_id, self.dataset.all_ids, n=1)
        raise InputError(
            f"unknown task {task_id!r}",
            path=path,
            line=line,
            remedy=f"did you mean {close[0]!r}?" if close else _whose(self.dataset),
        )

    def index(self, task_id: str, given: int | None, *, path: Path, line: int) -> int:
        """Return the sample's index: the given one, or the first that is free."""
        used = self.used[task_id]
        index = given if given is not None else (~used & (used + 1)).bit_length() - 1
        if used >> index & 1:
            raise InputError(
                f"index {index} of task {task_id!r} stands twice in the file", path=path, line=line
            )
        self.used[task_id] = used | 1 << index
        return index


def _rows(path: Path, ids: _Ids) -> Iterator[Answer]:
    for line, row in read_jsonl(path):
        task_id = _typed(row, "task_id", str, path, line)
        if task_id is None:
            raise InputError("lacks 'task_id'", path=path, line=line)
        ids.check(task_id, path=path, line=line)
        kind: Kind = "solution" if "solution" in row else "completion"
        text = _typed(row, kind, str, path, line)
        if text is None:
            shown = ", ".join(sorted(row))[:200]
            raise InputError(
                "has neither 'solution' nor 'completion'",
                path=path,
                line=line,
                remedy=f"its keys are {shown}",
            )
        given = _typed(row, "index", int, path, line)
        if given is not None and not 0 <= given < MAX_INDEX:
            raise InputError(
                f"index {_brief(given)} is not from 0 to {MAX_INDEX - 1}", path=path, line=line
            )
        yield Answer(
            task_id,
            _usable(text, path=path, line=line),
            kind,
            _typed(row, "model", str, path, line) or "",
            ids.index(task_id, given, path=path, line=line),
        )


def _typed(row: Mapping[str, Any], key: str, kind: type, path: Path, line: int) -> Any:
    value = row.get(key)
    if value is None and (key not in row or key in ("index", "model")):
        return None
    if type(value) is not kind:
        wanted = "a text" if kind is str else "an integer"
        raise InputError(
            f"{key!r} is {_brief(value)!r}, {wanted} was expected", path=path, line=line
        )
    return value


def _brief(value: object) -> str:
    try:
        return str(value)[:40]
    except ValueError:  # Python shows no integer of more than some thousand digits
        return "a huge number"


def _folder(root: Path, dataset: Dataset) -> Iterator[Answer]:
    ids = {id.replace("/", "_"): id for id in dataset.all_ids}
    if len(ids) < len(dataset.all_ids):
        raise InputError(
            "two task ids differ only in / and _: a folder cannot tell them apart",
            path=root,
            remedy="give the samples as JSONL",
        )
    folders = {folder.name: folder for folder in root.iterdir() if not _is_hidden(folder)}
    for name, folder in sorted(folders.items()):
        if folder.is_dir() and name not in ids:
            close = difflib.get_close_matches(name, ids, n=1)
            raise InputError(
                "is the folder of no task",
                path=folder,
                remedy=f"did you mean {close[0]!r}?" if close else _whose(dataset),
            )
    found = False
    for name, id in ids.items():
        if name not in folders:
            continue
        for index, file in sorted(_numbered(folders[name]).items()):
            found = True
            yield Answer(id, _usable(read_text(file), path=file), index=index)
    if not found:
        raise InputError("holds no samples", path=root, remedy="<task id with / as _>/<n>.py")


def _numbered(folder: Path) -> dict[int, Path]:
    files: dict[int, Path] = {}
    for file in folder.iterdir() if folder.is_dir() else ():
        if _is_hidden(file) or file.suffix != ".py":
            continue
        if not re.fullmatch(r"[0-9]{1,6}", file.stem) or int(file.stem) in files:
            raise InputError(
                "is not named by a number of its own", path=file, remedy="such as 0.py, 1.py"
            )
        files[int(file.stem)] = file
    return files


def _is_hidden(path: Path) -> bool:
    return path.name.startswith((".", "__"))


def _begins_with_list(path: Path) -> bool:
    """Say whether a file is one JSON list, as no JSONL file of samples is."""
    return read_beginning(path).removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"["


def _generations(path: Path, dataset: Dataset) -> Iterator[Answer]:
    lists = parse_json(read_text(path), path=path)
    if len(lists) > len(dataset.all_ids):
        raise InputError(
            f"holds samples for {len(lists)} tasks, {dataset.name} has {len(dataset.all_ids)}",
            path=path,
        )
    for id, texts in zip(dataset.all_ids, lists, strict=False):
        if type(texts) is not list or not all(type(text) is str for text in texts):
            raise InputError(f"task {id}: a list of texts was expected", path=path)
        for index, text in enumerate(texts):
            yield Answer(
                id, _usable(text, path=path, of=f"task {id}, sample {index}: "), index=index
            )


def _usable(text: str, *, path: Path, line: int | None = None, of: str = "") -> str:
    """Return an answer's text; InputError where no program could be of that kind."""
    if len(text) > MAX_SOURCE or len(text.encode("utf-8", "surrogatepass")) > MAX_SOURCE:
        raise InputError(f"{of}the sample is longer than {MAX_SOURCE} bytes", path=path, line=line)
    if "\x00" in text:
        raise InputError(f"{of}the sample holds a NUL character", path=path, line=line)
    return text


def _whose(dataset: Dataset) -> str:
    shown = f", such as {dataset.all_ids[0]!r}" if dataset.all_ids else ""
    return f"the tasks are those of {dataset.name}{shown}"
