"""The process that a verifier is asked in: it may loop, exit or be cheated, and is killed then.

It runs in whatever interpreter the verifier lives in, so it is one file of the standard library.
Questions come as JSON, a line each, on a socket, and so do answers, each with a word that only this
process knows: a program that writes to every open file forges none.
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
import json
import os
import shlex
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from json import dumps, loads  # bound here: programs replace those of the module
from typing import Any

Question = dict[str, Any]
Ask = Callable[[Question], Any]
BOTH = ("function", "script")


def assertions(asked: Question) -> list[str]:
    """Return a function's cases as assertions."""
    name = asked["entry_point"]
    return [
        f"assert {name}({', '.join(map(repr, given))}) == {expected!r}"
        for given, expected in asked["cases"]
    ]


def printed(asked: Question) -> list[dict[str, str]]:
    """Return a script's cases as texts in and out."""
    return [{"input": given, "output": expected} for given, expected in asked["cases"]]


def in_outs(asked: Question) -> dict[str, Any]:
    """Return cases as APPS has them, whose functions get an argument as JSON a line."""
    if asked["kind"] == "script":
        return {key + "s": [case[key] for case in printed(asked)] for key in ("input", "output")}
    given = ["\n".join(map(json.dumps, arguments)) for arguments, _ in asked["cases"]]
    expected = [json.dumps(output) for _, output in asked["cases"]]
    return {"inputs": given, "outputs": expected, "fn_name": asked["entry_point"]}


def fenced(asked: Question) -> str:
    """Return the program as a model's answer holds it."""
    return f"```python\n{asked['program'].strip(chr(10))}\n```"


def tests(asked: Question) -> list[Any]:
    """Return the cases as assertions, or as texts in and out."""
    return list(assertions(asked) if asked["kind"] == "function" else printed(asked))


def plain(target: Callable[..., Any], asked: Question) -> Any:
    """``f(program, tests)``."""
    return target(asked["program"], tests(asked))


def verl(target: Callable[..., Any], asked: Question) -> Any:
    """``compute_score(data_source, solution_str, ground_truth, extra_info)``."""
    truth = json.dumps(in_outs(asked))
    return target(
        data_source="codecontests", solution_str=fenced(asked), ground_truth=truth, extra_info={}
    )


def trl(target: Callable[..., Any], asked: Question) -> Any:
    """``reward(prompts, completions, **columns)``, with the columns that open-r1 has, and tests."""
    completion = [{"role": "assistant", "content": fenced(asked)}]
    cases = printed(asked) if asked["kind"] == "script" else []
    info = {"language": "python", "test_cases": cases}
    return target(
        prompts=[[{"role": "user", "content": asked["prompt"]}]],
        completions=[completion],
        completion_ids=[[0]],
        verification_info=[info],
        tests=[tests(asked)],
    )


def areal(target: Callable[..., Any], asked: Question) -> Any:
    """``reward_fn(prompt, completions, prompt_ids, completion_ids, **columns)``."""
    truth = json.dumps(in_outs(asked))
    return target(asked["prompt"], fenced(asked), [0], [0], input_output=truth, tests=tests(asked))


def rllm(target: Callable[..., Any], asked: Question) -> Any:
    """``fn(task_info, action)``."""
    truth = in_outs(asked)
    given = zip(truth["inputs"], truth["outputs"], strict=True)
    cases = [{"input": text, "output": output} for text, output in given]
    for case in cases if asked["kind"] == "function" else []:
        case |= {"testtype": "functional", "metadata": {"func_name": asked["entry_point"]}}
    source = "primeintellect" if asked["kind"] == "script" else "livecodebench"
    info = {"question": asked["prompt"], "data_source": source, "ground_truth": cases}
    return target(info, fenced(asked))


def command(target: str, asked: Question) -> Any:
    """A program that gets ``{"program", "tests"}`` on standard input and prints the score last."""
    given = json.dumps({"program": asked["program"], "tests": tests(asked)})
    done = subprocess.run(shlex.split(target), input=given, capture_output=True, text=True)
    lines = done.stdout.strip().splitlines()
    if done.returncode or not lines:
        raise RuntimeError(f"exit code {done.returncode}: {done.stderr[-200:]}")
    return json.loads(lines[-1])


def posted(url: str, body: Any) -> Any:
    """Return what a server answers to a body in JSON."""
    headers = {"content-type": "application/json"}
    token = os.environ.get("EVALPLUS_LITE_TOKEN")
    if token:
        headers["authorization"] = f"Bearer {token}"
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data, headers)) as answer:
        text = answer.read().decode()
    return json.loads(text) if text[:1] in '{["' else text


def served(url: str, asked: Question) -> Any:
    """``/v1/verify`` of ``evalplus-lite serve``, with the task in the request."""
    task = {
        "id": asked["problem"],
        "prompt": asked["prompt"],
        "reference": asked["reference"],
        "inputs": [given for given, _ in asked["cases"]],
    }
    if asked["kind"] == "function":
        task["entry_point"] = asked["entry_point"]
    else:
        task["harness"] = "script"
    body = {"task": task, "program": asked["program"]}
    return posted(url + "/v1/verify", body)["verdicts"][0]["passed"]


def sandboxfusion(url: str, asked: Question) -> Any:
    """``/submit`` of SandboxFusion: AutoEval for functions, CommonOJ for scripts."""
    about: dict[str, Any] = {"id": asked["problem"], "content": asked["prompt"], "labels": {}}
    labels = {"programming_language": "python", "execution_language": "python"}
    if asked["kind"] == "function":
        about |= {"labels": labels, "canonical_solution": "", "test": {}}
        about["test"] = {"code": "\n".join(assertions(asked)), "asset": {}}
        name = "AutoEvalDataset"
    else:
        about["labels"] = labels
        about["test"] = [
            {"input": {"stdin": given}, "output": {"stdout": expected}}
            for given, expected in asked["cases"]
        ]
        name = "CommonOJDataset"
    config = {"dataset_type": name, "language": "python", "run_timeout": 1, "provided_data": about}
    body = {"dataset": "audit", "id": 0, "completion": fenced(asked), "config": config}
    return posted(url + "/submit", body)["accepted"]


