"""Whole runs, chains and questions about execution states."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.mining import SLUG, mine_all, project, tree

from evalplus_lite.errors import InputError
from evalplus_lite.exe.mining import MiningSettings, beside, mine, required
from evalplus_lite.exe.running.proof import Sandboxes
from evalplus_lite.exe.running.runs import CallableProgram, Invocation, run
from evalplus_lite.exe.sources import open_package
from evalplus_lite.exe.tasks import chains
from evalplus_lite.exe.tasks.breakpoints import breakpoint_tasks
from evalplus_lite.exe.tasks.chains import chain, chained_tasks, merge
from evalplus_lite.generate.domains.annotations import read_type
from evalplus_lite.jobs.session import Session

INNER = """
def g(x: int) -> None:
    def helper():
        async def deeper(): pass
class Box:
    def __init__(self): pass
    class Lid:
        def close(self): pass
try:
    import json
except ImportError:
    def k(): pass
"""


def test_a_campaign_resumes_and_accounts_for_everything(
    toys: Any, tmp_path: Path, session: Session
) -> None:
    """A second run mines only what is missing; packages that cannot be used are counted."""
    path = toys.wheel({"toy.py": SLUG, "toy2.py": INNER})
    facts = "Name: shut\nVersion: 1\nLicense-Expression: GPL-3.0-only\n"
    shut = {"src/shut.py": "def f(x: int) -> int: return x\n", "PKG-INFO": facts}
    closed = tree(tmp_path / "closed", shut)
    out = tmp_path / "out" / "tasks.jsonl"
    packages = [str(path), str(closed), str(tmp_path / "gone.whl")]
    Path(packages[2]).write_text("damaged")
    settings = MiningSettings(rounds=2, keep_all=True)
    mine(packages[:2], settings=settings, out=out, session=session)
    found = mine(packages, settings=settings, out=out, session=session)
    Path(packages[2]).write_bytes(path.read_bytes())
    again = mine(packages, settings=settings, out=out, session=session)
    other = MiningSettings(seed=1, keep_all=True)
    with pytest.raises(InputError):
        mine(packages, settings=other, out=out, session=session)
    funnel = found.funnel
    assert [*found.problems] == packages[2:]
    assert [*found.refused] == [str(closed)]
    rows = map(json.loads, beside(out, "journal.jsonl").read_text().splitlines())
    assert sorted(row["package"] for row in rows) == sorted([*packages, packages[2]])
    assert funnel.counts["packages"] == 3
    assert funnel.reasons["packages", "license not permissive"] == 1
    assert funnel.reasons["packages", "cannot be had or read"] == 1
    assert funnel.reasons["accepted", "returns None"] == 1
    assert [task["task_id"] for task in found.to_rows()] == ["toy-pack/toy.slug"]
    assert funnel.counts["functions"] == 1 + 6
    assert funnel.counts["functions"] == funnel.counts["mined"] + sum(
        n for (stage, _), n in funnel.reasons.items() if stage not in ("packages", "valid")
    )
    rejects = map(json.loads, beside(out, "rejects.jsonl").read_text().splitlines())
    assert {r["function"]: r["reason"] for r in rejects if r["stage"] == "top_level"} == {
        "toy2.g.helper": "nested in a function",
        "toy2.g.helper.deeper": "nested in a function",
        "toy2.Box.__init__": "special method",
        "toy2.Box.Lid.close": "in a class that is not at top level",
        "toy2.k": "in a branch that is not taken",
    }
    assert again.funnel.reasons["packages", "cannot be had or read"] == 0
    assert json.loads(beside(out, "funnel.json").read_text()) == again.funnel.to_json()


def test_requirements_are_those_of_this_python(toys: Any) -> None:
    """Extras and other platforms' libraries are left out; names are compared as the index does."""
    with open_package(toys.wheel({"toy.py": SLUG})) as package:
        package.requires = (
            "Foo_Bar.baz>=1; python_version >= '3'",
            "old; python_version < '3'",
            "docs; extra == 'docs'",
            "not a requirement ((",
            "plain[extra]==1.0",
        )
        assert required(package) == [("foo-bar-baz", "Foo_Bar.baz>=1"), ("plain", "plain==1.0")]


