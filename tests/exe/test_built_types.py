"""Values made of plain ones: enumerations, records, paths, time differences and their like."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from evalplus_lite.exe.prediction import FORMS
from evalplus_lite.exe.running.proof import Original, prove
from evalplus_lite.exe.running.runs import CallableProgram, Invocation, run
from evalplus_lite.exe.selecting.static import StaticMine
from evalplus_lite.exe.sources import open_package

SHAPES = """
    import enum
    from dataclasses import dataclass
    from typing import NamedTuple, TypedDict
    class Color(str, enum.Enum):
        RED = "r"
        BLUE = "b"
        def turned(self, n: int) -> str: return self.value * n
    class Point(NamedTuple):
        x: int
        y: int = 0
    class Options(TypedDict, total=False):
        deep: bool
    @dataclass(frozen=True)
    class Line:
        start: Point
        end: Point
        color: Color | None = None
    class Version:
        def __init__(self, text: str) -> None: self.parts = text.split(".")
    class Node:
        def __init__(self, parent: "Node") -> None: self.parent = parent
    """
USERS = """
    from __future__ import annotations
    import typing as t
    from datetime import timedelta
    from decimal import Decimal
    from pathlib import Path
    if t.TYPE_CHECKING:
        from toy.shapes import Color, Line
    from toy.shapes import Node, Options, Point, Version
    def named(color: Color, n: int = 2) -> str: return color.value * n
    def spread(lines: list[Line]) -> dict[int, int]:
        return {line.start.x: line.end.y for line in lines}
    def deep(options: Options, /) -> bool: return options["deep"]
    def length(of: Point | None) -> int: return of.x + of.y if of else -1
    def newer(a: Version, b: Version) -> bool: return a.parts > b.parts
    def stem(path: Path) -> str: return path.stem
    def days(time: timedelta, timedelta: int) -> int: return time.days + timedelta
    def doubled(amount: Decimal) -> Decimal: return amount * 2
    def some(text: str | t.Callable[[], str], color: Color | None = None) -> str:
        return text if isinstance(text, str) else text()
    def near(node: Node) -> int: return 1
    """
FILES = {"toy/__init__.py": "", "toy/shapes.py": SHAPES, "toy/users.py": USERS}


def test_entry_points_make_objects_of_plain_values(toys: Any) -> None:
    """Classes come along though annotations alone name them; what needs itself is refused."""
    functions, rejects = toys.mined(FILES)
    signatures = {
        name.rpartition(".")[2]: [f"{p.name}: {p.type}" for p in f.signature.parameters]
        for name, f in functions.items()
    }
    days = signatures.pop("call_days")
    assert [each.partition(":")[0] for each in days] == ["time", "timedelta_given"]
    assert signatures.pop("call_doubled")[0].startswith("amount: Literal['0', ")
    point = "tuple[int, int]"
    assert signatures == {
        "Color_turned": ["member: Literal['RED', 'BLUE']", "n: int"],
        "call_named": ["color: Literal['RED', 'BLUE']", "n: int"],
        "call_spread": [f"lines: list[tuple[{point}, {point}, None | Literal['RED', 'BLUE']]]"],
        "call_deep": ["options: tuple[bool]"],
        "call_length": [f"of: None | {point}"],
        "call_newer": ["a: tuple[str]", "b: tuple[str]"],
        "call_stem": ["path: str"],
        "some": ["text: str"],
    }
    assert rejects == {"toy.users.near": "type Node"}
    found = {name.rpartition(".")[2]: f for name, f in functions.items()}
    assert toys.run(found["Color_turned"], "BLUE", 2) == "bb"
    assert toys.run(found["call_named"], "RED") == "rr"
    assert toys.run(found["call_spread"], [((1, 2), (3, 4), "RED"), ((5, 6), (7, 8), None)]) == {
        1: 4,
        5: 8,
    }
    assert toys.run(found["call_deep"], (True,)) is True
    assert toys.run(found["call_length"], None) == -1
    assert toys.run(found["call_newer"], ("1.2",), ("1.1",)) is True
    assert toys.run(found["call_stem"], "a/b.c") == "b"
    assert toys.run(found["call_days"], 172800, 3) == 5


def test_entry_points_are_proved_against_the_original(toys: Any, sandboxes: Any) -> None:
    """The original is called by the same entry point, with classes of its own modules."""
    calls: dict[str, list[tuple[Any, ...]]] = {
        "call_named": [("RED",), ("BLUE", 3)],
        "call_spread": [([((1, 2), (3, 4), "RED")],), ([],)],
        "call_stem": [("a/b.c",), ("",)],
        "Color_turned": [("BLUE", 2), ("RED", 3)],
    }
    with open_package(toys.wheel(FILES)) as package:
        functions = {f.name: f for f in StaticMine(package).functions()}
        with Original(package, sandboxes.plain.config) as original:
            for name, given in calls.items():
                function = functions[name]
                invoked = [Invocation(each) for each in given]
                subject = CallableProgram(name, code=function.code)
                base = run(sandboxes.plain, subject, invoked)
                found = prove(function, invoked, base, sandboxes, original)
                assert (found.stage, found.compared) == (None, 2)
            changed = replace(function, code=function.code.replace("* n", "* -n"))
            assert changed.code != function.code
            base = run(sandboxes.plain, replace(subject, code=changed.code), invoked)
            verdict = prove(changed, invoked, base, sandboxes, original)
            assert (verdict.stage, verdict.reason) == ("proved", "differs from the original")


@pytest.mark.parametrize(
    ("imports", "where"),
    [
        ("import datetime", "datetime."),
        ("import datetime as dt", "dt."),
        ("import datetime as dt; datetime = 3", "dt."),
        ("from datetime import date, datetime", ""),
        ("from datetime import datetime\nfrom typing import TYPE_CHECKING\n"
         "if TYPE_CHECKING: from datetime import date", ""),
    ],
)  # fmt: skip
def test_dates_are_made_of_text_by_the_program(
    toys: Any, sandboxes: Any, imports: str, where: str
) -> None:
    """What is asked about is a call of text that a reader can run, whatever the module imports."""
    body = f"""
