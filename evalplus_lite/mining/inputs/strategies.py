"""Hypothesis strategies from accepted types, and examples drawn from them by seed.

Hypothesis would also draw constants from whatever modules of the user's happen to be loaded,
which would make a data set depend on the checkout it was made in: its provider is used here
without them.
"""

from __future__ import annotations

import re
import warnings
from typing import Any, Literal

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import HypothesisException
from hypothesis.internal.conjecture import providers

from evalplus_lite.mining.inputs.value_pool import Material
from evalplus_lite.mining.running.runs import Call
from evalplus_lite.mining.selecting.annotations import Type
from evalplus_lite.mining.selecting.candidates import Signature
from evalplus_lite.types import Value

_BACKEND = "evalplus-lite-plain"
_SURROGATES: tuple[Literal["Cs"], ...] = ("Cs",)
_ANY = st.characters(exclude_categories=_SURROGATES)
"""What UTF-8 can say. Hypothesis' own default is the same, but takes 200 MB to work out."""
_TEXT = st.text(st.characters(exclude_categories=("Cs", "Cn", "Co")), max_size=30)


class PlainProvider(providers.HypothesisProvider):
    """Hypothesis' own choices, with no constants from local modules."""

    @property
    def _local_constants(self) -> Any:
        return type(providers._local_constants)()


providers.AVAILABLE_PROVIDERS[_BACKEND] = f"{__name__}.PlainProvider"


def draw_calls(signature: Signature, material: Material, *, count: int, seed_: str) -> list[Call]:
    """Return up to ``count`` distinct calls drawn by Hypothesis; the same seed, the same calls."""
    parameters = [p for p in signature.parameters if p.kind in ("positional", "keyword")]
    built = {p.name: strategy_of(p.type, material) for p in parameters}
    positional = [p.name for p in parameters if p.kind == "positional"]
    found: dict[str, Call] = {}

    @seed(int.from_bytes(seed_.encode()[-12:], "big"))
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        backend=_BACKEND,
    )
    @given(st.fixed_dictionaries(built))
    def collect(values: dict[str, Value]) -> None:
        args = tuple(values[name] for name in positional)
        call = Call(args, {k: v for k, v in values.items() if k not in positional})
        found.setdefault(call.key, call)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Hypothesis' advice to people writing tests
        try:
            collect()
        except (HypothesisException, re.error, RecursionError):
            return list(found.values())
    return list(found.values())


def strategy_of(kind: Type, material: Material) -> st.SearchStrategy[Any]:
    """Return the strategy of a type; strings know the regular expressions of the code."""
    arguments = [strategy_of(a, material) for a in kind.arguments]
    item = arguments[0] if arguments else st.one_of(st.integers(-99, 99), _TEXT)
    match kind.kind:
        case "none":
            return st.none()
        case "literal":
            return st.sampled_from(kind.values)
        case "union":
            return st.one_of(arguments)
        case "bool":
            return st.booleans()
        case "int":
            known = [st.sampled_from(material.integers)] if material.integers else []
            return st.one_of(st.integers(-1000, 1000), st.integers(-(2**63), 2**63), *known)
        case "float":
            return st.floats(allow_nan=False, allow_infinity=False, width=32)
        case "str":
            return st.one_of(_TEXT, *_matching(material))
        case "bytes":
            return st.binary(max_size=20)
        case "date":
            return st.dates().map(lambda day: day.isoformat())
        case "datetime":
            return st.datetimes().map(lambda moment: moment.isoformat())
        case "dict" | "mapping":
            if len(arguments) == 2:
                key = strategy_of(_frozen(kind.arguments[0]), material)
                return st.dictionaries(key, arguments[1], max_size=6)
            return st.dictionaries(_TEXT, st.one_of(st.integers(), _TEXT), max_size=6)
        case "tuple" if arguments and not kind.variadic:
            return st.tuples(*arguments)
        case "tuple":
            return st.lists(item, max_size=8).map(tuple)
        case "set":
            return st.sets(item, max_size=8)
        case "frozenset":
            return st.frozensets(item, max_size=8)
        case "any" | "object":
            return st.one_of(st.none(), st.booleans(), st.integers(), _TEXT)
        case _:
            return st.lists(item, max_size=12)


def _matching(material: Material) -> list[st.SearchStrategy[str]]:
    found: list[st.SearchStrategy[str]] = []
    for pattern in material.patterns[:4]:
        try:
            re.compile(pattern)
        except re.error:
            continue
        found.append(st.from_regex(pattern, alphabet=_ANY).filter(_is_short))
    return found


def _is_short(text: str) -> bool:
    return len(text) < 200 and not any("\ud800" <= letter <= "\udfff" for letter in text)


def _frozen(kind: Type) -> Type:
    return Type("tuple", kind.arguments, variadic=True) if kind.kind == "list" else kind
