"""What every exporter takes: a task with the suite that is to be handed on."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from evalplus_lite.sandbox import wire
from evalplus_lite.types import Case, Suite, Task, Value


@dataclass(frozen=True, slots=True)
class Entry:
    """A task and its suite, which may hold fewer or other cases than the task came with."""

    task: Task
    suite: Suite

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

    @property
    def solution(self) -> str:
        """What, appended to the prompt, makes a right program.

        A reference that does not continue the prompt (a repaired one) follows a body that is never
        reached: it defines the entry point again. A solution of its own (MBPP's) stands alone.
        """
        task = self.task
        if task.style == "solution":
            return task.reference
        if task.reference.startswith(task.prompt):
            return task.reference[len(task.prompt) :]
        return f"    raise NotImplementedError\n\n\n{task.reference}"
