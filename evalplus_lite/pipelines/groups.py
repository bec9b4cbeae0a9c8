"""Result rows by model and temperature: what one pass@k may speak of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from evalplus_lite.pipelines.evaluation import Tally


@dataclass(frozen=True, slots=True)
class Group:
    """The samples of one model at one temperature; either is None where rows do not name it."""

    model: str | None = None
    temperature: float | None = None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Group:
        """Return the group of a result row."""
        return cls(row.get("model") or None, row.get("temperature"))

    def __str__(self) -> str:
        """Return the group's name."""
        name = self.model or "no model named"
        return name if self.temperature is None else f"{name}, temperature {self.temperature:g}"


def tallies(rows: Iterable[Mapping[str, Any]], *, has_plus: bool = True) -> dict[Group, Tally]:
    """Return the counts of each group, in the order of the groups' names and temperatures."""
    found: dict[Group, Tally] = {}
    for row in rows:
        group = Group.of(row)
        if group not in found:
            found[group] = Tally(has_plus=has_plus)
        found[group].add(row)
    order = sorted(found, key=lambda group: (group.model or "", group.temperature or 0.0))
    return {group: found[group] for group in order}
