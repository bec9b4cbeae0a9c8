"""CRUXEval: its rows as tasks, its generations as predictions, its scores reproduced."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from evalplus_lite.cli import main
from evalplus_lite.errors import InputError
from evalplus_lite.exe import export_mined
from evalplus_lite.exe.mining import MiningSettings, mine
from evalplus_lite.exe.prediction import Prediction, question
from evalplus_lite.exe.running.runs import Invocation
from evalplus_lite.exe.scoring import judged, score
from evalplus_lite.exe.tasks.forms import SkippedRow, published_tasks, read_any_tasks
from evalplus_lite.exe.tasks.mined import TaskCase
from evalplus_lite.jobs.session import Session
from evalplus_lite.sandbox import Sandbox
from evalplus_lite.store import read_jsonl, write_jsonl
from evalplus_lite.values import wire

CODE = "names = [1, 2]\n\ndef f(a, b=0):\n    return a if not callable(a) else a(b)\n"
ROWS = [
    {"id": "sample_0", "code": CODE, "input": "[1, (2,)], b={3}", "output": "[1, (2,)]"},
    {"id": "sample_1", "code": CODE, "input": "lambda x: x + 1, 3", "output": "4"},
    {"id": "sample_2", "code": CODE, "input": "1", "output": "open('x', 'w')"},
]


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """A file of three rows, the last of which no literal is the output of."""
    path = tmp_path / "crux.jsonl"
    write_jsonl(path, ROWS)
    return path


def test_rows_are_read_without_running_them(rows: Path) -> None:
    """An input that is no literal stays text; a row whose output is none is named."""
    left_out: list[SkippedRow] = []
    first, second = published_tasks(rows, left_out)
    assert [(each.task_id, each.line) for each in left_out] == [("cruxeval/sample_2", 3)]
    assert first.cases[0].call == Invocation(([1, (2,)],), {"b": {3}})
    assert second.cases[0].written("f") == "f(lambda x: x + 1, 3)"
    assert "f(lambda x: x + 1, 3)" in question(second, second.cases[0])
    assert TaskCase.from_json(second.cases[0].to_json()) == second.cases[0]


def test_values_are_judged_as_python_compares(sandbox: Sandbox) -> None:
    """Any expression for the value is right; it sees neither the program nor the true value."""
    said = ["[1, (2,)]", "[True, (2.0,)]", "[1, 2]", "[1] + [tuple([2])]", "f([1, (2,)])", "", "1)"]
    found = [judged(sandbox, wire.encode([1, (2,)]), each) for each in said]
    assert found == ["", "", "other value", "", "raises", "unreadable", "unreadable"]


def test_the_published_scores_come_out(shared: Path, tmp_path: Path) -> None:
    """CodeLlama-7b's answers of some rows are graded as CRUXEval graded them, one by one."""
    folder = shared / "benchmarks" / "cruxeval"
    if not folder.is_dir():
        pytest.skip("needs real data: the folder benchmarks/cruxeval")
    with gzip.open(folder / "codellama-7b_output_generations.json.gz") as file:
        said = json.load(file)
    with gzip.open(folder / "codellama-7b_output_scored.json.gz") as file:
        scored = json.load(file)["scored"]
    chosen = [*sorted(said)[::40], "sample_51", "sample_53", "sample_125", "sample_567"]
    tasks = tmp_path / "cruxeval.jsonl"
    rows = (row.data for row in read_jsonl(folder / "cruxeval.jsonl"))
    write_jsonl(tasks, (row for row in rows if row["id"] in chosen))
    generations = tmp_path / "generations.json"
    generations.write_text(json.dumps({name: said[name] for name in chosen}, indent=1))
    grades = tmp_path / "grades.jsonl"
    score(tasks, generations, graded=grades)
    found: dict[str, list[bool]] = {}
    for row in map(json.loads, grades.read_text().splitlines()):
        found.setdefault(row["task_id"].rpartition("/")[2], []).append(row["result"])
    assert found == {name: scored[name] for name in chosen}


