"""Work for backends that shows what they do."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

from evalplus_lite.execution.base import Row, Work, WorkerContext
from evalplus_lite.sandbox import Inputs, Limits, Program
from evalplus_lite.types import Returned
from evalplus_lite.values import wire
from support.tasks import DOUBLE


def doubling(place: WorkerContext, settings: Row) -> Work:
    """Have a program double a number; settings may say how to treat some numbers otherwise."""
    odd: dict[Any, str] = settings or {}

    def double(item: Row) -> Row:
        match odd.get(item):
            case "raise":
                raise ValueError(f"it is {item}")
            case "die":
                os.kill(os.getpid(), signal.SIGKILL)
            case "sleep":
                time.sleep(0.5)
            case "sleep long":
                time.sleep(8.0)
            case "loop":
                source = "def f(x):\n    while True: pass\n"
                place.sandbox.run(Program(source, "f"), Inputs.of([(1,)]), Limits(cpu=3600.0))
        (outcome,) = place.sandbox.run(Program(DOUBLE, "f"), Inputs.of([(item,)])).outcomes
        assert isinstance(outcome, Returned), outcome
        return wire.decode(outcome.data)

    return double


def telling(place: WorkerContext, settings: Row) -> Work:
    """Tell the process's id, what was loaded from the stage, and the item."""
    return lambda item: (os.getpid(), place.load(item) if isinstance(item, tuple) else item)


def listing(place: WorkerContext, settings: Row) -> Work:
    """List the packages that programs may import besides the usual ones."""
    return lambda _: place.sandbox.config.packages


def sleeping(place: WorkerContext, settings: Row) -> Work:
    """Work: the square of an item, after a moment."""

    def work(item: Row) -> Row:
        time.sleep(0.05)
        return item * item

    return work


def weighing(place: WorkerContext, settings: Row) -> Work:
    """Work: how long a staged text is, which stands at the item's reference."""
    return lambda ref: len(place.load(ref))


def deadly(place: WorkerContext, settings: Row) -> Work:
    """Work: one item ends the actor whose supervisors work on it, as a machine may."""

    def work(item: Row) -> Row:
        if item == 7:
            os.kill(actor(os.getpid()), signal.SIGKILL)
            time.sleep(60)
        return item

    return work


def actor(pid: int) -> int:
    """Return the process two above: that of the launcher of a supervisor."""
    for _ in range(2):
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return pid
