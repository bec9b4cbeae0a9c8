"""The local pool: results in order, faults where they belong, nothing left behind."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError
from pathlib import Path

import pytest
from support.tasks import DOUBLE

from evalplus_lite.errors import InfrastructureError, InputError
from evalplus_lite.execution.threads import LOOKAHEAD, MOST_AHEAD, LocalPool
from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox
from evalplus_lite.types import Returned
from evalplus_lite.values import wire


def double(sandbox: Sandbox, x: int) -> int:
    """Have a program double a number."""
    (outcome,) = sandbox.run(Program(DOUBLE, "f"), Inputs.of([(x,)])).outcomes
    assert isinstance(outcome, Returned), outcome
    return int(wire.decode(outcome.data))


def loop(sandbox: Sandbox, _: object) -> object:
    """Run a program that takes an hour of CPU time."""
    source = "def f(x):\n    while True: pass\n"
    return sandbox.run(Program(source, "f"), Inputs.of([(1,)]), Limits(cpu=3600.0))


@pytest.fixture(scope="module")
def pool() -> Iterator[LocalPool]:
    """A pool of two workers for this module's tests."""
    with LocalPool(2) as found:
        yield found


def test_results_come_in_the_items_order(pool: LocalPool) -> None:
    """Whoever is done first, results stand where their items stood."""
    assert list(pool.imap(double, range(30))) == [2 * x for x in range(30)]


def test_items_are_taken_as_needed(pool: LocalPool) -> None:
    """No more items are taken than a few a worker ahead of the oldest result."""
    taken = []

    def items() -> Iterator[int]:
        for number in range(1000):
            taken.append(number)
            yield number

    results = pool.imap(double, items())
    for _ in range(3):
        next(results)
    assert len(taken) <= 3 + LOOKAHEAD * pool.workers
    results.close()  # type: ignore[attr-defined]


def test_heavy_items_are_taken_one_after_the_other(pool: LocalPool) -> None:
    """Items that weigh much do not wait in memory by the hundred, and lose nothing by that."""
    taken = []

    def items() -> Iterator[int]:
        for number in range(40):
            taken.append(number)
            yield number

    results = pool.imap(double, items(), weight=lambda _: MOST_AHEAD // 4)
    assert next(results) == 0
    assert len(taken) <= 6
    assert list(results) == [2 * x for x in range(1, 40)]


def test_an_exception_is_raised_in_its_place(pool: LocalPool) -> None:
    """The results before a fault come, then the fault; the pool goes on to serve."""

    def faulty(sandbox: Sandbox, x: int) -> int:
        if x == 3:
            raise ValueError("three")
        return double(sandbox, x)

    results = pool.imap(faulty, range(10))
    assert [next(results) for _ in range(3)] == [0, 2, 4]
    with pytest.raises(ValueError, match="three"):
        next(results)
    assert list(pool.imap(double, [5])) == [10]


def test_many_threads_may_submit(pool: LocalPool) -> None:
    """Each thread gets the results of what it submitted."""
    found: dict[int, list[int]] = {}

    def submit(number: int) -> None:
        futures = [pool.submit(double, 10 * number + i) for i in range(10)]
        found[number] = [future.result() for future in futures]

    threads = [threading.Thread(target=submit, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {n: [20 * n + 2 * i for i in range(10)] for n in range(8)}


def workers_of(pool: LocalPool) -> list[int]:
    """Return the process ids of the pool's workers that have started."""
    found = [sandbox._worker for sandbox in pool._sandboxes]
    return [worker.process.pid for worker in found if worker is not None]


def test_closing_finishes_what_has_begun_and_cancels_the_rest() -> None:
    """A job that runs is finished; nobody waits for ever for one that never began."""
    begun, go_on = threading.Event(), threading.Event()

    def slow(sandbox: Sandbox, x: int) -> int:
        begun.set()
        assert go_on.wait(60)
        return double(sandbox, x)

    with LocalPool(1) as pool:
        first = pool.submit(slow, 1)
        rest = [pool.submit(double, x) for x in range(5)]
        assert begun.wait(60)
        closing = threading.Thread(target=pool.close)
        closing.start()
        for future in rest:
            with pytest.raises(CancelledError):
                future.result(60)
        go_on.set()
        closing.join()
        assert first.result() == 2
    with pytest.raises(InputError, match="the pool is not open"):
        pool.submit(double, 1)


def test_an_error_ends_what_is_running() -> None:
    """Leaving by an exception does not wait for programs that run for an hour."""
    futures, processes = [], []

    def begin_and_leave() -> None:
        with LocalPool(2) as pool:
            futures.extend(pool.submit(loop, None) for _ in range(2))
            while len(workers_of(pool)) < 2:
                time.sleep(0.01)  # until both have begun
            processes.extend(workers_of(pool))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        begin_and_leave()
    for future in futures:
        with pytest.raises(InfrastructureError):
            future.result(60)
    assert [pid for pid in processes if Path(f"/proc/{pid}").exists()] == []


def test_at_least_one_worker() -> None:
    """A pool of no workers is refused."""
    with pytest.raises(InputError, match="0 workers"):
        LocalPool(0)
