"""The data folder: whole, and good for a replay of the real prompts."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from evalplus_lite import generate_samples
from evalplus_lite.models.completions import draws
from evalplus_lite.models.json_form import InputForm
from evalplus_lite.models.recording import SEEDS, Recording, replay_samples, replay_seeds
from evalplus_lite.models.seeds import llm_seeds
from evalplus_lite.tasks import Dataset, load_dataset
from evalplus_lite.tasks.contracts import bundled

DATA = bundled("data")
FOLDERS = sorted(path.parent for path in DATA.glob("recorded/*/plan.json"))


def test_checksums() -> None:
    """Every recorded file is listed, as it was; at least one is there, small enough to clone."""
    lines = (DATA / "SHA256SUMS").read_text(encoding="ascii").splitlines()
    sums = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    found = {name: hashlib.sha256((DATA / name).read_bytes()).hexdigest() for name in sums}
    assert found == sums
    recorded = (path for path in DATA.glob("recorded/*/*") if path.is_file())
    assert {path.relative_to(DATA).as_posix() for path in recorded} <= set(sums)
    assert FOLDERS
    files = (path for folder in FOLDERS for path in folder.iterdir())
    assert sum(path.stat().st_size for path in files) < 1_500_000


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_samples_replay(folder: Path) -> None:
    """Samples are drawn again from the record, word for word asked as planned, of every task but
    those that the plan names as missing.
    """
    recording = Recording.open(folder)
    source = replay_samples(folder)
    data = load_dataset(recording.dataset)
    tasks = [task for task in data.tasks if task.id not in recording.missing]
    assert len(tasks) + len(recording.missing) == len(data)
    replies = [
        source.ask(draw.request, cut_off="keep")
        for draw in draws(tasks, recording.sampling, model=recording.model)
    ]
    assert len(replies) == len(tasks) * recording.sampling.per_task
    assert all(reply.date and reply.completion_tokens for reply in replies)


@pytest.mark.parametrize(
    "folder", [path for path in FOLDERS if (path / SEEDS).exists()], ids=lambda path: path.name
)
def test_seeds_replay(folder: Path, humaneval: Dataset) -> None:
    """Nearly all recorded seed replies answer today's prompts, with inputs of the tasks' form.

    Not all need to: a reference repaired since changes its task's prompts until they are recorded
    again.
    """
    recording = Recording.open(folder)
    source = replay_seeds(folder)
    turns, cases = 0, 0
    for task in humaneval.tasks:
        harvest = llm_seeds(task, source, seed=recording.seed, plan=recording.seeds)
        turns, cases = turns + harvest.turns, cases + len(harvest.cases)
        form = InputForm.of(task)
        for case in harvest.cases:
            assert repr(form.read(list(case.arguments))) == repr(case.arguments)
    assert turns >= 0.9 * len(source)
    assert cases >= turns


def test_recorded_answers_are_drawn_by_a_dataset_name(tmp_path: Path) -> None:
    """The public function takes a name, as the others do, and a recording in place of a server."""
    folder = DATA / "recorded" / "Qwen2.5-Coder-1.5B-Instruct"
    plan = Recording.open(folder)
    source = replay_samples(folder)
    found = generate_samples("humaneval", source, plan.sampling, out=tmp_path)
    rows = found.to_rows()
    assert len(rows) == 164 * plan.sampling.per_task
    assert all("def " in row["solution"] for row in rows[:20])
