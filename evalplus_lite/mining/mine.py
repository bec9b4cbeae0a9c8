"""Mining one package: from its files to proved functions with validated cases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from evalplus_lite.llm import ModelSource
from evalplus_lite.mining.inlining.graph import Obstacle
from evalplus_lite.mining.inputs.dialogue import MAX_TOKENS, Conversation, ask_for_cases
from evalplus_lite.mining.inputs.explore import ROUNDS, explore
from evalplus_lite.mining.inputs.grow import grow
from evalplus_lite.mining.inputs.validators import CORE, MAX_CASES, Executed, judge, salvage
from evalplus_lite.mining.running.proof import (
    Original,
    ProofResult,
    Sandboxes,
    prove,
    python_version,
)
from evalplus_lite.mining.running.runs import (
    CallableProgram,
    Invocation,
    RunResult,
    count,
    is_answer,
    run,
)
from evalplus_lite.mining.selecting.annotations import TypeSet
from evalplus_lite.mining.selecting.funnel import Funnel
from evalplus_lite.mining.selecting.purity import is_banned_package
from evalplus_lite.mining.selecting.static import MinedFunction, Reject, StaticMine
from evalplus_lite.mining.sources.packages import PackageSource
from evalplus_lite.mining.statistics.runtime import COUNTERS, instrument, variation
from evalplus_lite.mining.tasks.mined import MinedTask, TaskCase

EXPLORING_CPU = 1.0
"""CPU seconds a case while looking for inputs; the paper's bound of 10 s is for models' cases."""


MAX_SLOW = 8
"""Inputs of one batch that may take too long before the rest of it is left out."""
PATH_STEPS = 20_000
"""Steps after which a path is told apart from others no further."""


@dataclass(frozen=True, slots=True)
class MiningSettings:
    """How to mine; all of it decides the result, so it is the identity of a resumable run.

    ``keep_all``: packages under other than permissive licences too. ``rounds`` of input growth,
    ``cases`` a function at most. ``static_only``: nothing is run. ``model``: name of the language
    model that writes inputs, if one does, in answers of ``max_tokens`` at most.
    """

    seed: int = 0
    types: TypeSet = "paper"
    keep_all: bool = False
    cases: int = MAX_CASES
    rounds: int = ROUNDS
    comments: bool = True
    static_only: bool = False
    model: str | None = None
    max_tokens: int = MAX_TOKENS


@dataclass(frozen=True, slots=True)
class Yield:
    """What one function gave: a task with its cases' CPU seconds, or a reject."""

    task: MinedTask | None = None
    seconds: tuple[float, ...] = ()
    reject: Reject | None = None


