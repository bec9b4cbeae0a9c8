"""audit_verifier: each way in which a verifier errs is found, counted and named."""

from __future__ import annotations

import shlex
import signal
import sys
import textwrap
import time
from pathlib import Path

import pytest
from support.commands import interruptible, run_process, write_rows

from evalplus_lite import Case, Dataset, InputError, Task, Verifier
from evalplus_lite.serving import audit_verifier, own_programs
from evalplus_lite.serving.audit.auditing import AuditTask, VerifierAudit, program_set
from evalplus_lite.types import CALL, PYTHON, Harness, Rule
from evalplus_lite.values import wire

HERE = Path(__file__).parent
FEW = ("cheat: files",)


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """The faulty verifiers can be imported by processes that are started here."""
    monkeypatch.setenv("PYTHONPATH", str(HERE))


def audited(name: str, *only: str, timeout: float = 30.0, protocol: str = "") -> VerifierAudit:
    target = f"verifiers:{name}"
    return audit_verifier(
        target, only=only or FEW, load=False, timeout=timeout, protocol=protocol, workers=2
    )


def task_of(problem: AuditTask) -> Task:
    is_script = problem.kind == "script"
    return Task(
        problem.name,
        problem.prompt,
        problem.entry_point,
        program_set().reference(problem),
        base=tuple(Case((given,) if is_script else tuple(given)) for given, _ in problem.cases),
        outputs=tuple(wire.encode(expected) for _, expected in problem.cases),
        rule=Rule("lines") if is_script else PYTHON,
        harness=Harness("script") if is_script else CALL,
        style="solution",
    )


@pytest.mark.filterwarnings("ignore::evalplus_lite.errors.EvidenceWarning")
def test_the_set_is_what_it_says() -> None:
    """Every program's verdict is the one its class claims, in a sandbox that holds them."""
    programs = [each for each in program_set().programs if each.category != "late"]
    problems = {each.problem.name: each.problem for each in programs}
    tasks = tuple(map(task_of, problems.values()))
    with Verifier(Dataset("set", tasks), workers=2) as verifier:
        pairs = [(each.problem.name, each.text) for each in programs]
        found = list(verifier.verify_many(pairs, on_failure="raise"))
    wrong = [
        (program.name, verdict)
        for program, verdict in zip(programs, found, strict=True)
        if verdict.passed != program.is_right  # type: ignore[union-attr]
    ]
    assert wrong == []


def test_what_exit_codes_miss() -> None:
    """Programs that leave fool such a verifier; one that refuses all is not sound either."""
    found = audited("script", "cheat: exits", "wrong")
    assert not found.is_sound
    accepted = [each.program for each in found.answers if each.answer.reply == "accepted"]
    fooled = [each for each in accepted if not each.is_right]
    assert "leaves at once when loaded" in [program.name for program in fooled]
    assert {program.category for program in fooled} == {"cheat: exits"}
    assert {each.code for each in found.answers} == {"V001", ""}
    found = audited("refuse", "right")
    assert {each.code for each in found.answers} == {"V003"}
    assert not found.is_sound
    assert {each.answer.reply for each in audited("shout").answers} == {"rejected"}
    found = audited("compute_score", "cheat: files")
    assert found.protocol == "verl"
    assert [each.answer.score for each in found.answers] == [1.0, 0.0]
    assert audited("none").protocol == "trl"
    assert audited("none", "wrong", protocol="open-r1").kinds == ("script",)
    found = audit_verifier("verifiers:odd", only=["wrong"], load=False, workers=1)
    replies = [each.answer.reply for each in found.answers]
    assert replies == ["error"] * 7 + ["rejected"] * (len(replies) - 7)
    assert all(
        "score" in each.answer.problem for each in found.answers if each.answer.reply == "error"
    )


@pytest.mark.parametrize(
    ("name", "reply"),
    [("hang", "hang"), ("leave", "ended"), ("fail", "error"), ("none", "none")],
)
def test_no_verdict(name: str, reply: str) -> None:
    """A verifier that hangs, ends, raises or says None ends nothing here, and is told apart."""
    found = audited(name, timeout=0.3)
    assert [each.answer.reply for each in found.answers] == [reply] * 2
    assert {each.code for each in found.answers} == {"V004"}
    assert not found.is_sound


