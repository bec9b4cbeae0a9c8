"""The floor: the same programs on the same inputs, plainly, in one process.

What no verifier can go below that runs every program. It is within the same bubblewrap as ours, as
the programs are no more trusted there, under the same limits, and stops at the first failure.
"""

from __future__ import annotations

import marshal
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evalplus_lite.jobs.expected import SuiteSource
from evalplus_lite.sandbox import Sandbox, SandboxConfig, preset
from evalplus_lite.sandbox.isolation import command
from evalplus_lite.tasks import Dataset
from evalplus_lite.tasks.samples import read_samples
from evalplus_lite.types import Task
from evalplus_lite.values import wire
from scripts.benchmarks.processes import Cost, each_in_a_sandbox, timed

FLOOR = r"""
import marshal, os, resource, signal, sys, types
tasks, programs = marshal.load(sys.stdin.buffer)
for name in ("typing math re random collections itertools functools operator string copy heapq "
             "bisect datetime hashlib json statistics").split():
    __import__(name)
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
class Late(BaseException):
    pass
def late(*_):
    raise Late
signal.signal(signal.SIGPROF, late)
null = os.open("/dev/null", os.O_RDWR)
out = os.dup(1)
os.dup2(null, 1)
def close(a, b, atol):
    if a == b:
        return True
    if isinstance(b, float) and isinstance(a, (int, float)):
        return abs(a - b) <= max(atol, 1e-7 * abs(b))
    if isinstance(b, (list, tuple)) and type(a) is type(b) and len(a) == len(b):
        return all(close(x, y, atol) for x, y in zip(a, b))
    return False
for task, source in programs:
    inputs, expected, limits, entry, atol = tasks[task]
    module = types.ModuleType("program")
    try:
        signal.setitimer(signal.ITIMER_PROF, 3)
        exec(source, module.__dict__)
        function = module.__dict__[entry]
        for arguments, wanted, limit in zip(inputs, expected, limits):
            signal.setitimer(signal.ITIMER_PROF, limit)
            if not close(function(*marshal.loads(arguments)), wanted, atol):
                break
    except BaseException:
        pass
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
"""


Suites = dict[str, tuple[Any, ...]]
"""By task id: packed inputs, expected outputs, seconds a case, entry point, absolute tolerance."""


def expected(data: Dataset, *, limits: str) -> Suites:
    """Return what the floor compares with; this also fills the cache of expected outputs."""
    source, seconds = SuiteSource(), preset(limits).floor

    def prepare(sandbox: Sandbox, task: Task) -> tuple[str, tuple[Any, ...]]:
        suite = source.usable(sandbox, task, data.suites.get(task.id)).suite
        inputs = [marshal.dumps(case.arguments, 2) for case in suite.cases]
        outputs = [wire.decode(output) for output in suite.expected]
        limits = [seconds] * len(inputs)
        return task.id, (inputs, outputs, limits, task.entry_point, task.rule.atol)

    return dict(each_in_a_sandbox(prepare, data.tasks))


def programs(data: Dataset, samples: Path) -> list[tuple[str, str]]:
    """Return the programs of a sample file with their tasks' ids, task by task."""
    order = {task.id: number for number, task in enumerate(data.tasks)}
    found = [(sample.task_id, sample.source) for sample in read_samples(samples, data)]
    return sorted(found, key=lambda pair: order[pair[0]])


def run_floor(suites: Suites, chosen: Sequence[tuple[str, str]]) -> Cost:
    """Run the programs plainly in one process, within bubblewrap."""
    plan = command.prepare(SandboxConfig(), "namespaces", (0, 0), 0).command
    python = plan.index("--") + 1
    code = "import sys; sys.path.insert(0, '/packages')\n" + FLOOR
    with tempfile.TemporaryFile() as file:
        marshal.dump((suites, list(chosen)), file, 2)
        file.seek(0)
        return timed([*plan[: python + 1], "-P", "-S", "-s", "-c", code], stdin=file)
