"""Run mined tasks again: no recorded answer may change.

    python -m scripts.benchmarks.mined TASKS... [--alone] [--as-shown] [--workers N]

Every case of every task runs in the sandbox under five hash seeds and in two folders, with another
clock, other environment variables, another time zone and other states of the random generator, and
with the cases in reverse order; ``--alone`` gives each case a process of its own as well. The code
that changes the environment is written here and shares nothing with mining. Prints what each
environment showed to a program, how many answers were compared, and every difference.

With ``--as-shown`` tasks run as a reader would run them: the program, then the text of the call as
questions show it, compared with the recorded answer by value and type, exceptions by type and
message. Functions whose answers hold other than plain data (``read`` in the row) are only checked
for whether they raise. Then every row of CRUXEval that tasks are exported to runs as its own scorer
runs them. Exits with 1 if anything differs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from evalplus_lite.exe.running.runs import CallableProgram, CallResult, answer_of
from evalplus_lite.exe.tasks.forms import written
from evalplus_lite.exe.tasks.mined import MinedTask, TaskCase, read_tasks
from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox, SandboxConfig
from evalplus_lite.types import Returned
from evalplus_lite.values import wire
from evalplus_lite.values.source import literal
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
WITNESSED = ("hash", "folder", "day", "HOME", "zone", "random")

LIMITS = Limits(cpu=20.0, load=20.0)
ASKED = """
def _same(one, other):
    if isinstance(one, float) and isinstance(other, float):
        return one == other or (one != one and other != other)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        alike = isinstance(one, list) == isinstance(other, list) and len(one) == len(other)
        return alike and all(map(_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict) and list(one) == list(other):
        return all(_same(one[key], other[key]) for key in one)
    return one == other and isinstance(one, bool) == isinstance(other, bool)

def _asked(call, wanted):
    try:
        said = eval(call, _space)
        said = list(said) if hasattr(said, "__next__") else said
    except BaseException as error:
        return [type(error).__name__, str(error)]
    return wanted is None or _same(said, eval(wanted))
"""


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


@dataclass(frozen=True, slots=True)
class Shown:
    """How many calls and rows of a task were run, and what differs, each in a line."""

    calls: int
    rows: int
    different: tuple[str, ...]


def run_as_shown(sandbox: Sandbox, task: MinedTask) -> Shown:
    """Run a task's calls, and the rows that it is exported to."""
    different: list[str] = []
    code = f"{task.code}\n\n_space = dict(globals())\n{ASKED}"
    given = []
    for case in task.cases:
        is_known = case.answer.kind == "value" and not task.facts.get("read")
        wanted = literal(case.answer.value) if is_known else None
        given.append((case.written(task.entry_point), wanted))
    outcomes = sandbox.run(Program(code, "_asked"), Inputs.of(given), LIMITS).outcomes
    for (call, _), case, outcome in zip(given, task.cases, outcomes, strict=True):
        said = wire.decode(outcome.data) if isinstance(outcome, Returned) else repr(outcome)
        raised = [case.answer.type, case.answer.message]
        if said != (True if case.answer.kind == "value" else raised):
            different.append(f"{task.id}: {call[:200]}: {said}, recorded {case.answer}")
    rows, _ = written([task])
    different += [f"{task.id}: {str(row)[:300]}" for row in rows if not _holds(sandbox, row)]
    return Shown(len(given), len(rows), tuple(different))


def _holds(sandbox: Sandbox, row: dict[str, object]) -> bool:
    """Run a row as CRUXEval's scorer does."""
    test = f"    return bool(f({row['input']}) == {row['output']})\n"
    program = Program(f"{row['code']}\n\ndef _holds():\n{test}", "_holds")
    (outcome,) = sandbox.run(program, Inputs.of([()]), LIMITS).outcomes
    return isinstance(outcome, Returned) and wire.decode(outcome.data) is True


def summarized(found: Sequence[Shown]) -> str:
    """Return how much was run."""
    calls, rows = sum(each.calls for each in found), sum(each.rows for each in found)
    return f"{len(found)} programs: {calls} calls as they are shown, {rows} exported rows"


def main() -> int:
    """Check every file, print the table."""
    parser = arguments(__doc__)
    parser.add_argument("tasks", nargs="+", type=Path)
    parser.add_argument("--alone", action="store_true", help="each case in its own process, too")
    parser.add_argument("--as-shown", action="store_true", help="run tasks as questions show them")
    options = parser.parse_args()
    if options.as_shown:
        return check_as_shown(options.tasks, options.workers)
    tasks = [task for path in options.tasks for task in read_tasks(path) if task.cases]
    cases = sum(len(task.cases) for task in tasks)
    print(f"{len(tasks)} tasks with {cases} cases")
    changed: dict[str, list[Difference]] = defaultdict(list)
    for surrounding in surroundings(alone=options.alone):
        compared = 0
        seen: list[Counter[object]] = [Counter() for _ in WITNESSED]
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
            for name, counter in zip(WITNESSED, seen, strict=True)
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


def check_as_shown(paths: Sequence[Path], workers: int) -> int:
    """Run every file's tasks as questions show them; return the exit code."""
    tasks = [task for path in paths for task in read_tasks(path)]
    config = SandboxConfig(packages=())
    found = list(each_in_a_sandbox(run_as_shown, tasks, workers=workers, config=config))
    different = [line for each in found for line in each.different]
    for line in different:
        print(line)
    print(f"{summarized(found)}: {len(different)} differ")
    return 1 if different else 0


if __name__ == "__main__":
    raise SystemExit(main())
