"""What the tasks themselves are: their sizes, how cases vary and grow, and how they would chain."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean, median
from typing import Any

from evalplus_lite.generate.domains.annotations import Type
from evalplus_lite.llm import Prices, Usage
from evalplus_lite.mining.tasks.mined import MinedTask

Row = dict[str, Any]
LONGEST_CHAIN = 5
PAPER: Mapping[str, Mapping[str, float]] = {
    "call_depth": {"median": 2, "max": 13},
    "identifiers": {"median": 16, "max": 823},
    "ifs": {"median": 1, "max": 63},
}
"""What the paper says of its tasks (section 2.2)."""
PAPER_VARIATION: Mapping[str, float] = {"conditionals": 0.61, "lines": 0.20}
"""The paper's mean coefficients of variation (section 3)."""


def size_rows(tasks: Sequence[MinedTask]) -> Iterator[Row]:
    """Yield median and maximum of each static measure over functions, beside the paper's."""
    statics = [task.facts.get("static", {}) for task in tasks]
    for name in ("lines", "call_depth", "identifiers", "ifs", "cyclomatic"):
        values = [each[name] for each in statics if isinstance(each.get(name), int | float)]
        if values:
            known = PAPER.get(name, {})
            yield {"measure": name, "median": median(values), "max": max(values),
                   "paper_median": known.get("median"), "paper_max": known.get("max")}  # fmt: skip
    lengths = [len(task.code) for task in tasks]
    if lengths:
        yield {"measure": "characters of code", "median": median(lengths), "max": max(lengths),
               "paper_median": None, "paper_max": None}  # fmt: skip


def variation_rows(tasks: Sequence[MinedTask]) -> Iterator[Row]:
    """Yield the mean coefficient of variation of each runtime counter over functions' cases."""
    found: dict[str, list[float]] = defaultdict(list)
    for task in tasks:
        for name, value in task.facts.get("variation", {}).items():
            if isinstance(value, int | float):
                found[name].append(value)
    for name, values in sorted(found.items()):
        moving = [value for value in values if value > 0]
        yield {
            "measure": name,
            "mean": fmean(values),
            "functions": len(values),
            "mean_where_any": fmean(moving) if moving else None,
            "paper": PAPER_VARIATION.get(name),
        }


def growth_rows(tasks: Iterable[MinedTask]) -> Iterator[Row]:
    """Yield each batch of each function whose cases grew: cases and tokens so far (figure 6)."""
    for task in tasks:
        tokens = 0
        batches = task.facts.get("generation", {}).get("batches", [])
        for number, batch in enumerate(batches, 1):
            tokens += batch["prompt_tokens"] + batch["completion_tokens"]
            yield {"task_id": task.id, "batch": number, "kept": batch["kept"],
                   "cases": batch["total"], "tokens": tokens}  # fmt: skip


def generation(tasks: Iterable[MinedTask], prices: Mapping[str, Prices]) -> Row | None:
    """Return what models' writing of inputs and types took, in tokens; None where none did.

    ``cost`` is None where the price of a model that did is not known.
    """
    functions, usage = 0, defaultdict[str, Usage](Usage)
    for task in tasks:
        facts = task.facts.get("generation", {})
        typing = task.facts.get("typing", {})
        model = str(facts.get("model", typing.get("model", "")))
        parts = [facts, *facts.get("batches", []), typing]
        asked = [part for part in parts if part.get("prompt_tokens")]
        functions += bool(asked)
        for part in asked:
            usage[model] += Usage(
                prompt_tokens=part["prompt_tokens"],
                completion_tokens=part.get("completion_tokens", 0),
            )
    if not usage:
        return None
    is_priced = set(usage) <= set(prices)
    return {
        "models": sorted(set(usage) - {""}),
        "functions": functions,
        "prompt": sum(each.prompt_tokens for each in usage.values()),
        "completion": sum(each.completion_tokens for each in usage.values()),
        "cost": sum(u.cost(prices[name]) for name, u in usage.items()) if is_priced else None,
    }


def chaining(tasks: Sequence[MinedTask]) -> Row | None:
    """Return how many tasks chains of k functions could give: the paper's bound, and by type.

    The bound is ``n**2 * T_max**k * C``: n types, at most T_max functions from one type to another,
    C cases a function. ``exact`` counts the sequences whose types fit, times C. Only functions that
    can be called with one argument count. None without signatures.
    """
    steps: Counter[tuple[Type, Type]] = Counter()
    cases = []
    for task in tasks:
        if "signature" not in task.facts or not task.cases:
            continue
        signature = task.signature
        given = signature.parameters
        if given and given[0].kind == "positional" and not any(p.is_required for p in given[1:]):
            steps[given[0].type, signature.result] += 1
            cases.append(len(task.cases))
    if not steps:
        return None
    types = {each for pair in steps for each in pair}
    most, mean = max(steps.values()), fmean(cases)
    ends: Counter[Type] = Counter()
    for (_, result), count in steps.items():
        ends[result] += count
    rows = []
    for k in range(2, LONGEST_CHAIN + 1):
        further: Counter[Type] = Counter()
        for (wanted, result), count in steps.items():
            further[result] += ends[wanted] * count
        ends = further
        exact = sum(ends.values())
        rows.append({"k": k, "bound": len(types) ** 2 * most**k * mean, "chains": exact,
                     "exact": exact * mean})  # fmt: skip
    return {"functions": len(cases), "types": len(types), "most": most, "cases": mean,
            "chains": rows}  # fmt: skip
