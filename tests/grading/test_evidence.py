"""What counts as one answer, as a faulty contract, and as a suite that sees nothing."""

from __future__ import annotations

import copy
import itertools
from typing import Any

import pytest
from support.tasks import make_suite, make_task

from evalplus_lite.errors import UnusableTask
from evalplus_lite.grading.evidence import blind_spot, own_refused
from evalplus_lite.grading.stability import deranged, stable
from evalplus_lite.sandbox import Sandbox
from evalplus_lite.types import Rule
from evalplus_lite.values import wire


@pytest.mark.parametrize(
    ("first", "second", "kind", "is_stable"),
    [
        (1.0, 1.0 + 2e-16, "python", False),
        (1e12, 1e12 + 1, "python", False),
        (1, True, "python", False),
        (1, 1.0, "python", False),
        (0.0, -0.0, "python", False),
        (float("nan"), float("nan"), "python", True),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, "python", True),
        ({"a": 1.0}, {"a": 1.0 + 2e-16}, "python", False),
        ([{3, 1}, {(1, 2)}], [{1, 3}, {(1, 2)}], "python", True),
        ([1, 2], [2, 1], "python", False),
        ([1, 2], [2, 1], "strict", False),
        ([1, 2], [2, 1], "unordered", True),
        ([[1], [2]], [[2], [1]], "unordered", True),
        ([1, 1, 2], [1, 2, 2], "unordered", False),
        ([1.0], [1.0 + 2e-16], "unordered", False),
        ([1, 2], (1, 2), "unordered", False),
        (True, 5, "truthiness", True),
        (True, None, "truthiness", False),
    ],
)
def test_stable(first: Any, second: Any, kind: Any, is_stable: bool) -> None:
    """Two runs answer the same if every bit is the same, but for orders that nobody sees."""
    task = make_task(rule=Rule(kind))
    assert stable(wire.encode(first), wire.encode(second), task) is is_stable
    assert stable(wire.encode(first), wire.encode(first), task)
    assert kind == "truthiness" or not stable(wire.encode(first), b"junk", task)


@pytest.mark.parametrize("count", range(40))
def test_the_second_order_is_another_one(count: int) -> None:
    """Nothing stands where it stood, and nothing follows what it followed."""
    order = deranged(range(10, 10 + count))
    assert sorted(order) == list(range(10, 10 + count))
    assert count < 2 or all(place != 10 + at for at, place in enumerate(order))
    assert count == 3 or all(b != a + 1 for a, b in itertools.pairwise(order))


def test_sets_and_refused_inputs(sandbox: Sandbox) -> None:
    """A set's order is no difference; inputs that a contract refuses are errors only together."""
    a, b = ({str(n) for n in order} for order in (range(50), reversed(range(50))))
    backward = b"<" + (50).to_bytes(4, "little") + b"".join(map(wire.encode, sorted(a)))
    assert backward != wire.encode(b)
    assert stable(backward, wire.encode(b), make_task())
    some = make_task([(1,), (-1,)], contract="def precondition(x): assert x > 0, 'no'")
    assert [drop.detail for drop in own_refused(sandbox, some)] == ["no"]
    for text, cause in (("assert x > 9, 'no'", "invalid"), ("assert x > y", "contract")):
        task = make_task([(1,), (-1,)], contract=f"def precondition(x): {text}")
        with pytest.raises(UnusableTask) as caught:
            own_refused(sandbox, task)
        assert (caught.value.task_id, caught.value.cause) == (task.id, cause)
    error = UnusableTask("t", "raises", "the reference raises")
    again = copy.copy(error)  # as pickling does, by way of __reduce__
    assert (again.task_id, again.cause, again.detail) == ("t", "raises", "the reference raises")


@pytest.mark.parametrize(
    ("answers", "kind", "words"),
    [
        ([None, None], "python", "returns None on all 2 cases"),
        ([None], "python", "returns None on its only case"),
        ([5, 5, 5], "python", "returns 5 on all 3 cases"),
        (["x" * 100_000] * 2, "python", "returns one large value on all 2 cases"),
        ([5], "python", ""),
        ([None, 1], "python", ""),
        ([1, 2], "truthiness", " "),  # where any answer will do, one is enough
        ([True], "truthiness", " "),
        ([1, None], "truthiness", ""),
        ([None, 1], "truthiness", ""),
    ],
)
def test_blind_spots(answers: list[Any], kind: Any, words: str) -> None:
    """One answer on every case is what a program may always give."""
    task = make_task([(n,) for n in range(len(answers))], rule=Rule(kind))
    found = blind_spot(make_suite(task, answers), task.rule)
    assert words in found
    assert bool(found) == bool(words)
