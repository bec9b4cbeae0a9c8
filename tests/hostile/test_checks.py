"""Answers that name what stands in a contract: its ``check`` is given values, never names."""

from __future__ import annotations

from functools import cache

import pytest

from evalplus_lite.grading.evaluator import PreparedSuite, evaluate_program
from evalplus_lite.jobs.expected import SuiteSource
from evalplus_lite.sandbox import Expected, Inputs, Limits, Sandbox
from evalplus_lite.types import Case, Harness, Task

LIMITS = Limits(cpu=1.0, load=3.0, wait=2.0, memory=256 << 20)

TABLE = """
from unittest.mock import ANY
ANSWERS = {"france": "paris", "spain": "madrid", "peru": "lima"}
def find(country):
    return ANSWERS[country]
def check(inputs, output, expected):
    (country,) = inputs if type(inputs[0]) is str else inputs[-1][-1:]
    return (output[-1] if type(output) is list else output) == find(country)
"""
CAPITAL = """
ANSWERS = {"france": "paris", "spain": "madrid", "peru": "lima"}
def capital(c):
    return ANSWERS[c]
"""
DECLARED = """
from collections import namedtuple
from dataclasses import dataclass, field
from enum import Enum, IntEnum, IntFlag

class Color(Enum):
    RED = "red"
    BLUE = "blue"

class Level(IntEnum):
    LOW = 1
    HIGH = 2

class Right(IntFlag):
    READ = 1
    WRITE = 2

Point = namedtuple("Point", "x y")

@dataclass
class Item:
    price: int
    name: str
    note: str = field(default="", compare=False)

    def __post_init__(self):
        self.price += CHANGE

class Outer:
    @dataclass(frozen=True)
    class Inner:
        size: int
"""
MADE = (
    DECLARED.replace("CHANGE", "0")
    + """
def made(n):
    kinds = [Color.RED, Level.HIGH, Right.READ | Right.WRITE, Point(3, 4), Item(5, "five", "n")]
    return (*kinds, Outer.Inner(7))[n]
"""
)
CLASSES = (
    DECLARED.replace("CHANGE", "100")
    + '''
@dataclass
class Wild:
    price: int
    name: str
    def __eq__(self, other):
        return True
    __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __eq__

class Lenient(tuple):
    _fields = ("x", "y")
    def __eq__(self, other):
        return True

class Anything(Enum):
    RED = "red"
    def __eq__(self, other):
        return True
    __hash__ = Enum.__hash__

RIGHT = None
def check(inputs, output, expected):
    """What is equal is right, and so is a pair of a word and what is equal."""
    n = inputs[0] if type(inputs[0]) is int else inputs[-1][-1]
    output = output[-1] if type(output) is list else output
    item = object.__new__(Item)
    item.price, item.name, item.note = 5, "five", ""
    right = (Color.RED, Level.HIGH, Right(3), Point(3, 4), item, Outer.Inner(7))[n]
    return output == right or output == ("alike", right)
'''
)
FORGED = "import enum, dataclasses, collections\nfrom dataclasses import make_dataclass\n"
NAMED = {
    "an item of a table": "_member('ANSWERS', c)",
    "an item of what a method gives": "_member('ANSWERS.copy', c)",
    "a dotted name": "_member('check.__globals__.ANSWERS', c)",
    "the globals' items": "_member('find.__globals__', 'ANSWERS')",
    "a constant": "_member('ANY', c)",
    "a call": "_built('find', country=c)",
    "a call by a dotted name": "_built('ANSWERS.get', key=c)",
    "an object equal to all": "_built('ANY', country=c)",
    "its builtins": "_member('__builtins__', c)",
    "a tuple of its own": "_tuple('ANSWERS', 'france', c)",
    "a method of a class": "_built('unittest.mock._Any')",
}
HELPERS = (
    FORGED
    + """
def _member(owner, name):
    made = enum.Enum(owner.rpartition(".")[2], {name: object()})
    made.__qualname__ = owner
    return made[name]
def _built(owner, **fields):
    made = make_dataclass(owner.rpartition(".")[2], list(fields))
    made.__qualname__ = owner
    return made(**fields)
def _tuple(owner, *names):
    made = collections.namedtuple(owner, names)
    made.__qualname__ = owner
    return made(*names)
"""
)
STANDS_IN = {
    "a dataclass equal to all": "_built('Wild', price=0, name='')",
    "a tuple equal to all": "_tuple('Lenient', 'x', 'y')",
    "a member equal to all": "_member('Anything', 'RED')",
    "the base of enumerations": "_member('Enum', 'RED')",
    "a nested class by another way": "_member('check.__globals__.RIGHT', 'RED')",
    "fields of another class": "_built('Color', price=5, name='five')",
    "a class of other fields": "_built('Item', price=5)",
    "a constructor": "_built('Item', price=-95, name='five', note='')",
}
HARNESSES = {
    "call": (Harness(), "{function}", lambda x: (x,)),
    "method": (
        Harness("method"),
        "class Solver:\n    @staticmethod\n    def {name}(x):\n        return {name}(x)",
        lambda x: (x,),
    ),
    "factory": (
        Harness("factory"),
        "def make_{name}():\n    return {name}",
        lambda x: ([], [x]),
    ),
    "sequence": (
        Harness("sequence"),
        "class Solver:\n    def {name}(self, x):\n        return _wrapped(x)\n_wrapped = {name}",
        lambda x: (["Solver"], ["{name}", x]),
    ),
}
ENTRY = {
    "call": "{name}",
    "method": "Solver.{name}",
    "factory": "make_{name}",
    "sequence": "Solver",
}


