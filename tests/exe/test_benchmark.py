"""Frozen sets: which tasks are chosen, the data card, and a build that goes on."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.commands import write_rows
from support.mining import SLUG

from evalplus_lite import Session
from evalplus_lite.errors import InputError
from evalplus_lite.exe import benchmark, exe_report, export_mined, score
from evalplus_lite.exe.benchmark import build, chosen, located, names
from evalplus_lite.exe.running.runs import CallResult, Invocation, normal
from evalplus_lite.exe.sources import is_permissive, listed_packages
from evalplus_lite.exe.tasks.mined import MinedTask, TaskCase, read_tasks


def task(package: str, number: int, split: str, *sources: str) -> MinedTask:
    """Return a task of a package with these sources of cases."""
    call = Invocation((number,))
    cases = tuple(
        TaskCase(call, CallResult("value", value=number + at)) for at in range(len(sources))
    )
    facts = {
        "package": package,
        "sources": list(sources),
        "difficulty": {"split": split, "lines": 13},
    }
    code = f"def f(x): return x.{package}_{number}"
    return MinedTask(f"{package}/{number}", code, "f", cases, facts)


def test_hard_tasks_and_the_packages_own_values_are_chosen_first() -> None:
    """Within the share of a package; what computes a hash is no task of a set."""
    tasks = [
        *(task("a", n, "easy", "types", "tests" if n % 2 else "types") for n in range(100)),
        *(task("b", n, "hard", "types") for n in range(3)),
    ]
    secret = task("b", 9, "hard", "tests")
    tasks.append(replace(secret, facts={**secret.facts, "tags": ["hash"]}))
    ids = [each.id for each in chosen(tasks)]
    assert {f"b/{n}" for n in range(3)} < set(ids)
    own = [id for id in ids if id.startswith("a/")]
    assert len(own) == benchmark.OF_PACKAGE
    assert all(int(id[2:]) % 2 for id in own)
    assert {each.id for each in chosen(tasks, count=3)} == {f"b/{n}" for n in range(3)}


def test_no_literal_has_more_than_its_share() -> None:
    """A text is in one task of fifty."""
    own = [task(f"p{n}", n, "easy", "tests") for n in range(60)]
    call = Invocation(("the same text",))
    alike = [replace(each, cases=(replace(each.cases[0], call=call),)) for each in own[:20]]
    ids = [each.id for each in chosen([*alike, *own[20:]])]
    assert sum(id in {each.id for each in alike} for id in ids) == 1
    assert len(ids) == 41


def test_no_two_tasks_are_alike() -> None:
    """Few tasks are about functions of one name, none about a program with other constants."""
    tasks = [
        replace(found, code=f"def g(x): return {n} + x.abc{n % 4}", entry_point="g",
                facts={**found.facts, "function": "Bin_search"})
        for n in range(8)
        for found in [task(f"p{n}", n, "easy", "tests")]
    ]  # fmt: skip
    left_out: Counter[str] = Counter()
    assert len(chosen(tasks, left_out=left_out)) == benchmark.OF_NAME
    assert left_out.total() == 6
    others = [replace(each, facts={**each.facts, "function": each.id}) for each in tasks]
    assert [each.id for each in chosen(others)] == ["p0/0", "p1/1", "p2/2", "p3/3"]
    linked = [replace(each, id=f"chain/{each.id}", code=f"{each.code}.b",
                      facts={**each.facts, "parts": ["x", each.id], "function": each.id,
                             "difficulty": {"split": "hard"}})
              for each in tasks[:4]]  # fmt: skip
    assert len(chosen(linked)) == benchmark.OF_PART


def test_chains_come_after_functions() -> None:
    """Those of two functions first."""
    functions = [task("a", n, "easy", "types") for n in range(3)]
    chains = [
        replace(found, id=f"chain/{n}", facts={**found.facts, "parts": [f"x{n}"] * (2 + n % 2)})
        for n in range(4)
        for found in [task("b", n, "hard", "tests")]
    ]
    ids = {each.id for each in chosen([*chains, *functions], count=5)}
    assert ids == {"chain/0", "chain/2", "a/0", "a/1", "a/2"}


def test_the_card_says_what_the_tasks_hold() -> None:
    """Chains, errors by their kind, and how many tasks have the same value."""
    tasks = [task("a", 123456, "hard", "tests") for _ in range(2)]
    wrong = TaskCase(Invocation((1,)), CallResult("error", type="TypeError", message="no"))
    tasks += [replace(tasks[0], cases=(wrong,), facts={**tasks[0].facts, "parts": ["a", "b"]})]
    card = benchmark.data_card("toys", tasks, ["a"], {"two answers": 3})
    assert "| two answers | 3 |" in card
    assert "| hard | 3 | 13 |" in card
    assert "1 of the tasks are chains" in card
    assert "1 cases raise" in card
    assert "1 of them a TypeError" in card
    assert "in more than 2 tasks" in card


def test_a_set_is_built_of_a_list_and_goes_on(toys: Any, tmp_path: Path, session: Session) -> None:
    """Its file is the same when it is built again; the card names splits, sources and licences."""
    path = tmp_path / "toy-set.txt"
    path.write_text(f"{toys.wheel({'toy.py': SLUG})}\n")
    first = build(str(path), out=tmp_path / "one", session=session)
    before = first.path.read_bytes()
    again = build(str(path), out=tmp_path / "one", session=session)
    other = build(str(path), out=tmp_path / "two", session=session)
    assert first.path.name == "toy-set.jsonl"
    assert before == again.path.read_bytes() == other.path.read_bytes()
    assert first.card.read_text() == other.card.read_text()
    (mined,) = read_tasks(first.path)
    card = first.card.read_text()
    assert f"1 execution tasks with {len(mined.cases)} cases" in card
    assert "| toy-pack | 1.2 | MIT |" in card
    assert "| medium |" in card


def test_a_set_asks_the_cases_of_its_review(toys: Any, tmp_path: Path, session: Session) -> None:
    """In its order, with the calls it adds, and no other; a wrong line is named."""
    listed = tmp_path / "toy-set.txt"
    listed.write_text(f"{toys.wheel({'toy.py': SLUG})}\n")
    before = build(str(listed), out=tmp_path / "out", session=session)
    (whole,) = read_tasks(before.path)
    assert "reviewed.tsv" not in before.card.read_text()
    marks = [*map(benchmark.mark, whole.cases)]
    review = tmp_path / "toy-set.reviewed.tsv"
    review.write_text(f"# by a reader\n{whole.id}\t{marks[3]} {marks[1]} 00000000\n")
    after = build(str(listed), out=tmp_path / "out", session=session)
    (task,) = read_tasks(after.path)
    assert [case.call for case in task.cases] == [whole.cases[at].call for at in (3, 1)]
    assert task.facts["sources"] == [whole.facts["sources"][at] for at in (3, 1)]
    lines = [case.runtime["lines"] for case in task.cases]
    assert task.facts["difficulty"]["lines"] == min(lines)
    first = "f('Wind in the Willows, by Kenneth Grahame')"
    second = first.replace("'Wind in the", "text='Wind in 2 ")
    calls = [first, second, "f('a')", "f(7)", "f('a', 'b')"]  # the last ones do little, or fail
    rows = "".join(f"{whole.id}\t{each}\n" for each in calls)
    review.write_text(f"{whole.id}\t{marks[3]}\n{rows}")
    written = build(str(listed), out=tmp_path / "out", session=session)
    (task,) = read_tasks(written.path)
    assert [case.written("f") for case in task.cases[1:]] == [first, second]
    answers = [case.answer.value for case in task.cases[1:]]
    assert answers == ["wind-in-the-willows", "wind-in-2-willows-by"]
    assert task.facts["sources"][1:] == ["written", "written"]
    assert benchmark.mark(task.cases[0]) == marks[3]
    deep = "{1: " * 180 + "1" + "}" * 180
    several = ("f(1)(2)", "f(1).g(2)")
    for wrong in ("f([x])", "g(1)", "f(1", *several, "f(**{'a': 1})", "1", f"f({deep})", first):
        review.write_text(f"{whole.id}\t{first}\n{whole.id}\t{wrong}\n")
        with pytest.raises(InputError, match=r"reviewed\.tsv:2"):
            build(str(listed), out=tmp_path / "out", session=session)
    review.write_text(f"other/task\t{marks[0]}\n")
    none = build(str(listed), out=tmp_path / "out", session=session)
    assert not none.path.read_bytes()
    assert f"| {benchmark.UNREVIEWED} | 1 |" in none.card.read_text()
    once = f"{whole.id}\t{marks[0]}\n"
    for wrong in (f"{whole.id} {marks[0]}\n", once, f"\t{marks[0]}\n", "a\t\n"):
        review.write_text(once + wrong)
        with pytest.raises(InputError, match=r"reviewed\.tsv:2"):
            build(str(listed), out=tmp_path / "out", session=session)


def test_a_call_that_moves_is_asked_where_it_is(
    toys: Any, tmp_path: Path, session: Session
) -> None:
    """The journal of a build that resumes has no rows of the calls of another task."""
    other = SLUG.replace("def slug(", "def other(").replace("out = ", "out = sep + ")
    listed = tmp_path / "toy-set.txt"
    listed.write_text(f"{toys.wheel({'toy.py': SLUG, 'toys.py': other})}\n")
    built = build(str(listed), out=tmp_path / "out", session=session)
    ids = [task.id for task in read_tasks(built.path)]
    assert len(ids) == 2
    for id in ids:
        row = f"{id}\tf('Wind in the Willows, by Kenneth Grahame')\n"
        (tmp_path / "toy-set.reviewed.tsv").write_text(row)
        built = build(str(listed), out=tmp_path / "out", session=session)
        assert [task.id for task in read_tasks(built.path)] == [id]


def test_tasks_that_nobody_reviewed_have_several_cases(
    toys: Any, tmp_path: Path, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of them may be worth asking, but nobody knows which."""
    listed = tmp_path / "toy-set.txt"
    listed.write_text(f"{toys.wheel({'toy.py': SLUG})}\n")
    monkeypatch.setattr(benchmark, "CASES", 100)
    result = build(str(listed), out=tmp_path / "out", session=session)
    assert not result.path.read_bytes()
    assert f"| {benchmark.FEW} | 1 |" in result.card.read_text()


