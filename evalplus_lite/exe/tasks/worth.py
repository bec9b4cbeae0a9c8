"""Which tasks are worth asking: tags, difficulty, triviality, and likeness to other tasks."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median_low
from typing import Any, Literal, TypeAlias

from evalplus_lite.errors import InputError
from evalplus_lite.exe.reading.index import Obstacle
from evalplus_lite.exe.running.runs import CallResult, Invocation, Measured, canonical, parts_of
from evalplus_lite.exe.selecting.static import Funnel, Reject
from evalplus_lite.exe.sources import reported
from evalplus_lite.exe.tasks.mined import TaskCase, problem
from evalplus_lite.store import read_jsonl
from evalplus_lite.types import Value

HASH = "hash"
"""Part of the program is a checksum, a cryptographic hash or base64: nobody foresees it."""
LOOPS = "long-loops"
"""A case goes through loops very often: each step has to be followed (the paper's section 5)."""
Split: TypeAlias = Literal["easy", "medium", "hard"]
SPLITS: tuple[Split, ...] = ("easy", "medium", "hard")
TAGS = (HASH, LOOPS, *SPLITS)
"""What ``exe predict`` selects tasks by."""
MANY = 100
"""Times that a case's loops begin anew, from which they are long."""
HARD = {"lines": 60, "depth": 2}
"""What the median run of a hard task does at least: lines executed, functions open at once."""
EASY = {"lines": 14, "depth": 2, "variables": 8, "iterations": 9}
"""What the median run of an easy task does at most."""
MOST_LINES = 2
"""Lines of a run without a branch or a loop that ask nothing."""
FEW_ANSWERS, FEW_STRAIGHT = 2, 3
"""Different answers that can be guessed, of any program and of one that runs no loop."""
LONG_TEXT, SAME = 8, 5
"""Characters of a text, and equal elements of a list, that an answer shows at a glance."""
MOST_DIGITS = 10
"""Digits of a float that a reader may work out."""
MOST_OF_CLASS = 3
"""Tasks of one class: more ask about the same program."""
_COUNTERS = {"lines": "lines", "depth": "call_depth", "variables": "variables_declared",
             "iterations": "loop_iterations"}  # fmt: skip
_MODULES = frozenset({"hashlib", "hmac", "crypt", "base64"})
_FUNCTIONS = frozenset(
    {("zlib", "crc32"), ("zlib", "adler32"), ("binascii", "crc32"), ("binascii", "crc_hqx"),
     ("uuid", "uuid3"), ("uuid", "uuid5")}
)  # fmt: skip


def tags_of(code: str, *, iterations: Iterable[int] = ()) -> list[str]:
    """Return the marks of a program that parses, sorted; ``iterations`` are its cases' loops."""
    found = [HASH] if any(map(_is_hash, ast.walk(ast.parse(code)))) else []
    return found + ([LOOPS] if any(count >= MANY for count in iterations) else [])


def difficulty_of(runs: Sequence[Mapping[str, int]], *, is_driven: bool = False) -> dict[str, Any]:
    """Return the counts of a task's median run and its split; nothing where runs lack counts.

    Of a program that is called by an entry point made here (``is_driven``), that one's line and
    call do not count.
    """
    if not runs or not all(run.keys() >= {*_COUNTERS.values()} for run in runs):
        return {}
    counts = {name: median_low(run[key] for run in runs) for name, key in _COUNTERS.items()}
    counts |= {name: counts[name] - is_driven for name in ("lines", "depth")}
    split: Split = "medium"
    if all(counts[name] >= least for name, least in HARD.items()):
        split = "hard"
    elif all(counts[name] <= most for name, most in EASY.items()):
        split = "easy"
    return {**counts, "split": split}


def counted_cases(
    answered: Sequence[tuple[Invocation, CallResult]],
    counted: Sequence[Measured | None],
    *,
    is_driven: bool,
) -> tuple[tuple[TaskCase, ...], dict[str, Any]]:
    """Return calls and answers as cases with their counts, and what a row says of all runs."""
    runs = [each.steps if each else {} for each in counted]
    facts: dict[str, Any] = {}
    if difficulty := difficulty_of(runs, is_driven=is_driven):
        facts["difficulty"] = difficulty
    if all(counted):
        facts["read"] = any(each.is_read for each in counted if each)
    rows = tuple(
        TaskCase(call, replace(answer, cpu=0.0), steps)
        for (call, answer), steps in zip(answered, runs, strict=True)
    )
    return rows, facts


def triviality(
    answered: Sequence[tuple[Invocation, CallResult]],
    runs: Sequence[Mapping[str, int]],
    *,
    is_driven: bool = False,
) -> str:
    """Return why nobody learns anything from a task's answers; empty for one worth asking."""
    answers = [answer for _, answer in answered]
    different = len({answer.key for answer in answers})
    values = [answer.value for answer in answers if answer.kind == "value"]
    if values and all(value is None or isinstance(value, bool) for value in values):
        return "trivial: every answer is true, false or none"
    if different <= FEW_ANSWERS < len(answers):
        return "trivial: two answers"
    if 2 * sum(map(has_long_number, values)) > len(answers):
        return "answers of many decimals"
    if not all(run.keys() >= {"lines", "conditionals", "loop_iterations"} for run in runs):
        return ""
    lines = max((run["lines"] for run in runs), default=0) - is_driven
    if any(run["loop_iterations"] for run in runs):
        return ""
    if lines <= 1:
        return "trivial: one step"
    if different <= FEW_STRAIGHT < len(answers):
        return "trivial: three answers without a loop"
    if all(_gives_back(call, answer) for call, answer in answered):
        return "trivial: gives back what it is given"
    is_straight = len({(run["lines"], run["conditionals"]) for run in runs}) == 1
    return (
        "trivial: two lines, the same in all cases" if is_straight and lines <= MOST_LINES else ""
    )


def _gives_back(call: Invocation, answer: CallResult) -> bool:
    """Return whether a value is a part of the arguments, or an object of such; errors may be."""
    given = {canonical(part) for each in call.values for part in parts_of(each)}
    held = answer.value.values() if isinstance(answer.value, dict) else [answer.value]
    return answer.kind == "error" or all(
        part is None or isinstance(part, bool) or canonical(part) in given for part in held
    )


def shows(given: Iterable[Value], value: Value) -> bool:
    """Return whether a reader sees an answer in what is given, without following the program.

    It contains the longest text given, or the elements of a list given in any order, or says one
    thing ``SAME`` times.
    """
    known, held = ([part for each in some for part in parts_of(each)] for some in (given, [value]))
    texts = [each for each in held if isinstance(each, str)]
    longest = max((each.strip() for each in known if isinstance(each, str)), key=len, default="")
    if len(longest) >= LONG_TEXT and any(longest in each for each in (*texts, "".join(texts))):
        return True
    lists = {_elements(each) for each in known if isinstance(each, list | tuple) and len(each) > 1}
    rows = [each for each in held if isinstance(each, list | tuple)]
    return any(
        _elements(row) in lists or (len(row) >= SAME and len({*_elements(row)}) == 1)
        for row in rows
    )


def _elements(row: Sequence[Value]) -> tuple[str, ...]:
    return tuple(sorted(map(canonical, row)))


def has_long_number(value: Value) -> bool:
    """Return whether a value holds a float of more digits than a reader works out."""
    if isinstance(value, float):
        return len(repr(value).partition("e")[0].strip("-0").replace(".", "")) > MOST_DIGITS
    if isinstance(value, dict):
        return any(map(has_long_number, value.values()))
    return isinstance(value, list | tuple | set | frozenset) and any(map(has_long_number, value))


def check_tags(tags: Iterable[str]) -> None:
    """Raise InputError for a mark or split that there is not."""
    for tag in tags:
        if tag not in TAGS:
            raise InputError(f"{tag!r} is no tag", remedy=f"give one of {', '.join(TAGS)}")


def _is_hash(node: ast.AST) -> bool:
    match node:
        case ast.Import():
            return any(each.name in _MODULES for each in node.names)
        case ast.ImportFrom(module=str(module)):
            names = {(module, each.name) for each in node.names}
            return module in _MODULES or not names.isdisjoint(_FUNCTIONS)
        case ast.Attribute(value=ast.Name(id=module), attr=name):
            return (module, name) in _FUNCTIONS
    return False


ALIKE = "near-duplicate"
SAME_ID = "the id of another task"
"""Why a function is left out that another version of its package has, or another spelling."""
NOT_NEW = "in the earlier tasks"


def shape(code: str, entry_point: str) -> str:
    """Return a digest that is equal for programs of one shape; empty where one cannot be had.

    Names of the program's own, annotations, docstrings and the order of imports count nothing;
    constants, and the names of libraries and methods do.
    """
    try:
        tree = ast.parse(code)
        imported = sorted(
            ast.unparse(node) for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)
        )
        tree.body = [n for n in tree.body if not isinstance(n, ast.Import | ast.ImportFrom)]
        names = _Names(tree, entry_point)
        text = ast.dump(names.visit(tree))
    except (SyntaxError, RecursionError, ValueError):
        return ""
    typing = ("from typing", "from __future__", "from collections.abc", "import typing")
    listed = [line for line in imported if not line.startswith(typing)]
    return hashlib.sha256("\n".join([*listed, text]).encode()).hexdigest()[:16]


