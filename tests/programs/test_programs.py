"""Texts that would take all time or memory, or the process itself: the helper's trouble alone."""

from __future__ import annotations

import gc
import multiprocessing
import os
import resource
import signal
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest

from evalplus_lite.programs import TooLarge, definitions, helper, normal_form, parsing, program_key
from evalplus_lite.programs.extraction import Extraction, extract
from evalplus_lite.types import Task

TASK = Task("t", "", "add", "", style="solution")
PROGRAM = "def add(a, b):\n    return a + b\n"
FENCED = f"Here it is:\n```python\n{PROGRAM}```\n"


def finally_bomb(depth: int) -> str:
    """Return a program whose finally blocks the compiler copies three times a level."""
    lines, indent = ["def add(a, b):"], " "
    for _ in range(depth):
        lines += [
            f"{indent}try:",
            f"{indent} if a: return a",
            f"{indent} b",
            f"{indent}finally:",
        ]
        indent += " "
    return "\n".join([*lines, indent + "a", ""])


def rotations(count: int) -> str:
    """Return a pattern that binds the same names in orders that cost much to bring together."""
    names = [f"n{i}" for i in range(count)]
    patterns = " | ".join(f"[{', '.join(names[i:] + names[:i])}, {i}]" for i in range(0, count, 2))
    return f"def add(a, b):\n    match a:\n        case {patterns}:\n            return b\n"


BOMBS = {
    "finally": finally_bomb(18),
    "rotations": rotations(250),
    "names": PROGRAM + "x\n" * 400_000,
    "lists": PROGRAM + "x = [" + "[]," * 340_000 + "]\n",
    "comparisons": "1<" * 300_000 + "1\nThis is add",
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_costs_this_process_nothing(name: str) -> None:
    """The answer stays as it stands, is counted, and neither time nor memory is used up here."""
    before = resource.getrusage(resource.RUSAGE_SELF)
    found = extract(BOMBS[name], TASK)
    assert found.source == BOMBS[name]
    program_key(BOMBS[name])
    assert definitions.parse(BOMBS[name]) is None
    after = resource.getrusage(resource.RUSAGE_SELF)
    assert after.ru_maxrss - before.ru_maxrss < 100 << 10
    assert after.ru_utime - before.ru_utime < 1.0
    assert extract(FENCED, TASK).source == PROGRAM  # the next one is none the worse


@pytest.mark.parametrize("name", ["finally", "rotations"])
def test_what_is_too_large_is_said(name: str) -> None:
    """A bomb is told from a text that is no Python."""
    assert extract(BOMBS[name], TASK).steps == ("too large to look into",)
    with pytest.raises(TooLarge):
        parsing.parse(BOMBS[name])


def test_a_deep_program_stays_as_it_is() -> None:
    """A correct program that nests deeper than anyone would is not lost."""
    program = PROGRAM + "add\nf = " + "lambda:" * 600 + "x\n"
    assert extract(program, TASK).source == program
    assert program_key(program) != program_key(program.replace("x", "y"))
    with pytest.raises(TooLarge):
        normal_form(program)
    assert definitions.used(parsing.parse(program).body[-1]) == {"x"}


def test_equal_programs_have_one_key_and_one_form() -> None:
    """Layout and comments do not count; docstrings count for the key only."""
    other = 'def add(a,b):  # plus\n\n    "Add."\n    return (a + b)\n'
    assert program_key(PROGRAM) == program_key(PROGRAM.replace(", ", ","))
    assert program_key(PROGRAM) != program_key(other)
    assert normal_form(PROGRAM) == normal_form(other) == PROGRAM
    with pytest.raises(SyntaxError):
        normal_form("def add(:")


def test_a_helper_that_someone_ends_is_no_word_on_a_text() -> None:
    """A killed helper is replaced, and the text that it had is looked into again."""
    extract(FENCED, TASK)
    for one in list(helper._all):
        os.kill(one.process.pid, signal.SIGKILL)
    assert extract(FENCED, TASK) == Extraction(PROGRAM, ("took a fenced block",))


def test_many_threads_share_the_helpers() -> None:
    """Threads get the answer to their own text, and no more helpers run than processors."""
    texts = [FENCED.replace("a + b", f"a + b + {i}") for i in range(200)]
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(lambda text: extract(text, TASK).source, texts))
    assert found == [PROGRAM.replace("a + b", f"a + b + {i}") for i in range(200)]
    assert len(helper._all) <= (os.cpu_count() or 1)


@pytest.mark.parametrize("odd", ["'\\d'", "1if x else 2", "x is 'a'"])
def test_a_text_that_python_warns_of_is_read_in_silence(odd: str) -> None:
    """Python's advice to a text's author is neither shown nor, with -W error, a fault."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert definitions.parse(f"def f(x):\n    return {odd}\n") is not None
    assert told == []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert definitions.parse(f"def f(y, x):\n    return {odd}\n") is not None


def test_threads_that_read_texts_leave_the_filters_of_warnings_alone() -> None:
    """Reading many texts at a time does not silence the warnings of this process for good."""
    before = list(warnings.filters)
    texts = [f"def f(x):\n    return '\\d', {i}\n" for i in range(100)]
    with ThreadPoolExecutor(8) as pool:
        assert None not in pool.map(definitions.parse, texts)
    assert list(warnings.filters) == before


def _in_a_fork(channel: multiprocessing.connection.Connection) -> None:
    channel.send(extract(FENCED, TASK).source)


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")  # which is the point
def test_a_forked_child_has_helpers_of_its_own() -> None:
    """Child and parent both get their answers, also while another thread is being answered."""
    extract(FENCED, TASK)
    stop = threading.Event()

    def busy() -> None:
        while not stop.is_set():
            assert extract(FENCED, TASK).source == PROGRAM

    thread = threading.Thread(target=busy)
    thread.start()
    try:
        context = multiprocessing.get_context("fork")
        for _ in range(3):
            ours, theirs = context.Pipe()
            child = context.Process(target=_in_a_fork, args=(theirs,))
            child.start()
            assert ours.poll(60)
            assert ours.recv() == PROGRAM
            child.join(60)
            assert child.exitcode == 0
    finally:
        stop.set()
        thread.join()
    gc.collect()  # a helper's process that nobody waits for would be told as a warning
    assert extract(FENCED, TASK).source == PROGRAM


def test_a_helper_has_nothing_of_ours_in_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No variable of the user's, such as a key, reaches the process that reads hostile texts."""
    monkeypatch.setenv("EVALPLUS_LITE_TEST_SECRET", "s3cret")
    fresh = helper._Helper()
    try:
        fresh.answer(b'["program_key", {"source": "x"}]')
        with open(f"/proc/{fresh.process.pid}/environ", "rb") as file:
            assert b"s3cret" not in file.read()
    finally:
        fresh.end()
