"""Judge answers that are slow or large to take apart against small and middling right ones.

Run by ``test_answers`` in a process whose CPU time and memory are bounded; prints the verdicts.
"""

from __future__ import annotations

import itertools
import json
import marshal
import random
import struct
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from evalplus_lite.grading.observer import explain, judge
from evalplus_lite.types import Returned, Rule
from evalplus_lite.values import wire

SIZE, PRIME, NAN = 4 << 20, 2**61 - 1, float("nan")
ELEMENTS: list[Any] = [
    *(None, True, 5, 1.5, 1j, "", "ab", b"a", [], (), set(), {}, [[1.5]], {1: []}),
    *(frozenset(), NAN, (NAN,), 1 << 70, {frozenset({1})}),
]
RIGHT: list[Any] = [
    *(5, None, 1.5, "ab", [1, 2], (1,), {1, 2}, {1: 2}, [[1.0], [2.0]], [{1}, {2}]),
    *({NAN: 0, float("nan"): 1}, set(range(2_000)), {n: [n] for n in range(2_000)}),
    [{"a": {1: {2: [1.0]}}}],
]


def dump(value: Any) -> bytes:
    return marshal.dumps(value, 2)


def sized(tag: bytes, items: list[bytes]) -> bytes:
    return tag + struct.pack("<i", len(items)) + b"".join(items)


def table(keys: Iterable[Any], value: bytes) -> bytes:
    return b"{" + b"".join(dump(key) + value for key in keys) + b"0"


def wide(tag: bytes, value: Any) -> bytes:
    """Return a container of very many of one element."""
    item = dump(value)
    return tag + struct.pack("<i", SIZE // len(item)) + item * (SIZE // len(item))


def answers(rng: random.Random) -> Iterator[bytes]:
    """Yield hostile answers, the last ones garbled."""
    kinds = list(itertools.product((b"[", b"(", b"<", b">"), ELEMENTS))
    for tag, value in kinds:
        data = wide(tag, value)
        yield data
        yield from (outer + b"\1\0\0\0" + data for outer in (b"<", b"[", b"("))
    for count in (3_000, 200_000):
        alike = [k * PRIME for k in range(1, count)]
        yield sized(b"<", list(map(dump, alike)))
        yield sized(b"[", list(map(dump, alike)))
        yield table(alike, b"N")
    for value in (None, [], {}, {1}):
        yield table(range(200_000), dump(value))
    yield table([NAN] * 200_000, b"N")
    for key, value in itertools.product((1, NAN), ELEMENTS[:4]):
        yield b"{" + dump(key) + wide(b"[", value) + b"0"
        yield b"{" + dump(key) + b"N" + dump(key) + wide(b"[", value) + b"0"
    yield from (dump(1 << 8 * SIZE), dump("x" * SIZE), dump(b"x" * SIZE))
    yield b"u" + struct.pack("<i", SIZE) + b"\xff" * SIZE
    for nest in (b"(\1\0\0\0", b"[\1\0\0\0", b">\1\0\0\0", b"{N"):
        yield nest * (SIZE // len(nest))
    for _ in range(40):
        data = bytearray(wide(*rng.choice(kinds))[: rng.choice([50, 5_000, SIZE])])
        for _ in range(rng.randrange(1, 6)):
            at = rng.randrange(min(len(data), 60))
            length = rng.randrange(1 << rng.randrange(2, 31))
            tag = rng.choice(b"NTFilgyus[(<>{0").to_bytes(1, "little")
            data[at : at + 5] = tag + struct.pack("<i", length)
        yield bytes(data)


def main(seed: int) -> None:
    counts: Counter[str] = Counter()
    rights = [wire.encode(value) for value in RIGHT]
    for data in answers(random.Random(seed)):
        for right, kind in itertools.product(
            rights, ("python", "strict", "unordered", "truthiness")
        ):
            verdict = judge(Returned(data), right, Rule(kind))  # type: ignore[arg-type]
            detail = explain(0, verdict, Returned(data), right).detail
            assert len(detail) < 700, detail
            assert detail.isprintable(), detail
            counts[verdict] += kind != "truthiness"
    print(json.dumps(counts))


if __name__ == "__main__":
    main(int(sys.argv[1]))
