"""Reading answers: JSON, cut-off JSON, and literals; never code."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from evalplus_lite.models.json_form import MOST_INPUTS, InputForm, read_answer
from evalplus_lite.types import Case, Task


def read(text: str, *shown: tuple[Any, ...]) -> tuple[list[tuple[Any, ...]], int]:
    cases = tuple(Case(arguments) for arguments in shown or (([1], "x"),))
    names = ", ".join("ab"[: len(cases[0].arguments)])
    task = Task(id="t/0", prompt="", entry_point="f", reference=f"def f({names}): pass", base=cases)
    answer = read_answer(text, InputForm.of(task), entry_point="f")
    return list(answer.inputs), len(answer.problems)


WANTED = [([1, 2], "y"), ([], "")]


@pytest.mark.parametrize(
    "text",
    [
        '{"inputs": [{"a": [1, 2], "b": "y"}, {"a": [], "b": ""}]}',
        'Here:\n```json\n{ "inputs" : [ {"a":[1,2],"b":"y"} , {"b":"","a":[]} ] }\n```\nEnjoy!',
        '{"inputs": [{"a": [1, 2], "b": "y"}, {"a": [], "b": ""}, {"a": [1, 2',
        '{"inputs": [[[1, 2], "y"], [[], ""]]}',
        "[[1, 2], 'y']\n[[], '']",
        "1. [[1, 2], 'y']\n2. [[], '']",
        "- `[[1, 2], 'y']`\n- `[[], '']`",
        "```python\n([1, 2], 'y'),\n([], ''),\n```",
        "[[[1, 2], 'y'], [[], '']]",
        "f([1, 2], 'y')\nf(a=[], b='')",
        "Sure.\nf([1, 2], 'y') == 3\nf([], \"\")",
    ],
)
def test_forms(text: str) -> None:
    """The same inputs are read out of every usual way to write them."""
    assert read(text) == (WANTED, 0)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I cannot do that.",
        "__import__('os').system('true')",
        "[__import__('os').getpid(), 'x']",
        "f(open('/etc/passwd').read(), 'x')",
        "f(*[1], **{})",
        "[[1] * 10 ** 10, 'x']",
        "[" * 100_000,
        '{"inputs": ' + "[" * 100_000,
        '{"inputs": [' + "9" * 10_000,
        "x = [1]",
        "lambda: 0",
    ],
)
def test_nothing_to_read(text: str) -> None:
    """What holds no literal input gives none and a problem; nothing is ever evaluated."""
    assert read(text) == ([], 1)


def test_misfits_are_problems() -> None:
    """An input of other types is told, and the rest still counts."""
    text = '{"inputs": [{"a": ["p"], "b": "y"}, {"a": [1, 2], "b": "y"}, {"a": 3}]}'
    assert read(text) == ([([1, 2], "y")], 2)


def test_one_list_argument() -> None:
    """A row that is itself a fitting input is one input, not many."""
    assert read("[[1, 2]]", ([3],))[0] == [([1, 2],)]
    assert read("[[[1], [2]]]", ([[3]],))[0] == [([[1], [2]],)]


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"[[{number}], 'x']\n" for number in range(MOST_INPUTS + 500)),
        '{"inputs": [' + ",".join(['{"a": [1], "b": ""}'] * (MOST_INPUTS + 500)),
    ],
    ids=["lines", "json"],
)
def test_a_flood_of_inputs_is_cut(text: str) -> None:
    """Of more inputs than any answer has, the first are taken, and that is said."""
    inputs, problems = read(text)
    assert (len(inputs), problems) == (MOST_INPUTS, 1)


def test_odd_literals_warn_nobody() -> None:
    """What the parser finds odd in a text of others is not shown to a person."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        read("[[1if 1else 2], '\\d']\n")
    assert seen == []
