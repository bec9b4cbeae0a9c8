"""Tasks of one's own are read from JSONL, and each mistake in them is named with its line."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from evalplus_lite.errors import InputError
from evalplus_lite.tasks import load_dataset
from evalplus_lite.types import Case, Rule

ROW: dict[str, Any] = {
    "id": "add",
    "prompt": 'def add(a, b):\n    """Return the sum."""\n',
    "entry_point": "add",
    "reference": "def add(a, b):\n    return a + b\n",
}


def write(folder: Path, *rows: dict[str, Any]) -> Path:
    path = folder / "own.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_one_task_is_enough(tmp_path: Path) -> None:
    """A file with one minimal task makes a dataset, named by the file, with the defaults."""
    dataset = load_dataset(write(tmp_path, ROW))
    (task,) = dataset.tasks
    assert dataset.name == "own"
    assert (task.id, task.entry_point, task.style) == ("add", "add", "completion")
    assert (task.base, task.contract, task.rule) == ((), None, Rule())


def test_all_fields_are_read(tmp_path: Path) -> None:
    """Inputs, contract, rule and style come through, with values that JSON alone cannot say."""
    row = {
        **ROW,
        "prompt": "Add two things.",
        "contract": "def precondition(a, b):\n    assert a\n",
        "rule": {"kind": "strict", "atol": 0.5},
        "inputs": [[{"$tuple": [1]}, {"$set": [2]}], [{"$float": "inf"}, 1], []],
    }
    (task,) = load_dataset(write(tmp_path, row)).tasks
    assert task.contract == row["contract"]
    assert task.style == "solution"
    assert task.rule == Rule("strict", 0.5)
    assert task.base == (Case(((1,), {2})), Case((float("inf"), 1)), Case(()))


def test_style_can_be_given(tmp_path: Path) -> None:
    """A style in the row decides, whatever the prompt looks like."""
    (task,) = load_dataset(write(tmp_path, {**ROW, "style": "solution"})).tasks
    assert task.style == "solution"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": None}, "'id' is null, a string was expected"),
        ({"id": 3}, "'id' is an integer, a string"),
        ({"id": ""}, "is empty or holds characters"),
        ({"id": "a\nb"}, "is empty or holds characters"),
        ({"refrence": "x"}, r"unknown key 'refrence' \(did you mean 'reference'\?\)"),
        ({"zzz": 1}, r"unknown key 'zzz' \(known: id, prompt"),
        ({"entry_point": "a b"}, "is not a Python name"),
        ({"reference": "\ndef add(:"}, "reference does not compile: .*line 2"),
        ({"reference": "def sub(): pass"}, "reference does not define 'add'"),
        ({"inputs": {"a": 1}}, "'inputs' is an object, a list was expected"),
        ({"inputs": [[1], 2]}, "inputs, number 2: a list of the positional arguments"),
        ({"inputs": [[{"$tuple": 1}]]}, "inputs, number 1: .*a list was expected"),
        ({"contract": "x ="}, "contract does not compile: .*line 1"),
        ({"contract": "x = 1"}, "contract defines neither"),
        ({"rule": {"kind": "exact"}}, r"unknown rule kind 'exact' \(one of python, strict"),
        ({"rule": {"atol": "1"}}, "'atol' is a string, a number was expected"),
        ({"rule": {"atol": -1}}, "'atol' is -1, a finite number from 0"),
        ({"rule": {"a_tol": 1}}, r"unknown key 'a_tol' in rule \(did you mean 'atol'"),
        ({"rule": {"levels": [1]}}, "'levels' is of the kind 'multiset', this is 'python'"),
        ({"rule": {"kind": "multiset", "levels": [0]}}, r"levels are \[0\] \(integers from 1"),
        ({"rule": {"kind": "sorted", "by": "size"}}, "by is 'size'"),
        ({"rule": {"kind": "sorted", "key": [[]]}}, "leads nowhere"),
        ({"rule": {"kind": "any"}, "inputs": [[1, 2]]}, "outputs are no lists"),
        ({"rule": {"kind": "any"}, "inputs": [[1, 2]], "outputs": [[]]}, "outputs are no lists"),
        ({"rule": {"fields": [{"atol": 1}]}}, "missing 'at'"),
        ({"rule": {"kind": "truthiness", "fields": [{"at": []}]}}, "fields of the kind"),
        ({"harness": {"attributes": ["a b"]}}, "attributes holds 'a b'"),
        ({"harness": {"code": [-1]}}, "code is .*places of arguments"),
        ({"harness": {"exceptions": ["Valueerror"]}}, "'Valueerror', .*did you mean 'ValueError'"),
        ({"rule": "python"}, "'rule' is a string, an object was expected .*kind"),
        ({"style": "chat"}, "unknown style 'chat'"),
    ],
)
def test_each_mistake_is_named_with_its_line(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    """A wrong field is one clear line with line number; the task before it can be used."""
    path = write(tmp_path, {**ROW, "id": "first"}, {**ROW, **change})
    data = load_dataset(path)
    assert data.ids == ("first",)
    (bad,) = data.unusable
    assert bad.cause == "unreadable"
    assert re.search(f"line 2: .*{message}", f"{bad.task_id}: {bad.detail}")
    assert bad.task_id in data.all_ids
    with pytest.raises(InputError, match=rf"own\.jsonl: 1 task cannot .*: line 2: .*{message}"):
        load_dataset(path, strict=True)


def test_all_bad_rows_are_listed_at_once(tmp_path: Path) -> None:
    """Of duplicate tasks none is used, and every bad row is named."""
    rows = [
        {**ROW, "id": "good"},
        {**ROW, "id": "broken", "reference": "def add(:"},
        {**ROW, "id": "twice"},
        {**ROW, "id": "twice", "prompt": "other"},
        {**ROW, "id": 3},
    ]
    data = load_dataset(write(tmp_path, *rows))
    assert data.ids == ("good",)
    assert [(bad.task_id, bad.cause) for bad in data.unusable] == [
        ("broken", "unreadable"),
        ("twice", "duplicate"),
        ("line 5", "unreadable"),
    ]
    assert data.all_ids == ("good", "broken", "twice", "line 5")
    assert data.only(["good"]).unusable == ()
    assert data.only(["tw*"]).ids == ()
    with pytest.raises(InputError, match=r"3 tasks cannot be used: .*broken.*twice.*line 5"):
        load_dataset(write(tmp_path, *rows), strict=True)
    with pytest.raises(InputError, match=r"own\.jsonl:1: .*line 2: .*does not compile"):
        load_dataset(write(tmp_path, {**ROW, "id": 3}, {**rows[1]}))


@pytest.mark.parametrize("name", ["ValueError", "JSONDecodeError", "KeyErrors"])
def test_exceptions_of_anyone_may_be_named(tmp_path: Path, name: str) -> None:
    """Built-in ones, a library's that no text names, the task's own, however alike to others."""
    source = "class KeyErrors(Exception): pass\ndef add(a, b): return a"
    row = {**ROW, "reference": source, "harness": {"exceptions": [name]}}
    (task,) = load_dataset(write(tmp_path, row)).tasks
    assert task.harness.exceptions == (name,)


@pytest.mark.parametrize("key", ["id", "prompt", "entry_point"])
def test_a_missing_field_is_named(tmp_path: Path, key: str) -> None:
    """A task without one of the fields that it needs is refused by that field's name."""
    row = {name: value for name, value in ROW.items() if name != key}
    with pytest.raises(InputError, match=rf"own\.jsonl:1: missing '{key}'"):
        load_dataset(write(tmp_path, row))


