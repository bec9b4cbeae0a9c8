"""What is overridden of Hypothesis is still there, and still what it was."""

from __future__ import annotations

import inspect
import types

import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st
from hypothesis.internal.conjecture import providers

from evalplus_lite.generate import strategies as generating
from evalplus_lite.generate.domains.filter import InputFilter

PROVIDER = generating._Isolated


def test_every_overridden_hook_exists() -> None:
    """A hook that Hypothesis renames or drops would be overridden in vain."""
    names = [name for name in vars(PROVIDER) if not name.startswith("__")]
    assert names
    for name in names:
        ours = inspect.getattr_static(PROVIDER, name)
        theirs = inspect.getattr_static(providers.HypothesisProvider, name)
        assert isinstance(theirs, types.FunctionType) == isinstance(ours, types.FunctionType)


def test_overriding_keeps_constants_of_other_modules_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Though Hypothesis finds constants in the modules around it, none of them is drawn."""
    strange = 918_273_645
    input_filter = InputFilter.typed([(1,), (-5,)])
    before = generating.sampled(input_filter, count=200, seed="x")
    constants = type(providers._local_constants)(integers={strange})
    monkeypatch.setattr(providers, "_get_local_constants", lambda: constants)
    monkeypatch.setattr(providers, "CONSTANTS_CACHE", {})
    monkeypatch.setitem(providers.AVAILABLE_PROVIDERS, "usual", providers.HypothesisProvider)
    monkeypatch.setitem(providers.AVAILABLE_PROVIDERS, "ours", PROVIDER)
    assert strange in drawn("usual")
    assert strange not in drawn("ours")
    providers.CONSTANTS_CACHE.clear()
    assert generating.sampled(input_filter, count=200, seed="x") == before


def drawn(backend: str) -> list[int]:
    """Return integers that a backend draws."""
    found: list[int] = []

    def collect(numbers: list[int]) -> None:
        found.extend(numbers)

    providers.CONSTANTS_CACHE.clear()
    plan = settings(backend=backend, database=None, max_examples=200)
    seed(0)(plan(given(st.lists(st.integers()))(collect)))()
    return found
