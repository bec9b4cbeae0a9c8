"""EvalScope: a benchmark for each published set, once this module is imported.

    run_task(TaskConfig(model=..., datasets=["evalplus_lite_humaneval_plus"]))

``dataset_args={"evalplus_lite_humaneval_plus": {"dataset_id": "my_tasks.jsonl"}}`` names a file.
"""

from __future__ import annotations

from typing import Any

from evalscope.api.benchmark import BenchmarkMeta, DefaultDataAdapter
from evalscope.api.dataset import DatasetDict, DictDataLoader, Sample
from evalscope.api.evaluator import TaskState
from evalscope.api.metric import Score
from evalscope.api.registry import register_benchmark

from evalplus_lite.serving.adapters.judge import configure_for, dataset_rows, slug, verdicts
from evalplus_lite.tasks.loading import names


class CodeAdapter(DefaultDataAdapter):
    """The tasks of a dataset, judged in our sandboxes."""

    def load(self) -> tuple[DatasetDict, None]:
        """Return the tasks."""
        configure_for(self.dataset_id)
        loader = DictDataLoader(
            dict_list=dataset_rows(self.dataset_id),
            sample_fields=self.record_to_sample,
            limit=self.limit,
            repeats=self.repeats,
            shuffle=self.shuffle,
            auto_id=True,
        )
        return DatasetDict({"default": loader.load()}), None

    def record_to_sample(self, record: dict[str, Any]) -> Sample:
        """Return a task as a sample: its prompt for the model, and its id as the target."""
        return Sample(input=record["request"], target=record["task_id"])

    def match_score(
        self,
        original_prediction: str,
        filtered_prediction: str,
        reference: str,
        task_state: TaskState,
    ) -> Score:
        """Score an answer 1 if it passes every test; raise if there is no verdict."""
        (judged,) = verdicts([(reference, original_prediction)])
        score = Score(extracted_prediction=judged.program, prediction=original_prediction)
        score.value = {"acc": float(judged.passed)}
        score.metadata = {"verdict": judged.verdict, "detail": judged.detail}
        score.main_score_name = "acc"
        return score


for name in names():
    meta = BenchmarkMeta(
        name=f"evalplus_lite_{slug(name)}",
        pretty_name=name,
        description="Judged by evalplus_lite.",
        dataset_id=name,
        metric_list=["acc"],
        subset_list=["default"],
        prompt_template="{question}",
    )
    register_benchmark(meta)(type("CodeAdapter", (CodeAdapter,), {}))
