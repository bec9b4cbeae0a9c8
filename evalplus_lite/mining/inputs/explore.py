"""Finding good inputs without a language model: draw, run, keep what is new, mutate that."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from evalplus_lite.mining.inputs.sampling import Maker
from evalplus_lite.mining.inputs.strategies import draw_calls
from evalplus_lite.mining.inputs.validators import MAX_CASES, Executed, judge, select
from evalplus_lite.mining.inputs.value_pool import Material
from evalplus_lite.mining.running.runs import Call
from evalplus_lite.mining.selecting.static import MinedFunction

ROUNDS = 6
"""As many as the paper's two attempts of three cycles."""
FIRST, LATER = 40, 48
MAX_TEXT = 4000
"""Inputs whose text is longer than this are no fun to predict."""


@dataclass(slots=True)
class Explored:
    """Every executed case, and how many rounds it took."""

    cases: list[Executed] = field(default_factory=list)
    rounds: int = 0

    def chosen(self, *, count: int = MAX_CASES) -> list[Executed]:
        """Return the cases of a task."""
        return select(self.cases, count=count)


def explore(
    function: MinedFunction,
    execute: Callable[[list[Call]], list[Executed]],
    *,
    seed: int,
    rounds: int = ROUNDS,
    count: int = MAX_CASES,
) -> Explored:
    """Grow a pool of executed cases until ``count`` of them meet the validators.

    The first round: calls from docstrings, from Hypothesis, and drawn by type. Each later one:
    mutants of cases that showed a new output or path. ``execute`` runs calls in the sandbox.
    """
    rng = random.Random(f"{seed}:{function.id}")
    material = Material.of(function)
    maker = Maker(function.signature, material, rng)
    found = Explored()
    seen: set[str] = set()
    drawn = draw_calls(
        function.signature, material, count=FIRST // 4, seed_=f"{seed}:{function.id}"
    )
    calls = [*material.examples, *drawn, *(maker.fresh() for _ in range(FIRST))]
    for number in range(rounds):
        fresh = _unseen(calls, seen)
        if fresh:
            found.cases += execute(fresh)
        found.rounds = number + 1
        chosen = found.chosen(count=count)
        # A second round always: the first cases that pass are rarely the best.
        if number and len(chosen) >= count and not judge(chosen) and _is_varied(chosen):
            break
        parents = _parents(found.cases)
        calls = (
            [maker.mutated(rng.choice(parents), parents) for _ in range(LATER)] if parents else []
        )
        calls += [maker.fresh() for _ in range(LATER // 3 if parents else LATER)]
    return found


def _is_varied(chosen: list[Executed]) -> bool:
    """Return whether no output makes up more than half: better than the validators ask."""
    common = Counter(case.answer.key for case in chosen).most_common(1)
    return 2 * common[0][1] <= len(chosen)


def _unseen(calls: Iterable[Call], seen: set[str]) -> list[Call]:
    fresh: list[Call] = []
    for call in calls:
        key = call.key
        if key not in seen and len(key) <= MAX_TEXT:
            seen.add(key)
            fresh.append(call)
    return fresh


def _parents(cases: list[Executed]) -> list[Call]:
    """Return the calls worth varying: first of their output or path, values before errors."""
    kept: list[Call] = []
    outputs: set[str] = set()
    paths: set[tuple[int, ...]] = set()
    for case in cases:
        if case.answer.kind not in ("value", "error"):
            continue
        is_new = case.answer.key not in outputs or case.signature not in paths
        outputs.add(case.answer.key)
        paths.add(case.signature)
        if is_new:
            kept += [case.call] * (1 if case.is_error or case.is_trivial else 3)
    return kept
