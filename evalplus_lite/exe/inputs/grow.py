"""Case after case for one function: the growth loop of appendix A.8, with its tokens."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from evalplus_lite.exe.inputs.dialogue import CaseWriter, prompt_for
from evalplus_lite.exe.inputs.explore import Explorer
from evalplus_lite.exe.inputs.schema import CaseForm
from evalplus_lite.exe.inputs.validators import MIN_CASES, Executed
from evalplus_lite.exe.running.runs import Invocation
from evalplus_lite.exe.selecting.static import MinedFunction

BATCH = 15
TYPED_BATCH = 90
"""Inputs tried a batch where no model writes them: they cost nothing."""
PATIENCE = 6
"""Batches without a single new case after which the loop ends."""
MOST_BATCHES = 200


@dataclass(frozen=True, slots=True)
class Batch:
    """What one batch brought: cases kept, their total so far, and what it cost."""

    kept: int
    total: int
    dropped: int
    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(slots=True)
class Growth:
    """Every case kept, in order, and every batch."""

    cases: list[Executed] = field(default_factory=list)
    batches: list[Batch] = field(default_factory=list)


def grow(
    function: MinedFunction,
    execute: Callable[[list[Invocation]], list[Executed]],
    *,
    target: int,
    seed: int,
    start: Sequence[Executed] = (),
    writer: CaseWriter | None = None,
    is_spent: Callable[[], bool] = lambda: False,
) -> Growth:
    """Add validated cases until there are ``target``, or nothing new comes.

    A case is dropped where it was seen, does not parse, does not execute, or would break a
    validator for the cases kept so far. With a model, at most 60 earlier cases are shown to it.
    ``is_spent`` says when running them has cost enough.
    """
    found = Growth(list(start))
    explorer = Explorer(function, seed=f"{seed}:{function.id}:grow")
    for case in start:
        explorer.skip(case.call)
    rng = random.Random(f"{seed}:{function.id}:grow")
    barren = 0
    while len(found.cases) < target and len(found.batches) < MOST_BATCHES and barren < PATIENCE:
        if is_spent():
            break
        if writer is None:
            executed, tokens = explorer.step(execute, TYPED_BATCH), (0, 0)
            tried = TYPED_BATCH
        else:
            calls, tokens = _asked(function, writer, rng, found)
            executed = explorer.run(calls, execute)
            tried = len(calls)
        before = len(found.cases)
        for case in executed:
            if len(found.cases) < target and _is_welcome(case, found.cases):
                found.cases.append(case)
        kept = len(found.cases) - before
        barren = 0 if kept else barren + 1
        found.batches.append(Batch(kept, len(found.cases), tried - kept, *tokens))
    return found


def _asked(
    function: MinedFunction, writer: CaseWriter, rng: random.Random, found: Growth
) -> tuple[list[Invocation], tuple[int, int]]:
    form = CaseForm(function.signature)
    known = [case.call for case in found.cases]
    talk = writer.dialogue(form)
    reply = talk.ask(prompt_for(function, known, rng, count=BATCH), index=len(found.batches))
    calls = [] if reply is None else form.read(reply.text).calls
    return calls, (talk.prompt_tokens, talk.completion_tokens)


def _is_welcome(case: Executed, cases: Sequence[Executed]) -> bool:
    """Return whether the cases still meet validators 4 to 6 with this one among them."""
    if case.answer.kind not in ("value", "error") or case.is_given_away:
        return False
    count = len(cases) + 1
    if count < MIN_CASES:
        return True
    errors = sum(c.is_error for c in cases) + case.is_error
    if case.is_error and 2 * errors > count:
        return False
    if case.is_trivial and 2 * (1 + sum(c.is_trivial for c in cases)) >= count:
        return False
    same = Counter(c.answer.key for c in cases)[case.answer.key] + 1
    return 3 * same <= 2 * count
