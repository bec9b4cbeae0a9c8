"""Hostile JSON: rows, suites and what a model's server sends, as bytes, by seed, of any size."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping
from random import Random
from typing import TypeAlias

from . import texts
from .tokens import HONEST

Document: TypeAlias = Callable[[int], bytes]
"""The bytes of a document of about so many bytes (of an archive: its files)."""

SAMPLE = {"task_id": "Fuzz/0", "solution": HONEST, "model": "m", "index": 7}
TASK = {
    "id": "Fuzz/0",
    "prompt": "Add two numbers.",
    "entry_point": "add",
    "reference": HONEST,
    "contract": "def precondition(a, b):\n    return True\n",
    "rule": {"kind": "python", "atol": 1e-6, "rtol": 1e-7},
    "style": "solution",
    "inputs": [[1, 2], [3, 4]],
}
CASE = {"arguments": [1, 2], "expected": 3, "source": "base", "parent": 0, "operators": ["a"]}
SUITE = {
    **{key: value for key, value in TASK.items() if key != "inputs"},
    "format": 1,
    "base_count": 1,
    "cases": [CASE, {**CASE, "arguments": [3, 4], "expected": 7}],
    "extra": {},
    "provenance": {"seed": 0},
}
REPLY = {
    "id": "1",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": HONEST, "refusal": None},
            "finish_reason": "stop",
        }
    ],
    "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3},
}
TAGS = ["tuple", "set", "frozenset", "dict", "bytes", "complex", "float", "int", "$tuple", "type"]


def value(random: Random) -> Document:
    """One JSON value: deep, wide, long, odd or broken."""
    text = texts.shape(random)
    kind = random.randrange(12)
    opener = random.choice(["[", '{"a":', "[[],", '{"":[', '{"tuple":[', '{"set":[', "[[", "[{},"])
    core = random.choice(["", "0", "null", '""', "NaN", "1e400", "tru", '"a'])
    close = random.choice([1.0, 1.0, 0.0, 0.9])
    digit = random.choice("179")
    edge = random.choice(["", "", "-", "1.", "1e", "0."])
    item = random.choice(
        ["[]", "{}", "0", '""', "null", "[[]]", '{"set":[]}', "1.5", "-0.0", "NaN", '"\\ud800"',
         '{"a":1}', "[0,0]", '"\\u0000"', "9007199254740993", "2305843009213693951"]
    )  # fmt: skip
    step = random.choice([1, (1 << 61) - 1, 1 << 64, 1 << 32, 65537])
    tag = random.choice(TAGS)
    key = random.choice(["a", "id", "task_id", "solution"])

    def draw(size: int) -> str:
        match kind:
            case 0 | 1:  # deep
                count = max(1, size // len(opener) // 2)
                closers = {"[": "]", "{": "}"}
                end = "".join(closers[c] for c in reversed(opener) if c in closers)
                if opener == "[[],":
                    end = "]"
                return opener * count + core + end * int(count * close)
            case 2 | 3:  # wide
                return "[" + ",".join([item] * max(1, size // (len(item) + 1))) + "]"
            case 4:  # a long number
                return edge + digit * size
            case 5:  # numbers that meet in a hash table
                return f"[{','.join(str(n * step) for n in range(max(1, size // 20)))}]"
            case 6:
                many = ",".join(str(n * step) for n in range(max(1, size // 20)))
                return f'{{"{tag}":[{many}]}}'
            case 7:  # many keys
                return "{" + ",".join(f'"{n}":0' for n in range(size // 9 + 1)) + "}"
            case 8:  # one key many times
                return "{" + ",".join([f'"{key}":1'] * (size // 9 + 1)) + "}"
            case 9:  # a text
                return json.dumps(text(size))
            case 10:
                return json.dumps(text(size), ensure_ascii=False)
            case _:  # no JSON at all
                return text(size)

    return lambda size: draw(size).encode("utf-8", "surrogatepass")


def changed(random: Random, whole: Mapping[str, object]) -> Document:
    """A document of a known form, with one or two of its values replaced by hostile ones."""
    places = _places(whole)
    chosen = random.sample(places, min(len(places), random.choice([1, 1, 1, 2])))
    inner = [value(random) for _ in chosen]
    extra = random.random() < 0.1
    damage = random.choice([0, 0, 0, 0, 0, 1, 2, 3])
    where, flip = random.random(), random.randrange(256)

    def draw(size: int) -> bytes:
        new = {}
        marked = json.loads(json.dumps(whole))
        for number, (path, make) in enumerate(zip(chosen, inner, strict=True)):
            mark = f"@@{number}@@"
            new[json.dumps(mark).encode()] = make(size).replace(b"\n", b" ")
            target = marked
            for step in path[:-1]:
                if not isinstance(target[step], (dict, list)):
                    break
                target = target[step]
            else:
                target[path[-1]] = mark
        if extra:
            marked["extra key"] = "x" * 10
        data = json.dumps(marked).encode()
        for mark_, text in new.items():
            data = data.replace(mark_, text)
        at = int(where * len(data))
        if damage == 1:
            data = data[:at]
        elif damage == 2:
            data = data[:at] + bytes([flip]) + data[at + 1 :]
        elif damage == 3:
            data += data[:at]
        return data

    return draw


def _places(whole: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    found = [path] if path else []
    if isinstance(whole, dict | list):
        items = whole.items() if isinstance(whole, dict) else enumerate(whole)
        for key, inner in items:
            found += _places(inner, (*path, key))
    return found


def row(random: Random) -> Document:
    """A line of a sample file."""
    return changed(random, SAMPLE)


def own_task(random: Random) -> Document:
    """A line of a file of one's own tasks."""
    return changed(random, TASK)


def suite(random: Random) -> Document:
    """A line of a suite file."""
    return changed(random, SUITE)


def reply(random: Random) -> Document:
    """What a model's server sends: head and body of an HTTP answer."""
    body = changed(random, REPLY) if random.random() < 0.7 else value(random)
    status = random.choice([200] * 6 + [400, 404, 429, 500, 302, 100, 204, 999])
    head = random.choice([
        "Content-Type: application/json", "Content-Type: application/json",
        "Content-Type: text/event-stream", "Content-Type: " + "x" * 10_000,
        "Content-Type: application/json\r\nContent-Encoding: gzip",
        "Location: http://127.0.0.1:1/", "Retry-After: 99999999999999999999", "X: é\x1b[31m",
    ])  # fmt: skip
    framing = random.choice(["length", "length", "length", "close", "chunked", "more", "less"])
    packed = "gzip" in head and random.random() < 0.8
    error = random.random() < 0.2

    def draw(size: int) -> bytes:
        data = body(size)
        if error:
            data = b'{"error": {"message": ' + data + b', "code": 1}}'
        if packed:
            data = gzip.compress(data, 1)
        lines = [f"HTTP/1.1 {status} X", head, "Connection: close"]
        if framing == "chunked":
            lines.append("Transfer-Encoding: chunked")
            data = b"%x\r\n%s\r\n0\r\n\r\n" % (len(data), data)
        elif framing != "close":
            length = len(data) + {"length": 0, "more": 10, "less": -min(len(data), 10)}[framing]
            lines.append(f"Content-Length: {length}")
        return "\r\n".join(lines).encode("latin-1", "replace") + b"\r\n\r\n" + data

    return draw
