"""Samples: reading model responses from files, and extracting their programs."""

from __future__ import annotations

import difflib
import os
import re
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeAlias, cast

from evalplus_lite.errors import InputError, shown_path
from evalplus_lite.programs.extraction import Extraction, Kind, Step, extract, joined
from evalplus_lite.store import (
    Row,
    parse_json,
    read_beginning,
    read_jsonl,
    read_raw,
    read_text,
)
from evalplus_lite.store.locations import Place, is_folder, names_at, place_of
from evalplus_lite.store.reading import NoRows
from evalplus_lite.store.tables import is_table, read_table
from evalplus_lite.tasks.dataset import Dataset
from evalplus_lite.tasks.fields import Fields
from evalplus_lite.types import Sample, Task

# Responses as read from files, before program extraction, and faults in files.

MAX_SOURCE = 1 << 20  # bytes of a response in UTF-8


@dataclass(frozen=True, slots=True)
class Response:
    """A model's answer to one task, and its kind.

    ``index`` numbers a model's responses to the task at one temperature, from 0 unless the row has
    an index. ``fault`` is the reason why a response cannot be a program (too long, not a string);
    ``text`` is then empty.
    """

    task_id: str
    index: int
    text: str
    fault: str = ""
    kind: Kind = "solution"
    model: str = ""
    temperature: float | None = None


def checked(text: object) -> tuple[str, str]:
    """Return a response's text, and the reason why it cannot be a program, or ""."""
    if type(text) is not str:
        return "", f"is {brief(text)!r}, not a string"
    if len(text) > MAX_SOURCE or len(text.encode("utf-8", "surrogatepass")) > MAX_SOURCE:
        return "", f"is longer than {MAX_SOURCE} bytes"
    return ("", "holds a NUL character") if "\x00" in text else (text, "")


@dataclass(slots=True)
class Faults:
    """Unusable parts of sample files: counts, and the first few with file and line.

    Rows that are not a response to a task are skipped (``left_out``). Responses that cannot be
    programs are judged as failing programs (``unusable``).
    """

    SHOWN: ClassVar[int] = 100
    NOTED: ClassVar[int] = 5
    left_out: int = 0
    unusable: int = 0
    shown: list[str] = field(default_factory=list)
    aside: Counter[str] = field(default_factory=Counter)
    """Rows for tasks of the suite's family that the suite does not have, by task id."""
    unknown: int = 0
    """The number of skipped rows for tasks that the data set does not have."""
    is_strict: bool = False
    """Whether a row that would be skipped is an error."""

    def leave_out(self, error: InputError) -> None:
        """Count a row that is not a response; raise its error if ``is_strict``."""
        if self.is_strict:
            raise error
        self.left_out += 1
        self._show(str(error))

    def count(self, response: Response, path: object) -> None:
        """Count a response that cannot be a program."""
        self.unusable += 1
        place = f"{shown_path(path)}: {response.task_id}[{response.index}]"
        self._show(f"{place}: the sample {response.fault}")

    def to_json(self) -> dict[str, Any]:
        """Return the JSON-ready form."""
        return {
            "left_out": self.left_out,
            "unknown": self.unknown,
            "unusable": self.unusable,
            "shown": self.shown,
            "aside": self.aside.total(),
            "tasks_aside": len(self.aside),
        }

    def notes(self) -> list[str]:
        """Return lines to report to the user; none if all rows were used."""
        lines = []
        if self.aside:
            lines.append(
                f"{self.aside.total()} rows for {len(self.aside)} tasks that this suite does not"
                f" have were skipped, such as {next(iter(self.aside))}"
            )
        if self.unknown:
            lines.append(
                f"{self.unknown} answers are to tasks that this data set does not have: left out"
            )
        if bad := self.left_out - self.unknown:
            lines.append(f"{bad} rows of the sample files are not answers: left out")
        if self.unusable:
            lines.append(f"{self.unusable} answers cannot be programs: judged as failing ones")
        return lines + [f"  {line}" for line in self.shown[: self.NOTED]]

    def _show(self, text: str) -> None:
        if len(self.shown) < self.SHOWN:
            self.shown.append(text)


def brief(value: object) -> str:
    """Return the beginning of a value as text, for a message."""
    try:
        return str(value)[:40]
    except ValueError:  # Python refuses to print integers above 4,300 digits
        return "a huge number"


def family(task_id: str) -> str:
    """Return an id without its final number: the prefix that a published set's tasks share."""
    return task_id[:200].rstrip("0123456789")


