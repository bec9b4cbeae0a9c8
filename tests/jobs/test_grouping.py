"""Equal programs over a whole sample set: found by what they compile to, and run once."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from evalplus_lite import Case, Dataset, Session, Task, evaluate
from evalplus_lite.errors import InputError
from evalplus_lite.jobs import samples
from evalplus_lite.jobs.samples import CHUNK, LONGEST, SampleTable
from evalplus_lite.programs import fingerprints, program_hash
from evalplus_lite.store.journal import Journal
from evalplus_lite.tasks.unit_tests import having_tests
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
    """Comments and layout do not count, other code does; a huge text costs the others nothing."""
    names = fingerprints([PLAIN, *ALIKE, *OTHERS])
    assert len(set(names[: 1 + len(ALIKE)])) == 1
    assert len(set(names)) == 1 + len(OTHERS)
    assert [fingerprints([text]) for text in OTHERS] == [[name] for name in names[-len(OTHERS) :]]
    commented = "# inspect the traceback, line by line\n" + PLAIN
    assert len(set(fingerprints([PLAIN, commented]))) == 1
    hostile = "x = " + "-" * 200_000 + "1\n"
    assert fingerprints([PLAIN, hostile, ALIKE[0]])[::2] == fingerprints([PLAIN, ALIKE[0]])


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
    "a pattern of a class": "0\ndef g(x):\n match x:\n  case P(found): return found",
    "a pattern of a builtin's name": (
        "0\nfrom enum import Enum as int\ndef g(x):\n match x:\n  case int(found): return found"
    ),
    "a class that is made": "type('P', (), {'__match_' + 'args__': ('__co' + 'de__',)})",
    "a metaclass": "0\nclass M(type): pass",
    "a decorator": "__import__('functools').wraps(f, assigned=('__co' + 'de__',))(P())",
    "wrapped names": "0\nfrom functools import *\nupdate_wrapper(P(), f, (x,))",
    "a module within another": "0\nimport dataclasses\ny = dataclasses.inspect.getsource(f)",
    "an alias within another": "0\nfrom typing import sys as s, types\n",
    "a module from elsewhere": "0\nimport numpy",
    "a long way": "0\nimport os.path",
    "a member's help": "help(f)",
    "a class that makes classes": "type(int)('P', (), {'__anno' + 'tations__': {x: int}})",
    "the class of a class": "int.__class__('P', (), {'__de' + 'l__': f})",
    "members of any name": "0\nfrom enum import Enum\nE = Enum('P', {'__de' + 'l__': f})",
    "fields of any name": "0\nclass P:\n x: int\n __annotations__['x=f()'] = int",
    "fields in odd letters": "0\nclass P:\n x: int\n __\uff41nnotations__['x=f()'] = int",
    "types of any fields": "0\nfrom typing import TypedDict\nP = TypedDict('P', {x: int})",
    "a module of a package": "0\nfrom json import tool",
    "the file behind a stream": "type(sys.stdin.buffer.raw)('/proc/self/mem')",
    "what is printed of an error": "0\nsys.stderr = P()\nclass P:\n def __del__(self): 1 / 0",
    "a traceback": "0\nclass P:\n def __exit__(self, *found): print(found)",
    "its error": "ValueError().__traceback__",
    "an attribute that is set": "setattr(P, '__match_' + 'args__', x)",
    "a copy": "0\nclass P:\n def __reduce_ex__(self, _): return P, (), {}",
    "its address": "id(f)",
    "a hash": "hash(f)",
    "an order by address": "{float('nan'), x}",
    "a file": "open('/proc/self/mem', 'rb')",
    "a generator": "(_ for _ in ()).gi_frame",
    "a format of a format": "'{:{0.__code__}}'.format(x, f)",
    "a method's format": "str.format(x, f)",
}


@pytest.mark.parametrize("text", SEES_ITS_LINES.values(), ids=SEES_ITS_LINES)
def test_a_program_that_may_see_its_lines_is_like_no_other(text: str) -> None:
    """What is read of a program's own lines differs with its layout, and so may its answers."""
    source = f"import sys\ndef f(x):\n    return {text}\n"
    compile(source, "", "exec")
    first, second = fingerprints([source, "\n" + source])
    assert first != second


USUAL = (
    "'{:>{}} {0!r:.2f} {{x.y}}'.format(x, 3) + format(x, '.2f')",
    "type(x) is int and isinstance(x, (int, float))",
    "0\nimport math, re, collections\nfrom typing import *\ny = math.sqrt(4)",
    "0\nclass P:\n 'Doc.'\n def __init__(self):\n  self.count_ = type(self).__name__",
    "0\nmatch 3:\n case [y, *_] | {'a': y}: pass",
    "0\nif __name__ == '__main__':\n print(input())",
)


@pytest.mark.parametrize("text", USUAL)
@pytest.mark.skipif(sys.version_info >= (3, 13), reason="a class knows its line")
def test_usual_programs_are_compared(text: str) -> None:
    """Modules, classes, formats and patterns in the forms that programs mostly have."""
    source = f"import sys\ndef f(x):\n    return {text}\n"
    first, second = fingerprints([source, "\n" + source])
    assert first == second


