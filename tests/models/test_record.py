"""The recorder, run as a person runs it, against a real server."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from evalplus_lite.models.recording import Recording, replay_samples, replay_seeds
from evalplus_lite.models.seeds import llm_seeds
from evalplus_lite.tasks import load_dataset

ROOT = Path(__file__).resolve().parents[2]


def record(*options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "scripts.record", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        env={name: value for name, value in os.environ.items() if not name.startswith("OPENAI_")},
        check=False,
    )


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """A file with one task of one's own."""
    path = tmp_path / "mine.jsonl"
    task = {
        "id": "mine/0",
        "prompt": 'def double(n):\n    """Return twice n."""\n',
        "entry_point": "double",
        "reference": "def double(n):\n    return 2 * n\n",
        "inputs": [[1], [2]],
    }
    path.write_text(json.dumps(task) + "\n")
    return path


def test_record_and_replay(model_server: Any, dataset: Path, tmp_path: Path) -> None:
    """What is recorded replays; a second run asks nothing and writes the same bytes."""
    model_server.answers.append(
        lambda asked: model_server.chat(
            json.dumps({"inputs": [{"n": len(model_server.asked) + i} for i in range(10, 20)]})
        )
    )
    out = tmp_path / "data" / "recorded"
    options = [
        *("--base-url", model_server.url, "--model", "org/tiny", "--dataset", str(dataset)),
        *("--out", str(out), "--cache", str(tmp_path / "cache"), "--temperature", "0.2"),
    ]
    done = record(*options)
    assert done.returncode == 0, done.stderr
    assert len(model_server.asked) == 6
    folder = out / "org--tiny"
    sums = (out.parent / "SHA256SUMS").read_text().splitlines()
    for line in sums:
        digest, name = line.split("  ")
        assert hashlib.sha256((out.parent / name).read_bytes()).hexdigest() == digest
    assert len(sums) == 3
    assert len(replay_samples(folder)) == 3
    recording = Recording.open(folder)
    harvest = llm_seeds(
        load_dataset(dataset).tasks[0], replay_seeds(folder), plan=recording.seeds, seed=0
    )
    assert harvest.turns == 3
    assert len(harvest.cases) >= 10

    assert record(*options, "--minutes", "0").returncode == 0
    assert len(model_server.asked) == 6
    assert (out.parent / "SHA256SUMS").read_text().splitlines() == sums


def test_user_mistake(dataset: Path, tmp_path: Path) -> None:
    """A missing key is one line, not a traceback."""
    failed = record(
        *("--base-url", "https://models.example/v1", "--model", "m", "--dataset", str(dataset)),
        *("--out", str(tmp_path / "recorded"), "--cache", str(tmp_path / "cache")),
    )
    assert failed.returncode != 0
    assert "OPENAI_API_KEY" in failed.stderr
    assert len(failed.stderr.strip().splitlines()) == 1
