"""An export holds what a suite says as data: nothing in it becomes a program of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.commands import captured, run, write_rows

from evalplus_lite.errors import InputError
from evalplus_lite.reports.exporters.suites import (
    Card,
    ExportedTask,
    write_evalplus,
    write_huggingface,
    write_humaneval,
    write_pytest,
)
from evalplus_lite.types import Case, Suite, Task, Value
from evalplus_lite.values import wire

INJECTED = "open('PWNED', 'w')"
TEXTS = [
    f'"""\n{INJECTED}\n"""',
    f"'''\n{INJECTED}\n'''",
    f'\\"""\n{INJECTED}#',
    f"\n{INJECTED}\n",
    f"\r{INJECTED}\r",
    f"\x0c{INJECTED}\x0b{INJECTED}\x1c{INJECTED}",
    f"\u2028{INJECTED}\u2029{INJECTED}\x85{INJECTED}",
    f"{{{INJECTED}}}",
    "{0} {name} %s %(x)s {{}} \\N{BULLET} \\x",
    "\x1b]0;owned\x07\u202e\u2066",
    '"',
    "\\",
    "# coding: rot13\n",
]


def deep(levels: int) -> Value:
    value: Value = 1
    for _ in range(levels):
        value = [value]
    return value


VALUES: list[Value] = [
    *TEXTS,
    {text: [text] for text in TEXTS},
    frozenset(TEXTS[:3]),
    {(1,), ("a",), (None,)},
    "\ud800",
    b"\x00'\"",
    10**9000,
    [float("nan"), float("inf"), -0.0, complex(float("nan"), float("-inf"))],
    deep(150),
]


def entry(text: str) -> ExportedTask:
    """Return a task that echoes its argument, with a hostile text wherever one may stand."""
    prompt = f"# {text}\ndef f(x):\n" if "\n" not in text and "\r" not in text else "def f(x):\n"
    prompt = "def f(x):\n" if not prompt.isprintable() else prompt
    contract = (
        "def precondition(x):\n    pass\n\n\ndef check(inputs, output, expected):\n"
        f"    {text!r}\n    y = f'a\\n{{1}}'\n    return y == 'a\\n1' and output == expected\n"
    )
    task = Task(text, prompt, "f", f"{prompt}    return x\n", contract=contract)
    expected = tuple(wire.encode(value) for value in VALUES)
    cases = tuple(Case((value,)) for value in VALUES)
    return ExportedTask(task, Suite(text, cases, expected, 1))


def runs(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    done = captured([sys.executable, *arguments], cwd=folder)
    assert not (folder / "PWNED").exists()
    return done


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_humaneval_rows_are_data(tmp_path: Path, text: str) -> None:
    """The row's program accepts the right completion, refuses a wrong one, and does no more."""
    made = entry(text)
    assert write_humaneval(tmp_path / "out.jsonl", [made]) == {}
    row = json.loads((tmp_path / "out.jsonl").read_text())
    for completion, code in (("    return x\n", 0), ("    return 0\n", 1)):
        program = f"{row['prompt']}{completion}\n{row['test']}\ncheck({row['entry_point']})"
        (tmp_path / "program.py").write_text(program)
        done = runs(["program.py"], tmp_path)
        assert done.returncode == code, done.stderr
        assert (code == 1) == ("AssertionError" in done.stderr)


def test_pytest_files_are_data(tmp_path: Path) -> None:
    """The files of all hostile tasks are collected and pass; nothing in them runs or is hidden."""
    made = [entry(f"{number}{text}") for number, text in enumerate(TEXTS)]
    (tmp_path / "solution.py").write_text("def f(x):\n    return x\n")
    write_pytest(tmp_path / "suite", made)
    arguments = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "suite", "--solution"]
    done = runs([*arguments, "solution.py"], tmp_path)
    assert done.returncode == 0, done.stdout[-2000:]
    assert f"{len(TEXTS) * len(VALUES)} passed" in done.stdout
    for path in (tmp_path / "suite").glob("test_*.py"):
        content = path.read_text(encoding="utf-8")
        assert content.replace("\n", "").replace("\t", "").isprintable()


def test_files_of_rows_are_data(tmp_path: Path) -> None:
    """JSON that reads back, whatever the values; those too deep for Python are counted."""
    made = [entry(text) for text in TEXTS]
    lost = write_evalplus(tmp_path / "evalplus.jsonl", made)
    assert sum(lost.values()) == 2 * len(TEXTS)  # bytes, and an integer that JSON readers refuse
    write_huggingface(tmp_path / "hub", made, Card('x: "y" # {z}', "- a\\"))
    for path in (tmp_path / "evalplus.jsonl", tmp_path / "hub" / "data" / "test.jsonl"):
        ids = [json.loads(line)["task_id"] for line in path.read_text().splitlines()]
        assert ids == TEXTS
    card = (tmp_path / "hub" / "README.md").read_text().split("---\n")[1]
    lines = dict(line.split(": ", 1) for line in card.splitlines() if ": " in line)
    assert json.loads(lines["pretty_name"]) == 'x: "y" # {z}'
    assert json.loads(lines["license"]) == "- a\\"
    with pytest.raises(InputError):
        write_huggingface(tmp_path / "hub", made, Card("x\nlicense: mit"))
    values = [1, deep(199), frozenset([frozenset([frozenset([1])])])]
    expected = tuple(wire.encode(value) for value in values)
    suite = Suite("A/0", tuple(Case((v,)) for v in values), expected, 3)
    made = ExportedTask(Task("A/0", "def f(x):\n", "f", "def f(x):\n    return x\n"), suite)
    assert write_humaneval(tmp_path / "out.jsonl", [made]) == {"A/0": 1}
    row = json.loads((tmp_path / "out.jsonl").read_text())
    exec(compile(f"def f(x):\n    return x\n{row['test']}\ncheck(f)", "row", "exec"), {})


@pytest.mark.parametrize(
    "name",
    [f"f(x):\n    pass\n{INJECTED}\ndef g", "f; g", "", "class", "a.b", "f" * 300, "(f" * 90],
)
def test_an_entry_point_that_is_no_name_is_refused(tmp_path: Path, name: str) -> None:
    """A suite file with code for a name is refused when read, an entry when made."""
    row: dict[str, Any] = {"format": 1, "id": "add", "prompt": "p", "entry_point": name}
    row |= {"reference": "def add(a, b):\n    return a + b\n", "base_count": 1}
    row["cases"] = [{"arguments": [1, 2], "expected": 3}]
    write_rows(tmp_path / "suite.jsonl", [row, {**row, "id": "b", "entry_point": "add"}])
    command = ["export", "-d", "suite.jsonl", "--to", "pytest"]
    done = run(*command, "-o", "out", folder=tmp_path)
    assert "Traceback" not in done.stderr
    for path in tmp_path.glob("out/test_*.py"):
        assert INJECTED not in path.read_text()
    if len(name) < 200:
        with pytest.raises(InputError):
            ExportedTask(Task("a", "", name, ""), Suite("a", (), (), 0))


def test_the_attack_on_an_export(tmp_path: Path, shared: Path) -> None:
    """The shared suite file that writes PWNED at collection is refused, and nothing is written."""
    suite = shared / "attacks" / "text" / "suite_inj.jsonl"
    command = ["export", "-d", str(suite), "--to", "pytest", "-o", "out"]
    done = run(*command, folder=tmp_path)
    assert done.returncode in (1, 2)
    assert not any("PWNED" in path.read_text() for path in tmp_path.glob("out/test_*.py"))
    assert "PWNED" not in os.listdir(tmp_path)
