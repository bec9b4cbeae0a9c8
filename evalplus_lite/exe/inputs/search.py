"""The search for a function's cases: known calls, calls near them, then calls by type."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from evalplus_lite.exe.inputs.call_space import Arguments, CallSpace, hints, is_unknown
from evalplus_lite.exe.inputs.known import KnownCall, PackageValues
from evalplus_lite.exe.inputs.model import calls_of_model
from evalplus_lite.exe.inputs.nearby import Nearby
from evalplus_lite.exe.inputs.runner import Runner
from evalplus_lite.exe.inputs.validators import MAX_CASES, Executed, judge, select
from evalplus_lite.exe.running.runs import Invocation, is_answer
from evalplus_lite.exe.selecting.static import MinedFunction
from evalplus_lite.models import ModelSource

ROUNDS = 6
FIRST, LATER = 60, 54
_DRAWN_ALONE, _DRAWN_BESIDE = 0.5, 0.2
"""Shares of calls made from scratch, without known calls and beside them."""
GUESSED = ("use", "none")
"""What tells a type too badly to draw values of it where no call is known, nor the name does."""
MAX_TEXT = 4000
"""Inputs whose text is longer than this are no fun to predict."""

Execute = Callable[[list[Invocation]], list[Executed]]


class Explorer:
    """Proposes calls of one function, and builds on those with a new output or a new path."""

    def __init__(
        self,
        function: MinedFunction,
        *,
        seed: str,
        values: PackageValues,
        written: Sequence[Invocation] = (),
    ) -> None:
        self._space = CallSpace.of(function, values.texts)
        self._known = values.of_function(function)
        self._known += [KnownCall(call, "model") for call in written]
        self._of_known = [self._space.arguments(each.call) for each in self._known]
        taken = function.signature.parameters
        self.is_guess = not self._known and any(
            p.is_required and (is_unknown(p) or (p.origin in GUESSED and not hints(p.name)))
            for p in taken
        )
        self._random = random.Random(f"{seed}:fresh").random
        self._near = Nearby([slot.domain for slot in self._space.slots], self._random)
        self._parents: list[tuple[Arguments, str]] = []
        self._seen: set[str] = set()
        self._outputs: set[str] = set()
        self._paths: set[tuple[int, ...]] = set()
        self._reached: set[int] = set()

    def step(self, execute: Execute, count: int) -> list[Executed]:
        """Run up to ``count`` new calls, known ones first, and learn from their answers."""
        first = not self._seen
        proposed = [(each.call, each.source) for each in self._known]
        self._known = []
        share = _DRAWN_BESIDE if self._of_known else 1.0 if first else _DRAWN_ALONE
        for _ in range(int(share * count)):
            drawn = self._space.draw(self._random, self._of_known)
            proposed.append((self._space.call(drawn), "types"))
        others = [arguments for arguments, _ in self._parents]
        while self._parents and len(proposed) < count:
            parent, source = self._parents[int(self._random() * len(self._parents))]
            near = self._space.call(self._near.call(parent, others))
            proposed.append((near, source if source == "types" else "mutated"))
        fresh: dict[str, tuple[Invocation, str]] = {}
        for call, source in proposed:
            if call.key not in self._seen and len(call.key) <= MAX_TEXT:
                fresh.setdefault(call.key, (call, source))
        self._seen.update(call.key for call, _ in proposed)
        executed = execute([call for call, _ in fresh.values()]) if fresh else []
        executed = [replace(each, source=fresh[each.call.key][1]) for each in executed]
        for found in executed:
            is_usable = is_answer(found.answer) and not (found.is_error and found.is_accident)
            if self._is_new(found) and is_usable:
                self._parents.append((self._space.arguments(found.call), found.source))
        return executed

    def _is_new(self, found: Executed) -> bool:
        arms = found.reached | found.beyond
        is_new = found.answer.key not in self._outputs or found.signature not in self._paths
        is_new = is_new or not arms <= self._reached
        self._outputs.add(found.answer.key)
        self._paths.add(found.signature)
        self._reached |= arms
        return is_new


def explore(
    explorer: Explorer,
    execute: Execute,
    *,
    rounds: int = ROUNDS,
    count: int = MAX_CASES,
    wanted: frozenset[int] = frozenset(),
    used: Mapping[Hashable, int] | None = None,
    is_spent: Callable[[], bool] = lambda: False,
) -> tuple[list[Executed], int]:
    """Grow a pool of executed cases until ``count`` of them meet the validators; return the rounds.

    ``execute`` runs calls in the sandbox. ``wanted`` are arms that they should reach together,
    ``is_spent`` says when running them has cost enough.
    """
    cases: list[Executed] = []
    for number in range(rounds):
        cases += explorer.step(execute, LATER if number else FIRST)
        if is_spent():
            return cases, number + 1
        chosen = select(cases, count=count, used=used)
        left = wanted.difference(*(case.reached for case in cases))
        # A second round always: the first cases that pass are rarely the best.
        is_enough = number and not left and len(chosen) >= count
        if is_enough and not judge(chosen) and _is_varied(chosen):
            return cases, number + 1
    return cases, rounds


def _is_varied(chosen: list[Executed]) -> bool:
    """Return whether no output makes up more than half: better than the validators ask."""
    common = Counter(case.answer.key for case in chosen).most_common(1)
    return 2 * common[0][1] <= len(chosen)


UNKNOWN = "no call is known, nor a parameter's type"
"""Why no case of a function is looked for."""


@dataclass(slots=True)
class FoundCases:
    """Every case run, the ones chosen, and what the task row says of how they were found."""

    pool: list[Executed]
    chosen: list[Executed]
    problem: str = ""
    facts: dict[str, Any] = field(default_factory=dict)


def find_cases(
    function: MinedFunction,
    runner: Runner,
    *,
    seed: int,
    rounds: int = ROUNDS,
    count: int = MAX_CASES,
    values: PackageValues | None = None,
    source: ModelSource | None = None,
    used: Mapping[Hashable, int] | None = None,
) -> FoundCases:
    """Find a function's cases; ``source`` asks a model for calls, beside those that are known."""
    written, asked = ([], {}) if source is None else calls_of_model(function, source)
    explorer = Explorer(
        function,
        seed=f"{seed}:{function.id}",
        values=values or PackageValues(),
        written=written,
    )
    if explorer.is_guess:
        return FoundCases([], [], problem=UNKNOWN)
    cases, number = explore(
        explorer,
        runner.execute,
        rounds=rounds,
        count=count,
        wanted=runner.instrumented.wanted if runner.instrumented else frozenset(),
        used=used,
        is_spent=lambda: runner.is_spent,
    )
    found = FoundCases(cases, select(cases, count=count, used=used))
    found.facts["generation"] = {"rounds": number, "pool": len(found.pool), **asked}
    if runner.cut:
        found.facts["generation"]["cut"] = runner.cut
    return found
