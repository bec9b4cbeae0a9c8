"""Task files from a module or a pytest file: what is taken, what is left out and why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evalplus_lite import Session, draft_from_module, draft_from_pytest, lint
from evalplus_lite.cli import main
from evalplus_lite.errors import InputError
from evalplus_lite.generate.domains.annotations import read_type
from evalplus_lite.jobs.drafting import simple_inputs, simple_values
from evalplus_lite.tasks import load_dataset
from evalplus_lite.values import wire

MODULE = '''
from __future__ import annotations
import math
from typing import Optional

open({trace!r}, "w").close()
PI = math.pi


def _square(x: float) -> float:
    return x * x


def area(radius: Later) -> float:
    """Return the area.

    >>> area(1)
    3.141592653589793
    >>> area(x)
    5
    >>> area(2)
    12.0
    >>> round(area(1))
    3
    """
    return PI * _square(radius)


def clip(values: list[int], low: int = 0, high: Optional[int] = None) -> list[int]:
    return [max(low, v if high is None else min(v, high)) for v in values]


def untyped(a, b):
    return a


def named(*, a: int) -> int:
    return a


def shift(items: list[int]) -> None:
    items.append(items.pop(0))


class Circle: ...
'''
TESTS = """
import pytest
from shapes import area, clip
from other import unknown

ONE = 1


@pytest.mark.parametrize(
    "values, low, expected", [([1, -2], 0, [1, 0]), pytest.param([5], 7, [7], id="x")]
)
def test_clip(values, low, expected):
    assert clip(values, low) == expected


@pytest.mark.parametrize("n", range(3))
def test_range(n):
    assert clip([n]) == [n]


class TestArea:
    def test_area(self):
        assert area(ONE) == pytest.approx(3.1415926)
        r = 2
        assert area(r) == 12.0
        assert area(3) > 4
        assert not area(0)
        for i in range(3):
            assert area(i) == 3


def test_others():
    assert set(letters("aba")) == {"a", "b"}
    assert sorted(both(1)) == [1, 2]
    assert math.isclose(near(2), 0.5, rel_tol=0.01, abs_tol=0.1)
    assert near(1) == 1.0
    assert set(near(1)) == {1}
    assert len(letters("a")) == 1


def test_unknown():
    assert unknown((1, None)) is None
    assert [4] == unknown([1] * 3)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shapes.py").write_text(MODULE.format(trace=str(tmp_path / "ran")))
    (tmp_path / "test_shapes.py").write_text(TESTS)
    return tmp_path


def test_a_module_becomes_a_task_file(folder: Path, session: Session) -> None:
    """Examples and annotations give inputs; the module is never run outside the sandbox."""
    out = folder / "tasks.jsonl"
    result = draft_from_module(folder / "shapes.py", out=out, session=session)
    data = load_dataset(out, strict=True)
    assert data.ids == ("shapes/area", "shapes/clip", "shapes/shift")
    area, clip, shift = data
    assert [case.arguments for case in area.base] == [(1,)]
    assert wire.decode(area.outputs[0]) == pytest.approx(3.14159265)
    assert "_square" in area.reference
    assert "clip" not in area.reference
    assert len(clip.base) > 5
    assert clip.prompt.startswith("from typing import Optional")
    assert shift.harness.observe == ("arguments",)
    assert all(case.arguments[0] for case in shift.base)
    lost = {(each["name"], each["reason"].split(":")[0]) for each in result.summary["left_out"]}
    assert lost == {
        ("area", "the example area(x)"),
        ("area", "the example round(area(1))"),
        ("area", "1 inputs"),
        ("untyped", "it has no examples, and its annotations do not describe its arguments"),
        ("named", "an argument must be given by name"),
        ("shift", "1 inputs"),
        ("Circle", "a class"),
    }
    assert not (folder / "ran").exists()
    assert not lint(out, session=session).unusable


def test_a_pytest_file_becomes_a_task_file(folder: Path, session: Session) -> None:
    """Plain assertions give inputs and outputs; the functions come from the module beside it."""
    written = folder / "tasks.jsonl"
    result = draft_from_pytest(folder / "test_shapes.py", out=written, session=session)
    found = {
        task.entry_point: [
            (case.arguments, wire.decode(output))
            for case, output in zip(task.base, task.outputs, strict=True)
        ]
        for task in result.tasks
    }
    assert found == {
        "clip": [(([1, -2], 0), [1, 0]), (([5], 7), [7])],
        "area": [((1,), 3.1415926), ((0,), False)],
        "letters": [(("aba",), {"a", "b"})],
        "both": [((1,), [1, 2])],
        "near": [((2,), 0.5), ((1,), 1.0)],
        "unknown": [(((1, None),), None), (([1, 1, 1],), [4])],
    }
    by_name = {task.entry_point: task for task in result.tasks}
    assert by_name["area"].rule.rtol == 1e-6
    assert by_name["unknown"].reference == ""
    assert by_name["letters"].rule.kind == "unordered"
    assert by_name["both"].rule.kind == "multiset"
    assert (by_name["near"].rule.rtol, by_name["near"].rule.atol) == (0.01, 0.1)
    assert load_dataset(written).ids == tuple(task.id for task in result.tasks)
    assert [task.rule for task in load_dataset(written)] == [task.rule for task in result.tasks]
    lost = [(each["name"], each["line"]) for each in result.summary["left_out"]]
    assert lost == [("test_range", 17), ("test_area", 26), ("test_area", 28),
                    ("test_others", 37), ("test_others", 38), ("area", 0)]  # fmt: skip


