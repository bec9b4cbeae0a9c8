"""The Verifier: one program or many, from threads and from an event loop."""

from __future__ import annotations

import asyncio
import gc
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from support.commands import alive, descendants
from support.tasks import DOUBLE, make_task

from evalplus_lite import Dataset, InputError, Task, Verdict, Verifier
from evalplus_lite.errors import EvalPlusLiteError, EvidenceWarning, InfrastructureError
from evalplus_lite.execution.processes import LOOKAHEAD
from evalplus_lite.sandbox.limits import memory_bytes
from evalplus_lite.serving.adapters.pytest_fixture import evalplus_verifier  # noqa: F401

RIGHT, WRONG = "def f(x): return x + x", "def f(x): return x"
TASKS = (
    make_task([(1,)], [(2,)], id="Tiny/0"),
    make_task([(1,)], reference="def f(x): return -x", id="Tiny/1"),
    make_task([(4,)], contract="def check(i, o, e): return o in (8, -8)", id="Tiny/2"),
)


@pytest.fixture(scope="module")
def verifier(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Verifier]:
    """A Verifier of three tiny tasks with two workers."""
    cache = tmp_path_factory.mktemp("cache")
    with Verifier(Dataset("tiny", TASKS), workers=2, cache=cache) as found:
        yield found


def word(found: Verdict | EvalPlusLiteError) -> str:
    """Return what is said of a program on all cases."""
    assert isinstance(found, Verdict), found
    return str(found.plus)


def test_verdicts(verifier: Verifier) -> None:
    """Each by its own task, where its program stood, with the case that decided."""
    assert verifier.verify("Tiny/0", RIGHT).plus == "pass"
    assert verifier.verify("Tiny/0", WRONG).plus == "fail"
    assert verifier.verify("Tiny/1", RIGHT).base == "fail"
    assert verifier.verify("Tiny/2", "def f(x): return -2 * x").plus == "pass"
    assert verifier.verify("Tiny/0", "def f(x:").plus == "error"
    assert verifier.verify("Tiny/0", "").plus == "error"
    items = [("Tiny/0", RIGHT if number % 3 else WRONG) for number in range(30)]
    words = [word(verdict) for verdict in verifier.verify_many(items)]
    assert words == ["pass" if number % 3 else "fail" for number in range(30)]
    assert list(verifier.verify_many([])) == []
    found = verifier.explain("Tiny/0", verifier.verify("Tiny/0", WRONG))
    assert (found["input"], found["expected"], found["actual"]) == ([1], 2, 1)
    assert found["detail"] == "got 1, expected 2"
    assert verifier.explain("Tiny/0", verifier.verify("Tiny/0", RIGHT)) is None


def test_threads_and_event_loops_share_a_verifier(verifier: Verifier) -> None:
    """Each gets its own verdicts, and an event loop is not blocked."""

    async def work() -> tuple[list[str], int]:
        ticks, done = 0, asyncio.Event()

        async def tick() -> None:
            nonlocal ticks
            while not done.is_set():
                ticks += 1
                await asyncio.sleep(0)

        ticking = asyncio.create_task(tick())
        one = await verifier.averify("Tiny/0", RIGHT)
        many = await verifier.averify_many([("Tiny/0", WRONG), ("Tiny/1", WRONG)])
        done.set()
        await ticking
        return [one.plus, *map(word, many)], ticks

    words, ticks = asyncio.run(work())
    assert words == ["pass", "fail", "fail"]
    assert ticks > 1
    found: dict[int, list[str]] = {}

    def ask(number: int) -> None:
        source = RIGHT if number % 2 else WRONG
        found[number] = [verifier.verify("Tiny/0", source).plus for _ in range(5)]

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {number: ["pass" if number % 2 else "fail"] * 5 for number in range(8)}


