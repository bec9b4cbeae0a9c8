"""Hostile answers in wire form: what a program can have its process send, right or wrong.

Of each kind there is an expected answer, of ordinary make, and one that a program gives for it.
"""

from __future__ import annotations

import struct
from random import Random

from .documents import Document

RULES = ("python", "strict", "unordered", "truthiness")
LARGEST_RIGHT = 100_000
"""Elements of an expected answer: what a program sends may be far larger, a right answer rarely."""
PRIME = (1 << 61) - 1


def answer(random: Random) -> Document:
    """A rule's name, the expected answer and the given one, as lengths and bytes."""
    rule = random.choice(RULES)
    opener = random.choice([b"[", b"(", b"{", b"<", b">"])
    kind = random.choice(["same", "other", "deep", "long", "noise", "forged", "nan"])
    item, seed = random.randrange(8), random.random()
    step = random.choice([1, PRIME, 1 << 32, 1 << 61])

    def container(items: list[bytes]) -> bytes:
        if opener == b"{":
            return b"{" + b"".join(key + b"N" for key in items) + b"0"
        return opener + struct.pack("<i", len(items)) + b"".join(items)

    def draw(size: int) -> bytes:
        count = max(1, size // 12)
        right = min(count, LARGEST_RIGHT)
        expected = container([_integer(n) for n in range(right)])
        drawn = Random(seed)
        match kind:
            case "same":
                given = container([_integer(n) for n in reversed(range(right))])
            case "other":
                given = container([_item(item, n, step) for n in range(count)])
            case "deep":
                given = (b"(\1\0\0\0") * max(1, size // 5) + b"N"
            case "long":
                given = b"l" + struct.pack("<i", size // 2) + b"\xff\x7f" * (size // 2)
            case "noise":
                given = drawn.randbytes(size)
            case "nan":
                nan = b"g" + struct.pack("<d", float("nan"))
                expected, given = (container([nan] * right + [_integer(n)]) for n in (1, 2))
            case _:
                forged = bytearray(container([_item(item, n, step) for n in range(count)]))
                for _ in range(5):
                    forged[drawn.randrange(len(forged))] = drawn.randrange(256)
                given = bytes(forged)
        parts = (rule.encode(), expected, given)
        return b"".join(struct.pack("<I", len(part)) + part for part in parts)

    return draw


def _integer(number: int) -> bytes:
    if abs(number) < 1 << 31:
        return b"i" + struct.pack("<i", number)
    digits = []
    rest = abs(number)
    while rest:
        digits.append(rest & 0x7FFF)
        rest >>= 15
    count = -len(digits) if number < 0 else len(digits)
    return b"l" + struct.pack("<i", count) + struct.pack(f"<{len(digits)}H", *digits)


def _item(kind: int, number: int, step: int) -> bytes:
    match kind:
        case 0 | 1 | 2:
            return _integer(number * step)
        case 3:
            return b"(\2\0\0\0" + _integer(number * step) + _integer(-number)
        case 4:
            return b"g" + struct.pack("<d", float(number))
        case 5:
            text = f"{number:x}".encode()
            return b"u" + struct.pack("<I", len(text)) + text
        case 6:
            return b"(\0\0\0\0"
        case _:
            return b"(\1\0\0\0" * 20 + _integer(number * step)


def parts(data: bytes) -> tuple[str, bytes, bytes]:
    """Return the rule's name, the expected answer and the given one."""
    found = []
    at = 0
    for _ in range(3):
        (length,) = struct.unpack_from("<I", data, at)
        found.append(data[at + 4 : at + 4 + length])
        at += 4 + length
    return found[0].decode(), found[1], found[2]
