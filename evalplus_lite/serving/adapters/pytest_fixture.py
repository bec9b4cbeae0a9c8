"""pytest: the fixture ``evalplus_verifier``, once a ``conftest.py`` imports it.

from evalplus_lite.serving.adapters.pytest_fixture import evalplus_verifier

def test_my_model(evalplus_verifier):
    assert evalplus_verifier("tasks.jsonl").verify("Own/0", answer).passed
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

import pytest

from evalplus_lite.verifier import Verifier


@pytest.fixture(scope="session")
def evalplus_verifier() -> Iterator[Callable[..., Verifier]]:
    """Return a function that creates a ``Verifier``, which is closed when the session ends."""
    with contextlib.ExitStack() as stack:
        yield lambda *data, **options: stack.enter_context(Verifier(*data, **options))
