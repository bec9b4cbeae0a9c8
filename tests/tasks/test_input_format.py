"""The form and the constraints of input texts, as a contest's statement gives them."""

from __future__ import annotations

import random

import pytest

from evalplus_lite.tasks.texts.forms import Drawing
from evalplus_lite.tasks.texts.inference import stated_form
from evalplus_lite.tasks.texts.input_format import form_in

ROADS = r"""Towns are joined by roads.

Input

The input is given from Standard Input in the following format:
N M
A_1 A_2 \ldots A_N
u_1 v_1
\vdots
u_M v_M
S

Output

Print the answer.

Constraints

- 2 \leq N \leq 100
- 1 \le M \le 10^3
- A_i is 0 or 1.
- 1 \leq u_i < v_i \leq N
- S is a string of length N consisting of x and y.
- All input values are integers.

Sample Input 1
"""
TEXTS = ["3 2\n0 1 1\n1 2\n1 3\nxyx\n", "2 1\n1 0\n1 2\nyy\n"]


def test_rows_and_repeated_lines() -> None:
    """Counts come from the values; drawn texts keep to the statement, unless an example differs."""
    form = stated_form(ROADS, TEXTS)
    assert form.stated.is_whole
    values = form.parse(TEXTS[0])
    assert values == ([0, 1, 1], [(1, 2), (1, 3)], "xyx")
    assert form.render(([1, 0, 0, 1], [(1, 2)], "xxxx")) == "4 1\n1 0 0 1\n1 2\nxxxx\n"
    form = stated_form(ROADS, TEXTS)
    drawing = Drawing(form.form, TEXTS, random.Random(0).random)
    drawn = [form.fit(values) for values in map(drawing.draw, range(1, 8)) if values is not None]
    taken = [values for values in drawn if values is not None]
    assert taken
    for marks, edges, letters in taken:
        assert 2 <= len(marks) == len(letters) <= 100
        assert set(letters) <= set("xy")
        assert all(1 <= u < v <= len(marks) for u, v in edges)
    assert stated_form(ROADS, [*TEXTS, "1\n"]) is None


@pytest.mark.parametrize(
    ("values", "fitted"),
    [
        (([0, 2, 1], [(1, 2)], "xyx"), ([0, 0, 1], [(1, 2)], "xyx")),  # 2 is neither 0 nor 1
        (([0, 1, 1], [(2, 1)], "xyx"), ([0, 1, 1], [(2, 3)], "xyx")),  # above the other town
        (([0, 1, 1], [(3, 1)], "xyx"), None),  # no town is above the last
        (([0, 1], [(1, 2)], "zxx"), ([0, 1], [(1, 2)], "xx")),  # other letters, and one too many
    ],
)
def test_constraints_bind_new_values(
    values: tuple[object, ...], fitted: tuple[object, ...] | None
) -> None:
    """What is out of bounds is repaired; where that is impossible there is no text."""
    form = stated_form(ROADS, TEXTS)
    assert form.fit(values) == fitted


ORDERED = r"""Input
Input is given in the following format:
N
P_1 \dots P_N
H_1 H_2 \cdots H_N

Constraints
1 <= N <= 10
(P_1, ..., P_N) is a permutation of (1, ..., N).
0 \leq H_1 < H_2 < \dots < H_N \leq 50
"""


def test_orders_are_made_and_cases_repeated() -> None:
    """A permutation stays one, a row increases; the format of one test case is read."""
    form = stated_form(ORDERED, ["3\n3 1 2\n1 5 9\n", "2\n1 2\n0 4\n"])
    fitted = form.fit(([7, 7, 2, 9], [4, 4, 4, 0]))
    assert fitted is not None
    row, heights = fitted
    assert sorted(row) == [1, 2, 3, 4]
    assert heights == sorted(set(heights))
    assert len(heights) == 4
    statement = """Input
The input is given in the following format, where case_i is the i-th test case:
T
case_1
case_2
\\vdots
case_T

Each case is given in the following format:
N
A_1 A_2 ... A_N

Constraints
1 <= T <= 10
"""
    form = stated_form(statement, ["2\n1\n5\n3\n1 2 3\n"])
    assert form.parse("1\n2\n8 9\n") == ([[8, 9]],)


@pytest.mark.parametrize(
    "statement",
    [
        "Read two numbers and print their sum.",
        "Input\nThe input is given in the following format:\nA_1 A_2 ... A_K\n",  # no such count
        "Input\nThe input is given in the following format:\nN = 3; x@y\n",
        "The first line contains the names and whatever follows.",
        "Each of the next k lines contains an integer x.",
        "The first line contains n integers a_1, ..., a_n.",
    ],
)
def test_no_form(statement: str) -> None:
    """A text that shows no format, or one that is not understood, gives no form."""
    assert form_in(statement) is None


@pytest.mark.parametrize(
    ("statement", "text", "values", "stated"),
    [
        (
            "The first line contains two integers n and m (1 ≤ n, m ≤ 100).\n\nThe second line "
            "contains n integers $a_1, a_2, \\ldots, a_n$ ($1 \\le a_i \\le 10^9$). Each of the "
            "next m lines contains two integers u_i and v_i (1 <= u_i, v_i <= n).",
            "2 2\n3 4\n1 2\n2 2\n",
            ([3, 4], [(1, 2), (2, 2)]),
            ["1 <= n, m <= 100", "1 <= a[i] <= 10**9", "1 <= u[i], v[i] <= n"],
        ),
        (
            "The first line contains a single integer t (1 <= t <= 9), the number of test cases. "
            "The first line of each test case contains one integer n (1 <= n <= 5). The second "
            "line of each test case contains n integers a_1, ..., a_n (0 <= a_i <= 9).",
            "2\n1\n3\n2\n4 5\n",
            ([[3], [4, 5]],),
            ["1 <= t <= 9", "1 <= n <= 5", "0 <= a[i] <= 9"],
        ),
        (
            "Read n (1 <= n <= 9), then n lines, each a name of lowercase letters and a score from "
            "0 to 100. Print the names.",
            "2\nann 70\nbob 9\n",
            ([("ann", 70), ("bob", 9)],),
            ["1 <= n <= 9", "name is of lowercase letters", "score is from 0 to 100"],
        ),
        ("Read n, then n integers. n is at least 2.", "2\n3 4\n", ([3, 4],), ["n is at least 2"]),
        ("The first line contains an integer n (1 <= n <= 9).", "3\n", (3,), ["1 <= n <= 9"]),
    ],
)
def test_lines_described_in_sentences(
    statement: str, text: str, values: tuple[object, ...], stated: list[str]
) -> None:
    form = stated_form(statement, [text])
    assert form.parse(text) == values
    assert [each.text for each in form.stated.constraints] == stated
    assert form.render(values) == text
