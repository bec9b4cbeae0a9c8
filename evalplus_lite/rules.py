"""How an output is compared with the expected one: data of the task, never of a dataset.

What a rule means is in ``values.equality``; docs/reference/formats.md has the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

RuleKind: TypeAlias = Literal[
    "python",
    "strict",
    "unordered",
    "truthiness",
    "multiset",
    "sorted",
    "any",
    "lines",
    "tokens",
    "numbers",
]
Measure: TypeAlias = Literal["", "len", "abs", "lower"]
MEASURES: tuple[Measure, ...] = get_args(Measure)
Step: TypeAlias = str | int
ANY = "*"
"""A step to every item of a list, and every value of a dict."""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """The tolerance of what the steps ``at`` (keys, places, or ``ANY``) lead to in an output."""

    at: tuple[Step, ...]
    atol: float = 0.0
    rtol: float = 0.0


@dataclass(frozen=True, slots=True)
class Rule:
    """How an output is compared with the expected one; data of the task, never of a dataset.

    ``kind``: ``python`` (Python equality on plain values, with a tolerance if the expected leaf is
    a float), ``strict`` (also the same type at every leaf), ``unordered`` (as sets of elements) or
    ``truthiness`` (only whether the output is something, of any kind, rather than None or False;
    0 and "" count as something). ``multiset``: lists and tuples at these ``levels`` (1, the
    outermost, if none is given) may hold their items in any order; ``sorted``: items with an equal
    key may be in any order, the key being what the steps ``key`` lead to in an item, or its measure
    ``by``. ``any``: it equals one of the expected list's items, as under ``python``.
    For texts that were printed: ``lines`` (white space at the end of
    a line or of the text does not count), ``tokens`` (only what stands between white space counts)
    or ``numbers`` (as ``tokens``, with a tolerance if the expected token is a number with a
    fraction or an exponent). ``atol`` and ``rtol`` are the absolute and relative tolerance of a
    float leaf, and of such a token; ``fields`` have tolerances of their own, the last one that
    leads to a place or above it being the one that holds.
    """

    kind: RuleKind = "python"
    atol: float = 1e-6
    rtol: float = 1e-7
    levels: tuple[int, ...] = ()
    key: tuple[Step, ...] = ()
    by: Measure = ""
    fields: tuple[Tolerance, ...] = ()

    @property
    def is_arranged(self) -> bool:
        """Whether it looks at where in an output a value stands."""
        return self.kind in ("multiset", "sorted") or bool(self.fields)

    @property
    def free_levels(self) -> frozenset[int]:
        """The levels at which a list's order is not compared, as such."""
        if self.kind not in ("multiset", "sorted"):
            return frozenset()
        return frozenset(self.levels or (1,)) if self.kind == "multiset" else frozenset((1,))

    @property
    def row(self) -> dict[str, Any]:
        """Plain data: kind and tolerances, and what else differs from the default: JSON."""
        row: dict[str, Any] = {"kind": self.kind, "atol": self.atol, "rtol": self.rtol}
        if self.levels:
            row["levels"] = list(self.levels)
        if self.key:
            row["key"] = list(self.key)
        if self.by:
            row["by"] = self.by
        if self.fields:
            row["fields"] = [
                {"at": list(each.at), "atol": each.atol, "rtol": each.rtol} for each in self.fields
            ]
        return row

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Rule:
        """Return the rule of a ``row`` of ours."""
        fields = (Tolerance(tuple(f["at"]), f["atol"], f["rtol"]) for f in row.get("fields", ()))
        return cls(
            row["kind"],
            row["atol"],
            row["rtol"],
            tuple(row.get("levels", ())),
            tuple(row.get("key", ())),
            row.get("by", ""),
            tuple(fields),
        )


PYTHON = Rule()
