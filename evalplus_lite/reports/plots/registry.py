"""The figures and tables that there are, by name, in the order in which they are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from evalplus_lite.errors import InputError, one_of
from evalplus_lite.reports.plots.costs import cost
from evalplus_lite.reports.plots.execution import execution
from evalplus_lite.reports.plots.material import Material, Product
from evalplus_lite.reports.plots.pass_at_k import models, pass_at_k, scores, temperatures
from evalplus_lite.reports.plots.pass_rates import pass_rates
from evalplus_lite.reports.plots.strength import coverage, strength
from evalplus_lite.reports.plots.suites import reduction, test_counts

MAKERS: Mapping[str, Callable[[Material], Iterator[Product]]] = {
    "scores": scores,
    "models": models,
    "pass-rates": pass_rates,
    "pass-at-k": pass_at_k,
    "temperatures": temperatures,
    "test-counts": test_counts,
    "reduction": reduction,
    "strength": strength,
    "coverage": coverage,
    "cost": cost,
    "execution": execution,
}


def products(material: Material, names: Iterable[str] = ()) -> Iterator[Product]:
    """Yield what can be made of the material, of these names or all, and what cannot."""
    wanted = list(dict.fromkeys(names)) or list(MAKERS)
    for name in wanted:
        if name not in MAKERS:
            raise InputError(f"no figure named {name!r}", remedy=one_of(name, tuple(MAKERS)))
    for name in wanted:
        yield from MAKERS[name](material)
