"""Drawn inputs are within the guards, and depend on the seed and nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from evalplus_lite.generate.domains.annotations import hints
from evalplus_lite.generate.domains.filter import InputFilter
from evalplus_lite.generate.strategies import sampled

ROOT = Path(__file__).resolve().parents[2]
BASES: list[list[tuple[Any, ...]]] = [
    [([1, 2, 3], 0.5), ([4], 1.5)],
    [("abc def",), ("x",)],
    [({"a": 1}, {1, 2}), ({"b": 2}, {3})],
    [([[1, 2], [3, 4]],), ([[1]],), ([[1, 2, 3], [4, 5, 6], [7, 8, 9]],)],
    [([("ann", 3), ("bob", 4)],), ([("eve", 5)],)],
    [(1,), (2, 3)],
    [([],)],
    [(True, None, 1j, b"x", frozenset({1}), (1, "a"))],
    [([1, 2, 5],), ([2, 3, 3, 9],), ([1, 4],)],
]
SCRIPT = """
import sys
from evalplus_lite.generate.domains.filter import InputFilter
from evalplus_lite.generate.domains.profile import elements_of
from evalplus_lite.generate.strategies import sampled
input_filter = InputFilter.typed([([1, 2], "ab", {"x": 1.5}), ([3], "c", {})])
print([case.arguments for case in sampled(input_filter, count=25, seed="s")])
"""


@pytest.mark.parametrize("base", BASES)
def test_drawn_inputs_are_within_the_guards(base: list[tuple[Any, ...]]) -> None:
    """Whatever is drawn is admitted, by inferred guards as by typed ones, and says its source."""
    for input_filter in (InputFilter.infer(base), InputFilter.typed(base)):
        cases = sampled(input_filter, count=20, seed="x")
        assert all(input_filter.admits(case.arguments) for case in cases)
        assert {case.source for case in cases} <= {"hypothesis"}
        assert cases


def test_seed_decides_what_is_drawn() -> None:
    """One seed gives one list of inputs; another seed another."""
    input_filter = InputFilter.typed(BASES[0])
    first = sampled(input_filter, count=20, seed="1")
    assert sampled(input_filter, count=20, seed="1") == first
    assert sampled(input_filter, count=20, seed="2") != first


def test_stated_types_are_drawn() -> None:
    """What the signature states, though never seen, comes up among the inputs drawn."""
    stated = hints("from typing import *\ndef f(x: List[Any]):\n", "f")
    cases = sampled(InputFilter.typed([([1, "a"],)], stated=stated), count=60, seed="x")
    kinds = {type(element) for case in cases for element in case.arguments[0]}
    assert {bool, type(None), float} <= kinds


def test_drawing_leaves_no_files_and_ignores_the_hash_seed(tmp_path: Path) -> None:
    """In other processes, under other hash seeds, the same is drawn, and no file is written."""
    texts = []
    for hash_seed in ("0", "1"):
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": hash_seed}
        run = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        )
        texts.append(run.stdout)
    assert texts[0] == texts[1]
    assert len(json.dumps(texts[0])) > 100
    assert list(tmp_path.iterdir()) == []


def test_nothing_asked_for_draws_nothing() -> None:
    """A count of zero is no error."""
    assert sampled(InputFilter.typed(BASES[0]), count=0, seed="x") == []
