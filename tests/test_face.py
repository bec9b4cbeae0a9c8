"""The public face: what is exported, its docstrings' examples, results, and a session."""

from __future__ import annotations

import inspect
import json
import os
import re
import shutil
import sys
import textwrap
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.commands import (
    ROOT,
    captured,
    environment,
    inside,
    sample_rows,
    write_rows,
    write_tasks,
)
from support.tasks import make_task

import evalplus_lite
from evalplus_lite import (
    Dataset,
    InputError,
    Sample,
    Session,
    augment,
    cross_validate,
    evaluate,
    exe,
    lint,
    load_dataset,
    quality,
    read_samples,
    reduce,
    reports,
)
from evalplus_lite.reports import export
from evalplus_lite.results import ProgressEvent

SERVER = "http://localhost:8000/v1"
"""The address that docstrings give to a model's server."""
JOBS = (
    "load_dataset read_samples evaluate augment reduce cross_validate quality lint Session Verifier"
).split()
REPORTS = ("export",)
FACES = (evalplus_lite, reports, exe)
EXE = ("mine", "predict", "score")
WHEEL = "toys-1.0-py3-none-any.whl"
METADATA = "Metadata-Version: 2.1\nName: toys\nVersion: 1.0\nLicense-Expression: MIT\n"
PACKAGE = '''
def squeeze(text: str, limit: int = 10) -> str:
    """Return the short words of a text, parted by single spaces."""
    words = []
    for word in text.split():
        if len(word) <= limit:
            words.append(word.lower())
    return " ".join(words)
'''


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with tasks and samples of two models, and a cache of its own."""
    write_tasks(tmp_path)
    write_rows(tmp_path / "samples.jsonl", sample_rows(24))
    write_rows(tmp_path / "more.jsonl", sample_rows(12))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVALPLUS_LITE_CACHE", str(tmp_path / "cache"))
    return tmp_path


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """A session of one worker."""
    with Session(workers=1, cache=tmp_path_factory.mktemp("cache")) as found:
        yield found


def examples(name: str) -> str:
    """Return the code of a public name's docstring."""
    face = next(face for face in FACES if name in face.__all__)
    text = inspect.getdoc(getattr(face, name)) or ""
    blocks = re.findall(r"(?:^    .*\n|^\n)+", text + "\n", re.MULTILINE)
    return "\n".join(textwrap.dedent(block) for block in blocks)


@pytest.mark.filterwarnings("ignore::evalplus_lite.errors.EvidenceWarning")
@pytest.mark.parametrize("name", [*JOBS, *REPORTS, *EXE])
def test_an_example_runs(name: str, folder: Path, model_server: Any) -> None:
    """Each job's docstring has an example, which runs as it stands beside tasks and samples."""
    code = examples(name)
    assert name in code
    model_server.says('{"value": "a"}')
    with zipfile.ZipFile(folder / WHEEL, "w") as archive:
        archive.writestr("toys-1.0.dist-info/METADATA", METADATA)
        archive.writestr("toys/words.py", PACKAGE)
    script = "".join(f"from {face.__name__} import {', '.join(face.__all__)}\n" for face in FACES)
    script += "tasks = load_dataset('tasks.jsonl')\n" if name != "load_dataset" else ""
    if name in ("predict", "score"):
        script += f"mine([{WHEEL!r}], out='out/mined/tasks.jsonl')\n"
    script = (script + code).replace(SERVER, model_server.url)
    with inside(folder, OPENAI_API_KEY="none"):
        exec(compile(script, name, "exec"), {"__name__": "__main__"})


def test_results_in_memory_and_in_files_are_equal(folder: Path, session: Session) -> None:
    """Without ``out`` a job writes nothing, and finds what it would have written."""
    data = load_dataset("tasks.jsonl", session=session)
    samples = list(read_samples("samples.jsonl", data))
    before = set(os.listdir(folder))
    suite = augment(data, inputs=5, session=session)
    inside = evaluate(suite.dataset, samples, session=session)
    small = reduce(suite.dataset, samples, session=session)
    assert set(os.listdir(folder)) - before <= {"cache"}

    kept = augment(data, inputs=5, out="suite", session=session)
    assert kept.to_rows() == suite.to_rows()
    assert load_dataset("suite/suite.jsonl.gz").suites == suite.dataset.suites
    assert kept.summary["sources"] == suite.summary["sources"]
    outside = evaluate("suite/suite.jsonl.gz", samples, out="judged", session=session)
    assert outside.to_rows() == inside.to_rows()
    assert outside.pass_at_k == inside.pass_at_k
    assert json.loads((folder / "judged" / "summary.json").read_text()) == outside.to_json()
    again = reduce("suite/suite.jsonl.gz", samples, out="small", session=session)
    assert again.to_rows() == small.to_rows()
    assert load_dataset("small/suite.jsonl.gz").suites == small.dataset.suites


