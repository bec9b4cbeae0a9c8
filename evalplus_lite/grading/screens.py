"""Screens for new inputs, which reject those on which right programs may differ."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

from evalplus_lite.grading.stability import same
from evalplus_lite.programs import parsing
from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox, guest_programs
from evalplus_lite.sandbox.steps import StepBudget, run_budgeted
from evalplus_lite.tasks.contracts import has_check, parse, violations
from evalplus_lite.types import Case, Outcome, Returned, Suite, Task, Value
from evalplus_lite.values import wire
from evalplus_lite.values.source import shown as shown_answer

# Exceptions in call sequences: an exception can be a test only if a base case shows it. On an
# undocumented call, such as a pop from an empty stack, a right program may raise anything.


@dataclass(frozen=True, slots=True)
class KnownRaises:
    """The exceptions in the base cases of a task with call sequences, by method."""

    is_for: bool = False
    found: frozenset[tuple[str, str]] = frozenset()

    @classmethod
    def of(cls, task: Task, base: Suite) -> KnownRaises:
        """Return the exceptions of a task; empty unless it is a class tested by call sequences."""
        if task.harness.kind != "sequence":
            return cls()
        pairs = zip(base.cases, base.expected, strict=True)
        each = (raised(wire.decode(data), case.arguments) for case, data in pairs)
        return cls(True, frozenset().union(*each))

    def foreseen(self, suite: Suite) -> list[int]:
        """Return the positions of cases that raise no other exceptions."""
        return [
            at
            for at, case in enumerate(suite.cases)
            if not self.is_for
            or raised(wire.decode(suite.expected[at]), case.arguments) <= self.found
        ]


def raised(answer: Any, calls: Sequence[Sequence[Value]]) -> set[tuple[str, str]]:
    """Return the (method, exception) pairs in an answer that reports exceptions."""
    # By method, because a known exception of one method says nothing about another.
    exceptions: set[tuple[str, str]] = set()
    for (name, *_), each in zip(calls, answer, strict=False):
        if type(each) is dict and each.keys() == {"raised"}:
            error = each["raised"]
            exceptions.add((name, error[0] if type(error) is list else error))
    return exceptions


# Several right answers: ties, and orders of sets. Few tasks specify which of two equal elements
# comes first after a sort, or is the maximum, or the order in which a set is traversed. So the
# reference is run as if Python made these choices differently. If it still passes the base cases,
# they leave the order open. An input on which it then gives another answer has two right answers,
# so it cannot be a test.


SORTS = ("sort", "sorted")
KEYED = (*SORTS, "min", "max", "nlargest", "nsmallest")
ORDER_LIMITS = Limits(cpu=60.0, load=10.0)


@dataclass(frozen=True, slots=True)
class FreeOrders:
    """The alternative orders of ``sandbox.guest.ordering`` that the base cases leave open."""

    task: Task
    ways: tuple[str, ...] = ()

    @classmethod
    def of(cls, sandbox: Sandbox, task: Task, base: Suite) -> FreeOrders:
        """Return the orders with which the reference still passes the base cases.

        Returns none for a task whose ``check`` decides on answers.
        """
        if has_check(task) or not base.cases:
            return cls(task)
        inputs = Inputs.of(case.arguments for case in base.cases)

        def is_left_open(way: str) -> bool:
            outcomes = _run(sandbox, task, way, inputs)
            return all(
                isinstance(outcome, Returned) and same(data, outcome.data, task)
                for outcome, data in zip(outcomes, base.expected, strict=True)
            )

        tree = parsing.parse(task.reference)
        # Ties and sets are separate questions: base cases may decide one and leave the other
        # open.
        ties = list(filter(is_left_open, guest_programs.TIES)) if has_ties(tree) else []
        if len(ties) < len(guest_programs.TIES):
            ties = []  # a base case has a tie, which decides them, though one way may be the task's
        sets = list(filter(is_left_open, guest_programs.SETS)) if has_sets(tree) else []
        return cls(task, (*ties, *sets))

    def other(self, sandbox: Sandbox, suite: Suite) -> dict[int, str]:
        """Return the positions of cases with another right answer, each with a line showing it."""
        differences: dict[int, str] = {}
        if not suite.cases or not self.ways:
            return differences
        inputs = Inputs.of(case.arguments for case in suite.cases)
        for way in self.ways:
            for place, outcome in enumerate(_run(sandbox, self.task, way, inputs)):
                data = suite.expected[place]
                # If the reference fails with another order, that says nothing about other programs.
                if isinstance(outcome, Returned) and not same(data, outcome.data, self.task):
                    differences.setdefault(
                        place, f"{shown_answer(data)} or {shown_answer(outcome.data)}"
                    )
        return differences


def has_ties(tree: ast.AST) -> bool:
    """Return whether a program orders by a key, so that different elements may tie.

    A program that sorts twice uses the first order to break ties of the second.
    """
    calls = [
        (node.func.id if isinstance(node.func, ast.Name) else node.func.attr, node.keywords)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute)
    ]
    if sum(name in SORTS for name, _ in calls) > 1:
        return False
    return any(
        name == "most_common" or (name in KEYED and any(each.arg == "key" for each in keywords))
        for name, keywords in calls
    )


def has_sets(tree: ast.AST) -> bool:
    """Return whether a program creates a set."""
    return any(
        isinstance(node, ast.Set | ast.SetComp) or (isinstance(node, ast.Name) and node.id == "set")
        for node in ast.walk(tree)
    )


def _run(sandbox: Sandbox, task: Task, way: str, inputs: Inputs) -> tuple[Outcome | None, ...]:
    program = guest_programs.reordered(Program.of(task), way)
    # It has already answered within its steps, so time decides nothing here.
    return sandbox.run(program, inputs, ORDER_LIMITS).outcomes


# Excessive work, recognized by counting. A right program may be naive: it may loop over a list for
# each element, count up to a number where the reference has a formula, or recurse for each item,
# which Python allows about a thousand times. A case that such a program may not survive says
# nothing about its answers, so it is not a test of correctness. The decision depends on the case's
# size, its numbers and the reference's steps, compared with those of the task's own cases. No clock
# is read, and no program is judged.


# Designs: alternatives of other right programs, inferred from the reference's text.


def counts_up(tree: ast.AST) -> bool:
    """Return whether programs might count up to a number in the reference's arguments.

    Not if it only splits the number into digits or bits, formats, compares, adds or subtracts it.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp):
            are_given = not (_is_constant(node.left) or _is_constant(node.right))
            if isinstance(node.op, ast.Pow | ast.Div):
                return True
            if are_given and isinstance(node.op, ast.Mult | ast.Mod | ast.FloorDiv):
                return True
        elif isinstance(node, ast.Name | ast.Attribute):
            name = node.id if isinstance(node, ast.Name) else node.attr
            if name in ("range", "math", "pow", "sqrt", "isqrt", "gcd", "lcm", "factorial", "comb"):
                return True
    return False


