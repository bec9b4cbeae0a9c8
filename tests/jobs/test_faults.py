"""Faults during a real run: what is written stays, and running again ends with the same file."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import faults
from support.commands import sample_rows, write_rows, write_tasks
from support.faults import Job, SmallDisk

SAMPLES = 240


@pytest.fixture(scope="module", autouse=True)
def orphans() -> None:
    """Processes that a run leaves become ours, and so are seen."""
    faults.adopt_orphans()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Job:
    """A job that has been run to its end with nothing in its way: programs of every kind."""
    folder = tmp_path_factory.mktemp("faults")
    tasks, samples = write_tasks(folder), sample_rows(SAMPLES)
    for number, row in enumerate(samples):  # what compiles alike is run once: all are to be run
        row["solution"] = row["solution"].replace("\n", f"\n    n = {number}\n", 1)
    job = Job(tasks, write_rows(folder / "samples.jsonl", samples), folder / "undisturbed")
    job.finish()
    return job


@pytest.fixture
def job(undisturbed: Job, tmp_path: Path) -> Iterator[Job]:
    """The same job with an output folder of this test's own; nothing runs on when it is over."""
    before, mounted = faults.children(os.getpid()), faults.mounts()
    yield Job(undisturbed.dataset, undisturbed.samples, tmp_path / "out")
    faults.seconds_until_alone(before)
    assert faults.mounts() <= mounted


def files_of(job: Job) -> dict[str, bytes]:
    """Return a job's files, without the dates that summary and evalplus' form tell.

    Nor with what samples cost, which is measured; but each row has its cost.
    """
    files = {path.name: path.read_bytes() for path in job.out.iterdir()}
    assert files.pop("costs.jsonl").count(b"\n") == files["results.jsonl"].count(b"\n")
    for name in files:
        files[name] = re.sub(rb'"date": ?"[^"]*"', b"", files[name])
    return files


def test_a_killed_run_goes_on(job: Job, undisturbed: Job) -> None:
    """Killed dead at several moments, with what it began, a run ends as if nothing had been."""
    source, whole = random.Random(0), undisturbed.size()
    killed = 0
    for part in sorted(source.random() for _ in range(4)):
        written = job.size()
        killed += faults.kill_when_written(job, int(part * whole), source)
        assert job.size() >= written
    job.finish()
    assert killed
    assert files_of(job) == files_of(undisturbed)


def test_killed_workers_are_replaced(job: Job, undisturbed: Job) -> None:
    """Sandboxes that die at random cost time, no verdict."""
    # Early ones: a row waits for those before it, and may come with all the others.
    sizes = [part * undisturbed.size() // 40 for part in range(1, 9)]
    code, words, killed = faults.run_killing_workers(job, random.Random(1), sizes)
    assert killed
    if code == 1:  # some program was hit three times in a row: it is left for the next run
        assert "not scored, the machine failed" in words or not words.strip()
        job.finish()
    else:
        assert code == 0, words
    rows = job.results.read_text().splitlines()
    assert sorted(rows) == sorted(undisturbed.results.read_text().splitlines())


@pytest.mark.parametrize("part", [0.0, 0.5, 0.999])
def test_a_file_cut_short_is_completed(job: Job, undisturbed: Job, part: float) -> None:
    """Whatever is missing at the end of the results is judged again, and nothing else."""
    shutil.copytree(undisturbed.out, job.out)
    os.truncate(job.results, int(part * undisturbed.size()))
    job.finish()
    assert files_of(job) == files_of(undisturbed)


def test_two_runs_refuse_each_other(job: Job, undisturbed: Job) -> None:
    """The second run on an output that one is writing says so, and the first is not disturbed."""
    first = job.start()
    while not job.size():
        assert first.poll() is None
        time.sleep(0.002)
    first.send_signal(signal.SIGSTOP)  # so that it still runs when the second one comes
    second = job.start()
    _, words = second.communicate()
    first.send_signal(signal.SIGCONT)
    first.communicate()
    assert (first.returncode, second.returncode) == (0, 2)
    assert words.count("\n") == 1
    assert "results.jsonl: is being written by another run" in words
    assert files_of(job) == files_of(undisturbed)


def test_an_interrupt_leaves_what_was_judged(job: Job, undisturbed: Job) -> None:
    """Ctrl-C ends with one line and a code of its own; no process stays; a run goes on there."""
    before = faults.children(os.getpid())
    code, words, _ = faults.interrupt(job, undisturbed.size() // 3)
    faults.seconds_until_alone(before)
    assert code == 130
    assert words == "evalplus-lite: interrupted; run the same command again to resume\n"
    assert undisturbed.results.read_bytes().startswith(job.results.read_bytes())
    job.finish()
    assert files_of(job) == files_of(undisturbed)


@pytest.mark.parametrize("share", [0.1, 1.05])
def test_a_full_disk_is_told(job: Job, undisturbed: Job, share: float) -> None:
    """A disk that fills up ends the run with one line; with room it goes on where it stood."""
    disk = SmallDisk(job.out, max(8192, int(share * undisturbed.size())))
    try:
        disk.__enter__()
    except OSError as error:
        pytest.skip(f"needs to mount a file system: {error}")
    try:
        process = job.start()
        _, words = process.communicate()
        assert process.returncode == 3, words
        assert words.count("\n") == 1
        assert "No space left on device" in words
        disk.grow(16 << 20)
        job.finish()
        assert files_of(job) == files_of(undisturbed)
    finally:
        disk.__exit__()
