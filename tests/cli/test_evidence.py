"""No evidence, no pass: a task without a usable case is never passed, and always listed."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest
from support.commands import run, write_rows
from support.kinds import KINDS

from evalplus_lite import Verdict, Verifier
from evalplus_lite.errors import EvidenceWarning, UnusableTask
from evalplus_lite.store import read_jsonl

JUNK = ("raise SystemExit('WRONG')\n", "x = 1\n", "garbage (\n")
UNUSABLE = {kind.name: kind.cause for kind in KINDS if kind.cause}
SOME = ("integer", "in place", "raises", "no inputs", "contract raises", "syntax error")
"""A few kinds, two of which can be used."""


def samples(names: list[str] | tuple[str, ...]) -> list[dict[str, Any]]:
    return [{"task_id": name, "solution": text} for name in names for text in JUNK]


def write(folder: Path, names: tuple[str, ...]) -> None:
    write_rows(folder / "tasks.jsonl", [kind.row() for kind in KINDS if kind.name in names])
    write_rows(folder / "samples.jsonl", samples(names))


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all kinds of tasks, judged on programs that are right for none."""
    folder = tmp_path_factory.mktemp("kinds")
    write(folder, tuple(kind.name for kind in KINDS))
    done = run("evaluate", "-d", "tasks.jsonl", "-s", "samples.jsonl", "-o", "out", folder=folder)
    assert done.returncode == 1, done.stderr
    return folder


def test_each_kind_has_its_cause(judged: Path) -> None:
    """Of unusable tasks; no other is passed by junk, and a resumed run says the same."""
    summary = json.loads((judged / "out" / "summary.json").read_text())
    assert {each["task_id"]: each["cause"] for each in summary["unusable"]} == UNUSABLE
    notes: dict[str, list[str]] = {}
    for note in summary["notes"]:
        notes.setdefault(note["task_id"], []).append(note["kind"])
    assert notes == {kind.name: list(kind.notes) for kind in KINDS if kind.notes}
    details = {each["task_id"]: each["detail"] for each in summary["unusable"]}
    assert "IndexError" in details["raises"]
    assert "[1]" in details["raises"]
    assert "generator" in details["generator"]
    assert details["time"].count("17") >= 2, "both answers are shown"
    assert "NameError" in details["contract raises"]
    assert all(text.isprintable() and len(text) < 1000 for text in details.values())
    usable = len(KINDS) - len(UNUSABLE)
    rows = [row.data for row in read_jsonl(judged / "out" / "results.jsonl")]
    verdicts = {row["task_id"]: row["base"] for row in rows if "task_id" in row}
    assert len(verdicts) == usable
    assert "pass" not in verdicts.values()
    summary = json.loads((judged / "out" / "summary.json").read_text())
    assert summary["samples"] == usable * len(JUNK)
    read = {row["task_id"] for row in summary["unusable"]} - unreadable()
    assert summary["unusable_samples"] == len(read) * len(JUNK)
    assert (summary["plus"], summary["pass_at_k"]["plus"]) == (None, None)
    results = json.loads((judged / "out" / "eval_results.json").read_text())
    assert "plus" not in results["pass_at_k"]
    assert {row["plus_status"] for rows in results["eval"].values() for row in rows} == {None}
    before = json.loads((judged / "out" / "summary.json").read_text())
    done = run("evaluate", "-d", "tasks.jsonl", "-s", "samples.jsonl", "-o", "out", folder=judged)
    assert done.returncode == 1, done.stderr
    after = json.loads((judged / "out" / "summary.json").read_text())
    assert [after[key] for key in KEYS] == [before[key] for key in KEYS]


def unreadable() -> set[str]:
    return {name for name, cause in UNUSABLE.items() if cause == "unreadable"}


