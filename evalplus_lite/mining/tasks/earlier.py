"""Tasks of an earlier run: which functions to give new inputs, and what is not new."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalplus_lite.errors import CodecError, InputError
from evalplus_lite.mining.running.runs import Invocation
from evalplus_lite.mining.sources.unpacking import reported
from evalplus_lite.mining.tasks.likeness import MARKS
from evalplus_lite.store import read_jsonl


@dataclass(frozen=True, slots=True)
class Earlier:
    """A file of mined tasks (JSONL); InputError names a row of it that cannot be used."""

    path: Path

    @property
    def digest(self) -> str:
        """What the file holds, as 32 hex digits."""
        with reported(self.path), self.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:32]

    def inputs(self) -> dict[str, frozenset[str]]:
        """Return of each function, by its task's id, the keys of the inputs that it has."""
        found: dict[str, frozenset[str]] = {}
        for line, row in self._rows():
            try:
                given = [case["input"] for case in row["cases"]]
                calls = [Invocation.from_json(each) for each in given if not isinstance(each, str)]
            except (CodecError, KeyError, TypeError, ValueError) as error:
                raise self._unusable(line, f"its cases cannot be read: {error!r}") from None
            found[row["task_id"]] = frozenset(call.key for call in calls)
        return found

    def packages(self) -> list[str]:
        """Return the packages that they are of, as ``mine`` takes them: with version or commit."""
        found: dict[str, None] = {}
        for line, row in self._rows():
            try:
                origin = row["origins"][0]
                name = f"{origin['package']}=={origin['version']}"
                if origin.get("commit"):
                    name = f"git+{origin['url']}@{origin['commit']}"
                if origin.get("folder"):
                    raise InputError(
                        f"is of a folder, that of {name}",
                        path=self.path,
                        line=line,
                        remedy="name the folder as well: mine FOLDER --refresh TASKS",
                    )
            except (KeyError, IndexError, TypeError, AttributeError):
                raise self._unusable(line, "it does not say which package it is of") from None
            found[name] = None
        return list(found)

    def shapes(self) -> Iterator[tuple[str, str]]:
        """Yield what tells that a program is one of them, with its task's id."""
        with reported(self.path):
            if not self.path.stat().st_size:  # of an earlier run that found nothing
                return
        for line, row in self._rows():
            marks = [row.get(name, "") for name in MARKS]
            if "shape" not in row or not all(isinstance(mark, str) for mark in marks):
                raise self._unusable(line, "it has no shape to know it by")
            yield from ((mark, row["task_id"]) for mark in marks if mark)

    def _rows(self) -> Iterator[tuple[int, dict[str, Any]]]:
        for row in read_jsonl(self.path):
            if not isinstance(row.data, dict) or not isinstance(row.data.get("task_id"), str):
                raise self._unusable(row.line, "it has no task_id")
            yield row.line, row.data

    def _unusable(self, line: int, problem: str) -> InputError:
        return InputError(
            f"is no mined task: {problem}",
            path=self.path,
            line=line,
            remedy="give the file that mine wrote",
        )
