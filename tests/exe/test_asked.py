"""What a set asks of a mined task: programs without comments, and cases whose runs do enough."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

import pytest

from evalplus_lite.exe.running.proof import Sandboxes
from evalplus_lite.exe.running.runs import CallResult, Invocation
from evalplus_lite.exe.tasks.asked import (
    DIFFERENT,
    NONE,
    asked,
    with_neutral_names,
    without_comments,
)
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


def calls_of(task: MinedTask | str) -> list[tuple[Any, ...]]:
    """Return the calls of a task, none where nothing is asked."""
    return [] if isinstance(task, str) else [case.call.args for case in task.cases]


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


def test_numbers_that_give_numbers_are_not_asked(sandboxes: Sandboxes) -> None:
    """The same walk is asked of a text, but not of a number."""
    code = WALK.replace('"<"', '"8"').replace('">"', '"9"')
    texts = [(text.replace("<", "8").replace(">", "9"), *start) for text, *start in GOOD]
    assert calls_of(asked(walked(texts, code=code), sandboxes))
    numbers = [(int(text), *start) for text, *start in texts]
    code = code.replace("in steps", "in str(steps)")
    assert asked(walked(numbers, code=code), sandboxes) == NONE


def test_little_of_a_program_is_not_asked(sandboxes: Sandboxes) -> None:
    """What a run does counts beside all statements of the program."""
    unused = "def other(x):\n" + "    x += 1\n" * 20 + "    return x\n\n\n"
    assert calls_of(asked(walked(GOOD), sandboxes))
    assert asked(walked(GOOD, code=unused + WALK), sandboxes) == NONE


def test_the_best_cases_come_first(sandboxes: Sandboxes) -> None:
    """What reaches most is first; values made by type are the last, or left out."""
    task = walked([*GOOD, *TYPED], typed=4)
    assert calls_of(asked(task, sandboxes))[0] in {(">>3<",), (">2>2>",), (">3<2", 1)} | {*GOOD}
    assert set(calls_of(asked(task, sandboxes))) == {*GOOD}
    mixed = calls_of(asked(walked([*GOOD[:2], *TYPED], typed=4), sandboxes))
    assert set(mixed[:2]) == {*GOOD[:2]}
    assert set(mixed[2:]) == {*TYPED}
    # A review may find one worth asking; without a review, a set has no task of so few cases.
    assert {*calls_of(asked(walked(GOOD[:4]), sandboxes))} == {*GOOD[:4]}


def test_every_answer_is_run_again(sandboxes: Sandboxes) -> None:
    """A task is left out whose program, as it is shown, gives another answer than recorded."""
    task = walked(GOOD)
    other = replace(task, code=task.code.replace("place += 1", "place += 2"))
    assert asked(other, sandboxes) == DIFFERENT
    found = asked(task, sandboxes)
    assert isinstance(found, MinedTask)
    assert found.facts["difficulty"]["split"] == "medium"
    assert found.facts["sources"] == ["tests"] * len(GOOD)
    assert all(case.runtime["loop_iterations"] for case in found.cases)


NAMED = """\
class Missing(Exception):
    pass


class Roman:
    digits: dict[str, int] = {"I": 1, "V": 5}

    def value(self, text: "str | Roman") -> int:
        if text not in self.digits:
            raise Missing(f"Roman: {text} of {count(text)} and {text[count(text) - 1]}")
        return self.digits[text]

    def to_int(self, text):
        return sum(self.value(each) for each in text)


def count(text):
    return 0 if not text else 1 + count(text[1:])


def size(text):
    count = {"size": len(text)}
    return count["size"]


def sized(size):
    return size


def Roman_to_int(text):
    return Roman().to_int(text=text) * count(text) + sized(size=size(text))
