"""Seeds from generators that a model wrote: drawn in the sandbox, compared by what they reject."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evalplus_lite.errors import CodecError, ReferenceSolutionError
from evalplus_lite.execution.base import Backend, Call, Row
from evalplus_lite.grading.oracle import answer
from evalplus_lite.llm import CutOffError, ModelSource, NotRecordedError, RefusalError
from evalplus_lite.pipelines.rivals import alive, rivals
from evalplus_lite.pipelines.work.staging import Staging, cases_of
from evalplus_lite.prompting.generators import (
    GeneratorProgram,
    NoGenerator,
    drawn_arguments,
    generator_prompt,
    parse_generator,
)
from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox
from evalplus_lite.sandbox.steps import Meter
from evalplus_lite.tasks.contracts import violations
from evalplus_lite.types import Case, Returned, Task
from evalplus_lite.values import identity, wire

DRAWS = 60
"""Inputs drawn from each generator of a model."""
MAX_PARTS = 100_000
"""Values, parts and all, that an input drawn by a generator may have."""
LIMITS = Limits(cpu=0.5, load=3.0)


@dataclass(frozen=True, slots=True)
class GeneratorScore:
    """What a generator is worth: its valid inputs, of how many draws, and mutants they reject."""

    cases: tuple[Case, ...]
    draws: int
    killed: int

    @property
    def worth(self) -> tuple[int, int]:
        """What generators are compared by: detection first, then validity."""
        return self.killed, len(self.cases)


def from_generators(
    backend: Backend, staging: Staging, task: Task, source: ModelSource, *, count: int
) -> list[Case]:
    """Return the inputs of the best of ``count`` generators that a model writes for a task.

    A reply that holds no generator, or one whose inputs are all invalid, counts for nothing; none
    at all gives no input. Raises LLMError where the server cannot be used.
    """
    call = Call("evalplus_lite.pipelines.work.seeds:drawing")
    best: GeneratorScore | None = None
    for index in range(count):
        request = generator_prompt(task, model=source.model, index=index)
        try:
            made = parse_generator(source.ask(request, cut_off="keep").text)
        except (RefusalError, CutOffError, NotRecordedError, NoGenerator):
            continue
        item = (staging.ref(task), made.source, made.entry_point, f"generator{index}")
        found = backend.submit(call, item, then=_drawn).result()
        if best is None or found.worth > best.worth:
            best = found
    return [] if best is None else list(best.cases)


def _drawn(row: Row) -> GeneratorScore:
    cases, draws, killed = row
    return GeneratorScore(cases_of(cases), draws, killed)


def measured(
    sandbox: Sandbox, task: Task, generator: GeneratorProgram, *, name: str
) -> GeneratorScore:
    """Draw from a generator in the sandbox and return what its inputs are worth."""
    seeds = [(seed,) for seed in range(DRAWS)]
    meter = Meter(sandbox, Program(generator.source, generator.entry_point), seeds, LIMITS)
    run = meter.run(Inputs.of(seeds), judge=lambda _, outcome: isinstance(outcome, Returned))
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
    programs = rivals(task)
    return len(programs) - len(alive(sandbox, task, suite, programs)) if suite.cases else 0
