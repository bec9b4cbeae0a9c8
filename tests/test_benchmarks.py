"""What the benchmarks share: costs of real processes, and figures on their way into a document."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from evalplus_lite.sandbox import Inputs, Program, Sandbox
from scripts import manifest
from scripts.benchmarks import augment, render
from scripts.benchmarks.checkout import DATASETS
from scripts.benchmarks.figures import Table, cell, wilson
from scripts.benchmarks.processes import Failed, each_in_a_sandbox, timed, tree_cpu

BURN = "import time\nwhile time.process_time() < 0.3: pass\n"
PARENT = "import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', sys.argv[1]])"


@pytest.mark.parametrize("wait", [".wait()", ""], ids=["waited for", "orphaned"])
def test_a_cost_is_that_of_all_processes(wait: str) -> None:
    """A child's time counts, whether or not its parent waits for it; the parent's own is apart."""
    cost = timed([sys.executable, "-c", PARENT + wait, BURN])
    assert cost.cpu >= 0.3
    assert cost.parent_cpu <= cost.cpu - 0.25


def test_costs_are_of_the_process_alone() -> None:
    """Another child is not waited for; a failure says what was printed; a tree grows."""
    before = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    timed([sys.executable, "-c", ""])
    assert before.poll() is None
    before.communicate(b"\n")
    with pytest.raises(Failed, match="no such thing"):
        timed([sys.executable, "-c", "import sys; sys.exit('no such thing')"], exit_codes=(0,))
    before = tree_cpu()
    subprocess.run([sys.executable, "-c", BURN], check=True)
    assert tree_cpu() - before >= 0.25


def test_each_in_a_sandbox_keeps_the_order() -> None:
    """Results come in the items' order from sandboxes of several threads."""

    def answer(sandbox: Sandbox, number: int) -> object:
        program = Program("def f(n):\n    return n\n", "f")
        return sandbox.run(program, Inputs.of([(number,)])).outcomes[0]

    found = list(each_in_a_sandbox(answer, range(5), workers=2))
    assert found == list(each_in_a_sandbox(answer, range(5), workers=1))
    assert len(set(map(repr, found))) == 5


def test_a_table_from_file_to_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is recorded stands in the document, with date and machine, and is replaced there."""
    table = Table()
    for number in (1, 2):
        table.add({"what": f"a|b {number}", "s": number / 3, "none": None})
    assert capsys.readouterr().out.count("\n") == 4
    table.save(tmp_path / "x.json")
    monkeypatch.setattr(render, "MEASUREMENTS", tmp_path)
    page = tmp_path / "page.md"
    page.write_text("A\n<!-- figures: x.json -->\nold\n<!-- end of figures -->\nZ\n")
    text = render.rendered(page)
    assert "old" not in text
    assert "| a\\|b 2 | 0.67 |  |" in text
    assert json.loads((tmp_path / "x.json").read_text())["measured"]["date"] in text
    page.write_text(text)
    assert render.rendered(page) == text
    assert "earlier engine" not in text
    monkeypatch.setattr(render, "engine", lambda: "another")
    assert "earlier engine" in render.rendered(page)


@pytest.mark.parametrize(("value", "text"), [(0.1234, "0.12"), (12.34, "12.3"), (1234.5, "1234")])
def test_numbers_have_three_digits_or_so(value: float, text: str) -> None:
    """A cell shows no more than can be trusted."""
    assert cell(value) == text


def test_an_interval_holds_its_share() -> None:
    """Wilson's interval is known for 45 of 47, and stays within 0 and 1."""
    assert [round(bound, 3) for bound in wilson(45, 47)] == [0.858, 0.988]
    assert wilson(0, 10)[0] == 0.0
    assert wilson(0, 0) == (0.0, 1.0)


def test_models_that_were_looked_at_are_among_the_samples(shared: Path) -> None:
    """The halves hang on names: one that no sample has would move its programs to the other."""
    models = {row["model"] for family in DATASETS for row in augment.models_rows(family)}
    assert models == {*augment.VIEWED, "mgpt4", "mgemini"}
    keys = [("a", str(n)) for n in range(9)] + [("b", "x")]
    assert [id for id, _ in augment.some_of_each(keys, 3)] == ["a"] * 3 + ["b"]


# The manifest of outputs: the same whatever the number of workers and the hash seed.


def test_the_manifest_does_not_depend_on_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Workers and hash seeds change no byte of a suite made of the example tasks."""
    monkeypatch.setattr(
        manifest, "COMMANDS", [each for each in manifest.COMMANDS if each[0] in STEPS]
    )
    hashes = []
    for workers in (1, 2):
        monkeypatch.setenv("PYTHONHASHSEED", str(workers))
        hashes.append(manifest.manifest(tmp_path / str(workers), "*", 1, 3, workers))
    assert hashes[0] == hashes[1]
    assert {"own-augment/suite.jsonl.gz", "own-augment: stdout"} <= hashes[0].keys()


STEPS = ("own-init", "own-augment")


def test_files_that_differ_are_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Those with other hashes, or in one manifest only; a date makes no difference."""
    before, after = tmp_path / "before.json", tmp_path / "after.json"
    before.write_text(json.dumps({"a": "1", "b": "2"}))
    after.write_text(json.dumps({"a": "1", "b": "3", "c": "4"}))
    assert manifest.compare(before, before) == 0
    assert manifest.compare(before, after) == 1
    assert "differs: b\nonly in one: c\n1 of 3 files are equal" in capsys.readouterr().out
    path = Path("summary.json")
    one, other = (b'{"run": {"date": "%d"}, "tasks": 3}' % day for day in (1, 2))
    assert manifest.digest(path, one) == manifest.digest(path, other)
    assert manifest.digest(path, one) != manifest.digest(path, b'{"tasks": 4}')
