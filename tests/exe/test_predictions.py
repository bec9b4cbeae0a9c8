"""What a model is asked to predict, and how that is scored."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.conversation import Failing, Scripted

from evalplus_lite.cli import main
from evalplus_lite.errors import InputError, LLMError
from evalplus_lite.exe.prediction import (
    EXAMPLES,
    Prediction,
    PredictionSettings,
    answer_all,
    parse_answer,
)
from evalplus_lite.exe.prediction import predict as ask_all
from evalplus_lite.exe.running.runs import CallResult, Invocation, normal
from evalplus_lite.exe.scoring import grade, judge_by, read_predictions, scored
from evalplus_lite.exe.tasks.mined import MinedTask, TaskCase, read_tasks
from evalplus_lite.models import Client, RefusalError, Request
from evalplus_lite.models.errors import TooLongError
from evalplus_lite.store import write_jsonl


def tasks_of_two() -> list[MinedTask]:
    """Return two small tasks with values and an error."""
    static = {"lines": 4, "nodes": {"Call": 2, "If": 1}, "cyclomatic": 2}
    first = MinedTask(
        "p/m.f",
        "def f(x):\n    return {x, x + 1}\n",
        "f",
        (
            TaskCase(Invocation((1,)), CallResult("value", value={1, 2}), {"lines": 1}),
            TaskCase(
                Invocation(("a",)),
                CallResult("error", type="TypeError", message="bad a"),
                {"lines": 9},
            ),
        ),
        {"package": "p", "python": "3.11.7", "static": static},
    )
    second = MinedTask(
        "q/m.g",
        "def g(x):\n    return x / 2\n",
        "g",
        (TaskCase(Invocation((1,)), CallResult("value", value=0.5), {"lines": 3}),),
        {"package": "q", "static": {**static, "lines": 40}},
    )
    return [first, second]


def test_prediction_retries_once_resumes_and_scores(tmp_path: Path) -> None:
    """One retry carries the parse error; a second run asks nothing; marks follow the rules."""

    def reply(request: Request) -> str:
        last = request.messages[-1].content
        if "f(1)" in last:
            return "hm"
        if "could not be read" in last:
            return '{"value": [2, 1]}'
        if "f('a')" in last:
            return '{"error": {"type": "builtins.TypeError", "message": "a is bad"}}'
        return '{"value": "0.5"}'

    source = Scripted(reply)
    out = tmp_path / "p.jsonl"
    tasks = tasks_of_two()
    assert answer_all(tasks, source, out) == 3
    assert answer_all(tasks, source, out) == 0
    assert len(source.asked) == 4
    predictions = list(read_predictions(out))
    assert [p.retried for p in predictions] == [True, False, False]
    report = scored(tasks, predictions)
    assert report.pass_at_k["pass@1"] == pytest.approx(1 / 3)
    assert report.wrong == {"other message": 1, "other value": 1}
    lines = {(line["group"], line["name"]): line["pass@1"] for line in report.tables}
    assert lines["all", "errors only"] == 0.0
    assert lines["package", "p"] == 0.5
    judged = scored(tasks, predictions, judge=lambda kind, a, b: {a, b} == {"bad a", "a is bad"})
    assert judged.pass_at_k["pass@1"] == pytest.approx(2 / 3)
    with pytest.raises(InputError, match=r"q/m\.g"):
        scored(tasks[:1], predictions)
    with pytest.raises(InputError):
        answer_all(tasks, source, out, asking=PredictionSettings(temperature=1.0))


def test_answers_are_to_the_questions_of_the_file(tmp_path: Path) -> None:
    """Of another program, input or case nothing counts, and a run does not go on from it."""
    source, out = Scripted(lambda request: '{"value": 0.5}'), tmp_path / "p.jsonl"
    tasks = tasks_of_two()
    answer_all(tasks, source, out)
    said = list(read_predictions(out))
    other = replace(tasks[1].cases[0], call=Invocation((7,)))
    changes: tuple[dict[str, Any], ...] = (
        {"code": tasks[1].code + "# more\n"},
        {"cases": (other,)},
        {
            "facts": {
                **tasks[1].facts,
                "breakpoint": {"line": 2, "text": "", "hit": 1, "variables": []},
            }
        },
    )
    for changed in (replace(tasks[1], **each) for each in changes):
        with pytest.raises(InputError, match=r"p\.jsonl: answers another question for 'q/m\.g'"):
            answer_all([tasks[0], changed], source, out)
        with pytest.raises(InputError, match=r"'q/m\.g', case 0, is about another"):
            scored([tasks[0], changed], said)
        bare = [replace(each, question="") for each in said]  # of another tool
        assert scored([tasks[0], changed], bare).pass_at_k
    assert len(source.asked) == 3
    again = replace(tasks[1].cases[0], answer=CallResult("value", value=3), runtime={})
    assert answer_all([tasks[0], replace(tasks[1], cases=(again,))], source, out) == 0


def test_a_line_that_was_cut_off_is_mended_by_going_on(tmp_path: Path) -> None:
    """Who scores a stopped run is told; the same run again asks for what is missing."""
    source, out = Scripted(lambda request: '{"value": 0.5}'), tmp_path / "p.jsonl"
    tasks = tasks_of_two()
    answer_all(tasks, source, out)
    out.write_bytes(out.read_bytes()[:-20])
    with pytest.raises(InputError, match=r"p\.jsonl:3: "):
        scored(tasks, read_predictions(out))
    assert answer_all(tasks, source, out) == 1
    assert scored(tasks, read_predictions(out)).pass_at_k


def test_answers_that_nest_without_end_are_wrong(tmp_path: Path) -> None:
    """Or unreadable, where a model gives them: they cost no other answer anything."""
    deep = "[" * 900 + "]" * 900
    with pytest.raises(ValueError, match="deeper"):
        parse_answer(f'{{"value": {deep}}}')
    assert parse_answer('{"value": [[[[1]]]]}') == {"value": [[[[1]]]]}
    row = {"task_id": "q/m.g", "case": 0, "prediction": {"value": json.loads(deep)}}
    write_jsonl(tmp_path / "said.jsonl", [row])
    assert scored(tasks_of_two(), read_predictions(tmp_path / "said.jsonl")).wrong


def test_what_is_read_is_never_written_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Tasks, predictions and what goes elsewhere: the file is named, and stays as it is."""
    tasks, said, link = (tmp_path / name for name in ("tasks.jsonl", "said.jsonl", "link.jsonl"))
    write_jsonl(tasks, [task.to_json() for task in tasks_of_two()])
    write_jsonl(said, [Prediction("q/m.g", 0, 0, {"value": 0.5}).to_json()])
    link.symlink_to(tasks)
    before = tasks.read_bytes(), said.read_bytes()
    g = str(tmp_path / "g")
    for words in (["--grades", tasks], ["--out", tasks], ["--grades", said], ["--out", link],
                  ["--grades", g, "--out", g]):  # fmt: skip
        assert main(["exe", "score", str(tasks), str(said), *map(str, words)]) == 2
        assert "would be lost" in " ".join(capsys.readouterr().err.split())
    assert main(["export", "-d", str(tasks), "--to", "cruxeval", "-o", str(tasks)]) == 2
    command = ["exe", "predict", str(tasks), "-m", "m", "-o", str(tasks), "--force"]
    assert main([*command, "--base-url", "http://127.0.0.1:9/v1"]) == 2
    assert main(["export", "-d", str(tasks), "--to", "nosuch", "-o", g]) == 2
    assert "nosuch" in capsys.readouterr().err
    assert (tasks.read_bytes(), said.read_bytes()) == before
    assert not Path(g).exists()


