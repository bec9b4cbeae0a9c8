"""Types beyond the plain ones: each comes back exactly, and compares as in Python."""

from __future__ import annotations

import builtins
import collections
import datetime
import dis
import enum
import importlib.util
import json
import marshal
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.values import VALUES

from evalplus_lite.errors import CodecError
from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox
from evalplus_lite.sandbox.isolation.config import config_of
from evalplus_lite.types import Returned, Rule
from evalplus_lite.values import encoding, wire
from evalplus_lite.values.codec import dumps, from_json, loads
from evalplus_lite.values.equality import equal, matches
from evalplus_lite.values.identity import key
from evalplus_lite.values.kinds.kind import Kind
from evalplus_lite.values.kinds.registry import BY_NAME, BY_TYPE, KINDS
from evalplus_lite.values.source import is_readable, literal, shorten


class Color(enum.Enum):
    RED, BLUE = 1, 2


class Level(enum.IntEnum):
    LOW, HIGH = 1, 2


class Mode(enum.StrEnum):
    FAST = "a"


class Right(enum.Flag):
    READ, WRITE = 1, 2


Point = collections.namedtuple("Point", "x y")
Pixel = collections.namedtuple("Pixel", "row column")


@dataclass(frozen=True)
class Item:
    price: object
    name: str = ""
    note: object = field(default=None, compare=False)


@dataclass(frozen=True)
class Other:
    price: object
    name: str = ""


SMALL = st.integers(-2, 3) | st.sampled_from([0.5, 1.0, True, "a", None])
LIKE_OTHERS = st.integers(-2, 3)
MAPPING = st.dictionaries(st.sampled_from("ab"), st.integers(-1, 2), max_size=2)
ZONES = st.sampled_from(
    [None, datetime.UTC, *(datetime.timezone(datetime.timedelta(hours=each)) for each in (1, -5))]
)
TIMES = st.builds(
    datetime.time, st.integers(0, 2), st.sampled_from([0, 30]), st.sampled_from([0, 59]),
    st.just(0), ZONES,
)  # fmt: skip
DATES = st.dates(datetime.date(2023, 12, 31), datetime.date(2024, 1, 1))
STRATEGIES: dict[str, st.SearchStrategy[Any]] = {
    "array": st.sampled_from(BY_NAME["array"].examples),
    "counter": MAPPING.map(Counter),
    "decimal": st.decimals(places=1, min_value=-2, max_value=3)
    | st.sampled_from(["1", "1.00", "1E+2", "-0", "Infinity", "0.1", "1E-30"]).map(Decimal),
    "dataclass": st.builds(Item, SMALL, st.sampled_from(["", "a"]), SMALL)
    | st.builds(Other, SMALL),
    "date": DATES,
    "datetime": st.builds(datetime.datetime.combine, DATES, TIMES),
    "defaultdict": st.builds(defaultdict, st.sampled_from([None, int, list, TIMES.map]), MAPPING),
    "deque": st.builds(deque, st.lists(SMALL, max_size=3), st.sampled_from([None, 3, 9])),
    "enum": st.sampled_from([*Color, *Level, *Mode, *Right, Right.READ | Right.WRITE]),
    "frame": st.sampled_from(BY_NAME["frame"].examples),
    "fraction": st.fractions(-2, 3, max_denominator=4),
    "namedtuple": st.builds(Point, SMALL, SMALL) | st.builds(Pixel, SMALL, SMALL),
    "ordereddict": st.permutations([("a", 1), ("b", 2)]).map(OrderedDict),
    "range": st.builds(range, LIKE_OTHERS, LIKE_OTHERS, st.sampled_from([-2, -1, 1, 2, 3])),
    "series": st.sampled_from(BY_NAME["series"].examples),
    "time": TIMES,
    "timedelta": st.timedeltas(datetime.timedelta(-1), datetime.timedelta(1)),
}
NOT_HERE = {"array": "numpy", "frame": "pandas", "series": "pandas"}
"""Types whose libraries this side of the sandbox does not need, and their names."""
ANY = st.one_of(*(strategy for name, strategy in STRATEGIES.items() if name not in NOT_HERE))
PLAIN = SMALL | MAPPING | st.lists(SMALL, max_size=2) | st.lists(SMALL, max_size=2).map(tuple)
EXACT = Rule(atol=0.0, rtol=0.0)


