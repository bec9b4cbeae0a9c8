"""Exams are made once a task and forgotten in turn, whichever of many threads asks."""

from __future__ import annotations

import sys
import threading
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from support.tasks import make_suite, make_task

from evalplus_lite.pipelines.evaluation import Settings, _Exams
from evalplus_lite.pipelines.expected import SuiteSource
from evalplus_lite.sandbox import Sandbox, preset

TASKS = [make_task([(1,)], id=f"Tiny/{number}") for number in range(_Exams.KEPT + 88)]
THREADS = 8


@pytest.fixture
def hasty() -> Iterator[None]:
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def ask(exams: _Exams, sandbox: Sandbox, rounds: int) -> list[BaseException]:
    """Have many threads ask for every exam; return what went wrong."""
    wrong: list[BaseException] = []

    def work(offset: int) -> None:
        try:
            for number in range(rounds * len(TASKS)):
                task = TASKS[(number + offset * 75) % len(TASKS)]
                assert exams.of(sandbox, task).task is task
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return wrong


@pytest.mark.usefixtures("hasty")
def test_more_tasks_than_are_kept() -> None:
    """Eight threads on more tasks than exams are kept: none is disturbed, and few are kept."""
    suites = {task.id: make_suite(task, [2]) for task in TASKS}
    exams = _Exams(SuiteSource(given=suites, cache=None), Settings(preset("default")))
    with Sandbox() as sandbox:
        assert ask(exams, sandbox, 6) == []
    assert len(exams.made) == _Exams.KEPT


class Counting(SuiteSource):
    """Notes whose answers were asked for."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.asked: Counter[str] = Counter()

    def answers(self, sandbox: Sandbox, task: Any) -> Any:
        self.asked[task.id] += 1
        return super().answers(sandbox, task)


@pytest.mark.usefixtures("hasty")
def test_an_exam_is_made_once() -> None:
    """Threads that need the same exam at once share one: its reference is not run again."""
    tasks = TASKS[:20]
    source = Counting(given={task.id: make_suite(task, [2]) for task in tasks}, cache=None)
    exams = _Exams(source, Settings(preset("default")))
    start = threading.Barrier(THREADS)

    def work(sandbox: Sandbox) -> None:
        start.wait()
        for task in tasks:
            exams.of(sandbox, task)

    with Sandbox() as sandbox:
        threads = [threading.Thread(target=work, args=(sandbox,)) for _ in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert source.asked == {task.id: 1 for task in tasks}
