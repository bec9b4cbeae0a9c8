"""The calls that a package's own tests and examples make: they run in the sandbox."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.mining import project, tree

from evalplus_lite import Session
from evalplus_lite.exe import mine
from evalplus_lite.exe.inputs.known import Observed, observe
from evalplus_lite.exe.inputs.search import UNKNOWN
from evalplus_lite.exe.mining import MiningSettings
from evalplus_lite.exe.sources import open_package
from evalplus_lite.exe.tasks.mined import MinedTask
from evalplus_lite.sandbox import SandboxConfig

PACKAGE = '''
def joined(first, parts, sep):
    return f"{first}{sep}{len(parts)}{sep}{[each for each in parts][:2]}"

def sized(thing):
    return thing.size + 1

class Box:
    @staticmethod
    def packed(parts, width):
        width = max(1, width)
        return [parts[at : at + width] for at in range(0, len(parts), width)]

class Meter:
    def __init__(self, top):
        self.top = top
    def share(self, of):
        """Return a share.

        >>> Meter(8).share(2)
        0.25
        """
        return halved(of) * 2 / self.top

def halved(number):
    return number / 2
'''
README = """Toys
====

```python
from toys import halved
halved(12)
halved(undefined)
halved(14)
```
"""
TESTS = """
import unittest
import pytest
import toys

@pytest.mark.parametrize("first", ["a", 3])
def test_joined(first, tmp_path):
    assert toys.joined(first, [1, 2], ";") == f"{first};2;[1, 2]"

class Old(unittest.TestCase):
    def test_sized(self):
        class Thing:
            size = 3
        self.assertEqual(toys.sized(Thing()), 4)

def test_packed():
    assert toys.Box.packed("abcd", 3) == ["abc", "d"]

def test_that_fails():
    assert toys.joined(1, (), "") == 0
"""


def source(folder: Path, tests: str = TESTS, **files: str) -> Path:
    """Write a source tree with its tests beside the package."""
    written = {"pyproject.toml": project("toys"), "toys/__init__.py": PACKAGE, **files}
    return tree(folder, {**written, "tests/test_toys.py": tests, "README.md": README})


def seen(folder: Path) -> Observed:
    """Return what the tests of a source tree show."""
    with open_package(folder) as package:
        return observe(package, (), SandboxConfig(packages=()))


@pytest.fixture(scope="module")
def observed(tmp_path_factory: pytest.TempPathFactory) -> Observed:
    """What the package's own tests show."""
    return seen(source(tmp_path_factory.mktemp("own") / "toys-1.0"))


def told(found: Observed, name: str, owner: str = "") -> dict[str, str]:
    """Return a function's parameters with their types as text."""
    return {
        name: str(each.type)
        for name, each in found.parameters.get(("toys", owner, name), {}).items()
    }


def test_types_are_those_of_plain_values(observed: Observed) -> None:
    """Of tests of either kind, also of those that fail; an object is no plain value."""
    assert (observed.tests, observed.problem) == (5, "")
    assert told(observed, "joined") == {
        "first": "int | str",
        "parts": "list[int] | tuple[int | str, ...]",
        "sep": "str",
    }
    assert told(observed, "packed", "Box") == {"parts": "str", "width": "int"}
    assert told(observed, "sized") == {}


def calls(found: Observed, name: str, owner: str = "") -> list[tuple[Any, ...]]:
    """Return the recorded calls of a function: source, values and what its object is made of."""
    listed = found.calls.get(("toys", owner, name), ())
    return [
        (call.source, dict(call.values), call.constructor and dict(call.constructor))
        for call in listed
    ]


PACKED = ("tests", {"parts": "abcd", "width": 3}, None)


def test_calls_are_recorded_with_their_source(observed: Observed) -> None:
    """Of tests, doctests and the README, and those that they cause; objects by what made them."""
    assert PACKED in calls(observed, "packed", "Box")
    assert calls(observed, "share", "Meter") == [("doctests", {"of": 2}, {"top": 8})]
    assert calls(observed, "halved") == [
        ("call sites", {"number": 2}, None),
        ("README", {"number": 12}, None),
        ("README", {"number": 14}, None),
    ]
    assert calls(observed, "sized") == []


def test_what_changes_or_goes_on_costs_nothing_else(tmp_path: Path) -> None:
    """Both runs must make a call; what a library draws at random is a type and no value.

    A test that goes on whatever is raised is ended when it has made its share of calls.
    """
    tests = """
import datetime, os, time
from hypothesis import given, strategies as st
import toys

def test_surroundings():
    toys.halved(time.time())
    toys.halved(datetime.date.today().year)
    toys.halved(hash("text"))
    toys.halved(41)

@given(st.integers(min_value=50))
def test_drawn(number):
    toys.halved(number)

@given(st.integers(), st.lists(st.integers(), max_size=3))
def test_joined(first, parts):
    assert toys.joined(first, parts, "-").startswith(str(first))

def test_that_goes_on():
    while True:
        try:
            toys.halved(2)
        except Exception:
            pass

def test_packed():
    assert toys.Box.packed("abcd", 3) == ["abc", "d"]
"""
    found = seen(source(tmp_path / "toys-1.0", tests))
    assert (found.tests, found.problem) == (5, "")
    values = {values["number"] for source, values, _ in calls(found, "halved") if source == "tests"}
    assert values - {2} == {41}
    assert told(found, "joined") == {"first": "int", "parts": "list[int]", "sep": "str"}
    assert PACKED in calls(found, "packed", "Box")


