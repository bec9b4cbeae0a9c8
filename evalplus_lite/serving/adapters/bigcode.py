"""bigcode-evaluation-harness: a ``Task`` for each published set.

from bigcode_eval.tasks import TASK_REGISTRY
TASK_REGISTRY.update(create_all_tasks())
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from evalplus_lite.models.completions import COMPLETION_STOP
from evalplus_lite.serving.adapters.judge import verdicts
from evalplus_lite.serving.adapters.samples import SampleRequest, configure_for, requests, slug
from evalplus_lite.statistics.pass_at_k import pass_at_k
from evalplus_lite.tasks.loading import names

if TYPE_CHECKING:
    Base = object
else:
    try:
        from bigcode_eval.base import Task as Base
    except ImportError:  # the class is usable by itself: it needs nothing of theirs
        Base = object

KS = (1, 10, 100)


class CodeTask(Base):
    """The tasks of a data set, judged in our sandboxes: nothing is executed by the harness."""

    def __init__(self, dataset: str, *, k: Sequence[int] = KS) -> None:
        # Theirs would download a data set.
        self.stop_words, self.requires_execution = list(COMPLETION_STOP), False
        self._name, self._k = dataset, tuple(k)

    def get_dataset(self) -> Sequence[SampleRequest]:
        """Return the tasks."""
        return requests(self._name)

    def get_prompt(self, doc: SampleRequest) -> str:
        """Return what the model continues."""
        return doc.prompt

    def get_reference(self, doc: SampleRequest) -> str:
        """Return the task's id, by which it is judged."""
        return doc.id

    def postprocess_generation(self, generation: str, idx: int) -> str:
        """Return the prompt with what continues it, up to a stop word."""
        prompt = self.get_dataset()[idx].prompt
        text = generation.removeprefix(prompt)
        end = min(p for p in (*map(text.find, self.stop_words), len(text)) if p >= 0)
        return prompt + text[:end]

    def process_results(
        self, generations: Sequence[Sequence[str]], references: Sequence[str]
    ) -> dict[str, float]:
        """Return pass@k over all tasks; raises where there is no verdict."""
        configure_for(self._name)
        rows = list(zip(references, generations, strict=True))
        judged = verdicts((task, text) for task, texts in rows for text in texts)
        passed = (bool(each.passed) for each in judged)
        counts = [(len(texts), sum(islice(passed, len(texts)))) for _, texts in rows]
        ks = [k for k in self._k if k <= min(n for n, _ in counts)]
        return {f"pass@{k}": sum(pass_at_k(n, c, k) for n, c in counts) / len(counts) for k in ks}


def create_all_tasks() -> dict[str, Any]:
    """Return the tasks by name, as a registry of the harness holds them."""

    return {f"evalplus_lite_{slug(name)}": partial(CodeTask, name) for name in names()}
