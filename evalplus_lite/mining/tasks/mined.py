"""A mined task as data: a program, where it came from, and cases with their true answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evalplus_lite.errors import CodecError, InputError
from evalplus_lite.mining.running.runs import CallResult, Invocation
from evalplus_lite.mining.selecting.signatures import Signature
from evalplus_lite.mining.tasks.shapes import ROW, problem
from evalplus_lite.store import read_jsonl
from evalplus_lite.values import codec


@dataclass(frozen=True, slots=True)
class TaskCase:
    """One input, its true answer, and the counters of its run.

    ``source`` are the call's arguments as Python source, where they are not all plain values (a
    lambda, a range); ``call`` is empty then.
    """

    call: Invocation
    answer: CallResult
    runtime: Mapping[str, int] = field(default_factory=dict)
    source: str = ""

    def written(self, name: str) -> str:
        """Return the call of a function of that name as Python source."""
        return f"{name}({self.source})" if self.source else self.call.written(name)

    def to_json(self) -> dict[str, Any]:
        """Return ``input`` with ``output`` or ``error``, and ``runtime``."""
        row: dict[str, Any] = {"input": self.source or self.call.to_json()}
        if self.answer.kind == "error":
            row["error"] = {"type": self.answer.type, "message": self.answer.message}
        else:
            row["output"] = codec.to_json(self.answer.value)
        if self.runtime:
            row["runtime"] = dict(self.runtime)
        return row

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> TaskCase:
        """Read what ``to_json`` wrote."""
        given = row["input"]
        source = given if isinstance(given, str) else ""
        call = Invocation(()) if source else Invocation.from_json(given)
        if "error" in row:
            answer = CallResult("error", **{key: row["error"][key] for key in ("type", "message")})
        else:
            answer = CallResult("value", value=codec.from_json(row["output"]))
        return cls(call, answer, row.get("runtime", {}), source)


@dataclass(frozen=True, slots=True)
class MinedTask:
    """One function's task set. ``facts`` holds what the row says beyond code and cases:

    package, version, licence, module, function, line, python, signature, docstring, blocks,
    static, variation, validators, generation, compared and wording.
    """

    id: str
    code: str
    entry_point: str
    cases: tuple[TaskCase, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def signature(self) -> Signature:
        """The signature that the row describes."""
        return Signature.from_json(self.facts["signature"])

    @property
    def function_id(self) -> str:
        """The function that it asks about: other tasks may be questions about the same one."""
        within = {"breakpoint", "question"} & self.facts.keys()
        return str(self.facts.get("function_id", self.id.partition("@")[0] if within else self.id))

    def to_json(self) -> dict[str, Any]:
        """Return the task's row."""
        return {
            "task_id": self.id,
            **self.facts,
            "entry_point": self.entry_point,
            "code": self.code,
            "cases": [case.to_json() for case in self.cases],
        }

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> MinedTask:
        """Read a row; ValueError, TypeError or CodecError where it is none."""
        if wrong := problem(row, ROW):
            raise ValueError(wrong)
        known = {"task_id", "entry_point", "code", "cases"}
        if "signature" in row:
            Signature.from_json(row["signature"])  # its types can be read
        return cls(
            id=row["task_id"],
            code=row["code"],
            entry_point=row["entry_point"],
            cases=tuple(TaskCase.from_json(case) for case in row["cases"]),
            facts={key: value for key, value in row.items() if key not in known},
        )


def read_tasks(path: Path) -> Iterator[MinedTask]:
    """Yield the tasks of a file, one at a time.

    InputError names a line that holds none, or one of an id that was there before.
    """
    lines: dict[str, int] = {}
    for row in read_jsonl(path):
        try:
            task = MinedTask.from_json(row.data)
        except (KeyError, TypeError, ValueError, IndexError, CodecError) as error:
            what = f"missing {error}" if isinstance(error, KeyError) else str(error)
            raise InputError(
                f"is not a mined task: {what}",
                path=path,
                line=row.line,
                remedy="make the file with evalplus-lite mine",
            ) from None
        if lines.setdefault(task.id, row.line) != row.line:
            raise InputError(
                f"has the task of line {lines[task.id]}, {task.id!r}",
                path=path,
                line=row.line,
                remedy="keep one of them: predictions are known by the task's id",
            )
        yield task
