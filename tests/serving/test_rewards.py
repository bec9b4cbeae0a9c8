"""Reward functions in the signatures of trainers, on the real sandbox and on a real server."""

from __future__ import annotations

import asyncio
import json
import math
import multiprocessing
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy
import pytest
from support.commands import environment, write_tasks

from evalplus_lite import InputError
from evalplus_lite.errors import EvidenceWarning, InfrastructureError
from evalplus_lite.serving.adapters import lm_eval, trainers
from evalplus_lite.serving.adapters.judge import JudgeSettings, configure, dataset_rows
from evalplus_lite.tasks.published.trainers import task_data, task_of

pytestmark = pytest.mark.filterwarnings("ignore:Own:evalplus_lite.errors.EvidenceWarning")
NUMBERS = range(20)
PAIRS = {"inputs": [f"{n}\n2" for n in NUMBERS], "outputs": [str(n + 2) for n in NUMBERS]}
ADD = json.dumps({**PAIRS, "fn_name": "add"})
RIGHT = "Here it is:\n```python\ndef add(a, b):\n    return a + b\n```\nDone."
METHOD = "```python\nclass Solution:\n    def add(self, a, b):\n        return a + b\n```"
HALF = "```python\ndef add(a, b):\n    return a + b if a < 10 else 0\n```"
LATE = "```python\ndef add(a, b):\n    while True:\n        pass\n```"
SUM = {"inputs": ["1 2\n", "3 4\n"], "outputs": ["3\n", "7\n"]}
SUMS = "```python\nprint(sum(map(int, input().split())))\n```"
NO_SERVER = "http://127.0.0.1:9"


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rewards")
    write_tasks(folder)
    both = {"id": "Both/0", "prompt": "", "entry_point": "f", "reference": "def f(x): return 2 * x"}
    for name, inputs in (("weak", [[0], [2]]), ("strong", [[0], [2], [3]])):
        (folder / f"{name}.jsonl").write_text(json.dumps({**both, "inputs": inputs}))
    return folder / "tasks.jsonl"


@pytest.fixture(scope="module", params=["here", "served"])
def place(request: pytest.FixtureRequest, tasks: Path) -> Iterator[JudgeSettings]:
    """Sandboxes of this process, and those of a server."""
    files = [str(tasks), *(str(tasks.with_name(f"{name}.jsonl")) for name in ("weak", "strong"))]
    if request.param == "here":
        yield JudgeSettings(tuple(files), workers=1)
        configure(None)
        return
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    command = [sys.executable, "-m", "evalplus_lite", "serve", "-w", "1", "--port", port]
    server = subprocess.Popen(
        [*command, *(word for file in files for word in ("-d", file))],
        env=environment(tasks.parent),
        stderr=subprocess.DEVNULL,
    )
    yield JudgeSettings(url=f"http://127.0.0.1:{port}")
    configure(None)
    server.terminate()
    server.wait()


@pytest.fixture(autouse=True)
def configured(place: JudgeSettings) -> None:
    configure(place)


def changed(place: JudgeSettings, **changes: Any) -> None:
    configure(replace(place, **changes))


def test_verl() -> None:
    """All 20 tests count: a program that is wrong on the last ten earns nothing."""
    answers = {RIGHT: 1.0, METHOD: 1.0, HALF: 0.0, "no program": 0.0}
    for answer, score in answers.items():
        found = trainers.verl_score("apps", answer, ADD, {"index": 1})
        assert found["score"] == score, answer
    assert trainers.verl_score("own", "def f(x): return x + x", "Own/0")["verdict"] == "pass"

    async def both() -> list[dict[str, Any]]:
        one, other = (
            trainers.async_verl_score("apps", RIGHT, ADD),
            trainers.async_verl_score("apps", SUMS, SUM),
        )
        return await asyncio.gather(one, other)

    assert [each["score"] for each in asyncio.run(both())] == [1.0, 1.0]


def test_two_data_sets_with_the_same_ids(tasks: Path, place: JudgeSettings) -> None:
    """What a harness loads names its data set: the first one does not judge for the second."""
    square = "def f(x): return x * x"
    found = {}
    for name in ("weak", "strong"):
        (doc,) = dataset_rows(str(tasks.with_name(f"{name}.jsonl")))
        (answers,) = lm_eval.build_answers([[square]], [doc])
        found[name] = lm_eval.pass_at_k([doc["tests"]], [answers])["pass@1"]
        score = trainers.verl_score("", square, {"task_id": "Both/0", "dataset": name})
        assert score["score"] == found[name]
    assert found == {"weak": 1.0, "strong": 0.0}
    with pytest.raises(InputError, match="other"):
        trainers.verl_score("", square, {"task_id": "Both/0", "dataset": "other"})
    if not place.url:
        with pytest.raises(InputError, match="weak and strong"):
            trainers.verl_score("", square, "Both/0")


