"""rLLM: a reward function ``(task_info, action) -> RewardOutput``, with all tests, not 15."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from evalplus_lite.errors import InputError
from evalplus_lite.serving.adapters.rewards import judged, reward

KEYS = ("task_id", "tests", "ground_truth")


@dataclass(slots=True, kw_only=True)
class RewardOutput:
    """rLLM's record of the name, for where rLLM is not installed."""

    reward: float
    is_correct: bool
    metadata: dict[str, Any] = field(default_factory=dict)


def code_reward_fn(task_info: Mapping[str, Any], action: Any) -> Any:
    """Return the reward of an action, judged by ``task_id``, ``tests`` or ``ground_truth``; raises
    InfrastructureError where there is no verdict."""
    tests = next((task_info[key] for key in KEYS if task_info.get(key) is not None), None)
    if tests is None:
        raise InputError("task_info does not say the tests", remedy=f"one of {', '.join(KEYS)}")
    found = judged(tests, getattr(action, "action", action))
    about = {"verdict": found.verdict, "detail": found.detail}
    return _record()(reward=reward(found), is_correct=bool(found.passed), metadata=about)


def _record() -> Any:
    try:
        record = import_module("rllm.rewards.reward_types").RewardOutput
    except ImportError:
        return RewardOutput
    # Versions before it had metadata are given none.
    if "metadata" in getattr(record, "__dataclass_fields__", {}):
        return record
    return lambda **fields: record(**{k: v for k, v in fields.items() if k != "metadata"})
