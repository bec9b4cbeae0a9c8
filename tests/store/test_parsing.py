"""A JSON text of anyone's making costs what is known before it is read."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest

from evalplus_lite.errors import InputError
from evalplus_lite.store import parse_json, read_jsonl
from evalplus_lite.store.parsing import MAX_DIGITS, MAX_VALUES

WIDE = {
    "lists": "[" + "[]," * MAX_VALUES + "[]]",
    "objects": "[" + '{"a":1},' * MAX_VALUES + "[]]",
    "strings": "[" + '"",' * (2 * MAX_VALUES) + '""]',
    "without an end": '["\\"' + "[]," * (3 * MAX_VALUES),
}


@pytest.mark.parametrize("name", WIDE)
def test_a_text_of_too_many_values_is_refused_before_it_is_built(name: str) -> None:
    """Values are counted first: a text of a few megabytes cannot take gigabytes."""
    tracemalloc.start()
    try:
        with pytest.raises(InputError):
            parse_json(WIDE[name])
        assert tracemalloc.get_traced_memory()[1] < 20 << 20
    finally:
        tracemalloc.stop()


def test_marks_within_strings_are_not_values() -> None:
    """Long programs full of brackets and commas are one value each."""
    source = 'f([1, 2, 3], {"a": [4]})\\n' * 200_000
    assert parse_json(json.dumps({"solution": source}))["solution"] == source


def test_many_long_integers_are_refused_together() -> None:
    """Integers that are each within the bound may not cost minutes together."""
    with pytest.raises(InputError, match="digits"):
        parse_json("[" + ",".join(["9" * MAX_DIGITS] * 11) + "]")


def test_a_key_given_twice_is_refused(tmp_path: Path) -> None:
    """Which of two values was meant cannot be known: the line and the key are named."""
    path = tmp_path / "f"
    path.write_bytes(b'{"a": 1}\n{"x": {"key": 1, "b": 2, "key": 3}}\n')
    with pytest.raises(InputError, match="'key'") as caught:
        list(read_jsonl(path))
    assert caught.value.line == 2
