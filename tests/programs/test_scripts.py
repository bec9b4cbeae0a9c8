"""Whole programs come out of answers with all that they do."""

from __future__ import annotations

import pytest

from evalplus_lite.programs.extraction import extract
from evalplus_lite.types import Task

TASK = Task("s", "Print the sum of n integers.", "", "", style="solution")
SCRIPT = "import sys\nn = int(input())\nprint(sum(map(int, input().split())))\n"
MAIN = (
    "def solve():\n    print(sum(map(int, open(0).read().split()[1:])))\n\n"
    'if __name__ == "__main__":\n    solve()\n'
)
SLOW = "n = int(input())\nt = 0\nfor x in input().split():\n    t += int(x)\nprint(t)\n"
PARTS = "def solve(items):\n    return sum(items)\n", "n = input()\nprint(solve([int(input())]))\n"
SNIPPET = "print(total + extra)\n"
CALL = "assert solve([1]) == 1\n"


def fence(code: str, tag: str = "python") -> str:
    return f"```{tag}\n{code}```\n"


@pytest.mark.parametrize(
    ("answer", "source"),
    [
        (SCRIPT, SCRIPT),
        (MAIN, MAIN),
        ("import os\nos.write(1, os.read(0, 9))\n", "import os\nos.write(1, os.read(0, 9))\n"),
        ("Here it is:\n\n" + fence(SCRIPT) + "\nIt reads n first.", SCRIPT),
        ("First idea:\n" + fence(SLOW) + "Faster:\n" + fence(MAIN) + "Done.", MAIN),
        (fence(MAIN) + "The sum is printed by\n" + fence(SNIPPET), MAIN),
        (fence(MAIN) + "Input:\n" + fence("3\n1 2 3\n", "") + "Output:\n" + fence("6\n", ""), MAIN),
        (fence(MAIN) + "Run it:\n" + fence("python main.py < in.txt\n", "bash"), MAIN),
        (fence(PARTS[0]) + "and\n" + fence(PARTS[1]), "\n".join(PARTS)),
        ("<think>\n" + fence(SLOW) + "</think>\n" + fence(MAIN), MAIN),
        ("Sure! The program:\n\n" + SCRIPT, SCRIPT),
        (fence(SCRIPT.replace("(input", "(\u200binput")), SCRIPT),
        (fence("print('always')\n"), "print('always')\n"),
        (fence(PARTS[0]), PARTS[0]),
    ],
)
def test_the_program_of_an_answer(answer: str, source: str) -> None:
    """The last block that is a whole program, with its main part and its prints."""
    assert extract(answer, TASK).source.strip() == source.strip()


@pytest.mark.parametrize("answer", ["", "I cannot.", "Note: use a loop", "```python\n```"])
def test_an_answer_without_a_program(answer: str) -> None:
    """It stays as it is, and says so."""
    found = extract(answer, TASK)
    assert (found.source, found.steps) == (answer, ("found no program",))
