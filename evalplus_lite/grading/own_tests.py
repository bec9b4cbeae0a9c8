"""A reference before its own tests: which of them it passes, and which leave answers open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evalplus_lite.errors import CodecError, ContractError
from evalplus_lite.sandbox import Inputs, Program, Sandbox
from evalplus_lite.tasks.contracts import CHECK_LIMITS, accepts
from evalplus_lite.tasks.unit_test_check import OWN_WORD
from evalplus_lite.types import Case, Task
from evalplus_lite.values import wire
from evalplus_lite.values.identity import key


def is_tested(task: Task) -> bool:
    """Return whether a task's cases are unit tests: expected values stand in them alone."""
    return task.harness.kind == "unittest"


def upheld(
    sandbox: Sandbox, task: Task, cases: Sequence[Case], seen: Sequence[bytes]
) -> list[bool]:
    """Return for each case whether what the reference showed there is what its test expects."""
    if task.contract is None:  # nothing is expected but that no test raises
        return [True] * len(cases)
    encoded = [wire.encode(list(case.arguments)) for case in cases]
    rows = [(each, data, data) for each, data in zip(encoded, seen, strict=True)]
    inputs = Inputs.joined(rows, private=True)
    run = sandbox.run(Program(task.contract, "check"), inputs, CHECK_LIMITS)
    if run.load_failed:
        raise ContractError(f"{task.id}: its tests cannot be judged: {run.outcomes[0]}")
    return list(map(accepts, run.outcomes))


def in_common(first: bytes, second: bytes) -> bytes | None:
    """Return what two runs of a test have in common if other values were seen: its assertions.

    That is what is expected of a test of something random, whose assertions say all that is to
    be said of it. None where other assertions were reached.
    """
    try:
        sites = [
            {key(_site(each)): _site(each) for each in wire.decode(d)} for d in (first, second)
        ]
    except (CodecError, TypeError, IndexError):
        return None
    if sites[0].keys() != sites[1].keys():
        return None
    return wire.encode([sites[0][name] for name in sorted(sites[0])])


def _site(seen: list[Any]) -> list[Any]:
    """Return an assertion's number, and whether the program's process decided it."""
    return [each for at, each in enumerate(seen) if not at or each == OWN_WORD]
