"""What ``augment`` says of guards: which rest on evidence, and how to decide otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

_MOST_LINES = 12


def found(provenances: Mapping[str, Mapping[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Return by task the guards that a suite's provenance holds, the plain limits left aside."""
    by_task = {}
    for task, provenance in provenances.items():
        guards = [each for each in provenance.get("guards", ()) if _is_told(each)]
        if guards:
            by_task[task] = guards
    return by_task


def lines(guards: Mapping[str, Iterable[Mapping[str, Any]]]) -> Iterator[str]:
    """Yield a line a guard, those taken on before those that were not, a limited number of them."""
    told = [(task, each) for task, some in guards.items() for each in some]
    told.sort(key=lambda pair: not pair[1]["is_on"])
    for task, each in told[:_MOST_LINES]:
        yield line(task, each)
    if len(told) > _MOST_LINES:
        rest = told[_MOST_LINES:]
        on = sum(each["is_on"] for _, each in rest)
        yield f"guards: {on} more taken on, {len(rest) - on} more not: see summary.json"


def line(task: str, guard: Mapping[str, Any]) -> str:
    """Return a guard with its support, and the option that decides otherwise."""
    option = "--no-guard" if guard["is_on"] else "--guard"
    state = "inputs keep to" if guard["is_on"] else "not taken for granted"
    if guard["is_chosen"]:
        return f"{task}: {state}, as chosen: {guard['text']}"
    support = f"{guard['seen']} informative inputs keep to it, {guard['needed']} are needed"
    remedy = f"to decide otherwise: {option} {task}:{guard['name']}"
    return f"{task}: {state}: {guard['text']} ({support}; {remedy})"


def _is_told(guard: Mapping[str, Any]) -> bool:
    return bool(guard["needed"] > 1 or guard["is_chosen"])
