"""The search for a function's cases: by type, by a model, and past fifteen by growth."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from evalplus_lite.exe.inputs.dialogue import CaseWriter, Conversation, ask_for_cases
from evalplus_lite.exe.inputs.explore import explore
from evalplus_lite.exe.inputs.grow import grow
from evalplus_lite.exe.inputs.proposing import misuse
from evalplus_lite.exe.inputs.runner import Runner
from evalplus_lite.exe.inputs.validators import MAX_CASES, Executed, judge
from evalplus_lite.exe.selecting.static import MinedFunction


@dataclass(slots=True)
class FoundCases:
    """Every case run, the ones chosen, and what the task row says of how they were found."""

    pool: list[Executed]
    chosen: list[Executed]
    facts: dict[str, Any] = field(default_factory=dict)
    misuse: str = ""
    """What is wrong with types that a model told, if they do not run: there is no more then."""


def find_cases(
    function: MinedFunction,
    runner: Runner,
    *,
    seed: int,
    rounds: int,
    cases: int,
    writer: CaseWriter | None = None,
) -> FoundCases:
    """Find a function's cases: by type, then by a model, then past 15 by growth."""
    count = min(cases, MAX_CASES)
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
    found = FoundCases(list(explored.cases), explored.chosen(count=count))
    found.misuse = misuse(function, explored.cases)
    if found.misuse:
        return found
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
    if cases > MAX_CASES and not judge(found.chosen):
        growth = grow(
            function,
            runner.execute if writer is None else runner.execute_given,
            target=cases,
            seed=seed,
            start=found.chosen,
            writer=writer,
            is_spent=lambda: runner.is_spent,
        )
        found.pool += growth.cases[len(found.chosen) :]
        found.chosen = growth.cases
        generation["batches"] = [asdict(batch) for batch in growth.batches]
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
