"""Models beside each other: on the same tests and tasks only, and no more sure than they can be."""

from __future__ import annotations

import html
import json
import re
from functools import partial
from pathlib import Path

import pytest
from support.commands import run
from support.schemas import hold
from support.tasks import DOUBLE, make_task

from evalplus_lite import Dataset, InputError, Sample, Session, evaluate
from evalplus_lite.cli import main
from evalplus_lite.reports import compare, figures, leaderboard, report
from evalplus_lite.reports.page.rendering import table_page
from evalplus_lite.statistics.paired import mcnemar

COUNT = 12
LAZY = "def f(x):\n    return x * 2 if x > 0 else 0\n"
WRONG = "def f(x):\n    return None\n"
HOSTILE = "</script><script>alert(1)</script>|`x`\u202e\x1b[31m"


def dataset(plus: int, count: int = COUNT) -> Dataset:
    tasks = [make_task([(1,)], [(plus,)], id=f"Tiny/{n}") for n in range(count)]
    return Dataset("tiny", tuple(tasks))


def samples(*programs: str, model: str = "", temperature: float | None = None) -> list[Sample]:
    """Return samples of a model: these programs for the first tasks, the last for all others."""
    texts = [*programs, *[programs[-1]] * (COUNT - len(programs))]
    return [
        Sample(f"Tiny/{n}", text, model=model, index=0, temperature=temperature)
        for n, text in enumerate(texts)
    ]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, session: Session) -> Path:
    """Results: of right, lazy and mixed programs; by other tests; of fewer tasks; of two models."""
    made = tmp_path_factory.mktemp("standings")
    both = [*samples(DOUBLE, model="a"), *samples(WRONG, DOUBLE, model=HOSTILE, temperature=0.5)]
    for name, data, programs in (
        ("right", dataset(-1), samples(DOUBLE)),
        ("lazy", dataset(-1), samples(LAZY)),
        ("mixed", dataset(-1), samples(LAZY, LAZY, DOUBLE)),
        ("other", dataset(5), samples(LAZY)),
        ("few", dataset(-1), samples(DOUBLE)[1:8]),
        ("old/two", dataset(-1), both),
        ("new/two", dataset(-1), both),
    ):
        evaluate(data, programs, out=made / name, session=session)
    return made


def test_pairs_of_runs_are_compared(folder: Path, tmp_path: Path, session: Session) -> None:
    """On the tasks of both, corrected for their number; nothing uncertain is claimed."""
    result = compare(folder / "right", folder / "lazy")
    hold(result.to_json(), "compare")
    (pair,) = result.summary["pairs"]
    assert (pair["first"], pair["second"], pair["tasks"]) == ("right", "lazy", COUNT)
    assert (pair["base"]["difference"], pair["base"]["p"], pair["base"]["visible"]) == (0, 1, None)
    assert pair["plus"]["difference"] == -1
    assert pair["plus"]["p"] == pair["plus"]["p_holm"] == mcnemar(0, COUNT)
    assert pair["plus"]["tasks_lost"] == [f"Tiny/{n}" for n in range(COUNT)]  # 2 before 10
    assert result.worse() == result.worse(99.5) == [pair]
    assert result.worse(100) == []
    back = compare([folder / "lazy", folder / "right"]).summary["pairs"][0]["plus"]
    assert (back["difference"], back["tasks_won"]) == (1, pair["plus"]["tasks_lost"])
    assert {row["tests"]: row["difference"] for row in result.to_rows()} == {"base": 0, "plus": -1}
    result = compare(folder / "right", folder / "mixed")
    row = result.summary["pairs"][0]["plus"]
    assert row["difference"] == pytest.approx(-2 / COUNT)
    assert row["interval"][0] < -2 / COUNT < 0 < row["interval"][1]
    assert row["p"] == 0.5
    assert row["visible"] == pytest.approx(2.80 * (2 / COUNT / COUNT) ** 0.5, rel=1e-3)
    assert result.worse() == []
    assert len(result.worse(16)) == 1
    result = compare(folder / "right", folder / "lazy", folder / "mixed")
    pairs = [pair["plus"] for pair in result.summary["pairs"]]
    assert [pair["p_holm"] for pair in pairs] == pytest.approx(
        [3 * mcnemar(0, 12), 0.5, 2 * mcnemar(0, 10)]
    )
    ranks = {each["label"]: each["plus"]["rank"] for each in result.summary["entrants"]}
    assert ranks == {"right": 1, "mixed": 1, "lazy": 3}
    (pair,) = compare(folder / "mixed", folder / "few").summary["pairs"]
    assert pair["tasks"] == 7
    assert pair["only_first"] == ["Tiny/0", "Tiny/8", "Tiny/9", "Tiny/10", "Tiny/11"]
    assert pair["only_second"] == []
    assert pair["plus"]["difference"] == pytest.approx(1 / 7)
    both = [*samples(DOUBLE, model="a"), *samples(LAZY, model="b")]
    evaluate(dataset(-1), both, out=tmp_path / "two", session=session)
    assert [pair["second"] for pair in compare(tmp_path / "two").worse()] == ["b"]
    assert compare(tmp_path / "two", folder / "right").worse() == []


