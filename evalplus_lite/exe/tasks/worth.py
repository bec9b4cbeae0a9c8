"""Task quality: tags, difficulty, triviality and near-duplicates."""

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
"""The program uses a checksum, a cryptographic hash or base64, which nobody can predict."""
LOOPS = "long-loops"
"""A case runs ``MANY`` loop iterations or more, all to be traced (the paper's section 5)."""
Split: TypeAlias = Literal["easy", "medium", "hard"]
SPLITS: tuple[Split, ...] = ("easy", "medium", "hard")
TAGS = (HASH, LOOPS, *SPLITS)
"""Tags by which ``exe predict`` selects tasks."""
MANY = 100
"""Loop iterations of a case from which its loops are long."""
HARD = {"lines": 60, "depth": 2}
"""Minimum counts of a hard task's median run: lines executed, depth of the call stack."""
EASY = {"lines": 14, "depth": 2, "variables": 8, "iterations": 9}
"""Maximum counts of an easy task's median run."""
MOST_LINES = 2
"""Lines up to which a run without branches and loops is trivial."""
FEW_ANSWERS, FEW_STRAIGHT = 2, 3
"""Different answers, up to this number, can be guessed: in general, and without loops."""
LONG_TEXT, SAME = 8, 5
"""Length of a text, and number of equal list elements, from which an answer is obvious."""
MOST_DIGITS = 10
"""Maximum number of digits in a float that a reader can be expected to work out."""
MOST_OF_CLASS = 3
"""Maximum number of tasks per class; more would ask about the same program."""
_COUNTERS = {"lines": "lines", "depth": "call_depth", "variables": "variables_declared",
             "iterations": "loop_iterations"}  # fmt: skip
_MODULES = frozenset({"hashlib", "hmac", "crypt", "base64"})
_FUNCTIONS = frozenset(
    {("zlib", "crc32"), ("zlib", "adler32"), ("binascii", "crc32"), ("binascii", "crc_hqx"),
     ("uuid", "uuid3"), ("uuid", "uuid5")}
)  # fmt: skip


def tags_of(code: str, *, iterations: Iterable[int] = ()) -> list[str]:
    """Return the tags of a valid program, sorted; ``iterations`` are its cases' loop iterations."""
    found = [HASH] if any(map(_is_hash, ast.walk(ast.parse(code)))) else []
    return found + ([LOOPS] if any(count >= MANY for count in iterations) else [])


def difficulty_of(runs: Sequence[Mapping[str, int]], *, is_driven: bool = False) -> dict[str, Any]:
    """Return the counts of a task's median run and its split; empty if a run lacks counts.

    With ``is_driven``, a generated entry point calls the program: its line and its call are not
    counted.
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
    """Return calls and answers as cases with their counts, and a row's facts about all runs."""
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
    """Return why a task's answers are uninformative; empty if the task is worth asking."""
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
    """Return whether an answer only holds parts of the arguments; true for errors."""
    given = {canonical(part) for each in call.values for part in parts_of(each)}
    held = answer.value.values() if isinstance(answer.value, dict) else [answer.value]
    return answer.kind == "error" or all(
        part is None or isinstance(part, bool) or canonical(part) in given for part in held
    )


def shows(given: Iterable[Value], value: Value) -> bool:
    """Return whether an answer is visible in the arguments, without tracing the program.

    It contains the longest text in them, or the elements of a list in them in any order, or a list
    of at least ``SAME`` equal elements.
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
    """Return whether a value holds a float of more than ``MOST_DIGITS`` digits."""
    if isinstance(value, float):
        return len(repr(value).partition("e")[0].strip("-0").replace(".", "")) > MOST_DIGITS
    if isinstance(value, dict):
        return any(map(has_long_number, value.values()))
    return isinstance(value, list | tuple | set | frozenset) and any(map(has_long_number, value))


def check_tags(tags: Iterable[str]) -> None:
    """Raise InputError for an unknown tag or split."""
    for tag in tags:
        if tag not in TAGS:
            raise InputError(f"{tag!r} is not a tag", remedy=f"give one of {', '.join(TAGS)}")


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
"""Why a function is left out: another version or spelling of its package has it too."""
NOT_NEW = "in the earlier tasks"


def shape(code: str, entry_point: str, *, constants: bool = True) -> str:
    """Return a digest that is equal for programs of the same shape; empty if there is none.

    The program's own names, annotations, docstrings and the order of imports are ignored;
    constants (if asked for) and the names of libraries and methods count.
    """
    try:
        tree = ast.parse(code)
        imported = sorted(
            ast.unparse(node) for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)
        )
        tree.body = [n for n in tree.body if not isinstance(n, ast.Import | ast.ImportFrom)]
        names = _Names(tree, entry_point, constants=constants)
        text = ast.dump(names.visit(tree))
    except (SyntaxError, RecursionError, ValueError):
        return ""
    typing = ("from typing", "from __future__", "from collections.abc", "import typing")
    listed = [line for line in imported if not line.startswith(typing)]
    return hashlib.sha256("\n".join([*listed, text]).encode()).hexdigest()[:16]


@dataclass(slots=True)
class Seen:
    """The tasks of a run so far; the first of several duplicates is accepted."""

    earlier: Mapping[str, str] = field(default_factory=dict)
    """Shape -> an earlier task that must not be repeated."""
    first: dict[str, str] = field(default_factory=dict)
    """Shape -> the first task that has it."""
    ids: set[str] = field(default_factory=set)
    rejects: list[Reject] = field(default_factory=list)
    funnel: Funnel = field(default_factory=Funnel)
    """Moves the rejects out of the survivors of the last stages when it is merged."""

    def new(self, tasks: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
        """Yield the rows of tasks that do not duplicate an earlier one."""
        for task in tasks:
            mark = task.get("shape", "")
            known = self.earlier.get(mark) or self.first.get(mark)
            is_repeated = task["task_id"] in self.ids
            self.ids.add(task["task_id"])
            if is_repeated:
                found = Obstacle(SAME_ID, task["task_id"])
            elif known:
                reason = NOT_NEW if mark in self.earlier else ALIKE
                found = Obstacle(reason, f"the program of {known}")
            else:
                if mark:
                    self.first[mark] = task["task_id"]
                yield task
                continue
            name = f"{task['module']}.{task['function']}"
            self.rejects.append(Reject(task["package"], name, "mined", found.reason, (found,)))
            self.funnel.withdraw(task, found.reason)


class _Names(ast.NodeTransformer):
    """Replaces the program's own names by numbers, in order of appearance."""

    def __init__(self, tree: ast.Module, entry_point: str, *, constants: bool) -> None:
        self.numbers: dict[str, str] = {}
        self.constants = constants
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
        """Return the replacement of a name."""
        return self.numbers.setdefault(name, f"_{len(self.numbers)}") if name in self.own else name

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Rename the program's own names; remove annotations and docstrings."""
        match node:
            case ast.arg():
                return ast.arg(self.number(node.arg), None)
            case ast.Name():
                return ast.Name(self.number(node.id), node.ctx)
            case ast.Constant() if not self.constants:
                return ast.Constant(type(node.value).__name__)
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
    """Yield the shape and id of each task in a file of mined tasks.

    Raise InputError for a row that is not a mined task.
    """
    with reported(path):
        if not path.stat().st_size:  # an earlier run that mined nothing
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