def is_exponential(tree: ast.AST) -> bool:
    """Return whether a program shifts by an argument, or raises a constant to its power.

    Other programs may compute such an answer by addition, in a table with a row for each digit.
    """
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        given = {each.arg for each in function.args.args}
        for node in ast.walk(function):
            if not isinstance(node, ast.BinOp) or _is_constant(node.right):
                continue
            grows = isinstance(node.op, ast.LShift) or (
                isinstance(node.op, ast.Pow) and _is_constant(node.left)
            )
            names = {each.id for each in ast.walk(node.right) if isinstance(each, ast.Name)}
            if grows and names and names <= given:
                return True
    return False


def is_recurrent(tree: ast.AST) -> bool:
    """Return whether a program builds answers from earlier ones.

    It calls itself, reads entries of a table that it fills, or rolls values (``a, b = b, a + b``).
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            called = {_called(each) for each in ast.walk(node)}
            if node.name in called:
                return True
        is_loop = isinstance(node, ast.For | ast.While)
        if is_loop and (_filled(node) & _read(node) or any(map(_rolls, ast.walk(node)))):
            return True
    return False


def _rolls(node: ast.AST) -> bool:
    """Return whether an assignment rolls values, as ``a, b = b, a + b`` does."""
    if not (isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple)):
        return False
    if not isinstance(node.value, ast.Tuple):
        return False
    targets = [_base(each) for each in node.targets[0].elts]
    values = [_base(each) for each in node.value.elts]
    return any(value and value in targets[at + 1 :] for at, value in enumerate(values))


def _filled(loop: ast.AST) -> set[str]:
    """Return the names of containers that a loop fills or appends to."""
    names = set[str]()
    for node in ast.walk(loop):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            names.add(_base(node))
        elif isinstance(node, ast.Attribute) and node.attr == "append":
            names.add(_base(node.value))
    return names - {""}


def _read(loop: ast.AST) -> set[str]:
    return {
        _base(node)
        for node in ast.walk(loop)
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load)
    }


def _base(node: ast.AST) -> str:
    while isinstance(node, ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _called(node: ast.AST) -> str:
    return _base(node.func) if isinstance(node, ast.Call) else ""


def _is_constant(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant)


MOST_WORK = 10_000_000
"""Maximum steps of a naive program: half a second on a usual machine."""
LONGEST = 900
"""Maximum length of a container or string over which a program may recurse."""
COUNTED = 1_000_000
"""Number up to which any program may count. Base cases may raise it, but not published plus cases,
some of which were designed to be expensive."""
GROWTH = 100
"""Maximum steps caused by a number, as a multiple of those of the task's own cases: one program's
loop may be another's nested loop."""
DOUBLED, RECURRED = 2, 100
"""If the reference builds answers from earlier ones, numbers may be DOUBLED times those of base
cases, or as published up to RECURRED: naive recursion takes far longer for slightly more."""
SLACK = 10
"""Assumed maximum steps of other programs, as a multiple of the reference's."""
FREE = 200
"""Steps that a number may always cause."""
SQUARES = 20
"""Steps beyond this multiple of the square of a case's size are attributed to a number in it."""
MEASURED = 4
"""Number of the task's own cases to run: the largest by each measure."""
HUGE = 10**30
"""A contract that allows this number does not limit numbers."""
COUNT_LIMITS = Limits(load=10.0, memory=4 << 30)


