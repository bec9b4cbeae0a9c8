"""The tasks of a data set as harnesses put them to a model."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache

from evalplus_lite.models.completions import instruction
from evalplus_lite.serving.adapters.judge import configure, settings
from evalplus_lite.tasks import load_dataset


@dataclass(frozen=True, slots=True)
class SampleRequest:
    """A task as a model is asked it: whole, or its ``prompt`` as the task has it, to complete."""

    id: str
    request: str
    prompt: str
    entry: str


@cache
def requests(name: str) -> tuple[SampleRequest, ...]:
    """Return the tasks of a data set, as ``evalplus-lite generate`` asks for them."""
    return tuple(
        SampleRequest(each.id, instruction(each), each.prompt, each.entry_point)
        for each in load_dataset(name).tasks
    )


def dataset_rows(name: str) -> list[dict[str, str]]:
    """Return the tasks of a data set as rows for harnesses that load tables."""
    return [
        {"task_id": each.id, "prompt": each.prompt, "request": each.request}
        for each in requests(name)
    ]


def slug(name: str) -> str:
    """Return a data set's name as harnesses have names of tasks: ``humaneval_plus``."""
    return re.sub(r"\W+", "_", name.replace("+", "_plus"))


def configure_for(name: str) -> None:
    """Have the judge of this process know the tasks of a data set; a server is told its own."""
    known = settings()
    if not known.url and name not in known.datasets:
        configure(replace(known, datasets=(*known.datasets, name)))
