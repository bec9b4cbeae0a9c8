"""Memory limits count what a program adds, and running into one is an outcome of its own."""

from __future__ import annotations

import importlib.util

import pytest

from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox
from evalplus_lite.types import Outcome, OutOfMemory, Returned

MEBIBYTE = 1 << 20


def run(sandbox: Sandbox, body: str, memory: int, argument: object = 0) -> Outcome | None:
    """Run ``f(x)`` with this body under a memory limit."""
    program = Program(f"def f(x):\n    {body}\n", "f")
    inputs = Inputs.of([(argument,)])
    return sandbox.run(program, inputs, Limits(cpu=10.0, memory=memory)).outcomes[0]


def test_a_small_limit_is_not_below_the_interpreter(sandbox: Sandbox) -> None:
    """A limit far smaller than the interpreter itself still runs code that adds little."""
    outcome = run(sandbox, "return sorted(range(x))[-1]", 8 * MEBIBYTE, 1000)
    assert isinstance(outcome, Returned)


@pytest.mark.parametrize("limit", [64, 256])
def test_what_is_added_counts(sandbox: Sandbox, limit: int) -> None:
    """A program may add nearly its limit, and not more; its other cases are judged."""
    inputs = Inputs.of([(limit - 16,), (limit + 16,), (limit - 16,)])
    program = Program("def f(x): return len(bytearray(x << 20))", "f")
    run = sandbox.run(program, inputs, Limits(memory=limit * MEBIBYTE))
    fits, exceeds, again = run.outcomes
    assert exceeds == OutOfMemory(limit * MEBIBYTE)
    assert isinstance(fits, Returned)
    assert isinstance(again, Returned)


def test_large_inputs_do_not_count(sandbox: Sandbox) -> None:
    """The inputs that a program is given are no part of what it adds."""
    argument = list(range(1_000_000))
    outcome = run(sandbox, "return sum(x)", 16 * MEBIBYTE, argument)
    assert isinstance(outcome, Returned)


@pytest.mark.parametrize(
    "body",
    [
        "return 'a' * (3 << 30)",
        "return [0] * (3 << 30)",
        "raise MemoryError('its own word')",
        "\n    kept = []\n    while True: kept.append(bytearray(1 << 20))",
    ],
)
def test_out_of_memory_is_an_outcome(sandbox: Sandbox, body: str) -> None:
    """Every way to ask for too much is out of memory, not an error and not a crash."""
    assert run(sandbox, body, 128 * MEBIBYTE) == OutOfMemory(128 * MEBIBYTE)


def test_out_of_memory_while_loading(sandbox: Sandbox) -> None:
    """The module level counts too."""
    program = Program("kept = bytearray(3 << 30)\ndef f(x): return x\n", "f")
    run = sandbox.run(program, Inputs.of([(1,)]), Limits(memory=128 * MEBIBYTE))
    assert run.outcomes == (OutOfMemory(128 * MEBIBYTE),)


def test_an_answer_too_large_to_copy(sandbox: Sandbox) -> None:
    """An answer that fits in memory once but not twice has an outcome that says so."""
    outcome = run(sandbox, "return 'a' * (x << 20)", 256 * MEBIBYTE, 200)
    assert isinstance(outcome, OutOfMemory) or "bytes" in getattr(outcome, "type", "")


@pytest.mark.skipif(importlib.util.find_spec("numpy") is None, reason="needs numpy")
def test_numpy_is_importable_and_counted(sandbox: Sandbox) -> None:
    """numpy works inside under a modest limit, and its arrays count."""
    body = "import numpy; return int(numpy.ones(x).sum())"
    assert isinstance(run(sandbox, body, 256 * MEBIBYTE, 1000), Returned)
    assert run(sandbox, body, 256 * MEBIBYTE, 1 << 30) == OutOfMemory(256 * MEBIBYTE)


def test_threads_cost_their_stacks_only(sandbox: Sandbox) -> None:
    """Forty threads fit in half a gigabyte: what their allocators might reserve is not counted."""
    body = """import concurrent.futures
    with concurrent.futures.ThreadPoolExecutor(40) as pool:
        barrier = __import__('threading').Barrier(40)
        return sum(pool.map(lambda _: len([0] * 1000) + 0 * barrier.wait(), range(40)))"""
    assert isinstance(run(sandbox, body, 512 * MEBIBYTE), Returned)
