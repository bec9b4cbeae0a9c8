"""Formats of rows are found: those of this project, and those of packages installed beside it."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from evalplus_lite.errors import InputError
from evalplus_lite.tasks import load_dataset, names
from evalplus_lite.tasks.published.format import own_formats

ZOO = """
from pathlib import Path
from evalplus_lite.tasks.published.format import Format
from evalplus_lite.types import Case, Task

def read(fields, background):
    if fields.text("animal") == "unicorn":
        raise fields.refuse("there are none")
    return Task(
        id=fields.id("animal"), prompt="", entry_point="legs", reference=fields.text("program"),
        base=(Case((1,)),),
    )

FORMAT = Format(
    "zoo", {"animal", "program"}, read,
    sources={"zoo": lambda: Path(__file__).with_name("zoo.jsonl"), "humaneval": lambda: 1 / 0},
)
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an installed distribution that has a data set, and one that does not load."""
    rows = [
        {"animal": "ant", "program": "def legs(n):\n    return 6 * n\n"},
        {"animal": "unicorn", "program": ""},
    ]
    folder = tmp_path / "site"
    (folder / "zoo-1.0.dist-info").mkdir(parents=True)
    (folder / "zoo-1.0.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: zoo\nVersion: 1.0\n"
    )
    (folder / "zoo-1.0.dist-info" / "entry_points.txt").write_text(
        "[evalplus_lite.datasets]\nzoo = zoo_of_tests:FORMAT\nlost = no_such_module:FORMAT\n"
    )
    (folder / "zoo_of_tests.py").write_text(ZOO)
    (folder / "zoo.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.syspath_prepend(folder)
    return folder


def test_a_package_installed_beside_brings_its_data_set(installed: Path) -> None:
    """It has a name, its files are known by their keys, and a bad row stops no other."""
    assert "zoo" in names()
    for name in ("zoo", installed / "zoo.jsonl"):
        data = load_dataset(name)
        assert (data.name, data.ids) == ("zoo", ("ant",))
        (bad,) = data.unusable
        assert (bad.task_id, bad.detail) == ("line 2", "there are none")


def test_what_does_not_load_is_named_where_it_may_be_missed(installed: Path) -> None:
    """A broken package stops no other data set, nor takes a name of ours."""
    assert len(load_dataset("humaneval")) == 164
    with pytest.raises(InputError, match=r"no dataset named 'lots'.*'lost' of zoo does not load"):
        load_dataset("lots")


def test_no_two_formats_are_told_by_the_same_keys() -> None:
    """Which format a row is of never hangs on the order in which modules are found."""
    for one, other in itertools.combinations(own_formats(), 2):
        assert set(one.keys) != set(other.keys), (one.name, other.name)


def test_an_array_is_read_as_rows_are(tmp_path: Path) -> None:
    """A JSON file that is one array gives the tasks of its objects."""
    row = {"prompt": "", "entry_point": "f", "reference": "def f():\n    return 1\n"}
    path = tmp_path / "array.json"
    path.write_text(json.dumps([{"id": "a", **row}, 3, {"id": "b", **row}], indent=1))
    data = load_dataset(path)
    assert data.ids == ("a", "b")
    assert [each.task_id for each in data.unusable] == ["line 2"]