def test_a_long_value_does_not_fill_the_message(tmp_path: Path) -> None:
    """A mistake is told with the beginning and the end of what it quotes."""
    path = write(tmp_path, {**ROW, "style": "so" + "l" * 100_000 + "ution"})
    with pytest.raises(InputError, match=r"own\.jsonl:1: unknown style 'soll") as caught:
        load_dataset(path)
    assert len(str(caught.value)) < 1000 + len(str(tmp_path))


def test_a_task_twice_is_refused(tmp_path: Path) -> None:
    """Two tasks of one id are an error at the second."""
    with pytest.raises(InputError, match=r"own\.jsonl:2: duplicate task 'add'"):
        load_dataset(write(tmp_path, ROW, ROW))


def test_rows_of_no_format_are_refused(tmp_path: Path) -> None:
    """A file whose rows are no tasks shows its keys and says what a task needs."""
    with pytest.raises(
        InputError, match=r"own\.jsonl:1: .*keys are solution, task_id .*entry_point"
    ):
        load_dataset(write(tmp_path, {"task_id": "HumanEval/0", "solution": ""}))


def test_names_that_are_neither_set_nor_file_are_refused() -> None:
    """A name that means nothing lists those that do."""
    with pytest.raises(InputError, match=r"no dataset named 'humanevalplus'.*humaneval\+"):
        load_dataset("humanevalplus")
