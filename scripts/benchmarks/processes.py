"""Commands as processes of their own: what they cost, what they hold, what runs beside them."""

from __future__ import annotations

import contextlib
import ctypes
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TypeVar

from evalplus_lite.sandbox import Sandbox, SandboxConfig
from scripts.benchmarks.checkout import ROOT

PR_SET_CHILD_SUBREAPER = 36
_ENDED = os.WEXITED | os.WNOWAIT
TICK = os.sysconf("SC_CLK_TCK")
Item = TypeVar("Item")
Result = TypeVar("Result")
BURN = "import os\nwhile os.getppid() != 1: sum(range(10**5))"


class Failed(RuntimeError):
    """A command that must succeed did not; the message ends with its last output."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a command took, in seconds.

    ``cpu`` is the processor time of all its processes, ``parent_cpu`` that of the first one alone,
    ``wall`` the time that passed.
    """

    cpu: float
    wall: float
    parent_cpu: float


def timed(
    command: list[str],
    *,
    env: Mapping[str, str] | None = None,
    stdin: IO[bytes] | int = subprocess.DEVNULL,
    log: Path | None = None,
    until: str | None = None,
    exit_codes: tuple[int, ...] | None = (0, 1),
) -> Cost:
    """Run a command until all its processes have ended, and return what it cost.

    ``log`` takes what it prints. ``until`` is a text: once the log has it, no more wall time is
    counted. Failed is raised if the exit code is not among ``exit_codes``; None accepts any.
    """
    # Processes whose parent ended without waiting for them come to us: their time counts too.
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    others = _children(os.getpid())
    with tempfile.TemporaryDirectory() as folder:
        log = log or Path(folder, "log")
        start, wall, cpu = time.monotonic(), None, 0.0
        with log.open("wb") as output:
            process = subprocess.Popen(command, env=env, stdin=stdin, stdout=output, stderr=output)
        # The first process is looked at before it is reaped, as its own time is known then.
        while not os.waitid(os.P_PID, process.pid, _ENDED | (os.WNOHANG if until else 0)):
            if until and wall is None and until in log.read_text(errors="replace"):
                wall = time.monotonic() - start
            time.sleep(0.05)
        wall = wall or time.monotonic() - start
        parent = sum(_stat(process.pid)[11:13]) / TICK
        while left := [pid for pid in _children(os.getpid()) if pid not in others]:
            _, status, usage = os.wait4(left[0], 0)
            cpu += usage.ru_utime + usage.ru_stime
            if left[0] == process.pid:
                process.returncode = os.waitstatus_to_exitcode(status)
        if exit_codes is not None and process.returncode not in exit_codes:
            last = log.read_bytes()[-2000:].decode(errors="replace")
            raise Failed(f"{' '.join(command)}: exit code {process.returncode}: {last}")
    return Cost(cpu, wall, parent)


def evalplus_lite(
    *arguments: object,
    python: str = sys.executable,
    exit_codes: tuple[int, ...] = (0, 1),
    **variables: str,
) -> Cost:
    """Run our command in this checkout, and return what it cost; Failed unless it ends well."""
    command = [python, "-m", "evalplus_lite", *map(str, arguments)]
    return timed(command, env=environment(**variables), exit_codes=exit_codes)


def environment(**variables: str) -> dict[str, str]:
    """Return an environment in which this checkout's package is the one that is imported.

    Bytecode is kept between runs, as that of an installed package is.
    """
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPATH": str(ROOT), **variables}


def descendants(pid: int) -> list[int]:
    """Return a process' children, theirs, and so on."""
    found = _children(pid)
    for child in found:  # which grows meanwhile
        found.extend(_children(child))
    return found


def _children(pid: int) -> list[int]:
    found: list[int] = []
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += map(int, (task / "children").read_text().split())
    return found


def tree_cpu() -> float:
    """Return the processor seconds of this process and all that it started, running or ended."""
    ours = [os.getpid(), *descendants(os.getpid())]
    return sum(sum(_stat(pid)[11:15]) for pid in ours) / TICK


def _stat(pid: int) -> list[int]:
    """Return the numbers in /proc/PID/stat from the third field on; all 0 once it has gone."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return [0] * 20
    return [0, *map(int, text.rpartition(")")[2].split()[1:20])]


def memory(pid: int, name: str = "VmRSS") -> float:
    """Return a process' resident memory in MiB (``VmHWM``: its peak); 0 once it has gone."""
    try:
        text = Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    kib = [line.split()[1] for line in text.splitlines() if line.startswith(name)]
    return int(kib[0]) / 1024 if kib else 0.0


@contextlib.contextmanager
def burning(count: int) -> Iterator[None]:
    """Have processes burn their processors' time for as long as this lasts."""
    processes = [subprocess.Popen([sys.executable, "-c", BURN]) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def each_in_a_sandbox(
    function: Callable[[Sandbox, Item], Result],
    items: Iterable[Item],
    *,
    workers: int | None = None,
    config: SandboxConfig = SandboxConfig(),  # noqa: B008 - frozen
) -> Iterator[Result]:
    """Yield ``function(sandbox, item)`` in order, by threads that have a sandbox each.

    ``workers`` threads, by default one a processor.
    """
    own = threading.local()
    # Sandboxes are closed before the threads that started them end: they would end with them.
    with ThreadPoolExecutor(workers or os.cpu_count()) as pool, contextlib.ExitStack() as opened:

        def call(item: Item) -> Result:
            if not hasattr(own, "sandbox"):
                own.sandbox = opened.enter_context(Sandbox(config))
            return function(own.sandbox, item)

        yield from pool.map(call, items)
