"""Forms of any inputs: what is written for a model reads back as it was."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.values import exact

from evalplus_lite.models.json_form import FormError, InputForm, read_answer
from evalplus_lite.types import Case, Task

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=4)
)
HASHABLE = st.recursive(SCALARS, lambda inner: st.tuples(inner, inner), max_leaves=3)
VALUES = st.recursive(
    SCALARS | st.binary(max_size=3) | st.complex_numbers(allow_nan=False, allow_infinity=False),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.sets(HASHABLE, max_size=3)
        | st.frozensets(HASHABLE, max_size=3)
        | st.dictionaries(HASHABLE, inner, max_size=3)
    ),
    max_leaves=8,
)


def form_of(rows: list[tuple[Any, Any]]) -> InputForm:
    base = tuple(Case(row) for row in rows)
    return InputForm.of(
        Task(id="t", prompt="", entry_point="f", reference="def f(a, b): pass", base=base)
    )


@given(st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=4))
@example([(None, [[[None] * 3, [None] * 3], [[None, [], []], [(), [], []], {None: [], (0,): []}]])])
@settings(max_examples=100)
def test_base_inputs_come_back(rows: list[tuple[Any, Any]]) -> None:
    """Every base input, written as JSON and read again, is the same, with all its types."""
    form = form_of(rows)
    json.dumps(form.schema(count=2))
    for row in rows:
        tree = form.write(row)
        assert tree is not None
        text = json.dumps({"inputs": [tree]})
        answer = read_answer(text, form, entry_point="f")
        assert answer.problems == ()
        assert [exact(arguments) for arguments in answer.inputs] == [exact(row)]


@given(st.tuples(VALUES, VALUES), VALUES)
@settings(max_examples=100)
def test_any_answer_fits_or_is_refused(row: tuple[Any, Any], answer: Any) -> None:
    """Whatever a model says at a place becomes a value of the types seen there, or a Misfit."""
    form = form_of([row])
    try:
        first, second = form.read([answer, row[1]])
    except FormError:
        return
    assert type(first) is type(row[0])
    assert exact(second) == exact(row[1])
