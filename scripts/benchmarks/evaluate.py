"""Measure the cost of a verdict: ours, evalplus' and the floor, as CPU seconds and ratios.

    python -m scripts.benchmarks.evaluate --samples FILE [--samples FILE ...] [--rival FOLDER]
    python -m scripts.benchmarks.evaluate --samples FILE --workers 1 --workers 2 --workers 4
    python -m scripts.benchmarks.evaluate --overhead 2000
    python -m scripts.benchmarks.evaluate --start

The floor is the cost of the same programs on the same inputs in one plain process: within the same
bubblewrap, as the programs are no more trusted there, under the same limits, stopping at the first
failure. ``--rival`` names a folder for an environment with evalplus, created if missing.
``--workers`` may be given several times, for a row each; *fed cores* is all CPU time divided by
that of the first process: how many cores one run can keep busy at most. ``--overhead N`` judges N
programs that return at once on ten cases. ``--start`` measures what comes before a first verdict:
imports, help, and a whole run on one sample that fails at once.
"""

from __future__ import annotations

import argparse
import marshal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from evalplus_lite.jobs.expected import SuiteSource
from evalplus_lite.sandbox import Sandbox, SandboxConfig, preset
from evalplus_lite.sandbox.isolation import command
from evalplus_lite.tasks import Dataset, load_dataset
from evalplus_lite.tasks.samples import read_samples
from evalplus_lite.types import Task
from evalplus_lite.values import wire
from scripts.benchmarks.checkout import DATASETS, write_rows
from scripts.benchmarks.figures import Row, Table, arguments
from scripts.benchmarks.processes import (
    Cost,
    each_in_a_sandbox,
    environment,
    evalplus_lite,
    timed,
)
from scripts.benchmarks.rivals import EVALPLUS, EvalPlus, rival_python

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


def main() -> None:
    """Measure what the command line asks for."""
    options = parse()
    table = Table()
    if options.overhead:
        rows: Iterator[Row] = (overhead(options.overhead, each) for each in options.workers)
    elif options.start:
        rows = starts(options.dataset)
    else:
        rows = measure(options)
    for row in rows:
        table.add(row)
    table.save(options.record)


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = arguments(__doc__, workers=False)
    parser.add_argument("--dataset", default=DATASETS["humaneval"], type=Path)
    parser.add_argument("--samples", action="append", default=[], type=Path)
    parser.add_argument("--limits", default="default", help="limits preset of all three")
    parser.add_argument("--rival", type=Path, help="folder of an environment for evalplus")
    parser.add_argument("--workers", type=int, action="append")
    parser.add_argument("--overhead", type=int, default=0, metavar="N")
    parser.add_argument("--start", action="store_true", help="measure a run's beginning")
    options = parser.parse_args()
    options.workers = options.workers or [2]
    return options


def measure(options: argparse.Namespace) -> Iterator[Row]:
    """Yield what judging each sample file costs, by each number of workers."""
    data = load_dataset(str(options.dataset))
    suites = expected(data, limits=options.limits)
    for path in options.samples:
        for workers in options.workers:
            yield measure_file(path, workers, options, data, suites)


def measure_file(
    path: Path, workers: int, options: argparse.Namespace, data: Dataset, suites: Suites
) -> Row:
    """Return what judging a sample file costs us, the floor and the rival."""
    chosen = programs(data, path)
    count = len(chosen)
    ours = evaluate(options.dataset, path, options.limits, workers)
    least = run_floor(suites, chosen)
    row: dict[str, Any] = {"samples": path.name.removesuffix(".jsonl.gz"), "programs": count}
    row |= {"workers": workers, "floor CPU s": least.cpu, "ours CPU s": ours.cpu}
    row |= {"ours/floor": ours.cpu / least.cpu, "ours wall s": ours.wall}
    row |= {"above floor, ms a program": 1000 * (ours.cpu - least.cpu) / count}
    row |= {"first process CPU s": ours.parent_cpu, "fed cores": fed(ours)}
    if options.rival:
        python = rival_python(options.rival, EVALPLUS)
        with EvalPlus(python, options.dataset, limits=options.limits, workers=workers) as rival:
            theirs, _ = rival.evaluate(path)
        row |= {"evalplus CPU s": theirs.cpu, "evalplus wall s": theirs.wall}
        row |= {"evalplus/ours CPU": theirs.cpu / ours.cpu}
    return row


