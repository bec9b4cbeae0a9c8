"""From rows to tasks, one by one: a row that cannot be used does not stop the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from evalplus_lite.errors import InputError
from evalplus_lite.store import Row
from evalplus_lite.tasks.fields import Fields
from evalplus_lite.types import Cause, Unusable, clip

T = TypeVar("T")
ID_KEYS = ("id", "task_id")
LONGEST_ID = 200


@dataclass(slots=True)
class Reading(Generic[T]):
    """What was read from a file's rows: ``found`` by id, and the faults of all other rows."""

    path: object
    found: dict[str, T] = field(default_factory=dict)
    faults: dict[str, Unusable] = field(default_factory=dict)
    errors: list[InputError] = field(default_factory=list)
    _places: dict[str, int] = field(default_factory=dict)

    def add(self, row: Row, read: Callable[[Fields], tuple[str, T]]) -> None:
        """Read one row; of duplicate tasks no row is used, as either may be the one meant."""
        fields = Fields(self.path, row)
        name = _name(row)
        try:
            name, item = read(fields)
            if name in self._places:
                raise fields.refuse(f"duplicate task {name!r}")
        except InputError as error:
            self._leave_out(name, row.line, error)
        else:
            self._places[name] = row.line
            self.found[name] = item

    def pass_over(self, error: InputError) -> None:
        """Note a line that is not a row at all: not JSON, not UTF-8, too long."""
        line = error.line or 0
        self._leave_out(f"line {line}", line, error)

    def _leave_out(self, name: str, line: int, error: InputError) -> None:
        if len(self.errors) == MOST_FAULTS:
            first = self.errors[0]
            raise InputError(
                f"{first.problem}; nor can {MOST_FAULTS} other rows be used",
                path=self.path,
                line=first.line,
                remedy="is this the right file?",
            )
        cause: Cause = "duplicate" if name in self._places else "unreadable"
        start = self._places.setdefault(name, line)
        where = f"lines {start} and {line}" if cause == "duplicate" else f"line {line}"
        remedy = f" ({error.remedy})" if error.remedy else ""
        place = "" if name == where else f"{where}: "
        self.found.pop(name, None)
        self.errors.append(error)
        detail = clip(f"{place}{error.problem}{remedy}")
        self.faults.setdefault(name, Unusable(name, cause, detail))

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all rows in the file's order; empty if every row can be used."""
        return tuple(self._places) if self.faults else ()

    def unusable(self) -> tuple[Unusable, ...]:
        """Return the tasks that cannot be used; raise InputError if there are no others."""
        if not self.found and self.errors:
            first = self.errors[0]
            if len(self.errors) == 1:
                raise first
            rest = "; ".join(each.detail for each in list(self.faults.values())[1:SHOWN])
            raise InputError(
                f"{first.problem}; nor can any other row be used: {rest}",
                path=self.path,
                line=first.line,
                remedy=first.remedy,
            )
        return tuple(self.faults.values())


SHOWN = 20  # faults that one error lists
# Rows of one file that may be left out: each is kept, to be listed, and costs about 1 KB.
MOST_FAULTS = 10_000


def _name(row: Row) -> str:
    """Return the id that a row gives itself, if it can be shown, else its place."""
    for key in ID_KEYS:
        given = row.data.get(key)
        if type(given) is str and given and given.isprintable() and len(given) <= LONGEST_ID:
            return given
    return f"line {row.line}"
