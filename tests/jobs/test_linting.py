"""lint: a verdict on each task, with coded findings; no task stops another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest
from support.commands import write_rows

from evalplus_lite import InputError, Session, lint, load_dataset
from evalplus_lite.cli import main
from evalplus_lite.jobs.linting import (
    CODES,
    VERDICTS,
    _contradicted,
    _examples,
    codes,
    explain,
    fingerprint,
)
from evalplus_lite.sandbox import Sandbox
from evalplus_lite.tasks.drafts import examples
from evalplus_lite.types import Cause, Harness, Task
from evalplus_lite.values import wire

ROW: dict[str, Any] = {"prompt": "", "entry_point": "f", "inputs": [[1], [2]]}
DISTANCE = """\
def f(x, y):
    far = abs(x) + abs(y)
    if far > 1000:
        far = 1000 - x + y
    return far * 2 + 1
"""
STATEMENT = "Return the sum of the squares of the numbers from zero up to x, both included, with f."
PROGRAMS: dict[str, tuple[str, str, dict[str, Any]]] = {
    # what is wrong: the code, the reference, and keys of the row
    "ready": ("", "return x + 1", {"prompt": "f(1) is 2: >>> f(1)\n2"}),
    "raises": ("T002", "return 5 // (x - 1)", {}),
    "expected": ("T003", "return x + 1", {"outputs": [2, 4]}),
    "unstable": ("T004", "return hash(str(x)) if x == 2 else 3", {}),
    "refused": ("T006", "return x + 1", {"contract": "def precondition(x):\n    assert x > 1\n"}),
    "unrepresentable": ("T007", "return object() if x == 1 else 3", {}),
    "weak": ("T102", "return x", {}),
    "constant": ("T102", "return 7", {}),
    "mutant": ("T104", "return 5 if x > 4 else x", {}),
    "visible": ("T105", "return x + 1", {"prompt": ">>> f(1)\n2\n>>> f(2)\n3\n"}),
    "body": ("T105", DISTANCE, {"prompt": DISTANCE, "inputs": [[1, 2], [3, 9], [999, 5]]}),
    "prompt": ("T201", "return x + 1", {"prompt": "Adds.\n\n>>> f(1)\n2\n>>> f(2)\n4\n"}),
    "name": ("T202", "return x + 1", {"prompt": "Add one to a number."}),
    "parameters": ("T202", "return x + 1", {"prompt": "def f(x, y):\n    pass\n"}),
    "clock": ("T204", "import time\n    return x + time.time() // 10**10", {}),
    "alias": ("T204", "from time import time as now\n    return x + 1 + (now() > 9e9)", {}),
    "file": ("T204", "import os\n    return x + 1 + os.path.exists('cache.bin')", {}),
    "floats": ("T205", "return x / 3", {"rule": {"kind": "python", "atol": 0, "rtol": 0}}),
    "reached": ("T301", "if x > 9:\n        x = x - x\n    return x + 1", {}),
    "ignored": ("T302", "x.sort()\n    return x[0]", {"inputs": [[[2, 1]], [[3, 4]]]}),
    "uncalled": ("T301", "return x + 1\ndef g():\n    return 2", {}),
    "observed": ("T303", "yield x", {}),
    "first": ("", "return sum(n * n for n in range(x + 1))", {"prompt": STATEMENT}),
    "copy": ("T106", "return x * (x + 1) * (2 * x + 1) // 6", {"prompt": STATEMENT}),
}
UNUSABLE: dict[str, tuple[str, dict[str, Any]]] = {
    "load": ("T002", {"reference": "import no_such_module\n\ndef f(x):\n    return x\n"}),
    "no inputs": ("T008", {"reference": "def f(x):\n    return x\n", "inputs": []}),
    "no reference": ("T008", {}),
    "unreadable": ("T001", {"reference": "def g(x):\n    return x\n"}),
    "unobserved": ("T007", {"reference": "def f(x):\n    pass\n"}),
    "contract": (
        "T006",
        {"reference": "def f(x):\n    return x\n", "contract": "def check(a):\n    1"},
    ),
}


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a task for each thing that may be wrong."""
    rows: list[dict[str, Any]] = []
    for kind, (_, body, more) in PROGRAMS.items():
        reference = body if body.startswith("def") else f"def f(x):\n    {body}\n"
        rows.append({"id": kind, **ROW, "reference": reference, **more})
    rows += [{"id": kind, **ROW, **more} for kind, (_, more) in UNUSABLE.items()]
    path = tmp_path_factory.mktemp("tasks") / "tasks.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows) + "no row\n")
    return path


