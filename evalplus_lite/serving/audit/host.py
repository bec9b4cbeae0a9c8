"""The process in which a verifier runs, and which is killed if the verifier hangs or is cheated.

It runs in the verifier's interpreter, so it is one file that needs only the standard library.
Questions and answers are lines of JSON on a socket. Each answer has a word that only this process
knows, so a program that writes to every open file cannot forge one.
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
import json
import math
import os
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from json import dumps, loads  # bound here: programs may replace the module's
from operator import attrgetter
from typing import Any

Question = dict[str, Any]
Ask = Callable[[Question], Any]
BOTH = ("function", "script")
END_BYTES = 1 << 16
MOST_BYTES = 64 << 20
"""How many bytes of a server's answer are read."""
GREETING_SECONDS = 10.0
"""How long a server may take to answer a health check."""


def plain(target: Callable[..., Any], asked: Question) -> Any:
    """``f(program, tests)``."""
    return target(asked["program"], asked["tests"])


def verl(target: Callable[..., Any], asked: Question) -> Any:
    """``compute_score(data_source, solution_str, ground_truth, extra_info)``."""
    truth = json.dumps(asked["in_outs"])
    return target(
        data_source="codecontests", solution_str=asked["fenced"], ground_truth=truth, extra_info={}
    )


def trl(target: Callable[..., Any], asked: Question) -> Any:
    """``reward(prompts, completions, **columns)``, with tests and open-r1's columns."""
    completion = [{"role": "assistant", "content": asked["fenced"]}]
    cases = asked["tests"] if asked["kind"] == "script" else []
    info = {"language": "python", "test_cases": cases}
    return target(
        prompts=[[{"role": "user", "content": asked["prompt"]}]],
        completions=[completion],
        completion_ids=[[0]],
        verification_info=[info],
        tests=[asked["tests"]],
    )


def areal(target: Callable[..., Any], asked: Question) -> Any:
    """``reward_fn(prompt, completions, prompt_ids, completion_ids, **columns)``."""
    truth = json.dumps(asked["in_outs"])
    return target(
        asked["prompt"], asked["fenced"], [0], [0], input_output=truth, tests=asked["tests"]
    )


def rllm(target: Callable[..., Any], asked: Question) -> Any:
    """``fn(task_info, action)``."""
    truth = asked["in_outs"]
    given = zip(truth["inputs"], truth["outputs"], strict=True)
    cases = [{"input": text, "output": output} for text, output in given]
    for case in cases if asked["kind"] == "function" else []:
        case |= {"testtype": "functional", "metadata": {"func_name": asked["entry_point"]}}
    source = "primeintellect" if asked["kind"] == "script" else "livecodebench"
    info = {"question": asked["prompt"], "data_source": source, "ground_truth": cases}
    return target(info, asked["fenced"])


def command(words: list[str], asked: Question) -> Any:
    """A command that reads ``{"program", "tests"}`` from standard input and prints the score last.

    Only the end of its output is kept.
    """
    pipe = subprocess.PIPE
    with tempfile.TemporaryFile() as given:
        given.write(json.dumps({"program": asked["program"], "tests": asked["tests"]}).encode())
        given.seek(0)
        with (
            subprocess.Popen(words, stdin=given, stdout=pipe, stderr=pipe) as process,
            ThreadPoolExecutor(2) as pool,
        ):
            ends = [pool.submit(_end, stream) for stream in (process.stdout, process.stderr)]
            printed, said = (each.result() for each in ends)
    lines = printed.strip().splitlines()
    if process.returncode:
        raise RuntimeError(f"exit code {process.returncode}: {said.strip()[-200:]}")
    if not lines:
        raise RuntimeError("the command printed nothing")
    try:
        return json.loads(lines[-1])
    except ValueError:
        raise RuntimeError(f"the command's last line is no score: {lines[-1][:80]!r}") from None


def _end(stream: Any) -> str:
    kept = b""
    while data := stream.read1(END_BYTES):
        kept = (kept + data)[-END_BYTES:]
    return kept.decode(errors="replace")


def posted(url: str, body: Any, seconds: float | None = None) -> Any:
    """Post a body as JSON, and return the server's answer."""
    headers = {"content-type": "application/json"}
    token = os.environ.get("EVALPLUS_LITE_TOKEN")
    if token:
        headers["authorization"] = f"Bearer {token}"
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, headers)
    with urllib.request.urlopen(request, timeout=seconds) as answer:
        text = answer.read(MOST_BYTES).decode(errors="replace")
    if body is None:
        return text
    try:
        return json.loads(text)
    except ValueError:
        raise RuntimeError(f"the server answered what is no JSON: {text[:80]!r}") from None


def served(url: str, asked: Question) -> Any:
    """``/v1/verify`` of ``evalplus-lite serve``, with the task in the request."""
    return posted(url + "/v1/verify", asked["verify"])["verdicts"][0]["passed"]


def sandboxfusion(url: str, asked: Question) -> Any:
    """``/submit`` of SandboxFusion: AutoEval for functions, CommonOJ for scripts."""
    return posted(url + "/submit", asked["submit"])["accepted"]


