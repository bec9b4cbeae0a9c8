"""A program that closes the channel of its answers ends in one way, whoever notices first."""

from __future__ import annotations

import pytest

from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox
from evalplus_lite.types import Crashed

CLOSING = """
import os, time
def f(n):
    for number in range(3, 64):
        try: os.close(number)
        except OSError: pass
    {}
    return n
"""


@pytest.mark.parametrize("then", ["time.sleep(.05)", "pass"])
def test_a_lost_channel_ends_in_one_way(sandbox: Sandbox, then: str) -> None:
    """Killed by the supervisor, or by itself as it cannot send: what is said is the same.

    An answer that was on the page before the loss was seen may still count; the last never does.
    """
    inputs = Inputs.of([(1,), (2,)])
    for _ in range(5):
        run = sandbox.run(Program(CLOSING.format(then), "f"), inputs, Limits(cpu=2.0))
        ended = [outcome for outcome in run.outcomes if isinstance(outcome, Crashed)]
        assert {str(outcome) for outcome in ended} == {"SIGKILL"}
        assert run.outcomes[-1] in ended
