"""Names for files tell them apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from evalplus_lite.store.labels import file_name, label, labels


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("gpt.jsonl.gz", "gpt"),
        ("out/mine/suite.jsonl.gz", "mine"),
        ("suite.jsonl.gz", "suite"),
        ("out/my.model/samples.jsonl", "my.model"),
        ("folder/of/samples", "of"),
        (".jsonl", ".jsonl"),
    ],
)
def test_a_label(path: str, name: str) -> None:
    """A file is known by its stem, one of our own outputs by its folder."""
    assert label(path) == name


def test_labels_differ(tmp_path: Path) -> None:
    """Files of one name are told apart by the folders they are in, however far above."""
    paths = [
        "x/one/a/samples.jsonl",
        "y/one/a/samples.jsonl",
        "x/m.jsonl",
        "y/m.json",
        "z/k.jsonl",
    ]
    found = labels([tmp_path / path for path in paths])
    assert len(set(found)) == 5
    assert found[4] == "k"
    assert found[2:4] == ["x/m", "y/m"]


LONG = "x" * 999, "𝔸" * 99


@pytest.mark.parametrize("text", ["../../etc", "a/b", "", "...", "\x1b[31m", "名前", *LONG])
def test_a_part_of_a_name(text: str) -> None:
    """Whatever a label holds, it is one harmless part of a path."""
    name = file_name(text)
    assert name
    assert "/" not in name
    assert not name.startswith(".")
    assert name.isprintable()
    assert len(name.encode()) <= 100