def test_workers_change_nothing(toys: Any, tmp_path: Path) -> None:
    """Two worker processes write the same task file as one."""
    first = toys.wheel({"toy.py": SLUG})
    roman = "def roman(n: int) -> str:\n    if n < 0:\n        raise ValueError(n)\n"
    roman += "    return 'M' * (n // 1000 % 9) + 'I' * (n % 10)\n"
    second = tree(tmp_path / "second", {"other.py": roman, "pyproject.toml": project("other")})
    texts = []
    for workers in (1, 2):
        out = tmp_path / str(workers) / "tasks.jsonl"
        settings = MiningSettings(rounds=2, keep_all=True)
        with Session(workers=workers) as session:
            mine([str(first), str(second)], settings=settings, out=out, session=session)
        texts.append(out.read_bytes())
    assert texts[0] == texts[1]
    assert texts[0].count(b"\n") == 2


def test_chains_and_clashes_are_refused(toys: Any, sandboxes: Sandboxes) -> None:
    """A chained task's answers are those of one function on the other's."""
    body = """
        def count(text: str) -> int:
            return 3 * len(text.split()) + len(text)
        def stars(number: int, mark: str = "*") -> str:
            return " ".join(mark + str(number + n) for n in range(number % 7 + 2))
        def both(text: str, number: int) -> str:
            return f"{text[::-1]}={number}" if number > 1 else text[::-1] * 2
        """
    tasks, _ = mine_all(toys.wheel({"toy.py": body}), sandboxes, rounds=3)
    by_name = {task.entry_point: task for task in tasks}
    linked = chain(by_name["count"], by_name["stars"])
    assert linked is not None
    assert "return stars(count(text))" in linked.code
    assert chain(by_name["stars"], by_name["stars"]) is None
    made = list(chained_tasks(tasks, sandboxes, count=10, seed=0))
    assert made
    for task in made:
        space: dict[str, Any] = {}
        exec(task.code, space)
        for case in task.cases:
            if case.answer.kind == "value":
                assert space[task.entry_point](*case.call.args) == case.answer.value
    # A program that does not load the second time, on a busy machine say, is left.
    late = replace(linked, code=linked.code.replace("\n\n", "\n\nraise OSError\n", 1))
    calls, answers = zip(*((case.call, case.answer) for case in linked.cases), strict=True)
    assert chains._changing(late, calls, answers, sandboxes.plain) == set()
    longer = chain(by_name["count"], by_name["stars"], by_name["count"])
    assert longer is not None
    assert "return count(stars(count(text)))" in longer.code
    rows = list(chained_tasks(tasks, sandboxes, count=3, seed=0, links=3))
    assert rows
    assert not list(chained_tasks(tasks, sandboxes, count=3, seed=0, least=10**6))
    many = list(chained_tasks(tasks, sandboxes, count=500, seed=0, links=3))
    assert len({row.id for row in many}) == len(many) < 500
    assert {len(row.facts["parts"]) for row in many} == {2, 3}
    assert all(len({*row.facts["parts"]}) == len(row.facts["parts"]) for row in many)
    # A second function with nothing left to do, and some that spell a value otherwise.
    idle = """
        def bare(text: str) -> str:
            return " ".join(text.replace("!", "").split())
        def joined(text: str) -> str:
            return " ".join(text.split())
        def upper(text: str) -> list[str]:
            return [text.upper()] if len(text) > 3 else [text]
        def few(text: str) -> int:
            return len(text.split()) % 2
        """
    tasks, _ = mine_all(toys.wheel({"toy.py": idle}), sandboxes, rounds=3)
    by_name = {task.entry_point: task for task in tasks}
    assert chain(by_name["bare"], by_name["few"]) is not None
    assert not list(chained_tasks(tasks, sandboxes, count=3, seed=0))
    assert merge(["X = 1\n", "X = 2\n"], "") is None
    assert merge(["import re\n", "import regex as re\n"], "") is None