@pytest.fixture(scope="module")
def rows(tasks: Path, session: Session) -> dict[str, dict[str, Any]]:
    """What is found of each task."""
    result = lint(tasks, session=session)
    found = {row["task_id"]: row for row in result.to_rows()}
    last = f"line {len(PROGRAMS) + len(UNUSABLE) + 1}"
    assert list(found) == [*PROGRAMS, *UNUSABLE, last]
    assert sum(result.summary[verdict] for verdict in VERDICTS) == len(found)
    free = ["weak", "constant", "clock", "mutant"]  # a broken task gives no reward
    assert result.summary["null_reward"] == len(free) / (len(found) - result.summary["broken"])
    return found


def test_each_defect_has_its_code(rows: dict[str, dict[str, Any]]) -> None:
    """A task has the finding that was planted, and the verdict of its worst; a good one none."""
    for kind, (code, *_) in PROGRAMS.items():
        row = rows[kind]
        assert bool(row["findings"]) == bool(code), kind
        assert code in ["", *(each["code"] for each in row["findings"])], kind
        ranks = [VERDICTS.index(each["verdict"]) for each in row["findings"]]
        assert row["verdict"] == VERDICTS[max(ranks, default=0)], kind
    for kind, (code, _) in UNUSABLE.items():
        assert (rows[kind]["verdict"], rows[kind]["findings"][0]["code"]) == ("broken", code), kind
    row = rows["ready"]
    assert (row["harness"], row["observe"], row["compared"]) == ("call", ["value"], "python")
    assert (row["given"], row["usable"], row["steps"]) == (2, 2, 1)


def test_every_cause_is_of_one_code() -> None:
    """Whatever stands in the way of a task or an input has a code, which is explained."""
    known = list(CODES)
    # A defect of ours is no finding on a task, and `lint` makes no suites that could meet one.
    assert sorted(known) == sorted({*get_args(Cause)} - {"defect"})
    for code, entry in codes().items():
        assert entry.keys() == {"name", "verdict", "what", "why", "example", "remedy"}
        assert explain(entry["name"])["code"] == code
    with pytest.raises(InputError, match="T999"):
        explain("T999")


