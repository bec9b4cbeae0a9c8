"""The tasks of a data set as harnesses put them to a model."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from evalplus_lite.models.completions import instruction
from evalplus_lite.serving.adapters.judge import configure, settings
from evalplus_lite.tasks import load_dataset


@cache
def dataset_rows(name: str) -> list[dict[str, str]]:
    """Return the tasks of a data set, asked as ``evalplus-lite generate`` does: ``request`` whole,
    ``prompt`` as the task has it, to be completed."""
    return [
        {
            "task_id": task.id,
            "request": instruction(task),
            "prompt": task.prompt,
            "entry_point": task.entry_point,
        }
        for task in load_dataset(name).tasks
    ]


def slug(name: str) -> str:
    """Return a data set's name as harnesses have names of tasks: ``humaneval_plus``."""
    return re.sub(r"\W+", "_", name.replace("+", "_plus"))


def configure_for(name: str) -> None:
    """Have the judge of this process know the tasks of a data set; a server is told its own."""
    known = settings()
    if not known.url and name not in known.datasets:
        configure(replace(known, datasets=(*known.datasets, name)))
