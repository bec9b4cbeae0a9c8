"""Mined tasks as rows of CRUXEval, of LiveCodeBench's execution part and of CodeI/O."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from evalplus_lite.errors import InputError, one_of
from evalplus_lite.exe.tasks.mined import MinedTask, TaskCase
from evalplus_lite.exe.tasks.published import ENTRY_POINT, UNREADABLE, JsonRow, case_of
from evalplus_lite.generate.domains.annotations import Type
from evalplus_lite.values.source import literal


def without_future(code: str) -> str:
    """Return a program that does the same and may have lines before it."""
    tree = ast.parse(code)
    imports = [n for n in tree.body if isinstance(n, ast.ImportFrom) and n.module == "__future__"]
    if not imports:
        return code
    lines = [line.encode() for line in code.split("\n")]
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    text = b"\n".join(lines)
    edits: list[tuple[ast.ImportFrom | ast.expr, bytes]] = [(each, b"") for each in imports]
    if any(alias.name == "annotations" for each in imports for alias in each.names):
        edits += [(each, repr(ast.unparse(each)).encode()) for each in _annotations(tree)]
    places = [
        (starts[node.lineno - 1] + node.col_offset,
         starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0), new)
        for node, new in edits
    ]  # fmt: skip
    for start, end, new in sorted(places, reverse=True):
        text = text[:start] + new + text[end:]
    return text.decode().lstrip("\n")


def _annotations(tree: ast.AST, *, in_function: bool = False) -> Iterator[ast.expr]:
    """Yield the annotations that are evaluated without that import; those of locals never are."""
    for node in ast.iter_child_nodes(tree):
        inside = in_function and not isinstance(node, ast.ClassDef)
        match node:
            case ast.AnnAssign(annotation=found) if not in_function:
                yield found
            case ast.arg(annotation=found) if found is not None:
                yield found
            case ast.FunctionDef(returns=found) | ast.AsyncFunctionDef(returns=found):
                inside = True
                if found is not None:
                    yield found
        yield from _annotations(node, in_function=inside)


LITERAL = frozenset(
    "none int float complex bool str bytes literal dict mapping tuple set list sequence "
    "union".split()
)
"""Kinds of types whose values are literals; of a frozen set, none is."""
LENT = frozenset({"iterable", "collection"})
"""And those of arguments that are given as lists."""
LONGEST_INTEGER = 14_000
"""Bits; Python writes no longer ones in decimal digits."""
NO_DATE = "1970-01-01"
Write: TypeAlias = Callable[[MinedTask, int], Iterator[tuple[JsonRow, int]]]
"""Gives the rows of a task, the first numbered so, with how many cases each holds."""


def written(tasks: Sequence[MinedTask], form: str) -> tuple[list[JsonRow], int, int]:
    """Return tasks as rows of a form, how many cases these hold, and how many they cannot hold.

    Exceptions have no place there, nor has a value that no literal (in CodeI/O no JSON) gives back.
    """
    if form not in WRITERS:
        raise InputError(f"no form named {form!r}", remedy=one_of(form, tuple(WRITERS)))
    rows: list[JsonRow] = []
    held = 0
    for task in tasks:
        if not _is_literal(task) or not _can_be_parsed(task.code):
            continue
        for row, count in WRITERS[form](task, len(rows)):
            rows.append({**row, **_origin(task)})
            held += count
    return rows, held, sum(len(task.cases) for task in tasks) - held


def _origin(task: MinedTask) -> JsonRow:
    """Return where a row is from: who passes code on has to name its authors."""
    keys = ("package", "version", "licence", "origins", "python", "tags")
    return {"task_id": task.id, **{key: task.facts[key] for key in keys if key in task.facts}}


def _is_literal(task: MinedTask) -> bool:
    """Return whether a program gives what its cases say, not what stands for it there.

    A date is a text in a case, and what an iterator gives is a list. Where it was not seen when the
    task was mined, what the signature says counts.
    """
    if "read" in task.facts or "signature" not in task.facts:
        return not task.facts.get("read")
    signature = task.signature
    given = all(_has_only(each.type, LITERAL | LENT) for each in signature.parameters)
    return given and _has_only(signature.result, LITERAL)


def _has_only(found: Type, kinds: frozenset[str]) -> bool:
    return found.kind in kinds and all(_has_only(each, kinds) for each in found.arguments)


def _sources(task: MinedTask) -> Iterator[tuple[int, TaskCase, str, str]]:
    """Yield the cases that literals can hold: number, case, arguments and value as source."""
    for number, case in enumerate(task.cases):
        if case.answer.kind != "value":
            continue
        call, output = case.written(ENTRY_POINT), literal(case.answer.value, quote=repr)
        try:
            again = case_of(call, "", output)
        except UNREADABLE:
            continue
        if (again.answer.key, again.call.key) == (case.answer.key, case.call.key):
            yield number, case, call[len(ENTRY_POINT) + 1 : -1], output


def _write_cruxeval(task: MinedTask, first: int) -> Iterator[tuple[JsonRow, int]]:
    code = task.code
    if task.entry_point != ENTRY_POINT:
        if any(isinstance(n, ast.Name | ast.FunctionDef | ast.ClassDef) and
               getattr(n, "id", getattr(n, "name", "")) == ENTRY_POINT
               for n in ast.walk(ast.parse(code))):  # fmt: skip
            return  # it has a meaning there already
        code = f"{code.rstrip()}\n\n\n{ENTRY_POINT} = {task.entry_point}\n"
    for at, (number, _, given, output) in enumerate(_sources(task), first):
        row = {"code": code, "input": given, "output": output, "id": f"sample_{at}"}
        yield {**row, "case": number}, 1


def _write_livecodebench(task: MinedTask, first: int) -> Iterator[tuple[JsonRow, int]]:
    origins = task.facts.get("origins") or [{}]
    code = without_future(task.code)  # imports stand before it where it is scored
    for at, (number, case, given, output) in enumerate(_sources(task), first):
        yield (
            {
                "question_id": task.id,
                "contest_id": str(task.facts.get("package", "")),
                "contest_date": f"{origins[0].get('date') or NO_DATE}T00:00:00",
                "difficulty": "",
                "function_name": task.entry_point,
                "code": code,
                "input": f"{task.entry_point}({given})",
                "output": output,
                "id": f"sample_{at}",
                "problem_id": task.id,
                "numsteps": int(case.runtime.get("lines", 0)),
                "case": number,
            },
            1,
        )


def _write_codeio(task: MinedTask, first: int) -> Iterator[tuple[JsonRow, int]]:
    given = task.facts.get("signature", {}).get("parameters", [])
    names = [each["name"] for each in given if each["kind"] == "positional"]
    if not _takes_names(task):
        return
    ios = []
    for case in task.cases:
        if case.answer.kind != "value" or case.source or len(case.call.args) > len(names):
            continue
        named = {**dict(zip(names, case.call.args, strict=False)), **case.call.kwargs}
        if _is_json(named) and _is_json(case.answer.value, lists=True):
            ios.append({"input": named, "output": case.answer.value})
    if ios:
        result = task.facts.get("signature", {}).get("result", "")
        shown = ", ".join(f"{each['name']}: {each['type']}" for each in given)
        yield (
            {
                "problem_description": str(task.facts.get("docstring") or ""),
                "io_requirements": f"Input: {shown}. Output: {result}.",
                "refcode": without_future(task.code),
                "funcname": task.entry_point,
                "ios": ios,
                "source": str(task.facts.get("package", "")),
                "category": "",
                "meta": {"number": first},
            },
            len(ios),
        )


def _can_be_parsed(code: str) -> bool:
    try:
        ast.parse(code)
    except UNREADABLE:  # a file that somebody changed
        return False
    return True


def _takes_names(task: MinedTask) -> bool:
    """Return whether the function is one that surely takes its arguments by their names."""
    found = [
        node
        for node in ast.parse(task.code).body
        if isinstance(node, ast.FunctionDef) and node.name == task.entry_point
    ]
    return bool(found) and not found[-1].decorator_list and not found[-1].args.posonlyargs


def _is_json(value: Any, *, lists: bool = False) -> bool:
    """Return whether JSON gives a value back; with ``lists`` tuples may come back as lists."""
    if isinstance(value, dict):
        return all(isinstance(k, str) and _is_json(v, lists=lists) for k, v in value.items())
    if isinstance(value, list) or (lists and isinstance(value, tuple)):
        return all(_is_json(each, lists=lists) for each in value)
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, int):
        return value.bit_length() < LONGEST_INTEGER
    return value is None or isinstance(value, str)


WRITERS: Mapping[str, Write] = {
    "livecodebench": _write_livecodebench,
    "cruxeval": _write_cruxeval,
    "codeio": _write_codeio,
}
"""Forms of others by name."""
