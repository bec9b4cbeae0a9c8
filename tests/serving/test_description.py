"""The server against its own OpenAPI description."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from serving.conftest import ROOT, Running
from support.commands import captured

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
    done = captured([*command, *options], cwd=tmp_path)
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


def test_every_endpoint_is_in_the_guide(described: Any, server: Running) -> None:
    """As are the names that are counted; each model has a name of its own."""
    names = described.client.get("/openapi.json").json()["components"]["schemas"]
    assert {"VerifyRequest", "NemoGymRequest", "ErrorAnswer"} <= names.keys()
    assert not [name for name in names if "__" in name]
    (shown,) = re.findall(rf"^```http\nGET /metrics\n```\n\n```text\n{LINES}", GUIDE, re.M)
    assert server.client.get("/v1/ping").status_code == 200
    families = {
        line.split()[2].removesuffix("_total")
        for line in server.client.get("/metrics").text.splitlines()
        if line.startswith("# TYPE ")
    }
    names = {re.split(r"[ {]", line)[0] for line in shown.splitlines()}
    assert {re.sub("_total$|_bucket$", "", name) for name in names} <= families
    paths = server.client.get("/openapi.json").json()["paths"]
    assert [path for path in paths if f"{path}" not in GUIDE] == []
    assert len(EXAMPLES) + 1 == GUIDE.count("```http\n")  # beside that of /metrics


# The guide's examples are what the server answers.

GUIDE = (ROOT / "docs/guide/serving.md").read_text(encoding="utf-8")
LINES = r"((?:(?!```).*\n)*)```\n"
EXAMPLES = re.findall(rf"^```http\n(GET|POST) (\S+)\n{LINES}\n```json\n{LINES}", GUIDE, re.M)


def holds(found: Any, shown: Any) -> bool:
    """Return whether an answer holds what the guide shows of it."""
    if isinstance(shown, dict):
        return isinstance(found, dict) and all(holds(found.get(k), v) for k, v in shown.items())
    if isinstance(shown, list):
        return len(found) == len(shown) and all(map(holds, found, shown))
    return bool(found == shown)


@pytest.mark.parametrize(("method", "path", "body", "shown"), EXAMPLES)
def test_an_example(server: Running, method: str, path: str, body: str, shown: str) -> None:
    """What is shown of an answer is in the answer."""
    response = server.client.request(method, path, content=body.strip() or None)
    assert response.status_code == 200, response.text
    assert holds(response.json(), json.loads(shown)), response.text
