"""How often 95 % intervals hold the truth: ours, the bootstrap, its corrections, and Student's t.

    python -m scripts.benchmarks.intervals [--rounds N] [--record FILE]

Tasks are drawn from kinds whose mean is known, samples from the tasks; then it is counted in how
many of the rounds an interval holds the mean. The same seed gives the same figures.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from math import comb
from typing import TypeAlias

import numpy as np
from scipy import special, stats

from evalplus_lite.statistics.means import mean_interval
from evalplus_lite.statistics.paired import difference_interval
from scripts.benchmarks.figures import Row, Table, arguments

Array: TypeAlias = "np.ndarray[tuple[int, ...], np.dtype[np.float64]]"
Ends: TypeAlias = tuple[Array, Array]
"""Lower and upper ends, one a round."""
SIZES = (20, 164, 378)
"""Tasks: few, HumanEval's, MBPP+'s."""
DRAWS = 1000
BOOTSTRAPPED = 1000
"""Rounds in which the bootstrap is drawn as well: it is a thousand times the work."""
KINDS = {"all or nothing": (0.3, 0.2), "mostly failed": (0.15, 0.6), "middling": (1.0, 4.0),
         "nearly solved": (0.3, 0.02)}  # fmt: skip
"""Beta distributions of the pass rates of tasks."""
SAMPLED = ((1, 1), (10, 1), (20, 10))
"""Samples a task, and k of pass@k."""
GAPS = {"alike": (0.5, 2.5, 0.0, 0.5), "a little better": (1.0, 2.0, 0.5, 0.5),
        "better": (2.0, 2.0, 1.5, 1.0), "both nearly perfect": (4.0, 2.0, 1.0, 0.5),
        "both weak": (-3.0, 2.0, 0.5, 0.5)}  # fmt: skip
"""Of two models: mean and spread of what tasks ask for, what the second is better by, and how much
that differs from task to task, all in logits."""
Z = 1.959964


def main() -> int:
    """Draw, count and print."""
    parser = arguments(__doc__, workers=False)
    parser.add_argument("--rounds", type=int, default=4000, help="draws of tasks")
    options = parser.parse_args()
    means, gaps = Table(), Table()
    for number in SIZES:
        for samples, k in SAMPLED:
            rows = list(mean_rows(number, samples, k, options.rounds))
            what = f"{samples} a task, pass@{k}"
            means.add(summed(rows, {"tasks": number, "samples": what}))
    for number in SIZES:
        for pair in ((1, 1), (10, 10), (1, 10)):
            rows = list(gap_rows(number, pair, options.rounds))
            what = f"{pair[0]} and {pair[1]} a task"
            gaps.add(summed(rows, {"tasks": number, "samples": what}))
    means.save(options.record, differences={"columns": gaps.columns, "rows": gaps.rows})
    return 0


def mean_rows(number: int, samples: int, k: int, rounds: int) -> Iterator[Row]:
    """Yield for each kind of tasks how often each interval of pass@k holds, and its width."""
    table = np.array([1 - comb(samples - c, k) / comb(samples, k) for c in range(samples + 1)])
    for place, (kind, (a, b)) in enumerate(KINDS.items()):
        chance = np.random.default_rng([number, samples, k, place])
        values = table[chance.binomial(samples, chance.beta(a, b, (rounds, number)))]
        truth = float(1 - special.beta(a, b + k) / special.beta(a, b))

        def ours(rows: Array) -> Ends:
            return ends(mean_interval(row, samples=samples * number) for row in rows.tolist())

        yield measured(values, truth, ours, chance, {"tasks": number, "samples": samples,
                                                     "k": k, "kind": kind})  # fmt: skip


def gap_rows(number: int, samples: tuple[int, int], rounds: int) -> Iterator[Row]:
    """Yield for each pair of models how often each interval of the difference holds."""
    for place, (kind, facts) in enumerate(GAPS.items()):
        chance = np.random.default_rng([number, *samples, place])
        rates = rates_of(chance, facts, (1000, 10_000))
        truth = float((rates[1] - rates[0]).mean())
        drawn = [chance.binomial(count, rate) / count for count, rate in
                 zip(samples, rates_of(chance, facts, (rounds, number)), strict=True)]  # fmt: skip

        def ours(rows: Array) -> Ends:
            step = 1 / min(samples)
            return ends(difference_interval(row, step=step) for row in rows.tolist())

        told: Row = {"tasks": number, "samples": f"{samples[0]}, {samples[1]}", "k": 1,
                     "kind": kind}  # fmt: skip
        yield measured(drawn[1] - drawn[0], truth, ours, chance, told)


def rates_of(
    chance: np.random.Generator, facts: tuple[float, float, float, float], shape: tuple[int, int]
) -> tuple[Array, Array]:
    """Return the pass rates of two models on tasks that ask the same of both."""
    mean, spread, better, apart = facts
    asked = mean + spread * chance.standard_normal(shape)
    other = asked + better + apart * chance.standard_normal(shape)
    return special.expit(asked), special.expit(other)


def ends(found: Iterator[tuple[float, float]]) -> Ends:
    """Return intervals as arrays of their ends."""
    pairs = np.array(list(found))
    return pairs[:, 0], pairs[:, 1]


def measured(
    values: Array,
    truth: float,
    ours: Callable[[Array], Ends],
    chance: np.random.Generator,
    told: Row,
) -> Row:
    """Return how often each interval of the rounds' means holds the truth, and how wide it is."""
    draws = means_of_draws(values[:BOOTSTRAPPED], chance)
    found = {
        "ours": ours(values),
        "bootstrap": percentiles(draws, np.full(len(draws), 0.025), np.full(len(draws), 0.975)),
        "BCa": corrected(values[:BOOTSTRAPPED], draws),
        "t": students(values),
    }
    row = dict(told) | {"truth": truth}
    for name, (low, high) in found.items():
        row[name] = float(100 * np.mean((low <= truth + 1e-12) & (truth - 1e-12 <= high)))
        row[f"width {name}"] = float(100 * np.mean(np.minimum(high, 1) - np.maximum(low, -1)))
    return row


