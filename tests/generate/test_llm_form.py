"""Forms: schemas from observed types, and the way from a model's JSON back to values."""

from __future__ import annotations

import datetime
import json
from decimal import Decimal
from typing import Any

import pytest

from evalplus_lite.errors import InputError
from evalplus_lite.models.json_form import FormError, InputForm
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
    """A value of the observed types comes back from JSON equal and with all its types."""
    form = one(*seen, value)
    tree = json.loads(json.dumps(form.write((value,))))
    assert repr(form.read(tree)) == repr((value,))


@pytest.mark.parametrize(("value", "seen"), EXACT)
def test_literals(value: Any, seen: list[Any]) -> None:
    """The value itself, as a literal in a list of arguments, is read as it is."""
    assert repr(one(*seen, value).read([value])) == repr((value,))


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
