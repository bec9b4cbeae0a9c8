"""The generator keeps its promises: new, admitted, traceable, balanced, finite."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from evalplus_lite.generate.domains.constants import Constants
from evalplus_lite.generate.domains.filter import InputFilter
from evalplus_lite.generate.engine.generator import GENERIC, Generator
from evalplus_lite.generate.engine.pool import Mix
from evalplus_lite.generate.engine.scale import largest_magnitude, largest_size, weight
from evalplus_lite.generate.engine.slots import GenerationState, Slot
from evalplus_lite.generate.operators.registry import OPERATORS
from evalplus_lite.jobs.augmented_task import generator_of
from evalplus_lite.sandbox import Sandbox
from evalplus_lite.types import Case, Harness, Task, Value
from evalplus_lite.values.identity import key

BASE = [Case(([1, 2, 3], "ab c")), Case(([4], "d")), Case(([7, 7], "e f"))]


def generator(base: list[Case] = BASE, **options: Any) -> Generator:
    options.setdefault("input_filter", InputFilter.typed([case.arguments for case in base]))
    options.setdefault("rng", random.Random("0:T/1"))
    options.setdefault("constants", Constants.of_values([42, "kept"]))
    return Generator(base, **options)


def grow(made: Generator, rounds: int = 6, size: int = 50) -> list[Case]:
    """Return what a caller who keeps every second proposal ends up with."""
    accepted: list[Case] = []
    for _ in range(rounds):
        batch = made.propose(size)
        made.feedback(batch[::2])
        accepted += batch[::2]
    return accepted


def test_every_proposal_is_admitted_by_inferred_guards() -> None:
    """Relations included; that proposals are new is a law in ``property/``."""
    base = [Case(([n] * size, [size] * size)) for n in range(3) for size in (1, 2, 3)]
    input_filter = InputFilter.infer([case.arguments for case in base])
    made = generator(base, input_filter=input_filter)
    batch = made.propose(200)
    assert len(batch) > 50
    assert all(len(case.arguments[0]) == len(case.arguments[1]) > 0 for case in batch)
    assert all(input_filter.admits(case.arguments) for case in batch)


def test_provenance_names_source_parent_and_operators() -> None:
    """Each case says where it came from; parents are positions of cases already in the suite."""
    made = generator()
    suite = list(BASE)
    names = {each.name for kind in OPERATORS for each in OPERATORS[kind]}
    for _ in range(5):
        batch = made.propose(40)
        for case in batch:
            if case.source == "random":
                assert (case.parent, case.operators) == (None, ())
                continue
            assert case.source in {"mutation", "constant", "boundary"}
            assert case.parent is not None
            assert 0 <= case.parent < len(suite)
            assert case.operators
            for name in case.operators:
                assert name in names or name.split(".")[0] in {"boundary", "fresh"}
        made.feedback(batch[::2])
        suite += batch[::2]


def test_single_changes_lead_back_to_the_parent() -> None:
    """What one operator changed in one argument left the parent's other arguments alone."""
    made = generator()
    suite = list(BASE)
    checked = 0
    for _ in range(4):
        batch = made.propose(50)
        for case in batch:
            if case.operators in {("str.remove",), ("str.repeat",)}:
                assert case.parent is not None
                assert case.arguments[0] == suite[case.parent].arguments[0]
                checked += 1
        made.feedback(batch)
        suite += batch
    assert checked


def test_seeds_are_proposed_first_and_as_they_are() -> None:
    """They come before anything made; one of a wrong type or a known input is left out."""
    seeds = [Case(([9, 9], "seed"), "llm"), Case(([], ""), "docstring")]
    others = [Case(("wrong", "type"), "llm"), Case(BASE[0].arguments, "docstring")]
    first, second, *rest = generator(seeds=[*others, *seeds]).propose(10)
    assert [first, second] == seeds
    assert all(case.source not in {"llm", "docstring"} for case in rest)