def test_a_verifier_that_does_not_come_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was answered stands when the verifier can be loaded no more."""
    text = """
        import os, pathlib
        mark = pathlib.Path(__file__).with_name("mark")
        if mark.exists():
            raise ImportError("gone")
        def leave(program, tests):
            mark.touch()
            os._exit(0)
    """
    (tmp_path / "leaving.py").write_text(textwrap.dedent(text))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    found = audit_verifier("leaving:leave", only=FEW, load=False, workers=1)
    assert [each.answer.reply for each in found.answers] == ["ended", "error"]
    assert "gone" in found.answers[1].answer.problem


def test_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that prints a score last is a verifier; the table shows who fooled it."""
    text = "import json, sys\nprint('x' * 10**7)\nprint(len(json.load(sys.stdin)['tests']) / 40)"
    (tmp_path / "judge.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    found = audit_verifier(f"{shlex.quote(sys.executable)} judge.py", only=FEW, load=False)
    assert found.protocol == "command"
    assert {each.answer.score for each in found.answers} == {0.5}
    assert {each.answer.reply for each in found.answers} == {"rejected"}
    failed = audit_verifier("false", only=FEW, load=False)
    assert {each.answer.reply for each in failed.answers} == {"error"}
    arguments = ("audit-verifier", "verifiers:script", "--only", "cheat: files", "--no-load")
    (folder := tmp_path / "empty").mkdir()
    done = run_process(*arguments, folder=folder, variables={"PYTHONPATH": str(HERE)})
    assert "cheat: files" in done.stdout
    assert "asked as plain" in done.stdout
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("target", "problem"),
    [
        ("no_such_module:f", "no_such_module"),
        ("verifiers:no_such_function", "no_such_function"),
        ("http://127.0.0.1:9", "refused"),
        ("no_such_command --at all", "no such command"),
        ("os:sep", "not a callable"),
    ],
)
def test_targets_that_cannot_be_asked(target: str, problem: str) -> None:
    """What cannot be asked is an error that says why."""
    with pytest.raises(InputError, match=problem):
        audit_verifier(target, only=FEW)
    with pytest.raises(InputError, match="late"):
        audited("refuse", "no such class")


def test_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An audit that is interrupted leaves no process and no folder behind."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    arguments = ("audit-verifier", "verifiers:hang", "--no-load")
    with interruptible(tmp_path, "", *arguments) as process:
        while not list(scratch.glob("*/work")):
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert process.returncode == 130
    assert list(scratch.iterdir()) == []


def test_tasks_of_ones_own(tmp_path: Path) -> None:
    """A verifier is asked about one's own tasks: what their tests tell apart, and nothing else."""
    pairs = "def pairs(n):\n    return [[i, i * i] for i in range(n)]\n"
    rows: list[dict[str, object]] = [
        {"id": "pairs", "entry_point": "pairs", "reference": pairs, "inputs": [[1], [3], [0]]},
        {
            "id": "echo",
            "harness": "script",
            "reference": "print(input().upper())\n",
            "inputs": ["abc\n", "x y\n"],
        },
        {
            "id": "one",
            "entry_point": "one",
            "reference": "def one():\n    return 1",
            "inputs": [[]],
        },
        {
            "id": "set",
            "entry_point": "f",
            "reference": "def f(x):\n    return {x}",
            "inputs": [[1]],
        },
    ]
    path = write_rows(tmp_path / "tasks.jsonl", [{"prompt": "", **row} for row in rows])
    asked = own_programs(path)
    assert asked.left_out == 1
    names = {each.name for each in asked.programs}
    assert {"pairs: the reference", "echo: the reference", "one: the reference"} <= names
    assert {"pairs: returns []", "pairs: calls os._exit(0)", "echo: prints its input"} <= names
    assert "one: returns 1" not in names  # which is right
    found = audit_verifier("verifiers:script", load=False, programs=asked, workers=2)
    accepted = [each.program for each in found.answers if each.answer.reply == "accepted"]
    fooled = {each.name for each in accepted if not each.is_right}
    assert {"pairs: calls os._exit(0)", "pairs: returns an object equal to everything"} <= fooled
    assert {each.category for each in accepted} == {"right", "cheat"}
    assert [each.code for each in found.answers if each.program.is_right] == [""] * 3
    refused = audit_verifier("verifiers:refuse", load=False, programs=asked, workers=2)
    assert {each.code for each in refused.answers} == {"V003", ""}
