"""The protocols that the server speaks: its own, SandboxFusion's, open-instruct's, NeMo-Gym's."""

from __future__ import annotations

import base64
import binascii
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import PurePosixPath
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response, StreamingResponse

from evalplus_lite.errors import EvalPlusLiteError, InputError
from evalplus_lite.jobs.verification import UnknownTask
from evalplus_lite.serving.server.endpoint import (
    Answer,
    Answered,
    Asking,
    Endpoint,
    ErrorGiven,
    Exact,
    LimitsGiven,
    Loose,
    Pair,
    Seconds,
    answer,
    encoded,
    error_row,
    granted,
    judged,
    marks,
    refusal,
    shown,
    verdict,
)
from evalplus_lite.serving.server.metrics import CONTENT_TYPE
from evalplus_lite.serving.server.service import RequestLimits, Service, TaskSource
from evalplus_lite.store.parsing import parse_json
from evalplus_lite.tasks.published.rows import inflated
from evalplus_lite.tasks.published.trainers import Form, problem_data, task_data

ENDPOINTS: list[Endpoint] = []
"""All endpoints, in the order of this module."""


def answers(
    path: str,
    asked: type[BaseModel] | None = None,
    answered: type[BaseModel] | None = None,
    **more: Any,
) -> Callable[[Answer], Answer]:
    """Register a function for a path: for GET if ``asked`` is None, else for POST."""

    def add(function: Answer) -> Answer:
        ENDPOINTS.append(Endpoint(path, function, asked, answered, **more))
        return function

    return add


# The server's own protocol, version 1.

NDJSON = "application/x-ndjson"
TaskGiven = Annotated[
    str | dict[str, Any],
    Field(
        description="The id of a loaded task, a row of a task file, or tests: functional, or"
        " inputs and outputs (with fn_name)."
    ),
]


class Item(Exact):
    """A program and its task."""

    task: TaskGiven
    program: str


class VerifyRequest(Exact):
    """One task with a program or several, or items that each name a task."""

    task: TaskGiven | None = None
    program: str | None = None
    programs: list[str] | None = None
    items: list[Item] | None = None
    dataset: str | None = Field(
        default=None, description="Whose ids are meant; the first that has it."
    )
    chat: bool = Field(
        default=False, description="Programs are raw answers: take the code out first."
    )
    details: bool = Field(default=False, description="Run every case, and say the verdict on each.")
    explain: bool = Field(
        default=False, description="Show the failing input, with what was expected."
    )
    stream: bool = Field(
        default=False, description="Answer line by line (NDJSON) as verdicts come."
    )
    limits: LimitsGiven = LimitsGiven()

    def pairs(self, service: Service) -> list[Pair]:
        """Return the programs with their tasks; raise InputError for too many."""
        items = self._items()
        most = min(service.settings.most_programs, service.settings.most_waiting)
        if not 0 < len(items) <= most:
            raise InputError(f"there are {len(items)} programs", remedy=f"give 1 to {most}")
        known: dict[int | str, TaskSource | EvalPlusLiteError] = {}
        pairs = []
        for task, program in items:
            key = task if isinstance(task, str) else id(task)
            if key not in known:
                known[key] = _asked(service, task, self.dataset)
            pairs.append(Pair(known[key], program))
        return pairs

    def _items(self) -> list[tuple[str | dict[str, Any], str]]:
        if self.items is not None:
            if (self.task, self.program, self.programs) != (None, None, None):
                raise InputError("there are items and a task", remedy="give one of the two")
            return [(item.task, item.program) for item in self.items]
        if self.task is None or (self.program is None) == (self.programs is None):
            raise InputError(
                "a task and its programs are needed",
                remedy="give task with program or programs, or items of both",
            )
        programs = self.programs if self.program is None else [self.program]
        return [(self.task, program) for program in programs or []]


class VerdictGiven(BaseModel):
    """A verdict on a program; without one ``passed`` is null, and ``error`` has the reason."""

    index: int
    task: str
    passed: bool | None
    base: str | None
    plus: str | None
    failure: dict[str, Any] | None = None
    seconds: float | None = Field(default=None, description="CPU time of the program.")
    stored: bool | None = Field(default=None, description="Whether the verdict was reached before.")
    error: ErrorGiven | None = None
    notes: list[str] | None = None
    details: list[str | None] | None = None
    tests: list[str | None] | None = Field(
        default=None,
        description="With details: a verdict on each test, if one has several cases.",
    )


