"""A worker that cannot be started leaves nothing behind."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from evalplus_lite.errors import InfrastructureError, InputError
from evalplus_lite.sandbox import SandboxConfig
from evalplus_lite.sandbox.worker_handle import WorkerHandle


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_a_refused_setup_keeps_no_descriptor(tmp_path: Path) -> None:
    """A folder that is not there is told each time, and costs no descriptor."""
    config = SandboxConfig(readable=(str(tmp_path / "nowhere"),))
    before = descriptors()
    for _ in range(20):
        with pytest.raises(InputError, match="nowhere"):
            WorkerHandle(config, "none")
    assert descriptors() == before


def test_a_program_that_does_not_start_keeps_no_descriptor(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """An interpreter that is gone, or ends at once, costs no descriptor either."""
    before = descriptors()
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    for _ in range(5):
        with pytest.raises(InfrastructureError, match="cannot start a worker"):
            WorkerHandle(SandboxConfig(packages=()), "none")
    monkeypatch.setattr(sys, "executable", "/bin/false")
    for _ in range(5):
        with pytest.raises(InfrastructureError, match="a worker did not start"):
            WorkerHandle(SandboxConfig(packages=()), "none")
    assert descriptors() == before
