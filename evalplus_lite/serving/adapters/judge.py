"""The judge that all adapters of a process share: sandboxes of its own, or a server's."""

from __future__ import annotations

import atexit
import json
import os
import re
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from evalplus_lite.errors import InfrastructureError, InputError, one_of
from evalplus_lite.jobs.judging import Settings
from evalplus_lite.jobs.verification import ProgramJudge
from evalplus_lite.models.completions import instruction
from evalplus_lite.sandbox import Tier, preset
from evalplus_lite.serving.worker import source_of
from evalplus_lite.store.locks import Lock
from evalplus_lite.tasks import load_dataset
from evalplus_lite.tasks.published.trainers import TaskData, task_data
from evalplus_lite.types import VERDICTS

# What a judge is made by: the environment, as trainers start their workers themselves.

PREFIX = "EVALPLUS_LITE_"
REWARDS = ("passed", "share")


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """How answers are judged, and what they earn.

    ``datasets`` are names or files whose tasks are known by id; ``url`` is a server's, with its
    ``token``, instead of sandboxes here; ``workers``, ``limits``, ``sandbox`` and ``store`` are as
    for ``Verifier``. ``reward`` is ``passed`` (1 for all tests, else 0) or ``share`` (the part of
    all tests that were passed); ``penalties`` are taken off it, by the name of the verdict.
    ``weak_tests``: whether unit tests count that a program could pass without knowing the task.
    """

    datasets: tuple[str, ...] = ()
    url: str = ""
    token: str = ""
    workers: int | None = None
    limits: str = "default"
    sandbox: Tier = "auto"
    store: str | None = None
    reward: str = "passed"
    penalties: Mapping[str, float] = field(default_factory=dict)
    weak_tests: bool = False

    def __post_init__(self) -> None:
        if self.reward not in REWARDS:
            raise InputError(f"reward is {self.reward!r}", remedy=one_of(self.reward, REWARDS))
        for name in self.penalties:
            if name not in VERDICTS:
                raise InputError(f"no verdict is named {name!r}", remedy=one_of(name, VERDICTS))

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> JudgeSettings:
        """Return what ``EVALPLUS_LITE_DATASET``, ``_URL``, ``_TOKEN``, ``_WORKERS``, ``_LIMITS``,
        ``_SANDBOX``, ``_STORE``, ``_REWARD``, ``_WEAK_TESTS`` (1: count them) and ``_PENALTIES``
        (``timeout=0.1,error=0.2``) say;
        several data sets are divided by a colon."""
        values: dict[str, Any] = {
            key: text for key in cls.__slots__ if (text := environ.get(PREFIX + key.upper()))
        }
        names = environ.get(PREFIX + "DATASET", "").split(os.pathsep)
        values["datasets"] = tuple(filter(None, names))
        values["weak_tests"] = values.get("weak_tests", "0") != "0"
        try:
            pairs = [each.split("=") for each in values.get("penalties", "").split(",") if each]
            values["penalties"] = {name.strip(): float(number) for name, number in pairs}
            if "workers" in values:
                values["workers"] = int(values["workers"])
        except ValueError:
            raise InputError(
                f"{PREFIX}WORKERS or {PREFIX}PENALTIES holds no number",
                remedy="such as 8, and timeout=0.1,error=0.2",
            ) from None
        return cls(**values)


# One request to a server's ``/v1/verify``, tried again while the server is busy or away.

TRIES = 8
FIRST_WAIT = 0.25
MOST_WAIT = 30.0
SECONDS = 600.0
"""How long an answer may take: a long queue is no fault of the program's."""
MOST_BYTES = 64 << 20


def post_verify(settings: JudgeSettings, body: dict[str, Any]) -> dict[str, Any]:
    """Return the server's row for the one program of a request.

    InputError for a task that it refuses; InfrastructureError where it is away, busy for too long,
    or has no verdict: none of these says anything about the program.
    """
    url = settings.url.rstrip("/") + "/v1/verify"
    headers = {"content-type": "application/json"}
    if settings.token:
        headers["authorization"] = f"Bearer {settings.token}"
    try:
        request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    except ValueError as error:  # no URL, or a body that JSON has no word for
        raise InputError(f"{url[:200]}: {error}") from None
    answer = _posted(request, url)
    try:
        row: dict[str, Any] = answer["verdicts"][0]
        trouble = row.get("error")
        if trouble is None and not isinstance(row["passed"], bool):
            raise KeyError("passed")
    except (KeyError, IndexError, TypeError, AttributeError):
        raise InfrastructureError(f"{url} answered what is no verdict") from None
    if trouble is None:
        return row
    said = str(trouble.get("message", trouble))
    is_ours = trouble.get("kind") == "infrastructure"
    raise InfrastructureError(said) if is_ours else InputError(said)


def _posted(request: urllib.request.Request, url: str) -> Any:
    wait, problem = FIRST_WAIT, ""
    for number in range(TRIES):
        if number:
            time.sleep(wait)
            wait = min(2 * wait, MOST_WAIT)
        try:
            with urllib.request.urlopen(request, timeout=SECONDS) as response:
                return json.loads(response.read(MOST_BYTES))
        except urllib.error.HTTPError as error:
            problem = _said(error)
            if error.code not in (429, 500, 502, 503, 504):
                raise InputError(f"{url} refused: {problem}") from None
            with_wait = error.headers.get("retry-after", "")
            wait = min(float(with_wait), MOST_WAIT) if with_wait.isdigit() else wait
        except (OSError, ValueError) as error:  # refused, reset, late; or not JSON
            problem = str(error)
    raise InfrastructureError(f"{url} gave no verdict in {TRIES} tries: {problem}")