def text(value: Any) -> str:
    """Return a text that says type and content of a value, and of what is in it."""
    try:
        return f"{type(value).__name__} {value!r}"
    except ValueError:  # an integer of more than 4,300 digits
        return wire.encode(value).hex()


def is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def test_every_type_has_a_strategy() -> None:
    """What is registered is tested here: a new type is given values to be tested with."""
    assert set(STRATEGIES) == set(BY_NAME)
    for kind in KINDS:
        assert kind.examples
        assert all(type(example) is kind.type for example in kind.examples)


@pytest.mark.parametrize("name", STRATEGIES)
@settings(max_examples=15)
@given(st.data())
def test_a_value_comes_back_as_it_was(name: str, data: st.DataObject) -> None:
    """In wire form and in files, alone and within a container, by type and content."""
    drawn = data.draw(STRATEGIES[name] | st.sampled_from(BY_NAME[name].examples))
    value = wire.decode(wire.encode(drawn))
    assert type(value) is BY_NAME[name].type
    assert type(drawn) is not type(value) or text(drawn) == text(value)
    for whole in (value, [1, (value,)], {"a": value}):
        encoded = wire.encode(whole)
        assert text(wire.decode(encoded)) == text(whole)
        assert wire.check(encoded) >= 1
        assert text(loads(dumps(whole))) == text(whole)
        assert key(wire.decode(encoded)) == key(whole)
    assert matches(value, value, Rule("strict"))
    assert shorten(value)


@settings(max_examples=150)
@given(ANY | PLAIN, ANY | PLAIN)
def test_values_are_equal_as_python_says(a: Any, b: Any) -> None:
    """On any two values, alone, in containers, as elements and as keys; ``strict`` is no laxer."""
    same = bool(a == b)
    assert matches(a, b, EXACT) is same
    assert matches([0, a], [0, b], EXACT) is same
    assert matches({"k": a}, {"k": b}, EXACT) is same
    if not type(a) is type(b) is OrderedDict:  # both are equal to a dict, as elements here
        assert matches([[], a], [b, []], Rule("unordered")) is same
    if is_hashable(a) and is_hashable(b):
        assert matches({a}, {b}, EXACT) is same
        assert matches({a: 1, "z": 2}, {"z": 2, b: 1}, EXACT) is same
    if matches(a, b, Rule("strict", 0.0, 0.0)):
        assert same
        assert type(a) is type(b)


def test_tolerance_holds_for_what_stands_in_for_a_float() -> None:
    """It does if a float is expected; a number that is exact by its type is compared exactly."""
    assert matches(Decimal("0.1"), 0.1)
    assert not matches(0.1, Decimal("0.1"))
    assert matches(deque([0.1 + 0.2]), deque([0.3]))
    assert matches(Decimal("NaN"), Decimal("NaN"))
    assert matches(deque([2, 1]), deque([1, 2]), Rule("unordered"))


HOSTILE = ["1e999999", "1_0", "nan3", "sNaN", "P", "A"]


def parts_of(kind: Kind) -> st.SearchStrategy[tuple[Any, ...]]:
    """Return parts that are mostly of the right form, and seldom sound."""
    of_tag = {
        b"i"[0]: st.integers() | st.integers(-9, 9),
        b"u"[0]: st.text(max_size=9) | st.sampled_from(HOSTILE),
        b"["[0]: st.lists(VALUES, max_size=3),
        b"("[0]: st.lists(st.text(max_size=2) | st.integers(), max_size=3).map(tuple),
        b"{"[0]: st.dictionaries(st.text(max_size=2), VALUES, max_size=3),
        b"N"[0]: st.none(),
        b"l"[0]: st.integers(2**40, 2**90) | st.just(1 << 20_000),
    }
    forms = [
        st.one_of([of_tag[tag] for tag in form if tag in of_tag]) | VALUES for form in kind.forms
    ]
    return st.tuples(*forms) | st.lists(VALUES, max_size=4).map(tuple)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@settings(max_examples=25)
