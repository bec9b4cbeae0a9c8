"""What every exporter takes and returns."""

from __future__ import annotations

import keyword
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice

from evalplus_lite.errors import InputError
from evalplus_lite.types import CALL, Case, HarnessKind, Suite, Task, Unusable, Value
from evalplus_lite.values import wire
from evalplus_lite.values.source import is_readable


@dataclass(frozen=True, slots=True)
class Card:
    """What a description of the exported set names: the set, its licence, tasks not in it."""

    name: str = "suite"
    licence: str = "other"
    left_out: tuple[Unusable, ...] = ()


@dataclass(frozen=True, slots=True)
class Written:
    """How many tasks were written, and for which ids how many cases the format cannot hold."""

    tasks: int
    lost: Mapping[str, int]

    @property
    def left_out(self) -> int:
        """How many cases of the written tasks the format cannot hold."""
        return sum(self.lost.values())


def unheld(task: Task, *, kinds: Collection[HarnessKind] = ()) -> str:
    """Return why programs cannot be invoked in a format as a task says; "" if they can.

    All formats have plain calls; ``kinds`` are those of which one can also observe the rest.
    """
    harness = task.harness
    if replace(harness, inferred=False) == CALL:
        return ""
    if not kinds:
        return f"it has functions that return a value, not {harness.kind!r}: {harness.words}"
    if harness.kind not in kinds:
        return f"it has no way to invoke programs as {harness.kind!r}"
    if harness.kind == "script":
        return "" if harness.observe == ("value",) else "it sees the output of scripts alone"
    return "it does not see what is printed" if harness.has_streams else ""


@dataclass(frozen=True, slots=True)
class ExportedTask:
    """A task and its suite, which may hold fewer or other cases than the task came with.

    Its entry point is inserted into exported programs: InputError if it is not a name.
    """

    task: Task
    suite: Suite

    def __post_init__(self) -> None:
        """Refuse text that would be code of its own in place of a name."""
        name = self.task.entry_point
        parts = name.split(".") if self.task.harness.kind == "method" else [name]
        if not name and self.task.harness.kind == "script":
            return
        if not all(part.isidentifier() and not keyword.iskeyword(part) for part in parts):
            raise InputError(f"task {self.task.id[:60]!r}: {name[:60]!r} is not a Python name")

    @property
    def base(self) -> tuple[Case, ...]:
        """The suite's base cases."""
        return self.suite.cases[: self.suite.base_count]

    @property
    def plus(self) -> tuple[Case, ...]:
        """The suite's other cases."""
        return tuple(islice(self.suite.cases, self.suite.base_count, None))

    @property
    def expected(self) -> list[Value]:
        """The right output for each case."""
        return [wire.decode(data) for data in self.suite.expected]

    def literals(self) -> Iterator[tuple[int, Case, Value]]:
        """Yield number, case and right output of all cases that a program can hold."""
        for number, (case, expected) in enumerate(
            zip(self.suite.cases, self.expected, strict=True)
        ):
            if is_readable((case.arguments, expected)):
                yield number, case, expected

    @property
    def left_out(self) -> int:
        """How many cases no program can hold: nested too deeply, or of a class it must declare."""
        return len(self.suite.cases) - sum(1 for _ in self.literals())

    @property
    def solution(self) -> str:
        """What, appended to the prompt, makes a right program.

        A reference that does not continue the prompt (a repaired one) follows a body that is never
        reached: it defines the entry point again. A ``solution`` (MBPP's) is complete by itself.
        """
        task = self.task
        if task.style == "solution":
            return task.reference
        if task.reference.startswith(task.prompt):
            return task.reference[len(task.prompt) :]
        return f"    raise NotImplementedError\n\n\n{task.reference}"


def lost_cases(entries: Iterable[ExportedTask]) -> dict[str, int]:
    """Return for each task with cases that no program can hold how many there are."""
    return {entry.task.id: count for entry in entries if (count := entry.left_out)}
