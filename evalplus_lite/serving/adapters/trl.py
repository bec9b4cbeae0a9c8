"""TRL and open-r1: reward functions for ``GRPOTrainer(reward_funcs=...)``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evalplus_lite.errors import InputError
from evalplus_lite.serving.adapters.rewards import arewards, rewards

COLUMNS = ("task_id", "tests", "verification_info", "ground_truth", "test_list")
"""Where a data set says what an answer is judged by: the first of these columns that it has."""


def code_reward(
    completions: Sequence[Any], prompts: Any = None, **columns: Any
) -> list[float | None]:
    """Return a reward for each completion; None, which TRL leaves out, where there is no verdict.

    What to judge by stands in a column ``task_id``, ``tests`` (or ``ground_truth``, ``test_list``),
    or open-r1's ``verification_info``, whose ``test_cases`` all count, by their whole output.
    """
    return rewards(_pairs(completions, columns))


async def async_code_reward(
    completions: Sequence[Any], prompts: Any = None, **columns: Any
) -> list[float | None]:
    """Return what ``code_reward`` does; TRL runs it beside other asynchronous rewards."""
    return await arewards(_pairs(completions, columns))


def _pairs(completions: Sequence[Any], columns: Mapping[str, Any]) -> list[tuple[Any, Any]]:
    name = next((each for each in COLUMNS if columns.get(each) is not None), None)
    if name is None:
        raise InputError("the data set does not say the tests", remedy=f"add {COLUMNS[0]} or tests")
    cells = columns[name]
    if len(cells) != len(completions):
        raise InputError(f"{len(completions)} completions, but {len(cells)} cells in {name}")
    return [(_tests(cell), each) for cell, each in zip(cells, completions, strict=True)]


def _tests(cell: Any) -> Any:
    if isinstance(cell, Mapping) and "test_cases" in cell:
        language = str(cell.get("language", "python")).lower()
        if not language.startswith("python"):
            raise InputError(f"verification_info is of {language}", remedy="Python is judged")
        return cell["test_cases"]
    return cell