def test_a_run_that_goes_on_counts_the_tokens_of_both_parts(
    model_server: Any, tmp_path: Path
) -> None:
    """A summary speaks of the whole file, its usage of the requests made now."""
    said = model_server.answers
    error = {"type": "TypeError", "message": "bad a"}
    for text in ('{"value": [1, 2]}', 'no {"value": "', json.dumps({"error": error})):
        said.append(model_server.chat(text))
    said.append(model_server.chat('{"value": 0.5}'))
    client = Client("tiny", base_url=model_server.url, concurrency=1)
    out, tasks = tmp_path / "p.jsonl", tasks_of_two()
    asking = PredictionSettings(temperature=0.4)
    begun = ask_all(tasks[:1], client, asking=asking, out=out)
    assert begun.summary["tokens"] == {"prompt": 21, "completion": 15}
    result = ask_all(tasks, Client("tiny", base_url=model_server.url), asking=asking, out=out)
    assert result.summary["asked"] == 1
    assert result.summary["tokens"] == {"prompt": 28, "completion": 20}
    assert result.summary["usage"]["prompt_tokens"] == 7
    assert result.summary["asking"]["temperature"] == 0.4
    assert [each.retried for each in result.predictions] == [False, True, False]
    report = scored(tasks, result.predictions)
    assert report.pass_at_k == {"pass@1": 1.0}
    assert {line["pass@1"] for line in report.tables} == {1.0}
    assert {body["temperature"] for body in model_server.asked} == {0.4}
    with pytest.raises(InputError):
        ask_all(tasks, client, asking=PredictionSettings(temperature=0.3), out=out)


