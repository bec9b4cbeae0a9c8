"""Tasks of one's own are read from JSONL, and each mistake in them is named with its line."""

from __future__ import annotations

import datetime
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from support.commands import write_rows

from evalplus_lite import Session, augment, lint
from evalplus_lite.cli import main
from evalplus_lite.errors import InputError
from evalplus_lite.tasks import load_dataset
from evalplus_lite.tasks.custom import templates
from evalplus_lite.types import Case, Rule
from evalplus_lite.values import wire

ROW: dict[str, Any] = {
    "id": "add",
    "prompt": 'def add(a, b):\n    """Return the sum."""\n',
    "entry_point": "add",
    "reference": "def add(a, b):\n    return a + b\n",
}


def write(folder: Path, *rows: dict[str, Any]) -> Path:
    return write_rows(folder / "own.jsonl", rows)


def test_one_task_is_enough(tmp_path: Path) -> None:
    """With the defaults, or all fields, in values that JSON alone cannot say."""
    dataset = load_dataset(write(tmp_path, ROW))
    (task,) = dataset.tasks
    assert dataset.name == "own"
    assert (task.id, task.entry_point, task.style) == ("add", "add", "completion")
    assert (task.base, task.contract, task.rule) == ((), None, Rule())
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
        ({"programs": ["def add(:"]}, "programs, number 1 does not compile: .*line 1"),
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
        ({"tests": "assert add(1, 2) == 3"}, "'tests' are not for harness 'call' .*assertions"),
        ({"harness": {"attributes": ["a b"]}}, "attributes holds 'a b'"),
        ({"harness": {"code": [-1]}}, "code is .*positions of arguments"),
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


def test_files_that_are_no_tasks_are_refused(tmp_path: Path) -> None:
    """By their keys; a task given twice, a long value and an unknown name are refused in a line."""
    path = write(tmp_path, {**ROW, "style": "so" + "l" * 100_000 + "ution"})
    with pytest.raises(InputError, match=r"own\.jsonl:1: unknown style 'soll") as caught:
        load_dataset(path)
    assert len(str(caught.value)) < 1000 + len(str(tmp_path))
    with pytest.raises(InputError, match=r"own\.jsonl:2: duplicate task 'add'"):
        load_dataset(write(tmp_path, ROW, ROW))
    with pytest.raises(
        InputError, match=r"own\.jsonl:1: .*keys are solution, task_id .*entry_point"
    ):
        load_dataset(write(tmp_path, {"task_id": "HumanEval/0", "solution": ""}))
    with pytest.raises(InputError, match=r"no dataset named 'humanevalplus'.*humaneval\+"):
        load_dataset("humanevalplus")


# Task files written by hand: the examples that init writes, TOML, Python literals in strings.

TASK = """
# A comment.
[[task]]
id = "a"
prompt = '''Add.'''
entry_point = "f"
{}
"""


@pytest.mark.parametrize("path", templates(), ids=lambda path: path.stem)
def test_each_example_is_ready(path: Path, session: Session) -> None:
    """Nothing is amiss with an example, but for the reference that one shows to be missing."""
    assert path.read_text(encoding="utf-8").startswith("# ")
    result = lint(path, session=session)
    assert {each["code"] for row in result.to_rows() for each in row["findings"]} <= {
        "T104",
        "T303",
    }


def test_what_init_writes_is_one_data_set(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that is there stays unless forced; an id that two files have is named with both."""
    folder = tmp_path / "mine"
    assert main(["init", str(folder)]) == 0
    assert f"lint {folder}" in capsys.readouterr().out
    written = {path.name for path in folder.iterdir()}
    assert written == {path.name for path in templates()}
    changed = folder / sorted(written)[-1]
    changed.write_text("mine")
    assert main(["init", str(folder)]) == 2
    assert "--force" in capsys.readouterr().err
    assert changed.read_text() == "mine"
    assert main(["init", str(folder), "--force"]) == 0
    assert changed.read_text() != "mine"
    data = load_dataset(folder)
    assert data.name == "mine"
    alone = [load_dataset(path) for path in sorted(folder.iterdir())]
    assert data.ids == tuple(id for each in alone for id in each.ids)
    (folder / "again.toml").write_text((folder / "plain.toml").read_text())
    with pytest.raises(InputError, match=r"plain\.toml.*'example/plain' is in again\.toml"):
        load_dataset(folder)


def test_a_folder_with_a_suite_is_that_suite(tmp_path: Path, session: Session) -> None:
    """The folder that a command wrote stands for its suite; one without tasks is refused."""
    augment(templates()[-1], inputs=4, out=tmp_path / "out", session=session)
    assert (
        load_dataset(tmp_path / "out").suites
        == load_dataset(tmp_path / "out" / "suite.jsonl.gz").suites
    )
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="without tasks"):
        load_dataset(tmp_path / "empty")


def test_values_are_said_in_python_too(tmp_path: Path) -> None:
    """Literals, dates and times that TOML and JSON have no word for."""
    path = tmp_path / "own.toml"
    values = """inputs = "[[(1, 2), None], ({3}, -4)]"\noutputs = "[b'x', 1j]\""""
    path.write_text(TASK.format(values))
    data = load_dataset(path)
    (task,) = data.tasks
    assert data.name == "own"
    assert task.base == (Case(((1, 2), None)), Case(({3}, -4)))
    assert [wire.decode(each) for each in task.outputs] == [b"x", 1j]
    path = tmp_path / "own.toml"
    row = '[2024-02-29, 2024-02-29T12:30:00Z, 12:30:00, {"$decimal" = "1.50"}]'
    path.write_text(TASK.format(f"inputs = [{row}]"))
    (task,) = load_dataset(path).tasks
    moment = datetime.datetime(2024, 2, 29, 12, 30, tzinfo=datetime.UTC)
    (case,) = task.base
    assert case.arguments == (moment.date(), moment, datetime.time(12, 30), Decimal("1.50"))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (TASK.format("inputs = 3"), "own.toml:3: .*'inputs'"),
        (TASK.format("inputs = '[open(1)]'"), "own.toml:3: .*no list of Python literals"),
        (TASK.format("inputs = '7'"), "own.toml:3: .*no list of Python literals"),
        (TASK.format("inputs = [1 2]"), "own.toml:7: is not valid TOML"),
        (TASK.format("inputs = " + "[" * 500 + "]" * 500), "own.toml: nests too deeply"),
        ("a" + ".a" * 100_000 + " = 1", "own.toml:1: .*key"),
        ("[[task]]\n" * 50_000, "own.toml: .*tables"),
        ("tasks = 3", "own.toml: holds 'tasks'"),
        ("# nothing", "own.toml: has no .*task"),
        ("[[task]]\nid = 1\n", "own.toml:1: .*known format"),
    ],
    ids=lambda text: text[:20],
)
def test_mistakes_in_toml_are_named(tmp_path: Path, text: str, problem: str) -> None:
    """What cannot be used is said in a line, with the line of its table."""
    path = tmp_path / "own.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=problem):
        load_dataset(path)
