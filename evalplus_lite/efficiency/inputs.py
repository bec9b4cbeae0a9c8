"""Growing inputs: a few shapes for each size, valid by the contract, with the reference's answers.

Each argument grows separately, and all grow together; the dimension in which the reference's work
grows most is used. A container grows in length, a number in value. Elements are like those of the
task's own inputs. An input on which the reference raises, documented or not, is not used.
"""

from __future__ import annotations

import contextlib
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from typing import TypeAlias

from evalplus_lite.efficiency.work import work
from evalplus_lite.errors import CodecError, ReferenceSolutionError
from evalplus_lite.grading.oracle import answer
from evalplus_lite.sandbox import Limits, Sandbox
from evalplus_lite.tasks.contracts import violations
from evalplus_lite.types import Case, Task, Value

SIZES = tuple(1 << power for power in range(2, 15))
LARGEST = 512
"""Maximum size of a container; numbers grow on while the reference does at most ``NEAR`` units."""
NEAR = 100_000
LIMITS = Limits(cpu=2.0, load=3.0)
MOST = 2_000_000
"""Maximum units of work of the reference on any input."""
LEAST = 3
"""Minimum number of sizes to measure a task's growth."""
ALL = -1
"""The dimension in which all arguments grow together."""
MOST_FAILURES = 12
"""Number of failures of the reference after which no more inputs are tried."""


@dataclass(frozen=True, slots=True)
class Level:
    """Inputs of one ``size`` in several shapes, with the reference's answers."""

    size: int
    shapes: tuple[str, ...]
    cases: tuple[tuple[Value, ...], ...]
    expected: tuple[bytes, ...]
    units: tuple[int, ...]
    """The reference's work on each."""


Made: TypeAlias = tuple[int, str, tuple[Value, ...]]
"""An input: its size, shape and arguments."""


def levels(sandbox: Sandbox, task: Task, *, seed: int) -> tuple[Level, ...]:
    """Return levels, each twice as large as the one before; none if inputs cannot grow.

    The dimension is the one in which the reference's work grows most.
    """
    observe = tuple(part for part in task.harness.observe if part != "exception")
    task = replace(task, harness=replace(task.harness, observe=observe, exceptions=()))
    best: list[tuple[Made, int]] = []
    arity = max((len(case.arguments) for case in task.base), default=0)
    for dimension in [*range(arity), ALL] if arity > 1 else [0]:
        with contextlib.suppress(CodecError):
            grown = list(_ladder(sandbox, task, dimension, seed))
            if len({size for (size, *_), _ in grown}) >= LEAST and _growth(grown) > _growth(best):
                best = grown
    if not best:
        return ()
    cases = [Case(arguments) for (*_, arguments), _ in best]
    try:
        answers = answer(
            sandbox, task, cases, base_count=0, limits=LIMITS, contract=False, max_failures=2
        )
    except (CodecError, ReferenceSolutionError):
        return ()
    rows = [
        (*best[place][0], expected, best[place][1])
        for place, expected in zip(answers.kept, answers.suite.expected, strict=True)
    ]
    grouped = [(size, zip(*some, strict=True)) for size, some in groupby(rows, itemgetter(0))]
    found = tuple(Level(size, *list(columns)[1:]) for size, columns in grouped)
    return found if len(found) >= LEAST else ()


def _growth(grown: Sequence[tuple[Made, int]]) -> float:
    """Return the average exponent of the reference's work as a function of size."""
    if not grown:
        return -math.inf
    low, high = grown[0][0][0], grown[-1][0][0]
    first, last = (max(units for (size, *_), units in grown if size == at) for at in (low, high))
    return math.log(max(last, 1) / max(first, 1)) / math.log(high / low)


def _ladder(sandbox: Sandbox, task: Task, dimension: int, seed: int) -> Iterator[tuple[Made, int]]:
    """Yield inputs with the reference's work, up to a size that is invalid or takes too much."""
    made: list[Made] = []
    before: set[str] = set()
    for size in SIZES:
        rng = random.Random(f"{seed}:{task.id}:{dimension}:{size}")
        row = {repr(each): (size, name, each) for name, each in shaped(task, dimension, size, rng)}
        if size > LARGEST and not all(is_number(dimension, each) for _, _, each in row.values()):
            break
        made += [each for key, each in row.items() if key not in before]
        before = set(row)
    if task.contract is not None:
        cases = [Case(arguments) for _, _, arguments in made]
        refused = violations(sandbox, task.contract, cases)
        made = [each for each, reason in zip(made, refused, strict=True) if reason is None]
    found: dict[int, list[tuple[Made, int]]] = {size: [] for size in SIZES}
    failures = 0
    while made and failures < MOST_FAILURES:
        inputs = [arguments for _, _, arguments in made]
        works = work(sandbox, task, task.reference, inputs, None, most=MOST)
        for each, one in zip(made, works, strict=False):
            if one.units is not None:
                found[each[0]].append((each, one.units))
        last, shape, _ = made[len(works) - 1]
        made = made[len(works) :]
        failures += bool(works[-1].cause)
        if works[-1].cause == "late":  # larger ones would be late, too
            if shape == "words" and sum(map(bool, found.values())) <= LEAST:  # the longest
                made = [each for each in made if each[1] != shape]
                for size, some in found.items():
                    found[size] = [pair for pair in some if pair[0][1] != shape]
                continue
            found[last], made = [], []
    misses, most = 0, 3  # a contract may reject only small sizes
    for size, some in found.items():
        misses = 0 if some else misses + 1
        if misses > most or (
            size > LARGEST and max((units for _, units in some), default=0) > NEAR
        ):
            return
        most = 0 if some else most
        yield from some


