"""Minimization: shrink the deciding input of a wrong program to the smallest that still fails."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import NamedTuple

from evalplus_lite.generate.domains.filter import InputFilter
from evalplus_lite.generate.domains.profile import all_made, elements_of
from evalplus_lite.grading.evaluator import PreparedSuite, evaluate_program
from evalplus_lite.grading.oracle import answer
from evalplus_lite.grading.screens import KnownRaises
from evalplus_lite.sandbox import Limits, Sandbox
from evalplus_lite.tasks.contracts import parse
from evalplus_lite.tasks.texts.forms import TextForm
from evalplus_lite.tasks.texts.inference import text_form, values_of
from evalplus_lite.types import Arguments, Case, Failure, Suite, Task, Value, VerdictName
from evalplus_lite.values.kinds.registry import BY_TYPE

# Greedy descent, as in property-based testing: every candidate is simpler than the current input by
# a fixed measure, so the descent ends; the first candidate that still fails is taken.

Fails = Callable[[Sequence[Arguments]], Sequence[bool]]
"""Returns for each candidate whether it is a valid input that still fails."""

# Candidates per run. Those after the first failing one are wasted, so batches are not larger.
_BATCH = 48
_HUGE = 10**30


def minimize(
    arguments: Arguments, fails: Fails, *, most: int = 3000, calls: bool = False
) -> Arguments:
    """Return the simplest failing input among at most ``most`` candidates.

    ``fails`` gets batches, because running candidates one by one is slow; its results must not
    depend on the batch. The number of arguments and all types are preserved; with ``calls`` on an
    object (``Harness``), calls are removed instead, and the others stay the same. Deterministic.
    """
    simpler, left = _shorter if calls else _neighbours, most
    stream = simpler(arguments)
    while batch := list(islice(stream, min(_BATCH, left))):
        left -= len(batch)
        failing = (each for each, still in zip(batch, fails(batch), strict=True) if still)
        if (simplest := next(failing, None)) is not None:
            # Start over with bold candidates: one that passed may fail now that others are simpler.
            arguments, stream = simplest, simpler(simplest)
    return arguments


def weight(value: Value) -> tuple[int, int]:
    """Return a measure of complexity: the number of parts of a value, then how plain they are."""
    kind = type(value)
    if kind is str:
        return 1 + len(value), sum(map(_letter_cost, value))
    if kind is bytes:
        return 1 + len(value), sum(value)
    if kind in BY_TYPE:
        return weight(BY_TYPE[kind].view(value))
    if kind is dict:
        parts: list[Value] = [*value, *value.values()]
    elif kind in (list, tuple, set, frozenset):
        parts = list(value)
    else:
        return 1, _number_cost(kind, value)
    weights = [weight(part) for part in parts]
    return 1 + sum(size for size, _ in weights), sum(cost for _, cost in weights)


def candidates(value: Value) -> Iterator[Value]:
    """Yield simpler values of the same type, boldest first; may repeat some."""
    kind = type(value)
    maker = _MAKERS.get(kind)
    if kind in BY_TYPE:
        simpler = all_made(candidates(BY_TYPE[kind].view(value)), value)
    elif maker is not None:
        simpler = maker(value)
    else:
        return
    # Makers also yield values that are not simpler, with which the descent might never end.
    limit = weight(value)
    for candidate in simpler:
        if weight(candidate) < limit:
            yield candidate


def _neighbours(arguments: Arguments) -> Iterator[Arguments]:
    streams = dict(enumerate(map(candidates, arguments)))
    while streams:
        # Arguments take turns, so that a long list does not use up all candidates before a number
        # is tried.
        for at, stream in list(streams.items()):
            for simpler in stream:
                yield (*arguments[:at], simpler, *arguments[at + 1 :])
                break
            else:
                del streams[at]


def _shorter(calls: Arguments) -> Iterator[Arguments]:
    """Yield the calls without a half, a quarter and so on down to one of them, from the end."""
    size = len(calls) // 2
    while size:
        for end in range(len(calls), size - 1, -size):
            yield calls[: end - size] + calls[end:]
        size //= 2


def _letter_cost(letter: str) -> int:
    if letter == "a":
        return 0
    if letter.isascii() and letter.isalnum():
        return 1 + ord(letter) % 64
    return 100 + ord(letter)


def _number_cost(kind: type, value: Value) -> int:
    if kind is int:
        return int(2 * min(abs(value), _HUGE) + (value < 0))
    if kind is float:
        if not math.isfinite(value):
            return 8 * _HUGE
        whole = 2 * int(min(abs(value), _HUGE)) + (math.copysign(1.0, value) < 0)
        return whole if value.is_integer() else whole + 2 * len(repr(value))
    if kind is complex:
        return _number_cost(float, value.real) + _number_cost(float, value.imag)
    return int(bool(value))


def _ints(value: int) -> Iterator[int]:
    yield 0
    yield abs(value)
    sign = -1 if value < 0 else 1
    size = abs(value)
    # Bold steps first; small ones to find the threshold last.
    for part in (size // 1000, size // 10, size // 2, size - 10, size - 2, size - 1):
        yield sign * part
    for small in range(1, 11):
        yield sign * small


def _floats(value: float) -> Iterator[float]:
    yield 0.0
    if not math.isfinite(value):
        yield 1.0
        return
    yield abs(value)
    if abs(value) < 1e15:
        yield from (float(math.trunc(value)), float(round(value)))
        yield from (float(round(value, digits)) for digits in (1, 2, 3, 6))
    yield from (float(part) for part in _ints(math.trunc(value)))
    fraction = value - math.trunc(value)
    yield from (fraction, value / 2, 1.0, -1.0)


def _complexes(value: complex) -> Iterator[complex]:
    yield from (complex(real, value.imag) for real in _floats(value.real))
    yield from (complex(value.real, imaginary) for imaginary in _floats(value.imag))


def _cut(value: Value) -> Iterator[Value]:
    """Yield a sequence without a part: all, halves, quarters, down to single elements."""
    step = len(value)
    while step:
        for start in range(0, len(value), step):
            yield value[:start] + value[start + step :]
        step //= 2


def _strings(value: str) -> Iterator[str]:
    yield from _cut(value)
    # Cuts come before plainer letters, because a shorter text is simpler.
    plain = ["a", "b", "A", "0", "1", " "]
    for at, letter in enumerate(value):
        yield from (value[:at] + each + value[at + 1 :] for each in plain if each != letter)
    if value:
        yield min(value) * len(value)
    yield from (value.lower(), "".join(sorted(value)))


def _bytestrings(value: bytes) -> Iterator[bytes]:
    yield from _cut(value)
    for at in range(len(value)):
        yield value[:at] + b"\x00" + value[at + 1 :]


def _lists(value: list[Value]) -> Iterator[list[Value]]:
    yield from _cut(value)
    for at, element in enumerate(value):
        for simpler in candidates(element):
            yield [*value[:at], simpler, *value[at + 1 :]]
    for at in range(1, len(value)):
        # A copy of its neighbor may be plainer than any change to the element alone.
        yield [*value[:at], value[at - 1], *value[at + 1 :]]


def _dicts(value: dict[Value, Value]) -> Iterator[dict[Value, Value]]:
    pairs = list(value.items())
    yield from map(dict, _cut(pairs))
    for at, (name, item) in enumerate(pairs):
        for simpler in candidates(item):
            yield dict([*pairs[:at], (name, simpler), *pairs[at + 1 :]])
        for simpler in candidates(name):
            if simpler not in value:
                yield dict([*pairs[:at], (simpler, item), *pairs[at + 1 :]])


_MAKERS: dict[type, Callable[[Value], Iterator[Value]]] = {
    bool: lambda value: iter((False,)),
    int: _ints,
    float: _floats,
    complex: _complexes,
    str: _strings,
    bytes: _bytestrings,
    list: _lists,
    tuple: lambda value: map(tuple, _lists(list(value))),
    set: lambda value: map(set, _lists(list(elements_of(value)))),
    frozenset: lambda value: map(frozenset, _lists(list(elements_of(value)))),
    dict: _dicts,
}


LIMITS = Limits(cpu=0.2, load=10.0)
"""Limits of the reference on a candidate; a slower one is too large to read."""
MOST = 1500
"""Maximum number of candidates per program."""
SHRUNK: tuple[VerdictName, ...] = ("fail", "error", "unrepresentable")
"""Verdicts to minimize; a program that hangs would hang on every candidate."""
LARGEST = 5_000
"""Maximum number of parts of an input; a larger one has too many candidates."""


class Smallest(NamedTuple):
    """The smallest input and its answer as a one-case suite, and the program's failure on it."""

    suite: Suite
    failure: Failure


