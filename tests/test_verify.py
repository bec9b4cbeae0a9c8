"""verify_code_execution: keys, rounding, words, and every decided edge."""

from __future__ import annotations

import json
import resource
import sys
from collections import OrderedDict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.commands import captured

from evalplus_lite import InputError, verify_code_execution

NINES, NAN = "9" * 5000, float("nan")
KEYS = ("expected", "actual", "status")


def case(expected: Any, actual: Any, status: Any = "success") -> dict[str, Any]:
    return {"expected": expected, "actual": actual, "status": status}


def verdict(expected: Any, actual: Any, tolerance: float = 1e-6) -> str:
    (found,) = verify_code_execution([case(expected, actual)], tolerance)["verdicts"]
    return str(found)


def test_counts_and_keys() -> None:
    """Of the published example; of no tests; values never raise; a tolerance is inclusive."""
    tests = [case("5", "5"), case("foo", "bar"), case("10", None, "error")]
    found = verify_code_execution(tests)
    assert list(found.items()) == [
        ("pass_rate", 0.3333),
        ("error_rate", 0.3333),
        ("passed_count", 1),
        ("total_count", 3),
        ("verdicts", ["pass", "fail", "error"]),
    ]
    assert verify_code_execution([]) == {
        "pass_rate": 0.0,
        "error_rate": 0.0,
        "passed_count": 0,
        "total_count": 0,
        "verdicts": [],
    }
    assert verdict("None", None) == "error"
    item = OrderedDict(case("1", "1"), seconds=0.1)
    assert verify_code_execution((item,))["verdicts"] == ["pass"]
    assert verdict(5, "5") == "pass"
    assert verdict([1, 2], "[1, 2]") == "pass"
    assert verdict("x", Unprintable()) == "fail"
    assert verdict("5", 10**5000) == "fail"
    assert verdict("5", b"5") == "fail"
    assert verdict("100", "110", 10) == "pass"
    assert verdict("100", "110.5", 10) == "fail"
    assert verdict("1.5", "1.50", 0) == "pass"
    assert verdict("1.5", "1.5000000000000002", 0) == "fail"
    assert verdict("1", "1e300", float("inf")) == "pass"
    assert verdict(NINES, NINES[:-1] + "8", 1) == "pass"


@pytest.mark.parametrize(
    "status",
    ["error", "timeout", "Success", "success ", "", "crash", "??", None, 0, [], b"success"],
)
def test_any_other_status_is_an_error(status: Any) -> None:
    """A status that is not 'success' is an error, known or not, however right the output."""
    assert verify_code_execution([case("1", "1", status)])["verdicts"] == ["error"]


@pytest.mark.parametrize(
    ("expected", "actual", "word"),
    [
        ("foo", "foo", "pass"),
        ("foo", " foo\n", "pass"),
        ("\tfoo ", "foo", "pass"),
        ("foo", "Foo", "fail"),
        ("a b", "a  b", "fail"),
        ("", "", "pass"),
        ("", "  \n", "pass"),
        ("", "0", "fail"),
        ("5", "five", "fail"),
        ("[1, 2]", "[1,2]", "fail"),
        ("[1.0]", "[1.0]", "pass"),
        ("True", "1", "fail"),
        ("None", "None", "pass"),
        ("\ud800", "\ud800", "pass"),
        ("\ud800", "1", "fail"),
        # Numbers, in any spelling that float reads, differ by the absolute tolerance at most.
        ("5", "5.0", "pass"),
        ("5", "+5", "pass"),
        ("1000", "1e3", "pass"),
        ("1000", "1_000", "pass"),
        ("0.3", "0.30000000000000004", "pass"),
        ("1.0", "1.0000009", "pass"),
        ("1.0", "1.0000011", "fail"),
        ("1000000", "1000000.5", "fail"),
        ("1e-9", "0", "pass"),
        ("-0.0", "0", "pass"),
        ("1", "-1", "fail"),
        ("0x10", "16", "fail"),
        ("١٢", "12", "pass"),
        ("-١٢", "12", "fail"),
        # Two different integers are never equal for lack of a float's digits, however long.
        ("9007199254740993", "9007199254740993", "pass"),
        ("9007199254740993", "9007199254740992", "fail"),
        ("9007199254740993", "9007199254740992.0", "fail"),
        (NINES, NINES, "pass"),
        (NINES, "0" + NINES, "pass"),
        (NINES, NINES[:-1] + "8", "fail"),
        (NINES, "-" + NINES, "fail"),
        (NINES, "inf", "fail"),
    ],
)
def test_texts_and_numbers(expected: str, actual: str, word: str) -> None:
    """Texts are equal but for surrounding white space, numbers by their value."""
    assert verdict(expected, actual) == word


@pytest.mark.parametrize(
    ("expected", "actual", "word"),
    [
        ("inf", "inf", "pass"),
        ("inf", "Infinity", "pass"),
        ("inf", "+INF", "pass"),
        ("inf", "-inf", "fail"),
        ("-inf", "-Infinity", "pass"),
        ("inf", "1e308", "fail"),
        ("inf", "1e400", "fail"),
        ("1e400", "1e400", "pass"),
        ("nan", "NaN", "pass"),
        ("nan", "-nan", "pass"),
        ("nan", "0", "fail"),
        ("0", "nan", "fail"),
        ("nan", "inf", "fail"),
        ("nan", "n/a", "fail"),
    ],
)
def test_infinities_and_nan(expected: str, actual: str, word: str) -> None:
    """An infinity equals itself alone, nan equals nan, and too large a number is not infinite."""
    assert verdict(expected, actual) == word
    assert verdict(expected, actual, float("inf")) == word


