"""Sample files of every format are read one sample at a time, and each mistake is named."""

from __future__ import annotations

import gzip
import json
import os
import tracemalloc
from collections import Counter
from pathlib import Path
from typing import Any, Literal

import pytest
from support.commands import write_rows
from support.tasks import make_suite, make_task

from evalplus_lite.errors import InputError
from evalplus_lite.programs.extraction import Step
from evalplus_lite.store import write_jsonl
from evalplus_lite.tasks import Dataset, load_dataset
from evalplus_lite.tasks.samples import (
    MAX_INDEX,
    MAX_ROW,
    MAX_SOURCE,
    Faults,
    read_responses,
    read_samples,
)
from evalplus_lite.types import Sample, Task

PROMPT = "def f(x):\n"
BODY = "    return x\n"
DATA = Dataset(
    "some",
    (
        Task("set/0", PROMPT, "f", PROMPT + BODY),
        Task("set/1", PROMPT, "f", PROMPT + BODY),
        Task("set/2", '"""Do."""\n', "f", PROMPT + BODY, style="solution"),
    ),
)


def rows(folder: Path, *items: Any, name: str = "samples.jsonl") -> Path:
    return write_rows(folder / name, items)


def test_rows_are_samples(tmp_path: Path) -> None:
    """Solutions, completions and raw answers; indices are given or counted, for each model."""
    path = rows(
        tmp_path,
        {"task_id": "set/0", "solution": PROMPT + BODY, "other": 1},
        {"task_id": "set/0", "completion": BODY, "model": "m"},
        {"task_id": "set/2", "completion": PROMPT + BODY},
        {"task_id": "set/0", "solution": "def f(x): pass\n", "completion": "ignored"},
    )
    assert list(read_samples(path, DATA)) == [
        Sample("set/0", PROMPT + BODY, "", 0),
        Sample("set/0", PROMPT + BODY, "m", 0),
        Sample("set/2", PROMPT + BODY, "", 0),
        Sample("set/0", "def f(x): pass\n", "", 1),
    ]
    chat = f"Sure:\n```python\n{PROMPT}{BODY}```\n"
    path = rows(
        tmp_path,
        {"task_id": "set/0", "solution": chat},
        {"task_id": "set/1", "completion": chat},
        {"task_id": "set/1", "solution": PROMPT + BODY},
    )
    steps: Counter[Step] = Counter()
    sources = [sample.source for sample in read_samples(path, DATA, steps=steps)]
    assert all(source.endswith(PROMPT + BODY) for source in sources)
    assert steps["took a fenced block"] == 2
    as_is = [sample.source for sample in read_samples(path, DATA, extraction="none")]
    assert as_is == [chat, PROMPT + chat, PROMPT + BODY]
    items: list[dict[str, Any]] = [
        {"index": 1},
        {},
        {"index": None},
        {"index": 7},
        {},
    ]
    path = rows(tmp_path, *({"task_id": "set/0", "solution": "", **item} for item in items))
    assert [sample.index for sample in read_samples(path, DATA)] == [1, 0, 2, 7, 3]
    of = {"task_id": "set/0", "solution": "", "index": 0}
    kinds: list[dict[str, Any]] = [
        {"model": "a"},
        {"model": "b"},
        {"model": "b", "temperature": 0.5},
        {"model": "b", "temperature": 1},
        {"temperature": 1.0},
    ]
    path = rows(tmp_path, *({**of, **kind} for kind in kinds))
    found = [(s.model, s.temperature, s.index) for s in read_samples(path, DATA)]
    assert found == [("a", None, 0), ("b", None, 0), ("b", 0.5, 0), ("b", 1.0, 0), ("", 1.0, 0)]
    path = rows(tmp_path, {**of, **kinds[3]}, {**of, **kinds[3], "temperature": 1.0})
    with pytest.raises(InputError, match=r"samples\.jsonl:2: duplicate index 0 of task 'set/0'"):
        list(read_samples(path, DATA))
    samples = [Sample("set/1", PROMPT + BODY, "m", 3), Sample("set/0", "def f(x): pass\n", "", 0)]
    packed = [
        {"task_id": "set/1", "index": 3, "model": "m", "solution": PROMPT + BODY},
        {"task_id": "set/0", "index": 0, "solution": "def f(x): pass\n"},
    ]
    assert write_jsonl(tmp_path / "s.jsonl.gz", packed) == 2
    assert list(read_samples(tmp_path / "s.jsonl.gz", DATA)) == samples


