"""Equal programs over a whole sample set: found by what they compile to, and run once."""

from __future__ import annotations

from pathlib import Path

import pytest

from evalplus_lite import Case, Dataset, Task, evaluate
from evalplus_lite.jobs.grouping import CHUNK, LONGEST, Groups, SampleSpool
from evalplus_lite.programs import fingerprints
from evalplus_lite.types import Sample

PLAIN = "def f(x):\n    return x + 1\n"
ALIKE = ["# first\n\ndef f( x ):\n\n    return (x +\n        1)  # one more\n", PLAIN + "\n\n"]
OTHERS = [
    "def f(x):\n    'Add one.'\n    return x + 1\n",
    "def f(x):\n    return x + 1.0\n",
    "def f(x):\n    return x + True\n",
    "def f(y):\n    return y + 1\n",
    "def f(x):\n    return 1 + x\n",
    "def f(x=1):\n    return x + 1\n",
    "def f(x:\n",
]


def test_programs_that_compile_alike_share_a_name() -> None:
    """Comments and layout do not count; a docstring, a type of number and a name do."""
    names = fingerprints([PLAIN, *ALIKE, *OTHERS])
    assert len(set(names[: 1 + len(ALIKE)])) == 1
    assert len(set(names)) == 1 + len(OTHERS)
    assert [fingerprints([text]) for text in OTHERS] == [[name] for name in names[-len(OTHERS) :]]


SEES_ITS_LINES = {
    "a frame": "sys._getframe().f_lineno",
    "a name in halves": "getattr(sys, '_getf' + 'rame')()",
    "a name without its letters": "getattr(sys, bytes([95, 103]).decode() + x)()",
    "odd letters": "sys._get\uff46rame().f_\uff4cineno",
    "a name in an escape": "vars(sys)['_get\\x66rame']().f_back",
    "a format": "'{0.__co' 'de__}'.format(f)",
    "a format that is made": "(chr(123) + '0.__' + x + '}').format(f)",
    "evaluation": "eval(chr(102) + x)",
    "a dictionary": "type(f).__dict__[x].__get__(f)",
    "the text of a code object": "str((_ for _ in ()).gi_code)",
    "a pattern": "0\ndef g(x):\n match x:\n  case object(__code__=found): return found",
    "a handler": "__import__('signal').signal(14, lambda *found: print(found))",
    "memory": "ctypes.string_at(id(f), 900)",
}


@pytest.mark.parametrize("text", SEES_ITS_LINES.values(), ids=SEES_ITS_LINES)
def test_a_program_that_may_see_its_lines_is_like_no_other(text: str) -> None:
    """What is read of a program's own lines differs with its layout, and so may its answers."""
    source = f"import sys\ndef f(x):\n    return {text}\n"
    compile(source, "", "exec")
    first, second = fingerprints([source, "\n" + source])
    assert first != second


def test_a_comment_on_lines_is_none_of_the_program() -> None:
    """Only what a program can act on tells it apart."""
    commented = "# inspect the traceback, line by line\n" + PLAIN
    assert len(set(fingerprints([PLAIN, commented]))) == 1


def test_a_text_that_is_too_large_does_not_cost_the_others() -> None:
    """It is named by its characters, and those beside it as ever."""
    hostile = "x = " + "-" * 200_000 + "1\n"
    assert fingerprints([PLAIN, hostile, ALIKE[0]])[::2] == fingerprints([PLAIN, ALIKE[0]])


def test_groups_come_by_task_and_by_first_occurrence() -> None:
    """Whatever lies between them; a worker is dealt few at a time; what is done is left out."""
    sources = [PLAIN, OTHERS[0], ALIKE[0], "#" * LONGEST, "#" * LONGEST, ALIKE[1]]
    samples = [
        Sample(f"T/{number % 2}", source, "", number)
        for number, source in enumerate(source for source in sources for _ in range(2))
    ]
    with SampleSpool(samples) as spool:
        groups = Groups(spool)
        found = [[sample.index for sample in group] for group in groups]
        assert found == [[0, 4, 10], [2], [6, 8], [1, 5, 11], [3], [7, 9]]
        done = [number for number, sample in enumerate(samples) if sample.index in (0, 2, 7)]
        chunks = list(groups.chunks(done.__contains__))
    assert [(id, [[each.index for each in group] for group in chunk]) for id, chunk in chunks] == [
        ("T/0", [[4, 10], [6, 8]]),
        ("T/1", [[1, 5, 11], [3], [9]]),
    ]


def test_many_equal_programs_are_dealt_in_parts() -> None:
    """However many there are of one, or of short ones, no worker gets them all at once."""
    with SampleSpool(Sample("T/0", PLAIN, "", number) for number in range(1000)) as spool:
        sizes = [len(chunk) for _, chunk in Groups(spool).chunks(lambda _: False)]
        assert max(map(len, Groups(spool))) < 100
        assert sum(map(len, Groups(spool))) == 1000
    assert max(sizes) == 1
    with SampleSpool(Sample("T/0", f"x = {n}", "", n) for n in range(1000)) as spool:
        assert {len(chunk) for _, chunk in Groups(spool).chunks(lambda _: False)} == {CHUNK}


def test_equal_programs_are_run_once_and_each_has_its_row(tmp_path: Path) -> None:
    """One run's answer is in the rows of all, far apart as they are; a line is each one's own."""
    task = Task("T/0", "", "f", "def f(x):\n    return x\n", (Case((1,)),))
    drawn = "import os\ndef f(x):\n    return os.urandom(16)\n"
    raised = "def f(x):\n    raise ValueError(x)\n"
    between = [f"def f(x):\n    return x + {number}\n" for number in range(100)]
    sources = [drawn, raised, *between, "\n\n" + drawn, "# a line\n" + raised, drawn, raised]
    samples = [Sample("T/0", source, "", number) for number, source in enumerate(sources)]
    rows = evaluate(Dataset("own", (task,)), samples).to_rows()
    assert sorted(row["index"] for row in rows) == list(range(len(sources)))
    by_index = {row["index"]: row for row in rows}
    answers = [by_index[number]["failure"]["actual"] for number in (0, 102, 104)]
    assert answers[0] == answers[1] == answers[2]
    assert [by_index[number]["failure"]["line"] for number in (1, 103, 105)] == [2, 3, 2]
    assert len({by_index[number]["program"] for number in (0, 102, 104)}) == 2
    assert [by_index[number]["base"] for number in (2, 3)] == ["pass", "fail"]


def test_no_program_has_the_verdict_of_another() -> None:
    """One that is right on some lines only, and hides that it looks, is judged on its own."""
    task = Task("T/0", "", "f", "def f(x):\n    return x\n", (Case((1,)),))
    source = (
        "import sys\ndef f(x):\n"
        "    here = getattr(sys, '_getf' + 'rame')()\n"
        "    return x if getattr(here, 'f_li' + 'neno') == 4 else 0\n"
    )
    samples = [Sample("T/0", text, "", n) for n, text in enumerate([source, "\n" + source])]
    rows = evaluate(Dataset("own", (task,)), samples).to_rows()
    assert {row["index"]: row["base"] for row in rows} == {0: "pass", 1: "fail"}
