"""Mutants are different programs, made the same way every time, by both makers."""

from __future__ import annotations

import importlib.metadata
import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from evalplus_lite.errors import ReferenceSolutionError
from evalplus_lite.programs.mutation.mutants import (
    MOST_LINES,
    difference,
    mutants,
    normal_form,
    unified,
)

SOURCE = '''
from typing import List

LIMIT = 10

def helper(x):
    """Twice."""
    return x * 2

def f(xs: List[int]) -> int:
    """Sum what is small."""
    total = 0
    for x in xs:
        if helper(x) < LIMIT and x > 0:
            total += x
    return total
'''


def test_mutmut_still_answers_as_the_adapter_expects() -> None:
    """mutmut still makes mutants; where this fails, ``_by_mutmut`` or the pin needs a change."""
    version = importlib.metadata.version("mutmut")
    made = mutants(SOURCE, own=False)
    text = "\n".join(mutant.source for mutant in made)
    for change in ("<= LIMIT", "or x > 0", "total = x", "total -= x", "x / 2", "total = 1"):
        assert change in text, f"mutmut {version} no longer makes {change!r}"


def test_mutants_are_distinct_and_differ_from_the_reference() -> None:
    """No two mutants are the same program, none is the reference."""
    made = mutants(SOURCE)
    sources = [mutant.source for mutant in made]
    assert len(set(sources)) == len(sources) > len(mutants(SOURCE, own=False)) > 5
    assert normal_form(SOURCE) not in sources
    assert len({mutant.key for mutant in made}) == len(made)


def test_both_makers_mutate_helpers_too() -> None:
    """A fault planted in a helper is a fault of the program."""
    for kwargs in ({"own": False}, {"mutmut": False}):
        assert any("x * 2" not in mutant.source for mutant in mutants(SOURCE, **kwargs))


def test_a_difference_shows_the_one_place() -> None:
    """The diff holds the changed line, and the mutant's line points to it."""
    for mutant in mutants(SOURCE):
        text = difference(SOURCE, mutant)
        assert f"@@ -{mutant.line}" in text or f"@@ -{mutant.line - 1}" in text
        changed = [line for line in text.splitlines()[3:] if line[:1] in "+-"]
        assert changed, text


def test_making_mutants_leaves_mutmut_s_configuration_alone() -> None:
    """A program of the user's that uses mutmut itself sees no change."""
    import mutmut.configuration

    before = mutmut.configuration._config
    mutants(SOURCE, own=False)
    assert mutmut.configuration._config is before


def test_what_is_no_python_is_the_reference_s_fault() -> None:
    """A reference that does not parse raises the error that says so."""
    with pytest.raises(ReferenceSolutionError, match="does not parse"):
        mutants("def f(:")


def test_docstrings_stay_where_they_are_read() -> None:
    """A program that reads its own docstring keeps it."""
    assert "Twice" not in normal_form(SOURCE)
    assert "Twice" in normal_form(SOURCE + "\nprint(helper.__doc__)\n")


def test_same_mutants_in_every_process() -> None:
    """Mutants do not depend on hash seeds."""
    import os
    import subprocess
    import sys

    script = (
        "import json, sys; from evalplus_lite.programs.mutation.mutants import mutants;"
        "print(json.dumps([m.key for m in mutants(sys.stdin.read())]))"
    )
    keys = []
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", script],
            input=SOURCE,
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        keys.append(json.loads(done.stdout))
    assert keys[0] == keys[1] == [mutant.key for mutant in mutants(SOURCE)]


def test_threads_may_make_mutants_at_once() -> None:
    """mutmut's global configuration is handled by one thread at a time."""
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: mutants(SOURCE, own=False), range(12)))
    assert all(one == made[0] for one in made)


def test_a_diff_is_bounded() -> None:
    """However many lines a program has, a diff shows some hundred, and says how many are left."""
    reference = "def f(x):\n    return x\n"
    shown = unified(reference, "def f(x):\n    return x\n" + "x\ny\nx\n" * 30_000, "sample")
    assert len(shown.splitlines()) < 2 * MOST_LINES
    assert "+++ sample" in shown
    assert f"{90_002 - MOST_LINES} more lines" in shown