@pytest.mark.parametrize(
    ("task", "program", "problem"),
    [
        ("Tiny/9", RIGHT, "no task 'Tiny/9' in tiny .the first is 'Tiny/0'"),
        ("Tiny/0", None, "the program for Tiny/0 is a NoneType, not a str"),
        ("Tiny/0", b"def f(x): return x", "the program for Tiny/0 is a bytes, not a str"),
    ],
)
def test_mistakes_are_told(verifier: Verifier, task: str, program: Any, problem: str) -> None:
    """An unknown task, or a program that is no text, is the caller's mistake, in words."""
    with pytest.raises(InputError, match=problem):
        verifier.verify(task, program)


def test_it_opens_when_it_is_used(tmp_path: Path) -> None:
    """No process runs before the first program; a closed Verifier refuses until it is entered."""
    verifier, before = Verifier(TASKS, workers=1, cache=tmp_path), descendants(os.getpid())
    with verifier:
        assert descendants(os.getpid()) <= before
    with pytest.raises(InputError, match="closed"):
        verifier.verify("Tiny/0", RIGHT)
    with pytest.raises(InputError, match="closed"):
        next(verifier.verify_many([("Tiny/9", RIGHT)]))
    with verifier:
        assert verifier.verify("Tiny/0", RIGHT).plus == "pass"
    garbage = Verifier(TASKS, workers=1, cache=tmp_path)
    assert asyncio.run(garbage.averify("Tiny/0", RIGHT)).plus == "pass"
    pids = descendants(os.getpid()) - before
    assert pids
    del garbage
    gc.collect()
    while alive(pids):
        time.sleep(0.05)


def judged_plus(verifier: Verifier) -> str | None:
    return verifier.verify("Tiny/2", RIGHT).plus


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_descriptors_stay_level(tmp_path: Path) -> None:
    """However a Verifier is used and ended, descriptors and threads are as many as before."""
    counts = []
    for _ in range(4):
        with Verifier(TASKS, workers=2, cache=tmp_path, store=tmp_path / "store") as verifier:
            verdict = verifier.verify("Tiny/0", WRONG)
            verifier.explain("Tiny/0", verdict)
            list(verifier.verify_many(MIXED))
            next(verifier.verify_many([("Tiny/1", WRONG)] * 50))
            asyncio.run(verifier.averify_many(MIXED))
            assert in_a_fork(partial(judged_plus, verifier)) == "pass"
            verifier.submit("Tiny/0", RIGHT)
        counts.append((len(os.listdir("/proc/self/fd")), threading.active_count()))
    assert counts[1:] == counts[:-1]


ROW = {"id": "Own/1", "prompt": "Double.", "entry_point": "f", "reference": DOUBLE}


def test_what_a_dataset_may_be(tmp_path: Path) -> None:
    """Tasks and rows are as good as a file; what is neither is refused, and so are odd options."""
    rows = [{**ROW, "inputs": [[1], ["a"]]}, {**ROW, "id": "Own/2"}]
    with pytest.warns(EvidenceWarning, match=r"Own/2|no plus"):
        of_rows = Verifier(rows, workers=1, cache=tmp_path)
    with of_rows, Verifier(TASKS, workers=1, cache=tmp_path) as of_tasks:
        assert isinstance(of_rows.tasks["Own/1"], Task)
        right, wrong = of_rows.verify("Own/1", RIGHT), of_rows.verify("Own/1", WRONG)
        assert (right.base, right.plus, right.passed) == ("pass", None, True)
        assert (wrong.base, wrong.plus, wrong.passed) == ("fail", None, False)
        assert list(of_tasks.tasks) == ["Tiny/0", "Tiny/1", "Tiny/2"]
    unusable: list[Any] = [None, 5, [], [None], [TASKS[0]] * 2, [TASKS[0], {}], ROW, b"x", TASKS[0]]
    for value in unusable:
        with pytest.raises(InputError):
            Verifier(value)


