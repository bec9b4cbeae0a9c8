"""A dataset: named tasks in order, and the choice of some of them."""

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
    """Tasks in their file's order; ``suites`` holds what a suite file says beyond the tasks.

        for task in dataset: ...
        dataset["HumanEval/0"].prompt

    ``name`` is the published set's, or the file's without its endings. ``of`` are the ids of the
    whole set that these tasks were chosen from, in its order; empty if none was left out.
    ``unusable`` are the tasks of the file that cannot be used, with what is wrong. ``path`` is the
    file as it was given, empty for a published set.
    """

    name: str
    tasks: tuple[Task, ...]
    suites: Mapping[str, Suite] = field(default_factory=dict)
    of: tuple[str, ...] = ()
    unusable: tuple[Unusable, ...] = ()
    path: str = field(default="", compare=False)

    def __repr__(self) -> str:
        """Return a line: what a notebook shows of it."""
        bad = f", {len(self.unusable)} unusable" if self.unusable else ""
        return f"<Dataset {self.name}: {len(self.tasks)} tasks, {len(self.suites)} suites{bad}>"

    def __len__(self) -> int:
        return len(self.tasks)

    def __iter__(self) -> Iterator[Task]:
        return iter(self.tasks)

    def __getitem__(self, task_id: str) -> Task:
        """Return a task by its id; KeyError names an id that is not in the dataset."""
        for task in self.tasks:
            if task.id == task_id:
                return task
        raise KeyError(task_id)

    def __contains__(self, task_id: object) -> bool:
        """Return whether a task of this id (or this very task) is in the dataset."""
        return any(task_id in (task.id, task) for task in self.tasks)

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the tasks, in order."""
        return tuple(task.id for task in self.tasks)

    @property
    def all_ids(self) -> tuple[str, ...]:
        """The ids of the whole set that the tasks were chosen from, in order."""
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
        """Return the dataset of the tasks that any pattern chooses, in the dataset's order.

        A pattern is one or more, separated by commas, of: an id, a glob (``HumanEval/1*``), a range
        of last numbers (``HumanEval/10-20``), or such a number or range alone (``3,10-20``). None
        chooses all. Raises InputError for a pattern that chooses nothing.
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

    @property
    def _named(self) -> tuple[str, ...]:
        """All ids that can be asked for, those of unusable tasks included."""
        return (*self.ids, *(each.task_id for each in self.unusable))

    def _matches(self, pattern: str) -> set[str]:
        if pattern in self._named:  # ids may hold commas, dashes and stars
            return {pattern}
        chosen: set[str] = set()
        for part in filter(None, (part.strip() for part in pattern.split(","))):
            found = self._part(part)
            if not found:
                raise InputError(
                    f"{part!r} chooses no task of {self.name}", remedy=self._nearest(part)
                )
            chosen |= found
        if not chosen:
            raise InputError(f"{pattern!r} chooses no task of {self.name}")
        return chosen

    def _part(self, part: str) -> set[str]:
        if part in self._named:
            return {part}
        numbers = re.fullmatch(r"(.*?)(\d+)(?:-(\d+))?", part, re.ASCII)
        if numbers:
            prefix, first, last = numbers[1], int(numbers[2]), int(numbers[3] or numbers[2])
            return {id for id in self._named if _has_number(id, prefix, first, last)}
        return {id for id in self._named if fnmatch.fnmatchcase(id, part)}

    def _nearest(self, part: str) -> str:
        close = difflib.get_close_matches(part, self._named, n=1, cutoff=0.5)
        if close:
            return f"did you mean {close[0]}?"
        if not self._named:
            return "it holds no tasks"
        return f"its tasks are {self._named[0]} to {self._named[-1]}"


def _has_number(id: str, prefix: str, first: int, last: int) -> bool:
    """Return whether an id ends in a number of the range, after the prefix if there is one."""
    match = re.fullmatch(r"(.*?)(\d+)", id, re.ASCII)
    return match is not None and prefix in ("", match[1]) and first <= int(match[2]) <= last
