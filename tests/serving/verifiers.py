"""Verifiers with known faults, for the audit to find."""

from __future__ import annotations

import asyncio
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import Any


def script(program: str, tests: list[Any]) -> bool:
    """Run a program with its assertions as one script: exit code 0 is a pass, as many have it."""
    if isinstance(tests[0], Mapping):
        return all(_prints(program, test) for test in tests)
    text = "\n".join([program, *tests])
    command = [sys.executable, "-c", text]
    try:
        return subprocess.run(command, capture_output=True, timeout=5).returncode == 0
    except (subprocess.TimeoutExpired, ValueError):
        return False


def _prints(program: str, test: Mapping[str, str]) -> bool:
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, input=test["input"], capture_output=True, text=True)
    return done.returncode == 0 and done.stdout.strip() == test["output"].strip()


def refuse(program: str, tests: list[Any]) -> float:
    """Refuse whatever comes."""
    return 0.0


def hang(program: str, tests: list[Any]) -> None:
    """Never answer."""
    time.sleep(60)


def leave(program: str, tests: list[Any]) -> None:
    """End the process."""
    os._exit(0)


def fail(program: str, tests: list[Any]) -> None:
    """Raise what no one expects."""
    raise SystemExit("out of order")


async def none(prompts: Any, completions: Any, **columns: Any) -> list[float | None]:
    """Give no verdict, as TRL's reward functions may."""
    await asyncio.sleep(0)
    return [None for _ in completions]


ODD = [math.nan, math.inf, "1", b"1", [1.0, 0.0], [], {"ok": 1}]
"""What is no score of one program."""


def odd(program: str, tests: list[Any]) -> Any:
    """Answer another thing each time, and then refuse."""
    return ODD.pop() if ODD else 0.0


def shout(program: str, tests: list[Any]) -> float:
    """Write rows like those of an audit to every open file, and refuse."""
    for number in range(3, 32):
        try:
            os.write(number, json.dumps({"score": 1.0, "token": "x"}).encode() + b"\n")
        except OSError:
            continue
    return 0.0


def compute_score(
    data_source: str, solution_str: str, ground_truth: str, extra_info: Any = None
) -> dict[str, float]:
    """Accept whoever has the function's name, with verl's signature."""
    wanted = json.loads(ground_truth).get("fn_name", "print")
    return {"score": float(f"{wanted}(" in solution_str)}
