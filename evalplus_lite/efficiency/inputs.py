"""Growing inputs: a few shapes for each size, valid by the contract, answered by the reference.

Each argument grows separately, and all grow together; the one with the most work for the reference
is used. A container grows in its length, a number in its value. Elements are like those of the
task's own inputs.
"""

from __future__ import annotations

import contextlib
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evalplus_lite.efficiency.work import work
from evalplus_lite.errors import CodecError, ReferenceSolutionError
from evalplus_lite.grading.oracle import answer
from evalplus_lite.sandbox import Limits, Sandbox
from evalplus_lite.types import Case, Task, Value

SIZES = tuple(1 << power for power in range(2, 11))
LIMITS = Limits(cpu=2.0, load=3.0)
MOST = 2_000_000
"""Units of work that the reference may take on an input of the largest size."""
LEAST = 3
"""Sizes that a task needs for its growth to be measured."""
ALL = -1
"""The dimension in which all arguments grow together."""


@dataclass(frozen=True, slots=True)
class Level:
    """Inputs of one ``size``, of several shapes, with the reference's answers."""

    size: int
    shapes: tuple[str, ...]
    cases: tuple[tuple[Value, ...], ...]
    expected: tuple[bytes, ...]
    units: tuple[int, ...]
    """The reference's work on each."""


def levels(sandbox: Sandbox, task: Task, *, count: int, seed: int) -> tuple[Level, ...]:
    """Return ``count`` levels, each of twice the size of the one before, or fewer.

    The dimension is the one in which the reference's work grows most.
    """
    best: list[Level] = []
    arity = max((len(case.arguments) for case in task.base), default=0)
    dimensions = [*range(arity), ALL] if arity > 1 else [0]
    for dimension in dimensions:
        grown = list(_ladder(sandbox, task, dimension, seed))
        if len(grown) >= LEAST and (not best or _growth(grown) > _growth(best)):
            best = grown
    return tuple(best[-count:])


def _growth(grown: Sequence[Level]) -> float:
    """Return the average exponent of the growth of the reference's work with size."""
    work = max(grown[-1].units) / max(1, *grown[0].units)
    return math.log(max(work, 1.0)) / math.log(grown[-1].size / grown[0].size)


def _ladder(sandbox: Sandbox, task: Task, dimension: int, seed: int) -> Iterator[Level]:
    """Yield levels until an input is refused, too much work, or as large as the one before."""
    before: set[str] = set()
    misses, most = 0, 3  # small sizes may be refused where larger ones are fine
    for size in SIZES:
        rng = random.Random(f"{seed}:{task.id}:{dimension}:{size}")
        made = {repr(value): (name, value) for name, value in shaped(task, dimension, size, rng)}
        fresh = [each for key, each in made.items() if key not in before]
        before = set(made)
        level = _answered(sandbox, task, size, fresh) if fresh else None
        if level is None:
            misses += 1
            if misses > most:
                return
            continue
        if max(level.units) > MOST:
            return
        misses, most = 0, 0
        yield level


def _answered(
    sandbox: Sandbox, task: Task, size: int, made: Sequence[tuple[str, tuple[Value, ...]]]
) -> Level | None:
    cases = [Case(arguments, "length", None, (name,)) for name, arguments in made]
    try:
        suite = answer(sandbox, task, cases, base_count=0, limits=LIMITS, max_failures=2).suite
    except (CodecError, ReferenceSolutionError):
        return None
    inputs = [case.arguments for case in suite.cases]
    works = work(sandbox, task, task.reference, inputs, suite.expected, most=4 * MOST)
    rows = [
        (case.operators[0], case.arguments, expected, each.units)
        for case, expected, each in zip(suite.cases, suite.expected, works, strict=True)
        if each.units is not None
    ]
    if not rows:
        return None
    shapes, arguments, expected, units = zip(*rows, strict=True)
    return Level(size, shapes, arguments, expected, units)


SHAPES = ("random", "sorted", "reversed", "equal", "needle last", "spread", "words")
"""``spread``: far apart, so that searches do not end early; ``words``: of a text, so many words."""


def arranged(shape: str, pool: list[Value], size: int, rng: random.Random) -> list[Value]:
    """Return so many elements of a pool, in a shape."""
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
    """Yield inputs of a size, made from the task's own: shape and arguments."""
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
    """Return a value of a size, in a shape, with elements like those seen."""
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
    """Return a number of about a size: itself, a little less, or a prime."""
    if shape == "random":
        return size - rng.randint(0, size // 16)
    if shape == "spread":  # a search for a divisor does not end early
        isqrt = math.isqrt
        return next(n for n in range(size, 0, -1) if all(n % d for d in range(2, isqrt(n) + 1)))
    return size - (shape == "reversed")


def _pool(parts: list[Value], size: int, rng: random.Random) -> list[Value]:
    """Return elements to draw from: as many distinct ones as there are places, in random order."""
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
