"""Guards admit what the base inputs show to be usual, and say why they refuse the rest."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from evalplus_lite.errors import InputError
from evalplus_lite.generate.annotations import ANYTHING, Hint
from evalplus_lite.generate.guards import Guards
from evalplus_lite.types import Case, Task

INTS = [([1, 2, 3],), ([5],), ([4, 4],), ([7, 1, 9, 2],)]
DATES = [("03-11-2000",), ("15-01-2012",), ("04-30-2040",)]
PAIRS = [([1, 2], [3, 4]), ([5], [6]), ([1, 2, 3], [3, 2, 1])]
INDEXED = [([5, 6, 7], 2), ([1], 0), ([4, 4], 1), ([9, 8, 7, 6], 3), ([2, 3], 0)]
WORDS = [("zero two",), ("one",), ("two two three",)]

REFUSED: list[tuple[list[tuple[Any, ...]], tuple[Any, ...], str]] = [
    (INTS, ("",), "str where only list"),
    (INTS, ([1.0],), "float where only int"),
    (INTS, ([True],), "bool where only int"),
    (INTS, ([-1],), "below 1"),
    (INTS, ([10**9],), "above"),
    (INTS, ([],), "length of 0"),
    (INTS, ([1], [2]), "2 arguments where 1"),
    (INTS, ([[1]],), "list where only int"),
    (DATES, ("03/11/2000",), "'/' is no character"),
    (DATES, ("03-11-200-",), "not of the form"),
    (DATES, ("é3-11-2000",), "'é' is no character"),
    (DATES, ("3-11-2000",), "length of 9"),
    (PAIRS, ([1], [1, 2]), "equal length"),
    (INDEXED, ([1, 2], 2), "index into"),
    ([("abc\n",), ("xy",)], ("\t",), "no character"),
    ([([1, 2],), (["a"],)], ([1, "a"],), "several types"),
    ([([[1, 2], [3, 4]],), ([[5]],)], ([[1, 2], [3]],), "different lengths"),
    ([([[1, 2], [3, 4]],), ([[5]],)], ([[1, 2]],), "square"),
    ([([],)], ([1],), "only empty containers"),
    ([(1.5,)], (float("nan"),), "nan"),
    ([({"a": 1},), ({"b": 2, "c": 3},)], ({1: 1},), "int where only str"),
]


@pytest.mark.parametrize(("base", "arguments", "reason"), REFUSED)
def test_inferred_guards_refuse_with_a_reason(
    base: list[tuple[Any, ...]], arguments: tuple[Any, ...], reason: str
) -> None:
    """Each departure from what the base inputs have in common is refused and named."""
    said = Guards.infer(base).explain(arguments)
    assert said is not None
    assert reason in said


@pytest.mark.parametrize(
    ("base", "arguments"),
    [
        (INTS, ([30, 2],)),
        (INTS, ([1] * 8,)),
        (DATES, ("99-99-0000",)),
        (PAIRS, ([9, 9], [9, 9])),
        (INDEXED, ([1, 2, 3], 1)),
        ([("Hello",), ("ok then",)], ("zebra Crossing",)),
        ([(-1,), (4,)], (-7,)),
    ],
)
def test_inferred_guards_admit_what_is_alike(
    base: list[tuple[Any, ...]], arguments: tuple[Any, ...]
) -> None:
    """Unseen letters of a class, other numbers of seen signs and other lengths are admitted."""
    assert Guards.infer(base).explain(arguments) is None


def test_words_of_a_closed_vocabulary_stay_in_it() -> None:
    """Where all words seen are constants of the reference, only such words are admitted."""
    guards = Guards.infer(WORDS, known=["zero", "one", "two", "three", "four", " "])
    assert guards.admits(("four one",))
    assert not guards.admits(("five",))


def test_closed_alphabets_stay_closed() -> None:
    """Two digits that come up again and again are taken for all digits there are."""
    guards = Guards.infer([("010110",), ("1100",), ("0",)])
    assert guards.admits(("111",))
    assert not guards.admits(("120",))


@pytest.mark.parametrize(
    ("base", "text"),
    [
        ([([1, 2, 5],), ([2, 3, 3, 9],), ([1, 4],)], "argument 0 is sorted"),
        ([([9, 5, 2],), ([8, 3, 1],), ([4, 1],)], "argument 0 is sorted downwards"),
        ([(1, 5), (2, 3), (0, 9), (4, 6), (7, 8)], "argument 0 < argument 1"),
        ([("a", "ba"), ("x", "xy"), ("q", "qq"), ("bc", "abc"), ("o", "foo")], "a part of"),
        ([([5, 3, 8, 1, 4],), ([2, 7, 4, 1],), ([9, 8, 7, 3],), ([1, 5, 2, 3],)], "no value twice"),
    ],
)
def test_relations_are_inferred_from_enough_evidence(base: list[Any], text: str) -> None:
    """A relation that holds throughout, beyond chance, is taken on."""
    assert any(text in relation.text for relation in Guards.infer(base).relations)


def test_relations_are_not_inferred_from_little_evidence() -> None:
    """Two inputs, or a relation that one input breaks, bind nothing."""
    assert Guards.infer([(1, 2), (3, 4)]).relations == ()
    broken = [(1, 5), (2, 3), (0, 9), (4, 6), (8, 7)]
    assert not any("<" in relation.text for relation in Guards.infer(broken).relations)


def test_typed_guards_leave_values_to_the_contract_but_not_types() -> None:
    """Signs, sizes and characters of ASCII are free; types, other scripts and control codes not."""
    numbers = Guards.typed(INTS)
    assert numbers.admits(([],))
    assert numbers.admits(([-(10**30)],))
    assert not numbers.admits(("",))
    assert not numbers.admits(([None],))
    texts = Guards.typed([("abc",)], letters="\t")
    assert texts.admits(("A b-1",))
    assert texts.admits(("\t",))
    assert not texts.admits(("é",))
    assert not texts.admits(("\n",))


def test_typed_guards_keep_records_and_admit_stated_types() -> None:
    """A record keeps its fields; what the signature states is admitted besides what was seen."""
    records = Guards.typed([([("ann", 3), ("bob", 4)],)])
    assert records.admits(([("x", -1)],))
    assert not records.admits(([(1, "x")],))
    stated = Guards.typed([([1, "a"],)], stated=[Hint((list,), items=ANYTHING)])
    assert stated.admits(([None, True, 1.5],))


def test_lists_that_nest_freely_may_nest_deeper() -> None:
    """Where lists stand beside other values in a list, deeper lists are admitted, not endlessly."""
    guards = Guards.typed([([0, [1, 2]],)])
    assert guards.admits(([[[[1]]]],))
    deep: Any = [1]
    for _ in range(12):
        deep = [deep]
    assert not guards.admits((deep,))


def test_a_precondition_decides_which_guards_a_task_gets() -> None:
    """With a precondition values are left to it; without one the base inputs bind."""
    base = tuple(Case(arguments) for arguments in INTS)
    task = Task("T/1", "def f(x):\n", "f", "def f(x):\n    return x\n", base)
    assert not Guards.of_task(task).admits(([-1],))
    contract = "def precondition(x):\n    assert x\n"
    bound = Task("T/1", task.prompt, "f", task.reference, base, contract=contract)
    assert Guards.of_task(bound).admits(([-1],))


def test_no_base_input_is_an_input_error() -> None:
    """Nothing can be inferred from nothing, and the message says what to do."""
    with pytest.raises(InputError, match="no base input"):
        Guards.infer([])


@pytest.mark.parametrize("name", ["HumanEvalPlus", "MbppPlus"])
def test_guards_admit_every_base_input_of_real_tasks(shared: Path, name: str) -> None:
    """No guard refuses an input that it was inferred from."""
    with gzip.open(shared / "datasets" / f"{name}.jsonl.gz", "rt") as rows:
        for row in map(json.loads, rows):
            inputs = row["base_input"]
            base = json.loads(inputs) if isinstance(inputs, str) else inputs
            for guards in (Guards.infer(base), Guards.typed(base)):
                reasons = [guards.explain(arguments) for arguments in base]
                assert reasons == [None] * len(base), row["task_id"]
