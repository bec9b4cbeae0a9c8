"""The process of one reader: takes texts on standard input, tells what each of them cost.

A request is four bytes of length, little endian, and the text; an answer is a line of JSON with
``cpu`` (seconds of this process), ``helpers`` (seconds of its children), ``grown`` (bytes by which
its memory rose above what it was) and ``said`` or ``fault``.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

from evalplus_lite.errors import EvalPlusLiteError, InfrastructureError

from .readers import Read, Wrong, opened

TICK = os.sysconf("SC_CLK_TCK")


def main(name: str) -> None:
    """Read texts until there are no more."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever a reader prints
    with tempfile.TemporaryDirectory(prefix="fuzz") as folder, opened(name, Path(folder)) as read:
        answers.write("ready\n")
        answers.flush()
        while len(head := sys.stdin.buffer.read(4)) == 4:
            data = sys.stdin.buffer.read(int.from_bytes(head, "little"))
            answers.write(json.dumps(measured(read, data)) + "\n")
            answers.flush()


def measured(read: Read, data: bytes) -> dict[str, Any]:
    """Read one text, and return what it cost and what became of it."""
    gc.collect(0)
    forget_peak()
    size, helpers, cpu = memory("VmRSS"), helpers_seconds(), time.process_time()
    found: dict[str, Any] = {}
    try:
        found["said"] = read(data)
    except InfrastructureError as error:
        found["fault"] = described(error)
    except EvalPlusLiteError as error:
        said = str(error)
        found["said"] = f"refused: {said[:200]}"
        if len(said) > 2000:
            found["fault"] = f"a message of {len(said)} characters"
    except BaseException as error:
        found["fault"] = described(error)
    found["cpu"] = time.process_time() - cpu
    found["helpers"] = helpers_seconds() - helpers
    found["grown"] = memory("VmHWM") - size
    return found


def described(error: BaseException) -> str:
    """Return an exception with the place in the project where it arose."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "evalplus_lite" in f.filename]
    place = f" at {Path(frames[-1].filename).name}:{frames[-1].name}" if frames else ""
    if isinstance(error, Wrong):
        place = ""
    with contextlib.suppress(Exception):
        return f"{type(error).__name__}{place}: {str(error)[:300]}"
    return f"{type(error).__name__}{place}"


def forget_peak() -> None:
    """Have the kernel count this process's largest size anew."""
    with contextlib.suppress(OSError), open("/proc/self/clear_refs", "w") as file:
        file.write("5")


def memory(field: str) -> int:
    """Return one of this process's sizes, in bytes."""
    with open("/proc/self/status") as file:
        for line in file:
            if line.startswith(field):
                return int(line.split()[1]) << 10
    return 0


def helpers_seconds() -> float:
    """Return the CPU time of all children, those that ended included, in seconds."""
    ended = os.times()
    total = ended.children_user + ended.children_system
    waiting = [os.getpid()]
    while waiting:
        pid = waiting.pop()
        with contextlib.suppress(OSError):
            for task in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{task}/children") as file:
                    waiting += map(int, file.read().split())
            if pid != os.getpid():
                with open(f"/proc/{pid}/stat") as file:
                    fields = file.read().rpartition(")")[2].split()
                total += sum(map(int, fields[11:15])) / TICK
    return total


if __name__ == "__main__":
    main(sys.argv[1])
