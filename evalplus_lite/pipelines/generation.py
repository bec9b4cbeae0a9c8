"""Samples from a model: drawn, kept as they come, and taken up again after a kill."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from evalplus_lite.llm import Client
from evalplus_lite.pipelines.context import Session, made_folder, within
from evalplus_lite.pipelines.facts import run_facts
from evalplus_lite.pipelines.results import Result
from evalplus_lite.programs.extraction import extract
from evalplus_lite.prompting import completions
from evalplus_lite.prompting.completions import Sampling, SamplingResult
from evalplus_lite.prompting.recording import Recording, replay_samples
from evalplus_lite.store import read_jsonl
from evalplus_lite.tasks import Dataset
from evalplus_lite.types import Task


@dataclass(frozen=True, slots=True)
class GenerationResult(Result):
    """The samples that a model gave: ``path`` is their file, ``drawn`` counts them."""

    path: Path
    drawn: SamplingResult

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row a sample, as in the file."""
        return [row.data for row in read_jsonl(self.path)]


def generate(
    data: Dataset,
    client: Client,
    sampling: Sampling = Sampling(),  # noqa: B008 - frozen
    *,
    out: str | os.PathLike[str],
    force: bool = False,
    session: Session | None = None,
) -> GenerationResult:
    """Draw programs for a dataset's tasks from a model's server into ``samples.jsonl`` in a folder.

    The same call draws what is missing, after a kill too; ``force`` begins anew. Raises LLMError if
    the server cannot be used, InputError if the file was made with other settings.
    """
    path = made_folder(out) / "samples.jsonl"
    with within(session) as opened:
        opened.stage("generate", len(data.tasks) * sampling.per_task)
        drawn = completions.generate(
            data.tasks,
            client,
            sampling,
            path=path,
            extract=program_of,
            progress=lambda row: opened.advance(),
            force=force,
        )
    summary = {
        "run": run_facts(data, model=client.model),
        "samples": str(path),
        **asdict(drawn),
        "usable": drawn.usable,
        "usage": asdict(client.usage),
    }
    return GenerationResult(summary, path, drawn)


def replayed(record: Path, tasks: Sequence[Task], path: Path, *, force: bool = False) -> None:
    """Draw a recorded model's samples again from its record, into a file."""
    sampling = Recording.open(record).sampling
    source = replay_samples(record)
    completions.generate(tasks, source, sampling, path=path, extract=program_of, force=force)


def program_of(task: Task, text: str) -> str:
    """Return the program that a chat answer to a task holds."""
    return extract(text, task, kind="solution").source