@pytest.mark.parametrize(
    "asked",
    [{"samples": 3}, {"samples": 0}, {"max_tokens": 0}, {"temperature": -1.0},
     {"temperature": float("nan")}],
)  # fmt: skip
def test_what_cannot_be_asked_is_refused(asked: dict[str, Any]) -> None:
    """The same answer several times, no answer, and temperatures that there are not."""
    with pytest.raises(InputError):
        PredictionSettings(**asked)


def true_answer(case: TaskCase) -> dict[str, Any]:
    """Return a case's true answer in the form that a model is asked for."""
    if case.answer.kind == "error":
        return {"error": {"type": case.answer.type, "message": case.answer.message}}
    return {"value": normal(case.answer.value)}


def test_a_request_too_long_costs_one_case_and_a_dead_server_the_run(tmp_path: Path) -> None:
    """What one request is at fault for is noted there; what the server is at fault for is told."""
    long = TooLongError("the request is too long for 'm': 5000 tokens")
    for number, error in enumerate((long, RefusalError("m refused the request: no"))):
        out = tmp_path / f"{number}.jsonl"
        assert answer_all(tasks_of_two(), Failing(error), out) == 3
        said = list(read_predictions(out))
        assert {p.answer is None and p.problem == str(error) and p.unasked for p in said} == {True}
        assert scored(tasks_of_two(), said).wrong == {"not asked": 3}
    dead = LLMError("cannot reach http://127.0.0.1:9/v1: refused")
    with pytest.raises(LLMError, match="cannot reach"):
        answer_all(tasks_of_two(), Failing(dead), tmp_path / "dead.jsonl")


def test_worked_examples_come_first_and_are_right(toys: Any, tmp_path: Path) -> None:
    """Three answered questions precede each asked one, and their answers are the true ones."""
    body = "\n".join(code for code, _, _, _ in EXAMPLES)
    functions, _ = toys.mined({"toy.py": body})
    for _, name, call, said in EXAMPLES:
        try:
            found: dict[str, Any] = {"value": toys.run(functions[f"toy.{name}"], *call.args)}
        except ValueError as error:
            found = {"error": {"type": "ValueError", "message": str(error)}}
        assert said == found
    source = Scripted(['{"value": 0.5}'])
    answer_all(
        tasks_of_two()[1:], source, tmp_path / "p.jsonl", asking=PredictionSettings(examples=True)
    )
    (request,) = source.asked
    assert [m.role for m in request.messages] == ["user", "assistant"] * 3 + ["user"]
    assert "is_even(7)" in request.messages[4].content
    assert "g(1)" in request.messages[-1].content


