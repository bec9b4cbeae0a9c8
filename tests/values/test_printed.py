"""Printed texts are compared as judges compare them, whatever their size."""

from __future__ import annotations

import pytest

from evalplus_lite.types import Rule, RuleKind
from evalplus_lite.values.equality import matches

SAME: list[tuple[str, str, set[str]]] = [
    # output, expected, the rules by which it is right
    ("1 2\n", "1 2\n", {"python", "lines", "tokens", "numbers"}),
    ("1 2  \r\n\n \n", "1 2\n", {"lines", "tokens", "numbers"}),
    ("1 2", "1 2\n", {"lines", "tokens", "numbers"}),
    ("", "\n", {"lines", "tokens", "numbers"}),
    ("1\n2\n", "1 2\n", {"tokens", "numbers"}),
    ("  x\n", "x\n", {"tokens", "numbers"}),
    ("x\n\ny\n", "x\ny\n", {"tokens", "numbers"}),
    ("0.5\n", "0.50000001\n", {"numbers"}),
    ("5e-1\n", ".5\n", {"numbers"}),
    ("-0.0\n", "0.000\n", {"numbers"}),
    ("2.0\n", "2\n", set()),
    ("2\n", "2.0\n", {"numbers"}),
    ("0.6\n", "0.5\n", set()),
    ("nan\n", "0.5\n", set()),
    ("1_0.0\n", "10.0\n", set()),
    ("1 2 3\n", "1 2\n", set()),
    ("1\n", "1\n2\n", set()),
    ("Yes\n", "YES\n", set()),
    ("1\u00a02\n", "1 2\n", set()),
]


@pytest.mark.parametrize(("output", "expected", "right"), SAME)
def test_what_counts_in_a_printed_text(output: str, expected: str, right: set[str]) -> None:
    """White space and small differences count as the rule says, and nothing else is forgiven."""
    kinds: tuple[RuleKind, ...] = ("python", "lines", "tokens", "numbers")
    assert {kind for kind in kinds if matches(output, expected, Rule(kind))} == right
    # Texts in what was observed besides are compared likewise.
    assert {
        kind
        for kind in kinds
        if matches({"printed": output, "value": 1}, {"printed": expected, "value": 1}, Rule(kind))
    } == right


@pytest.mark.parametrize("kind", ["lines", "tokens", "numbers"])
@pytest.mark.parametrize("filling", [" ", "\n", " \n", "1", "1 ", "1.5 "])
def test_a_text_of_any_size_costs_what_the_expected_one_costs(kind: RuleKind, filling: str) -> None:
    """Sixteen megabytes are refused, or read past, without being taken apart."""
    large = "1\n2\n" + filling * ((1 << 24) // len(filling))
    assert matches(large, "1\n2\n", Rule(kind)) == (not filling.strip())
    assert not matches("1\n", large + "3", Rule(kind))