def test_assertions_become_cases_or_are_listed(tmp_path: Path, session: Session) -> None:
    """Tolerances hold for ints, what is sorted may be a set, and other assertions are named."""
    path = tmp_path / "test_f.py"
    path.write_text(
        "def test_f():\n    assert f(1) == pytest.approx([3, True])\n"
        "    assert math.isclose(g(1), 2)\n    assert h(1) == 2\n    assert np.isclose(n(1), 2)\n"
    )
    result = draft_from_pytest(path, session=session)
    found = [repr(wire.decode(output)) for task in result.tasks for output in task.outputs]
    assert found == ["[3.0, True]", "2.0", "2", "2.0"]
    assert [(task.rule.rtol, task.rule.atol) for task in result.tasks[1::2]] == [
        (1e-9, 0.0), (1e-5, 1e-8),
    ]  # fmt: skip
    path = tmp_path / "test_sorted.py"
    path.write_text(
        "def f(x):\n    return set(x)\ndef g(x):\n    return list(x)\ndef h(x):\n    return x\n"
        "def test_f():\n    assert sorted(f('aba')) == ['a', 'b']\n    assert sorted(f('')) == []\n"
        "    assert sorted(g('ba')) == ['a', 'b']\n    assert sorted(h('ba')) == ['a', 'b']\n"
    )
    result = draft_from_pytest(path, session=session)
    found = {task.entry_point: (task.rule.kind, len(task.base)) for task in result.tasks}
    assert found == {"f": ("unordered", 2), "g": ("multiset", 1)}
    assert [task.id for task in result.tasks] == ["test_sorted/f", "test_sorted/g"]
    (lost,) = result.summary["left_out"]
    assert lost["name"] == "h"
    assert "sorted" in lost["reason"]
    path = tmp_path / "test_f.py"
    path.write_text(
        "def test_f():\n    assert f(1) == 1\n    with pytest.raises(TypeError):\n        f()\n"
        "class T:\n    def test_g(self):\n        self.assertEqual(f(2), 2)\n"
    )
    result = draft_from_pytest(path, session=session)
    lost = [(each["name"], each["line"]) for each in result.summary["left_out"]]
    assert lost == [("test_f", 3), ("test_g", 7)]
    assert [len(task.base) for task in result.tasks] == [1]


def test_the_commands_write_and_replace_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both commands write a task file that loads, and leave one that is there."""
    monkeypatch.chdir(folder)
    assert main(["init", "--from-pytest", "test_shapes.py", "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary["tasks"], summary["without_reference"]) == (6, 4)
    assert len(load_dataset(summary["file"])) == 6
    assert main(["init", "--from-pytest", "test_shapes.py"]) == 2
    assert "--force" in capsys.readouterr().err
    (folder / "shapes.tasks.jsonl").touch()
    assert main(["init", "--from-module", "shapes.py"]) == 2


@pytest.mark.parametrize(
    ("text", "problem"),
    [("def f(:", r"x\.py:1: is not Python"), ("x = 1", "no task can be made"),
     ("def f(a): pass", "no task can be made of it: f: .*annotations")],
)  # fmt: skip
def test_what_holds_no_task_is_named(
    tmp_path: Path, session: Session, text: str, problem: str
) -> None:
    """A file without a task is one line, with the first reason."""
    (tmp_path / "x.py").write_text(text)
    with pytest.raises(InputError, match=problem):
        draft_from_module(tmp_path / "x.py", session=session)


def test_what_doubles_again_and_again_is_left_out(tmp_path: Path, session: Session) -> None:
    """A file of little text that means very much costs no more than its text."""
    names = "".join(f"    x{n + 1} = (x{n}, x{n})\n" for n in range(200))
    rows = ", ".join(f"({n}, {n})" for n in range(3000))
    (tmp_path / "test_x.py").write_text(
        f"def test_x():\n    x0 = 1\n{names}    assert f(x200) == 1\n    assert f(x3) == 1\n\n"
        f"@pytest.mark.parametrize('a, b', [{rows}])\ndef test_y(a, b):\n"
        + "    assert g(a) == b\n"
        * 20
    )
    result = draft_from_pytest(tmp_path / "test_x.py", session=session)
    one, many = (len(task.base) for task in result.tasks)
    assert (one, many > 15_000, many < 25_000) == (1, True, True)
    assert [each["name"] for each in result.summary["left_out"]] == ["test_x", "test_y"]


@pytest.mark.parametrize(
    ("stated", "kind"),
    [("int", int), ("list[str]", list), ("dict[str, list[int]]", dict), ("tuple[int, str]", tuple),
     ("tuple[int, ...]", tuple), ("set[int]", set), ("Literal['a', 'b']", str)],
)  # fmt: skip
def test_typical_values_are_of_their_type(stated: str, kind: type) -> None:
    """Values of a type are of it, the simplest first and no two alike."""
    found = simple_values(read_type(stated))
    assert len(found) >= 2
    assert all(type(value) is kind for value in found)
    assert not simple_values(read_type("set[list[int]]"))
    assert len(simple_inputs([read_type("int"), read_type(stated)])) > 3
