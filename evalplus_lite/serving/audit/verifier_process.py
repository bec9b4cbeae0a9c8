"""A verifier in a process of its own: asked, waited for, and killed when it does not answer."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from evalplus_lite.errors import InputError
from evalplus_lite.serving.audit.programs import AuditProgram, AuditTask

# What a verifier's process is told of a program: its task, in every form that one may want.


def question(program: AuditProgram, reference: str) -> dict[str, Any]:
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


def assertions(problem: AuditTask) -> list[str]:
    """Return a function's cases as assertions."""
    name = problem.entry_point
    return [
        f"assert {name}({', '.join(map(repr, given))}) == {expected!r}"
        for given, expected in problem.cases
    ]


def printed(problem: AuditTask) -> list[dict[str, str]]:
    """Return a script's cases as texts in and out."""
    return [{"input": given, "output": expected} for given, expected in problem.cases]


def in_outs(problem: AuditTask) -> dict[str, Any]:
    """Return cases as APPS has them, whose functions get an argument as JSON a line."""
    if problem.kind == "script":
        return {key + "s": [case[key] for case in printed(problem)] for key in ("input", "output")}
    given = ["\n".join(map(json.dumps, arguments)) for arguments, _ in problem.cases]
    expected = [json.dumps(output) for _, output in problem.cases]
    return {"inputs": given, "outputs": expected, "fn_name": problem.entry_point}


def task(problem: AuditTask, reference: str) -> dict[str, Any]:
    """Return a problem as a row of a task file."""
    row = {"id": problem.name, "prompt": problem.prompt, "reference": reference}
    is_function = problem.kind == "function"
    how = {"entry_point": problem.entry_point} if is_function else {"harness": "script"}
    return {**row, **how, "inputs": [given for given, _ in problem.cases]}


def submission(problem: AuditTask, fenced: str) -> dict[str, Any]:
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


def response(problem: AuditTask, fenced: str) -> dict[str, Any]:
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


HOST = Path(__file__).with_name("host.py")
START_SECONDS = 180.0
"""How long a verifier may take to be imported: some bring torch."""
FULL = 1.0 - 1e-9
"""The score from which a program counts as accepted."""
MOST_ANSWER = 1 << 16
POLL_SECONDS = 0.1
TAIL_BYTES = 2000

Reply = Literal["accepted", "rejected", "none", "error", "ended", "hang"]
_ENDS: dict[str, str] = {
    "ended": "its process ended while it was loaded",
    "hang": f"it was not loaded within {START_SECONDS:.0f} seconds",
}


@dataclass(frozen=True, slots=True)
class Target:
    """What is asked: ``module:function``, a command or a URL, and how.

    ``protocol`` is "" to be recognised, ``python`` the interpreter that a function lives in,
    ``timeout`` the seconds after which no answer is a hang.
    """

    name: str
    protocol: str = ""
    python: str = sys.executable
    timeout: float = 30.0


@dataclass(frozen=True, slots=True)
class Answer:
    """What was said of a program: ``none`` is a verifier's own word for no verdict, ``error`` that
    it raised, ``ended`` that its process went, ``hang`` that it had to be killed."""

    reply: Reply
    score: float | None
    seconds: float
    problem: str = ""


class Unanswered(Exception):
    """The process ended, or took too long."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply)
        self.reply: Reply = reply


class VerifierProcess:
    """A process that asks one verifier, started when needed; a context manager for one thread."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.protocol, self.kinds = "", tuple[str, ...]()
        self._process: subprocess.Popen[bytes] | None = None
        self._wire: socket.socket | None = None
        self._token, self._rest = "", b""
        self._folder: str | None = None

    def __enter__(self) -> VerifierProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> None:
        """Import the verifier; InputError if it cannot be asked."""
        self.close()
        self._folder = tempfile.mkdtemp(prefix="evalplus-lite-audit-")
        log = Path(self._folder, "log")
        work = Path(self._folder, "work")
        work.mkdir()
        ours, theirs = socket.socketpair()
        self._token = secrets.token_hex(16)
        path = [os.getcwd(), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
        target = self.target
        words = [str(theirs.fileno()), self._token, target.name, target.protocol, *path]
        with log.open("wb") as file:
            self._process = subprocess.Popen(
                [target.python, str(HOST), *words],
                cwd=work,
                env={**os.environ, "TMPDIR": str(work), "HF_ALLOW_CODE_EVAL": "1"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=file,
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # ended with all that it started
            )
        theirs.close()
        ours.settimeout(target.timeout)
        self._wire, self._rest = ours, b""
        try:
            hello = self._read(START_SECONDS)
        except Unanswered as error:
            with log.open("rb") as file:
                file.seek(max(0, log.stat().st_size - TAIL_BYTES))
                lines = file.read().decode(errors="replace").strip().splitlines()
            raise InputError(
                f"{target.name} cannot be asked: {lines[-1] if lines else _ENDS[error.reply]}"
            ) from None
        if "problem" in hello:
            raise InputError(
                f"{target.name} cannot be asked: {hello['problem']}",
                remedy="give module:function, a command, or the URL of a server that runs",
            )
        self.protocol, self.kinds = hello["protocol"], tuple(hello["kinds"])

    def ask(self, program: AuditProgram, reference: str) -> Answer:
        """Return what the verifier says of a program; whatever happens to it is an answer."""
        begun = time.monotonic()
        if self._wire is None:
            try:
                self.start()
            except InputError as error:  # it could be asked before: what was answered stands
                return Answer("error", None, time.monotonic() - begun, str(error))
        assert self._wire is not None
        try:
            # TimeoutError: the process was stopped, and reads nothing.
            with contextlib.suppress(BrokenPipeError, ConnectionResetError, TimeoutError):
                self._wire.sendall(json.dumps(question(program, reference)).encode() + b"\n")
            row = self._read(self.target.timeout)
        except Unanswered as error:
            self.close()
            return Answer(error.reply, None, time.monotonic() - begun)
        score = row["score"]
        if row["problem"]:
            return Answer("error", None, row["seconds"], row["problem"])
        if score is None:
            return Answer("none", None, row["seconds"])
        return Answer("accepted" if score >= FULL else "rejected", score, row["seconds"])

    def close(self) -> None:
        """End the process with all that it started, and remove its folder."""
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if self._wire is not None:
            self._wire.close()
            self._wire = None
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def _read(self, seconds: float) -> dict[str, Any]:
        """Return the next row of our process, and pass over whatever a program wrote there."""
        assert self._wire is not None
        assert self._process is not None
        deadline = time.monotonic() + seconds
        while True:
            line, newline, rest = self._rest.partition(b"\n")
            if newline:
                self._rest = rest
                row = _row(line)
                if row is not None and row.pop("token", None) == self._token:
                    return row
                continue
            if len(self._rest) > MOST_ANSWER:
                self._rest = b""
            if time.monotonic() > deadline:
                raise Unanswered("hang")
            ready, _, _ = select.select([self._wire], [], [], POLL_SECONDS)
            try:
                data = self._wire.recv(MOST_ANSWER) if ready else b""
            except ConnectionResetError:
                data = b""
            self._rest += data
            # A child of the verifier's may hold the other end: that it ended is seen by itself.
            if not data and (ready or self._process.poll() is not None):
                raise Unanswered("ended")


def _row(line: bytes) -> dict[str, Any] | None:
    try:
        row = json.loads(line)
    except ValueError:
        return None
    return row if isinstance(row, dict) else None
