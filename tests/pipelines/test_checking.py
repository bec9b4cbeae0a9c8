"""check-tasks: of each task what will be tested, what is ignored and why; no task stops another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest

from evalplus_lite import Session, check_tasks
from evalplus_lite.cli import main
from evalplus_lite.jobs.own_tasks import CHECKS
from evalplus_lite.tasks.drafts import examples
from evalplus_lite.types import Cause
from evalplus_lite.values import wire

ROW: dict[str, Any] = {"prompt": "", "entry_point": "f", "inputs": [[1], [2]]}
PROGRAMS: dict[str, tuple[str, dict[str, Any]]] = {
    # what is wrong: the reference, and keys of the row
    "": ("return x + 1", {"prompt": "f(1) is 2: >>> f(1)\n2"}),
    "raises": ("return 5 // (x - 1)", {}),
    "weak": ("return x", {}),
    "unstable": ("return hash(str(x)) if x == 2 else 3", {}),
    "unrepresentable": ("return object() if x == 1 else 3", {}),
    "expected": ("return x + 1", {"outputs": [2, 4]}),
    "refused": ("return x + 1", {"contract": "def precondition(x):\n    assert x > 1, 'low'\n"}),
    "prompt": ("return x + 1", {"prompt": "Adds.\n\n>>> f(1)\n2\n>>> f(2)\n4\n"}),
    "constant": ("return 7", {}),
    "observed": ("yield x", {}),
    "ignored": ("x.sort()\n    return x[0]", {"inputs": [[[2, 1]], [[3, 4]]]}),
    "untested": ("return x + 1\ndef g():\n    return 2", {}),
}
UNUSABLE = {
    "load": {"reference": "import no_such_module\n\ndef f(x):\n    return x\n"},
    "no inputs": {"reference": "def f(x):\n    return x\n", "inputs": []},
    "no reference": {},
    "unreadable": {"reference": "def g(x):\n    return x\n"},
    "unobserved": {"reference": "def f(x):\n    pass\n"},
    "contract": {"reference": "def f(x):\n    return x\n", "contract": "def check(a):\n    1"},
}


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a task for each thing that may be wrong."""
    rows: list[dict[str, Any]] = []
    for kind, (body, more) in PROGRAMS.items():
        rows.append({"id": kind or "ready", **ROW, "reference": f"def f(x):\n    {body}\n", **more})
    rows += [{"id": kind, **ROW, **more} for kind, more in UNUSABLE.items()]
    path = tmp_path_factory.mktemp("tasks") / "tasks.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows) + "no row\n")
    return path


@pytest.fixture(scope="module")
def rows(tasks: Path) -> dict[str, dict[str, Any]]:
    """What is found of each task."""
    with Session(workers=2, cache=False) as session:
        result = check_tasks(tasks, session=session)
    found = {row["task_id"]: row for row in result.to_rows()}
    assert list(found) == [*(kind or "ready" for kind in PROGRAMS), *UNUSABLE, "line 19"]
    return found


def test_a_good_task_is_ready(rows: dict[str, dict[str, Any]]) -> None:
    """What will be tested is said, and nothing else where nothing is to be said."""
    row = rows["ready"]
    assert (row["status"], row["remarks"]) == ("ready", [])
    assert (row["harness"], row["observe"], row["compared"]) == ("call", ["value"], "python")
    assert (row["given"], row["usable"], row["steps"]) == (2, 2, 1)
    assert row["checks"] | {"contract": True} == dict.fromkeys(row["checks"], True)


@pytest.mark.parametrize("kind", list(filter(None, PROGRAMS)))
def test_what_is_lost_or_odd_is_told(rows: dict[str, dict[str, Any]], kind: str) -> None:
    """A task that can be used says which of its inputs are no tests, and what it cannot see."""
    row = rows[kind]
    assert row["status"] == "remarks"
    assert [each["kind"] for each in row["remarks"]] == [kind]


@pytest.mark.parametrize(
    ("kind", "check"),
    [
        ("load", "reference"),
        ("no inputs", "inputs"),
        ("no reference", "reference"),
        ("unreadable", "row"),
        ("contract", "contract"),
        ("unobserved", "observed"),
    ],
)
def test_what_cannot_be_used_is_named(
    rows: dict[str, dict[str, Any]], kind: str, check: str
) -> None:
    """A task without a usable case says why, at the check that fails."""
    row = rows[kind]
    assert row["status"] == "unusable"
    assert [each["kind"] for each in row["remarks"]] == [kind]
    assert [name for name, holds in row["checks"].items() if holds is False] == [check]


def test_every_cause_is_of_one_check() -> None:
    """Whatever stands in the way of a task or an input is shown at one of the checks."""
    known = [cause for causes in CHECKS.values() for cause in causes]
    assert sorted(known) == sorted(get_args(Cause))


def test_the_command_shows_all(tasks: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every task is in the table, every remark below it, and the exit code tells of bad ones."""
    assert main(["check-tasks", str(tasks), "--tasks", "ready,prompt,load"]) == 1
    out = capsys.readouterr().out
    assert "1 ready, 1 with remarks, 1 unusable" in out
    assert "no_such_module" in out


def test_each_check_is_named_on_a_narrow_screen(
    tasks: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the table does not fit, each answer stands beside the name of its check."""
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["check-tasks", str(tasks), "--tasks", "load"]) == 1
    lines = capsys.readouterr().out.splitlines()
    shown = " ".join(lines)
    for pair in ("status: unusable", "reference: NO", "contract: -"):
        assert pair in shown
    assert all(len(line) <= 80 for line in lines if line.startswith("  "))


def test_examples_of_a_text_are_read() -> None:
    """Calls with literals and what they give are found in prose and in docstrings, never run."""
    text = 'def f(x):\n    """Add.\n\n    >>> f(1)\n    2\n    >>> f([0] * 2)\n    (1,)\n    """\n'
    for prompt in (text, text + "    return x +\n", "Add.\n\n>>> f(1)\n2\n>>> f([0] * 2)\n(1,)\n"):
        found = [(each.arguments, wire.decode(each.output)) for each in examples(prompt, "f")]
        assert found == [((1,), 2), (([0, 0],), (1,))]
    odd = ">>> f(y)\n1\n>>> f(1)\n<object>\n>>> f(2)\nTraceback (most recent call last):\nE: no\n"
    assert all(each.problem for each in examples(odd, "f"))
    assert len(list(examples(odd, "f"))) == 3
    assert list(examples(">>> g(1)\n1\n>>> f(1\n", "f")) == []
