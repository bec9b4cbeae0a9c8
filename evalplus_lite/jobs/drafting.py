"""Drafts of task files, from a module or a pytest file."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evalplus_lite.errors import InputError
from evalplus_lite.generate.domains.annotations import Type, hints
from evalplus_lite.jobs.expected import SuiteSource
from evalplus_lite.jobs.session import Result, Session, within
from evalplus_lite.sandbox import Limits
from evalplus_lite.store import write_jsonl
from evalplus_lite.tasks.drafts import (
    Asserted,
    LeftOut,
    SourceModule,
    asserted,
    harness_of,
    imported,
    module_tasks,
    task_row,
)
from evalplus_lite.types import CALL, Case, Rule, Task, Value
from evalplus_lite.values.kinds.registry import KINDS

LIMITS = Limits(cpu=2.0, load=10.0)


@dataclass(frozen=True, slots=True)
class DraftResult(Result):
    """A drafted task file: its ``tasks``, and what was left out and why."""

    tasks: tuple[Task, ...]

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row for each task, as in the file."""
        return [task_row(task) for task in self.tasks]


def draft_from_module(
    module: str | os.PathLike[str],
    *,
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
    session: Session | None = None,
) -> DraftResult:
    """Draft a task for each public function of a module, and write the task file to ``out``.

        draft_from_module("shapes.py", out="shapes.jsonl").summary["left_out"]

    Inputs and outputs come from the function's doctest examples; without any, inputs are generated
    from its annotations. The reference is the function with all module code that it needs. It is
    run in the sandbox, and inputs are left out if it fails or contradicts the example. The module
    itself is never imported. Raises InputError if no task can be drafted, or if ``out`` exists,
    unless ``force`` replaces it.
    """
    # The module is read as text: importing it would run it.
    program = SourceModule.read(Path(module))
    tasks, lost = module_tasks(program)
    for number, task in enumerate(tasks):
        if not task.base:
            inputs = simple_inputs(hints(task.prompt, task.entry_point))
            tasks[number] = replace(task, base=tuple(map(Case, inputs)))
    return _result(Path(module), tasks, lost, out=out, force=force, session=session)


def draft_from_pytest(
    file: str | os.PathLike[str],
    *,
    module: str | os.PathLike[str] | None = None,
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
    session: Session | None = None,
) -> DraftResult:
    """Draft a task for each function that plain assertions in a pytest file call, with outputs.

        draft_from_pytest("test_shapes.py", out="shapes.jsonl")

    ``module`` has the functions; by default they are looked up in the test file, then in the module
    next to it from which they are imported. A function that is not found becomes a task without a
    reference. Otherwise this works like ``draft_from_module``.
    """
    program = SourceModule.read(Path(file))
    # Order: assertions; the source of each function; then a task for each, run in the sandbox.
    asserted_calls, lost = asserted(program)
    modules = dict(imported(program.tree))
    stated_module = None if module is None else SourceModule.read(Path(module))
    known: dict[str, SourceModule | None] = {}

    def home(name: str) -> SourceModule | None:
        if stated_module is not None:
            return stated_module
        if program.function(name) is not None:
            return program
        stem = modules.get(name, "")
        if stem not in known:
            path = Path(file).with_name(f"{stem}.py")
            known[stem] = SourceModule.read(path) if stem and path.is_file() else None
        return known[stem]

    drafts = [
        _of_assertions(program.name, name, each, home(name))
        for name, each in asserted_calls.items()
    ]
    return _result(Path(file), drafts, lost, out=out, force=force, session=session)