@pytest.mark.parametrize(
    ("tests", "tolerance", "problem"),
    [
        *[([], tolerance, "numeric_tolerance is") for tolerance in (-1, NAN, "much", None, [1])],
        *[
            ([case("1", "1"), item], 0, "test case 1 is a")
            for item in ("text", None, 5, ["expected", "actual", "status"])
        ],
        *[
            ([case("1", "1"), case("1", "2"), {k: "1" for k in KEYS if k != key}], 0,
             f"test case 2 has no '{key}'")
            for key in KEYS
        ],
        *[(tests, 0, "test_cases is a") for tests in (None, 5, object())],
    ],
)  # fmt: skip
def test_what_is_no_test_is_refused_in_words(tests: Any, tolerance: Any, problem: str) -> None:
    """A tolerance with its value, an item by its index, a key by its name."""
    with pytest.raises(InputError, match=problem):
        verify_code_execution(tests, tolerance)


class Unprintable:
    def __str__(self) -> str:
        raise RuntimeError


TEXTS = st.one_of(
    st.text(max_size=8),
    st.integers().map(str),
    st.floats().map(str),
    st.sampled_from(
        ["", " ", "1_0", "1e999", "-", "+", "_", "0x1", "１", "²", "½", "\x00", "\ud800"]
    ),
)


@given(TEXTS, TEXTS, st.sampled_from(["success", "error", "odd"]))
@settings(max_examples=100)
def test_any_texts_have_a_verdict(expected: str, actual: str, status: str) -> None:
    """Whatever the texts, there is a verdict; it is symmetric, and each text equals itself."""
    found = verify_code_execution([case(expected, actual, status), case(actual, expected, status)])
    assert found["verdicts"][0] == found["verdicts"][1]
    assert (found["verdicts"][0] == "error") == (status != "success")
    assert verdict(expected, expected) == "pass"


@given(st.lists(st.sampled_from(["pass", "fail", "error"]), max_size=30))
@settings(max_examples=60)
def test_counts_follow_the_verdicts(words: list[str]) -> None:
    """Counts and rates are those of the verdicts, in the tests' order."""
    made = {"pass": case("1", "1"), "fail": case("1", "2"), "error": case("1", None)}
    found = verify_code_execution([made[word] for word in words])
    assert found["verdicts"] == words
    assert found["total_count"] == len(words)
    assert found["passed_count"] == words.count("pass")
    if words:
        assert found["pass_rate"] == round(words.count("pass") / len(words), 4)
        assert found["error_rate"] == round(words.count("error") / len(words), 4)


MILLIONS = 1_000_000


def bounded_seconds() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (10, 10))


def test_millions_of_digits() -> None:
    """Integers of millions of digits are compared in a time that grows with their length only."""
    code = f"""
from evalplus_lite import verify_code_execution
n = {MILLIONS}
texts = ["9" * n, "9" * (n - 1) + "8", "1" + "0" * n, "-" + "9" * n, "0" * 5 + "9" * n, "1" * n,
         "\u0661" * n, "1.5", "inf", "1e300", "1_" * 9 + "0" * n, "0." + "3" * n, "x" * n]
pairs = [(a, b) for a in texts for b in texts]
tests = [dict(expected=a, actual=b, status="success") for a, b in pairs]
verdicts = verify_code_execution(tests, 1)["verdicts"]
same = {{(texts.index(a), texts.index(b)) for (a, b), v in zip(pairs, verdicts) if v == "pass"}}
print(sorted((a, b) for a, b in same if a < b))
"""
    done = captured(
        [sys.executable, "-c", code], preexec_fn=bounded_seconds, cwd=Path(__file__).parents[1]
    )
    assert done.returncode == 0, done.stderr[-500:]
    # 99..9 and 99..8, 99..9 and 10..0, 99..9 and 0..09..9 (and it with those two), 1..1 in Arabic
    assert json.loads(done.stdout.replace("(", "[").replace(")", "]")) == [
        [0, 1],
        [0, 2],
        [0, 4],
        [1, 4],
        [2, 4],
        [5, 6],
    ]


@given(
    st.integers(1, 3),
    st.integers(-3, 3),
    st.sampled_from([0, 1, 2, 2.5, 1e300, float("inf")]),
    st.sampled_from(["1", "9" * 4001, "5" * 5003, "1" + "0" * 4000, "1" + "0" * 4999]),
)
@settings(max_examples=100)
def test_long_integers_are_as_exact_as_short_ones(
    sign: int, offset: int, tolerance: float, digits: str
) -> None:
    """Two long integers pass if and only if they differ by the tolerance at most."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        a = int(digits) * (-1 if sign == 1 else 1)
        texts = str(a), str(a + offset)
    finally:
        sys.set_int_max_str_digits(before)
    assert verdict(*texts, tolerance) == ("pass" if abs(offset) <= tolerance else "fail")
