"""Some of a dataset's tasks can be chosen, and a choice that finds nothing says so."""

from __future__ import annotations

import pytest

from evalplus_lite.errors import InputError
from evalplus_lite.tasks import Dataset
from evalplus_lite.types import Suite, Task

IDS = (*(f"HumanEval/{n}" for n in range(25)), "own-1", "own-2", "a,b", "x*", "1-3")


@pytest.fixture
def dataset() -> Dataset:
    tasks = tuple(Task(id, "", "f", "") for id in IDS)
    return Dataset("some", tasks, {id: Suite(id, (), (), 0) for id in IDS})


@pytest.mark.parametrize(
    ("patterns", "chosen"),
    [
        (["HumanEval/3"], ["HumanEval/3"]),
        (["HumanEval/12,HumanEval/3"], ["HumanEval/3", "HumanEval/12"]),
        (["HumanEval/3", "HumanEval/3"], ["HumanEval/3"]),
        (["HumanEval/3,HumanEval/10-12"], [f"HumanEval/{n}" for n in (3, 10, 11, 12)]),
        (["HumanEval/2*"], [f"HumanEval/{n}" for n in (2, 20, 21, 22, 23, 24)]),
        (["HumanEval/?"], [f"HumanEval/{n}" for n in range(10)]),
        (["3, 10-11"], ["HumanEval/3", "HumanEval/10", "HumanEval/11", "1-3"]),
        (["own-1-2"], ["own-1", "own-2"]),
        (["a,b"], ["a,b"]),
        (["x*"], ["x*"]),
        (["1-3"], ["1-3"]),
        (["HumanEval/23-99"], ["HumanEval/23", "HumanEval/24"]),
        (None, list(IDS)),
    ],
)
def test_choices(dataset: Dataset, patterns: list[str] | None, chosen: list[str]) -> None:
    """Ids, globs, ranges and numbers choose tasks, each once and in the dataset's order."""
    some = dataset.only(patterns)
    assert list(some.ids) == chosen
    assert sorted(some.suites) == sorted(chosen)
    assert some.all_ids == IDS
    assert some.only(chosen[:1]).all_ids == IDS


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("HumanEval/30", r"'HumanEval/30' chooses no task of some \(did you mean HumanEval/"),
        ("HumanEval/3,HumanEval/30-40", "'HumanEval/30-40' chooses no task"),
        ("HumanEval/5-3", "chooses no task"),
        ("humaneval/3", "did you mean HumanEval/3"),
        ("zzz", "its tasks are HumanEval/0 to 1-3"),
        ("", "chooses no task"),
        (",", "chooses no task"),
    ],
)
def test_a_choice_of_nothing_is_refused(dataset: Dataset, pattern: str, message: str) -> None:
    """A pattern, or a part of one, that chooses nothing is an error that names a near one."""
    with pytest.raises(InputError, match=message):
        dataset.only([pattern])


def test_it_is_a_collection_of_its_tasks(dataset: Dataset) -> None:
    """A dataset has a length, yields its tasks in order, and gives each by its id."""
    assert len(dataset) == len(IDS)
    assert [task.id for task in dataset] == list(IDS)
    assert dataset["own-2"] is dataset.tasks[IDS.index("own-2")]
    assert "own-2" in dataset
    assert dataset.tasks[0] in dataset
    assert "own-3" not in dataset
    with pytest.raises(KeyError, match="own-3"):
        dataset["own-3"]
