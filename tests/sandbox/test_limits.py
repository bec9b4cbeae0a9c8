"""Time, memory and output have limits, each told from the others, on real programs."""

from __future__ import annotations

import subprocess
import time

import pytest
from support.sandboxed import only, run

from evalplus_lite.sandbox import Limits, Sandbox, timer
from evalplus_lite.sandbox.timer import ResourceUsage, Timer, Watch
from evalplus_lite.types import Returned, TimedOut, Unrepresentable
from evalplus_lite.values import wire

TIGHT = Limits(cpu=1.0, load=2.0, wait=1.0, memory=256 << 20)


@pytest.mark.parametrize(
    "body",
    [
        "while True: pass",
        "while True:\n        try:\n            f(1)\n        except BaseException: pass",
        "sum(range(10**12))",
        "import re; re.match(r'(a+)+$', 'a' * 60 + 'b')",
        "import signal; signal.pthread_sigmask(0, range(1, 65))\n    while True: pass",
        "import threading; t = threading.Thread(target=lambda: sum(range(10**12)));"
        " t.start(); t.join()",
    ],
    ids=["loop", "swallows", "in C", "regex", "blocked signals", "threads"],
)
def test_a_loop_ends_at_its_limit(sandbox: Sandbox, body: str) -> None:
    """A case that would never end is a timeout of that case alone; the others are judged."""
    source = f"def f(bad):\n    if not bad: return 1\n    {body}\n"
    first, second, third = run(sandbox, source, (0,), (1,), (0,), limits=TIGHT).outcomes
    assert isinstance(second, TimedOut)
    assert second.limit == TIGHT.cpu
    assert isinstance(first, Returned)
    assert isinstance(third, Returned)


def test_waiting_counts_only_beyond_the_grace(sandbox: Sandbox) -> None:
    """A short sleep is no timeout though it is longer than the CPU limit; a long one is."""
    source = "import time\ndef f(s):\n    time.sleep(s)\n    return s\n"
    limits = Limits(cpu=0.5, wait=3.0)
    short, long = run(sandbox, source, (1.0,), (60.0,), limits=limits).outcomes
    assert isinstance(short, Returned)
    assert isinstance(long, TimedOut)
    assert long.cpu > 1
    assert (long.over, long.limit) == ("wait", 3.0)


def test_a_process_that_waits_for_us_is_not_idle() -> None:
    """What the watching thread computes meanwhile counts as nobody's waiting; a rest does."""
    with subprocess.Popen(["sleep", "60"]) as process:
        try:
            watch = Watch(process.pid)
            time.sleep(0.1)
            assert watch.pause(0.05, 0.3)
            until = time.thread_time() + 0.5
            while time.thread_time() < until:
                pass
            assert watch.pause(0.05, 0.3)
            time.sleep(0.5)
            assert watch.pause(0.05, 0.3) is None
            assert watch.over == "wait"
        finally:
            process.kill()


def test_queueing_of_our_own_is_nobodys_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """While a busy machine keeps the watching thread from running, a program is not idle."""
    with subprocess.Popen(["sleep", "60"]) as process:
        try:
            monkeypatch.setattr(timer, "own_queueing", lambda: 7.0)
            watched = Timer(process.pid, None, Limits(), ResourceUsage(60.0), None)  # type: ignore[arg-type]
            watched.waited = 20.0
            before = watched.idle(1.0)
            monkeypatch.setattr(timer, "own_queueing", lambda: 8.5)
            assert before - watched.idle(1.0) == pytest.approx(1.5, abs=0.1)
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("source", "over", "limit"),
    [
        ("def f(): sleep(9)", "wait", 1.5),
        ("def f():\n    while True: pass", "case", 1.0),
        ("sleep(9)\ndef f(): pass", "load", 2.0),
        ("while True: pass", "load", 2.0),
    ],
)
def test_a_timeout_names_its_limit(sandbox: Sandbox, source: str, over: str, limit: float) -> None:
    """The message shows the limit that the program exceeded, not another one."""
    limits = Limits(cpu=1.0, load=2.0, wait=1.5)
    found = run(sandbox, f"from time import sleep\n{source}\n", (), (), limits=limits)
    assert found.load_failed is (over == "load")
    outcome, other = found.outcomes
    assert isinstance(outcome, TimedOut)
    assert isinstance(other, TimedOut)
    assert other.limit == limit
    assert (outcome.over, outcome.limit) == (over, limit)
    assert f"{limit:g} s" in str(outcome)


def test_each_case_has_its_own_limit(sandbox: Sandbox) -> None:
    """Of two equal cases the one that gets no more time ends at the limit; each is asked once."""
    asked: list[int] = []

    def more(case: int) -> float:
        asked.append(case)
        return (0.0, 3.0)[case]

    source = """
        import time
        def f(seconds):
            end = time.process_time() + seconds
            while time.process_time() < end: pass
            return 1
    """
    first, second, third = run(
        sandbox, source, (0.8,), (0.8,), (0.0,), limits=Limits(cpu=0.4), raise_limit=more
    ).outcomes
    assert isinstance(first, TimedOut)
    assert first.limit == 0.4
    assert isinstance(second, Returned)
    assert isinstance(third, Returned)
    assert asked == [0, 1]


def test_a_program_stands_still_while_more_is_asked_for(sandbox: Sandbox) -> None:
    """However long the answer takes, neither the time of the case nor that of others counts."""
    source = """
        import time
        def f(seconds):
            end = time.process_time() + seconds
            while time.process_time() < end: pass
            return seconds
    """

    def more(case: int) -> float:
        time.sleep(4.0)
        return 3.0

    limits = Limits(cpu=0.6, wait=1.0)
    found = run(sandbox, source, (0.8,), (0.1,), (0.1,), limits=limits, raise_limit=more)
    assert all(isinstance(outcome, Returned) for outcome in found.outcomes)
    assert found.cpu < 4.0


def test_a_flood_of_output_goes_nowhere(sandbox: Sandbox) -> None:
    """What a program prints costs it time, and touches neither its answer nor our streams."""
    source = """
        import sys, os
        def f():
            for _ in range(200):
                print("x" * 10_000)
                sys.stderr.write("y" * 10_000)
                os.write(1, b"z" * 10_000)
            return input() if False else 5
    """
    outcome = only(sandbox, source, limits=Limits(cpu=5.0))
    assert isinstance(outcome, Returned)
    assert wire.decode(outcome.data) == 5


def test_an_answer_has_a_largest_size(sandbox: Sandbox) -> None:
    """An answer over the limit is unrepresentable, not read; the other cases are judged."""
    limits = Limits(output=1 << 20)
    found = run(sandbox, "def f(n): return 'x' * n", (10,), (5 << 20,), (10,), limits=limits)
    first, second, third = found.outcomes
    assert isinstance(first, Returned)
    assert isinstance(second, Unrepresentable)
    assert "the limit is 1048576" in second.type
    assert isinstance(third, Returned)
