"""Task files written by hand: the examples that init writes, TOML, Python literals in strings."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path

import pytest

from evalplus_lite import Session, augment, lint
from evalplus_lite.cli import main
from evalplus_lite.errors import InputError
from evalplus_lite.tasks import load_dataset
from evalplus_lite.tasks.custom import templates
from evalplus_lite.types import Case
from evalplus_lite.values import wire

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


def test_init_replaces_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The examples are written into a new folder; a file that is there stays unless forced."""
    folder = tmp_path / "mine"
    assert main(["init", str(folder)]) == 0
    written = {path.name for path in folder.iterdir()}
    assert written == {path.name for path in templates()}
    changed = folder / sorted(written)[-1]
    changed.write_text("mine")
    assert main(["init", str(folder)]) == 2
    assert "--force" in capsys.readouterr().err
    assert changed.read_text() == "mine"
    assert main(["init", str(folder), "--force"]) == 0
    assert changed.read_text() != "mine"


def test_a_folder_is_one_data_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What init writes can be given as a whole; an id that two files have is named with both."""
    folder = tmp_path / "mine"
    assert main(["init", str(folder)]) == 0
    assert f"lint {folder}" in capsys.readouterr().out
    data = load_dataset(folder)
    assert data.name == "mine"
    alone = [load_dataset(path) for path in sorted(folder.iterdir())]
    assert data.ids == tuple(id for each in alone for id in each.ids)
    (folder / "again.toml").write_text((folder / "plain.toml").read_text())
    with pytest.raises(InputError, match=r"plain\.toml.*'example/plain' is in again\.toml"):
        load_dataset(folder)


def test_a_folder_with_a_suite_is_that_suite(tmp_path: Path) -> None:
    """The folder that a command wrote stands for its suite; one without tasks is refused."""
    with Session(workers=1, cache=False) as session:
        augment(templates()[-1], inputs=4, out=tmp_path / "out", session=session)
    assert (
        load_dataset(tmp_path / "out").suites
        == load_dataset(tmp_path / "out" / "suite.jsonl.gz").suites
    )
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="without tasks"):
        load_dataset(tmp_path / "empty")


def test_values_are_said_in_python_too(tmp_path: Path) -> None:
    """A string of literals gives inputs and outputs that TOML and JSON have no word for."""
    path = tmp_path / "own.toml"
    values = """inputs = "[[(1, 2), None], ({3}, -4)]"\noutputs = "[b'x', 1j]\""""
    path.write_text(TASK.format(values))
    data = load_dataset(path)
    (task,) = data.tasks
    assert data.name == "own"
    assert task.base == (Case(((1, 2), None)), Case(({3}, -4)))
    assert [wire.decode(each) for each in task.outputs] == [b"x", 1j]


def test_dates_and_times_of_toml_are_values(tmp_path: Path) -> None:
    """As they stand there, and Decimals by their tag."""
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
