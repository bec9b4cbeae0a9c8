"""Folders of results are local ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from evalplus_lite.errors import InputError
from evalplus_lite.store.locations import local_folder


def test_results_are_not_at_a_url() -> None:
    """A URL for results is refused with the remedy; a path is taken as it is."""
    with pytest.raises(InputError, match="local folders only"):
        local_folder("s3://bucket/results")
    assert local_folder("out/results") == Path("out/results")
