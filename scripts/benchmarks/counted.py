"""Hold the counters of mined tasks against what the interpreter itself reports.

    python -m scripts.benchmarks.counted TASKS... [--workers N]

Every case runs once more in the sandbox, its program as it stands, under ``sys.settrace``: line
events of the program's functions, and the functions that were entered. Lines are compared where a
statement is a line: no statement over several, no ``with``, whose end the interpreter reports as
well, no ``while`` with its body on the same line, whose last test it does not report. Calls are
compared where all are written as calls of functions (no classes, no callbacks, no generators), of
cases that end in a value. Maintainability and complexity of all are compared with radon's own.
Prints how many were compared and what differs; exits with 1 where anything does.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import radon.metrics

from evalplus_lite.exe.running.runs import CallableProgram, answer_of
from evalplus_lite.exe.statistics.static import static_statistics
from evalplus_lite.exe.tasks.mined import MinedTask, read_tasks
from evalplus_lite.sandbox import Inputs, Limits, Sandbox, SandboxConfig
from scripts.benchmarks.figures import arguments
from scripts.benchmarks.processes import each_in_a_sandbox

TRACER = """
_entry = entry
def entry(args, kwargs):
    import sys
    seen = {"lines": 0, "user_calls": -1}
    known = set()
    def local(frame, event, argument):
        seen["lines"] += event == "line"
        return local
    def outer(frame, event, argument):
        code = frame.f_code
        if code.co_filename != FILENAME or code.co_name.startswith("<"):
            return None
        seen["user_calls"] += 1
        return local
    for each in caches_of(sys.modules["inlined"].__dict__):  # a case warms no other's
        each.cache_clear()
    sys.settrace(outer)
    try:
        _entry(args, kwargs)
    except Exception:
        pass
    finally:
        sys.settrace(None)
    return seen
"""


@dataclass(frozen=True, slots=True)
class Compared:
    """How many cases of a task were compared, and the differences, each in a line."""

    lines: int
    calls: int
    different: tuple[str, ...]


def is_plain(tree: ast.Module) -> bool:
    """Say whether each statement is a line of its own, and the interpreter reports it as one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.With | ast.ListComp | ast.SetComp | ast.DictComp):
            return False
        if isinstance(node, ast.stmt) and not hasattr(node, "body"):
            is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            if node.lineno != node.end_lineno and not is_text:
                return False
        if isinstance(node, ast.While) and node.body[0].lineno == node.lineno:
            return False
        if isinstance(node, ast.If | ast.While | ast.For) and (
            (node.iter if isinstance(node, ast.For) else node.test).end_lineno != node.lineno
        ):
            return False
    return True


def has_calls_alone(tree: ast.Module) -> bool:
    """Say whether functions of the program run only where a call of them is written."""
    names = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    return not any(
        isinstance(node, ast.ClassDef | ast.Lambda | ast.Yield | ast.YieldFrom)
        or (isinstance(node, ast.Name) and node.id == "namedtuple")
        or getattr(node, "decorator_list", ())
        or (isinstance(node, ast.Name) and node.id in names and id(node) not in called)
        for node in ast.walk(tree)
    )


def compare_task(sandbox: Sandbox, task: MinedTask) -> Compared:
    """Trace a task's cases, and compute its figures with radon."""
    different: list[str] = []
    tree = ast.parse(task.code)
    static = static_statistics(task.code, task.entry_point)
    index = round(radon.metrics.mi_visit(task.code, multi=True), 2)
    complexity = radon.metrics.mi_parameters(task.code)[1]
    ours = (static.maintainability, static.cyclomatic)
    if None not in ours and ours != (index, complexity):
        different.append(f"{task.id}: radon {index}, {complexity}, here {ours[0]}, {ours[1]}")
    lines, calls = is_plain(tree), has_calls_alone(tree)
    if not lines and not calls:
        return Compared(0, 0, tuple(different))
    subject = CallableProgram(task.entry_point, code=task.code).program()
    program = replace(subject, source=subject.source + TRACER)
    rows = [(list(case.call.args), dict(case.call.kwargs)) for case in task.cases]
    found = sandbox.run(program, Inputs.of(rows), Limits(cpu=60.0, load=20.0))
    counted = [0, 0]
    for number, (case, outcome) in enumerate(zip(task.cases, found.outcomes, strict=True)):
        seen = answer_of(outcome).value
        if not isinstance(seen, dict) or not case.runtime:
            continue
        for at, (name, is_compared) in enumerate((("lines", lines), ("user_calls", calls))):
            if is_compared and not (at and case.answer.kind == "error"):
                counted[at] += 1
                if seen[name] != case.runtime[name]:
                    place = f"{task.id}, case {number}: {name}"
                    different.append(f"{place} {case.runtime[name]}, traced {seen[name]}")
    return Compared(counted[0], counted[1], tuple(different))


def summarized(found: Sequence[Compared]) -> str:
    """Return how much was compared."""
    tasks = [sum(bool(getattr(each, name)) for each in found) for name in ("lines", "calls")]
    cases = [sum(getattr(each, name) for each in found) for name in ("lines", "calls")]
    return (
        f"{len(found)} programs: radon's figures of all, lines of {cases[0]} cases of {tasks[0]}, "
        f"calls of {cases[1]} cases of {tasks[1]}"
    )


def main() -> int:
    """Compare every file's tasks."""
    parser = arguments(__doc__)
    parser.add_argument("tasks", nargs="+", type=Path)
    options = parser.parse_args()
    tasks = [task for path in options.tasks for task in read_tasks(path)]
    config = SandboxConfig(packages=())
    found = list(each_in_a_sandbox(compare_task, tasks, workers=options.workers, config=config))
    different = [line for each in found for line in each.different]
    for line in different:
        print(line)
    print(f"{summarized(found)}: {len(different)} differ")
    return 1 if different else 0


if __name__ == "__main__":
    raise SystemExit(main())