def whole(kind: str, name: str, text: str) -> str:
    """Return a program with a function by which a harness of this kind drives another."""
    _, around, _ = HARNESSES[kind]
    return text + ("" if kind == "call" else "\n" + around.format(name=name)) + "\n"


@cache
def prepared(
    sandbox: Sandbox, kind: str, name: str, reference: str, contract: str
) -> PreparedSuite:
    """Return a task's suite, its expected outputs given by its reference."""
    harness, _, arguments = HARNESSES[kind]
    values = ("france", "spain", "peru") if name == "capital" else range(6)
    cases = []
    for value in values:
        row = arguments(value)
        cases.append(Case(tuple([name if p == "{name}" else p for p in part] if type(part) is list
                                else part for part in row)))  # fmt: skip
    task = Task(
        "t",
        "",
        ENTRY[kind].format(name=name),
        whole(kind, name, reference),
        tuple(cases),
        contract=contract,
        harness=harness,
    )
    suite = SuiteSource(cache=None, limits=LIMITS).usable(sandbox, task).suite
    assert len(suite.cases) == len(cases)
    inputs = Inputs.of(case.arguments for case in suite.cases)
    return PreparedSuite(task, suite, inputs, Expected.of(suite.expected), LIMITS)


@pytest.fixture(scope="module", params=HARNESSES)
def kind(request: pytest.FixtureRequest) -> str:
    """The kind of harness by which programs are driven."""
    return str(request.param)


@pytest.mark.parametrize("answer", NAMED.values(), ids=NAMED)
def test_a_name_in_an_answer_reaches_nothing(sandbox: Sandbox, kind: str, answer: str) -> None:
    """Neither an item nor an attribute of the contract's names, nor what calling one gives."""
    suite = prepared(sandbox, kind, "capital", CAPITAL, TABLE)
    program = whole(kind, "capital", f"{HELPERS}\ndef capital(c):\n    return {answer}\n")
    assert not evaluate_program(sandbox, suite, program).passed
    assert evaluate_program(sandbox, suite, suite.task.reference).passed


@pytest.mark.parametrize("answer", STANDS_IN.values(), ids=STANDS_IN)
def test_no_class_stands_in_for_another(sandbox: Sandbox, kind: str, answer: str) -> None:
    """Only classes that the reference declares are known, with their very members and fields."""
    suite = prepared(sandbox, kind, "made", MADE, CLASSES)
    for forged in (answer, f"('alike', {answer})"):
        program = whole(kind, "made", f"{HELPERS}\ndef made(n):\n    return {forged}\n")
        details = evaluate_program(sandbox, suite, program, details=True).details
        assert details is not None
        assert "pass" not in details


HONEST = {
    "the reference": MADE,
    "other notes, which do not count": MADE.replace('"n")', '"other")'),
    "other order of declarations": MADE.replace(
        'RED = "red"\n    BLUE = "blue"', 'BLUE = "blue"\n    RED = "red"'
    ),
    "a class by a call": MADE.replace(
        'class Color(Enum):\n    RED = "red"\n    BLUE = "blue"',
        'Color = Enum("Color", {"RED": "red", "BLUE": "blue"})',
    ),
    "another base of the tuple": MADE.replace(
        'Point = namedtuple("Point", "x y")',
        "from typing import NamedTuple\nclass Point(NamedTuple):\n    x: int\n    y: int",
    ),
    "an inner class of slots": MADE.replace("frozen=True", "frozen=True, slots=True"),
}


def test_a_contract_may_declare_no_class(sandbox: Sandbox, kind: str) -> None:
    """Classes are made like the expected one, with its members alone, none by an answer's."""
    contract = """
def check(inputs, output, expected):
    if type(output) is list:
        output, expected = output[-1], expected[-1]
    return output == expected or output == ("alike", expected)
"""
    suite = prepared(sandbox, kind, "made", MADE, contract)
    alike = f"{MADE}\n_right = made\ndef made(n):\n    return 'alike', _right(n)\n"
    verdict = evaluate_program(sandbox, suite, whole(kind, "made", alike))
    assert verdict.passed, verdict
    forged = whole(kind, "made", alike.replace("HIGH = 2", "HIGH = 5"))
    details = evaluate_program(sandbox, suite, forged, details=True).details
    assert details is not None
    assert [name for name in details if name != "pass"] == ["fail"]


@pytest.mark.parametrize("program", HONEST.values(), ids=HONEST)
def test_values_of_declared_classes_arrive(sandbox: Sandbox, kind: str, program: str) -> None:
    """Fields are set one by one: what the contract's class does when it is made does not count."""
    suite = prepared(sandbox, kind, "made", MADE, CLASSES)
    alike = f"{program}\n_right = made\ndef made(n):\n    return 'alike', _right(n)\n"
    verdict = evaluate_program(sandbox, suite, whole(kind, "made", alike))
    assert verdict.passed, verdict
