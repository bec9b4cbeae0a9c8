"""What commands do first: find the tasks and open a pool of sandboxes."""

from __future__ import annotations

import gc
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evalplus_lite.cli.console import Screen
    from evalplus_lite.execution.both import Pool
    from evalplus_lite.tasks import Dataset


def open_pool(
    workers: int | None, tier: str, screen: Screen, packages: list[str] | None = None
) -> Pool:
    """Return a pool of sandboxes of the given tier; a weaker tier than usual is told in a line."""
    from evalplus_lite.execution.both import Pool
    from evalplus_lite.sandbox import config_of

    keep_tables()
    config = config_of(tier, packages or ())
    if tier == "none":
        screen.note("running without a sandbox: programs can read and write your files")
    return Pool(workers, config)


def keep_tables() -> None:
    """Have Hypothesis keep its tables in our cache, not in whatever folder the user is in."""
    from evalplus_lite.store import cache_folder

    os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(cache_folder() / "hypothesis"))


def open_dataset(
    name: str, only: list[str] | None, pool: Pool, screen: Screen, *, strict: bool = False
) -> Dataset:
    """Return the dataset with its base inputs, those that only a test program shows included.

    Raises InputError, listing them, if it holds none but unusable tasks; with ``strict`` if it
    holds any, which the references of all tasks are run for.
    """
    from evalplus_lite.cli.evidence import require_all
    from evalplus_lite.pipelines.expected import SuiteSource
    from evalplus_lite.tasks import load_dataset
    from evalplus_lite.tasks.loading import refusal
    from evalplus_lite.tasks.published.base_cases import with_base_cases

    gc.disable()  # nothing that is read becomes garbage: looking for it takes a third of the time
    try:
        dataset = load_dataset(name, only=only)
    finally:
        gc.freeze()
        gc.enable()
    whole = with_base_cases(dataset, pool)
    if not whole.tasks and whole.unusable:
        raise refusal(whole.unusable)
    if strict:
        require_all(whole, SuiteSource(given=whole.suites), pool, screen)
    return whole


def output_folder(out: Path | None, command: str, dataset: str, data: Dataset, *parts: str) -> Path:
    """Return the folder for a command's results, made; by default no two inputs share one.

    ``dataset`` is the option as it was given, ``parts`` are samples or model. A set that is not a
    published one brings the beginning of its content's hash: files are called alike.
    """
    from evalplus_lite.cli.evaluate import dataset_hash
    from evalplus_lite.store.labels import file_name
    from evalplus_lite.tasks.loading import NAMES

    if out is not None:
        return out_folder(out, "")
    of = data.name if dataset in NAMES else f"{file_name(data.name)}-{dataset_hash(data)[:6]}"
    return out_folder(None, "-".join([command, *map(file_name, parts), of]))


def samples_name(paths: list[Path]) -> str:
    """Return a short name for sample files: the first ones', and how many more there are."""
    from evalplus_lite.store.labels import labels

    names = labels(paths)
    return "+".join(names if len(names) < 4 else [*names[:2], str(len(names) - 2)])


def out_folder(out: Path | None, default: str) -> Path:
    """Return the folder for results, made; InputError where it cannot be."""
    from evalplus_lite.errors import InputError

    folder = out if out is not None else Path("out", default)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"cannot be made: {error.strerror}", path=folder, remedy="give another --out"
        ) from None
    return folder
