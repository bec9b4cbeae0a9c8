"""Answers of models in the formats people have, read one at a time and checked as they are read.

JSONL with ``task_id`` and ``solution`` (a whole program) or ``completion`` (to follow the prompt);
a folder ``<task id, / as _>/<n>.py``; or bigcode-evaluation-harness' ``generations.json``, a list
of lists in the tasks' order. docs/formats.md has the details.
"""

from __future__ import annotations

import difflib
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from evalplus_lite.errors import InputError, shown_path
from evalplus_lite.programs.extraction import Kind
from evalplus_lite.store import parse_json, read_beginning, read_jsonl, read_raw, read_text
from evalplus_lite.tasks import Dataset

MAX_SOURCE = 1 << 20  # bytes an answer may hold, as UTF-8
MAX_INDEX = 1 << 20  # samples a task may have
# Bytes a row of a sample file may hold: room for the longest answer with every byte escaped.
MAX_ROW = 8 << 20
MAX_MODEL = 500  # characters a model's name may have


@dataclass(frozen=True, slots=True)
class Response:
    """What a model said to one task, and what it was meant as.

    ``index`` counts the answers of a model at a temperature to the task, from 0 unless it is given.
    ``fault`` says why an answer cannot be a program (it is too long, or not a text); such an answer
    has no ``text``.
    """

    task_id: str
    text: str
    kind: Kind = "solution"
    model: str = ""
    index: int = 0
    fault: str = ""
    temperature: float | None = None


@dataclass(slots=True)
class Faults:
    """What of sample files could not be used: counts, and the first few with file and line.

    Rows that cannot be taken for an answer to a task are left out (``left_out``). Answers that
    cannot be programs are judged as programs that fail (``unusable``).
    """

    SHOWN: ClassVar[int] = 100
    NOTED: ClassVar[int] = 5
    left_out: int = 0
    unusable: int = 0
    shown: list[str] = field(default_factory=list)
    aside: Counter[str] = field(default_factory=Counter)
    """Rows of the suite's family of tasks that are not among its own, by task id."""
    is_strict: bool = False
    """Whether no row may be left out."""

    def leave_out(self, error: InputError) -> None:
        """Count a row that is not an answer; raise its error if it is not to be left out."""
        if self.is_strict:
            raise error
        self.left_out += 1
        self._show(str(error))

    def count(self, answer: Response, path: object) -> None:
        """Count an answer that cannot be a program."""
        self.unusable += 1
        self._show(
            f"{shown_path(path)}: {answer.task_id}[{answer.index}]: the sample {answer.fault}"
        )

    def to_json(self) -> dict[str, Any]:
        """Return the JSON-ready form."""
        return {
            "left_out": self.left_out,
            "unusable": self.unusable,
            "shown": self.shown,
            "aside": self.aside.total(),
            "tasks_aside": len(self.aside),
        }

    def notes(self) -> list[str]:
        """Return what to tell the user: nothing if all rows were used."""
        told = []
        if self.aside:
            told.append(
                f"{self.aside.total()} rows for {len(self.aside)} tasks that this suite does not"
                f" hold were left aside, such as {next(iter(self.aside))}"
            )
        if self.left_out:
            told.append(f"{self.left_out} rows of the sample files are not answers: left out")
        if self.unusable:
            told.append(f"{self.unusable} answers cannot be programs: judged as failing ones")
        return told + [f"  {line}" for line in self.shown[: self.NOTED]]

    def _show(self, text: str) -> None:
        if len(self.shown) < self.SHOWN:
            self.shown.append(text)


def read_responses(
    path: str | os.PathLike[str], dataset: Dataset, *, faults: Faults | None = None
) -> Iterator[Response]:
    """Yield the answers of a sample file for the tasks of the dataset, in the file's order.

    A file may cover some of the tasks only, and tasks that were not chosen (``Dataset.only``) are
    passed over; so are tasks of the family that a suite file belongs to (``HumanEval/40`` beside a
    suite of ``HumanEval/0`` to ``39``), counted in ``faults``. An answer over ``MAX_SOURCE`` bytes,
    with a NUL character or of another type than text has a ``fault``. Raises InputError, naming
    line or file, for a missing or unknown task id, a row without an answer, a wrongly typed field,
    an index given twice, and for whatever ``store.read_jsonl`` refuses; with ``faults``, such a row
    is counted there and passed over, unless the file holds no other.
    """
    place = Path(path)
    chosen = {task.id for task in dataset.tasks}
    if place.is_dir():
        answers = _folder(place, dataset, faults)
    elif _begins_with_list(place):
        answers = _generations(place, dataset)
    else:
        answers = _rows(place, _Ids(dataset), faults)
    return (answer for answer in answers if answer.task_id in chosen)


class _Ids:
    """The task ids that a file may speak of, and the indices that it has used."""

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset
        self.known = frozenset(dataset.all_ids)
        self.families = {_family(id) for id in self.known} if dataset.suites else set()
        self.used: Counter[object] = Counter()  # one bit an index, so that memory stays flat

    def is_aside(self, task_id: str) -> bool:
        """Say whether a suite file lacks the task, but holds others of its family."""
        return task_id not in self.known and _family(task_id) in self.families

    def check(self, task_id: str, *, path: Path, line: int | None = None) -> None:
        """Raise unless the dataset has a task of that id."""
        if task_id in self.known:
            return
        shown = task_id[:100]  # near misses are searched for in time that grows with the length
        close = difflib.get_close_matches(shown, self.dataset.all_ids, n=1)
        raise InputError(
            f"unknown task {shown!r}",
            path=path,
            line=line,
            remedy=f"did you mean {close[0]!r}?" if close else _whose(self.dataset),
        )

    def index(self, given: int | None, of: tuple[object, ...], *, path: Path, line: int) -> int:
        """Return a sample's index among those ``of`` the same task, model and temperature.

        That is the given one, or the first that is free.
        """
        used = self.used[of]
        index = given if given is not None else (~used & (used + 1)).bit_length() - 1
        if used >> index & 1:
            raise InputError(
                f"index {index} of task {of[0]!r} stands twice in the file", path=path, line=line
            )
        self.used[of] = used | 1 << index
        return index