def expected(data: Dataset, *, limits: str) -> Suites:
    """Return what the floor compares with; this also fills the cache of expected outputs."""
    source, seconds = SuiteSource(), preset(limits).floor

    def prepare(sandbox: Sandbox, task: Task) -> tuple[str, tuple[Any, ...]]:
        suite = source.usable(sandbox, task, data.suites.get(task.id)).suite
        inputs = [marshal.dumps(case.arguments, 2) for case in suite.cases]
        decoded = map(wire.decode, suite.expected)
        outputs = [dict(each) if isinstance(each, Counter) else each for each in decoded]
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


def evaluate(dataset: Path, samples: Path, limits: str, workers: int) -> Cost:
    """Judge a sample file by the real command."""
    with tempfile.TemporaryDirectory() as folder:
        options = ("--limits", limits, "--workers", workers, "--out", folder, "--json")
        return evalplus_lite("evaluate", "--dataset", dataset, "--samples", samples, *options)


def fed(cost: Cost) -> float:
    """Return how many cores a run could keep busy if its first process were never idle."""
    return cost.cpu / max(cost.parent_cpu, 0.01)


def overhead(count: int, workers: int) -> Row:
    """Return what a program that returns at once costs: ten cases, ``count`` programs in all."""
    task: dict[str, Any] = {"id": "one", "prompt": "def one(n):\n", "entry_point": "one"}
    task |= {"reference": "def one(n):\n    return n\n", "inputs": [[n] for n in range(10)]}
    bodies = (
        {"task_id": "one", "solution": f"def one(n):\n    return n + {n} - {n}\n"}
        for n in range(count)
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tasks = write_rows(folder / "tasks.jsonl", [task])
        samples = write_rows(folder / "samples.jsonl", bodies)
        first = folder / "first.jsonl"
        first.write_text(samples.read_text().partition("\n")[0] + "\n")
        used = evaluate(tasks, samples, "default", workers)
        start = evaluate(tasks, first, "default", workers)
    cpu, parent = used.cpu - start.cpu, used.parent_cpu - start.parent_cpu
    return {
        "programs": count,
        "workers": workers,
        "CPU ms a program": 1000 * cpu / count,
        "programs a second": count / (used.wall - start.wall),
        "first process, CPU ms a program": 1000 * parent / count,
        "fed cores": cpu / max(parent, 0.01),
        "start CPU s": start.cpu,
        "start wall s": start.wall,
    }


def starts(dataset: Path) -> Iterator[Row]:
    """Yield what beginning costs, the least of five runs each; the last to its end."""
    ours = [sys.executable, "-m", "evalplus_lite"]
    imported = [sys.executable, "-c", "import evalplus_lite"]
    with tempfile.TemporaryDirectory() as folder:
        task = load_dataset(str(dataset)).tasks[0]
        sample = write_rows(
            Path(folder, "samples.jsonl"), [{"task_id": task.id, "solution": "pass"}]
        )
        runs: dict[str, Callable[[], Cost]] = {
            "`import evalplus_lite`": lambda: timed(imported, env=environment()),
            "`evalplus-lite --help`": lambda: timed([*ours, "--help"], env=environment()),
            "`evaluate` one sample": lambda: evaluate(dataset, sample, "default", 2),
        }
        for name, run in runs.items():
            found = [run() for _ in range(5)]
            least = {"CPU s": min(c.cpu for c in found), "wall s": min(c.wall for c in found)}
            yield {"what": name, **least}


if __name__ == "__main__":
    main()
