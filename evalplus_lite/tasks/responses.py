"""Responses of models, as files hold them before a program is made of them, and faults in files."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, ClassVar

from evalplus_lite.errors import InputError, shown_path
from evalplus_lite.programs.extraction import Kind
from evalplus_lite.tasks.dataset import Dataset

MAX_SOURCE = 1 << 20  # bytes that a response may hold, as UTF-8


@dataclass(frozen=True, slots=True)
class Response:
    """What a model answered to one task, and what it was meant as.

    ``index`` counts a model's responses at a temperature to the task, from 0 unless it is given.
    ``fault`` says why a response cannot be a program (too long, not a string); it then has no
    ``text``.
    """

    task_id: str
    text: str
    kind: Kind = "solution"
    model: str = ""
    index: int = 0
    fault: str = ""
    temperature: float | None = None

    @classmethod
    def of(
        cls,
        text: object,
        *,
        task_id: str,
        index: int,
        kind: Kind = "solution",
        model: str = "",
        temperature: float | None = None,
    ) -> Response:
        """Return the response that a value of any type is, with its fault if it has one."""
        fault = ""
        if type(text) is not str:
            text, fault = "", f"is {brief(text)!r}, not a string"
        elif len(text) > MAX_SOURCE or len(text.encode("utf-8", "surrogatepass")) > MAX_SOURCE:
            text, fault = "", f"is longer than {MAX_SOURCE} bytes"
        elif "\x00" in text:
            text, fault = "", "holds a NUL character"
        return cls(task_id, text, kind, model, index, fault, temperature)


@dataclass(slots=True)
class Faults:
    """What of sample files could not be used: counts, and the first few with file and line.

    Rows that cannot be taken for a response to a task are left out (``left_out``). Responses that
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
        """Count a row that is not a response; raise its error if no row may be left out."""
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
            "unusable": self.unusable,
            "shown": self.shown,
            "aside": self.aside.total(),
            "tasks_aside": len(self.aside),
        }

    def notes(self) -> list[str]:
        """Return what to report to the user: nothing if all rows were used."""
        lines = []
        if self.aside:
            lines.append(
                f"{self.aside.total()} rows for {len(self.aside)} tasks that this suite does not"
                f" hold were left aside, such as {next(iter(self.aside))}"
            )
        if self.left_out:
            lines.append(f"{self.left_out} rows of the sample files are not answers: left out")
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
    except ValueError:  # Python prints no integer of more than some thousand digits
        return "a huge number"


def family(task_id: str) -> str:
    """Return an id without its last number: what the tasks of a published set share."""
    return task_id[:200].rstrip("0123456789")


def nearest(name: str, known: Iterable[str], dataset: Dataset) -> str:
    """Return a remedy for a name that belongs to no task of the dataset."""
    close = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {close[0]!r}?" if close else tasks_of(dataset)


def tasks_of(dataset: Dataset) -> str:
    """Return whose tasks a file may hold responses to, for a message."""
    shown = f", such as {dataset.all_ids[0]!r}" if dataset.all_ids else ""
    return f"the tasks are those of {dataset.name}{shown}"