def test_budget_is_split_between_the_sources() -> None:
    """Half or so comes from near the seeds, and every source has a part."""
    sampled = [Case(([n], "h" * n), "hypothesis") for n in range(100)]
    counts = Counter(case.source for case in grow(generator(sampled=sampled), 8))
    total = sum(counts.values())
    assert 0.35 < counts["mutation"] / total < 0.65
    assert counts["constant"] > 0.08 * total
    assert counts["boundary"] > 0.08 * total
    assert counts["hypothesis"] > 0


def test_a_source_can_be_switched_off() -> None:
    """A share of nothing proposes nothing."""
    made = generator(mix=Mix(mutation=1.0, constant=0.0, boundary=0.0, hypothesis=0.0))
    assert {case.source for case in made.propose(50)} == {"mutation"}


def test_constants_of_the_task_come_up() -> None:
    """A number and a word of the task's text appear among the inputs, of which none comes twice."""
    cases = grow(generator())
    assert len({key(case.arguments) for case in [*BASE, *cases]}) == len(BASE) + 6 * 25
    assert any(42 in case.arguments[0] for case in cases)
    assert any("kept" in case.arguments[1] for case in cases)


@pytest.mark.parametrize(
    ("base", "most"),
    [([Case((True,))], 1), ([Case((None,))], 0), ([Case(())], 0), ([Case((True, False))], 3)],
)
def test_small_domains_are_exhausted_and_the_generator_ends(base: list[Case], most: int) -> None:
    """Where hardly any input exists all are found, and then nothing more is proposed."""
    made = generator(base)
    found = made.propose(50)
    made.feedback(found)
    assert len(found) == most
    assert made.propose(50) == []


def test_slow_inputs_keep_later_ones_smaller() -> None:
    """After an input was too slow for its size, larger ones are no longer made."""
    made = generator([Case((5,)), Case((30,))])
    batch = made.propose(80)
    large = [case for case in batch if largest_magnitude(case.arguments) >= 1000]
    assert large
    made.feedback([case for case in batch if case not in large], slow=large)
    limit = min(largest_magnitude(case.arguments) for case in large)
    assert all(largest_magnitude(case.arguments) < limit for case in made.propose(80))


def test_numbers_grow_step_by_step_while_they_are_kept() -> None:
    """Without slow inputs the reach grows to numbers that no base input came near."""
    made = generator([Case((5,)), Case((30,))])
    first = made.propose(60)
    assert max(largest_magnitude(case.arguments) for case in first) <= 10_000
    made.feedback(first)
    for _ in range(4):
        made.feedback(made.propose(60))
    assert max(largest_magnitude(case.arguments) for case in made.propose(60)) > 10**9


def test_lengths_stay_bounded() -> None:
    """Repeated doubling and repeating does not make inputs ever longer."""
    cases = grow(generator(), rounds=20)
    assert max(largest_size(case.arguments) for case in cases) <= 100


def test_same_seed_makes_the_same_cases() -> None:
    """Two generators with equal arguments and feedback go through the same cases."""
    assert grow(generator()) == grow(generator())
    assert grow(generator()) != grow(generator(rng=random.Random("1:T/1")))


def test_cases_of_others_become_part_of_the_suite() -> None:
    """A case reported as kept that was never proposed counts as known, and as a parent."""
    made = generator()
    other = Case(([8, 8, 8], "other"), "llm")
    made.feedback([other])
    later = [made.propose(50) for _ in range(3)]
    assert all(case.arguments != other.arguments for batch in later for case in batch)
    assert any(case.parent == len(BASE) for batch in later for case in batch)


# Fresh values fit their place, and come in the plans that tests are written by.


def sample(*seen: Value, count: int = 2000, inferred: bool = False) -> list[Any]:
    base = [(value,) for value in seen]
    input_filter = InputFilter.infer(base) if inferred else InputFilter.typed(base)
    state = GenerationState(random.Random(5).random, Constants(tokens=("?",)), max_magnitude=10**6)
    slot = Slot(input_filter.domains[0], input_filter.profiles[0], state)
    for value in seen:
        slot.learn(value)
    made = [slot.sample() for _ in range(count)]
    assert all(type(value) in slot.domain.kinds for value in made)
    return made


