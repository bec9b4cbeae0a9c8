"""Supervisor processes: results in order, faults where they belong, nothing left behind."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError, Future
from typing import Any

import pytest
from support.commands import alive, descendants

from evalplus_lite.errors import InfrastructureError, InputError
from evalplus_lite.execution.base import Call
from evalplus_lite.execution.job import Lost
from evalplus_lite.execution.processes import LOOKAHEAD, MOST_HELD, Processes

DOUBLE = Call("support.work:doubling")
TELL = Call("support.work:telling")


def doubling(**odd: str) -> Call:
    """Return the call that treats some numbers otherwise, given as ``_3="die"``."""
    return Call("support.work:doubling", {int(name[1:]): what for name, what in odd.items()})


@pytest.fixture(scope="module")
def backend() -> Iterator[Processes]:
    """Two supervisors for this module's tests."""
    with Processes(2) as found:
        yield found


def submitted(backend: Processes, call: Call, item: Any) -> Future[Any]:
    return backend.submit(call, item, then=lambda row: row)


def test_results_come_in_the_items_order(backend: Processes) -> None:
    """Whoever is done first, results stand where their items stood."""
    assert list(backend.map(doubling(_0="sleep"), range(30))) == [2 * x for x in range(30)]


def test_work_is_counted_when_it_is_done(backend: Processes) -> None:
    """A row that waits for its turn is reported at once, and each row once."""
    seen: list[Any] = []
    rows = list(backend.map(doubling(_0="sleep"), range(30), done=seen.append))
    assert sorted(seen) == rows
    assert seen[0] != rows[0]


def test_supervisors_are_other_processes(backend: Processes) -> None:
    """Work is done in as many processes as there are workers, none of them this one."""
    found = {pid for pid, _ in backend.map(TELL, range(200))}
    assert found == set(backend.pids)
    assert len(found) == 2
    assert os.getpid() not in found


def test_a_staged_row_is_read_there(backend: Processes) -> None:
    """What was staged is read by any supervisor, exactly; equal rows are staged once."""
    rows = [{"a": [1, -0.0]}, "\ud800", b"\xff" * 100_000]
    refs = [backend.stage(row) for row in rows]
    assert [backend.stage(row) for row in rows] == refs
    assert [repr(row) for _, row in backend.map(TELL, refs)] == list(map(repr, rows))


def test_items_are_taken_as_needed(backend: Processes) -> None:
    """No more items are taken than a few a worker ahead of the oldest result."""
    taken = []

    def items() -> Iterator[int]:
        for number in range(1000):
            taken.append(number)
            yield number

    results = backend.map(DOUBLE, items())
    for _ in range(3):
        next(results)
    assert len(taken) <= 3 + LOOKAHEAD * backend.workers
    results.close()  # type: ignore[attr-defined]