from __future__ import annotations
{imports}
def week(when: {where}date, more: int = 0) -> str:
    return f"{{when.isocalendar()[1] + more}} {{when.year}}"
def later(moments: list[{where}datetime], other: {where}date | str) -> list[bool]:
    return [each.hour > 11 for each in moments]
"""
    with open_package(toys.wheel({"toy.py": body})) as package:
        found = {f.name: f for f in StaticMine(package).functions()}
        week, later = found["call_week"], found["call_later"]
        assert toys.run(week, "2024-02-29") == "9 2024"
        assert toys.run(later, ["2024-02-29T12:00:00", "1999-12-31T00:00:00"], "x") == [True, False]
        assert [str(p.type) for p in week.signature.parameters] == ["date", "int"]
        assert [str(p.type) for p in later.signature.parameters] == ["list[datetime]", "str"]
        calls = [Invocation(("2024-02-29",)), Invocation(("0001-01-01", 3)), Invocation(("x",))]
        with Original(package, sandboxes.plain.config) as original:
            base = run(sandboxes.plain, CallableProgram(week.name, week.code), calls)
            assert [a.kind for a in base.answers] == ["value", "value", "error"]
            proved = prove(week, calls, base, sandboxes, original)
            assert (proved.stage, proved.compared) == (None, 3)


@pytest.mark.parametrize(
    ("made", "answer"),
    [
        ("Shade.DARK", "Shade.DARK"),
        ("[Color.RED, Word.YES]", [1, "yes"]),
        ("[Flag.A | Flag.B, Flag(0)]", ["Flag.A|B", 0]),
        ("Pair(1, [Shade.DARK])", (1, ["Shade.DARK"])),
        ("Node('a', [Slots(2), None])", {"name": "a", "parts": [{"size": 2}, None]}),
        ("Item('a', Pair(1, None))", {"name": "a", "pair": (1, None)}),
        ("datetime.timedelta(days=1, seconds=5)", "1 day, 0:00:05"),
        ("Decimal('1.50')", "1.50"),
        ("Fraction(2, 4)", "1/2"),
        ("PurePosixPath('a') / 'b'", "a/b"),
        ("collections.defaultdict(list, {1: [Color.RED]})", {1: [1]}),
        ("[collections.Counter('aab'), collections.OrderedDict(b=1)]",
         [{"a": 2, "b": 1}, {"b": 1}]),
        ("(collections.deque([1]), collections.ChainMap({1: 2}), collections.UserDict(a=3))",
         ([1], {1: 2}, {"a": 3})),
        ("types.MappingProxyType({(1, 2): {3}})", {(1, 2): {3}}),
    ],
)  # fmt: skip
def test_answers_are_plain(made: str, answer: object, sandboxes: Any) -> None:
    """What a program returns is answered as plain data, as the prompt says."""
    code = f"""