def nearest(name: str, known: Iterable[str], dataset: Dataset) -> str:
    """Return a remedy for the name of an unknown task."""
    close = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {close[0]!r}?" if close else tasks_of(dataset)


def tasks_of(dataset: Dataset) -> str:
    """Return a message's remark about which tasks a file may have responses to."""
    shown = f", such as {dataset.all_ids[0]!r}" if dataset.all_ids else ""
    return f"the tasks are those of {dataset.name}{shown}"


# Responses from a folder of programs, and from bigcode-evaluation-harness' ``generations.json``.


def read_folder(root: Path, dataset: Dataset, faults: Faults) -> Iterator[Response]:
    """Yield the responses of a folder in task order; raise as ``read_responses`` does."""
    ids = {id.replace("/", "_"): id for id in dataset.all_ids}
    if len(ids) < len(dataset.all_ids):
        raise InputError(
            "two task ids differ only in / and _: a folder cannot tell them apart",
            path=root,
            remedy="give the samples as JSONL",
        )
    folders = {folder.name: folder for folder in root.iterdir() if not _is_hidden(folder)}
    families = {family(name) for name in ids} if dataset.suites else set()
    if any(name in ids for name in folders):
        aside = [name for name in folders if name not in ids and family(name) in families]
        for name in aside:
            files = _numbered(folders.pop(name))
            faults.aside[name] += len(files)
    for name, folder in sorted(folders.items()):
        if folder.is_dir() and name not in ids:
            raise InputError(
                "is the folder of no task", path=folder, remedy=nearest(name, ids, dataset)
            )
    found = False
    for name, id in ids.items():
        for index, file in sorted(_numbered(folders[name]).items() if name in folders else ()):
            found = True
            text = "", "is not a file"  # but a pipe, say, which may never end
            if file.is_file():
                try:
                    text = checked(read_raw(file, max_bytes=MAX_SOURCE + 1).decode("utf-8-sig"))
                except UnicodeDecodeError:
                    text = "", "is not UTF-8 text"
            yield Response(id, index, *text)
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


def read_generations(path: Place, dataset: Dataset, faults: Faults) -> Iterator[Response]:
    """Yield the responses of a ``generations.json``, or of rows in one JSON array.

    Raises InputError if the file is neither.
    """
    lists = parse_json(read_text(path), path=path)
    if lists and all(type(row) is dict for row in lists):
        yield from read_rows(lists, dataset, faults, place=path)
        return
    if len(lists) > len(dataset.all_ids):
        raise InputError(
            f"holds samples for {len(lists)} tasks, {dataset.name} has {len(dataset.all_ids)}",
            path=path,
        )
    for id, texts in zip(dataset.all_ids, lists, strict=False):
        if type(texts) is not list:
            raise InputError(
                f"task {id}: a list of strings was expected, got {type(texts).__name__}",
                path=path,
                remedy="give rows with a task_id and a solution, one JSON object a line",
            )
        for index, text in enumerate(texts):
            yield Response(id, index, *checked(text))


# Responses from rows: ``task_id``, and ``solution`` (a whole program) or ``completion``.

MAX_ROW = 8 << 20  # bytes of a row: room for the longest response with every byte escaped
MAX_INDEX = 1 << 20  # samples of a task
COLUMNS = ("task_id", "solution", "completion", "index", "model", "temperature")
PARTS = (".jsonl", ".jsonl.gz", ".jsonl.zst", ".ndjson", ".ndjson.gz", ".parquet", ".arrow")
"""Suffixes of files that count as parts of a folder of rows."""
IN_MEMORY = "the rows given"
MAX_MODEL = 500  # characters of a model's name


def read_rows(
    parts: Sequence[Place] | Iterable[Mapping[str, Any]],
    dataset: Dataset,
    faults: Faults,
    *,
    place: Place = IN_MEMORY,
) -> Iterator[Response]:
    """Yield the responses of one or more files, or of rows in memory.

    Errors about rows in memory name ``place``. Raises as ``samples.read_responses`` does.
    """
    rows, before = _Rows(dataset, faults), faults.aside.total()
    first: InputError | None = None
    found = False
    path: Place = ""

    def leave_out(error: InputError) -> None:
        nonlocal first
        first = first or error
        faults.leave_out(error)

    for path, row in _rows_of(parts, leave_out, place):
        try:
            response = rows.response(path, row)
        except InputError as error:
            leave_out(error)
        else:
            if response is not None:
                found = True
                yield response
    if first is not None and not found:
        raise first
    if not found:
        raise InputError(
            f"none of its {faults.aside.total() - before} rows is for a task of {dataset.name}",
            path=path,
            remedy=tasks_of(dataset),
        )


