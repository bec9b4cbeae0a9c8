"""How many functions fell out where, and why: each that selection saw is accounted for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

STAGES = (
    "packages",
    "functions",
    "top_level",
    "typed",
    "accepted",
    "static",
    "loads",
    "stable",
    "proved",
    "mined",
    "valid",
)
"""Each stage's survivors: functions seen, at top level, fully annotated, of accepted types, with a
resolved and pure closure, loading by itself, the same in every surrounding, equal to the original,
kept, and with cases that meet every validator."""


@dataclass(slots=True)
class Funnel:
    """Counts by stage, and rejects by stage and reason."""

    counts: Counter[str] = field(default_factory=Counter)
    reasons: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, stage: str, number: int = 1) -> None:
        """Count survivors of a stage."""
        self.counts[stage] += number

    def reject(self, stage: str, reason: str) -> None:
        """Count one function that fell out."""
        self.reasons[stage, reason] += 1

    def merge(self, other: Funnel) -> None:
        """Add another package's counts."""
        self.counts.update(other.counts)
        self.reasons.update(other.reasons)

    def to_json(self) -> dict[str, Any]:
        """Return it for a file."""
        listed = sorted(self.reasons.items(), key=lambda item: (item[0][0], -item[1], item[0][1]))
        return {
            "counts": {stage: self.counts[stage] for stage in self.stages()},
            "rejects": [
                {"stage": stage, "reason": reason, "count": count}
                for (stage, reason), count in listed
            ],
        }

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Funnel:
        """Read what ``to_json`` wrote."""
        reasons = {(r["stage"], r["reason"]): r["count"] for r in row["rejects"]}
        return cls(Counter(row["counts"]), Counter(reasons))

    def stages(self) -> list[str]:
        """Return the stages in order, those of later invention last."""
        return [*STAGES, *sorted(self.counts.keys() - set(STAGES))]


def outcome_of(validators: Mapping[str, Any]) -> str:
    """Return the last stage of a task, from what its row says of the validators."""
    return "salvaged" if validators["failed"] else "valid"
