"""Where expected outputs come from: a file, the cache, or the reference."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from support.tasks import make_suite, make_task

from evalplus_lite.errors import InputError, ReferenceSolutionError
from evalplus_lite.execution.processes import Processes
from evalplus_lite.grading.subsets import joined, subset
from evalplus_lite.jobs.augmentation import augment
from evalplus_lite.jobs.expected import Prepared, SuiteSource
from evalplus_lite.jobs.reduction import reduce
from evalplus_lite.jobs.session import Session
from evalplus_lite.reduction.policy import Policy
from evalplus_lite.sandbox import Limits, Sandbox, SandboxConfig
from evalplus_lite.store import cache_folder
from evalplus_lite.tasks import Dataset, load_dataset, write_suites
from evalplus_lite.tasks.published.base_cases import with_base_cases
from evalplus_lite.types import Case, Rule, Suite, Task
from evalplus_lite.values import wire

TASK = make_task([(1,), (2,)], [(3,), ("x",), (None,)])


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.suffix == ".jsonl")


def test_the_reference_answers(sandbox: Sandbox) -> None:
    """What it cannot answer is dropped, and a loop given up; a file's suite stays as it is."""
    answers = SuiteSource(cache=None).answers(sandbox, TASK)
    assert [wire.decode(data) for data in answers.suite.expected] == [2, 4, 6, "xx"]
    assert answers.suite.base_count == 2
    assert answers.causes == {"raises": 1}
    assert answers.kept == (0, 1, 2, 3)
    suite = make_suite(TASK, [0, 0, 0, 0, 0])
    answers = SuiteSource(cache=None).usable(sandbox, TASK, suite)
    assert answers.suite is suite
    assert answers.kept == (0, 1, 2, 3, 4)
    with pytest.raises(ReferenceSolutionError, match="Tiny/0"):
        SuiteSource(cache=None).answers(sandbox, replace(TASK, reference="def f(:"))
    endless = make_task(
        [(0,), *[(1,)] * 9], reference="def f(a):\n    while a:\n        pass\n    return a\n"
    )
    answers = SuiteSource(cache=None, limits=Limits(cpu=0.05)).answers(sandbox, endless)
    assert len(answers.suite.cases) == 1
    assert [each.cause for each in answers.dropped] == ["slow"] * 2 + ["budget"] * 7


def test_the_cache_gives_the_same(sandbox: Sandbox, tmp_path: Path) -> None:
    """Dropped cases and times included; where it cannot be kept the answers come all the same."""
    first = SuiteSource(cache=tmp_path).answers(sandbox, TASK)
    assert len(files(tmp_path)) == 1
    again = SuiteSource(cache=tmp_path).answers(broken(), TASK)
    assert again == first
    (tmp_path / "file").write_text("")
    answers = SuiteSource(cache=tmp_path / "file" / "cache").answers(sandbox, TASK)
    assert len(answers.suite.cases) == 4


def broken() -> Sandbox:
    """Return a sandbox that runs nothing: whoever asks it has not used the cache."""
    return cast("Sandbox", SimpleNamespace(config=SandboxConfig()))


@pytest.mark.parametrize(
    "task",
    [
        replace(TASK, reference=TASK.reference + "\n"),
        replace(TASK, rule=Rule("strict")),
        replace(TASK, plus=TASK.plus[:1]),
        replace(TASK, base=(replace(TASK.base[0], arguments=(True,)), TASK.base[1])),
    ],
    ids=["reference", "rule", "fewer inputs", "another type"],
)
def test_the_cache_is_by_content(sandbox: Sandbox, tmp_path: Path, task: object) -> None:
    """Another reference, rule or input is another entry, however it is called."""
    source = SuiteSource(cache=tmp_path)
    source.answers(sandbox, TASK)
    SuiteSource(cache=tmp_path).answers(sandbox, task)  # type: ignore[arg-type]
    assert len(files(tmp_path)) == 2


