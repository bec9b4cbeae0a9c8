"""verl: ``reward.custom_reward_function.path=pkg://evalplus_lite.serving.adapters.verl``.

``name`` is ``compute_score``, or ``acompute_score`` for the asynchronous one.
"""

from __future__ import annotations

from typing import Any

from evalplus_lite.serving.adapters.judge import Judgement
from evalplus_lite.serving.adapters.rewards import ajudged, judged, reward


def compute_score(
    data_source: str, solution_str: str, ground_truth: Any, extra_info: Any = None, **_: Any
) -> dict[str, Any]:
    """Return ``score``, and beside it the verdict, for verl's metrics.

    ``ground_truth`` is a task's id, or tests: JSON with ``inputs`` and ``outputs`` (and ``fn_name``
    of a function) or ``assert_case``, all of which count. Raises InfrastructureError where there is
    no verdict, as a score of 0 would be one.
    """
    return _row(judged(ground_truth, solution_str))


async def acompute_score(
    data_source: str, solution_str: str, ground_truth: Any, extra_info: Any = None, **_: Any
) -> dict[str, Any]:
    """Return what ``compute_score`` does, without blocking the reward worker's event loop."""
    return _row(await ajudged(ground_truth, solution_str))


def _row(found: Judgement) -> dict[str, Any]:
    return {"score": reward(found), "acc": float(bool(found.passed)), "verdict": found.verdict}
