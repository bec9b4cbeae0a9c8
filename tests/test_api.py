"""The Verifier: one program or many, from threads and from an event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.tasks import DOUBLE, make_task

from evalplus_lite import InputError, Verifier
from evalplus_lite.tasks import Dataset
from evalplus_lite.types import Task

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


def test_verdicts(verifier: Verifier) -> None:
    """A right program passes, a wrong one fails, each by its own task."""
    assert verifier.verify("Tiny/0", RIGHT).plus == "pass"
    assert verifier.verify("Tiny/0", WRONG).plus == "fail"
    assert verifier.verify("Tiny/1", RIGHT).base == "fail"
    assert verifier.verify("Tiny/2", "def f(x): return -2 * x").plus == "pass"
    assert verifier.verify("Tiny/0", "def f(x:").plus == "error"
    assert verifier.verify("Tiny/0", "").plus == "error"


def test_many_keep_their_order(verifier: Verifier) -> None:
    """Verdicts stand where their programs stood."""
    items = [("Tiny/0", RIGHT if number % 3 else WRONG) for number in range(30)]
    words = [verdict.plus for verdict in verifier.verify_many(items)]
    assert words == ["pass" if number % 3 else "fail" for number in range(30)]
    assert verifier.verify_many([]) == []


def test_an_event_loop_is_not_blocked(verifier: Verifier) -> None:
    """Awaited verdicts come in order, and other coroutines run meanwhile."""

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
        return [one.plus, *(verdict.plus for verdict in many)], ticks

    words, ticks = asyncio.run(work())
    assert words == ["pass", "fail", "fail"]
    assert ticks > 1


def test_threads_share_a_verifier(verifier: Verifier) -> None:
    """Many threads may ask at once; each gets its own verdicts."""
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


def test_a_failure_is_explained(verifier: Verifier) -> None:
    """The case that decided a verdict can be had as data; a pass has none."""
    found = verifier.explain("Tiny/0", verifier.verify("Tiny/0", WRONG))
    assert found is not None
    assert (found["input"], found["expected"], found["actual"]) == ([1], 2, 1)
    assert found["detail"] == "got 1, expected 2"
    assert verifier.explain("Tiny/0", verifier.verify("Tiny/0", RIGHT)) is None


@pytest.mark.parametrize(
    ("task", "program", "problem"),
    [
        ("Tiny/9", RIGHT, "no task 'Tiny/9' in tiny .the first is 'Tiny/0'"),
        ("Tiny/0", None, "the program for Tiny/0 is a NoneType, no text"),
        ("Tiny/0", b"def f(x): return x", "the program for Tiny/0 is a bytes, no text"),
    ],
)
def test_mistakes_are_told(verifier: Verifier, task: str, program: Any, problem: str) -> None:
    """An unknown task, or a program that is no text, is the caller's mistake, in words."""
    with pytest.raises(InputError, match=problem):
        verifier.verify(task, program)


def test_it_has_to_be_open(tmp_path: Path) -> None:
    """Before it is entered and after it is left a Verifier refuses, and says how to use it."""
    verifier = Verifier(Dataset("tiny", TASKS), workers=1, cache=tmp_path)
    with pytest.raises(InputError, match="the Verifier is not open"):
        verifier.verify("Tiny/0", RIGHT)
    with verifier:
        assert verifier.verify("Tiny/0", RIGHT).plus == "pass"
    with pytest.raises(InputError, match="the Verifier is not open"):
        verifier.verify("Tiny/0", RIGHT)
    with verifier:
        assert verifier.verify("Tiny/0", RIGHT).plus == "pass"


def test_options(tmp_path: Path) -> None:
    """Chat answers are taken apart on request, details kept, limits known by name."""
    chat = "Sure!\n```python\ndef f(x):\n    return 2 * x\n```\nHope it helps."
    options: dict[str, Any] = {"workers": 1, "cache": tmp_path}
    with Verifier(Dataset("tiny", TASKS), chat=True, details=True, **options) as verifier:
        verdict = verifier.verify("Tiny/0", chat)
        assert verdict.details == ("pass", "pass")
    with pytest.raises(InputError, match="no limits preset named 'quick'"):
        Verifier(Dataset("tiny", TASKS), limits="quick", **options)


def test_a_path_will_do(tmp_path: Path) -> None:
    """A Verifier is opened on a file of one's own tasks as well."""
    path = tmp_path / "tasks.jsonl"
    path.write_text(
        '{"id": "Own/1", "prompt": "Double.", "entry_point": "f", "inputs": [[1], ["a"]], '
        f'"reference": {DOUBLE!r}}}\n'.replace("'", '"')
    )
    with Verifier(path, workers=1, cache=tmp_path) as verifier:
        assert list(verifier.tasks) == ["Own/1"]
        assert isinstance(verifier.tasks["Own/1"], Task)
        assert verifier.verify("Own/1", RIGHT).plus == "pass"
