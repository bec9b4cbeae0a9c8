"""lighteval: a metric, and a task for any dataset.

    TASKS_TABLE = [task("humaneval+"), task("my_tasks.jsonl")]

in a file for ``lighteval ... evalplus_lite_humaneval_plus --custom-tasks FILE``.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from lighteval.metrics.metrics_sample import SampleLevelComputation
from lighteval.metrics.utils.metric_utils import SampleLevelMetric
from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.requests import Doc, SamplingMethod

from evalplus_lite.serving.adapters.judge import verdicts
from evalplus_lite.serving.adapters.samples import configure_for, dataset_rows, slug
from evalplus_lite.store.labels import label


class PassRate(SampleLevelComputation):
    """The share of a task's answers that pass every test; raises where there is no verdict."""

    def compute(self, doc: Doc, model_response: Any, **_: Any) -> float:
        """Judge the answers by the document's choice: a task's id, or tests."""
        (tests,) = doc.choices
        judged = verdicts((tests, text) for text in model_response.final_text)
        return sum(each.passed is True for each in judged) / len(judged)


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


METRIC = SampleLevelMetric(
    metric_name="pass@1",
    higher_is_better=True,
    category=SamplingMethod.GENERATIVE,
    sample_level_fn=PassRate(),
    corpus_level_fn=_mean,
)


def document(line: dict[str, Any], task_name: str = "") -> Doc:
    """Return a task as a model is asked it."""
    return Doc(task_name=task_name, query=line["request"], choices=[line["task_id"]], gold_index=0)


def task(dataset: str) -> LightevalTaskConfig:
    """Return the task of a dataset: a name or a file."""
    configure_for(dataset)
    folder = tempfile.mkdtemp(prefix="evalplus_lite_")  # lighteval reads datasets of the Hub's form
    lines = [json.dumps(row) + "\n" for row in dataset_rows(dataset)]
    Path(folder, "test.jsonl").write_text("".join(lines), encoding="utf-8")
    return LightevalTaskConfig(
        name=f"evalplus_lite_{slug(label(dataset))}",
        prompt_function=document,
        hf_repo=folder,
        hf_subset="default",
        hf_avail_splits=["test"],
        evaluation_splits=["test"],
        few_shots_split=None,
        few_shots_select=None,
        generation_size=2048,
        metrics=[METRIC],
        stop_sequence=[],
        version=0,
    )
