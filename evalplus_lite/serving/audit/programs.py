"""The set of programs that a verifier is asked about, as records."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

Kind = Literal["function", "script"]


@dataclass(frozen=True, slots=True)
class AuditTask:
    """A task with all its cases: (arguments, value) of a function, (input, output) of a script."""

    name: str
    kind: Kind
    prompt: str
    cases: tuple[tuple[Any, Any], ...]
    entry_point: str = ""


@dataclass(frozen=True, slots=True)
class AuditProgram:
    """A program, and its class: only those that are ``right`` are to be accepted.

    ``is_slow`` says that it computes for up to half a second.
    """

    name: str
    category: str
    problem: AuditTask
    text: str
    is_slow: bool = False

    @property
    def is_right(self) -> bool:
        """Whether a sound verifier accepts it."""
        return self.category == "right"


@dataclass(frozen=True, slots=True)
class ProgramSet:
    """All programs of one version of the set."""

    version: int
    programs: tuple[AuditProgram, ...]

    def reference(self, problem: AuditTask) -> str:
        """Return a program that is right."""
        found = (each for each in self.programs if each.is_right and each.problem is problem)
        return next(found).text


@cache
def program_set() -> ProgramSet:
    """Return the set that comes with the package."""
    text = (
        files("evalplus_lite.serving.audit").joinpath("programs.toml").read_text(encoding="utf-8")
    )
    data = tomllib.loads(text)
    problems = {row["name"]: _problem(row) for row in data["problem"]}
    programs = tuple(
        AuditProgram(
            name=row["name"],
            category=row["class"],
            problem=problems[row["problem"]],
            text=row["text"].replace("@BRACKETS@", "[" * 1000 + "]" * 1000),
            is_slow=row.get("is_slow", False),
        )
        for row in data["program"]
    )
    return ProgramSet(data["version"], programs)


def _problem(row: dict[str, Any]) -> AuditTask:
    cases = [(given, expected) for given, expected in row["cases"]]
    for count in row.get("ranges", ()):
        cases.append((f"{count}\n", "".join(f"{n}\n" for n in range(1, count + 1))))
    name, kind, entry_point = row["name"], row["kind"], row.get("entry_point", "")
    return AuditTask(name, kind, row["prompt"], tuple(cases), entry_point)