@dataclass(frozen=True, slots=True)
class Extent:
    """A case's size.

    ``items``: total elements, characters and digits; ``longest``: of one container or string;
    ``number``: the largest absolute integer argument; ``magnitude``: the largest anywhere.
    """

    items: int = 0
    longest: int = 0
    number: int = 0
    magnitude: int = 0

    @classmethod
    def of(cls, arguments: Sequence[Value]) -> Extent:
        """Measure a case's arguments."""
        number = max((abs(each) for each in arguments if type(each) is int), default=0)
        return replace(cls.largest(map(_extent, arguments)), number=number)

    @classmethod
    def largest(cls, parts: Iterable[Extent], *, together: bool = True) -> Extent:
        """Return the extent of all parts, ``together`` or of the largest one."""
        every = [*parts] or [cls()]
        items = [part.items for part in every]
        return cls(
            sum(items) if together else max(items),
            max(part.longest for part in every),
            max(part.number for part in every),
            max(part.magnitude for part in every),
        )

    def is_within(self, other: Extent) -> bool:
        """Return whether no measure, except ``number``, exceeds another extent's."""
        return (
            self.items <= other.items
            and self.longest <= other.longest
            and self.magnitude <= other.magnitude
        )


def states_sizes(task: Task) -> bool:
    """Return whether a script's task states the size of its inputs."""
    if task.harness.kind != "script":
        return False
    has_contract = task.contract is not None and parse(task.contract).has_precondition
    return bool(task.grammar or task.generator) or has_contract


MEASURES = tuple(map(attrgetter, ("items", "longest", "number", "magnitude")))