def test_chains_that_take_long_are_left(
    toys: Any, sandboxes: Sandboxes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One step may take minutes, such as a sum of a range: the first late call ends a chain."""
    body = """
        def large(text: str) -> int:
            return 2 * 10 ** 7 + len(text)
        def much(number: int) -> int:
            return sum(range(number)) % 97 if number > 10 ** 6 else number % 89 + 1
        """
    tasks, _ = mine_all(toys.wheel({"toy.py": body}), sandboxes, rounds=3)
    assert {task.entry_point for task in tasks} == {"large", "much"}
    tried: list[float] = []
    measure = chains.measure

    def noted(*args: Any, **options: Any) -> Any:
        found = measure(*args, **{**options, "cpu": 0.02})
        tried.append(len(found.late))
        return found

    monkeypatch.setattr(chains, "measure", noted)
    assert not list(chained_tasks(tasks, sandboxes, count=9, seed=0))
    assert tried == [1]


def test_what_is_asked_besides_says_where_its_code_is_from(toys: Any, sandboxes: Sandboxes) -> None:
    """Chains and breakpoints have the origins and the tags of the functions in them."""
    body = """
        import zlib
        def digest(number: int) -> int:
            found = 0
            for part in str(number).split("1"):
                found = (found * 31 + zlib.crc32(part.encode())) % 65521
            return found
        def halved(number: int) -> int:
            left = number
            while left > 9:
                left = left // 2
            return left
        """
    tasks, _ = mine_all(toys.wheel({"toy.py": body}), sandboxes, rounds=2)
    digest = next(task for task in tasks if task.entry_point == "digest")
    assert digest.facts["tags"]
    besides = [
        *chained_tasks(tasks, sandboxes, count=2, seed=0),
        *breakpoint_tasks(tasks, sandboxes, count=6, seed=0),
    ]
    assert {"chain", "toy-pack"} == {task.id.partition("/")[0] for task in besides}
    for task in besides:
        parts = task.facts.get("parts") or [task.id.partition("@")[0].partition("#")[0]]
        assert task.facts["origins"] == digest.facts["origins"]
        is_of_digest = any(part.endswith("digest") for part in parts)
        assert set(digest.facts["tags"]) <= set(task.facts["tags"]) or not is_of_digest


def test_dates_are_not_fed_to_what_takes_them_as_text(toys: Any, sandboxes: Sandboxes) -> None:
    """A function that gives a date cannot feed one whose call makes a date of a text."""
    body = """
        import datetime
        def later(day: datetime.date) -> datetime.date:
            return day + datetime.timedelta(days=3 if day.year < 9999 else -3)
        """
    tasks, _ = mine_all(toys.wheel({"toy.py": body}), sandboxes, rounds=1)
    assert [task.entry_point for task in tasks] == ["call_later"]
    twin = replace(tasks[0], id="toy/toy.other")
    assert not list(chained_tasks([*tasks, twin], sandboxes, count=2, seed=0))


@pytest.mark.parametrize(
    "text",
    ["int", "list[tuple[str, int]] | None", "dict[str, list[int]]", "tuple[int, ...]",
     "Literal['a', 1]", "Sequence[str]", "frozenset[bool] | date"],
)  # fmt: skip
def test_types_are_read_back_as_written(text: str) -> None:
    """A type's text gives the same type again."""
    assert str(read_type(text)) == text


def test_slow_inputs_cut_a_batch_short(sandboxes: Sandboxes) -> None:
    """After so many slow cases the rest is not run; what the quick ones touched is still known."""
    code = "import os\ndef f(x):\n    os.listdir('/')\n    while x > 9: pass\n    return x\n"
    calls = [Invocation((n,)) for n in (1, 99, 2, 98, 3, 4)]
    found = run(sandboxes.plain, CallableProgram("f", code), calls, cpu=1.0, max_slow=2)
    kinds = [answer.kind for answer in found.answers]
    assert kinds == ["value", "slow", "value", "slow", "unfit", "unfit"]
    assert found.touched == ("os.listdir /",)


def test_a_programs_own_statements_stay_as_often_as_they_are(
    toys: Any, sandboxes: Sandboxes
) -> None:
    """What two programs share is there once; and a chain's facts are those of its own runs."""
    body = """
        from datetime import date
        TABLE = [1]
        TABLE.append(TABLE[-1] * 2)
        TABLE.append(TABLE[-1] * 2)
        def lookup(n: int) -> int:
            return TABLE[n % len(TABLE)] + n % 3
        def day(n: int) -> date:
            return date(2000 + n % 30, 1, 1)
        """
    tasks, _ = mine_all(toys.wheel({"toy.py": body}), sandboxes, rounds=2)
    found = {tuple(each.facts["parts"])[1].rpartition(".")[2]: each
             for each in chained_tasks(tasks, sandboxes, count=9, seed=0)
             if each.facts["parts"][0].endswith("lookup")}  # fmt: skip
    (dated,) = found.values()
    assert dated.code.count("TABLE.append") == 2
    assert dated.facts["read"]
    assert {case.runtime["user_calls"] for case in dated.cases} == {2}
    double = "X = []\nX.append(1)\nX.append(1)\n"
    merged = merge([double, double], "Y = X\n")
    assert merged is not None
    assert merged.count("X.append") == 2


def test_mining_nothing_asks_nothing_besides(toys: Any, tmp_path: Path, session: Session) -> None:
    """Where no function is kept there are no chains and breakpoints, and no error."""
    path = toys.wheel({"toy.py": "def f(x: int) -> object:\n    return object()\n"})
    found = mine([str(path)], out=tmp_path / "t.jsonl", chained=2, breakpoints=2, session=session)
    assert set(found.summary["extra"].values()) == {0}
