"""Seeds from a language model for augmentation, and rows for its journal."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalplus_lite.consensus.disputes import Dispute, Said
from evalplus_lite.pipelines.augmentation import Augmented, SeedSource
from evalplus_lite.sandbox import Sandbox
from evalplus_lite.tasks.contracts import violations
from evalplus_lite.types import Case, Task, Value


@dataclass(frozen=True)
class ModelSeeds:
    """Asks a model, or its recorded replies, for seeds; callable as a ``SeedSource``.

    ``generators`` programs that draw inputs are asked for, too, and the best one's inputs are used.
    """

    source: Any
    seed: int
    name: str
    plan: Any = None
    generators: int = 0

    def __call__(self, sandbox: Sandbox, task: Task) -> Sequence[Case]:
        """Return the model's valid new inputs for a task; none where nothing is recorded for it."""
        from evalplus_lite.prompting.seeds import llm_seeds

        def valid(arguments: tuple[Value, ...]) -> str | None:
            if task.contract is None:
                return None
            (violation,) = violations(sandbox, task.contract, [Case(arguments)])
            return None if violation is None else violation.reason

        seeds = llm_seeds(task, self.source, seed=self.seed, plan=self.plan, valid=valid).cases
        if not self.generators:
            return seeds
        from evalplus_lite.pipelines.seed_generators import from_generators

        return [*seeds, *from_generators(sandbox, task, self.source, count=self.generators)]


def seed_source(
    replay: Sequence[Path],
    *,
    model: str | None,
    base_url: str | None,
    seed: int,
    generators: int = 0,
    timeout: float = 300.0,
) -> SeedSource | None:
    """Return where LLM seeds come from: recorded files, a server's model, or nowhere.

    ``timeout`` is in seconds, for one answer of the model.
    """
    if replay:
        return _recorded(replay, model, seed, generators)
    if model is not None:
        from evalplus_lite.llm import Client

        client = Client(model, base_url=base_url, timeout=timeout)
        return ModelSeeds(client, seed, _named(model, generators), None, generators)
    return None


def _named(name: str, generators: int) -> str:
    """Return the name under which a job remembers where its seeds came from."""
    return f"{name} with {generators} generators" if generators else name


def _recorded(paths: Sequence[Path], model: str | None, seed: int, generators: int) -> ModelSeeds:
    """Return the seeds of recorded replies, asked for as the plan beside the first file says."""
    from evalplus_lite.llm import Replay
    from evalplus_lite.prompting.recording import PLAN, Recording

    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.read_bytes() if path.is_file() else b"")
    folder = paths[0].parent
    plan = Recording.open(folder) if (folder / PLAN).is_file() else None
    return ModelSeeds(
        Replay(*paths, model=model),
        seed if plan is None else plan.seed,  # the prompts that were recorded, word for word
        _named(digest.hexdigest()[:16], generators),
        None if plan is None else plan.seeds,
        generators,
    )


def to_row(result: Augmented) -> dict[str, Any]:
    """Return a finished task as a journal row."""
    from evalplus_lite.pipelines.expected import blob_row
    from evalplus_lite.values.codec import to_json

    suite = result.suite
    return {
        "task_id": suite.task_id,
        "base_count": suite.base_count,
        "cases": [
            [to_json(case.arguments), case.source, case.parent, list(case.operators)]
            for case in suite.cases
        ],
        "expected": [blob_row(item) for item in suite.blobs.items()],
        "provenance": dict(suite.provenance),
        "sources": dict(result.sources),
        "dropped": dict(result.dropped),
        "notes": list(result.notes),
        "review": [_dispute_row(dispute) for dispute in result.review],
        "jurors": result.jurors,
        "aimed": result.aimed,
        "survivors": [dict(survivor) for survivor in result.survivors],
    }


def from_row(row: Mapping[str, Any], tasks: Mapping[str, Task]) -> Augmented:
    """Return the finished task that a journal row holds."""
    from evalplus_lite.pipelines.expected import blob_of
    from evalplus_lite.store.compressed import Blobs
    from evalplus_lite.types import Suite
    from evalplus_lite.values.codec import from_json

    suite = Suite(
        row["task_id"],
        tuple(
            Case(from_json(arguments), source, parent, tuple(operators))
            for arguments, source, parent, operators in row["cases"]
        ),
        Blobs(blob_of(item) for item in row["expected"]),
        row["base_count"],
        row["provenance"],
    )
    return Augmented(
        suite,
        row["sources"],
        row["dropped"],
        tuple(row["notes"]),
        tuple(_dispute_of(dispute) for dispute in row["review"]),
        row["jurors"],
        row["aimed"],
        tuple(row["survivors"]),
    )


def _dispute_row(dispute: Dispute) -> list[Any]:
    from evalplus_lite.pipelines.expected import blob_row
    from evalplus_lite.values.codec import to_json

    case, sides = dispute.case, (dispute.reference, dispute.majority)
    return [
        [to_json(case.arguments), case.source, case.parent, list(case.operators)],
        dispute.cause,
        *([said.word, blob_row(said.data), said.detail] for said in sides),
        dispute.votes,
        dispute.voters,
    ]


def _dispute_of(row: Sequence[Any]) -> Dispute:
    from evalplus_lite.pipelines.expected import blob_of
    from evalplus_lite.values.codec import from_json

    def said(word: str, data: Any, detail: str) -> Said:
        blob = blob_of(data)
        return Said(word, blob if isinstance(blob, bytes) else blob.unpacked(), detail)

    (arguments, source, parent, operators), cause, reference, majority, votes, voters = row
    case = Case(from_json(arguments), source, parent, tuple(operators))
    return Dispute(case, cause, said(*reference), said(*majority), votes, voters)
