"""The fields of a row that a user may have written: every fault names file, line and key."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from evalplus_lite.codec import from_json
from evalplus_lite.errors import CodecError, InputError
from evalplus_lite.store import Row
from evalplus_lite.types import Value

_NAMES = {
    str: "a text",
    int: "an integer",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "an object",
    type(None): "null",
}


@dataclass(frozen=True, slots=True)
class Fields:
    """A row's fields with the place they stand in."""

    path: object
    row: Row

    def refuse(self, problem: str, *, remedy: str | None = None) -> InputError:
        """Return the error that says what is wrong with this row."""
        return InputError(problem, path=self.path, line=self.row.line, remedy=remedy)

    def text(self, key: str, *, default: str | None = None) -> str:
        """Return a text field."""
        value: str = self._get(key, (str,), default)
        return value

    def number(self, key: str, *, default: float | None = None) -> float:
        """Return a number field, finite and not negative."""
        value = self._get(key, (int, float), default)
        if not 0 <= value < float("inf"):
            raise self.refuse(f"{key!r} is {value}, a finite number from 0 was expected")
        return float(value)

    def count(self, key: str, *, default: int | None = None) -> int:
        """Return an integer field, not negative."""
        value: int = self._get(key, (int,), default)
        if value < 0:
            raise self.refuse(f"{key!r} is {value}, an integer from 0 was expected")
        return value

    def items(self, key: str, *, default: list[Any] | None = None) -> list[Any]:
        """Return a list field."""
        value: list[Any] = self._get(key, (list,), default)
        return value

    def object(self, key: str, *, default: dict[str, Any] | None = None) -> Fields:
        """Return an object field, as fields of its own that speak of the same place."""
        return Fields(self.path, Row(self.row.line, self._get(key, (dict,), default)))

    def value(self, tree: Any, *, name: str) -> Value:
        """Return the plain value of tagged JSON that stands in field ``name``."""
        try:
            return from_json(tree)
        except CodecError as error:
            raise self.refuse(f"{name}: {error}") from None

    def known(self, keys: Iterable[str], *, what: str = "") -> None:
        """Raise unless every key of the row is one of ``keys``."""
        names = list(keys)
        for key in self.row.data:
            if key not in names:
                close = difflib.get_close_matches(key, names, n=1)
                hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(names)}"
                raise self.refuse(f"unknown key {key!r}{what}", remedy=hint)

    def _get(self, key: str, kinds: tuple[type, ...], default: Any) -> Any:
        if key not in self.row.data:
            if default is None:
                raise self.refuse(f"lacks {key!r}")
            return default
        value = self.row.data[key]
        if type(value) not in kinds:
            raise self.refuse(
                f"{key!r} is {_NAMES[type(value)]} where {_NAMES[kinds[-1]]} was expected"
            )
        return value
