"""Properties of generation that hold for any plain values."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalplus_lite.generate.domains.constants import Constants
from evalplus_lite.generate.domains.filter import InputFilter
from evalplus_lite.generate.engine.generator import Generator
from evalplus_lite.jobs.minimize import minimize, weight
from evalplus_lite.types import Case
from evalplus_lite.values.identity import key

ROOT = Path(__file__).resolve().parents[2]
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=6)
    | st.binary(max_size=4)
    | st.complex_numbers(allow_nan=False)
)
HASHABLE = SCALARS | st.tuples(st.integers(), st.text(max_size=3))
VALUES = st.recursive(
    SCALARS
    | st.sets(HASHABLE, max_size=4)
    | st.frozensets(HASHABLE, max_size=4)
    | st.dictionaries(st.text(max_size=3) | st.integers(), SCALARS, max_size=4),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=12,
)
INPUTS = st.integers(0, 3).flatmap(
    lambda arity: st.lists(st.tuples(*[VALUES] * arity), min_size=1, max_size=4)
)
SCRIPT = """
import hashlib, random
from evalplus_lite.values import codec
from evalplus_lite.generate.domains.constants import Constants
from evalplus_lite.generate.domains.filter import InputFilter
from evalplus_lite.generate.engine.call_sequences import SequenceGenerator
from evalplus_lite.generate.engine.generator import Generator
from evalplus_lite.types import Case
base = [
    Case(({"pear", "apple", "fig"}, {"k": [1, 2], "l": []}, frozenset({1.5, 2.5}), "a-b c")),
    Case(({"plum"}, {"m": [3]}, frozenset({0.5}), "d-e f")),
    Case((set(), {}, frozenset({9.0, -1.0, 4.0}), "gg-h i")),
]
digest = hashlib.sha256()
constants = Constants.of_values([7, "fig", "a b"])
inputs = [case.arguments for case in base]
for input_filter in (InputFilter.typed(inputs), InputFilter.infer(inputs)):
    rng = random.Random("0:T/1")
    made = Generator(base, input_filter=input_filter, rng=rng, constants=constants)
    for _ in range(6):
        batch = made.propose(60)
        made.feedback(batch[::2])
        for case in batch:
            digest.update(codec.dumps([*case.arguments, case.source, case.parent]).encode())
            digest.update(repr(case.operators).encode())
print(digest.hexdigest())
methods = "put", "get", "drop"
calls = [Case((["Box"], *([name, text] for name in methods for text in "abc")))]
sequences = SequenceGenerator(calls, owner="Box", rng=random.Random(7), methods=methods)
for _ in range(3):
    for case in sequences.propose(30):
        print(hashlib.sha256(repr(case).encode()).hexdigest())
"""


@settings(max_examples=60)
@given(INPUTS)
def test_guards_admit_the_inputs_they_were_made_from(base: list[tuple[Any, ...]]) -> None:
    """Neither kind of guards refuses one of its own base inputs."""
    assert [InputFilter.infer(base).explain(arguments) for arguments in base] == [None] * len(base)
    assert [InputFilter.typed(base).explain(arguments) for arguments in base] == [None] * len(base)


@pytest.mark.slow
@settings(max_examples=15)
@given(INPUTS, st.integers(0, 9))
def test_proposals_are_new_admitted_and_of_the_types_seen(
    base: list[tuple[Any, ...]], seed: int
) -> None:
    """Whatever the base inputs, proposals keep arity and types, repeat nothing, change nothing."""
    input_filter = InputFilter.typed(base)
    before = [key(arguments) for arguments in base]
    made = Generator(
        [Case(arguments) for arguments in base],
        input_filter=input_filter,
        rng=random.Random(seed),
        constants=Constants.of_values([3, "ab"]),
    )
    seen = set(before)
    for _ in range(3):
        batch = made.propose(20)
        for case in batch:
            assert len(case.arguments) == len(base[0])
            for slot, value in enumerate(case.arguments):
                assert type(value) in {type(arguments[slot]) for arguments in base}
            assert input_filter.explain(case.arguments) is None
            assert key(case.arguments) not in seen
            seen.add(key(case.arguments))
        made.feedback(batch[::2])
    assert [key(arguments) for arguments in base] == before


@settings(max_examples=60)
@given(st.tuples(VALUES, VALUES), st.integers(1, 400))
def test_shrinking_ends_at_something_no_heavier_that_still_fails(
    arguments: tuple[Any, ...], most: int
) -> None:
    """The result fails, is of the same types, and weighs no more than the start."""

    def fails(batch: Any) -> list[bool]:
        return [hashlib.sha256(key(each)).digest()[0] % 2 == 0 for each in batch]

    smallest = minimize(arguments, fails, most=most)
    assert [type(value) for value in smallest] == [type(value) for value in arguments]
    assert weight(smallest) <= weight(arguments)
    assert smallest is arguments or fails([smallest]) == [True]


def test_hash_seed_makes_no_difference() -> None:
    """Processes with other hash seeds propose the same cases, provenance included."""
    digests = set()
    for hash_seed in ("0", "1", "4242"):
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": hash_seed}
        run = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        )
        digests.add(run.stdout)
    assert len(digests) == 1
