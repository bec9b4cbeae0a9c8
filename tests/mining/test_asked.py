"""What a set asks of a mined task: programs without comments, and cases whose runs do enough."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

import pytest

from evalplus_lite.exe.running.proof import Sandboxes
from evalplus_lite.exe.running.runs import CallResult, Invocation
from evalplus_lite.exe.tasks.asked import asked, without_comments
from evalplus_lite.exe.tasks.mined import MinedTask, TaskCase
from evalplus_lite.exe.tasks.worth import shows

COMMENTED = '''\
"""A module."""

# toy.colors
class Color(Enum):
    """Colors."""

    RED = "#f00"  # red
    """The first one."""


class Missing(Exception):
    """No color."""


def name(text):
    """Name a color: name("#f00") is "red".

    # no comment
    """

    # Leave out the mark.
    kept = """#
    # not a comment

    """
    return text.replace("#", kept) if text else "#"  # noqa
'''
BARE = '''\
class Color(Enum):
    RED = "#f00"


class Missing(Exception):
    pass


def name(text):
    kept = """#
    # not a comment

    """
    return text.replace("#", kept) if text else "#"
'''


def test_programs_are_shown_without_comments() -> None:
    """Strings that something takes stay; so does all of a program that reads its documentation."""
    assert without_comments(COMMENTED) == BARE
    assert without_comments(BARE) == BARE
    shared = 'def f():\n    "d"; x = "e"\n    return x\n'
    assert without_comments(shared) == shared
    reader = COMMENTED + "\n\ndef told(text):\n    return name.__doc__\n"
    assert without_comments(reader) == reader
    one_line = 'def f(): "a"\ndef g(): "b"; return 1  # two\n'
    assert ast.dump(ast.parse(without_comments(one_line))) == ast.dump(ast.parse(one_line))


WALK = """\
def walk(steps, start=0, limit=100):
    if limit < 0:
        raise ValueError(f"bad limit {limit}")
    place, seen = start, []
    for step in steps:
        if step == "<":
            place -= 1
        elif step == ">":
            place += 1
        else:
            place *= int(step)
        if abs(place) > limit:
            raise OverflowError(place)
        seen.append(place)
    return seen
"""
GOOD = [("<>2",), (">>3<",), (">2>2>",), ("<<2>",), (">>>2<<",), (">3<2", 1)]
TYPED = [(">2<" + "2" * count,) for count in range(1, 5)]


def walked(calls: list[tuple[Any, ...]], *, typed: int = 0, code: str = WALK) -> MinedTask:
    """Return a task of these calls with true answers; the last ``typed`` are made by type."""
    space: dict[str, Any] = {}
    exec(code, space)

    def case(call: tuple[Any, ...]) -> TaskCase:
        try:
            answer = CallResult("value", value=space["walk"](*call))
        except (ValueError, OverflowError) as error:
            answer = CallResult("error", type=type(error).__name__, message=str(error))
        return TaskCase(Invocation(call), answer, {"lines": 9})

    sources = ["tests"] * (len(calls) - typed) + ["types"] * typed
    facts = {"sources": sources, "difficulty": {"lines": 9}}
    return MinedTask("toy/walk", code, "walk", tuple(map(case, calls)), facts)


def calls_of(task: MinedTask | None) -> list[tuple[Any, ...]]:
    """Return the calls of a task, none where nothing is asked."""
    return [] if task is None else [case.call.args for case in task.cases]


@pytest.mark.parametrize(
    ("call", "is_asked"),
    [
        (("<2>>",), True),
        ((">" * 9 + "23<",), True),  # an error after some work
        (("<>", 5, -1), False),  # one before any
        (("",), False),
        (("<>2" * 90,), False),
        (("<>2", 10**16, 10**20), False),
    ],
)
def test_cases_do_enough_and_can_be_worked_out(
    call: tuple[Any, ...], is_asked: bool, sandboxes: Sandboxes
) -> None:
    """An early end, too few or too many lines, and long digits are not asked."""
    found = calls_of(asked(walked([*GOOD, call]), sandboxes))
    assert set(found) == {*GOOD, *([call] if is_asked else [])}


def test_little_of_a_program_is_not_asked(sandboxes: Sandboxes) -> None:
    """What a run does counts beside all statements of the program."""
    unused = "def other(x):\n" + "    x += 1\n" * 20 + "    return x\n\n\n"
    assert calls_of(asked(walked(GOOD), sandboxes))
    assert asked(walked(GOOD, code=unused + WALK), sandboxes) is None


def test_the_best_cases_come_first_and_few_are_none(sandboxes: Sandboxes) -> None:
    """What reaches most is first; values made by type are the last, or left out."""
    task = walked([*GOOD, *TYPED], typed=4)
    assert calls_of(asked(task, sandboxes))[0] in {(">>3<",), (">2>2>",), (">3<2", 1)} | {*GOOD}
    assert set(calls_of(asked(task, sandboxes))) == {*GOOD}
    mixed = calls_of(asked(walked([*GOOD[:2], *TYPED], typed=4), sandboxes))
    assert set(mixed[:2]) == {*GOOD[:2]}
    assert set(mixed[2:]) == {*TYPED}
    assert asked(walked(GOOD[:4]), sandboxes) is None


def test_every_answer_is_run_again(sandboxes: Sandboxes) -> None:
    """A task is left out whose program, as it is shown, gives another answer than recorded."""
    task = walked(GOOD)
    other = replace(task, code=task.code.replace("place += 1", "place += 2"))
    assert asked(other, sandboxes) is None
    found = asked(task, sandboxes)
    assert found is not None
    assert found.facts["difficulty"]["split"] == "medium"
    assert found.facts["sources"] == ["tests"] * len(GOOD)
    assert all(case.runtime["loop_iterations"] for case in found.cases)


@pytest.mark.parametrize(
    ("given", "answer", "is_shown"),
    [
        ("five levels deep ", ["> five levels deep"], True),
        ("five levels deep", ["five lev", "els deep"], True),
        ("five levels deep", {"five levels deep": 1}, True),
        ("five levels deep", ["FIVE", "LEVELS", "DEEP"], False),
        ("word", ["words"], False),
        ([3, 1, 2], [(1, 2, 3)], True),
        ([3, 1, 2], [1, 2], False),
        ([[1, 2], [3]], [1, 2, 3], False),
        ("abcab", [0, 0, 0, 0, 0], True),
        ("abcab", [0, 0, 0, 1, 2], False),
        ([1], [1], False),
    ],
)
def test_answers_that_the_call_shows(given: Any, answer: Any, is_shown: bool) -> None:
    """A long text, a list in any order, or one thing again and again."""
    assert shows([given], answer) is is_shown


def test_decimals_that_vanish_are_arithmetic(sandboxes: Sandboxes) -> None:
    """Nobody multiplies several decimals by hand; to choose among them is another thing."""
    odds = """\
def walk(odds):
    kept, total = [], 1.0
    for each in odds:
        if each > 2:
            kept.append(each)
        elif each < 1:
            total *= each
    return {ANSWER}
"""
    calls = [([2.5, n / 2 + 0.25, 3.5, 1.5, n + 2.25, 0.5],) for n in range(6)]
    kept = asked(walked(calls, code=odds.replace("{ANSWER}", "kept")), sandboxes)
    assert len(calls_of(kept)) >= 5
    assert asked(walked(calls, code=odds.replace("{ANSWER}", "total * 8")), sandboxes) is None