def test_a_call_goes_on_where_it_stopped(folder: Path, session: Session) -> None:
    """With ``out`` what is there is taken over; other settings are refused, but for ``force``."""
    notes: list[str] = []
    first = evaluate("tasks.jsonl", "samples.jsonl", out="judged", session=session)
    rows = (folder / "judged" / "results.jsonl").read_text().splitlines(keepends=True)
    (folder / "judged" / "results.jsonl").write_text("".join(rows[:5]))
    with Session(workers=1, on_progress=lambda event: notes.append(event.note)) as other:
        second = evaluate("tasks.jsonl", "samples.jsonl", out="judged", session=other)
    assert "5 results were there already" in notes
    assert second.to_rows() == first.to_rows()
    with pytest.raises(InputError) as error:
        evaluate("tasks.jsonl", "samples.jsonl", out="judged", limits="paper", session=session)
    assert "limits" in error.value.problem
    forced = evaluate(
        "tasks.jsonl", "samples.jsonl", out="judged", limits="paper", force=True, session=session
    )
    assert len(forced.to_rows()) == len(first.to_rows())


def test_rows_are_what_a_frame_takes(folder: Path, session: Session) -> None:
    """Rows are dicts of one set of keys at least, and results are JSON."""
    suite = augment("tasks.jsonl", inputs=5, session=session)
    found: list[Any] = [suite]
    found.append(evaluate(suite.dataset, ["samples.jsonl", "more.jsonl"], session=session))
    found.append(reduce(suite.dataset, "samples.jsonl", session=session))
    found.append(
        cross_validate(
            suite.dataset,
            ["samples.jsonl", "more.jsonl"],
            policies={"default": evalplus_lite.Policy()},
            session=session,
        )
    )
    found.append(lint(suite.dataset, samples="samples.jsonl", session=session))
    found.append(
        quality(
            suite.dataset, samples="samples.jsonl", truth="tasks.jsonl", pool=10, session=session
        )
    )
    found.append(export(suite.dataset, folder / "pytests", format="pytest", session=session))
    assert (folder / "pytests" / "conftest.py").is_file()
    for result in found:
        rows = result.to_rows()
        assert all(type(row) is dict and row.keys() >= {*rows[0]} - {"failure"} for row in rows)
        assert json.loads(json.dumps(result.to_json())) == result.to_json()
    assert {row["model"] for row in found[1].to_rows()} == {"samples", "more"}


def test_own_tasks_and_samples(session: Session, tmp_path: Path) -> None:
    """One for an unknown task is named; samples without numbers are numbered."""
    data = Dataset("own", (make_task([(1,), (2,)], id="Own/0"),))
    samples = [Sample("Own/0", "def f(x): return x + x"), Sample("Own/0", "f = None", index=1)]
    result = evaluate(data, iter(samples), ks=(1, 2), session=session)
    assert [row["base"] for row in result.to_rows()] == ["pass", "error"]
    assert result.pass_at_k["base"] == {"pass@1": 0.5, "pass@2": 1.0}
    for wrong, word in ((Sample("Own/1", ""), "Own/1"), ("text", "str")):
        with pytest.raises(InputError, match=word):
            evaluate(data, [*samples, wrong], session=session)  # type: ignore[list-item]
    data, name = Dataset("own", (make_task(),)), "𝔸" * 200
    samples = [Sample("Tiny/0", "f = None", name + end) for end in "ab"]
    evaluate(data, samples, out=tmp_path / "out", session=session)
    assert len(list((tmp_path / "out").glob("eval_results-*.json"))) == 2
    data = load_dataset("humaneval", tasks=["0-1"], session=session)
    assert [len(task.base) > 3 for task in data] == [True, True]
    data = Dataset("own", (make_task([(1,), (2,)], id="Own/0"),))
    one, two = Sample("Own/0", "def f(x): return x + x"), Sample("Own/0", "f = None", "m")
    for samples in [one, one, two, one, two], [one, two, one, one, replace(two, index=7), two]:
        out = tmp_path / str(len(samples))
        first, again = (evaluate(data, samples, out=out, session=session) for _ in range(2))
        assert first.to_rows() == again.to_rows()
        found = sorted((row.get("model", ""), row["index"]) for row in again.to_rows())
        numbers = [0, 1] if len(samples) == 5 else [0, 1, 7]
        assert found == [("", 0), ("", 1), ("", 2), *(("m", n) for n in numbers)]