def test_the_command_grades_generations(
    rows: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Values are graded from a file of generations; calls that should give them are refused."""
    path = tmp_path / "said.json"
    path.write_text(json.dumps({"sample_0": ["f([1, (2,)])", "f(0)"], "sample_1": ["f(4)"]}))
    assert main(["exe", "score", str(rows), str(path)]) == 2
    assert "generations of outputs" in " ".join(capsys.readouterr().err.split())
    path.write_text(json.dumps({"sample_0": ["[1, (2,)]", "f(0)"], "sample_1": ["2 + 2", "3"]}))
    assert main(["exe", "score", str(rows), str(path), "--k", "1,2", "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["pass_at_k"] == {"pass@1": 0.5, "pass@2": 1.0}
    assert [row["task_id"] for row in summary["left_out"]] == ["cruxeval/sample_2"]
    path.write_text('{"sample_0": ["1"], "sample_9": ["1"]}')
    assert main(["exe", "score", str(rows), str(path)]) == 2
    assert "'sample_9'" in capsys.readouterr().err
    path.write_text('{"sample_0": ["1"], "sample_1": [3]}')
    assert main(["exe", "score", str(rows), str(path)]) == 2
    assert "'sample_1'" in capsys.readouterr().err


def test_rows_that_cannot_be_asked_about_are_told(
    rows: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With line and cause; answers about them are counted, and cost the others nothing."""
    odd = [{**ROWS[0], "id": "none", "code": "def g(x):\n    return x\n"},
           {**ROWS[0], "id": "broken", "code": "def f(x:\n"}]  # fmt: skip
    write_jsonl(rows, [*ROWS, *odd])
    path = tmp_path / "said.json"
    path.write_text(json.dumps({"sample_0": ["[1, (2,)]"], "sample_2": ["4"], "none": ["1", "2"]}))
    assert main(["exe", "score", str(rows), str(path), "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["pass_at_k"] == {"pass@1": 1.0}
    assert summary["ignored"] == 3
    named = [(row["task_id"].partition("/")[2], row["line"]) for row in summary["left_out"]]
    assert named == [("sample_2", 3), ("none", 4), ("broken", 5)]
    assert main(["exe", "score", str(rows), str(path)]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "cruxeval/none (line 4): its program cannot be asked about: there is no f" in printed
    assert main(["exe", "report", str(rows), str(path), "-o", str(tmp_path), "--no-pictures"]) == 0
    assert "cruxeval/broken (line 5)" in " ".join(capsys.readouterr().out.split())


def test_two_rows_of_one_name_are_refused(
    rows: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of another set's rows and of mined tasks: an answer would be about either of them."""
    write_jsonl(rows, [*ROWS, {**ROWS[1], "output": "5"}])
    write_jsonl(tmp_path / "mined.jsonl", [MINED, {**MINED, "package": "q"}])
    (tmp_path / "said.json").write_text('{"sample_0": ["1"]}')
    for path, line in ((rows, 4), (tmp_path / "mined.jsonl", 2)):
        assert main(["exe", "score", str(path), str(tmp_path / "said.json")]) == 2
        assert f"{path}:{line}: " in capsys.readouterr().err.replace("\n", "")


MINED = {
    "task_id": "p/m.cut", "package": "p", "licence": "MIT", "entry_point": "cut",
    "python": "3.11.7", "tags": ["hash"], "read": False,
    "code": "def cut(text: str, size: int = 1):\n    if size < 0:\n        raise ValueError(size)\n"
            "    return {'to': (text[:size], size)}\n",
    "signature": {"parameters": [
        {"name": "text", "kind": "positional", "type": "str", "default": None},
        {"name": "size", "kind": "positional", "type": "int", "default": "1"},
    ], "result": "dict[str, tuple[str, int]]"},
    "cases": [
        {"input": [["ab'\n", 2], {}], "output": {"to": {"$tuple": ["ab", 2]}}},
        {"input": [["é"], {"size": 0}], "output": {"to": {"$tuple": ["", 0]}}},
        {"input": [["x", -1], {}], "error": {"type": "ValueError", "message": "-1"}},
    ],
}  # fmt: skip


def test_mined_tasks_travel_as_rows_of_cruxeval(tmp_path: Path) -> None:
    """Written and read again they are the same questions, with licences; errors stay behind."""
    write_jsonl(tmp_path / "tasks.jsonl", [MINED])
    found = export_mined(tmp_path / "tasks.jsonl", tmp_path / "out.jsonl")
    assert found.to_rows()[0] == {"format": "cruxeval", "tasks": 1, "cases": 2, "left_out": 1,
                                  "out": str(tmp_path / "out.jsonl")}  # fmt: skip
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert all((row["task_id"], row["licence"]) == ("p/m.cut", "MIT") for row in rows)
    for row in rows:
        _hold(row)
    again = [(task, case) for task in read_any_tasks(tmp_path / "out.jsonl") for case in task.cases]
    assert [case.call.args[:1] or case.call.kwargs["text"] for _, case in again] == [
        ("ab'\n",),
        ("é",),
    ]
    said = [Prediction(task.id, task.cases.index(case), 0, {"value": {"to": ["", 0]}})
            for task, case in again]  # fmt: skip
    report = score(read_any_tasks(tmp_path / "out.jsonl"), said).report
    assert report.pass_at_k == {"pass@1": 0.5}
    # They are cases of one function of that package, as in the file that they are from.
    assert [(line["group"], line["name"], line["tasks"]) for line in report.tables][:2] == [
        ("all", "all", 1), ("package", "p", 1),
    ]  # fmt: skip
    kept = ("package", "licence", "python", "tags")
    assert all({n: task.facts[n] for n in kept} == {n: MINED[n] for n in kept} for task, _ in again)


SHOWN = """
import collections, datetime, enum, typing
from dataclasses import dataclass

class Kind(enum.Enum):
    ODD = 1
    EVEN = 2

@dataclass
class Pair:
    one: int
    two: int

class Spot(typing.NamedTuple):
    x: int
    y: int

def pair(x: int) -> Pair:
    return Pair(x, x % 7)
def pairs(x: int) -> dict:
    return {"found": [Pair(x, x % 5)]}
def kind(x: int) -> Kind:
    return Kind(x % 2 + 1)
def spot(x: int) -> Spot:
    return Spot(x, x % 7)
def upto(x: int) -> typing.Iterator[int]:
    yield from range(x % 7)
def day(x: int) -> datetime.date:
    return datetime.date(2000, 1, 1) + datetime.timedelta(x % 999)
def week(day: datetime.date, more: int = 0) -> int:
    return day.isocalendar()[1] + more
def counted(text: str):
    return collections.Counter(text)
def shouted(function):
    def wrapper(target, *others):
        return function(target, *others).upper()
    return wrapper
@shouted
def loud(text: str, more: str) -> str:
    return text + more
def placed(text: str, size: int, /) -> str:
    return text[:size]
"""


def test_what_is_exported_holds_where_the_program_runs(
    tmp_path: Path, toys: Any, session: Session
) -> None:
    """Whatever the annotation says, or where there is none: as their own scorers run the rows."""
    settings = MiningSettings(rounds=1, keep_all=True)
    wheel = toys.wheel({"toy.py": SHOWN})
    mine([str(wheel)], settings=settings, out=tmp_path / "mined.jsonl", session=session)
    mined = {task.entry_point: task for task in read_any_tasks(tmp_path / "mined.jsonl")}
    assert {name for name, task in mined.items() if task.facts["read"]} == {
        "pair", "pairs", "kind", "upto", "day",
    }  # fmt: skip
    named = {"spot", "call_week", "counted", "loud", "placed"}
    found = export_mined(tmp_path / "mined.jsonl", tmp_path / "out.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert {row["task_id"].rpartition(".")[2] for row in rows} == named
    assert found.summary["tasks"] == len(named)
    for row in rows:
        _hold(row)


def _hold(row: dict[str, Any]) -> None:
    """Run a row as CRUXEval's own scorer does."""
    space: dict[str, Any] = {"__name__": "exported"}
    exec(f"{row['code']}\nassert f({row['input']}) == {row['output']}", space)


BREAKPOINT = {"line": 1, "text": "", "hit": 1, "variables": []}


def test_questions_within_a_call_are_no_rows_of_others(tmp_path: Path) -> None:
    """What they ask has no place there: the file is refused, and left as it is."""
    write_jsonl(tmp_path / "asked.jsonl", [{**MINED, "breakpoint": BREAKPOINT}])
    with pytest.raises(InputError, match=r"asked\.jsonl"):
        export_mined(tmp_path / "asked.jsonl", tmp_path / "out.jsonl")
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize("read", [True, None])
def test_what_only_stands_for_a_value_is_not_exported(read: bool | None, tmp_path: Path) -> None:
    """A run saw that answers stand for others, as a date's text does, or nothing was seen."""
    row = {key: value for key, value in MINED.items() if key != "read"}
    write_jsonl(tmp_path / "tasks.jsonl", [row if read is None else {**row, "read": read}])
    with pytest.raises(InputError, match="CRUXEval"):
        export_mined(tmp_path / "tasks.jsonl", tmp_path / "out.jsonl")


@pytest.mark.parametrize("call", ["f(3)(4)", "f(1) or f(2)", "f(a=1, a=2)", "f(1, b=2, b=2)", "f"])
def test_what_is_no_single_call_of_the_function_is_left_out(call: str, tmp_path: Path) -> None:
    """Told with its line, and nothing that changes from run to run."""
    row = {"question_id": 1, "function_name": "f", "code": CODE, "input": call, "output": "1"}
    right = {**row, "question_id": 2, "input": "f(1, b=2)"}
    write_jsonl(tmp_path / "rows.jsonl", [right, row, {**row, "question_id": 3, "output": "f(1)"}])
    left_out: list[SkippedRow] = []
    assert len(list(read_any_tasks(tmp_path / "rows.jsonl", left_out=left_out))) == 1
    assert [each.line for each in left_out] == [2, 3]
    assert not any("0x" in each.reason for each in left_out)


def test_rows_of_others_are_not_written_as_rows_of_others(rows: Path, tmp_path: Path) -> None:
    """Their questions are another set's: only what was mined knows what its answers stand for."""
    with pytest.raises(InputError, match=r"crux\.jsonl"):
        export_mined(rows, tmp_path / "out.jsonl")
