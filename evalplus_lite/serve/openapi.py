"""The description of all endpoints in the form of OpenAPI 3.1, made of their models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema
from starlette.responses import Response

import evalplus_lite
from evalplus_lite.serve.answers import answer
from evalplus_lite.serve.endpoint import Asking, Endpoint

TEMPLATE = "#/components/schemas/{model}"
ERRORS = {
    "401": "A token is needed.",
    "404": "No such task, data set or path.",
    "413": "The request is too large.",
    "422": "The request cannot be used, or its task cannot be judged: no verdict.",
    "429": "Too many programs are waiting; Retry-After says when to ask again.",
    "503": "The machine failed: no verdict.",
}
PATH = "/openapi.json"


def described(endpoints: Sequence[Endpoint]) -> Endpoint:
    """Return the endpoint that describes the others."""
    document = description(endpoints)

    async def describe(asking: Asking) -> Response:
        return answer(document)

    return Endpoint("GET", PATH, "This description", describe)


def description(endpoints: Sequence[Endpoint]) -> dict[str, Any]:
    """Return the document; bodies are named as their models are, by family where two agree."""
    models = [model for each in endpoints for model in (each.asked, each.answered) if model]
    modes = [(model, "validation") for model in dict.fromkeys(models)]
    refs, schemas = models_json_schema(modes, ref_template=TEMPLATE)  # type: ignore[arg-type]
    paths: dict[str, dict[str, Any]] = {}
    for each in endpoints:
        paths.setdefault(each.path, {})[each.method.lower()] = _operation(each, refs)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "evalplus_lite",
            "version": evalplus_lite.__version__,
            "description": "Verdicts on programs. What fails on the server's side is never one.",
        },
        "paths": paths,
        "components": {
            "schemas": schemas.get("$defs", {}),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}, {}],
    }


def _operation(endpoint: Endpoint, refs: Any) -> dict[str, Any]:
    def content(model: type[BaseModel] | None) -> dict[str, Any]:
        schema = {} if model is None else refs[(model, "validation")]
        return {"application/json": {"schema": schema}}

    found: dict[str, Any] = {
        "summary": endpoint.summary,
        "operationId": f"{endpoint.method.lower()}{endpoint.path.replace('/', '_')}",
        "tags": [endpoint.family],
        "responses": {
            "200": {"description": "Done.", "content": content(endpoint.answered)},
            **{status: {"description": text} for status, text in ERRORS.items()},
        },
    }
    if endpoint.asked is not None:
        found["requestBody"] = {"required": True, "content": content(endpoint.asked)}
    return found
