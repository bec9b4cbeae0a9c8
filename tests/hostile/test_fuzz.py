"""Whoever reads what others wrote, fed by the fuzzer: thousands of hostile texts, few resources.

``python -m tests.hostile.fuzz`` makes longer campaigns, and reads one text again.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from hostile.fuzz.campaign import Process, Result, Trial, problem, run, trials
from hostile.fuzz.readers import READERS

SEED = 11
COUNT = 6000 if sys.version_info[:2] == (3, 11) else 1500  # most readers are the same on all
PARTS = {"answer": 4}
"""How many tests share the texts of one reader, so that none of them takes long."""
PATIENCE = 3.0
"""How much dearer CPU time may be where other tests run beside this one."""
VERDICTS = frozenset({"pass", "fail", "error", "timeout", "crash", "memory", "unrepresentable"})


@pytest.mark.parametrize(
    ("name", "part"), [(n, p) for n in READERS for p in range(PARTS.get(n, 1))]
)
def test_hostile_texts_cost_little_and_break_nothing(name: str, part: int) -> None:
    """No text raises anything but what a person is told, none costs more than it may, and what
    stands before and after it is read and judged as if it were not there."""
    share = READERS[name].share / sum(reader.share for reader in READERS.values())
    count = int(COUNT * share) // PARTS.get(name, 1)
    results = list(run(trials(SEED + part, count, only=name)))
    failed = [result for result in results if problem(result, patience=PATIENCE)]
    assert not failed, [(r.trial, problem(r, patience=PATIENCE), r) for r in failed[:5]]
    assert not all(result.said.startswith("refused") for result in results)


def test_the_same_seed_gives_the_same_texts() -> None:
    """A trial says all that decides its text, so that one that failed can be tried again."""
    first, second = (list(trials(SEED, 200)) for _ in range(2))
    assert first == second
    assert {trial.reader for trial in first} == set(READERS)
    for one, other in zip(first, second, strict=True):
        assert one.data() == other.data()
        if one.reader != "archive":
            assert len(one.data()) <= READERS[one.reader].largest


@pytest.mark.parametrize(
    ("cost", "words"),
    [
        ({"cpu": 1.5}, "slow"),
        ({"helpers": 3.0}, "slow"),
        ({"grown": 200 << 20}, "large"),
        ({"fault": "RecursionError"}, "RecursionError"),
        ({"cpu": 0.5, "grown": 50 << 20}, ""),
    ],
)
def test_what_counts_as_wrong(cost: dict[str, float], words: str) -> None:
    """Time, memory and exceptions each make a result a failure."""
    found = problem(Result(Trial("answer", 0, 0, 10), 10, **cost))  # type: ignore[arg-type]
    assert bool(found) == bool(words)
    assert words in found


@pytest.mark.parametrize(
    "fault",
    ["while True: pass", "import os; os._exit(3)", "kept = bytearray(2 << 30)", "raise KeyError"],
)
def test_a_reader_with_a_fault_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    """A reader that hangs, dies, takes all memory or raises is ended and told, and starts anew."""
    (tmp_path / "sitecustomize.py").write_text(
        "import evalplus_lite.programs.extraction as it\n"
        "import evalplus_lite.grading.text_verifier as verify\n"
        f"def broken(*_, **__):\n    {fault}\n"
        "import evalplus_lite\nevalplus_lite.verify_code_execution = broken\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr("hostile.fuzz.campaign.KILL_SECONDS", 1.0)
    with Process("output") as process:
        for _ in range(2):
            result = process.read(Trial("output", 0, 0, 10), b"12")
            assert result.fault, result


def test_shared_hostile_texts_are_judged_as_they_say(shared: Path) -> None:
    """Programs aimed at whoever reads them get the verdict that their first line calls right."""
    files = sorted((shared / "attacks" / "text").glob("r*.py"))
    assert files
    with Process("judge") as process:
        for file in files:
            result = process.read(Trial("judge", 0, 0, 0), file.read_bytes())
            assert not problem(result, patience=PATIENCE), (file.name, result)
            said = re.search(r"right: ([^(;\n]*)", file.read_text(encoding="utf-8"))
            assert said is not None
            right = VERDICTS & set(re.findall(r"\w+", said[1])) or VERDICTS
            assert result.said in right, (file.name, result)