@dataclass(slots=True)
class Seen:
    """Tasks of a run so far: of those that are the same the first one counts."""

    earlier: Mapping[str, str] = field(default_factory=dict)
    """Shape -> a task that is not wanted again."""
    first: dict[str, str] = field(default_factory=dict)
    """Shape -> the first task that has it."""
    ids: set[str] = field(default_factory=set)
    rejects: list[Reject] = field(default_factory=list)
    funnel: Funnel = field(default_factory=Funnel)
    """Moves the rejects from the survivors of the last stages, once it is merged."""

    def new(self, tasks: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
        """Yield the rows of tasks that are like none before."""
        for task in tasks:
            mark = task.get("shape", "")
            known = self.earlier.get(mark) or self.first.get(mark)
            if task["task_id"] in self.ids:
                found = Obstacle(SAME_ID, task["task_id"])
            elif known:
                reason = NOT_NEW if mark in self.earlier else ALIKE
                found = Obstacle(reason, f"the program of {known}")
            else:
                if mark:
                    self.first[mark] = task["task_id"]
                self.ids.add(task["task_id"])
                yield task
                continue
            name = f"{task['module']}.{task['function']}"
            self.ids.add(task["task_id"])
            self.rejects.append(Reject(task["package"], name, "mined", found.reason, (found,)))
            self.funnel.withdraw(task, found.reason)


class _Names(ast.NodeTransformer):
    """Gives everything that the program itself names a number, in order of appearance."""

    def __init__(self, tree: ast.Module, entry_point: str) -> None:
        self.numbers: dict[str, str] = {}
        self.own = {entry_point}
        for node in ast.walk(tree):
            match node:
                case (
                    ast.FunctionDef(name=str(name))
                    | ast.AsyncFunctionDef(name=str(name))
                    | ast.ClassDef(name=str(name))
                    | ast.ExceptHandler(name=str(name))
                    | ast.arg(arg=str(name))
                    | ast.Name(id=str(name), ctx=ast.Store() | ast.Del())
                ):
                    self.own.add(name)

    def number(self, name: str) -> str:
        """Return what stands for a name."""
        return self.numbers.setdefault(name, f"_{len(self.numbers)}") if name in self.own else name

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Rename what is the program's own; take off what a reader of its steps does not need."""
        match node:
            case ast.arg():
                return ast.arg(self.number(node.arg), None)
            case ast.Name():
                return ast.Name(self.number(node.id), node.ctx)
            case ast.AnnAssign(value=None):
                return ast.Pass()
            case ast.AnnAssign(value=ast.expr() as value):
                return super().generic_visit(ast.Assign([node.target], value))
            case ast.keyword(arg=str(name)):
                super().generic_visit(node)
                node.arg = self.number(name)
                return node
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                node.name = self.number(node.name)
                if ast.get_docstring(node) is not None:
                    node.body = node.body[1:]
                if not isinstance(node, ast.ClassDef):
                    node.returns = None
            case ast.ExceptHandler(name=str(name)):
                node.name = self.number(name)
        return super().generic_visit(node)


def earlier_shapes(path: Path) -> Iterator[tuple[str, str]]:
    """Yield what tells that a program is one of a file of mined tasks, with its task's id.

    InputError names a row that cannot be used.
    """
    with reported(path):
        if not path.stat().st_size:  # of an earlier run that found nothing
            return
    for row in read_jsonl(path):
        if wrong := problem(row.data, {"task_id": str, "shape": str, str: object}):
            raise InputError(
                f"is no mined task: {wrong}",
                path=path,
                line=row.line,
                remedy="give the file that mine wrote",
            )
        if row.data["shape"]:
            yield row.data["shape"], row.data["task_id"]
