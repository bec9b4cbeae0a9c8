"""Loading of datasets, by published name or from a file whose keys reveal its format."""

from __future__ import annotations

import itertools
import os
import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from evalplus_lite.errors import InputError, one_of
from evalplus_lite.store import Row, read_rows
from evalplus_lite.store.labels import label
from evalplus_lite.store.reading import read_toml
from evalplus_lite.store.tables import read_table
from evalplus_lite.tasks.custom import own_task
from evalplus_lite.tasks.dataset import Dataset
from evalplus_lite.tasks.fields import Fields
from evalplus_lite.tasks.published.format import (
    Background,
    Format,
    Registry,
    own_formats,
    place_of,
    registry,
)
from evalplus_lite.tasks.suite_file import Reading, suites_of
from evalplus_lite.types import Task, Unusable

# Rows of user-written tasks have one of these key sets. Published formats take precedence.
OWN_KEYS = ({"reference"}, {"id", "prompt"})
OWN = tuple(Format("own tasks", keys, lambda fields, _: own_task(fields)) for keys in OWN_KEYS)
SUITE_KEYS = {"cases", "base_count"}
SUITE = "suite.jsonl.gz"
TASK_FILES = ("*.toml", "*.jsonl", "*.jsonl.gz")
SHOWN = 50  # unusable tasks listed in one error


def names() -> tuple[str, ...]:
    """Return the dataset names that ``load_dataset`` knows; anything else is a path."""
    return tuple(registry().sources)


def load_dataset(
    name_or_path: str | os.PathLike[str],
    *,
    only: Sequence[str] | None = None,
    strict: bool = False,
) -> Dataset:
    """Load a published dataset (``names()``) or a file; ``only`` selects as ``Dataset.only`` does.

    A named set comes with an installed package, or is downloaded once.
    The keys of a file's first row reveal its format: a published one, a suite file, or your own
    tasks (docs/reference/formats.md has the schemas). From a folder, the suite that a command
    wrote is read, or otherwise all task files.
    A row that cannot be used goes to ``Dataset.unusable``. With ``strict``, or if no row can be
    used, it raises InputError instead, as do unusable files, names and patterns.
    """
    if not isinstance(name_or_path, str | os.PathLike):
        raise InputError(f"expected a name or a path, got {reprlib.repr(name_or_path)}")
    name, known = os.fspath(name_or_path), registry()
    if name in known.sources:
        dataset = replace(_read(place_of(known.sources[name]), known), name=name)
    elif os.path.exists(name):
        is_folder = os.path.isdir(name)
        found = (_read_folder if is_folder else _read)(Path(name), known)
        label_of = label(os.path.abspath(name) if is_folder else name)
        dataset = replace(found, name=label_of, path=name)
    else:
        raise InputError(
            f"no dataset named {name!r}, and no such file",
            remedy=_with(known.faults, f"{one_of(name, known.sources)}, or give a path"),
        )
    chosen = dataset.only(only)
    if strict and chosen.unusable:
        raise refusal(chosen.unusable, path=name)
    return chosen


def refusal(unusable: Sequence[Unusable], *, path: object = None) -> InputError:
    """Return an error that lists tasks that cannot be used."""
    shown = "; ".join(f"{each.task_id}: {each.detail}" for each in unusable[:SHOWN])
    more = f"; and {len(unusable) - SHOWN} more" if len(unusable) > SHOWN else ""
    tasks = "1 task" if len(unusable) == 1 else f"{len(unusable)} tasks"
    return InputError(f"{tasks} cannot be used: {shown}{more}", path=path)


def known_contracts() -> dict[str, str]:
    """Return all contracts that ship with the project, by task id.

    They also apply to published sets that are loaded without them, whose own inputs may violate
    them.
    """
    found: dict[str, str] = {}
    for form in own_formats():
        found |= form.known_contracts()
    return found


def shipped() -> dict[str, Dataset]:
    """Return the published sets that need no download, by name."""
    return {
        name: load_dataset(name)
        for form in own_formats()
        for name, source in form.sources.items()
        if callable(source)
    }