def test_a_suite_of_a_part_takes_the_whole_sets_samples(tmp_path: Path) -> None:
    """Rows of its other tasks are left aside and counted; an index of any size costs little."""
    items = [{"task_id": f"HumanEval/{n % 4}", "solution": ""} for n in range(8)]
    path = rows(tmp_path, *items, {"task_id": "HumanEvil/1", "solution": ""})
    faults = Faults()
    found = [sample.task_id for sample in read_samples(path, suite_of(1, 3), faults=faults)]
    assert found == ["HumanEval/1", "HumanEval/3"] * 2
    assert faults.aside == {"HumanEval/0": 2, "HumanEval/2": 2}
    assert (faults.left_out, len(faults.shown)) == (1, 1)
    assert "HumanEvil/1" in faults.shown[0]
    path = rows(tmp_path, {"task_id": "HumanEval/9", "solution": ""})
    with pytest.raises(InputError, match=r"none of its 1 rows is for a task of part"):
        list(read_samples(path, suite_of(1), faults=Faults()))
    of = {"task_id": "set/0", "solution": ""}
    many = [{**of, "model": f"m{n}", "index": MAX_INDEX - 1} for n in range(500)]
    path = rows(tmp_path, *many, *[{**of, "index": 600}, *[of] * 700])
    tracemalloc.start()
    found = [sample.index for sample in read_samples(path, DATA)]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 << 20
    assert found[500:] == [600, *range(600), *range(601, 701)]


@pytest.mark.parametrize("value", ["hot", None, -1, True, [], 1e999, 10**400])
def test_what_is_no_temperature_is_passed_over(tmp_path: Path, value: Any) -> None:
    """Other tools may mean something else by the key."""
    path = rows(tmp_path, {"task_id": "set/0", "solution": "", "temperature": value})
    assert [sample.temperature for sample in read_samples(path, DATA)] == [None]


def suite_of(*numbers: int) -> Dataset:
    """Return a suite file's tasks: a part of a set."""
    tasks = [make_task(id=f"HumanEval/{number}") for number in numbers]
    suites = {task.id: make_suite(task, [2, 4]) for task in tasks}
    return Dataset("part", tuple(tasks), suites)


def test_a_folder_of_the_whole_set(tmp_path: Path) -> None:
    """A suite of a part takes the folder of the whole set's samples."""
    for number in range(3):
        (tmp_path / f"HumanEval_{number}").mkdir()
        (tmp_path / f"HumanEval_{number}" / "0.py").write_text("")
    faults = Faults()
    found = [sample.task_id for sample in read_samples(tmp_path, suite_of(1), faults=faults)]
    assert found == ["HumanEval/1"]
    assert faults.aside.total() == 2


