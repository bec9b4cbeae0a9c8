"""Exchanges in files, and the source that answers from them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

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


def test_same_bytes(tmp_path: Path) -> None:
    """The same exchanges give the same file."""
    one = recorded(tmp_path / "1.jsonl.gz", Exchange(CHAT, REPLY))
    two = recorded(tmp_path / "2.jsonl.gz", Exchange(CHAT, REPLY))
    assert one.read_bytes() == two.read_bytes()


def test_key_depends_on_everything_asked() -> None:
    """Any change of a request changes its key; the key itself is the same for ever."""
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


def test_not_recorded(tmp_path: Path) -> None:
    """A request that was never recorded is told by its words, key and file."""
    path = recorded(tmp_path / "r.jsonl", Exchange(CHAT, REPLY))
    with pytest.raises(NotRecordedError, match=r"r\.jsonl.*def f") as caught:
        Replay(path).ask(TEXT)
    assert isinstance(caught.value, LLMError)
    assert TEXT.key[:12] in str(caught.value)


def test_recorded_refusal(tmp_path: Path) -> None:
    """A recorded refusal is one again."""
    path = recorded(tmp_path / "r.jsonl", Exchange(TEXT, Reply(text="", refusal="no")))
    with pytest.raises(RefusalError):
        Replay(path).ask(TEXT)


def test_several_models(tmp_path: Path) -> None:
    """A file of several models needs the name of one."""
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
