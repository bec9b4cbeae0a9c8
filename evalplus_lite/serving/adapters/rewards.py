"""From what was found of an answer to what it earns; trouble of ours earns nothing, never 0."""

from __future__ import annotations

import reprlib
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from evalplus_lite.errors import EvalPlusLiteError, EvidenceWarning, InputError
from evalplus_lite.serving.adapters.judge import Judgement, ajudge, judge, settings, sure
from evalplus_lite.serving.requests import TaskData, task_data

Pair = tuple[Any, Any]
"""What a data set holds of a task, and a model's answer: a text, or a conversation."""
_Asked = tuple[TaskData, str] | EvalPlusLiteError


def rewards(pairs: Sequence[Pair]) -> list[float | None]:
    """Return what answers earn; None where there is no verdict, with a warning that says why.

    Raises InputError if there is no verdict at all, and the first reason is a mistake in the data
    or the settings.
    """
    tasks, share = _tasks(pairs), settings().reward == "share"
    return _earned(tasks, judge([each for each in tasks if isinstance(each, tuple)], share=share))


async def arewards(pairs: Sequence[Pair]) -> list[float | None]:
    """Return what ``rewards`` does, without blocking the event loop."""
    tasks, share = _tasks(pairs), settings().reward == "share"
    good = [each for each in tasks if isinstance(each, tuple)]
    return _earned(tasks, await ajudge(good, share=share))


def judged(tests: Any, answer: Any) -> Judgement:
    """Return what is found of one answer; raises what is no verdict on it."""
    (found,) = judge([(task_data(tests), text_of(answer))], share=settings().reward == "share")
    return sure(found)


async def ajudged(tests: Any, answer: Any) -> Judgement:
    """Return what ``judged`` does, without blocking the event loop."""
    (found,) = await ajudge(
        [(task_data(tests), text_of(answer))], share=settings().reward == "share"
    )
    return sure(found)


def reward(found: Judgement) -> float | None:
    """Return what one answer earns: 0 or 1, or the share of tests, less the verdict's penalty."""
    if found.passed is None:
        return None
    known = settings()
    value = float(found.passed)
    if known.reward == "share" and found.share is not None and not found.passed:
        value = found.share
    return value - known.penalties.get(found.verdict, 0.0)


def text_of(completion: Any) -> str:
    """Return the text of a completion: a string, or the last message of a conversation.

    "" for a message without text, and for no message. InputError for anything else, such as the
    tokens: nothing is known of such an answer, and a 0 would say that it is wrong.
    """
    if isinstance(completion, str):
        return completion
    is_list = isinstance(completion, Sequence) and not isinstance(completion, bytes)
    last = completion if not is_list else completion[-1] if completion else {"content": ""}
    try:
        content = last["content"] if isinstance(last, Mapping) else last.content
    except (KeyError, AttributeError):
        kind = type(completion).__name__
        raise InputError(
            f"a completion is a {kind}: {reprlib.repr(completion)[:60]}",
            remedy="give a text, or messages with a content",
        ) from None
    if isinstance(content, list):  # parts, of which those that are texts count
        return "".join(str(each.get("text", "")) for each in content if isinstance(each, Mapping))
    return content if isinstance(content, str) else ""


def _earned(tasks: Sequence[_Asked], found: Sequence[Judgement]) -> list[float | None]:
    left = iter(found)
    results = [
        next(left) if isinstance(each, tuple) else Judgement(None, error=each) for each in tasks
    ]
    errors = [each.error for each in results if each.error is not None]
    if errors and len(errors) == len(results) and isinstance(errors[0], InputError):
        raise errors[0]
    for text in dict.fromkeys(map(str, errors)):
        warnings.warn(f"no reward: {text}", EvidenceWarning, stacklevel=3)
    return list(map(reward, results))


def _tasks(pairs: Sequence[Pair]) -> list[_Asked]:
    found: list[_Asked] = []
    for tests, answer in pairs:
        try:
            found.append((task_data(tests), text_of(answer)))
        except EvalPlusLiteError as error:
            found.append(error)
    return found
