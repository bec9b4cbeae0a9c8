"""Reward functions for trainers, each with the signature that its trainer calls.

The trainer's data holds the task id or tests of an answer (``KEYS``). Without a verdict there is no
reward: None if the trainer skips it, else an error, and never a 0, which would be a verdict.
"""

from __future__ import annotations

import asyncio
import re
import reprlib
import warnings
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from evalplus_lite.errors import EvalPlusLiteError, EvidenceWarning, InputError
from evalplus_lite.serving.adapters.judge import Judgement, begin, settings

IDS = ("task_id", "id")
KEYS = (
    "task_id tests verification_info test_list input_output ground_truth answer label id"
).split()
"""Keys of a trainer's data that may hold a task's id or tests; the first that is set counts.
open-r1's ``verification_info`` holds ``test_cases``, all of which count, by their whole output."""
MARK = re.compile(r"(?:<\|[^<>|]{1,40}\|>|</s>|<eos>)\Z")
LONGEST_MARK = 44
"""Maximum length of the mark with which a template ends a reply (``MARK``), in characters."""


def tests_in(data: Mapping[str, Any], *, default: Any = None) -> Any:  # noqa: PT028 - no test
    """Return the task id or tests in a trainer's data, or ``default`` if there are none."""
    cells: dict[str, Any] = {key: data.get(key) for key in KEYS}
    # A number is not a task's id: MBPP's rows have one next to their tests.
    values = (v for key, v in cells.items() if key not in IDS or isinstance(v, str | Mapping))
    # An array of NumPy has no truth value.
    tests = next((v for v in values if (v.tolist() if hasattr(v, "tolist") else v)), default)
    if tests is None:
        raise InputError("the data do not say the tests", remedy=f"one of {', '.join(KEYS)}")
    if isinstance(tests, Mapping) and "test_cases" in tests:
        language = str(tests.get("language", "python")).lower()
        if not language.startswith("python"):
            raise InputError(f"verification_info is of {language}", remedy="Python is judged")
        return tests["test_cases"]
    return tests


def text_of(completion: Any) -> str:
    """Return the text of a completion: a string, or the last message of a conversation.

    Return "" for a message without text, and for no message. Raises InputError for anything else,
    such as tokens: such an answer cannot be judged, and a 0 would mean that it is wrong.
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
    if isinstance(content, list):  # parts; those with text count
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
    return content if isinstance(content, str) else ""


def reward(judgement: Judgement) -> float:
    """Return an answer's reward: 0 or 1, or the share of tests, minus the verdict's penalty."""
    known, value = settings(), float(judgement.passed)
    if known.reward == "share" and judgement.share is not None and not judgement.passed:
        value = judgement.share
    return value - known.penalties.get(judgement.verdict, 0.0)


def _begin(tests: Any, answer: Any) -> Future[Judgement]:
    return begin(tests, text_of(answer), share=settings().reward == "share")


def judged(tests: Any, answer: Any) -> Judgement:
    """Judge one answer; raise if there is no verdict."""
    return _begin(tests, answer).result()


async def ajudged(tests: Any, answer: Any) -> Judgement:
    """Judge one answer as ``judged`` does, without blocking the event loop."""
    return await asyncio.wrap_future(await asyncio.to_thread(_begin, tests, answer))


# TRL, open-r1 and ms-swift: a list of completions, and the data set's columns.


def trl_reward(completions: Sequence[Any], prompts: Any = None, **columns: Any) -> Any:
    """Return a reward for each completion, or None, which TRL skips, if it has no verdict.

    A column of ``KEYS`` has each row's task id or tests.
    """
    futures = _begun(completions, columns)
    return _rewards([future.exception() or future.result() for future in futures])


async def async_trl_reward(completions: Sequence[Any], prompts: Any = None, **columns: Any) -> Any:
    """Return the rewards of ``trl_reward``; TRL runs it concurrently with other async rewards."""
    futures = map(asyncio.wrap_future, await asyncio.to_thread(_begun, completions, columns))
    return _rewards(await asyncio.gather(*futures, return_exceptions=True))


def _begun(completions: Sequence[Any], columns: Mapping[str, Any]) -> list[Future[Judgement]]:
    """Start judging each completion; if that fails, its future has the error."""
    cells = {key: columns[key] for key in KEYS if columns.get(key) is not None}
    for key, column in cells.items():
        if len(column) != len(completions):
            raise InputError(f"{len(completions)} completions, but {len(column)} cells in {key}")
    futures = []
    for number, completion in enumerate(completions):
        try:
            tests = tests_in({key: column[number] for key, column in cells.items()})
            futures.append(_begin(tests, completion))
        except EvalPlusLiteError as error:
            futures.append(Future())
            futures[-1].set_exception(error)
    return futures


def _rewards(found: Sequence[Judgement | BaseException]) -> list[float | None]:
    """Return the rewards; None without a verdict, with a warning that gives the reason.

    Raises InputError if no answer has a verdict and the first reason is a mistake in the data or
    the settings.
    """
    errors = [each for each in found if isinstance(each, BaseException)]
    if foreign := [each for each in errors if not isinstance(each, EvalPlusLiteError)]:
        raise foreign[0]
    if errors and len(errors) == len(found) and isinstance(errors[0], InputError):
        raise errors[0]
    for text in dict.fromkeys(map(str, errors)):
        warnings.warn(f"no reward: {text}", EvidenceWarning, stacklevel=3)
    return [reward(each) if isinstance(each, Judgement) else None for each in found]


# OpenRLHF: prompts followed by their replies, and labels.


def reward_func(
    queries: Sequence[str], prompts: Sequence[str], labels: Sequence[Any], **_: Any
) -> dict[str, Any]:
    """Return OpenRLHF's rewards; a label is a task's id or tests. Raises if there is no verdict.

    ``--reward.remote_url`` names a file, which imports this function.
    """
    answers = [reply_in(*pair) for pair in zip(queries, prompts, strict=True)]
    futures = [_begin(*pair) for pair in zip(labels, answers, strict=True)]
    judgements = [future.result() for future in futures]
    torch = import_module("torch")
    earned = torch.tensor(list(map(reward, judgements)))
    passed = torch.tensor([float(each.passed) for each in judgements])
    return {"rewards": earned, "scores": passed, "extra_logs": {"passed": passed}}


def reply_in(query: str, prompt: str) -> str:
    """Return a reply without its prompt and end marks; in linear time, as replies are hostile."""
    if not query.startswith(prompt):  # else code in the prompt would count as the answer
        raise InputError("a query does not begin with its prompt", remedy="give both untruncated")
    start, end = len(prompt), len(query)
    while True:
        while end > start and query[end - 1].isspace():
            end -= 1
        mark = MARK.search(query, max(start, end - LONGEST_MARK), end)
        if mark is None:
            return query[start:end]
        end = mark.start()


# verl, AReaL, rLLM, slime and verifiers: one answer at a time.


def verl_score(
    data_source: str, solution_str: str, ground_truth: Any, extra_info: Any = None, **_: Any
) -> dict[str, Any]:
    """Return ``score`` and, for verl's metrics, the verdict.

    ``ground_truth`` is a task's id, or tests: JSON with ``inputs`` and ``outputs`` (and ``fn_name``
    for a function) or ``assert_case``, all of which count. Raises if there is no verdict.
    """
    return _score(judged(ground_truth, solution_str))


async def async_verl_score(
    data_source: str, solution_str: str, ground_truth: Any, extra_info: Any = None, **_: Any
) -> dict[str, Any]:
    """Return the result of ``verl_score``, without blocking the reward worker's event loop."""
    return _score(await ajudged(ground_truth, solution_str))


