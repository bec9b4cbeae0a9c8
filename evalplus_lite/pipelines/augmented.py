"""What a summary says of augmented tasks, and the names of programs that they rest on."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from evalplus_lite.tasks import Dataset


def hash_of(programs: Mapping[str, Sequence[str]]) -> str:
    """Return a short name of programs by task."""
    return hashlib.sha256(json.dumps(programs).encode()).hexdigest()[:16]


def summarized(data: Dataset, facts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return counts over all tasks: inputs by source, and those dropped by cause."""
    sources, dropped = Counter[str](), Counter[str]()
    for each in facts:
        sources.update(each["sources"])
        dropped.update(each["dropped"])
    done = {each["task_id"] for each in facts}
    base = sum(each["base_count"] for each in facts)
    told = {
        each["task_id"]: [
            constraint
            for constraint in each["provenance"].get("guards", ())
            # The plain limits are not worth a line.
            if constraint["needed"] > 1 or constraint["is_chosen"]
        ]
        for each in facts
    }
    return {
        "dataset": data.name,
        "tasks": len(facts),
        "base": base,
        "new": sum(sources.values()) - base,
        "stress": sum(each["stress"] for each in facts),
        "sources": dict(sorted(sources.items())),
        "dropped": dict(sorted(dropped.items())),
        "left_out": [task for task in data.ids if task not in done],
        "without_new": [
            each["task_id"]
            for each in facts
            if each["provenance"].get("inputs") and each["base_count"] == each["count"]
        ],
        "review": sum(len(each["review"]) for each in facts),
        "aimed": sum(each["aimed"] for each in facts),
        "survivors": sum(len(each["survivors"]) for each in facts),
        "guards": {task: constraints for task, constraints in told.items() if constraints},
        "notes": {each["task_id"]: list(each["notes"]) for each in facts if each["notes"]},
    }
