"""Each wing may be deleted, and the rest still works."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest
from support.commands import captured, environment
from test_layers import PACKAGE, WINGS

EXAMPLES = PACKAGE.parent / "docs" / "examples"


@pytest.mark.parametrize("wing", sorted(WINGS))
def test_the_rest_works_without_a_wing(wing: str, tmp_path: Path) -> None:
    """Programs are judged, and the help lists the commands that are left."""
    code = tmp_path / "code"
    ignored = shutil.ignore_patterns("__pycache__", wing)
    shutil.copytree(PACKAGE, code / "evalplus_lite", ignore=ignored)
    command = [sys.executable, "-m", "evalplus_lite"]
    tasks, samples = str(EXAMPLES / "tasks.jsonl"), str(EXAMPLES / "samples.jsonl")
    judge = ["evaluate", "-d", tasks, "-s", samples, "-o", str(tmp_path / "out"), "--json"]
    for arguments in (["--help"], judge):
        env = {**environment(tmp_path), "PYTHONPATH": str(code)}
        done = captured([*command, *arguments], env=env, cwd=code)
        assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["pass_at_k"]["base"]["pass@1"] == pytest.approx(0.7)
