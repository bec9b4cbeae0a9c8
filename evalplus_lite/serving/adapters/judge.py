"""The judge that all adapters of a process share: its own sandboxes, or a server's."""

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

# Settings come from the environment, because trainers start their workers themselves.

PREFIX = "EVALPLUS_LITE_"
REWARDS = ("passed", "share")


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """Settings for judging answers and computing rewards.

    ``datasets`` are names or files whose tasks are known by id; ``url`` and ``token`` select a
    server instead of local sandboxes; ``workers``, ``limits``, ``sandbox`` and ``store`` are as
    for ``Verifier``. ``reward`` is ``passed`` (1 for all tests, else 0) or ``share`` (the share
    of tests passed); ``penalties`` are subtracted from it, by the name of the verdict.
    ``weak_tests``: whether to count unit tests that a program can pass by guessing.
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
        """Read ``EVALPLUS_LITE_DATASET`` (several are separated by colons), ``_URL``, ``_TOKEN``,
        ``_WORKERS``, ``_LIMITS``, ``_SANDBOX``, ``_STORE``, ``_REWARD``, ``_WEAK_TESTS`` (1 counts
        them) and ``_PENALTIES`` (``timeout=0.1,error=0.2``)."""
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


# Requests to a server's ``/v1/verify``, repeated while the server is busy or unreachable.

TRIES = 8
FIRST_WAIT = 0.25
MOST_WAIT = 30.0
SECONDS = 600.0
"""How long to wait for an answer; long, because a long queue says nothing about the program."""
MOST_BYTES = 64 << 20


def post_verify(settings: JudgeSettings, body: dict[str, Any]) -> dict[str, Any]:
    """Post a request with one program, and return the server's row for it.

    Raises InputError if the server rejects the task, and InfrastructureError if it is unreachable,
    busy for too long or has no verdict: none of these says anything about the program.
    """
    url = settings.url.rstrip("/") + "/v1/verify"
    headers = {"content-type": "application/json"}
    if settings.token:
        headers["authorization"] = f"Bearer {settings.token}"
    try:
        request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    except ValueError as error:  # not a URL, or a body that JSON cannot represent
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
"""Concurrent requests from one process to a server."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The result for one answer.

    ``verdict`` is its name (``pass``, ``fail``, ``timeout``, ...), ``share`` the share of tests
    passed, if requested, and ``program`` the program extracted from the answer, if known.
    """

    passed: bool
    verdict: str
    share: float | None
    detail: str
    program: str | None


class LocalJudge:
    """Judges in sandboxes of this process; a forked process starts its own."""

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
        """Start judging an answer; errors are raised here or by the future."""
        options = ("chat", "program", "tests") if share else ("chat", "program")
        if task.form == "id":
            source = self._judge.source(*self._judge.task(task.data))
        else:
            source = source_of(task.form, task.of(answer))
        return self._judge.submit(
            source, answer, options, key=source[1], then=lambda row: judgement(row[1])
        )

    def close(self) -> None:
        """End the sandboxes, after finishing the programs being judged."""
        self._judge.close()


class RemoteJudge:
    """Judges on a server (``evalplus-lite serve``) at a URL."""

    def __init__(self, settings: JudgeSettings) -> None:
        self._settings = settings
        self._pool: tuple[int, ThreadPoolExecutor] | None = None
        self._lock = Lock()

    def begin(self, task: TaskData, answer: str, *, share: bool) -> Future[Judgement]:
        """Start judging an answer there."""
        with self._lock:
            # A forked child has no threads, so its parent's pool would never start anything.
            if self._pool is None or self._pool[0] != os.getpid():
                self._pool = os.getpid(), ThreadPoolExecutor(CONNECTIONS)
        return self._pool[1].submit(self._ask, task, answer, share)

    def close(self) -> None:
        """Wait for pending requests."""
        if self._pool is not None and self._pool[0] == os.getpid():
            self._pool[1].shutdown()
        self._pool = None

    def _ask(self, task: TaskData, answer: str, share: bool) -> Judgement:
        body = {"task": task.row(answer), "program": answer, "chat": True, "details": share}
        return judgement(post_verify(self._settings, body))


def judgement(row: dict[str, Any]) -> Judgement:
    """Convert a row of ``jobs.verification``, or of a server."""
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
    """Set the judge's settings, by default from the environment; close a judge with other ones."""
    global _settings, _judge
    with _lock:
        if settings is not None and settings == _settings:
            return
        _settings, old, _judge = settings, _judge, None
    if old is not None:
        old.close()


def settings() -> JudgeSettings:
    """Return the settings of this process's judge."""
    return JudgeSettings.from_environment() if _settings is None else _settings


def shared_judge() -> LocalJudge | RemoteJudge:
    """Return the judge of this process, created on first use."""
    global _judge
    with _lock:
        if _judge is None:
            found = settings()
            _judge = RemoteJudge(found) if found.url else LocalJudge(found)
            atexit.register(_judge.close)
        return _judge


def begin(tests: Any, answer: str, *, share: bool = False) -> Future[Judgement]:
    """Start judging an answer by a task id or tests (see ``task_data``); errors are raised here or
    by the future."""
    return shared_judge().begin(task_data(tests), answer, share=share)


def verdicts(pairs: Iterable[tuple[Any, str]]) -> list[Judgement]:
    """Judge pairs of (task id or tests, answer); raise if one has no verdict."""
    futures = [begin(tests, answer) for tests, answer in pairs]
    return [future.result() for future in futures]


# The tasks of a data set, in the form that harnesses show to a model.


@cache
def dataset_rows(name: str) -> list[dict[str, str]]:
    """Return the tasks of a data set: ``request`` is the whole text that ``evalplus-lite generate``
    sends, ``prompt`` the task's own prompt, for completion."""
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
    """Return a data set's name in the style of harness tasks: ``humaneval_plus``."""
    return re.sub(r"\W+", "_", name.replace("+", "_plus"))


def configure_for(name: str) -> None:
    """Add a data set to the judge of this process; a server has its own data sets."""
    known = settings()
    if not known.url and name not in known.datasets:
        configure(replace(known, datasets=(*known.datasets, name)))
