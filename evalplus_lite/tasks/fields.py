"""Typed access to the fields of a row that a user wrote: errors name file, line and key."""

from __future__ import annotations

import difflib
import keyword
import sys
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast, get_args

from evalplus_lite.errors import CodecError, InputError, one_of
from evalplus_lite.store import Row
from evalplus_lite.store.parsing import nests_deeper
from evalplus_lite.types import CALL, MEASURES, Harness, Rule, RuleKind, Step, Tolerance, Value
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
MAX_NAME = 200  # characters of an id or a function's name
MAX_TEXT = 4 << 20  # characters of a prompt, reference, contract or tests
MAX_PROBLEM = 500
MAX_COUNT = 1 << 31
MAX_NESTING = 100  # nesting depth of data that is only passed on


@dataclass(frozen=True, slots=True)
class Fields:
    """A row's fields, with the file and line to name in errors."""

    path: object
    row: Row

    def refuse(self, problem: str, *, remedy: str | None = None) -> InputError:
        """Return an error about this row, its text cut to ``MAX_PROBLEM`` characters."""
        if len(problem) > MAX_PROBLEM:  # it quotes the row
            half = MAX_PROBLEM // 2 - 3
            problem = f"{problem[:half]} ... {problem[-half:]}"
        return InputError(problem, path=self.path, line=self.row.line, remedy=remedy)

    def text(self, key: str, *, default: str | None = None) -> str:
        """Return a string field of at most ``MAX_TEXT`` characters, free of NUL and surrogates."""
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
        """Return a task's id, which must be short and printable."""
        value = self.text(key)
        if not value.strip() or not value.isprintable():
            raise self.refuse(
                f"id {value[:60]!r} is empty or holds characters that cannot be shown"
            )
        if len(value) > MAX_NAME:
            raise self.refuse(f"id {value[:60]!r}... is longer than {MAX_NAME} characters")
        return value

    def identifier(self, key: str) -> str:
        """Return a function's name in NFKC, the form Python normalizes identifiers to."""
        value = unicodedata.normalize("NFKC", self.text(key))
        if not value.isidentifier() or keyword.iskeyword(value) or len(value) > MAX_NAME:
            raise self.refuse(
                f"{key} {value[:60]!r} is not a Python name", remedy="name the function alone"
            )
        return value

    def data(self, key: str) -> dict[str, Any]:
        """Return an object field that is only passed on; empty if missing."""
        found: dict[str, Any] = self._get(key, (dict,), {})
        if nests_deeper(found, MAX_NESTING):
            raise self.refuse(f"{key!r} nests deeper than {MAX_NESTING}")
        return found

    def number(self, key: str, *, default: float | None = None) -> float:
        """Return a number field, which must be finite and not negative."""
        value = self._get(key, (int, float), default)
        if not 0 <= value <= sys.float_info.max:
            raise self.refuse(f"{key!r} is {_brief(value)}, a finite number from 0 was expected")
        return float(value)

    def count(self, key: str) -> int:
        """Return an integer field, which must not be negative."""
        value: int = self._get(key, (int,), None)
        if not 0 <= value < MAX_COUNT:
            raise self.refuse(f"{key!r} is {_brief(value)}, an integer from 0 was expected")
        return value

    def flag(self, key: str) -> bool:
        """Return a boolean field; False if missing."""
        value: bool = self._get(key, (bool,), False)
        return value

    def items(self, key: str, *, default: list[Any] | None = None) -> list[Any]:
        """Return a list field."""
        value: list[Any] = self._get(key, (list,), default)
        return value

    def texts(self, key: str) -> list[str]:
        """Return a list field of strings; empty if missing."""
        found = self.items(key, default=[])
        if any(type(each) is not str for each in found):
            raise self.refuse(f"{key!r} holds something other than texts")
        return found

    def object(self, key: str, *, default: dict[str, Any] | None = None) -> Fields:
        """Return an object field as ``Fields`` whose errors name the same file and line."""
        return Fields(self.path, Row(self.row.line, self._get(key, (dict,), default)))

    def value(self, tree: Any, *, name: str) -> Value:
        """Decode tagged JSON to a plain value; ``name`` is the field to name in an error."""
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
    """Return a number for a message; Python refuses to print integers above 4,300 digits."""
    return f"{value}" if type(value) is float or abs(value) < 10**30 else "an integer that is huge"


# Comparison rules, as written in rows.

OWNERS = {"levels": "multiset", "key": "sorted", "by": "sorted"}
"""The rule kind that each of these keys requires."""
DEEPEST = 20
"""Limit on a rule's levels and path steps."""
MOST_FIELDS = 1000


def read_rule(fields: Fields, harness: Harness = CALL) -> Rule:
    """Return the rule of a row's ``rule`` object, completed with the harness's defaults."""
    if isinstance(fields.row.data.get("rule"), str):
        raise fields.refuse(
            "'rule' is a string, an object was expected", remedy='write {"kind": ...}'
        )
    rule = fields.object("rule", default={})
    rule.known(("kind", "atol", "rtol", "levels", "key", "by", "fields"), what=" in rule")
    # Scripts are compared by lines, as most judges do.
    default = Rule("lines") if harness.kind == "script" else Rule()
    kind = rule.text("kind", default=default.kind)
    if kind not in get_args(RuleKind):
        raise fields.refuse(f"unknown rule kind {kind!r}", remedy=one_of(kind, get_args(RuleKind)))
    for key, owner in OWNERS.items():
        if key in rule.row.data and kind != owner:
            raise fields.refuse(f"rule: {key!r} is of the kind {owner!r}, this is {kind!r}")
    atol, rtol = (rule.number(key, default=getattr(default, key)) for key in ("atol", "rtol"))
    by = rule.text("by", default="")
    if by not in MEASURES:
        raise fields.refuse(f"rule: by is {by!r}", remedy=one_of(by, MEASURES[1:]))
    levels = rule.items("levels", default=[])
    if not all(type(level) is int and 1 <= level <= DEEPEST for level in levels):
        raise rule.refuse(
            f"rule: levels are {levels!r}", remedy=f"integers from 1, the outermost, to {DEEPEST}"
        )
    tolerances = rule.items("fields", default=[])
    if len(tolerances) > MOST_FIELDS or (tolerances and kind in ("unordered", "truthiness")):
        raise fields.refuse(f"rule: {len(tolerances)} fields of the kind {kind!r}")
    return Rule(
        cast("RuleKind", kind),
        atol,
        rtol,
        tuple(levels),
        _steps(rule, rule.items("key", default=[])),
        by,
        tuple(_tolerance(rule, item) for item in tolerances),
    )


def _steps(rule: Fields, steps: list[Any]) -> tuple[Step, ...]:
    if len(steps) > DEEPEST or not all(type(step) in (str, int) for step in steps):
        raise rule.refuse(
            f"rule: {steps!r} leads nowhere", remedy=f"up to {DEEPEST} keys and places of items"
        )
    return tuple(steps)


def _tolerance(rule: Fields, item: Any) -> Tolerance:
    if type(item) is not dict:
        raise rule.refuse("rule: a field is not an object")
    field = Fields(rule.path, Row(rule.row.line, item))
    field.known(("at", "atol", "rtol"), what=" in a field of the rule")
    return Tolerance(
        _steps(rule, field.items("at")),
        field.number("atol", default=0.0),
        field.number("rtol", default=0.0),
    )
