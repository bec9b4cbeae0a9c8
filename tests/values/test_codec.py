"""The codec's edges: what it writes, what it refuses, and in which words."""

from __future__ import annotations

import enum
import re
import threading
from typing import Any, NamedTuple

import pytest
from support.values import exact, nested

from evalplus_lite.errors import CodecError
from evalplus_lite.values import codec
from evalplus_lite.values.codec import MAX_DEPTH, dumps, from_json, loads, to_json


class Colour(enum.IntEnum):
    RED = 1


class Pair(NamedTuple):
    a: int
    b: int


class Number(int):
    pass


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ([1, "a", None, True, 1.5, -0.0], '[1,"a",null,true,1.5,-0.0]'),
        ((1,), '{"$tuple":[1]}'),
        ({2, 1}, '{"$set":[1,2]}'),
        (frozenset(), '{"$frozenset":[]}'),
        (b"\x00\xff", '{"$bytes":"00ff"}'),
        (complex(1.0, -0.0), '{"$complex":[1.0,-0.0]}'),
        (float("nan"), '{"$float":"nan"}'),
        (float("-inf"), '{"$float":"-inf"}'),
        ({"a": 1}, '{"a":1}'),
        ({1: 2}, '{"$dict":[[1,2]]}'),
        ({"$a": 2, "b": 3}, '{"$dict":[["$a",2],["b",3]]}'),
        ("\ud800é", '"\\ud800\\u00e9"'),
        (1 << 13_000, '{"$int":"0x1' + "0" * 3250 + '"}'),
    ],
)
def test_form(value: Any, text: str) -> None:
    """A value's text is the documented one, and reads back as the value."""
    assert dumps(value) == text
    assert exact(loads(text)) == exact(value)


@pytest.mark.parametrize("kind", [list, tuple, frozenset, dict])
def test_deep_values(kind: type) -> None:
    """Nesting is exact down to the limit, and one deeper is refused in words, either way."""
    value = nested(kind, MAX_DEPTH)
    assert exact(loads(dumps(value))) == exact(value)
    with pytest.raises(CodecError, match="nests deeper than 200"):
        dumps(nested(kind, MAX_DEPTH + 1))


@pytest.mark.parametrize("depth", [500, 100_000])
@pytest.mark.parametrize(
    ("opening", "closing"), [("[", "]"), ('{"$tuple":[', "]}"), ('{"a":', "}")]
)
def test_a_text_that_nests_too_deeply(opening: str, closing: str, depth: int) -> None:
    """A text deeper than any value's is refused in words, not by Python's own stack."""
    with pytest.raises(CodecError, match=r"nest|recursion"):
        loads(opening * depth + "1" + closing * depth)


def test_trees_and_shared_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """JSON as it stands, read back; parts are copied within a bound, a cycle is refused."""
    tree = to_json({"a": (1, {2})})
    assert tree == {"a": {"$tuple": [1, {"$set": [2]}]}}
    assert from_json(tree) == {"a": (1, {2})}
    with pytest.raises(CodecError, match=r"\$tuple holds a int: a list was expected"):
        from_json({"$tuple": 10**5000})
    value = nested(tuple, MAX_DEPTH)

    def down(levels: int) -> str:
        return down(levels - 1) if levels else exact(loads(dumps(value)))

    found: list[str] = []
    thread = threading.Thread(target=lambda: found.append(down(100)))
    thread.start()
    thread.join()
    assert found == [exact(value)]
    loop: list[Any] = []
    loop.append(loop)
    table: dict[str, Any] = {}
    table["a"] = [(table,)]
    for value in (loop, table, [1, loop], (loop,)):
        with pytest.raises(CodecError, match="contains itself"):
            dumps(value)
    part = [1]
    again = loads(dumps([part, part]))
    assert again == [[1], [1]]
    assert again[0] is not again[1]
    monkeypatch.setattr(codec, "MAX_NODES", 10_000)
    for _ in range(60):
        part = [part, part]
    with pytest.raises(CodecError, match="more than 10000 parts"):
        dumps(part)


@pytest.mark.parametrize(
    "value",
    [
        Number(1),
        Colour.RED,
        Pair(1, 2),
        bytearray(b"a"),
        object(),
        print,
        {"a": [object()]},
        {Number(1)},
        {Pair(1, 2): 1},
        [1, {2: bytearray()}],
    ],
    ids=lambda value: re.sub(r" at 0x[0-9a-f]+", "", repr(value)),
)
def test_what_is_no_plain_value_is_refused(value: Any) -> None:
    """A subclass, or anything that is no builtin value, is refused by the name of its type."""
    with pytest.raises(CodecError, match="is not a plain value"):
        dumps(value)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "not tagged JSON"),
        ("{", "not tagged JSON"),
        ("NaN", "NaN is not tagged JSON"),
        ("[Infinity]", "Infinity is not tagged JSON"),
        (b"\xff", "not tagged JSON"),
        ('{"$set":[[1]]}', "unhashable"),
        ('{"$set":1}', "a list was expected"),
        ('{"$tuple":"ab"}', "a list was expected"),
        ('{"$what":1}', "unknown tag '\\$what'; known"),
        ('{"$what":[]}', "unknown tag '\\$what'; known"),
        ('{"$tuple":[],"a":1}', "a tag is among other keys"),
        ('{"$bytes":"0"}', "bytes"),
        ('{"$bytes":[1]}', "bytes"),
        ('{"$float":"1.0"}', "nan, inf or -inf was expected"),
        ('{"$float":[]}', "nan, inf or -inf was expected"),
        ('{"$int":5}', "int"),
        ('{"$int":"zz"}', "int"),
        ('{"$complex":[1.0]}', "complex"),
        ('{"$complex":[1,2]}', "two floats were expected"),
        ('{"$dict":{"a":1}}', "a list was expected"),
        ('{"$dict":[[1]]}', "a list of .key, value. was expected"),
        ('{"$dict":[["a",1,2]]}', "a list of .key, value. was expected"),
        ('{"$dict":[[[1],1]]}', "unhashable"),
        ("1" * 5000, "digits"),
    ],
)
def test_malformed_texts(text: str | bytes, problem: str) -> None:
    """A text that stands for no value is refused with what was expected in its place."""
    with pytest.raises(CodecError, match=problem):
        loads(text)
