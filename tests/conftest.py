"""Fixtures that any test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data and samples that is not part of this repository."""
    folder = Path(os.environ.get("EVALPLUS_LITE_SHARED", ROOT.parent / "shared"))
    if not (folder / "datasets").is_dir():
        pytest.skip("needs real data: set EVALPLUS_LITE_SHARED to the folder that holds datasets/")
    return folder
