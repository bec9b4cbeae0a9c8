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
def test_a_lost_channel_ends_in_one_way(then: str) -> None:
    """Killed by the supervisor, or by itself as it cannot send: what is said is the same."""
    inputs = Inputs.of([(1,), (2,)])
    with Sandbox() as sandbox:
        for _ in range(5):
            run = sandbox.run(Program(CLOSING.format(then), "f"), inputs, Limits(cpu=2.0))
            assert {str(outcome) for outcome in run.outcomes} == {"SIGKILL"}
            assert all(isinstance(outcome, Crashed) for outcome in run.outcomes)
