"""lighteval: a metric, ``metrics=[PASS_RATE]``, for tasks whose documents have one choice.

The choice is a task's id, or tests as JSON.
"""

from __future__ import annotations

from statistics import mean
from typing import Any

from lighteval.metrics.metrics_sample import SampleLevelComputation
from lighteval.metrics.utils.metric_utils import SampleLevelMetric
from lighteval.tasks.requests import Doc, SamplingMethod

from evalplus_lite.serving.adapters.judge import verdicts


class PassRate(SampleLevelComputation):
    """The share of a document's answers that pass every test; raises if one has no verdict."""

    def compute(self, doc: Doc, model_response: Any, **_: Any) -> float:
        """Judge the answers."""
        (tests,) = doc.choices
        return mean(
            float(judged.passed)
            for judged in verdicts((tests, text) for text in model_response.final_text)
        )


PASS_RATE = SampleLevelMetric(
    metric_name="pass@1",
    higher_is_better=True,
    category=SamplingMethod.GENERATIVE,
    sample_level_fn=PassRate(),
    corpus_level_fn=mean,
)
