"""CRUXEval's files (``code``, ``input``, ``output``, ``id``) as tasks.

Input and output are source text there. They are read as literals and never executed; an input that
is no literal stays text, and a row whose output is none is passed over and counted.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evalplus_lite.errors import CodecError, InputError
from evalplus_lite.mining.running.runs import CallResult, Invocation
from evalplus_lite.mining.statistics.static import static_statistics
from evalplus_lite.mining.tasks.mined import MinedTask, TaskCase
from evalplus_lite.store import read_jsonl
from evalplus_lite.values import codec

ENTRY_POINT = "f"


@dataclass(slots=True)
class CruxevalFile:
    """Reads one file; ``skipped`` names the rows whose output is no literal."""

    path: Path
    skipped: list[str] = field(default_factory=list)

    def tasks(self) -> Iterator[MinedTask]:
        """Yield a task of one case for each row that can be read."""
        for row in read_jsonl(self.path):
            try:
                code, given, output = (str(row.data[k]) for k in ("code", "input", "output"))
            except KeyError as error:
                raise InputError(f"has no field {error}", path=self.path, line=row.line) from None
            name = str(row.data.get("id", f"sample_{row.line}"))
            try:
                call = _call(given)
                value = ast.literal_eval(output)
                codec.dumps(value)
                static = static_statistics(code, ENTRY_POINT)
            except (ValueError, SyntaxError, TypeError, CodecError, RecursionError, MemoryError):
                self.skipped.append(name)
                continue
            yield MinedTask(
                id=f"cruxeval/{name}",
                code=code,
                entry_point=ENTRY_POINT,
                cases=(
                    TaskCase(
                        call or Invocation(()),
                        CallResult("value", value=value),
                        source="" if call else given,
                    ),
                ),
                facts={"package": "cruxeval", "static": static.to_json()},
            )


def _call(text: str) -> Invocation | None:
    """Return the call with these arguments; None if they are not all plain values."""
    node = ast.parse(f"{ENTRY_POINT}({text})", mode="eval").body
    if not isinstance(node, ast.Call):
        raise ValueError("no call")
    try:
        args = tuple(ast.literal_eval(argument) for argument in node.args)
        named = {str(k.arg): ast.literal_eval(k.value) for k in node.keywords}
        codec.dumps([list(args), named])
    except (ValueError, TypeError, CodecError):
        return None
    return Invocation(args, named)


def is_cruxeval(row: dict[str, Any]) -> bool:
    """Return whether a row is one of CRUXEval's."""
    return {"code", "input", "output"} <= row.keys() and "cases" not in row
