"""What the benchmarks share: costs of real processes, and figures on their way into a document."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from evalplus_lite.sandbox import Inputs, Program, Sandbox
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


def test_another_child_of_ours_is_not_waited_for() -> None:
    """A process that ran before goes on."""
    before = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    timed([sys.executable, "-c", ""])
    assert before.poll() is None
    before.communicate(b"\n")


def test_a_failure_says_what_was_printed() -> None:
    """A command that must succeed is an error with its last output."""
    with pytest.raises(Failed, match="no such thing"):
        timed([sys.executable, "-c", "import sys; sys.exit('no such thing')"], exit_codes=(0,))


def test_the_time_of_a_tree_grows_with_its_children() -> None:
    """What a child that has ended used is in it."""
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
