"""How a program is invoked on a case, and what of it is observed: data of the task.

What a harness does is in one place alone, ``sandbox/guest/harness.py``; here is what there is to
choose from, and its form as plain data, which goes to the sandbox and into files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeAlias, get_args

HarnessKind: TypeAlias = Literal[
    "call", "method", "sequence", "factory", "script", "assertions", "unittest"
]
Observed: TypeAlias = Literal["value", "arguments", "printed", "exception", "message"]
HARNESSES: tuple[HarnessKind, ...] = get_args(HarnessKind)
OBSERVED: tuple[Observed, ...] = get_args(Observed)
MOST_ITEMS = 100_000
_WORDS: Mapping[Observed, str] = {
    "value": "what is returned",
    "arguments": "the arguments after the call",
    "printed": "what is printed",
    "exception": "which exception is raised",
    "message": "its message",
}


@dataclass(frozen=True, slots=True)
class Harness:
    """How a program is invoked on a case's arguments, and what is taken for its answer.

    ``kind``: ``call`` calls the function that the entry point names; ``method`` that method of a
    fresh object (``Solution.twoSum``), made of the first argument's items if ``constructed``;
    ``sequence`` makes an object of the class and calls it as the arguments say, each a list of a
    method's name and its arguments (the first may name the class, with the constructor's);
    ``factory`` calls the function with the items of the first argument, and what it returns with
    those of each further one, and answers with a list of what these calls gave;
    ``script`` runs the whole program with the one argument as standard input; ``assertions``
    evaluates the one argument, an expression, among the program's names; ``unittest`` runs a test
    of the text ``tests``, which a case names by class and method, and answers with what each
    assertion saw (``tasks.unit_tests``), ``inside`` of them being left to the program's process.

    ``observe`` names what the answer is made of: one thing as it is, several as a dict by name.
    ``value`` is what was returned (for a script its standard output), ``arguments`` are the
    arguments after the call, ``printed`` the text that went to standard output, ``exception`` the
    name of the type of what was raised (with ``message``, also its text), which is an answer then;
    where ``exceptions`` are named, only those and what derives from them, told by these names.
    Of what has items in an order, the first ``items`` are the answer, as a list (0: an iterator is
    no answer). An object is answered as those of its ``attributes`` that it has, its parts alike.
    ``awaited`` says that the function is to be awaited.

    The arguments at the places of ``code`` are texts of Python, and stand for what they evaluate
    to; with ``keywords`` the last argument is a dict of arguments by keyword.
    """

    kind: HarnessKind = "call"
    observe: tuple[Observed, ...] = ("value",)
    items: int = 0
    awaited: bool = False
    constructed: bool = False
    tests: str = ""
    inside: int = 0
    attributes: tuple[str, ...] = ()
    exceptions: tuple[str, ...] = ()
    code: tuple[int, ...] = ()
    keywords: bool = False
    inferred: bool = False
    """Whether part of this was not said, but read off the reference: users are told."""

    @property
    def has_streams(self) -> bool:
        """Whether standard input and output are of interest: files in memory, not nowhere."""
        return self.kind == "script" or "printed" in self.observe

    @property
    def row(self) -> dict[str, Any]:
        """The fields that differ from a plain call's: JSON, empty for the plain call."""
        plain, found = Harness(), {each.name: getattr(self, each.name) for each in fields(self)}
        return {
            key: list(value) if type(value) is tuple else value
            for key, value in found.items()
            if value != getattr(plain, key)
        }

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Harness:
        """Return the harness of a ``row`` of ours."""
        parts: dict[str, Any] = {
            key: tuple(value) if type(value) is list else value for key, value in row.items()
        }
        return cls(**parts)

    @property
    def words(self) -> str:
        """What is looked at, in words."""
        found = [_WORDS[each] for each in self.observe]
        if self.items:
            found.append(f"the first {self.items:,} items of an iterator")
        return ", ".join(found) + (", once it is awaited" if self.awaited else "")


CALL = Harness()


def defined_name(entry_point: str) -> str:
    """Return the name that a program must define at its top level: none for a script."""
    return entry_point.partition(".")[0]