class Shrinker:
    """Shrinks inputs of tasks.

    The task's contract, or that in ``contracts`` (texts by task id), decides which candidates are
    valid; without one, constraints are inferred from all inputs of the suite.
    """

    def __init__(self, contracts: Mapping[str, str] | None = None) -> None:
        self._contracts = contracts or {}
        self._shapes: dict[str, _Shape] = {}

    def smallest(
        self, sandbox: Sandbox, prepared: PreparedSuite, source: str, failure: Failure
    ) -> Smallest | None:
        """Return the simplest failing input, which may be the original one.

        Return None without a reference, or for a verdict that shrinking does not explain.
        """
        arguments = prepared.suite.cases[failure.case].arguments
        if failure.verdict not in SHRUNK or weight(arguments)[0] > LARGEST:
            return None
        # A smaller input needs a right answer, and a way to tell whether it is valid.
        task = prepared.task
        if not task.reference:  # the right output for another input is unknown
            return None
        if task.contract is None:
            task = replace(task, contract=self._contracts.get(task.id))
        if task.harness.kind == "unittest":  # a test is never changed
            return None
        if task.id not in self._shapes:
            self._shapes[task.id] = _Shape.of(task, prepared.suite)
        shape = self._shapes[task.id]
        known = KnownRaises.of(task, prepared.suite)

        # Both the reference and the program run all candidates of a round in one process.
        def fails(candidates: Sequence[Arguments]) -> list[bool]:
            inputs = dict(enumerate(map(shape.input, candidates)))
            admitted = {number: each for number, each in inputs.items() if each is not None}
            cases = [Case(each) for each in admitted.values()]
            failing = None
            if cases:
                answers = answer(
                    sandbox, task, cases, base_count=0, limits=LIMITS, twice=False, max_failures=2
                )
                answers = answers.only(known.foreseen(answers.suite))
                # A prepared suite finds the first failure, which is enough for greedy descent.
                failed = _failure(sandbox, task, answers.suite, source)
                if failed is not None and failed.verdict in SHRUNK:
                    failing = list(admitted)[answers.kept[failed.case]]
            return [number == failing for number in inputs]

        calls = task.harness.kind == "sequence"
        best = minimize(shape.values(arguments), fails, most=MOST, calls=calls)
        # Higher limits, because the input may be the original one and must be shown anyway.
        roomy, case = replace(LIMITS, cpu=20.0), Case(shape.input(best) or arguments)
        suite = answer(
            sandbox, prepared.task, [case], base_count=0, limits=roomy, twice=False, contract=False
        ).suite
        smallest = _failure(sandbox, prepared.task, suite, source)
        return None if smallest is None else Smallest(suite, smallest)


