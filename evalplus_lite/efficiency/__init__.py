"""Efficiency: how much work right programs do as inputs grow, counted, on checked answers."""

from evalplus_lite.efficiency.job import EfficiencyResult, efficiency

__all__ = ["EfficiencyResult", "efficiency"]