def test_a_reference_may_import_what_it_could_not_before(tmp_path: Path) -> None:
    """Answers without a package are not those with it: tests, references and suites agree."""
    source = "import iniconfig\ndef f(x): return x\n"
    test = "def check(candidate):\n    candidate(1)\n"
    hidden = Task("h", "", "f", source, extra={"test": test})
    counts = []
    for packages in ((), ("iniconfig",), ()):
        with Session(workers=1, packages=packages, cache=tmp_path) as session:
            pool, suites = session.pool(), SuiteSource(cache=tmp_path)
            suites.prepare([make_task([(1,)], reference=source)], pool)
            data = with_base_cases(Dataset("d", (hidden,)), pool, tmp_path)
            counts.append((len(suites.evidence), len(data.tasks)))
    assert counts == [(0, 0), (1, 1), (0, 0)]


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"kept": [0]}', b"\xff\xfe", None])
def test_a_damaged_entry_is_made_anew(
    sandbox: Sandbox, tmp_path: Path, damage: bytes | None
) -> None:
    """An entry that cannot be read costs time, nothing else; and it is mended."""
    first = SuiteSource(cache=tmp_path).answers(sandbox, TASK)
    (path,) = files(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2] if damage is None else damage)
    again = SuiteSource(cache=tmp_path).answers(sandbox, TASK)
    assert again.suite.expected == first.suite.expected
    assert again.kept == first.kept
    SuiteSource(cache=tmp_path).answers(broken(), TASK)


def test_what_a_suite_rests_on_is_known_again(tmp_path: Path) -> None:
    """The evidence of a suite, or why there is none, is the same from the cache."""
    with Processes(1) as pool:
        first, again = SuiteSource(cache=tmp_path), SuiteSource(cache=tmp_path)
        first.prepare([TASK], pool)
        again.prepare([TASK], pool)
    assert again.evidence == first.evidence
    (evidence,) = first.evidence.values()
    assert (evidence.cases, evidence.base, len(evidence.lost)) == (4, 2, 1)
    nothing = make_task([("x",)], [(None,)], reference="def f(x):\n    raise ValueError\n")
    with Processes(1) as pool:
        for _ in range(2):
            source = SuiteSource(cache=tmp_path)
            source.prepare([nothing], pool)
            assert source.evidence == {}
            assert source.unusable[nothing.id].cause == "raises"


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """EVALPLUS_LITE_CACHE names the cache; else it stands among the user's."""
    monkeypatch.setenv("EVALPLUS_LITE_CACHE", "/somewhere")
    assert cache_folder() == Path("/somewhere")
    monkeypatch.delenv("EVALPLUS_LITE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/home/me/caches")
    assert cache_folder() == Path("/home/me/caches/evalplus_lite")


# Parts of suites: what is taken out of one, and several put together.


def test_parts_of_suites() -> None:
    """Cases come with their own answers; few are kept prepared, those used last."""
    base = make_suite(make_task(), [2, 4])
    more = make_suite(make_task([], [(5,), (6,), (7,)]), [10, 12, 14])
    whole = joined([base, subset(more, [0, 2])], {"seed": 3})
    assert [case.arguments for case in whole.cases] == [(1,), (2,), (5,), (7,)]
    assert whole.expected[2:] == (more.expected[0], more.expected[2])
    assert (whole.base_count, whole.provenance) == (2, {"seed": 3})
    made: list[int] = []

    prepared = Prepared[Case](most=25)

    def of(ref: tuple[int, int]) -> Case:
        def make() -> Case:
            made.append(ref[0])
            return Case(ref)

        return prepared.under(ref, ref[1], make)

    for start in (0, 1, 0, 2, 0, 1):
        assert of((start, 10)).arguments == (start, 10)
    assert made == [0, 1, 2, 1]
    assert of((9, 1000)).arguments == (9, 1000), "one is kept however large it is"


# Small suites from large ones, as the job makes them.


def test_small_suites(tmp_path: Path, session: Session) -> None:
    """They have the large one's stress cases, and do not overwrite what they are made of."""
    task = make_task([(1,)], [(2,), (3,)])
    path = tmp_path / "suite.jsonl.gz"
    write_suites(path, [task], [make_suite(task, [2, 4, 6])])
    before = path.read_bytes()
    (tmp_path / "link").symlink_to(tmp_path)
    for job in (reduce, augment):
        for data in (path, load_dataset(path)):
            with pytest.raises(InputError, match="would be lost"):
                job(data, out=tmp_path / "link", session=session)
    assert path.read_bytes() == before
    reduce(path, out=tmp_path / "small", session=session)
    task = make_task([(1,)], [(2,), (3,)])
    strain = Suite(task.id, (Case((30,), reason="size"),), (wire.encode(60),), 0)
    suite = replace(make_suite(task, [2, 4, 6]), stress=strain)
    data = Dataset("own", (task,), {task.id: suite})
    found = reduce(data, policy=Policy(budget=1), session=session)
    assert found.dataset.suites[task.id].stress == strain
    assert found.summary["chosen"] < len(suite.cases)