def test_a_folder_of_programs(tmp_path: Path) -> None:
    """A folder a task, a file a sample: in the tasks' order and the numbers', junk passed over."""
    for name, text in {
        "set_1/10.py": "def f(x): return 10\n",
        "set_1/2.py": "def f(x): return 2\n",
        "set_0/0.py": "def f(x): return 0\n",
        "set_0/.hidden.py": "",
        "set_0/notes.txt": "",
        "set_0/__pycache__/0.py": "",
        ".git/0.py": "",
        "README.md": "",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    found = [(s.task_id, s.index, s.source[-3:]) for s in read_samples(tmp_path, DATA)]
    assert found == [("set/0", 0, " 0\n"), ("set/1", 2, " 2\n"), ("set/1", 10, "10\n")]


@pytest.mark.parametrize("name", ["generations.json", "g.txt", "g.json.gz"])
def test_lists_in_the_order_of_the_tasks(tmp_path: Path, name: str) -> None:
    """A list of lists goes to the tasks in order, and may end before the last one."""
    text = "\n " + json.dumps([[PROMPT + BODY, "def f(x): pass\n"], ["def f(x): return 1\n"]])
    data = text.encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    found = list(read_samples(tmp_path / name, DATA))
    assert [(s.task_id, s.index) for s in found] == [("set/0", 0), ("set/0", 1), ("set/1", 0)]
    assert found[0].source == PROMPT + BODY


def test_tasks_that_were_not_chosen_are_passed_over(tmp_path: Path) -> None:
    """In each format; ids that a folder cannot tell apart need a file of rows."""
    some = DATA.only(["set/1"])
    by_row = rows(
        tmp_path,
        *({"task_id": f"set/{n}", "solution": f"def f(x): return {n}\n"} for n in range(3)),
    )
    by_list = tmp_path / "g.json"
    by_list.write_text(json.dumps([[f"def f(x): return {n}\n"] for n in range(3)]))
    folder = tmp_path / "folder"
    for n in range(3):
        (folder / f"set_{n}").mkdir(parents=True)
        (folder / f"set_{n}" / "0.py").write_text(f"def f(x): return {n}\n")
    for path in (by_row, by_list, folder):
        assert list(read_samples(path, some)) == [Sample("set/1", "def f(x): return 1\n", "", 0)]
    data = Dataset("d", (Task("a/b", "", "f", ""), Task("a_b", "", "f", "")))
    with pytest.raises(InputError, match="differ only in / and _"):
        list(read_samples(folder, data))


def test_samples_are_read_one_at_a_time(tmp_path: Path) -> None:
    """What stands before a mistake is yielded; the greatest length is allowed."""
    path = rows(
        tmp_path, {"task_id": "set/0", "solution": "def f(x): pass\n"}, {"task_id": "set/9"}
    )
    stream = read_samples(path, DATA)
    assert next(stream).task_id == "set/0"
    with pytest.raises(InputError):
        next(stream)
    source = "def f(x): pass\n#" + "\ud800" + "x" * (MAX_SOURCE - 19)
    path = rows(tmp_path, {"task_id": "set/0", "solution": source})
    assert next(read_responses(path, DATA)).text == source


GOOD = {"task_id": "set/0", "solution": "x"}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"solution": "x"}, "missing 'task_id'"),
        ({**GOOD, "task_id": None}, "'task_id' is 'None', a string was expected"),
        ({**GOOD, "task_id": 3}, "'task_id' is '3', a string was expected"),
        ({**GOOD, "task_id": "set/00"}, r"unknown task 'set/00' \(did you mean 'set/0'\?\)"),
        ({**GOOD, "task_id": "zzz"}, r"unknown task 'zzz' \(the tasks are those of some, such as"),
        ({"task_id": "set/0"}, r"neither 'solution' nor 'completion' \(its keys are task_id\)"),
        ({"task_id": "set/0", "code": "x"}, "its keys are code, task_id"),
        ({**GOOD, "index": "0"}, "'index' is '0', an integer was expected"),
        ({**GOOD, "index": True}, "'index' is 'True', an integer was expected"),
        ({**GOOD, "index": -1}, "index -1 is not from 0"),
        ({**GOOD, "index": 2**40}, "is not from 0"),
        ({**GOOD, "index": 0}, "duplicate index 0 of task 'set/0'"),
        ({**GOOD, "model": 3}, "'model' is '3', a string was expected"),
        ({**GOOD, "model": "m" * 10_000}, "'model' is longer than"),
        ({**GOOD, "task_id": "set/0" * 100_000}, "unknown task"),
        ([1], "holds a JSON array"),
    ],
)
def test_each_mistake_in_a_row_is_named(tmp_path: Path, row: Any, message: str) -> None:
    """A wrong row is one clear line with file and line number."""
    path = rows(tmp_path, {"task_id": "set/0", "solution": "def f(x): pass\n", "index": 0}, row)
    with pytest.raises(InputError, match=rf"samples\.jsonl:2: .*{message}") as caught:
        list(read_samples(path, DATA))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('["x"]', "task set/0: a list of strings was expected"),
        ("[[], [], [], []]", "holds samples for 4 tasks, some has 3"),
        ("[[", "is not valid JSON"),
    ],
)
def test_each_mistake_in_a_list_is_named(tmp_path: Path, text: str, message: str) -> None:
    """A wrong list says at which task."""
    (tmp_path / "g.json").write_text(text)
    with pytest.raises(InputError, match=rf"g\.json.*: {message}"):
        list(read_samples(tmp_path / "g.json", DATA))


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ("set_00/0.py", r"set_00: is the folder of no task \(did you mean 'set_0'"),
        ("other/0.py", "other: is the folder of no task"),
        ("set_0/first.py", r"first\.py: is not named by a number of its own"),
        ("set_0/1.py set_0/01.py", r"\.py: is not named by a number of its own"),  # a sample twice
        ("README.md", "holds no samples"),
    ],
)
def test_each_mistake_in_a_folder_is_named(tmp_path: Path, files: str, message: str) -> None:
    """A wrong folder or file name is named; so is a folder without samples."""
    for file in files.split():
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text("")
    with pytest.raises(InputError, match=message):
        list(read_samples(tmp_path, DATA))


