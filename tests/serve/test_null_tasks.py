"""Tasks in requests that a program passes without knowing the answer."""

from __future__ import annotations

from serve.conftest import Running

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


def test_a_guessable_task_has_no_verdict(server: Running) -> None:
    """It is unusable, with that cause: no program is passed, and none is failed."""
    program = "def task_func(x): return x * 2"
    response = server.client.post("/v1/verify", json={"task": ROW, "program": program})
    assert response.status_code == 422
    assert response.json()["error"]["kind"] == "unusable"
    assert "skips its tests" in response.json()["error"]["message"]


def test_a_weak_task_says_so(server: Running) -> None:
    """In a note beside the verdict."""
    task = {"id": "W/0", "prompt": "", "entry_point": "f", "inputs": [[1], [2]], "outputs": [1, 2]}
    body = {"task": task, "program": "def f(x): return x"}
    (verdict,) = server.client.post("/v1/verify", json=body).json()["verdicts"]
    assert verdict["passed"] is True
    assert any("returns its first argument" in note for note in verdict["notes"])
