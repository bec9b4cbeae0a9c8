"""Building suites: the same bytes however the run went."""

from __future__ import annotations

import json
import shutil
import time
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.commands import run, run_process, start, write_rows, write_tasks
from support.schemas import hold
from support.tasks import make_task, own_task

from evalplus_lite import Session, augment
from evalplus_lite.errors import InputError, LLMError
from evalplus_lite.jobs.augmentation import ModelSeeds
from evalplus_lite.jobs.augmented_task import Budget, augment_task, generator_of
from evalplus_lite.jobs.linting import lint
from evalplus_lite.jobs.session import ProgressEvent
from evalplus_lite.models import Client, Exchange, Message, Reply, Request, write_exchanges
from evalplus_lite.models.completions import MOST_FAILURES
from evalplus_lite.models.seeds import AIMS, SeedPlan
from evalplus_lite.sandbox import Sandbox
from evalplus_lite.store import read_jsonl
from evalplus_lite.tasks import Dataset, load_dataset
from evalplus_lite.types import Case, Harness, Task
from evalplus_lite.values import wire

ARGUMENTS = ("augment", "-d", "tasks.jsonl", "-o", "out", "--inputs", "40", "--seed", "7")
FILES = ("suite.jsonl.gz", "summary.json")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with three tasks and the suite of a run that nothing disturbed."""
    folder = tmp_path_factory.mktemp("augmented")
    write_tasks(folder)
    done = run(*ARGUMENTS, folder=folder)
    assert done.returncode == 0, done.stderr
    return folder


def results(folder: Path) -> dict[str, bytes]:
    return {name: (folder / "out" / name).read_bytes() for name in FILES}


def test_the_same_bytes_however_it_is_run(undisturbed: Path, tmp_path: Path) -> None:
    """With the new cases asked for, and an answer to each; workers and seed change no byte."""
    dataset = load_dataset(undisturbed / "out" / "suite.jsonl.gz")
    assert dataset.ids == ("Own/0", "Own/1", "Own/2")
    for suite in dataset.suites.values():
        assert suite.base_count == 3
        assert len(suite.cases) == len(suite.expected) == 43
    write_tasks(tmp_path)
    variables = {"PYTHONHASHSEED": "random"}
    done = run_process(*ARGUMENTS, "-w", 2, folder=tmp_path, variables=variables)
    assert done.returncode == 0, done.stderr
    assert results(tmp_path) == results(undisturbed)


def test_killed_between_tasks(undisturbed: Path, tmp_path: Path) -> None:
    """Killed after its first task, the run takes that over and ends with the same bytes."""
    write_tasks(tmp_path)
    journal = tmp_path / "out" / "augment.journal.jsonl"
    process = start(*ARGUMENTS, "-w", 1, folder=tmp_path)
    while process.poll() is None and not (journal.exists() and _rows(journal) >= 1):
        time.sleep(0.005)
    process.kill()
    process.wait()
    done = run(*ARGUMENTS, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "tasks were done already" in done.stderr
    assert results(tmp_path) == results(undisturbed)


def _rows(journal: Path) -> int:
    """Return the number of whole rows after the first, which names the settings."""
    return journal.read_bytes().count(b"\n") - 1


def test_another_seed_gives_other_inputs(undisturbed: Path, tmp_path: Path) -> None:
    """The seed decides the new cases, and a folder of another seed's is not gone on with."""
    write_tasks(tmp_path)
    done = run(*ARGUMENTS[:-1], "8", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert results(tmp_path)["suite.jsonl.gz"] != results(undisturbed)["suite.jsonl.gz"]
    done = run(*ARGUMENTS, folder=tmp_path)
    assert done.returncode == 2
    assert "was begun with other settings: seed 8, now 7" in done.stderr
    done = run(*ARGUMENTS[:-1], "8", "--package=iniconfig", folder=tmp_path)
    assert done.returncode == 2
    assert "packages ['numpy'], now ['iniconfig', 'numpy']" in done.stderr
    settings = tmp_path / "out" / "augment.journal.settings.json"
    before = json.loads(settings.read_text())
    settings.write_text(json.dumps({**before, "version": "0.0.1", "python": None}))
    done = run(*ARGUMENTS[:-1], "8", folder=tmp_path)
    assert done.returncode == 2
    assert "version '0.0.1', now" in done.stderr
    assert "python None, now" in done.stderr


@pytest.mark.parametrize("change", [{"prompt": "Double x."}, {"programs": ["def f(x): return x"]}])
def test_edited_tasks_are_not_gone_on_with(
    tmp_path: Path, change: dict[str, Any], session: Session
) -> None:
    """Examples in a prompt are seeds, and further programs decide which inputs are tests."""
    row = {"id": "T/0", "prompt": "", "entry_point": "f", "reference": "def f(x): return 2 * x"}
    tasks = tmp_path / "tasks.jsonl"
    for each in ({}, {}, change):
        write_rows(tasks, [{**row, "inputs": [[1], [2]], **each}])
        with pytest.raises(InputError, match="content") if each else nullcontext():
            augment(tasks, inputs=4, out=tmp_path / "out", session=session)
        with pytest.raises(InputError, match="content") if each else nullcontext():
            lint(tasks, out=tmp_path / "lint", session=session)


def test_a_suite_to_be_made_anew_is_not_there(undisturbed: Path, tmp_path: Path) -> None:
    """Of a run that starts over nobody takes the suite of the one before."""
    shutil.copytree(undisturbed / "out", tmp_path / "out")

    def killed(event: ProgressEvent) -> None:
        if event.done:
            raise KeyboardInterrupt

    with Session(workers=1, cache=False, on_progress=killed) as session:
        options: dict[str, Any] = {"out": tmp_path / "out", "force": True, "session": session}
        with pytest.raises(KeyboardInterrupt):
            augment(undisturbed / "tasks.jsonl", inputs=40, seed=7, **options)
    assert not [name for name in FILES if (tmp_path / "out" / name).exists()]


def test_requests_of_a_model_that_fail(model_server: Any, tmp_path: Path, session: Session) -> None:
    """They are in the summary, with the inputs that are none, and end neither task nor run."""
    long = model_server.error(400, "too large", "exceed_context_size_error")
    reply = model_server.chat('{"inputs": [{"x": 1}, {"x": 5}]}')
    model_server.answers.append(
        lambda asked: long if AIMS["corner"] in asked["messages"][0]["content"] else reply
    )
    write_tasks(tmp_path)
    client = Client("tiny", base_url=model_server.url, concurrency=1)
    plan = SeedPlan(per_aim=2, aims=("corner", "deceptive"), feedback=0)
    data = load_dataset(tmp_path / "tasks.jsonl", only=["Own/0"])
    out = tmp_path / "out"
    for _ in "12":  # resumed, it has them from its journal
        seeds = ModelSeeds(client, 0, "tiny", plan)
        result = augment(data, inputs=5, seeds=seeds, out=out, session=session)
        assert [len(lines) for lines in result.summary["failures"].values()] == [1]
        assert result.summary["dropped"]["double (model)"] == 1
        assert result.summary["sources"]["llm"] == 1
    hold(result.summary, "augment")


def test_contracts_of_a_model(model_server: Any, tmp_path: Path) -> None:
    """One that accepts the task's inputs decides; the model is told why others cannot be used."""
    row = {"prompt": "x is even.", "entry_point": "f", "reference": "def f(x): return x // 2"}
    contract = CONTRACT.format(number=2)
    rows = [
        {**row, "id": "Own/even", "inputs": [[2], [40]]},
        {**row, "id": "Own/odd", "inputs": [[3], [5]]},
        {**row, "id": "Own/has", "inputs": [[2]], "contract": contract + "# mine"},
        {**row, "id": "Own/late", "inputs": [[6]], "prompt": "Late"},
        {**row, "id": "Own/none", "inputs": [[4]], "prompt": "None"},
        {**row, "id": "Own/out", "inputs": [[8]], "prompt": "Out"},
        {
            **row,
            "id": "Own/method",
            "inputs": [[4, 1]],
            "entry_point": "Half.of",
            "prompt": "Method",
            "harness": "method",
            "reference": METHOD,
        },
    ]
    write_rows(tmp_path / "tasks.jsonl", rows)
    blocks = {
        "Late": ["def check(x): pass\n" + contract, "def precondition(x): pass\n", contract],
        "None": ["def precondition(x):\n    assert type(x) is int and x == 4\n"],
        "Out": [model_server.error(500, "out of memory")],
        "Method": ["def precondition(x, y=1):\n    assert type(x) is type(y) is int\n"],
    }
    requests = []

    def answer(asked: dict[str, Any]) -> Any:
        texts = [message["content"] for message in asked["messages"]]
        if "precondition" not in texts[0] or "JSON" in texts[0]:
            return model_server.chat('{"inputs": [{"x": 7}, {"x": 8}]}')
        requests.append(texts)
        said = next((some for word, some in blocks.items() if word in texts[0]), None)
        if said is None:
            said = ["", contract]
        block = said[min(len(texts) // 2, len(said) - 1)]
        return model_server.chat(f"```python\n{block}```") if isinstance(block, str) else block

    model_server.answers.append(answer)
    asking = ("--model", "tiny", "--base-url", model_server.url, "--contracts")
    done = run(*ARGUMENTS, *asking, folder=tmp_path)
    assert done.returncode == 1, done.stderr  # the model failed
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    hold(summary, "augment")
    assert {*summary["contracts"]} == {"Own/even", "Own/late", "Own/method"}
    assert any("precondition(x, y=1)" in texts[0] for texts in requests)
    failures = {task: " ".join(lines) for task, lines in summary["failures"].items()}
    assert {*failures} == {"Own/odd", "Own/none", "Own/out"}
    assert "input of the task, 3:" in failures["Own/odd"]
    assert "no new input" in failures["Own/none"]
    assert "out of memory" in failures["Own/out"]
    assert "Own/even: the model's contract: A multiple of 2." in done.stdout
    told = [texts[-1] for texts in requests if len(texts) > 1]
    assert [text for text in told if "defines `check`" in text or "accepts None" in text]
    data = load_dataset(tmp_path / "out" / "suite.jsonl.gz")
    found = {task.id: task.contract for task in data.tasks if task.contract}
    assert found == {**summary["contracts"], "Own/has": rows[2]["contract"]}
    even = [case.arguments[0] for case in data.suites["Own/even"].cases]
    assert len(even) == 42
    assert not any(number % 2 for number in even)
    assert len(data.suites["Own/none"].cases) > 1
    alone = run(*ARGUMENTS, "--contracts", folder=tmp_path)
    assert (alone.returncode, "--model" in alone.stderr) == (2, True)


METHOD = "class Half:\n    def of(self, x: int, y: int = 1) -> int:\n        return x // 2 + y\n"
CONTRACT = '''"""A multiple of {number}."""

def precondition(x):
    assert type(x) is int and x % {number} == 0, "x is no multiple of {number}"
'''


def test_a_model_s_server_that_fails_again_and_again(
    model_server: Any, tmp_path: Path, session: Session
) -> None:
    """It ends the run, which can resume: a suite without its inputs is another."""
    model_server.fails(500, "out of memory")
    row = {"prompt": "", "entry_point": "f", "reference": "def f(x): return x", "inputs": [[1]]}
    rows = [json.dumps({**row, "id": f"Own/{n}"}) for n in range(MOST_FAILURES)]
    (tmp_path / "tasks.jsonl").write_text("\n".join(rows))
    client = Client("tiny", base_url=model_server.url, concurrency=1, retries=0)
    seeds = ModelSeeds(client, 0, "tiny")
    with pytest.raises(LLMError, match="out of memory"):
        augment(tmp_path / "tasks.jsonl", inputs=2, seeds=seeds, session=session)


def test_replies_of_other_tasks(tmp_path: Path) -> None:
    """A record that answers none of the requests is a mistake, before any work is done."""
    write_tasks(tmp_path)
    request = Request(model="tiny", messages=(Message("user", "?"),))
    write_exchanges(tmp_path / "seeds.jsonl", [Exchange(request, Reply(text="{}"))])
    done = run(*ARGUMENTS, "--replay", "seeds.jsonl", folder=tmp_path)
    assert (done.returncode, "no reply recorded" in done.stderr) == (2, True)
    assert not (tmp_path / "out" / "suite.jsonl.gz").exists()


def test_a_reference_that_fails_is_left_out(tmp_path: Path) -> None:
    """A task whose reference answers nothing is named, the others are built, and the exit code
    says that something needs attention."""
    rows = [row.data for row in read_jsonl(write_tasks(tmp_path))]
    rows[1]["reference"] = "def f(x):\n    raise ValueError('broken')\n"
    (tmp_path / "tasks.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    done = run(*ARGUMENTS, folder=tmp_path)
    assert done.returncode == 1
    assert "Own/1: the reference raises: ValueError: broken, on input" in done.stderr
    assert load_dataset(tmp_path / "out" / "suite.jsonl.gz").ids == ("Own/0", "Own/2")


@pytest.mark.parametrize("doubtful", [False, True])
def test_doubtful_inputs(tmp_path: Path, doubtful: bool) -> None:
    """What breaks an order that three examples share is no test unless that is asked for."""
    row = {
        "id": "Own/0",
        "prompt": "Return the middle number.",
        "entry_point": "middle",
        "reference": "def middle(items):\n    return items[len(items) // 2]\n",
        "inputs": [[[1, 2]], [[3, 5, 9]], [[2, 7, 8, 11]]],
    }
    (tmp_path / "tasks.jsonl").write_text(json.dumps(row))
    options = ("--doubtful",) if doubtful else ()
    done = run(*ARGUMENTS, *options, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    (suite,) = load_dataset(tmp_path / "out" / "suite.jsonl.gz").suites.values()
    unsorted = [case for case in suite.cases if [*case.arguments[0]] != sorted(case.arguments[0])]
    apart = [case.reason for case in (suite.stress.cases if suite.stress else ())]
    assert bool(unsorted) is doubtful
    assert any("doubtful" in reason for reason in apart) is not doubtful
    assert ("share: Own/0 (" in done.stdout) is not doubtful
    reason = next((each for each in apart if "doubtful" in each), "doubtful: -").partition(": ")[2]
    assert (f"; the first: {reason}" in done.stdout) is not doubtful


# What a generator takes for granted of a task's inputs: what its own contract does not let go.


LISTS = "def precondition(x):\n    assert type(x) is list, 'x must be a list'\n"
ROWS = "    assert all(type(row) is list and row for row in x), 'every row must be a list'\n"
LIKE = "    assert len({len(row) for row in x}) == 1, 'rows must be of one length'\n"
SQUARE = "    assert len(x) == len(x[0]), 'x must be square'\n"
THREE = "    assert all(len(row) == 3 for row in x), 'rows must be of three'\n"
OTHERS = [[[1, 2], [3, 4]], [[1, 2, 3], [4, 5, 6]], [[1, 2, 3], [4]]]


def _admitted(
    sandbox: Sandbox, sizes: tuple[int, ...], contract: str, *, is_own: bool
) -> list[Any]:
    """Which of ``OTHERS`` a generator may propose that has seen squares of these sizes."""
    seen = [([[at + row] * size for row in range(size)],) for size in sizes for at in range(4)]
    task = make_task(seen, reference="def f(x): return x", contract=contract)
    generator = generator_of(sandbox, task, task.base, 0, (), is_own=is_own)
    return [each for each in OTHERS if generator.input_filter.admits((each,))]


@pytest.mark.parametrize(
    ("sizes", "contract", "is_own", "free"),
    [
        ((3, 4), LISTS + ROWS, True, OTHERS),
        ((3, 4), LISTS + ROWS, False, OTHERS[:1]),  # not written for this task
        ((3, 4), LISTS + ROWS + LIKE, True, OTHERS[:2]),
        ((3, 4), LISTS + ROWS + LIKE + SQUARE, True, OTHERS[:1]),
        ((3,), LISTS + ROWS + THREE, True, OTHERS[1:2]),
    ],
)
def test_a_contract_says_which_shapes_are_free(
    sandbox: Sandbox, sizes: tuple[int, ...], contract: str, is_own: bool, free: list[Any]
) -> None:
    """Examples of one shape bind nothing where the task's own contract accepts other shapes."""
    assert _admitted(sandbox, sizes, contract, is_own=is_own) == free


# Types that no example shows: where the contract permits them and the reference takes them.

LISTED = "def precondition(x):\n    assert type(x) is list, 'x must be a list'\n"
OF_INTS = "    assert all(type(each) is int for each in x), 'of integers'\n"


def _mixed(
    sandbox: Sandbox, base: list[Any], body: str, contract: str | None, seed: int = 0
) -> Any:
    """Return the values of foreign types that enter a task's suite, by whether they were probed."""
    task = make_task([(each,) for each in base], reference=f"def f(x): return {body}\n")
    task = replace(task, contract=contract)
    found = augment_task(sandbox, task, seed=seed, budget=Budget(inputs=96, batch=100))
    assert len(found.suite.cases) == len(base) + 96
    inputs = {True: list[Any](), False: list[Any]()}
    for case in found.suite.cases:
        inputs[case.source == "foreign"].append(case.arguments[0])
    return inputs


@pytest.mark.parametrize(
    ("body", "contract", "expected"),
    [
        ("len(x)", LISTED, {float, str}),
        ("len({*x})", LISTED, {float, str}),  # no list enters, which a set cannot hold
        ("sum(x)", LISTED, {float}),
        ("[each * 2 for each in x]", LISTED, {float}),  # takes texts, but not None
        ("[each >> 1 for each in x]", LISTED, set()),
        ("len(x)", LISTED + OF_INTS, set()),
        ("len(x)", None, set()),
    ],
)
def test_types_that_no_example_shows(
    sandbox: Sandbox, body: str, contract: str | None, expected: set[type]
) -> None:
    """Floats among ints where both take them; texts only where they take anything."""
    inputs = _mixed(sandbox, [[3, 1], [5]], body, contract)
    assert {type(part) for each in inputs[True] for part in each} - {int} == expected
    assert str not in {type(part) for each in inputs[False] for part in each}


def test_rows_have_something_else_among_them_whatever_the_seed(sandbox: Sandbox) -> None:
    """A program that counts all elements fails where the reference counts the lists alone."""
    base = [[[1], [2, 3]], [[4, 5], [6], [7]]]
    body = "sum(isinstance(each, list) for each in x)"
    first, other = (_mixed(sandbox, base, body, LISTED, seed=seed) for seed in (0, 1))
    assert [[1], 2.5] in first[True]
    assert [[1], "b"] in first[True]
    assert first[True] == other[True]
    assert first[False] != other[False]


# Suites are fair: no correctness case that a right program of another design may fail.


ANY = "def precondition(x): assert type(x) is int and x >= 0\n"


def test_sizes_go_as_far_as_contract_answers_and_steps_allow(sandbox: Sandbox) -> None:
    """Bounds and what ended them stand in the provenance; what is largest becomes a stress case."""
    reference = "def f(x): return x * (x + 1) // 2\n"
    task = make_task([(1,), (3,)], reference=reference, contract=ANY)
    seeds = [Case((10**12,), "llm"), Case((77,), "llm")]
    found = augment_task(sandbox, task, seed=0, budget=Budget(inputs=20), seeds=seeds)
    assert (77,) in [case.arguments for case in found.suite.cases]
    assert all(abs(case.arguments[0]) <= 10**6 for case in found.suite.cases)
    reasons = {case.arguments: case.reason for case in found.suite.stress.cases}
    assert "count up" in reasons[10**12,]
    contract = "def precondition(x): assert type(x) is list and 0 < len(x) <= 700\n"
    reference = "def f(x): return sum(x)\n"
    task = make_task([([1, 2],), ([5],)], reference=reference, contract=contract)
    found = augment_task(sandbox, task, seed=2, budget=Budget(inputs=60))
    lengths = [len(case.arguments[0]) for case in found.suite.cases]
    assert max(lengths) > 400
    is_large = [length > 400 for length in lengths]
    assert is_large == sorted(is_large), "large cases are the last"
    bounds = found.suite.provenance["bounds"]
    assert (bounds["end"], bounds["kept"]) == ("inputs", 60)
    (length,) = [each for each in bounds["sizes"] if each["way"] == "length"]
    assert (length["bound"], length["largest"]) == ("contract", 300)
    assert {"length", "magnitude"} <= {case.source for case in found.suite.cases}
    reference = "def f(x): return len(x)\n"
    task = make_task(
        [("ab",), ("c",)],
        reference=reference,
        contract="def precondition(x): assert type(x) is str\n",
    )
    found = augment_task(sandbox, task, seed=0, budget=Budget(inputs=20))
    assert {len(case.arguments[0]) for case in found.suite.stress.cases} >= {10_000}
    assert max(len(case.arguments[0]) for case in found.suite.cases) <= 1000
    reference = "def f(x): return 'a' * x\n"
    contract = "def precondition(x): assert type(x) is int and 0 <= x < 10**7\n"
    task = make_task([(3,), (5,)], reference=reference, contract=contract)
    found = augment_task(sandbox, task, seed=0, budget=Budget(inputs=20))
    assert found.dropped["large"] > 0
    assert max(map(len, found.suite.expected)) < 1 << 16
    reference = "def f(x): return sum(1 for i in range(x) for j in range(x))\n"
    contract = "def precondition(x): assert type(x) is int and 0 <= x < 10**9\n"
    task = make_task([(3,), (9,)], reference=reference, contract=contract)
    budget = Budget(inputs=40)
    found = augment_task(sandbox, task, seed=0, budget=budget)
    bounds = found.suite.provenance["bounds"]
    steps, step_budget = bounds["steps"], budget.step_budget()
    assert bounds["kept"] == 40
    assert found.dropped["slow"] > 0
    assert 0 < steps["next"] < step_budget.next_share
    assert steps["spent"] <= steps["of"] == step_budget.total
    (magnitude,) = [each for each in bounds["sizes"] if each["way"] == "magnitude"]
    assert magnitude["bound"] == "time"


# How far sizes go: up to contract and steps, told in the provenance, not too far for a file.


ROOT = """def root(n, digits):
    if n < 0:
        raise ValueError("negative")
    if digits == "1" * 3:
        raise ValueError  # not of this type by chance
    return [n, int(digits)]
"""
ACCOUNT = """class Account:
    def __init__(self):
        self.changes = []
    def put(self, n):
        self.changes.append(n)
    def take(self, n):
        if n > sum(self.changes):
            raise ValueError("too much")
        self.changes.append(-n)
    def history(self):
        return list(self.changes)
"""


def _own(tmp_path: Path, **row: object) -> Task:
    return own_task(tmp_path, **{"id": "own", **row})


def test_exceptions_that_the_prompt_names_are_tested(tmp_path: Path, sandbox: Sandbox) -> None:
    """On inputs that no example has, for methods too; an accident of the same type is no answer."""
    task = _own(
        tmp_path,
        entry_point="root",
        prompt="ValueError if n is negative.",
        reference=ROOT,
        inputs=[[4, "12"], [7, "333"], [0, "x"]],
    )
    made = augment_task(sandbox, task, budget=Budget(inputs=80), seed=0)
    pairs = zip(made.suite.cases, made.suite.expected, strict=True)
    answers = [(*case.arguments, wire.decode(data)) for case, data in pairs]
    new = [each for each in answers if each[:2] != (0, "x")]  # a base case is the author's word
    assert any(n < 0 for n, _, _ in new)
    assert all((type(answer) is dict) is (n < 0 or text == "111") for n, text, answer in new)
    task = _own(
        tmp_path,
        entry_point="Account",
        harness="sequence",
        prompt="take raises ValueError if there is too little.",
        reference=ACCOUNT,
        inputs=[[["put", 5], ["take", 3], ["history"]], [["put", 2], ["put", 4], ["history"]]],
    )
    made = augment_task(sandbox, task, budget=Budget(inputs=60), seed=0)
    answers = [wire.decode(data) for data in made.suite.expected]
    raised = {"raised": "ValueError"}
    assert any(raised in answer and type(answer[-1]) is list for answer in answers)
    source = "def f(value, type):\n    if value < 1: raise ValueError\n    return [value, type]\n"
    task = _own(
        tmp_path,
        entry_point="f",
        prompt="Raise ValueError if value is below 1.",
        reference=source,
        inputs=[[1, 2], [3, 2], [2, 7]],
    )
    made = augment_task(sandbox, task, budget=Budget(inputs=40), seed=0)
    assert {"raised": "ValueError"} in map(wire.decode, made.suite.expected)


def test_answers_that_are_doubtful(tmp_path: Path, sandbox: Sandbox) -> None:
    """None that no example has, or one of two that are tied, unless the prompt decides."""
    source = "def first_even(xs):\n    for x in xs:\n        if x % 2 == 0:\n            return x\n"
    row = {
        "entry_point": "first_even",
        "reference": source,
        "inputs": [[[1, 4]], [[2]], [[3, 5, 6]]],
    }
    for prompt, is_tested in (("The first even number.", False), ("... or None.", True)):
        task = _own(tmp_path, prompt=prompt, **row)
        made = augment_task(sandbox, task, budget=Budget(inputs=60), seed=0)
        assert (wire.encode(None) in made.suite.expected) is is_tested
    source = "def longest(words):\n    return max(words, key=len)\n"
    row = {
        "entry_point": "longest",
        "reference": source,
        "inputs": [[["a", "bcd"]], [["xyzw", "b"]]],
    }
    for prompt, is_tested in (("A longest word.", False), ("Of equal length, the first.", True)):
        task = _own(tmp_path, prompt=prompt, **row)
        made = augment_task(sandbox, task, budget=Budget(inputs=60), seed=0)
        lists = [case.arguments[0] for case in made.suite.cases]
        longest = [[word for word in each if len(word) == max(map(len, each))] for each in lists]
        assert any(words[0] != words[-1] for words in longest if words) is is_tested
        assert bool(made.dropped.get("tie")) is not is_tested
        assert any("several right answers" in note for note in made.notes) is not is_tested


def test_what_our_own_code_fails_on_costs_no_other_task(tmp_path: Path) -> None:
    """A task that no check of ours lets through, made by hand, ends in a cause of its own."""
    good = make_task([(1,), (3,)], reference="def f(x): return x\n")
    bad = replace(good, id="bad", harness=Harness("call", observe=5))  # type: ignore[arg-type]
    result = augment(Dataset("two", (bad, good)), inputs=5, session=None)
    assert [task.task_id for task in result.tasks] == [good.id]
    assert [(row["task_id"], row["cause"]) for row in result.summary["unusable"]] == [
        ("bad", "defect")
    ]


NESTED = "[" * 40 + "1" + "]" * 40
ODD: list[dict[str, object]] = [
    {
        "reference": "def f(x): return 1 + max(map(f, x), default=0) if type(x) is list else 0\n",
        "inputs": [[json.loads(NESTED)], [[1, [2]]], [[[3], 4]]],
    },
    {"reference": "def f(s): return len(s)\n", "inputs": [["x²+3"], ["a²-1"]]},
    {"reference": "def f(s): return len(s)\n", "inputs": [["1" * 4500 + ".5"], ["0.1"]]},
    {
        "prompt": "ValueError if n is below 1.",
        "reference": "def f(n):\n    if n < 1: raise ValueError\n    return "
        + "+".join(["n"] * 400),
        "inputs": [[1], [2]],
    },
    {
        "harness": "sequence",
        "entry_point": "Book",
        "reference": "class Book:\n    def __init__(self, day): self.day = day\n"
        "    def year(self): return self.day.year\n",
        "inputs": [[["Book", {"$date": "2024-02-29"}], ["year"]]],
    },
    {
        "harness": "sequence",
        "entry_point": "M",
        "reference": "class M:\n"
        + "".join(f"    def m{n}(self, a): return a + {n}\n" for n in range(12)),
        "inputs": [[["M"], [f"m{n}", 1]] for n in range(12)],
    },
]


@pytest.mark.parametrize("row", ODD)
def test_odd_tasks_are_no_trouble(tmp_path: Path, sandbox: Sandbox, row: dict[str, object]) -> None:
    """Lists in lists, digits that are none, long numerals, dates in calls, many methods."""
    task = _own(tmp_path, **{"prompt": "Do it.", "entry_point": "f", **row})
    made = augment_task(sandbox, task, budget=Budget(inputs=20), seed=0)
    assert len(made.suite.cases) > made.suite.base_count


def test_what_the_reference_tests_is_an_input(tmp_path: Path, sandbox: Sandbox) -> None:
    """Inputs that no example suggests are kept where only they take a branch of the reference."""
    source = (
        "def f(name, taken):\n"
        "    if not name: return 'empty'\n"
        "    return 'taken' if name in taken else 'fine'\n"
    )
    task = _own(
        tmp_path,
        entry_point="f",
        prompt="Says what is wrong with a name; taken has ten names at most.",
        reference=source,
        inputs=[["bobby", ["alice", "carol"]], ["alice", ["alice", "carol"]]],
    )
    made = augment_task(sandbox, task, budget=Budget(inputs=60), seed=0).suite
    beyond = [case.arguments for case in made.cases if case.source == "branch"]
    assert len(made.cases) == 60 + made.base_count
    assert 0 < len(beyond) <= 6
    assert {name for name, _ in beyond} == {""}
    # Each breaks one constraint: the list is like those seen, and the text's limit holds.
    assert all(0 < len(taken) <= 10 and all(taken) for _, taken in beyond)
    kept = replace(task, constraints={"0.not-empty": True})
    made = augment_task(sandbox, kept, budget=Budget(inputs=60), seed=0).suite
    assert not any(case.source == "branch" for case in made.cases)


@pytest.mark.parametrize(
    "promise",
    [
        "The input is generated such that it is possible to delete all digits.",
        "Assume that no digit is left without a letter.",
        "Inputs are such that all digits go.",
        "Test cases guarantee that s can be cleared.",
        "You can rely on every digit having a letter before it.",
    ],
)
def test_no_branch_is_worth_breaking_a_promise(
    tmp_path: Path, sandbox: Sandbox, promise: str
) -> None:
    """Whatever the words: an input that may break it is no test, though only it takes a branch."""
    task = _own(
        tmp_path,
        entry_point="f",
        prompt=(
            "Returns s without its digits; each takes the nearest letter to its left with it.\n"
            + promise
        ),
        reference=(
            "def f(s):\n"
            "    left = []\n"
            "    for each in s:\n"
            "        if not each.isdigit(): left.append(each)\n"
            "        elif left: left.pop()\n"
            "        else: return 'impossible'\n"
            "    return ''.join(left)\n"
        ),
        inputs=[["abc"], ["cb34"]],
    )
    made = augment_task(sandbox, task, budget=Budget(inputs=60), seed=0).suite
    assert "impossible" not in map(wire.decode, made.expected)
    assert not any(case.source == "branch" for case in made.cases)
