"""Input texts of programs: their forms stated, inferred, parsed, and rendered from any values."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalplus_lite.tasks.texts.forms import SCALES, Drawing, TextForm, Unfit
from evalplus_lite.tasks.texts.grammar import GrammarError, form_of
from evalplus_lite.tasks.texts.inference import Table, Templates, inferred

GRID = "h w\ngrid[h][w]:char(.#)"
CASES = "t:1..5\nrepeat t:\n  n k:1..n\n  a[n]:-10^9..10^9\n"
TREE = "n:2..10\nrepeat n-1:\n  u:1..n v:1..n w:float(0..1)"
QUERIES = 'q\nrepeat q:\n  "push" x | "pop" | "add" i:0..9 s:word(a..c)'
TITLE = "title:text\nx:0.5..2.0\nrest[]\nfixed[2][3]"
STATED: list[tuple[str, str, tuple[Any, ...]]] = [
    (GRID, "2 3\n..#\n###\n", (["..#", "###"],)),
    (CASES, "2\n3 1\n1 2 3\n1 1\n-5\n", ([(1, [1, 2, 3]), (1, [-5])],)),
    (TREE, "3\n1 2 0.5\n3 2 1.0\n", ([(1, 2, 0.5), (3, 2, 1.0)],)),
    (QUERIES, "3\npop\npush -1\nadd 3 abc\n", ([(1,), (0, -1), (2, 3, "abc")],)),
    (TITLE, "The end\n1.5\n7\n1 2 3\n4 5 6\n", ("The end", 1.5, [7], [[1, 2, 3], [4, 5, 6]])),
]


@pytest.mark.parametrize(("grammar", "text", "values"), STATED)
def test_a_grammar_says_what_a_text_holds(grammar: str, text: str, values: tuple[Any, ...]) -> None:
    """Counts are no values: they come back from what there is."""
    form = form_of(grammar)
    assert form.parse(text) == values
    assert form.render(values) == text


@pytest.mark.parametrize(
    ("grammar", "text"),
    [
        (GRID, "2 3\n..#\n"),
        (GRID, "2 3\n..#\n##\n"),
        (GRID, "1 3\n..x\n"),
        (GRID, "1 1\n.\n.\n"),
        (CASES, "6\n" + "1 1\n1\n" * 6),
        (CASES, "1\n2 3\n1 2\n"),
        (TREE, "2\n1 3 0.5\n"),
        (QUERIES, "1\npush\n"),
        (QUERIES, "1\npeek\n"),
        (QUERIES, "900000\npop\n"),
        ("n", "1e3\n"),
        ("n", "x\n"),
    ],
)
def test_other_texts_are_not_of_the_form(grammar: str, text: str) -> None:
    """What is missing, too much or out of its range is told, never read past."""
    with pytest.raises(Unfit):
        form_of(grammar).parse(text)


def test_forms_at_their_edges() -> None:
    """Open ranges, square grids, tables, shapes that no form explains, and bounds."""
    assert form_of("n:1..").parse("5000000000\n") == (5_000_000_000,)
    with pytest.raises(Unfit):
        form_of("n:1..").parse("0\n")
    form = inferred(["2 2\n..\n.#\n", "3 3\n...\n.#.\n...\n", "1 1\n.\n"])
    assert form.parse("2 3\n...\n#..\n")
    with pytest.raises(Unfit):
        form.parse("2 3\n.#\n#.\n..\n")
    texts = ["a b\n1\n", "1 2 3\n\n\nx  y\n", "\n"]
    assert inferred(texts) is None
    form = Templates(texts)
    assert [form.render(form.parse(each)) for each in texts] == texts
    assert form.render((4, [9, 8], [], ["q"])) == "9 8 9\n\n\nq  q\n"
    text = "2 2\n1 2\n" * 30
    form = inferred([text])
    assert form is None or form.render(form.parse(text)) == text
    form = form_of("n\nrepeat n:\n  a[n]")
    assert form.fit(([[1] * 40] * 40,)) is not None
    assert form.fit(([[1]] * 600,)) is None
    form = form_of("n:1..2 m:5..n")
    assert Drawing(form, [], random.Random(0).random).draw(3) is None
    table = Table.of(CSV)
    (rows,) = table.parse(CSV[0])
    assert rows == [("2024-01-02", "tea", 12.5), ("2024-01-03", "ink", 3.1)]
    assert table.render([rows]) == CSV[0]
    assert table.render([[("2024-01-05", "a,b", -4.0)]]) == f"{HEAD}2024-01-05,ab,-4.00\n"
    assert table.fit([[("x", 1)]]) is None
    assert Table.of(["3\n1 2 3\n", "1\n5\n"]) is None
    assert Table.of(["a b\n", "c d\n"]) is None
    assert Table.of(["07:00 0\n07:45 3\n", "06:30 2\n"]) is not None


@pytest.mark.parametrize(
    "grammar",
    [
        "",
        "a[n]",
        "n\n  m",
        "n\nrepeat n:\nx",
        "n:a..b",
        "n!",
        "x:float\na[x]",
        "n a[n][n]",
        "a[] b",
        *("n:1.." + "9" * 5000, "n:0..10^999", "x:1.0..9.9^999", f"a[{'9' * 5000}]"),
    ],
)
def test_a_grammar_that_cannot_be_read(grammar: str) -> None:
    """Its line is named, unless there is none."""
    with pytest.raises(GrammarError, match="line"):
        form_of(grammar)


junk = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.integers(-20, 20),
        st.floats(),
        st.text(max_size=5),
        st.just(10**450),
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.lists(inner, max_size=4).map(tuple)),
    max_leaves=12,
)


@settings(max_examples=60)
@given(st.sampled_from([*range(len(STATED)), None]), st.lists(junk, max_size=5))
def test_any_values_make_a_text_of_the_form_or_none(at: int | None, values: list[Any]) -> None:
    """However an input is changed, what is proposed has its form, and comes back as it is."""
    form: TextForm
    if at is None:
        form, values = Templates(["1 a\n\n2.5\n", "x\n"]), (values + [0] * 4)[:4]
    else:
        form = form_of(STATED[at][0])
    found = form.fit(values)
    if found is not None:
        assert form.parse(form.render(found)) == found


EXAMPLES: dict[str, tuple[list[str], tuple[Any, ...], str]] = {
    "a count and a row": (["3\n1 5 2\n", "1\n0\n"], ([7, 8],), "2\n7 8\n"),
    "a grid": (["2 3\n..#\n###\n", "1 1\n.\n"], ([".", "#", "#"],), "3 1\n.\n#\n#\n"),
    "cases": (
        ["2\n3\n1 2 3\n1\n0.5\n", "1\n2\n-1.25 4\n"],
        ([[1.5], [2.5, 3.5]],),
        "2\n1\n1.5\n2\n2.5 3.5\n",
    ),
    "cases of several rows": (
        ["2\n3 1\n1 2 3\n4 5 6\n2 9\n1 1\n2 2\n", "1\n1 0\n5\n6\n"],
        ([(7, [1, 2], [3])],),
        "1\n2 7\n1 2\n3 3\n",
    ),
    "cases of grids": (
        ["2\n2 3\n...\n#.#\n1 1\n#\n", "1\n3 2\n..\n##\n.#\n"],
        ([["#.", "#"]],),
        "1\n2 2\n#.\n##\n",
    ),
    "a tree": (["4\n1 2\n1 3\n3 4\n", "3\n1 2\n2 3\n"], ([(9, 1)],), "2\n1 1\n"),
    "edges": (["4 3\n1 2\n1 3\n3 4\n", "5 0\n"], (2, [(5, 4)]), "2 1\n1 2\n"),
    "commands": (
        ["5\npush 3\npush 4\npop\ntop\npop\n", "2\npush 1\npop\n"],
        ([(1, 6), (0,), (2,)],),
        "3\npush 6\npop\ntop\n",
    ),
    "a word and its length": (["5\nabcde\n", "2\nzz\n"], ("xyz",), "3\nxyz\n"),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_form_is_inferred_from_examples(name: str) -> None:
    """Counts, indices and letters are found, and kept when the values change."""
    texts, values, text = EXAMPLES[name]
    form = inferred(texts)
    assert form.render(values) == text
    assert all(form.render(form.parse(each)).split() for each in texts)


# Values drawn at random are of the form, from small to large.

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


# Input texts that are tables: their rows are values.

HEAD = "date,item,price\n"
CSV = [
    f"{HEAD}2024-01-02,tea,12.50\n2024-01-03,ink,3.10\n",
    f"{HEAD}2024-02-01,pen,9.00\n",
]
