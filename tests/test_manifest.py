"""The manifest of outputs: the same whatever the number of workers and the hash seed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scripts import manifest


def test_the_manifest_does_not_depend_on_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Workers and hash seeds change no byte of a suite made of the example tasks."""
    monkeypatch.setattr(
        manifest, "COMMANDS", [each for each in manifest.COMMANDS if each[0] in STEPS]
    )
    hashes = []
    for workers in (1, 2):
        monkeypatch.setenv("PYTHONHASHSEED", str(workers))
        hashes.append(manifest.manifest(tmp_path / str(workers), "*", 1, 3, workers))
    assert hashes[0] == hashes[1]
    assert {"own-augment/suite.jsonl.gz", "own-augment: stdout"} <= hashes[0].keys()


STEPS = ("own-init", "own-augment")


def test_files_that_differ_are_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Files with other hashes, and those that only one manifest has, are named."""
    before, after = tmp_path / "before.json", tmp_path / "after.json"
    before.write_text(json.dumps({"a": "1", "b": "2"}))
    after.write_text(json.dumps({"a": "1", "b": "3", "c": "4"}))
    assert manifest.compare(before, before) == 0
    assert manifest.compare(before, after) == 1
    assert "differs: b\nonly in one: c\n1 of 3 files are equal" in capsys.readouterr().out


def test_dates_are_not_hashed() -> None:
    """Two summaries that differ in their date alone have one hash."""
    path = Path("summary.json")
    one, other = (b'{"run": {"date": "%d"}, "tasks": 3}' % day for day in (1, 2))
    assert manifest.digest(path, one) == manifest.digest(path, other)
    assert manifest.digest(path, one) != manifest.digest(path, b'{"tasks": 4}')
