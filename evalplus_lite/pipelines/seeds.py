"""Seeds from a language model for augmentation: asked for here, checked where programs are run."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from evalplus_lite.execution.base import Backend, Call
from evalplus_lite.llm import ModelSource
from evalplus_lite.pipelines.augmentation import SeedSource
from evalplus_lite.pipelines.seed_generators import from_generators
from evalplus_lite.pipelines.seed_survivors import from_survivors
from evalplus_lite.pipelines.work.staging import Staging
from evalplus_lite.prompting.seeds import SeedPlan, llm_seeds
from evalplus_lite.types import Case, Task, Value


@dataclass(frozen=True)
class ModelSeeds:
    """Asks a model, or its recorded replies, for seeds of tasks.

    ``generators`` programs that draw inputs are asked for, too, and the best one's inputs are used;
    then inputs that tell so many ``survivors`` from the reference.
    """

    source: ModelSource
    seed: int
    name: str
    plan: SeedPlan | None = None
    generators: int = 0
    survivors: int = 0

    def each(self, tasks: Iterable[Task], backend: Backend) -> Iterator[Sequence[Case]]:
        """Yield the model's valid new inputs for each task; none where nothing is recorded for it.

        Several tasks at a time, in threads of the model's client: no sandbox waits for an answer.
        """
        staging = Staging(backend)
        return self.source.each(lambda task: self._of(task, backend, staging), tasks)

    def _of(self, task: Task, backend: Backend, staging: Staging) -> Sequence[Case]:
        def valid(inputs: Sequence[tuple[Value, ...]]) -> Sequence[str | None]:
            if task.contract is None or not inputs:
                return [None] * len(inputs)
            return refusals(backend, task.contract, [Case(arguments) for arguments in inputs])

        seeds = llm_seeds(task, self.source, seed=self.seed, plan=self.plan, valid=valid).cases
        if self.generators:
            drawn = from_generators(backend, staging, task, self.source, count=self.generators)
            seeds = (*seeds, *drawn)
        if self.survivors:
            told = from_survivors(
                backend,
                staging,
                task,
                self.source,
                seeds=seeds,
                valid=valid,
                seed=self.seed,
                count=self.survivors,
            )
            seeds = (*seeds, *told)
        return seeds


def refusals(backend: Backend, contract: str, cases: Iterable[Case]) -> list[str | None]:
    """Return why a contract refuses each case, None where it does not; ContractError as it raises.

    For the thread that talks with a model: the contract runs in a sandbox of the backend.
    """
    call = Call("evalplus_lite.pipelines.work.seeds:refusing")
    item = (contract, [case.arguments for case in cases])
    return backend.submit(call, item, then=list[str | None]).result()


def seed_source(
    replay: Sequence[Path],
    *,
    model: str | None,
    base_url: str | None,
    seed: int,
    generators: int = 0,
    survivors: int = 0,
    timeout: float = 300.0,
) -> SeedSource | None:
    """Return where LLM seeds come from: recorded files, a server's model, or nowhere.

    ``timeout`` is in seconds, for one answer of the model.
    """
    if replay:
        return _recorded(replay, model, seed, generators, survivors)
    if model is not None:
        from evalplus_lite.llm import Client

        client = Client(model, base_url=base_url, timeout=timeout)
        name = _named(model, generators, survivors)
        return ModelSeeds(client, seed, name, None, generators, survivors)
    return None


def _named(name: str, generators: int, survivors: int) -> str:
    """Return the name under which a job remembers where its seeds came from."""
    name = f"{name} with {generators} generators" if generators else name
    return f"{name} about {survivors} survivors" if survivors else name


def _recorded(
    paths: Sequence[Path], model: str | None, seed: int, generators: int, survivors: int
) -> ModelSeeds:
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
        _named(digest.hexdigest()[:16], generators, survivors),
        None if plan is None else plan.seeds,
        generators,
        survivors,
    )
