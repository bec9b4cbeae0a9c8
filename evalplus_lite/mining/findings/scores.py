"""Scores by model, package, construct and function, and what they cost (table 1, figures 3, 4)."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from statistics import StatisticsError, fmean, linear_regression, median, pstdev, stdev
from typing import Any

from evalplus_lite.llm import Prices
from evalplus_lite.mining.asking.score_tables import consistency_of
from evalplus_lite.mining.findings.answers import ALL_MODELS, Material, ModelGrades, share
from evalplus_lite.mining.statistics.measures import FEATURES
from evalplus_lite.statistics.means import difference_of_shares, noise

Row = dict[str, Any]
HISTOGRAM = 10
"""Bars of the histogram of functions' pass rates."""
EASY = 0.8
"""Pass rate from which a function with many calls stands in the table of figure 7."""
MOST_CALLED = 10


def model_rows(material: Material, prices: Mapping[str, Prices]) -> Iterator[Row]:
    """Yield a row a model: table 1, functions' mean and sigma, runs, tokens and cost."""
    for model in material.models:
        rates = material.rates[model.label]
        whole = share(rates, rates, material.tasks)
        if whole is None:
            continue
        failing = share(
            rates, [place for place in rates if place in material.errors], material.tasks
        )
        tokens = model.prompt_tokens + model.completion_tokens
        price = prices.get(model.label)
        yield {
            "model": model.label,
            "predictions": model.asked,
            "unreadable": model.unreadable,
            "retried": model.retried,
            "undecided": model.undecided,
            "all": whole.to_json(),
            "errors": None if failing is None else failing.to_json(),
            "functions": _functions(rates),
            "runs": _runs(model),
            "tokens": {
                "prompt": model.prompt_tokens,
                "completion": model.completion_tokens,
                "a_prediction": tokens / model.asked if model.asked else 0.0,
            },
            "cost": None
            if price is None
            else (model.prompt_tokens * price.prompt + model.completion_tokens * price.completion)
            / 1e6,
        }


def _functions(rates: Mapping[tuple[str, int], float]) -> Row:
    """Return mean and deviation of the functions' pass rates, and a histogram of them."""
    found: dict[str, list[float]] = defaultdict(list)
    for (id, _), rate in rates.items():
        found[id].append(rate)
    means = [fmean(some) for some in found.values()]
    bars = Counter(min(HISTOGRAM - 1, int(HISTOGRAM * mean + 1e-9)) for mean in means)
    return {
        "count": len(means),
        "mean": fmean(means),
        "sigma": pstdev(means),
        "histogram": [bars[number] for number in range(HISTOGRAM)],
    }


def _runs(model: ModelGrades) -> Row | None:
    """Return how runs of one model differ: each one's pass@1, their deviation; None for one run.

    ``within`` and ``between`` are the variances of a case's answers and of the cases' rates; the
    second is an estimate, which may come out below zero where it is nearly that, and is zero then.
    """
    if len(model.runs) < 2:
        return None
    scores = [fmean(graded.values()) for _, graded in sorted(model.runs.items())]
    split = noise({f"{id}\n{case}": count for (id, case), count in model.counts().items()})
    return {
        "pass@1": scores,
        "deviation": stdev(scores),
        "within": None if split is None else split.within,
        "between": None if split is None else max(0.0, split.between),
    }


def question_rows(material: Material) -> Iterator[Row]:
    """Yield a row a model that was asked about moments of runs: rates by kind, and consistency."""
    asked = {id: task.facts["question"] for id, task in material.tasks.items()
             if "question" in task.facts}  # fmt: skip
    for model in material.models:
        moments: dict[tuple[str, str, int], dict[str, bool]] = defaultdict(dict)
        for run, graded in model.runs.items():
            for (id, _), is_right in graded.items():
                if "moment" in asked.get(id, {}):
                    moment = material.tasks[id].function_id, asked[id]["moment"], run
                    moments[moment][asked[id]["kind"]] = is_right
        rates = model.rates()
        kinds = sorted({str(asked[id]["kind"]) for id, _ in rates if id in asked})
        shares = {
            kind: share(
                rates, [p for p in rates if asked.get(p[0], {}).get("kind") == kind], material.tasks
            )
            for kind in kinds
        }
        found = consistency_of(moments)
        if kinds:
            yield {
                "model": model.label,
                "kinds": {kind: each.to_json() for kind, each in shares.items() if each},
                "consistency": None if found is None else found.to_json(),
            }


