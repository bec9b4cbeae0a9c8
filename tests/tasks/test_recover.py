"""Base inputs that only a test program shows are recovered by running it in the sandbox."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from evalplus_lite.errors import ReferenceSolutionError, UnusableTask
from evalplus_lite.execution.processes import Processes
from evalplus_lite.sandbox import Sandbox
from evalplus_lite.tasks import Dataset, load_dataset
from evalplus_lite.tasks.published.base_cases import has_hidden_cases, recover, with_base_cases
from evalplus_lite.types import Task


def task(test: str, reference: str = "def f(a, b=0):\n    a.append(b)\n    return a\n") -> Task:
    return Task("t", "", "f", reference, extra={"test": test})


def arguments(sandbox: Sandbox, test: str) -> list[tuple[object, ...]]:
    return [case.arguments for case in recover(sandbox, task(test)).base]


def test_calls_are_noted_as_they_were_made(sandbox: Sandbox) -> None:
    """Loops and changed arguments do not matter; random draws repeat."""
    test = (
        "def check(candidate):\n"
        "    for i in range(3):\n"
        "        assert candidate([i], b=(i,)) == [i, (i,)]\n"
        "    assert candidate([]) == [0]\n"
    )
    assert arguments(sandbox, test) == [([i], (i,)) for i in range(3)] + [([],)]
    test = (
        "def check(candidate):\n"
        "    import random\n"
        "    for _ in range(5):\n"
        "        candidate([random.random()])\n"
    )
    first = arguments(sandbox, test)
    assert first == arguments(sandbox, test)
    assert len({str(call) for call in first}) == 5


def test_base_cases_are_kept_and_a_damaged_file_is_replaced(
    tmp_path: Path, sandbox: Sandbox
) -> None:
    """Sets and problems come from the cache as they were; what a check said comes back."""
    tasks = (
        task("def check(candidate):\n    candidate([{1, 2}, (None, 0.5)])"),
        replace(task("def check(candidate):\n    candidate([])\n    assert False"), id="u"),
    )
    data = Dataset("d", tasks)
    with Processes(1) as pool:
        first = with_base_cases(data, pool, tmp_path)
        (file,) = tmp_path.rglob("*.calls")
        content = file.read_bytes()
        file.write_bytes(content[:-3])
        assert with_base_cases(data, pool, tmp_path) == first
        assert file.read_bytes() == content
    assert with_base_cases(data, pool, tmp_path) == first  # whose processes have ended
    assert first["t"].base[0].arguments == ([{1, 2}, (None, 0.5)],)
    assert [bad.task_id for bad in first.unusable] == ["u"]
    failing = task(
        "def check(candidate):\n    assert candidate([]) == 'x', 'no x'\n    candidate([1])"
    )
    with pytest.raises(UnusableTask, match="AssertionError: no x"):
        recover(sandbox, failing)
    with Processes(1) as pool:
        data = with_base_cases(Dataset("d", (failing, replace(failing, id="u", extra={}))), pool)
    assert data.ids == ("u",)
    assert [(bad.task_id, bad.cause) for bad in data.unusable] == [("t", "test")]
    assert "AssertionError: no x" in data.unusable[0].detail


@pytest.mark.parametrize(
    ("test", "message"),
    [
        ("def check(candidate):\n    pass", "its test calls nothing: it passes"),
        ("def check(candidate):\n    candidate(open)", "its test does not run to an end"),
        ("def check(candidate)", "its test does not run to an end"),
        ("def check(candidate):\n    import os; os._exit(0)", "its test does not run to an end"),
        (
            "def check(candidate):\n    raise ValueError('no')",
            "its test calls nothing: ValueError: no",
        ),
    ],
)
def test_a_test_that_shows_no_inputs_is_an_error(sandbox: Sandbox, test: str, message: str) -> None:
    """Where nothing can be recovered the task is named with the reason."""
    with pytest.raises(ReferenceSolutionError, match=rf"task t: {message}"):
        recover(sandbox, task(test))


DRAWN = {"HumanEval/38", "HumanEval/50", "HumanEval/53"}
"""Their checks draw without a seed: HumanEval+ holds other draws of the same kind."""
REPEATED = {f"HumanEval/{n}" for n in (33, 77, 78, 95, 97, 117, 148)}
"""HumanEval+ lists the calls in assertion messages, and of the reference itself, once more."""
DROPPED = {"HumanEval/75": 6, "HumanEval/129": 1}
"""HumanEval+ left out base inputs that its own contract rejects."""


def test_humaneval_inputs_are_those_of_humaneval_plus(humaneval: Dataset, shared: Path) -> None:
    """All 164 references pass their checks, and the inputs are HumanEval+'s base inputs.

    They are the same in the same order, but for the twelve tasks that are explained above.
    """
    plus = {
        task.id: [case.arguments for case in task.base]
        for task in load_dataset(shared / "datasets" / "HumanEvalPlus.jsonl.gz").tasks
    }
    assert all(map(has_hidden_cases, load_dataset("humaneval").tasks))
    assert not any(map(has_hidden_cases, humaneval.tasks))
    assert len(humaneval) == 164
    for task in humaneval.tasks:
        ours, theirs = [case.arguments for case in task.base], plus[task.id]
        if task.id in DRAWN:
            assert len(ours) == len(theirs)
            assert [list(map(type, call)) for call in ours] == [list(map(type, c)) for c in theirs]
        elif task.id in REPEATED:
            extra = [call for call in theirs if call not in ours]
            assert [call for call in ours if call not in theirs] == []
            assert extra == ([(1728,)] if task.id == "HumanEval/77" else [])
        elif task.id in DROPPED:
            assert [call for call in ours if call in theirs] == theirs
            assert len(ours) == len(theirs) + DROPPED[task.id]
        else:
            assert repr(ours) == repr(theirs), task.id
