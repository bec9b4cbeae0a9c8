"""Results as flat rows and in other tools' forms, read back by those tools themselves."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import junitparser
import pandas
import polars
import pytest

from evalplus_lite import Dataset, InputError, Sample, Session, evaluate
from evalplus_lite.cli import main
from evalplus_lite.reports import export_results
from evalplus_lite.results import RESULT_COLUMNS, read_results
from evalplus_lite.types import Case, Task

ROOT = Path(__file__).resolve().parents[2]
FUNCTION = "def f(x): return x"
DATA = Dataset("own", (
    Task("Own/0", "", "f", FUNCTION, base=(Case((1,)),), plus=(Case((10**5000,)),)),
    Task("Own/1", "", "f", FUNCTION, base=(Case((float("nan"),)), Case(("\udc80\0<&]]>",)),
                                           Case(({"b", "a", "é"},)))),
))  # fmt: skip
SAMPLES = [
    Sample("Own/0", FUNCTION, index=0, model="=cmd|' /C calc'!A0"),
    Sample("Own/0", "f = lambda x: 1", index=1, model="=cmd|' /C calc'!A0"),
    Sample("Own/0", "f = lambda x: -1", index=0, model="b", temperature=0.8),
    Sample("Own/1", "f = lambda x: x if x != x else '\\udcff\\x1b\\uffff'", index=0, model="b"),
    Sample("Own/1", "f = lambda x: x if type(x) is not set else 1", index=1, model="b"),
    Sample("Own/1", "class E(Exception): pass\nE.__name__ = '=1+1\\r\\n\\x01'\ndef f(x):\n"
           "    raise E('</failure>')", index=2, model="b"),
]  # fmt: skip


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory, session: Session) -> list[Path]:
    """An evaluation of hostile programs, and one of no program at all."""
    made = tmp_path_factory.mktemp("converting")
    evaluate(DATA, SAMPLES, out=made / "full", minimize=True, session=session)
    evaluate(DATA, [], out=made / "empty", session=session)
    return [made / "full", made / "empty"]


def test_rows_are_what_frames_and_tables_take(folders: list[Path], tmp_path: Path) -> None:
    """The same keys and types in each; CSV gives them back, and no cell is a formula."""
    rows = list(read_results(folders))
    assert len(rows) == len(SAMPLES)
    for row in rows:
        assert {key: type(value) for key, value in row.items()} == dict(RESULT_COLUMNS)
        assert list(row) == list(RESULT_COLUMNS)
        assert math.isfinite(row["cpu"])
        assert row["memory"] > 1 << 20
    by = {(row["task_id"], row["model"], row["index"]): row for row in rows}
    huge = by["Own/0", SAMPLES[0].model, 1]
    assert (huge["base"], huge["plus"], huge["passed"], huge["case"]) == ("pass", "fail", False, 1)
    assert huge["input"] == f"[{hex(10**5000)}]"
    assert by["Own/0", "b", 0]["temperature"] == 0.8
    assert by["Own/0", "b", 0]["actual"] == "-1"
    assert by["Own/1", "b", 0]["input"] == r"['\udc80\x00<&]]>']"
    assert by["Own/1", "b", 1]["input"] == "[{'a', 'b', 'é'}]"
    passed = by["Own/0", SAMPLES[0].model, 0]
    assert (passed["passed"], passed["case"], passed["input"]) == (True, -1, "")
    with pytest.raises(InputError, match="does not exist"):
        read_results(folders[0] / "no")
    frame = pandas.DataFrame(read_results(folders[0]))
    assert frame.groupby("task_id")["passed"].sum().to_dict() == {"Own/0": 1, "Own/1": 0}
    assert frame["memory"].dtype.kind == "i"
    table = polars.DataFrame(read_results(folders[0]))
    assert table.schema == polars.DataFrame(read_results(folders), schema=RESULT_COLUMNS).schema
    assert table.filter(~polars.col("passed")).height == len(SAMPLES) - 1
    assert polars.DataFrame(read_results(folders[1]), schema=RESULT_COLUMNS).height == 0
    nothing = pandas.DataFrame(read_results(folders[1]), columns=list(RESULT_COLUMNS))
    assert nothing.groupby("model")["passed"].mean().empty
    rows = list(read_results(folders))
    assert export_results(folders, tmp_path / "t.csv") == len(SAMPLES)
    schema = json.loads((ROOT / "docs/schemas/outputs.schema.json").read_text())
    costs = [json.loads(line) for line in (folders[0] / "costs.jsonl").read_text().splitlines()]
    check = jsonschema.Draft202012Validator({**schema, "$ref": "#/$defs/cost"})
    assert [error.message for row in costs for error in check.iter_errors(row)] == []

    text = (tmp_path / "t.csv").read_bytes().decode()
    header, *cells = csv.reader(io.StringIO(text, newline=""), strict=True)
    assert header == list(RESULT_COLUMNS)
    assert {len(row) for row in cells} == {len(header)}
    assert text.endswith("\r\n")
    for row, line in zip(rows, cells, strict=True):
        found = dict(zip(header, line, strict=True))
        assert found["model"] == ("b" if row["model"] == "b" else f"'{row['model']}")
        assert found["actual"] == row["actual"]
        assert not any(cell[:1] in "=+@\t\r" for cell in line if cell)
    assert any(row["actual"] == "-1" for row in rows)
    frame = pandas.read_csv(tmp_path / "t.csv")
    assert frame["passed"].dtype == bool
    assert frame["index"].tolist() == [row["index"] for row in rows]


SHAPE = {
    "testsuites": ((), ("testsuite",)),
    "testsuite": (
        ("name", "package", "id", "hostname", "timestamp", "tests", "failures", "errors", "time"),
        ("properties", "testcase", "system-out", "system-err"),
    ),
    "properties": ((), ("property",)),
    "property": (("name", "value"), ()),
    "testcase": (("name", "classname", "time"), ("skipped", "error", "failure")),
    "failure": (("type", "message"), ()),
    "error": (("type", "message"), ()),
    "skipped": ((), ()),
    "system-out": ((), ()),
    "system-err": ((), ()),
}
"""Of each element the attributes that the strictest schema in use wants, and which elements may be
in it, in this order."""


def check_shape(element: ElementTree.Element) -> None:
    attributes, children = SHAPE[element.tag]
    assert set(element.attrib) - {"skipped"} == set(attributes)
    places = [children.index(child.tag) for child in element]
    assert places == sorted(places)
    if element.tag == "testsuite":
        assert {child.tag for child in element} >= {"properties", "system-out", "system-err"}
        assert len(element.attrib["timestamp"]) == len("2026-01-01T00:00:00")
    for child in element:
        check_shape(child)


def test_junit_is_read_by_its_readers(folders: list[Path], tmp_path: Path) -> None:
    """Suites are entrants, cases samples; what was not judged is an error or skipped."""
    path = tmp_path / "r.xml"
    assert export_results(folders, path) == len(SAMPLES)
    check_shape(ElementTree.parse(path).getroot())
    suites = list(junitparser.JUnitXml.fromfile(str(path)))
    assert [(s.name, s.tests, s.failures, s.errors) for s in suites] == [
        (SAMPLES[0].model, 2, 1, 0),
        ("b", 3, 3, 0),
        ("b, temperature 0.8", 1, 1, 0),
    ]
    cases = {(case.classname, case.name): case for suite in suites for case in suite}
    failed = cases["Own/1", "sample 0"].result[0]
    assert isinstance(failed, junitparser.Failure)
    assert failed.type == "fail"
    assert r"actual: '\udcff\x1b\uffff'" in failed.text
    assert r"input: ['\udc80\x00<&]]>']" in failed.text
    assert "=1+1 \\x01: </failure>" in cases["Own/1", "sample 2"].result[0].text
    assert suites[0].time > 0
    copy = tmp_path / "out"
    copy.mkdir()
    for name in ("results.jsonl", "summary.json"):
        (copy / name).write_bytes((folders[0] / name).read_bytes())
    summary = json.loads((copy / "summary.json").read_text())
    summary["infra"] = ["Own/1[0]: the machine <failed>"]
    summary["unusable"] = [{"task_id": "Own/9", "cause": "no inputs", "detail": "none & none"}]
    (copy / "summary.json").write_text(json.dumps(summary))
    export_results(copy, tmp_path / "r.xml")
    check_shape(ElementTree.parse(tmp_path / "r.xml").getroot())
    last = list(junitparser.JUnitXml.fromfile(str(tmp_path / "r.xml")))[-1]
    assert (last.tests, last.errors, last.skipped) == (2, 1, 1)


def test_the_command_says_what_is_wrong(
    folders: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A name tells the form, or --to; what is unknown is named with what there is."""
    given = list(map(str, folders))
    assert main(["export", *given, "-o", str(tmp_path / "x.txt"), "--to", "csv"]) == 0
    assert (tmp_path / "x.txt").read_bytes().startswith(b"folder,dataset,model,")
    assert main(["export", *given, "-o", str(tmp_path / "x.txt")]) == 2
    assert "--to junit" in capsys.readouterr().err
    assert main(["export", *given, "-o", str(tmp_path / "x.txt"), "--to", "junitt"]) == 2
    assert "'junit'" in capsys.readouterr().err
    assert main(["export", str(tmp_path), "-o", str(tmp_path / "x.csv")]) == 2
