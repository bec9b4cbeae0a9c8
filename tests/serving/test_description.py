"""The server against its own OpenAPI description."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SCHEMATHESIS = shutil.which("schemathesis", path=str(Path(sys.executable).parent)) or shutil.which(
    "schemathesis"
)


@pytest.fixture(scope="module")
def described(start: Callable[..., Any]) -> Any:
    return start()


@pytest.mark.skipif(SCHEMATHESIS is None, reason="schemathesis is not installed")
def test_answers_are_as_described(described: Any, tmp_path: Path) -> None:
    """Generated requests, valid and not, get the statuses, types and schemas that are described."""
    server = described
    command = [str(SCHEMATHESIS), "run", f"{server.url}/openapi.json"]
    # No schema can say that a task needs its programs: a valid form may still be refused.
    options = ["--max-examples", "10", "--seed", "1"]
    options += ["--exclude-checks", "positive_data_acceptance"]
    done = subprocess.run(  # its cache goes to the folder that it runs in
        [*command, *options], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout[-4000:]
    assert " passed" in done.stdout


@pytest.mark.parametrize(
    ("status", "request_"),
    [
        (403, {"headers": {"origin": "http://example.com"}}),
        (404, {"json": {"task": "Own/none", "program": ""}}),
        (413, {"content": b"[" * (2 << 20)}),
        (415, {"headers": {"content-encoding": "gzip"}}),
        (422, {"json": {}}),
    ],
)
def test_errors_are_as_described(described: Any, status: int, request_: dict[str, Any]) -> None:
    """A refused request has a status and a kind of error that the description lists."""
    document = described.client.get("/openapi.json").json()
    response = described.client.post("/v1/verify", **request_)
    assert response.status_code == status
    assert str(status) in document["paths"]["/v1/verify"]["post"]["responses"]
    kinds = document["components"]["schemas"]["ErrorGiven"]["properties"]["kind"]["enum"]
    assert response.json()["error"]["kind"] in kinds


def test_each_model_has_a_name_of_its_own(described: Any) -> None:
    """A client is generated of the names: two models of one name would get their modules' paths."""
    names = described.client.get("/openapi.json").json()["components"]["schemas"]
    assert {"VerifyRequest", "NemoGymRequest", "ErrorAnswer"} <= names.keys()
    assert not [name for name in names if "__" in name]
