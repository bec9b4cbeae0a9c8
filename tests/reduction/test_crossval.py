"""Leave one model out, on matrices small enough to work out by hand."""

from __future__ import annotations

import math
from dataclasses import replace

from evalplus_lite.programs import program_key
from evalplus_lite.reduction.cross_validation import KINDS, GradedSamples, crossval, pooled
from evalplus_lite.reduction.policy import Policy
from evalplus_lite.reduction.requirements import Matrix, Requirement
from evalplus_lite.reduction.set_cover import CoverProblem, bitset, distinct, greedy
from evalplus_lite.statistics.means import Share
from evalplus_lite.types import Sample

# One base case (0) and four plus cases; programs named by what they return.
WRONG_AT_1, WRONG_AT_12, WRONG_AT_BASE, RIGHT = (f"def f(x): return {n}" for n in range(4))


KILLS = {WRONG_AT_1: 0b00010, WRONG_AT_12: 0b00110, WRONG_AT_BASE: 0b00001}


def matrix(*written: str, **rows: int) -> Matrix:
    found = {Requirement("sample", program_key(text)): KILLS[text] for text in written}
    found |= {Requirement("mutant", name): row for name, row in rows.items()}
    return Matrix("T/0", 5, 1, found)


def sample(model: str, source: str, index: int = 0) -> Sample:
    return Sample("T/0", source, model, index)


def test_a_model_is_judged_by_suites_that_never_saw_it() -> None:
    """Others' programs choose them; failures on base cases or cut short are not counted."""
    field = GradedSamples([matrix(WRONG_AT_1)], [sample("a", WRONG_AT_1), sample("b", RIGHT)])
    line_a, line_b = crossval(field, "samples", Policy("samples", 1))
    assert (line_a.model, line_a.size, line_a.kept) == ("a", 0.0, Share(0.0, 1))
    assert [line_a.passed[kind] for kind in KINDS[:3]] == [1.0, 0.0, 1.0]
    assert (line_b.size, line_b.passed["plus"], line_b.passed["reduced"]) == (1.0, 1.0, 1.0)
    field = GradedSamples([matrix(WRONG_AT_1)], [sample("a", WRONG_AT_1), sample("b", WRONG_AT_1)])
    assert [line.kept.value for line in crossval(field, "s", Policy("samples", 1))] == [1.0, 1.0]
    known = matrix(WRONG_AT_1, WRONG_AT_12)
    field = GradedSamples([known], [sample("a", WRONG_AT_1), sample("b", WRONG_AT_12)])
    kept = {line.model: line.kept for line in crossval(field, "s", Policy("samples", 1))}
    assert kept["a"] == Share(1.0, 1)
    assert kept["b"] == Share(1.0, 1)
    stopped = replace(matrix(WRONG_AT_1), stopped=frozenset({program_key(WRONG_AT_1)}))
    field = GradedSamples([stopped], [sample("a", WRONG_AT_1), sample("b", RIGHT)])
    assert crossval(field, "samples", Policy("samples", 1))[0].kept == Share(0.0, 0)
    field = GradedSamples([matrix(WRONG_AT_BASE)], [sample("a", WRONG_AT_BASE), sample("b", RIGHT)])
    line = crossval(field, "s", Policy("samples", 1))[0]
    assert line.kept.total == 0
    assert line.passed["base"] == 0.0


def test_held_out_samples_choose_nothing() -> None:
    """Each program is judged once, and what the contract refuses is told apart."""
    known = matrix(WRONG_AT_1, WRONG_AT_12)
    held_out = [sample("j", WRONG_AT_1), sample("j", WRONG_AT_1, 1), sample("k", WRONG_AT_12)]
    lines = crossval(
        GradedSamples([known], [sample("a", RIGHT)], held_out), "s", Policy("samples", 1)
    )
    assert [(line.model, line.size, line.kept) for line in lines] == [
        ("j", 0.0, Share(0.0, 1)),
        ("k", 0.0, Share(0.0, 1)),
    ]
    lines = crossval(
        GradedSamples([known], [sample("a", WRONG_AT_12)], held_out), "s", Policy("samples", 1)
    )
    assert [line.size for line in lines] == [1.0, 1.0]
    refusing = replace(matrix(WRONG_AT_1, WRONG_AT_12), refused=0b10)
    field = GradedSamples([refusing], [sample("a", WRONG_AT_1)], [sample("j", WRONG_AT_1)])
    for policy in (Policy("samples", 1), Policy("samples")):
        (line,) = crossval(field, "s", policy)
        assert (line.kept, line.kept_accepted) == (Share(1.0, 1), Share(0.0, 0))


def test_random_suites_and_pooled_lines() -> None:
    """Chances are worked out exactly; failures add up and rates are averaged."""
    known = matrix(WRONG_AT_12, m=0b01000, n=0b10000)
    field = GradedSamples([known], [sample("a", WRONG_AT_12), sample("b", RIGHT)])
    line = crossval(field, "m", Policy("mutants", 1))[0]
    assert line.size == 2.0
    assert math.isclose(line.kept_random.hits, 5 / 6)
    assert math.isclose(line.passed["random"], 1 / 6)
    assert line.kept.hits == 0.0
    samples = [sample("a", WRONG_AT_1), sample("a", RIGHT, 1), sample("b", WRONG_AT_12)]
    line = pooled(
        crossval(
            GradedSamples([matrix(WRONG_AT_1, WRONG_AT_12)], samples), "s", Policy("samples", 1)
        )
    )["s"]
    assert line.kept == Share(2.0, 2)
    assert line.passed["plus"] == 0.25


# Set cover on matrices small enough to check by hand.


def problem(tests: int, *rows: list[int], given: list[int] | None = None) -> CoverProblem:
    return CoverProblem(tests, tuple(map(bitset, rows)), bitset(given or []))


def test_small_covers() -> None:
    """Given tests are credited, ties settled, traps pruned, folds and equal rows bounded."""
    assert greedy(problem(3, [0, 1], [2], given=[0])) == (2,)
    assert greedy(problem(3, [0, 1, 2], [1, 2], [1])) == (1,)
    assert greedy(problem(4, [1, 2, 3])) == (1,)
    trap = problem(3, [0, 1], [0, 1], [0, 2], [0, 2], [1], [2])
    assert sorted(greedy(trap)) == [1, 2]
    assert sorted(greedy(replace(problem(3, [0, 2]), want=5))) == [0, 2]
    assert distinct(problem(2, [0], [0], [0, 1], [])).rows == (1,)