class VerifyResponse(Answered):
    """The verdicts in the programs' order."""

    verdicts: list[VerdictGiven]


def _asked(
    service: Service, task: str | dict[str, Any], dataset: str | None
) -> TaskSource | EvalPlusLiteError:
    if not isinstance(task, str):
        name = task.get("id") or task.get("task_id")
        return TaskSource.given("row", task, name[:200] if isinstance(name, str) else "")
    try:
        return service.task(task, dataset)
    except EvalPlusLiteError as error:
        return error


@answers("/v1/verify", VerifyRequest, VerifyResponse, media=("application/json", NDJSON))
async def verify(asking: Asking) -> Response | dict[str, Any]:
    """Judge programs."""
    body: VerifyRequest = asking.body
    service = asking.service
    limits = body.limits.within(service)
    pairs = body.pairs(service)
    options = [each for each in ("chat", "details", "explain") if getattr(body, each)]
    if body.stream or NDJSON in asking.headers.get("accept", ""):
        service.queue.require_room(asking.client, len(pairs))
        return StreamingResponse(_lines(asking, pairs, options, limits), media_type=NDJSON)
    found = dict([each async for each in judged(asking, pairs, options, limits)])
    rows = [found[place] for place in range(len(pairs))]
    # An error answers the whole request if it is its only result, or the machine failed on all.
    causes = [row["cause"] for row in rows if "cause" in row]
    is_ours = all(error_row(each)["kind"] == "infrastructure" for each in causes)
    if len(causes) == len(rows) and (len(causes) == 1 or is_ours):
        raise causes[0]
    return {"verdicts": [{"index": place, **shown(row)} for place, row in enumerate(rows)]}


async def _lines(
    asking: Asking, pairs: Sequence[Pair], options: Sequence[str], limits: RequestLimits
) -> AsyncIterator[bytes]:
    async for place, row in judged(asking, pairs, options, limits):
        yield encoded({"index": place, **shown(row)}) + b"\n"
    yield encoded({"done": True, "count": len(pairs), **asking.service.identity}) + b"\n"


@answers("/healthz")
async def health(asking: Asking) -> Response | dict[str, Any]:
    """Whether programs can be judged."""
    service = asking.service
    ready = len(service.backend.pids)
    if not ready:
        return refusal(service, 503, "infrastructure", "no worker is there")
    return {
        "status": "ok",
        "workers": service.backend.workers,
        "ready": ready,
        "waiting": service.queue.waiting,
        "running": service.queue.begun,
        "datasets": {name: len(each) for name, each in service.datasets.items()},
    }


@answers("/metrics", media=("text/plain",))
async def metrics(asking: Asking) -> Response:
    """Counters for Prometheus."""
    return Response(asking.metrics.text(), media_type=CONTENT_TYPE)


# SandboxFusion, for Python: run a program, or submit an answer to a problem.

SHOWN = 200
"""Maximum length of an input or output that an answer repeats, in characters."""
FAMILY = "SandboxFusion"
SECONDS = 10.0
LANGUAGES = ("python", "python3")
PROGRAM = "main.py"
"""The name of a program's file."""
MOST_FILES = 256
LONGEST_PATH, LONGEST_NAME = 500, 255
"""Characters of a file's path, and bytes of each of its parts."""


class RunCodeRequest(Loose):
    """A program, its standard input, and the files next to it."""

    code: str
    language: str
    stdin: str | None = None
    run_timeout: Seconds = SECONDS
    memory_limit_MB: Annotated[int, Field(strict=True)] = -1
    files: dict[str, str | None] = Field(default={}, description="Contents in base 64 by path.")
    fetch_files: list[str] = Field(default=[])


class SubmitConfig(Loose):
    """How to judge an answer."""

    language: str | None = None
    run_timeout: Seconds | None = None
    custom_extract_logic: str | None = None
    provided_data: list[dict[str, Any]] | dict[str, Any] | None = None


