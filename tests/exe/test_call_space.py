"""The space of a function's calls: what its annotations, names and code say of inputs."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest

from evalplus_lite.exe.inputs.call_space import (
    CallSpace,
    Nearby,
    arguments_of_call,
    call_of,
    domain_of,
    expressions,
    hints,
    matching,
)
from evalplus_lite.exe.inputs.known import Observed, PackageValues
from evalplus_lite.exe.running.runs import Invocation
from evalplus_lite.exe.selecting.static import StaticMine
from evalplus_lite.exe.sources import open_package
from evalplus_lite.generate.domains.annotations import Type

BODY = '''
    import re
    from typing import Literal, Optional
    def f(
        day: Literal["2024-02-29", "1999-12-31"],
        mode: Literal["short", "long"],
        pair: tuple[int, str],
        url: Optional[str] = None,
        *rest: float,
        limit: int = 3,
        **more: bool,
    ) -> str:
        """Example: f("2024-02-29", "long", (1, "b")) is known."""
        return re.sub(r"^a+[0-9]{2}$", "", str((day, mode, pair, url, rest, limit, more)))
    '''


def test_every_proposed_call_is_of_the_annotated_types(toys: Any) -> None:
    """Choices, tuples, optional, variadic and keyword parameters all hold what they may."""
    function = toys.mined({"toy.py": BODY})[0]["toy.f"]
    space = CallSpace.of(function)
    draw = random.Random(1).random
    drawn = [space.draw(draw) for _ in range(100)]
    near = Nearby([slot.domain for slot in space.slots], draw)
    calls = [
        call_of(space.signature, each)
        for each in (*drawn, *(near.call(one, drawn) for one in drawn))
    ]
    assert len({call.key for call in calls}) > 60
    for call in calls:
        day, mode, (number, text), *others = call.args
        assert day in ("2024-02-29", "1999-12-31")
        assert mode in ("short", "long")
        assert type(number) is int
        assert type(text) is str
        assert not others or type(others[0]) in (str, type(None))
        assert all(type(each) is float for each in others[1:])
        assert type(call.kwargs.get("limit", 3)) is int
        assert all(type(v) is bool for k, v in call.kwargs.items() if k != "limit")
    assert any(len(call.args) > 4 for call in calls)
    assert any(len(call.args) == 3 for call in calls)
    assert any(call.kwargs.keys() - {"limit"} for call in calls)


def test_what_sets_and_keys_hold_can_be_hashed(toys: Any) -> None:
    """``Any`` there is any scalar: a list or a dict would end the drawing of every input."""
    body = """
        from typing import Any, Hashable, TypeVar
        K = TypeVar("K")
        def f(table: dict[K, Any], seen: set[Any], pairs: set[tuple[K, Hashable]]) -> int:
            return len(table) + len(seen) + len(pairs)
        """
    function = toys.mined({"toy.py": body})[0]["toy.f"]
    space = CallSpace.of(function)
    draw = random.Random(1).random
    calls = [call_of(space.signature, space.draw(draw)) for _ in range(60)]
    values = [value for call in calls for value in call.args[0].values()]
    assert {list, dict} <= set(map(type, values))
    assert len({type(key) for call in calls for key in call.args[0]}) > 3
    assert any(call.args[1] for call in calls)
    assert any(call.args[2] for call in calls)


def test_a_call_comes_back_from_its_arguments(toys: Any) -> None:
    """What a docstring or a model wrote can be built on: no argument changes its place."""
    function = toys.mined({"toy.py": BODY})[0]["toy.f"]
    space = CallSpace.of(function)
    for call in (
        Invocation(("2024-02-29", "long", (1, "b"))),
        Invocation(("2024-02-29", "long", (1, "b"), "u", 1.5, 2.5), {"limit": 2, "a": True}),
    ):
        assert call_of(space.signature, arguments_of_call(space.signature, call)) == call


@pytest.mark.parametrize(
    "expression",
    [r"^a+[0-9]{2}$", r"(?i)(ab|cd)*?x{2,}", r"([a-f])\1[^\s\d]", r"\d+(\.\d+)?|[\w.-]+@\w+",
     r"(a)?(?(1)b|c)",
     r"&(?:#(\d+)|(\w+));", r"(?P<q>['\"])(?:\\.|[^\\])*?(?P=q)", r"\x1b\[[0-9;]*m"],
)  # fmt: skip
def test_strings_match_their_expression(expression: str) -> None:
    """What is written for a regular expression is found by it."""
    made = matching(expression, random.Random(0).random, count=30)
    assert made
    assert all(re.search(expression, text) for text in made)


def test_what_is_no_expression_gives_nothing() -> None:
    """Broken expressions and endless repeats end in few, short strings."""
    assert matching("(", random.Random(0).random, count=3) == []
    assert all(
        len(x) <= 200 for x in matching("(a{99999}){99999}", random.Random(0).random, count=2)
    )
    assert expressions("import re\nX = re.compile('a+')\nY = re.sub('b', '', X)\n") == ["a+", "b"]


def test_names_suggest_values() -> None:
    """A parameter's name, or a part of it, is looked up."""
    assert "https://example.com/a/b?x=1&y=2#top" in hints("base_url")
    assert hints("qqq") == ()


