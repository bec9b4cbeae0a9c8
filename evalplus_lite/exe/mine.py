"""Mining one package: from its files to proved functions with validated cases."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from evalplus_lite.exe.inlining.graph import Obstacle
from evalplus_lite.exe.inputs.dialogue import CaseWriter
from evalplus_lite.exe.inputs.proposing import TypeWriter, is_proposed
from evalplus_lite.exe.inputs.runner import Runner
from evalplus_lite.exe.inputs.search import find_cases
from evalplus_lite.exe.inputs.validators import CORE, MAX_CASES, Executed, judge, salvage
from evalplus_lite.exe.running.observing import Observed, observe
from evalplus_lite.exe.running.proof import Original, ProofResult, Sandboxes, prove, python_version
from evalplus_lite.exe.running.runs import RunResult, is_answer
from evalplus_lite.exe.selecting.funnel import Funnel, outcome_of
from evalplus_lite.exe.selecting.proposed import Ask, Proposal, Proposals
from evalplus_lite.exe.selecting.purity import is_banned_package
from evalplus_lite.exe.selecting.static import UNLICENSED, MinedFunction, Reject, StaticMine, failed
from evalplus_lite.exe.settings import MiningSettings
from evalplus_lite.exe.sources.packages import PackageSource
from evalplus_lite.exe.statistics.runtime import variation
from evalplus_lite.exe.tasks.likeness import shape
from evalplus_lite.exe.tasks.mined import MinedTask, TaskCase
from evalplus_lite.exe.tasks.tags import tags_of
from evalplus_lite.models import ModelSource

# A package's types that a model proposes: who is asked, and what is said of it afterwards.

MISTYPED = "proposed types do not run"
"""Why functions are left out of which only a model told the types, and inputs of these fail."""
UNANSWERED = "no answer about types"
"""Why a function's types are not known that a model was asked for."""


@dataclass(frozen=True, slots=True)
class Typing:
    """Who is asked for types, if that is wanted of a model that is there."""

    settings: MiningSettings
    source: ModelSource | None

    @property
    def ask(self) -> Ask | None:
        """What answers a question about types; None if nobody is asked."""
        asked = self.settings
        if self.source is None or asked.asked_for == "inputs" or asked.types != "known":
            return None
        return TypeWriter(
            source=self.source,
            temperature=asked.temperature,
            max_tokens=asked.max_tokens,
            tools=asked.tools,
        ).ask

    def facts(self, function: MinedFunction, static: StaticMine) -> dict[str, Any]:
        """Return what a task row says of the model that told types of its parameters, if any."""
        if static.proposals is None or self.source is None or not is_proposed(function):
            return {}
        said = static.proposals.found.get((function.module, function.line), Proposal())
        asked = {"model": self.source.model, "temperature": self.settings.temperature}
        return {"typing": asked | said.cost}

    def told(self, proposals: Proposals, package: str, funnel: Funnel) -> Iterator[Reject]:
        """Count what was asked about types; yield the questions that nobody answered.

        They are counted by themselves: a function may be mined by what else tells of it.
        """
        asked = [each for each in proposals.found.values() if each.requests or each.problem]
        funnel.add("asked for types", len(asked))
        funnel.add(
            "types proposed", sum(any(told.type for told in each.types.values()) for each in asked)
        )
        tokens = sum(each.prompt_tokens + each.completion_tokens for each in asked)
        funnel.add("tokens for types", tokens)
        funnel.add(UNANSWERED, sum(bool(each.problem) for each in asked))
        for (module, line), each in proposals.found.items():
            if each.problem:
                problem = Obstacle(UNANSWERED, each.problem)
                yield Reject(package, f"{module}:{line}", "asked", UNANSWERED, (problem,))


BEYOND = "beyond the functions of a package that are run"
"""Why functions are left out that ``MiningSettings.functions`` leaves no room for."""

NOTHING_NEW = "no new inputs"
UNOBSERVED = "no tests were run"
"""What is told of a package whose tests were to be run."""


