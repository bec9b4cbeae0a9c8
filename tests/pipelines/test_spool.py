"""Samples kept for a run come back as they were, as often as they are asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from evalplus_lite.errors import InputError
from evalplus_lite.jobs.grouping import READ_CHUNK, SampleSpool
from evalplus_lite.types import Sample

SAMPLES = [
    Sample("t/0", "x = '\ud800\u2028\n'\r\n", "model", 0),
    Sample("t/1", "", "", 3),
    Sample("t/0", "y" * (2 * READ_CHUNK + 1), "", 1),
    Sample("t/2", "z", "m\n", 2),
]


def test_samples_come_back_as_often_as_wanted() -> None:
    """Two passes at once see all samples, in order, any character included."""
    with SampleSpool(iter(SAMPLES)) as spool:
        first, second = iter(spool), iter(spool)
        assert next(first) == SAMPLES[0]
        assert list(second) == SAMPLES
        assert list(first) == SAMPLES[1:]
    with SampleSpool([]) as spool:
        assert list(spool) == []


def test_no_room_is_told_with_the_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk is an error that names the folder and what to do."""
    full = Path("/dev/full").open("wb")  # noqa: SIM115 - the spool closes it
    monkeypatch.setattr("tempfile.TemporaryFile", lambda **_: full)
    with pytest.raises(InputError, match="TMPDIR"):
        SampleSpool(SAMPLES)
