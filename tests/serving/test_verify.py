"""The server's own protocol: verdicts on tasks that it has, and on tasks that come along."""

from __future__ import annotations

import json
from typing import Any

import pytest
from serving.conftest import TASKS, Running

RIGHT, WRONG = "def double(x): return x + x", "def double(x): return x * x"
TEST = """
import unittest

class TestCases(unittest.TestCase):
    def test_it(self):
        try:
            task_func(2)
        except Exception:
            pass
"""
ROW = {
    "task_id": "BigCodeBench/0",
    "complete_prompt": "def task_func(x):\n",
    "instruct_prompt": "",
    "canonical_solution": "    return x * 2\n",
    "code_prompt": "def task_func(x):\n",
    "test": TEST,
    "entry_point": "task_func",
    "doc_struct": "{}",
    "libs": "[]",
}
INLINE = {
    "id": "Mine/0",
    "prompt": "",
    "entry_point": "f",
    "inputs": [[1], [2]],
    "outputs": [2, 3],
}


def verdicts(server: Running, **body: Any) -> list[dict[str, Any]]:
    response = server.client.post("/v1/verify", json=body)
    assert response.status_code == 200, response.text
    found = response.json()
    assert found["tier"]
    assert found["version"] == response.headers["evalplus-lite-version"]
    rows: list[dict[str, Any]] = found["verdicts"]
    return rows


def test_a_task_of_a_loaded_data_set(server: Running) -> None:
    """Verdicts come in the programs' order, with the case that decided; limits are as asked for."""
    right, wrong, late = verdicts(
        server, task="Own/double", programs=[RIGHT, WRONG, "def double(x): 1 / 0"]
    )
    assert (right["passed"], right["failure"]) == (True, None)
    assert (wrong["passed"], wrong["base"]) == (False, "fail")
    assert wrong["failure"]["case"] == 0
    assert late["base"] == "error"
    assert [each["index"] for each in (right, wrong, late)] == [0, 1, 2]
    slow = "def double(x):\n    while x == 2: pass\n    return 2 * x"
    (found,) = verdicts(
        server, task="Own/double", program=slow, details=True, limits={"seconds": 0.2}
    )
    assert found["details"] == ["pass", "timeout", "pass"]
    found = server.client.get("/healthz").json()
    assert (found["status"], found["ready"]) == ("ok", 2)
    assert found["datasets"] == {"tasks": len(TASKS)}


def test_a_task_that_comes_with_the_request(server: Running) -> None:
    """Judged by its outputs or reference; items without a task keep no other from a verdict."""
    found = verdicts(
        server, task=INLINE, programs=["def f(x): return x + 1", "f = abs"], explain=True
    )
    assert [each["passed"] for each in found] == [True, False]
    assert found[1]["failure"]["input"] == [1]
    assert found[1]["failure"]["expected"] == 2
    assert found[1]["failure"]["actual"] == 1
    (again,) = verdicts(server, task={**INLINE, "outputs": [3, 4]}, program="def f(x): return x+2")
    assert again["passed"]  # of the same name, and yet another task
    answer = f"Sure!\n```python\n{RIGHT}\n```\nThat is all."
    found = verdicts(
        server,
        items=[
            {"task": "Own/double", "program": answer},
            {"task": "Own/none", "program": answer},
            {"task": "Own/blind", "program": answer},
            {"task": INLINE, "program": "```\ndef f(x):\n    return x + 1\n```"},
        ],
        chat=True,
    )
    assert [each["passed"] for each in found] == [True, None, None, True]
    assert [each["error"]["kind"] for each in found[1:3]] == ["unknown", "unusable"]


def test_lines_come_as_verdicts_do(server: Running) -> None:
    """The last says so; what was judged before is answered from the store."""
    body = {"task": "Own/double", "programs": [RIGHT, WRONG] * 3, "stream": True}
    with server.client.stream("POST", "/v1/verify", json=body) as response:
        assert response.headers["content-type"] == "application/x-ndjson"
        rows = [json.loads(line) for line in response.iter_lines()]
    *found, last = rows
    assert last["done"]
    assert last["count"] == 6
    by_index = {row["index"]: row["passed"] for row in found}
    assert [by_index[n] for n in range(6)] == [True, False] * 3
    program = "def double(x): return 2 * x  # once more"
    (first,) = verdicts(server, task="Own/double", program=program)
    (second,) = verdicts(server, task="Own/double", program=program)
    assert (first["stored"], second["stored"]) == (False, True)
    assert second["passed"]
    text = server.client.get("/metrics").text
    assert "evalplus_lite_store_hits_total" in text
    assert 'evalplus_lite_verdicts_total{verdict="pass"}' in text


@pytest.mark.parametrize(
    ("body", "status", "kind"),
    [
        ({"task": "Own/none", "program": RIGHT}, 404, "unknown"),
        ({"task": "Own/double", "dataset": "other", "program": RIGHT}, 404, "unknown"),
        ({"task": "Own/blind", "program": RIGHT}, 422, "unusable"),
        ({"task": {**INLINE, "outputs": [1]}, "program": RIGHT}, 422, "input"),
        ({"task": {"what": 1}, "program": RIGHT}, 422, "input"),
        ({"task": "Own/double"}, 422, "input"),
        ({"task": "Own/double", "programs": []}, 422, "input"),
        ({"task": "Own/double", "program": RIGHT, "limit": 1}, 422, "input"),
        ({"task": "Own/double", "program": RIGHT, "limits": {"seconds": 1e9}}, 422, "input"),
        ({"task": "Own/double", "program": 7}, 422, "input"),
        ([], 422, "input"),
    ],
)
def test_what_cannot_be_judged_is_no_verdict(
    server: Running, body: Any, status: int, kind: str
) -> None:
    """A mistake has a status and a sentence; none of it looks like a program that failed."""
    response = server.client.post("/v1/verify", json=body)
    assert (response.status_code, response.json()["error"]["kind"]) == (status, kind)
    assert "verdicts" not in response.json()


def test_a_weak_task_says_so(server: Running) -> None:
    """In a note; a guessable one is unusable: no program is passed, and none is failed."""
    program = "def task_func(x): return x * 2"
    response = server.client.post("/v1/verify", json={"task": ROW, "program": program})
    assert response.status_code == 422
    assert response.json()["error"]["kind"] == "unusable"
    assert "skips its tests" in response.json()["error"]["message"]
    task = {"id": "W/0", "prompt": "", "entry_point": "f", "inputs": [[1], [2]], "outputs": [1, 2]}
    body = {"task": task, "program": "def f(x): return x"}
    (verdict,) = server.client.post("/v1/verify", json=body).json()["verdicts"]
    assert verdict["passed"] is True
    assert any("returns its first argument" in note for note in verdict["notes"])
