"""The fields of a row that a user may have written: every error names file, line and key."""

from __future__ import annotations

import difflib
import keyword
import sys
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from evalplus_lite.errors import CodecError, InputError
from evalplus_lite.store import Row
from evalplus_lite.store.parsing import nests_deeper
from evalplus_lite.types import Value
from evalplus_lite.values.codec import from_json

_NAMES = {
    str: "a string",
    int: "an integer",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "an object",
    type(None): "null",
}
MAX_NAME = 200  # characters an id or the name of a function may have
MAX_TEXT = 4 << 20  # characters a text of a task may have: its prompt, reference, contract or tests
MAX_PROBLEM = 500
MAX_COUNT = 1 << 31
MAX_NESTING = 100  # how deep data that is only handed on may nest


@dataclass(frozen=True, slots=True)
class Fields:
    """A row's fields, with the file and line to name in errors."""

    path: object
    row: Row

    def refuse(self, problem: str, *, remedy: str | None = None) -> InputError:
        """Return the error that says what is wrong with this row, in ``MAX_PROBLEM`` characters."""
        if len(problem) > MAX_PROBLEM:  # it quotes the row
            half = MAX_PROBLEM // 2 - 3
            problem = f"{problem[:half]} ... {problem[-half:]}"
        return InputError(problem, path=self.path, line=self.row.line, remedy=remedy)

    def text(self, key: str, *, default: str | None = None) -> str:
        """Return a string field: what a file can hold and a program can be, within ``MAX_TEXT``."""
        value: str = self._get(key, (str,), default)
        if len(value) > MAX_TEXT:
            raise self.refuse(f"{key!r} is longer than {MAX_TEXT} characters")
        if "\x00" in value:
            raise self.refuse(f"{key!r} holds a NUL character")
        if not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError:
                raise self.refuse(f"{key!r} holds half of a surrogate pair") from None
        return value

    def id(self, key: str) -> str:
        """Return a task's id: short, and of characters that can be shown."""
        value = self.text(key)
        if not value.strip() or not value.isprintable():
            raise self.refuse(
                f"id {value[:60]!r} is empty or holds characters that cannot be shown"
            )
        if len(value) > MAX_NAME:
            raise self.refuse(f"id {value[:60]!r}... is longer than {MAX_NAME} characters")
        return value

    def identifier(self, key: str) -> str:
        """Return the name of a function, as Python itself writes it (NFKC)."""
        value = unicodedata.normalize("NFKC", self.text(key))
        if not value.isidentifier() or keyword.iskeyword(value) or len(value) > MAX_NAME:
            raise self.refuse(
                f"{key} {value[:60]!r} is not a Python name", remedy="name the function alone"
            )
        return value

    def data(self, key: str) -> dict[str, Any]:
        """Return an object that is only passed on, empty if there is none."""
        found: dict[str, Any] = self._get(key, (dict,), {})
        if nests_deeper(found, MAX_NESTING):
            raise self.refuse(f"{key!r} nests deeper than {MAX_NESTING}")
        return found

    def number(self, key: str, *, default: float | None = None) -> float:
        """Return a number field, finite and not negative."""
        value = self._get(key, (int, float), default)
        if not 0 <= value <= sys.float_info.max:
            raise self.refuse(f"{key!r} is {_brief(value)}, a finite number from 0 was expected")
        return float(value)

    def count(self, key: str) -> int:
        """Return an integer field, not negative."""
        value: int = self._get(key, (int,), None)
        if not 0 <= value < MAX_COUNT:
            raise self.refuse(f"{key!r} is {_brief(value)}, an integer from 0 was expected")
        return value

    def flag(self, key: str) -> bool:
        """Return a truth value, false if there is none."""
        value: bool = self._get(key, (bool,), False)
        return value

    def items(self, key: str, *, default: list[Any] | None = None) -> list[Any]:
        """Return a list field."""
        value: list[Any] = self._get(key, (list,), default)
        return value

    def object(self, key: str, *, default: dict[str, Any] | None = None) -> Fields:
        """Return an object field, as fields of its own that name the same file and line."""
        return Fields(self.path, Row(self.row.line, self._get(key, (dict,), default)))

    def value(self, tree: Any, *, name: str) -> Value:
        """Return the plain value of tagged JSON in field ``name``."""
        try:
            return from_json(tree)
        except CodecError as error:
            raise self.refuse(f"{name}: {error}") from None

    def known(self, keys: Iterable[str], *, what: str = "") -> None:
        """Raise unless every key of the row is one of ``keys``."""
        names = list(keys)
        for key in self.row.data:
            if key not in names:
                shown = key[:60]
                close = difflib.get_close_matches(shown, names, n=1)
                hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(names)}"
                raise self.refuse(f"unknown key {shown!r}{what}", remedy=hint)

    def _get(self, key: str, kinds: tuple[type, ...], default: Any) -> Any:
        if key not in self.row.data:
            if default is None:
                raise self.refuse(f"missing {key!r}")
            return default
        value = self.row.data[key]
        if type(value) not in kinds:
            raise self.refuse(f"{key!r} is {_NAMES[type(value)]}, {_NAMES[kinds[-1]]} was expected")
        return value


def _brief(value: float) -> str:
    """Return a number for a message: Python writes no integer of more than 4,300 digits."""
    return f"{value}" if type(value) is float or abs(value) < 10**30 else "an integer that is huge"