def test_real_files(shared: Path) -> None:
    """Real sample files are read whole, for the tasks that they cover."""
    for folder, name in (("humaneval", "HumanEvalPlus-Mini"), ("mbpp", "MbppPlus")):
        data = load_dataset(shared / "datasets" / f"{name}.jsonl.gz")
        for path in sorted((shared / "samples" / folder).glob("*.jsonl.gz")):
            with gzip.open(path, "rt") as stream:
                wanted = [json.loads(line) for line in stream]
            found = list(read_samples(path, data, extraction="none"))
            assert [(s.task_id, s.source) for s in found] == [
                (row["task_id"], row["solution"]) for row in wanted
            ]


# Answers that cannot be used cost their own verdict or their own row, and nothing else.

ONE = Dataset("some", (Task("set/0", "def f(x):\n", "f", "def f(x):\n    return x\n"),))
ANSWER = {"task_id": "set/0", "solution": "x = 1"}
UNUSABLE: list[Any] = [
    None,
    1,
    "x\x00",
    "x" * (MAX_SOURCE + 1),
    "é" * (MAX_SOURCE // 2 + 1),
]


def written(folder: Path, *written: object) -> Path:
    return write_rows(folder / "samples.jsonl", written)


@pytest.mark.parametrize("extraction", ["clean", "none"])
def test_an_answer_that_cannot_be_a_program_is_one_that_fails(
    tmp_path: Path, extraction: Literal["clean", "none"]
) -> None:
    """Such an answer keeps its place, task and index, raises when run, and is counted."""
    answers = [{"task_id": "set/0", "solution": value} for value in UNUSABLE]
    faults = Faults()
    path = written(tmp_path, *answers, {"task_id": "set/0", "completion": 1.5}, ANSWER)
    found = list(read_samples(path, ONE, extraction=extraction, faults=faults))
    assert [sample.index for sample in found] == list(range(len(UNUSABLE) + 2))
    for sample in found[:-1]:
        with pytest.raises(ValueError, match="the sample"):
            exec(compile(sample.source, "sample", "exec"), {})
    assert "raise" not in found[-1].source
    assert (faults.left_out, faults.unusable) == (0, len(UNUSABLE) + 1)


def test_rows_that_are_not_answers_are_left_out_and_counted(tmp_path: Path) -> None:
    """In every form, with line and cause; a file without any answer is an error."""
    path = written(
        tmp_path, ANSWER, {"solution": "x"}, {**ANSWER, "index": -1}, [1], {**ANSWER, "model": 2}
    )
    with path.open("ab") as file:
        file.write(b'{"task_id": "set/0", "solution": "' + b"x" * MAX_ROW + b'"}\n{"a":\n')
        file.write(json.dumps(ANSWER).encode() + b"\n")
    faults = Faults()
    assert [sample.index for sample in read_samples(path, ONE, faults=faults)] == [0, 1]
    assert faults.left_out == 6
    assert all(f":{line}: " in text for line, text in enumerate(faults.shown, 2))
    path = written(
        tmp_path, ANSWER, {**ANSWER, "task_id": "busy"}, {**ANSWER, "task_id": "busy"}, {}
    )
    faults = Faults()
    assert len(list(read_samples(path, ONE, faults=faults))) == 1
    assert (faults.left_out, faults.unknown) == (3, 2)
    first, second = faults.notes()[:2]
    assert first.startswith("2 answers are to tasks")
    assert second.startswith("1 rows")
    path = written(tmp_path, {"text": "x"}, {"text": "y"})
    with pytest.raises(InputError) as caught:
        list(read_samples(path, ONE, faults=Faults()))
    assert caught.value.line == 1
    (tmp_path / "g.json").write_text('[["x = 1", 1, "\\u0000"]]')
    found = list(read_samples(tmp_path / "g.json", ONE, extraction="none"))
    assert ["raise ValueError" in sample.source for sample in found] == [False, True, True]
    folder = tmp_path / "folder" / "set_0"
    folder.mkdir(parents=True)
    (folder / "0.py").write_bytes(b"\xff")
    (folder / "1.py").write_bytes(gzip.compress(b"x" * 9))
    os.mkfifo(folder / "2.py")
    (folder / "3.py").write_text("x = 1")
    found = list(read_samples(tmp_path / "folder", ONE, extraction="none"))
    assert ["raise ValueError" in sample.source for sample in found] == [True, True, True, False]
