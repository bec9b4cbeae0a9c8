"""Sequences of calls: what a prompt says of their arguments holds for new ones."""

from __future__ import annotations

import random

from evalplus_lite.generate.engine.call_sequences import SequenceGenerator
from evalplus_lite.types import Case

LIMITER = """
class Limiter:
    def __init__(self, limit):
        self.limit = limit
    def allow(self, user, now):
        return now < self.limit
    def left(self, user, now):
        return self.limit - now
"""
BASE = [
    Case((["Limiter", 2], ["allow", "ann", 0], ["left", "ann", 4], ["allow", "bob", 15])),
    Case((["Limiter", 3], ["left", "bob", 0], ["allow", "bob", 10], ["left", "ann", 20])),
]


def proposed(prompt: str, base: list[Case] = BASE, **options: object) -> list[Case]:
    generator = SequenceGenerator(
        base,
        owner="Limiter",
        rng=random.Random(0),
        methods=("allow", "left"),
        reference=LIMITER,
        prompt=prompt,
        **options,  # type: ignore[arg-type]
    )
    return generator.propose(100)


def test_times_that_never_go_down() -> None:
    """Arguments of a name that the prompt says never go down do not."""

    def in_order(case: Case) -> bool:
        times = [call[2] for call in case.arguments if len(call) == 3]
        return times == sorted(times)

    assert not all(map(in_order, proposed("allow(user, now) and left(user, now).")))
    assert all(map(in_order, proposed("now never goes down from call to call.")))


def test_arguments_that_differ() -> None:
    """No two calls of a method have the same argument of a name that is said to differ."""
    base = [Case((["Limiter", 2], ["allow", "ann", 0], ["allow", "bob", 15], ["left", "ann", 1]))]

    def repeats(prompt: str) -> bool:
        return any(
            len(users := [call[1] for call in case.arguments if call[0] == "allow"]) > len({*users})
            for case in proposed(prompt, base)
        )

    assert repeats("allow(user, now) and left(user, now).")
    assert not repeats("allow(user, now) and left(user, now). All users differ.")


def test_a_sentence_about_one_method_is_about_no_other() -> None:
    """Zero for a method is no zero for the constructor; unknown names need a documented error."""
    cases = proposed(
        "Limiter(limit). allow(user, now): now is 0 or more. KeyError for others.",
        is_documented=True,
    )
    assert all(case.arguments[0][1] != 0 for case in cases if case.arguments[0][0] == "Limiter")
    assert any(call[1] == "anns" for case in cases for call in case.arguments if len(call) == 3)