@dataclass(frozen=True, slots=True)
class SizeLimits:
    """Size limits for a task's cases, derived from its own cases.

    ``extent`` and ``steps`` are the maxima of those. ``are_bounded``: whether the contract limits
    numbers. ``counted`` is the largest number to which programs may count, ``recurrent`` the
    largest for which they may recurse, ``exponent`` the largest for which they may fill a table;
    each None if they have no reason to.
    """

    task: Task
    extent: Extent
    steps: int
    are_bounded: bool = False
    counted: int | None = None
    recurrent: int | None = None
    exponent: int | None = None

    @classmethod
    def of(cls, sandbox: Sandbox, task: Task) -> SizeLimits:
        """Measure the cases with which the task came: base cases and published plus cases."""
        extents = [Extent.of(case.arguments) for case in task.cases]
        extent = Extent.largest(extents, together=False)
        # The costliest case is unknown before counting, but is among the largest by some
        # measure.
        places = {at for by in MEASURES for at in _first(extents, by)}
        steps = _largest(sandbox, task, [task.cases[at] for at in sorted(places)])
        # Contracts that limit numbers are trusted, so the reference need not be analyzed.
        if _bounds_numbers(sandbox, task):
            return cls(task, extent, steps, are_bounded=True)
        tree = parsing.parse(task.reference)
        base = max((each.number for each in extents[: len(task.base)]), default=0)
        return cls(
            task,
            extent,
            steps,
            counted=max(COUNTED, base) if counts_up(tree) else None,
            recurrent=max(DOUBLED * base, min(RECURRED, extent.number))
            if is_recurrent(tree)
            else None,
            exponent=max(LONGEST, base) if is_exponential(tree) else None,
        )

    def demands(self, cases: Sequence[Case], steps: Sequence[int]) -> list[str]:
        """Return a description of each case's excessive work, or "".

        ``steps`` are the reference's on each case. All are "" if a script's task states the size of
        its inputs, because then speed is part of the task.
        """
        if states_sizes(self.task):
            return [""] * len(cases)
        reasons = []
        for case, taken in zip(cases, steps, strict=True):
            extent = Extent.of(case.arguments)
            # Sizes first. A case that is no larger than the task's own is accepted at any cost.
            reason = self._of_extent(extent)
            if not reason and not extent.is_within(self.extent):
                reason = self._of_steps(extent, taken)
            reasons.append(reason)
        return reasons

    @property
    def _most(self) -> int:
        return max(self.steps, MOST_WORK // SLACK)

    def _of_extent(self, extent: Extent) -> str:
        if extent.longest > max(LONGEST, self.extent.longest):
            return f"{extent.longest:,} items in one argument, more than a program may recurse for"
        # All pairs of items, with one step each.
        if extent.items**2 > MOST_WORK and extent.items > self.extent.items:
            return f"{extent.items:,} items, which a program may compare pairwise"
        if self.counted is not None and extent.number > self.counted:
            return "a number that a program may count up to"
        if self.exponent is not None and extent.number > self.exponent:
            return "a number whose answer may be added up in a table of its square"
        return ""

    def _of_steps(self, extent: Extent, steps: int) -> str:
        if steps > self._most:
            return f"over {self._most:,} steps of the reference"
        if self.are_bounded:
            return ""
        if self.recurrent is not None and steps >= extent.number > self.recurrent:
            return "a number that a program may call itself for again and again"
        is_by_number = steps > SQUARES * max(1, extent.items) ** 2
        if is_by_number and steps > max(FREE, GROWTH * self.steps):
            return f"{steps:,} steps of the reference, caused by a number"
        return ""


def _largest(sandbox: Sandbox, task: Task, cases: Sequence[Case]) -> int:
    """Return the maximum steps of the reference on these cases."""
    program = Program.of(task)
    inputs = Inputs.of(case.arguments for case in cases)
    # A case over the budget has no count. If there are no counts, assume the maximum.
    step_budget = StepBudget(2 * MOST_WORK, MOST_WORK, shares=2)
    counts = run_budgeted(sandbox, program, inputs, COUNT_LIMITS, step_budget)
    steps = [count for count in counts if isinstance(count, int)]
    return max(steps, default=MOST_WORK if counts else 0)


def _first(extents: Sequence[Extent], measure: Callable[[Extent], int]) -> list[int]:
    """Return the positions of the largest cases by a measure."""
    return sorted(range(len(extents)), key=lambda place: -measure(extents[place]))[:MEASURED]


def _bounds_numbers(sandbox: Sandbox, task: Task) -> bool:
    """Return whether the task's contract rejects a huge value for each number in its first case."""
    if task.contract is None or not parse(task.contract).has_precondition or not task.cases:
        return False
    first = task.cases[0]
    cases = [
        Case((*first.arguments[:at], HUGE, *first.arguments[at + 1 :]))
        for at, value in enumerate(first.arguments)
        if type(value) is int
    ]
    return bool(cases) and all(violations(sandbox, task.contract, cases))


def _extent(value: Value) -> Extent:
    kind = type(value)
    if kind is int:
        return Extent(_digits(value), 0, 0, abs(value))
    if kind in (str, bytes):
        return Extent(len(value), len(value))
    if kind is dict:
        parts = [*value, *value.values()]
    elif kind in (list, tuple, set, frozenset):
        parts = [*value]
    else:
        return Extent(1)
    inner = Extent.largest(map(_extent, parts))
    return replace(inner, items=inner.items + 1, longest=max(len(value), inner.longest))


def _digits(number: int) -> int:
    return 1 + abs(number).bit_length() * 3 // 10