def _rows_of(
    parts: Sequence[Place] | Iterable[Mapping[str, Any]],
    on_fault: Callable[[InputError], None],
    place: Place,
) -> Iterator[tuple[Place, Row]]:
    """Yield rows with their files; a file may be empty if another one is not."""
    count, empty = 0, list[NoRows]()
    for count, part in enumerate(parts, 1):
        if isinstance(part, Mapping):
            yield place, Row(count, dict(part))
            continue
        is_column = is_table(read_raw(part, max_bytes=8))
        rows = (
            read_table(part, COLUMNS)
            if is_column
            else read_jsonl(part, max_line=MAX_ROW, on_fault=on_fault)
        )
        try:
            for row in rows:
                if is_column and row.data.get("solution") is None is not row.data.get("completion"):
                    row.data.pop("solution", None)  # a column that other rows use
                yield part, row
        except NoRows as error:
            empty.append(error)
    if len(empty) == count:
        raise empty[0] if empty else InputError("no rows are given", path=place)


def parts_in(names: Iterable[str]) -> list[str]:
    """Return the names that are files of rows, sorted."""
    return sorted(
        name for name in names if name.endswith(PARTS) and not name.startswith((".", "_"))
    )


BLOCK = 256  # indices that are kept together, as bits


class Indices:
    """The indices taken so far: a bit for each, or a block for each if they are far apart."""

    def __init__(self) -> None:
        self._blocks: Counter[object] = Counter()
        self._full: Counter[object] = Counter()  # blocks from the first one on

    def free(self, of: object) -> int:
        """Return the first index of ``of`` that is free."""
        while (bits := self._blocks[of, self._full[of]]) == (1 << BLOCK) - 1:
            self._full[of] += 1
        return self._full[of] * BLOCK + (~bits & (bits + 1)).bit_length() - 1

    def take(self, of: object, index: int) -> bool:
        """Take an index; return False if it is taken already."""
        block, bit = divmod(index, BLOCK)
        is_free = not self._blocks[of, block] >> bit & 1
        self._blocks[of, block] |= 1 << bit
        return is_free


class _Rows:
    """The rows of files, in their order: an index counts among all of them."""

    def __init__(self, dataset: Dataset, faults: Faults) -> None:
        self.dataset, self.faults = dataset, faults
        self.known = frozenset(dataset.all_ids)
        self.families = {family(id) for id in self.known} if dataset.suites else set()
        self.indices = Indices()

    def response(self, path: Place, row: Row) -> Response | None:
        """Return a row's response; None if its task is just of the suite's family."""
        fields, data = Fields(path, row), row.data
        if type(number := data.get("task_id")) is int:
            alike = [id for id in self.dataset.all_ids if re.split(r"\D", id)[-1] == brief(number)]
            raise fields.refuse(
                f"'task_id' is {brief(number)!r}, a string was expected",
                remedy=f"did you mean {alike[0]!r}?" if alike else tasks_of(self.dataset),
            )
        task_id = _typed(fields, "task_id", str)
        if task_id not in self.known:
            if family(task_id) in self.families:
                self.faults.aside[task_id] += 1
                return None
            shown = task_id[:100]  # the search for similar ids is slow for long ones
            self.faults.unknown += 1
            raise fields.refuse(
                f"unknown task {shown!r}", remedy=nearest(shown, self.dataset.all_ids, self.dataset)
            )
        kind: Kind = "solution" if "solution" in data else "completion"
        if kind not in data:
            keys = ", ".join(sorted(data))[:200]
            raise fields.refuse(
                "has neither 'solution' nor 'completion'", remedy=f"its keys are {keys}"
            )
        if type(data[kind]) is list:
            raise fields.refuse(
                f"{kind!r} is a list", remedy="write a row for each sample, with one program"
            )
        given = None if data.get("index") is None else _typed(fields, "index", int)
        if given is not None and not 0 <= given < MAX_INDEX:
            raise fields.refuse(f"index {brief(given)} is not from 0 to {MAX_INDEX - 1}")
        model = "" if data.get("model") is None else _typed(fields, "model", str)
        if len(model) > MAX_MODEL:
            raise fields.refuse(f"'model' is longer than {MAX_MODEL} characters")
        # Any tool may have written the row: a temperature that is none counts as missing.
        heat: Any = data.get("temperature")
        is_number = type(heat) in (int, float) and 0 <= heat <= 1000
        temperature = float(heat) + 0.0 if is_number else None  # -0.0 is 0.0
        of = task_id, model, temperature
        index = self.indices.free(of) if given is None else given
        if not self.indices.take(of, index):
            raise fields.refuse(f"duplicate index {index} of task {task_id!r}")
        return Response(task_id, index, *checked(data[kind]), kind, model, temperature)