class SubmitRequest(Loose):
    """An answer to a problem from a data set, or to one in the request."""

    dataset: str
    id: int | str
    completion: str
    config: SubmitConfig = SubmitConfig()


@answers("/run_code", RunCodeRequest, family=FAMILY)
async def run_code(asking: Asking) -> dict[str, Any]:
    """Run a program.

    As an interpreter runs a file: no verdict.
    """
    body: RunCodeRequest = asking.body
    service = asking.service
    _require_python(body.language)
    service.queue.require_room(asking.client, 1)
    limits = granted(service, body.run_timeout, body.memory_limit_MB)
    bounds = (
        limits.seconds,
        limits.memory or service.settings.memory,
        service.settings.most_output,
    )
    data = _contents(body)
    item = (body.code, (body.stdin or "").encode(), data, body.fetch_files, *bounds)
    row = await service.run(asking.client, item)
    asking.metrics.runs.labels(row["ended"]).inc()
    asking.metrics.cpu.inc(row["cpu"])
    is_late = row["ended"] == "timeout"
    code = None if is_late else 1 if row["exit_code"] is None else row["exit_code"]
    stderr = row["stderr"] + (f"\n{row['detail']}\n" if row["detail"] and not is_late else "")
    cuts = [
        f"{name}: the first {len(row[name])} characters of {row[f'{name}_bytes']} bytes"
        for name in ("stdout", "stderr")
        if row[f"{name}_cut"]
    ]
    return {
        "status": "Success" if code == 0 else "Failed",
        "message": "; ".join(cuts),
        "compile_result": None,
        "run_result": {
            "status": "TimeLimitExceeded" if is_late else "Finished",
            "execution_time": row["seconds"],
            "return_code": code,
            "stdout": row["stdout"],
            "stderr": stderr,
        },
        "executor_pod_name": None,
        "files": {
            path: base64.b64encode(data).decode()
            for path, data in row["files"].items()
            if data is not None
        },
    }


def _contents(body: RunCodeRequest) -> dict[str, bytes]:
    """Return the files of a request by path.

    Raises InputError for too many files, a path outside the program's folder, two files with one
    path, and contents that are not base 64.
    """
    if max(len(body.files), len(body.fetch_files)) > MOST_FILES:
        raise InputError(f"there are more than {MOST_FILES} files")
    for path in (*body.files, *body.fetch_files):
        parts = path.removeprefix("./").split("/")
        is_path = len(path) <= LONGEST_PATH and "\0" not in path
        is_path &= all(len(part.encode()) <= LONGEST_NAME for part in parts)
        if not is_path or not {"", ".", ".."}.isdisjoint(parts):
            raise InputError(
                f"files: {path[:100]!r} is no path within the program's folder",
                remedy="give a relative one, such as 'data/a.txt'",
            )
    taken, folders = {PROGRAM}, set[str]()
    for path in body.files:
        name = path.removeprefix("./")
        above = {str(each) for each in PurePosixPath(name).parents} - {"."}
        if name in taken | folders or not taken.isdisjoint(above):
            raise InputError(
                f"files: {path[:100]!r} has the place of the program, or of another file",
                remedy="give it another name",
            )
        taken.add(name)
        folders |= above
    try:
        return {
            path: base64.b64decode(text, validate=True)
            for path, text in body.files.items()
            if text is not None
        }
    except (binascii.Error, ValueError):
        raise InputError("files: the content of one is not in base 64") from None