def test_the_command_shows_all(tasks: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Findings below the table, or annotations with file and line; and an exit code."""
    assert main(["lint", str(tasks), "--tasks", "ready,prompt,load"]) == 1
    out = capsys.readouterr().out
    assert "1 fit, 0 weak, 1 unfair, 1 broken" in out
    assert "no_such_module" in out
    assert main(["lint", str(tasks), "--tasks", "ready,prompt", "--fail-on", "error"]) == 0
    assert main(["lint", "--explain", "T201"]) == 0
    assert "prompt-contradicts" in capsys.readouterr().out
    line = [*PROGRAMS].index("prompt") + 1
    assert main(["lint", str(tasks), "--tasks", "prompt", "--format", "github"]) == 1
    out = capsys.readouterr().out
    assert out.startswith(
        f"::warning file={tasks},line={line},title=T201 prompt-contradicts::prompt"
    )


def test_lint_resumes(tasks: Path, tmp_path: Path, session: Session) -> None:
    """After a kill only the tasks that are left are checked, and the files have the same bytes."""
    wrong = [{"task_id": "ready", "solution": f"def f(x):\n    return {body} if x > 2 else x + 1\n"}
             for body in ("x * x - 7", "x ** 2 - 7", "-7 + x * x")]  # fmt: skip
    names = ["ready", "prompt"]
    result = lint(tasks, samples=wrong, inputs=20, tasks=names, out=tmp_path, session=session)
    doubted = [row["task_id"] for row in result.to_rows() if "T203" in str(row["findings"])]
    assert doubted == ["ready"]
    assert {row["task_id"] for row in result.disputes} == {"ready"}
    paths = [tmp_path / name for name in ("lint.jsonl", "disputes.jsonl", "lint.journal.jsonl")]
    before = [path.read_bytes() for path in paths]
    kept = before[2].splitlines(keepends=True)
    paths[2].write_bytes(kept[0] + kept[1][:9])
    paths[0].unlink()
    with pytest.raises(InputError, match="inputs"):
        lint(tasks, samples=wrong, inputs=21, tasks=names, out=tmp_path, session=session)
    lint(tasks, samples=wrong, inputs=20, tasks=names, out=tmp_path, session=session)
    assert [path.read_bytes() for path in paths] == before
    page = tmp_path / "page.html"
    assert main(["report", str(tmp_path), "-o", str(page)]) == 0
    assert "prompt-contradicts" in page.read_text()


def test_what_is_safe_is_fixed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], session: Session
) -> None:
    """The other file has no broken row, twin or lost input, and names the function."""
    body = "def f(x):\n    return 5 // (x - 1)\n"
    rows: list[dict[str, Any]] = [
        {"id": "lost", **ROW, "reference": body, "inputs": [[1], [2], [3]], "prompt": "f divides."},
        {"id": "bare", **ROW, "reference": "def f(x):\n    return x + 1\n", "prompt": "Add one."},
        {"id": "empty", **ROW, "reference": body, "inputs": []},
        {"id": "first", **ROW, "reference": "def f(x):\n    return x\n", "prompt": STATEMENT},
        {"id": "copy", **ROW, "reference": "def f(x):\n    return -x\n", "prompt": STATEMENT},
        *[
            {"id": "twice", **ROW, "reference": f"def f(x):\n    return x + {n}\n"}
            for n in (2, 3, 2)
        ],
        {"id": "unread", **ROW, "reference": "def g(x):\n    return x\n"},
    ]
    path, out = tmp_path / "tasks.jsonl", tmp_path / "fixed.jsonl"
    text = "".join(json.dumps(row) + "\n" for row in rows)
    path.write_text(text)
    for given in (str(path), "humaneval"):
        assert main(["lint", given, "--fix", str(path), "--fail-on", "error"]) == 2
    assert main(["lint", str(path), "--fix", str(out), "--fail-on", "error"]) == 1
    shown = capsys.readouterr().out
    fixed = {row["id"]: row for row in map(json.loads, out.read_text().splitlines())}
    assert list(fixed) == ["lost", "bare", "first", "twice", "twice-2"]
    assert fixed["lost"] == {**rows[0], "inputs": [[2], [3]]}
    assert fixed["bare"]["prompt"] == "Add one.\n\nName it `f`.\n"
    assert fixed["first"] == rows[3]
    for id, code in (("lost", "T002"), ("bare", "T202"), ("empty", "T008"), ("copy", "T106")):
        assert f"{id}: {code} fixed" in shown
    assert path.read_text() == text
    again = lint(out, session=session).to_rows()
    codes_of = {row["task_id"]: {each["code"] for each in row["findings"]} for row in again}
    assert not codes_of["lost"] & {"T002"}
    assert not codes_of["bare"] & {"T202"}
    assert not any("T106" in some or "T001" in some for some in codes_of.values())


def test_copies_of_a_benchmark_are_named(tmp_path: Path, session: Session) -> None:
    """A HumanEval task under another id is found among one's own; HumanEval itself is no copy."""
    published = load_dataset("humaneval", tasks=["2"]).tasks[0]
    copy = {"id": "mine/7", "prompt": published.prompt, "reference": published.reference}
    copy |= {"entry_point": published.entry_point, "inputs": [[3.5], [1.25], [123.0]]}
    texts = ["Add one to a number and return it as f.", "Return the larger part of a number as f."]
    body = "def f(x):\n    return x + 1\n"
    rows = [{**ROW, "id": f"mine/{n}", "prompt": text, "reference": body}
            for n, text in enumerate(texts)]  # fmt: skip
    path = tmp_path / "tasks.jsonl"
    write_rows(path, [*rows, copy])
    found = {row["task_id"]: row["findings"] for row in lint(path, session=session).to_rows()}
    (row,) = lint("humaneval", tasks=["2"], session=session).to_rows()
    assert [each["code"] for each in found["mine/7"] if each["code"] == "T107"] == ["T107"]
    assert "HumanEval/2" in str(found["mine/7"])
    assert not any(each["code"] == "T107" for each in [*row["findings"], *found["mine/0"]])
    assert (
        fingerprint(published)[1] != fingerprint(load_dataset("humaneval", tasks=["3"]).tasks[0])[1]
    )


STACK = '''class Stack:
    """A stack.

    >>> s = Stack()
    >>> s.push(3)
    >>> s.top()
    {top}
    """

    def push(self, x):
        """Add x."""
{push}
    def top(self):
        """Return the last item."""
{body}'''
TESTS = """\
import unittest

class T(unittest.TestCase):
    def test_top(self):
        s = Stack()
        for x in (1, 2, 5):
            s.push(x)
            self.assertEqual(s.top(), x)
"""
SUM = "n = int(input())\nif n > 90:\n    n = 90\nprint(n * (n + 1) // 2)\n"


def test_classes_and_scripts_are_read_too(tmp_path: Path, session: Session) -> None:
    """Sessions in docstrings are tried, methods compared, and code outside functions mutated."""
    push = "        self.__dict__.setdefault('items', []).append(x)"
    body = "        return self.items[-1]"
    reference = STACK.format(top=3, push=push, body=body)
    shown = STACK.format(top=3, push="", body="")
    odd = reference.replace("[-1]", "[-1] if hash('b') % 2 else None")
    row = {"harness": "unittest", "entry_point": "Stack", "tests": TESTS, "reference": reference}
    rows = [
        {**row, "id": "sound", "prompt": shown},
        {**row, "id": "example", "prompt": STACK.format(top=4, push="", body="")},
        {**row, "id": "parameter", "prompt": shown.replace("push(self, x)", "push(self, x, y)")},
        {**row, "id": "hidden", "prompt": shown.replace("def push", "def add")},
        {**row, "id": "shown", "prompt": f"Like this, but with types:\n{reference}"},
        {**row, "id": "seeds", "prompt": shown, "reference": odd},
        {"id": "script", "harness": "script", "prompt": "Sum up to n.", "reference": SUM}
        | {"inputs": ["3\n", "90\n"]},
    ]
    path = write_rows(tmp_path / "tasks.jsonl", rows)
    found = {row["task_id"]: row["findings"] for row in lint(path, session=session).to_rows()}
    codes_of = {id: {each["code"] for each in some} for id, some in found.items()}
    serious = {id: some - {"T301", "T303"} for id, some in codes_of.items()}
    assert serious.pop("script") == {"T104"}
    assert serious == {
        "sound": set(),
        "example": {"T201"},
        "parameter": {"T202"},
        "hidden": {"T202"},
        "shown": {"T105"},
        "seeds": {"T004"},
    }
    assert "n = 90" in str(found["script"])


def test_examples_of_a_text_are_read() -> None:
    """Calls with literals in prose, docstrings and samples of input are found, and never run."""
    text = 'def f(x):\n    """Add.\n\n    >>> f(1)\n    2\n    >>> f([0] * 2)\n    (1,)\n    """\n'
    for prompt in (text, text + "    return x +\n", "Add.\n\n>>> f(1)\n2\n>>> f([0] * 2)\n(1,)\n"):
        found = [(each.arguments, wire.decode(each.output)) for each in examples(prompt, "f")]
        assert found == [((1,), 2), (([0, 0],), (1,))]
    odd = ">>> f(y)\n1\n>>> f(1)\n<object>\n>>> f(2)\nTraceback (most recent call last):\nE: no\n"
    assert all(each.problem for each in examples(odd, "f"))
    assert len(list(examples(odd, "f"))) == 3
    assert list(examples(">>> g(1)\n1\n>>> f(1\n", "f")) == []
    sample = "Sample Input 1\n\n3\n\nSample Output 1\n\n6\n"
    prompt = "Double.\n\nInput\n\nGiven is N.\n\nOutput\n\nPrint 2N.\n\n"
    script = Harness("script")
    for text in (prompt + sample, "Double.\n\nInput\n3\nOutput\n6\n"):
        (each,) = _examples(Task("T/0", text, "", "print()", harness=script))
        assert (each.arguments, wire.decode(each.output)) == (("3\n",), "6\n")
    prompt = (
        "Sample Input 1\n\n< < >\r\n#.#\n\nSample Output 1\n\n##\r\n..\r\n\nA remark.\n\n"
        "Sample Input 2\n\n1\n\nSample Output 2\n\n\r\n\nHere the answer is empty.\n\n"
        "Sample Input 3\n\n2\n\nSample Output 3\n\n7"
    )
    found = _examples(Task("T/0", prompt, "", "print()", harness=Harness("script")))
    texts = [(*each.arguments, wire.decode(each.output)) for each in found]
    assert texts == [("< < >\n#.#\n", "##\n..\n"), ("2\n", "7\n")]


@pytest.mark.parametrize(
    ("body", "shown", "is_contradicted"),
    [
        ("print(x)", "12", False),
        ("print('', x, sep='\\n')", "<BLANKLINE>\n12", False),
        ("print(' ' * x, 'word ')", " " * 13 + "word", False),
        ("print(x)", "thirteen", True),
        ("print(x)", "", False),
    ],
)
def test_examples_of_what_is_printed(
    sandbox: Sandbox, body: str, shown: str, is_contradicted: bool
) -> None:
    """A text that a docstring shows is compared with the printed one; a value is none."""
    reference = f"def f(x):\n    {body}\n"
    harness = Harness(observe=("printed",))
    task = Task("t", f"Print it.\n\n>>> f(12)\n{shown}\n\nMore.", "f", reference, harness=harness)
    assert [each["code"] for each in _contradicted(sandbox, task)] == ["T201"] * is_contradicted


def test_examples_of_what_is_changed_are_not_compared(sandbox: Sandbox) -> None:
    """They show no value, and not what becomes of the arguments."""
    harness = Harness(observe=("arguments",))
    reference = "def f(x): x.sort()"
    task = Task("t", "Sort.\n\n>>> f([2, 1])\n", "f", reference, harness=harness)
    assert _contradicted(sandbox, task) == []


def test_a_huge_prompt_is_read_in_bounded_time(tmp_path: Path, session: Session) -> None:
    """Examples are looked for in the beginning of a prompt only, however long it is."""
    row = {"id": "long", "harness": "script", "prompt": "input\n" * 400_000, "inputs": ["1\n"]}
    path = tmp_path / "long.jsonl"
    path.write_text(json.dumps({**row, "reference": "print(int(input()) + 1)\n"}))
    (verdict,) = lint(path, session=session).to_rows()
    assert verdict["verdict"] in VERDICTS
