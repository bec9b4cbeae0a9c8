"""Exchanges in files, and the source that answers from them."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.commands import captured

from evalplus_lite.errors import InputError, LLMError
from evalplus_lite.models import (
    Exchange,
    Message,
    NotRecordedError,
    RefusalError,
    Replay,
    Reply,
    Request,
    write_exchanges,
)
from evalplus_lite.models.recording import Recording, replay_samples, replay_seeds
from evalplus_lite.models.seeds import llm_seeds
from evalplus_lite.tasks import load_dataset

CHAT = Request(
    model="tiny",
    messages=(Message("system", "be brief"), Message("user", "naïve \U0001f600 \n?")),
    temperature=0.2,
    max_tokens=5,
    stop=("\n", "x"),
    schema="{}",
    index=2,
)
TEXT = Request(model="tiny", prompt="def f():")
REPLY = Reply(text="ja \u2028", prompt_tokens=3, completion_tokens=4, model="tiny-1", date="now")


def recorded(path: Path, *exchanges: Exchange) -> Path:
    write_exchanges(path, exchanges)
    return path


@pytest.mark.parametrize("name", ["replies.jsonl", "replies.jsonl.gz"])
def test_round_trip(tmp_path: Path, name: str) -> None:
    """What is written answers the same requests with the same replies, plain or packed."""
    path = recorded(tmp_path / name, Exchange(CHAT, REPLY), Exchange(TEXT, Reply(text="")))
    source = Replay(path)
    assert (source.model, len(source)) == ("tiny", 2)
    assert source.ask(CHAT) == REPLY
    assert source.ask(TEXT) == Reply(text="")
    assert (source.usage.requests, source.usage.recorded_tokens) == (0, 7)


def test_what_is_not_recorded_is_told(tmp_path: Path) -> None:
    """By words, key and file; the key depends on everything asked, and bytes repeat."""
    one = recorded(tmp_path / "1.jsonl.gz", Exchange(CHAT, REPLY))
    two = recorded(tmp_path / "2.jsonl.gz", Exchange(CHAT, REPLY))
    assert one.read_bytes() == two.read_bytes()
    changes = [
        {"model": "other"},
        {"messages": CHAT.messages[1:]},
        {"prompt": "p"},
        {"temperature": 0.3},
        {"max_tokens": 6},
        {"stop": ()},
        {"schema": None},
        {"index": 3},
    ]
    fields = {name: getattr(CHAT, name) for name in CHAT.__dataclass_fields__}
    keys = {CHAT.key, *(Request(**(fields | change)).key for change in changes)}
    assert len(keys) == len(changes) + 1
    assert TEXT.key == "d10f825f1945cf5b43002dbc9d4d701e80b52752d0832f7dfc65854ded2c6a97"
    path = recorded(tmp_path / "r.jsonl", Exchange(CHAT, REPLY))
    with pytest.raises(NotRecordedError, match=r"r\.jsonl.*def f") as caught:
        Replay(path).ask(TEXT)
    assert isinstance(caught.value, LLMError)
    assert TEXT.key[:12] in str(caught.value)
    path = recorded(tmp_path / "r.jsonl", Exchange(TEXT, Reply(text="", refusal="no")))
    with pytest.raises(RefusalError):
        Replay(path).ask(TEXT)
    other = Request(model="other", prompt="def f():")
    path = recorded(tmp_path / "r.jsonl", Exchange(TEXT, REPLY), Exchange(other, REPLY))
    with pytest.raises(LLMError, match="name the model"):
        Replay(path)
    assert Replay(path, model="other").model == "other"
    with pytest.raises(LLMError, match="third"):
        Replay(path, model="third")


@pytest.mark.parametrize(
    "damage",
    [
        lambda row: row.pop("reply"),
        lambda row: row["request"].update(prompt="def g():"),
        lambda row: row["request"].update(unknown=1),
        lambda row: row["reply"].update(usage=3),
        lambda row: row.update(request=[1]),
    ],
)
def test_damaged_row(tmp_path: Path, damage: object) -> None:
    """A row that is damaged or was edited is named by file and line."""
    row = Exchange(TEXT, REPLY).to_json()
    damage(row)  # type: ignore[operator] # a lambda of the table above
    path = tmp_path / "r.jsonl.gz"
    whole = json.dumps(Exchange(CHAT, REPLY).to_json())
    path.write_bytes(gzip.compress(f"{whole}\n{json.dumps(row)}\n".encode()))
    with pytest.raises(InputError, match=r"r\.jsonl\.gz:2"):
        Replay(path)


# The recorder, run as a person runs it, against a real server.

ROOT = Path(__file__).resolve().parents[2]


def record(*options: str) -> subprocess.CompletedProcess[str]:
    return captured(
        [sys.executable, "-m", "scripts.record", *options],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if not name.startswith("OPENAI_")},
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