def test_the_judge_is_asked_only_about_messages() -> None:
    """A model decides between messages of one type; wrong types and values never reach it."""
    case = tasks_of_two()[0].cases[1]
    source = Scripted(["True."])
    judge_ = judge_by(source)

    def said(kind: str, message: str) -> Prediction:
        return Prediction("p/m.f", 1, 0, {"error": {"type": kind, "message": message}})

    assert grade(case, said("TypeError", " bad a "), judge_).is_right
    assert not grade(case, said("ValueError", "bad a"), judge_).is_right
    assert not source.asked
    assert grade(case, said("TypeError", "a was bad"), judge_).is_right
    assert len(source.asked) == 1
    assert not grade(case, Prediction("p/m.f", 1, 0, None), judge_).is_right
    for said, is_same in (("True.", True), ("**False**, as the", False), ('"true"', True)):
        assert judge_by(Scripted([said]))("TypeError", "a", "b") is is_same
    for said in ("Truely", '{"right": true}', "", "I think so"):
        with pytest.raises(LLMError, match="neither"):
            judge_by(Scripted([said]))("TypeError", "a", "b")


def test_a_judge_that_is_down_is_asked_once() -> None:
    """What its server says about one request alone costs that one prediction."""

    def fail(request: Request) -> str:
        raise LLMError("no server there")

    down = Scripted(fail)
    judge = judge_by(down)
    for message in ("b", "c"):
        with pytest.raises(LLMError, match="no server"):
            judge("TypeError", "a", message)
    assert len(down.asked) == 1
    unclear = judge_by(Scripted(["Perhaps", "True"]))
    with pytest.raises(LLMError, match="neither"):
        unclear("TypeError", "a", "b")
    assert unclear("TypeError", "a", "c")


def test_reasoning_comes_first_and_is_kept(tmp_path: Path) -> None:
    """With ``cot`` the question asks for it, and rows hold what was said, the retry as well."""
    source = Scripted(["n is 1, so ...", 'It is {"value": 0.5}'])
    out = tmp_path / "p.jsonl"
    answer_all(tasks_of_two()[1:], source, out, asking=PredictionSettings(cot=True))
    assert "step by step" in source.asked[0].messages[0].content
    assert "nothing else" not in source.asked[0].messages[0].content
    (said,) = read_predictions(out)
    assert said.replies == ("n is 1, so ...", 'It is {"value": 0.5}')
    assert said.answer == {"value": 0.5}
    with pytest.raises(InputError, match="another"):
        answer_all(tasks_of_two()[1:], source, out)
    with pytest.raises(InputError, match="--cot"):
        PredictionSettings(cot=True, examples=True)


def test_a_judge_that_cannot_be_asked_decides_nothing(tmp_path: Path, model_server: Any) -> None:
    """What nobody could judge is in no figure, listed, asked once, and makes the exit code 1."""
    tasks = tasks_of_two()
    predictions = [Prediction("p/m.f", 0, 0, true_answer(tasks[0].cases[0]))]
    for number in range(8):
        said = {"error": {"type": "TypeError", "message": f"a was bad {number}"}}
        predictions.append(Prediction("p/m.f", 1, number, said))
    write_jsonl(tmp_path / "tasks.jsonl", [task.to_json() for task in tasks])
    write_jsonl(tmp_path / "said.jsonl", [each.to_json() for each in predictions])
    marks, out = tmp_path / "marks.jsonl", tmp_path / "report.json"
    model_server.fails(401, "nobody may")
    arguments = ["exe", "score", str(tmp_path / "tasks.jsonl"), str(tmp_path / "said.jsonl")]
    arguments += ["--judge", "nobody", "--base-url", model_server.url]
    code = main([*arguments, "--grades", str(marks), "--out", str(out)])
    report = json.loads(out.read_text())
    assert code == 1
    assert report["pass_at_k"] == {"pass@1": 1.0}
    assert report["wrong"] == {}
    assert [row["sample"] for row in report["undecided"]] == list(range(8))
    assert all(row["problem"] for row in report["undecided"])
    results = [json.loads(line)["result"] for line in marks.read_text().splitlines()]
    assert results == [True, *[None] * 8]
    assert len(model_server.asked) == 1