def test_options(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    """Chat answers are taken apart on request, else one warning says what to do."""
    chat = "Sure!\n```python\ndef f(x):\n    return 2 * x\n```\nHope it helps."
    options: dict[str, Any] = {"workers": 1, "cache": tmp_path}
    with Verifier(Dataset("tiny", TASKS), chat=True, details=True, **options) as verifier:
        verdict = verifier.verify("Tiny/0", chat)
        assert verdict.details == ("pass", "pass")
    fenced = f"```python\n{RIGHT}\n```"
    loads = f"{RIGHT}\ntext = '```'"
    with Verifier(Dataset("tiny", TASKS), workers=1) as verifier:
        assert verifier.verify("Tiny/0", loads).passed
        assert not any("chat=True" in str(each.message) for each in recwarn)
        for _ in range(2):
            assert not verifier.verify("Tiny/0", fenced).passed
    assert sum("chat=True" in str(each.message) for each in recwarn) == 1


def test_many_are_taken_as_needed(
    verifier: Verifier,
    evalplus_verifier: Callable[..., Verifier],  # noqa: F811
) -> None:
    """Of an endless stream few are taken ahead; a test's fixture closes its Verifiers."""
    taken = 0

    def items() -> Iterator[tuple[str, str]]:
        nonlocal taken
        while True:
            taken += 1
            yield ("Tiny/0", RIGHT)

    verdicts = verifier.verify_many(items())
    assert [word(next(verdicts)) for _ in range(5)] == ["pass"] * 5
    assert taken <= 5 + LOOKAHEAD * 2
    verdicts.close()  # type: ignore[attr-defined]
    assert verifier.verify("Tiny/0", WRONG).plus == "fail"
    assert evalplus_verifier(TASKS, workers=1).verify("Tiny/0", RIGHT).passed


MIXED: list[Any] = [("Tiny/0", RIGHT), ("Tiny/9", RIGHT), ("Tiny/0", None), ("Tiny/0", WRONG)]


def test_what_is_no_verdict_stands_in_its_place(verifier: Verifier) -> None:
    """One item's error costs no other its verdict; on request it is raised, in its turn."""
    for found in (
        list(verifier.verify_many(MIXED)),
        asyncio.run(verifier.averify_many(MIXED)),
    ):
        assert [isinstance(item, InputError) for item in found] == [False, True, True, False]
        assert (word(found[0]), word(found[3])) == ("pass", "fail")
    verdicts = verifier.verify_many(MIXED, on_failure="raise")
    assert word(next(verdicts)) == "pass"
    with pytest.raises(InputError, match="Tiny/9"):
        next(verdicts)
    with pytest.raises(InputError, match="Tiny/9"):
        asyncio.run(verifier.averify_many(MIXED, on_failure="raise"))
    with pytest.raises(InputError, match="on_failure is 'ignore'"):
        verifier.verify_many([], on_failure="ignore")  # type: ignore[arg-type]
    items: list[Any] = ["ab", ("Tiny/0", RIGHT), (["Tiny/0"], RIGHT), ("Tiny/0",), None]
    found = list(verifier.verify_many(items))
    for wrong in (None, 5, "ab"):
        with pytest.raises(InputError, match="pairs"):
            verifier.verify_many(wrong)  # type: ignore[call-overload]
    with pytest.raises(InputError, match="Verdict"):
        verifier.explain("Tiny/0", None)  # type: ignore[arg-type]
    assert [isinstance(each, Verdict) for each in found] == [False, True, False, False, False]


def test_a_machine_that_fails_costs_no_other_verdict(tmp_path: Path) -> None:
    """Supervisors killed again and again under one program give its error, and the others'
    verdicts."""
    done = threading.Event()
    loop = "def f(x):\n    while True: pass\n"
    options: dict[str, Any] = {"workers": 1, "cache": tmp_path, "limits": "evalplus"}
    with Verifier(Dataset("tiny", TASKS), **options) as verifier:
        verifier.verify("Tiny/0", RIGHT)

        def kill() -> None:
            while not done.wait(0.2):
                for pid in verifier._judge.backend.pids:
                    os.kill(pid, signal.SIGKILL)

        verdicts = verifier.verify_many([("Tiny/0", loop), ("Tiny/0", RIGHT), ("Tiny/0", WRONG)])
        killer = threading.Thread(target=kill)
        killer.start()
        try:
            first = next(verdicts)
        finally:
            done.set()
            killer.join()
        assert isinstance(first, InfrastructureError)
        assert list(map(word, verdicts))[-1] == "fail"


def in_a_fork(work: Any) -> Any:
    """Return what a function returns in a forked child."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    child = context.Process(target=lambda: theirs.send(work()))
    child.start()
    try:
        assert ours.poll(120), "the child hangs"
        return ours.recv()
    finally:
        child.kill()
        child.join()


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")  # which is the point
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_forked_child_has_sandboxes_of_its_own(tmp_path: Path) -> None:
    """In every way, also amid verdicts; closing it there leaves the parent's alone."""
    with Verifier(Dataset("tiny", TASKS), workers=2, cache=tmp_path) as verifier:
        assert verifier.verify("Tiny/0", RIGHT).plus == "pass"

        def work() -> list[str]:
            words = [verifier.verify("Tiny/1", "def f(x): return -x").plus]
            words += map(word, verifier.verify_many([("Tiny/0", WRONG)] * 3))
            words += map(word, asyncio.run(verifier.averify_many([("Tiny/2", WRONG)])))
            verifier.close()
            return words

        workers = verifier._judge.backend.pids
        assert in_a_fork(work) == ["pass", *["fail"] * 4]
        assert in_a_fork(lambda: (verifier.close(), "closed")[1]) == "closed"
        assert verifier.verify("Tiny/0", RIGHT).plus == "pass"
        assert verifier._judge.backend.pids == workers
    with Verifier(Dataset("tiny", TASKS), workers=2, cache=tmp_path) as verifier:
        verdicts = verifier.verify_many([("Tiny/0", RIGHT), ("Tiny/1", RIGHT)] * 60)
        assert word(next(verdicts)) == "pass"
        assert in_a_fork(lambda: verifier.verify("Tiny/2", RIGHT).plus) == "pass"
        assert len(list(map(word, verdicts))) == 119


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"memory": -5}, "memory is -5"),
        ({"total": float("nan")}, "total is nan"),
        ({"cache": 5}, "cache is 5"),
        ({"store": 5}, "store is 5"),
        ({"backend": None}, "backend None"),
        ({"packages": None}, "packages is None"),
        (
            {"memory": 512},
            "memory is 512 .give bytes .at least 16 MiB., or a string such as '1GiB'",
        ),
        ({"memory": "much"}, "memory is 'much'"),
        ({"memory": "1 parsec"}, "memory is '1 parsec'"),
        ({"memory": True}, "memory is True"),
        ({"memory": None}, "memory is None"),
        ({"packages": ["nopkg"]}, "no package 'nopkg' is installed"),
        ({"packages": "json"}, "packages is 'json' .give a list"),
        ({"packages": [5]}, "no package 5 is installed"),
        ({"limits": "quick"}, "no limits preset named 'quick'"),
        ({"limits": ["quick"]}, "no limits preset named"),
        ({"workers": "2"}, "workers is '2'"),
        ({"workers": 1.5}, "workers is 1.5"),
        ({"workers": True}, "workers is True"),
        ({"workers": 0}, "0 workers .at least 1 is needed"),
        ({"workers": 10_000}, "10000 workers on .* processors .at most"),
        ({"sandbox": "castle"}, "no sandbox tier named 'castle'"),
        ({"sandbox": None}, "no sandbox tier named None"),
    ],
)
def test_options_that_cannot_be_used(options: dict[str, Any], problem: str) -> None:
    """A wrong option is refused when the Verifier is made, with its value and what to give."""
    with pytest.raises(InputError, match=problem):
        Verifier(Dataset("tiny", TASKS), **options)


@pytest.mark.parametrize("memory", [1 << 28, "256MiB", "256 mib", "268435456", "0268435456B"])
def test_memory_in_several_spellings(memory: Any) -> None:
    """Memory is a number of bytes, or a text with a unit."""
    Verifier(Dataset("tiny", TASKS), memory=memory)
    assert memory_bytes(memory) == 1 << 28
