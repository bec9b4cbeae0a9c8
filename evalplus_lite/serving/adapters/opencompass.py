"""OpenCompass: a dataset and an evaluator, used as ``type`` in a configuration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from datasets import Dataset, DatasetDict
from opencompass.datasets.base import BaseDataset
from opencompass.openicl.icl_evaluator import BaseEvaluator

from evalplus_lite.serving.adapters.judge import configure_for, dataset_rows, verdicts


class CodeDataset(BaseDataset):
    """The tasks of a data set or file: ``request`` is the input column, ``task_id`` the output."""

    @staticmethod
    def load(path: str) -> DatasetDict:
        """Return the tasks in the splits that OpenCompass reads."""
        rows = Dataset.from_list(dataset_rows(path))
        return DatasetDict({"train": rows, "test": rows})


class CodeEvaluator(BaseEvaluator):
    """Scores the share of answers that pass every test; ``path`` as for ``CodeDataset``."""

    def __init__(self, path: str) -> None:
        super().__init__()
        configure_for(path)

    def score(
        self, predictions: Sequence[str], references: Sequence[Any], test_set: Any = None
    ) -> dict[str, Any]:
        """Return the accuracy in percent; raise if an answer has no verdict."""
        judged = verdicts(zip(references, predictions, strict=True))
        details = [{"correct": each.passed, "verdict": each.verdict} for each in judged]
        share = sum(each.passed for each in judged) / len(details)
        return {"accuracy": 100 * share, "details": details}
