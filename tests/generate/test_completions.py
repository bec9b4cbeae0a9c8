"""Samples from a model: drawn over a real server, kept, resumed and replayed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evalplus_lite.errors import InputError, LLMError
from evalplus_lite.models import Cache, Client
from evalplus_lite.models.completions import (
    MOST_FAILURES,
    Sampling,
    draws,
    generate,
    precondition_words,
)
from evalplus_lite.store import read_jsonl
from evalplus_lite.types import Task

CONTRACT = '''"""Why."""

import math


def precondition(n):
    assert n > 0, "n must be positive"


def check(inputs, output, expected):
    return True
'''


def task(number: int, **changes: Any) -> Task:
    return Task(
        id=f"t/{number}",
        prompt=f'def f{number}(n):\n    """Return n + {number}."""\n',
        entry_point=f"f{number}",
        reference=f"def f{number}(n):\n    return n + {number}\n",
        **changes,
    )


TASKS = [task(0), task(1)]


def client(server: Any, cache: Path | None = None) -> Client:
    return Client(
        "tiny",
        base_url=server.url,
        concurrency=3,
        retries=1,
        cache=None if cache is None else Cache(cache),
    )


def upper(_: Task, text: str) -> str:
    return text.upper()


def rows(path: Path) -> list[dict[str, Any]]:
    return [row.data for row in read_jsonl(path)]


def test_chat_samples(model_server: Any, tmp_path: Path) -> None:
    """Every task gets its samples at every temperature, one where greedy, in order."""
    model_server.answers.append(
        lambda asked: model_server.chat(f"{asked['temperature']}x{asked['seed']}")
    )
    path = tmp_path / "samples.jsonl"
    sampling = Sampling(count=2, temperatures=(0.0, 0.8))
    assert sampling.per_task == 3
    assert generate(TASKS, client(model_server), sampling, path=path, extract=upper).new == 6
    found = rows(path)
    assert [(row["task_id"], row["index"], row["raw"]) for row in found] == [
        (f"t/{number}", index, raw)
        for number in range(2)
        for index, raw in enumerate(["0.0x0", "0.8x0", "0.8x1"])
    ]
    first = found[0]
    assert first["solution"] == "0.0X0"
    assert first["usage"] == {"prompt_tokens": 7, "completion_tokens": 5}
    assert (first["model"], first["temperature"], first["finish"]) == ("tiny", 0.0, "stop")
    assert len(first["prompt_hash"]) == 64
    assert first["date"]
    assert TASKS[0].prompt.strip() in model_server.asked[0]["messages"][0]["content"]


def test_completion_samples(model_server: Any, tmp_path: Path) -> None:
    """A completion continues the prompt and ends at the first stop string, sent or not."""
    model_server.says("    return n\n\ndef other():\n    pass\n")
    path = tmp_path / "samples.jsonl"
    generate(
        TASKS[:1], client(model_server), Sampling(endpoint="completion"), path=path, extract=upper
    )
    assert rows(path)[0]["completion"] == "    return n\n"
    assert model_server.asked[0]["prompt"] == TASKS[0].prompt
    assert "\ndef " in model_server.asked[0]["stop"]


def test_completion_of_a_standalone_task(model_server: Any, tmp_path: Path) -> None:
    """Where a completion stands alone it is a solution."""
    model_server.says("def f0(n): return n")
    path = tmp_path / "samples.jsonl"
    sampling = Sampling(endpoint="completion", stop=())
    generate([task(0, style="solution")], client(model_server), sampling, path=path, extract=upper)
    assert rows(path)[0]["solution"] == "def f0(n): return n"
    assert "stop" not in model_server.asked[0]


@pytest.mark.parametrize("endpoint", ["chat", "completion"])
def test_contracts_shown(endpoint: Any) -> None:
    """The precondition is in the prompt where it is asked for, and its checker never."""
    with_contract = task(0, contract=CONTRACT)
    for contracts in ("shown", "hidden"):
        sampling = Sampling(endpoint=endpoint, contracts=contracts)  # type: ignore[arg-type] # literals
        request = next(draws([with_contract], sampling, model="tiny")).request
        text = request.messages[0].content if request.messages else request.prompt or ""
        assert ("n must be positive" in text) == (contracts == "shown")
        assert "check" not in text.replace("need not check it", "")


def test_contract_in_a_completion_prompt_is_a_comment() -> None:
    """A completion prompt stays a program's beginning that the completion can follow."""
    sampling = Sampling(endpoint="completion", contracts="shown")
    request = next(draws([task(0, contract=CONTRACT)], sampling, model="tiny")).request
    compile(f"{request.prompt}    return n\n", "prompt", "exec")


@pytest.mark.parametrize("contract", ["", "def check(i, o, e): return True", "def ("])
def test_no_precondition(contract: str) -> None:
    """A contract without a precondition has no words to show."""
    assert precondition_words(contract) is None


def test_resume(model_server: Any, tmp_path: Path) -> None:
    """After a kill in mid-write only what is missing is drawn, and the file ends up the same."""
    model_server.answers.append(lambda asked: model_server.chat(str(asked["seed"])))
    path = tmp_path / "samples.jsonl"
    sampling = Sampling(count=3)
    generate(TASKS, client(model_server), sampling, path=path, extract=upper)
    whole = rows(path)
    lines = path.read_bytes().splitlines(keepends=True)
    for cut in (0, 5, 60):
        path.write_bytes(lines[0][:cut])
        generate(TASKS, client(model_server), sampling, path=path, extract=upper)
        assert len(rows(path)) == len(whole)
    path.write_bytes(b"".join(lines[:4]) + lines[4][:20])
    asked = len(model_server.asked)
    seen: list[dict[str, Any]] = []
    drawn = generate(
        TASKS, client(model_server), sampling, path=path, extract=upper, progress=seen.append
    )
    assert (drawn.new, len(seen), len(model_server.asked) - asked) == (2, 2, 2)
    again = rows(path)
    for row in (*whole, *again):
        row.pop("date")
    assert again == whole


