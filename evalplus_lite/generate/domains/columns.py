"""Columns: for each slot of the inputs, the values that each distinct example has there."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from evalplus_lite.generate.domains.profile import CONTAINERS, SEQUENCES, elements_of
from evalplus_lite.types import Value
from evalplus_lite.values.identity import key
from evalplus_lite.values.kinds.kind import Kind

Values = Sequence[Value]


class Column:
    """The values at one slot, one group an example; ``name`` and ``text`` say which slot."""

    def __init__(self, groups: Sequence[Values], name: str, text: str) -> None:
        self.groups = [group for group in groups if group]
        self.name, self.text = name, text

    @classmethod
    def of_argument(cls, examples: Sequence[Sequence[Value]], position: int) -> Column:
        """Return the column of an argument."""
        groups = [[each[position]] if len(each) > position else [] for each in examples]
        return cls(groups, str(position), f"argument {position}")

    def elements(self) -> Column:
        """Return the column of the elements of lists, tuples and sets."""
        return self._inner(
            "items",
            "the elements of",
            lambda value: elements_of(value) if type(value) in CONTAINERS else (),
        )

    def keys(self) -> Column:
        """Return the column of the keys of dicts."""
        return self._inner("keys", "the keys of", lambda v: v if type(v) is dict else ())

    def values(self) -> Column:
        """Return the column of the values of dicts."""
        return self._inner(
            "values", "the values of", lambda v: v.values() if type(v) is dict else ()
        )

    def view(self, kind: Kind) -> Column:
        """Return the column of what stands for the values of a type beyond the plain ones."""
        return self._inner(
            kind.name,
            f"the {kind.name} of",
            lambda value: (kind.view(value),) if type(value) is kind.type else (),
        )

    def field(self, position: int) -> Column:
        """Return the column of one field of records."""
        return self._inner(
            str(position),
            f"field {position} of",
            lambda value: value[position : position + 1] if type(value) in SEQUENCES else (),
        )

    def seen(self, informs: Callable[[Value], bool]) -> int:
        """Return the number of distinct examples with a value that informs."""
        return len({key(list(each)) for each in self.groups if any(map(informs, each))})

    def distinct(self, informs: Callable[[Value], bool]) -> int:
        """Return the number of distinct values that inform, in whatever example."""
        return len({key(value) for group in self.groups for value in group if informs(value)})

    def _inner(self, step: str, text: str, part: Callable[[Value], Value]) -> Column:
        groups = [[inner for value in group for inner in part(value)] for group in self.groups]
        return Column(groups, f"{self.name}.{step}", f"{text} {self.text}")
