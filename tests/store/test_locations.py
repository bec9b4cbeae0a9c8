"""Folders of results are local ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support.tasks import make_task

from evalplus_lite import Dataset, augment, evaluate, lint, reduce
from evalplus_lite.errors import InputError
from evalplus_lite.jobs.outputs import found_outputs
from evalplus_lite.store import write_text
from evalplus_lite.store.locations import local_folder


def test_results_are_not_at_a_url() -> None:
    """A URL for results is refused with the remedy; a path is taken as it is."""
    with pytest.raises(InputError, match="local folders only"):
        local_folder("s3://bucket/results")
    assert local_folder("out/results") == Path("out/results")


@pytest.mark.parametrize("job", [evaluate, augment, reduce, lint])
def test_a_name_may_be_too_long(job: Callable[..., object], tmp_path: Path) -> None:
    """It is an error that names it, before anything is judged."""
    out = tmp_path / ("x" * 300)
    options = {"samples": []} if job is evaluate else {}
    with pytest.raises(InputError, match="xxx"):
        job(Dataset("own", (make_task(),)), out=out, **options)
    with pytest.raises(InputError, match="xxx"):
        write_text(out, "")
    with pytest.raises(InputError, match="xxx"):
        found_outputs(out)
