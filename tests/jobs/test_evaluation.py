"""Judging many samples: nothing but the samples shows in the result."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.commands import run, run_process, sample_rows, write_rows, write_tasks
from support.tasks import make_suite, make_task

from evalplus_lite.errors import InputError
from evalplus_lite.execution.processes import Processes
from evalplus_lite.grading.evaluator import PreparedSuite, evaluate_program
from evalplus_lite.grading.oracle import answer
from evalplus_lite.jobs.datasets import content_hash
from evalplus_lite.jobs.evaluation import evaluate, judge
from evalplus_lite.jobs.expected import SuiteSource
from evalplus_lite.jobs.judging import Settings
from evalplus_lite.jobs.minimize import Shrinker, Smallest
from evalplus_lite.jobs.outputs import read_evaluation
from evalplus_lite.jobs.samples import SampleTable
from evalplus_lite.jobs.session import ProgressEvent, Session
from evalplus_lite.sandbox import Limits, Sandbox, preset
from evalplus_lite.store import Journal, read_jsonl
from evalplus_lite.tasks import Dataset, write_suites
from evalplus_lite.types import Case, Harness, Rule, Sample, Suite, Task
from evalplus_lite.values import wire

SAMPLES = 240
ARGUMENTS = ("evaluate", "-d", "tasks.jsonl", "-s", "samples.jsonl", "-o", "out")
FILES = ("results.jsonl", "results.settings.json", "summary.json")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with tasks, samples and the results of a run that nothing disturbed."""
    folder = tmp_path_factory.mktemp("undisturbed")
    write_tasks(folder)
    write_rows(folder / "samples.jsonl", sample_rows(SAMPLES))
    done = run(*ARGUMENTS, folder=folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def folder(undisturbed: Path, tmp_path: Path) -> Path:
    """A folder with the same tasks and samples, and no results."""
    for name in ("tasks.jsonl", "samples.jsonl"):
        (tmp_path / name).write_bytes((undisturbed / name).read_bytes())
    return tmp_path


def results(folder: Path) -> dict[str, bytes]:
    return {name: (folder / "out" / name).read_bytes() for name in FILES}


def test_verdicts_are_right_and_kept(undisturbed: Path, folder: Path) -> None:
    """Each sample has a row with its verdict; run once more, a finished run changes nothing."""
    rows = [row.data for row in read_jsonl(undisturbed / "out" / "results.jsonl")]
    assert len(rows) == SAMPLES
    assert Counter(row["task_id"] for row in rows) == {f"Own/{i}": SAMPLES // 3 for i in range(3)}
    assert {row["base"] for row in rows} == {"pass", "fail", "error", "crash", "unrepresentable"}
    assert {row["plus"] for row in rows} == {None}, "there are no plus inputs"
    passed = [(r["task_id"], r["index"]) for r in rows if r["base"] == "pass"]
    right = {"Own/0": "x * 2", "Own/1": "sorted(x)", "Own/2": "x.upper()"}
    seen: Counter[str] = Counter()
    expected = []
    for row in sample_rows(SAMPLES):
        if f"return {right[row['task_id']]} " in row["solution"]:
            expected.append((row["task_id"], seen[row["task_id"]]))
        seen[row["task_id"]] += 1
    assert sorted(passed) == sorted(expected)
    (folder / "out").mkdir()
    for name, data in results(undisturbed).items():
        (folder / "out" / name).write_bytes(data)
    done = run(*ARGUMENTS, folder=folder)
    assert done.returncode == 0, done.stderr
    assert f"{SAMPLES} results were there already" in done.stderr
    assert results(folder) == results(undisturbed)


def test_the_same_bytes_however_it_is_run(undisturbed: Path, folder: Path) -> None:
    """Neither the number of workers nor the hash seed changes a byte of the results."""
    variables = {"PYTHONHASHSEED": "random"}
    done = run_process(*ARGUMENTS, "-w", 3, folder=folder, variables=variables)
    assert done.returncode == 0, done.stderr
    assert results(folder) == results(undisturbed)


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with tasks, six samples and their results."""
    folder = tmp_path_factory.mktemp("begun")
    write_tasks(folder)
    write_rows(folder / "samples.jsonl", sample_rows(6))
    assert run(*ARGUMENTS, folder=folder).returncode == 0
    return folder


@pytest.mark.parametrize(
    "change",
    [
        *("--details", "--limits=paper", "--memory=512", "--total=9", "--minimize", "--raw"),
        "--package=iniconfig",
        "other samples",
    ],
)
def test_other_settings_do_not_mix(begun: Path, tmp_path: Path, change: str) -> None:
    """Results of other limits, details or samples are not counted together: the run says so."""
    shutil.copytree(begun, tmp_path, dirs_exist_ok=True)
    before = (tmp_path / "out" / "results.jsonl").read_bytes()
    options = [change]
    if change == "other samples":
        write_rows(tmp_path / "samples.jsonl", sample_rows(9)[3:])
        options = []
    done = run(*ARGUMENTS, *options, folder=tmp_path)
    assert done.returncode == 2, done.stdout
    assert done.stderr.count("\n") == 1
    assert "out" in done.stderr
    assert (tmp_path / "out" / "results.jsonl").read_bytes() == before


def test_more_samples_may_come(begun: Path, tmp_path: Path) -> None:
    """Samples that were appended are judged beside those that were judged before."""
    shutil.copytree(begun, tmp_path, dirs_exist_ok=True)
    write_rows(tmp_path / "samples.jsonl", sample_rows(12))
    done = run(*ARGUMENTS, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "6 results were there already" in done.stderr
    assert len(list(read_jsonl(tmp_path / "out" / "results.jsonl"))) == 12


@pytest.mark.parametrize("force", [True, False])
def test_a_run_that_is_killed_again_has_not_ended(
    begun: Path, tmp_path: Path, *, force: bool
) -> None:
    """Nobody takes an earlier end for that of the rows that are there, few or many."""
    shutil.copytree(begun, tmp_path, dirs_exist_ok=True)
    out = tmp_path / "out"
    write_rows(tmp_path / "samples.jsonl", sample_rows(24))

    events: list[ProgressEvent] = []

    def killed(event: ProgressEvent) -> None:
        events.append(event)
        if [each.done for each in events].count(24) > 1:  # all rows are there, and no end
            raise KeyboardInterrupt

    with Session(workers=1, cache=tmp_path / "cache", on_progress=killed) as session:
        options = {"out": out, "force": force, "session": session}
        with pytest.raises(KeyboardInterrupt):
            evaluate(tmp_path / "tasks.jsonl", tmp_path / "samples.jsonl", **options)
    assert not [*out.glob("eval_results*.json"), *out.glob("summary.json")]
    with pytest.raises(InputError, match="has not ended"):
        read_evaluation(out)
    assert run(*ARGUMENTS, folder=tmp_path).returncode == 0
    lines = (out / "results.jsonl").read_bytes().splitlines(keepends=True)
    (out / "results.jsonl").write_bytes(b"".join(lines[:-1]))
    with pytest.raises(InputError, match="23 rows"):
        list(read_evaluation(out).rows())


def test_a_task_may_be_corrected_within_a_session(tmp_path: Path, session: Session) -> None:
    """A reference that raised is examined again once its file was corrected."""
    path, row = tmp_path / "tasks.jsonl", {"id": "T/0", "prompt": "", "entry_point": "f"}
    samples = [Sample("T/0", "def f(x): return x")]
    for reference, judged in (("1 / 0", 0), ("x", 1), ("1 / 0", 0), ("x", 1)):
        text = f"def f(x): return {reference}"
        path.write_text(json.dumps({**row, "reference": text, "inputs": [[1], [2]]}))
        result = evaluate(path, samples, session=session)
        assert [each["base"] for each in result.to_rows()] == ["pass"] * judged
        assert len(result.summary["unusable"]) == 1 - judged


def test_few_long_programs_are_in_memory_at_a_time(tmp_path: Path) -> None:
    """Samples are read as they are judged, by their length too: hundreds of the longest that there
    may be do not wait for each other, and each has its verdict."""
    task = make_task()
    long = " " * (1 << 20)
    count = 100
    ahead, most = 0, 0

    class Counted(Journal):
        def append_line(self, line: str) -> None:
            nonlocal ahead
            ahead -= 1
            super().append_line(line)

    class Read(SampleTable):
        def read(self, number: int) -> Sample:
            nonlocal ahead, most
            ahead += 1
            most = max(most, ahead)
            return super().read(number)

    samples = (
        Sample(task.id, f"def f(x):\n    return x * 2\n# {number}{long}\n", "", number)
        for number in range(count)
    )
    settings = Settings(preset("default"))
    with (
        Session(workers=1) as session,
        Counted(tmp_path / "results.jsonl", identity={"kind": "x"}) as journal,
        Read(samples) as table,
    ):
        table.group()
        tally = judge({task.id: task}, table, session, SuiteSource(), settings, journal)
    assert tally.verdicts == {"pass": count}
    assert most < 50


def test_stress_cases_have_a_verdict_of_their_own(tmp_path: Path, session: Session) -> None:
    """They are run if asked for, by programs that pass, and change no score."""
    task = make_task([(1,)], [(2,)])
    strain = Suite(task.id, (Case((30,), reason="size"),), (wire.encode(60),), 0)
    suite = replace(make_suite(task, [2, 4]), stress=strain)
    write_suites(tmp_path / "suite.jsonl", [task], [suite])
    right, wrong = "def f(x):\n    return x * 2\n", "def f(x):\n    return 2\n"
    slow = "def f(x):\n    if x > 9:\n        raise ValueError\n    return x * 2\n"
    sources = (right, slow, wrong, "\n\n" + slow)
    samples = [Sample(task.id, source, index=n) for n, source in enumerate(sources)]
    plain, asked = (
        evaluate(tmp_path / "suite.jsonl", samples, ks=(1,), stress=stress, session=session)
        for stress in (False, True)
    )
    assert plain.pass_at_k == asked.pass_at_k
    assert "stress" not in plain.summary
    assert asked.summary["stress"] == {"pass": 1, "error": 2}
    rows = {row["index"]: row for row in asked.to_rows()}
    assert [rows[n].get("stress") for n in range(4)] == ["pass", "error", None, "error"]
    assert rows[1]["stress_failure"]["input"] == [30]
    assert [rows[n]["stress_failure"]["line"] for n in (1, 3)] == [3, 5]  # each its own
    assert rows[1]["plus"] == "pass"


class Planted(Session):
    """A session with faults planted in its processes."""

    def pool(self) -> Processes:
        if self._pool is None:
            self._pool = Processes(self.workers, preload=["support.poison"]).__enter__()
        return self._pool


def test_trouble_of_our_own_costs_the_sample_alone() -> None:
    """A program that ends its supervisor, or that our own code fails on, is named as not scored,
    with the trace; all others that were sent with it have their verdicts."""
    task = make_task([(1,)])
    names = [str(number) for number in range(8)]
    names[2], names[5] = "ends its supervisor", "our own fault"
    texts = [f"def f(x):\n    return 0 if x == {name!r} else x * 2\n" for name in names]
    samples = [Sample(task.id, text, index=n) for n, text in enumerate(texts)]
    data = Dataset("own", (task,), {task.id: make_suite(task, [2])})
    with Planted(workers=1, cache=False) as session:
        found = evaluate(data, samples, ks=(1,), session=session)
    assert sorted(row["index"] for row in found.to_rows()) == [0, 1, 3, 4, 6, 7]
    assert {row["base"] for row in found.to_rows()} == {"pass"}
    assert [line.split(":")[0] for line in found.summary["infra"]] == ["Tiny/0[2]", "Tiny/0[5]"]
    (trace,) = found.summary["traces"]
    assert "ZeroDivisionError: of our own" in trace
    assert found.pass_at_k == {"base": {"pass@1": 1.0}, "plus": None}


# Smallest failing inputs: valid, still failing, and as plain as can be.


TOTAL = "def f(xs):\n    return sum(xs)\n"
WRONG = "def f(xs):\n    return sum(xs) if len(xs) < 3 else sum(xs[:-1])\n"
LONG = [[4, 8, 15, 16, 23, 42], [1, 2]]


def smallest(sandbox: Sandbox, task: Task, source: str, **options: object) -> Smallest | None:
    """Return what the shrinker makes of a program's first failure on a task's cases."""
    suite = answer(
        sandbox, task, task.cases, base_count=len(task.base), limits=Limits(), contract=False
    ).suite
    prepared = PreparedSuite.of(task, suite, preset("default"))
    failure = evaluate_program(sandbox, prepared, source).failure
    assert failure is not None
    shrinker = Shrinker(**options)  # type: ignore[arg-type]
    return shrinker.smallest(sandbox, prepared, source, failure)


RAISING = "def f(xs):\n    return sum(xs) // (0 if len(xs) > 1 else 1)\n"


@pytest.mark.parametrize(
    ("source", "arguments", "verdict"), [(WRONG, [1, 1, 1], "fail"), (RAISING, [1, 1], "error")]
)
def test_the_smallest_input_is_found(
    sandbox: Sandbox, source: str, arguments: list[int], verdict: str
) -> None:
    """Of a list of six numbers a few plain ones are left, with the answers to them."""
    found = smallest(sandbox, make_task([(xs,) for xs in LONG], reference=TOTAL), source)
    (case,) = found.suite.cases
    assert case.arguments == (arguments,)
    assert wire.decode(found.suite.expected[0]) == sum(arguments)
    assert found.failure.verdict == verdict
    actual = found.failure.actual
    assert actual is None if verdict == "error" else wire.decode(actual or b"") == 2


@pytest.mark.parametrize("is_own", [True, False])
def test_a_contract_bounds_what_is_tried(sandbox: Sandbox, is_own: bool) -> None:
    """No smallest input breaks the precondition, be it the task's or one known for its id."""
    contract = "def precondition(xs):\n    assert len(xs) >= 5 and min(xs) >= 4\n"
    task = make_task([(LONG[0],)], reference=TOTAL, id="T/1", contract=contract if is_own else None)
    found = smallest(sandbox, task, WRONG, contracts={} if is_own else {"T/1": contract})
    assert found.suite.cases[0].arguments == ([4, 4, 4, 4, 4],)


def test_what_hangs_is_left_alone(sandbox: Sandbox) -> None:
    """No time is spent on a program that ran out of it."""
    hanging = "def f(xs):\n    while True: pass\n"
    assert smallest(sandbox, make_task([([1],)], reference=TOTAL), hanging) is None


@pytest.mark.parametrize(
    "change",
    [
        {"entry_point": "g"},
        {"reference": "def f(x): return x + 1"},
        {"harness": Harness(kind="sequence")},
        {"rule": Rule("strict")},
        {"programs": ("def f(x): return 2 * x",)},
        {"base": make_task().base[:1], "plus": make_task().base[1:]},
    ],
)
def test_content_is_all_that_verdicts_depend_on(change: dict[str, Any]) -> None:
    """Results of a task that is judged in another way are not taken up; a prompt is free."""
    task = make_task()
    before, after = (
        content_hash(Dataset("own", (each,))) for each in (task, replace(task, **change))
    )
    assert before != after
    assert before == content_hash(Dataset("own", (replace(task, prompt="Another."),)))
