"""One's own tasks: what a check finds of them, and drafts from a module or a pytest file."""

from __future__ import annotations

import ast
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from evalplus_lite.errors import InputError, ReferenceSolutionError, UnusableTask
from evalplus_lite.execution.base import Call, Row, Work, WorkerContext
from evalplus_lite.generate.domains import typical
from evalplus_lite.generate.domains.annotations import hints
from evalplus_lite.grading.evidence import Evidence, blamed, own_refused, sentence, weakness
from evalplus_lite.grading.idle import ignored
from evalplus_lite.grading.oracle import Answers, answer
from evalplus_lite.grading.times import reference_steps
from evalplus_lite.jobs.datasets import run_facts
from evalplus_lite.jobs.expected import SuiteSource, source_of
from evalplus_lite.jobs.session import Result, Session, within
from evalplus_lite.jobs.workers.shared_data import SharedData, staged
from evalplus_lite.programs import definitions
from evalplus_lite.sandbox import Limits, Sandbox
from evalplus_lite.store import write_jsonl
from evalplus_lite.tasks import Dataset
from evalplus_lite.tasks import load_dataset as read_dataset
from evalplus_lite.tasks.contracts import has_check
from evalplus_lite.tasks.drafts import (
    LeftOut,
    SourceModule,
    examples,
    harness_of,
    imported,
    module_tasks,
    task_row,
)
from evalplus_lite.tasks.published.base_cases import has_hidden_cases, with_base_cases
from evalplus_lite.tasks.published.rows import LEFT_OUT
from evalplus_lite.tasks.pytest_asserts import Asserted, asserted
from evalplus_lite.types import CALL, Case, Cause, Rule, Task, Unusable

# Checking a task: what of it will be tested, what not, and why.

CHECKS: Mapping[str, tuple[Cause, ...]] = {
    "row": ("unreadable", "duplicate"),
    "reference": ("load", "test", "no reference"),
    "inputs": ("no inputs", "raises", "arity", "crashes", "memory", "expected", "format"),
    "contract": ("invalid", "contract"),
    "stable": ("unstable",),
    "observed": ("unobserved", "guessable", "weak"),
    "representable": ("unrepresentable",),
    "time": ("slow", "budget"),
}
"""What is checked of a task, in order, and the causes by which it does not hold."""
MOST_STEPS = 200_000_000
MOST_EXAMPLES = 100
"""Examples of a prompt that are tried."""


def check_of(cause: str) -> str:
    """Return the check that a cause belongs to."""
    return next((name for name, causes in CHECKS.items() if cause in causes), "inputs")


def checking(place: WorkerContext, settings: Row) -> Work:
    """Of a staged task, what a check found, as a row."""
    source = source_of(settings)

    def check(item: Row) -> Row:
        task, given = staged(place, item)
        try:
            with blamed(task):
                refused = own_refused(place.sandbox, task)
                answers = source.usable(place.sandbox, task, given)
        except UnusableTask as error:
            return {**described(task), **failed(error.cause, error.detail)}
        evidence = source.evidence[task.id]
        row = {**described(task), **_found(place.sandbox, task, answers, evidence)}
        if refused:
            row["checks"]["contract"] = False
            row["remarks"].append(
                _remark("refused", f"kept, though {sentence(refused[0])}", len(refused))
            )
        row["status"] = "remarks" if row["remarks"] else "ready"
        return row

    return check


def described(task: Task) -> dict[str, Any]:
    """Return what a task asks to be tested."""
    return {
        "task_id": task.id,
        "harness": task.harness.kind,
        "observe": list(task.harness.observe),
        "compared": "check" if has_check(task) else task.rule.kind,
        "given": len(task.cases),
        "usable": 0,
        "steps": None,
    }