def test_what_cannot_be_compared_is_said(folder: Path, tmp_path: Path) -> None:
    """Other tests are compared if asked for; the same programs are known again."""
    with pytest.raises(InputError, match=r"not judged by the same tests: .*lazy .*other.*--common"):
        compare(folder / "lazy", folder / "other")
    result = compare(folder / "lazy", folder / "other", common=True)
    hold(result.to_json(), "compare")
    assert result.summary["content"] is None
    changes = result.summary["pairs"][0]["changes"]
    assert (changes["samples"], changes["changed"]) == (COUNT, COUNT)
    assert changes["counts"] == {"fail -> pass": COUNT}
    first = changes["shown"][0]
    assert first["first"]["failure"]["input"] == [-1]
    assert "failure" not in first["second"]
    pairs = compare(folder / "old", folder / "new").summary["pairs"]
    assert len(pairs) == 2
    assert [pair["changes"]["changed"] for pair in pairs] == [0, 0]
    assert [pair["base"]["visible"] for pair in pairs] == [None, None]
    (other,) = compare(folder / "right", folder / "lazy").summary["pairs"]
    assert other["changes"] is None
    with pytest.raises(InputError, match=r"'right' alone.*two"):
        compare(folder / "right")
    with pytest.raises(InputError, match=r"right has fewer than 3 samples of 12 tasks"):
        compare(folder / "right", folder / "lazy", k=3)
    with pytest.raises(InputError, match="k is 0"):
        compare(folder / "right", folder / "lazy", k=0)
    with pytest.raises(InputError, match="does not exist"):
        compare(folder / "right", tmp_path / "nowhere")


def test_leaderboards(folder: Path, tmp_path: Path) -> None:
    """A board for each suite, in order of score; fewer tasks have no rank; names are text."""
    result = leaderboard(folder / "right", folder / "mixed", folder / "lazy", folder / "other")
    hold(result.to_json(), "leaderboard")
    first, second = result.summary["boards"]
    assert [each["label"] for each in first["entrants"]] == ["right", "mixed", "lazy"]
    assert [each["plus"]["rank"] for each in first["entrants"]] == [1, 1, 3]
    assert first["entrants"][0]["plus"]["tied_with"] == ["mixed"]
    assert [each["label"] for each in second["entrants"]] == ["other"]
    assert [row["plus_rank"] for row in result.to_rows()] == [1, 1, 3, 1]
    assert "| lazy | 1 | 100.0 \\[" in result.tables()[0].to_markdown()
    assert re.search("right and mixed .*; right beats lazy .* 100.0 points", first["verdict"])
    assert re.search("^other solves 100.0 % .* plus", second["verdict"])
    result = leaderboard(folder / "few", folder / "lazy")
    hold(result.to_json(), "leaderboard")
    (board,) = result.summary["boards"]
    assert [each["label"] for each in board["entrants"]] == ["lazy", "few"]
    assert [each["plus"]["rank"] for each in board["entrants"]] == [1, None]
    assert board["fewer_tasks"] == ["few"]
    assert "few" in result.tables()[0].caption
    drawn = figures(
        [folder / "few", folder / "lazy"], out=tmp_path, only=["scores"], pictures=False
    )
    assert [row[0] for row in drawn.by_name["scores"].rows] == [
        *["lazy"] * 2, *["few (7 of 12 tasks)"] * 2,
    ]  # fmt: skip
    result = leaderboard(folder / "old", folder / "new")
    page = table_page("ranks", result.tables())
    table = "".join(each.to_markdown() for each in result.tables())
    assert "<script" not in page
    assert "default-src 'none'" in html.unescape(page)
    assert "&lt;/script&gt;" in page
    assert "\\<script\\>" in table
    for text in (page, table):
        assert text.replace("\n", "").isprintable()
    assert {line.count(" | ") for line in table.splitlines() if " | " in line} == {6}


