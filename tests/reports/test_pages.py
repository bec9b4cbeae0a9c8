"""A report is one file that holds what was judged, whatever the texts in it are."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from support.commands import captured
from support.schemas import hold

from evalplus_lite import Dataset, InputError, Sample, Session, evaluate
from evalplus_lite.jobs.rerunning import rerun
from evalplus_lite.reports import report
from evalplus_lite.reports.page.gathering import origin
from evalplus_lite.store import write_jsonl
from evalplus_lite.types import Case, Task

RIGHT = "f = lambda x: x + 1"
LAZY = "def f(x):\n    return x + 1 if x > 0 else 9"
HOSTILE = '</script><script>alert(1)</script><!-- \u202e\u2028 \ud800 &lt; "f = 1'
RAISES = "def f(x):\n    y = x\n    raise ValueError('</title><img src=x onerror=alert(1)>')"
ODD_MODEL = "<b>model</b>\u202e"
TASKS = tuple(
    Task(
        f"Own/{n}",
        f'def f(x):\n    """Return x + {n}: a prompt that programs may begin with."""\n',
        "f",
        f"def f(x): return x + {n}",
        base=(Case((1,)), Case((2,))),
        plus=(Case((-1,), "mutation", 1, ("int.negate",)),),
    )
    for n in (1, 2)
)
OWN = Dataset("own", TASKS)


class Page(HTMLParser):
    """What a browser takes a page for: its elements, and the texts of its scripts and styles."""

    def __init__(self, path: Path) -> None:
        super().__init__(convert_charrefs=False)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.inner: list[tuple[dict[str, str | None], str, str]] = []
        self.source = path.read_text(encoding="utf-8")
        self.feed(self.source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        tag, attrs = self.tags[-1] if self.tags else ("", {})
        if tag in ("script", "style") and data.strip():
            self.inner.append((attrs, tag, data))

    def data(self, id: str) -> Any:
        (found,) = (text for attrs, _, text in self.inner if attrs.get("id") == id)
        return json.loads(found)

    @property
    def policy(self) -> str:
        (found,) = (
            attrs["content"] or ""
            for tag, attrs in self.tags
            if tag == "meta" and attrs.get("http-equiv") == "Content-Security-Policy"
        )
        return found


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory, session: Session) -> Path:
    """Folders of results of two models, one with hostile texts, and of a part of the tasks."""
    made = tmp_path_factory.mktemp("results")
    one = [
        Sample("Own/1", TASKS[0].prompt + "    return x + 1"),
        Sample("Own/1", LAZY, index=1),
        Sample("Own/2", RIGHT),
    ]
    other = [
        Sample("Own/1", HOSTILE, model=ODD_MODEL),
        Sample("Own/2", RAISES, model=ODD_MODEL),
    ]
    evaluate(OWN, one, out=made / "one", details=True, session=session)
    evaluate(OWN, other, out=made / "other", extract=False, session=session)
    evaluate(OWN.only(["Own/1"]), one[:1], out=made / "part", session=session)
    return made


@pytest.fixture(scope="module")
def page(results: Path, tmp_path_factory: pytest.TempPathFactory) -> Page:
    out = tmp_path_factory.mktemp("page") / "report.html"
    result = report([results / "one", results / "other"], datasets=[OWN], out=out)
    hold(result.to_json(), "report")
    assert (result.summary["files"], result.summary["bytes"]) == (1, out.stat().st_size)
    return Page(out)


def test_the_page_holds_what_was_judged(page: Page) -> None:
    """Counts, differences, inputs with what they decided, programs with the case that failed."""
    (suite,) = page.data("index")["suites"]
    assert [side["label"] for side in suite["entrants"]] == ["one", ODD_MODEL]
    assert suite["tasks"] == [
        {"id": "Own/1", "counts": [[2, 2, 1], [1, 0, 0]]},
        {"id": "Own/2", "counts": [[1, 0, 0], [1, 0, 0]]},
    ]
    plus = suite["entrants"][0]["plus"]
    assert plus["value"] == 0.25
    assert plus["interval"][0] < plus["value"] < plus["interval"][1]
    assert re.match("one and .* do not differ significantly on plus", suite["verdict"])
    links = [attrs.get("href") for tag, attrs in page.tags if tag == "a"]
    compared = [link for link in links if link and "/compare" in link]
    assert compared == ["#task/Own/1/compare?first=0&second=1"]
    assert "+25.0" in page.source
    part = page.data("task-0-0")
    assert part["prompt"] == TASKS[0].prompt
    assert part["reference"] == TASKS[0].reference
    assert [each["input"] for each in part["cases"]] == ["1", "2", "-1"]
    assert [each["first"] for each in part["cases"]] == [1, 0, 1]
    assert [each["expected"] for each in part["cases"]] == ["2", "3", "0"]
    assert part["cases"][2]["origin"] == "mutation of base 1 by negate"
    assert part["failed"] == [0, 0, 1]
    part = page.data("task-0-0")
    outcomes = [part["outcomes"][sample[2]] for sample in part["samples"]]
    texts = [part["programs"][each["program"]] for each in outcomes]
    texts = [text if type(text) is str else part["prompt"][: text[0]] + text[1] for text in texts]
    assert texts == [TASKS[0].prompt + "    return x + 1", LAZY, HOSTILE]
    lazy = outcomes[1]["failure"]
    assert (lazy["case"], lazy["input"], lazy["expected"], lazy["actual"]) == (2, "-1", "0", "9")
    assert all(cpu >= 0 and memory > 1 << 20 for _, _, _, cpu, memory in part["samples"][:2])
    raised = page.data("task-0-1")["outcomes"][1]["failure"]
    assert (raised["verdict"], raised["line"]) == ("error", 3)


def test_hostile_texts_stay_texts(page: Page, results: Path, tmp_path: Path) -> None:
    """No text becomes an element; only the page's own scripts run; the bytes repeat."""
    tags = [tag for tag, _ in page.tags]
    assert {"img", "b"} & {tag for tag, _ in page.tags} <= {"b"}  # the page's own emphasis
    assert "<b>model" not in page.source
    assert "alert" not in "".join(text for _, tag, text in page.inner if tag == "style")
    runs = [attrs for tag, attrs in page.tags if tag == "script" and "type" not in attrs]
    assert tags.count("script") == len(runs) + len(
        re.findall('type="application/json"', page.source)
    )
    assert "\u202e" not in page.source
    assert "U+202E" in page.source
    for attrs, tag, text in page.inner:
        if attrs.get("type") == "application/json":
            continue
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        (rule,) = (each for each in page.policy.split("; ") if each.startswith(f"{tag}-src"))
        assert f"'sha256-{digest}'" in rule
    assert page.policy.startswith("default-src 'none'; ")
    assert "unsafe" not in page.policy
    assert not [attrs for _, attrs in page.tags if "src" in attrs or "style" in attrs]
    links = {attrs["href"] for _, attrs in page.tags if attrs.get("href")}
    assert links
    assert all(link.startswith("#") for link in links if link)
    report([results / "one", results / "other"], datasets=[OWN], out=tmp_path / "again.html")
    assert (tmp_path / "again.html").read_text(encoding="utf-8") == page.source