def package_rows(material: Material) -> Iterator[Row]:
    """Yield a row a package, the one with most cases first: pass@1 of each model, and their mean.

    The mean counts each model the same, however many cases it answered.
    """
    members = defaultdict(list)
    for place in material.answered:
        members[material.package(place)].append(place)
    for name, places in sorted(members.items(), key=lambda item: (-len(item[1]), item[0])):
        shares = {
            label: share(rates, places, material.tasks) for label, rates in material.rates.items()
        }
        own = [shares[model.label] for model in material.models]
        means = [each.mean for each in own if each is not None]
        yield {
            "package": name,
            "cases": len(places),
            "functions": len({id for id, _ in places}),
            "errors": sum(place in material.errors for place in places),
            "mean": fmean(means),
            "models": {label: each and each.to_json() for label, each in shares.items()},
        }


def repositories(material: Material) -> Row:
    """Return the cases of each package by rank, and the line over the rank's logarithm."""
    cases: Counter[str] = Counter()
    functions: Counter[str] = Counter()
    for task in material.tasks.values():
        name = str(task.facts.get("package", "-"))
        cases[name] += len(task.cases)
        functions[name] += 1
    ranked = sorted(cases.items(), key=lambda item: (-item[1], item[0]))
    return {
        "packages": [
            {"package": name, "cases": count, "functions": functions[name]}
            for name, count in ranked
        ],
        "falloff": _falloff([count for _, count in ranked]),
    }


def _falloff(counts: list[int]) -> Row | None:
    """Return the line ``cases = intercept + slope * log10(rank)`` and its R squared."""
    if len(counts) < 3:
        return None
    ranks = [math.log10(rank) for rank in range(1, len(counts) + 1)]
    try:
        slope, intercept = linear_regression(ranks, counts)
    except StatisticsError:
        return None
    mean = fmean(counts)
    spread = sum((count - mean) ** 2 for count in counts)
    rest = sum((c - intercept - slope * r) ** 2 for c, r in zip(counts, ranks, strict=True))
    return {"intercept": intercept, "slope": slope, "r2": 1 - rest / spread if spread else 1.0}


def construct_rows(material: Material) -> Iterator[Row]:
    """Yield a row a construct and model: pass@1 with it and without, and how much they differ.

    Several constructs go together with longer programs: a difference is no cause.
    """
    for name in FEATURES:
        chosen = {id for id, found in material.constructs.items() if name in found}
        have = [place for place in material.answered if place[0] in chosen]
        lack = [place for place in material.answered if place[0] in material.constructs
                and place[0] not in chosen]  # fmt: skip
        for label, rates in material.rates.items():
            with_it, without = (share(rates, each, material.tasks) for each in (have, lack))
            if with_it is None:
                continue
            yield {
                "construct": name,
                "model": label,
                "with": with_it.to_json(),
                "without": None if without is None else without.to_json(),
                "difference": None if without is None else with_it.mean - without.mean,
                "interval": None
                if without is None
                else list(
                    difference_of_shares(
                        (with_it.mean, with_it.interval), (without.mean, without.interval)
                    )
                ),
            }


def called_most(material: Material) -> list[Row]:
    """Return the functions with most calls among those that models answer well (figure 7)."""
    first = next(iter(material.rates.values()), {})
    rates, calls = defaultdict(list), defaultdict(list)
    for place, rate in first.items():
        rates[place[0]].append(rate)
        if "run: calls" in material.measures[place]:
            calls[place[0]].append(material.measures[place]["run: calls"])
    rows: list[Row] = [
        {"function": id, "calls": median(calls[id]), "cases": len(some), "pass@1": fmean(some)}
        for id, some in rates.items()
        if calls[id] and fmean(some) >= EASY
    ]
    rows.sort(key=lambda row: (-row["calls"], row["function"]))
    return rows[:MOST_CALLED]


def is_same_cases(material: Material) -> bool:
    """Return whether all models answered the same cases."""
    asked = [set(rates) for label, rates in material.rates.items() if label != ALL_MODELS]
    return all(each == asked[0] for each in asked)
