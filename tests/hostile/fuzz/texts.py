"""Hostile texts as a model might answer: deep, wide, long, odd; by seed, of any size.

A shape is chosen by the generator of random numbers alone, and then drawn at a size: so the same
shape can be looked at as it grows.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TypeAlias

from .tokens import (
    AFTER,
    ATOMS,
    BEFORE,
    BLOCKS,
    CLOSERS,
    HEADS,
    HONEST,
    LEAVES,
    OPENERS,
    PREFIXES,
    QUOTES,
    SEPARATORS,
    STATEMENTS,
    SUFFIXES,
    WORDS,
)

Shape: TypeAlias = Callable[[int], str]
"""A text of about so many characters."""


def shape(random: Random) -> Shape:
    """Return a shape, plain or composed of others."""
    return random.choice(KINDS)(random)


def repeated(random: Random) -> Shape:
    """The same few characters, over and over."""
    unit = piece(random, random.choice([1, 1, 2, 3, 5]))
    before, after = _edges(random)
    return lambda size: before + unit * _times(size, unit) + after


def numbered(random: Random) -> Shape:
    """The same few characters with a number in them: names, keys and digits that all differ."""
    left, right = piece(random, 2), random.choice(SEPARATORS) + piece(random, 1)
    before, after = _edges(random)

    def draw(size: int) -> str:
        count = _times(size, left + right + "0000")
        return before + "".join(f"{left}{number}{right}" for number in range(count)) + after

    return draw


def nested(random: Random) -> Shape:
    """Things within things, closed, left open, or closed once too often."""
    openers = random.choice([PREFIXES, PREFIXES, OPENERS])
    opener = "".join(random.choice(openers) for _ in range(random.choice([1, 1, 1, 1, 2])))
    closer = "".join(CLOSERS[c] for c in reversed(opener) if c in CLOSERS)
    core = random.choice(["a", "a", "a", random.choice(ATOMS)])
    close = random.choice([1.0] * 7 + [0.5, 0.0, 1.01])
    before, after = _edges(random, of="x = ")

    def draw(size: int) -> str:
        count = _times(size, opener + closer)
        return before + opener * count + core + closer * int(count * close) + after

    return draw


def statements(random: Random) -> Shape:
    """Statements by the thousand, on one line or many, that bind and use each other's names."""
    kinds = [random.choice(STATEMENTS) for _ in range(random.choice([1, 1, 2, 4]))]
    separator = random.choice(["\n", "\n", "\n", ";", "; ", "\n\n", "\n\n\n", " "])
    is_backwards = random.random() < 0.4
    spread = random.choice([1, 1, 7, 1000, 10**9])
    before, after = _edges(random)

    def draw(size: int) -> str:
        count = _times(size, kinds[0] + separator + "000")
        lines = []
        for number in range(count):
            n, m, k = (f"n{(number + step) % count % spread}" for step in (0, 1, count // 2))
            lines.append(kinds[number % len(kinds)].format(n=n, m=m, k=k, d=number))
        if is_backwards:
            lines.reverse()
        return before + separator.join(lines) + "\n" + after

    return draw


def quoted(random: Random) -> Shape:
    """A quote of some kind, opened, and then much that is and is not its end."""
    first, last = random.choice(QUOTES)
    units = [
        first,
        last,
        "\\" + first,
        "\\" + last,
        "\\",
        "x",
        "\n",
        "{",
        "{{",
        "}",
        "\\\n",
        last[0],
    ]
    unit = "".join(random.choice(units) for _ in range(random.choice([1, 1, 2, 3])))
    if random.random() < 0.2:
        unit += random.choice(random.choice(QUOTES))
    end = random.choice(["", "", "", last, last + "\n", "\n" + last])
    before, after = _edges(random, of="x = ")
    return lambda size: before + first + unit * _times(size, unit) + end + after


def ladder(random: Random) -> Shape:
    """Blocks within blocks, each line further in; the texts grow with the square of the depth."""
    blocks = [random.choice(BLOCKS) for _ in range(random.choice([1, 1, 1, 2, 3]))]
    first, leaf = (random.choice(LEAVES) for _ in range(2))
    step, within_tail = random.choice([" ", " ", "\t", "  "]), random.random() < 0.5
    has_tails = random.random() < 0.8
    before, after = _edges(random)

    def draw(size: int) -> str:
        depth = max(1, min(int((size / 2 / len(step)) ** 0.5), size // 8))
        lines, ends = [], []
        for level in range(depth):
            head, tail = blocks[level % len(blocks)]
            if tail is None or not has_tails:
                lines.append(step * level + head)
            elif within_tail:
                lines += [step * level + head, step * (level + 1) + first, step * level + tail]
            else:
                lines.append(step * level + head)
                ends += [step * (level + 1) + leaf, step * level + tail]
        lines.append(step * depth + leaf)
        return before + "\n".join([*lines, *reversed(ends)]) + "\n" + after

    return draw


def bounded_ladder(random: Random) -> Shape:
    """Ladders no deeper than Python's compiler takes, one after the other."""
    depth = random.choice([2, 5, 18, 19, 60, 99, 101])
    inner = ladder(random)
    return lambda size: inner(depth * depth) * _times(size, inner(depth * depth))


def chained(random: Random) -> Shape:
    """One expression without an end: operators, calls, attributes, comparisons, comprehensions."""
    links = [random.choice(SUFFIXES) for _ in range(random.choice([1, 1, 2, 4]))]
    if random.random() < 0.3:
        links = [random.choice(OPENERS) + random.choice(ATOMS) for _ in links]
    atom, unit = random.choice(ATOMS), "".join(links)
    before, after = _edges(random, of="x = ")
    return lambda size: before + atom + unit * _times(size, unit) + after


def literal(random: Random) -> Shape:
    """One number or text without an end, and odd ends."""
    digits = random.choice(["9", "0", "1_0", "f", "01", "7"])
    prefix = random.choice(
        ["", "-", "0x", "0b", "1.", "1e", ".", "'", '"', "f'", "b'", "r'''", "#"]
    )
    suffix = random.choice(["", "", "j", "e", ".", "'", '"', "'''", "\\", "\\'", "L"])
    before, after = _edges(random, of="x = ")
    return lambda size: before + prefix + digits * _times(size, digits) + suffix + after


def prose(random: Random) -> Shape:
    """Words, marks of lists, fences, quotes, and now and then a line of code."""
    seed = random.random()
    rate = random.choice([0.0, 0.05, 0.3])
    length = random.choice([1, 8, 40, 100_000])

    def draw(size: int) -> str:
        words = Random(seed)
        parts: list[str] = []
        count = 0
        while count < size:
            word = words.choice(OPENERS if words.random() < rate else WORDS)
            parts += [word, "\n" if len(parts) % (2 * length) >= 2 * length - 2 else " "]
            count += len(word) + 1
        return "".join(parts)

    return draw


def soup(random: Random) -> Shape:
    """Tokens and separators in any order."""
    seed = random.random()
    vocabulary = [random.choice([*OPENERS, *ATOMS, *HEADS, *LEAVES]) for _ in range(2)]
    vocabulary += random.sample([*OPENERS, *ATOMS, *HEADS, *LEAVES], random.choice([2, 8, 60]))
    separators = random.sample(SEPARATORS, 3)

    def draw(size: int) -> str:
        words = Random(seed)
        parts: list[str] = []
        count = 0
        while count < size:
            parts += [words.choice(vocabulary), words.choice(separators)]
            count += len(parts[-1]) + len(parts[-2])
        return "".join(parts)

    return draw


def fenced(random: Random) -> Shape:
    """Blocks in fences of all kinds, whole, nested and unclosed, with anything in them."""
    inner = shape(random)
    fence = random.choice(["```", "~~~", "```python", "````", "    ```", "> ```", "``` py {.x}"])
    end = random.choice(["```", "~~~", "", "````", "``` x", "\n```"])
    count = random.choice([1, 1, 2, 10, 1000])

    def draw(size: int) -> str:
        body = inner(max(1, size // count))
        times = min(count, _times(size, body + fence + end))
        return f"{fence}\n{body}\n{end}\n" * times

    return draw


def around(random: Random) -> Shape:
    """The right program, with something before, after or within it."""
    inner, place = shape(random), random.choice([0, 0, 1, 2, 3, 4])

    def draw(size: int) -> str:
        text = inner(size)
        if place == 0:
            return HONEST + text
        if place == 1:
            return text + "\n" + HONEST
        if place == 2:
            return f"{text}\n```python\n{HONEST}```\n{text}"
        if place == 3:
            return f'def add(a, b):\n    """{text}"""\n    return a + b\n'
        indented = text.replace("\n", "\n    ")
        return f"def add(a, b):\n    {indented}\n    return a + b\n"

    return draw


def joined(random: Random) -> Shape:
    """Two or three shapes, one after the other."""
    parts = [shape(random) for _ in range(random.choice([2, 3]))]
    separator = random.choice(SEPARATORS)
    return lambda size: separator.join(part(size // len(parts)) for part in parts)


def damaged(random: Random) -> Shape:
    """Another shape, cut, doubled, or with other characters put in, at a few places."""
    inner, seed = shape(random), random.random()

    def draw(size: int) -> str:
        text, places = inner(size), Random(seed)
        for _ in range(places.choice([1, 2, 5])):
            at = places.randrange(len(text) + 1)
            end = at + places.choice([0, 0, 1, 5, size // 4])
            new = places.choice(["", places.choice(OPENERS), text[at:end] * 2, "\n"])
            text = (text[:at] + new + text[end:])[: 2 * size]
        return text

    return draw


def piece(random: Random, count: int) -> str:
    """Return a few tokens."""
    return "".join(random.choice([*OPENERS, *ATOMS]) for _ in range(count))


def _edges(random: Random, *, of: str = "") -> tuple[str, str]:
    """Return what stands before and after: mostly what makes a program of it, or prose beside one.

    ``of`` is what an expression of the shape may follow to be a statement.
    """
    before = "".join(random.choice(BEFORE) for _ in range(random.choice([0, 1, 1, 2, 3])))
    after = "".join("\n" + random.choice(AFTER) for _ in range(random.choice([0, 1, 1, 2])))
    if before and not before.endswith("\n"):
        before += "\n"
    return before + (of if random.random() < 0.7 else ""), after


def _times(size: int, unit: str) -> int:
    return max(1, size // max(1, len(unit)))


KINDS: list[Callable[[Random], Shape]] = [
    repeated, numbered, nested, nested, statements, statements, quoted, ladder, bounded_ladder,
    chained, literal, prose, soup, fenced, around, joined, damaged,
]  # fmt: skip