@dataclass(frozen=True, slots=True)
class Yield:
    """What one function gave: a task with its cases' CPU seconds, or a reject."""

    task: MinedTask | None = None
    seconds: tuple[float, ...] = ()
    reject: Reject | None = None

    @property
    def is_valid(self) -> bool:
        """Whether it is a task whose cases meet every validator."""
        return self.task is not None and not self.task.facts["validators"]["failed"]


@dataclass(slots=True)
class PackageMine:
    """Mines one opened package; ``funnel`` is complete when ``yields`` has ended."""

    package: PackageSource
    settings: MiningSettings = field(default_factory=MiningSettings)
    companions: Sequence[PackageSource] = ()
    sandboxes: Sandboxes | None = None
    source: ModelSource | None = None
    wanted: Mapping[str, frozenset[str]] | None = None
    """Of functions that are to have new inputs, by id, the keys of those that they have."""
    tests: PackageSource | None = None
    """The source that holds the package's tests, if that is another."""
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
        seen = self._observed()
        if seen.problem:
            problem = Obstacle(UNOBSERVED, seen.problem)
            yield Yield(reject=Reject(self.package.name, "*", "packages", UNOBSERVED, (problem,)))
        typing = Typing(self.settings, self.source)
        static = StaticMine(
            self.package,
            self.companions,
            types=self.settings.types,
            comments=self.settings.comments,
            any_licence=self.settings.any_licence,
            only=self.wanted,
            observed=seen.of if seen.parameters else None,
            ask=typing.ask,
            most_asked=self.settings.functions,
            funnel=self.funnel,
        )
        sandboxes = self.sandboxes
        if self.settings.static_only or sandboxes is None:
            for function in static.functions():
                self.funnel.add("mined")
                yield Yield(task_of(function, (), typing.facts(function, static)))
        else:
            with Original(self.package, sandboxes.plain.config, self.companions) as original:
                for function, is_wanted in self._within(static.functions()):
                    if not is_wanted:
                        yield self._rejected(function, "loads", Obstacle(BEYOND, ""))
                        continue
                    before = self.funnel.counts.copy()
                    try:
                        yield self._tried(function, static, typing, sandboxes, original)
                    except Exception as error:
                        problem = failed(error)
                        self.funnel.counts = before
                        yield self._rejected(function, "loads", problem)
        for reject in static.rejects:
            yield Yield(reject=reject)
        if static.proposals is not None:
            for reject in typing.told(static.proposals, self.package.name, self.funnel):
                yield Yield(reject=reject)

    def _observed(self) -> Observed:
        """Return what the package's tests show, if that is asked for."""
        if not self.settings.observe or self.sandboxes is None:
            return Observed()
        found = observe(self.tests or self.package, self.companions, self.sandboxes.plain.config)
        self.funnel.add("tests run", found.tests)
        self.funnel.add("functions seen in tests", len(found.parameters))
        return found

    def _within(self, found: Iterator[MinedFunction]) -> Iterator[tuple[MinedFunction, bool]]:
        """Yield functions, each with whether it is one of so many as are to be run."""
        most = self.settings.functions
        if most is None:
            yield from ((function, True) for function in found)
            return
        functions = list(found)
        ordered = sorted(functions, key=lambda each: hashlib.sha256(each.id.encode()).digest())
        chosen = {function.id for function in ordered[:most]}
        yield from ((function, function.id in chosen) for function in functions)

    def _rejected(self, function: MinedFunction, stage: str, problem: Obstacle) -> Yield:
        self.funnel.reject(stage, problem.reason)
        name = f"{function.module}.{function.name}"
        return Yield(reject=Reject(function.package, name, stage, problem.reason, (problem,)))

    def _refused(self) -> str | None:
        if is_banned_package(self.package.name):
            return "banned package"
        if not self.package.licence.permissive and not self.settings.any_licence:
            return UNLICENSED
        return None

    def _tried(
        self,
        function: MinedFunction,
        static: StaticMine,
        typing: Typing,
        sandboxes: Sandboxes,
        original: Original,
    ) -> Yield:
        """Return what comes of a function; types that a model proposed take nothing away.

        If they do not run it is asked once more. Where no valid task comes of them the function is
        mined as if it had not been asked, and the better of both is kept.
        """
        before = self.funnel.copy()
        found = self._proved(function, sandboxes, original, typing.facts(function, static))
        if isinstance(found, str) and (again := static.again(function, found)) is not None:
            function = again
            found = self._proved(function, sandboxes, original, typing.facts(function, static))
        if isinstance(found, str):
            found = self._rejected(function, "loads", Obstacle(MISTYPED, found))
        if found.is_valid or not is_proposed(function):
            return found
        plain = static.otherwise(function)
        if plain is None:
            return found
        after = self.funnel.copy()
        self.funnel.restore(before)
        other = self._proved(plain, sandboxes, original, {})
        if isinstance(other, Yield) and (other.is_valid or found.task is None):
            return other
        self.funnel.restore(after)
        return found

    def _proved(
        self,
        function: MinedFunction,
        sandboxes: Sandboxes,
        original: Original,
        known_facts: dict[str, Any],
    ) -> Yield | str:
        """Return what comes of a function; of proposed types that do not run, what is wrong."""
        settings = self.settings
        share = -(-settings.cases // MAX_CASES)
        known = (self.wanted or {}).get(function.id, frozenset())
        runner = Runner(function, sandboxes, share=share, known=known)
        search = find_cases(
            function,
            runner,
            seed=settings.seed,
            rounds=settings.rounds,
            cases=settings.cases,
            writer=self._writer(),
        )
        if search.misuse:
            return search.misuse
        chosen, facts = search.chosen, search.facts | known_facts
        if known and not search.pool and not runner.failure:
            detail = f"the earlier tasks have all {len(known)} that were found"
            return self._rejected(function, "loads", Obstacle(NOTHING_NEW, detail))
        # What took too long once is not run again: it is no case, and proves nothing.
        pool = [case for case in search.pool if is_answer(case.answer)] or search.pool[:3]
        base = RunResult(tuple(c.answer for c in pool), tuple(runner.touched), runner.failure)
        verdict = prove(function, [c.call for c in pool], base, sandboxes, original)
        self._count(verdict)
        if verdict.stage is not None and verdict.problem is not None:
            return self._rejected(function, verdict.stage, verdict.problem)
        facts |= {"compared": verdict.compared, "wording": verdict.wording}
        return self._task(function, chosen, facts, runner)

    def _writer(self) -> CaseWriter | None:
        asked = self.settings
        if self.source is None or asked.asked_for == "types":
            return None
        return CaseWriter(
            source=self.source,
            temperature=asked.temperature,
            max_tokens=asked.max_tokens,
            tools=asked.tools,
        )

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
        self.funnel.add(outcome_of(facts["validators"]))
        timed = runner.timed([case.call for case in kept])
        counters = runner.measured([case.call for case in kept])
        cases = tuple(
            TaskCase(case.call, replace(case.answer, cpu=0.0), counted.steps if counted else {})
            for case, counted in zip(kept, counters, strict=True)
        )
        if all(counters):
            facts["read"] = any(counted.is_read for counted in counters if counted)
        facts["variation"] = variation([case.runtime for case in cases if case.runtime])
        return Yield(task_of(function, cases, facts), timed)


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
            "origins": [origin.to_json() for origin in function.origins],
            "module": function.module,
            "function": function.name,
            **({"class": function.owner} if function.owner else {}),
            "line": function.line,
            "python": python_version(),
            "signature": function.signature.to_json(),
            "docstring": function.docstring,
            "blocks": [[b.module, b.name, b.line] for b in function.blocks],
            "static": function.statistics.to_json(),
            "tags": tags_of(
                function.code,
                name=f"{function.module}.{function.name}",
                iterations=[case.runtime.get("loop_iterations", 0) for case in cases],
            ),
            "shape": shape(function.code, function.name),
            **facts,
        },
    )