"""


def test_names_do_not_tell_what_a_program_does() -> None:
    """Definitions, recursion, annotations and f-strings are renamed; strings and fields are not."""
    answers = ({"value": 19}, {"type": "Missing", "message": "X"})
    cases = tuple(
        TaskCase(Invocation(("VI",)), CallResult("error" if "type" in each else "value", **each))
        for each in answers
    )
    named = MinedTask("toy/roman", NAMED, "Roman_to_int", cases)
    task = with_neutral_names(named)
    assert (task.id, task.entry_point) == ("toy/roman", "f")
    for text in (
        "class Missing(",  # an answer has it
        "class C1:",
        '"str | C1"',
        'f"Roman: {text} of {f1(text)} and {text[f1(text) - 1]}"',
        "def f1(text):\n    return 0 if not text else 1 + f1(text[1:])",
        'f1 = {"size": len(text)}\n    return f1["size"]',  # a local variable of that name
        "def size(text):",  # also a parameter
        "return C1().f3(text=text) * f1(text) + f2(size=size(text))",
        "def f3(self, text):",
    ):
        assert text in task.code
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    exec(NAMED, before)
    exec(task.code, after)
    assert before["Roman_to_int"]("VIV") == after["f"]("VIV")


def test_names_that_a_class_reads_and_literals_stay() -> None:
    """Neither a method that its class reads by name nor a text of a ``Literal`` is renamed."""
    code = """
from typing import Literal

class Shape:
    def area(self, unit: Literal["cm", "html"] = "cm") -> "Literal['text'] | Shape":
        return html(2)
    size = area
    def width(self):
        return text(self.area())

def html(value):
    return value

def text(value):
    return value

def Shape_area():
    return Shape().area() + Shape().size()

def Shape_width():
    return Shape().width()"""  # no end of line
    task = with_neutral_names(MinedTask("toy/shape", code, "Shape_area", ()))
    for shown in ('Literal["cm", "html"]', "Literal['text'] |", "size = area", "def f3(self)"):
        assert shown in task.code
    names: dict[str, Any] = {}
    exec(task.code, names)
    assert names["f"]() == 4


def test_a_program_that_reads_its_names_is_not_asked(sandboxes: Sandboxes) -> None:
    """Its answers are others with other names."""
    code = WALK.replace("return seen", "return [Place(each).name() for each in seen]") + (
        "\n\nclass Place(int):\n    def name(self):\n"
        "        return f'{type(self).__name__.lower()} {self:d}'\n"
    )
    task = walked(GOOD, code=code)
    assert asked(with_neutral_names(task), sandboxes) == DIFFERENT
    assert calls_of(asked(task, sandboxes))


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


def test_a_value_that_is_only_wrapped_is_not_asked(sandboxes: Sandboxes) -> None:
    """Neither an argument in a list, nor a number that was a text."""
    for answer in ("[steps]", "(len(seen) and steps,)"):
        task = walked(GOOD, code=WALK.replace("return seen", f"return {answer}"))
        assert asked(task, sandboxes) == NONE
    both = walked(GOOD, code=WALK.replace("return seen", "return [steps, len(seen)]"))
    assert calls_of(asked(both, sandboxes))
    code = WALK.replace("limit=100", "limit=10**9").replace("return seen", "return int(steps)")
    digits = [(f"{number}{number}",) for number in range(21, 27)]
    assert asked(walked(digits, code=code), sandboxes) == NONE


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
    assert asked(walked(calls, code=odds.replace("{ANSWER}", "total * 8")), sandboxes) == NONE


def test_written_calls_are_asked_one_by_one(sandboxes: Sandboxes) -> None:
    """One that touches the outside, or fails by accident, spoils no other; a known one counts."""
    there = '        elif step == "@":\n            place += len(os.getcwd())\n        else:'
    code = f"import os\n\n\n{WALK}".replace("        else:", there)
    task = walked([*GOOD, *TYPED], typed=len(TYPED), code=code)
    calls = ["<>@>>", "<>>3>", "<>x>>", "<", TYPED[0][0]]
    found = asked(task, sandboxes, [Invocation((each,)) for each in calls])
    assert not isinstance(found, str)
    assert calls_of(found)[-2:] == [TYPED[0], ("<>>3>",)]
    assert found.facts["sources"][-2:] == ["types", "written"]
    assert "types" not in found.facts["sources"][:-2]