def test_functions_share_the_form_of_a_suggested_value_alone() -> None:
    """Words and digits differ from function to function; what has a meaning stays as it is."""
    first, second = (hints("url", random.Random(seed)) for seed in (1, 2))
    assert len({*first} & {*second}) <= 1  # mailto:a@b.c has no word
    assert any(re.match(r"https://\w+\.com/a/b\?x=\d&y=\d#top$", str(url)) for url in first)
    assert hints("encoding", random.Random(1)) == hints("encoding")


def test_a_word_is_replaced_wherever_it_stands() -> None:
    """In keys and nested texts too, unless the program knows it."""
    domains = [domain_of(Type("any")) for _ in range(2)]
    near = Nearby(domains, random.Random(3).random, frozenset({"mode"}))
    known = ("foo.mode", {"foo": 1, "mode": 2})
    calls = [near.call(known, [known]) for _ in range(100)]
    heads = [(text.partition(".")[0], held) for text, held in calls if str(text).endswith(".mode")]
    renamed = [(head, {*held}) for head, held in heads if head != "foo" and len(held) == 2]
    assert sum({head, "mode"} == held for head, held in renamed) > 5


def test_inputs_are_put_together_of_what_the_program_mentions(toys: Any) -> None:
    """Texts are joined of its constants, with the characters it numbers."""
    body = """
        def f(text: str, at: int, rest: list[str]) -> bool:
            if len(text) > 300 or ord(text[at]) == 0x200C:
                return False
            return text.startswith("__init__") and text.endswith(".pyi") and not rest
        """
    functions, _ = toys.mined({"toy.py": body})
    space = CallSpace.of(functions["toy.f"])
    draw = random.Random(1).random
    calls = [space.draw(draw) for _ in range(3000)]
    texts = [text for text, _, _ in calls]
    assert "__init__.pyi" in texts
    assert any("\u200c" in text for text in texts)
    assert any(len(rest) == 3 for _, _, rest in calls)
    assert not any(
        slot.domain.explain(value)
        for each in calls
        for slot, value in zip(space.slots, each, strict=True)
    )


CODE = '''
LINES = ["a;b", "c"]
def f(text: str, sep: str = ";", *rest: int, **named: bool) -> list[str]:
    """Split: f("x,y", ",") is ["x", "y"]."""
    return [*text.split(sep), str(rest), str(named)]
def g() -> list[str]:
    return f("one two", " ")
'''
TESTS = """
import pytest
from toy import f

ROWS = {"k=v": "=", "p": "q"}
@pytest.mark.parametrize("text, sep", [("1-2", "-"), ("3+4", "+")])
def test_rows(text, sep):
    assert f(text, sep)

def test_loops():
    for text, sep in ROWS.items():
        f(text, sep=sep, deep=True)
    given = "5/6"
    f(given, "/", 7, 8)
    f(open("x").read())
"""


def test_known_calls_are_read_off_tests_documentation_and_code(toys: Any) -> None:
    """Literals, and names for them: of modules, functions, tables of parameters and loops."""
    files = {"toy.py": CODE, "tests/test_toy.py": TESTS}
    with open_package(toys.wheel(files)) as package:
        (function, *_) = StaticMine(package).functions()
        values = PackageValues.of(package, Observed())
        known = values.of_function(function)
    found = [(source, call.written("f")) for call, source in known]
    assert sorted(found[:5]) == [
        ("tests", "f('1-2', '-')"),
        ("tests", "f('3+4', '+')"),
        ("tests", "f('5/6', '/', 7, 8)"),
        ("tests", "f('k=v', '=', deep=True)"),
        ("tests", "f('p', 'q', deep=True)"),
    ]
    assert found[5:] == [("doctests", "f('x,y', ',')"), ("call sites", "f('one two', ' ')")]
    assert "a;b" in values.texts


@pytest.mark.parametrize(
    "value",
    [True, 42, 1.5, "2024-01-31 and more", b"a-b", [1, [2]], ("a", 1), {"k": [1], "n": None}, {1}],
)  # fmt: skip
def test_near_values_are_of_the_same_type_and_mostly_other_ones(value: Any) -> None:
    """A small change, whatever the type; what stands within keeps its own."""
    near = Nearby((), random.Random(0).random)
    made = [near.near(value, [value]) for _ in range(60)]
    assert {type(each) for each in made} == {type(value)}
    assert sum(each != value for each in made) >= 15
    if isinstance(value, str):
        kept = [sum(a == b for a, b in zip(each, value, strict=False)) for each in made]
        assert max(map(len, made)) > len(value)
        assert sorted(kept)[30] >= 5