def _of_assertions(stem: str, name: str, tests: Asserted, home: SourceModule | None) -> Task:
    calls = [f">>> {name}({', '.join(map(repr, arguments))})" for arguments in tests.inputs[:3]]
    prompt = "\n".join([f"Write the function {name}. It is called like this:", "", *calls, ""])
    reference = ""
    if home is not None and (node := home.function(name)) is not None:
        prompt, reference = home.prompt(node), home.alone(name)
    harness = harness_of(reference, name)
    return Task(
        id=f"{stem}/{name}",
        prompt=prompt,
        entry_point=name,
        reference=reference,
        harness=harness,
        base=tuple(map(Case, tests.inputs)),
        outputs=tuple(tests.outputs) if harness == CALL else (),
        rule=tests.rule or Rule(),
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
    # Checked before anything runs, because an existing file may have been edited by hand.
    if out is not None and Path(out).exists() and not force:
        raise InputError("is there already", path=out, remedy="give another file, or --force")
    left_out = list(lost)
    tasks: list[Task] = []
    # What ``sorted`` is called on may be a list or a set, which only the reference shows.
    twins = {
        place: replace(
            task, id=f"{task.id} of a set", rule=replace(task.rule, kind="unordered", levels=())
        )
        for place, task in enumerate(drafts)
        if task.rule.kind == "multiset" and task.reference
    }
    with within(session) as opened:
        # Every draft is run once, to drop inputs that its reference cannot answer.
        source = SuiteSource(cache=opened.cache, limits=LIMITS)
        opened.stage("references", len(drafts))
        suites = list(source.suites([*drafts, *twins.values()], opened.pool()))
        for place, twin in twins.items():
            of_set = suites.pop(len(drafts))
            if suites[place] is None and of_set is not None:
                drafts[place], suites[place] = replace(twin, id=drafts[place].id), of_set
                source.evidence[drafts[place].id] = source.evidence[twin.id]
        for place, (task, suite) in enumerate(zip(drafts, suites, strict=True)):
            opened.advance()
            name = task.entry_point
            if suite is None:
                reason = source.unusable[task.id].detail
                # The source only knows that there are no inputs; the user needs to know why.
                if not task.base:
                    reason = "it has no examples, and its annotations do not describe its arguments"
                elif place in twins:
                    reason = f"sorted(...) compares lists, tuples and sets alone: {reason}"
                left_out.append(LeftOut(name, 0, reason))
                continue
            left_out += [
                LeftOut(name, 0, f"{loss.count} inputs: {loss.example}")
                for loss in source.evidence[task.id].lost
            ]
            # Keep outputs only if a test states them; others are computed by the reference.
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


# A few typical values of a type, simplest first: inputs for functions without examples.

MOST = 12
"""Maximum number of inputs for a function."""
DEEPEST = 4
_PLAIN: dict[str, tuple[Value, ...]] = {
    "none": (None,),
    "int": (0, 1, 7, -3),
    "float": (0.0, 1.5, -2.25, 10.0),
    "complex": (0j, 1 + 2j),
    "bool": (False, True),
    "str": ("", "a", "hello world", "B2 b"),
    "bytes": (b"", b"ab"),
}
_PLAIN |= {kind.inside[0]: kind.examples[:4] for kind in KINDS if kind.annotations}
_HOLDERS = {"list": list, "set": set, "frozenset": frozenset, "sequence": list, "iterable": list}


def simple_inputs(types: Sequence[Type]) -> list[tuple[Value, ...]]:
    """Return at most ``MOST`` lists of arguments of these types; none if a type is unknown.

    In the first ones, all arguments are equally simple; the rest mix simple and other values.
    """
    columns = [simple_values(each) for each in types]
    if not all(columns):
        return []
    # Combine equally simple arguments first: a product would vary only the last one for long.
    rows = [tuple(column[at % len(column)] for column in columns) for at in range(4)]
    rows += itertools.islice(itertools.product(*columns), 4 * MOST)
    distinct: dict[str, tuple[Value, ...]] = {repr(row): row for row in rows}
    return list(distinct.values())[:MOST]


def simple_values(stated: Type, depth: int = 0) -> list[Value]:
    """Return a few values of a type; none if it is unknown."""
    if stated.kind == "literal":
        return list(stated.values)
    if stated.kind == "union":
        return [value for each in stated.arguments for value in simple_values(each, depth)[:3]]
    if stated.kind in _PLAIN:
        return list(_PLAIN[stated.kind])
    if depth >= DEEPEST:
        return []
    if stated.kind == "tuple" and not stated.variadic and stated.arguments:
        columns = [simple_values(each, depth + 1) for each in stated.arguments]
        if not all(columns):
            return []
        return [tuple(column[at % len(column)] for column in columns) for at in range(3)]
    if stated.kind in ("dict", "mapping"):
        keys, items = stated.entry or (Type("str"), Type("int"))
        columns = [simple_values(each, depth + 1) for each in (keys, items)]
        pairs = list(zip(*columns, strict=False))
        return [dict(pairs[:count]) for count in (0, 1, 3)] if pairs else []
    if stated.kind in _HOLDERS or stated.kind == "tuple":
        holder = _HOLDERS.get(stated.kind, tuple)
        inner = simple_values(stated.arguments[0] if stated.arguments else Type("int"), depth + 1)
        try:
            return [holder(inner[:count]) for count in (0, 1, 3)] if inner else []
        except TypeError:  # a set of lists
            return []
    return []
