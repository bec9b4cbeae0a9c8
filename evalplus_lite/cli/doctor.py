"""``evalplus-lite doctor``: the isolation that this machine supports, and remedies."""

from __future__ import annotations

import os
import platform
import sys

from evalplus_lite.cli import options
from evalplus_lite.cli.console import print_json, print_table, say
from evalplus_lite.sandbox.isolation import command, landlock
from evalplus_lite.sandbox.probe import TIERS_BY_STRENGTH, ProbeReport, examine


def doctor(json: options.Json = False) -> int:
    """Show which sandbox layers hold here, tested from inside, and what to install for the others.

    Exits with 1 if no tier holds, so that programs can only be judged with --sandbox none.
    """
    reports = [examine(tier) for tier in TIERS_BY_STRENGTH]
    used = next((report.tier for report in reports if report.holds), None)
    if json:
        keys = ("tier", "holds", "layers", "problem", "remedy")
        tiers = [{key: getattr(report, key) for key in keys} for report in reports]
        print_json({"machine": machine(), "tiers": tiers, "used": used})
        return 0 if used else 1
    say("  ".join(f"{name} {value}" for name, value in machine().items()))
    names = list(dict.fromkeys(name for report in reports for name in report.layers))
    marks = {None: "", True: "holds", False: "OPEN"}
    rows = [[name, *(marks[report.layers.get(name)] for report in reports)] for name in names]
    if rows:
        print_table("Layers, tried from inside", ["layer", *(r.tier for r in reports)], rows)
    for report in reports:
        say(f"{report.tier}: {summary(report)}")
    say(f"used: {used}" if used else "used: nothing holds here; --sandbox none accepts the risk")
    return 0 if used else 1


def machine() -> dict[str, str]:
    """Return the facts about sandboxes here: kernel, interpreter, bubblewrap, Landlock."""
    linux = sys.platform == "linux"
    return {
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": platform.python_version(),
        "user": ("root" if os.geteuid() == 0 else "unprivileged") if linux else "",
        "bubblewrap": (command.find_bwrap() if linux else None) or "missing",
        "landlock": (f"version {landlock.version()}" if linux else "") or "missing",
    }


def summary(report: ProbeReport) -> str:
    """Return a tier's state as one line: it holds, or the reason why not and a remedy."""
    if report.holds:
        return "holds"
    reason = report.problem or f"does not hold: {', '.join(report.missing)}"
    return f"{reason}. Remedy: {report.remedy}" if report.remedy else reason
