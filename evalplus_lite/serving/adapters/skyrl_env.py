"""SkyRL: an environment with one turn.

    register(id="evalplus_lite", entry_point="evalplus_lite.serving.adapters.skyrl_env:CodeEnv")

with ``register`` from ``skyrl_gym.envs``; each row of the data names it as its ``env_class``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput

from evalplus_lite.serving.adapters.trainers import judged, reward, tests_in


class CodeEnv(BaseTextEnv):
    """Judges one answer by the row's ``reward_spec.ground_truth`` or another key with tests."""

    def __init__(self, env_config: Any = None, extras: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        data = extras or {}
        self.tests = tests_in(data.get("reward_spec") or data)

    def step(self, action: str) -> BaseTextEnvStepOutput:
        """Return the reward of an answer; raise if there is no verdict."""
        judgement = judged(self.tests, action)
        return BaseTextEnvStepOutput(
            observations=[],
            reward=reward(judgement),
            done=True,
            metadata={"verdict": judgement.verdict, "detail": judgement.detail},
        )
