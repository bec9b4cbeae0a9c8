"""Mutation scores of suites, without the mutants that are probably no faults at all."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evalplus_lite.execution.base import Call
from evalplus_lite.pipelines.context import Session
from evalplus_lite.pipelines.datasets import content_hash
from evalplus_lite.pipelines.reduction import measurement
from evalplus_lite.pipelines.work.quality import separating
from evalplus_lite.pipelines.work.staging import Staging
from evalplus_lite.requirements.matrix import Matrix
from evalplus_lite.statistics.detection import share_row
from evalplus_lite.statistics.shares import Share
from evalplus_lite.store import Row
from evalplus_lite.store.resuming import finished, open_rows
from evalplus_lite.tasks import Dataset
from evalplus_lite.types import Task

POOL_SEED = 1 << 40
"""Added to the seed for the pool: else it might repeat the inputs of a suite that is looked at."""


@dataclass
class _Faults:
    """The mutants of one reference: which suite notices which.

    ``killed`` and ``killed_by_base`` hold keys for each suite by its number; ``told`` are those
    that only the pool tells from the reference, ``inputs`` the pool's size.
    """

    task: Task
    keys: dict[str, None] = field(default_factory=dict)
    killed: dict[int, set[str]] = field(default_factory=dict)
    killed_by_base: dict[int, set[str]] = field(default_factory=dict)
    told: set[str] = field(default_factory=set)
    inputs: int = 0

    @property
    def name(self) -> str:
        """What names the reference in a file."""
        return hashlib.sha256(self.task.reference.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def take(self, number: int, matrix: Matrix) -> None:
        """Note which mutants a suite notices."""
        base = (1 << matrix.base_count) - 1
        rows = {each.key: bits for each, bits in matrix.rows.items() if each.kind == "mutant"}
        alive = (each.key for each in matrix.unsatisfied if each.kind == "mutant")
        self.keys |= dict.fromkeys([*rows, *alive])
        self.killed[number] = set(rows)
        self.killed_by_base[number] = {key for key, bits in rows.items() if bits & base}

    @property
    def shown(self) -> list[str]:
        """The mutants that some suite does not notice."""
        return [key for key in self.keys if any(key not in each for each in self.killed.values())]

    @property
    def doubtful(self) -> list[str]:
        """The mutants that no suite notices."""
        return [key for key in self.keys if all(key not in each for each in self.killed.values())]

    @property
    def equivalent(self) -> int:
        """How many of these answer all inputs of the pool as the reference does."""
        return len(set(self.doubtful) - self.told) if self.inputs else 0


def mutation_scores(
    sets: Sequence[Dataset],
    session: Session,
    *,
    seed: int,
    inputs: int,
    out: Path | None = None,
    force: bool = False,
) -> list[dict[str, Any]]:
    """Return for each dataset how many mutants of its references its suites notice.

    A mutant that none of the suites notices, and that answers ``inputs`` random inputs a task as
    the reference does, is probably equivalent and leaves the score. With ``out``, every survivor
    stands in mutants.jsonl, and what is there already is taken over unless ``force``.
    """
    faults: dict[tuple[str, str], _Faults] = {}
    for number, data in enumerate(sets):
        found = measurement(data, (), session, kinds=("mutant",), stage=f"mutants of {data.name}")
        for one in found.suites:
            key = one.task.id, one.task.reference
            faults.setdefault(key, _Faults(one.task)).take(number, one.matrix)
    _ask_pool(list(faults.values()), sets, session, seed=seed, inputs=inputs, out=out, force=force)
    return [
        _row([each for each in faults.values() if number in each.killed], number, seed)
        for number in range(len(sets))
    ]


def _ask_pool(
    faults: Sequence[_Faults],
    sets: Sequence[Dataset],
    session: Session,
    *,
    seed: int,
    inputs: int,
    out: Path | None,
    force: bool,
) -> None:
    """Find out which survivors a pool of random inputs tells from their references."""
    identity = {
        "kind": "equivalence",
        "content": [content_hash(data) for data in sets],
        "seed": seed,
        "inputs": inputs,
    }
    path = None if out is None else out / "mutants.jsonl"
    with open_rows(path, identity=identity, force=force, batch=8) as journal:

        def read(row: Row) -> tuple[str, str]:
            name = str(row.data["task_id"]), str(row.data["reference"])
            _take(by_name[name], row.data)
            return name

        by_name = {(each.task.id, each.name): each for each in faults}
        done = set(finished(journal, read))
        left = [each for name, each in by_name.items() if name not in done and each.shown]
        staging = Staging(session.pool())
        items = ((staging.ref(each.task), each.shown, each.doubtful) for each in left)
        call = Call(f"{separating.__module__}:{separating.__name__}", (seed + POOL_SEED, inputs))
        session.stage("equivalent mutants", len(left))
        for each, (count, survivors) in zip(left, session.pool().map(call, items), strict=True):
            row = {
                "task_id": each.task.id,
                "reference": each.name,
                "inputs": count,
                "survivors": list(_survivors(each, count, survivors)),
            }
            journal.append(row)
            _take(each, row)
            session.advance()


def _survivors(
    faults: _Faults, count: int, rows: Sequence[tuple[str, str, int, str, bool]]
) -> Iterator[dict[str, Any]]:
    doubtful = set(faults.doubtful)
    for key, operator, line, diff, is_told in rows:
        yield {
            "mutant": key,
            "operator": operator,
            "line": line,
            "noticed_by": [number for number, killed in faults.killed.items() if key in killed],
            "told_by_pool": is_told,
            "equivalent": bool(count) and key in doubtful and not is_told,
            "diff": diff,
        }


def _take(faults: _Faults, row: Mapping[str, Any]) -> None:
    faults.inputs = row["inputs"]
    faults.told = {each["mutant"] for each in row["survivors"] if each["told_by_pool"]}


def _row(faults: Sequence[_Faults], number: int, seed: int) -> dict[str, Any]:
    """Return a suite's part of a summary."""
    total = sum(len(each.keys) for each in faults)
    equivalent = sum(each.equivalent for each in faults)

    def scored(killed: str) -> dict[str, Any]:
        counts = [(len(getattr(each, killed)[number]), each) for each in faults]
        score = [Share(hits, len(each.keys) - each.equivalent) for hits, each in counts]
        return {"killed": sum(hits for hits, _ in counts), "score": share_row(score, seed=seed)}

    return {
        "mutants": total,
        "equivalent": equivalent,
        "equivalent_share": equivalent / total if total else None,
        "all": scored("killed"),
        "base": scored("killed_by_base"),
    }