def _read_folder(folder: Path, known: Registry) -> Dataset:
    """Read the suite that a command wrote to a folder, or otherwise all task files in it."""
    if (folder / SUITE).exists():
        return _read(folder / SUITE, known)
    paths = sorted({path for pattern in TASK_FILES for path in folder.glob(pattern)})
    paths = paths or sorted(folder.glob("data/*.jsonl"))  # as in repositories of data sets
    if not paths:
        raise InputError(
            "is a folder without tasks",
            path=folder,
            remedy=f"give a file, or a folder with {SUITE}, {' or '.join(TASK_FILES[:2])}",
        )
    found = [_read(path, known) for path in paths]
    homes: dict[str, Path] = {}
    for path, each in zip(paths, found, strict=True):
        for id in each.all_ids:
            if homes.setdefault(id, path) != path:
                raise InputError(f"task {id!r} is in {homes[id].name}, too", path=path)
    return Dataset(
        found[0].name,
        tuple(task for each in found for task in each.tasks),
        {id: suite for each in found for id, suite in each.suites.items()},
        of=tuple(homes) if any(each.of for each in found) else (),
        unusable=tuple(fault for each in found for fault in each.unusable),
    )


Rows: TypeAlias = Iterable[Task] | Iterable[Mapping[str, Any]]


def dataset_of(value: Dataset | str | os.PathLike[str] | Rows, *, name: str = "rows") -> Dataset:
    """Return a dataset from a Dataset, a name or path, tasks, or rows of a known format.

    Errors about rows use ``name`` as the file name. Raises InputError for anything else.
    """
    if isinstance(value, Dataset):
        return value
    if isinstance(value, str | os.PathLike):
        return load_dataset(value)
    items = list(value) if isinstance(value, Iterable) and not isinstance(value, Mapping) else []
    if items and all(isinstance(item, Task) for item in items):
        tasks = {item.id: item for item in items if isinstance(item, Task)}
        if len(tasks) < len(items):
            raise InputError("two tasks have one id", remedy="give each task an id of its own")
        return Dataset(name, tuple(tasks.values()))
    rows = [Row(n, item) for n, item in enumerate(items, 1) if isinstance(item, dict)]
    if not rows or len(rows) < len(items):
        raise InputError(
            f"expected a dataset, got {reprlib.repr(value)}",
            remedy="give a name, a path, a Dataset, a list of Tasks, or a list of rows (dicts)",
        )
    found = _from_rows(rows[0], iter(rows), Reading[Any](name), registry())
    return replace(found, name=name)


def _read(path: Path, known: Registry) -> Dataset:
    reading = Reading[Any](path)
    rows = _raw(path, reading.pass_over)
    first = next(rows, None)
    if first is None:
        raise reading.errors[0]
    return _from_rows(first, itertools.chain([first], rows), reading, known)


def _raw(path: Path, on_fault: Callable[[InputError], None]) -> Iterator[Row]:
    if path.suffix == ".toml":
        return read_toml(path)
    return (
        read_table(path)
        if path.suffix in (".parquet", ".arrow")
        else read_rows(path, on_fault=on_fault)
    )


def named_rows(path: str | os.PathLike[str]) -> Iterator[tuple[str, Row]]:
    """Yield the rows of a task file with their task ids, "" for a row that cannot be read."""
    rows = _raw(Path(path), lambda _: None)
    form = None
    for row in rows:
        form = form or _format(path, row, registry())
        try:
            yield form.task(Fields(path, row), Background()).id, row
        except InputError:
            yield "", row


def _from_rows(first: Row, rows: Iterator[Row], reading: Reading[Any], known: Registry) -> Dataset:
    if first.data.keys() >= SUITE_KEYS:
        return suites_of(rows, reading)
    form = _format(reading.path, first, known)
    background = form.background(first)
    for row in rows:
        reading.add(row, lambda fields: form.task(fields, background))
    tasks = tuple(reading.found.values())
    return Dataset(form.name, tasks, of=reading.ids, unusable=reading.unusable())


def _format(path: object, first: Row, known: Registry) -> Format:
    keys = frozenset(first.data)
    own = (each for each in OWN if keys.issuperset(each.keys))
    form = known.of(keys) or next(own, None)
    if form is not None:
        return form
    shown = ", ".join(sorted(keys)[:8]) or "none"
    raise InputError(
        f"its first row is not a task of a known format: its keys are {shown}",
        path=path,
        line=first.line,
        remedy=_with(
            known.faults,
            "a task of your own has id, prompt, entry_point, reference (docs/reference/formats.md)",
        ),
    )


def _with(faults: Sequence[str], remedy: str) -> str:
    """Append the packages that failed to load to a remedy: one may know the name or format."""
    return "; ".join((remedy, *faults))
