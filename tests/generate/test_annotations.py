"""Signatures in prompts are read as text."""

from __future__ import annotations

import pytest

from evalplus_lite.generate.domains.annotations import ANYTHING, Hint, hints


@pytest.mark.parametrize(
    ("annotation", "hint"),
    [
        ("int", Hint((int,))),
        ("'float'", Hint((float,))),
        ("List[str]", Hint((list,), items=Hint((str,)))),
        ("typing.Sequence[int]", Hint((list,), items=Hint((int,)))),
        ("list[list[int]]", Hint((list,), items=Hint((list,), items=Hint((int,))))),
        ("Dict[str, int]", Hint((dict,), keys=Hint((str,)), values=Hint((int,)))),
        ("Tuple[int, str]", Hint((tuple,), positions=(Hint((int,)), Hint((str,))))),
        ("tuple[int, ...]", Hint((tuple,), items=Hint((int,)))),
        ("Optional[int]", Hint((type(None), int))),
        ("Union[str, int]", Hint((int, str))),
        ("int | None", Hint((type(None), int))),
        ("List[Any]", Hint((list,), items=ANYTHING)),
        ("Callable[[int], int]", Hint()),
        ("Whatever", Hint()),
        ("int | Whatever", Hint()),
    ],
)
def test_annotation_states_types(annotation: str, hint: Hint) -> None:
    """Each usual way to write a type is understood; anything else states nothing."""
    (read,) = hints(f"import x\n\n\ndef f(a: {annotation}):\n    '''Text: more.'''\n", "f")
    assert (sorted(map(str, read.kinds)), read.items, read.keys, read.values, read.positions) == (
        sorted(map(str, hint.kinds)),
        hint.items,
        hint.keys,
        hint.values,
        hint.positions,
    )


def test_signature_over_several_lines_is_read() -> None:
    """Defaults, return types and line breaks do not matter; bare parameters state nothing."""
    prompt = "def g(x):\n    pass\n\ndef f(\n    a: int,\n    b='x',\n) -> Dict[str, int]:\n    1"
    assert hints(prompt, "f") == (Hint((int,)), Hint())


@pytest.mark.parametrize("prompt", ["", "no signature", "def f(a: int", "def ff(a: int):\n"])
def test_no_signature_states_nothing(prompt: str) -> None:
    """A prompt without a readable signature is no error."""
    assert hints(prompt, "f") == ()
