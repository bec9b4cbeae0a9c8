"""Efficiency: the counted work of right programs on growing inputs, with checked answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalplus_lite.lazy import lazily

if TYPE_CHECKING:
    from evalplus_lite.efficiency.explanation import explain as explain
    from evalplus_lite.efficiency.job import EfficiencyResult as EfficiencyResult
    from evalplus_lite.efficiency.job import efficiency as efficiency
    from evalplus_lite.efficiency.reward import EfficiencyReward as EfficiencyReward

__all__, __getattr__, __dir__ = lazily(__name__)
