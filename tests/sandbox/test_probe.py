"""What is found out of a tier: that it holds for good, that it does not for a while."""

from __future__ import annotations

import pytest

from evalplus_lite.sandbox import SandboxConfig, probe, worker_handle


@pytest.fixture
def tier(monkeypatch: pytest.MonkeyPatch) -> probe.Tier:
    """A tier that holds here, of which nothing is known yet."""
    for name in probe.TIERS_BY_STRENGTH:
        if probe.examine(name).holds:
            monkeypatch.setattr(probe, "_reports", {})
            return name
    pytest.skip("no tier holds here")


def test_a_passing_failure_is_not_kept(tier: probe.Tier, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that is too slow to start, once, does not lower the tier of a long process."""
    with monkeypatch.context() as slow:
        slow.setattr(worker_handle, "START_SECONDS", 1e-6)
        report = probe.examine(tier)
        assert not report.holds
        assert report.problem is not None
    assert probe.examine(tier) is report  # not tried again at each start of a worker
    monkeypatch.setattr(probe, "RETRY_SECONDS", 0.0)
    assert probe.examine(tier).holds
    assert probe.choose_tier(SandboxConfig(tier=tier)) == tier


def test_what_holds_is_asked_once(tier: probe.Tier, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tier that was seen to hold is not examined again, however much later."""
    found = probe.examine(tier)
    monkeypatch.setattr(probe, "RETRY_SECONDS", 0.0)
    assert probe.examine(tier) is found
