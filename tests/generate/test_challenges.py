"""Challenges: kinds of inputs that testers know, up to what is accepted, each under its name."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

from evalplus_lite.generate.domains.filter import InputFilter
from evalplus_lite.generate.engine.generator import Generator
from evalplus_lite.generate.engine.pool import Mix
from evalplus_lite.generate.engine.scale import RUNGS, Dimension, log_uniform, weight
from evalplus_lite.types import Case
from evalplus_lite.values.identity import key

NUMBERS = [([1, 2, 3, 4],), ([9, 7, 5],), ([2],), ([-1, 3, 3],)]
NESTED = [([[1, 2], [3]],), ([[9], [7, 5]],), ([[2, 2, 2]],)]
TEXTS = [("Hello, world",), ("a b c",), ("(x)",), ("",)]
PLAIN = dict.fromkeys(("mutation", "constant", "boundary", "hypothesis"), 0.0)


def challenging(base: list[tuple[Any, ...]], **shares: float) -> Generator:
    """Return a generator of challenges alone, whose contract is all that limits it."""
    typed = InputFilter.typed(base)
    opened = InputFilter(typed.profiles, tuple(d.opened() for d in typed.domains), typed.arities)
    return Generator(
        [Case(arguments) for arguments in base],
        input_filter=opened,
        rng=random.Random("0"),
        mix=Mix(**{**PLAIN, **shares}),
        is_challenging=True,
    )


def climbed(made: Generator, is_accepted: Callable[[Any], bool] = lambda argument: True) -> None:
    """Have the generator learn its ladders, as probing does."""
    for rung in made.ladder([Case(each) for each in NUMBERS]):
        found = made.scales.ranges[rung.dimension]
        found.learn(rung.level, accepted=is_accepted(rung.case.arguments[0]), slow=False)
    made.scales.settle()


def drawn(made: Generator, count: int = 300) -> list[Any]:
    return [case.arguments[0] for case in made.propose(count)]


def test_each_kind_has_its_name() -> None:
    """The share of each kind among the inputs can be counted, with how each was made."""
    found = challenging(NUMBERS).propose(200)
    kinds = Counter(case.source for case in found)
    assert {"magnitude", "length"} <= kinds.keys()
    assert all(case.operators[0].partition(".")[2] for case in found)


def test_sizes_go_as_far_as_is_accepted() -> None:
    """Long lists and large numbers come once the ladder has found them usable."""
    made = challenging(NUMBERS)
    climbed(made)
    found = drawn(made)
    assert max(map(len, found)) > 500
    assert max(abs(n) for each in found for n in each if type(n) is int) > 10**20
    assert sum(len(each) > 300 for each in found) < len(found) / 2, "most are moderate"


def test_a_contract_bounds_a_dimension() -> None:
    """Where the ladder ends at a contract, sizes stay near; other dimensions go on."""
    made = challenging(NUMBERS, length=1.0)
    climbed(made, lambda argument: len(argument) <= 150)
    facts = {each["way"]: each for each in made.scales.facts()}
    assert facts["length"]["bound"] == "contract"
    assert facts["length"]["largest"] == 100
    assert max(map(len, drawn(made, 100))) <= 310
    assert made.scales.ranges[Dimension(0, "magnitude")].bound == "end"


def test_after_a_slow_input_its_dimension_stays_below() -> None:
    """A slow list makes later ones shorter, while numbers are as large as before."""
    made = challenging(NUMBERS, length=0.5, magnitude=0.5)
    climbed(made)
    batch = made.propose(80)
    limit = 150
    slow = [case for case in batch if case.source == "length" and len(case.arguments[0]) > limit]
    kept = [case for case in batch if case not in slow]
    made.feedback(kept, slow=slow)
    after = made.propose(120)
    shortest = min(len(case.arguments[0]) for case in slow)
    assert all(len(c.arguments[0]) <= shortest + 2 for c in after if c.source == "length")
    assert max(abs(n) for c in after for n in c.arguments[0] if type(n) is int) > 10**20


def test_large_inputs_are_not_built_on() -> None:
    """They would have many large children."""
    made = challenging(NUMBERS, length=1.0, magnitude=0.0)
    climbed(made)
    batch = made.propose(60)
    assert any(weight(case.arguments) > 400 for case in batch)
    made.feedback(batch)
    assert all(weight(made.pool.pick()[1]) <= 400 for _ in range(500))


def test_arguments_of_one_length_stay_so() -> None:
    """There are inputs with all arguments long at once, as a contract may ask for."""
    pairs = [([1, 2], [3, 4]), ([1], [2]), ([5, 6, 7], [1, 1, 1])]
    made = challenging(pairs)
    rungs = made.ladder([Case(each) for each in pairs])
    assert any(len(r.case.arguments[0]) == len(r.case.arguments[1]) >= 900 for r in rungs)


def test_without_a_contract_a_domain_stays_closed() -> None:
    """Neither letters nor types that were not seen are proposed where no contract takes them."""
    inferred = InputFilter.infer(NUMBERS)
    assert inferred.explain(([0.5],)) is not None
    assert InputFilter.typed(TEXTS).explain(("é",)) is not None


def test_sizes_are_drawn_log_uniformly() -> None:
    """Every order of magnitude comes up, within the bounds."""
    rng = random.Random(1)
    found = [log_uniform(rng.random, 3, 10**30) for _ in range(3000)]
    assert 3 <= min(found) <= max(found) <= 10**30
    digits = Counter(len(str(each)) // 5 for each in found)
    assert min(digits[at] for at in range(6)) > 300


def test_ladders_repeat_no_input() -> None:
    """What a ladder holds was not proposed before, and is not proposed again."""
    made = challenging(NUMBERS)
    rungs = {key(rung.case.arguments) for rung in made.ladder([Case(each) for each in NUMBERS])}
    assert len(rungs) > len(RUNGS["length"])
    assert not rungs & {key(case.arguments) for case in made.propose(300)}


def test_a_slow_rung_leaves_a_wide_berth() -> None:
    """Sizes stay far below what was slow: there are few slow inputs in all."""
    made = challenging([([1] * 10,)])
    found = made.scales.ranges[Dimension(0, "length")]
    found.learn(0, accepted=True, slow=False)
    found.learn(2, accepted=False, slow=True)
    made.scales.settle()
    assert found.bound == "time"
    rng = random.Random(1)
    assert max(found.draw(rng.random) for _ in range(300)) < RUNGS["length"][0]