def _typed(fields: Fields, key: str, kind: type) -> Any:
    if key not in fields.row.data:
        close = difflib.get_close_matches(key, (name[:100] for name in fields.row.data), n=1)
        keys = ", ".join(sorted(fields.row.data))[:200]
        remedy = f"rename {close[0]!r} to {key!r}" if close else f"its keys are {keys}"
        raise fields.refuse(f"missing {key!r}", remedy=remedy)
    value = fields.row.data[key]
    if type(value) is not kind:
        wanted = "a string" if kind is str else "an integer"
        raise fields.refuse(f"{key!r} is {brief(value)!r}, {wanted} was expected")
    return value


Source: TypeAlias = str | os.PathLike[str] | Iterable[Mapping[str, Any]]
"""A file or folder of responses, by path or URL, or rows in memory."""
Extractor: TypeAlias = Callable[[Iterable[tuple[Response, Task]]], Iterable[Extraction]]


def read_responses(
    path: Source, dataset: Dataset, *, faults: Faults | None = None
) -> Iterator[Response]:
    """Yield the responses of a sample file or folder to tasks of the dataset, in file order.

    ``path`` may be a URL, or rows in memory. A folder has a subfolder of programs for each task,
    or files of rows, which are read in the order of their names as parts of one file.

    A file need not cover all tasks. Responses to tasks that were not selected (``Dataset.only``)
    are skipped; so are those to other tasks of a suite's family (``HumanEval/40`` with a suite of
    ``HumanEval/0`` to ``39``), which ``faults`` counts. A response that is over ``MAX_SOURCE``
    bytes, has a NUL character or is not a string has a ``fault``. Raises InputError, naming line or
    file, for a missing or unknown task id, a row without a response, a field of the wrong type, a
    duplicate index, and any row that ``store.read_jsonl`` rejects. With ``faults``, such rows are
    counted and skipped, unless the file has no others.
    """
    chosen = {task.id for task in dataset.tasks}
    faults = Faults(is_strict=True) if faults is None else faults
    place = place_of(path) if isinstance(path, str | os.PathLike) else None
    if place is None:
        responses = read_rows(cast("Iterable[Mapping[str, Any]]", path), dataset, faults)
    elif is_folder(place):
        responses = _of_folder(place, dataset, faults)
    # A file that is one JSON list, which a JSONL file of samples never is.
    elif read_beginning(place).removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"[":
        responses = read_generations(place, dataset, faults)
    else:
        responses = read_rows([place], dataset, faults)
    return (response for response in responses if response.task_id in chosen)


def _of_folder(place: Place, dataset: Dataset, faults: Faults) -> Iterator[Response]:
    """Yield the responses of a folder, either of row files or of programs by task."""
    if isinstance(place, str):
        names = parts_in(names_at(place))
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
    """Yield the programs of a sample file for the dataset's tasks, in file order.

    ``clean`` extracts a program from each response (``programs.extraction``) and counts the
    extraction steps in ``steps``; ``none`` uses responses unchanged, completions after their
    prompt. A response that cannot be a program becomes one that raises an error with the reason.
    ``extractor`` may process many at once, in order. Raises as ``read_responses`` does.
    """
    tasks = {task.id: task for task in dataset.tasks}
    faults = Faults(is_strict=True) if faults is None else faults
    if extraction == "none":
        extractor = _unchanged
    extractor = extractor or _one_by_one
    waiting: deque[Response] = deque()
    shown = path if isinstance(path, str | os.PathLike) else IN_MEMORY

    def responses() -> Iterator[tuple[Response, Task]]:
        for response in read_responses(path, dataset, faults=faults):
            waiting.append(response)
            if not response.fault:
                yield response, tasks[response.task_id]

    def faulty() -> Iterator[Sample]:
        """Yield samples for waiting responses up to the first that is a program."""
        while waiting and waiting[0].fault:
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


def _one_by_one(responses: Iterable[tuple[Response, Task]]) -> Iterator[Extraction]:
    return (extracted(response, task) for response, task in responses)


def _unchanged(responses: Iterable[tuple[Response, Task]]) -> Iterator[Extraction]:
    return (Extraction(joined(each.text, task, kind=each.kind)) for each, task in responses)


def extracted(response: Response, task: Task) -> Extraction:
    """Return the program extracted from a response, and the steps taken."""
    return extract(response.text, task, kind=response.kind)