def is_number(dimension: int, arguments: Sequence[Value]) -> bool:
    """Return whether all growing arguments are integers."""
    grown = arguments if dimension == ALL else arguments[dimension : dimension + 1]
    return all(type(each) is int for each in grown)


SHAPES = ("random", "sorted", "reversed", "equal", "needle last", "spread", "words")
"""``spread``: far apart, so that searches do not end early; ``words``: a text of SIZE words."""


def arranged(shape: str, pool: list[Value], size: int, rng: random.Random) -> list[Value]:
    """Return ``size`` elements from a pool, in a shape."""
    if shape == "equal":
        return [rng.choice(pool)] * size
    if shape == "needle last":
        return [pool[0]] * (size - 1) + [pool[-1]]
    if shape == "spread" and all(type(part) in (int, float) for part in pool):
        gap = 2 + 2 * math.ceil(max(abs(part) for part in pool))
        return [type(pool[0])(gap * (at + 1)) for at in range(size)]
    drawn = [rng.choice(pool) for _ in range(size)]
    if shape in ("sorted", "reversed"):
        with contextlib.suppress(TypeError):
            drawn.sort(reverse=shape == "reversed")
    return drawn


def shaped(
    task: Task, dimension: int, size: int, rng: random.Random
) -> Iterator[tuple[str, tuple[Value, ...]]]:
    """Yield inputs of a size, derived from the task's own, as (shape, arguments)."""
    bases = [case.arguments for case in task.base if case.arguments] or [()]
    longest = max(bases, key=lambda arguments: len(repr(arguments)))
    has_words = any(type(value) is str and " " in value.strip() for value in longest)
    for shape in SHAPES if has_words else SHAPES[:-1]:
        grown = []
        for at, value in enumerate(longest):
            seen = [base[at] for base in bases if at < len(base)]
            is_grown = dimension in (at, ALL)
            grown.append(_grown(value, seen, size, shape, rng) if is_grown else value)
        yield shape, tuple(grown)


def _grown(value: Value, seen: list[Value], size: int, shape: str, rng: random.Random) -> Value:
    """Return a value of a size and shape, with elements like those seen."""
    kind = type(value)
    if kind is str and len(seen) > 1 and all(type(text) is str and len(text) == 1 for text in seen):
        return value  # a character, such as the one to search for
    if kind in (int, float):
        return kind(_number(size, shape, rng))
    if kind is str:
        texts = [text for text in seen if type(text) is str]
        if shape == "words":
            return " ".join(arranged(shape, sorted({*" ".join(texts).split()} or {"a"}), size, rng))
        return "".join(arranged(shape, sorted(set("".join(texts) or "a")), size, rng))
    if kind in (list, tuple, set, frozenset):
        parts = [part for each in seen if type(each) is kind for part in each]
        if not parts:
            return value
        pool = _pool(parts, size, rng)
        made = arranged(shape, pool, size, rng)
        if kind in (set, frozenset):
            made = list(dict.fromkeys([*made, *pool]))[:size]
        return kind(made)
    if kind is dict and value:
        keys = _pool([key for each in seen if type(each) is dict for key in each], size, rng)
        values = [item for each in seen if type(each) is dict for item in each.values()]
        return {key: rng.choice(values) for key in list(dict.fromkeys(keys))[:size]}
    return value


def _number(size: int, shape: str, rng: random.Random) -> int:
    """Return a number close to a size: itself, a little less, or a prime."""
    if shape == "random":
        return size - rng.randint(0, size // 16)
    if shape == "spread":  # a search for a divisor does not end early
        isqrt = math.isqrt
        return next(n for n in range(size, 0, -1) if all(n % d for d in range(2, isqrt(n) + 1)))
    return size - (shape == "reversed")


def _pool(parts: list[Value], size: int, rng: random.Random) -> list[Value]:
    """Return elements to draw from: ``size`` distinct ones if possible, in random order."""
    if all(type(part) is int for part in parts):
        low, high = min(parts), max(parts)
        low, high = (low if low >= 0 else min(low, -size)), max(high, 2 * size)
        return rng.sample(range(low, high + 1), min(size, high + 1 - low))
    if all(type(part) in (int, float) for part in parts):
        high = max(abs(float(part)) for part in parts) + size
        low = 0 if min(parts) >= 0 else -high
        return [round(rng.uniform(low, high), 3) for _ in range(size)]
    distinct: dict[str, Value] = {repr(part): part for part in parts}
    if all(type(part) is str for part in parts):
        letters = sorted({letter for part in parts for letter in part} or {"a"})
        longest = max(1, *map(len, parts))
        for _ in range(size):
            text = "".join(rng.choice(letters) for _ in range(rng.randint(1, longest)))
            distinct[repr(text)] = text
    pool = list(distinct.values())
    rng.shuffle(pool)
    return pool
