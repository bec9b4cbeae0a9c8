"""How a program is invoked on a case, and what of it is observed: data of the task.

What a harness does is in one place alone, ``sandbox/guest/harness.py``; here is what there is to
choose from, and its form as plain data, which goes to the sandbox and into files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeAlias, get_args

HarnessKind: TypeAlias = Literal["call", "method", "sequence", "script", "assertions", "unittest"]
Observed: TypeAlias = Literal["value", "arguments", "printed", "exception", "message"]
HARNESSES: tuple[HarnessKind, ...] = get_args(HarnessKind)
OBSERVED: tuple[Observed, ...] = get_args(Observed)
MOST_ITEMS = 100_000


@dataclass(frozen=True, slots=True)
class Harness:
    """How a program is invoked on a case's arguments, and what is taken for its answer.

    ``kind``: ``call`` calls the function that the entry point names; ``method`` that method of a
    fresh object (``Solution.twoSum``), made of the first argument's items if ``constructed``;
    ``sequence`` makes an object of the class and calls it as the arguments say, each a list of a
    method's name and its arguments (the first may name the class, with the constructor's);
    ``script`` runs the whole program with the one argument as standard input; ``assertions``
    evaluates the one argument, an expression, among the program's names; ``unittest`` runs a test
    of the text ``tests``, which a case names by class and method, and answers with what each
    assertion saw (``tasks.unit_tests``), ``inside`` of them being left to the program's process.

    ``observe`` names what the answer is made of: one thing as it is, several as a dict by name.
    ``value`` is what was returned (for a script its standard output), ``arguments`` are the
    arguments after the call, ``printed`` the text that went to standard output, ``exception`` the
    name of the type of what was raised (with ``message``, also its text), which is an answer then.
    Of an iterator that is returned, the first ``items`` items are the answer (0: an iterator is no
    answer). ``awaited`` says that the function is to be awaited.
    """

    kind: HarnessKind = "call"
    observe: tuple[Observed, ...] = ("value",)
    items: int = 0
    awaited: bool = False
    constructed: bool = False
    tests: str = ""
    inside: int = 0

    @property
    def row(self) -> dict[str, Any]:
        """The fields that differ from a plain call's: JSON, empty for the plain call."""
        plain = Harness()
        found = {each.name: getattr(self, each.name) for each in fields(self)}
        if found["observe"] != plain.observe:
            found["observe"] = list(found["observe"])
        return {key: value for key, value in found.items() if value != getattr(plain, key)}

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Harness:
        """Return the harness of a ``row`` of ours."""
        return cls(**{**row, "observe": tuple(row.get("observe", ("value",)))})


CALL = Harness()


def defined_name(entry_point: str) -> str:
    """Return the name that a program must define at its top level: none for a script."""
    return entry_point.partition(".")[0]
