"""The guide's examples are what the server answers."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from serving.conftest import ROOT, Running

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


def test_what_is_counted(server: Running) -> None:
    """The names that the guide shows are those of the server."""
    (shown,) = re.findall(rf"^```http\nGET /metrics\n```\n\n```text\n{LINES}", GUIDE, re.M)
    assert server.client.get("/v1/ping").status_code == 200
    families = {
        line.split()[2].removesuffix("_total")
        for line in server.client.get("/metrics").text.splitlines()
        if line.startswith("# TYPE ")
    }
    names = {re.split(r"[ {]", line)[0] for line in shown.splitlines()}
    assert {re.sub("_total$|_bucket$", "", name) for name in names} <= families


def test_every_endpoint_is_in_the_guide(server: Running) -> None:
    """By its path."""
    paths = server.client.get("/openapi.json").json()["paths"]
    assert [path for path in paths if f"{path}" not in GUIDE] == []
    assert len(EXAMPLES) + 1 == GUIDE.count("```http\n")  # beside that of /metrics
