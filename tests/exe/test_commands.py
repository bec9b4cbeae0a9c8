"""The commands mine, predict and score, as typed by a person."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from support.schemas import hold

from evalplus_lite.cli.app import run
from evalplus_lite.exe.tasks.mined import read_tasks

BODY = """
    def squeeze(text: str, limit: int = 10) -> str:
        if limit < 0:
            raise ValueError("limit")
        words = text.split()
        return " ".join(words)[:limit]
    def noisy(text: str) -> str:
        print(text)
        return text
    """


def test_mine_predict_and_score_end_to_end(
    toys: Any, tmp_path: Path, model_server: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """A wheel becomes tasks, a server's answers predictions, and those a table."""
    model_server.says('{"value": "a"}')
    path = toys.wheel({"toy.py": BODY})
    out = tmp_path / "mined" / "tasks.jsonl"
    options = ["--breakpoints", "1", "--chain", "2", "--workers", "1"]
    assert run(["exe", "mine", str(path), "-o", str(out), "--json", *options]) == 0
    funnel = json.loads(capsys.readouterr().out)
    hold(funnel, "mine")
    assert funnel["counts"]["mined"] == funnel["counts"]["valid"] == 1
    assert {"stage": "static", "reason": "output", "count": 1} in funnel["rejects"]
    (task,) = read_tasks(out)
    assert task.entry_point == "squeeze"
    assert len(list(read_tasks(tmp_path / "mined" / "tasks.breakpoints.jsonl"))) == 1
    predictions = tmp_path / "p.jsonl"
    asked = ["exe", "predict", str(out), "-m", "m", "--base-url", model_server.url]
    asked += ["-o", str(predictions)]
    assert run([*asked, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    hold(said, "predict")
    assert said["asked"] == len(task.cases)
    assert run([*asked, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["asked"] == 0
    assert run(["exe", "score", str(out), str(predictions), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    hold(report, "score")
    right = sum(case.answer.value == "a" for case in task.cases)
    assert report["pass_at_k"]["pass@1"] == pytest.approx(right / len(task.cases))
    marks = tmp_path / "marks.jsonl"
    assert run(["exe", "score", str(out), str(predictions), "--grades", str(marks)]) == 0
    rows = [json.loads(line) for line in marks.read_text().splitlines()]
    assert sum(row["result"] for row in rows) == right
    assert {"input", "prediction", "answer_tokens"} <= rows[0].keys()
    assert "By package" in capsys.readouterr().out


def test_static_mining_needs_no_sandbox(
    toys: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With --static programs are written without cases; the command that it names shows them."""
    out = tmp_path / "tasks.jsonl"
    path = toys.wheel({"toy.py": BODY})
    command = ["exe", "mine", str(path), "-o", str(out), "--static", "--workers", "1"]
    assert run(command) == 0
    (last,) = [line for line in capsys.readouterr().out.splitlines() if "report:" in line]
    assert run([*shlex.split(last)[2:], "-o", str(tmp_path / "page.html")]) == 0
    assert (tmp_path / "page.html").stat().st_size
    (tmp_path / "cut.whl").write_bytes(path.read_bytes()[:200])
    for name in ("nothing", "cut.whl"):
        capsys.readouterr()
        assert run([*command, "--with", str(tmp_path / name), "--force"]) == 2
        assert name in capsys.readouterr().err
    (task,) = read_tasks(out)
    assert task.cases == ()
    assert "def squeeze" in task.code


def test_what_is_left_out_is_told(
    toys: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A damaged wheel and a closed license are named with their reasons; only damage is exit 1."""
    closed = str(toys.wheel({"toy.py": BODY}, licence="GPL-3.0-only"))
    cut = tmp_path / "cut-1.0-py3-none-any.whl"
    cut.write_bytes(Path(closed).read_bytes()[:200])
    given = ["-o", str(tmp_path / "tasks.jsonl"), "--static", "--workers", "1", "--json"]
    assert run(["exe", "mine", closed, *given]) == 0
    assert json.loads(capsys.readouterr().out)["problems"] == {}
    assert run(["exe", "mine", closed, str(cut), *given]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["refused"] == {closed: "license not permissive"}
    assert list(told["problems"]) == [str(cut)]
    assert str(cut) not in told["problems"][str(cut)]


def test_mistakes_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A missing tasks file ends with exit code 2 and a sentence."""
    missing = str(tmp_path / "none.jsonl")
    assert run(["exe", "score", missing, missing]) == 2
    assert capsys.readouterr().err.count("\n") == 1
