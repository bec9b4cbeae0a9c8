"""Building suites: the same bytes however the run went."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from support.commands import run, run_process, start, write_tasks

from evalplus_lite.store import read_jsonl
from evalplus_lite.tasks import load_dataset

ARGUMENTS = ("augment", "-d", "tasks.jsonl", "-o", "out", "--inputs", "40", "--seed", "7")
FILES = ("suite.jsonl.gz", "summary.json")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with three tasks and the suite of a run that nothing disturbed."""
    folder = tmp_path_factory.mktemp("augmented")
    write_tasks(folder)
    done = run(*ARGUMENTS, folder=folder)
    assert done.returncode == 0, done.stderr
    return folder


def results(folder: Path) -> dict[str, bytes]:
    return {name: (folder / "out" / name).read_bytes() for name in FILES}


def test_suites_are_usable(undisturbed: Path) -> None:
    """Each task has its base cases, the new cases asked for, and an answer to each."""
    dataset = load_dataset(undisturbed / "out" / "suite.jsonl.gz")
    assert dataset.ids == ("Own/0", "Own/1", "Own/2")
    for suite in dataset.suites.values():
        assert suite.base_count == 3
        assert len(suite.cases) == len(suite.expected) == 43


@pytest.mark.parametrize(("workers", "seed"), [(1, "1"), (2, "2"), (1, "random")])
def test_the_same_bytes_however_it_is_run(
    undisturbed: Path, tmp_path: Path, workers: int, seed: str
) -> None:
    """Neither the number of workers nor the hash seed changes a byte of a suite."""
    write_tasks(tmp_path)
    done = run_process(
        *ARGUMENTS, "-w", workers, folder=tmp_path, variables={"PYTHONHASHSEED": seed}
    )
    assert done.returncode == 0, done.stderr
    assert results(tmp_path) == results(undisturbed)


def test_killed_between_tasks(undisturbed: Path, tmp_path: Path) -> None:
    """Killed after its first task, the run takes that over and ends with the same bytes."""
    write_tasks(tmp_path)
    journal = tmp_path / "out" / "augment.journal.jsonl"
    process = start(*ARGUMENTS, "-w", 1, folder=tmp_path)
    while process.poll() is None and not (journal.exists() and _rows(journal) >= 1):
        time.sleep(0.005)
    process.kill()
    process.wait()
    done = run(*ARGUMENTS, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "tasks were done already" in done.stderr
    assert results(tmp_path) == results(undisturbed)


def _rows(journal: Path) -> int:
    """Return the number of whole rows after the first, which names the settings."""
    return journal.read_bytes().count(b"\n") - 1


def test_another_seed_gives_other_inputs(undisturbed: Path, tmp_path: Path) -> None:
    """The seed decides the new cases, and a folder of another seed's is not gone on with."""
    write_tasks(tmp_path)
    done = run(*ARGUMENTS[:-1], "8", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert results(tmp_path)["suite.jsonl.gz"] != results(undisturbed)["suite.jsonl.gz"]
    done = run(*ARGUMENTS, folder=tmp_path)
    assert done.returncode == 2
    assert "was begun with other settings: seed 8, now 7" in done.stderr


def test_a_reference_that_fails_is_left_out(tmp_path: Path) -> None:
    """A task whose reference answers nothing is named, the others are built, and the exit code
    says that something needs attention."""
    rows = [row.data for row in read_jsonl(write_tasks(tmp_path))]
    rows[1]["reference"] = "def f(x):\n    raise ValueError('broken')\n"
    (tmp_path / "tasks.jsonl").write_text("".join(f"{_json(row)}\n" for row in rows))
    done = run(*ARGUMENTS, folder=tmp_path)
    assert done.returncode == 1
    assert "Own/1: the reference raises: ValueError: broken, on input" in done.stderr
    assert load_dataset(tmp_path / "out" / "suite.jsonl.gz").ids == ("Own/0", "Own/2")


@pytest.mark.parametrize("doubtful", [False, True])
def test_doubtful_inputs(tmp_path: Path, doubtful: bool) -> None:
    """What breaks an order that three examples share is no test unless that is asked for."""
    row = {
        "id": "Own/0",
        "prompt": "Return the middle number.",
        "entry_point": "middle",
        "reference": "def middle(items):\n    return items[len(items) // 2]\n",
        "inputs": [[[1, 2]], [[3, 5, 9]], [[2, 7, 8, 11]]],
    }
    (tmp_path / "tasks.jsonl").write_text(_json(row))
    options = ("--doubtful",) if doubtful else ()
    done = run(*ARGUMENTS, *options, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    (suite,) = load_dataset(tmp_path / "out" / "suite.jsonl.gz").suites.values()
    unsorted = [case for case in suite.cases if [*case.arguments[0]] != sorted(case.arguments[0])]
    apart = [case.reason for case in (suite.stress.cases if suite.stress else ())]
    assert bool(unsorted) is doubtful
    assert any("doubtful" in reason for reason in apart) is not doubtful
    assert ("1 tasks break what all examples share" in done.stdout) is not doubtful


def _json(row: object) -> str:
    import json

    return json.dumps(row)
