"""Say what mined tasks ask of a reader, beside the medians that the paper gives.

    python -m scripts.benchmarks.asked TASKS... [--workers N]

Every case runs once more in the sandbox, its program as it stands, under ``sys.settrace``: which
statements of the entry point its cases reach together. Prints coverage, errors, lines run, call
depth, and the sizes and characters of inputs and answers.
"""

from __future__ import annotations

import ast
import json
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

from evalplus_lite.exe.running.runs import CallableProgram, answer_of, rows
from evalplus_lite.exe.tasks.mined import MinedTask, read_tasks
from evalplus_lite.sandbox import Inputs, Limits, Sandbox, SandboxConfig
from scripts.benchmarks.figures import arguments
from scripts.benchmarks.processes import each_in_a_sandbox

TRACER = """
_entry = entry
def entry(args, kwargs):
    import sys
    seen = set()
    def local(frame, event, argument):
        if event == "line":
            seen.add(frame.f_lineno)
        return local
    def outer(frame, event, argument):
        return local if frame.f_code.co_filename == FILENAME else None
    sys.settrace(outer)
    try:
        _entry(args, kwargs)
    except Exception:
        pass
    finally:
        sys.settrace(None)
    return sorted(seen)
"""
LONG = 8
"""Statements from which on a function is worth a look of its own."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Lines on which statements of a task's entry point begin, and those of them that ran."""

    statements: frozenset[int]
    reached: frozenset[int]


def trace_task(sandbox: Sandbox, task: MinedTask) -> Asked:
    """Run a task's cases under the interpreter's own trace."""
    statements = statements_of(ast.parse(task.code), task.entry_point)
    subject = CallableProgram(task.entry_point, code=task.code).program()
    program = replace(subject, source=subject.source + TRACER)
    given = Inputs.of(rows(case.call for case in task.cases))
    found = sandbox.run(program, given, Limits(cpu=60.0, load=20.0))
    lines: set[int] = set()
    for outcome in found.outcomes:
        seen = answer_of(outcome).value
        lines.update(seen if isinstance(seen, list) else ())
    return Asked(statements, statements & lines)


def statements_of(tree: ast.Module, entry_point: str) -> frozenset[int]:
    """Return the lines on which statements of a function begin, docstrings left out."""
    found: set[int] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == entry_point:
            for each in ast.walk(node):
                is_text = isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)
                is_silent = isinstance(each, ast.Global | ast.Nonlocal | ast.Try)
                if isinstance(each, ast.stmt) and not (is_text or is_silent or each is node):
                    found.add(each.lineno)
    return frozenset(found)


def quantiles(values: Sequence[float]) -> str:
    """Return the least, the quarters, the last tenth and the largest of some numbers."""
    listed = sorted(values)
    places = (0.0, 0.25, 0.5, 0.75, 0.9, 1.0)
    return " / ".join(f"{listed[int(at * (len(listed) - 1))]:g}" for at in places)


def main() -> int:
    """Print the figures of all files together."""
    parser = arguments(__doc__)
    parser.add_argument("tasks", nargs="+", type=Path)
    options = parser.parse_args()
    tasks = [task for path in options.tasks for task in read_tasks(path) if task.cases]
    config = SandboxConfig(packages=())
    found = list(each_in_a_sandbox(trace_task, tasks, workers=options.workers, config=config))
    shares = [len(each.reached) / len(each.statements) for each in found if each.statements]
    long = [each for each in found if len(each.statements) >= LONG]
    whole = sum(each.reached == each.statements for each in long)
    cases = [case for task in tasks for case in task.cases]
    errors = [case for case in cases if case.answer.kind == "error"]
    raising = [task for task in tasks if "raise " in task.code]
    print(f"{len(tasks)} tasks with {len(cases)} cases")
    print(
        f"statements of the entry point reached: mean {fmean(shares):.1%}; of {len(long)} "
        f"functions of {LONG} statements or more {whole} whole, "
        f"{sum(2 * len(each.reached) < len(each.statements) for each in long)} below half"
    )
    some = sum(any(case.answer.kind == "error" for case in task.cases) for task in tasks)
    theirs = sum(any(case.answer.kind == "error" for case in task.cases) for task in raising)
    print(
        f"errors: {len(errors) / len(cases):.1%} of cases, {some} tasks have one; of "
        f"{len(raising)} programs with a raise {theirs}"
    )
    print("least / quarter / median / three quarters / nine tenths / most   (median of the paper)")
    for name, median in (("call_depth", "2"), ("identifiers", "16"), ("ifs", "1"), ("lines", "")):
        text = quantiles([task.facts["static"][name] for task in tasks])
        print(f"  {name}: {text}   ({median})" if median else f"  {name}: {text}")
    for name in ("lines", "call_depth"):
        values = [case.runtime[name] for case in cases if name in case.runtime]
        if values:
            print(f"  {name} of a run: {quantiles(values)}")
    print(f"  characters of an input: {quantiles([_size(c.to_json()['input']) for c in cases])}")
    answers = [_size(case.to_json().get("output", case.answer.message)) for case in cases]
    print(f"  characters of an answer: {quantiles(answers)}")
    odd = sum(_is_odd(json.dumps(c.to_json()["input"], ensure_ascii=False)) for c in cases)
    foreign = sum(not json.dumps(c.to_json()["input"], ensure_ascii=False).isascii() for c in cases)
    print(f"cases with characters beyond ASCII {foreign}, unassigned or for private use {odd}")
    return 0


def _size(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False))


def _is_odd(text: str) -> bool:
    return any(unicodedata.category(each) in ("Cn", "Co", "Cs") for each in text)


if __name__ == "__main__":
    raise SystemExit(main())
