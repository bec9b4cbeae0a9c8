"""Forms: schemas from observed types, and the way from a model's JSON back to values."""

from __future__ import annotations

import datetime
import json
import warnings
from decimal import Decimal
from typing import Any

import pytest

from evalplus_lite.errors import InputError
from evalplus_lite.models.json_form import MOST_INPUTS, FormError, InputForm, read_answer
from evalplus_lite.types import Case, Task


def form_of(*inputs: tuple[Any, ...], names: str = "a, b") -> InputForm:
    task = Task(
        id="t/0",
        prompt="",
        entry_point="f",
        reference=f"def f({names}):\n    pass\n",
        base=tuple(Case(arguments) for arguments in inputs),
    )
    return InputForm.of(task)


def one(*values: Any) -> InputForm:
    return form_of(*((value,) for value in values), names="a")


def schema_of(form: InputForm) -> Any:
    return form.schema(count=3)["properties"]["inputs"]["items"]["properties"]


def test_schema() -> None:
    """Parameters are named, all required, nothing else allowed, and the number of inputs fixed."""
    form = form_of(([1.5], "x"), ([], "y"))
    assert form.schema(count=3) == {
        "type": "object",
        "properties": {
            "inputs": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "a": {"type": "array", "items": {"type": "number"}, "maxItems": 10},
                        "b": {"type": "string"},
                    },
                    "required": ["a", "b"],
                    "additionalProperties": False,
                },
                "minItems": 3,
                "maxItems": 3,
            }
        },
        "required": ["inputs"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    ("values", "schema"),
    [
        ([1, 2], {"type": "integer"}),
        ([1, 2.5], {"type": "number"}),
        ([True], {"type": "boolean"}),
        ([None, 1], {"anyOf": [{"type": "null"}, {"type": "integer"}]}),
        ([(1, 2), (3, 4)], {"type": "array", "items": {"type": "integer"}, "minItems": 2}),
        ([{1, 2}], {"type": "array", "items": {"type": "integer"}}),
    ],
)
def test_schema_of_kinds(values: list[Any], schema: dict[str, Any]) -> None:
    """Each observed kind, and each union, has its form."""
    made = schema_of(one(*values))["a"]
    assert {name: made[name] for name in schema} == schema


EXACT = [
    (1, [1, 2]),
    (2.0, [1.5]),
    (True, [False, True]),
    (None, [None, 3]),
    ("é\n", ["x"]),
    (b"\x00\xff", [b""]),
    (1 + 2j, [0j]),
    ([1, 2.0, "x", None, True], [[1, 2.5, "y", None, False]]),
    ((1, "x"), [(2, "y"), (3, "z")]),
    (((1, 2), [3]), [((1, 2), [3]), ((3, 4), [])]),
    ({1, 2}, [{3}, set()]),
    (frozenset({"a"}), [frozenset({"b"})]),
    ({"a": [1], "b": []}, [{"c": [2]}]),
    ({(1, 2): 3}, [{(0, 0): 1}]),
    ([{"a": 1}, [1], (2,)], [[{"b": 2}, [3], (4,), {5}]]),
    ({}, [{}, [], {"a": 1}]),
    (10**30, [1]),
    (Decimal("1.50"), [Decimal(2)]),
    ([datetime.date(2024, 2, 29)], [[datetime.date(2023, 1, 1)]]),
]


@pytest.mark.parametrize(("value", "seen"), EXACT)
def test_round_trip(value: Any, seen: list[Any]) -> None:
    """A value of the observed types comes back from JSON, and from a literal, with its types."""
    form = one(*seen, value)
    tree = json.loads(json.dumps(form.write((value,))))
    assert repr(form.read(tree)) == repr(form.read([value])) == repr((value,))


@pytest.mark.parametrize(
    ("tree", "seen", "value"),
    [
        (3, [1.5], 3.0),
        ("2024-02-29", [datetime.date(2023, 1, 1)], datetime.date(2024, 2, 29)),
        (3.0, [1], 3),
        ([1, 2], [(3, 4)], (1, 2)),
        ((1, 2), [[3]], [1, 2]),
        ([1, 1], [{3}], {1}),
        ({"x": 1.0}, [{"y": 2}], {"x": 1}),
    ],
)
def test_nearest_type(tree: Any, seen: list[Any], value: Any) -> None:
    """What JSON or a model cannot tell apart takes the only observed type that it can be."""
    assert repr(one(*seen).read([tree])) == repr((value,))


@pytest.mark.parametrize(
    ("tree", "seen"),
    [
        (True, [1]),
        (1, [True]),
        (1.5, [1]),
        ("1", [1]),
        (None, [1]),
        (float("nan"), [1.5]),
        (float("inf"), [1]),
        (10**400, [1.5]),
        ([1, 2, 3], [(1, 2)]),
        ([1], [1]),
        ([[1]], [{1}]),
        ([["x"]], [[[1]]]),
        ({"key": 1}, [[1]]),
        ([{"key": [1], "value": 1}], [{1: 1}]),
        ([{"key": 1}], [{1: 1}]),
        ({"hex": "zz"}, [b"x"]),
    ],
)
def test_misfit(tree: Any, seen: list[Any]) -> None:
    """A value of no observed type is refused, with the place named."""
    with pytest.raises(FormError, match="a"):
        one(*seen).read({"a": tree})


@pytest.mark.parametrize("tree", [[1], [1, 2, 3], {"a": 1}, {"a": 1, "b": 2, "c": 3}, "ab", 5])
def test_wrong_arity(tree: Any) -> None:
    """An input needs exactly the parameters there are."""
    with pytest.raises(FormError):
        form_of((1, 2)).read(tree)


def test_deep_nesting() -> None:
    """Nesting without end is refused, not followed."""
    deep: list[Any] = []
    for _ in range(500):
        deep = [deep]
    nested: list[Any] = []
    for _ in range(80):
        nested = [nested]
    with pytest.raises(FormError):
        one(nested).read([deep])


def test_arity_of_the_majority() -> None:
    """Where the number of arguments varies the most frequent one counts."""
    assert form_of((1,), (1, 2), (3, 4)).names == ("a", "b")


def test_no_base_inputs() -> None:
    """Without any input there is nothing to learn a form from."""
    with pytest.raises(InputError, match="no base inputs"):
        form_of()


# Reading answers: JSON, cut-off JSON, and literals; never code.


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