def open_instruct(url: str, asked: Question) -> Any:
    """``/test_program`` and ``/test_program_stdio``."""
    path = "/test_program" if asked["kind"] == "function" else "/test_program_stdio"
    body = {"program": asked["program"], "tests": tests(asked), "max_execution_time": 1.0}
    results = posted(url + path, body)["results"]
    if any(result is None for result in results):
        return None
    return sum(results) / len(asked["cases"])


def nemo_gym(url: str, asked: Question) -> Any:
    """``/verify``."""
    content = [{"type": "output_text", "text": fenced(asked), "annotations": []}]
    message = {"type": "message", "id": "m", "role": "assistant", "status": "completed"}
    body = {
        "responses_create_params": {"input": [{"role": "user", "content": asked["prompt"]}]},
        "response": {
            "id": "r", "created_at": 0, "model": "audit", "object": "response",
            "output": [{**message, "content": content}],
            "parallel_tool_calls": False, "tool_choice": "auto", "tools": [],
        },
        "verifier_metadata": {"unit_tests": in_outs(asked)},
    }  # fmt: skip
    return posted(url + "/verify", body)["reward"]


CALLED: dict[str, tuple[Callable[..., Any], tuple[str, ...], set[str]]] = {
    "verl": (verl, BOTH, {"solution_str", "ground_truth"}),
    "areal": (areal, BOTH, {"completions", "prompt_ids"}),
    "open-r1": (trl, ("script",), {"completions"}),
    "trl": (trl, BOTH, {"completions"}),
    "rllm": (rllm, BOTH, {"task_info", "action"}),
    "plain": (plain, BOTH, set()),
}
"""Callables: how to ask, which kinds of problems they judge, and the parameters that tell them."""
SERVERS: dict[str, tuple[Callable[..., Any], tuple[str, ...], str]] = {
    "evalplus-lite": (served, BOTH, "/healthz"),
    "sandboxfusion": (sandboxfusion, BOTH, "/v1/ping"),
    "open-instruct": (open_instruct, BOTH, "/health"),
    "nemo-gym": (nemo_gym, BOTH, ""),
}
"""Servers: how to ask, which kinds of problems they judge, and a path that tells them."""


def recognised(target: str, named: str) -> tuple[str, tuple[str, ...], Ask]:
    """Return the protocol of a target, the kinds of problems that it judges, and how to ask it."""
    if target.startswith(("http://", "https://")):
        url = target.rstrip("/")
        name = named or next((each for each in SERVERS if _is_there(url, SERVERS[each][2])), "")
        if name not in SERVERS:
            raise ValueError(f"no known server answers; say --protocol: {', '.join(SERVERS)}")
        ask, kinds, _ = SERVERS[name]
        return name, kinds, lambda asked: ask(url, asked)
    module, colon, attribute = target.partition(":")
    if colon and module.replace(".", "").isidentifier() and attribute.isidentifier():
        function = getattr(importlib.import_module(module), attribute)
        names = set(inspect.signature(function).parameters)
        name = named or next(each for each, (_, _, known) in CALLED.items() if known <= names)
        if name == "open-r1" and not named and "verification_info" not in names:
            name = "trl"
        if name not in CALLED:
            raise ValueError(f"a function is asked by one of {', '.join(CALLED)}")
        ask, kinds, _ = CALLED[name]
        return name, kinds, lambda asked: ask(function, asked)
    return "command", BOTH, lambda asked: command(target, asked)


def _is_there(url: str, path: str) -> bool:
    if not path:
        return False
    try:
        posted(url + path, None)
    except urllib.error.URLError as error:
        if not isinstance(error, urllib.error.HTTPError):
            raise
        return False
    return True


def score(value: Any) -> float | None:
    """Return the score in whatever a verifier answers; None if it says that it has no verdict."""
    if inspect.isawaitable(value):

        async def awaited() -> Any:
            return await value

        value = asyncio.run(awaited())
    if isinstance(value, list | tuple):
        value = value[0]
    if isinstance(value, dict):
        value = next(value[key] for key in ("score", "reward", "passed") if key in value)
    value = getattr(value, "reward", value)
    return None if value is None else float(value)


def main() -> None:
    """Answer questions until there are no more."""
    number, token, target, named, *path = sys.argv[1:]
    sys.argv[1:] = []
    # Programs look through the frames of those who call them, too: nothing of ours is of use.
    sys.path[:1] = path
    wire = socket.socket(fileno=int(number))
    reader = wire.makefile("rb")

    def say(**row: Any) -> None:
        wire.sendall(dumps({"token": token, **row}).encode() + b"\n")

    try:
        name, kinds, ask = recognised(target, named)
    except BaseException as error:
        say(problem=f"{type(error).__name__}: {error}"[:500])
        return
    say(protocol=name, kinds=kinds)
    for line in reader:
        asked, begun = loads(line), time.monotonic()
        found, problem = None, ""
        try:
            found = score(ask(asked))
        except BaseException as error:  # SystemExit, too: a program may raise it into the verifier
            problem = type(error).__name__
            with suppress(BaseException):
                problem = f"{problem}: {error}"[:300]
        say(score=found, problem=problem, seconds=time.monotonic() - begun)


if __name__ == "__main__":
    main()
