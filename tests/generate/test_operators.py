"""Every operator makes what its examples show, keeps the type, and leaves its argument alone."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from evalplus_lite.generate.domains.constants import Constants
from evalplus_lite.generate.domains.filter import InputFilter
from evalplus_lite.generate.engine import slots
from evalplus_lite.generate.operators.registry import OPERATORS, Operator
from evalplus_lite.types import Value
from evalplus_lite.values.identity import key

DRAWS = 40_000
SEEN: dict[type, list[Value]] = {
    int: [77],
    float: [7.7],
    bool: [True],
    type(None): [None],
    complex: [7 + 7j],
    str: ["wxyz", "abcd", "77-wxyz", "a / b"],
    bytes: [b"wxyz"],
    list: [[7, 7, 7]],
    tuple: [(7, 7, 7)],
    set: [{7}],
    frozenset: [frozenset({7})],
    dict: [{"a": 7, "d": 7, "b": 7}],
}
CONSTANTS = Constants(
    integers=(42,), floats=(4.2,), strings=("kept",), tokens=("kept",), bytestrings=(b"kept",)
)
ALL = [each for kind in OPERATORS for each in OPERATORS[kind]]
EXAMPLES = [(each, example) for each in ALL for example in each.examples]


def place_for(value: Value) -> slots.Slot:
    """Return a place at which the value and others of its type were seen."""
    kind = type(value)
    seen = [value] if kind is list and any(type(each) is not int for each in value) else SEEN[kind]
    input_filter = InputFilter.typed([(value,), *((each,) for each in seen)])
    state = slots.GenerationState(random.Random("operators").random, CONSTANTS)
    slot = slots.Slot(input_filter.domains[0], input_filter.profiles[0], state)
    for each in seen:
        slot.learn(each)
    return slot


def results(operator: Operator, value: Value, count: int) -> Iterator[Any]:
    slot = place_for(value)
    for _ in range(count):
        slot.state.draws_constants = not slot.state.draws_constants
        yield operator.apply(value, slot)


@pytest.mark.parametrize(
    ("operator", "example"), EXAMPLES, ids=[f"{o.name}:{e[1]}" for o, e in EXAMPLES]
)
def test_operator_can_make_its_examples(operator: Operator, example: tuple[Value, Value]) -> None:
    """Each example's second value comes out of its first within a bounded number of draws."""
    wanted = key(example[1])
    assert any(key(made) == wanted for made in results(operator, example[0], DRAWS))


@pytest.mark.parametrize(
    ("operator", "example"), EXAMPLES, ids=[f"{o.name}:{e[0]}" for o, e in EXAMPLES]
)
def test_operator_keeps_type_and_leaves_its_argument_alone(
    operator: Operator, example: tuple[Value, Value]
) -> None:
    """Whatever an operator returns is of its type, and what it was given is as it was."""
    before = key(example[0])
    for made in results(operator, example[0], 300):
        assert type(made) is operator.kind
        assert key(example[0]) == before


def test_digits_keep_the_sign() -> None:
    """A negative number whose digits change stays negative."""
    (digits,) = [each for each in ALL if each.name == "int.digits"]
    assert all(made < 0 for made in results(digits, -123, 300))


def test_every_plain_type_has_operators_with_distinct_names_and_examples() -> None:
    """No plain type is left without operators, no name is used twice, none lacks an example."""
    assert set(OPERATORS) == set(SEEN)
    names = [each.name for each in ALL]
    assert len(set(names)) == len(names)
    assert all(each.examples for each in ALL)


@pytest.mark.parametrize("empty", ["", b"", [], (), set(), frozenset(), {}], ids=repr)
def test_operators_take_empty_values(empty: Value) -> None:
    """No operator fails on a value that holds nothing."""
    for operator in OPERATORS[type(empty)]:
        for made in results(operator, empty, 100):
            assert type(made) is type(empty)
