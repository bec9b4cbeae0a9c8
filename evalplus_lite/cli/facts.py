"""What every summary says of the run behind it, under ``run``."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalplus_lite.execution.both import Pool
    from evalplus_lite.tasks import Dataset


def facts(
    data: Dataset | None = None,
    *,
    pool: Pool | None = None,
    samples: Iterable[Path] = (),
    **settings: Any,
) -> dict[str, Any]:
    """Return version, date, Python, the sandbox's tier, hashes of data and samples, and settings.

    The pool's tier is found by probing, if nothing ran there yet.
    """
    from evalplus_lite import __version__
    from evalplus_lite.cli.evaluate import dataset_hash
    from evalplus_lite.pipelines.facts import file_facts, run_facts

    found: dict[str, Any] = {}
    if pool is not None:
        found["sandbox"] = pool.tier
    if data is not None:
        found["data"] = {"name": data.name, "content": dataset_hash(data)}
    files = file_facts(samples)
    if files:
        found["samples"] = files
    return run_facts(__version__, **found, **settings)