@answers("/submit", SubmitRequest, family=FAMILY)
async def submit(asking: Asking) -> Response:
    """Judge an answer."""
    body: SubmitRequest = asking.body
    service, config = asking.service, body.config
    if config.language is not None:
        _require_python(config.language)
    if config.custom_extract_logic:
        raise InputError("custom_extract_logic is a program, and not run")
    cases: list[dict[str, Any]] = []
    options = ["chat", "program", "tests"]
    if body.dataset in service.datasets:
        asked = service.task(service.known_id(body.dataset, body.id), body.dataset)
        options = ["chat", "program"]  # all cases are one test
    else:
        data = problem_data(_provided(body))
        asked = TaskSource.given(data.form, data.data)  # type: ignore[arg-type]
        if data.form == "printed":
            cases = [
                {"input": {"stdin": given[:SHOWN]}, "output": {"stdout": expected[:SHOWN]}}
                for given, expected in zip(*data.data[:2], strict=True)
            ]
    row = await verdict(
        asking, asked, body.completion, options, granted(service, config.run_timeout)
    )
    names = row.get("tests", [row["plus"] or row["base"]])
    infos = cases if len(cases) == len(names) else [None] * len(names)
    tests = [
        {"passed": name == "pass", "exec_info": _told(name), "test_info": info}
        for name, info in zip(names, infos, strict=True)
    ]
    has_fence = "```" in body.completion
    return answer(
        {
            "id": body.id,
            "accepted": row["passed"],
            "extracted_code": row["program"],
            "full_code": None,
            "test_code": None,
            "tests": tests,
            "extracted_type": "fenced" if has_fence else "heuristic" if row["program"] else "empty",
            "extra": {
                "failure": row["failure"],
                "inside": row.get("inside", 0),
                **service.identity,
            },
        }
    )


def _provided(body: SubmitRequest) -> dict[str, Any]:
    """Return the problem in a request; raise UnknownTask if there is none."""
    given = body.config.provided_data
    if isinstance(given, dict):
        return given
    for row in given or ():
        if str(row.get("id")) == str(body.id):
            return row
    raise UnknownTask(
        f"no data set {body.dataset[:100]!r} is loaded, and provided_data holds no problem"
        f" {body.id!r}"
    )


def _told(name: str | None) -> dict[str, Any]:
    """Convert a verdict on a test to the result of a run."""
    is_late = name == "timeout"
    # A wrong answer exits with 0 like a right one, because the run itself succeeded.
    code = None if is_late else 0 if name in ("pass", "fail") else 1
    return {
        "status": "Success" if code == 0 else "Failed",
        "message": name or "not run",
        "run_result": {
            "status": "TimeLimitExceeded" if is_late else "Finished",
            "return_code": code,
        },
        "files": {},
    }


def _require_python(language: str) -> None:
    if language not in LANGUAGES:
        raise InputError(f"language is {language[:50]!r}", remedy="this server runs Python alone")


@answers("/v1/ping", family=FAMILY)
async def ping(asking: Asking) -> Response:
    """Whether the server is there."""
    return answer("pong")


@answers("/list_datasets", family=FAMILY)
async def list_datasets(asking: Asking) -> Response:
    """The data sets."""
    return answer(list(asking.service.datasets))


class ListRequest(Loose):
    """A data set by name."""

    dataset: str


@answers("/list_ids", ListRequest, family=FAMILY)
async def list_ids(asking: Asking) -> Response:
    """The tasks of one."""
    return answer(asking.service.ids(asking.body.dataset))


# open-instruct: programs and their tests.

FAILED = -1.0
"""The running time reported for a failed test."""


class TestRequest(Loose):
    """A program and its tests: a list, or a text with the list as JSON."""

    program: str
    tests: list[Any] | str
    max_execution_time: Seconds = 1.0


@answers("/test_program", TestRequest, family="open-instruct")
async def test_program(asking: Asking) -> dict[str, Any]:
    """Judge by assertions."""
    tests = _tests(asking.body)
    return await _results(asking, tests, "assertions", tests)


@answers("/test_program_stdio", TestRequest, family="open-instruct")
async def test_program_stdio(asking: Asking) -> dict[str, Any]:
    """Judge by what is printed."""
    tests = _tests(asking.body)
    if not all(type(each) is dict and {"input", "output"} <= each.keys() for each in tests):
        raise InputError("a test lacks its input or output")
    texts = [each["input"] for each in tests], [each["output"] for each in tests]
    return await _results(asking, tests, "printed", (*texts, 0.0))


