"""Faults planted in a backend's processes, which import this module as they start.

A sample that says so ends its supervisor, or has our own code fail.
"""

from __future__ import annotations

import os
import signal
from typing import Any

from evalplus_lite.jobs import judging

DEADLY, WRONG = "ends its supervisor", "our own fault"
whole = judging.evaluate_program


def poisoned(sandbox: Any, prepared: Any, source: str, **options: Any) -> Any:
    """Judge a program, unless a fault is planted for it."""
    if DEADLY in source:
        os.kill(os.getpid(), signal.SIGKILL)
    if WRONG in source:
        raise ZeroDivisionError("of our own")
    return whole(sandbox, prepared, source, **options)


if __name__ != "__main__":
    judging.evaluate_program = poisoned
