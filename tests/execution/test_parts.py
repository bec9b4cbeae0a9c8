"""Items that are worked on in parts: what becomes of the whole."""

from __future__ import annotations

import pytest

from evalplus_lite.errors import InfrastructureError
from evalplus_lite.execution.base import Call, Splitter
from evalplus_lite.execution.channel import decoded, encoded
from evalplus_lite.execution.job import Held, Job, KnownCall

LETTERS = Splitter(count=len, cut=list, join="".join)


def job(item: str, held: Held | None = None) -> Job:
    """Return an item that has been begun, of as many parts as it has letters."""
    call = KnownCall(Call("nobody:nothing"), 0)
    found = Job(7, call, encoded(item), "key", lambda row: row, held, LETTERS, len(item))
    assert found.begin()
    return found


def test_rows_are_joined_in_the_order_of_the_parts() -> None:
    """Whichever ends first; what the whole weighs is what the rows of its parts do."""
    held = Held(size=0)
    whole = job("abc", held)
    parts = whole.split()
    assert [decoded(part.payload) for part in parts] == ["a", "b", "c"]
    assert {(part.key, part.size) for part in parts} == {("key", 1)}
    for at in (2, 0, 1):
        assert not whole.future.done()
        assert parts[at].begin()
        parts[at].finish(decoded(parts[at].payload).upper(), 10)
    assert whole.future.result(0) == "ABC"
    assert held.size == 30


def test_a_part_that_fails_ends_the_whole() -> None:
    """Once; what the other parts come to is of no use then."""
    whole = job("abc")
    first, second, third = whole.split()
    second.fail(KeyError("lost"))
    first.begin()
    first.finish("A", 1)
    third.fail(ValueError("later"))
    with pytest.raises(KeyError):
        whole.future.result(0)
    assert decoded(whole.payload) == "abc"


def test_a_part_that_is_cancelled_ends_the_whole() -> None:
    """As when the backend closes: nobody waits for ever."""
    whole = job("ab")
    first, _ = whole.split()
    assert first.future.cancel()
    with pytest.raises(InfrastructureError):
        whole.future.result(0)