async def _results(asking: Asking, tests: list[Any], form: Form, data: Any) -> dict[str, Any]:
    body: TestRequest = asking.body
    service = asking.service
    limits = granted(service, body.max_execution_time)
    asked = TaskSource.given(form, data)
    row = await verdict(asking, asked, body.program, ["tests"], limits)
    passed = [name == "pass" for name in row["tests"]]
    seconds = row["seconds"] / len(tests)
    return {
        "results": list(map(int, passed)),
        "runtimes": [seconds if each else FAILED for each in passed],
        "inside": row.get("inside", 0),
    }


def _tests(body: TestRequest) -> list[Any]:
    tests: Any = body.tests
    if type(tests) is str:
        try:
            tests = parse_json(tests)
        except InputError as error:
            raise InputError(
                f"tests: {error}", remedy="give a list, or JSON; a pickle is a program, and not run"
            ) from None
    if type(tests) is not list:
        raise InputError(f"tests is a {type(tests).__name__}, a list was expected")
    if not tests:  # an empty list of results would pass ``all``
        raise InputError("there is no test", remedy="give one or more")
    return tests


@answers("/health", family="open-instruct")
async def alive(asking: Asking) -> Response:
    """Whether the server is there."""
    return answer({"status": "healthy"})


# A NeMo-Gym resources server, compatible with its code generation environment.

MOST_UNPACKED = 64 << 20
"""Maximum size of unpacked tests, in bytes."""


class NemoGymRequest(BaseModel):
    """A model's response and its tests; the answer repeats all of it."""

    model_config = ConfigDict(extra="allow")
    responses_create_params: dict[str, Any] = {}
    response: dict[str, Any]
    verifier_metadata: dict[str, Any]


@answers("/verify", NemoGymRequest, family="NeMo-Gym")
async def verify_response(asking: Asking) -> Response:
    """Judge a response."""
    body: NemoGymRequest = asking.body
    service = asking.service
    output = _output(body.response)
    given = body.model_dump(mode="json")
    tests = body.verifier_metadata.get("unit_tests")
    asked = _of_unit_tests(tests, output, service.settings.most_values)
    if not output.strip():
        about: dict[str, Any] = {"detail": "no output", **service.identity}
        return answer({**given, "reward": 0.0, "metadata": about})
    row = await verdict(asking, asked, output, ["chat", "tests", "program"], RequestLimits())
    detail = (row["failure"] or {}).get("detail")
    about = {"verdict": row["base"], "detail": detail, **service.identity}
    return answer(
        {
            **given,
            "reward": 1.0 if row["passed"] else 0.0,
            "extracted_model_output": output,
            "extracted_model_code": row["program"],
            "result": [name == "pass" for name in row["tests"]],
            "metadata": about,
            "unit_tests_time_taken": row["seconds"],
        }
    )


def _output(response: dict[str, Any]) -> str:
    """Return the text of a response in the OpenAI format."""
    found = []
    items = response.get("output")
    for item in items if type(items) is list else []:
        if type(item) is not dict or item.get("type") != "message":
            continue
        parts = item.get("content")
        if type(parts) is str:
            found.append(parts)
        for part in parts if type(parts) is list else []:
            if type(part) is dict and part.get("type") == "output_text":
                found.append(str(part.get("text") or ""))
    return "".join(found)


def _of_unit_tests(tests: Any, output: str, most: int) -> TaskSource:
    if type(tests) is dict and "packed" in tests:
        tests = {**_unpacked(tests["packed"], most), "fn_name": tests.get("fn_name")}
    if type(tests) is not dict:
        raise InputError("verifier_metadata.unit_tests is missing")
    cases = {key: tests.get(key) for key in ("inputs", "outputs", "fn_name")}
    if not cases["inputs"] or not all(type(cases[key]) is list for key in ("inputs", "outputs")):
        raise InputError("verifier_metadata.unit_tests holds no lists of inputs and outputs")
    data = task_data(cases)
    return TaskSource.given(data.form, data.of(output))  # type: ignore[arg-type]


def _unpacked(text: Any, most: int) -> dict[str, Any]:
    try:
        data = inflated(text, MOST_UNPACKED)
        if marks(data) > most:
            raise InputError(f"unit_tests unpacks to more than {most} values")
        found = parse_json(data.decode())
    except ValueError as error:
        raise InputError(f"verifier_metadata.unit_tests.packed: {error}") from None
    return found if type(found) is dict else {}