def failed(cause: str, detail: str) -> dict[str, Any]:
    """Return what is known of a task that cannot be used: what stands in its way comes first."""
    found: dict[str, bool | None] = dict.fromkeys(CHECKS)
    broken = check_of(cause)
    for name in CHECKS:
        if name == broken:
            found[name] = False
            break
        if name == "row":
            found[name] = True
    return {"status": "unusable", "checks": found, "remarks": [_remark(cause, detail)]}


def _found(sandbox: Sandbox, task: Task, answers: Answers, evidence: Evidence) -> dict[str, Any]:
    lost = {check_of(loss.cause) for loss in evidence.lost}
    found: dict[str, bool | None] = {name: name not in lost for name in CHECKS}
    remarks = [_remark(loss.cause, loss.example, loss.count) for loss in evidence.lost]
    if left_out := task.extra.get(LEFT_OUT):
        remarks.append(_remark("left out", "; ".join(left_out[:3]), len(left_out)))
    if task.contract is None:
        found["contract"] = None
    if not evidence.base:
        remarks.append(_remark("no base", "no base case is left"))
    if evidence.blind:
        remarks.append(_remark("constant", evidence.blind))
    if evidence.weak and not evidence.blind:
        remarks.append(_remark("weak", weakness(evidence)))
    if evidence.observed:
        remarks.append(_remark("observed", evidence.observed))
    steps = None
    if task.reference:
        base = answers.suite.cases[: evidence.base]
        steps = max(reference_steps(sandbox, task, base, most=MOST_STEPS), default=None)
        remarks += [*_untested(task), *_contradicted(sandbox, task)]
        remarks += [_remark("ignored", text) for text in ignored(sandbox, task, base)]
    else:
        found |= dict.fromkeys(("reference", "stable", "time"))
        detail = "judged by its outputs; augment and reduce leave it out"
        remarks.append(_remark("no reference", detail))
    return {"usable": evidence.cases, "steps": steps, "checks": found, "remarks": remarks}


def _remark(kind: str, detail: str, count: int = 1) -> dict[str, Any]:
    return {"kind": kind, "count": count, "detail": detail}


def _untested(task: Task) -> list[dict[str, Any]]:
    """Return a remark on functions and classes of the reference that the entry point never uses."""
    tree = definitions.parse(task.reference)
    if tree is None or not task.defined:
        return []
    used = definitions.needed(tree.body, [task.defined])
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    names = [node.name for node in tree.body if isinstance(node, kinds) and node not in used]
    if not names:
        return []
    return [_remark("untested", f"nothing calls {', '.join(names[:5])}", len(names))]


def _contradicted(sandbox: Sandbox, task: Task) -> list[dict[str, Any]]:
    """Return a remark on examples in the prompt that the reference answers otherwise."""
    if task.harness.kind != "call" or has_check(task):
        return []
    found = [each for each in examples(task.prompt, task.entry_point) if not each.problem]
    found = found[:MOST_EXAMPLES]
    if not found:
        return []
    cases = tuple(Case(each.arguments, "docstring") for each in found)
    stated = replace(task, base=cases, plus=(), outputs=tuple(each.output for each in found))
    limits = Limits(cpu=2.0, load=10.0)
    try:
        answers = answer(
            sandbox,
            stated,
            cases,
            base_count=len(cases),
            limits=limits,
            contract=False,
            twice=False,
        )
    except ReferenceSolutionError as error:  # it did load before
        return [_remark("prompt", str(error))]
    if not answers.dropped:
        return []
    first = answers.dropped[0]
    detail = f"an example in the prompt: {sentence(first)}"
    return [_remark("prompt", detail, len(answers.dropped))]


STATUSES = ("ready", "remarks", "unusable")