def test_resume_with_other_settings(model_server: Any, tmp_path: Path) -> None:
    """Samples of other settings are not mixed in."""
    model_server.says("x")
    path = tmp_path / "samples.jsonl"
    generate(TASKS, client(model_server), Sampling(), path=path, extract=upper)
    with pytest.raises(InputError, match="another model, prompt or settings"):
        generate(TASKS, client(model_server), Sampling(max_tokens=9), path=path, extract=upper)


OTHERS = '{"task_id": "t/0", "solution": "x"}'


@pytest.mark.parametrize(
    "text",
    [
        *('{"hello": 1}\n', "hello", "[\n1\n]", f"{OTHERS}\n{OTHERS}", OTHERS),
        *(OTHERS.replace(" ", ""), f"\n{OTHERS}\n{{", '{"task_id":1}\n{'),
    ],
)
def test_other_file(model_server: Any, tmp_path: Path, text: str) -> None:
    """A file that holds something else is left as it is, to its last line."""
    path = tmp_path / "samples.jsonl"
    path.write_text(text)
    with pytest.raises(InputError, match=r"samples\.jsonl:[12]"):
        generate(TASKS, client(model_server), Sampling(), path=path, extract=upper)
    assert path.read_text() == text


def test_others_rows_after_ones_own(model_server: Any, tmp_path: Path) -> None:
    """They are named, and the last one is not taken for what a kill left."""
    model_server.says("x")
    path = tmp_path / "samples.jsonl"
    generate(TASKS, client(model_server), Sampling(), path=path, extract=upper)
    path.write_text(text := path.read_text() + OTHERS)
    with pytest.raises(InputError, match=r"samples\.jsonl:3"):
        generate(TASKS, client(model_server), Sampling(), path=path, extract=upper)
    assert path.read_text() == text


def test_refusal_is_a_sample(model_server: Any, tmp_path: Path) -> None:
    """A refused request is an empty sample with its reason, and the run goes on."""
    model_server.answers.append(model_server.chat("", refusal="I must not."))
    model_server.says("fine")
    path = tmp_path / "samples.jsonl"
    source = Client("tiny", base_url=model_server.url, concurrency=1)
    generate(TASKS, source, Sampling(), path=path, extract=upper)
    first, second = rows(path)
    assert (first["solution"], first["finish"]) == ("", "refused")
    assert "I must not." in first["error"]
    assert second["solution"] == "FINE"


def test_cut_off_is_a_sample(model_server: Any, tmp_path: Path) -> None:
    """A sample that reached the token limit is kept, and says so."""
    model_server.answers.append(model_server.chat("def f", finish="length"))
    path = tmp_path / "samples.jsonl"
    generate(TASKS[:1], client(model_server), Sampling(), path=path, extract=upper)
    assert (rows(path)[0]["solution"], rows(path)[0]["finish"]) == ("DEF F", "length")


def test_broken_server_loses_nothing(model_server: Any, tmp_path: Path) -> None:
    """When the server fails, what was drawn stays, and a later run goes on from there."""
    model_server.says("x", "x")
    model_server.fails(401, "key expired")
    path = tmp_path / "samples.jsonl"
    source = Client("tiny", base_url=model_server.url, concurrency=1)
    with pytest.raises(LLMError, match="key expired"):
        generate(TASKS, source, Sampling(count=2), path=path, extract=upper)
    assert len(rows(path)) == 2
    model_server.answers.clear()
    model_server.says("y")
    assert generate(TASKS, source, Sampling(count=2), path=path, extract=upper).new == 2


def test_failures_between_samples_do_not_end_a_run(model_server: Any, tmp_path: Path) -> None:
    """However many there are: only those in a row say that the server is of no use."""
    for _ in range(MOST_FAILURES + 1):
        model_server.fails(500, "out of memory")
        model_server.says("x")
    source = Client("tiny", base_url=model_server.url, concurrency=1, retries=0)
    sampling = Sampling(count=MOST_FAILURES + 1)
    drawn = generate(TASKS, source, sampling, path=tmp_path / "samples.jsonl", extract=upper)
    assert (drawn.new, drawn.failed) == (MOST_FAILURES + 1, MOST_FAILURES + 1)


def test_a_task_that_is_too_long_is_skipped(model_server: Any, tmp_path: Path) -> None:
    """However many samples are requested of it: the server works, and the others are drawn."""
    for _ in range(MOST_FAILURES + 1):
        model_server.fails(400, "exceeds the context size", "exceed_context_size_error")
    model_server.says("x")
    source = Client("tiny", base_url=model_server.url, concurrency=1)
    sampling = Sampling(count=MOST_FAILURES + 1, temperatures=(0.8,))
    drawn = generate(TASKS, source, sampling, path=tmp_path / "samples.jsonl", extract=upper)
    assert (drawn.new, drawn.failed) == (MOST_FAILURES + 1, MOST_FAILURES + 1)
    assert drawn.too_long == [TASKS[0].id]


@pytest.mark.parametrize(
    "options",
    [
        {"count": 0},
        {"max_tokens": 0},
        {"temperatures": ()},
        {"temperatures": (-0.1,)},
        {"temperatures": (0.2, 0.2)},
        {"temperatures": (float("nan"),)},
    ],
)
def test_impossible_sampling(options: dict[str, Any]) -> None:
    """What cannot be drawn is refused at once."""
    with pytest.raises(InputError):
        Sampling(**options)
