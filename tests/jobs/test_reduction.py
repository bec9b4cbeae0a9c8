"""Small suites from large ones, as the job makes them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from support.tasks import make_suite, make_task

from evalplus_lite.errors import InputError
from evalplus_lite.jobs.augmentation import augment
from evalplus_lite.jobs.reduction import reduce
from evalplus_lite.jobs.session import Session
from evalplus_lite.reduction.policy import Policy
from evalplus_lite.tasks import Dataset, load_dataset, write_suites
from evalplus_lite.types import Case, Suite
from evalplus_lite.values import wire


def test_a_suite_does_not_overwrite_what_it_is_made_of(tmp_path: Path) -> None:
    """Neither by path nor as a data set that was read from there; another folder will do."""
    task = make_task([(1,)], [(2,), (3,)])
    path = tmp_path / "suite.jsonl.gz"
    write_suites(path, [task], [make_suite(task, [2, 4, 6])])
    before = path.read_bytes()
    (tmp_path / "link").symlink_to(tmp_path)
    with Session(workers=1, cache=False) as session:
        for job in (reduce, augment):
            for data in (path, load_dataset(path)):
                with pytest.raises(InputError, match="would be lost"):
                    job(data, out=tmp_path / "link", session=session)
        assert path.read_bytes() == before
        reduce(path, out=tmp_path / "small", session=session)


def test_stress_cases_stay() -> None:
    """They are no part of what is chosen from: the small suite has those of the large one."""
    task = make_task([(1,)], [(2,), (3,)])
    strain = Suite(task.id, (Case((30,), reason="size"),), (wire.encode(60),), 0)
    suite = replace(make_suite(task, [2, 4, 6]), stress=strain)
    data = Dataset("own", (task,), {task.id: suite})
    with Session(workers=1, cache=False) as session:
        found = reduce(data, policy=Policy(budget=1), session=session)
    assert found.dataset.suites[task.id].stress == strain
    assert found.summary["chosen"] < len(suite.cases)