@pytest.mark.parametrize(
    ("tests", "files"),
    [
        ("import os\nos._exit(0)\n", {}),
        ("import missing_library\n", {}),
        (TESTS, {"conftest.py": "raise SystemExit(3)\n"}),
        ("x = 1\n", {}),
    ],
)
def test_tests_that_cannot_be_run_show_nothing(
    tmp_path: Path, tests: str, files: dict[str, str]
) -> None:
    """Whatever they do to their own process: there is a reason, and no type."""
    found = seen(source(tmp_path / "toys-1.0", tests, **files))
    assert not any(each.source == "tests" for listed in found.calls.values() for each in listed)
    assert found.problem


def test_what_stands_in_the_way_of_tests_is_told(tmp_path: Path) -> None:
    """What most files of tests want and do not find: by its name it can be given."""
    files = {f"tests/test_{n}.py": "import missing_library\n" for n in range(3)}
    files["tests/test_other.py"] = "raise RuntimeError('x' * 1000)\n"
    found = seen(source(tmp_path / "toys-1.0", "import missing_library\n", **files))
    assert "missing_library" in found.problem


def test_mining_uses_and_marks_them(tmp_path: Path, session: Session) -> None:
    """Functions of which nothing else tells the types are mined, and proved as others are."""
    folder = source(tmp_path / "toys-1.0")
    out = tmp_path / "out" / "tasks.jsonl"
    settings = MiningSettings(keep_all=True)
    result = mine([str(folder)], settings=settings, out=out, session=session)
    rows = {row["function"]: row for row in result.to_rows()}
    origins = {
        each["name"]: each.get("origin") for each in rows["joined"]["signature"]["parameters"]
    }
    assert origins == dict.fromkeys(["first", "parts", "sep"], "observed")
    assert {"tests", "mutated"} <= set(rows["joined"]["sources"])
    assert rows["joined"]["compared"] >= len(rows["joined"]["cases"])
    assert result.funnel.counts["tests run"] == 5
    assert "sized" not in rows

    (folder / "tests" / "test_toys.py").unlink()
    again = mine([str(folder)], settings=settings, out=tmp_path / "again.jsonl", session=session)
    assert not again.refused  # it is mined all the same
    assert "joined" not in {row["function"] for row in again.to_rows()}
    rejects = map(json.loads, (tmp_path / "again.rejects.jsonl").read_text().splitlines())
    assert any(each["reason"] == UNKNOWN for each in rejects)


def test_objects_are_recorded_as_what_they_were_made_of(tmp_path: Path, session: Session) -> None:
    """Of classes with an ``__init__``, dataclasses and named tuples, one within another."""
    folder = tmp_path / "shapes-1.0"
    files = {
        "pyproject.toml": project("shapes"),
        "shapes.py": """
from dataclasses import dataclass

@dataclass
class Point:
    x: int
    y: int

class Path:
    def __init__(self, start: Point, steps: list[Point], name: str = "path"):
        self.start, self.steps, self.name = start, steps, name

    def length(self, scale: int) -> int:
        total = 0
        for step in self.steps:
            total += scale * (abs(step.x) + abs(step.y))
        return total

def ends(path: Path, times: int) -> list[int]:
    x, y = path.start.x, path.start.y
    for _ in range(times):
        for step in path.steps:
            x, y = x + step.x, y + step.y
    return [x, y]
""",
        "tests/test_shapes.py": """
from shapes import Path, Point, ends

def test_ends():
    path = Path(Point(3, 41), [Point(5, -7), Point(2, 97)], name="zigzag")
    assert ends(path, 2) == [17, 221]
    assert path.length(3) > 0
""",
    }
    tree(folder, files)
    rows = {row["function"]: row for row in mine([str(folder)], session=session).to_rows()}
    for name, given in {
        "call_ends": [((3, 41), [(5, -7), (2, 97)], "zigzag"), 2],
        "Path_length": [(3, 41), [(5, -7), (2, 97)], 3, "zigzag"],
    }.items():
        (task,) = (MinedTask.from_json(row) for row in rows.values() if row["function"] == name)
        calls = dict(zip(task.facts["sources"], task.cases, strict=True))
        assert [*calls["tests"].call.args] == given
