"""AReaL: ``reward_fn`` of a workflow, called in a pool of processes; each has sandboxes of its own,
or all ask one server (``EVALPLUS_LITE_URL``)."""

from __future__ import annotations

from typing import Any

from evalplus_lite.errors import InputError
from evalplus_lite.serving.adapters.rewards import judged, reward

KEYS = ("task_id", "tests", "input_output", "ground_truth", "answer")


def code_reward_fn(
    prompt: Any, completions: Any, prompt_ids: Any, completion_ids: Any, **data: Any
) -> float:
    """Return the reward of one completion, judged by the data's ``task_id``, ``tests`` or
    ``input_output``; raises InfrastructureError where there is no verdict, and AReaL tries again.

    Give ``AsyncRewardWrapper`` a ``timeout_seconds`` of minutes: it makes its own time-outs a 0.
    """
    tests = next((data[key] for key in KEYS if data.get(key) is not None), None)
    if tests is None:
        raise InputError("the data does not say the tests", remedy=f"one of {', '.join(KEYS)}")
    found = reward(judged(tests, completions))
    assert found is not None
    return found
