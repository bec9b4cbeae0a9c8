"""Guaranteed inputs follow from the task alone: conditions, blanks, days, types, ties, calls."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from evalplus_lite.generate.domains.filter import InputFilter
from evalplus_lite.generate.domains.text import DateForm
from evalplus_lite.generate.engine.call_sequences import SequenceGenerator
from evalplus_lite.generate.engine.conditions import stored_parameters
from evalplus_lite.generate.engine.generator import Generator
from evalplus_lite.generate.engine.pool import Mix
from evalplus_lite.types import Case

ONLY = Mix(*[0.0] * 4, guaranteed=1.0)  # type: ignore[misc]


def inputs(
    *base: tuple[Any, ...], source: str = "", seed: int = 0, count: int = 400
) -> list[tuple[Any, ...]]:
    """Return what is guaranteed for these base inputs and the body of a reference."""
    generator = Generator(
        [Case(each) for each in base],
        input_filter=InputFilter.typed(base),
        rng=random.Random(seed),
        mix=ONLY,
        reference=(source, "f"),
    )
    return [case.arguments for case in generator.propose(count)]


@pytest.mark.parametrize(
    ("source", "base", "expected"),
    [
        ("def f(k):\n if k < 37: raise ValueError", (5,), [(36,), (37,), (38,)]),
        ("def f(s):\n n = len(s)\n return n > 41", ("ab",), [("ab" * 20,), ("ab" * 20 + "a",)]),
        ("def f(x):\n return x % 3 == 0 or x % 501 == 0", (4,), [(501,), (500,), (1002,)]),
        (
            "def f(xs):\n return [x for x in xs if x >= 777]",
            ([4, 2],),
            [([777],), ([4, 2, 776],), ([4, 2, 778],)],
        ),
        ("def f(x, y, z):\n return x + y == z", (250, 30, 4), [(250, 30, 280), (250, 30, 279)]),
        ("def f(xs, k):\n return k > len(xs)", ([1] * 40, 3), [([1] * 40, 40), ([1] * 40, 41)]),
        ("def f(s):\n return s.startswith('x') or s in ('stop', 'go')", ("ab",), [("stop",)]),
        ("def f(d):\n return any(v == 123 for v in d.values())", ({"a": 1},), [({"a": 123},)]),
        ("def f(n):\n return n >= 1 << 12", (5,), [(4095,), (4096,), (4097,)]),
        ("def f(x):\n return x == 1.5", (0.5,), [(1.5,), (2.0,), (1.0,)]),
    ],
)
def test_both_sides_of_a_condition(
    source: str, base: tuple[Any, ...], expected: list[tuple[Any, ...]]
) -> None:
    proposed = inputs(base, source=source)
    assert [each for each in expected if each not in proposed] == []


@pytest.mark.parametrize(
    "condition",
    [
        "x > 10**10**8",
        "x > 1 << (1 << 40)",
        "x % 9**9**9 == 0",
        "x == y @ 2",
        "x == y | 1 & ~y",
        "x == [0] * y * y",
        "x == max()",
        "x == round(y)",
    ],
)
def test_a_threshold_that_cannot_be_told_guarantees_nothing(condition: str) -> None:
    """Neither does it cost time or memory; the other inputs are there all the same."""
    source = f"def f(x, y):\n return x < 0 and {condition} or x == 45"
    assert (45, 10**6) in inputs((3, 10**6), source=source)


def test_nothing_depends_on_the_seed() -> None:
    base = [("the sky", [3, 1]), ("a", [])]
    assert inputs(*base, seed=1) == inputs(*base, seed=2) != []


def test_texts_get_blanks_of_each_kind_at_each_place() -> None:
    generator = Generator(
        [Case(("a\tb\nc d",)), Case(("sky",))],
        input_filter=InputFilter.infer([("a\tb\nc d",), ("sky",)]),
        rng=random.Random(0),
        mix=ONLY,
        reference=("", "f"),
    )
    texts = {case.arguments[0] for case in generator.propose(400)}
    for blank in (" ", "\t", "\n", "  "):
        for text in ("sky", "a\tb\nc d"):
            places = {text + blank, blank + text, text[:-1] + blank + text[-1:]}
            assert places <= texts


def test_numbers_with_ties_and_extremes() -> None:
    lists = [each for (each,) in inputs(([5, 3],))]
    highest = max(max(each, default=0) for each in lists)
    assert [highest] * 3 in lists
    assert any(each.count(highest) == 2 and min(each) < 0 for each in lists)


def test_an_argument_is_a_part_of_another() -> None:
    texts = {"en": {"ok": "OK", "bye": "Bye"}, "de": {"bye": "Servus"}}
    proposed = [each for each in inputs((texts, "de", "ok")) if each[0] == texts]
    assert (texts, "en", "ok") in proposed
    assert (texts, "de", "bye") in proposed


def test_fields_have_all_forms_if_a_contract_decides() -> None:
    """Without one they have ties alone, as any list may have these."""
    base = ([{"name": "Ida", "age": 7}, {"name": "Bo", "age": 3}],)
    known = InputFilter.typed([base])
    opened = replace(known, domains=tuple(domain.opened() for domain in known.domains))
    found = {
        is_open: [
            case.arguments
            for case in Generator(
                [Case(base)],
                input_filter=opened if is_open else known,
                rng=random.Random(0),
                mix=ONLY,
                reference=("", "f"),
            ).propose(4000)
        ]
        for is_open in (False, True)
    }
    for is_open, proposed in found.items():
        people = [each for (each,) in proposed]
        assert [{"name": "Ida", "age": 7}, {"name": "Bo", "age": 7}] in people
        changed = [rows[-1] for rows in people if rows]
        assert ({"name": " ", "age": 3} in changed) is is_open
        assert ({"name": "Bo", "age": 0} in changed) is is_open


def test_numbers_of_each_type_that_was_seen() -> None:
    proposed = inputs((1, 2), (0.5, 2.0))
    assert {(type(a), type(b)) for a, b in proposed} == {
        (a, b) for a in (int, float) for b in (int, float)
    }


@pytest.mark.parametrize(
    ("texts", "leap", "admitted", "rejected"),
    [
        (["2023-05-10", "2021-12-30"], "2024-02-29", "1900-02-28", "1900-02-29"),
        (["13.5.2023", "1.12.2020"], "29.2.2024", "31.12.1999", "31.4.2023"),
        (["12/25/2020", "02/03/2019"], "02/29/2024", "12/31/1999", "13/31/1999"),
    ],
)
def test_days(texts: list[str], leap: str, admitted: str, rejected: str) -> None:
    form = DateForm.of(texts)
    assert form is not None
    assert leap in form.telling()
    assert form.admits(admitted)
    assert not form.admits(rejected)
    assert all(map(form.admits, form.telling()))
    input_filter = InputFilter.infer([(text,) for text in texts], text="A date as text.")
    assert input_filter.admits((admitted,))
    assert not input_filter.admits((rejected,))


@pytest.mark.parametrize("texts", [[], ["a"], ["2023-05-10", "x", "y"], ["1-2-3"], ["0000-00-00"]])
def test_texts_that_are_no_days(texts: list[str]) -> None:
    assert DateForm.of(texts) is None


BOX = """
class Box:
    def __init__(self, size):
        self.size, self.values = size, []
    def put(self, value, times):
        if times > 0:
            self.values.append(value)
    def get(self):
        return self.values.pop(0)
"""


def test_times_and_decimals_that_programs_err_on() -> None:
    made = inputs(("09:30", "10:00"), ("08:15", "23:10"))
    assert {("00:00", "23:59"), ("12:59", "12:00")} <= {*made}
    assert ("4.35 EUR",) in inputs(("1.50 EUR",), ("0.99 EUR",))


def test_calls() -> None:
    """Missing, repeated, many calls, and values of a parameter that is only kept."""
    assert stored_parameters(BOX, "Box") == {"__init__": {0}, "put": {0}, "get": set()}
    base = Case((["Box", 2], ["put", 5, 1], ["get"]))
    generator = SequenceGenerator(
        [base], owner="Box", rng=random.Random(0), methods=("put", "get"), reference=BOX
    )
    sequences = [case.arguments for case in generator.propose(300) if case.source == "guaranteed"]
    assert (["Box", 2], ["get"], ["get"], ["put", 5, 1]) in sequences
    assert any(calls.count(["put", 5, 1]) > 4 for calls in sequences)
    assert any(["put", 0, 1] in calls for calls in sequences)
    assert not any(["put", 5, -1] in calls for calls in sequences)