def test_outputs_and_tolerances() -> None:
    """Lists of one item are unwrapped if all are; a tolerance is of its own assertion."""
    lists = {"fn_name": "g", "inputs": [[1], [2]], "outputs": [[0], [0, 1]]}
    texts = {"fn_name": "g", "inputs": [[1], [2]], "outputs": [["1"], ["2"]]}
    for tests, right in ((lists, "list(range(n))"), (texts, "str(n)")):
        program = f"def g(n): return {right}"
        assert trainers.verl_score("", program, json.dumps(tests))["score"] == 1.0
        assert trainers.verl_score("", "def g(n): return n", tests)["score"] == 0.0
    tests = ["x = 2\nassert abs(f(x) - 1000) < 100", "assert f(1) == 1.0", "assert f(3) == 0.25"]
    for program, score in (("{1: 51.0, 2: 1000, 3: 0.0}", 0.0), ("{1: 1, 2: 950, 3: 0.25}", 1.0)):
        answer = f"def f(x): return {program}[x]"
        assert trainers.verl_score("", answer, tests)["score"] == score
    info = {"language": "python", "test_cases": [{"input": "1\n", "output": "1\n2\n"}]}
    answers = ["```python\nprint(1)\nprint(2)\n```", "```python\nprint(1)\n```"]
    completions = [[{"role": "assistant", "content": text}] for text in answers]
    assert trainers.trl_reward(completions, verification_info=[info, info]) == [1.0, 0.0]
    with pytest.raises(InputError, match="javascript"):
        trainers.trl_reward(completions, verification_info=[{**info, "language": "javascript"}] * 2)
    case: dict[str, Any] = {
        "output": "3",
        "testtype": "functional",
        "metadata": {"func_name": "add"},
    }
    info = {"ground_truth": [{"input": "1\n2", **case}]}
    assert trainers.rllm_reward(info, RIGHT).is_correct
    case["metadata"] = '{"func_name": "add"}'  # as published
    assert trainers.rllm_reward({"ground_truth": [{"input": "1\n2", **case}]}, RIGHT).is_correct
    earned = trainers.rubric_reward([{"role": "assistant", "content": RIGHT}], answer=ADD, info={})
    assert asyncio.run(earned) == 1.0


def test_share_and_penalties(place: JudgeSettings) -> None:
    """A share is of all tests, whatever the assertions in each; penalties go by verdict."""
    changed(place, reward="share", penalties={"timeout": 0.25})
    assert trainers.verl_score("apps", HALF, ADD)["score"] == 0.5
    assert trainers.verl_score("apps", RIGHT, ADD)["score"] == 1.0
    tests = ["assert add(1, 2) == 3\nassert add(20, 2) == 22", "assert add(2, 2) == 4"]
    assert trainers.areal_reward("", HALF, [], [], tests=tests) == 0.5
    late = {"inputs": ["1\n2"], "outputs": ["3"], "fn_name": "add"}
    assert trainers.areal_reward("", LATE, [], [], input_output=json.dumps(late)) == -0.25


def test_trl() -> None:
    """A list of rewards; None for a task that cannot be found, and a warning that says so."""
    messages = [[{"role": "assistant", "content": "def f(x): return x + x"}]] * 2
    with pytest.warns(EvidenceWarning, match="no reward"):
        found = trainers.trl_reward(
            prompts=["", ""], completions=messages, completion_ids=[[], []], task_id=["Own/0", "?"]
        )
    assert found == [1.0, None]
    with pytest.raises(InputError, match=r"\?"):
        trainers.trl_reward(completions=messages, task_id=["?", "?"])
    with pytest.raises(InputError, match="do not say"):
        trainers.trl_reward(completions=messages, other=[1, 2])
    tests = [["assert add(1, 2) == 3"], ["assert add(1, 2) == 4"]]
    found = asyncio.run(trainers.async_trl_reward(completions=[RIGHT, RIGHT], tests=tests))
    assert found == [1.0, 0.0]


def test_answers_of_every_shape() -> None:
    """Messages in every form, and code that is followed by its use, are judged; what is no answer
    has no verdict, as a 0 would say that it is wrong."""
    call = "print(add(1, 2))"
    shapes: dict[float | None, list[Any]] = {
        1.0: [
            RIGHT, {"content": RIGHT}, [{"content": "?"}, {"content": RIGHT}],
            [{"content": [{"type": "text", "text": RIGHT}]}], f"{RIGHT}\n```python\n{call}\n```",
            f"```python\n{call}\n```\n{RIGHT}",
        ],
        0.0: ["", [], [{"content": ""}], [{"content": None}], "```python\n\x00```"],
        None: [None, 5, math.nan, b"def f(): pass", [None], [1, 2, 3], {}, object()],
    }  # fmt: skip
    answers = [each for shape in shapes.values() for each in shape]
    tests = [["assert add(1, 2) == 3", "assert add(3, 4) == 7"]] * len(answers)
    with pytest.warns(EvidenceWarning, match="a completion is a"):
        found = trainers.trl_reward(completions=answers, tests=tests)
    assert found == [earned for earned, shape in shapes.items() for _ in shape]
    with pytest.raises(InputError, match="completion"):
        trainers.areal_reward("", [1, 2], [], [], tests=tests[0])


