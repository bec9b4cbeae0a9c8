"""Suite files say exactly what ran, and the same suites give the same bytes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evalplus_lite.errors import InputError
from evalplus_lite.tasks import load_dataset, read_suites, write_suites
from evalplus_lite.types import Case, Harness, Rule, Suite, Task, Tolerance
from evalplus_lite.values import codec, wire

CASES = (
    Case(((1, 2), {3: float("inf")}), "base"),
    Case((-0.0, 10**5000, "\ud800"), "mutation", parent=0, operators=("grow", "flip")),
    Case(([True, 1, None, 1j, b"\x00", frozenset({1})],), "llm"),
)
TASK = Task(
    id="t/1",
    prompt="Do it.",
    entry_point="f",
    reference="def f(*a): return a\n",
    base=CASES[:1],
    plus=CASES[1:],
    contract="def check(inputs, output, expected): return True\n",
    rule=Rule("strict", 0.5, 0.25),
    style="solution",
    extra={"test": "text"},
)
SUITE = Suite(
    task_id="t/1",
    cases=CASES,
    expected=tuple(wire.encode(case.arguments) for case in CASES),
    base_count=1,
    provenance={"seed": 3},
)
STRESS = Suite("t/1", (Case((7,), "stress", reason="size"),), (wire.encode(8),), 0)
OTHER = Task(
    "t/2",
    "def g():\n    pass\n",
    "g",
    "def g(): return 1\n",
    rule=Rule("multiset", levels=(1, 3), fields=(Tolerance(("*", 0), 0.5),)),
    harness=Harness(observe=("value", "exception"), exceptions=("KeyError",), code=(1,)),
)
OTHER_SUITE = Suite("t/2", (), (), 0)


@pytest.mark.parametrize("name", ["s.jsonl", "s.jsonl.gz"])
def test_tasks_and_suites_round_trip(tmp_path: Path, name: str) -> None:
    """What was written is read back exactly, through the dataset loader too."""
    path = tmp_path / name
    assert write_suites(path, [OTHER, TASK], [SUITE, OTHER_SUITE]) == 2
    dataset = read_suites(path)
    assert dataset.tasks == (OTHER, TASK)
    assert dataset.suites == {"t/2": OTHER_SUITE, "t/1": SUITE}
    found = [codec.dumps(list(case.arguments)) for case in dataset.tasks[1].cases]
    assert found == [codec.dumps(list(case.arguments)) for case in CASES]
    loaded = load_dataset(path, only=["t/1"])
    assert (loaded.name, loaded.ids, list(loaded.suites)) == ("s", ("t/1",), ["t/1"])


def test_the_form_is_stable(tmp_path: Path) -> None:
    """Reading and writing changes no byte; stress cases are apart, no task comes twice."""
    write_suites(tmp_path / "a", [TASK, OTHER], [SUITE, OTHER_SUITE])
    again = read_suites(tmp_path / "a")
    write_suites(tmp_path / "b", again.tasks, again.suites.values())
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    write_suites(tmp_path / "a", [TASK], [replace(SUITE, stress=STRESS)])
    read = read_suites(tmp_path / "a")
    assert read.suites["t/1"].stress == STRESS
    assert read["t/1"].cases == CASES
    write_suites(tmp_path / "b", [TASK], [SUITE])
    with_stress, without = (json.loads((tmp_path / name).read_text()) for name in "ab")
    assert with_stress.keys() - without.keys() == {"stress"}
    assert write_suites(tmp_path / "a", [TASK, OTHER], [OTHER_SUITE]) == 1
    assert read_suites(tmp_path / "a").ids == ("t/2",)
    path = tmp_path / "s.jsonl"
    path.write_text(2 * (json.dumps(row()) + "\n"))
    with pytest.raises(InputError, match=r"s\.jsonl:2: duplicate task 't'"):
        read_suites(path)


def row(**changes: Any) -> dict[str, Any]:
    return {
        "format": 1,
        "id": "t",
        "prompt": "",
        "entry_point": "f",
        "reference": "",
        "base_count": 0,
        "cases": [{"arguments": [1], "expected": 2}],
        **changes,
    }


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 2}, "is of format 2, this version reads format 1"),
        ({"base_count": 2}, "'base_count' is 2, but there are 1 cases"),
        ({"base_count": True}, "'base_count' is true or false, an integer"),
        ({"extra": []}, "'extra' is a list, an object"),
        ({"provenence": {}}, "did you mean 'provenance'"),
        ({"cases": [1]}, "case 1 is not an object"),
        ({"cases": [{"arguments": [1]}]}, "a case is missing 'expected'"),
        ({"cases": [{"arguments": [1], "expected": {"$set": 1}}]}, "expected: .*list was expected"),
        ({"cases": [{"arguments": 1, "expected": 1}]}, "'arguments' is an integer"),
        ({"cases": [{"arguments": [], "expected": 1, "x": 1}]}, "unknown key 'x' in case 1"),
        ({"cases": [{"arguments": [], "expected": 1, "parent": -1}]}, "'parent' is -1"),
        (
            {"cases": [{"arguments": [], "expected": 1, "operators": [1]}]},
            "operators must be str",
        ),
    ],
)
def test_damaged_rows_are_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    """Whatever this project would not have written is refused with its line."""
    path = tmp_path / "s.jsonl"
    path.write_text(json.dumps(row()) + "\n" + json.dumps(row(id="u", **change)) + "\n")
    (bad,) = load_dataset(path).unusable
    assert (bad.task_id, bad.cause) == ("u", "unreadable")
    with pytest.raises(InputError, match=rf"s\.jsonl: 1 task .*u: line 2: .*{message}"):
        load_dataset(path, strict=True)
