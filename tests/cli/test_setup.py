"""What every command does first."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evalplus_lite import Session
from evalplus_lite.errors import InputError
from evalplus_lite.tasks import Dataset
from evalplus_lite.tasks.samples import read_responses


@pytest.mark.parametrize("name", ["no_such_package", "", "no.such", "."])
def test_packages_asked_for_must_be_there(name: str) -> None:
    """A package that is not installed is named, not passed over."""
    with pytest.raises(InputError, match=r"no package '.*' is installed"):
        Session(packages=[name])


@pytest.mark.parametrize("key", ["index", "task_id"])
def test_numbers_beyond_all_showing(tmp_path: Path, key: str) -> None:
    """A number of thousands of digits, where none can be, is told in a few words."""
    path = tmp_path / "samples.jsonl"
    row = {"task_id": "T/0", "solution": "", key: 0}
    path.write_text(json.dumps(row).replace(f'"{key}": 0', f'"{key}": {"9" * 6000}') + "\n")
    with pytest.raises(InputError, match=f"{key}.* a huge number|{key}.*'a huge number'"):
        list(read_responses(path, Dataset("none", (), of=("T/0",))))
