"""Arguments that are code: chosen among texts, never changed within."""

from __future__ import annotations

from typing import Any

from evalplus_lite.generate.engine.generator import GENERIC
from evalplus_lite.jobs.augmented_task import generator_of
from evalplus_lite.sandbox import Sandbox
from evalplus_lite.types import Case, Harness, Task

OWN = ("lambda x: x > 1", "bool", "lambda x: x % 2")


def proposed(sandbox: Sandbox, *arguments: Any, place: int, count: int = 60) -> list[Case]:
    base = tuple(map(Case, arguments))
    task = Task("t", "", "f", "def f(*a): return a", base, harness=Harness(code=(place,)))
    generator = generator_of(sandbox, task, base, 0, (), is_own=False)
    found = generator.propose(count // 2)
    generator.feedback(found)
    assert not any(
        0 in map(int, relation.positions) for relation in generator.input_filter.relations
    )
    return [*found, *generator.propose(count // 2), *(r.case for r in generator.ladder(base))]


def test_code_is_chosen_and_the_rest_made(sandbox: Sandbox) -> None:
    """Each text is a known one or generic; other arguments are new; no case comes twice."""
    base = [(text, [n, n + 3]) for n, text in enumerate(OWN)]
    found = proposed(sandbox, *base, place=0)
    texts = {case.arguments[0] for case in found}
    assert texts <= {*OWN, *GENERIC}
    assert texts > set(OWN)
    assert len({repr(case.arguments) for case in [*map(Case, base), *found]}) == 3 + len(found)
    assert len({repr(case.arguments[1]) for case in found}) > 10


def test_lists_of_code_are_chosen_whole(sandbox: Sandbox) -> None:
    """A list of functions stays as it was given; there is no generic one."""
    base = [(1, ["str", "len"]), (2, ["abs"])]
    found = proposed(sandbox, *base, place=1)
    assert {repr(case.arguments[1]) for case in found} == {repr(b) for _, b in base}