@pytest.mark.parametrize("seed", ["1", "2"])
def test_sets_are_shown_in_one_order(seed: str) -> None:
    """Whatever the hash seed is, which orders the elements of a set of texts."""
    code = "from evalplus_lite.jobs.outputs import source as t; print(t({'$set': list('hgfe')}))"
    done = captured(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, check=True
    )
    assert done.stdout == "{'e', 'f', 'g', 'h'}\n"


def test_a_large_report_has_a_page_for_each_task(results: Path, tmp_path: Path) -> None:
    """The index leads to files that hold a task each, and those lead back."""
    out = tmp_path / "a report.html"
    result = report([results / "one", results / "other"], datasets=[OWN], out=out, most_bytes=100)
    assert result.summary["files"] == 3
    index = Page(out)
    rows = index.data("index")["suites"][0]["tasks"]
    linked = {attrs.get("href") for tag, attrs in index.tags if tag == "a"}
    for number, row in enumerate(rows):
        assert any(link and link.startswith(f"{row['file']}#task/") for link in linked)
        inner = Page(tmp_path / row["file"].replace("%20", " "))
        assert inner.data(f"task-0-{number}")["id"] == row["id"]
        assert inner.data("index")["home"] == "../a%20report.html"
    assert "task-0-0" not in {attrs.get("id") for _, attrs in index.tags}


def test_tasks_are_known_by_content(results: Path, tmp_path: Path) -> None:
    """Another one of the same name is refused; without them a page says what is missing."""
    report(results / "one", out=tmp_path / "report.html")
    found = Page(tmp_path / "report.html")
    assert "-d" in found.data("index")["suites"][0]["missing"]
    part = found.data("task-0-0")
    assert "prompt" not in part
    assert [case["input"] for case in part["cases"]] == ["-1"]
    report(results / "part", datasets=[OWN], out=tmp_path / "report.html")
    assert Page(tmp_path / "report.html").data("task-0-0")["prompt"] == TASKS[0].prompt
    other = Dataset("own", (Task("Own/1", "", "f", "def f(x): return 0", base=(Case((1,)),)),))
    with pytest.raises(InputError, match="own"):
        report(results / "one", datasets=[other], out=tmp_path / "report.html")
    result = report(results / "one", datasets=[OWN], out=tmp_path)
    assert result.summary["out"] == str(tmp_path / "report.html")
    assert Page(tmp_path / "report.html").data("task-0-1")["id"] == "Own/2"
    report(results, datasets=[OWN], out=tmp_path / "report.html")
    suites = Page(tmp_path / "report.html").data("index")["suites"]
    assert [[side["label"] for side in suite["entrants"]] for suite in suites] == [
        ["one", ODD_MODEL], ["part"],
    ]  # fmt: skip


