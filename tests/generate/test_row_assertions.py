"""Stated contracts: the assertions that published rows hold, as preconditions."""

from __future__ import annotations

from dataclasses import replace

from support.tasks import make_task

from evalplus_lite.sandbox import Sandbox
from evalplus_lite.tasks.assertions import precondition, with_stated_contract
from evalplus_lite.tasks.contracts import Violation, violations
from evalplus_lite.types import Case

STATED = '\n\tdef is_small(n):\n\t\treturn n < 5\n\tassert is_small(x), "invalid inputs"\n'
CHECK = "def check(inputs, output, expected):\n    return True\n"


def test_a_rows_assertions_become_a_precondition(sandbox: Sandbox) -> None:
    """The task rejects what the row's assertions reject, however they are indented."""
    task = with_stated_contract(replace(make_task(), extra={"contract": STATED}))
    assert task.contract is not None
    reasons = violations(sandbox, task.contract, [Case((1,)), Case((7,))])
    assert reasons == [None, Violation("invalid inputs")]


def test_a_contract_of_ones_own_comes_first() -> None:
    """A precondition that the task has stays the only one; a check is joined by the stated one."""
    own = "def precondition(x):\n    assert x, 'x must not be zero'\n"
    for contract, has_stated in ((own, False), (CHECK, True)):
        task = replace(make_task(), contract=contract, extra={"contract": STATED})
        joined = with_stated_contract(task).contract or ""
        assert joined.startswith(contract)
        assert ("is_small" in joined) is has_stated


def test_annotations_and_imports_do_no_harm(sandbox: Sandbox) -> None:
    """The reference's imports are there for the assertions; its annotations are not needed."""
    reference = "import math\n\ndef f(x: Unknown = 1) -> Thing:\n    return x\n"
    text = precondition(reference, "f", "    assert math.isfinite(x), 'x must be finite'\n")
    reasons = violations(sandbox, text, [Case((1.0,)), Case((float("inf"),)), Case(())])
    assert reasons == [None, Violation("x must be finite"), None]


def test_what_cannot_be_read_is_left_aside() -> None:
    """Text that is no Python, asserts nothing, or belongs to no function is no contract."""
    reference = "def f(x):\n    return x\n"
    assert precondition(reference, "f", "assert (") == ""
    assert precondition(reference, "f", "x = 1") == ""
    assert precondition(reference, "g", "assert x") == ""
    assert with_stated_contract(make_task()).contract is None