def test_shapes_of_rows(tasks: Path) -> None:
    """MBPP's numbers, Parquet's arrays, slime's samples: judged by their own tests."""
    rows = numpy.array(["assert add(1, 2) == 3", "assert add(3, 4) == 7"], dtype=object)
    for column in (rows, rows.tolist()):
        columns = {"task_id": [601, 602], "test_list": [column, column], "id": [1, 2]}
        assert trainers.trl_reward([RIGHT, HALF], **columns) == [1.0, 1.0]
    calls = {"fn_name": "add", "inputs": numpy.array([[1, 2], [3, 4]]), "outputs": numpy.ones(2)}
    assert trainers.verl_score("", "def add(a, b): return 1", calls)["score"] == 1.0
    cases = numpy.array([{"input": "1 2", "output": "3"}], dtype=object)
    assert trainers.areal_reward("", SUMS, [], [], input_output=cases) == 1.0
    sample = SimpleNamespace(response=RIGHT, label="-", metadata={"tests": rows, "id": 7})
    assert asyncio.run(trainers.slime_reward(None, sample)) == 1.0
    with pytest.raises(InputError, match="do not say"):
        trainers.areal_reward("", RIGHT, [], [], task_id=601)
    rows = [
        ("def f(x): return x + x", "Own/0", {}),
        (HALF, "-", {"tests": ADD}),
        (RIGHT, ADD, None),
    ]
    samples = [SimpleNamespace(response=a, label=b, metadata=c) for a, b, c in rows]
    assert asyncio.run(trainers.slime_reward(None, samples)) == [1.0, 0.0, 1.0]
    assert asyncio.run(trainers.slime_reward(None, samples[1])) == 0.0


def _in_child(queue: Any) -> None:
    queue.put(trainers.verl_score("apps", RIGHT, ADD)["score"])


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_worker() -> None:
    """A process forked after the first verdict has verdicts as well, as trainers' workers are."""
    assert trainers.verl_score("apps", RIGHT, ADD)["score"] == 1.0
    fork = multiprocessing.get_context("fork")
    queue = fork.Queue()
    child = fork.Process(target=_in_child, args=(queue,))
    child.start()
    assert queue.get(timeout=60) == 1.0
    child.join()


def test_trouble_is_no_reward(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no server answers there is None or an error; settings come by the environment."""
    monkeypatch.setattr("evalplus_lite.serving.adapters.judge.TRIES", 1)
    configure(JudgeSettings(url=NO_SERVER))
    with pytest.raises(InfrastructureError):
        trainers.verl_score("apps", RIGHT, ADD)
    with pytest.warns(EvidenceWarning, match="no verdict"):
        assert trainers.trl_reward([RIGHT], tests=[["assert add(1, 2) == 3"]]) == [None]
    names = {"DATASET": f"a{os.pathsep}b", "WORKERS": "3", "PENALTIES": "timeout=0.1, error=1"}
    found = JudgeSettings.from_environment({f"EVALPLUS_LITE_{k}": v for k, v in names.items()})
    assert found.datasets == ("a", "b")
    assert found.workers == 3
    assert found.penalties == {"timeout": 0.1, "error": 1.0}
    for wrong in ({"WORKERS": "x"}, {"PENALTIES": "infra=1"}, {"REWARD": "half"}):
        with pytest.raises(InputError):
            JudgeSettings.from_environment({f"EVALPLUS_LITE_{k}": v for k, v in wrong.items()})
    assert trainers.reply_in(f"Add.{RIGHT}<|im_end|>\n</s> ", "Add.") == RIGHT
    assert trainers.reply_in("Add.<eos>", "Add.") == ""
    with pytest.raises(InputError, match="prompt"):
        trainers.reply_in(RIGHT, "Add. ```python\ndef add(a, b): return a + b\n```")


NO_TESTS: list[Any] = [
    "{",
    {"inputs": 5, "outputs": 5},
    [],
    [1],
    [{"input": "1"}],
    5,
    "[1,",
    ["assert f("],
]
NESTED: list[Any] = []
for _ in range(5000):
    NESTED = [NESTED]
NO_TESTS.append(NESTED)
NO_TESTS.append([{"input": "1", "output": "2", "testtype": "functional", "metadata": "{}"}])
NO_TESTS.append({"inputs": [{1: object()}], "outputs": [1], "fn_name": "f"})


@pytest.mark.parametrize("tests", NO_TESTS)
def test_data_that_says_no_tests(tests: Any) -> None:
    """What cannot be read as tests is an InputError, whatever it is."""

    def read() -> None:
        found = task_data(tests)
        task_of(found.form, found.data)

    with pytest.raises(InputError):
        read()


@pytest.mark.parametrize("text", [" ", "<eos>", "<|a|> ", "<|" + "a" * 39, "|>"])
def test_a_hostile_reply_costs_linear_time(text: str) -> None:
    """No reply of white space and marks keeps a trainer waiting."""
    reply = text * (2_000_000 // len(text)) + "x"
    assert trainers.reply_in(f"Add.{reply}", "Add.") == reply