def test_a_judge_that_fails_on_all_leaves_no_figures(
    tmp_path: Path, model_server: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every answer is undecided: there are no tables, no traceback, and the exit code is 1."""
    said = {"error": {"type": "TypeError", "message": "a was bad"}}
    write_jsonl(tmp_path / "tasks.jsonl", [task.to_json() for task in tasks_of_two()])
    write_jsonl(tmp_path / "said.jsonl", [Prediction("p/m.f", 1, 0, said).to_json()])
    model_server.fails(401, "nobody may")
    files = [str(tmp_path / "tasks.jsonl"), str(tmp_path / "said.jsonl")]
    judge = ["--judge", "nobody", "--base-url", model_server.url]
    assert main(["exe", "score", *files, *judge, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["tables"], len(found["undecided"])) == ([], 1)
    report = ["exe", "report", *files, *judge, "-o", str(tmp_path / "out"), "--no-pictures"]
    assert main(report) == 1
    assert "not judged" in capsys.readouterr().out


def test_a_bare_nan_in_a_row_is_graded_as_an_answer_is(tmp_path: Path) -> None:
    """JSON has none, Python's writers do: it is the text that answers say it with."""
    task = tasks_of_two()[1]
    case = replace(task.cases[0], answer=CallResult("value", value=[float("nan"), float("inf")]))
    write_jsonl(tmp_path / "tasks.jsonl", [replace(task, cases=(case,)).to_json()])
    row = '{"task_id": "q/m.g", "case": 0, "sample": %d, "prediction": {"value": [%s]}}\n'
    rows = [row % (0, "NaN, Infinity"), row % (1, "NaN, -Infinity"), row % (2, "NaN, 1e999")]
    (tmp_path / "said.jsonl").write_text("".join(rows))
    marks = tmp_path / "marks.jsonl"
    assert main(["exe", "score", *(str(tmp_path / name) for name in ("tasks.jsonl", "said.jsonl")),
                 "--grades", str(marks)]) == 0  # fmt: skip
    graded = [
        json.loads(line, parse_constant=pytest.fail) for line in marks.read_text().splitlines()
    ]
    assert [each["result"] for each in graded] == [True, False, True]
    assert graded[0]["prediction"] == {"value": ["NaN", "Infinity"]}


def test_model_text_is_never_executed(tmp_path: Path) -> None:
    """An answer that is code, or claims equality, is data and wrong."""
    trace = tmp_path / "ran"
    said = f"__import__('pathlib').Path({str(trace)!r}).touch()"
    case = tasks_of_two()[1].cases[0]
    for value in (said, {"__eq__": True}, [said]):
        assert not grade(case, Prediction("q/m.g", 0, 0, {"value": value})).is_right
    with pytest.raises(ValueError, match="JSON"):
        parse_answer(said)
    assert not trace.exists()


# Files


def test_tasks_survive_their_file(tmp_path: Path) -> None:
    """Tuples, sets, floats and errors come back as they were; damage names its line."""
    path = tmp_path / "t.jsonl"
    tasks = tasks_of_two()
    write_jsonl(path, (task.to_json() for task in tasks))
    again = list(read_tasks(path))
    assert [t.to_json() for t in again] == [t.to_json() for t in tasks]
    assert again[0].cases[0].answer.value == {1, 2}
    path.write_text('{"task_id": "x"}\n')
    with pytest.raises(InputError, match=r"t\.jsonl:1"):
        list(read_tasks(path))
