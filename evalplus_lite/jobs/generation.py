"""The generation job: draw samples from a model, write them at once, and resume after a kill."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from evalplus_lite.jobs.datasets import load_dataset, run_facts
from evalplus_lite.jobs.session import Result, Session, made_folder, within
from evalplus_lite.jobs.shards import Shard, share_of
from evalplus_lite.models import ModelSource, completions
from evalplus_lite.models.completions import Sampling, SamplingResult
from evalplus_lite.models.recording import Recording, replay_samples
from evalplus_lite.programs.extraction import extract
from evalplus_lite.store import read_jsonl
from evalplus_lite.tasks import Dataset
from evalplus_lite.types import Task

SAMPLES = "samples.jsonl"


@dataclass(frozen=True, slots=True)
class GenerationResult(Result):
    """The samples of a model: ``path`` is their file, ``drawn`` their number."""

    path: Path
    drawn: SamplingResult

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row for each sample, as in the file."""
        return [row.data for row in read_jsonl(self.path)]


def generate_samples(
    dataset: Dataset | str | os.PathLike[str],
    client: ModelSource,
    sampling: Sampling = Sampling(),  # noqa: B008 - frozen
    *,
    out: str | os.PathLike[str],
    force: bool = False,
    shard: Shard | str | None = None,
    session: Session | None = None,
) -> GenerationResult:
    """Draw programs for a dataset's tasks from a model's server into ``samples.jsonl`` in a folder.

    The same call draws missing samples, also after a kill; ``force`` starts over. With ``shard``,
    such as ``"2/4"``, it draws for a part of the tasks, for ``merge``. Raises LLMError if the
    server cannot be used, and InputError if the file was made with other settings.
    """
    data = dataset if isinstance(dataset, Dataset) else load_dataset(dataset, session=session)
    # Order: the shard's tasks; the file, which is its own journal; the requests; the summary.
    share = share_of(shard, out, kind="generate", journal=SAMPLES)
    tasks = data.tasks
    if share is not None:
        facts = {"content": prompts_digest(data), "model": client.model, **asdict(sampling)}
        share.plan({task.id: sampling.per_task for task in tasks}, facts=facts, force=force)
        tasks = tuple(task for task in tasks if task.id in share.items)
    path = made_folder(out if share is None else share.out) / SAMPLES
    with within(session) as opened:
        opened.stage("generate", len(tasks) * sampling.per_task)
        drawn = completions.generate(
            tasks,
            client,
            sampling,
            path=path,
            extract=program_of,
            progress=lambda row: opened.advance(),
            force=force,
        )
    # A shard with failed requests stays unfinished; running it again repeats them.
    shared = share.end() if share is not None and share.is_part and not drawn.failed else {}
    summary = {
        **shared,
        "run": run_facts(data, model=client.model),
        "samples": str(path),
        **asdict(drawn),
        "usable": drawn.usable,
        "usage": asdict(client.usage),
    }
    return GenerationResult(summary, path, drawn)


def prompts_digest(data: Dataset) -> str:
    """Return a hash of the tasks' prompts and of all their parts."""
    # Only what the model sees: other inputs or references do not change the samples.
    words = [[t.id, t.prompt, t.entry_point, t.style, t.contract] for t in data.tasks]
    return hashlib.sha256(json.dumps(words).encode()).hexdigest()[:32]


def replayed(record: Path, tasks: Sequence[Task], path: Path, *, force: bool = False) -> None:
    """Write a recorded model's samples to a file by replaying its record."""
    # Recorded replies are keyed by request, so other settings would find none.
    sampling = Recording.open(record).sampling
    source = replay_samples(record)
    completions.generate(tasks, source, sampling, path=path, extract=program_of, force=force)


def program_of(task: Task, text: str) -> str:
    """Return the program in a chat answer to a task."""
    return extract(text, task, kind="solution").source