@given(st.data())
def test_forged_parts_are_refused_or_sound(kind: Kind, data: st.DataObject) -> None:
    """Parts that a program made up give a value of the type, or CodecError: nothing else."""
    parts = data.draw(parts_of(kind))
    forged = marshal.dumps((..., kind.name, *parts), 2)
    right = wire.encode(kind.examples[0])
    try:
        value = wire.decode(forged)
    except CodecError:
        value = None
    else:
        assert type(value) is kind.type
        assert key(wire.decode(wire.encode(value))) == key(value)
        assert wire.check(forged)
    for expected in (right, wire.encode([1]), wire.encode({1: 2}), wire.encode(1)):
        for rule in (Rule(), Rule("strict"), Rule("unordered")):
            try:
                matches_forged(forged, expected, rule)
            except CodecError:
                continue
    with_tag = {f"${kind.name}": json.loads(dumps(list(parts)))}
    try:
        value = from_json(with_tag)
    except CodecError:
        return
    assert type(value) is kind.type


def matches_forged(output: bytes, expected: bytes, rule: Rule) -> bool:

    return equal(output, expected, rule) or equal(
        b"<\1\0\0\0" + output, b"<\1\0\0\0" + expected, rule
    )


@pytest.mark.parametrize("cut", [1, 4, 5, 9, 14, -1])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_value_that_ends_early_is_refused(kind: Kind, cut: int) -> None:
    """Wherever the bytes end."""
    data = wire.encode(kind.examples[0])[:cut]
    for read in (wire.decode, wire.check):
        with pytest.raises(CodecError):
            read(data)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_value_is_written_as_source(kind: Kind) -> None:
    """In exported tests, without imports; those of a program's own classes are left out there."""
    for example in kind.examples:
        assert is_readable([example]) is bool(kind.call)
        if kind.call:
            written = eval(literal([example]), {})
            assert text(wire.decode(wire.encode(written))) == text([example])


def test_unknown_names_and_marks_are_refused() -> None:
    """A tuple with a mark is one of the types, or nothing."""
    for forged in ((..., "nothing", 1), (...,), (..., 1, 2), (1, ...), (..., "range", 1), ...):
        data = marshal.dumps(forged, 2)
        for read in (wire.decode, wire.check):
            with pytest.raises(CodecError):
                read(data)
    with pytest.raises(CodecError, match=r"unknown tag '\$decimul'; known: .*\$decimal"):
        from_json({"$decimul": "1"})


def test_every_type_goes_into_a_program_and_comes_out(sandbox: Sandbox) -> None:
    """Arguments are real values there, as are those inside containers; answers are exact."""
    echo(sandbox, [kind for kind in KINDS if NOT_HERE.get(kind.name) != "pandas"])


def test_frames_go_into_a_program_and_come_out() -> None:
    """Where pandas is installed and asked for."""
    if importlib.util.find_spec("pandas") is None:
        pytest.skip("pandas is not installed")
    names = ("pandas", "dateutil", "pytz", "six", "tzdata")  # earlier versions need all of them
    packages = [name for name in names if importlib.util.find_spec(name) is not None]
    with Sandbox(config_of("auto", packages)) as found:
        echo(found, [kind for kind in KINDS if NOT_HERE.get(kind.name) == "pandas"])


def echo(sandbox: Sandbox, kinds: Sequence[Kind]) -> None:
    """Hand the examples of types to a program that answers with them."""
    examples = [example for kind in kinds for example in kind.examples]
    program = Program(
        "def f(x, inner):\n"
        "    assert type(x) is type(inner[0]['k']), (x, inner)\n"
        "    return [x, inner, type(x).__name__.lower()]\n",
        "f",
    )
    cases = [(example, ({"k": example},)) for example in examples]
    run = sandbox.run(program, Inputs.of(cases), Limits(cpu=20.0, load=20.0, wait=20.0))
    for example, outcome in zip(examples, run.outcomes, strict=True):
        assert isinstance(outcome, Returned), (example, outcome)
        x, inner, name = wire.decode(outcome.data)
        assert text(x) == text(inner[0]["k"]) == text(example)
        owner = getattr(example, "owner", None)
        assert owner is None or name == owner.lower()


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_what_runs_in_the_sandbox_knows_nothing_of_this_side(kind: Kind) -> None:
    """The text of what takes values apart there uses builtins, and what it imports itself."""
    known = {*dir(builtins), *vars(encoding)}
    for function in (kind.pack, kind.unpack):
        loaded = [each for each in dis.get_instructions(function) if each.opname == "LOAD_GLOBAL"]
        assert {each.argval for each in loaded} <= known
        assert "evalplus_lite" not in function.__code__.co_consts
    assert kind.name in wire.encode(kind.examples[0]).decode("latin-1")
    assert BY_TYPE[kind.type] is kind