@dataclass(slots=True)
class PackageMine:
    """Mines one opened package; ``funnel`` is complete when ``yields`` has ended."""

    package: PackageSource
    settings: MiningSettings = field(default_factory=MiningSettings)
    companions: Sequence[PackageSource] = ()
    sandboxes: Sandboxes | None = None
    source: ModelSource | None = None
    funnel: Funnel = field(default_factory=Funnel)

    def yields(self) -> Iterator[Yield]:
        """Yield every function's outcome in order of module and line, selection's rejects last."""
        refused = self._refused()
        if refused is not None:
            self.funnel.add("packages")
            self.funnel.reject("packages", refused)
            problem = Obstacle(refused, self.package.licence.expression)
            yield Yield(reject=Reject(self.package.name, "*", "packages", refused, (problem,)))
            return
        static = StaticMine(
            self.package,
            self.companions,
            types=self.settings.types,
            comments=self.settings.comments,
            funnel=self.funnel,
        )
        sandboxes = self.sandboxes
        if self.settings.static_only or sandboxes is None:
            for function in static.functions():
                self.funnel.add("mined")
                yield Yield(task_of(function, (), {}))
        else:
            with Original(self.package, sandboxes.plain.config, self.companions) as original:
                for function in static.functions():
                    yield self._proved(function, sandboxes, original)
        for reject in static.rejects:
            yield Yield(reject=reject)

    def _refused(self) -> str | None:
        if is_banned_package(self.package.name):
            return "banned package"
        if not self.package.licence.permissive and not self.settings.keep_all:
            return "licence not permissive"
        return None

    def _search(self, function: MinedFunction, runner: Runner) -> FoundCases:
        """Find a function's cases: by type, then by a model, then past 15 by growth."""
        settings, seed = self.settings, self.settings.seed
        count = min(settings.cases, MAX_CASES)
        explored = explore(
            function, runner.execute, seed=seed, rounds=settings.rounds, count=count
        )  # fmt: skip
        found = FoundCases(list(explored.cases), explored.chosen(count=count))
        generation: dict[str, Any] = {"mode": "types", "rounds": explored.rounds}
        if self.source is not None and not runner.failure:
            talk = ask_for_cases(
                function,
                self.source,
                runner.execute,
                seed=seed,
                count=count,
                max_tokens=settings.max_tokens,
            )
            found.pool += talk.pool
            generation = generation_facts(talk, self.source.model)
            # Where the model's cases are too few or fail, those found by type fill up or stand in.
            both = _filled(talk.cases, found.chosen, count)
            if not talk.cases:
                generation["mode"] = "types after llm"
            elif judge(talk.cases) and not judge(both):
                generation |= {"mode": "llm and types", "filled": len(both) - len(talk.cases)}
                found.chosen = both
            else:
                found.chosen = talk.cases
        if settings.cases > MAX_CASES and not judge(found.chosen):
            growth = grow(
                function,
                runner.execute,
                target=settings.cases,
                seed=seed,
                start=found.chosen,
                source=self.source,
                max_tokens=settings.max_tokens,
            )
            found.pool += growth.cases[len(found.chosen) :]
            found.chosen = growth.cases
            generation["batches"] = [asdict(batch) for batch in growth.batches]
        generation["pool"] = len(found.pool)
        found.facts["generation"] = generation
        return found

    def _proved(self, function: MinedFunction, sandboxes: Sandboxes, original: Original) -> Yield:
        runner = Runner(function, sandboxes)
        search = self._search(function, runner)
        chosen, facts = search.chosen, search.facts
        # What took too long once is not run again: it is no case, and proves nothing.
        pool = [case for case in search.pool if is_answer(case.answer)] or search.pool[:3]
        base = RunResult(tuple(c.answer for c in pool), tuple(runner.touched), runner.failure)
        verdict = prove(function, [c.call for c in pool], base, sandboxes, original)
        self._count(verdict)
        if verdict.stage is not None and verdict.problem is not None:
            self.funnel.reject(verdict.stage, verdict.problem.reason)
            reject = Reject(
                function.package,
                f"{function.module}.{function.name}",
                verdict.stage,
                verdict.problem.reason,
                (verdict.problem,),
            )
            return Yield(reject=reject)
        facts |= {"compared": verdict.compared, "wording": verdict.wording}
        return self._task(function, chosen, facts, runner)

    def _count(self, verdict: ProofResult) -> None:
        stages = ("loads", "stable", "proved", "mined")
        reached = stages.index(verdict.stage) if verdict.stage else len(stages)
        for stage in stages[:reached]:
            self.funnel.add(stage)

    def _task(
        self,
        function: MinedFunction,
        chosen: list[Executed],
        facts: dict[str, Any],
        runner: Runner,
    ) -> Yield:
        failed = [failure.validator for failure in judge(chosen)]
        kept = chosen if not failed else salvage(chosen)
        facts["validators"] = {
            "failed": failed,
            "core": not CORE & set(failed),
            "salvaged": bool(failed) and bool(kept),
        }
        self.funnel.add("valid" if not failed else "salvaged" if kept else "without cases")
        timed = runner.timed([case.call for case in kept])
        counters = runner.counters([case.call for case in kept])
        cases = tuple(
            TaskCase(case.call, replace(case.answer, cpu=0.0), counted or {})
            for case, counted in zip(kept, counters, strict=True)
        )
        facts["variation"] = variation([case.runtime for case in cases if case.runtime])
        return Yield(task_of(function, cases, facts), timed)