def open_instruct(url: str, asked: Question) -> Any:
    """``/test_program`` and ``/test_program_stdio``."""
    path = "/test_program" if asked["kind"] == "function" else "/test_program_stdio"
    body = {"program": asked["program"], "tests": asked["tests"], "max_execution_time": 1.0}
    results = posted(url + path, body)["results"]
    if any(result is None for result in results):
        return None
    return sum(results) / len(asked["tests"])


def nemo_gym(url: str, asked: Question) -> Any:
    """``/verify``."""
    return posted(url + "/verify", asked["response"])["reward"]


CALLED: dict[str, tuple[Callable[..., Any], tuple[str, ...], set[str]]] = {
    "verl": (verl, BOTH, {"solution_str", "ground_truth"}),
    "areal": (areal, BOTH, {"completions", "prompt_ids"}),
    "open-r1": (trl, ("script",), {"completions"}),
    "trl": (trl, BOTH, {"completions"}),
    "rllm": (rllm, BOTH, {"task_info", "action"}),
    "plain": (plain, BOTH, set()),
}
"""Callables: how to ask, which kinds of problems they judge, and the parameters to recognize."""
SERVERS: dict[str, tuple[Callable[..., Any], tuple[str, ...], str]] = {
    "evalplus-lite": (served, BOTH, "/healthz"),
    "sandboxfusion": (sandboxfusion, BOTH, "/v1/ping"),
    "open-instruct": (open_instruct, BOTH, "/health"),
    "nemo-gym": (nemo_gym, BOTH, ""),
}
"""Servers: how to ask, which kinds of problems they judge, and a path to recognize them by."""


def recognised(target: str, named: str, folder: str) -> tuple[str, tuple[str, ...], Ask]:
    """Return the protocol of a target, the kinds of problems that it judges, and how to ask it.

    ``folder`` is where the audit was started.
    """
    if target.startswith(("http://", "https://")):
        url = target.rstrip("/")
        name = named or next((each for each in SERVERS if _is_there(url, SERVERS[each][2])), "")
        if name not in SERVERS:
            raise ValueError(f"no known server answers; say --protocol: {', '.join(SERVERS)}")
        ask, kinds, _ = SERVERS[name]
        return name, kinds, lambda asked: ask(url, asked)
    module, colon, attribute = target.partition(":")
    if colon and all(part.isidentifier() for part in (*module.split("."), *attribute.split("."))):
        function = attrgetter(attribute)(importlib.import_module(module))
        names = set(inspect.signature(function).parameters)
        name = named or next(each for each, (_, _, known) in CALLED.items() if known <= names)
        if name == "open-r1" and not named and "verification_info" not in names:
            name = "trl"
        if name not in CALLED:
            raise ValueError(f"a function is asked by one of {', '.join(CALLED)}")
        ask, kinds, _ = CALLED[name]
        return name, kinds, lambda asked: ask(function, asked)
    words = shlex.split(target)
    os.chdir(folder)  # a path may be relative
    if not words or shutil.which(words[0]) is None:
        raise ValueError("there is no such command")
    return "command", BOTH, lambda asked: command(words, asked)


def _is_there(url: str, path: str) -> bool:
    if not path:
        return False
    try:
        posted(url + path, None, GREETING_SECONDS)
    except urllib.error.URLError as error:
        if not isinstance(error, urllib.error.HTTPError):
            raise
        return False
    return True


def score(value: Any) -> float | None:
    """Return the score in a verifier's answer; None if it has no verdict."""
    if inspect.isawaitable(value):

        async def awaited() -> Any:
            return await value

        value = asyncio.run(awaited())
    if isinstance(value, list) and len(value) != 1:
        raise ValueError(f"{len(value)} scores were answered for one program")
    if isinstance(value, list | tuple) and value:  # a tuple is a score with comments
        value = value[0]
    if isinstance(value, dict):
        known = [key for key in ("score", "reward", "passed") if key in value]
        if not known:
            raise ValueError(f"the answer has no score: {str(list(value))[:80]}")
        value = value[known[0]]
    value = getattr(value, "reward", value)
    if value is None:
        return None
    found = math.nan if isinstance(value, str | bytes) else float(value)
    if not math.isfinite(found):
        raise ValueError(f"the answer is no score: {value!r:.80}")
    return found


def main() -> None:
    """Answer questions until there are no more."""
    number, token, target, named, *path = sys.argv[1:]
    sys.argv[1:] = []
    # Programs may inspect their callers' frames, so keep nothing useful in them.
    sys.path[:1] = path
    wire = socket.socket(fileno=int(number))
    reader = wire.makefile("rb")

    def say(**row: Any) -> None:
        wire.sendall(dumps({"token": token, **row}).encode() + b"\n")

    try:
        name, kinds, ask = recognised(target, named, path[0])
    except BaseException as error:
        say(problem=f"{type(error).__name__}: {error}"[:500])
        return
    say(protocol=name, kinds=kinds)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # no longer read, so it could fill
    for line in reader:
        asked, begun = loads(line), time.monotonic()
        found, problem = None, ""
        try:
            found = score(ask(asked))
        except BaseException as error:  # a program may raise SystemExit in the verifier
            problem = type(error).__name__
            with suppress(BaseException):
                problem = f"{problem}: {error}"[:300]
        say(score=found, problem=problem, seconds=time.monotonic() - begun)


if __name__ == "__main__":
    main()