def test_heavy_items_are_taken_one_after_the_other(backend: Processes) -> None:
    """Items and rows that weigh much do not wait by the hundred, and lose nothing by that."""
    taken = []

    def items() -> Iterator[bytes]:
        for number in range(20):
            taken.append(number)
            yield bytes([number]) * (MOST_HELD // 4)

    results = backend.map(TELL, items())
    assert next(results)[1][:1] == b"\0"
    assert len(taken) <= 6
    assert [row[1][0] for row in results] == list(range(1, 20))


def test_work_has_the_packages_of_its_call(backend: Processes) -> None:
    """Calls that differ in nothing else are two."""
    for packages in ((), ("pytest",), ()):
        call = Call("support.work:listing", packages=packages)
        assert list(backend.map(call, [0])) == [("numpy", *packages)]


def test_an_exception_is_raised_in_its_place(backend: Processes) -> None:
    """The results before a fault come, then the fault with its trace; the backend goes on."""
    results = backend.map(doubling(_3="raise"), range(10))
    assert [next(results) for _ in range(3)] == [0, 2, 4]
    with pytest.raises(RuntimeError, match="it is 3") as caught:
        next(results)
    assert "in double" in caught.value.__notes__[0]
    assert list(backend.map(DOUBLE, [5])) == [10]


def test_a_killed_supervisor_is_replaced(backend: Processes) -> None:
    """What a supervisor had been sent when it was killed is done by another, none of it twice."""
    results = backend.map(doubling(**{f"_{n}": "sleep" for n in range(0, 30, 10)}), range(60))
    found = [next(results)]
    for pid in list(backend.pids):
        os.kill(pid, signal.SIGKILL)
    assert [*found, *results] == [2 * x for x in range(60)]


def test_a_killed_launcher_is_replaced(backend: Processes) -> None:
    """Supervisors die with their launcher; both are started anew."""
    assert list(backend.map(DOUBLE, range(2))) == [0, 2]  # whatever ran before: there is one now
    assert backend._crew is not None
    assert backend._crew.launcher is not None
    results = backend.map(doubling(_0="sleep"), range(40))
    backend._crew.launcher.process.kill()
    assert list(results) == [2 * x for x in range(40)]


def test_an_item_that_ends_its_supervisor_each_time(backend: Processes) -> None:
    """It is given up after three, as a fault of the machine and never a result; no other is, also
    of those that had been sent ahead."""
    call = doubling(_3="die")
    assert list(backend.map(call, range(50, 90))) == [2 * x for x in range(50, 90)]
    found = list(backend.map(call, range(6), lost=lambda item, error: (item, type(error))))
    assert found == [0, 2, 4, (3, Lost), 8, 10]
    with pytest.raises(InfrastructureError, match="3 processes ended"):
        list(backend.map(call, range(6)))


def test_many_threads_may_submit(backend: Processes) -> None:
    """Each thread gets the results of what it submitted."""
    found: dict[int, list[int]] = {}

    def submit(number: int) -> None:
        futures = [submitted(backend, DOUBLE, 10 * number + i) for i in range(10)]
        found[number] = [future.result(60) for future in futures]

    threads = [threading.Thread(target=submit, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {n: [20 * n + 2 * i for i in range(10)] for n in range(8)}


def test_closing_finishes_what_has_begun_and_cancels_the_rest() -> None:
    """What was sent is finished; nobody waits for ever for what never was."""
    with Processes(1) as backend:
        first = submitted(backend, doubling(_1="sleep"), 1)
        rest = [submitted(backend, DOUBLE, x) for x in range(50)]
        while not first.running():
            time.sleep(0.01)
        backend.close()
        assert first.result(0) == 2
        assert all(future.done() for future in rest)
        with pytest.raises(CancelledError):
            rest[-1].result(0)
    with pytest.raises(InputError, match="the pool is not open"):
        submitted(backend, DOUBLE, 1)


def test_an_error_ends_what_is_running() -> None:
    """Leaving by an exception does not wait for programs that run for an hour, and leaves none."""
    futures, below, others = [], set(), descendants(os.getpid())

    def begin_and_leave() -> None:
        with Processes(2) as backend:
            futures.extend(submitted(backend, doubling(_1="loop"), 1) for _ in range(2))
            while not all(future.running() for future in futures):
                time.sleep(0.01)
            below.update(descendants(os.getpid()))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        begin_and_leave()
    for future in futures:
        with pytest.raises(InfrastructureError):
            future.result(0)
    assert len(below - others) > 2
    assert alive(below - others) == []


def test_at_least_one_worker() -> None:
    """A backend of no workers is refused."""
    with pytest.raises(InputError, match="0 workers"):
        Processes(0)


def test_nothing_is_left_open() -> None:
    """Opened and closed again and again, a backend leaves no descriptor and no process."""

    def held() -> tuple[int, int]:
        return len(os.listdir("/proc/self/fd")), len(descendants(os.getpid()))

    with Processes(1) as backend:
        list(backend.map(DOUBLE, [1]))
    before = held()
    for _ in range(3):
        with Processes(1) as backend:
            list(backend.map(DOUBLE, [1]))
    assert held() == before
