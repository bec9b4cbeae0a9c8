"""Folders of results are local ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support.tasks import make_task

from evalplus_lite import Dataset, augment, evaluate, lint, reduce
from evalplus_lite.errors import InputError
from evalplus_lite.jobs.outputs import found_outputs
from evalplus_lite.store import write_text
from evalplus_lite.store.labels import file_name, label, labels
from evalplus_lite.store.locations import local_folder


def test_labels_differ(tmp_path: Path) -> None:
    """Files of one name are told apart by folders; results are not at a URL."""
    with pytest.raises(InputError, match="local folders only"):
        local_folder("s3://bucket/results")
    assert local_folder("out/results") == Path("out/results")
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


@pytest.mark.parametrize("job", [evaluate, augment, reduce, lint])
def test_a_name_may_be_too_long(job: Callable[..., object], tmp_path: Path) -> None:
    """It is an error that names it, before anything is judged."""
    out = tmp_path / ("x" * 300)
    options = {"samples": []} if job is evaluate else {}
    with pytest.raises(InputError, match="xxx"):
        job(Dataset("own", (make_task(),)), out=out, **options)
    with pytest.raises(InputError, match="xxx"):
        write_text(out, "")
    with pytest.raises(InputError, match="xxx"):
        found_outputs(out)


# Names for files tell them apart.


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