def means_of_draws(values: Array, chance: np.random.Generator) -> Array:
    """Return the sorted means of the bootstrap's draws of each round."""
    number = values.shape[1]
    weights = chance.multinomial(number, np.full(number, 1 / number), DRAWS) / number
    return np.sort(values @ weights.T, axis=1)


def percentiles(draws: Array, low: Array, high: Array) -> Ends:
    """Return the draws at these shares of them."""
    rounds = np.arange(len(draws))
    places = [np.clip((DRAWS * share).astype(int), 0, DRAWS - 1) for share in (low, high)]
    return draws[rounds, places[0]], draws[rounds, places[1]]


def corrected(values: Array, draws: Array) -> Ends:
    """Return Efron's bias-corrected and accelerated intervals (1987)."""
    means = values.mean(1)
    below = ((draws < means[:, None]).mean(1) + (draws <= means[:, None]).mean(1)) / 2
    bias = stats.norm.ppf(np.clip(below, 1 / DRAWS, 1 - 1 / DRAWS))
    off = values - means[:, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        bend = np.nan_to_num((off**3).sum(1) / (6 * (off**2).sum(1) ** 1.5))
    shares = [stats.norm.cdf(bias + (bias + z) / (1 - bend * (bias + z))) for z in (-Z, Z)]
    return percentiles(draws, shares[0], shares[1])


def students(values: Array) -> Ends:
    """Return Student's intervals of the means over tasks."""
    number = values.shape[1]
    half = stats.t.ppf(0.975, number - 1) * values.std(1, ddof=1) / np.sqrt(number)
    return values.mean(1) - half, values.mean(1) + half


def summed(rows: list[Row], told: Mapping[str, object]) -> Row:
    """Return a line of the page: mean and worst share of rounds that hold, and mean width."""
    found = dict(told)
    for name in ("ours", "bootstrap", "BCa", "t"):
        held = [row[name] for row in rows]
        width = sum(row[f"width {name}"] for row in rows) / len(rows)
        found[name] = f"{sum(held) / len(held):.1f}, {min(held):.1f} ({width:.1f})"
    return found


if __name__ == "__main__":
    sys.exit(main())
