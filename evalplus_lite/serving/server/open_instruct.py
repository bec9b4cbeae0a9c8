"""The protocol of open-instruct's code server: assertions, or texts in and out, test by test."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel
from starlette.responses import Response

from evalplus_lite.errors import InputError
from evalplus_lite.serving.requests import Form
from evalplus_lite.serving.server.answers import answer
from evalplus_lite.serving.server.endpoint import Asking, Endpoint
from evalplus_lite.serving.server.judged import verdict
from evalplus_lite.serving.server.models import Loose, Seconds, granted
from evalplus_lite.serving.server.service import Asked
from evalplus_lite.store.parsing import parse_json

FAILED = -1.0
"""The running time of a test that was not passed."""


class TestRequest(Loose):
    """A program and its tests: a list, or a text with the list as JSON."""

    program: str
    tests: list[Any] | str
    max_execution_time: Seconds = 1.0


class TestResponse(BaseModel):
    """Whether each test was passed, and the CPU seconds of those that were, on average."""

    results: list[int]
    runtimes: list[float]


async def health(asking: Asking) -> Response:
    """Say that the server is there."""
    return answer({"status": "healthy"})


async def test_program(asking: Asking) -> Response:
    """Judge by assertions."""
    tests = _tests(asking.body)
    return await _answer(asking, tests, "assertions", tests)


async def test_program_stdio(asking: Asking) -> Response:
    """Judge by what is printed."""
    tests = _tests(asking.body)
    if not all(type(each) is dict and {"input", "output"} <= each.keys() for each in tests):
        raise InputError("a test lacks its input or output")
    texts = [each["input"] for each in tests], [each["output"] for each in tests]
    return await _answer(asking, tests, "printed", (*texts, 0.0))


async def _answer(asking: Asking, tests: list[Any], form: Form, data: Any) -> Response:
    body: TestRequest = asking.body
    service = asking.service
    identity = {"tier": service.tier, "version": service.version}
    limits = granted(service, body.max_execution_time)
    asked = Asked.given(form, data)
    row = await verdict(asking, asked, body.program, ["tests"], limits)
    passed = [name == "pass" for name in row["tests"]]
    seconds = row["seconds"] / len(tests)
    return answer(
        {
            "results": list(map(int, passed)),
            "runtimes": [seconds if each else FAILED for each in passed],
            "inside": row.get("inside", 0),
            **identity,
        }
    )


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


ENDPOINTS = (
    *(
        Endpoint("POST", path, summary, respond, TestRequest, TestResponse, "open-instruct")
        for path, summary, respond in (
            ("/test_program", "Judge by assertions", test_program),
            ("/test_program_stdio", "Judge by what is printed", test_program_stdio),
        )
    ),
    Endpoint("GET", "/health", "Whether the server is there", health, family="open-instruct"),
)
