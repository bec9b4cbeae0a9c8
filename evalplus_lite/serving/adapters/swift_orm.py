"""ms-swift: ``--external_plugins FILE --reward_funcs evalplus_lite``; FILE imports this module."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from swift.rewards import ORM, orms

from evalplus_lite.serving.adapters.trainers import trl_reward


class CodeORM(ORM):
    """Earns what ``trl_reward`` says, by a column of ``trainers.KEYS``."""

    def __call__(self, completions: Sequence[Any], **columns: Any) -> list[float | None]:
        """Return a reward for each completion; None, which ms-swift leaves out, without one."""
        rewards: list[float | None] = trl_reward(completions, **columns)
        return rewards


orms["evalplus_lite"] = CodeORM