@dataclass(frozen=True, slots=True)
class _Shape:
    """Decides which inputs are valid without a contract, and maps texts to their values."""

    form: TextForm | None
    filter: InputFilter | None

    @classmethod
    def of(cls, task: Task, suite: Suite) -> _Shape:
        try:
            form = text_form(task, suite.cases[: suite.base_count])
        except ValueError:  # a text does not match the grammar
            form = None
        values = values_of(form, suite.cases) if form else None
        is_stated = task.contract is not None and parse(task.contract).has_precondition
        # A contract or a grammar decides validity by itself, so nothing has to be inferred.
        if is_stated or task.grammar or task.harness.kind == "sequence":
            return cls(form if values else None, None)
        if values:
            return cls(form, InputFilter.infer(values))
        return cls(None, InputFilter.infer([case.arguments for case in suite.cases]))

    def values(self, arguments: Arguments) -> Arguments:
        return arguments if self.form is None else self.form.parse(arguments[0])

    def input(self, values: Arguments) -> Arguments | None:
        """Return the arguments for these values; None if they are not valid."""
        if self.form is not None:
            fitted = self.form.fit(values)
            if fitted is None or (self.filter is not None and not self.filter.admits(fitted)):
                return None
            return (self.form.render(fitted),)
        return values if self.filter is None or self.filter.admits(values) else None


def _failure(sandbox: Sandbox, task: Task, suite: Suite, source: str) -> Failure | None:
    """Return a program's first failure; None without failures or cases."""
    if not suite.cases:
        return None
    return evaluate_program(sandbox, PreparedSuite.by_steps(task, suite), source).failure
