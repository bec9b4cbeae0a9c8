"""Constants and examples are read from a task's text, never run."""

from __future__ import annotations

from typing import Any

import pytest

from evalplus_lite.generate.domains.constants import (
    Constants,
    characters,
    examples,
    from_prompt,
    from_source,
)
from evalplus_lite.types import Task


def test_constants_of_code_come_in_order_without_docstrings() -> None:
    """Literals, folded arithmetic and elements count; a docstring does not."""
    source = 'def f(x):\n    """Not 99."""\n    return x % (10**9 + 7) or [-3, "ab", 2.5]\n'
    found = from_source(source)
    assert {1000000007, -3, "ab", 2.5} <= {each for each in found if each is not None}
    assert 99 not in found
    assert from_source("def f(:") == []


def test_huge_and_endless_arithmetic_is_left_alone() -> None:
    """A power that would fill the memory is not worked out."""
    assert 9 in from_source("x = 9**9**9")
    assert all(type(each) is not int or each < 10**40 for each in from_source("x = 9**9**9"))


def test_numbers_bring_their_neighbours_and_strings_their_pieces() -> None:
    """Constants are sorted by type; a number stands with the ones beside it."""
    constants = Constants.of_values([10, "one two", 1.5, b"z", True])
    assert set(constants.integers) >= {9, 10, 11}
    assert constants.strings == ("one two",)
    assert set(constants.tokens) >= {"one", "two", "o", " "}
    assert constants.bytestrings == (b"z",)
    assert constants.integers.count(10) == 1


def test_words_of_the_prompt_count() -> None:
    """Numbers and quoted strings that a prompt speaks of count; apostrophes open nothing."""
    found = from_prompt("It's 'db' at \"end\", 42 times or -1.5; don't count x2 or the user's.")
    assert found == ["db", "end", 42, -1.5]


@pytest.mark.parametrize(
    ("prompt", "arguments"),
    [
        (">>> f(1, 'a')\n2", (1, "a")),
        ("f([1, (2, 3)]) == 5 as said", ([1, (2, 3)],)),
        ("assert f(')') == 1", (")",)),
        ("candidate({'a': {1}})", ({"a": {1}},)),
        ("def f(x, y):\n  '''f(y=2, x=1)'''", (1, 2)),
        ("def f(x, y):\n  '''f(1, y=2)'''", (1, 2)),
    ],
)
def test_examples_are_found_in_every_form(prompt: str, arguments: tuple[Any, ...]) -> None:
    """Calls with literal arguments are seeds, wherever they stand."""
    assert examples(prompt, "f") == [arguments]


@pytest.mark.parametrize("prompt", ["f(x) + f(len('a'))", "def f(x):", "half(1)", "f(1", "g.f(1)"])
def test_what_is_no_literal_call_is_no_example(prompt: str) -> None:
    """Names, definitions and other functions are passed over."""
    assert examples(prompt, "f") == []


def test_task_without_a_readable_reference_has_no_constants() -> None:
    """A reference that does not parse is no error here."""
    task = Task("T/1", "", "f", "def f(:")
    assert Constants.of_task(task) == Constants()


def test_letters_are_those_that_the_code_names() -> None:
    """Characters of string constants count, and the blanks that a pattern stands for."""
    assert characters("x = y.split('\\t;')") == "\t;"
    assert set(characters("import re\nx = re.sub(r'\\s+', '', y)")) >= {"\t", "\n", " "}


def test_calls_with_dots_for_what_is_left_out_are_no_examples() -> None:
    prompt = ">>> f([1, ..., 9], {'k': 1})\n3\n>>> f(..., '{k: v}')\n>>> f([1, 2], {'k': 1})\n"
    assert examples(prompt, "f") == [([1, 2], {"k": 1})]
