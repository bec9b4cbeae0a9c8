"""lm-evaluation-harness: the functions that the task files in ``lm_eval_tasks`` call.

    lm_eval --include_path FOLDER --tasks evalplus_lite_humaneval_plus ...

FOLDER is what ``task_files()`` returns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from importlib.resources import files
from typing import Any

from evalplus_lite.serving.adapters.judge import Judgement, begin, configure_for, dataset_rows
from evalplus_lite.statistics.pass_at_k import pass_at_k as estimate

_begun: dict[tuple[str, str], Future[Judgement]] = {}
"""Answers being judged in advance, as lm-eval requests metrics one document at a time."""


def task_files() -> str:
    """Return the folder for ``--include_path``."""
    return str(files("evalplus_lite.serving.adapters").joinpath("lm_eval_tasks"))


def load(dataset: str, **_: Any) -> dict[str, Any]:
    """Return the tasks of a data set, a name or a file, as the split ``test``."""
    from datasets import Dataset

    configure_for(dataset)
    return {"test": Dataset.from_list(dataset_rows(dataset))}


def build_answers(resps: Sequence[Sequence[str]], docs: Sequence[Any]) -> list[list[str]]:
    """Return chat answers unchanged, and start judging them."""
    return [[_begin(doc, text) for text in texts] for texts, doc in zip(resps, docs, strict=True)]


def build_predictions(resps: Sequence[Sequence[str]], docs: Sequence[Any]) -> list[list[str]]:
    """Return prompts with their continuations, and start judging them."""
    return [
        [_begin(doc, doc["prompt"] + text) for text in texts]
        for texts, doc in zip(resps, docs, strict=True)
    ]


def pass_at_k(
    references: Sequence[str], predictions: Sequence[Sequence[str]], k: Sequence[int] = (1,)
) -> Mapping[str, float]:
    """Return pass@k of one document, whose reference is its id; raise if there is no verdict, as a
    run in which the machine failed has no score."""
    (task_id,), (answers,) = references, predictions
    futures = [_begun.get((task_id, text)) or begin(task_id, text) for text in answers]
    passed = sum(future.result().passed for future in futures)
    ks = [k] if isinstance(k, int) else k
    return {f"pass@{each}": estimate(len(futures), passed, each) for each in ks}


def _begin(doc: Any, text: str) -> str:
    key = doc["task_id"], text
    if key not in _begun:
        _begun[key] = begin(*key)
    return text