def test_sessions(folder: Path, session: Session) -> None:
    """Threads share one, each stage is reported, and one that has ended is refused."""
    alone = evaluate("tasks.jsonl", "samples.jsonl", session=session).to_rows()
    with Session(workers=1) as shared, ThreadPoolExecutor(4) as threads:
        jobs = [
            threads.submit(evaluate, "tasks.jsonl", "samples.jsonl", session=shared)
            for _ in range(4)
        ]
        assert [job.result().to_rows() for job in jobs] == [alone] * 4
        pids = set(shared.pool().pids)
    assert len(pids) == 1
    events: list[ProgressEvent] = []
    with Session(workers=1, on_progress=events.append) as session:
        evaluate("tasks.jsonl", "samples.jsonl", session=session)
    steps = [event for event in events if event.stage == "evaluate"]
    assert (steps[0].done, steps[0].total) == (0, 24)
    assert steps[-1].done == 24
    with Session(workers=1) as session:
        pass
    with pytest.raises(InputError, match="closed"):
        evaluate("tasks.jsonl", "samples.jsonl", session=session)


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"ks": ()}, "ks"),
        ({"ks": (0,)}, "ks"),
        ({"limits": "slow"}, "slow"),
        ({"memory": 1}, "memory"),
    ],
)
def test_options_that_cannot_be_used(folder: Path, options: dict[str, Any], word: str) -> None:
    """What cannot be used is an InputError that names it, before anything runs."""
    with pytest.raises(InputError, match=word):
        evaluate("tasks.jsonl", "samples.jsonl", out="judged", **options)
    assert not (folder / "judged").exists()


def test_the_journey(folder: Path) -> None:
    """The example goes from tasks to exported tests, and goes on when run again."""
    shutil.copytree(ROOT / "docs" / "examples", folder / "examples")
    command = [sys.executable, "examples/journey.py", "out"]
    shown = []
    for _ in range(2):
        done = captured(command, env=environment(folder / "cache"))
        assert done.returncode == 0, done.stderr
        shown.append(done.stdout)
    assert shown[0] == shown[1]
    assert (folder / "out" / "tests" / "conftest.py").is_file()


TYPED = """
from collections.abc import Sequence

from evalplus_lite import (
    Case, Dataset, Rule, Sample, Session, Task, Verdict, Verifier, augment, evaluate,
    load_dataset, reduce,
)
from evalplus_lite.errors import EvalPlusLiteError, UnusableTask
from evalplus_lite.results import EvaluationResult


def judged(programs: Sequence[str]) -> EvaluationResult:
    rule = Rule(kind="strict")
    task = Task("Own/0", "", "f", "def f(x): return x", base=(Case((1,)),), rule=rule)
    data = Dataset("own", (task,))
    samples = [Sample(task.id, program, index=n) for n, program in enumerate(programs)]
    with Session(workers=2, on_progress=lambda event: print(event.stage, event.done)) as session:
        result = evaluate(data, samples, ks=(1,), session=session)
        small = reduce(augment(data, session=session).dataset, samples, session=session)
        rows: list[dict[str, object]] = [dict(row) for row in small.to_rows()]
    print(rows, result.pass_at_k)
    return result


def rewarded(program: str) -> float:
    with Verifier(load_dataset("humaneval+")) as verifier:
        try:
            verdict: Verdict = verifier.verify("HumanEval/0", program)
        except UnusableTask as error:
            print(error.cause)
            return 0.0
    return 1.0 if verdict.passed else 0.0


def judged_rows(pairs: Sequence[tuple[str, str]], rows: list[dict[str, object]]) -> list[bool]:
    verifier = Verifier(rows)
    found: list[Verdict | EvalPlusLiteError] = list(verifier.verify_many(pairs))
    print(found, Verifier([Task("Own/0", "", "f", "def f(x): return x")]))
    return [each.passed for each in verifier.verify_many(pairs, on_failure="raise")]


programs: list[str] = []
README
evaluate("humaneval+", "samples.jsonl", memory=None)
"""


@pytest.mark.slow
def test_a_program_of_the_users_is_type_checked(tmp_path: Path) -> None:
    """From outside the package its types are known: mypy --strict finds the one mistake made."""
    pytest.importorskip("mypy")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = "".join(re.findall(r"^```python\n(.*?)^```", readme, re.MULTILINE | re.DOTALL))
    assert "Verifier(" in shown
    (tmp_path / "mine.py").write_text(TYPED.replace("README", shown))
    done = captured(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "m"), "mine.py"],
        cwd=tmp_path,
        env={**environment(tmp_path), "MYPYPATH": ""},
    )
    errors = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert len(errors) == 1, done.stdout
    assert '"memory"' in errors[0]
    assert 'incompatible type "None"' in errors[0]