def test_the_library_names_task_and_cause(judged: Path) -> None:
    """A Verifier judges what it can, and raises for each task that it cannot judge by."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with Verifier(judged / "tasks.jsonl", workers=2, cache=judged / "cache") as verifier:
            names = [kind.name for kind in KINDS]
            found = list(verifier.verify_many([(name, JUNK[1]) for name in names]))
            with pytest.raises(UnusableTask, match=r"task raises cannot be used: .*IndexError"):
                verifier.verify("raises", "def f(x): return 1")
    causes = {}
    for name, each in zip(names, found, strict=True):
        if isinstance(each, UnusableTask):
            assert each.task_id == name
            causes[name] = each.cause
        else:
            assert isinstance(each, Verdict)
            assert not each.passed
            assert each.plus is None
    assert causes == UNUSABLE
    texts = [str(each.message) for each in told if each.category is EvidenceWarning]
    for words in ("no plus cases", "task in place: ", "task syntax error of tasks cannot be used"):
        assert any(words in text for text in texts)


KEYS = ("notes", "base", "pass_at_k", "tasks", "samples")


COMMANDS = {
    "evaluate": ("-s", "samples.jsonl", "-o", "out"),
    "reduce": ("-s", "samples.jsonl", "-o", "out"),
    "quality": ("--survivors", "-o", "out"),
    "augment": ("-o", "out", "-n", "5"),
    "export": ("--to", "humaneval", "-o", "out.jsonl"),
}


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_lists_what_it_left_out(tmp_path: Path, command: str) -> None:
    """The others are worked on, all bad tasks stand in the result, and the exit code says so."""
    write(tmp_path, SOME)
    done = run(command, "-d", "tasks.jsonl", *COMMANDS[command], "--json", folder=tmp_path)
    assert done.returncode == 1, done.stderr
    bad = {each["task_id"]: each["cause"] for each in json.loads(done.stdout)["unusable"]}
    held = {"in place": "format"} if command == "export" else {}
    assert bad == held | {name: UNUSABLE[name] for name in SOME if name in UNUSABLE}


@pytest.mark.parametrize("command", sorted(set(COMMANDS) - {"evaluate"}))
def test_nothing_to_work_on_is_an_error(tmp_path: Path, command: str) -> None:
    """If no task can be used, that is refused with every cause, and nothing is written as done."""
    write(tmp_path, ("raises", "no inputs"))
    done = run(command, "-d", "tasks.jsonl", *COMMANDS[command], folder=tmp_path)
    assert done.returncode == 2, done.stderr
    assert "IndexError" in done.stderr
    assert "no inputs" in done.stderr
    assert not (tmp_path / "out.jsonl").exists()


def test_crossval_leaves_them_out(tmp_path: Path) -> None:
    """No model passes a task without a case: it is in no share."""
    write(tmp_path, SOME)
    write_rows(tmp_path / "other.jsonl", samples(SOME))
    given = ("-s", "samples.jsonl", "-s", "other.jsonl", "-o", "out", "--curve", "", "--json")
    done = run("reduce", "--cross-validate", "-d", "tasks.jsonl", *given, folder=tmp_path)
    assert done.returncode == 1, done.stderr
    summary = json.loads(done.stdout)
    assert [each["task_id"] for each in summary["unusable"]]
    assert {line["pass@1"]["base"] for line in summary["models"]} == {0.0}


@pytest.mark.parametrize("command", ["evaluate", "reduce"])
def test_strict_refuses_rows_that_are_no_answers(tmp_path: Path, command: str) -> None:
    """With --strict a row that would be left out, with exit code 1, is a mistake."""
    write(tmp_path, ("integer",))
    rows = [*samples(("integer",)), {"task_id": "integer"}, {"task_id": "nothing", "solution": ""}]
    write_rows(tmp_path / "samples.jsonl", rows)
    given = (command, "-d", "tasks.jsonl", "-s", "samples.jsonl", "-o", "out", "--strict")
    done = run(*given, folder=tmp_path)
    assert done.returncode == 2, done.stderr
    assert "samples.jsonl:4" in done.stderr
    assert not list(tmp_path.glob("out/summary.json"))


@pytest.mark.parametrize(
    "command",
    [
        ("evaluate", "-s", "samples.jsonl"),
        ("reduce", "--cross-validate", "-s", "samples.jsonl"),
        ("reduce",),
        ("quality", "--survivors"),
        ("augment",),
        ("export", "--to", "evalplus"),
    ],
    ids=" ".join,
)
def test_strict_refuses_before_anything_is_done(tmp_path: Path, command: tuple[str, ...]) -> None:
    """With --strict all bad tasks are told at once, and nothing is written."""
    write(tmp_path, SOME)
    done = run(*command, "-d", "tasks.jsonl", "-o", "out", "--strict", folder=tmp_path)
    assert done.returncode == 2, done.stderr
    for name in SOME:
        assert (f"{name}: " in done.stderr) == (name in UNUSABLE)
    assert not (tmp_path / "out").exists()


SUITE = {
    "format": 1,
    "prompt": "",
    "entry_point": "f",
    "reference": "def f(x): return x + 4\n",
    "style": "solution",
}


def test_suite_files_go_through_the_same_door(tmp_path: Path) -> None:
    """One without cases passes nobody; augment says which tasks got nothing new."""
    case = {"arguments": [1], "expected": 5}
    rows = [
        {**SUITE, "id": "empty", "base_count": 0, "cases": []},
        {**SUITE, "id": "plus only", "base_count": 0, "cases": [case]},
        {**SUITE, "id": "base only", "base_count": 1, "cases": [case]},
        {**SUITE, "id": "broken check", "base_count": 1, "cases": [case, case]},
    ]
    rows[3]["contract"] = "def check(inputs, output, expected): return nothing\n"
    write_rows(tmp_path / "tasks.jsonl", rows)
    write_rows(tmp_path / "samples.jsonl", samples([str(row["id"]) for row in rows]))
    done = run("evaluate", "-d", "tasks.jsonl", *COMMANDS["evaluate"], "--json", folder=tmp_path)
    assert done.returncode == 1, done.stderr
    summary = json.loads(done.stdout)
    bad = {each["task_id"]: each["cause"] for each in summary["unusable"]}
    assert bad == {"empty": "no inputs", "broken check": "contract"}
    noted = {note["task_id"]: note["kind"] for note in summary["notes"]}
    assert noted == {"plus only": "no base", "base only": "no plus"}
    assert summary["pass_at_k"] == {"base": {"pass@1": 0.0}, "plus": {"pass@1": 0.0}}
    row = next(kind.row() for kind in KINDS if kind.name == "integer")
    row["contract"] = "def precondition(x):\n    assert type(x) is int and x in (1, 2, 3)\n"
    write_rows(tmp_path / "tasks.jsonl", [row])
    done = run("augment", "-d", "tasks.jsonl", "-o", "new", "-n", "5", "--json", folder=tmp_path)
    assert done.returncode == 1, done.stderr
    summary = json.loads(done.stdout)
    assert summary["without_new"] == ["integer"]
    assert summary["dropped"]["invalid"] > 0