def areal_reward(
    prompt: Any, completions: Any, prompt_ids: Any, completion_ids: Any, **data: Any
) -> float:
    """Return the reward of one completion; raise if there is no verdict, so AReaL tries again.

    Give ``AsyncRewardWrapper`` a ``timeout_seconds`` of minutes: it turns its own timeouts into 0.
    """
    return reward(judged(tests_in(data), completions))


async def slime_reward(args: Any, sample: Any, **_: Any) -> Any:
    """Return the reward of a slime sample, or a list for a list of them (``--custom-rm-path``).

    The metadata, else the label, have a task's id or tests. Raises if there is no verdict.
    """
    if isinstance(sample, Sequence):
        return list(await asyncio.gather(*(slime_reward(args, each) for each in sample)))
    metadata = sample.metadata if isinstance(sample.metadata, Mapping) else {}
    return reward(await ajudged(tests_in(metadata, default=sample.label), sample.response))


async def rubric_reward(completion: Any, answer: Any = None, info: Any = None, **_: Any) -> float:
    """Return a completion's reward, for verifiers' ``vf.Rubric(funcs=[rubric_reward])``.

    ``info``, else ``answer``, has a task's id or tests. Raises if there is no verdict.
    """
    tests = tests_in(info if isinstance(info, Mapping) else {}, default=answer)
    return reward(await ajudged(tests, completion))


async def passed(task: Any, trace: Any) -> float:
    """Return the reward of a trace's last reply, for a ``vf.Task`` (verifiers 0.4).

    Set ``rewards.passed.fn = "evalplus_lite.serving.adapters.trainers:passed"``, or call it in a
    method with ``@vf.reward``. The task's data has ``tests``, or a task's ``id``.
    """
    data = task.model_dump() if hasattr(task, "model_dump") else vars(task)
    return reward(await ajudged(tests_in(data), trace.last_reply))


def rllm_reward(task_info: Mapping[str, Any], action: Any) -> Any:
    """Return rLLM's ``RewardOutput`` for an action, or its like if rLLM is not installed; raise if
    there is no verdict."""
    found = judged(tests_in(task_info), getattr(action, "action", action))
    fields = {"reward": reward(found), "is_correct": found.passed}
    about = {"verdict": found.verdict, "detail": found.detail}
    try:
        record = import_module("rllm.rewards.reward_types").RewardOutput
    except ImportError:
        return SimpleNamespace(**fields, metadata=about)
    # Older versions have no metadata.
    has_metadata = "metadata" in getattr(record, "__dataclass_fields__", {})
    return record(**fields, **({"metadata": about} if has_metadata else {}))


def _score(judgement: Judgement) -> dict[str, Any]:
    acc = float(judgement.passed)
    return {"score": reward(judgement), "acc": acc, "verdict": judgement.verdict}
