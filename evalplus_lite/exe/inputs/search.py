"""The search for a function's cases: by type, or by a model and then by type."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from evalplus_lite.exe.inputs.call_space import generator_of
from evalplus_lite.exe.inputs.dialogue import CaseWriter, Conversation, ask_for_cases
from evalplus_lite.exe.inputs.runner import Runner
from evalplus_lite.exe.inputs.validators import MAX_CASES, MIN_CASES, Executed, judge, select
from evalplus_lite.exe.running.runs import Invocation, is_answer
from evalplus_lite.exe.selecting.static import MinedFunction

ROUNDS = 6
"""As many as the paper's two attempts of three cycles."""
FIRST, LATER = 40, 54
_FIRST_FRESH, _LATER_FRESH = 0.6, 0.25
"""Shares of calls made from scratch; the others are changes of earlier ones, and boundaries."""
MAX_TEXT = 4000
"""Inputs whose text is longer than this are no fun to predict."""

Execute = Callable[[list[Invocation]], list[Executed]]


class Explorer:
    """Proposes calls of one function, and builds on those with a new output or a new path."""

    def __init__(self, function: MinedFunction, *, seed: str) -> None:
        self._space, self._generator = generator_of(function, seed=seed)
        self._random = random.Random(f"{seed}:fresh").random
        self._seen: set[str] = set()
        self._outputs: set[str] = set()
        self._paths: set[tuple[int, ...]] = set()
        self._reached: set[int] = set()

    def step(self, execute: Execute, count: int) -> list[Executed]:
        """Run up to ``count`` new calls and learn from their answers."""
        share = _LATER_FRESH if self._seen else _FIRST_FRESH
        slots = self._generator.slots
        drawn = [self._space.draw(slots, self._random) for _ in range(int(share * count))]
        self._generator.plant(drawn)
        proposed = self._generator.propose(count)
        calls = [self._space.call(case.arguments) for case in proposed]
        cases = {call.key: case for call, case in zip(calls, proposed, strict=True)}
        executed = self.run(calls, execute)
        kept, slow = [], []
        for found in executed:
            case = cases[found.call.key]
            if found.answer.kind == "slow":
                slow.append(case)
            elif is_answer(found.answer) and self._is_new(found):
                kept.append(case)
        self._generator.feedback(kept, slow=slow)
        return executed

    def run(self, calls: Sequence[Invocation], execute: Execute) -> list[Executed]:
        """Run those calls that are new, and not too long."""
        fresh = {call.key: call for call in calls}
        listed = [
            call for key, call in fresh.items() if not (key in self._seen or len(key) > MAX_TEXT)
        ]
        self._seen.update(fresh)
        return execute(listed) if listed else []

    def _is_new(self, found: Executed) -> bool:
        arms = found.reached | found.beyond
        is_new = found.answer.key not in self._outputs or found.signature not in self._paths
        is_new = is_new or not arms <= self._reached
        self._outputs.add(found.answer.key)
        self._paths.add(found.signature)
        self._reached |= arms
        return is_new


@dataclass(slots=True)
class Explored:
    """Every executed case, how many rounds it took, and what probes told (``behaviour_of``)."""

    probes: list[Executed] = field(default_factory=list)
    cases: list[Executed] = field(default_factory=list)
    rounds: int = 0
    behaviour: str = ""

    def chosen(self, *, count: int = MAX_CASES) -> list[Executed]:
        """Return the cases of a task; probes only where there are too few others."""
        found = select(self.cases, count=count)
        if len(found) >= MIN_CASES:
            return found
        every = {case.call.key: case for case in (*self.cases, *self.probes)}
        return select(list(every.values()), count=count)


def explore(
    function: MinedFunction,
    execute: Execute,
    *,
    seed: int,
    rounds: int = ROUNDS,
    count: int = MAX_CASES,
    wanted: frozenset[int] = frozenset(),
    is_spent: Callable[[], bool] = lambda: False,
) -> Explored:
    """Grow a pool of executed cases until ``count`` of them meet the validators.

    ``execute`` runs calls in the sandbox. ``wanted`` are arms that they should reach together,
    ``is_spent`` says when running them has cost enough.
    """
    explorer = Explorer(function, seed=f"{seed}:{function.id}")
    # Probes are the same for all functions of the same types, so they are cases of a task only
    # where there are too few others: they tell copies of a function apart, and help to prove it.
    found = Explored(execute([c for c in probes_of(function) if len(c.key) <= MAX_TEXT]))
    found.behaviour = behaviour_of(found.probes)
    for number in range(rounds):
        found.cases += explorer.step(execute, LATER if number else FIRST)
        found.rounds = number + 1
        chosen = found.chosen(count=count)
        if is_spent():
            break
        left = wanted.difference(*(case.reached for case in found.cases))
        # A second round always: the first cases that pass are rarely the best.
        is_enough = number and not left and len(chosen) >= count
        if is_enough and not judge(chosen) and _is_varied(chosen):
            break
    return found


