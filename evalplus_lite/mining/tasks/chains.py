"""Longer tasks from proved ones: chains by type, and composite inputs (the paper's section 2.2).

A chain feeds one function's result to another whose sole required parameter has that type; a
composite feeds the results of several functions to one. Programs are put together statement by
statement; two that want one name differently are not combined.
"""

from __future__ import annotations

import ast
import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evalplus_lite.generate.domains.annotations import Type
from evalplus_lite.mining.inputs.choosing import select
from evalplus_lite.mining.inputs.validators import MAX_CASES, Executed, judge
from evalplus_lite.mining.running.proof import Sandboxes
from evalplus_lite.mining.running.runs import CallableProgram, Invocation, run
from evalplus_lite.mining.selecting.candidates import Parameter, Signature
from evalplus_lite.mining.statistics.static import static_statistics
from evalplus_lite.mining.tasks.mined import MinedTask, TaskCase, read_tasks
from evalplus_lite.store import write_jsonl

MAX_CODE = 60_000


@dataclass(frozen=True, slots=True)
class Chained:
    """A program built of others, and calls to run it on."""

    id: str
    code: str
    entry_point: str
    signature: Signature
    calls: tuple[Invocation, ...]
    parts: tuple[str, ...]


def feeds(result: Type, signature: Signature) -> bool:
    """Return whether a result of this type can be a function's only required argument."""
    parameters = signature.parameters
    if not parameters or parameters[0].kind != "positional":
        return False
    if any(p.is_required for p in parameters[1:]):
        return False
    wanted = parameters[0].type
    return result == wanted or (wanted.kind == "union" and result in wanted.arguments)


def chain(first: MinedTask, second: MinedTask) -> Chained | None:
    """Return ``second(first(...))``; None where types do not fit or names clash."""
    inner, outer = first.signature, second.signature
    if not feeds(inner.result, outer) or any(p.kind != "positional" for p in inner.parameters):
        return None
    names = ", ".join(p.name for p in inner.parameters)
    body = f"    return {second.entry_point}({first.entry_point}({names}))"
    parameters = ", ".join(
        p.name if p.default is None else f"{p.name}={p.default}" for p in inner.parameters
    )
    code = merge([first.code, second.code], f"def chained({parameters}):\n{body}\n")
    if code is None:
        return None
    calls = tuple(c.call for c in first.cases if c.answer.kind == "value")
    signature = Signature(inner.parameters, outer.result)
    ids = (first.id, second.id)
    return Chained(f"chain/{'>'.join(ids)}", code, "chained", signature, calls, ids)


def compose(feeders: Sequence[MinedTask], last: MinedTask) -> Chained | None:
    """Return ``last(a(x), b(y), ...)``: each required argument comes from a function of its own."""
    outer = last.signature
    wanted = [p for p in outer.parameters if p.is_required]
    if len(wanted) != len(feeders) or any(p.kind != "positional" for p in wanted):
        return None
    parameters: list[Parameter] = []
    given: list[str] = []
    for number, (feeder, parameter) in enumerate(zip(feeders, wanted, strict=True)):
        inner = feeder.signature
        required = [p for p in inner.parameters if p.is_required]
        if inner.result != parameter.type or any(p.kind != "positional" for p in required):
            return None
        renamed = [replace(p, name=f"{p.name}_{number + 1}") for p in required]
        parameters += renamed
        given.append(f"{feeder.entry_point}({', '.join(p.name for p in renamed)})")
    names = ", ".join(p.name for p in parameters)
    body = f"def composed({names}):\n    return {last.entry_point}({', '.join(given)})\n"
    code = merge([*dict.fromkeys(t.code for t in feeders), last.code], body)
    if code is None:
        return None
    calls = []
    for chosen in itertools.islice(zip(*(_values(t) for t in feeders), strict=False), 30):
        args = [value for call, t in zip(chosen, feeders, strict=True)
                for value in call.args[: len(_required(t))]]  # fmt: skip
        if len(args) == len(parameters):
            calls.append(Invocation(tuple(args)))
    ids = tuple(t.id for t in (*feeders, last))
    name = f"composite/{'+'.join(ids[:-1])}>{ids[-1]}"
    signature = Signature(tuple(parameters), outer.result)
    return Chained(name, code, "composed", signature, tuple(calls), ids)


def _required(task: MinedTask) -> list[Parameter]:
    return [p for p in task.signature.parameters if p.is_required]


def _values(task: MinedTask) -> list[Invocation]:
    return [case.call for case in task.cases if case.answer.kind == "value"]


