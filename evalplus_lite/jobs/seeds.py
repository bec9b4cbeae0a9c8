"""Seeds from a language model for augmentation: asked for here, checked where programs are run."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from evalplus_lite.errors import CodecError, ReferenceSolutionError
from evalplus_lite.execution.base import Backend, Call, Row, Work, WorkerContext
from evalplus_lite.execution.records import from_row, to_row
from evalplus_lite.grading.oracle import answer
from evalplus_lite.grading.times import reference_steps
from evalplus_lite.jobs.augmentation import SeedSource
from evalplus_lite.jobs.expected import SharedData, staged
from evalplus_lite.models import CutOffError, ModelSource, NotRecordedError, RefusalError
from evalplus_lite.models.seeds import (
    ENTRY_POINT,
    NoGenerator,
    SeedPlan,
    drawn_arguments,
    generator_prompt,
    llm_seeds,
    parse_generator,
)
from evalplus_lite.programs.mutation.mutants import normal_form, own_mutations
from evalplus_lite.programs.mutation.variants import kinds_of, variants
from evalplus_lite.reduction.kills import KillSuite
from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox
from evalplus_lite.sandbox.steps import Meter
from evalplus_lite.tasks.contracts import violations
from evalplus_lite.types import Case, Returned, Task, Value
from evalplus_lite.values import identity, wire

# Seeds from generators that a model wrote: drawn in the sandbox, compared by their kills.

DRAWS = 60
"""Inputs drawn from each generator of a model."""
MAX_PARTS = 100_000
"""Values, parts and all, that an input drawn by a generator may have."""
LIMITS = Limits(cpu=0.5, load=3.0)
MOST_VARIANTS, MOST_MUTANTS = 24, 48
"""Wrong programs of each kind, evenly from all: each costs a few milliseconds."""


@dataclass(frozen=True, slots=True)
class GeneratorScore:
    """The worth of a generator: its valid inputs, the number of draws, and killed mutants."""

    cases: tuple[Case, ...]
    draws: int
    killed: int

    @property
    def worth(self) -> tuple[int, int]:
        """The sort key of generators: detection first, then validity."""
        return self.killed, len(self.cases)


def from_generators(
    backend: Backend, staging: SharedData, task: Task, source: ModelSource, *, count: int
) -> list[Case]:
    """Return the inputs of the best of ``count`` generators that a model writes for a task.

    A reply without a generator, or one whose inputs are all invalid, does not count; without any
    there are no inputs. Raises LLMError if the server cannot be used.
    """
    call = Call("evalplus_lite.jobs.seeds:drawing")
    best: GeneratorScore | None = None
    for index in range(count):
        request = generator_prompt(task, model=source.model, index=index)
        try:
            generator = parse_generator(source.ask(request, cut_off="keep").text)
        except (RefusalError, CutOffError, NotRecordedError, NoGenerator):
            continue
        # The model's code runs in a sandbox only; the best generator is the one that kills most.
        item = (staging.ref(task), generator, f"generator{index}")
        scores = backend.submit(call, item, then=partial(from_row, GeneratorScore)).result()
        if best is None or scores.worth > best.worth:
            best = scores
    return [] if best is None else list(best.cases)


def measured(sandbox: Sandbox, task: Task, generator: str, *, name: str) -> GeneratorScore:
    """Draw from a generator in the sandbox and return the worth of its inputs."""
    seeds = [(seed,) for seed in range(DRAWS)]
    meter = Meter(sandbox, Program(generator, ENTRY_POINT), seeds, LIMITS)
    # Drawing ends with the first failure: a generator that hangs or raises is not worth more.
    run = meter.run(Inputs.of(seeds), judge=lambda _, outcome: isinstance(outcome, Returned))
    # Repeats are worth nothing, neither of base cases nor of one another.
    seen = {identity.key(case.arguments) for case in task.base}
    cases = []
    for outcome in run.outcomes:
        if not isinstance(outcome, Returned):
            continue
        try:
            arguments = drawn_arguments(wire.decode(outcome.data, most=MAX_PARTS), task)
        except CodecError:
            continue
        if arguments is not None and (key := identity.key(arguments)) not in seen:
            seen.add(key)
            cases.append(Case(arguments, "generator", None, (name,)))
    # Order: new ones only, then valid ones, and of these how many wrong programs they reject.
    cases = _valid(sandbox, task, cases)
    return GeneratorScore(tuple(cases), DRAWS, _killed(sandbox, task, cases))


def _valid(sandbox: Sandbox, task: Task, cases: Sequence[Case]) -> list[Case]:
    if task.contract is None or not cases:
        return list(cases)
    reasons = violations(sandbox, task.contract, cases)
    return [case for case, reason in zip(cases, reasons, strict=True) if reason is None]


def _killed(sandbox: Sandbox, task: Task, cases: Sequence[Case]) -> int:
    if not cases:
        return 0
    try:
        suite = answer(
            sandbox,
            task,
            cases,
            base_count=0,
            limits=LIMITS,
            twice=False,
            contract=False,
            max_failures=4,
        ).suite
    except ReferenceSolutionError:
        return 0
    if not suite.cases:
        return 0
    steps = reference_steps(sandbox, task, suite.cases)
    kills = KillSuite.of_mutants(sandbox, task, suite, steps)
    rows = kills.metered.rows(sandbox, mutants_of(task))
    # A program counts once, however many of the inputs reject it.
    return sum(set(row) != {"pass"} for row in rows)


def mutants_of(task: Task) -> list[str]:
    """Return wrong programs for a task, each once: variants and mutants of its reference."""
    # Wrong programs of two kinds, evenly spread, so that no kind decides alone.
    original = normal_form(task.reference)
    kinds = kinds_of(case.arguments for case in task.base)
    sources: dict[str, None] = {original: None}
    for made, most in (
        (variants(original, task.entry_point, kinds), MOST_VARIANTS),
        (own_mutations(original), MOST_MUTANTS),
    ):
        texts = [text for text in dict.fromkeys(text for _, text in made) if text not in sources]
        step = max(1, len(texts) / most)
        sources |= dict.fromkeys(texts[int(at * step)] for at in range(min(most, len(texts))))
    return list(sources)[1:]


# Code to run while a model is asked for seeds: contracts on its inputs, its generators.


def refusing(place: WorkerContext, _: Row) -> Work:
    """Return why the contract refuses each input of (contract, inputs); None if it does not."""

    def refuse(item: Row) -> Row:
        contract, inputs = item
        reasons = violations(place.sandbox, contract, [Case(arguments) for arguments in inputs])
        return [None if violation is None else violation.reason for violation in reasons]

    return refuse


def drawing(place: WorkerContext, _: Row) -> Work:
    """Draw inputs with (staged task, generator's source, name); return their kills too."""

    def draw(item: Row) -> Row:
        ref, source, name = item
        task, _ = staged(place, ref)
        return to_row(measured(place.sandbox, task, source, name=name))

    return draw


@dataclass(frozen=True)
class ModelSeeds:
    """Asks a model, or its recorded replies, for seeds of tasks.

    ``generators`` programs that draw inputs are asked for, too, and the best one's inputs are used.
    """

    source: ModelSource
    seed: int
    name: str
    plan: SeedPlan | None = None
    generators: int = 0

    def each(self, tasks: Iterable[Task], backend: Backend) -> Iterator[Sequence[Case]]:
        """Yield the model's valid new inputs for each task; none if nothing is recorded for it.

        Several tasks at a time, in threads of the model's client: no sandbox waits for an answer.
        """
        staging = SharedData(backend)
        return self.source.each(lambda task: self._of(task, backend, staging), tasks)

    def _of(self, task: Task, backend: Backend, staging: SharedData) -> Sequence[Case]:
        def valid(inputs: Sequence[tuple[Value, ...]]) -> Sequence[str | None]:
            if task.contract is None or not inputs:
                return [None] * len(inputs)
            return refusals(backend, task.contract, [Case(arguments) for arguments in inputs])

        # A contract, which is somebody's code, is asked in the sandbox, not in this thread.
        seeds = llm_seeds(task, self.source, seed=self.seed, plan=self.plan, valid=valid).cases
        if self.generators:
            drawn = from_generators(backend, staging, task, self.source, count=self.generators)
            seeds = (*seeds, *drawn)
        return seeds


def refusals(backend: Backend, contract: str, cases: Iterable[Case]) -> list[str | None]:
    """Return why a contract refuses each case, None where it does not; ContractError as it raises.

    For the thread that talks with a model: the contract runs in a sandbox of the backend.
    """
    call = Call("evalplus_lite.jobs.seeds:refusing")
    item = (contract, [case.arguments for case in cases])
    return backend.submit(call, item, then=list[str | None]).result()


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
        from evalplus_lite.models import Client

        client = Client(model, base_url=base_url, timeout=timeout)
        name = _named(model, generators)
        return ModelSeeds(client, seed, name, None, generators)
    return None


def _named(name: str, generators: int) -> str:
    """Return the name under which a job remembers where its seeds came from."""
    return f"{name} with {generators} generators" if generators else name


def _recorded(paths: Sequence[Path], model: str | None, seed: int, generators: int) -> ModelSeeds:
    """Return the seeds of recorded replies, using the plan of the first file."""
    from evalplus_lite.models import Replay
    from evalplus_lite.models.recording import PLAN, Recording

    # The name is part of a journal's identity: it stands for the content of the recorded replies.
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
