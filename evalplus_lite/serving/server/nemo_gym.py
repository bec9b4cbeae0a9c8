"""The protocol of a resources server of NeMo-Gym, as its code generation environment speaks it."""

from __future__ import annotations

import base64
import binascii
import zlib
from typing import Any

from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from evalplus_lite.errors import InputError
from evalplus_lite.serving.requests import is_method
from evalplus_lite.serving.server.answers import answer, marks
from evalplus_lite.serving.server.endpoint import Asking, Endpoint
from evalplus_lite.serving.server.judged import verdict
from evalplus_lite.serving.server.service import Asked, RequestLimits
from evalplus_lite.store.parsing import parse_json

MOST_UNPACKED = 64 << 20
"""Bytes that packed tests may come to."""


class NemoGymRequest(BaseModel):
    """A model's response, and the tests that belong to it; all of it is sent back."""

    model_config = ConfigDict(extra="allow")
    responses_create_params: dict[str, Any] = {}
    response: dict[str, Any]
    verifier_metadata: dict[str, Any]


class NemoGymResponse(BaseModel):
    """The request, with the reward: 1 if every test was passed, else 0."""

    model_config = ConfigDict(extra="allow")
    reward: float
    extracted_model_output: str | None = None
    extracted_model_code: str | None = None
    result: list[bool] | None = None
    metadata: dict[str, Any] | None = None
    unit_tests_time_taken: float | None = None


async def verify(asking: Asking) -> Response:
    """Judge a response."""
    body: NemoGymRequest = asking.body
    service = asking.service
    output = _output(body.response)
    given = body.model_dump(mode="json")
    asked = _asked(body.verifier_metadata.get("unit_tests"), output, service.settings.most_values)
    identity = {"tier": service.tier, "version": service.version}
    if not output.strip():
        return answer({**given, "reward": 0.0, "metadata": {"detail": "no output", **identity}})
    row = await verdict(asking, asked, output, ["chat", "tests", "program"], RequestLimits())
    failure = row["failure"] or {}
    return answer(
        {
            **given,
            "reward": 1.0 if row["passed"] else 0.0,
            "extracted_model_output": output,
            "extracted_model_code": row["program"],
            "result": [name == "pass" for name in row["tests"]],
            "metadata": {"verdict": row["base"], "detail": failure.get("detail"), **identity},
            "unit_tests_time_taken": row["seconds"],
        }
    )


def _output(response: dict[str, Any]) -> str:
    """Return the text of a response of the OpenAI protocol."""
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


def _asked(tests: Any, output: str, most: int) -> Asked:
    if type(tests) is dict and "packed" in tests:
        tests = {**_unpacked(tests["packed"], most), "fn_name": tests.get("fn_name")}
    if type(tests) is not dict:
        raise InputError("verifier_metadata.unit_tests is missing")
    inputs, outputs, name = tests.get("inputs"), tests.get("outputs"), tests.get("fn_name")
    if type(inputs) is not list or type(outputs) is not list or not inputs:
        raise InputError("verifier_metadata.unit_tests holds no lists of inputs and outputs")
    if name:
        return Asked.given("calls", (name, inputs, outputs, is_method(output)))
    return Asked.given("printed", (inputs, outputs, 0.0))


def _unpacked(text: Any, most: int) -> dict[str, Any]:
    try:
        unpacking = zlib.decompressobj()
        data = unpacking.decompress(base64.b64decode(text, validate=True), MOST_UNPACKED)
        if unpacking.unconsumed_tail or not unpacking.eof:
            raise InputError(f"unit_tests unpacks to over {MOST_UNPACKED} bytes, or is cut")
        if marks(data) > most:
            raise InputError(f"unit_tests unpacks to more than {most} values")
        found = parse_json(data.decode())
    except (binascii.Error, zlib.error, ValueError, TypeError) as error:
        raise InputError(f"verifier_metadata.unit_tests.packed: {error}") from None
    return found if type(found) is dict else {}


ENDPOINTS = (
    Endpoint(
        "POST", "/verify", "Judge a response", verify, NemoGymRequest, NemoGymResponse, "NeMo-Gym"
    ),
)