def test_brackets_come_balanced_and_with_one_fault() -> None:
    """Where brackets were seen, nested balanced strings are made."""
    made = sample("()", "(())()")
    assert "(()())" in made
    assert any(text.count("(") != text.count(")") for text in made)


def test_formatted_strings_are_refilled() -> None:
    """Strings of a common form are made anew in that form, other numerals in place."""
    made = sample("03-11-2000", "15-01-2012", "04-30-2040")
    alike = {text for text in made if len(text) == 10 and text[2] == text[5] == "-"}
    assert len(alike) > 200


def test_lists_repeat_ascend_and_mirror() -> None:
    """Duplicates, permutations of consecutive numbers and sorted lists all come up."""
    made = [value for value in sample([5, 3, 9], [1]) if len(value) > 3]
    assert any(len(set(value)) == 1 for value in made)
    assert any(sorted(value) == list(range(min(value), max(value) + 1)) for value in made)
    assert any(value == sorted(value) for value in made)
    assert any(text == text[::-1] and len(text) > 3 for text in sample("abc"))


def test_tables_stay_square() -> None:
    """Where all tables were square, fresh ones are."""
    for table in sample(
        [[1, 2], [3, 4]], [[5, 6], [7, 8]], [[1, 2, 3], [4, 5, 6], [7, 8, 9]], count=300
    ):
        assert all(len(row) == len(table) for row in table)


@pytest.mark.parametrize(
    "seen",
    [
        (5, 80),
        (-3, 7),
        (0.25, 9.5),
        ([2, 3], [4]),
        ({"a": 1}, {"b": 2}),
        ({1, 2}, {3}),
        ((1, "a"), (2, "b")),
        ([True], [False, None]),
        (b"ab", b""),
        (1j, 2j),
    ],
)
def test_fresh_values_fit_inferred_domains_mostly(seen: tuple[Value, ...]) -> None:
    """Bounds are respected by construction, not only by the guards afterwards."""
    input_filter = InputFilter.infer([(value,) for value in seen])
    made = sample(*seen, inferred=True, count=500)
    fitting = sum(input_filter.admits((value,)) for value in made)
    assert fitting > 0.9 * len(made)


# Arguments that are code: chosen among texts, never changed within.

OWN = ("lambda x: x > 1", "bool", "lambda x: x % 2")


def proposed(sandbox: Sandbox, *arguments: Any, place: int, count: int = 60) -> list[Case]:
    base = tuple(map(Case, arguments))
    task = Task("t", "", "f", "def f(*a): return a", base, harness=Harness(code=(place,)))
    generator = generator_of(sandbox, task, base, 0, (), is_own=False)
    found = generator.propose(count // 2)
    generator.feedback(found)
    assert not any(
        0 in map(int, relation.positions) for relation in generator.input_filter.relations
    )
    return [*found, *generator.propose(count // 2), *(r.case for r in generator.ladder(base))]


def test_code_is_chosen_and_the_rest_made(sandbox: Sandbox) -> None:
    """Each text is a known one or generic; other arguments are new; no case comes twice."""
    base = [(text, [n, n + 3]) for n, text in enumerate(OWN)]
    found = proposed(sandbox, *base, place=0)
    texts = {case.arguments[0] for case in found}
    assert texts <= {*OWN, *GENERIC}
    assert texts > set(OWN)
    assert len({repr(case.arguments) for case in [*map(Case, base), *found]}) == 3 + len(found)
    assert len({repr(case.arguments[1]) for case in found}) > 10


def test_lists_of_code_are_chosen_whole(sandbox: Sandbox) -> None:
    """A list of functions stays as it was given; there is no generic one."""
    base = [(1, ["str", "len"]), (2, ["abs"])]
    found = proposed(sandbox, *base, place=1)
    assert {repr(case.arguments[1]) for case in found} == {repr(b) for _, b in base}


def test_deep_inputs_are_measured() -> None:
    """An input may nest as deeply as the wire form allows, and deeper."""
    value: Value = ["ab", 7]
    for _ in range(2000):
        value = [value]
    assert (largest_size([value]), largest_magnitude(value), weight(value)) == (2, 7, 2004)
