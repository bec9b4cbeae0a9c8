"""Promises that are not understood: which inputs they make doubtful."""

from __future__ import annotations

import pytest

from evalplus_lite.generate.domains.promises import Promise

EXAMPLES = [({"name": "x", "tags": {"a": 1}}, "/"), ({"name": "y", "tags": {"b": 2}}, ".")]


@pytest.mark.parametrize(
    ("text", "arguments", "is_doubtful"),
    [
        (
            "Keys never contain the separator.",
            ({"name": "x", "a": 5, "tags": {"b": 1}}, "."),
            False,
        ),
        ("Keys never contain the separator.", ({"name": "x", "a.b": 5}, "."), True),
        ("Keys never contain the separator.", ({"name": "x"}, "a"), True),
        ("The name is always known.", ({"name": "y", "tags": {"c": 9}}, "+"), False),
        ("The name is always known.", ({"name": "z", "tags": {}}, "/"), True),
        ("It never gets out of hand.", ({"name": "x", "tags": {"a": 1}}, "/"), False),
        ("It never gets out of hand.", ({"name": "x", "tags": {"a": 2}}, "/"), True),
        ("It is guaranteed that sep fits.", ({"name": "x", "tags": {"a": 2}}, "/"), True),
    ],
)
def test_a_promise_binds_what_it_names(
    text: str, arguments: tuple[object, ...], is_doubtful: bool
) -> None:
    """Parameters, fields and keys that it names look as in the examples; else the whole input."""
    promise = Promise.read(text, ["settings", "sep"], EXAMPLES)
    assert promise.may_exclude(arguments) is is_doubtful