def merge(programs: Sequence[str], last: str) -> str | None:
    """Return programs as one, equal statements once; None where a name has two meanings."""
    imports: dict[str, None] = {}
    meaning: dict[str, str] = {}
    parts: list[str] = []
    kept: set[str] = set()
    for program in [*programs, last]:
        tree = ast.parse(program)
        lines = program.split("\n")
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and node.module == "__future__":
                continue
            text = "\n".join(lines[_first_line(node) - 1 : node.end_lineno])
            for name, what in _meanings(node, text):
                if meaning.setdefault(name, what) != what:
                    return None
            if isinstance(node, ast.Import | ast.ImportFrom):
                imports.update(dict.fromkeys(_single_imports(node)))
            elif text not in kept:
                kept.add(text)
                parts.append(text)
    head = "from __future__ import annotations\n\n" + "\n".join(sorted(imports))
    return head.rstrip() + "\n\n\n" + "\n\n\n".join(parts) + "\n"


def _first_line(node: ast.stmt) -> int:
    lines: list[int] = [d.lineno for d in getattr(node, "decorator_list", [])]
    return min([node.lineno, *lines])


def _single_imports(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    for alias in node.names:
        if isinstance(node, ast.Import):
            yield ast.unparse(ast.Import([alias]))
        else:
            yield ast.unparse(ast.ImportFrom(node.module, [alias], node.level))


def _meanings(node: ast.stmt, text: str) -> Iterator[tuple[str, str]]:
    """Yield each name a statement binds with what decides its meaning."""
    from evalplus_lite.mining.reading.bindings import bound_names

    if isinstance(node, ast.Import):
        for alias in node.names:
            root = alias.name.partition(".")[0]
            yield alias.asname or root, f"import {alias.name if alias.asname else root}"
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names:
            yield alias.asname or alias.name, f"from {node.module} import {alias.name}"
    else:
        for name in sorted(bound_names([node])):
            yield name, text


def chained_tasks(
    tasks: Sequence[MinedTask], sandboxes: Sandboxes, *, count: int, seed: int
) -> Iterator[MinedTask]:
    """Yield up to ``count`` tasks that are chains or composites, each validated on its own runs."""
    rng = random.Random(f"{seed}:chain")
    usable = [t for t in tasks if t.cases and len(t.code) <= MAX_CODE]
    pairs = [(a, b) for a in usable for b in usable if a is not b]
    rng.shuffle(pairs)
    made = 0
    by_result: dict[Type, list[MinedTask]] = {}
    for task in usable:
        by_result.setdefault(task.signature.result, []).append(task)
    for first, second in pairs:
        if made >= count:
            return
        required = _required(second)
        if len(required) > 1:
            pools = [by_result.get(p.type, []) for p in required]
            feeders = [rng.choice(pool) for pool in pools if pool]
            found = compose(feeders, second) if len(feeders) == len(required) else None
        else:
            found = chain(first, second)
        built = None if found is None else _executed(found, [first, second], sandboxes)
        if built is not None:
            made += 1
            yield built


def _executed(found: Chained, parts: Sequence[MinedTask], sandboxes: Sandboxes) -> MinedTask | None:
    subject = CallableProgram(found.entry_point, found.signature, code=found.code)
    calls = list({call.key: call for call in found.calls}.values())
    answers = run(sandboxes.plain, subject, calls)
    again = run(sandboxes.others[0], subject, calls, variant=1)
    if answers.failure or [a.key for a in answers.answers] != [a.key for a in again.answers]:
        return None
    cases = select([Executed(c, a) for c, a in zip(calls, answers.answers, strict=True)])
    if judge(cases[:MAX_CASES], waived=("coverage", "runtime")) or len(cases) < 3:
        return None
    licences = sorted({str(task.facts.get("licence", "")) for task in parts})
    facts: dict[str, Any] = {
        "package": "+".join(sorted({str(task.facts.get("package", "")) for task in parts})),
        "licence": " AND ".join(licences),
        "python": parts[0].facts.get("python", ""),
        "signature": found.signature.to_json(),
        "parts": list(found.parts),
        "static": static_statistics(found.code, found.entry_point).to_json(),
    }
    rows = tuple(TaskCase(case.call, replace(case.answer, cpu=0.0)) for case in cases)
    return MinedTask(found.id, found.code, found.entry_point, rows, facts)


def write_chained(source: Path, out: Path, sandboxes: Sandboxes, *, count: int, seed: int) -> int:
    """Write chained tasks of a file of tasks; return how many came of it."""
    made = list(chained_tasks(list(read_tasks(source)), sandboxes, count=count, seed=seed))
    write_jsonl(out, (task.to_json() for task in made))
    return len(made)
