"""verifiers: a reward for a rubric (before 0.4), and for the tasks of version 0.4."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evalplus_lite.errors import InputError
from evalplus_lite.serving.adapters.rewards import ajudged, reward

KEYS = ("task_id", "tests", "verification_info", "id")


async def code_reward(completion: Any, answer: Any = None, info: Any = None, **_: Any) -> float:
    """Return what a completion earns, for ``vf.Rubric(funcs=[code_reward])``.

    Judged by ``task_id`` or ``tests`` of ``info``, else by ``answer``: a task's id, or tests.
    Raises InfrastructureError where there is no verdict.
    """
    tests = _tests(info) if isinstance(info, Mapping) else None
    return await _earned(answer if tests is None else tests, completion)


async def passed(task: Any, trace: Any) -> float:
    """Return what a trace's last reply earns, as a reward of a ``vf.Task`` (0.4).

    Set ``rewards.passed.fn = "evalplus_lite.serving.adapters.verifiers:passed"``, or call it in a
    method with ``@vf.reward``. The task's data has ``tests``, or a task's ``id``.
    """
    data = task.model_dump() if hasattr(task, "model_dump") else vars(task)
    return await _earned(_tests(data), trace.last_reply)


def _tests(data: Mapping[str, Any]) -> Any:
    found = next((data[key] for key in KEYS if data.get(key)), None)
    return found["test_cases"] if isinstance(found, Mapping) and "test_cases" in found else found


async def _earned(tests: Any, answer: Any) -> float:
    if not tests:
        raise InputError("the task does not say the tests", remedy="give task_id or tests")
    found = reward(await ajudged(tests, answer))
    assert found is not None
    return found
