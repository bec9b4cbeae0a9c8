"""docs/guide/own-tasks.md does what it says: its commands are run, its figures held against."""

from __future__ import annotations

import ast
import json
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support import commands as commands_of_support

from evalplus_lite.store import read_jsonl
from evalplus_lite.tasks import read_suites
from evalplus_lite.values.codec import from_json

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "guide" / "own-tasks.md").read_text(encoding="utf-8")
NUMBERS = dict(zip("three four five six seven eight nine ten".split(), range(3, 11), strict=True))
SORTING = """
def running_mean(values):
    values = sorted(values)
    return [sum(values[:i + 1]) / (i + 1) for i in range(len(values))]
"""

SHAPES = '''
def area(width: int, height: int) -> int:
    """Return the area of a rectangle.

    >>> area(2, 3)
    6
    """
    return width * height
'''
TESTS_OF_SHAPES = """
from shapes import area

def test_area():
    assert area(2, 3) == 6
    assert area(1, 5) == 5
"""


def commands() -> Iterator[list[str]]:
    """Yield the page's commands in order, those that go over two lines as one."""
    text = PAGE.replace("\\\n", " ")
    for line in re.findall(r"^    evalplus-lite (.*)$", text, re.MULTILINE):
        yield shlex.split(line)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder like a checkout, in which all commands of the page were run."""
    folder = tmp_path_factory.mktemp("own")
    shutil.copytree(ROOT / "docs" / "examples", folder / "docs" / "examples")
    (folder / "shapes.py").write_text(SHAPES)
    (folder / "test_shapes.py").write_text(TESTS_OF_SHAPES)
    said = [run(folder, command) for command in commands()]
    (folder / "said.txt").write_text("\n".join(said))
    return folder


def run(folder: Path, command: list[str], *, expected: int = 0) -> str:
    done = commands_of_support.run(*command, folder=folder, variables={"COLUMNS": "400"})
    assert done.returncode == expected, done.stdout + done.stderr
    return done.stdout + done.stderr


def results(folder: Path) -> list[dict[str, Any]]:
    (path,) = folder.glob("**/results.jsonl")
    return [row.data for row in read_jsonl(path) if "plus" in row.data]


def test_the_page_says_what_its_commands_do(folder: Path) -> None:
    """Verdicts, the inputs that decide, and the constraint that is not assumed."""
    begun = ["init", "init", "init", "lint"]
    assert [command[0] for command in commands()] == [
        *begun,
        "augment",
        "evaluate",
        "reduce",
        "export",
    ]
    said = re.search(r"(\w+) of the ten programs pass the base inputs, (\w+) the augm", PAGE)
    assert said is not None
    rows = results(folder)
    assert len(rows) == 10
    passed = [sum(row[which] == "pass" for row in rows) for which in ("base", "plus")]
    assert passed == [NUMBERS[word.lower()] for word in said.groups()]
    table = re.findall(r"^\| `(\w+)`.*?\| `(.+?)` \|", PAGE, re.MULTILINE)
    assert table
    entry_points = {
        row.data["id"]: row.data["entry_point"]
        for row in read_jsonl(ROOT / "docs" / "examples" / "tasks.jsonl")
    }
    late = {
        (entry_points[row["task_id"]], json.dumps(row["failure"]["input"]))
        for row in results(folder)
        if row["base"] == "pass" != row["plus"]
    }
    assert late == {(name, json.dumps([ast.literal_eval(shown)])) for name, shown in table}
    (line,) = re.findall(r"^    (mine/0: not assumed.*)$", PAGE, re.MULTILINE)
    assert line in (folder / "said.txt").read_text()


def test_lists_are_not_sorted_because_three_examples_are(folder: Path) -> None:
    """The suite of ``mine/0`` holds unsorted lists, and a program that sorts fails on one."""
    (path,) = folder.glob("out/mine/suite.jsonl.gz")
    suite = read_suites(path).suites["mine/0"]
    lists = [case.arguments[0] for case in suite.cases]
    assert sum(each != sorted(each) for each in lists) > len(lists) / 4
    samples = folder / "sorting.jsonl"
    samples.write_text(json.dumps({"task_id": "mine/0", "solution": SORTING}) + "\n")
    command = ["evaluate", "-d", str(path), "-s", str(samples), "-o", "sorting"]
    run(folder, command)
    (row,) = [r.data for r in read_jsonl(folder / "sorting" / "results.jsonl") if "plus" in r.data]
    assert (row["base"], row["plus"]) == ("pass", "fail")
    (given,) = from_json(row["failure"]["input"])
    assert given != sorted(given)


def test_guards_are_chosen_one_by_one_or_all_at_once(folder: Path) -> None:
    """By option or by key; the suite says why, and no other constraint goes."""
    tasks = folder / "docs" / "examples" / "tasks.jsonl"
    (option,) = re.findall(r"require it with `(--constraint \S+)`", PAGE)
    (key,) = re.findall(r'^    ("constraints": .*)$', PAGE, re.MULTILINE)
    row = json.loads(tasks.read_text().splitlines()[0])
    mine = folder / "chosen.jsonl"
    mine.write_text(json.dumps({**row, **json.loads(f"{{{key}}}")}) + "\n")
    for out, more in (
        ("by-option", ["-d", str(tasks), "--tasks", "mine/0", *option.split()]),
        ("by-key", ["-d", str(mine)]),
    ):
        run(folder, ["augment", *more, "-n", "40", "-o", out])
        suite = read_suites(folder / out / "suite.jsonl.gz").suites["mine/0"]
        assert all(list(case.arguments[0]) == sorted(case.arguments[0]) for case in suite.cases)
        (guard,) = [g for g in suite.provenance["constraints"] if g["name"] == "0.sorted"]
        assert guard["is_on"]
        assert guard["is_chosen"]
        assert (guard["seen"], guard["needed"]) == (2, 5)
    tasks = folder / "docs" / "examples" / "tasks.jsonl"
    common = ["augment", "-d", str(tasks), "--tasks", "mine/0", "-n", "150"]
    run(folder, [*common, "-o", "near"])
    run(folder, [*common, "-o", "far", "--no-constraint", "mine/0:0.items.reach"])
    run(folder, [*common, "-o", "free", "--no-constraint", "mine/0:all"])
    largest, has_empty = {}, {}
    for out in ("near", "far", "free"):
        suite = read_suites(folder / out / "suite.jsonl.gz").suites["mine/0"]
        lists = [case.arguments[0] for case in suite.cases]
        largest[out] = max(abs(number) for each in lists for number in each)
        has_empty[out] = [] in lists
    assert largest["near"] <= 100 < min(largest["far"], largest["free"])
    assert has_empty == {"near": False, "far": False, "free": True}


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        (["--no-constraint", "mine/0:0.sortd"], ["mine/0", "0.sortd", "0.sorted"]),
        (["--no-constraint", "nine/0:0.sorted"], ["nine/0", "'mine/0'"]),
        (["--constraint", "0.sorted"], ["0.sorted", "TASK:NAME"]),
        (["--package", "nopkg"], ["nopkg"]),
    ],
)
def test_options_that_mean_nothing_are_refused(
    folder: Path, options: list[str], shown: list[str]
) -> None:
    """An unknown task, constraint or package is an error that names what exists."""
    tasks = str(folder / "docs" / "examples" / "tasks.jsonl")
    said = run(folder, ["augment", "-d", tasks, "-o", "refused", *options], expected=2)
    assert all(part in said for part in shown), said
    assert "Traceback" not in said
