"""The efficiency job and command, on real programs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from evalplus_lite.cli import main
from evalplus_lite.efficiency import EfficiencyReward, efficiency, explain
from evalplus_lite.efficiency.work import cpu
from evalplus_lite.errors import InputError
from evalplus_lite.reports import report
from evalplus_lite.reports.page.sections import _map
from evalplus_lite.sandbox import Limits, Sandbox
from evalplus_lite.types import Task

TASK = {
    "id": "repeated",
    "prompt": 'def repeated(xs: list[int]) -> bool:\n    """Say if a number occurs twice."""\n',
    "entry_point": "repeated",
    "reference": "def repeated(xs):\n    return len(set(xs)) < len(xs)\n",
    "inputs": [[[1, 2, 3]], [[4, 4]], [[]], [[7]]],
}
FAST = "def repeated(xs):\n    return len(xs) != len(set(xs))\n"
SLOW = (
    "def repeated(xs):\n    xs = xs[:]\n"
    "    return any(xs[i] == xs[j] for i in range(len(xs)) for j in range(i))\n"
)
WRONG = "def repeated(xs):\n    return len(set(xs)) < len(xs) if len(xs) < 50 else True\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, list[Path]]:
    tasks = tmp_path / "tasks.jsonl"
    tasks.write_text(json.dumps(TASK) + "\n")
    samples = []
    for name, source in (("fast", FAST), ("slow", SLOW), ("wrong", WRONG)):
        samples.append(tmp_path / f"{name}.jsonl")
        samples[-1].write_text(json.dumps({"task_id": "repeated", "solution": source}) + "\n")
    return tasks, samples


def test_the_efficient_model_comes_first(
    files: tuple[Path, list[Path]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All three pass the tests; the slow one is slower by a power, the wrong one scores nothing.

    The command says the same, and what it did not measure.
    """
    tasks, samples = files
    result = efficiency(tasks, samples, out=tmp_path / "out")
    assert [each["model"] for each in result.summary["models"]] == ["fast", "slow", "wrong"]
    rows = {row["program"]: row for row in result.to_rows()}
    assert rows["reference"]["growth"]["name"] == "linear"
    assert sorted(str(row["slower"]) for row in rows.values()) == ["False", "False", "None", "True"]
    assert [row["reason"] for row in rows.values() if row["score"] == 0] == ["late", "wrong"]
    pairs = {(row["first"], row["second"]): row for row in result.summary["pairs"]}
    assert (pairs["fast", "slow"]["less"], pairs["fast", "slow"]["ratio"]) == (1, None)
    assert pairs["fast", "wrong"]["tasks"] == 0
    before = (tmp_path / "out" / "efficiency.jsonl").read_bytes()
    report([tmp_path / "out"], out=tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert page.count("data:image/svg+xml") == 2
    assert "Score by task and model" in page

    script = {"id": "double", "prompt": "", "reference": "print(2 * int(input()))\n",
              "harness": "script", "inputs": ["4", "7"]}  # fmt: skip
    with tasks.open("a") as file:
        file.write(json.dumps(script) + "\n")
    options = ["-d", str(tasks), "-o", str(tmp_path / "again"), "--json"]
    for path in samples:
        options += ["-s", str(path)]
    assert main(["efficiency", *options]) == 0
    assert (tmp_path / "again" / "efficiency.jsonl").read_bytes() == before
    found = json.loads(capsys.readouterr().out)
    counts = {each["model"]: (each["wrong"], each["late"]) for each in found["models"]}
    assert counts == {"fast": (0, 0), "slow": (0, 1), "wrong": (1, 0)}
    assert list(found["not_measured"]) == ["double"]
    options.remove("--json")
    assert main(["efficiency", *options, "--explain", "repeated"]) == 0
    shown = capsys.readouterr().out
    assert "any(xs[i]" in shown
    assert re.search(r"script.*: double$", shown, re.MULTILINE)


CAESAR = {
    "id": "caesar",
    "prompt": "",
    "entry_point": "caesar",
    "inputs": [["abc", 1], ["Hello, World!", 3], ["xyz", 5], ["Zebra 9", -2]],
    "reference": """
def caesar(text, shift):
    out = ""
    for c in text:
        if c.isascii() and c.isalpha():
            base = 65 if c.isupper() else 97
            c = chr((ord(c) - base + shift) % 26 + base)
        out += c
    return out
""",
}
TRANSLATED = """
import string
def caesar(text, shift):
    k = shift % 26
    if k == 0:
        return text
    low, up = string.ascii_lowercase, string.ascii_uppercase
    return text.translate(str.maketrans(low + up, low[k:] + low[:k] + up[k:] + up[:k]))
"""


def test_within_a_class_nothing_is_slower() -> None:
    """Constant work lowers the exponent of a linear program: the others are not slower by that."""
    result = efficiency([CAESAR], [{"task_id": "caesar", "solution": TRANSLATED}])
    loop, translated = result.to_rows()
    assert [row["growth"]["name"] for row in (loop, translated)] == ["linear", "linear"]
    assert loop["growth"]["exponent"] - translated["growth"]["exponent"] > 0.4
    assert [loop["slower"], translated["slower"]] == [False, False]


ROMAN = {
    "id": "roman",
    "entry_point": "roman",
    "reference": """
def roman(n):
    if not 1 <= n <= LIMIT:
        raise ValueError(n)
    text = ""
    for value, letters in ((10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")):
        while n >= value:
            text += letters
            n -= value
    return text
""",
    "inputs": [[1], [9], [0]],
}


@pytest.mark.parametrize(("limit", "sizes"), [(1500, [256, 512, 1024]), (9, None)])
def test_an_error_is_no_work(limit: int, sizes: list[int] | None) -> None:
    """Numbers beyond what is valid are not measured, though the error is an answer there."""
    task = {**ROMAN, "reference": ROMAN["reference"].replace("LIMIT", str(limit)),
            "prompt": "Raises ValueError for other numbers."}  # fmt: skip
    result = efficiency([task], [{"task_id": "roman", "solution": task["reference"]}], levels=3)
    assert [row["sizes"] for row in result.to_rows()] == [sizes] * 2 * (sizes is not None)
    reasons = result.summary["not_measured"]
    assert reasons == ({} if sizes else {"roman": "no inputs that grow"})


def test_less_work_than_the_reference_scores_more_than_one() -> None:
    """The interval holds the score there too."""
    task = {**TASK, "reference": SLOW}
    (model,) = efficiency([task], [{"task_id": "repeated", "solution": FAST}]).summary["models"]
    low, high = model["eff_interval"]
    assert 1 < model["eff@1"] <= high
    assert low < 1


def test_a_task_without_a_test_is_no_reward_of_zero(tmp_path: Path) -> None:
    """A reference that fails says nothing of a program."""
    path = tmp_path / "tasks.jsonl"
    path.write_text(json.dumps({**TASK, "reference": "def repeated(xs):\n    return 1 / 0\n"}))
    with EfficiencyReward(path) as reward, pytest.raises(InputError, match="repeated"):
        reward([("repeated", FAST)])


def test_a_file_that_was_edited_is_no_page(tmp_path: Path) -> None:
    (tmp_path / "efficiency.json").write_text(
        '{"models": [], "pairs": [], "not_measured": {}, "tasks": 1}'
    )
    (tmp_path / "efficiency.jsonl").write_text('{"task_id": "<b>", "sizes": [1]}\n')
    with pytest.raises(InputError, match="not what efficiency writes"):
        report([tmp_path], out=tmp_path / "page.html")


def test_a_reward_for_right_and_fast_programs(files: tuple[Path, list[Path]]) -> None:
    """Wrong programs earn nothing, right ones more for less work; a second call asks the same."""
    answers = [f"Here:\n```python\n{source}```\n" for source in (FAST, SLOW, WRONG)]
    answers.append("def repeated(xs):\n    return True\n")
    with EfficiencyReward(files[0], least=0.25) as reward:
        assert reward(("repeated", answer) for answer in answers) == [1.0, 0.25, 0.0, 0.0]
        assert reward([("repeated", SLOW)]) == [0.25]
        with pytest.raises(InputError, match="elsewhere"):
            reward([("elsewhere", FAST)])


def test_where_work_goes(files: tuple[Path, list[Path]]) -> None:
    """The loop has almost all of the work, and shares add up."""
    found = explain(files[0], "repeated", SLOW, faster=FAST)
    _, *rows = found.data
    shares = [row[0] for row in rows]
    assert sum(shares) == pytest.approx(1)
    assert shares.index(max(shares)) == 2
    assert [row[3] for row in rows][:2] == FAST.splitlines()
    with pytest.raises(InputError, match="wrong"):
        explain(files[0], "repeated", WRONG)


def test_the_counted_answer_is_the_plain_one(files: tuple[Path, list[Path]]) -> None:
    """A program that sees that it is counted, and is right only then, is not efficient."""
    seeing = (
        "def repeated(xs):\n    if len(xs) < 4 or type(map(abs, xs)) is not map:\n"
        "        return len(set(xs)) < len(xs)\n    return None\n"
    )
    result = efficiency(files[0], [{"task_id": "repeated", "solution": seeing}])
    _, row = result.to_rows()
    assert (row["reason"], row["score"], row["dps"]) == ("wrong", 0.0, 0.0)


def test_cpu_time_in_place_of_work(files: tuple[Path, list[Path]], tmp_path: Path) -> None:
    """The same ends, in microseconds; what cannot be counted is not measured either."""
    evaluated = "def repeated(xs):\n    return eval('len(xs) != len(set(xs))')\n"
    samples = [{"task_id": "repeated", "solution": each} for each in (FAST, SLOW, WRONG, evaluated)]
    result = efficiency(files[0], samples, counter="cpu", out=tmp_path / "out")
    _, fast, slow, wrong, hidden = result.to_rows()
    assert [row["counter"] for row in (fast, slow, wrong, hidden)] == ["cpu"] * 3 + ["uncounted"]
    assert [row["reason"] for row in (fast, slow, wrong)] == ["", "late", "wrong"]
    assert max(slow["units"][-2]) > 5 * max(fast["units"][-2])
    assert set(slow["units"][-1]) == {None}
    assert (wrong["score"], hidden["score"]) == (0.0, None)
    report([tmp_path / "out"], out=tmp_path / "page.html")


def test_cpu_time_of_loading_counts(sandbox: Sandbox) -> None:
    """A table that is made beforehand, and is not made in the call, takes its time all the same."""
    task = Task("t", "", "f", "")
    table = "sums = [sum(range(n)) for n in range(3000)]\ndef f(n):\n    return sums[n]\n"
    plain = "def f(n):\n    return n * (n - 1) // 2\n"
    (before,), (within,) = (
        cpu(sandbox, task, each, [(2000,)], Limits()) for each in (table, plain)
    )
    assert before is not None
    assert within is not None
    assert before > 10_000 > within


def test_too_few_levels(files: tuple[Path, list[Path]]) -> None:
    with pytest.raises(InputError, match="levels is 2"):
        efficiency(files[0], files[1], levels=2)
    with pytest.raises(InputError, match="seconds"):
        efficiency(files[0], files[1], counter="seconds")


def test_the_map_is_wide_enough_for_long_names() -> None:
    """The last model's name ends within the picture."""
    picture = _map(["a", "W" * 40], [("task", [1.0, None])])
    (width,) = re.findall(r'viewBox="0 0 (\d+)', picture)
    (left,) = re.findall(r'x="(\d+)" y="\d+">W', picture)
    assert int(left) + 7 * 40 <= int(width)