def _is_varied(chosen: list[Executed]) -> bool:
    """Return whether no output makes up more than half: better than the validators ask."""
    common = Counter(case.answer.key for case in chosen).most_common(1)
    return 2 * common[0][1] <= len(chosen)


PROBES = 40
TELLING = 12
"""Different answers, none of them an input, without which behaviour says nothing."""


def probes_of(function: MinedFunction) -> list[Invocation]:
    """Return calls that are the same for all functions of the same types."""
    parameters = tuple(
        parameter if parameter.kind == "keyword" else replace(parameter, name=f"p{number}")
        for number, parameter in enumerate(function.signature.parameters)
    )
    signature = replace(function.signature, parameters=parameters)
    unknown = replace(
        function, package="", module="", name="", signature=signature, code="", implementation=""
    )
    space, generator = generator_of(unknown, seed="probes")
    draw = random.Random("probes").random
    calls = [space.call(space.draw(generator.slots, draw).arguments) for _ in range(PROBES)]
    return list({call.key: call for call in calls}.values())


def behaviour_of(executed: Sequence[Executed]) -> str:
    """Return a digest of the answers to probes, equal for equal ones; empty if they say little."""
    told = {c.answer.key for c in executed if c.answer.kind == "value" and not c.is_trivial}
    if len(told) < TELLING:
        return ""
    answers = sorted(
        f"{c.call.key} {c.answer.type or c.answer.key if c.answer.kind != 'slow' else ''}"
        for c in executed
    )
    return hashlib.sha256("\n".join(answers).encode()).hexdigest()[:16]


@dataclass(slots=True)
class FoundCases:
    """Every case run, the ones chosen, and what the task row says of how they were found."""

    pool: list[Executed]
    chosen: list[Executed]
    facts: dict[str, Any] = field(default_factory=dict)


def find_cases(
    function: MinedFunction,
    runner: Runner,
    *,
    seed: int,
    rounds: int,
    count: int,
    writer: CaseWriter | None = None,
) -> FoundCases:
    """Find a function's cases: by type, then by a model if there is one."""
    wanted = runner.instrumented.wanted if runner.instrumented else frozenset()
    explored = explore(
        function,
        runner.execute,
        seed=seed,
        rounds=rounds,
        count=count,
        wanted=wanted,
        is_spent=lambda: runner.is_spent,
    )
    every = {case.call.key: case for case in (*explored.cases, *explored.probes)}
    found = FoundCases(list(every.values()), explored.chosen(count=count))
    generation: dict[str, Any] = {"mode": "types", "rounds": explored.rounds}
    if writer is not None and not runner.failure:
        talk = ask_for_cases(
            function,
            writer,
            runner.execute_given,
            seed=seed,
            count=count,
        )
        found.pool += talk.pool
        generation = _generation_facts(talk, writer)
        # Where the model's cases are too few or fail, those found by type fill up or stand in.
        both = _filled(talk.cases, found.chosen, count)
        if not talk.cases:
            generation["mode"] = "types after llm"
        elif judge(talk.cases) and not judge(both):
            generation |= {"mode": "llm and types", "filled": len(both) - len(talk.cases)}
            found.chosen = both
        else:
            found.chosen = talk.cases
    generation["pool"] = len(found.pool)
    if runner.cut:
        generation["cut"] = runner.cut
    found.facts["generation"] = generation
    found.facts["behaviour"] = explored.behaviour
    return found


def _filled(cases: list[Executed], others: list[Executed], count: int) -> list[Executed]:
    """Return cases, then others with new inputs, ``count`` at most."""
    known = {case.call.key for case in cases}
    return [*cases, *(case for case in others if case.call.key not in known)][:count]


def _generation_facts(talk: Conversation, writer: CaseWriter) -> dict[str, Any]:
    """Return what a task row says of its conversation."""
    return {
        "mode": "llm",
        "model": writer.source.model,
        "temperature": writer.temperature,
        "tools": writer.tools,
        "salvaged": talk.salvaged,
        "failures": talk.failures,
        "requests": talk.requests,
        "prompt_tokens": talk.prompt_tokens,
        "completion_tokens": talk.completion_tokens,
    }
