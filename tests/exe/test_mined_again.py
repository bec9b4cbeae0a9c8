"""The check of mined tasks, run as a person runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
CHANGING = {
    "hash seed": "def f(x: str) -> int:\n    return hash(x)",
    "order of a set": "def f(x: str) -> str:\n    return ''.join(set(x * 2 + 'bcdefgh'))",
    "folder": "import os\ndef f(x: str) -> str:\n    return x + os.getcwd()",
    "clock": "import time\ndef f(x: str) -> str:\n    return x + time.strftime('%Y-%m')",
    "date": "import datetime\ndef f(x: str) -> str:\n    return x + str(datetime.date.today())",
    "environment": "import os\ndef f(x: str) -> str:\n    return os.environ.get('HOME', x)",
    "generator": "import random\ndef f(x: str) -> float:\n    return random.random()",
    "earlier cases": "S = []\ndef f(x: str) -> str:\n    S.append(x)\n    return str(S[-2:])",
}
STEADY = """\
import datetime
def f(x: str) -> str:
    day = datetime.date(2024, 2, 29) + datetime.timedelta(days=len(x))
    assert isinstance(day, datetime.date)
    return f"{sorted(set(x))} {day}"
"""


def row(name: str, code: str, outputs: list[Any]) -> dict[str, Any]:
    """A task's row with recorded outputs."""
    kind = "str" if isinstance(outputs[0], str) else type(outputs[0]).__name__
    parameter = {"name": "x", "kind": "positional", "type": "str", "default": None}
    return {
        "task_id": name,
        "signature": {"parameters": [parameter], "result": kind},
        "entry_point": "f",
        "code": code,
        "cases": [
            {"input": [[f"{n}ab"], {}], "output": output} for n, output in enumerate(outputs)
        ],
    }


def check(path: Path, rows: list[dict[str, Any]]) -> subprocess.CompletedProcess[str]:
    """Run the script on a file of these rows."""
    path.write_text("".join(json.dumps(each) + "\n" for each in rows), encoding="utf-8")
    command = [sys.executable, "-m", "scripts.benchmarks.mined", str(path), "--alone"]
    return subprocess.run(
        command,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        env=dict(os.environ),
        check=False,
    )


def test_steady_answers_pass(tmp_path: Path) -> None:
    """A function of its argument alone is found the same in every surrounding."""
    outputs = ["['0', 'a', 'b'] 2024-03-03", "['1', 'a', 'b'] 2024-03-03"]
    done = check(tmp_path / "tasks.jsonl", [row("steady", STEADY, outputs)])
    if "no sandbox holds" in done.stderr:
        pytest.skip("needs a sandbox")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 tasks with an answer that changes" in done.stdout
    assert done.stdout.count("2 compared, 0 differ") == 6


def test_every_kind_of_change_is_seen(tmp_path: Path) -> None:
    """Hash seed, folder, clock, date, environment, generator and earlier cases all show."""
    rows = [row(name, code, ["-", "-"]) for name, code in CHANGING.items()]
    done = check(tmp_path / "tasks.jsonl", rows)
    if "no sandbox holds" in done.stderr:
        pytest.skip("needs a sandbox")
    assert done.returncode == 1, done.stderr
    found: dict[str, set[str]] = {name: set() for name in CHANGING}
    for surrounding in answers(tmp_path / "tasks.jsonl"):
        for name, answer in surrounding.items():
            found[name].add(answer)
    assert [name for name, seen in found.items() if len(seen) < 2] == []


def answers(path: Path) -> list[dict[str, str]]:
    """Return what each task answers in each surrounding, by the script's own functions."""
    code = (
        "import json, sys\n"
        "from scripts.benchmarks import mined as module\n"
        "from pathlib import Path\n"
        "tasks = list(module.read_tasks(Path(sys.argv[1])))\n"
        "for each in module.surroundings(alone=True):\n"
        "    found = {}\n"
        "    config = module.SandboxConfig(hash_seed=each.hash_seed, packages=())\n"
        "    with module.Sandbox(config) as sandbox:\n"
        "        for task in tasks:\n"
        "            checked = module.check_task(each, sandbox, task)\n"
        "            found[task.id] = checked.differences[-1].found\n"
        "    print(json.dumps(found))\n"
    )
    command = [sys.executable, "-c", code, str(path)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=True
    )
    return [json.loads(line) for line in done.stdout.splitlines()]
