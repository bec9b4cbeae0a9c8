"""Run mined tasks again in other surroundings: no recorded answer may change.

    python -m scripts.benchmarks.mined TASKS... [--alone] [--workers N]

Every case of every task runs in the sandbox under five hash seeds and in two folders, with another
clock, other environment variables, another time zone and other states of the random generator, and
with the cases in reverse order; ``--alone`` gives each case a process of its own as well. What
changes the surroundings is written here and shares no code with mining. Prints what each
surrounding really showed to a program, how many answers were compared, and every difference; exits
with 1 where there is one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from evalplus_lite.exe.running.runs import CallableProgram, CallResult, answer_of
from evalplus_lite.exe.tasks.mined import MinedTask, TaskCase, read_tasks
from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox, SandboxConfig
from scripts.benchmarks.figures import arguments
from scripts.benchmarks.processes import each_in_a_sandbox

PREAMBLE = """\
def _change(folder, shift, names, seed):
    import datetime, os, random, time
    os.chdir(folder)
    os.environ.update(names)
    time.tzset()
    random.seed(seed)
    for name in ("time", "monotonic", "perf_counter", "process_time"):
        def moved(real=getattr(time, name)):
            return real() + shift
        def moved_ns(real=getattr(time, name + "_ns")):
            return real() + int(shift * 10**9)
        setattr(time, name, moved)
        setattr(time, name + "_ns", moved_ns)
    for name in ("localtime", "gmtime"):
        def given(seconds=None, real=getattr(time, name)):
            return real(time.time() if seconds is None else seconds)
        setattr(time, name, given)
    class Type(type):
        def __instancecheck__(cls, value):
            return isinstance(value, cls.__mro__[1])
    class Date(datetime.date, metaclass=Type):
        @classmethod
        def today(cls):
            return cls.fromtimestamp(time.time())
    class Moment(datetime.datetime, metaclass=Type):
        @classmethod
        def now(cls, tz=None):
            return cls.fromtimestamp(time.time(), tz)
        today = utcnow = now
    Date.__name__, Moment.__name__ = "date", "datetime"
    datetime.date, datetime.datetime = Date, Moment

_change(*{settings!r})
"""
WITNESS = """
_entry = entry
def entry(args, kwargs):
    if args is not None:
        return _entry(args, kwargs)
    import os, random, time
    return [hash("a string"), os.getcwd(), int(time.time()) // 86400, os.environ["HOME"],
            time.strftime("%Z"), random.random()]
"""
SHOWN = ("hash", "folder", "day", "HOME", "zone", "random")


@dataclass(frozen=True, slots=True)
class Surrounding:
    """What a run sees: ``days`` by which its clock is off, and whether cases come in order."""

    hash_seed: int
    folder: str = "/"
    days: int = 0
    environment: dict[str, str] = field(default_factory=dict)
    random_seed: int = 0
    is_reversed: bool = False
    is_alone: bool = False

    def program(self, task: MinedTask) -> Program:
        """Return a task's program within this surrounding."""
        subject = CallableProgram(task.entry_point, code=task.code).program()
        names = {"HOME": "/root", "TZ": "UTC", **self.environment}
        settings = (self.folder, self.days * 86400.0, names, self.random_seed)
        return Program(
            f"{PREAMBLE.format(settings=settings)}{subject.source}{WITNESS}", subject.entry_point
        )


def surroundings(*, alone: bool) -> list[Surrounding]:
    """Return the surroundings of a check."""
    turkish = {"LANG": "tr_TR.UTF-8", "TZ": "XYZ-7", "HOME": "/home/a", "COLUMNS": "61"}
    bare = {"LC_ALL": "C", "TZ": "America/St_Johns", "HOME": "/nowhere", "USER": "b", "PATH": ""}
    found = [
        Surrounding(0),
        Surrounding(1, "/tmp"),
        Surrounding(42, "/", 400, turkish, 7),
        Surrounding(123_456_789, "/tmp", -3000, bare, 99),
        Surrounding(4_294_967_295, "/", 20_000, {"HOME": "/x", "NO_COLOR": "1"}, 123, True),
    ]
    return [*found, Surrounding(0, is_alone=True)] if alone else found


