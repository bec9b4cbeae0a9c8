"""What a verifier's process is told of a program: its task, in every form that one may want."""

from __future__ import annotations

import json
from typing import Any

from evalplus_lite.soundness.programs import Problem, Program


def question(program: Program, reference: str) -> dict[str, Any]:
    """Return a program with its task as JSON; ``host.py`` says which protocol needs what.

    ``tests`` are assertions on a function, or a script's texts in and out; ``in_outs`` is the same
    as APPS has it; ``fenced`` is the program as a model's answer holds it. ``verify``, ``submit``
    and ``response`` are the requests of servers.
    """
    problem = program.problem
    fenced = f"```python\n{program.text.strip(chr(10))}\n```"
    return {
        "program": program.text,
        "fenced": fenced,
        "kind": problem.kind,
        "prompt": problem.prompt,
        "entry_point": problem.entry_point,
        "tests": assertions(problem) if problem.kind == "function" else printed(problem),
        "in_outs": in_outs(problem),
        "verify": {"task": task(problem, reference), "program": program.text},
        "submit": submission(problem, fenced),
        "response": response(problem, fenced),
    }


def assertions(problem: Problem) -> list[str]:
    """Return a function's cases as assertions."""
    name = problem.entry_point
    return [
        f"assert {name}({', '.join(map(repr, given))}) == {expected!r}"
        for given, expected in problem.cases
    ]


def printed(problem: Problem) -> list[dict[str, str]]:
    """Return a script's cases as texts in and out."""
    return [{"input": given, "output": expected} for given, expected in problem.cases]


def in_outs(problem: Problem) -> dict[str, Any]:
    """Return cases as APPS has them, whose functions get an argument as JSON a line."""
    if problem.kind == "script":
        return {key + "s": [case[key] for case in printed(problem)] for key in ("input", "output")}
    given = ["\n".join(map(json.dumps, arguments)) for arguments, _ in problem.cases]
    expected = [json.dumps(output) for _, output in problem.cases]
    return {"inputs": given, "outputs": expected, "fn_name": problem.entry_point}


def task(problem: Problem, reference: str) -> dict[str, Any]:
    """Return a problem as a row of a task file."""
    row = {"id": problem.name, "prompt": problem.prompt, "reference": reference}
    is_function = problem.kind == "function"
    how = {"entry_point": problem.entry_point} if is_function else {"harness": "script"}
    return {**row, **how, "inputs": [given for given, _ in problem.cases]}


def submission(problem: Problem, fenced: str) -> dict[str, Any]:
    """Return SandboxFusion's request to judge, with a second a test."""
    labels = {"programming_language": "python", "execution_language": "python"}
    about: dict[str, Any] = {"id": problem.name, "content": problem.prompt, "labels": labels}
    if problem.kind == "function":
        test = {"code": "\n".join(assertions(problem)), "asset": {}}
        about |= {"canonical_solution": "", "test": test}
    else:
        about["test"] = [
            {"input": {"stdin": given}, "output": {"stdout": expected}}
            for given, expected in problem.cases
        ]
    config = {
        "dataset_type": "AutoEvalDataset" if problem.kind == "function" else "CommonOJDataset",
        "language": "python",
        "run_timeout": 1,
        "provided_data": about,
    }
    return {"dataset": "audit", "id": 0, "completion": fenced, "config": config}


def response(problem: Problem, fenced: str) -> dict[str, Any]:
    """Return NeMo-Gym's request: a model's response, with what it is judged by."""
    content = [{"type": "output_text", "text": fenced, "annotations": []}]
    message = {"type": "message", "id": "m", "role": "assistant", "status": "completed"}
    return {
        "responses_create_params": {"input": [{"role": "user", "content": problem.prompt}]},
        "response": {
            "id": "r",
            "created_at": 0,
            "model": "audit",
            "object": "response",
            "output": [{**message, "content": content}],
            "parallel_tool_calls": False,
            "tool_choice": "auto",
            "tools": [],
        },
        "verifier_metadata": {"unit_tests": in_outs(problem)},
    }