def test_groups_come_by_task_and_few_at_a_time(tmp_path: Path) -> None:
    """In the order of first occurrence, without what is done; samples come back as they were."""
    sources = [PLAIN, OTHERS[0], ALIKE[0], "#" * LONGEST, "#" * LONGEST, ALIKE[1]]
    samples = [
        Sample(f"T/{number % 2}", source, "", number)
        for number, source in enumerate(source for source in sources for _ in range(2))
    ]
    done = [sample for sample in samples if sample.index in (0, 2, 7)]
    with (
        SampleTable(samples) as table,
        Journal(tmp_path / "results.jsonl", identity=None) as journal,
    ):
        assert table.group() == len(samples)
        found = [[sample.index for sample in group] for group in table.groups()]
        assert found == [[0, 4, 10], [2], [6, 8], [1, 5, 11], [3], [7, 9]]
        for each in done:
            row = {"task_id": each.task_id, "index": each.index, "base": "pass", "plus": None}
            journal.append({**row, "program": program_hash(each.source)})
        assert table.resume(journal, lambda row: None) == len(done)
        chunks = list(table.chunks())
    assert [(id, [[each.index for each in group] for group in chunk]) for id, chunk in chunks] == [
        ("T/0", [[4, 10]]),
        ("T/0", [[6, 8]]),
        ("T/1", [[1, 5, 11]]),
        ("T/1", [[3]]),
        ("T/1", [[9]]),
    ]
    with SampleTable(Sample("T/0", PLAIN, "", number) for number in range(1000)) as table:
        table.group()
        sizes = [len(chunk) for _, chunk in table.chunks()]
        assert max(map(len, table.groups())) < 100
        assert sum(map(len, table.groups())) == 1000
    assert max(sizes) == 1
    with SampleTable(Sample("T/0", f"x = {n}", "", n) for n in range(1000)) as table:
        table.group()
        sizes = [len(chunk) for _, chunk in table.chunks(3)]
    assert sizes == sorted(sizes, reverse=True)
    assert (sizes[0], sizes[-1], sum(sizes)) == (CHUNK, 1, 1000)
    samples = [
        Sample("t/0", "x = '\ud800\u2028\n'\r\n", "model", 0),
        Sample("t/1", "", "", 3),
        Sample("t/0", "y" * (1 << 20), "", 1, 0.5),
        Sample("t/2", "", "m\n", 2),
    ]
    with SampleTable(iter(samples)) as table:
        first, second = iter(table), iter(table)
        assert next(first) == samples[0]
        assert list(second) == samples
        assert list(first) == samples[1:]
        assert [table.read(number) for _, number in table.distinct()] == samples[:3]
    with SampleTable([]) as table:
        assert list(table) == []


def test_no_room_is_told_with_the_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk is an error that names the folder and what to do."""
    small = f"pragma max_page_count = 8; {samples.SCHEMA}"
    monkeypatch.setattr(samples, "SCHEMA", small)
    with pytest.raises(InputError, match="TMPDIR"):
        SampleTable([Sample("t/0", "y" * (1 << 20), "", 1)])


def test_equal_programs_are_run_once_and_each_has_its_row(tmp_path: Path, session: Session) -> None:
    """One run's answer is in the rows of all, far apart as they are; a line is each one's own."""
    task = Task("T/0", "", "f", "def f(x):\n    return x\n", (Case((1,)),))
    drawn = "import random\ndef f(x):\n    return random.SystemRandom().random()\n"
    raised = "def f(x):\n    raise ValueError(x)\n"
    between = [f"def f(x):\n    return x + {number}\n" for number in range(100)]
    sources = [drawn, raised, *between, "\n\n" + drawn, "# a line\n" + raised, drawn, raised]
    samples = [Sample("T/0", source, "", number) for number, source in enumerate(sources)]
    rows = evaluate(Dataset("own", (task,)), samples, session=session).to_rows()
    assert sorted(row["index"] for row in rows) == list(range(len(sources)))
    by_index = {row["index"]: row for row in rows}
    answers = [by_index[number]["failure"]["actual"] for number in (0, 102, 104)]
    assert answers[0] == answers[1] == answers[2]
    assert [by_index[number]["failure"]["line"] for number in (1, 103, 105)] == [2, 3, 2]
    assert len({by_index[number]["program"] for number in (0, 102, 104)}) == 2
    assert [by_index[number]["base"] for number in (2, 3)] == ["pass", "fail"]


def test_no_program_has_the_verdict_of_another(session: Session) -> None:
    """One that is right on some lines only is judged on its own, by cases and by unit tests."""
    task = Task("T/0", "", "f", "def f(x):\n    return x\n", (Case((1,)),))
    source = (
        "import sys\ndef f(x):\n"
        "    here = getattr(sys, '_getf' + 'rame')()\n"
        "    return x if getattr(here, 'f_li' + 'neno') == 4 else 0\n"
    )
    samples = [Sample("T/0", text, "", n) for n, text in enumerate([source, "\n" + source])]
    rows = evaluate(Dataset("own", (task,)), samples, session=session).to_rows()
    assert {row["index"]: row["base"] for row in rows} == {0: "pass", 1: "fail"}
    tests = """
import logging
import unittest

class PutTest(unittest.TestCase):
    def test_put(self):
        self.assertEqual(put(2), 2)
"""
    task = having_tests(Task("T/0", "", "put", "def put(x):\n    return x\n"), tests)
    source = "def put(x):\n    return x if logging.getLogger().findCaller()[1] % 2 == 0 else 0\n"
    texts = [source, "\n" + source, source]
    assert len(set(fingerprints(texts))) == 1
    samples = [Sample("T/0", text, "", number) for number, text in enumerate(texts)]
    rows = evaluate(Dataset("own", (task,)), samples, session=session).to_rows()
    assert {row["index"]: row["base"] for row in rows} == {0: "pass", 1: "fail", 2: "pass"}