def _said(error: urllib.error.HTTPError) -> str:
    try:
        return str(json.loads(error.read(10_000))["detail"])[:500]
    except (ValueError, KeyError, TypeError, OSError):
        return f"status {error.code}"


CONNECTIONS = 32
"""Requests that a process has with a server at a time."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What was found of an answer.

    ``verdict`` is its name (``pass``, ``fail``, ``timeout``, ...), ``share`` the part of all tests
    that were passed, if that was asked for, ``program`` what was taken out of the answer, if known.
    """

    passed: bool
    verdict: str
    share: float | None
    detail: str
    program: str | None


class LocalJudge:
    """Judges in sandboxes of this process; one forked from it has its own."""

    def __init__(self, settings: JudgeSettings) -> None:
        self._judge = ProgramJudge(
            [load_dataset(name) for name in settings.datasets],
            Settings(preset(settings.limits), weak_tests=settings.weak_tests),
            workers=settings.workers,
            sandbox=settings.sandbox,
            store=settings.store,
            preload=["evalplus_lite.serving.worker"],
        )
        self._judge.open()

    def begin(self, task: TaskData, answer: str, *, share: bool) -> Future[Judgement]:
        """Have an answer judged; raises, now or in the future, what is no verdict on it."""
        options = ("chat", "program", "tests") if share else ("chat", "program")
        if task.form == "id":
            source = self._judge.source(*self._judge.task(task.data))
        else:
            source = source_of(task.form, task.of(answer))
        return self._judge.submit(
            source, answer, options, key=source[1], then=lambda row: judgement(row[1])
        )

    def close(self) -> None:
        """End the sandboxes; what is being judged is finished first."""
        self._judge.close()


class RemoteJudge:
    """Judges by the server of ``evalplus-lite serve`` at a URL."""

    def __init__(self, settings: JudgeSettings) -> None:
        self._settings = settings
        self._pool: tuple[int, ThreadPoolExecutor] | None = None
        self._lock = Lock()

    def begin(self, task: TaskData, answer: str, *, share: bool) -> Future[Judgement]:
        """Have an answer judged there."""
        with self._lock:
            # A forked child has no threads: its parent's pool would never begin anything.
            if self._pool is None or self._pool[0] != os.getpid():
                self._pool = os.getpid(), ThreadPoolExecutor(CONNECTIONS)
        return self._pool[1].submit(self._ask, task, answer, share)

    def close(self) -> None:
        """Wait for what is on its way."""
        if self._pool is not None and self._pool[0] == os.getpid():
            self._pool[1].shutdown()
        self._pool = None

    def _ask(self, task: TaskData, answer: str, share: bool) -> Judgement:
        body = {"task": task.row(answer), "program": answer, "chat": True, "details": share}
        return judgement(post_verify(self._settings, body))


def judgement(row: dict[str, Any]) -> Judgement:
    """Return what a row of ``jobs.verification``, or of a server, says."""
    tests, failure = row.get("tests") or row.get("details"), row.get("failure") or {}
    return Judgement(
        passed=row["passed"],
        verdict=row["base"] if row["base"] != "pass" or row["plus"] is None else row["plus"],
        share=None if tests is None else tests.count("pass") / len(tests),
        detail=failure.get("detail", ""),
        program=row.get("program"),
    )


_lock = Lock()
_settings: JudgeSettings | None = None
_judge: LocalJudge | RemoteJudge | None = None


def configure(settings: JudgeSettings | None = None) -> None:
    """Set the judge of this process, by default the environment's; close one of other settings."""
    global _settings, _judge
    with _lock:
        if settings is not None and settings == _settings:
            return
        _settings, old, _judge = settings, _judge, None
    if old is not None:
        old.close()


def settings() -> JudgeSettings:
    """Return what the judge of this process is made by."""
    return JudgeSettings.from_environment() if _settings is None else _settings


def shared_judge() -> LocalJudge | RemoteJudge:
    """Return the judge of this process, made when it is first asked for."""
    global _judge
    with _lock:
        if _judge is None:
            found = settings()
            _judge = RemoteJudge(found) if found.url else LocalJudge(found)
            atexit.register(_judge.close)
        return _judge


def begin(tests: Any, answer: str, *, share: bool = False) -> Future[Judgement]:
    """Begin to judge an answer by what ``task_data`` reads; raises, now or in the future, what is
    no verdict on it."""
    return shared_judge().begin(task_data(tests), answer, share=share)


def verdicts(pairs: Iterable[tuple[Any, str]]) -> list[Judgement]:
    """Return the verdicts on answers to (task id or tests, answer); raises where there is none."""
    futures = [begin(tests, answer) for tests, answer in pairs]
    return [future.result() for future in futures]


# The tasks of a data set as harnesses put them to a model.


@cache
def dataset_rows(name: str) -> list[dict[str, str]]:
    """Return the tasks of a data set, asked as ``evalplus-lite generate`` does: ``request`` whole,
    ``prompt`` as the task has it, to be completed."""
    return [
        {
            "task_id": task.id,
            "request": instruction(task),
            "prompt": task.prompt,
            "entry_point": task.entry_point,
        }
        for task in load_dataset(name).tasks
    ]


def slug(name: str) -> str:
    """Return a data set's name as harnesses have names of tasks: ``humaneval_plus``."""
    return re.sub(r"\W+", "_", name.replace("+", "_plus"))


def configure_for(name: str) -> None:
    """Have the judge of this process know the tasks of a data set; a server is told its own."""
    known = settings()
    if not known.url and name not in known.datasets:
        configure(replace(known, datasets=(*known.datasets, name)))