@dataclass(frozen=True, slots=True)
class Difference:
    """An answer that is not the recorded one."""

    task: str
    case: int
    recorded: str
    found: str


@dataclass(frozen=True, slots=True)
class Checked:
    """What one task gave in one surrounding."""

    compared: int
    witness: tuple[object, ...]
    differences: tuple[Difference, ...]


def check_task(surrounding: Surrounding, sandbox: Sandbox, task: MinedTask) -> Checked:
    """Run a task's cases once more."""
    order = list(range(len(task.cases)))
    if surrounding.is_reversed:
        order.reverse()
    program = surrounding.program(task)
    batches = [[case] for case in order] if surrounding.is_alone else [order]
    differences: list[Difference] = []
    witness: tuple[object, ...] = ()
    for batch in batches:
        answers = run(sandbox, program, [task.cases[case] for case in batch])
        *found, seen = answers
        witness = tuple(seen.value) if seen.kind == "value" else (seen.key,)
        for case, answer in zip(batch, found, strict=True):
            recorded = task.cases[case].answer
            if answer.key != recorded.key:
                differences.append(Difference(task.id, case, recorded.key[:300], answer.key[:300]))
    return Checked(len(order), witness, tuple(differences))


def run(sandbox: Sandbox, program: Program, cases: Sequence[TaskCase]) -> list[CallResult]:
    """Return the answers to cases, and last what the surrounding showed."""
    rows = [(list(case.call.args), dict(case.call.kwargs)) for case in cases]
    inputs = Inputs.of([*rows, (None, None)])
    found = sandbox.run(program, inputs, Limits(cpu=10.0, load=20.0))
    return [answer_of(outcome) for outcome in found.outcomes]


def check(tasks: Sequence[MinedTask], surrounding: Surrounding, workers: int) -> Iterator[Checked]:
    """Yield what each task gives in a surrounding, in order."""
    config = SandboxConfig(hash_seed=surrounding.hash_seed, packages=())
    work = partial(check_task, surrounding)
    yield from each_in_a_sandbox(work, tasks, workers=workers, config=config)


def main() -> int:
    """Check every file, print the table."""
    parser = arguments(__doc__)
    parser.add_argument("tasks", nargs="+", type=Path)
    parser.add_argument("--alone", action="store_true", help="each case in its own process, too")
    options = parser.parse_args()
    tasks = [task for path in options.tasks for task in read_tasks(path) if task.cases]
    cases = sum(len(task.cases) for task in tasks)
    print(f"{len(tasks)} tasks with {cases} cases")
    changed: dict[str, list[Difference]] = defaultdict(list)
    for surrounding in surroundings(alone=options.alone):
        compared = 0
        seen: list[Counter[object]] = [Counter() for _ in SHOWN]
        differences = 0
        for checked in check(tasks, surrounding, options.workers):
            compared += checked.compared
            differences += len(checked.differences)
            for counter, value in zip(seen, checked.witness, strict=False):
                counter[value] += 1
            for difference in checked.differences:
                changed[difference.task].append(difference)
        shown = ", ".join(
            f"{name} {counter.most_common(1)[0][0]}"
            for name, counter in zip(SHOWN, seen, strict=True)
            if counter
        )
        order = "alone" if surrounding.is_alone else "reversed" if surrounding.is_reversed else ""
        print(f"seed {surrounding.hash_seed} {order}: {compared} compared, {differences} differ")
        print(f"    seen: {shown}", flush=True)
    for task, found in changed.items():
        print(f"{task}: {len(found)} differ, first in case {found[0].case}:")
        print(f"    recorded {found[0].recorded}\n    found    {found[0].found}")
    print(f"{len(changed)} tasks with an answer that changes")
    return 1 if changed else 0


if __name__ == "__main__":
    raise SystemExit(main())
