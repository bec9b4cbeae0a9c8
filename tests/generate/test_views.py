"""Inputs of types beyond the plain ones: made, kept valid and minimized like any other."""

from __future__ import annotations

import datetime
import random
from collections import Counter
from collections.abc import Callable
from decimal import Decimal

import pytest

from evalplus_lite.generate.domains.annotations import hints
from evalplus_lite.generate.domains.filter import InputFilter, candidates
from evalplus_lite.generate.engine.generator import Generator
from evalplus_lite.generate.strategies import sampled
from evalplus_lite.jobs.drafting import simple_inputs
from evalplus_lite.jobs.minimize import minimize, weight
from evalplus_lite.types import Case, Task
from evalplus_lite.values import wire
from evalplus_lite.values.identity import key
from evalplus_lite.values.kinds.arrays import ARRAY, NumpyArray
from evalplus_lite.values.kinds.declared import EnumMember
from evalplus_lite.values.kinds.kind import Kind
from evalplus_lite.values.kinds.registry import KINDS

A_DAY = datetime.date(2024, 2, 29)


@pytest.mark.parametrize("form", [InputFilter.infer, InputFilter.typed])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_inputs_of_every_type_are_made(kind: Kind, form: Callable[..., InputFilter]) -> None:
    """By all ways there are: of the type, valid, many different ones, and none that is seen."""
    base = [Case((each, [each])) for each in kind.examples[:3]]
    accepts = form([case.arguments for case in base])
    drawn = sampled(accepts, count=10, seed="1")
    generator = Generator(base, input_filter=accepts, rng=random.Random(1), sampled=drawn)
    cases = generator.propose(60)
    assert {type(case.arguments[0]) for case in cases} == {kind.type}
    assert {type(inner) for case in cases for inner in case.arguments[1]} == {kind.type}
    assert len({key(case.arguments[0]) for case in cases}) > (1 if kind.viewed is None else 5)
    if kind.viewed is not None:
        assert len({case.source for case in cases}) > 2
    for case in cases:
        assert key(wire.decode(wire.encode(case.arguments))) == key(case.arguments)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_inputs_of_every_type_are_minimized(kind: Kind) -> None:
    """Down to a value of the type that is no more complex."""
    for example in kind.examples:
        (found,) = minimize((example,), lambda rows: [True] * len(rows), most=200)
        assert type(found) is kind.type
        assert weight(found) <= weight(example)
    assert kind.viewed is None or any(weight(each) > weight(found) for each in kind.examples)


@pytest.mark.parametrize(
    ("dtype", "ends"),
    [("uint8", [0, 255]), ("int8", [-128, 127]), ("int64", [-(2**63), 2**63 - 1])],
)
def test_numbers_of_an_array_are_cut_to_what_it_holds(dtype: str, ends: list[int]) -> None:
    """Or the library would refuse the array."""
    assert ARRAY.viewed is not None
    assert ARRAY.viewed([-(10**30), 10**30], NumpyArray([1], (1,), dtype)).data == ends


def test_an_interval_ends_after_it_begins() -> None:
    """What is inferred of two numbers is inferred of two dates, and of Decimals, too."""
    for first, then in ((1, 2), (Decimal(1), Decimal("2.5")), (A_DAY, datetime.date(2024, 5, 1))):
        base = [(first, then)] * 1 + [(first, first)]
        names = {each.name for each in candidates(base)}
        assert "0.at-most.1" in names, (first, then)


def test_all_members_of_an_enumeration_are_tried() -> None:
    """Once one of them was seen: the program says which others there are."""
    source = (
        "from enum import Enum, IntEnum, auto\n"
        "class Color(Enum):\n    RED = 1\n    BLUE = auto()\n    _hidden = 3\n"
        "    def shown(self): return self.name\n"
        "class Level(IntEnum):\n    LOW = 1\n    HIGH = auto()\n"
        "class Other(Enum):\n    ONE = 1\n"
        "def f(color, levels): return color\n"
    )
    color, level = EnumMember("Color", "RED"), EnumMember("Level", "LOW", 1)
    task = Task("t", "", "f", source, base=(Case((color, [level])),))
    one, many = InputFilter.of_task(task).domains
    assert one.choices == (color, EnumMember("Color", "BLUE"))
    assert many.items is not None
    assert many.items.choices == (level,)


def test_annotations_name_types() -> None:
    """Of a signature in a prompt, by the names that people import."""
    prompt = (
        "def f(a: Decimal, b: list[datetime.date], c: 'Counter[str] | None' = None):\n    pass\n"
    )
    one, other, third = hints(prompt, "f")
    assert one.kinds == (Decimal,)
    assert other.items is not None
    assert other.items.kinds == (datetime.date,)
    assert third.kinds == (Counter, type(None))
    assert str(other) == "list[date]"
    rows = simple_inputs([one, other])
    assert {type(price) for price, _ in rows} == {Decimal}
    assert {type(day) for _, days in rows for day in days} == {datetime.date}
