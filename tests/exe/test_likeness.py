"""Tasks that are the same as another one, and marks of those that nobody can answer."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from support.mining import SLUG, mine_all

from evalplus_lite.errors import InputError
from evalplus_lite.exe.running.proof import Sandboxes
from evalplus_lite.exe.running.runs import CallResult, Invocation
from evalplus_lite.exe.selecting.static import Funnel
from evalplus_lite.exe.tasks.worth import (
    Seen,
    check_tags,
    difficulty_of,
    shape,
    tags_of,
    triviality,
)

ONE = '''
import re
from typing import List
def cut(text: str, parts: List[str] = []) -> str:
    """Cut."""
    found: str = re.sub("a", "b", text)
    return helper(found, size=3)
def helper(text, size):
    return text[:size]
'''
COPY = '''
from __future__ import annotations
import re
def shorten(line, rest=[]):
    # Shorten.
    out = re.sub("a", "b", line)
    return first(out, width=3)
def first(line, width):
    """First."""
    return line[:width]
'''


def test_a_shape_is_what_is_left_without_names() -> None:
    """Names, annotations and documentation count nothing; constants and methods do."""
    assert shape(ONE, "cut") == shape(COPY, "shorten") != ""
    for old, new in (("3", "4"), ("re.sub", "re.subn"), ('"a", "b"', '"b", "a"'), ("[:", "[0:")):
        assert shape(ONE.replace(old, new), "cut") != shape(ONE, "cut")
    assert shape("def f(", "f") == ""


COPIED = SLUG.replace("def slug", "def dashed").replace("word", "piece").replace("text", "line")
OTHER = """
    def hashed(line: str) -> str:
        import hashlib
        return hashlib.sha1(line.encode()).hexdigest()
    """


def test_of_functions_that_are_the_same_the_first_is_kept(toys: Any, sandboxes: Sandboxes) -> None:
    """A copy under other names is left out, and counted once."""
    path = toys.wheel({"a.py": SLUG, "b.py": COPIED, "c.py": OTHER})
    tasks, _ = mine_all(path, sandboxes, rounds=3)
    rows = [task.to_json() for task in tasks]
    seen = Seen()
    assert [row["function"] for row in seen.new(rows)] == ["slug", "hashed"]
    (reject,) = seen.rejects
    assert reject.function == "b.dashed"
    assert [*map(str, reject.problems)] == ["near-duplicate: the program of toy-pack/a.slug"]
    funnel = Funnel(Counter(mined=3, valid=3))
    funnel.merge(seen.funnel)
    assert funnel.counts == {"mined": 2, "valid": 2}
    assert funnel.reasons["mined", "near-duplicate"] == 1
    assert list(seen.new(rows)) == []  # the package once more, under another name
    assert [reject.reason for reject in seen.rejects[1:]] == ["the id of another task"] * 3


@pytest.mark.parametrize(
    ("code", "tags"),
    [
        ("import hashlib\ndef f(x): return hashlib.sha1(x).hexdigest()", ["hash"]),
        ("from hmac import new\ndef f(x): return new(x)", ["hash"]),
        ("import zlib\ndef f(x): return zlib.crc32(x)", ["hash"]),
        ("import zlib\ndef f(x): return zlib.compress(x)", []),
        ("def f(hashlib): return hashlib", []),
    ],
)
def test_hashes_are_marked(code: str, tags: list[str]) -> None:
    assert tags_of(code) == tags


def test_difficulty_is_decided_by_counts() -> None:
    """Splits by the median run; what an entry point made here does is not counted."""
    run = {"lines": 60, "call_depth": 2, "variables_declared": 9, "loop_iterations": 3}
    assert difficulty_of([run])["split"] == "hard"
    assert difficulty_of([run], is_driven=True)["split"] == "medium"
    few = {"lines": 5, "call_depth": 1, "variables_declared": 2, "loop_iterations": 0}
    assert difficulty_of([few, few, run]) == {
        "lines": 5, "depth": 1, "variables": 2, "iterations": 0, "split": "easy",
    }  # fmt: skip
    assert difficulty_of([few, {}]) == {}
    assert tags_of("def f(x): return x", iterations=[3, 100]) == ["long-loops"]


@pytest.mark.parametrize(
    ("values", "run", "driven", "is_trivial"),
    [
        ([True, False], (9, 3, 3), False, True),
        ([True, 1], (9, 3, 3), False, False),
        (["a", "b"], (1, 0, 0), False, True),
        (["a", "b"], (2, 0, 0), False, True),
        (["a", "b"], (2, 1, 0), False, True),
        (["a", "b"], (3, 1, 0), False, False),
        ([0.1234567890123, 2.25], (9, 3, 3), False, False),
        ([0.1234567890123, 2.123456789012], (9, 3, 3), False, True),
        (["a", "b"], (2, 1, 0), True, True),
        (["a", "b"], (1, 0, 5), False, False),
        (["a", "b"], (3, 0, 0), False, False),
        ([1, -1, 0, 1], (9, 3, 0), False, True),
        ([1, -1, 0, 1], (9, 3, 1), False, False),
        ([1, -1, 0, 2], (9, 3, 0), False, False),
        (["given", ["in"], "in", None], (9, 3, 0), False, True),
        ([{"all": "given"}, {"all": ["in"]}, "in", {}], (9, 3, 0), False, True),
        (["given", ["in"], "in", None], (9, 3, 2), False, False),
        (["given", ["in"], "in", "other"], (9, 3, 0), False, False),
    ],
)
def test_trivial_tasks_are_seen(
    values: list[object], run: tuple[int, int, int], driven: bool, is_trivial: bool
) -> None:
    """One step, truth values alone, two lines without a branch, or parts of what is given."""
    counts = dict(zip(("lines", "conditionals", "loop_iterations"), run, strict=True))
    call = Invocation(({"given": ["in"]},))
    answers = [(call, CallResult("value", value=value)) for value in values]
    assert bool(triviality(answers, [counts, counts], is_driven=driven)) == is_trivial


def test_a_tag_that_there_is_not_is_an_error() -> None:
    check_tags(["hash"])
    with pytest.raises(InputError, match="hsah"):
        check_tags(["hsah"])
