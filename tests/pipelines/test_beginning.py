"""What a generator takes for granted of a task's inputs: what its own contract does not let go."""

from __future__ import annotations

from typing import Any

import pytest
from support.tasks import make_task

from evalplus_lite.jobs.workers.augmentation import generator_of
from evalplus_lite.sandbox import Sandbox

LISTS = "def precondition(x):\n    assert type(x) is list, 'x must be a list'\n"
ROWS = "    assert all(type(row) is list and row for row in x), 'every row must be a list'\n"
LIKE = "    assert len({len(row) for row in x}) == 1, 'rows must be of one length'\n"
SQUARE = "    assert len(x) == len(x[0]), 'x must be square'\n"
OTHERS = [[[1, 2], [3, 4]], [[1, 2, 3], [4, 5, 6]], [[1, 2, 3], [4]]]
GRIDS = [[[1, 2, 3], [4, 5, 6], [7, 8, 10 + at]] for at in range(4)]


@pytest.mark.parametrize(
    ("contract", "free"),
    [
        (LISTS + ROWS, 3),
        (LISTS + ROWS + LIKE, 2),
        (LISTS + ROWS + LIKE + SQUARE, 1),
        (LISTS + ROWS + LIKE + SQUARE + "    assert len(x) == 3, 'three must be'\n", 0),
    ],
)
def test_a_contract_says_which_shapes_are_free(sandbox: Sandbox, contract: str, free: int) -> None:
    """Examples of one shape bind nothing where the task's own contract accepts other shapes."""
    task = make_task([(grid,) for grid in GRIDS], reference="def f(x): return x", contract=contract)

    def admitted(is_own: bool) -> list[Any]:
        generator = generator_of(sandbox, task, task.base, 0, (), is_own=is_own)
        return [each for each in OTHERS if generator.input_filter.admits((each,))]

    assert admitted(is_own=True) == OTHERS[:free]
    assert admitted(is_own=False) == []