def _filled(cases: list[Executed], others: list[Executed], count: int) -> list[Executed]:
    """Return cases, then others with new inputs, ``count`` at most."""
    known = {case.call.key for case in cases}
    return [*cases, *(case for case in others if case.call.key not in known)][:count]


@dataclass(slots=True)
class FoundCases:
    """Every case run, the ones chosen, and what the task row says of how they were found."""

    pool: list[Executed]
    chosen: list[Executed]
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Runner:
    """Runs one function's calls in the plain sandbox and remembers what they touched."""

    function: MinedFunction
    sandboxes: Sandboxes
    cpu: float = EXPLORING_CPU
    touched: list[str] = field(default_factory=list)
    failure: str = ""
    _subject: CallableProgram = field(init=False)
    _counted: CallableProgram | None = field(init=False)

    def __post_init__(self) -> None:
        """Write the counters into the program once."""
        function = self.function
        self._subject = CallableProgram(function.name, function.signature, code=function.code)
        code = instrument(function.code)
        self._counted = None if code is None else replace(self._subject, code=code)

    def execute(self, calls: list[Invocation]) -> list[Executed]:
        """Return what became of each call, with the path it took."""
        found = run(self.sandboxes.plain, self._subject, calls, cpu=self.cpu, max_slow=MAX_SLOW)
        if found.failure:
            self.failure = found.failure
            return []
        self.touched += [what for what in found.touched if what not in self.touched]
        quick = [c for c, a in zip(calls, found.answers, strict=True) if is_answer(a)]
        paths = dict(
            zip((c.key for c in quick), self.counters(quick, budget=PATH_STEPS), strict=True)
        )
        return [
            Executed(
                call, answer, tuple(n.bit_length() for n in (paths.get(call.key) or {}).values())
            )
            for call, answer in zip(calls, found.answers, strict=True)
        ]

    def counters(self, calls: list[Invocation], *, budget: int = 0) -> list[dict[str, int] | None]:
        """Return each call's counters; None where the program could not be instrumented."""
        if self._counted is None or not calls:
            return [None] * len(calls)
        return count(self.sandboxes.plain, self._counted, calls, COUNTERS, budget=budget)

    def timed(self, calls: list[Invocation]) -> tuple[float, ...]:
        """Return each call's CPU seconds in an untouched program."""
        if not calls:
            return ()
        found = run(self.sandboxes.plain, self._subject, calls, cpu=self.cpu, timed=True)
        return tuple(round(answer.cpu, 7) for answer in found.answers)


def task_of(
    function: MinedFunction, cases: tuple[TaskCase, ...], facts: dict[str, Any]
) -> MinedTask:
    """Return a mined function as a task row."""
    return MinedTask(
        id=function.id,
        code=function.code,
        entry_point=function.name,
        cases=cases,
        facts={
            "package": function.package,
            "version": function.version,
            "licence": function.licence,
            "module": function.module,
            "function": function.name,
            "line": function.line,
            "python": python_version(),
            "signature": function.signature.to_json(),
            "docstring": function.docstring,
            "blocks": [[b.module, b.name, b.line] for b in function.blocks],
            "static": function.statistics.to_json(),
            **facts,
        },
    )


def generation_facts(talk: Conversation, model: str) -> dict[str, Any]:
    """Return what a task row says of its conversation."""
    return {
        "mode": "llm",
        "model": model,
        "salvaged": talk.salvaged,
        "failures": talk.failures,
        "requests": talk.requests,
        "prompt_tokens": talk.prompt_tokens,
        "completion_tokens": talk.completion_tokens,
    }
