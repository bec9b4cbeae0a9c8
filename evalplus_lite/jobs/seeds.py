"""Seeds from a language model for augmentation: asked for here, checked where programs are run."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from evalplus_lite.execution.base import Backend, Call, Row, Work, WorkerContext
from evalplus_lite.jobs.augmentation import SeedSource
from evalplus_lite.models import Client, ModelSource, Replay
from evalplus_lite.models.recording import PLAN, Recording
from evalplus_lite.models.seeds import SeedPlan, llm_seeds
from evalplus_lite.tasks.contracts import violations
from evalplus_lite.types import Case, Task, Value


def refusing(place: WorkerContext, _: Row) -> Work:
    """Return why the contract refuses each input of (contract, inputs); None if it does not."""

    def refuse(item: Row) -> Row:
        contract, inputs = item
        reasons = violations(place.sandbox, contract, [Case(arguments) for arguments in inputs])
        return [None if violation is None else violation.reason for violation in reasons]

    return refuse


@dataclass(frozen=True)
class ModelSeeds:
    """Asks a model, or its recorded replies, for seeds of tasks."""

    source: ModelSource
    seed: int
    name: str
    plan: SeedPlan | None = None

    def each(self, tasks: Iterable[Task], backend: Backend) -> Iterator[Sequence[Case]]:
        """Yield the model's valid new inputs for each task; none if nothing is recorded for it.

        Several tasks at a time, in threads of the model's client: no sandbox waits for an answer.
        """
        return self.source.each(lambda task: self._of(task, backend), tasks)

    def _of(self, task: Task, backend: Backend) -> Sequence[Case]:
        def valid(inputs: Sequence[tuple[Value, ...]]) -> Sequence[str | None]:
            if task.contract is None or not inputs:
                return [None] * len(inputs)
            # A contract is somebody's code: it runs in a sandbox, not in this thread.
            call = Call("evalplus_lite.jobs.seeds:refusing")
            item = (task.contract, list(inputs))
            return backend.submit(call, item, then=list[str | None]).result()

        return llm_seeds(task, self.source, seed=self.seed, plan=self.plan, valid=valid).cases


def seed_source(
    replay: Sequence[Path],
    *,
    model: str | None,
    base_url: str | None,
    seed: int,
    timeout: float = 300.0,
) -> SeedSource | None:
    """Return where LLM seeds come from: recorded files, a server's model, or nowhere.

    ``timeout`` is in seconds, for one answer of the model.
    """
    if replay:
        # The name is part of a journal's identity: it stands for the content of the replies.
        digest = hashlib.sha256()
        for path in replay:
            digest.update(path.read_bytes() if path.is_file() else b"")
        source, name = Replay(*replay, model=model), digest.hexdigest()[:16]
        if not (replay[0].parent / PLAN).is_file():
            return ModelSeeds(source, seed, name)
        plan = Recording.open(replay[0].parent)  # the prompts that were recorded, word for word
        return ModelSeeds(source, plan.seed, name, plan.seeds)
    if model is not None:
        return ModelSeeds(Client(model, base_url=base_url, timeout=timeout), seed, model)
    return None
