"""What commands do first: a screen, a session, the dataset and the folder for results."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

from evalplus_lite.cli.console import Screen
from evalplus_lite.jobs.datasets import default_folder, load_dataset
from evalplus_lite.jobs.session import Session
from evalplus_lite.sandbox import Tier
from evalplus_lite.tasks import Dataset


@contextlib.contextmanager
def started(
    workers: int | None = None,
    sandbox: str = "auto",
    packages: Sequence[str] | None = None,
    *,
    is_cached: bool = True,
    backend: str = "processes",
    require_tier: str | None = None,
) -> Iterator[tuple[Session, Screen]]:
    """Give a session that shows its progress on a screen, and the screen; both end with this."""
    tier = cast("Tier", sandbox)  # the session refuses one that there is not
    with (
        Screen() as screen,
        Session(
            workers=workers,
            sandbox=tier,
            packages=packages or (),
            cache=None if is_cached else False,
            backend=backend,
            require_tier=cast("Tier | None", require_tier),
            on_progress=screen,
        ) as session,
    ):
        if sandbox == "none":
            screen.note("running without a sandbox: programs can read and write your files")
        yield session, screen


def opened(name: str, tasks: list[str] | None, session: Session) -> Dataset:
    """Return the dataset of ``--dataset`` and ``--tasks``."""
    session.pool()  # whose sandboxes start while the dataset is read
    gc.disable()  # nothing that is read becomes garbage: looking for it takes a third of the time
    try:
        return load_dataset(name, tasks=tasks, session=session)
    finally:
        gc.freeze()
        gc.enable()


def folder_for(out: Path | None, job: str, dataset: str, data: Dataset, *parts: str) -> Path:
    """Return the folder of ``--out``, or one that is named after what the job works on."""
    return out or default_folder(job, dataset, data, *parts)