@dataclass(frozen=True, slots=True)
class CheckResult(Result):
    """What was found of each task; ``ready`` ones first in the counts."""

    kind: ClassVar[str] = "checks"

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row a task: ``task_id``, ``status``, ``checks``, ``remarks``, ..."""
        return list(self.summary["tasks"])

    @property
    def unusable(self) -> list[dict[str, str]]:
        """The tasks that cannot be used, with ``task_id``, ``cause`` and ``detail``."""
        bad = [row for row in self.to_rows() if row["status"] == "unusable"]
        return [
            {
                "task_id": row["task_id"],
                "cause": row["remarks"][0]["kind"],
                "detail": row["remarks"][0]["detail"],
            }
            for row in bad
        ]


def check_tasks(
    dataset: Dataset | str | os.PathLike[str],
    *,
    tasks: Sequence[str] | None = None,
    session: Session | None = None,
) -> CheckResult:
    """Say of each task what will be tested, what is ignored, and why.

        for row in check_tasks("tasks.jsonl").to_rows():
            print(row["task_id"], row["status"], row["remarks"])

    ``dataset`` is a ``Dataset``, a name or a path, ``tasks`` chooses some, as ``Dataset.only``
    says. The reference is run on the task's own inputs, twice, and on the examples in its prompt;
    the contract is held against these inputs. ``status`` is ``ready``, ``remarks`` (usable, but
    something is lost or odd) or ``unusable``. A bad task stops no other. Raises InputError if no
    row of a file can be read.
    """
    with within(session) as opened:
        data = dataset if isinstance(dataset, Dataset) else read_dataset(dataset)
        data = data.only(tasks)
        order = data.all_ids if tasks is None else ()
        if any(map(has_hidden_cases, data.tasks)):
            data = with_base_cases(data, opened.pool())
        opened.stage("check tasks", len(data.tasks))
        staging = SharedData(opened.pool(), data.suites)
        settings = SuiteSource(cache=opened.cache).settings
        call = Call(f"{checking.__module__}:{checking.__name__}", settings)
        rows = {each.task_id: _unread(each) for each in data.unusable}
        for row in opened.pool().map(call, map(staging.ref, data.tasks)):
            rows[row["task_id"]] = row
            opened.advance()
        place = {id: number for number, id in enumerate(order)}
        found = sorted(rows.values(), key=lambda row: place.get(row["task_id"], len(place)))
        run = run_facts(data, pool=opened.pool())
    counts = Counter(row["status"] for row in found)
    summary = {
        "run": run,
        "dataset": data.name,
        **{status: counts[status] for status in STATUSES},
        "tasks": found,
    }
    return CheckResult(summary)


def _unread(bad: Unusable) -> dict[str, Any]:
    """Return the row of a task that was not read, or whose test program its reference fails."""
    nothing = dict.fromkeys(("harness", "compared", "steps"))
    return {
        "task_id": bad.task_id,
        **nothing,
        "observe": [],
        "given": 0,
        "usable": 0,
        **failed(bad.cause, bad.detail),
    }


# Task files drafted from what one has: a Python module, or a pytest file.

LIMITS = Limits(cpu=2.0, load=10.0)


@dataclass(frozen=True, slots=True)
class DraftResult(Result):
    """A task file: the ``tasks`` that were drafted, and what was left out and why."""

    tasks: tuple[Task, ...]

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row a task, as the file holds it."""
        return [task_row(task) for task in self.tasks]


def draft_from_module(
    module: str | os.PathLike[str],
    *,
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
    session: Session | None = None,
) -> DraftResult:
    """Make a task of each public function of a module, and write them as a task file to ``out``.

        draft_from_module("shapes.py", out="shapes.jsonl").summary["left_out"]

    A function's examples in doctest's form are its inputs, with outputs; without any, inputs are
    made by its annotations. The function, with what it needs of the module, is the reference, which
    is run in the sandbox: an input that it does not answer, or not as the example says, is left
    out. The module itself is never imported. Raises InputError if no task comes of it, or ``out``
    is there already, unless ``force`` replaces it.
    """
    program = SourceModule.read(Path(module))
    tasks, lost = module_tasks(program)
    drafts = [_with_inputs(task) for task in tasks]
    return _result(Path(module), drafts, lost, out=out, force=force, session=session)


