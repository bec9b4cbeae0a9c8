"""The examples in docs/reference/formats.md are read by the readers that they document."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from evalplus_lite.tasks import load_dataset, write_suites
from evalplus_lite.tasks.samples import read_samples
from evalplus_lite.types import Rule

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "reference" / "formats.md"


@pytest.fixture
def examples(tmp_path: Path) -> dict[str, Path]:
    """Return a file for each marked example."""
    found = {}
    pattern = r"<!-- example: (\w+) -->\n```json\n(.*?)```"
    for name, text in re.findall(pattern, DOCUMENT.read_text(encoding="utf-8"), re.DOTALL):
        found[name] = tmp_path / f"{name}.jsonl"
        found[name].write_text(text)
    return found


def test_own_tasks(examples: dict[str, Path]) -> None:
    """The example of an own task loads with what it says."""
    (task,) = load_dataset(examples["own"]).tasks
    assert task.base[1].arguments == ((1,), (2,))
    assert task.rule == Rule("strict")


def test_suites(examples: dict[str, Path], tmp_path: Path) -> None:
    """The example of a suite loads, and is what would be written, but for spaces."""
    dataset = load_dataset(examples["suite"])
    assert (len(dataset.tasks[0].base), len(dataset.tasks[0].plus)) == (1, 1)
    write_suites(tmp_path / "again", dataset.tasks, dataset.suites.values())
    written = json.loads((tmp_path / "again").read_text())
    # As lists of pairs, so that the order of keys counts too.
    assert json.dumps(written) == json.dumps(json.loads(examples["suite"].read_text()))


def test_samples(examples: dict[str, Path]) -> None:
    """The examples of samples are read for the example of a task."""
    samples = list(read_samples(examples["samples"], load_dataset(examples["own"])))
    assert [(sample.model, sample.index) for sample in samples] == [("some-model", 0), ("", 0)]
    assert all("return a + b" in sample.source for sample in samples)
