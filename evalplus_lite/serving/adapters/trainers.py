"""Rewards for trainers: a function for each, in the signature that it calls.

What an answer is judged by stands in the trainer's data (``KEYS``). Where there is no verdict there
is no reward: None if the trainer skips it, else an error, and never a 0, which would be a verdict.
"""

from __future__ import annotations

import asyncio
import re
import reprlib
import warnings
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from evalplus_lite.errors import EvalPlusLiteError, EvidenceWarning, InputError
from evalplus_lite.serving.adapters.judge import Judgement, begin, settings

KEYS = (
    "task_id tests verification_info test_list input_output ground_truth answer label id"
).split()
"""Where data say what an answer is judged by, a task's id or tests: the first of these that is set.
open-r1's ``verification_info`` holds ``test_cases``, all of which count, by their whole output."""
MARK = re.compile(r"(?:<\|[^<>|]{1,40}\|>|</s>|<eos>)\Z")
LONGEST_MARK = 44
"""Characters of what a template ends a reply with (``MARK``)."""


def tests_in(data: Mapping[str, Any]) -> Any:
    """Return what an answer is judged by, of a trainer's data."""
    tests = next((data[key] for key in KEYS if data.get(key) not in (None, "")), None)
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
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
    return content if isinstance(content, str) else ""


def reward(judgement: Judgement) -> float:
    """Return what one answer earns: 0 or 1, or the share of tests, less the verdict's penalty."""
    known, value = settings(), float(judgement.passed)
    if known.reward == "share" and judgement.share is not None and not judgement.passed:
        value = judgement.share
    return value - known.penalties.get(judgement.verdict, 0.0)


def _begin(tests: Any, answer: Any) -> Future[Judgement]:
    return begin(tests, text_of(answer), share=settings().reward == "share")


def judged(tests: Any, answer: Any) -> Judgement:
    """Return what is found of one answer; raises what is no verdict on it."""
    return _begin(tests, answer).result()


async def ajudged(tests: Any, answer: Any) -> Judgement:
    """Return what ``judged`` does, without blocking the event loop."""
    return await asyncio.wrap_future(await asyncio.to_thread(_begin, tests, answer))


# TRL, open-r1 and ms-swift: a list of completions, and the data set's columns.


def trl_reward(completions: Sequence[Any], prompts: Any = None, **columns: Any) -> Any:
    """Return a reward for each completion; None, which TRL leaves out, where there is no verdict.

    A column of ``KEYS`` says what to judge by.
    """
    futures = _begun(completions, columns)
    return _rewards([future.exception() or future.result() for future in futures])


async def async_trl_reward(completions: Sequence[Any], prompts: Any = None, **columns: Any) -> Any:
    """Return what ``trl_reward`` does; TRL runs it beside other asynchronous rewards."""
    futures = map(asyncio.wrap_future, await asyncio.to_thread(_begun, completions, columns))
    return _rewards(await asyncio.gather(*futures, return_exceptions=True))


def _begun(completions: Sequence[Any], columns: Mapping[str, Any]) -> list[Future[Judgement]]:
    """Begin to judge each completion; the future of one that cannot be judged has the error."""
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
    """Return what answers earn; None where there is no verdict, with a warning that says why.

    Raises InputError if there is no verdict at all, and the first reason is a mistake in the data
    or the settings.
    """
    errors = [each for each in found if isinstance(each, BaseException)]
    if foreign := [each for each in errors if not isinstance(each, EvalPlusLiteError)]:
        raise foreign[0]
    if errors and len(errors) == len(found) and isinstance(errors[0], InputError):
        raise errors[0]
    for text in dict.fromkeys(map(str, errors)):
        warnings.warn(f"no reward: {text}", EvidenceWarning, stacklevel=3)
    return [reward(each) if isinstance(each, Judgement) else None for each in found]


# OpenRLHF: texts of prompts with their replies, and labels.