def test_sets_are_found_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of that name comes first, then what was built here, then what ships."""
    monkeypatch.chdir(tmp_path)
    assert located("exe-v1").parts[-2:] == ("exe-v1", "exe-v1.jsonl.gz")
    built = tmp_path / "out" / "exe-v1" / "exe-v1.jsonl"
    built.parent.mkdir(parents=True)
    built.write_text("")
    assert located("exe-v1").resolve() == built
    assert located("other.jsonl") == Path("other.jsonl")
    with pytest.raises(InputError, match="no set named"):
        build("exe-v9")


def test_the_set_that_ships(tmp_path: Path) -> None:
    """It has the tasks of its card, from packages of its list, with their licences beside it."""
    place = located("exe-v1")
    tasks = [*read_tasks(place)]
    card = place.with_name("exe-v1.md").read_text(encoding="utf-8")
    licences = place.with_name("LICENSES.txt").read_text(encoding="utf-8")
    listed = {
        re.sub(r"[-_.]+", "-", each.partition("==")[0]).lower()
        for each in listed_packages(Path(benchmark.__file__).parent / "data" / "exe-v1.txt")
    }
    section = card.partition("## How tasks are chosen")[2].partition("##")[0]
    left_out = dict(re.findall(r"^\| (.+) \| (\d+) \|$", section, re.MULTILINE))
    assert card == benchmark.data_card(
        "exe-v1",
        tasks,
        sorted(listed),
        {reason: int(n) for reason, n in left_out.items()},
        is_reviewed=True,
    )
    for task in tasks:
        assert is_permissive(task.facts["licence"])
        for each in task.facts["origins"]:
            assert each["package"] in listed
            assert f"{each['package']} {each['version']} (" in licences
    rows = export_mined("exe-v1", tmp_path / "rows.jsonl")
    assert rows.summary["tasks"] > len(tasks) // 2


def test_a_set_is_scored_and_reported_by_its_name(
    tmp_path: Path, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a folder that has no file of that name."""
    monkeypatch.chdir(tmp_path)
    asked = list(read_tasks(located("exe-v1")))[:3]
    said = [{"value": normal(task.cases[0].answer.value)} for task in asked]
    rows = [
        {"task_id": task.id, "case": 0, "sample": 0, "prediction": each, "model": "m"}
        for task, each in zip(asked, said, strict=True)
    ]
    write_rows(tmp_path / "said.jsonl", rows)
    found = score("exe-v1", "said.jsonl", session=session).summary
    assert found["pass_at_k"] == {"pass@1": 1.0}
    reported = exe_report("exe-v1", ["said.jsonl"], out="out", pictures=False, session=session)
    assert reported.summary["answered"] == 3
    (facts,) = reported.summary["run"]["tasks"]
    assert facts["path"].endswith("exe-v1.jsonl.gz")


def test_every_package_of_a_set_is_pinned() -> None:
    """With one ``==`` each, so that the set is the same in a year."""
    for name in names():
        path = Path(benchmark.__file__).parent / "data" / f"{name}.txt"
        listed = listed_packages(path)
        assert len(listed) >= 100
        assert all(each.count("==") == 1 for each in listed)
