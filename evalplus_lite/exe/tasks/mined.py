"""Mined tasks as data: a program, its origin, and cases with their true answers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from evalplus_lite.errors import CodecError, InputError
from evalplus_lite.exe.running.runs import CallResult, Invocation
from evalplus_lite.exe.selecting.signatures import Signature
from evalplus_lite.store import read_jsonl
from evalplus_lite.values import codec

Shape: TypeAlias = Any
"""A type; a list with the shape of its items; an object with shapes by name, where a name with
``?`` is optional and ``str`` is the shape of all others; or a tuple of alternative shapes.
``float`` is any finite number, and ``object`` anything."""
Named: TypeAlias = dict[Any, Shape]
_ASKED: Named = {"prompt_tokens?": int, "completion_tokens?": int, "model?": str, str: object}
_PARAMETER: Named = {
    "name": str,
    "kind": str,
    "type": str,
    "default": (str, type(None)),
    str: object,
}
ERROR: Named = {"type": str, "message": str, str: object}
PREDICTION: Named = {
    "task_id": str,
    "case": int,
    "sample?": int,
    "prediction": ({"python?": str, str: object}, type(None)),
    "replies?": [str],
    "answer_tokens?": {"prompt?": int, "completion?": int, str: object},
    str: object,
}
"""A row of predictions."""
_CASE: Named = {"input": (str, list), "error?": ERROR, "runtime?": {str: float}, str: object}
FACTS: Named = {
    **{f"{name}?": str for name in ("package", "version", "licence", "python", "docstring")},
    **{f"{name}?": str for name in ("module", "function", "class", "shape")},
    **{f"{name}?": [str] for name in ("tags", "parts", "sources")},
    "read?": bool,
    "origins?": [{str: (str, bool, [str])}],
    "signature?": {"parameters": [_PARAMETER], "result": str, str: object},
    "static?": {"nodes?": {str: float}, str: object},
    "variation?": {str: float},
    "difficulty?": {"split": str, str: float},
    "generation?": _ASKED,
    "breakpoint?": {"line": int, "text": str, "hit": int, "variables": [str], str: object},
    "function_id?": str,
    str: object,
}
"""The fields of a row besides its program and cases."""
ROW: Named = {"task_id": str, "code": str, "entry_point": str, "cases": [_CASE], **FACTS}
"""A row of ``tasks.jsonl``, or of the files of chains and breakpoints."""
_NAMES: dict[type, str] = {
    str: "text", int: "a whole number", float: "a number", bool: "true or false", list: "a list",
    type(None): "null",
}  # fmt: skip


def problem(value: Any, shape: Shape, where: str = "the row") -> str:
    """Describe how a JSON value deviates from a shape, with the place; empty if it does not."""
    if isinstance(shape, tuple):
        found = [problem(value, each, where) for each in shape]
        return "" if "" in found else found[0]
    if isinstance(shape, list):
        if type(value) is not list:
            return f"{where} is no list"
        parts = (problem(each, shape[0], f"{where}[{at}]") for at, each in enumerate(value))
        return next(filter(None, parts), "")
    if isinstance(shape, dict):
        return _of_object(value, shape, where)
    if shape is object:
        return ""
    if shape is float:
        is_number = type(value) is int or (type(value) is float and math.isfinite(value))
        return "" if is_number else f"{where} is no number"
    return "" if type(value) is shape else f"{where} is not {_NAMES[shape]}"


def _of_object(value: Any, shape: dict[Any, Shape], where: str) -> str:
    if type(value) is not dict:
        return f"{where} is no object"
    known = {key.rstrip("?"): key for key in shape if key is not str}
    for name, key in known.items():
        if name not in value and not key.endswith("?"):
            return f"{where} has no {name}"
    for name, part in value.items():
        inner = shape.get(known.get(name, str), object)
        if found := problem(part, inner, f"{name} of {where}" if where != "the row" else name):
            return found
    return ""


@dataclass(frozen=True, slots=True)
class TaskCase:
    """One input, its true answer, and the counters of its run.

    If not all arguments are plain values (a lambda, a range), ``source`` holds them as Python
    source, and ``call`` is empty.
    """

    call: Invocation
    answer: CallResult
    runtime: Mapping[str, int] = field(default_factory=dict)
    source: str = ""

    def written(self, name: str) -> str:
        """Return a call of the function ``name`` as Python source."""
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
        """Read the output of ``to_json``."""
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
    """One function's task. ``facts`` holds the row's fields besides code and cases:

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
        """The signature of the function."""
        return Signature.from_json(self.facts["signature"])

    @property
    def function_id(self) -> str:
        """The id of the function that it asks about, which other tasks may ask about too."""
        own = self.id.partition("@")[0] if "breakpoint" in self.facts else self.id
        return str(self.facts.get("function_id", own))

    @property
    def marks(self) -> set[str]:
        """Its tags and its split."""
        split = self.facts.get("difficulty", {}).get("split")
        return {*self.facts.get("tags", ()), *([split] if split else ())}

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
        """Read a row; raise ValueError, TypeError or CodecError if it is not a task."""
        if wrong := problem(row, ROW):
            raise ValueError(wrong)
        known = {"task_id", "entry_point", "code", "cases"}
        if "signature" in row:
            Signature.from_json(row["signature"])  # raises if its types cannot be read
        return cls(
            id=row["task_id"],
            code=row["code"],
            entry_point=row["entry_point"],
            cases=tuple(TaskCase.from_json(case) for case in row["cases"]),
            facts={key: value for key, value in row.items() if key not in known},
        )


def read_tasks(path: Path) -> Iterator[MinedTask]:
    """Yield the tasks of a file, one at a time.

    Raise InputError for a line that is not a task, or that repeats an id.
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
                remedy="make the file with evalplus-lite exe mine",
            ) from None
        if lines.setdefault(task.id, row.line) != row.line:
            raise InputError(
                f"has the task of line {lines[task.id]}, {task.id!r}",
                path=path,
                line=row.line,
                remedy="keep one of them: predictions refer to tasks by id",
            )
        yield task