def reward_func(
    queries: Sequence[str], prompts: Sequence[str], labels: Sequence[Any], **_: Any
) -> dict[str, Any]:
    """Return OpenRLHF's rewards; a label is a task's id or tests. Raises where there is no verdict.

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
    """Return what follows a prompt, without the marks at its end, in linear time: it is hostile."""
    if not query.startswith(prompt):  # else code that the prompt shows would count as the answer
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
    """Return ``score``, and with it the verdict, for verl's metrics.

    ``ground_truth`` is a task's id, or tests: JSON with ``inputs`` and ``outputs`` (and ``fn_name``
    of a function) or ``assert_case``, all of which count. Raises where there is no verdict.
    """
    return _score(judged(ground_truth, solution_str))


async def async_verl_score(
    data_source: str, solution_str: str, ground_truth: Any, extra_info: Any = None, **_: Any
) -> dict[str, Any]:
    """Return what ``verl_score`` does, without blocking the reward worker's event loop."""
    return _score(await ajudged(ground_truth, solution_str))


def areal_reward(
    prompt: Any, completions: Any, prompt_ids: Any, completion_ids: Any, **data: Any
) -> float:
    """Return the reward of one completion; raises where there is no verdict: AReaL tries again.

    Give ``AsyncRewardWrapper`` a ``timeout_seconds`` of minutes: it makes its own time-outs a 0.
    """
    return reward(judged(tests_in(data), completions))


async def slime_reward(args: Any, sample: Any, **_: Any) -> Any:
    """Return the reward of a sample of slime, or of each of a list, for ``--custom-rm-path``.

    The label is a task's id or tests, unless the metadata say them. Raises without a verdict.
    """
    if isinstance(sample, Sequence):
        return list(await asyncio.gather(*(slime_reward(args, each) for each in sample)))
    metadata = sample.metadata if isinstance(sample.metadata, Mapping) else {}
    has_tests = any(metadata.get(key) for key in KEYS)
    tests = tests_in(metadata) if has_tests else sample.label
    return reward(await ajudged(tests, sample.response))


async def rubric_reward(completion: Any, answer: Any = None, info: Any = None, **_: Any) -> float:
    """Return what a completion earns, for ``vf.Rubric(funcs=[rubric_reward])`` of verifiers.

    Judged by ``info``, else by ``answer``: a task's id, or tests. Raises where there is no verdict.
    """
    has_tests = isinstance(info, Mapping) and any(info.get(key) for key in KEYS)
    tests = tests_in(info if has_tests else {"answer": answer})
    return reward(await ajudged(tests, completion))


async def passed(task: Any, trace: Any) -> float:
    """Return what a trace's last reply earns, as a reward of a ``vf.Task`` (verifiers 0.4).

    Set ``rewards.passed.fn = "evalplus_lite.serving.adapters.trainers:passed"``, or call it in a
    method with ``@vf.reward``. The task's data has ``tests``, or a task's ``id``.
    """
    data = task.model_dump() if hasattr(task, "model_dump") else vars(task)
    return reward(await ajudged(tests_in(data), trace.last_reply))


@dataclass(slots=True, kw_only=True)
class RewardOutput:
    """rLLM's record of the name, for where rLLM is not installed."""

    reward: float
    is_correct: bool
    metadata: dict[str, Any] = field(default_factory=dict)


def rllm_reward(task_info: Mapping[str, Any], action: Any) -> Any:
    """Return rLLM's ``RewardOutput`` of an action; raises where there is no verdict."""
    found = judged(tests_in(task_info), getattr(action, "action", action))
    fields = {"reward": reward(found), "is_correct": found.passed}
    about = {"verdict": found.verdict, "detail": found.detail}
    try:
        record = import_module("rllm.rewards.reward_types").RewardOutput
    except ImportError:
        record = RewardOutput
    # Versions before it had metadata are given none.
    has_metadata = "metadata" in getattr(record, "__dataclass_fields__", {})
    return record(**fields, **({"metadata": about} if has_metadata else {}))


def _score(judgement: Judgement) -> dict[str, Any]:
    acc = float(judgement.passed)
    return {"score": reward(judgement), "acc": acc, "verdict": judgement.verdict}
