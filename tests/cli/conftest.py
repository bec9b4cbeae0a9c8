"""What all tests of the command line share: sandboxes."""

from __future__ import annotations

import pytest
from support.commands import SharedBackend

from evalplus_lite.jobs import session


@pytest.fixture(autouse=True)
def _shared_sandboxes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have commands that run in this process use the same sandboxes, test after test."""
    monkeypatch.setattr(session, "make_backend", SharedBackend)