import collections, dataclasses, datetime, enum, types, typing
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePosixPath
class Color(enum.IntEnum):
    RED = 1
class Shade(enum.Enum):
    DARK = 1
class Word(str, enum.Enum):
    YES = "yes"
class Flag(enum.Flag):
    A = 1
    B = 2
class Node:
    kind = "node"
    def __init__(self, name, parts):
        self.name, self.parts, self._seen = name, parts, object()
class Slots:
    __slots__ = ("size", "unset", "_own")
    def __init__(self, size): self.size = size
Pair = collections.namedtuple("Pair", "left right")
@dataclasses.dataclass
class Item:
    name: str
    pair: Pair
def f(x): return {made}
"""
    found = run(sandboxes.plain, CallableProgram("f", code), [Invocation((1,))])
    (given,) = found.answers
    assert (given.kind, given.value) == ("value", answer)
    assert type(given.value) is type(answer)
    assert "enumeration" in FORMS


def test_an_error_of_reading_an_answer_is_no_answer(sandboxes: Any) -> None:
    """A date in a time zone that cannot be told was returned: the call did not raise."""
    code = """
import datetime
class Far(datetime.tzinfo):
    def utcoffset(self, when):
        return datetime.timedelta(days=self.days)
    def dst(self, when): return None
def f(x):
    zone = Far()
    zone.days = x
    return datetime.datetime(2000, 1, 1, tzinfo=zone)
"""
    calls = [Invocation((0,)), Invocation((3,))]
    near, far = run(sandboxes.plain, CallableProgram("f", code), calls).answers
    assert near.value == "2000-01-01T00:00:00+00:00"
    assert far.kind == "unfit"


def test_objects_without_an_end_are_no_answers(sandboxes: Any) -> None:
    """One that holds itself, one of very many, one that holds nothing, one with a function."""
    code = """
class Node:
    def __init__(self, **parts): self.__dict__.update(parts)
def f(kind):
    own = Node(size=1)
    if kind == 0:
        own.own = [own]
    elif kind == 1:
        for _ in range(20):
            own = Node(left=own, right=own)
    elif kind == 2:
        own = Node(_hidden=1)
    elif kind == 3:
        own.run = f
    return own
"""
    calls = [Invocation((kind,)) for kind in range(5)]
    found = run(sandboxes.plain, CallableProgram("f", code), calls)
    assert [each.kind for each in found.answers] == ["unfit"] * 4 + ["value"]
    assert found.answers[-1].value == {"size": 1}


def test_what_is_too_large_is_not_made(toys: Any) -> None:
    """Classes that hold each other twice, thirty levels deep, and members without end."""
    levels = [
        f"class L{n}:\n    def __init__(self, a: L{n + 1}, b: L{n + 1}): ..." for n in range(30)
    ]
    members = "\n".join(f"    M{n} = {n}" for n in range(500))
    body = "\n".join(
        [
            "import enum",
            *levels,
            "class L30:\n    def __init__(self, n: int): ...",
            f"class Many(enum.Enum):\n{members}",
            "def deep(of: L0) -> int: return 1",
            "def low(of: L29) -> int: return 1",
            "def many(of: Many) -> int: return of.value",
        ]
    )
    functions, rejects = toys.mined({"toy.py": body})
    assert set(functions) == {"toy.call_low", "toy.call_many"}
    assert rejects == {"toy.deep": "type L0"}
    assert len(functions["toy.call_many"].signature.parameters[0].type.values) == 50


def test_an_answer_that_names_the_module_here_is_none(sandboxes: Any) -> None:
    """The text of an object or class without one of its own holds the module's name."""
    code = "class A: pass\ndef f(x):\n    return repr(A) if x else 'inlined'\n"
    calls = [Invocation((each,)) for each in (True, False)]
    named, plain = run(sandboxes.plain, CallableProgram("f", code), calls).answers
    assert (named.kind, plain.kind) == ("unfit", "value")