def draft_from_pytest(
    file: str | os.PathLike[str],
    *,
    module: str | os.PathLike[str] | None = None,
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
    session: Session | None = None,
) -> DraftResult:
    """Make a task of each function that a pytest file's plain assertions call, with its outputs.

        draft_from_pytest("test_shapes.py", out="shapes.jsonl")

    ``module`` is where the functions are; without it they are looked for in the test file, then in
    the module beside it that they are imported from. A function that is not found makes a task
    without a reference. Otherwise as ``draft_from_module``.
    """
    program = SourceModule.read(Path(file))
    found, lost = asserted(program)
    modules = dict(imported(program.tree))
    given = None if module is None else SourceModule.read(Path(module))
    known: dict[str, SourceModule | None] = {}

    def home(name: str) -> SourceModule | None:
        if given is not None:
            return given
        if program.function(name) is not None:
            return program
        stem = modules.get(name, "")
        if stem not in known:
            path = Path(file).with_name(f"{stem}.py")
            known[stem] = SourceModule.read(path) if stem and path.is_file() else None
        return known[stem]

    drafts = [_of_assertions(program.name, name, each, home(name)) for name, each in found.items()]
    return _result(Path(file), drafts, lost, out=out, force=force, session=session)


def _with_inputs(task: Task) -> Task:
    if task.base:
        return task
    inputs = typical.inputs(hints(task.prompt, task.entry_point))
    return replace(task, base=tuple(map(Case, inputs)))


def _of_assertions(stem: str, name: str, found: Asserted, home: SourceModule | None) -> Task:
    node = None if home is None else home.function(name)
    shown = [f">>> {name}({', '.join(map(repr, arguments))})" for arguments in found.inputs[:3]]
    prompt = "\n".join([f"Write the function {name}. It is called like this:", "", *shown, ""])
    if home is not None and node is not None:
        prompt = home.prompt(node)
    reference = "" if home is None or node is None else home.alone(name)
    harness = harness_of(reference, name)
    return Task(
        id=f"{stem}/{name}",
        prompt=prompt,
        entry_point=name,
        reference=reference,
        harness=harness,
        base=tuple(map(Case, found.inputs)),
        outputs=tuple(found.outputs) if harness == CALL else (),
        rule=found.rule or Rule(),
    )


def _result(
    path: Path,
    drafts: list[Task],
    lost: Iterable[LeftOut],
    *,
    out: str | os.PathLike[str] | None,
    force: bool,
    session: Session | None,
) -> DraftResult:
    if out is not None and Path(out).exists() and not force:
        raise InputError("is there already", path=out, remedy="another --out, or --force")
    left_out = list(lost)
    tasks: list[Task] = []
    with within(session) as opened:
        source = SuiteSource(cache=opened.cache, limits=LIMITS)
        opened.stage("references", len(drafts))
        for task, suite in zip(drafts, source.suites(drafts, opened.pool()), strict=True):
            opened.advance()
            name = task.entry_point
            if suite is None:
                reason = source.unusable[task.id].detail
                if not task.base:
                    reason = "it has no examples, and its annotations do not tell its arguments"
                left_out.append(LeftOut(name, 0, reason))
                continue
            left_out += [
                LeftOut(name, 0, f"{loss.count} inputs: {loss.example}")
                for loss in source.evidence[task.id].lost
            ]
            outputs = tuple(suite.expected) if task.outputs else ()
            tasks.append(replace(task, base=suite.cases, outputs=outputs))
    if not tasks:
        first = f": {left_out[0].name}: {left_out[0].reason}" if left_out else ""
        raise InputError(f"no task can be made of it{first}", path=path)
    if out is not None:
        write_jsonl(out, map(task_row, tasks))
    summary = {
        "file": None if out is None else str(out),
        "tasks": len(tasks),
        "inputs": sum(len(task.base) for task in tasks),
        "without_reference": sum(not task.reference for task in tasks),
        "left_out": [each.to_json() for each in left_out],
    }
    return DraftResult(summary, tuple(tasks))