def test_runs_without_samples_for_some_tasks_have_no_rank(
    results: Path, tmp_path: Path, session: Session
) -> None:
    """A run of one task of two is named, comes last, and is in no pair."""
    evaluate(OWN, [Sample("Own/1", RIGHT)], out=tmp_path / "few", session=session)
    paths = [tmp_path / "few", results / "one"]
    report(paths, datasets=[OWN], out=tmp_path / "report.html", session=session)
    found = Page(tmp_path / "report.html")
    (suite,) = found.data("index")["suites"]
    assert [(side["label"], side["plus"]["rank"]) for side in suite["entrants"]] == [
        ("one", 1),
        ("few", None),
    ]
    assert suite["verdict"].startswith("one solves 25.0 %")
    assert [side["options"] for side in suite["entrants"]] == [[], []]
    assert re.search(r"Not ranked[^<]*2 tasks: few\.", found.source)
    assert "/compare" not in "".join(attrs.get("href") or "" for _, attrs in found.tags)


def test_other_results_are_tables(tmp_path: Path) -> None:
    """What mining and scoring found, without a verdict beside it; origins are named."""
    funnel = {"counts": {"functions": 3, "valid": 1}, "rejects": [
        {"stage": "static", "reason": "<i>files</i>", "count": 2}]}  # fmt: skip
    (tmp_path / "mine.funnel.json").write_text(json.dumps(funnel))
    write_jsonl(tmp_path / "mine", [])
    score = {"missing": 0, "pass_at_k": {"output pass@1": 0.5}, "wrong": {"other": 1}, "tables": [
        {"group": "all", "name": "all", "cases": 2, "tasks": 1, "pass@1": 0.5}]}  # fmt: skip
    (tmp_path / "score.json").write_text(json.dumps(score))
    report([tmp_path / "mine", tmp_path / "score.json"], out=tmp_path / "report.html")
    found = Page(tmp_path / "report.html").source
    assert "&lt;i&gt;files&lt;/i&gt;" in found
    assert "output pass@1" in found
    (tmp_path / "mutants.json").write_text("{}")
    with pytest.raises(InputError) as caught:
        report([tmp_path / "mutants.json"], out=tmp_path / "report.html")
    assert "mutants.json" in str(caught.value)
    cases = [Case((text,), "generator", None, (text,)) for text in ("form, scale 1", "scale 1")]
    texts = [origin(cases, number, 0) for number in range(2)]
    assert ["generator" in text for text in texts] == [False, True]


def test_unit_tests_are_shown_as_a_person_says_them(tmp_path: Path, session: Session) -> None:
    """No record of ours stands for a value, no check of ours for a contract; the command works."""
    tests = "import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n"
    tests += "        self.assertEqual(f(1), 'I')\n        self.assertEqual(f(2), 'II')\n"
    row = {"id": "u", "prompt": "", "entry_point": "f", "harness": "unittest", "tests": tests}
    write_jsonl(tmp_path / "u.jsonl", [{**row, "reference": "def f(n): return 'I' * n"}])
    write_jsonl(tmp_path / "s.jsonl", [{"task_id": "u", "solution": "def f(n): return 'I'"}])
    out, made = tmp_path / "out", tmp_path / "r.html"
    evaluate(tmp_path / "u.jsonl", tmp_path / "s.jsonl", out=out, session=session)
    report([out], datasets=[tmp_path / "u.jsonl"], out=made)
    page = Page(made)
    part = page.data("task-0-0")
    assert part["cases"][0]["expected"] == "1) 'I'; 2) 'II'"
    failure = part["outcomes"][0]["failure"]
    assert (failure["actual"], failure["expected"]) == ("1) 'I'; 2) 'I'", "1) 'I'; 2) 'II'")
    assert ("contract" in part, "'saw'" in page.source) == (False, False)
    assert f"evaluate -d {tmp_path / 'u.jsonl'} -s {tmp_path / 's.jsonl'}" in page.source
    again = rerun(out, "u#0")  # where the data set is, the folder says
    assert (again["actual"], again["expected"]) == (failure["actual"], failure["expected"])
