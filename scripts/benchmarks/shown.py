"""Run mined tasks as a reader would: the program, then the call as questions show it.

    python -m scripts.benchmarks.shown TASKS... [--workers N]

Nothing of mining runs beside the program: the text of a question's call is evaluated where the
program was executed, in the sandbox, and what comes of it is compared with the recorded answer, by
value and type, exceptions by type and message. Functions that give other than the plain data of
their answers (``read`` in the row) are held to whether they raise. Then every row that tasks are
exported to in CRUXEval's, LiveCodeBench's and CodeI/O's forms runs as those sets' own scorers run
them. Prints how many were run and what differs; exits with 1 where anything does.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evalplus_lite.exe.tasks.mined import MinedTask, read_tasks
from evalplus_lite.exe.tasks.publishing import WRITERS, written
from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox, SandboxConfig
from evalplus_lite.types import Returned
from evalplus_lite.values import wire
from evalplus_lite.values.source import literal
from scripts.benchmarks.figures import arguments
from scripts.benchmarks.processes import each_in_a_sandbox

LIMITS = Limits(cpu=20.0, load=20.0)
BEFORE = "import json\nfrom math import *\nfrom typing import *\n\n"
"""Imports before a program, as the scorers of LiveCodeBench and CodeI/O have them."""
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
    rows = 0
    for form in WRITERS:
        for row in written([task], form)[0]:
            rows += 1
            if not _holds(sandbox, form, row):
                different.append(f"{task.id} as {form}: {str(row)[:300]}")
    return Shown(len(given), rows, tuple(different))


def _holds(sandbox: Sandbox, form: str, row: dict[str, object]) -> bool:
    """Run a row as its set's scorer does."""
    if form == "codeio":
        pairs = json.dumps(row["ios"])
        test = (
            f"    import json\n    for each in json.loads({pairs!r}):\n"
            f"        said = {row['funcname']}(**each['input'])\n"
            "        if json.loads(json.dumps(said)) != each['output']:\n            return False\n"
            "    return True\n"
        )
    else:
        call = f"f({row['input']})" if form == "cruxeval" else row["input"]
        test = f"    return bool({call} == {row['output']})\n"
    code = row["refcode" if form == "codeio" else "code"]
    code = code if form == "cruxeval" else f"{BEFORE}{code}"
    program = Program(f"{code}\n\ndef _holds():\n{test}", "_holds")
    (outcome,) = sandbox.run(program, Inputs.of([()]), LIMITS).outcomes
    return isinstance(outcome, Returned) and wire.decode(outcome.data) is True


def summarized(found: Sequence[Shown]) -> str:
    """Return how much was run."""
    calls, rows = sum(each.calls for each in found), sum(each.rows for each in found)
    return f"{len(found)} programs: {calls} calls as they are shown, {rows} exported rows"


def main() -> int:
    """Run every file's tasks."""
    parser = arguments(__doc__)
    parser.add_argument("tasks", nargs="+", type=Path)
    options = parser.parse_args()
    tasks = [task for path in options.tasks for task in read_tasks(path)]
    config = SandboxConfig(packages=())
    found = list(each_in_a_sandbox(run_as_shown, tasks, workers=options.workers, config=config))
    different = [line for each in found for line in each.different]
    for line in different:
        print(line)
    print(f"{summarized(found)}: {len(different)} differ")
    return 1 if different else 0


if __name__ == "__main__":
    raise SystemExit(main())