def _family(task_id: str) -> str:
    """Return an id without its last number: what the tasks of a published set share."""
    return task_id[:200].rstrip("0123456789")


def _rows(path: Path, ids: _Ids, faults: Faults | None) -> Iterator[Response]:
    first: InputError | None = None
    found = False
    aside: Counter[str] = Counter()

    def leave_out(error: InputError) -> None:
        nonlocal first
        if faults is None:
            raise error
        first = first or error
        faults.leave_out(error)

    for line, row in read_jsonl(path, max_line=MAX_ROW, on_fault=leave_out):
        name = row.get("task_id")
        if type(name) is str and ids.is_aside(name):
            aside[name] += 1
            continue
        try:
            answer = _answer(row, ids, path, line)
        except InputError as error:
            leave_out(error)
        else:
            found = True
            yield answer
    if first is not None and not found:
        raise first
    if not found:
        raise InputError(
            f"none of its {aside.total()} rows is for a task of {ids.dataset.name}",
            path=path,
            remedy=_whose(ids.dataset),
        )
    if faults is not None:
        faults.aside.update(aside)


def _answer(row: Mapping[str, Any], ids: _Ids, path: Path, line: int) -> Response:
    task_id = _typed(row, "task_id", str, path, line)
    if task_id is None:
        raise InputError("lacks 'task_id'", path=path, line=line)
    ids.check(task_id, path=path, line=line)
    kind: Kind = "solution" if "solution" in row else "completion"
    if kind not in row:
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
    model = _typed(row, "model", str, path, line) or ""
    if len(model) > MAX_MODEL:
        raise InputError(f"'model' is longer than {MAX_MODEL} characters", path=path, line=line)
    temperature = _temperature(row.get("temperature"))
    index = ids.index(given, (task_id, model, temperature), path=path, line=line)
    answer = _usable(row[kind], task_id=task_id, kind=kind, model=model, index=index)
    return answer if temperature is None else replace(answer, temperature=temperature)


def _temperature(value: object) -> float | None:
    """Return a temperature; None for whatever is not one, as any tool may have written the row."""
    is_number = type(value) in (int, float) and 0 <= value <= 1000  # type: ignore[operator]
    return float(value) + 0.0 if is_number else None  # type: ignore[arg-type]  # -0.0 is 0.0


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


def _folder(root: Path, dataset: Dataset, faults: Faults | None) -> Iterator[Response]:
    ids = {id.replace("/", "_"): id for id in dataset.all_ids}
    if len(ids) < len(dataset.all_ids):
        raise InputError(
            "two task ids differ only in / and _: a folder cannot tell them apart",
            path=root,
            remedy="give the samples as JSONL",
        )
    folders = {folder.name: folder for folder in root.iterdir() if not _is_hidden(folder)}
    families = {_family(name) for name in ids} if dataset.suites else set()
    if any(name in ids for name in folders):
        aside = [name for name in folders if name not in ids and _family(name) in families]
        for name in aside:
            files = _numbered(folders.pop(name))
            if faults is not None:
                faults.aside[name] += len(files)
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
            if not file.is_file():  # a pipe, say, of which no end is known
                yield Response(id, "", index=index, fault="is not a file")
                continue
            data = read_raw(file, max_bytes=MAX_SOURCE + 1)
            try:
                text = data.decode("utf-8-sig")
            except UnicodeDecodeError:
                yield Response(id, "", index=index, fault="is not UTF-8 text")
            else:
                yield _usable(text, task_id=id, index=index)
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


def _generations(path: Path, dataset: Dataset) -> Iterator[Response]:
    lists = parse_json(read_text(path), path=path)
    if len(lists) > len(dataset.all_ids):
        raise InputError(
            f"holds samples for {len(lists)} tasks, {dataset.name} has {len(dataset.all_ids)}",
            path=path,
        )
    for id, texts in zip(dataset.all_ids, lists, strict=False):
        if type(texts) is not list:
            raise InputError(f"task {id}: a list of texts was expected", path=path)
        for index, text in enumerate(texts):
            yield _usable(text, task_id=id, index=index)


def _usable(
    text: object, *, task_id: str, kind: Kind = "solution", model: str = "", index: int
) -> Response:
    """Return the answer that a value of any kind is, with its fault if no program can be that."""
    if type(text) is not str:
        fault = f"is {_brief(text)!r}, not a text"
    elif len(text) > MAX_SOURCE or len(text.encode("utf-8", "surrogatepass")) > MAX_SOURCE:
        fault = f"is longer than {MAX_SOURCE} bytes"
    elif "\x00" in text:
        fault = "holds a NUL character"
    else:
        return Response(task_id, text, kind, model, index)
    return Response(task_id, "", kind, model, index, fault)


def _whose(dataset: Dataset) -> str:
    shown = f", such as {dataset.all_ids[0]!r}" if dataset.all_ids else ""
    return f"the tasks are those of {dataset.name}{shown}"