def test_results_without_a_judged_sample_are_left_out(
    folder: Path, tmp_path: Path, session: Session
) -> None:
    """By name, from ranks and from the page; InputError if nothing is left."""
    bad = make_task([(1,)], id="Bad/0", reference="def f(x): return 1 / 0")
    some = Dataset("some", (bad, *dataset(-1).tasks))
    evaluate(some, [Sample("Bad/0", DOUBLE)], out=tmp_path / "none", session=session)
    result = leaderboard(folder / "right", tmp_path / "none")
    hold(result.to_json(), "leaderboard")
    assert [board["dataset"] for board in result.summary["boards"]] == ["tiny"]
    assert result.summary["without_samples"] == [str(tmp_path / "none")]
    written = report([folder / "right", tmp_path / "none"], out=tmp_path / "report.html")
    hold(written.to_json(), "report")
    assert written.summary["without_samples"] == [str(tmp_path / "none")]
    for make in (leaderboard, partial(report, out=tmp_path / "none.html")):
        with pytest.raises(InputError, match="none"):
            make(tmp_path / "none")


def test_markdown_lists_what_flipped(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Tasks won and lost of two models; of the same programs the samples, with the input."""
    monkeypatch.chdir(folder)
    assert main(["compare", "right", "mixed", "--markdown"]) == 0
    text = capsys.readouterr().out
    assert "Worse (2): Tiny/0, Tiny/1" in text
    assert "Tiny/2" not in text
    assert main(["compare", "lazy", "other", "--common", "--markdown"]) == 0
    text = capsys.readouterr().out
    assert "Better (12)" in text
    assert "| Tiny/0#0 | pass/fail | pass/pass | input \\[-1\\]" in text
    assert main(["compare", "old", "new", "--markdown"]) == 0
    text = capsys.readouterr().out
    assert text.count("No verdict flipped") == 2
    assert "<script" not in text.replace("\\<", "")


def test_the_commands_print_and_decide(folder: Path) -> None:
    """compare's exit code is for CI; tables are written as a file's ending says."""
    done = run("compare", "right", "lazy", "--fail-if-worse", folder=folder)
    assert done.returncode == 1, done.stderr
    assert "lazy is significantly worse than right" in done.stdout
    assert "-100.0 [" in done.stdout
    done = run("compare", "--fail-if-worse-by", "20", "right", "mixed", "--json", folder=folder)
    assert done.returncode == 0, done.stderr
    hold(json.loads(done.stdout), "compare")
    done = run("compare", "right", "lazy", "--fail-if-worse-by", "99", folder=folder)
    assert done.returncode == 1, done.stderr
    done = run("compare", "mixed", "few", "--fail-if-worse", folder=folder)
    assert done.returncode == 1, done.stderr
    assert "few lacks tasks of mixed: Tiny/0" in done.stdout
    for words in (["few", "right", "--fail-if-worse"], ["mixed", "few"],
                  ["mixed", "few", "--fail-if-worse", "--common"]):  # fmt: skip
        assert run("compare", *words, folder=folder).returncode == 0
    done = run("compare", "--rank", "right", "lazy", "-o", "board.html", folder=folder)
    assert done.returncode == 0, done.stderr
    assert "rank on plus" in done.stdout
    page = (folder / "board.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "rank on plus" in page
    for name in ("board.md", "board.tex", "board.json"):
        done = run("compare", "--rank", "right", "lazy", "-o", name, "--json", folder=folder)
        assert done.returncode == 0, done.stderr
        assert "lazy" in (folder / name).read_text()
    hold(json.loads((folder / "board.json").read_text()), "leaderboard")
