"""Values drawn at random are of the form, from small to large."""

from __future__ import annotations

import random

import pytest

from evalplus_lite.tasks.texts.forms import SCALES, Drawing
from evalplus_lite.tasks.texts.grammar import form_of

TEXTS = {
    "n:1..500\na[n]:-9..9": "2\n1 2\n",
    "h w\ngrid[h][w]:char(.#)": "1 2\n.#\n",
    "t:1..3\nrepeat t:\n  n k:1..n\n  x[n]:float": "1\n2 1\n0.5 -7.0\n",
    'q\nrepeat q:\n  "push" x | "pop"\nrest[]\ns:word(ab)': "1\npop\n5\na\n",
}


@pytest.mark.parametrize("grammar", TEXTS)
def test_what_is_drawn_is_of_the_form(grammar: str) -> None:
    """At every scale, within bounds; larger scales give larger texts, and a seed the same ones."""
    form = form_of(grammar)
    drawing, again = (
        Drawing(form, [TEXTS[grammar]], random.Random("seed").random) for _ in range(2)
    )
    sizes = []
    for scale in range(1, SCALES + 1):
        values = [drawing.draw(scale) for _ in range(8)]
        assert values == [again.draw(scale) for _ in range(8)]
        texts = [form.render(each) for each in values if each is not None]
        assert len(texts) == 8
        assert [form.parse(text) for text in texts] == values
        sizes.append(max(map(len, texts)))
    assert sizes[0] < 150 < sizes[-1] < 200_000


def test_bounds_that_leave_nothing() -> None:
    """There is no number from 5 to 1."""
    form = form_of("n:1..2 m:5..n")
    assert Drawing(form, [], random.Random(0).random).draw(3) is None
