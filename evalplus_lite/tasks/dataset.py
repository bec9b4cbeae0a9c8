"""Datasets: named tasks in order, and how to select some of them."""

from __future__ import annotations

import difflib
import fnmatch
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from evalplus_lite.errors import InputError
from evalplus_lite.types import Suite, Task, Unusable


@dataclass(frozen=True, slots=True, repr=False)
class Dataset:
    """Tasks in file order; ``suites`` holds a suite file's data beyond the tasks.

        for task in dataset: ...
        dataset["HumanEval/0"].prompt

    ``name`` is the published set's name, or the file's without suffixes. ``of`` lists the ids of
    the whole set that these tasks were selected from, in its order; empty if all were.
    ``unusable`` lists tasks that cannot be used, with reasons. ``path`` is the file as the user
    named it, empty for a published set.
    """

    name: str
    tasks: tuple[Task, ...]
    suites: Mapping[str, Suite] = field(default_factory=dict)
    of: tuple[str, ...] = ()
    unusable: tuple[Unusable, ...] = ()
    path: str = field(default="", compare=False)

    def __repr__(self) -> str:
        """Return one line, as a notebook shows it."""
        bad = f", {len(self.unusable)} unusable" if self.unusable else ""
        return f"<Dataset {self.name}: {len(self.tasks)} tasks, {len(self.suites)} suites{bad}>"

    def __len__(self) -> int:
        return len(self.tasks)

    def __iter__(self) -> Iterator[Task]:
        return iter(self.tasks)

    def __getitem__(self, task_id: str) -> Task:
        """Return a task by id; KeyError if it is not in the dataset."""
        for task in self.tasks:
            if task.id == task_id:
                return task
        raise KeyError(task_id)

    def __contains__(self, task_id: object) -> bool:
        """Return whether a task, or a task with this id, is in the dataset."""
        return any(task_id in (task.id, task) for task in self.tasks)

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the tasks, in order."""
        return tuple(task.id for task in self.tasks)

    @property
    def all_ids(self) -> tuple[str, ...]:
        """The ids of the whole set that the tasks were selected from, in order."""
        return self.of or self.ids

    @property
    def has_plus(self) -> bool:
        """Whether any task has cases beyond its base ones."""
        counts = (suite.base_count < len(suite.cases) for suite in self.suites.values())
        return any(counts) or any(task.plus for task in self.tasks)

    def without(self, unusable: Iterable[Unusable]) -> Dataset:
        """Return the dataset with these tasks moved to the unusable ones."""
        found = tuple(unusable)
        gone = {each.task_id for each in found}
        return replace(
            self,
            tasks=tuple(task for task in self.tasks if task.id not in gone),
            suites={id: suite for id, suite in self.suites.items() if id not in gone},
            of=self.all_ids,
            unusable=(*self.unusable, *found),
        )

    def only(self, patterns: Sequence[str] | None) -> Dataset:
        """Return a dataset of the tasks that match any pattern, in the dataset's order.

        A pattern is a comma-separated list of ids, globs (``HumanEval/1*``), ranges of final
        numbers (``HumanEval/10-20``), or such numbers and ranges alone (``3,10-20``). None selects
        all tasks. Raises InputError for a pattern that matches nothing.
        """
        if patterns is None:
            return self
        chosen: set[str] = set()
        for pattern in patterns:
            chosen.update(self._matches(pattern))
        tasks = tuple(task for task in self.tasks if task.id in chosen)
        suites = {id: suite for id, suite in self.suites.items() if id in chosen}
        unusable = tuple(each for each in self.unusable if each.task_id in chosen)
        return replace(self, tasks=tasks, suites=suites, of=self.all_ids, unusable=unusable)

    def _matches(self, pattern: str) -> set[str]:
        named = (*self.ids, *(each.task_id for each in self.unusable))
        # Ids may hold commas, dashes and stars.
        parts = [pattern] if pattern in named else [part.strip() for part in pattern.split(",")]
        chosen: set[str] = set()
        for part in filter(None, parts):
            numbers = re.fullmatch(r"(.*?)(\d+)(?:-(\d+))?", part, re.ASCII)
            if part in named:
                found = {part}
            elif numbers:
                prefix, first, last = numbers[1], int(numbers[2]), int(numbers[3] or numbers[2])
                ends = [re.fullmatch(r"(.*?)(\d+)", id, re.ASCII) for id in named]
                found = {
                    end[0]
                    for end in ends
                    if end and prefix in ("", end[1]) and first <= int(end[2]) <= last
                }
            else:
                found = {id for id in named if fnmatch.fnmatchcase(id, part)}
            if not found:
                close = difflib.get_close_matches(part, named, n=1, cutoff=0.5)
                remedy = f"did you mean {close[0]}?" if close else "it holds no tasks"
                if named and not close:
                    remedy = f"its tasks are {named[0]} to {named[-1]}"
                raise InputError(f"{part!r} chooses no task of {self.name}", remedy=remedy)
            chosen |= found
        if not chosen:
            raise InputError(f"{pattern!r} chooses no task of {self.name}")
        return chosen
